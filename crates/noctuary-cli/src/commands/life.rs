//! `noctuary init`, `status` and `note`.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use noctuary::doctor::{Examination, FindingKind};
use noctuary::dream::{DreamRecord, DreamSurvey, Due, NotDue};
use noctuary::format::{JournalName, Origin};
use noctuary::gate::DoorWarning;
use noctuary::life::{BootPolicy, JournalNaming};
use noctuary::memory::Filter;
use noctuary::{Access, Actor, Life, Note, SessionKind};
use serde_json::{Value, json};

use super::chats::Waits;
use crate::arguments::Kind;
use crate::commands::memory::listed;
use crate::commands::night::dreamer;
use crate::config::Config;
use crate::home::{self, Home};
use crate::output::{End, Output, Trouble, count, size};
use crate::place::{Place, Whose};
use crate::progress::Progress;

pub(crate) fn init(place: &Place, whose: Whose<'_>, config: &Config, output: Output) -> Result<End, Trouble> {
    if let Place::Path(path) = place
        && (path.is_dir() || !path.exists() && !home::is_database(path))
        && (whose.user.is_some() || whose.agent.is_some())
    {
        return Err(Trouble::of("one_life", &[]));
    }
    if Home::find(place, whose).is_ok_and(|home| home.is_none()) {
        whose.check_new()?;
    }
    let home = Home::open_or_make(place, whose)?;
    let mut life = config.life()?;
    // A dialect that makes nothing by itself leaves it to a person, and here a person asks for it.
    life.boot = BootPolicy::Seed;
    let boot = Life::new(Arc::clone(&home.workspace), life).boot(Utc::now())?;
    let wrote: Vec<String> = boot.seeded.wrote.iter().map(ToString::to_string).collect();
    if output.json {
        output.value(&json!({"path": place.to_string(), "wrote": wrote}))?;
        return Ok(End::Well);
    }
    if wrote.is_empty() {
        output.line("Every document is there already.");
    } else {
        output.wrapped(0, &format!("{} made: {}", count(wrote.len(), "document"), wrote.join(", ")));
    }
    output.line(format!("Next: noctuary note {place}{} \"…\"", whose.options()));
    Ok(End::Well)
}

/// The warning behind a note that says what is forgotten.
const FORGOTTEN: &str =
    "It says what is forgotten. The journal keeps it; no search, dream or prompt shows it.";

pub(crate) fn note(
    place: &Place,
    text: &[String],
    (kind, who): (Kind, Option<&str>),
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let text = text.join(" ");
    if text.trim().is_empty() {
        return Err(Trouble::of("nothing_to_note", &[]));
    }
    if who.is_some_and(|who| whose.group.is_none() || who.trim().is_empty()) {
        return Err(Trouble::of("who_without_group", &[]));
    }
    let home = Home::begun(place, whose)?;
    let note = match kind {
        Kind::Happened => Note::happened(text),
        Kind::Decision => Note::decision(text),
        Kind::Remember => Note::remember(text),
        Kind::Question => Note::question(text),
    };
    let note = note.from(who.map_or(Origin::User, |who| Origin::Participant(who.to_owned())));
    let now = Utc::now();
    let config = config.life()?;
    let (date, session) = (config.day.date(now), (config.naming != JournalNaming::Daily).then_some("cli"));
    // Everybody in a group reads its journals.
    let (journal, access) = if whose.group.is_some() {
        let access = Access::new(SessionKind::Shared, Actor::Human, home.scope.clone());
        (JournalName::for_session(date, SessionKind::Shared, "cli"), access)
    } else {
        (JournalName::new(date, session), home.owner())
    };
    let life = Life::new(Arc::clone(&home.workspace), config);
    let mut session = life.begin_session(access, "cli", "cli", now)?;
    let warnings = session.note(&note, now)?;
    session.flush()?;
    let told = |warning: &DoorWarning| match warning.class.as_str() {
        "forgotten" => FORGOTTEN.to_owned(),
        _ => warning.to_string(),
    };
    let mut warnings: Vec<String> = warnings.iter().map(told).collect();
    // A session with others present does not tell.
    if whose.group.is_some() && listed(&home, &home.owner()).is_said_in(&note.text)? {
        warnings.push(FORGOTTEN.to_owned());
    }
    if output.json {
        output.value(&json!({"journals": [journal.name()], "warnings": warnings}))?;
    } else {
        output.line(format!("Noted in {}.", journal.name()));
        for warning in &warnings {
            output.line(output.bad(warning));
        }
    }
    Ok(End::look_if(!warnings.is_empty()))
}

/// The names that a line of the status lists; the rest are counted.
const MAX_NAMED: usize = 3;

/// Names the first of some, and counts the rest.
fn some(names: &[&str]) -> String {
    let first = names[..names.len().min(MAX_NAMED)].join(", ");
    match names.len().checked_sub(MAX_NAMED) {
        Some(more) if more > 0 => format!("{first} and {more} more"),
        _ => first,
    }
}

/// Says when a dream is due.
fn due(due: &Due, config: &Config, output: Output) -> Result<String, Trouble> {
    Ok(match due {
        _ if !config.dreams()?.enabled => "off".to_owned(),
        Due::Now => "now".to_owned(),
        Due::NotYet(NotDue::OtherMachine { .. }) => "on another machine".to_owned(),
        Due::NotYet(NotDue::Interval { next }) if !output.json => config.told(*next)?,
        Due::NotYet(why) if output.json => why.next().to_rfc3339_opts(SecondsFormat::Secs, true),
        // It says what keeps it from asking, and until when.
        Due::NotYet(why) => format!("later: {why}"),
        _ => "later".to_owned(),
    })
}

/// The state of a life, or of a group of it.
struct Status {
    user: String,
    now: DateTime<Utc>,
    /// Empty for a group, since the doctor looks at a whole life.
    found: Examination,
    survey: DreamSurvey,
    waits: Waits,
    dreams: Vec<DreamRecord>,
    groups: Vec<String>,
    /// Folders beside those of the groups.
    no_groups: Vec<String>,
    /// When the latest row was touched.
    touched: Option<DateTime<Utc>>,
    proposals: usize,
    due: String,
    last: Option<DateTime<Utc>>,
}

impl Status {
    fn of(place: &Place, whose: Whose<'_>, config: &Config, output: Output) -> Result<Self, Trouble> {
        let _progress = Progress::begin("looking");
        let (home, now) = (Home::open(place, whose)?, Utc::now());
        let dreamer = dreamer(&home, config)?;
        let survey = dreamer.survey(now)?;
        let found = if whose.group.is_some() {
            Examination::default()
        } else {
            let doctor = home::doctor(place, whose)?.scope(home.scope.clone());
            doctor.dreams(config.dreams()?).examine(now)?
        };
        let latest = home.store.any().list(&home.owner(), &Filter::limit(1))?;
        let (groups, no_groups) = home.groups_and_others()?;
        Ok(Self {
            user: home.scope.user.clone(),
            now,
            found,
            dreams: dreamer.dreams()?,
            groups: groups.iter().map(ToString::to_string).collect(),
            no_groups,
            touched: latest.first().map(|row| row.updated_at),
            proposals: dreamer.proposals(&home.owner(), now)?.len(),
            due: due(&survey.due, config, output)?,
            waits: Waits::of(&home, config, survey.backlog.bytes)?,
            survey,
            last: dreamer.state()?.last_run_at,
        })
    }

    /// Returns the journals with names that no dream reads.
    fn unknown(&self) -> Vec<&str> {
        let findings = self.found.findings.iter();
        let unknown = findings.filter(|finding| finding.kind == FindingKind::UnknownJournal);
        unknown.map(|finding| finding.place.as_str()).collect()
    }

    fn json(&self, place: &Place, whose: Whose<'_>, config: &Config) -> Result<Value, Trouble> {
        let Self { found, survey, .. } = self;
        let mut told = json!({
            "path": place.to_string(),
            "user": self.user,
            "groups": self.groups,
            "no_groups": self.no_groups,
            "zone": config.day()?.zone().to_string(),
            "documents": found.health.documents,
            "journals": found.health.journals,
            "rows": found.health.rows,
            "facts": found.health.facts,
            "suspicions": found.health.suspicions,
            "learnings": found.health.learnings,
            "methods": {"all": found.health.methods, "graduated": found.health.graduated, "quarantined": found.health.quarantined},
            "embeddings": found.health.embeddings,
            "backlog": self.waits.json(),
            "memory_characters": survey.memory.map(|gauge| gauge.chars),
            "due": self.due,
            "last_dream": self.last,
            "dreams": self.dreams.len(),
            "proposals": self.proposals,
            "unknown_journals": self.unknown(),
            "findings": found.findings.len(),
        });
        if let (Some(group), Some(told)) = (whose.group, told.as_object_mut()) {
            told.insert("group".to_owned(), json!(group));
            told.retain(|name, _| !OF_DOCTOR.contains(&name.as_str()));
        }
        Ok(told)
    }
}

pub(crate) fn status(
    place: &Place,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let status = Status::of(place, whose, config, output)?;
    if output.json {
        output.value(&status.json(place, whose, config)?)?;
        return Ok(End::Well);
    }
    let Status { found, survey, dreams, groups, .. } = &status;
    let (day, is_whole) = (config.day()?, whose.group.is_none());
    // A next step is about the same life.
    let here = whose.here(place);
    let row =
        |name: &str, text: String| output.line(format!("{}{text}", output.bold(&format!("{name:<11}"))));
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let group = whose.group.map(|group| format!(", group {group}")).unwrap_or_default();
    row("Life", format!("{place} of {}{group}", status.user));
    let begins = match day.cutoff_hour() {
        0 => String::new(),
        hour => format!(", from {hour:02}:00"),
    };
    row("Day", format!("{} in {}{begins}", day.date(status.now), day.zone()));
    if is_whole {
        row("Documents", format!("{}, {} of them journals", found.health.documents, found.health.journals));
        let touched = match status.touched {
            Some(touched) => format!(", the latest of {}", day.date(touched)),
            None if dreams.is_empty() => String::new(),
            None => format!(": noctuary feed {here} makes them of what dreams kept"),
        };
        row("Rows", format!("{}{touched}", found.health.rows));
    }
    if found.health.suspicions > 0 {
        row("Unsettled", count(number(found.health.suspicions), "pair"));
    }
    if let Some(gauge) = survey.memory {
        row("MEMORY.md", format!("{} of {} characters", gauge.chars, gauge.budget));
    }
    let waits = &status.waits;
    if waits.bytes == 0 {
        row("Waits", "nothing".to_owned());
    } else {
        let nights = waits.pace().map(|pace| format!(", {pace}")).unwrap_or_default();
        row(
            "Waits",
            format!("{} in {}{nights}", size(waits.bytes), count(number(waits.journals), "journal")),
        );
    }
    if let Some(old) = waits.too_old(&here) {
        row("Too old", old);
    }
    if let Some(first) = status.no_groups.first() {
        let rule = "the name of a group has a-z, 0-9 and -";
        row(
            "No groups",
            format!("{} below groups/, as {first:?}: {rule}", count(status.no_groups.len(), "folder")),
        );
    }
    if !groups.is_empty() {
        row("Groups", format!("{}: noctuary status {here} --group NAME", groups.join(", ")));
    }
    let unknown = status.unknown();
    if !unknown.is_empty() {
        row("Not read", format!("{}: a journal is memory/YYYY-MM-DD-NAME.md", some(&unknown)));
    }
    if is_whole && found.health.journals == 0 {
        row("Next", format!("noctuary note {here} \"…\": a dream reads journals, and there are none"));
    }
    if status.proposals > 0 {
        row("To review", format!("{}: noctuary review {here}", count(status.proposals, "proposal")));
    }
    let last = status.last.map_or_else(|| Ok("never".to_owned()), |at| config.told(at))?;
    output.folded(11, &format!("{}{last}; due {}", output.bold(&format!("{:<11}", "Dreamt")), status.due));
    for dream in dreams.iter().take(3) {
        output.line(format!("{:<11}{}", "", output.faint(&dream.to_string())));
    }
    let health = match found.findings.len() {
        0 => output.good("nothing to mend"),
        number => output.bad(&format!("{}: noctuary doctor {here}", count(number, "finding"))),
    };
    if is_whole {
        row("Health", health);
    }
    Ok(End::Well)
}

/// The counts of a status that the doctor makes, of a whole life.
const OF_DOCTOR: [&str; 12] = [
    "documents",
    "journals",
    "rows",
    "facts",
    "suspicions",
    "learnings",
    "methods",
    "embeddings",
    "groups",
    "no_groups",
    "unknown_journals",
    "findings",
];
