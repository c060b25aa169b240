//! One suite on every home: a folder, a SQLite file, a PostgreSQL server, and guarded views of both; a life that moves from one to
//! another; nights that fail; and several processes, some of which are killed.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::exchange::copy_into;
use noctuary::life::Guarded;
use noctuary::testing::{Fault, Faults, FaultyDisk, FaultyWorkspace, MemoryDisk, Script, contract, folder};
use noctuary::workspace::{Claim, ClaimTerms, Name, Revision, StateName, WorkspaceExt};
use noctuary::{
    Access, Actor, DocName, DreamReport, Error, FileWorkspace, JournalDreamer, Life, LlmError, LlmReply,
    LlmRequest, Outcome, Scope, SessionKind, Workspace, WriteMode, dream_once_at, llm_fn,
};
use tempfile::TempDir;

use noctuary_tests::common::marta::{human, name, now, quick};
use noctuary_tests::common::{Peer, listen, role, tell};

/// A way to keep a life in a folder.
pub(crate) struct Home {
    pub(crate) name: &'static str,
    open: fn(&Path) -> Arc<dyn Workspace>,
    /// Panics where what stands in the folder is damaged.
    sound: fn(&Path),
    /// Whether a killed append may leave a part of its bytes.
    tears: bool,
}

const HOMES: &[Home] = &[
    Home {
        name: "files",
        open: |path| Arc::new(FileWorkspace::open(path).unwrap()),
        sound: |path| assert!(path.is_dir()),
        tears: true,
    },
    Home {
        name: "sqlite",
        open: |path| {
            let file = path.join("life.db");
            Arc::new(noctuary::SqliteWorkspace::open(file, Scope::user("marta")).unwrap())
        },
        sound: |path| {
            let connection = rusqlite::Connection::open(path.join("life.db")).unwrap();
            let verdict: String =
                connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(verdict, "ok");
        },
        tears: false,
    },
    Home {
        name: "postgres",
        open: |path| Arc::new(noctuary_tests::common::server::open(path)),
        sound: |_| {},
        tears: false,
    },
];

/// The homes that this machine has.
pub(crate) fn homes() -> Vec<&'static Home> {
    let is_here = |home: &&Home| home.name != "postgres" || noctuary_tests::common::server::url().is_some();
    HOMES.iter().filter(is_here).collect()
}

impl Home {
    pub(crate) fn quick(&self) -> (TempDir, Arc<dyn Workspace>) {
        let folder = quick();
        let workspace = (self.open)(folder.path());
        (folder, workspace)
    }
}

fn is_long() -> bool {
    std::env::var_os("NOCTUARY_LONG_TESTS").is_some()
}

/// Folders that live as long as the test.
#[derive(Default)]
struct Folders(RefCell<Vec<TempDir>>);

impl Folders {
    fn new_path(&self) -> PathBuf {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        self.0.borrow_mut().push(folder);
        path
    }

    fn files(&self) -> FileWorkspace {
        FileWorkspace::open(self.new_path()).unwrap()
    }

    fn sqlite(&self) -> noctuary::SqliteWorkspace {
        noctuary::SqliteWorkspace::open(self.new_path().join("life.db"), Scope::user("marta")).unwrap()
    }
}

/// Hides what a workspace is, so that the forwarding implementations are what is tested.
fn boxed(workspace: impl Workspace + 'static) -> Box<dyn Workspace> {
    Box::new(workspace)
}

#[test]
fn a_folder_keeps_the_contract() {
    let folders = Folders::default();
    contract::workspace(&|| Arc::new(folders.files()));
    contract::workspace(&|| Arc::new(boxed(folders.files())));
}

#[test]
fn a_sqlite_file_keeps_the_contract() {
    let folders = Folders::default();
    contract::workspace(&|| Arc::new(folders.sqlite()));
    contract::workspace(&|| Arc::new(boxed(folders.sqlite())));
}

#[test]
fn a_workspace_in_memory_keeps_the_contract() {
    let in_memory = || noctuary::SqliteWorkspace::open_in_memory(Scope::user("marta")).unwrap();
    contract::workspace(&|| Arc::new(in_memory()));
    contract::view(&|| Arc::new(Guarded::new(in_memory(), human())));
    let (one, other) = (in_memory(), in_memory());
    one.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    assert_eq!(one.clone().read_text(&DocName::SOUL).unwrap().as_deref(), Some("# Soul\n"));
    assert_eq!(other.read_text(&DocName::SOUL).unwrap(), None, "two workspaces are two, also of one scope");
    let held = one.claim(&ClaimTerms::default()).unwrap();
    assert!(matches!(one.clone().claim(&ClaimTerms::default()).unwrap(), Claim::Held(_)));
    assert!(matches!(other.claim(&ClaimTerms::default()).unwrap(), Claim::Granted(_)));
    let Claim::Granted(lease) = held else { panic!("nobody held it") };
    lease.release().unwrap();
    let Claim::Granted(next) = one.claim(&ClaimTerms::default()).unwrap() else {
        panic!("it was given back")
    };
    assert!(
        matches!(one.claim(&ClaimTerms::default()).unwrap(), Claim::Held(_)),
        "released once, and once only"
    );
    drop(next);
    let terms = ClaimTerms { max_hold: Duration::ZERO, ..ClaimTerms::default() };
    let Claim::Granted(late) = one.claim(&terms).unwrap() else { panic!("it was dropped") };
    assert!(matches!(
        late.append(&DocName::SOUL, b"x"),
        Err(Error::LeaseLost(noctuary::workspace::LostBy::Deadline))
    ));
}

/// BX-31
#[test]
fn a_postgres_server_keeps_the_contract() {
    use noctuary_tests::common::server;
    let Some(_) = server::url() else { return };
    let folders = Folders::default();
    let new = || server::open(&folders.new_path());
    contract::workspace(&|| Arc::new(new()));
    contract::workspace(&|| Arc::new(boxed(new())));
    contract::view(&|| Arc::new(Guarded::new(new(), human())));
}

#[test]
fn a_folder_on_a_disk_in_memory_keeps_the_contract() {
    contract::workspace(&|| Arc::new(FileWorkspace::on_disk(Arc::new(MemoryDisk::new()))));
}

#[test]
fn a_guarded_folder_keeps_the_contract_of_documents() {
    let folders = Folders::default();
    contract::view(&|| Arc::new(Guarded::new(folders.files(), human())));
    contract::view(&|| Arc::new(boxed(Guarded::new(boxed(folders.files()), human()))));
}

#[test]
fn a_guarded_sqlite_file_keeps_the_contract_of_documents() {
    let folders = Folders::default();
    contract::view(&|| Arc::new(Guarded::new(folders.sqlite(), human())));
    contract::view(&|| Arc::new(boxed(Guarded::new(boxed(folders.sqlite()), human()))));
}

const STATES: [StateName; 5] =
    [StateName::DREAMED, StateName::QUARANTINE, StateName::LEDGER, StateName::INTENT, StateName::LOG];

/// Every document and state file with its bytes, and every folder.
fn dump(workspace: &dyn Workspace) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut names: Vec<Name> = STATES.into_iter().map(Name::from).collect();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref()).unwrap();
        names.extend(listing.documents.into_iter().map(Name::from));
        found.extend(listing.folders.iter().map(|folder| (format!("{folder}/"), Vec::new())));
        folders.extend(listing.folders.into_iter().map(Some));
    }
    for name in names {
        if let Some(document) = workspace.read(&name).unwrap() {
            found.insert(name.to_string(), document.into_bytes());
        }
    }
    found
}

fn night(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, 3, 0, 0).unwrap()
}

fn dreamer(workspace: &Arc<dyn Workspace>) -> JournalDreamer {
    JournalDreamer::builder(Arc::clone(workspace)).enabled(true).build().unwrap()
}

fn dream(workspace: &Arc<dyn Workspace>, script: &Script, day: u32) -> DreamReport {
    dream_once_at(&dreamer(workspace), script, &|| night(day)).unwrap()
}

fn hold(workspace: &dyn Workspace) -> Box<dyn noctuary::workspace::Lease> {
    match workspace.claim(&ClaimTerms::default()).unwrap() {
        Claim::Granted(lease) => lease,
        Claim::Held(holder) => panic!("held by {holder:?}"),
    }
}

/// An example key of the class `aws_access_key`.
const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// Fills a home: bytes of every sort, and two nights behind it, of which one was quarantined.
fn live(workspace: &Arc<dyn Workspace>) {
    let long = "a long line of a long document\n".repeat(5_000);
    for (document, bytes) in [
        ("MEMORY.md", &b"# Memory\n\n- Known already.\n"[..]),
        ("SOUL.md", "\u{feff}# Soul\r\n".as_bytes()),
        ("USER.md", b""),
        ("TOOLS.md", b"no line break at the end"),
        ("context/vision.md", b"zero \0 inside"),
        ("context/deep/er/still.md", b"\xff\xfe no text \xe2\x9c"),
        ("projects/one two/pl\u{e4}n \u{65e5}\u{8a18}.md", "\u{1f319}".as_bytes()),
        ("memory/heartbeat-state.json", b"{}"),
        ("notes.md", long.as_bytes()),
        ("a..b", b"- dots\n"),
        ("memory/2026-11-18-repl.md", b"[user] It rained.\n"),
    ] {
        workspace.write(&name(document), bytes, WriteMode::Create).unwrap();
    }
    let bad = Script::new().says(format!("### Facts\n- The key is {KEY} (memory/2026-11-18-repl.md#L1)\n"));
    assert_eq!(dream(workspace, &bad, 19).outcome, Outcome::Quarantined);
    workspace.append(&name("memory/2026-11-19-repl.md"), b"[user] I prefer tea.\r\n[user] And rye").unwrap();
    let good =
        Script::new().says("### Preferences\n- The user prefers tea. (memory/2026-11-19-repl.md#L1)\n");
    assert_eq!(dream(workspace, &good, 20).outcome, Outcome::Appended);
}

#[test]
#[ignore = "sweep"]
fn a_life_that_moves_there_and_back_is_the_same_byte_for_byte() {
    // VW-01, BX-30: documents, names, state and ledger, from every home to every other and back.
    for (from, to) in pairs() {
        let (_a, source) = from.quick();
        live(&source);
        let before = dump(&source);
        for state in [StateName::DREAMED, StateName::QUARANTINE, StateName::LEDGER, StateName::LOG] {
            assert!(before.contains_key(state.as_str()), "{state}");
        }
        let (_b, there) = to.quick();
        let copied = copy_into(&source, &there).unwrap();
        assert_eq!(copied, 12, "{} to {}", from.name, to.name);
        assert_eq!(dump(&there), before, "{} to {}", from.name, to.name);
        let (_c, back) = from.quick();
        assert_eq!(copy_into(&there, &back).unwrap(), copied);
        assert_eq!(dump(&back), before, "{} to {} and back", from.name, to.name);
        assert_eq!(dump(&source), before, "the source stands");
        assert_eq!(copy_into(&source, &back).unwrap(), copied, "a second copy finds all of it there");
        for workspace in [&source, &there, &back] {
            drop(hold(workspace));
        }
    }
}

fn pairs() -> impl Iterator<Item = (&'static Home, &'static Home)> {
    homes().into_iter().flat_map(|from| homes().into_iter().map(move |to| (from, to)))
}

#[test]
fn what_was_shown_in_one_home_is_not_shown_in_the_other() {
    // BX-30: the ledger goes along.
    for (from, to) in pairs() {
        let (_a, source) = from.quick();
        live(&source);
        let (_b, there) = to.quick();
        copy_into(&source, &there).unwrap();
        let (_c, back) = from.quick();
        copy_into(&there, &back).unwrap();
        for copy in [&there, &back] {
            let before = copy.read(&DocName::MEMORY).unwrap();
            let script = Script::new();
            let report = dream(copy, &script, 21);
            assert_eq!(
                (report.outcome, report.calls),
                (Outcome::NothingNew, 0),
                "{} to {}",
                from.name,
                to.name
            );
            assert!(script.requests().is_empty());
            assert_eq!(copy.read(&DocName::MEMORY).unwrap(), before);

            copy.append(&name("memory/2026-11-19-repl.md"), b" bread.\n[user] A line of the new home.\n")
                .unwrap();
            let report = dream(copy, &script, 22);
            assert_eq!((report.outcome, report.calls), (Outcome::NothingToPromote, 1));
            let user = &script.requests()[0].user;
            assert!(user.contains("[user] A line of the new home."), "{user}");
            assert!(!user.contains("I prefer tea") && !user.contains("It rained"), "{user}");
            assert!(!user.contains("L1| "), "{user}");
        }
    }
}

/// Where the faults of a copy are.
type Break = fn(&Path, &Home, &Faults) -> Arc<dyn Workspace>;

/// Interrupts a copy at every operation, and takes it up again.
fn interrupt(label: &str, from: &Home, to: &Home, breaks: Break, source_breaks: bool) {
    let (source_folder, source) = from.quick();
    live(&source);
    let before = dump(&source);
    let run = |target: &Path, faults: &Faults, source_path: &Path| {
        let (broken, sound) = if source_breaks { (source_path, target) } else { (target, source_path) };
        let (broken_home, sound_home) = if source_breaks { (from, to) } else { (to, from) };
        let (broken, sound) = (breaks(broken, broken_home, faults), (sound_home.open)(sound));
        if source_breaks { copy_into(&broken, &sound) } else { copy_into(&sound, &broken) }
    };
    let faults = Faults::new();
    let target = quick();
    run(target.path(), &faults, source_folder.path()).unwrap();
    let operations = faults.seen();
    // A copy takes a server a hundred times as long: the ordinary run tries each seventh operation there.
    let is_far = [from.name, to.name].contains(&"postgres");
    let step = if is_far && !is_long() { 7 } else { 1 };
    let tried: Vec<(usize, &String)> = operations.iter().enumerate().step_by(step).collect();
    let mut failed = 0;
    for (at, operation) in &tried {
        for fault in [Fault::Error(ErrorKind::StorageFull), Fault::Crash] {
            let place =
                format!("{label}, {} to {}, {fault:?} at {}: {operation}", from.name, to.name, at + 1);
            let (target, faults) = (quick(), Faults::new());
            faults.arm(*at as u64 + 1, fault);
            failed += u32::from(run(target.path(), &faults, source_folder.path()).is_err());
            let sound = (to.open)(target.path());
            let copied = copy_into(&source, &sound).unwrap_or_else(|error| panic!("{place}: {error:?}"));
            assert_eq!(copied, 12, "{place}");
            assert_eq!(dump(&sound), before, "{place}");
            (to.sound)(target.path());
        }
    }
    println!(
        "{label}, {} to {}: {} operations, {failed} copies failed",
        from.name,
        to.name,
        operations.len()
    );
    assert!(failed as usize >= tried.len());
}

#[test]
#[ignore = "sweep"]
fn an_interrupted_copy_is_completed_by_calling_it_again() {
    // BX-01, BX-30: every verb on either side fails once, with an error and with a crash.
    let breaks: Break = |path, home, faults| {
        Arc::new(FaultyWorkspace::new((home.open)(path), faults.clone())) as Arc<dyn Workspace>
    };
    for (from, to) in pairs() {
        interrupt("the target fails", from, to, breaks, false);
        interrupt("the source fails", from, to, breaks, true);
    }
}

#[test]
#[ignore = "sweep"]
fn a_copy_that_is_cut_between_two_operations_of_the_disk_is_completed() {
    // BX-17, BX-30: also in the middle of a document.
    let breaks: Break = |path, _, faults| {
        let disk = FaultyDisk::new(folder(path).unwrap(), faults.clone());
        Arc::new(FileWorkspace::on_disk(Arc::new(disk)))
    };
    for from in homes() {
        interrupt("the disk fails", from, &HOMES[0], breaks, false);
    }
}

#[test]
fn a_document_that_stands_in_the_target_is_left_alone_and_named() {
    for (from, to) in pairs() {
        let (_a, source) = from.quick();
        live(&source);
        let (_b, target) = to.quick();
        target.write(&DocName::SOUL, b"# Another soul\n", WriteMode::Create).unwrap();
        match copy_into(&source, &target) {
            Err(Error::Conflict { name, current: Some(current) }) => {
                assert_eq!(name.as_str(), "SOUL.md");
                assert_eq!(current.bytes(), b"# Another soul\n");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(target.read(&DocName::SOUL).unwrap().unwrap().bytes(), b"# Another soul\n");
        for state in STATES {
            assert!(target.read(&state).unwrap().is_none(), "no {state} before all documents are there");
        }
        target.remove(&DocName::SOUL).unwrap();
        copy_into(&source, &target).unwrap();
        assert_eq!(dump(&target), dump(&source));
    }
}

#[test]
fn a_home_that_somebody_dreams_in_is_not_copied() {
    // BX-30: from neither side.
    for (from, to) in pairs() {
        let ((_a, source), (_b, target)) = (from.quick(), to.quick());
        source.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
        for held in [&source, &target] {
            let lease = hold(held);
            let busy = copy_into(&source, &target).unwrap_err();
            assert!(matches!(busy, Error::Busy { .. }), "{busy:?}");
            assert!(target.list(None).unwrap().documents.is_empty());
            lease.check().unwrap();
        }
        assert!(matches!(copy_into(&source, &source), Err(Error::Busy { .. })), "nor into itself");
        copy_into(&source, &target).unwrap();
    }
}

#[test]
fn a_lease_may_be_held_for_as_long_as_there_is_time() {
    // A bound that nobody reaches is a way to set none.
    for home in homes() {
        let (_folder, workspace) = home.quick();
        let terms = ClaimTerms { max_hold: Duration::MAX, ..ClaimTerms::default() };
        let Claim::Granted(lease) = workspace.claim(&terms).unwrap() else { panic!("held") };
        lease.check().unwrap();
    }
}

/// The night to run, in the tests of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Night {
    Commit,
    Nothing,
    Quarantine,
}

const MEMORY: &str = "# Memory\n\n- Known already.\n";
const DAYS: [u32; 2] = [19, 20];

fn journal(day: u32) -> DocName {
    name(&format!("memory/2026-11-{day}-repl.md"))
}

impl Night {
    fn begin(workspace: &dyn Workspace) {
        workspace.write(&DocName::MEMORY, MEMORY.as_bytes(), WriteMode::Create).unwrap();
        for day in DAYS {
            workspace.append(&journal(day), format!("[user] what day {day} was like\n").as_bytes()).unwrap();
        }
    }

    /// Answers by the journals that are shown, in another wording each time, as models do.
    fn answer(self, request: &LlmRequest, wording: u32) -> String {
        let shown = DAYS.into_iter().filter(|day| request.user.contains(journal(*day).as_str()));
        match self {
            Self::Nothing => "NOTHING_TO_PROMOTE".to_owned(),
            Self::Quarantine if request.user.contains(journal(19).as_str()) => {
                format!("- The key is {KEY}, wording {wording}.")
            }
            _ => shown.map(|day| format!("- Told of day {day} in wording {wording}.\n")).collect(),
        }
    }

    fn promotes(self) -> &'static [u32] {
        match self {
            Self::Commit => &DAYS,
            Self::Nothing => &[],
            Self::Quarantine => &DAYS[1..],
        }
    }

    fn run(self, workspace: Arc<dyn Workspace>, asked: &AtomicU32) -> noctuary::Result<DreamReport> {
        let dreamer = JournalDreamer::builder(workspace)
            .enabled(true)
            // One journal a pass, so that a commit and a quarantine each have their own.
            .configure(|config| config.total_input_bytes = 1)
            .build()
            .unwrap();
        let model = llm_fn(|request: &LlmRequest| -> Result<LlmReply, LlmError> {
            Ok(LlmReply::new(self.answer(request, asked.fetch_add(1, Ordering::SeqCst))))
        });
        dream_once_at(&dreamer, &model, &|| night(21))
    }

    /// Checks the state after any fault and undisturbed nights.
    fn check(self, workspace: &Arc<dyn Workspace>, place: &str) {
        let asked = AtomicU32::new(1000);
        for _ in 0..2 {
            let report = self.run(Arc::clone(workspace), &asked);
            let outcome = report.unwrap_or_else(|error| panic!("{place}: {error:?}")).outcome;
            assert!(
                !matches!(outcome, Outcome::LockHeld | Outcome::LlmError | Outcome::LeaseLost),
                "{place}"
            );
        }
        let memory = workspace.read_text(&DocName::MEMORY).unwrap().unwrap();
        assert!(memory.starts_with(MEMORY), "{place}: the operator's bytes stand");
        for day in DAYS {
            let expected = usize::from(self.promotes().contains(&day));
            let lines = memory.matches(&format!("Told of day {day} in wording")).count();
            assert_eq!(lines, expected, "{place}: the line of {day} stands there once\n{memory}");
        }
        let marks = |mark| memory.matches(mark).count();
        assert_eq!(marks("<!-- dream:v1 id="), marks("<!-- /dream:v1 id="), "{place}: no torn section");
        assert!(!memory.contains(KEY), "{place}");
        let entries = JournalDreamer::builder(Arc::clone(workspace)).build().unwrap().quarantine().unwrap();
        let quarantined = format!("{entries:?}").matches("2026-11-19-repl.md").count();
        assert_eq!(quarantined > 0, self == Self::Quarantine, "{place}: {entries:?}");
        assert!(workspace.read(&StateName::INTENT).unwrap().is_none(), "{place}");

        let (before, asked_before) = (dump(workspace), asked.load(Ordering::SeqCst));
        let again = self.run(Arc::clone(workspace), &asked).unwrap();
        assert_eq!((again.outcome, again.recovered), (Outcome::NothingNew, None), "{place}");
        assert_eq!(asked.load(Ordering::SeqCst), asked_before, "{place}: nothing is asked twice");
        let mut after = dump(workspace);
        // When it ran last, and how that ended, are news of each run.
        after.insert(".dreamed-state.json".into(), before[".dreamed-state.json"].clone());
        assert_eq!(after, before, "{place}: a further night changes nothing");
    }
}

/// Fails each operation of a night in turn, and checks the next ones. `prepare` makes where it begins.
fn sweep(label: &str, home: &Home, night: Night, prepare: impl Fn(&Arc<dyn Workspace>)) {
    let (_folder, workspace) = home.quick();
    prepare(&workspace);
    let faults = Faults::new();
    night.run(Arc::new(FaultyWorkspace::new(workspace, faults.clone())), &AtomicU32::new(0)).unwrap();
    let operations = faults.seen();
    let mut states = 0;
    for (at, operation) in operations.iter().enumerate() {
        for fault in [Fault::Crash, Fault::Error(ErrorKind::StorageFull)] {
            let (folder, workspace) = home.quick();
            prepare(&workspace);
            let faults = Faults::new();
            faults.arm(at as u64 + 1, fault);
            let broken = Arc::new(FaultyWorkspace::new(workspace, faults));
            // However it ends: what counts is what the next night finds.
            let _ = night.run(broken, &AtomicU32::new(0));
            let place = format!("{label}, {}, {fault:?} at {}: {operation}", home.name, at + 1);
            night.check(&(home.open)(folder.path()), &place);
            (home.sound)(folder.path());
            states += 1;
        }
    }
    println!("{label}, {}: {} operations, {states} states", home.name, operations.len());
}

#[test]
#[ignore = "sweep"]
fn a_night_that_fails_anywhere_is_done_exactly_once_in_every_home() {
    // BX-01, DR-10, DR-14, PF-14: 0 lost, 0 doubled, quarantined once.
    for home in homes() {
        for night in [Night::Commit, Night::Nothing, Night::Quarantine] {
            sweep(&format!("{night:?}"), home, night, |workspace| Night::begin(workspace));
        }
    }
}

#[test]
#[ignore = "sweep"]
fn a_recovery_that_fails_anywhere_is_finished_by_the_next_in_every_home() {
    // BX-01: the append to memory was under way, or was done and nobody knows of it.
    for home in homes() {
        for after in [0, 1] {
            sweep(&format!("recovery {after} after the append"), home, Night::Commit, |workspace| {
                Night::begin(workspace);
                let faults = Faults::new();
                let rehearsal = home.quick();
                Night::begin(&rehearsal.1);
                let broken = Arc::new(FaultyWorkspace::new(Arc::clone(&rehearsal.1), faults.clone()));
                Night::Commit.run(broken, &AtomicU32::new(0)).unwrap();
                let step = "append under the lease to MEMORY.md";
                let at = faults.seen().iter().position(|seen| seen == step).unwrap() as u64;
                faults.arm(at + 1 + after, Fault::Crash);
                let broken = Arc::new(FaultyWorkspace::new(Arc::clone(workspace), faults));
                Night::Commit.run(broken, &AtomicU32::new(500)).unwrap_err();
                assert!(workspace.read(&StateName::INTENT).unwrap().is_some(), "it was under way");
            });
        }
    }
}

const PROCESSES: usize = 8;

fn turns() -> usize {
    if is_long() { 1000 } else { 25 }
}

#[test]
fn of_what_eight_processes_write_at_once_nothing_is_lost() {
    // BX-28: appends to one journal, and a counter that each revision of has one winner.
    for home in homes() {
        let (folder, workspace) = home.quick();
        let counter = name("counter.md");
        workspace.write(&counter, b"0 nobody\n", WriteMode::Create).unwrap();
        let mut peers: Vec<Peer> = (0..PROCESSES)
            .map(|process| {
                Peer::start(module_path!(), &format!("{}/write/{process}", home.name), folder.path())
            })
            .collect();
        for peer in &mut peers {
            assert_eq!(peer.hear().as_deref(), Some("ready"));
        }
        peers.iter_mut().for_each(Peer::go_on);
        let (mut won, mut conflicts) = (BTreeSet::new(), 0);
        for peer in &mut peers {
            for said in peer.finish() {
                match said.split_once(' ').unwrap() {
                    ("won", number) => {
                        assert!(won.insert(number.parse::<usize>().unwrap()), "{number} won twice");
                    }
                    ("conflicts", number) => conflicts += number.parse::<usize>().unwrap(),
                    other => panic!("{other:?}"),
                }
            }
        }
        let all = PROCESSES * turns();
        assert_eq!(won, (1..=all).collect(), "each revision has one winner");
        let last = workspace.read_text(&counter).unwrap().unwrap();
        assert!(last.starts_with(&format!("{all} ")), "{last}");
        let text = workspace.read_text(&journal(20)).unwrap().unwrap();
        assert_eq!(text.lines().count(), all);
        for process in 0..PROCESSES {
            let prefix = format!("{process} ");
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&prefix)).collect();
            let expected: Vec<String> = (0..turns()).map(|turn| format!("{process} {turn}")).collect();
            assert_eq!(lines, expected, "every append stands there once, in order");
        }
        (home.sound)(folder.path());
        println!("{}: {all} appends, {all} increments, {conflicts} conflicts, nothing lost", home.name);
    }
}

/// Appends and counts; a conflict is tried again, and any other error ends it.
fn write_in_turns(workspace: &dyn Workspace, process: usize) {
    tell("ready");
    listen();
    let counter = name("counter.md");
    let mut conflicts = 0;
    for turn in 0..turns() {
        workspace.append(&journal(20), format!("{process} {turn}\n").as_bytes()).unwrap();
        loop {
            let seen = workspace.read(&counter).unwrap().unwrap();
            let next = seen.lossy().split(' ').next().unwrap().parse::<usize>().unwrap() + 1;
            // Who writes stands in it: two writers of the same bytes would both succeed.
            let bytes = format!("{next} process {process}\n").into_bytes();
            std::thread::sleep(Duration::from_micros(random(300)));
            match workspace.write(&counter, &bytes, WriteMode::IfRevision(seen.revision())) {
                Ok(revision) => {
                    assert_eq!(revision, Revision::of(&bytes));
                    tell(&format!("won {next}"));
                    break;
                }
                Err(Error::Conflict { current: Some(_), .. }) => conflicts += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
    }
    tell(&format!("conflicts {conflicts}"));
}

fn random(below: u64) -> u64 {
    RandomState::new().build_hasher().finish() % below
}

/// The line of a number, of a length between some bytes and some pages.
fn line(number: usize) -> String {
    format!("{number} {}\n", "x".repeat(number * 7919 % 9000))
}

#[test]
fn what_was_acknowledged_survives_a_killed_process() {
    // BX-17, BX-28: killed at random times; at most the one append that was under way is there besides.
    let kills: u32 = if is_long() { 1000 } else { 20 };
    for home in homes() {
        let (folder, workspace) = home.quick();
        let (mut acknowledged, mut besides, mut torn) = (0, 0, 0);
        for kill in 0..kills {
            let mut peer = Peer::start(module_path!(), &format!("{}/die/{kill}", home.name), folder.path());
            assert_eq!(peer.hear().as_deref(), Some("0"), "the first append is acknowledged");
            std::thread::sleep(Duration::from_micros(random(20_000)));
            peer.child.kill().unwrap();
            peer.child.wait().unwrap();
            let mut last = 0;
            while let Some(said) = peer.hear() {
                last = said.parse().unwrap();
            }
            let lines = last + 1;
            acknowledged += lines;
            let text = workspace.read_text(&killed(kill)).unwrap().unwrap();
            let expected: String = (0..lines).map(line).collect();
            let rest = text.strip_prefix(&expected).unwrap_or_else(|| {
                panic!(
                    "{}, kill {kill}: {lines} lines were acknowledged, {} bytes stand",
                    home.name,
                    text.len()
                )
            });
            let next = line(lines);
            assert!(next.starts_with(rest), "{}, kill {kill}: {} bytes more", home.name, rest.len());
            besides += u32::from(rest == next);
            if !rest.is_empty() && rest != next {
                torn += 1;
                assert!(home.tears, "{}, kill {kill}: {} of {} bytes", home.name, rest.len(), next.len());
            }
            (home.sound)(folder.path());
            // Whatever it was killed in, the next one neither waits nor finds it in the way.
            workspace.append(&name("after.md"), b"x").unwrap();
            drop(hold(&workspace));
        }
        let after = workspace.read_text(&name("after.md")).unwrap().unwrap();
        assert_eq!(after.lines().count(), usize::try_from(kills).unwrap(), "a line of its own each");
        println!(
            "{}: {kills} kills, {acknowledged} acknowledged lines all there, {besides} besides, {torn} torn",
            home.name
        );
    }
}

/// Text without its end: words of the user's, and a writer that goes on in them would speak as the user.
const LEFT: &str = "- [user] Decision: releases go out on Fridays";

/// A way to add something to a document.
type Verb = fn(&Arc<dyn Workspace>, &DocName);

fn view(workspace: &Arc<dyn Workspace>, kind: SessionKind, actor: Actor) -> Guarded<Arc<dyn Workspace>> {
    Guarded::new(Arc::clone(workspace), Access::new(kind, actor, Scope::user("marta")))
}

fn by_a_tool(workspace: &Arc<dyn Workspace>, kind: SessionKind, name: &DocName, end: &str) {
    let tools = noctuary::tools::Toolbox::new(view(workspace, kind, Actor::Agent));
    let content = format!("- MINE{end}");
    let asked = serde_json::json!({"path": name, "content": content, "mode": "append"});
    tools.call("memory_write", &asked, now()).unwrap();
}

const VERBS: &[(&str, &str, Verb)] = &[
    ("an append", "context/plan.md", |workspace, name| workspace.append(name, b"- MINE").unwrap()),
    ("an append of a line", "MEMORY.md", |workspace, name| workspace.append(name, b"- MINE\n").unwrap()),
    ("an append under a lease", "MEMORY.md", |workspace, name| {
        let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else {
            panic!("it is free")
        };
        lease.append(name, b"- MINE").unwrap();
    }),
    ("a view of the user's", "MEMORY.md", |workspace, name| {
        view(workspace, SessionKind::Main, Actor::Human).append(name, b"- MINE").unwrap();
    }),
    ("a view of the agent's", "context/plan.md", |workspace, name| {
        view(workspace, SessionKind::Main, Actor::Agent).append(name, b"- MINE").unwrap();
    }),
    ("a view of a group that may read", "memory/2026-11-21-shared.g.md", |workspace, name| {
        view(workspace, SessionKind::Shared, Actor::Agent).append(name, b"- MINE").unwrap();
    }),
    ("a view of a group that may not read", "memory/2026-11-21-repl.md", |workspace, name| {
        view(workspace, SessionKind::Shared, Actor::Agent).append(name, b"- MINE").unwrap();
    }),
    ("a view of a subagent", "memory/2026-11-21-repl.md", |workspace, name| {
        view(workspace, SessionKind::Subagent, Actor::Agent).append(name, b"- MINE").unwrap();
    }),
    ("a view of an unattended job", "memory/2026-11-21.md", |workspace, name| {
        view(workspace, SessionKind::Scheduled, Actor::Library).append(name, b"- MINE").unwrap();
    }),
    ("a tool", "context/plan.md", |workspace, name| by_a_tool(workspace, SessionKind::Main, name, "")),
    ("a tool on a journal", "memory/2026-11-21-repl.md", |workspace, name| {
        by_a_tool(workspace, SessionKind::Main, name, "");
    }),
    ("a tool of a group", "memory/2026-11-21-repl.md", |workspace, name| {
        by_a_tool(workspace, SessionKind::Shared, name, "");
    }),
    ("a tool of a subagent", "memory/2026-11-21-repl.md", |workspace, name| {
        by_a_tool(workspace, SessionKind::Subagent, name, "\n");
    }),
    ("a note", "memory/2026-11-21-repl.md", |workspace, name| {
        let journal = noctuary::format::JournalName::parse(name).unwrap();
        let note = noctuary::Note::happened("MINE");
        noctuary::life::Journal::new(journal, noctuary::workspace::DayPolicy::UTC, now())
            .append(workspace, &note, now())
            .unwrap();
    }),
    ("a daily log", "memory/2026-11-21-repl.md", |workspace, name| {
        let mut config = noctuary::LifeConfig::default();
        config.daily_log.enabled = true;
        let journal = noctuary::format::JournalName::parse(name).unwrap();
        let (life, agent) = (Life::new(Arc::clone(workspace), config), Access::agent(Scope::user("marta")));
        let id = journal.session().unwrap();
        let mut session = life.begin_session(agent, id, "repl", now()).unwrap();
        let turn = noctuary::life::TurnEnd::default().note(noctuary::Note::happened("MINE"));
        session.end_turn("Done.", turn, now()).unwrap();
        session.flush().unwrap();
    }),
    ("the memory tool", "memory/notes/plan.md", |workspace, name| {
        let lines = workspace.read_text(name).unwrap().unwrap().lines().count();
        let tool = noctuary::tools::MemoryTool::new(view(workspace, SessionKind::Main, Actor::Agent));
        let path = "/memories/plan.md";
        let asked = serde_json::json!({"command": "insert", "path": path, "insert_line": lines, "insert_text": "- MINE"});
        tool.call(&asked).unwrap();
    }),
    ("an import", "MEMORY.md", |workspace, _| {
        let folder = quick();
        std::fs::write(folder.path().join("MEMORY.md"), "MINE\n").unwrap();
        let source = FileWorkspace::open(folder.path()).unwrap();
        let import = noctuary::exchange::Import::new(noctuary::exchange::Dialect::Hermes);
        let plan = import.plan(&source, workspace).unwrap();
        import.apply(plan, &source, workspace).unwrap();
    }),
    ("a dream", "MEMORY.md", |workspace, _| {
        workspace
            .write(&name("memory/2026-11-20.md"), b"- [user] MINE is what I want.\n", WriteMode::Replace)
            .unwrap();
        let dreamer = JournalDreamer::builder(Arc::clone(workspace)).enabled(true).build().unwrap();
        let model = Script::new().says("### Facts\n- MINE (memory/2026-11-20.md#L1)\n");
        assert_eq!(dream_once_at(&dreamer, &model, &now).unwrap().outcome, Outcome::Appended);
    }),
    ("a sleeper's log", "self/conversation.jsonl", |workspace, _| {
        let sleeper = noctuary::sleep::SleepDreamer::builder(Arc::clone(workspace)).build().unwrap();
        sleeper.log(&[noctuary::sleep::Said::new("assistant", "MINE")], now()).unwrap();
    }),
    ("a sleeper's event", "self/memory.jsonl", |workspace, _| {
        let sleeper = noctuary::sleep::SleepDreamer::builder(Arc::clone(workspace)).build().unwrap();
        let event = serde_json::json!({"kind": "MINE"});
        sleeper.note_event(event.as_object().unwrap().clone(), now()).unwrap();
    }),
    ("the end of the onboarding", "memory/2026-11-21-repl.md", |workspace, _| {
        let end = noctuary::format::OnboardingEnd::Done;
        let life = Life::new(Arc::clone(workspace), noctuary::LifeConfig::default());
        life.complete_onboarding(end, Some("repl"), now()).unwrap();
    }),
];

// A shared session, which may not read the end of a journal, wrote behind the user's last words, and a dream took its
// order for a decision of theirs. (BX-51)
#[test]
#[ignore = "sweep"]
fn no_verb_goes_on_in_a_line_that_somebody_left_without_its_end() {
    for home in homes() {
        for (verb, document, append) in VERBS {
            for left in [LEFT.to_owned(), format!("# A heading\n\n{LEFT}"), format!("- café\r\n{LEFT}")] {
                for indexed in [false, true] {
                    let (_folder, workspace) = home.quick();
                    let workspace: Arc<dyn Workspace> = if indexed {
                        let index = noctuary::SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
                        Arc::new(noctuary::life::Indexed::new(workspace, index))
                    } else {
                        workspace
                    };
                    let document = name(document);
                    workspace.write(&document, left.as_bytes(), WriteMode::Create).unwrap();
                    append(&workspace, &document);
                    let text = workspace.read_text(&document).unwrap().unwrap();
                    assert!(text.len() > left.len(), "{}, {verb}: nothing was added", home.name);
                    let rest =
                        text.strip_prefix(&left).unwrap_or_else(|| panic!("{}, {verb}: {text}", home.name));
                    assert!(rest.starts_with(['\n', '\r']), "{}, {verb}, {indexed}: {text}", home.name);
                    assert!(text.lines().any(|line| line == LEFT), "{}, {verb}: {text}", home.name);
                    // And whoever comes next does not go on in what was added.
                    workspace.append(&document, b"- NEXT\n").unwrap();
                    let text = workspace.read_text(&document).unwrap().unwrap();
                    assert!(text.lines().any(|line| line == "- NEXT"), "{}, {verb}: {text}", home.name);
                }
            }
        }
    }
}

fn killed(kill: u32) -> DocName {
    name(&format!("memory/2026-11-20-kill-{kill}.md"))
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let (home, role) = role.split_once('/').unwrap();
    let home = HOMES.iter().find(|known| known.name == home).unwrap();
    let workspace = (home.open)(&folder);
    match role.split_once('/').unwrap() {
        ("write", process) => write_in_turns(&workspace, process.parse().unwrap()),
        ("die", kill) => {
            let journal = killed(kill.parse().unwrap());
            for number in 0.. {
                workspace.append(&journal, line(number).as_bytes()).unwrap();
                tell(&number.to_string());
            }
        }
        (other, _) => panic!("no role {other:?}"),
    }
}

// A family's bot kept each life in one database, and gave a brother's access to his sister's dreamer: it showed him her
// lines, and took them back on his word.
#[test]
fn a_life_that_knows_whose_it_is_is_closed_to_everybody_else_before_it_is_touched() {
    use noctuary::exchange::{Forget, feed};
    use noctuary::format::DreamId;
    use noctuary::life::{Editor, Indexed, PromptConfig, SharedUser, Snapshot};
    use noctuary::sleep::SleepDreamer;
    use noctuary::{FileMemoryStore, Life, LifeConfig, SqliteIndex, SqliteWorkspace};

    let marta = Arc::new(SqliteWorkspace::open_in_memory(Scope::user("marta")).unwrap());
    marta.write(&DocName::MEMORY, b"- Her landlord is Jan.\n", WriteMode::Create).unwrap();
    marta.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();
    let faults = Faults::new();
    let workspace: Arc<dyn Workspace> =
        Arc::new(FaultyWorkspace::new(Arc::clone(&marta) as _, faults.clone()));
    let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    let (id, text) = (DreamId::parse("0f3a9c5be2d14477").unwrap(), "her landlord is Jan");
    let config = LifeConfig::default();
    let life = Life::new(Arc::clone(&workspace), config.clone());
    let dreamer = JournalDreamer::builder(Arc::clone(&workspace)).build().unwrap();
    let sleeper = SleepDreamer::builder(Arc::clone(&workspace)).build().unwrap();
    let other = Scope { agent: "trader".to_owned(), ..Scope::user("marta") };
    for scope in [Scope::user("ilya"), other] {
        let folder = quick();
        let store = FileMemoryStore::open(folder.path(), scope.clone()).unwrap();
        for actor in [Actor::Human, Actor::Agent, Actor::Library] {
            let access = Access::new(SessionKind::Main, actor, scope.clone());
            let view = life.view(access.clone());
            let editor = Editor::new(workspace.as_ref(), access.clone());
            let forget = || Forget::new(&access, text).workspace(workspace.as_ref());
            let prompt = PromptConfig::default();
            let refused = [
                dreamer.proposals(&access, now).map(drop),
                dreamer.accept_proposal(&access, &id, now).map(drop),
                dreamer.reject_proposal(&access, &id, now).map(drop),
                dreamer.undo_dream(&access, &id, now).map(drop),
                dreamer.redo_dream(&access, &id, now).map(drop),
                life.begin_session(access.clone(), "8f14", "repl", now).map(drop),
                Snapshot::take(&view, &prompt, SharedUser::Full, config.day, now).map(drop),
                sleeper.wake(&access, now).map(drop),
                forget().run(now).map(drop),
                forget().in_files(true).run(now).map(drop),
                forget().lift(now).map(drop),
                feed(workspace.as_ref(), &store, &scope, now).map(drop),
                editor.load(&DocName::MEMORY).map(drop),
                editor.save(&DocName::MEMORY, "- Mine.\n", None, now).map(drop),
                editor.restore_template(&DocName::SOUL, &config, None, now).map(drop),
                editor.history(&DocName::MEMORY).map(drop),
                editor.forget_history(&DocName::MEMORY).map(drop),
                editor.forget_replaced().map(drop),
                view.list(None).map(drop),
                view.metadata(&DocName::MEMORY).map(drop),
                view.metadata_of(&[&DocName::MEMORY]).remove(0).map(drop),
                view.read(&DocName::MEMORY).map(drop),
                view.read_range(&DocName::MEMORY, 0..4).map(drop),
                view.write(&DocName::USER, b"x", WriteMode::Replace).map(drop),
                view.append(&DocName::MEMORY, b"x"),
                view.remove(&DocName::MEMORY).map(drop),
                view.rename(&DocName::MEMORY, &DocName::USER),
                view.profile(SharedUser::Full).map(drop),
                view.drop_versions(&|_, _| true).map(drop),
                view.claim(&ClaimTerms::default()).map(drop),
            ];
            for (number, refused) in refused.into_iter().enumerate() {
                assert!(
                    matches!(refused, Err(Error::Denied { .. })),
                    "{access:?}, number {number}: {refused:?}"
                );
            }
            let index = SqliteIndex::open_in_memory(scope.clone()).unwrap();
            let indexed = Indexed::new(Arc::clone(&workspace), index);
            assert_eq!(indexed.search(&access, "landlord", 9).unwrap().results, []);
        }
    }
    assert_eq!(faults.seen(), Vec::<String>::new(), "nothing of hers was looked at");

    assert!(dreamer.proposals(&human(), now).unwrap().is_empty());
    assert!(!dreamer.reject_proposal(&human(), &id, now).unwrap());
    life.begin_session(human(), "8f14", "repl", now).unwrap();
    Forget::new(&human(), text).workspace(workspace.as_ref()).in_files(true).run(now).unwrap();
    let boxed: Box<dyn Workspace> = Box::new(Guarded::new(Arc::clone(&workspace), human()));
    let index = SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
    for around in [&workspace as &dyn Workspace, &boxed, &Indexed::new(Arc::clone(&workspace), index)] {
        assert_eq!(around.scope(), Some(&Scope::user("marta")), "{around:?}");
    }
}
