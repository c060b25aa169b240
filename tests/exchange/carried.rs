//! Folders that a tool carries file by file, as Syncthing and cloud drives do, and merges that fail at any operation.

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use chrono::Duration;
use noctuary::doctor::{Doctor, FindingKind};
use noctuary::dream::DreamStanding;
use noctuary::exchange::{Forget, Merge, MergeConflictKind, TravelFile, merge_copies};
use noctuary::memory::{Filter, NewMemory, Source};
use noctuary::testing::{Fault, Faults, FaultyDisk};
use noctuary::{
    Access, Error, FileMemoryStore, FileWorkspace, JournalDreamer, LlmReply, LlmRequest, MemoryStore,
    Outcome, Scope, Workspace, dream_once_at, llm_fn,
};

use sha2::{Digest as _, Sha256};

use crate::exchange::put;
use noctuary_tests::dreaming::{Life, dream, dreamer_over, name, night, seen};

const FAULTS: [Fault; 3] =
    [Fault::Crash, Fault::Error(io::ErrorKind::StorageFull), Fault::Error(io::ErrorKind::PermissionDenied)];

/// The files that are of one machine, by the lines for Syncthing.
fn stays(path: &str) -> bool {
    path.ends_with('/')
        || path.ends_with(".tmp")
        || path == ".dreaming.d/.gitignore"
        || TravelFile::Syncthing.lines().iter().any(|line| {
            let pattern = line.trim_start_matches("(?d)/");
            path == pattern
                || pattern.strip_suffix('*').is_some_and(|front| path.starts_with(front))
                || path.starts_with(&format!("{pattern}/"))
        })
}

fn files(life: &Life) -> BTreeMap<String, Vec<u8>> {
    let mut tree = life.tree();
    tree.retain(|path, _| !stays(path));
    tree
}

fn promotes(request: &LlmRequest, machine: usize) -> LlmReply {
    let mut lines = Vec::new();
    for line in seen(request) {
        if let Some(at) = line.text.find("Stone q") {
            let front = if machine == 1 { "We know: " } else { "" };
            lines.push(format!("- {front}{} ({}#L{})", &line.text[at..], line.journal, line.number));
        }
    }
    LlmReply::new(if lines.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { lines.join("\n") })
}

fn stone(number: usize) -> String {
    format!("Stone q{number} lies in harbour h{number}.")
}

/// Two machines that dreamed the same journal and more, and a person who edited on both and forgot on one.
fn two() -> [Life; 2] {
    let lives = two_that_dreamed();
    let human = Access::human(Scope::user("marta"));
    Forget::new(&human, stone(3))
        .in_files(true)
        .workspace(lives[1].quick_workspace().as_ref())
        .run(night(22))
        .unwrap();
    lives
}

fn two_that_dreamed() -> [Life; 2] {
    let base = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    let other = base.copy();
    for (machine, life) in [&base, &other].into_iter().enumerate() {
        life.add(
            "memory/2026-11-20-repl.md",
            format!("- [1{machine}:00:00] [user] Stone q{} lies in harbour h{}.\n", machine + 2, machine + 2),
        );
        dream(
            &dreamer_over(life.quick_workspace(), |_| {}),
            &llm_fn(|request| Ok(promotes(request, machine))),
            night(21),
        );
        life.add("USER.md", format!("- Said on machine {machine}.\n"));
    }
    [base, other]
}

#[test]
fn a_merge_that_fails_at_any_operation_is_whole_when_it_is_written_again() {
    let [one, other] = two();
    let (ours, theirs) = (one.quick_workspace(), other.quick_workspace());
    let plan = Merge::new(ours.as_ref(), theirs.as_ref()).plan().unwrap();
    let whole = {
        let out = Life::empty();
        plan.write(out.quick_workspace().as_ref()).unwrap();
        files(&out)
    };
    let mut failed = 0;
    for fault in FAULTS {
        for at in 1.. {
            let out = Life::empty();
            let faults = Faults::new();
            let workspace =
                FileWorkspace::on_disk(Arc::new(FaultyDisk::new(out.quick_disk(), faults.clone())));
            faults.arm(at, fault);
            let end = plan.write(&workspace);
            let count = faults.seen().len() as u64;
            drop(workspace);
            failed += usize::from(end.is_err());
            plan.write(out.quick_workspace().as_ref()).unwrap();
            assert_eq!(files(&out), whole, "{fault:?} at operation {at}");
            if at > count {
                break;
            }
        }
    }
    assert!(failed >= 100, "{failed} merges failed");
    println!("{failed} merges failed and were written again");
}

/// The folder of one machine after a tool brought that of the other: newer files, and copies of what both had changed.
fn with_copies() -> Life {
    let [one, other] = two();
    for (path, bytes) in files(&other) {
        if !one.has(&path) {
            one.put(&path, bytes);
        } else if one.bytes(&path) != bytes {
            one.put(&copy_of(&path, 1), bytes);
        }
    }
    one
}

fn copy_of(path: &str, count: usize) -> String {
    let (folder, file) = path.rsplit_once('/').map_or(("", path), |(folder, file)| (folder, file));
    let (stem, end) = file.rsplit_once('.').unwrap_or((file, ""));
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    format!("{folder}{stem}.sync-conflict-20261121-{count:06}-ABCDEFG.{end}")
}

#[test]
#[ignore = "sweep"]
fn copies_of_documents_and_state_become_one_life_and_any_failure_is_made_good() {
    let before = with_copies();
    assert!(
        files(&before).keys().filter(|path| path.contains("sync-conflict")).count() >= 4,
        "{:?}",
        files(&before).keys()
    );
    let whole = before.copy();
    let report = merge_copies(whole.quick_workspace().as_ref()).unwrap();
    assert!(report.left.is_empty(), "{report:?}");
    let merged = files(&whole);
    assert!(!merged.keys().any(|path| path.contains("sync-conflict")), "{:?}", merged.keys());
    let journal = whole.text("memory/2026-11-20-repl.md");
    for number in 1..=2 {
        assert_eq!(journal.matches(&stone(number)).count(), 1, "{journal}");
        assert_eq!(whole.memory().matches(&stone(number)).count(), 1, "{}", whole.memory());
    }
    assert!(
        !whole.memory().contains(&stone(3)),
        "what one machine has forgotten is forgotten: {}",
        whole.memory()
    );
    for machine in 0..2 {
        assert_eq!(whole.text("USER.md").matches(&format!("machine {machine}")).count(), 1);
    }
    let mut failed = 0;
    for fault in FAULTS {
        for at in 1.. {
            let life = before.copy();
            let faults = Faults::new();
            let workspace =
                FileWorkspace::on_disk(Arc::new(FaultyDisk::new(life.quick_disk(), faults.clone())));
            faults.arm(at, fault);
            let end = merge_copies(&workspace);
            let count = faults.seen().len() as u64;
            drop(workspace);
            failed += usize::from(end.is_err());
            merge_copies(life.quick_workspace().as_ref()).unwrap();
            // The log may know a section by another of its hashes: such a dream stays, and is not taken back.
            let without = |files: &BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
                let stays = |path: &String| {
                    ![".dreaming.d/log.jsonl", ".dreaming.d/history/undone.json"].contains(&path.as_str())
                };
                files
                    .iter()
                    .filter(|(path, _)| stays(path))
                    .map(|(path, bytes)| (path.clone(), bytes.clone()))
                    .collect()
            };
            let (after, merged) = (without(&files(&life)), without(&merged));
            let differ: Vec<_> =
                after.iter().filter(|(path, bytes)| merged.get(*path) != Some(bytes)).collect();
            let texts = differ.iter().map(|(path, bytes)| {
                format!(
                    "{path}: {}\n---\n{}",
                    String::from_utf8_lossy(bytes),
                    String::from_utf8_lossy(merged.get(*path).map_or(b"", |bytes| bytes))
                )
            });
            assert!(after == merged, "{fault:?} at operation {at}: {}", texts.collect::<Vec<_>>().join("\n"));
            if at > count {
                break;
            }
        }
    }
    assert!(failed >= 100, "{failed} merges failed");
    println!("{failed} merges of copies failed and were done again");
}

#[test]
fn a_file_that_is_no_text_keeps_its_copy() {
    let life = Life::with(&[]);
    life.put("notes/chart.json", "{\"a\":1}");
    life.put("notes/chart.sync-conflict-20261121-091500-ABCDEFG.json", "{\"a\":2}");
    life.put(".dreaming.d/memories.sync-conflict-20261121-091500-ABCDEFG.table", "x");
    // It was removed, as if it could be made anew.
    let artifact = ".dreaming.d/artifacts/r-1.sync-conflict-20261121-091500-ABCDEFG.json";
    life.put(artifact, "{}");
    let before = files(&life);
    let chart = "notes/chart.sync-conflict-20261121-091500-ABCDEFG.json";
    for _ in 0..2 {
        let report = merge_copies(life.workspace().as_ref()).unwrap();
        assert_eq!(report.left, [artifact, chart]);
    }
    let after = files(&life);
    for path in ["notes/chart.json", chart, artifact, "MEMORY.md"] {
        assert_eq!(after[path], before[path], "{path}");
    }
    assert!(!after.keys().any(|path| path.ends_with(".table")), "what is made anew is removed");
}

// Every verb of the store ended with an error that advised a backup, though nothing was missing.
#[test]
fn a_store_whose_file_another_machine_wrote_says_which_copy_waits_and_is_whole_after_the_merge() {
    let scope = Scope::user("marta");
    let agent = Access::agent(scope.clone());
    let write = |life: &Life, text: &str| {
        let store = FileMemoryStore::open(life.root(), scope.clone()).unwrap();
        store.write(&agent, &NewMemory::new("note", text, Source::UserExplicit), night(20)).unwrap();
    };
    for copy in [
        ".dreaming.d/memories.sync-conflict-20261121-091500-ABCDEFG.jsonl",
        ".dreaming.d/memories (In Konflikt stehende Kopie von Marta 2026-11-21).jsonl",
        ".dreaming.d/memories-MARTA-PC.jsonl",
    ] {
        let life = Life::empty();
        write(&life, "The boat is called Brisk.");
        let other = life.copy();
        for number in 0..3 {
            write(&life, &format!("Said on the desk, number {number}."));
        }
        write(&other, "Said on the laptop.");
        // The tool keeps the other machine's, which is shorter.
        let file = ".dreaming.d/memories.jsonl";
        life.put(copy, life.bytes(file));
        life.put(file, other.bytes(file));
        let error = FileMemoryStore::open(life.root(), scope.clone()).unwrap_err();
        assert!(matches!(&error, Error::CopyWaits { copy: found, .. } if found == copy), "{error:?}");
        assert!(error.to_string().contains("noctuary merge-copies") && !error.to_string().contains("backup"));
        let found = Doctor::of(life.root()).unwrap().examine(night(21)).unwrap();
        let is = |kind: FindingKind| found.findings.iter().any(|finding| finding.kind == kind);
        assert!(is(FindingKind::ConflictCopy) && !is(FindingKind::EmptiedStore), "{found:?}");

        assert_eq!(merge_copies(life.workspace().as_ref()).unwrap().merged, [copy]);
        let store = FileMemoryStore::open(life.root(), scope.clone()).unwrap();
        let rows = store.list(&agent, &Filter::limit(10)).unwrap();
        assert_eq!(rows.len(), 5, "{copy}: {rows:?}");
        write(&life, "And on.");
    }
    // Without a copy it is a loss, as before.
    let life = Life::empty();
    write(&life, "The boat is called Brisk.");
    life.put(".dreaming.d/memories.jsonl", "");
    assert!(matches!(FileMemoryStore::open(life.root(), scope), Err(Error::Shrunk { .. })));
}

#[test]
fn one_machine_dreams_and_the_others_say_which() {
    let life = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    let of = |machine: &str| -> JournalDreamer {
        JournalDreamer::builder(life.workspace())
            .enabled(true)
            .machine(machine)
            .configure(|config| config.window_days = None)
            .build()
            .unwrap()
    };
    let model = llm_fn(|request| Ok(promotes(request, 0)));
    let laptop = of("laptop");
    laptop.dream_on(Some("Server")).unwrap();
    let before = life.tree_without_locks();
    // The clock of the laptop is days ahead, and days behind.
    for days in [-5, 0, 5] {
        let now = night(21) + Duration::days(days);
        let report = dream_once_at(&laptop, &model, &|| now).unwrap();
        assert_eq!(report.outcome, Outcome::NotDue);
        let not_due = report.not_due.unwrap();
        assert!(not_due.to_string().starts_with("another machine dreams for this life"), "{not_due}");
        assert!(not_due.next() > now);
        assert!(
            report.notices.iter().any(|notice| notice.to_string().starts_with("Server dreams for this life"))
        );
        let survey = laptop.survey(now).unwrap();
        assert!(survey.due.to_string().starts_with("not due: another machine"), "{}", survey.due);
        assert_eq!(survey.backlog.journals, 1, "it waits");
    }
    assert_eq!(life.tree_without_locks(), before, "nothing was written");
    let report = dream_once_at(&of("server"), &model, &|| night(21)).unwrap();
    assert_eq!(report.outcome, Outcome::Appended);
    assert_eq!(laptop.state().unwrap().dreams_on.as_deref(), Some("Server"), "a run keeps it");
    laptop.dream_on(None).unwrap();
    life.add("memory/2026-11-20-repl.md", "- [10:00:00] [user] Stone q2 lies in harbour h2.\n");
    let report = dream_once_at(&laptop, &model, &|| night(22)).unwrap();
    assert_eq!(report.outcome, Outcome::Appended);
    assert!(laptop.dream_on(Some("")).is_err() && laptop.dream_on(Some("a\nb")).is_err());
}

#[test]
fn no_dream_reads_a_journal_with_conflict_marks_and_the_error_says_where() {
    let life = Life::with(&[(
        20,
        "- [09:00:00] [user] Stone q1 lies in harbour h1.\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> theirs\n",
    )]);
    let before = life.documents();
    let model = llm_fn(|request| Ok(promotes(request, 0)));
    let end = dream_once_at(&dreamer_over(life.workspace(), |_| {}), &model, &|| night(21));
    match end {
        Err(Error::Unmerged { name, line }) => {
            assert_eq!((name.as_str(), line), ("memory/2026-11-20-repl.md", 2));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(life.documents(), before);
    life.put("memory/2026-11-20-repl.md", "- [09:00:00] [user] Stone q1 lies in harbour h1.\n- a\n- b\n");
    assert_eq!(life.dream(&model).outcome, Outcome::Appended);
}

/// The watermark of a machine whose clock is ahead says nothing about the journals of the other.
#[test]
fn a_journal_of_a_slow_clock_is_read_after_a_merge_with_a_fast_one() {
    let fast = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    dream(
        &dreamer_over(fast.quick_workspace(), |_| {}),
        &llm_fn(|request| Ok(promotes(request, 0))),
        night(21),
    );
    let slow = fast.copy();
    slow.put("memory/2026-11-17-repl.md", "- [09:00:00] [user] Stone q2 lies in harbour h2.\n");
    slow.set_modified("memory/2026-11-17-repl.md", 1_794_900_000_000_000_000);
    let out = Life::empty();
    let (one, other) = (fast.quick_workspace(), slow.quick_workspace());
    fast.add("USER.md", "- Tea.\n");
    Merge::new(one.as_ref(), other.as_ref()).plan().unwrap().write(out.quick_workspace().as_ref()).unwrap();
    dream(
        &dreamer_over(out.quick_workspace(), |_| {}),
        &llm_fn(|request| Ok(promotes(request, 0))),
        night(22),
    );
    assert_eq!(out.memory().matches(&stone(2)).count(), 1, "{}", out.memory());
}

/// Lines that one machine archived are in the archive; those that the other wrote into that journal meanwhile wait for a dream.
#[test]
fn a_journal_that_was_archived_and_appended_to_is_there_once() {
    let base = Life::with(&[(10, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    dream(
        &dreamer_over(base.quick_workspace(), |_| {}),
        &llm_fn(|request| Ok(promotes(request, 0))),
        night(21),
    );
    let [archived, appended] = [base.copy(), base.copy()];
    let archive = "memory/archive/log-20261110-repl.md";
    archived.quick_workspace().rename(&name("memory/2026-11-10-repl.md"), &name(archive)).unwrap();
    let merged = |one: &Life, other: &Life| {
        let out = Life::empty();
        let (base, one, other) = (base.quick_workspace(), one.quick_workspace(), other.quick_workspace());
        let plan = Merge::new(one.as_ref(), other.as_ref()).base(base.as_ref()).plan().unwrap();
        assert!(plan.conflicts().is_empty(), "{:?}", plan.conflicts());
        plan.write(out.quick_workspace().as_ref()).unwrap();
        out
    };
    put(appended.quick_workspace().as_ref(), "USER.md", "- Tea.\n");
    let out = merged(&archived, &appended);
    assert!(out.has(archive) && !out.has("memory/2026-11-10-repl.md"), "nobody had more of it");
    appended.add("memory/2026-11-10-repl.md", "- [10:00:00] [user] Stone q2 lies in harbour h2.\n");
    for (one, other) in [(&archived, &appended), (&appended, &archived)] {
        let out = merged(one, other);
        assert_eq!(out.text(archive), base.text("memory/2026-11-10-repl.md"));
        let rest = "- [10:00:00] [user] Stone q2 lies in harbour h2.\n";
        assert_eq!(out.text("memory/2026-11-10-repl.md"), rest, "the rest of it waits for a dream");
        let report = dream(
            &dreamer_over(out.quick_workspace(), |_| {}),
            &llm_fn(|request| Ok(promotes(request, 1))),
            night(22),
        );
        assert_eq!(report.outcome, Outcome::Appended);
        for number in 1..=2 {
            assert_eq!(out.memory().matches(&stone(number)).count(), 1, "{}", out.memory());
        }
    }
}

/// A journal was known by its name, so the other machine's copy of an archived one was taken for the journal that has its name now: its
/// lines were there twice, and those of the new one were cited for them.
#[test]
fn a_name_that_is_used_again_after_the_archive_is_another_journal() {
    let journal = "memory/2026-11-10-repl.md";
    let base = Life::with(&[(10, "# Memory\n- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    let [archived, other] = [base.copy(), base.copy()];
    let sleeps = |life: &Life, machine: usize, hours: i64| {
        let model = llm_fn(|request| Ok(promotes(request, machine)));
        dream(&dreamer_over(life.quick_workspace(), |_| {}), &model, night(21) + Duration::hours(hours));
    };
    // Both dream the first journal, and each says it in other words.
    sleeps(&archived, 0, 0);
    sleeps(&other, 1, 1);
    let archive = "memory/archive/log-20261110-repl.md";
    archived.quick_workspace().rename(&name(journal), &name(archive)).unwrap();
    archived.add(journal, "# Memory\n- [11:00:00] [user] Stone q2 lies in harbour h2.\n");
    sleeps(&archived, 0, 2);
    other.add(journal, "- [10:00:00] [user] Stone q3 lies in harbour h3.\n");
    for (one, two) in [(&archived, &other), (&other, &archived)] {
        let out = Life::empty();
        let [base, one, two] = [&base, one, two].map(Life::quick_workspace);
        let plan = Merge::new(one.as_ref(), two.as_ref()).base(base.as_ref()).plan().unwrap();
        assert!(plan.conflicts().is_empty(), "{:?}", plan.conflicts());
        plan.write(out.quick_workspace().as_ref()).unwrap();
        assert_eq!(out.text(archive), "# Memory\n- [09:00:00] [user] Stone q1 lies in harbour h1.\n");
        let now = out.text(journal);
        assert_eq!(now.matches("# Memory").count(), 1, "{now}");
        assert!(!now.contains(&stone(1)) && now.contains(&stone(2)) && now.contains(&stone(3)), "{now}");
        let memory = out.memory();
        let cited = format!("{} ({archive}#L2)", stone(1));
        assert!(memory.contains(&cited), "cited where it is: {memory}");
        sleeps(&out, 1, 48);
        let memory = out.memory();
        for number in 1..=3 {
            assert_eq!(memory.matches(&stone(number)).count(), 1, "{memory}");
        }
    }
}

/// A tool brought memory before the log that knows how its section was printed: it was taken for a person's text, and could not be
/// taken back.
#[test]
fn a_section_that_arrives_before_its_log_is_the_section_of_its_dream() {
    let (journal, model) =
        ("memory/2026-11-20-repl.md", |machine| llm_fn(move |request| Ok(promotes(request, machine))));
    let empty = Life::empty();
    let [one, other] = [empty.copy(), empty.copy()];
    one.put(journal, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n");
    dream(&dreamer_over(one.quick_workspace(), |_| {}), &model(0), night(21));
    other.put(journal, "- [08:00:00] [user] Tea is ready.\n");
    let merged = |base: &Life, one: &Life, other: &Life| {
        let out = Life::empty();
        let [base, one, other] = [base, one, other].map(Life::quick_workspace);
        let plan = Merge::new(one.as_ref(), other.as_ref()).base(base.as_ref()).plan().unwrap();
        assert!(plan.conflicts().is_empty(), "{:?}", plan.conflicts());
        plan.write(out.quick_workspace().as_ref()).unwrap();
        out
    };
    let whole = merged(&empty, &one, &other).memory();
    assert!(whole.contains(&format!("{journal}#L2")), "it is printed anew: {whole}");
    let [early, late] = [one.copy(), one.copy()];
    early.put("MEMORY.md", format!("- Mine.\n\n{}", whole.trim_start()));
    late.put("MEMORY.md", format!("- Yours.\n\n{}", one.memory().trim_start()));
    for (one_side, other_side) in [(&early, &late), (&late, &early)] {
        let out = merged(&one, one_side, other_side);
        let memory = out.memory();
        assert_eq!(memory.matches(&stone(1)).count(), 1, "{memory}");
        let dreamer = dreamer_over(out.quick_workspace(), |_| {});
        let dreams = dreamer.dreams().unwrap();
        assert_eq!(dreams[0].standing, DreamStanding::Whole, "{memory}");
        let human = Access::human(Scope::user("marta"));
        assert!(dreamer.undo_dream(&human, &dreams[0].id, night(22)).unwrap());
        assert!(!out.memory().contains(&stone(1)), "{}", out.memory());
    }
}

/// Words were overwritten in a copy of earlier versions, and not their hash: nothing went on after that.
#[test]
fn a_copy_of_earlier_versions_is_whole_after_a_request_to_forget() {
    let life = Life::with(&[]);
    let text = format!("# Memory\n\n- {}\n", stone(1));
    let revision = hex::encode(Sha256::digest(&text));
    let versions = serde_json::json!([{"at": "2026-11-20T09:00:00Z", "revision": revision, "text": text}]);
    let copy = ".dreaming.d/history/MEMORY.md.sync-conflict-20261121-091500-ABCDEFG.json";
    life.put(copy, versions.to_string());
    let human = Access::human(Scope::user("marta"));
    Forget::new(&human, stone(1))
        .in_files(true)
        .workspace(life.quick_workspace().as_ref())
        .run(night(22))
        .unwrap();
    assert!(!life.text(copy).contains(&stone(1)));
    let report = merge_copies(life.quick_workspace().as_ref()).unwrap();
    assert_eq!(report.merged, [copy]);
    let kept = life.text(".dreaming.d/history/MEMORY.md.json");
    assert!(kept.contains("[forgotten]") && !kept.contains("harbour h1"), "{kept}");
}

/// A tool brought memory, and the log that says that a dream in it was taken back later: the section stayed for good.
#[test]
fn the_section_of_a_dream_that_was_taken_back_leaves_with_the_next_merge_of_copies() {
    let life = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    let dreamer = dreamer_over(life.quick_workspace(), |_| {});
    dream(&dreamer, &llm_fn(|request| Ok(promotes(request, 0))), night(21));
    let memory = life.memory();
    let human = Access::human(Scope::user("marta"));
    assert!(dreamer.undo_dream(&human, &dreamer.dreams().unwrap()[0].id, night(22)).unwrap());
    let without = life.memory();
    life.put("MEMORY.md", memory.replace("# Memory", "# Memory\n\n- Mine."));
    merge_copies(life.quick_workspace().as_ref()).unwrap();
    assert_eq!(life.memory(), without.replace("# Memory", "# Memory\n\n- Mine."));
    // It waits to be dreamed again, and a person who brings it back has it.
    dream(&dreamer, &llm_fn(|request| Ok(promotes(request, 0))), night(23));
    assert_eq!(life.memory().matches(&stone(1)).count(), 1);
    merge_copies(life.quick_workspace().as_ref()).unwrap();
    assert_eq!(life.memory().matches(&stone(1)).count(), 1);
}

/// Each merge of copies added the place that a line had on one machine, until the line was cut.
#[test]
fn a_line_cites_the_line_that_says_it_where_journal_and_section_are_of_different_moments() {
    let journal = "memory/2026-11-20-repl.md";
    let life = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    dream(
        &dreamer_over(life.quick_workspace(), |_| {}),
        &llm_fn(|request| Ok(promotes(request, 1))),
        night(21),
    );
    let first = life.memory();
    for hour in [8, 7, 6] {
        let copy = format!("memory/2026-11-20-repl.sync-conflict-20261121-09150{hour}-ABCDEFG.md");
        life.put(&copy, format!("- [0{hour}:00:00] [user] Tea at {hour}.\n"));
        // The section as the other machine has it still.
        let memory = life.memory();
        life.put("MEMORY.sync-conflict-20261121-091500-ABCDEFG.md", memory);
        merge_copies(life.quick_workspace().as_ref()).unwrap();
    }
    let said = format!("We know: {} ({journal}#L4)\n", stone(1));
    assert!(life.text(journal).lines().nth(3).unwrap().contains(&stone(1)), "{}", life.text(journal));
    assert!(life.memory().contains(&said), "{}", life.memory());
    life.put("MEMORY.sync-conflict-20261121-091500-ABCDEFG.md", first);
    merge_copies(life.quick_workspace().as_ref()).unwrap();
    assert!(life.memory().contains(&said), "{}", life.memory());
}

/// The stubs of different forgotten statements became one line with many citations, and whole sections left.
#[test]
fn what_is_left_of_forgotten_words_is_no_line_that_two_dreams_say() {
    let (one, human) = (Life::with(&[]), Access::human(Scope::user("marta")));
    for (number, day) in [(1, 21), (2, 22)] {
        let line = format!("- [09:0{number}:00] [user] {}\n", stone(number));
        one.quick_workspace().append(&name("memory/2026-11-20-repl.md"), line.as_bytes()).unwrap();
        let model = llm_fn(|request| Ok(promotes(request, 0)));
        dream(&dreamer_over(one.quick_workspace(), |_| {}), &model, night(day));
    }
    let base = one.copy();
    for number in 1..=2 {
        let workspace = one.quick_workspace();
        Forget::new(&human, stone(number))
            .in_files(true)
            .workspace(workspace.as_ref())
            .run(night(23))
            .unwrap();
    }
    let other = base.copy();
    other.add("USER.md", "- Tea.\n");
    other.add("memory/2026-11-20-repl.md", "- [10:00:00] [user] Stone q3 lies in harbour h3.\n");
    let out = Life::empty();
    let [base, ours, theirs] = [&base, &one, &other].map(Life::quick_workspace);
    let plan = Merge::new(ours.as_ref(), theirs.as_ref()).base(base.as_ref()).plan().unwrap();
    plan.write(out.quick_workspace().as_ref()).unwrap();
    let stub = |line: u32| format!("- [forgotten]----------------. (memory/2026-11-20-repl.md#L{line})\n");
    let memory = out.memory();
    assert!(memory.contains(&stub(1)) && memory.contains(&stub(2)), "{memory}");
    assert_eq!(memory.matches("## Dreamed").count(), 2, "{memory}");
}

/// Where anything had been overwritten in files once, a merge overwrote in a person's journals what they had forgotten without asking for it.
#[test]
fn a_merge_overwrites_in_files_what_a_person_asked_for_and_no_other_statement() {
    let human = Access::human(Scope::user("marta"));
    let journal = "memory/2026-11-20-repl.md";
    let one = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    let forget = |life: &Life, number: usize, in_files: bool| {
        let workspace = life.quick_workspace();
        let request = Forget::new(&human, stone(number)).in_files(in_files).workspace(workspace.as_ref());
        request.run(night(21)).unwrap();
    };
    forget(&one, 1, true);
    let (base, other) = (one.copy(), one.copy());
    other.add(journal, "- [10:00:00] [user] Stone q2 lies in harbour h2.\n");
    forget(&other, 2, false);
    one.add(journal, "- [11:00:00] [user] Stone q3 lies in harbour h3.\n");
    let merged = |base: &Life, one: &Life, other: &Life| {
        let out = Life::empty();
        let [base, one, other] = [base, one, other].map(Life::quick_workspace);
        let plan = Merge::new(one.as_ref(), other.as_ref()).base(base.as_ref()).plan().unwrap();
        plan.write(out.quick_workspace().as_ref()).unwrap();
        out
    };
    let both = merged(&base, &one, &other);
    assert!(both.text(journal).contains(&stone(2)), "{}", both.text(journal));
    let [left, right] = [both.copy(), both.copy()];
    left.add(journal, "- [12:00:00] [user] Stone q4 lies in harbour h4.\n");
    right.add(journal, "- [13:00:00] [user] Stone q5 lies in harbour h5.\n");
    let again = merged(&both, &left, &right);
    assert!(again.text(journal).contains(&stone(2)), "{}", again.text(journal));
    // Once it is asked for, it leaves the files of both.
    forget(&left, 2, true);
    let last = merged(&both, &left, &right);
    assert!(!last.text(journal).contains(&stone(2)) && last.text(journal).contains(&stone(5)));
}

/// A section that a person had changed, and had moved behind another line, stood twice where both machines had it.
#[test]
fn a_section_that_a_person_changed_and_moved_stands_once() {
    let base = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    base.put("MEMORY.md", "# Memory\n\n- Known already.\n- Mine 0.\n");
    let other = base.copy();
    dream(
        &dreamer_over(other.quick_workspace(), |_| {}),
        &llm_fn(|request| Ok(promotes(request, 0))),
        night(21),
    );
    let one = other.copy();
    let section = one.memory().split_once("\n\n## Dreamed").unwrap().1.replace("\n\n", "\n");
    let text = format!("# Memory\n\n- Known already.\n\n## Dreamed{section}- Mine 0.\n- Mine 1.\n");
    put(one.quick_workspace().as_ref(), "MEMORY.md", &text);
    for (one, other) in [(&one, &other), (&other, &one)] {
        let out = Life::empty();
        let [base, one, other] = [&base, one, other].map(Life::quick_workspace);
        let plan = Merge::new(one.as_ref(), other.as_ref()).base(base.as_ref()).plan().unwrap();
        plan.write(out.quick_workspace().as_ref()).unwrap();
        let memory = out.memory();
        assert_eq!(memory.matches(&stone(1)).count(), 1, "{memory}");
        for line in ["- Known already.", "- Mine 0.", "- Mine 1."] {
            assert_eq!(memory.lines().filter(|known| *known == line).count(), 1, "{memory}");
        }
    }
}

/// A merge printed a section anew, and what was kept to bring it back was its words before: it could not be brought back.
#[test]
fn a_section_that_is_lost_after_a_merge_comes_back_as_it_stood() {
    let [one, other] = two_that_dreamed();
    let out = Life::empty();
    let (ours, theirs) = (one.quick_workspace(), other.quick_workspace());
    Merge::new(ours.as_ref(), theirs.as_ref()).plan().unwrap().write(out.quick_workspace().as_ref()).unwrap();
    let dreamer = dreamer_over(out.quick_workspace(), |_| {});
    let before = out.memory();
    let ids: Vec<_> = dreamer.dreams().unwrap().into_iter().map(|dream| dream.id).collect();
    assert_eq!(ids.len(), 2, "{before}");
    put(out.quick_workspace().as_ref(), "MEMORY.md", "- Saved over it.\n");
    let human = Access::human(Scope::user("marta"));
    for id in ids.iter().rev() {
        assert!(dreamer.redo_dream(&human, id, night(23)).unwrap());
    }
    let sections = &before[before.find("\n## Dreamed").unwrap()..];
    assert_eq!(out.memory(), format!("- Saved over it.\n{sections}"));
    assert!(dreamer.undo_dream(&human, &ids[0], night(24)).unwrap());
}

/// A person changed a line of a dream here and took the dream back there: the value that was changed may come again, and nobody was told.
#[test]
fn a_dream_that_was_changed_here_and_taken_back_there_is_told() {
    let base = Life::with(&[(20, "- [09:00:00] [user] Stone q1 lies in harbour h1.\n")]);
    let model = llm_fn(|request| Ok(promotes(request, 0)));
    dream(&dreamer_over(base.quick_workspace(), |_| {}), &model, night(21));
    let [changed, back] = [base.copy(), base.copy()];
    let now = base.memory().replace("harbour h1", "harbour h7");
    put(changed.quick_workspace().as_ref(), "MEMORY.md", &now);
    let human = Access::human(Scope::user("marta"));
    let dreamer = dreamer_over(back.quick_workspace(), |_| {});
    let id = dreamer.dreams().unwrap()[0].id.clone();
    assert!(dreamer.undo_dream(&human, &id, night(22)).unwrap());
    let told = |base: Option<&Life>, one: &Life, other: &Life| {
        let (out, base) = (Life::empty(), base.map(Life::quick_workspace));
        let [one, other] = [one, other].map(Life::quick_workspace);
        let merge = Merge::new(one.as_ref(), other.as_ref());
        let merge = if let Some(base) = &base { merge.base(base.as_ref()) } else { merge };
        let report = merge.plan().unwrap().write(out.quick_workspace().as_ref()).unwrap();
        let kinds: Vec<MergeConflictKind> =
            report.conflicts.into_iter().map(|conflict| conflict.kind).collect();
        (out, kinds)
    };
    for base in [Some(&base), None] {
        for (one, other) in [(&changed, &back), (&back, &changed)] {
            let (out, kinds) = told(base, one, other);
            assert_eq!(kinds, [MergeConflictKind::TakenBack(id.clone())]);
            assert!(!kinds[0].is_open(), "no version waits");
            assert_eq!(out.memory(), now, "the changed section is kept");
            // Both know it by now.
            assert_eq!(told(Some(&out), &out, &out.copy()).1, []);
        }
    }
}
