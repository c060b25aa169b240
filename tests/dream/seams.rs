//! Where two parts meet: an undo and a proposal, a proposal and the archive, a copy and a proposal, and what is forgotten
//! in all of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::dream::{
    DreamMode, FactDreamer, LineOutcome, Notice, OverBudget, PersonalizationDreamer, ProposalEnd, history_fn,
};
use noctuary::exchange::{Forget, ForgetPlace, ForgetReceipt, copy_into};
use noctuary::facts::{FactKey, FactStore};
use noctuary::format::DreamId;
use noctuary::memory::{NewMemory, Source, categories};
use noctuary::sleep::{Said, SleepDreamer};
use noctuary::testing::{Fault, Faults, FaultyWorkspace, Script};
use noctuary::workspace::{Refusal, StateName};
use noctuary::{
    Access, DocName, Dreamer, Error, Extractive, FileMemoryStore, JournalDreamer, Outcome, Scope, Workspace,
    dream_once_at, llm_fn,
};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::marta::human as marta;
use noctuary_tests::dreaming::{self, Life, MEMORY, dream, journal, name, night};

fn proposer(life: &Life) -> JournalDreamer {
    life.dreamer_with(|config| config.mode = DreamMode::Propose)
}

/// A dreamer that keeps `MEMORY.md` within so many characters.
fn archivist(life: &Life, budget: u64) -> JournalDreamer {
    life.dreamer_with(|config| {
        config.over_budget = OverBudget::Archive;
        config.memory_budget = budget;
        config.budget.back_off = None;
    })
}

fn waiting(life: &Life, now: DateTime<Utc>) -> Vec<DreamId> {
    proposer(life).proposals(&marta(), now).unwrap().into_iter().map(|proposal| proposal.id).collect()
}

fn accept(life: &Life, id: &DreamId, now: DateTime<Utc>) -> noctuary::dream::ProposalReport {
    proposer(life).accept_proposal(&marta(), id, now).unwrap()
}

fn forget(life: &Life, text: &str, in_files: bool) -> noctuary::Result<ForgetReceipt> {
    Forget::new(&marta(), text).in_files(in_files).workspace(life.workspace().as_ref()).run(night(22))
}

fn cited(text: &str, day: u32) -> String {
    format!("- {text} ({}#L1)\n", journal(day))
}

/// Damages a file as disks, power losses and tired people do.
fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed);
    let mut below = |most: usize| dice.below(most.max(1));
    let (mut all, at) = (bytes.to_vec(), below(bytes.len()));
    let run = (at + 1 + below(40)).min(all.len());
    match below(10) {
        0..=4 => all[at] ^= 1 << below(8),
        5 => all[at] = b'0' + u8::try_from(below(10)).unwrap(),
        6 => all.truncate(at),
        7 => all[at..run].fill(0),
        8 => drop(all.drain(at..run)),
        _ => {
            let copied = all[at..run].to_vec();
            all.splice(at..at, copied);
        }
    }
    all
}

#[test]
#[ignore = "sweep"]
#[expect(clippy::similar_names, reason = "a life has lines")]
fn a_damaged_state_file_neither_loses_a_line_nor_tells_one_twice() {
    // A bit that flipped in a number of the ledger left JSON that parsed, and lines that were promoted once more: 7 of
    // 700 damages.
    let line = |at: u32| format!("- [user] Token{at:03} is what Marta wants.\n");
    let lines = |range: std::ops::Range<u32>| range.map(line).collect::<String>();
    // Answers with every line that it is shown.
    let all = || {
        llm_fn(|request| {
            let shown = dreaming::seen(request);
            let told: String = shown
                .iter()
                .filter_map(|seen| {
                    let text = seen.text.split_once("] ")?.1;
                    Some(format!("- {text} ({}#L{})\n", seen.journal, seen.number))
                })
                .collect();
            Ok(noctuary::LlmReply::new(if told.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { told }))
        })
    };
    let begun = || {
        let life = Life::with(&[(17, &lines(0..5)), (18, &lines(5..10))]);
        let dreamer = dreaming::dreamer_over(life.quick_workspace(), |config| config.budget.back_off = None);
        assert_eq!(dream(&dreamer, &all(), night(19)).outcome, Outcome::Appended);
        life.add(&journal(18), lines(10..13));
        assert_eq!(dream(&dreamer, &all(), night(20)).outcome, Outcome::Appended);
        // What stands in the journals was said before the night that showed it.
        for (day, at) in [(17, 1_795_000_000), (18, 1_795_100_000)] {
            life.set_modified(&journal(day), at * 1_000_000_000);
        }
        assert_eq!(dream(&dreamer, &all(), night(20)).outcome, Outcome::NothingNew);
        life
    };
    let files: Vec<String> = begun()
        .tree()
        .into_iter()
        .filter(|(file, bytes)| file.starts_with('.') && !bytes.is_empty())
        .map(|(file, _)| file)
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    let (cases, mut refused, mut went_on) = (noctuary::testing::cases(2_000), 0, 0);
    for file in &files {
        for seed in 0..u64::from(cases) {
            let life = begun();
            life.put(&journal(19), lines(20..24));
            life.set_modified(&journal(19), 1_795_200_000_000_000_000);
            let standing = life.bytes(file);
            life.put(file, damaged(&standing, seed + 1));
            let (memory, tree) = (life.memory(), life.tree_without_locks());
            let dreamer =
                dreaming::dreamer_over(life.quick_workspace(), |config| config.budget.back_off = None);
            match dream_once_at(&dreamer, &all(), &|| night(21)) {
                Ok(_) => went_on += 1,
                Err(Error::Corrupt { name, .. }) => {
                    refused += 1;
                    assert!(name.ends_with(file.as_str()), "{file} {seed}: {name}");
                    assert!(life.tree_without_locks() == tree, "{file} {seed}: something went on");
                    life.put(file, &standing);
                }
                Err(error) => panic!("{file} {seed}: {error}"),
            }
            assert!(life.memory().starts_with(&memory), "{file} {seed}");
            for day in [22, 23] {
                dream_once_at(&dreamer, &all(), &|| night(day)).unwrap();
            }
            let memory = life.memory();
            for at in (0..13).chain(20..24) {
                let told = memory.matches(&format!("Token{at:03}")).count();
                assert_eq!(
                    told,
                    1,
                    "{file} {seed}: line {at} stands there {told} times\n{}",
                    String::from_utf8_lossy(&damaged(&standing, seed + 1))
                );
            }
        }
    }
    println!("{} files, {refused} damages were named, {went_on} did not matter", files.len());
}

/// A life in the middle of something: which files of it are damaged, and how it goes on.
struct Scene {
    label: &'static str,
    begin: fn() -> (Life, Vec<DreamId>),
    files: &'static [&'static str],
    go_on: fn(&Life, &[DreamId], u32) -> noctuary::Result<()>,
}

/// Lines of which each holds a word of its own.
fn tokens(range: std::ops::Range<u32>) -> String {
    range.map(|at| format!("- [user] Token{at:03} is what Marta wants.\n")).collect()
}

/// Answers with every line that it is shown.
fn echo() -> impl noctuary::LlmClient {
    llm_fn(|request| {
        let told = |seen: dreaming::Seen| {
            let text = seen.text.split_once("] ")?.1;
            Some(format!("- {text} ({}#L{})\n", seen.journal, seen.number))
        };
        let told: String = dreaming::seen(request).into_iter().filter_map(told).collect();
        Ok(noctuary::LlmReply::new(if told.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { told }))
    })
}

/// Two journals that say other things.
fn two_days() -> Life {
    let life = Life::with(&[(17, &tokens(0..3)), (18, &tokens(3..6))]);
    for (day, at) in [(17, 1_795_000_000), (18, 1_795_100_000)] {
        life.set_modified(&journal(day), at * 1_000_000_000);
    }
    life
}

/// A dreamer that keeps to no pace.
fn eager(life: &Life, mode: DreamMode) -> JournalDreamer {
    dreaming::dreamer_over(life.quick_workspace(), |config| {
        (config.budget.back_off, config.budget.max_calls_per_day, config.mode) = (None, None, mode);
    })
}

const SCENES: &[Scene] = &[
    Scene {
        label: "a commit that was cut",
        begin: || {
            // Right after the ledger was written, where the intent still stands.
            let cut = |at| {
                let life = two_days();
                let dreamer =
                    dreaming::dreamer_over(crashing(&life, at).1, |config| config.budget.back_off = None);
                let _ = dream_once_at(&dreamer, &echo(), &|| night(19));
                life
            };
            let is_cut =
                |life: &Life| life.has(".dreaming.d/intent.json") && life.has(".dreaming.d/ledger.json");
            let life = (1..200).map(cut).find(is_cut).expect("a commit writes its ledger");
            (life, Vec::new())
        },
        files: &[".dreaming.d/intent.json", ".dreaming.d/ledger.json"],
        go_on: |life, _, day| {
            dream_once_at(&eager(life, DreamMode::Append), &echo(), &|| night(day)).map(drop)
        },
    },
    Scene {
        label: "proposals that wait",
        begin: || {
            let life = two_days();
            let report = dream(&eager(&life, DreamMode::Propose), &echo(), night(19));
            assert_eq!(report.outcome, Outcome::Proposed);
            life.put(&journal(19), tokens(6..8));
            life.set_modified(&journal(19), 1_795_150_000_000_000_000);
            assert_eq!(
                dream(&eager(&life, DreamMode::Propose), &echo(), night(20)).outcome,
                Outcome::Proposed
            );
            (life, Vec::new())
        },
        files: &[".dreaming.d/proposals.json", ".dreaming.d/ledger.json", ".dreamed-state.json"],
        go_on: |life, _, day| {
            let dreamer = eager(life, DreamMode::Propose);
            dream_once_at(&dreamer, &echo(), &|| night(day))?;
            for proposal in dreamer.proposals(&marta(), night(day))? {
                dreamer.accept_proposal(&marta(), &proposal.id, night(day))?;
            }
            Ok(())
        },
    },
    Scene {
        label: "a dream that was taken back, and comes again",
        begin: || {
            let life = two_days();
            let report = dream(&eager(&life, DreamMode::Append), &echo(), night(19));
            let id = report.passes[0].dream_id.clone();
            assert!(eager(&life, DreamMode::Append).undo_dream(&marta(), &id, night(20)).unwrap());
            assert_eq!(life.memory(), MEMORY);
            (life, vec![id])
        },
        files: &[".dreaming.d/history/undone.json", ".dreaming.d/ledger.json", ".dreamed-state.json"],
        go_on: |life, ids, day| {
            let dreamer = eager(life, DreamMode::Append);
            match dreamer.redo_dream(&marta(), &ids[0], night(day)) {
                Ok(_) | Err(Error::DreamStays { .. }) => {}
                Err(error) => return Err(error),
            }
            dream_once_at(&dreamer, &echo(), &|| night(day)).map(drop)
        },
    },
    Scene {
        label: "words that are forgotten",
        begin: || {
            let life = two_days();
            let text = "Token004 is what Marta wants.";
            Forget::new(&marta(), text).workspace(life.quick_workspace().as_ref()).run(night(19)).unwrap();
            (life, Vec::new())
        },
        files: &[".dreaming.d/forgotten.json"],
        go_on: |life, _, day| {
            dream_once_at(&eager(life, DreamMode::Append), &echo(), &|| night(day)).map(drop)
        },
    },
];

#[test]
#[ignore = "sweep"]
fn damage_to_what_stands_between_two_nights_neither_loses_a_line_nor_tells_one_twice() {
    // Four files were damaged at random, and what waits in others was not: an intent, proposals, dreams that were taken
    // back and words that are forgotten.
    for scene in SCENES {
        let counts = |life: &Life| -> Vec<usize> {
            let memory = life.memory();
            (0..8).map(|at| memory.matches(&format!("Token{at:03}")).count()).collect()
        };
        let whole = || {
            let (life, ids) = (scene.begin)();
            for day in [21, 22, 23] {
                (scene.go_on)(&life, &ids, day).unwrap();
            }
            counts(&life)
        };
        let expected = whole();
        assert!(
            expected.contains(&1) && expected.iter().all(|told| *told < 2),
            "{}: {expected:?}",
            scene.label
        );
        let (mut refused, mut went_on) = (0, 0);
        for file in scene.files {
            for seed in 0..u64::from(noctuary::testing::cases(1_000)) {
                let place = format!("{}, {file}, {seed}", scene.label);
                let (life, ids) = (scene.begin)();
                let standing = life.bytes(file);
                let changed = damaged(&standing, seed + 1);
                life.put(file, &changed);
                let memory = life.memory();
                match (scene.go_on)(&life, &ids, 21) {
                    Ok(()) => went_on += 1,
                    Err(Error::Corrupt { name, .. }) => {
                        refused += 1;
                        assert!(name.ends_with(file), "{place}: {name}");
                        let stands = (life.memory() == memory, life.bytes(file) == changed);
                        assert_eq!(stands, (true, true), "{place}: something went on");
                        life.put(file, &standing);
                    }
                    Err(error) => panic!("{place}: {error}"),
                }
                for day in [22, 23] {
                    (scene.go_on)(&life, &ids, day).unwrap();
                }
                assert_eq!(counts(&life), expected, "{place}\n{}", String::from_utf8_lossy(&changed));
            }
        }
        println!("{}: {refused} damages were named, {went_on} did not matter", scene.label);
    }
}

const TEA: &str = "Marta drinks green tea every morning.";

/// A life whose memory had the tea, which stands in the archive now; and the dream that had it.
fn archived() -> (Life, DreamId) {
    let life = Life::with(&[(18, "- [user] Marta drinks green tea every morning.\n")]);
    let report = dream(&life.dreamer(), &Script::new().says(cited(TEA, 18)), night(19));
    let id = report.passes[0].dream_id.clone();
    let report = dream(&archivist(&life, 40), &Script::new(), night(20));
    assert_eq!(report.archived, std::slice::from_ref(&id));
    assert_eq!(life.memory(), MEMORY);
    assert!(life.text(DocName::DREAMED.as_str()).contains(TEA));
    (life, id)
}

fn peer_says(life: &Life, ahead_of: &str) -> u64 {
    let modified = life.workspace().metadata(&name(ahead_of)).unwrap().unwrap().modified;
    let mark = u64::try_from(modified.timestamp_millis()).unwrap() + 1;
    let mut state = life.state();
    state["last_processed_mtime"] = mark.into();
    state["last_run_at"] = "2026-11-21T04:00:00.000Z".into();
    life.put(".dreamed-state.json", serde_json::to_vec(&state).unwrap());
    mark
}

#[test]
fn a_copy_takes_the_proposals_along_since_their_journals_count_as_read_there() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    let other = Life::empty();
    copy_into(life.workspace().as_ref(), other.workspace().as_ref()).unwrap();
    copy_into(life.workspace().as_ref(), other.workspace().as_ref()).unwrap();
    let script = Script::new();
    assert_eq!(dream(&proposer(&other), &script, night(22)).outcome, Outcome::NothingNew);
    assert_eq!(waiting(&other, night(22)), std::slice::from_ref(&id));
    assert_eq!(accept(&other, &id, night(22)).end, ProposalEnd::Appended);
    assert!(other.memory().contains(TEA));
}

#[test]
fn a_copy_brings_no_proposal_that_holds_what_the_other_home_has_forgotten() {
    let life = Life::with(&[(20, "- [user] nothing of it\n")]);
    dream(&proposer(&life), &Script::new().says(cited("Her landlord is Jan Kowalski.", 20)), night(21));
    let other = Life::empty();
    let target = other.workspace();
    Forget::new(&marta(), "landlord is Jan Kowalski").workspace(target.as_ref()).run(night(21)).unwrap();
    let error = copy_into(life.workspace().as_ref(), target.as_ref());
    let holds = other.tree().into_values().any(|bytes| String::from_utf8_lossy(&bytes).contains("Kowalski"));
    assert!(!holds, "{error:?}");
}

#[test]
fn what_a_peer_dreamed_stays_a_peers_when_a_run_that_reads_nothing_archives() {
    // The mark of the peer was taken for our own, and its journals were dreamed once more.
    let (life, _) = archived();
    life.put(&journal(21), "- [user] Marta keeps two cats.\n");
    dream(&life.dreamer(), &Script::new().says(cited("Marta keeps two cats.", 21)), night(22));
    life.put(&journal(22), "- [user] what a peer has dreamed\n");
    peer_says(&life, &journal(22));
    let hasty = |budget| {
        life.dreamer_with(|config| {
            config.over_budget = OverBudget::Archive;
            config.memory_budget = budget;
            config.budget.max_calls_per_day = Some(1);
        })
    };
    life.put(&journal(23), "- [user] what nobody has dreamed\n");
    let report = dream(&hasty(40), &Script::new(), night(22) + TimeDelta::hours(1));
    assert_eq!((report.outcome, report.archived.len()), (Outcome::NotDue, 1));
    let script = Script::new().says("NOTHING_TO_PROMOTE");
    dream(&archivist(&life, 4000), &script, night(24));
    let asked = &script.requests()[0].user;
    assert!(asked.contains("nobody has dreamed") && !asked.contains("a peer has dreamed"), "{asked}");
}

#[test]
fn what_was_taken_back_does_not_come_back_over_a_peer_that_went_on() {
    // The peer's mark is a time of change, and one a day ahead of the night is not believed: files have times of their
    // own here, since those of the disk were later than this night from 2026-11-23 on.
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    let report = life.dream(&Script::new().says(cited(TEA, 20)));
    let id = &report.passes[0].dream_id;
    assert!(life.dreamer().undo_dream(&marta(), id, night(21)).unwrap());
    life.put(&journal(21), "- [user] what a peer has dreamed\n");
    peer_says(&life, &journal(21));
    // The peer has dreamed the journal that waited, too.
    let answer = life.dreamer().redo_dream(&marta(), id, night(22));
    assert!(matches!(&answer, Err(Error::DreamStays { reason: Refusal::PeerAhead, .. })), "{answer:?}");
    let script = Script::new();
    let report = dream(&life.dreamer(), &script, night(22));
    assert_eq!((report.outcome, script.requests().len()), (Outcome::NothingNew, 0));
    assert!(report.notices.contains(&Notice::DreamedByPeer(2)), "{:?}", report.notices);
}

#[test]
fn an_old_proposal_brings_no_line_that_stands_in_the_archive() {
    let life = Life::with(&[(17, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 17)), night(18));
    let id = waiting(&life, night(18)).pop().unwrap();
    // It waits for so long that another dream says the same, and that is archived.
    let old = |config: &mut noctuary::DreamConfig| {
        config.proposal_max_age = Some(std::time::Duration::from_secs(60));
    };
    life.put(&journal(18), "- [user] Marta drinks green tea every morning.\n");
    let report = dream(&life.dreamer_with(old), &Script::new().says(cited(TEA, 18)), night(19));
    assert_eq!(report.outcome, Outcome::Appended);
    let report = dream(&archivist(&life, 40), &Script::new(), night(20));
    assert_eq!(report.archived.len(), 1);
    let report = accept(&life, &id, night(21));
    assert_eq!((report.end, &report.lines[0].fate), (ProposalEnd::NothingNew, &LineOutcome::Duplicate));
    assert_eq!(life.memory(), MEMORY);
}

#[test]
fn what_is_forgotten_leaves_no_hash_of_a_line_that_stands_in_the_archive() {
    let (life, _) = archived();
    let log = || life.text(".dreaming.d/log.jsonl");
    let hash = serde_json::from_str::<serde_json::Value>(log().lines().next().unwrap()).unwrap()["lines"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(log().contains(&hash));
    forget(&life, "drinks green tea every morning", true).unwrap();
    assert!(!life.text(DocName::DREAMED.as_str()).contains("green tea"));
    assert!(!log().contains(&hash), "a hash without a key can be tried against words");
}

#[test]
fn what_is_forgotten_leaves_no_hash_of_a_dream_that_was_taken_back() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    let report = life.dream(&Script::new().says(cited(TEA, 20)));
    life.dreamer().undo_dream(&marta(), &report.passes[0].dream_id, night(21)).unwrap();
    let log = || life.text(".dreaming.d/log.jsonl");
    let hash = serde_json::from_str::<serde_json::Value>(log().lines().next().unwrap()).unwrap()["lines"][0]
        .as_str()
        .unwrap()
        .to_owned();
    forget(&life, "drinks green tea every morning", true).unwrap();
    assert!(!log().contains(&hash));
    let answer = life.dreamer().redo_dream(&marta(), &report.passes[0].dream_id, night(22));
    assert!(matches!(answer, Err(Error::DreamStays { .. })));
    for (file, bytes) in life.tree() {
        assert!(!String::from_utf8_lossy(&bytes).contains("green tea"), "{file}");
    }
}

#[test]
fn an_accepted_proposal_that_is_taken_back_can_be_proposed_and_accepted_again() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    assert_eq!(accept(&life, &id, night(21)).end, ProposalEnd::Appended);
    let accepted = life.memory();
    assert!(life.dreamer().undo_dream(&marta(), &id, night(21)).unwrap());
    assert_eq!(life.memory(), MEMORY);
    assert_eq!(accept(&life, &id, night(21)).end, ProposalEnd::NotWaiting);

    let again = dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    assert_eq!((again.outcome, &again.passes[0].dream_id), (Outcome::Proposed, &id));
    assert!(matches!(
        life.dreamer().redo_dream(&marta(), &id, night(21)),
        Err(Error::DreamStays { reason: Refusal::ReadAgain, .. })
    ));
    assert_eq!(accept(&life, &id, night(21)).end, ProposalEnd::Appended);
    assert_eq!(life.memory(), accepted);
    assert!(!life.dreamer().redo_dream(&marta(), &id, night(21)).unwrap());
    assert!(life.dreamer().undo_dream(&marta(), &id, night(22)).unwrap());
    assert!(life.dreamer().redo_dream(&marta(), &id, night(22)).unwrap());
    assert_eq!(life.memory(), accepted);
    assert_eq!(dream(&proposer(&life), &Script::new(), night(23)).outcome, Outcome::NothingNew);
}

#[test]
fn what_a_person_took_out_of_a_proposal_stays_out_when_the_rest_is_taken_back() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    let answer = format!("{}{}", cited(TEA, 20), cited("Marta is a morning person.", 20));
    dream(
        &life.dreamer_with(|config| {
            config.mode = DreamMode::Propose;
            config.evidence = noctuary::dream::Evidence::Off;
        }),
        &Script::new().says(&answer),
        night(21),
    );
    let id = waiting(&life, night(21)).pop().unwrap();
    let file = StateName::PROPOSALS.as_str().replace(".json", &format!("/{id}.md"));
    let kept: String =
        life.text(&file).split_inclusive('\n').filter(|line| !line.contains("morning person")).collect();
    life.put(&file, kept);
    assert_eq!(accept(&life, &id, night(21)).end, ProposalEnd::Appended);
    assert!(life.dreamer().undo_dream(&marta(), &id, night(21)).unwrap());
    let lax = life.dreamer_with(|config| config.evidence = noctuary::dream::Evidence::Off);
    let report = dream(&lax, &Script::new().says(&answer), night(22));
    let fates: Vec<&LineOutcome> = report.passes[0].lines.iter().map(|line| &line.fate).collect();
    assert_eq!(fates, [&LineOutcome::Promoted { cited: true }, &LineOutcome::RemovedBefore]);
}

#[cfg(unix)]
#[test]
fn an_archive_folder_that_is_a_link_stops_no_dream() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), life.path("memory/archive")).unwrap();
    let report = life.dream(&Script::new().says(cited(TEA, 20)));
    assert_eq!(report.outcome, Outcome::Appended);
    let id = &report.passes[0].dream_id;
    assert!(life.dreamer().undo_dream(&marta(), id, night(21)).unwrap());
    assert!(life.dreamer().redo_dream(&marta(), id, night(21)).unwrap());
    let report = dream(&archivist(&life, 40), &Script::new(), night(22));
    assert!(
        report.notices.iter().any(|notice| matches!(notice, Notice::NotArchived(_))),
        "{:?}",
        report.notices
    );
    assert!(life.memory().contains(TEA));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_broken_state_file_is_named_and_its_words_are_not() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    let standing = life.text(".dreaming.d/proposals.json");
    for damage in [
        format!("\"{}\"", dreaming::KEY),
        format!("{{\"v\":1,\"waiting\":\"{}\"}}", dreaming::KEY),
        format!("{{\"v\":\"{}\"}}", dreaming::KEY),
        standing.replace(id.as_str(), dreaming::KEY),
        standing.replace("2026-11-21", dreaming::KEY),
    ] {
        life.put(".dreaming.d/proposals.json", &damage);
        life.put(".dreaming.d/history/undone.json", &damage);
        let dreamer = proposer(&life);
        let errors = [
            dreamer.proposals(&marta(), night(21)).map(drop),
            dreamer.accept_proposal(&marta(), &id, night(21)).map(drop),
            dreamer.reject_proposal(&marta(), &id, night(21)).map(drop),
            dreamer.undo_dream(&marta(), &id, night(21)).map(drop),
            dreamer.redo_dream(&marta(), &id, night(21)).map(drop),
        ];
        for error in errors {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. } | Error::NewerVersion { .. }), "{error:?}");
            assert!(!format!("{error} {error:?}").contains(dreaming::KEY), "{error:?}");
        }
        life.remove(".dreaming.d/history/undone.json");
    }
    assert_eq!(life.memory(), MEMORY);
}

#[test]
fn the_older_name_of_memory_with_windows_lines_is_archived_and_taken_back_to_the_byte() {
    for mine in
        ["\u{feff}# Memory\r\n\r\n- Known already.\r\n", "\u{feff}- no end", "- a\r\n- no end", "\r\n"]
    {
        let life = Life::empty();
        life.put("memory.md", mine);
        life.put(&journal(20), "- [user] Marta drinks green tea every morning.\n");
        dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
        let id = waiting(&life, night(21)).pop().unwrap();
        accept(&life, &id, night(21));
        let dreamed = life.text("memory.md");
        assert!(dreamed.starts_with(mine) && dreamed.contains(TEA));
        assert!(life.dreamer().undo_dream(&marta(), &id, night(21)).unwrap());
        assert_eq!(life.text("memory.md"), mine);
        assert!(life.dreamer().redo_dream(&marta(), &id, night(21)).unwrap());
        assert_eq!(life.text("memory.md"), dreamed);
        let report = dream(&archivist(&life, 30), &Script::new(), night(22));
        assert_eq!(report.archived, [id]);
        assert_eq!(life.text("memory.md"), mine);
        assert!(!life.has("MEMORY.md"));
    }
}

/// The workspace of a life whose operations fail from one on.
fn crashing(life: &Life, at: u64) -> (Faults, Arc<dyn Workspace>) {
    let faults = Faults::new();
    faults.arm(at, Fault::Crash);
    (faults.clone(), Arc::new(FaultyWorkspace::new(life.quick_workspace(), faults)))
}

/// Does a deed over a workspace that stops at each of its operations in turn.
fn stop_everywhere(prepare: impl Fn() -> Life, deed: impl Fn(Arc<dyn Workspace>), then: impl Fn(Life)) {
    for at in 1.. {
        let life = prepare();
        let (faults, workspace) = crashing(&life, at);
        deed(workspace);
        let is_whole = (faults.seen().len() as u64) < at;
        then(life);
        if is_whole {
            assert!(at > 10, "it has more operations than {at}");
            return;
        }
    }
}

#[test]
fn what_is_forgotten_while_its_dream_is_half_brought_back_does_not_come_back() {
    // An unfinished redo was carried out with the words that had been forgotten in between.
    let undone = || {
        let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
        let report = life.dream(&Script::new().says(cited(TEA, 20)));
        assert!(life.dreamer().undo_dream(&marta(), &report.passes[0].dream_id, night(21)).unwrap());
        life
    };
    let id = {
        let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
        life.dream(&Script::new().says(cited(TEA, 20))).passes[0].dream_id.clone()
    };
    stop_everywhere(
        undone,
        |workspace| drop(dreaming::dreamer_over(workspace, |_| ()).redo_dream(&marta(), &id, night(21))),
        |life| {
            let stood = life.memory().contains(TEA);
            forget(&life, TEA, false).unwrap();
            dream(&life.dreamer(), &Script::new().says("NOTHING_TO_PROMOTE"), night(22));
            assert_eq!(life.memory().contains(TEA), stood, "{}", life.memory());
            assert!(!life.has(".dreaming.d/intent.json"));
        },
    );
}

#[test]
fn what_a_person_takes_out_or_mends_before_it_is_archived_comes_into_no_archive() {
    // The section of the intent was appended to the archive, and then found to be a person's in memory.
    for mended in [None, Some("Marta drinks black tea every morning.")] {
        let dreamed = || {
            let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
            life.dream(&Script::new().says(cited(TEA, 20)));
            life
        };
        let archive = |life: &Life| {
            let file = DocName::DREAMED.to_string();
            if life.has(&file) { life.text(&file) } else { String::new() }
        };
        stop_everywhere(
            dreamed,
            |workspace| {
                let keeper = dreaming::dreamer_over(workspace, |config| {
                    config.over_budget = OverBudget::Archive;
                    config.memory_budget = 40;
                });
                drop(dream_once_at(&keeper, &Script::new(), &|| night(22)));
            },
            |life| {
                let (memory, before) = (life.memory(), archive(&life));
                assert!(memory.contains(TEA) || before.contains(TEA), "it is nowhere");
                let theirs = match mended {
                    Some(mended) => memory.replace(TEA, mended),
                    None => MEMORY.to_owned(),
                };
                life.put("MEMORY.md", &theirs);
                dream(&life.dreamer(), &Script::new(), night(23));
                assert_eq!(life.memory(), theirs, "a person's bytes");
                if before.is_empty() {
                    assert_eq!(archive(&life), "");
                } else {
                    assert_eq!(archive(&life).matches(TEA).count(), 1);
                }
                assert!(!life.has(".dreaming.d/intent.json"));
            },
        );
    }
}

#[test]
fn what_is_forgotten_leaves_a_proposal_that_was_edited_after_its_answer() {
    // It is on no list any more, and nobody looked into it.
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    let file = format!(".dreaming.d/proposals/{id}.md");
    for at in 1.. {
        let (_, workspace) = crashing(&life, at);
        let dreamer = dreaming::dreamer_over(workspace, |config| config.mode = DreamMode::Propose);
        drop(dreamer.accept_proposal(&marta(), &id, night(21)));
        if life.has(".dreaming.d/intent.json") {
            break;
        }
    }
    life.put(&file, life.text(&file).replace("every morning", "every morning, says Ilya"));
    dream(&proposer(&life), &Script::new(), night(22));
    assert!(waiting(&life, night(22)).is_empty() && life.has(&file), "what a person wrote is theirs");
    let receipt = forget(&life, "drinks green tea every morning", true).unwrap();
    for (file, bytes) in life.tree() {
        assert!(!String::from_utf8_lossy(&bytes).contains("green tea"), "{file}");
    }
    assert_eq!(receipt.place(ForgetPlace::Proposals).removed, 1);
}

#[test]
fn an_intent_of_a_later_version_stops_everybody_and_stays() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    life.put(".dreaming.d/intent.json", "{\"v\":3,\"id\":\"0123456789abcdef\",\"later\":{}}");
    let tree = life.tree_without_locks();
    let dreamer = proposer(&life);
    let errors = [
        dream_once_at(&dreamer, &Script::new(), &|| night(22)).map(drop),
        dreamer.proposals(&marta(), night(22)).map(drop),
        dreamer.accept_proposal(&marta(), &id, night(22)).map(drop),
        dreamer.reject_proposal(&marta(), &id, night(22)).map(drop),
        dreamer.undo_dream(&marta(), &id, night(22)).map(drop),
        dreamer.redo_dream(&marta(), &id, night(22)).map(drop),
    ];
    for error in errors {
        assert!(matches!(&error, Err(Error::NewerVersion { .. })), "{error:?}");
    }
    assert_eq!(life.tree_without_locks(), tree);
    let answer = forget(&life, "something else entirely", true);
    assert!(matches!(&answer, Err(Error::NewerVersion { .. })), "{answer:?}");
}

#[test]
fn who_is_off_writes_nothing_and_asks_nobody() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    accept(&life, &id, night(21));
    life.put(&journal(21), "- [user] Marta keeps two cats.\n");
    life.put(
        "self/conversation.jsonl",
        "{\"t\":\"2026-11-20T09:00:00Z\",\"role\":\"user\",\"content\":\"hello\"}\n",
    );
    // The store's files stand in the same folder, so that they are looked at too.
    let scope = || Scope::user("marta");
    let store = Arc::new(FileMemoryStore::open(life.root(), scope()).unwrap());
    let agent = Access::agent(scope());
    for home in ["Marta lives in Lisbon", "Marta lives in Porto"] {
        let fact = NewMemory::new(categories::FACT, home, Source::ChatExtracted);
        store.record(&agent, &fact.about(FactKey::one("marta", "home")), night(21)).unwrap();
    }
    let (workspace, never) = (life.workspace(), llm_fn(|_| panic!("nobody asks a model")));
    let history = Arc::new(history_fn("chat", |_| panic!("nobody asks for earlier sessions")));
    let facts = |enabled| {
        let builder = FactDreamer::builder(Arc::clone(&workspace), store.clone(), scope());
        builder.enabled(enabled).build().unwrap()
    };
    let rebuild = PersonalizationDreamer::builder(Arc::clone(&workspace), store.clone(), scope());
    let off: Vec<Box<dyn Dreamer>> = vec![
        Box::new(life.dreamer_with(|config| {
            config.enabled = false;
            config.over_budget = OverBudget::Archive;
            config.memory_budget = 0;
        })),
        Box::new(life.dreamer_with(|config| (config.enabled, config.mode) = (false, DreamMode::Propose))),
        Box::new(SleepDreamer::builder(Arc::clone(&workspace)).build().unwrap()),
        Box::new(facts(false)),
        // Off in the store alone.
        Box::new(facts(true)),
        Box::new(rebuild.source(history).build().unwrap()),
    ];
    let tree = life.tree();
    for dreamer in off {
        let report = dream(dreamer.as_ref(), &never, night(22));
        assert_eq!(report.outcome, Outcome::Disabled, "{dreamer:?}");
        assert_eq!(life.tree(), tree, "{dreamer:?}");
    }
    // A preview asks, and writes as little; and where nothing says so, nothing is archived.
    let preview = life.dreamer_with(|config| {
        config.mode = DreamMode::Preview;
        config.over_budget = OverBudget::Archive;
        config.memory_budget = 0;
    });
    let report = dream(&preview, &Script::new().says(cited("Marta keeps two cats.", 21)), night(22));
    assert_eq!((report.outcome, report.archived.len()), (Outcome::Appended, 0));
    assert_eq!(life.tree(), tree);
    let report = dream(
        &life.dreamer_with(|config| config.memory_budget = 0),
        &Script::new().says("NOTHING_TO_PROMOTE"),
        night(22),
    );
    assert!(report.archived.is_empty() && !life.has(DocName::DREAMED.as_str()));
}

#[test]
fn what_is_forgotten_leaves_a_sleepers_files_however_their_lines_are_escaped() {
    for said in [
        "My landlord is Jan Kowalski.",
        "My landlord is\nJan Kowalski.",
        "My landlord is\tJan\r\nKowalski.",
        "My \"landlord\" is Jan Kowalski.",
        "Mein Vermieter: my landlord is Jan Kowalski é.",
    ] {
        let life = Life::empty();
        let sleeper = SleepDreamer::builder(life.workspace()).enabled(true).build().unwrap();
        sleeper.log(&[Said::new("user", said).calls(80), Said::new("tool", "bystander")], night(20)).unwrap();
        let event = serde_json::json!({"kind": "note", "what": said});
        sleeper.note_event(event.as_object().unwrap().clone(), night(20)).unwrap();
        let answer = format!(
            "OBSERVATIONS:\nRED 09:32 {}\n\nREFLECTION:\n{said}\n\nPRIORITY:\nGo on.",
            said.replace(['\n', '\r', '\t'], " ")
        );
        let report = dream(&sleeper, &Script::new().says(&answer), night(21));
        assert_eq!(report.outcome, Outcome::Appended);
        let receipt = forget(&life, "my landlord is Jan Kowalski", true).unwrap();
        for (file, bytes) in life.tree() {
            assert!(!String::from_utf8_lossy(&bytes).contains("Kowalski"), "{said:?} in {file}: {receipt:?}");
        }
        let log = life.text("self/conversation.jsonl");
        assert!(log.contains("bystander"));
        for line in log
            .lines()
            .chain(life.text("self/dreams.jsonl").lines())
            .chain(life.text("self/memory.jsonl").lines())
        {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
        }
        let again = dream(&sleeper, &Script::new(), night(22));
        assert_eq!(again.outcome, Outcome::NothingNew, "what was read stays read");
    }
}

#[test]
fn what_was_taken_back_does_not_come_back_beside_the_same_line() {
    // Another dream promoted the line of another journal meanwhile: then it stood there twice.
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    let id = life.dream(&Script::new().says(cited(TEA, 20))).passes[0].dream_id.clone();
    let undo = || assert!(life.dreamer().undo_dream(&marta(), &id, night(21)).unwrap());
    let redo = || life.dreamer().redo_dream(&marta(), &id, night(22));
    undo();
    life.put(&journal(21), "- [user] Marta drinks green tea every morning.\n");
    let newest = life.dreamer_with(|config| (config.max_passes, config.total_input_bytes) = (1, 1));
    let other = dream(&newest, &Script::new().says(cited(TEA, 21)), night(22));
    assert_eq!(other.passes[0].shown[0].name.as_str(), journal(21));
    let memory = life.memory();
    let refused = |answer: noctuary::Result<bool>| {
        assert!(matches!(&answer, Err(Error::DreamStays { reason: Refusal::SaidAgain, .. })), "{answer:?}");
    };
    refused(redo());
    assert_eq!(life.memory(), memory);
    assert_eq!(
        dream(&archivist(&life, 40), &Script::new().says("NOTHING_TO_PROMOTE"), night(22)).archived.len(),
        1
    );
    // The journal that waited was read by that run, so what is asked for is refused for more than one reason.
    assert!(redo().is_err());
    assert_eq!(life.memory(), MEMORY);
}

#[test]
fn a_line_of_a_proposal_that_was_forgotten_leaves_no_mark_in_memory() {
    let life = Life::with(&[(20, "- [user] Marta drinks green tea every morning.\n")]);
    dream(&proposer(&life), &Script::new().says(cited(TEA, 20)), night(21));
    let id = waiting(&life, night(21)).pop().unwrap();
    forget(&life, "Marta drinks green tea", true).unwrap();
    let report = accept(&life, &id, night(22));
    assert_eq!((report.end, &report.lines[0].fate), (ProposalEnd::NothingNew, &LineOutcome::Forgotten));
    assert_eq!(life.memory(), MEMORY);
}

#[test]
fn the_marks_of_forgotten_statements_are_never_promoted() {
    let told = "- [user] Decision: we pay my landlord Jan Kowalski on Friday 2026-12-04.\n\
                - [user] Decision: Ana Smith is paid on Friday 2026-12-04.\n\
                - [user] Decision: we rate the boat *** from now on.\n";
    let life = Life::with(&[(20, told)]);
    forget(&life, "my landlord Jan Kowalski", true).unwrap();
    forget(&life, "Ana Smith", true).unwrap();
    let struck = life.text(&journal(20));
    assert!(struck.contains("we pay [forgotten]") && struck.contains("Decision: ********* is"), "{struck}");
    let report = dream(&life.dreamer(), &Extractive::new(), night(23));
    assert!(!life.memory().contains("[forgotten]") && !life.memory().contains("******"), "{}", life.memory());
    assert!(life.memory().contains("rate the boat ***"), "{}", life.memory());
    let fates = |report: &noctuary::DreamReport| {
        let fates = report.passes[0].lines.iter().filter(|line| line.fate == LineOutcome::Forgotten);
        fates.count()
    };
    assert_eq!((fates(&report), report.promoted().count()), (2, 1));

    life.add(&journal(20), "- [user] Good morning.\n");
    let answer = cited("somebody: [forgotten]-------------.", 20);
    let report = dream(&life.dreamer(), &Script::new().says(answer), night(23));
    assert_eq!((report.outcome, fates(&report)), (Outcome::NothingToPromote, 1));
    assert_eq!(dream(&life.dreamer(), &Script::new(), night(23)).outcome, Outcome::NothingNew);
}

#[test]
fn a_page_counts_no_line_of_a_dream_that_was_taken_back_and_reads_the_older_name_of_memory() {
    let life = Life::empty();
    life.put("memory.md", MEMORY);
    life.put(&journal(20), "- [user] Marta drinks green tea every morning.\n");
    for day in [21, 22, 23] {
        let report = dream(&life.dreamer(), &Script::new().says(cited(TEA, 20)), night(day));
        let id = &report.passes[0].dream_id;
        let page =
            noctuary::report::DreamPage::new(&report).read(life.workspace().as_ref()).unwrap().to_html();
        let told = page.contains("1 line promoted from") || page.contains("in all: 1<");
        assert!(told, "{}", page.split("<h2").find(|part| part.contains("Nights")).unwrap_or(&page));
        assert!(page.contains("Known already"), "memory.md is shown");
        assert!(life.dreamer().undo_dream(&marta(), id, night(day)).unwrap());
    }
}

#[test]
fn no_dream_builds_on_two_versions_between_conflict_marks() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("memory")).unwrap();
    let journal = "- 09:12 [user] Remember: the boat is moored in Nes.\n";
    std::fs::write(at("memory/2026-11-20-repl.md"), journal).unwrap();
    let now = DateTime::parse_from_rfc3339("2026-11-21T03:00:00Z").unwrap().to_utc();
    let marked =
        "# Memory\n\n<<<<<<< HEAD\n- The boat is blue.\n=======\n- The boat is red.\n>>>>>>> laptop\n";
    std::fs::write(at("MEMORY.md"), marked).unwrap();
    let workspace = Arc::new(noctuary::FileWorkspace::open(folder.path()).unwrap());
    let dreamer = JournalDreamer::builder(workspace).enabled(true).build().unwrap();
    let asked = std::cell::Cell::new(0);
    let model = llm_fn(|request: &noctuary::LlmRequest| {
        asked.set(asked.get() + 1);
        noctuary::LlmClient::complete(&Extractive::default(), request)
    });
    for _ in 0..2 {
        let refused = dream_once_at(&dreamer, &model, &|| now).unwrap_err();
        assert!(
            matches!(&refused, Error::Unmerged { name, line: 3 } if name.as_str() == "MEMORY.md"),
            "{refused}"
        );
    }
    assert_eq!(asked.get(), 0);
    assert_eq!(std::fs::read_to_string(at("MEMORY.md")).unwrap(), marked);

    std::fs::write(at("MEMORY.md"), "# Memory\n\n- The boat is blue.\n").unwrap();
    let report = dream_once_at(&dreamer, &model, &|| now).unwrap();
    assert_eq!(report.outcome, Outcome::Appended);
    let memory = std::fs::read_to_string(at("MEMORY.md")).unwrap();
    assert_eq!(memory.matches("moored in Nes").count(), 1, "{memory}");
}

#[test]
fn a_copy_that_a_tool_left_of_a_journal_is_told_of_and_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("memory")).unwrap();
    let line = "- 09:12 [user] Remember: the boat is moored in Nes.\n";
    std::fs::write(at("memory/2026-11-20-repl.md"), line).unwrap();
    let copies = [
        "memory/2026-11-20-repl (Marta's conflicted copy 2026-11-20).md",
        "memory/2026-11-20-repl.sync-conflict-20261120-101500-ABCDEFG.md",
    ];
    for copy in copies {
        std::fs::write(at(copy), format!("{line}- 09:13 [user] Remember: the mast is in Porto.\n")).unwrap();
    }
    let now = DateTime::parse_from_rfc3339("2026-11-21T03:00:00Z").unwrap().to_utc();
    let workspace = Arc::new(noctuary::FileWorkspace::open(folder.path()).unwrap());
    let dreamer = JournalDreamer::builder(workspace).enabled(true).build().unwrap();
    let report = dream_once_at(&dreamer, &Extractive::default(), &|| now).unwrap();
    assert_eq!((report.outcome, report.journals.len()), (Outcome::Appended, 1), "{report:?}");
    let told: Vec<&str> = report
        .notices
        .iter()
        .filter_map(|notice| match notice {
            Notice::ConflictCopy(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, copies);
    let memory = std::fs::read_to_string(at("MEMORY.md")).unwrap();
    assert!(memory.contains("moored in Nes") && !memory.contains("Porto"), "{memory}");
    assert!(copies.iter().all(|copy| at(copy).exists()), "they are kept until a person merges them");
}
