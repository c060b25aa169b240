//! `noctuary import --from` of chats, and of the memory of other programs.

use std::path::Path;
use std::sync::Arc;

use chrono::{NaiveDate, Utc};
use noctuary::exchange::{
    ChatFormat, ChatImport, ChatPlan, ChatProgress, Dialect, Import, ImportAction, ImportItem, ImportRefusal,
};
use noctuary::{FileWorkspace, JournalDreamer};
use serde_json::{Value, json};

use crate::commands::night::dreamer;
use crate::config::Config;
use crate::home::Home;
use crate::output::{End, Output, Trouble, count, size};
use crate::place::{Place, Whose};
use crate::progress::Progress;

/// Which chats come in, and whether they do.
#[derive(Clone, Copy)]
pub(crate) struct HowChats<'a> {
    pub(crate) format: ChatFormat,
    pub(crate) since: Option<NaiveDate>,
    pub(crate) only: Option<&'a str>,
    pub(crate) apply: bool,
}

/// The characters of a title that are shown at least.
const TITLE_CHARS: usize = 40;

/// The number of conversations that are named; the rest are counted.
const MAX_NAMED: usize = 20;

pub(crate) fn import(
    from: &Path,
    place: &Place,
    how: HowChats<'_>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::target(place, how.apply, whose)?;
    let mut import = ChatImport::new(how.format).day(config.day()?);
    if let Some(day) = how.since {
        import = import.since(day);
    }
    if let Some(only) = how.only {
        import = import.only(only);
    }
    let plan = {
        let counts = Arc::new(ChatProgress::default());
        import = import.counting(Arc::clone(&counts));
        let _progress = Progress::counting("importing", move || {
            format!("{} conversations, {} messages read", counts.chats(), counts.messages())
        });
        let workspace = home.workspace.as_ref();
        if how.apply { import.apply(from, workspace) } else { import.plan(from, workspace) }
    };
    let plan = plan.map_err(|error| match &error {
        noctuary::Error::Corrupt { name, what, .. } if *name == from.display().to_string() => {
            Trouble::of("export_unread", &[name, what])
        }
        _ => error.into(),
    })?;
    let waits = if how.apply {
        let near = dreamer(&home, config)?.survey(Utc::now())?.backlog.bytes;
        Some(Waits::of(&home, config, near)?)
    } else {
        None
    };
    let is_none = how.only.is_some() && plan.chats.is_empty() && plan.unchanged == 0;
    let is_told = is_none || !plan.refused.is_empty() || !plan.found.is_empty();
    if output.json {
        let mut value = serde_json::to_value(&plan)?;
        if let Some(waits) = &waits {
            value["backlog"] = waits.json();
        }
        output.value(&value)?;
        return Ok(End::look_if(is_told));
    }
    tell(&plan, output);
    if let Some(only) = how.only.filter(|_| is_none) {
        return Ok(output.say("no_chat", &[&only]));
    }
    match waits {
        Some(waits) => waits.tell(place, output),
        None => output.line("Nothing was written. `--apply` does it."),
    }
    Ok(End::look_if(is_told))
}

/// Returns a text of an export without what a terminal obeys.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn tell(plan: &ChatPlan, output: Output) {
    let days = plan.chats.iter().map(|chat| chat.days.len()).sum();
    let known =
        if plan.unchanged > 0 { format!("; {} there already", plan.unchanged) } else { String::new() };
    let all = format!(
        "{}: {}, {} in {} {}{known}.",
        count(plan.chats.len(), "conversation"),
        count(number(plan.messages), "message"),
        size(plan.bytes),
        count(days, "journal"),
        if plan.applied { "added" } else { "would be added" }
    );
    output.wrapped(0, &all);
    for chat in plan.chats.iter().take(MAX_NAMED) {
        let day = chat.days.first().map(ToString::to_string).unwrap_or_default();
        let front = format!("  {day}  {}  {}", plain(&chat.id), count(number(chat.messages), "message"));
        // A long id leaves little of a line: the title is what a person knows.
        let room = 78_usize.saturating_sub(front.chars().count()).max(TITLE_CHARS);
        let title: String = plain(&chat.title).chars().take(room).collect();
        output.line(format!("{front}  {}", output.bold(&title)).trim_end());
    }
    if let Some(more) = plan.chats.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        output.line(format!("  and {more} more; `--json` names them, `--only TEXT` takes some"));
    }
    if plan.undated > 0 {
        let messages = count(number(plan.undated), "message");
        output.wrapped(
            0,
            &format!("{messages} without a time that can be read: the day is that of a neighbour, or of the conversation."),
        );
    }
    for left in &plan.left_out {
        output.line(format!("Left out: {}: {}", left.what, left.count));
    }
    for (class, messages) in &plan.found {
        let messages = count(number(*messages), "message");
        output.line(format!("{}    {class} in {messages}", output.bad("found")));
    }
    if !plan.found.is_empty() {
        output.wrapped(4, "Secrets are masked. Suspicious text is kept, and no night promotes it.");
    }
    for refused in &plan.refused {
        let title: String = plain(&refused.title).chars().take(60).collect();
        let place = output.bold(&plain(&refused.place));
        output.line(format!("{}  {place}  {title}", output.bad("refused")).trim_end());
        let times = if refused.count > 1 { format!(" ({} times)", refused.count) } else { String::new() };
        output.wrapped(4, &format!("{}{times}.", refused.reason));
    }
}

/// How much waits for nights, and how long they take.
pub(super) struct Waits {
    pub(super) journals: u64,
    pub(super) bytes: u64,
    /// Bytes of journals that are too old for a night.
    too_old: u64,
    /// For the rest.
    near: Pace,
    old: Pace,
    window: Option<u32>,
}

impl Waits {
    /// Looks at what waits of any age, beside the bytes that the next nights read.
    pub(super) fn of(home: &Home, config: &Config, near: u64) -> Result<Self, Trouble> {
        let config = config.dreams()?;
        let dreamer = JournalDreamer::builder(Arc::clone(&home.workspace)).config(config.clone());
        let dreamer = dreamer.enabled(true).configure(|config| config.window_days = None).build()?;
        let all = dreamer.survey(Utc::now())?.backlog;
        let near = near.min(all.bytes);
        let a_night = u64::from(config.max_passes.min(config.budget.max_calls_per_day.unwrap_or(u32::MAX)));
        let pace = |bytes: u64| {
            let calls = bytes.div_ceil(config.total_input_bytes);
            Pace { nights: calls.div_ceil(a_night.max(1)), calls }
        };
        Ok(Self {
            journals: all.journals,
            bytes: all.bytes,
            too_old: all.bytes - near,
            near: pace(near),
            old: pace(all.bytes - near),
            window: config.window_days,
        })
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "journals": self.journals, "bytes": self.bytes, "too_old_bytes": self.too_old,
            "nights": self.near.nights, "calls": self.near.calls,
            "too_old_nights": self.old.nights, "too_old_calls": self.old.calls,
        })
    }

    /// Returns how long nights take for what is not too old; nothing where none is.
    pub(super) fn pace(&self) -> Option<String> {
        (self.near.nights > 0).then(|| self.near.told())
    }

    /// Returns how much no night reads, and how it is read.
    pub(super) fn too_old(&self, here: &str) -> Option<String> {
        let days = self.window.filter(|_| self.too_old > 0)?;
        let size = size(self.too_old);
        Some(format!(
            "{size} of it is older than {days} days: `noctuary dream {here} --all` reads it, or window_days = 0 in the settings: {}.",
            self.old.told()
        ))
    }

    fn tell(&self, place: &Place, output: Output) {
        if self.bytes == 0 {
            return;
        }
        let (size, journals) = (size(self.bytes), count(number(self.journals), "journal"));
        let until = self.pace().map(|pace| format!(": {pace}")).unwrap_or_default();
        output.wrapped(0, &format!("{size} in {journals} wait for a dream{until}."));
        if let Some(old) = self.too_old(&place.to_string()) {
            output.wrapped(0, &old);
        }
    }
}

/// How long nights take to read something.
struct Pace {
    nights: u64,
    calls: u64,
}

impl Pace {
    fn told(&self) -> String {
        let (nights, calls) = (count(number(self.nights), "night"), count(number(self.calls), "call"));
        format!("about {nights}, {calls} of a model")
    }
}

/// Imports the memory of another program: its folder, as it is.
pub(crate) fn memory(
    from: &Path,
    place: &Place,
    dialect: Dialect,
    apply: bool,
    whose: Whose<'_>,
    output: Output,
) -> Result<End, Trouble> {
    if !from.is_dir() {
        return Err(Trouble::of("no_folder_of_memory", &[&from.display()]));
    }
    let source = FileWorkspace::open(from)?;
    let home = Home::target(place, apply, whose)?;
    let import = Import::new(dialect);
    let _progress = Progress::begin("importing");
    let plan = import.plan(&source, home.workspace.as_ref())?;
    let links = plan.refused.clone();
    let items = plan.items.clone();
    let changed =
        if apply { import.apply(plan, &source, home.workspace.as_ref())?.changed } else { Vec::new() };
    let is_told = !links.is_empty()
        || !changed.is_empty()
        || items.iter().any(|item| matches!(item.action, ImportAction::Refuse(_)) || !item.found.is_empty());
    if output.json {
        output.value(&json!({"applied": apply, "items": items, "refused": links, "changed": changed}))?;
        return Ok(End::look_if(is_told));
    }
    for item in &items {
        tell_item(item, apply && !changed.contains(item), output);
    }
    for link in &links {
        output.line(format!("{}  {link}: it is no plain file under a plain name", output.bad("refused")));
    }
    for item in &changed {
        output.line(format!(
            "{}  {}: it changed meanwhile; run the import again",
            output.bad("left"),
            item.source
        ));
    }
    if items.iter().all(|item| item.target.is_none()) {
        return Ok(output.say("no_memory_there", &[&from.display()]));
    }
    if !apply {
        output.line("Nothing was written. `--apply` does it.");
    }
    Ok(End::look_if(is_told))
}

fn tell_item(item: &ImportItem, is_done: bool, output: Output) {
    let verb = |done, would| if is_done { done } else { would };
    let target = item.target.as_ref().unwrap_or(&item.source);
    let said = match &item.action {
        ImportAction::Copy => format!("{}  {target}", verb("copied", "would copy")),
        ImportAction::Append => format!("{}  {target}", verb("appended", "would append")),
        ImportAction::Skip(why) => format!("left out  {}: {why}", item.source),
        ImportAction::Refuse(why) => {
            let why = match why {
                ImportRefusal::Stopped(classes) => format!("it holds {}", classes.join(", ")),
                ImportRefusal::Conflict => {
                    "another document has its place; import into a new home, before `noctuary init`"
                        .to_owned()
                }
                ImportRefusal::NotUtf8 => "it is not UTF-8".to_owned(),
                ImportRefusal::TooLarge => "it is above 64 MiB".to_owned(),
                _ => "it is no plain file".to_owned(),
            };
            format!("{}  {}: {why}", output.bad("refused"), item.source)
        }
        _ => format!("left out  {}", item.source),
    };
    output.line(said);
}
