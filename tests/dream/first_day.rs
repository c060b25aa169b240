//! The manual's first day: what the page prints is what comes of its program.

#![expect(clippy::unwrap_used, reason = "a helper of tests panics with what does not hold")]

use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::dream::DreamMode;
use noctuary::format::Origin;
use noctuary::life::TurnEnd;
use noctuary::{
    Access, Extractive, FileWorkspace, JournalDreamer, Life, LifeConfig, Note, Scope, dream_once_at,
};

const PAGE: &str = include_str!("../../src/manual/getting_started.md");

/// Returns what the page prints below a command, the first of its kind or a later one.
fn printed(command: &str, nth: usize) -> String {
    let block = PAGE.split(&format!("$ {command}\n")).nth(nth).unwrap_or_else(|| panic!("{command}"));
    let lines = block.lines().take_while(|line| !line.starts_with("$ ") && !line.starts_with("```"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn night(life: &Life, mode: DreamMode, now: DateTime<Utc>) -> String {
    let dreamer = JournalDreamer::builder(Arc::clone(life.workspace()))
        .enabled(true)
        .configure(|config| config.mode = mode)
        .build()
        .unwrap();
    let report = dream_once_at(&dreamer, &Extractive::new(), &|| now).unwrap();
    let mut told = format!("{report}\n");
    for line in report.passes.iter().flat_map(|pass| &pass.lines) {
        writeln!(told, "{line}").unwrap();
    }
    for journal in &report.journals {
        writeln!(told, "{}: {}, {} bytes wait", journal.name, journal.reason, journal.pending).unwrap();
    }
    for notice in &report.notices {
        writeln!(told, "note: {notice}").unwrap();
    }
    told
}

// The page printed lines that its program does not.
#[test]
fn the_page_prints_what_its_program_does() {
    let folder = tempfile::tempdir().unwrap();
    let life = Life::new(Arc::new(FileWorkspace::open(folder.path()).unwrap()), LifeConfig::default());
    let now = Utc.with_ymd_and_hms(2026, 11, 22, 18, 42, 43).unwrap();
    let boot = life.boot(now).unwrap();
    let mut day = format!("{:?}, seeded {:?}\n", boot.state, boot.seeded.wrote);
    let mut session =
        life.begin_session(Access::agent(Scope::user("marta")), "8f14", "terminal", now).unwrap();
    writeln!(day, "the prompt has {} bytes", session.prompt(&[]).unwrap().to_string().len()).unwrap();
    for note in
        [Note::decision("Releases go out on Fridays at 16:00."), Note::remember("The boat is called Brisk.")]
    {
        session.note(&note.from(Origin::User), now).unwrap();
    }
    session.end_turn("Noted.", TurnEnd::default().opens(["send the report"]), now).unwrap();
    session.flush().unwrap();
    assert_eq!(day, printed("cargo run -q -- day", 1));
    let journal = std::fs::read_to_string(folder.path().join("memory/2026-11-22-8f14.md")).unwrap();
    assert_eq!(journal, printed("cat agent/memory/*.md", 1));
    assert_eq!(night(&life, DreamMode::Preview, now), printed("cargo run -q -- preview", 1));
    for time in [1, 2] {
        assert_eq!(night(&life, DreamMode::Append, now), printed("cargo run -q -- night", time));
    }
}
