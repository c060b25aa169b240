//! `noctuary init`, `status` and `note`.

use std::sync::Arc;

use chrono::{SecondsFormat, Utc};
use noctuary::doctor::FindingKind;
use noctuary::dream::{Due, NotDue};
use noctuary::memory::Filter;
use noctuary::{Life, Note};
use serde_json::json;

use crate::arguments::Kind;
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
    let home = Home::open_or_make(place, whose)?;
    let boot = Life::new(Arc::clone(&home.workspace), config.life()?).boot(Utc::now())?;
    let wrote: Vec<String> = boot.seeded.wrote.iter().map(ToString::to_string).collect();
    if output.json {
        output.value(&json!({"path": place.to_string(), "wrote": wrote}))?;
        return Ok(End::Well);
    }
    if wrote.is_empty() {
        output.line("Every document is there already.");
    } else {
        output.line(format!("{} made: {}", count(wrote.len(), "document"), wrote.join(", ")));
    }
    output.line(format!("Next: noctuary note {place} \"…\""));
    Ok(End::Well)
}

pub(crate) fn note(
    place: &Place,
    text: &[String],
    kind: Kind,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let text = text.join(" ");
    if text.trim().is_empty() {
        return Err(Trouble::of("nothing_to_note", &[]));
    }
    let home = Home::open(place, whose)?;
    let note = match kind {
        Kind::Happened => Note::happened(text),
        Kind::Decision => Note::decision(text),
        Kind::Remember => Note::remember(text),
        Kind::Question => Note::question(text),
    };
    let note = note.from(noctuary::format::Origin::User);
    let now = Utc::now();
    let life = Life::new(Arc::clone(&home.workspace), config.life()?);
    let mut session = life.begin_session(home.owner(), "cli", "cli", now)?;
    let warnings = session.note(&note, now)?;
    session.flush()?;
    let journals: Vec<String> = session
        .today_log(now)?
        .into_iter()
        .map(|(journal, _)| journal.name().to_string())
        .filter(|name| name.contains("cli"))
        .collect();
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    if output.json {
        output.value(&json!({"journals": journals, "warnings": warnings}))?;
    } else {
        output.line(format!("Noted in {}.", journals.join(", ")));
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

pub(crate) fn status(
    place: &Place,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let progress = Progress::begin("looking");
    let home = Home::open(place, whose)?;
    let now = Utc::now();
    let dreamer = dreamer(&home, config)?;
    let (survey, dreams) = (dreamer.survey(now)?, dreamer.dreams()?);
    let found =
        home::doctor(place, whose)?.scope(home.scope.clone()).dreams(config.dreams()?).examine(now)?;
    let latest = home.store.any().list(&home.owner(), &Filter::limit(1))?;
    let proposals = dreamer.proposals(&home.owner(), now)?.len();
    let due = match &survey.due {
        _ if !config.dreams()?.enabled => "off".to_owned(),
        Due::Now => "now".to_owned(),
        Due::NotYet(NotDue::OtherMachine { .. }) => "on another machine".to_owned(),
        Due::NotYet(NotDue::Interval { next }) if !output.json => config.told(*next)?,
        Due::NotYet(why) if output.json => why.next().to_rfc3339_opts(SecondsFormat::Secs, true),
        // It says what keeps it from asking, and until when.
        Due::NotYet(why) => format!("later: {why}"),
        _ => "later".to_owned(),
    };
    let state = dreamer.state()?;
    drop(progress);
    let unknown: Vec<&str> = found
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::UnknownJournal)
        .map(|finding| finding.place.as_str())
        .collect();
    if output.json {
        output.value(&json!({
            "path": place.to_string(),
            "user": home.scope.user,
            "zone": config.day()?.zone().to_string(),
            "documents": found.health.documents,
            "journals": found.health.journals,
            "rows": found.health.rows,
            "facts": found.health.facts,
            "suspicions": found.health.suspicions,
            "learnings": found.health.learnings,
            "methods": {"all": found.health.methods, "graduated": found.health.graduated, "quarantined": found.health.quarantined},
            "embeddings": found.health.embeddings,
            "backlog": {"journals": survey.backlog.journals, "bytes": survey.backlog.bytes},
            "memory_characters": survey.memory.map(|gauge| gauge.chars),
            "due": due,
            "last_dream": state.last_run_at,
            "dreams": dreams.len(),
            "proposals": proposals,
            "unknown_journals": unknown,
            "findings": found.findings.len(),
        }))?;
        return Ok(End::Well);
    }
    let row =
        |name: &str, text: String| output.line(format!("{}{text}", output.bold(&format!("{name:<11}"))));
    row("Life", format!("{place} of {}", home.scope.user));
    let day = config.day()?;
    let begins = match day.cutoff_hour() {
        0 => String::new(),
        hour => format!(", from {hour:02}:00"),
    };
    row("Day", format!("{} in {}{begins}", day.date(now), day.zone()));
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    row("Documents", format!("{}, {} of them journals", found.health.documents, found.health.journals));
    let touched = match latest.first() {
        Some(row) => format!(", the latest of {}", day.date(row.updated_at)),
        None if dreams.is_empty() => String::new(),
        None => format!(": noctuary feed {place} makes them of what dreams kept"),
    };
    row("Rows", format!("{}{touched}", found.health.rows));
    if found.health.suspicions > 0 {
        row("Unsettled", count(number(found.health.suspicions), "pair"));
    }
    if let Some(gauge) = survey.memory {
        row("MEMORY.md", format!("{} of {} characters", gauge.chars, gauge.budget));
    }
    let waits = if survey.backlog.bytes == 0 {
        "nothing".to_owned()
    } else {
        format!("{} in {}", size(survey.backlog.bytes), count(number(survey.backlog.journals), "journal"))
    };
    row("Waits", waits);
    if !unknown.is_empty() {
        row("Not read", format!("{}: a journal is memory/YYYY-MM-DD-NAME.md", some(&unknown)));
    }
    if found.health.journals == 0 {
        row("Next", format!("noctuary note {place} \"…\": a dream reads journals, and there are none"));
    }
    if proposals > 0 {
        row("To review", format!("{}: noctuary review {place}", count(proposals, "proposal")));
    }
    let last = state.last_run_at.map_or_else(|| Ok("never".to_owned()), |at| config.told(at))?;
    output.folded(11, &format!("{}{last}; due {due}", output.bold(&format!("{:<11}", "Dreamt"))));
    for dream in dreams.iter().take(3) {
        output.line(format!("{:<11}{}", "", output.faint(&dream.to_string())));
    }
    let health = match found.findings.len() {
        0 => output.good("nothing to mend"),
        number => output.bad(&format!("{}: noctuary doctor {place}", count(number, "finding"))),
    };
    row("Health", health);
    Ok(End::Well)
}
