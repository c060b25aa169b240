//! The whole pipeline without a model, on real dialogue: every byte is shown once, every line that is kept is
//! word for word, and the same folder gives the same memory.
//!
//! The folders lie beside the crate, or where `NOCTUARY_DIALOGUES` says; without them there is nothing to try.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "each test crate uses a part of it")]
mod dreaming;

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Days, Utc};
use dreaming::{Life, assert_shown_once, dream, dreamer_over, sizes};
use noctuary::{DocName, DreamConfig, DreamReport, Extractive, JournalName, Outcome};

/// The workspaces, ascending; none where the folder is absent, and then it says so.
fn dialogues() -> Vec<PathBuf> {
    let folder = std::env::var_os("NOCTUARY_DIALOGUES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/dialogue-workspaces"),
        PathBuf::from,
    );
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: there are no dialogues at {}", folder.display());
        return Vec::new();
    };
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.join("memory").is_dir()).collect();
    found.sort();
    found
}

/// A copy of a workspace's documents.
fn copy(dialogue: &Path) -> Life {
    let life = Life::empty();
    for entry in fs::read_dir(dialogue).unwrap().chain(fs::read_dir(dialogue.join("memory")).unwrap()) {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let file = path.strip_prefix(dialogue).unwrap().to_str().unwrap();
            life.put(file, fs::read(&path).unwrap());
        }
    }
    life
}

/// Three in the morning after the last journal.
fn morning_after(life: &Life) -> DateTime<Utc> {
    let names = sizes(life).into_keys().filter_map(|file| DocName::parse(file).ok());
    let last =
        names.filter_map(|name| JournalName::parse(&name)).map(|journal| journal.date()).max().unwrap();
    (last + Days::new(1)).and_hms_opt(3, 0, 0).unwrap().and_utc()
}

struct Told {
    reports: Vec<DreamReport>,
    memory: Vec<u8>,
}

/// Dreams until nothing waits, and looks each time whether memory only grew.
fn tell(dialogue: &Path, change: fn(&mut DreamConfig)) -> Told {
    let life = copy(dialogue);
    let dreamer = dreamer_over(life.quick_workspace(), change);
    let now = morning_after(&life);
    let documents = life.documents();
    let mut memory = if life.has("MEMORY.md") { life.bytes("MEMORY.md") } else { Vec::new() };
    let mut reports = Vec::new();
    loop {
        let report = dream(&dreamer, &Extractive::new(), now);
        assert!(matches!(report.outcome, Outcome::Appended | Outcome::NothingToPromote), "{report:?}");
        let after = if life.has("MEMORY.md") { life.bytes("MEMORY.md") } else { Vec::new() };
        assert!(after.starts_with(&memory), "memory only grows");
        memory = after;
        let waits = report.backlog.bytes > 0;
        reports.push(report);
        if !waits {
            break;
        }
        assert!(reports.len() < 1000, "the backlog never ends");
    }
    assert_eq!(dream(&dreamer, &Extractive::new(), now).outcome, Outcome::NothingNew);
    assert_shown_once(&reports, &sizes(&life));
    let others = |mut documents: std::collections::BTreeMap<String, Vec<u8>>| {
        documents.remove("MEMORY.md");
        documents
    };
    assert_eq!(others(life.documents()), others(documents), "no other document changed");
    Told { reports, memory }
}

fn tell_all(change: fn(&mut DreamConfig)) {
    for dialogue in dialogues() {
        let told = tell(&dialogue, change);
        let held: Vec<_> = told.reports.iter().flat_map(DreamReport::held).collect();
        assert!(held.is_empty(), "lines that are word for word hold: {held:?}");
        let promoted: Vec<_> = told.reports.iter().flat_map(DreamReport::promoted).collect();
        assert!(!promoted.is_empty(), "something of {} is worth keeping", dialogue.display());
        assert!(promoted.iter().all(|line| !line.sources.is_empty()), "every line cites its journal");
        let text = String::from_utf8(told.memory.clone()).unwrap();
        for line in &promoted {
            assert_eq!(text.matches(&format!("\n- {}\n", line.text)).count(), 1, "each stands there once");
        }
        let again = tell(&dialogue, change);
        assert!(again.memory == told.memory, "two runs from scratch give the same bytes");
        println!(
            "{}: {} runs, {} calls, {} lines promoted, {} bytes of memory",
            dialogue.file_name().unwrap().to_string_lossy(),
            told.reports.len(),
            told.reports.iter().map(|report| report.calls).sum::<u32>(),
            promoted.len(),
            told.memory.len(),
        );
    }
}

#[test]
fn a_dialogue_is_dreamed_whole_and_every_line_that_is_kept_holds() {
    // BX-32, BX-02, BX-18: at the defaults.
    tell_all(|config| config.max_calls_per_day = None);
}

#[test]
fn a_dialogue_is_dreamed_whole_in_many_small_passes_too() {
    // BX-32, BX-02, DB-04: with 2 KiB a journal and 8 KiB a pass.
    tell_all(|config| {
        config.total_input_bytes = 8 << 10;
        config.max_file_bytes = 2 << 10;
        config.max_passes = 100;
        config.max_calls_per_day = None;
    });
}
