//! `noctuary doctor`.

use std::path::Path;

use chrono::Utc;
use noctuary::Scope;
use noctuary::doctor::{Apply, Doctor, FixAction};
use serde_json::json;

use crate::config::Config;
use crate::home;
use crate::output::{End, Output, Trouble, count};
use crate::progress::Progress;

/// The wanted repairs.
pub(crate) struct Fix<'a> {
    pub(crate) wanted: bool,
    pub(crate) apply: bool,
    pub(crate) only: &'a [String],
}

pub(crate) fn doctor(
    path: &Path,
    fix: &Fix<'_>,
    anonymous: bool,
    user: Option<&str>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let doctor = Doctor::of(path)?.dreams(config.dreams()?);
    let doctor = match user {
        Some(user) => doctor.scope(Scope::user(user)),
        None => match doctor.scopes() {
            Ok(scopes) if scopes.len() > 1 => doctor.scope(home::only(scopes)?),
            // What cannot be read is a finding.
            _ => doctor,
        },
    };
    let found = {
        let _progress = Progress::begin("looking");
        doctor.examine(Utc::now())?
    };
    if fix.wanted {
        return mend(&doctor, &found, fix, output);
    }
    let end = End::look_if(!found.is_sound());
    if output.json {
        if anonymous {
            output.value(&found.anonymous())?;
        } else {
            output.value(&found.findings)?;
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
            output.line(format!("{name:<14}{bucket}"));
        }
        return Ok(end);
    }
    for finding in &found.findings {
        output.line(format!("{}  {}", output.bad(finding.kind.as_str()), output.bold(&finding.place)));
        output.wrapped(4, &format!("{}: {}.", finding.kind.meaning(), finding.fix));
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
    Ok(end)
}

fn mend(
    doctor: &Doctor,
    found: &noctuary::doctor::Examination,
    fix: &Fix<'_>,
    output: Output,
) -> Result<End, Trouble> {
    let named = |word: &String| {
        FixAction::ALL.into_iter().find(|action| action.as_str() == word).ok_or_else(|| {
            Trouble::usage(format!("there is no action {word}: it is index, lock or permissions"))
        })
    };
    let only = fix.only.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let apply = if fix.apply { Apply::Yes } else { Apply::DryRun };
    let fixed = doctor.fix(found, apply, &only, Utc::now())?;
    let left = found.findings.len() - fixed.iter().filter(|fixed| fixed.done).count();
    if output.json {
        output.value(&json!({"applied": fix.apply, "actions": fixed, "left": left}))?;
        return Ok(End::look_if(left > 0));
    }
    for one in &fixed {
        let word = if one.done { output.good("done") } else { "would".to_owned() };
        output.line(format!("{word}  {}  {}", one.action, output.bold(&one.finding.place)));
    }
    if fixed.is_empty() {
        output.line("There is nothing that the doctor mends itself.");
    } else if !fix.apply {
        output.line("\nNothing was written. `--fix --apply` does it.");
    }
    if left > 0 {
        output.line(format!("{} for you: `noctuary doctor PATH` lists them.", count(left, "finding")));
    }
    Ok(End::look_if(left > 0))
}
