//! A look writes nothing, and the doctor mends the same thing once.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use noctuary::doctor::{Apply, Doctor};
use noctuary::doctor::{FindingKind, FixAction, Health};
use noctuary::facts::FactStore;
use noctuary::memory::{LearningStore, NewLearning, NewMemory, Source};
use noctuary::testing::cases;
use noctuary::{Access, DocName, FileMemoryStore, FileWorkspace, MemoryStore, Scope, Workspace, WriteMode};
use proptest::prelude::*;

use crate::doctor::kit::{later, live, now, tree, word};

/// A step of a life at random.
#[derive(Debug, Clone)]
enum Step {
    Write(u64),
    Fact(u64),
    Delete(u64),
    Learn(u64),
    Journal(u64),
    Document(u64),
    Settle,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        any::<u16>().prop_map(|number| Step::Write(number.into())),
        any::<u16>().prop_map(|number| Step::Fact(number.into())),
        (0..20_u64).prop_map(Step::Delete),
        any::<u16>().prop_map(|number| Step::Learn(number.into())),
        (1..22_u64).prop_map(Step::Journal),
        any::<u16>().prop_map(|number| Step::Document(number.into())),
        Just(Step::Settle),
    ];
    prop::collection::vec(step, 0..12)
}

fn walk<S: MemoryStore + FactStore + LearningStore>(steps: &[Step], workspace: &dyn Workspace, store: &S) {
    let access = Access::human(Scope::user("marta"));
    let doc = |text: String| noctuary::DocName::parse(text).unwrap();
    for (hour, step) in (0..).zip(steps) {
        let when = later(hour);
        match step {
            Step::Write(number) => {
                let row = NewMemory::new("note", word(*number), Source::UserExplicit);
                store.write(&access, &row, when).unwrap();
            }
            Step::Fact(number) => {
                drop(
                    store
                        .record(&access, &NewMemory::new("fact", word(*number), Source::ChatExtracted), when)
                        .unwrap(),
                );
            }
            Step::Delete(id) => {
                let id = noctuary::memory::MemoryId::new(i64::try_from(*id).unwrap());
                let _ = store.delete(&access, id, when).unwrap();
            }
            Step::Learn(number) => {
                store.learn(&access, &NewLearning::new(word(*number)), when).unwrap();
            }
            Step::Journal(day) => {
                let line = format!("- 09:00 [user] {}\n", word(*day));
                workspace.append(&doc(format!("memory/2026-11-{day:02}-repl.md")), line.as_bytes()).unwrap();
            }
            Step::Document(number) => {
                let name = doc(format!("projects/{}.md", number % 7));
                workspace.write(&name, word(*number).as_bytes(), WriteMode::Replace).unwrap();
            }
            Step::Settle => drop(store.settle(when).unwrap()),
        }
    }
}

fn look(path: &Path, folder: &Path) -> std::result::Result<(), TestCaseError> {
    let before = tree(folder);
    let told = Doctor::of(path).unwrap().examine(now()).unwrap();
    prop_assert!(told.is_sound(), "{:?}", told.findings);
    prop_assert_eq!(&tree(folder), &before);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(10_000)))]

    #[test]
    #[ignore = "sweep"]
    fn a_look_at_any_life_writes_nothing_and_finds_nothing(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = FileWorkspace::open(folder.path()).unwrap();
        let store = FileMemoryStore::open(folder.path(), Scope::user("marta")).unwrap();
        walk(&steps, &workspace, &store);
        // While the store is open, and after it.
        look(folder.path(), folder.path())?;
        drop(store);
        look(folder.path(), folder.path())?;

        {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("life.db");
            let store = noctuary::SqliteMemoryStore::open(&file, Scope::user("marta")).unwrap();
            let workspace = noctuary::SqliteWorkspace::open(&file, Scope::user("marta")).unwrap();
            walk(&steps, &workspace, &store);
            look(&file, folder.path())?;
            drop((store, workspace));
            look(&file, folder.path())?;
        }
    }
}

/// DC-03, DC-10
#[test]
fn a_database_is_found_sound_or_damaged_and_its_index_is_mended_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("life.db");
    let scope = Scope::user("marta");
    {
        let workspace: Arc<dyn Workspace> =
            Arc::new(noctuary::SqliteWorkspace::open(&file, scope.clone()).unwrap());
        let store = noctuary::SqliteMemoryStore::open(&file, scope.clone()).unwrap();
        live(&workspace, &store);
    }
    let doctor = Doctor::of(&file).unwrap();
    assert_eq!(doctor.scopes().unwrap(), std::slice::from_ref(&scope));
    let told = doctor.examine(now()).unwrap();
    assert!(told.is_sound(), "{:?}", told.findings);
    assert_eq!((told.health.rows, told.health.learnings), (2, 1));

    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch("INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')").unwrap();
    drop(connection);
    let told = doctor.examine(now()).unwrap();
    assert_eq!(told.findings[0].kind, FindingKind::DriftedIndex);
    let before = tree(folder.path());
    let plan = doctor.fix(&told, Apply::DryRun, &[], now()).unwrap();
    assert_eq!((plan.len(), plan[0].done), (1, false));
    assert_eq!(tree(folder.path()), before, "a dry run writes nothing");

    assert!(doctor.fix(&told, Apply::Yes, &[FixAction::Lock], now()).unwrap().is_empty());
    assert!(doctor.fix(&told, Apply::Yes, &[], now()).unwrap()[0].done);
    let told = doctor.examine(now()).unwrap();
    assert!(told.is_sound(), "{:?}", told.findings);
    assert!(doctor.fix(&told, Apply::Yes, &[], now()).unwrap().is_empty(), "twice is once");
    let store = noctuary::SqliteMemoryStore::open(&file, scope.clone()).unwrap();
    let audit = store.audit(&Access::human(scope), usize::MAX).unwrap();
    assert_eq!(audit.iter().filter(|entry| entry.action == "doctor.fix.index").count(), 1);
    drop(store);

    // A page of the file is written over.
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0x5a);
    fs::write(&file, &bytes).unwrap();
    let told = doctor.examine(now()).unwrap();
    let kinds: Vec<_> = told.findings.iter().map(|finding| finding.kind).collect();
    assert!(
        kinds.contains(&FindingKind::DamagedStore) || kinds.contains(&FindingKind::DriftedIndex),
        "{kinds:?}"
    );
    fs::write(&file, "").unwrap();
    let told = doctor.examine(now()).unwrap();
    assert_eq!(told.findings[0].kind, FindingKind::EmptiedStore);
}

/// DC-10
#[test]
fn a_stuck_lock_and_open_state_are_mended_once_and_told_in_the_audit() {
    let folder = tempfile::tempdir().unwrap();
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path()).unwrap());
    let scope = Scope::user("marta");
    let store = FileMemoryStore::open(folder.path(), scope.clone()).unwrap();
    live(&workspace, &store);
    let lock =
        "{\"pid\":1,\"hostname\":\"elsewhere\",\"started_at\":\"2026-11-20T03:00:00.000Z\",\"token\":\"x\"}";
    fs::write(folder.path().join(".dreaming.lock"), lock).unwrap();
    fs::write(folder.path().join(".dreaming.d/ledger.json"), "{").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let log = folder.path().join(".dreaming.d/log.jsonl");
        fs::set_permissions(log, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let doctor = Doctor::of(folder.path()).unwrap();
    let told = doctor.examine(now()).unwrap();
    let planned = doctor.fix(&told, Apply::DryRun, &[], now()).unwrap().len();
    let done = doctor.fix(&told, Apply::Yes, &[], now()).unwrap();
    assert!(done.len() == planned && done.iter().all(|fixed| fixed.done), "{done:?}");
    let told = doctor.examine(now()).unwrap();
    assert!(told.is_sound(), "{:?}", told.findings);
    let audit = store.audit(&Access::human(scope), usize::MAX).unwrap();
    let tells = |action: &str| audit.iter().filter(|entry| entry.action == action).count();
    assert_eq!((tells("doctor.fix.lock"), tells("doctor.fix.state")), (1, 1));
    assert_eq!(tells("doctor.fix.permissions"), usize::from(cfg!(unix)));
}

/// DC-02
#[test]
fn what_is_shown_to_others_has_neither_names_nor_numbers() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["MEMORY.md", "memory.md", "USER.md"] {
        fs::write(folder.path().join(name), "- key AKIAIOSFODNN7EXAMPLE\n").unwrap();
    }
    let told = Doctor::of(folder.path()).unwrap().examine(now()).unwrap();
    let shown = serde_json::to_string(&told.anonymous()).unwrap();
    assert!(shown.contains("secret_at_rest") && shown.contains("1–9"), "{shown}");
    assert!(!shown.contains("USER.md") && !shown.contains('3'), "{shown}");
    let buckets = told.health.anonymous();
    assert_eq!((buckets["documents"], buckets["rows"]), ("1–9", "0"));
}

/// DC-02
#[test]
fn a_count_is_told_in_one_of_five_buckets() {
    let told = |count: u64| {
        let mut health = Health::default();
        health.rows = count;
        health.anonymous()["rows"]
    };
    assert_eq!([0, 1, 9, 10, 99].map(told), ["0", "1–9", "1–9", "10–99", "10–99"]);
    assert_eq!([100, 999, 1000, u64::MAX].map(told), ["100–999", "100–999", "1000+", "1000+"]);
}

// A mark that no dream wrote was told as a torn section of one.
#[test]
fn a_mark_of_a_dream_that_the_log_does_not_know_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path()).unwrap());
    let mark = "# Memory\n\n<!-- dream:v1 id=0123456789abcdef src=1 sha256=00 -->\n- Pays Northwind.\n";
    workspace.write(&DocName::MEMORY, mark.as_bytes(), WriteMode::Create).unwrap();
    let told = Doctor::of(folder.path()).unwrap().examine(now()).unwrap();
    assert!(!told.findings.iter().any(|found| found.kind == FindingKind::BrokenFence), "{:?}", told.findings);
}
