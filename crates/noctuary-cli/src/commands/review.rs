//! `noctuary review` and `undo`.

use std::io::{BufRead, IsTerminal, Write};
use std::process::Command;

use chrono::Utc;
use noctuary::dream::{DreamProposal, DreamStanding, ProposalEnd};
use noctuary::format::DreamId;
use noctuary::{JournalDreamer, WriteMode};
use serde_json::json;

use crate::commands::night::dreamer;
use crate::config::{Config, ENCRYPTION_KEY};
use crate::home::Home;
use crate::key::create_private;
use crate::output::{At, End, Output, Trouble, count, here};
use crate::place::{Place, Whose};

fn id(text: &str) -> Result<DreamId, Trouble> {
    DreamId::parse(text).ok_or_else(|| Trouble::of("no_id", &[&text]))
}

pub(crate) fn review(
    place: &Place,
    accept: Option<&str>,
    reject: Option<&str>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let dreamer = dreamer(&home, config)?;
    if let Some(wanted) = accept {
        return accept_one(&home, &dreamer, &id(wanted)?, output);
    }
    if let Some(wanted) = reject {
        let is_rejected = dreamer.reject_proposal(&home.owner(), &id(wanted)?, Utc::now())?;
        if output.json {
            output.value(&json!({"id": wanted, "rejected": is_rejected}))?;
        } else if is_rejected {
            output.line("Rejected.");
        } else {
            output.say("no_proposal", &[]);
        }
        return Ok(End::look_if(!is_rejected));
    }
    let proposals = dreamer.proposals(&home.owner(), Utc::now())?;
    if output.json {
        let list: Vec<_> = proposals
            .iter()
            .map(|proposal| {
                json!({"id": proposal.id, "proposed_at": proposal.proposed_at, "is_expired": proposal.is_expired,
                       "file": proposal.document.name().to_string(), "text": proposal.document.lossy()})
            })
            .collect();
        output.value(&list)?;
        return Ok(End::look_if(!list.is_empty()));
    }
    if proposals.is_empty() {
        output.line(here("Nothing waits for review. `noctuary dream PATH --propose` makes proposals."));
        return Ok(End::Well);
    }
    let is_asked = std::io::stdin().is_terminal();
    let mut waits = 0;
    for (place, proposal) in (1..).zip(&proposals) {
        show(proposal, &format!("{place} of {}", proposals.len()), output);
        if !is_asked {
            waits += 1;
            continue;
        }
        match ask(&home, &dreamer, proposal, output)? {
            Answer::Done => {}
            Answer::Later => waits += 1,
            Answer::Quit => {
                waits += proposals.len() - place + 1;
                break;
            }
        }
    }
    if waits > 0 {
        let wait = if waits == 1 { "waits" } else { "wait" };
        output.line(format!(
            "{} {wait}. `--accept ID` and `--reject ID` answer one.",
            count(waits, "proposal")
        ));
    }
    Ok(End::look_if(waits > 0))
}

fn show(proposal: &DreamProposal, place: &str, output: Output) {
    let age = format!("{place}, {} hours old", proposal.age.num_hours());
    output.line(format!("{}  {}", output.bold(&format!("Proposal {}", proposal.id)), output.faint(&age)));
    for line in proposal.document.lossy().lines().filter(|line| !line.starts_with("<!--")) {
        if line.starts_with("- ") {
            output.wrapped(2, line);
        } else if !line.trim().is_empty() {
            output.line(format!("  {}", output.bold(line)));
        }
    }
}

enum Answer {
    Done,
    Later,
    Quit,
}

fn ask(
    home: &Home,
    dreamer: &JournalDreamer,
    proposal: &DreamProposal,
    output: Output,
) -> Result<Answer, Trouble> {
    loop {
        print!("[a]ccept, [e]dit, [r]eject, [s]kip, [q]uit? ");
        std::io::stdout().flush().at("write to", "the terminal")?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).at("read from", "the terminal")? == 0 {
            return Ok(Answer::Quit);
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "a" | "accept" => match accept_one(home, dreamer, &proposal.id, output) {
                Ok(_) => return Ok(Answer::Done),
                Err(usage) if usage.is_usage() => return Err(usage),
                Err(trouble) => output.line(output.bad(&trouble.to_string())),
            },
            "e" | "edit" => edit(home, proposal, output)?,
            "r" | "reject" => {
                dreamer.reject_proposal(&home.owner(), &proposal.id, Utc::now())?;
                output.line("Rejected.");
                return Ok(Answer::Done);
            }
            "s" | "skip" | "" => return Ok(Answer::Later),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => drop(output.say("no_answer", &[])),
        }
    }
}

/// Lets a person edit a proposal by the editor that they use, in a copy of it.
fn edit(home: &Home, proposal: &DreamProposal, output: Output) -> Result<(), Trouble> {
    let name = proposal.document.name();
    let Some(standing) = home.workspace.read(name)? else {
        output.say("proposal_gone", &[]);
        return Ok(());
    };
    let copy = std::env::temp_dir().join(format!("noctuary-{}-{}.md", std::process::id(), proposal.id));
    create_private(&copy).and_then(|mut file| file.write_all(standing.bytes())).at("write", &copy)?;
    let editor =
        std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR")).unwrap_or_else(|_| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = Command::new(program).args(words).arg(&copy).env_remove(ENCRYPTION_KEY).status();
    let edited = std::fs::read(&copy);
    let _ = std::fs::remove_file(&copy);
    match status {
        Ok(status) if status.success() => {
            home.workspace.write(
                name,
                &edited.at("read", &copy)?,
                WriteMode::IfRevision(standing.revision()),
            )?;
            output.line("Saved. Accept it, or go on.");
        }
        Ok(_) => drop(output.say("editor_failed", &[])),
        Err(error) => drop(output.say("no_editor", &[&program, &error])),
    }
    Ok(())
}

fn accept_one(home: &Home, dreamer: &JournalDreamer, id: &DreamId, output: Output) -> Result<End, Trouble> {
    let report = dreamer.accept_proposal(&home.owner(), id, Utc::now())?;
    if report.end == ProposalEnd::Appended {
        home.feed_where_rows_are(Utc::now())?;
    }
    if output.json {
        output.value(&report)?;
    } else {
        match report.end {
            ProposalEnd::Appended => output.line("Accepted: it is in MEMORY.md."),
            ProposalEnd::NothingNew => output.line("Accepted: MEMORY.md had every line already."),
            _ => drop(output.say("no_proposal", &[])),
        }
    }
    Ok(End::look_if(report.end == ProposalEnd::NotWaiting))
}

pub(crate) fn undo(
    place: &Place,
    wanted: Option<&str>,
    redo: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let dreamer = dreamer(&home, config)?;
    let id = if let Some(text) = wanted {
        id(text)?
    } else {
        let sought = if redo { DreamStanding::Undone } else { DreamStanding::Whole };
        let latest = dreamer.dreams()?.into_iter().find(|dream| dream.standing == sought);
        let what = if redo { "bring back" } else { "take back" };
        latest.ok_or_else(|| Trouble::of("no_dream_to", &[&what]))?.id
    };
    let (owner, now) = (home.owner(), Utc::now());
    let is_done =
        if redo { dreamer.redo_dream(&owner, &id, now)? } else { dreamer.undo_dream(&owner, &id, now)? };
    if is_done {
        home.feed_where_rows_are(now)?;
    }
    if output.json {
        output.value(&json!({"id": id, "done": is_done}))?;
    } else if is_done {
        output.line(format!("Dream {id} was {}.", if redo { "brought back" } else { "taken back" }));
    } else {
        output.say("so_already", &[&id]);
    }
    Ok(End::look_if(!is_done))
}
