//! `noctuary preview`, `dream`, `read-again` and `page`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use chrono::Utc;
use noctuary::dream::{DreamMode, JournalSpan, LineOutcome, NotDue, ShownSlice};
use noctuary::format::DreamId;
use noctuary::life::Indexed;
use noctuary::model::{ChatCompletions, UnpickedReason};
use noctuary::report::{DreamPage, EntityPage};
use noctuary::{
    DocName, DreamReport, Extractive, JournalDreamer, LlmClient, Outcome, SqliteIndex, dream_once,
};
use serde_json::json;

use crate::arguments::{Asking, Night};
use crate::config::{Config, KEY};
use crate::home::Home;
use crate::key::write_private;
use crate::output::{At, End, Message, Output, Trouble, count, in_verbs, size};
use crate::place::{Place, Whose};
use crate::progress::Progress;

pub(crate) fn preview(
    place: &Place,
    night: &Night,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let report = run(&home, DreamMode::Preview, &night.asking, false, config)?;
    write_page(&home, &report, night.html.as_deref(), config)?;
    tell(&report, place, output)
}

pub(crate) fn dream(
    place: &Place,
    night: &Night,
    propose: bool,
    now: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let mode = if propose { DreamMode::Propose } else { DreamMode::Append };
    let report = run(&home, mode, &night.asking, now, config)?;
    if report.outcome == Outcome::Appended {
        home.feed_where_rows_are(Utc::now())?;
    }
    write_page(&home, &report, night.html.as_deref(), config)?;
    let end = tell(&report, place, output)?;
    if !config.dreams()?.enabled {
        output.say("schedule_off", &[]);
    }
    if night.asking.asked().client(config)?.is_some() {
        let read = dreamer(&home, config)?.read_without_model()?;
        if !read.is_empty() {
            output.say("read_without_model", &[&amount(&read), place]);
        }
    }
    Ok(end)
}

/// Gives back what dreams have read: of journals that are named, or all that no model was shown.
pub(crate) fn read_again(
    place: &Place,
    journals: &[String],
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let dreamer = dreamer(&home, config)?;
    let mut parts = Vec::new();
    for journal in journals {
        let name =
            DocName::parse(journal.as_str()).map_err(|_| Trouble::of("no_journal_name", &[journal]))?;
        parts.push((name, JournalSpan::Whole));
    }
    if journals.is_empty() {
        let read = dreamer.read_without_model()?;
        parts.extend(read.into_iter().map(|part| (part.name, JournalSpan::Bytes(part.from..part.to))));
    }
    let mut given: BTreeMap<&DocName, u64> = BTreeMap::new();
    for (name, span) in &parts {
        let bytes = dreamer.read_again(&home.owner(), name, span)?;
        if bytes > 0 {
            *given.entry(name).or_default() += bytes;
        }
    }
    if output.json {
        let list: Vec<_> =
            given.iter().map(|(name, bytes)| json!({"journal": name.as_str(), "bytes": bytes})).collect();
        output.value(&list)?;
        return Ok(End::look_if(list.is_empty()));
    }
    if given.is_empty() {
        let why = if journals.is_empty() {
            "no dream without a model is known that read what no model was shown"
        } else {
            "nothing of it was read, or it waits already"
        };
        return Ok(output.say("nothing_to_read_again", &[&why]));
    }
    for (name, bytes) in &given {
        output.line(format!("{name}: {} given back", size(*bytes)));
    }
    output.line(format!("The next dream reads it: noctuary dream {place}{}", whose.options()));
    Ok(End::Well)
}

/// Says how much of journals there is.
fn amount(parts: &[ShownSlice]) -> String {
    let bytes = parts.iter().map(|part| part.to - part.from).sum();
    let journals: BTreeSet<&DocName> = parts.iter().map(|part| &part.name).collect();
    format!("{} in {}", size(bytes), count(journals.len(), "journal"))
}

/// The subject of a page.
pub(crate) struct Of<'a> {
    pub(crate) dream: Option<&'a str>,
    pub(crate) entity: Option<&'a str>,
    pub(crate) asking: &'a Asking,
}

pub(crate) fn page(
    place: &Place,
    out: &Path,
    of: &Of<'_>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    if let Some(entity) = of.entity {
        return entity_page(home, entity, out, config, output);
    }
    let report = match of.dream {
        Some(asked) => past(&home, asked, config)?,
        None => run(&home, DreamMode::Preview, of.asking, false, config)?,
    };
    write_page(&home, &report, Some(out), config)?;
    if output.json {
        output.value(&json!({"page": out.display().to_string(), "outcome": report.outcome}))?;
    } else {
        output.line(format!("The page is {}.", out.display()));
    }
    Ok(End::Well)
}

/// Returns the report of a dream that was dreamt before.
fn past(home: &Home, asked: &str, config: &Config) -> Result<DreamReport, Trouble> {
    let dreamer = dreamer(home, config)?;
    let id = if asked == "last" {
        let last = dreamer.dreams()?.into_iter().next();
        last.ok_or_else(|| Trouble::of("no_dream_yet", &[]))?.id
    } else {
        DreamId::parse(asked).ok_or_else(|| Trouble::of("no_id", &[&asked]))?
    };
    let report = dreamer.past_dream(&id)?;
    report.ok_or_else(|| Trouble::of("no_dream", &[&id]))
}

/// Writes the page on an entity, of the rows and documents of a home.
fn entity_page(
    home: Home,
    entity: &str,
    out: &Path,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let (owner, now) = (home.owner(), Utc::now());
    let index = SqliteIndex::open_in_memory(home.scope.clone())?;
    let documents = Indexed::new(Arc::clone(&home.workspace), index);
    {
        let _progress = Progress::begin("reading");
        documents.sync(now)?;
    }
    let pages = home.store.into_pages().and(Arc::new(documents));
    let page = pages.page(&owner, entity, true, now)?;
    write_private(out, &EntityPage::new(&page).day(config.day()?).to_html()).at("write", out)?;
    if output.json {
        output.value(&json!({"page": out.display().to_string(), "texts": page.texts}))?;
    } else if page.is_empty() {
        output.say("nothing_known", &[&entity, &out.display()]);
    } else {
        output.line(format!("The page is {}.", out.display()));
    }
    Ok(End::look_if(page.is_empty()))
}

/// Returns the dreamer of a home. Whoever asks for a dream by name gets one: the master switch is for the schedule.
pub(crate) fn dreamer(home: &Home, config: &Config) -> Result<JournalDreamer, Trouble> {
    let dreamer = JournalDreamer::builder(Arc::clone(&home.workspace)).config(config.dreams()?);
    Ok(dreamer.enabled(true).build()?)
}

fn run(
    home: &Home,
    mode: DreamMode,
    asking: &Asking,
    now: bool,
    config: &Config,
) -> Result<DreamReport, Trouble> {
    let client = asking.asked().client(config)?;
    let dreamer = JournalDreamer::builder(Arc::clone(&home.workspace))
        .config(config.dreams()?)
        .enabled(true)
        .configure(|config| {
            config.mode = mode;
            // What costs nothing waits for no server.
            config.insist = now || client.is_none();
            if asking.all {
                config.window_days = None;
            }
        })
        .build()?;
    let model: Box<dyn LlmClient> = match client {
        Some(client) => Box::new(client),
        None => Box::new(Extractive::new()),
    };
    let _progress = Progress::begin("dreaming");
    Ok(dream_once(&dreamer, model.as_ref())?)
}

/// The model that the command line names.
pub(crate) struct Asked<'a> {
    pub(crate) endpoint: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
}

impl Asking {
    fn asked(&self) -> Asked<'_> {
        Asked { endpoint: self.endpoint.as_deref(), name: self.model.as_deref() }
    }
}

impl Asked<'_> {
    /// Makes the client of the model that is named here or in the settings; `None` where there is none.
    pub(crate) fn client(&self, config: &Config) -> Result<Option<ChatCompletions>, Trouble> {
        let endpoint = self.endpoint.or(config.model.endpoint.as_deref());
        let name = self.name.or(config.model.name.as_deref());
        let (endpoint, name) = match (endpoint, name) {
            (None, None) => return Ok(None),
            (Some(endpoint), Some(name)) => (endpoint, name),
            _ => return Err(Trouble::of("model_alone", &[])),
        };
        let client = ChatCompletions::new(endpoint, name)?;
        Ok(Some(if std::env::var_os(KEY).is_some() { client.key_from_env(KEY)? } else { client }))
    }
}

fn write_page(home: &Home, report: &DreamReport, out: Option<&Path>, config: &Config) -> Result<(), Trouble> {
    let Some(out) = out else { return Ok(()) };
    let page = DreamPage::new(report).day(config.day()?).budget(config.dreams()?.total_input_bytes);
    let page = page.read(home.workspace.as_ref())?;
    write_private(out, &page.to_html()).at("write", out)
}

/// Says how a dream ended, for a person: the words for a program are in `--json`.
fn sentence(report: &DreamReport) -> String {
    let said = in_verbs(&report.to_string());
    let rest = said.strip_prefix(report.outcome.as_str()).unwrap_or(&said).trim_start_matches(": ");
    let how = match report.outcome {
        Outcome::Disabled => "Dreaming is off",
        Outcome::NothingNew => "Nothing new to read",
        Outcome::AlreadyPromoted => "All of it was kept before",
        Outcome::AlreadyProposed => "It waits for your review already",
        Outcome::NothingToPromote => "Nothing was worth keeping",
        Outcome::AllHeld => "Every line was held back",
        Outcome::Appended if report.mode == DreamMode::Preview => "A dream would keep something",
        Outcome::Appended => "The dream kept something",
        Outcome::Proposed => "It waits for your review",
        Outcome::NotDue => "No dream now",
        Outcome::ProposalsFull => "No dream now, as too many proposals wait for review",
        Outcome::LockHeld => "Another dream is at work here",
        Outcome::LeaseLost => "Another process took over",
        Outcome::LlmError => "The model gave no usable answer",
        Outcome::Quarantined => "A secret was in the answer, and its journals are in quarantine",
        _ => return said,
    };
    format!("{how}: {rest}")
}

fn tell(report: &DreamReport, place: &Place, output: Output) -> Result<End, Trouble> {
    let elsewhere = matches!(report.not_due, Some(NotDue::OtherMachine { .. }));
    let ending = match report.outcome {
        Outcome::NotDue if elsewhere => Some("elsewhere"),
        Outcome::NotDue
        | Outcome::LlmError
        | Outcome::Quarantined
        | Outcome::AllHeld
        | Outcome::LockHeld
        | Outcome::LeaseLost
        | Outcome::ProposalsFull => Some(report.outcome.as_str()),
        _ => None,
    };
    let said = sentence(report);
    let ending = ending.map(|ending| Message::of(&format!("outcome.{ending}"), &[&said, place]));
    let end = ending.as_ref().map_or(End::Well, Message::end);
    if output.json {
        output.value(report)?;
        return Ok(end);
    }
    match ending {
        Some(ending) => output.wrapped(0, &format!("{ending}.")),
        None => output.wrapped(0, &format!("{said}.")),
    }
    let mut heading = None;
    for line in report.passes.iter().flat_map(|pass| &pass.lines) {
        if !matches!(line.fate, LineOutcome::Promoted { .. }) {
            continue;
        }
        if heading != Some(&line.heading) {
            output.line(output.bold(line.heading.as_deref().unwrap_or("Other")));
            heading = Some(&line.heading);
        }
        output.wrapped(2, &format!("- {}", line.text));
    }
    let held: Vec<_> = report.held().collect();
    if !held.is_empty() {
        output.line(output.bold(&format!("Held back: {}", count(held.len(), "line"))));
        for line in held {
            output.wrapped(2, &format!("- {line}"));
        }
    }
    // The others are kept already, put right, or never to be kept.
    for (reason, message, end) in [
        (UnpickedReason::NoRoom, "left_without_room", ""),
        (UnpickedReason::Slight, "left_in_journals", " that could have been"),
    ] {
        let left = report.passes.iter().flat_map(|pass| &pass.left).filter(|left| left.reason == reason);
        let left: u64 = left.map(|left| left.lines.last_line + 1 - left.lines.first_line).sum();
        if left > 0 {
            let lines = count(usize::try_from(left).unwrap_or(usize::MAX), "line");
            output.say(message, &[&format!("{lines}{end}")]);
        }
    }
    if let Some(why) = report.kept_nothing() {
        output.wrapped(0, &format!("Note: {why}."));
    }
    if report.backlog.bytes > 0 && report.mode != DreamMode::Preview {
        output.line(format!("Still waits: {}", size(report.backlog.bytes)));
    }
    for notice in &report.notices {
        output.wrapped(0, &in_verbs(&format!("Note: {notice}")));
    }
    if report.mode == DreamMode::Preview {
        output.line(output.faint("A preview: nothing was written."));
    }
    Ok(end)
}
