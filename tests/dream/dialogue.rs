//! The whole pipeline without a model, on real dialogue: every byte is shown once, every line that is kept is
//! word for word, and the same folder gives the same memory.
//!
//! The folders lie where `NOCTUARY_DIALOGUES` says; without them there is nothing to try.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Days, Utc};
use noctuary::dream::{DreamMode, HoldReason, LineOutcome, LineReport, SectionCaps};
use noctuary::format::{JournalName, SourceRef};
use noctuary::testing::Script;
use noctuary::{DocName, DreamConfig, DreamReport, Extractive, Outcome};

use noctuary_tests::dreaming::{Life, assert_shown_once, dream, dreamer_over, sizes};

/// The workspaces, ascending; none where the folder is absent, and then it says so.
fn dialogues() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("NOCTUARY_DIALOGUES").map(PathBuf::from) else {
        println!("skipped: NOCTUARY_DIALOGUES says of no folder with dialogues");
        return Vec::new();
    };
    let entries = fs::read_dir(&folder).unwrap();
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
    tell_all(|config| config.budget.max_calls_per_day = None);
}

#[test]
fn a_dialogue_is_dreamed_whole_in_many_small_passes_too() {
    // BX-32, BX-02, DB-04: with 2 KiB a journal and 8 KiB a pass.
    tell_all(|config| {
        config.total_input_bytes = 8 << 10;
        config.max_file_bytes = 2 << 10;
        config.max_passes = 100;
        config.budget.max_calls_per_day = None;
    });
}

/// Returns the result of an answer to a whole dialogue at once.
fn answered(dialogue: &Path, answer: String) -> DreamReport {
    let life = copy(dialogue);
    let dreamer = dreamer_over(life.quick_workspace(), |config| {
        config.mode = DreamMode::Preview;
        (config.total_input_bytes, config.max_file_bytes) = (16 << 20, 16 << 20);
        config.section = SectionCaps::new(usize::MAX, usize::MAX, usize::MAX);
    });
    dream(&dreamer, &Script::new().says(answer), morning_after(&life))
}

/// Makes a bullet of what somebody said there.
type Attack = fn(&str, &SourceRef) -> String;

#[test]
fn what_is_made_up_about_a_dialogue_is_held_and_what_it_says_is_not() {
    let (mut good, mut held_of_good, mut attacks) = (0, 0, 0);
    for dialogue in dialogues() {
        let all = tell(&dialogue, |config| config.budget.max_calls_per_day = None);
        let lines: Vec<&LineReport> = all.reports.iter().flat_map(DreamReport::promoted).collect();
        good += lines.len();
        held_of_good += all.reports.iter().flat_map(DreamReport::held).count();

        let attacks_on: [(&str, Attack); 8] = [
            ("a number", |said, source| format!("- {said} That was 98765 times. ({source})\n")),
            ("a date", |said, source| format!("- {said} That was on 2031-07-09. ({source})\n")),
            ("a name", |said, source| format!("- {said} Zacharias agreed. ({source})\n")),
            ("a file that is not there", |said, source| {
                format!("- {said} (memory/2001-01-01-x.md#L{})\n", source.first_line)
            }),
            ("a line that is not there", |said, source| format!("- {said} ({}#L99999)\n", source.name)),
            ("a quote", |said, source| format!("- “{said} And so we did.” ({source})\n")),
            ("a quote put together", |said, source| {
                let words: Vec<&str> = said.split_whitespace().rev().collect();
                format!("- \"{}\" ({source})\n", words.join(" "))
            }),
            ("a quote of a word more", |said, source| format!("- “really {said}” ({source})\n")),
        ];
        for (what, attack) in attacks_on {
            let said = |line: &LineReport| {
                let text = line.text.rsplit_once(" (memory/").map_or(line.text.as_str(), |(said, _)| said);
                // Quotes of theirs, and a label in front of them, would be parts of ours.
                text.replace(['"', '“', '”'], "")
                    .split_once(": ")
                    .map_or(text.to_owned(), |(_, said)| said.to_owned())
            };
            let is_long = |line: &&&LineReport| said(line).split_whitespace().count() > 3;
            let targets: Vec<_> = lines.iter().filter(is_long).collect();
            let answer = targets.iter().map(|line| attack(&said(line), &line.sources[0])).collect();
            let report = answered(&dialogue, answer);
            let kept: Vec<_> = report.promoted().map(|line| &line.text).collect();
            assert!(kept.is_empty(), "{what}: {} of {} are kept: {:?}", kept.len(), targets.len(), kept[0]);
            assert_eq!(report.held().count(), targets.len(), "{what}");
            attacks += targets.len();
        }

        let labels: serde_json::Value =
            serde_json::from_slice(&fs::read(dialogue.join("labels.json")).unwrap()).unwrap();
        let facts = labels["facts"].as_array().unwrap();
        let fact = |fact: &serde_json::Value| {
            let lines: Vec<_> =
                fact["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
            format!("- {} ({})\n", fact["fact"].as_str().unwrap(), lines.join(", "))
        };
        let report = answered(&dialogue, facts.iter().map(fact).collect());
        let quotes = report
            .held()
            .filter(|line| matches!(&line.fate, LineOutcome::Held(hold) if hold.reason == HoldReason::Quote));
        println!(
            "{}: of {} facts in other words {} are held, {} of them for a quote",
            dialogue.file_name().unwrap().to_string_lossy(),
            facts.len(),
            report.held().count(),
            quotes.count(),
        );
    }
    println!("{held_of_good} of {good} good lines held; {attacks} of {attacks} attacks held");
    assert!(held_of_good * 50 <= good, "at most 2 %");
}
