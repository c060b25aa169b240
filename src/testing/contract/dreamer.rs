//! The suite of every dreamer, and a dream on any workspace.

use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};

use crate::base::name::DocName;
use crate::dream::journal::JournalDreamer;
use crate::dreamer::{Dreamer, Outcome, Step};
use crate::drive::dream_once_at;
use crate::testing::Script;
use crate::workspace::{Workspace, WorkspaceExt, WriteMode};

/// A dream on the workspace: appended once, nothing twice, nothing lost.
pub fn dream(workspace: &Arc<dyn Workspace>) {
    let journal = DocName::parse("memory/2026-11-20-repl.md").expect("a name of the suite");
    workspace
        .write(&DocName::MEMORY, b"# Memory\n\n- Known already.\n", WriteMode::Create)
        .expect("a create");
    workspace.append(&journal, b"[user] I prefer tea.\n[user] Known already.\n").expect("an append");
    let dreamer =
        JournalDreamer::builder(Arc::clone(workspace)).enabled(true).build().expect("defaults are valid");
    let script = Script::new()
        .says("### Preferences\n- The user prefers tea. (memory/2026-11-20-repl.md#L1)\n- Known already.\n");
    let report = dream_once_at(&dreamer, &script, &|| night(21)).expect("a dream");
    assert_eq!((report.outcome, report.calls), (Outcome::Appended, 1));
    let memory = workspace.read_text(&DocName::MEMORY).expect("a read").expect("a memory");
    assert!(memory.starts_with("# Memory\n\n- Known already.\n"), "what stood there stands there");
    assert_eq!(memory.matches("prefers tea").count(), 1);
    assert_eq!(memory.matches("Known already").count(), 1, "a duplicate is dropped");

    let report = dream_once_at(&dreamer, &script, &|| night(22)).expect("a dream");
    assert_eq!((report.outcome, report.calls), (Outcome::NothingNew, 0));
    workspace.append(&journal, b"[user] A new line.\n").expect("an append");
    let report = dream_once_at(&dreamer, &script, &|| night(23)).expect("a dream");
    assert_eq!((report.outcome, report.calls), (Outcome::NothingToPromote, 1));
    let user = &script.requests()[1].user;
    assert!(user.contains("L3| [user] A new line.") && !user.contains("L1| "), "only what is new is shown");
    assert_eq!(
        workspace.read_text(&DocName::MEMORY).expect("a read"),
        Some(memory),
        "and nothing is appended"
    );
}

/// A dreamer that is off, or has nothing to read, is done at once; a dropped pass changes nothing.
/// `with_work` must have something to ask about.
pub fn dreamer(off: &dyn Dreamer, without_work: &dyn Dreamer, with_work: &dyn Dreamer) {
    let done = |dreamer: &dyn Dreamer| match dreamer.begin(night(21)).expect("a beginning") {
        Step::Done(report) => report.outcome,
        Step::Ask(pass) => panic!("nothing to ask: {pass:?}"),
    };
    assert_eq!(done(off), Outcome::Disabled);
    assert_eq!(done(without_work), Outcome::NothingNew);
    let ask = || match with_work.begin(night(21)).expect("a beginning") {
        Step::Ask(pass) => pass,
        Step::Done(report) => panic!("something to ask: {report:?}"),
    };
    let first = ask();
    let request = first.request().clone();
    drop(first);
    assert_eq!(ask().request(), &request, "a dropped pass leaves everything as it was");
}

fn night(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, 3, 0, 0).single().expect("a night")
}
