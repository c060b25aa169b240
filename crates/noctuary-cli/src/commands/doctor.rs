//! `noctuary doctor`.

use bstr::ByteSlice as _;
use chrono::Utc;
use noctuary::doctor::{Apply, Doctor, DoctorFinding, FixAction, Health};
use serde_json::json;

use crate::commands::night::Asked;
use crate::config::Config;
use crate::home;
use crate::output::{End, Output, Trouble, count, here, in_verbs};
use crate::place::{Place, Whose};
use crate::progress::Progress;

/// The wanted repairs.
pub(crate) struct Fix<'a> {
    pub(crate) wanted: bool,
    pub(crate) apply: bool,
    pub(crate) only: &'a [String],
    /// The model that reflects.
    pub(crate) model: Asked<'a>,
}

/// The most findings that are shown which differ in their place alone.
const MAX_ALIKE: usize = 4;

pub(crate) fn doctor(
    place: &Place,
    fix: &Fix<'_>,
    anonymous: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let is_filling = fix.only.iter().any(|action| action == FixAction::Embeddings.as_str());
    let stores = config.stores_of_doctor(is_filling)?;
    let doctor = home::doctor(place, whose)?.dreams(config.dreams()?).stores(stores);
    let found = {
        let _progress = Progress::begin("looking");
        doctor.examine(Utc::now())?
    };
    if fix.wanted {
        return mend(&doctor, &found, fix, config, output);
    }
    let end = End::look_if(!found.is_sound());
    if output.json {
        if anonymous {
            output.value(&json!({"findings": found.anonymous(), "health": found.health.anonymous()}))?;
        } else {
            output.value(&found)?;
        }
        return Ok(end);
    }
    if found.is_sound() {
        output.line(output.good("Nothing to mend."));
    }
    if anonymous {
        for finding in found.anonymous() {
            output.line(format!("{}  {}", output.bad(finding.kind.as_str()), finding.places));
            output.wrapped(4, finding.fix);
        }
        for (name, bucket) in found.health.anonymous() {
            output.line(format!("{name:<22}{bucket}"));
        }
        return Ok(end);
    }
    for alike in found.findings.chunk_by(|one, other| (one.kind, &one.fix) == (other.kind, &other.fix)) {
        for finding in alike.iter().take(MAX_ALIKE) {
            output.line(format!("{}  {}", output.bad(finding.kind.as_str()), place_of(finding, output)));
        }
        if let Some(more) = alike.len().checked_sub(MAX_ALIKE).filter(|more| *more > 0) {
            output.line(format!("    and {more} more, which `--json` lists"));
        }
        let finding = &alike[0];
        output.wrapped(4, &here(&format!("{}: {}.", finding.kind.meaning(), finding.fix)));
    }
    if !found.is_sound() {
        output.line(format!(
            "\n{}. `--fix` says which the doctor mends itself.",
            count(found.findings.len(), "finding")
        ));
    }
    let health = &found.health;
    output.line(output.faint(&format!(
        "{}, {} of them journals; {}, {}",
        count(usize::try_from(health.documents).unwrap_or(usize::MAX), "document"),
        health.journals,
        count(usize::try_from(health.rows).unwrap_or(usize::MAX), "row"),
        count(usize::try_from(health.learnings).unwrap_or(usize::MAX), "learning"),
    )));
    memory_health(health, output);
    Ok(end)
}

/// Prints the section on the health of memory. (seed 003, Doctor)
fn memory_health(health: &Health, output: Output) {
    let mut lines = Vec::new();
    if health.methods > 0 {
        lines.push(format!(
            "methods      {}, {} graduated, {} in quarantine",
            health.methods, health.graduated, health.quarantined
        ));
    }
    if health.unreflected > 0 {
        lines.push(format!("roles        {} waiting for too long", health.unreflected));
    }
    for (name, states) in [("embeddings", &health.embeddings), ("chunks", &health.chunks)] {
        if !states.is_empty() {
            let states = states.iter().map(|(state, count)| format!("{count} {state}"));
            lines.push(format!("{name:<13}{}", states.collect::<Vec<_>>().join(", ")));
        }
    }
    if health.edges > 0 {
        let top = health.top_entities.iter().map(|(entity, texts)| format!("{entity} {texts}"));
        lines.push(format!("edges        {}: {}", health.edges, top.collect::<Vec<_>>().join(", ")));
    }
    if health.rows > 0 {
        lines.push(format!("changed      {} since the last profile", count_of(health.dirty)));
    }
    for line in lines {
        let line: String = line.as_bytes().graphemes().take(78).collect();
        output.line(output.faint(&format!("  {line}")));
    }
}

/// Says where a finding is.
fn place_of(finding: &DoctorFinding, output: Output) -> String {
    let place = output.bold(&finding.place);
    match &finding.group {
        Some(group) => format!("{place} of the group {group}"),
        None => place,
    }
}

fn count_of(rows: u64) -> String {
    count(usize::try_from(rows).unwrap_or(usize::MAX), "row")
}

fn mend(
    doctor: &Doctor,
    found: &noctuary::doctor::Examination,
    fix: &Fix<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let named = |word: &String| {
        FixAction::ALL.into_iter().find(|action| action.as_str() == word).ok_or_else(|| {
            let all: Vec<&str> = FixAction::ALL.iter().map(|action| action.as_str()).collect();
            Trouble::of("no_action", &[word, &all.join(", ")])
        })
    };
    let mut only = fix.only.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let apply = if fix.apply { Apply::Yes } else { Apply::DryRun };
    let is_reflecting = only.contains(&FixAction::ReflectPending);
    only.retain(|action| *action != FixAction::ReflectPending);
    let mut fixed = if is_reflecting && only.is_empty() {
        Vec::new()
    } else {
        let _progress = Progress::begin("mending");
        doctor.fix(found, apply, &only, Utc::now())?
    };
    if is_reflecting {
        let model = fix.model.client(config)?.ok_or_else(|| Trouble::of("no_model_to_reflect", &[]))?;
        let _progress = Progress::begin("reflecting");
        fixed.extend(doctor.reflect_pending(found, apply, &model, Utc::now())?);
    }
    let left = found.findings.len() - fixed.iter().filter(|fixed| fixed.done && fixed.left.is_none()).count();
    if output.json {
        output.value(&json!({"applied": fix.apply, "actions": fixed, "left": left}))?;
        return Ok(End::look_if(left > 0));
    }
    for one in &fixed {
        let word = match (one.done, &one.left) {
            (true, None) => output.good("done"),
            (true, Some(_)) => output.bad("partly"),
            (false, _) if fix.apply => output.bad("not done"),
            (false, _) => "would".to_owned(),
        };
        let left = one.left.as_ref().map(|left| format!(": {left}")).unwrap_or_default();
        output.line(format!("{word}  {}  {}{left}", one.action, place_of(&one.finding, output)));
    }
    if fixed.is_empty() {
        output.line("There is nothing that the doctor mends itself.");
    } else if !fix.apply {
        output.line("\nNothing was written. `--fix --apply` does it.");
    }
    let mut errors: Vec<&String> = fixed.iter().filter_map(|one| one.error.as_ref()).collect();
    errors.dedup();
    for error in errors {
        output.say("not_all_mended", &[&in_verbs(error)]);
    }
    if left > 0 {
        output.line(here(&format!("{} for you: `noctuary doctor PATH` lists them.", count(left, "finding"))));
    }
    Ok(End::look_if(left > 0))
}
