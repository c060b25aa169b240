//! Every operation of a night that proposes, and of the answers to it, fails once, with an error and with a crash, and
//! whoever comes next finds out.
//!
//! The model words its answer anew each time that it is asked: only the commits themselves can keep a line from standing
//! there twice.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use noctuary::dream::DreamMode;
use noctuary::life::{Guarded, PromptConfig, SharedUser, Snapshot};
use noctuary::testing::{CrashOutcome, Fault, Faults, FaultyDisk, FaultyWorkspace, MemoryDisk, PowerLoss};
use noctuary::workspace::{Name, StateName};
use noctuary::{
    Access, DocName, DreamReport, FileWorkspace, JournalDreamer, LlmError, LlmReply, LlmRequest, Outcome,
    Scope, Workspace, WriteMode, dream_once_at, llm_fn,
};

use noctuary_tests::dreaming::{
    Life, MEMORY, disk_with, dreamer_over, ensure, journal, journals_of, night, tellings,
};

const DAYS: [u32; 2] = [19, 20];

/// How a person answers what the night proposes for the two days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    /// Yes to both.
    Accepts,
    /// An edit and a yes to the first, and a no to the second.
    EditsAndRejects,
}

fn marta() -> Access {
    Access::human(Scope::user("marta"))
}

fn dreamer(workspace: Arc<dyn Workspace>) -> JournalDreamer {
    dreamer_over(workspace, |config| {
        config.mode = DreamMode::Propose;
        // So that a night has two passes.
        config.total_input_bytes = 1;
    })
}

/// The night, in another wording each time.
fn propose(workspace: Arc<dyn Workspace>, asked: &AtomicU32) -> noctuary::Result<DreamReport> {
    let model = llm_fn(|request: &LlmRequest| -> Result<LlmReply, LlmError> {
        let wording = asked.fetch_add(1, Ordering::SeqCst);
        let told = |journal: &String| {
            format!("- Told of {} in wording {wording}. Très bien.\n", journal.trim_end_matches(".md"))
        };
        Ok(LlmReply::new(journals_of(request).iter().map(told).collect::<String>()))
    });
    dream_once_at(&dreamer(workspace), &model, &|| night(21))
}

/// The morning: a person answers what waits.
fn answer(answers: Answers, workspace: &Arc<dyn Workspace>) -> noctuary::Result<()> {
    let dreamer = dreamer(Arc::clone(workspace));
    for proposal in dreamer.proposals(&marta(), night(21))? {
        let text = proposal.document.lossy().into_owned();
        let is_first = text.contains("2026-11-19");
        if answers == Answers::EditsAndRejects && !is_first {
            dreamer.reject_proposal(&marta(), &proposal.id, night(21))?;
            continue;
        }
        if answers == Answers::EditsAndRejects {
            let mode = WriteMode::IfRevision(proposal.document.revision());
            let edited = text.replace("Très bien.", "Edited.");
            workspace.write(proposal.document.name(), edited.as_bytes(), mode)?;
        }
        dreamer.accept_proposal(&marta(), &proposal.id, night(21))?;
    }
    Ok(())
}

fn live(
    answers: Answers,
    workspace: &Arc<dyn Workspace>,
    asked: &AtomicU32,
) -> noctuary::Result<DreamReport> {
    let report = propose(Arc::clone(workspace), asked)?;
    answer(answers, workspace)?;
    Ok(report)
}

/// Where all of it takes place.
trait Home {
    /// The workspace as the next process opens it.
    fn open(&self) -> Arc<dyn Workspace>;
    /// The same, with faults in it.
    fn faulty(&self, faults: &Faults) -> Arc<dyn Workspace> {
        Arc::new(FaultyWorkspace::new(self.open(), faults.clone()))
    }
}

impl Home for Life {
    fn open(&self) -> Arc<dyn Workspace> {
        self.quick_workspace()
    }
}

/// A folder whose disk fails, and not the verbs.
struct OnDisk(Life);

impl Home for OnDisk {
    fn open(&self) -> Arc<dyn Workspace> {
        self.0.quick_workspace()
    }
    fn faulty(&self, faults: &Faults) -> Arc<dyn Workspace> {
        let disk = FaultyDisk::new(self.0.quick_disk(), faults.clone());
        Arc::new(FileWorkspace::on_disk(Arc::new(disk)))
    }
}

impl Home for MemoryDisk {
    fn open(&self) -> Arc<dyn Workspace> {
        Arc::new(FileWorkspace::on_disk(Arc::new(self.clone())))
    }
}

struct InSqlite(Life);

impl Home for InSqlite {
    fn open(&self) -> Arc<dyn Workspace> {
        let scope = Scope::user("marta");
        Arc::new(noctuary::SqliteWorkspace::open(self.0.path("life.db"), scope).unwrap())
    }
}

/// Makes the state before the night.
fn documents() -> Vec<(String, String)> {
    let of_day = |day: u32| (journal(day), format!("- [user] what day {day} was like\n"));
    [("MEMORY.md".to_owned(), MEMORY.to_owned())].into_iter().chain(DAYS.map(of_day)).collect()
}

fn folder() -> Life {
    let life = Life::empty();
    for (file, text) in documents() {
        life.put(&file, text);
    }
    life
}

fn sqlite() -> InSqlite {
    let home = InSqlite(Life::empty());
    let workspace = home.open();
    for (file, text) in documents() {
        workspace.write(&DocName::parse(file).unwrap(), text.as_bytes(), WriteMode::Create).unwrap();
    }
    home
}

fn text_of(workspace: &dyn Workspace, name: &Name) -> String {
    workspace.read(name).unwrap().map(|document| document.lossy().into_owned()).unwrap_or_default()
}

/// Says what is torn of what anybody is shown right after a crash.
fn check_shown(workspace: &Arc<dyn Workspace>) -> Result<(), String> {
    for proposal in
        dreamer(Arc::clone(workspace)).proposals(&marta(), night(21)).map_err(|error| error.to_string())?
    {
        let text = proposal.document.lossy();
        let is_whole = text.starts_with("<!-- proposal:v1 id=")
            && text.trim_end().ends_with(&format!("<!-- /proposal:v1 id={} -->", proposal.id));
        ensure(is_whole && text.contains("- Told of "), || format!("a torn proposal\n{text}"))?;
    }
    let memory = text_of(workspace.as_ref(), &DocName::MEMORY);
    let view = Guarded::new(Arc::clone(workspace), Access::agent(Scope::user("marta")));
    let config = PromptConfig::default();
    let snapshot =
        Snapshot::take(&view, &config, SharedUser::Subset, noctuary::workspace::DayPolicy::UTC, night(21))
            .unwrap();
    let prompt = snapshot.prompt(&view, None, &[]).unwrap().to_string();
    // Of a commit that began in this life: a section that has no end is shown to nobody.
    let ended = memory.matches("<!-- /dream:v1 id=").count();
    ensure(prompt.matches("Told of").count() <= ended, || format!("a torn section is shown\n{prompt}"))
}

/// Lives on undisturbed after any fault, and says what is not as it must be then.
fn check(answers: Answers, home: &impl Home) -> Result<(), String> {
    check_shown(&home.open())?;
    let asked = AtomicU32::new(1000);
    let run = || live(answers, &home.open(), &asked).map_err(|error| format!("{error:?}"));
    run()?;
    let workspace = home.open();
    check_end(answers, workspace.as_ref())?;
    let asked_before = asked.load(Ordering::SeqCst);
    let again = run()?;
    ensure(again.outcome == Outcome::NothingNew, || format!("then it ended with {:?}", again.outcome))?;
    ensure(again.recovered.is_none(), || "something was left to recover".to_owned())?;
    ensure(asked.load(Ordering::SeqCst) == asked_before, || "something is asked twice".to_owned())?;
    check_end(answers, workspace.as_ref())
}

/// Says what is not as it must be once everything was answered.
fn check_end(answers: Answers, workspace: &dyn Workspace) -> Result<(), String> {
    let memory = text_of(workspace, &DocName::MEMORY);
    ensure(memory.starts_with(MEMORY), || format!("the operator's bytes are gone\n{memory}"))?;
    let edits = answers == Answers::EditsAndRejects;
    for (day, expected) in [(19, 1), (20, usize::from(!edits))] {
        let stands = tellings(&memory, day);
        ensure(stands == expected, || format!("the line of {day} stands there {stands} times\n{memory}"))?;
    }
    let (plain, edited) = (memory.matches("Très bien.").count(), memory.matches("Edited.").count());
    let expected = if edits { (0, 1) } else { (2, 0) };
    ensure((plain, edited) == expected, || format!("not what was accepted\n{memory}"))?;
    let marks = |mark| memory.matches(mark).count();
    let (begun, ended) = (marks("<!-- dream:v1 id="), marks("<!-- /dream:v1 id="));
    // Zeros that a power loss left in a section stay; then it stands whole below.
    let has_hole = memory.contains('\0') && begun > ended;
    ensure(begun == ended || has_hole, || format!("a torn section\n{memory}"))?;
    let log = text_of(workspace, &StateName::LOG);
    // A torn line is skipped, and written again below.
    let lines: Vec<serde_json::Value> =
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told = |outcome: &str| lines.iter().filter(|line| line["outcome"] == outcome).count();
    let expected = if edits { (2, 1, 1) } else { (2, 2, 0) };
    let logged = (told("proposed"), told("appended"), told("proposal_rejected"));
    ensure(logged == expected, || format!("logged: {logged:?}\n{log}"))?;
    let list = text_of(workspace, &StateName::PROPOSALS);
    let waiting = serde_json::from_str::<serde_json::Value>(&list).map(|list| list["waiting"].clone());
    ensure(waiting.is_ok_and(|waiting| waiting == serde_json::json!([])), || {
        format!("still waiting: {list}")
    })?;
    ensure(text_of(workspace, &StateName::INTENT).is_empty(), || "an intent was left".to_owned())
}

const FAULTS: [Fault; 3] =
    [Fault::Crash, Fault::Error(io::ErrorKind::StorageFull), Fault::Error(io::ErrorKind::PermissionDenied)];

/// Lives until a fault; returns what was attempted.
fn disturbed(answers: Answers, home: &impl Home, fault: Option<(u64, Fault)>, wording: u32) -> Vec<String> {
    let faults = Faults::new();
    let workspace = home.faulty(&faults);
    if let Some((at, fault)) = fault {
        faults.arm(at, fault);
    }
    let ended = live(answers, &workspace, &AtomicU32::new(wording));
    assert!(fault.is_some() || ended.is_ok(), "{ended:?}");
    faults.seen()
}

/// Fails each operation in turn, and checks what comes after.
fn sweep<H: Home>(label: &str, home: impl Fn() -> H) {
    for answers in [Answers::Accepts, Answers::EditsAndRejects] {
        let mut states = 0;
        let operations = disturbed(answers, &home(), None, 0);
        for (at, operation) in (1_u64..).zip(&operations) {
            // A crash at each; errors at some.
            let is_whole = at.is_multiple_of(every(3) as u64);
            for fault in FAULTS.into_iter().take(if is_whole { FAULTS.len() } else { 1 }) {
                let home = home();
                disturbed(answers, &home, Some((at, fault)), 0);
                check(answers, &home).unwrap_or_else(|what| {
                    panic!("{label}, {answers:?}, {fault:?} at {at}: {operation}: {what}")
                });
                states += 1;
            }
        }
        println!("{label}, {answers:?}: {} operations, {states} states", operations.len());
    }
}

#[test]
#[ignore = "sweep"]
fn a_proposal_and_its_answer_that_fail_anywhere_are_done_exactly_once() {
    // BX-01, BX-05: 0 lost, 0 doubled, 0 torn shown.
    sweep("verbs in a folder", folder);
}

#[test]
#[ignore = "sweep"]
fn a_proposal_and_its_answer_that_fail_anywhere_on_the_disk_are_done_exactly_once() {
    sweep("a disk", || OnDisk(folder()));
}

#[test]
#[ignore = "sweep"]
fn a_proposal_and_its_answer_that_fail_anywhere_in_sqlite_are_done_exactly_once() {
    sweep("verbs in SQLite", sqlite);
}

/// Crashes at the `n`-th operation and at the `m`-th of what comes after it, for these pairs.
fn crash_twice<H: Home>(label: &str, home: impl Fn() -> H, every_n: usize, every_m: usize) {
    let mut states = 0;
    for answers in [Answers::Accepts, Answers::EditsAndRejects] {
        let first = disturbed(answers, &home(), None, 0);
        for (n, operation) in (1..).zip(&first).step_by(every_n) {
            for m in (1..).step_by(every_m) {
                let home = home();
                disturbed(answers, &home, Some((n, Fault::Crash)), 0);
                let seen = disturbed(answers, &home, Some((m, Fault::Crash)), 500).len() as u64;
                check(answers, &home).unwrap_or_else(|what| {
                    panic!("{label}, {answers:?}, crash at {n}: {operation}, then at {m}: {what}")
                });
                states += 1;
                if seen < m {
                    break;
                }
            }
        }
    }
    println!("double crash, {label}: {states} states");
}

/// A sample, or all of it in a long run.
fn every(short: usize) -> usize {
    if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 1 } else { short }
}

#[test]
#[ignore = "sweep"]
fn a_crash_in_the_recovery_of_a_crash_loses_and_doubles_no_answer() {
    crash_twice("verbs in a folder", folder, every(7), every(11));
}

#[test]
#[ignore = "sweep"]
fn a_crash_of_the_disk_in_the_recovery_of_a_crash_loses_and_doubles_no_answer() {
    crash_twice("a disk", || OnDisk(folder()), 2 * every(23), 2 * every(29));
}

#[test]
#[ignore = "sweep"]
fn a_crash_in_the_recovery_of_a_crash_in_sqlite_loses_and_doubles_no_answer() {
    crash_twice("verbs in SQLite", sqlite, every(11), every(13));
}

#[test]
#[ignore = "sweep"]
fn an_edit_of_memory_after_a_crash_anywhere_stands_beside_what_was_accepted() {
    // BX-03: saved at the end, and as a whole new file.
    let proposed = || {
        let life = folder();
        propose(life.open(), &AtomicU32::new(0)).unwrap();
        life
    };
    let crash = |life: &Life, at: Option<u64>| {
        let faults = Faults::new();
        let workspace = life.faulty(&faults);
        if let Some(at) = at {
            faults.arm(at, Fault::Crash);
        }
        let _ = answer(Answers::Accepts, &workspace);
        faults.seen()
    };
    let operations = crash(&proposed(), None);
    for (at, operation) in (1..).zip(&operations) {
        for replaces in [false, true] {
            let life = proposed();
            crash(&life, Some(at));
            let edited = life.memory() + "- Mine, below it.\n";
            if replaces {
                life.put("aside", &edited);
                std::fs::rename(life.path("aside"), life.path("MEMORY.md")).unwrap();
            } else {
                life.add("MEMORY.md", "- Mine, below it.\n");
            }
            check(Answers::Accepts, &life)
                .unwrap_or_else(|what| panic!("crash at {at}: {operation}: {what}"));
            assert!(life.memory().starts_with(&edited), "the operator's bytes stand: {at}: {operation}");
        }
    }
    println!("edited after a crash: {} states", 2 * operations.len());
}

#[test]
#[ignore = "sweep"]
fn an_edit_of_a_proposal_after_a_crash_anywhere_stands() {
    // The file may stand there before the list knows of it.
    let crash = |life: &Life, at: Option<u64>| {
        let faults = Faults::new();
        let workspace = life.faulty(&faults);
        if let Some(at) = at {
            faults.arm(at, Fault::Crash);
        }
        let _ = propose(workspace, &AtomicU32::new(0));
        faults.seen()
    };
    let operations = crash(&folder(), None);
    let mut edits = 0;
    for (at, operation) in (1..).zip(&operations) {
        let life = folder();
        crash(&life, Some(at));
        let files: Vec<_> = life
            .tree()
            .into_iter()
            .filter(|(file, _)| file.starts_with(".dreaming.d/proposals/") && !file.ends_with('/'))
            .collect();
        for (file, bytes) in &files {
            life.put(file, String::from_utf8_lossy(bytes).replace("Très bien.", "Edited."));
        }
        live(Answers::Accepts, &life.open(), &AtomicU32::new(500)).unwrap();
        let memory = life.memory();
        let stand = memory.matches("Edited.").count();
        assert_eq!(stand, files.len(), "crash at {at}: {operation}\n{memory}");
        assert_eq!(DAYS.map(|day| tellings(&memory, day)), [1, 1], "crash at {at}: {operation}\n{memory}");
        edits += files.len();
    }
    assert!(edits > 0);
    println!("{edits} edits after {} crashes", operations.len());
}

fn memory_disk() -> MemoryDisk {
    let documents = documents();
    let files: Vec<_> = documents.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    disk_with(&files)
}

/// Returns the possible disks after a power loss: nothing of what was not durable, all of it, and torn.
fn images(loss: &PowerLoss) -> Vec<MemoryDisk> {
    let fates = |wanted: CrashOutcome| {
        let fate =
            |choice: &[CrashOutcome]| if choice.contains(&wanted) { wanted } else { CrashOutcome::Lost };
        loss.choices().iter().map(|choice| fate(choice)).collect::<Vec<_>>()
    };
    [CrashOutcome::Lost, CrashOutcome::Kept, CrashOutcome::Torn, CrashOutcome::Zeroed]
        .map(|wanted| loss.image(&fates(wanted)))
        .into()
}

#[test]
#[ignore = "sweep"]
fn a_kill_or_a_power_loss_anywhere_loses_and_doubles_no_answer() {
    let mut states = 0;
    for answers in [Answers::Accepts, Answers::EditsAndRejects] {
        let disk = memory_disk();
        live(answers, &disk.open(), &AtomicU32::new(0)).unwrap();
        let operations = disk.operations();
        for cut in (0..=operations.len()).step_by(every(3)) {
            let mut left = images(&disk.power_loss(cut));
            left.push(disk.after_kill(cut));
            for (kind, left) in left.iter().enumerate() {
                let place =
                    || format!("{answers:?}, {kind}, after {cut}: {:?}", operations.get(cut.wrapping_sub(1)));
                check(answers, left).unwrap_or_else(|what| panic!("{}: {what}", place()));
                states += 1;
            }
        }
        // An answer that was given stays given.
        for left in images(&disk.power_loss(operations.len())) {
            check_end(answers, left.open().as_ref()).unwrap();
        }
    }
    println!("kills and power losses: {states} states");
}
