//! Every operation of a night fails once, with an error and with a crash, and the next night finds out.
//!
//! The model words its answer anew each time that it is asked, as models do: only the commit itself can keep
//! a line from standing there twice.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use noctuary::testing::{CrashOutcome, Fault, Faults, FaultyDisk, FaultyWorkspace, MemoryDisk, Script};
use noctuary::{FileWorkspace, Outcome, Workspace};

use noctuary_tests::dreaming::{
    Home, Life, MEMORY, Night, check_night, disk_before, dream, dreamer_over, journal, life_before, night,
    run_night as run, tellings, text_of,
};

/// Where the faults are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    Workspace,
    Disk,
}

impl Layer {
    /// The workspace of `life`, with faults in it.
    fn over(self, life: &Life, faults: &Faults) -> Arc<dyn Workspace> {
        match self {
            Self::Workspace => Arc::new(FaultyWorkspace::new(life.quick_workspace(), faults.clone())),
            Self::Disk => {
                let disk = FaultyDisk::new(life.quick_disk(), faults.clone());
                Arc::new(FileWorkspace::on_disk(Arc::new(disk)))
            }
        }
    }
}

/// Checks what must be true after any fault, once a night has run undisturbed.
fn check(night: Night, life: &Life, place: &str) {
    check_night(night, life).unwrap_or_else(|what| panic!("{place}: {what}"));
}

/// The operations of a night that begins from `life`.
fn operations(night: Night, layer: Layer, life: &Life) -> Vec<String> {
    let faults = Faults::new();
    run(night, layer.over(life, &faults), &AtomicU32::new(0)).unwrap();
    faults.seen()
}

const FAULTS: [Fault; 3] =
    [Fault::Crash, Fault::Error(io::ErrorKind::StorageFull), Fault::Error(io::ErrorKind::PermissionDenied)];

/// Fails each operation of a night in turn, and checks the next one. `prepare` makes where it begins.
fn sweep(label: &str, night: Night, layer: Layer, prepare: impl Fn() -> Life) {
    let operations = operations(night, layer, &prepare());
    let mut states = 0;
    for (at, operation) in operations.iter().enumerate() {
        for fault in FAULTS {
            let life = prepare();
            let faults = Faults::new();
            let workspace = layer.over(&life, &faults);
            faults.arm(at as u64 + 1, fault);
            // It may end in an error or in another way to end: what counts is what the next night finds.
            let _ = run(night, workspace, &AtomicU32::new(0));
            check(night, &life, &format!("{label}, {layer:?}, {fault:?} at {}: {operation}", at + 1));
            states += 1;
        }
    }
    println!("{label}, {layer:?}: {} operations, {states} states", operations.len());
}

/// Fails each operation of a night in turn, those of the workspace and those of its disk.
fn sweep_each_layer(label: &str, night: Night) {
    for layer in [Layer::Workspace, Layer::Disk] {
        sweep(label, night, layer, || life_before(night));
    }
}

#[test]
#[ignore = "sweep"]
fn a_commit_that_fails_anywhere_is_done_exactly_once() {
    // BX-01, DR-14: 0 lost, 0 doubled.
    sweep_each_layer("commit", Night::Commit);
}

#[test]
#[ignore = "sweep"]
fn an_advance_that_fails_anywhere_is_done_exactly_once() {
    // BX-01, DR-10: the token moves the cursors whole or not at all.
    sweep_each_layer("nothing to promote", Night::Nothing);
}

#[test]
#[ignore = "sweep"]
fn a_quarantine_that_fails_anywhere_is_written_exactly_once() {
    // BX-01, PF-14, PF-15: the entry stands there once, or the run is repeated.
    sweep_each_layer("quarantine", Night::Quarantine);
}

// A night whose every line was held once used its journals up. What counts the tries is written by the same commit as all
// else, so a fault anywhere neither loses a line nor has one promoted twice.
#[test]
#[ignore = "sweep"]
fn a_night_that_is_held_whole_and_fails_anywhere_loses_and_doubles_nothing() {
    sweep_each_layer("held", Night::Held);
}

/// A workspace whose first commit was cut right before the `n`-th time that a step like this was to be done.
fn cut_before(step: &str, occurrence: usize) -> Life {
    let steps = operations(Night::Commit, Layer::Disk, &life_before(Night::Commit));
    let mut places = (1..).zip(&steps).filter(|(_, name)| name.as_str() == step).map(|(at, _)| at);
    let at = places.nth(occurrence).unwrap_or_else(|| panic!("no {step} in {steps:?}"));
    let life = life_before(Night::Commit);
    let faults = Faults::new();
    let workspace = Layer::Disk.over(&life, &faults);
    faults.arm(at, Fault::Crash);
    run(Night::Commit, workspace, &AtomicU32::new(500)).unwrap_err();
    assert!(life.has(".dreaming.d/intent.json"), "{step}: it was under way");
    life
}

#[test]
#[ignore = "sweep"]
fn a_recovery_that_fails_anywhere_is_finished_by_the_next() {
    // BX-01: after a torn append, and after a whole one of which nobody knows.
    for step in ["append to MEMORY.md", "sync MEMORY.md"] {
        for layer in [Layer::Workspace, Layer::Disk] {
            let cut = cut_before(step, 0);
            sweep(&format!("recovery after {step}"), Night::Commit, layer, || cut.copy());
        }
    }
}

fn is_long() -> bool {
    std::env::var_os("NOCTUARY_LONG_TESTS").is_some()
}

/// Crashes at the `n`-th operation of a night and at the `m`-th of the next, for these pairs, and checks the
/// third. Returns how many.
fn crash_twice(layer: Layer, every_n: usize, every_m: usize) -> u64 {
    let mut states = 0;
    for night in [Night::Commit, Night::Nothing, Night::Quarantine] {
        let first = operations(night, layer, &life_before(night));
        for (n, operation) in (1..).zip(&first).step_by(every_n) {
            let crash = |life: &Life, at: u64, wording: u32| {
                let faults = Faults::new();
                let workspace = layer.over(life, &faults);
                faults.arm(at, Fault::Crash);
                let _ = run(night, workspace, &AtomicU32::new(wording));
                faults.seen().len() as u64
            };
            let cut = life_before(night);
            crash(&cut, n, 0);
            // Another beginning after each crash, so that every place in the second night is visited.
            for m in (1 + n % every_m as u64..).step_by(every_m) {
                let life = cut.copy();
                let seen = crash(&life, m, 500);
                check(night, &life, &format!("{night:?}, {layer:?}, crash at {n}: {operation}, then at {m}"));
                states += 1;
                if seen < m {
                    break;
                }
            }
        }
    }
    states
}

#[test]
#[ignore = "sweep"]
fn a_crash_in_the_recovery_of_a_crash_loses_and_doubles_nothing() {
    // BX-01: every place of a night and of the one after it, and in a long run every pair of them.
    let every_m = if is_long() { 1 } else { 4 };
    println!("double crash, Workspace: {} states", crash_twice(Layer::Workspace, 1, every_m));
}

#[test]
#[ignore = "sweep"]
fn a_crash_in_the_recovery_of_a_crash_of_the_disk_loses_and_doubles_nothing() {
    // BX-01: a sample of the pairs on the disk; a long run takes twenty times as many.
    let (every_n, every_m) = if is_long() { (5, 3) } else { (23, 13) };
    println!("double crash, Disk: {} states", crash_twice(Layer::Disk, every_n, every_m));
}

#[test]
#[ignore = "sweep"]
fn a_section_torn_at_any_byte_is_finished_and_stands_once() {
    // BX-01: whatever part of the append reached the file, also half a character, which was once completed as
    // another one.
    let intended = cut_before("append to MEMORY.md", 0);
    let intent = intended.bytes(".dreaming.d/intent.json");
    let section = intended.json(".dreaming.d/intent.json")["append"]["section"].as_str().unwrap().to_owned();
    for cut in 0..=section.len() {
        let life = life_before(Night::Commit);
        life.put(".dreaming.d/intent.json", &intent);
        life.add("MEMORY.md", &section.as_bytes()[..cut]);
        check(Night::Commit, &life, &format!("torn after {cut} of {} bytes", section.len()));
        assert!(life.memory().contains("in wording 500."), "the answer that was intended");
    }
    println!("torn at any byte: {} states", section.len() + 1);
}

#[test]
fn a_torn_append_that_is_torn_again_is_finished_whole() {
    // BX-01: half of the section, then half of the rest, and so on.
    let life = life_before(Night::Commit);
    for round in 0..6 {
        let steps = {
            let faults = Faults::new();
            let rehearsal = Life::empty();
            for (file, bytes) in life.tree().into_iter().filter(|(file, _)| !file.ends_with('/')) {
                rehearsal.put(&file, bytes);
            }
            run(Night::Commit, Layer::Disk.over(&rehearsal, &faults), &AtomicU32::new(0)).unwrap();
            faults.seen()
        };
        let at = steps.iter().position(|step| step == "append to MEMORY.md").unwrap();
        let faults = Faults::new();
        let workspace = Layer::Disk.over(&life, &faults);
        faults.arm(at as u64 + 1, Fault::Crash);
        run(Night::Commit, workspace, &AtomicU32::new(round)).unwrap_err();
        let section = life.json(".dreaming.d/intent.json")["append"]["section"].as_str().unwrap().len();
        let stands = life.memory().len() - MEMORY.len();
        assert!((section / 2..section).contains(&stands), "torn: {stands} of {section} bytes");
    }
    check(Night::Commit, &life, "torn six times");
    assert!(life.memory().contains("in wording 0."), "the first answer is the one that was intended");
}

#[test]
fn an_edit_between_a_torn_append_and_its_recovery_stands() {
    // BX-01, BX-03: the operator finds half a section, writes below it, and loses nothing.
    let life = cut_before("append to MEMORY.md", 0);
    assert!(life.memory().len() > MEMORY.len(), "half of it is there");
    life.add("MEMORY.md", "\n- Mine, below it.\n");
    let report = run(Night::Commit, life.quick_workspace(), &AtomicU32::new(900)).unwrap();
    assert!(report.recovered.is_some());
    let memory = life.memory();
    assert_eq!(memory.matches("- Mine, below it.\n").count(), 1);
    assert!(memory.contains("\n- Mine, below it.\n") && memory.starts_with(MEMORY));
    assert!(memory.matches("<!-- /dream:v1 id=").count() >= 1, "the section stands whole below");
    let again = run(Night::Commit, life.quick_workspace(), &AtomicU32::new(950)).unwrap();
    assert_eq!(again.outcome, Outcome::NothingNew);
    assert_eq!(life.memory(), memory);
}

#[test]
#[ignore = "sweep"]
fn an_edit_after_a_crash_anywhere_stands_and_doubles_nothing() {
    // BX-01, BX-03: the operator writes below whatever the crash left, before the next night looks.
    let operations = operations(Night::Commit, Layer::Workspace, &life_before(Night::Commit));
    for (at, operation) in (1..).zip(&operations) {
        let life = life_before(Night::Commit);
        let faults = Faults::new();
        let workspace = Layer::Workspace.over(&life, &faults);
        faults.arm(at, Fault::Crash);
        let _ = run(Night::Commit, workspace, &AtomicU32::new(0));
        life.add("MEMORY.md", "- Mine, below it.\n");
        let edited = life.memory();
        check(Night::Commit, &life, &format!("edited after a crash at {at}: {operation}"));
        assert!(life.memory().starts_with(&edited), "the operator's bytes stand");
    }
    println!("edited after a crash: {} states", operations.len());
}

#[test]
fn a_journal_that_grows_after_a_crash_anywhere_is_read_from_where_it_grew() {
    // BX-01: another selection has another id, so that only the ledger says what is in memory already.
    let operations = operations(Night::Commit, Layer::Workspace, &life_before(Night::Commit));
    for (at, operation) in (1..).zip(&operations) {
        let life = life_before(Night::Commit);
        let faults = Faults::new();
        let workspace = Layer::Workspace.over(&life, &faults);
        faults.arm(at, Fault::Crash);
        let _ = run(Night::Commit, workspace, &AtomicU32::new(0));
        let memory = life.memory();
        for day in [19, 20] {
            life.add(&journal(day), "- [user] and then\n");
        }
        let script = Script::new().says("NOTHING_TO_PROMOTE");
        dream(&dreamer_over(life.quick_workspace(), |_| ()), &script, night(22));
        let request = &script.requests()[0].user;
        assert_eq!(request.matches("[user] and then").count(), 2, "crashed at {at}: {operation}");
        for day in [19, 20].into_iter().filter(|day| tellings(&memory, *day) == 1) {
            let promoted = format!("what day {day} was like");
            assert!(!request.contains(&promoted), "crashed at {at}: {operation}: read again\n{request}");
        }
    }
    println!("grown after a crash: {} states", operations.len());
}

/// A disk on which a commit was killed right after the first operation that ends so.
fn killed_after(operation: &str) -> MemoryDisk {
    let disk = disk_before(Night::Commit);
    run(Night::Commit, disk.quick(), &AtomicU32::new(500)).unwrap();
    let operations = disk.operations();
    let at = operations.iter().position(|known| known.ends_with(operation));
    disk.after_kill(at.unwrap_or_else(|| panic!("no {operation} in {operations:?}")) + 1)
}

#[test]
#[ignore = "sweep"]
fn a_section_that_a_killed_night_left_in_the_cache_is_durable_before_the_ledger_is() {
    // The night was killed between its append and the sync. The next one found the section, went on with the
    // ledger, and a power loss took the section: its line was never promoted.
    let disk = killed_after("bytes to MEMORY.md");
    assert_eq!(tellings(&text_of(&disk.files(), "MEMORY.md"), 20), 1);
    let killed = disk.operations().len();
    run(Night::Commit, disk.quick(), &AtomicU32::new(600)).unwrap();
    for cut in killed..=disk.operations().len() {
        let left = disk.power_loss(cut).image(&[]);
        check_night(Night::Commit, &left).unwrap_or_else(|what| panic!("power lost after {cut}: {what}"));
    }
}

#[test]
fn a_line_of_the_log_that_a_killed_night_left_in_the_cache_is_durable_before_the_intent_goes() {
    // The next night found the line, dropped the intent, and a power loss took the line: nobody wrote it again.
    let disk = killed_after("bytes to .dreaming.d/log.jsonl");
    let killed = disk.operations().len();
    run(Night::Commit, disk.quick(), &AtomicU32::new(600)).unwrap();
    for cut in killed..=disk.operations().len() {
        let left = disk.power_loss(cut).image(&[]);
        check_night(Night::Commit, &left).unwrap_or_else(|what| panic!("power lost after {cut}: {what}"));
        let (memory, log) =
            (text_of(&left.files(), "MEMORY.md"), text_of(&left.files(), ".dreaming.d/log.jsonl"));
        let sections = memory.matches("<!-- dream:v1 id=").count();
        let appended = log.matches(r#""outcome":"appended""#).count();
        assert_eq!(appended, sections, "power lost after {cut}\n{log}");
    }
}

#[test]
fn a_torn_append_is_durable_before_the_rest_of_it_is_appended() {
    // A power loss took the first part and left the rest, after zeros.
    let begun = disk_before(Night::Commit);
    let faults = Faults::new();
    let over = |disk: &MemoryDisk| -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::on_disk(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone()))))
    };
    run(Night::Commit, over(&begun.after_kill(0)), &AtomicU32::new(500)).unwrap();
    let at = faults.seen().iter().position(|step| step == "append to MEMORY.md").unwrap();
    faults.arm(at as u64 + 1, Fault::Crash);
    run(Night::Commit, over(&begun), &AtomicU32::new(500)).unwrap_err();
    let cut = begun.operations().len();
    run(Night::Commit, begun.quick(), &AtomicU32::new(600)).unwrap();
    let is_append = |known: &String| known.starts_with("write") && known.ends_with("to MEMORY.md");
    let rest = begun.operations().iter().skip(cut).position(is_append).unwrap() + cut;
    let loss = begun.power_loss(rest + 1);
    let mut fates = vec![CrashOutcome::Lost; loss.choices().len()];
    *fates.last_mut().unwrap() = CrashOutcome::Kept;
    let left = loss.image(&fates);
    assert!(!text_of(&left.files(), "MEMORY.md").contains('\0'), "no hole");
    check_night(Night::Commit, &left).unwrap();
}
