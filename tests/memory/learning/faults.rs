//! Every operation of a report fails once, and the power goes after each: an outcome counts once, whole or not at all.

use std::io::ErrorKind;
use std::sync::Arc;

use super::{agent, contract, host, human, method};
use noctuary::FileMemoryStore;
use noctuary::learning::{Ending, Method, MethodId, MethodStore, NewOutcome};
use noctuary::store::StoreConfig;
use noctuary::testing::{Disk, Fault, Faults, FaultyDisk, MemoryDisk};
use noctuary_tests::common::marta::now;

const FAULTS: [Fault; 3] =
    [Fault::Error(ErrorKind::StorageFull), Fault::Error(ErrorKind::PermissionDenied), Fault::Crash];

fn on(disk: impl Disk + 'static) -> FileMemoryStore {
    FileMemoryStore::on_disk(Arc::new(disk), contract::scope(), StoreConfig::default()).unwrap()
}

/// A store with two methods out of quarantine, one of them an outcome away from going back.
fn begun() -> MemoryDisk {
    let disk = MemoryDisk::new();
    let store = on(disk.clone());
    for body in ["one", "two"] {
        let id = store.create_method(&agent(), &method(body), now()).unwrap();
        store.quarantine_method(&human(), id, false, now()).unwrap();
    }
    for number in 0..19 {
        let outcome = NewOutcome::new(format!("bad-{number}"), [MethodId::new(1)], Ending::Failure);
        store.report_outcome(&host(), &outcome, now()).unwrap();
    }
    disk
}

fn told(disk: &MemoryDisk) -> Vec<Method> {
    on(disk.clone()).methods(&human()).unwrap()
}

fn cases(disk: &MemoryDisk) -> usize {
    let store = on(disk.clone());
    (1..=2).map(|id| store.method_cases(&human(), MethodId::new(id), 99).unwrap().len()).sum()
}

#[test]
fn an_outcome_counts_once_whatever_fails_and_however_often_it_is_reported_again() {
    let outcome =
        NewOutcome::new("the-one", [MethodId::new(1), MethodId::new(2)], Ending::Failure).case("It rained.");
    let before = told(&begun());
    let counted = {
        let disk = begun();
        assert_eq!(
            on(disk.clone()).report_outcome(&host(), &outcome, now()).unwrap().quarantined,
            [MethodId::new(1)]
        );
        told(&disk)
    };
    let faults = Faults::new();
    let store = on(FaultyDisk::new(Arc::new(begun()), faults.clone()));
    faults.disarm();
    store.report_outcome(&host(), &outcome, now()).unwrap();
    let operations = faults.seen().len() as u64;
    assert!(operations >= 3, "{operations}");
    let mut whole = 0;
    for nth in 1..=operations {
        for fault in FAULTS {
            let (disk, faults) = (begun(), Faults::new());
            let store = on(FaultyDisk::new(Arc::new(disk.clone()), faults.clone()));
            faults.arm(nth, fault);
            let reported = store.report_outcome(&host(), &outcome, now());
            drop(store);
            let standing = told(&disk);
            assert!(standing == before || standing == counted, "{fault:?} at {nth}: half of it");
            assert!(reported.is_err() || standing == counted, "{fault:?} at {nth}: said and not done");
            whole += u64::from(standing == counted);
            // The host does not know, and reports it again, and again.
            let store = on(disk.clone());
            let again = store.report_outcome(&host(), &outcome, now()).unwrap();
            assert_eq!(again.counted, standing == before, "{fault:?} at {nth}");
            assert!(!store.report_outcome(&host(), &outcome, now()).unwrap().counted);
            assert_eq!((told(&disk), cases(&disk)), (counted.clone(), 2), "{fault:?} at {nth}");
        }
    }
    assert!(whole > 0 && whole < operations * 3, "{whole} of {operations}");
}

/// Every statement of SQLite that changes anything fails once: the whole change is undone, and made by the next call.
mod statements {
    use std::path::Path;

    use noctuary::learning::{MethodStore, NewPreference, PreferenceId, PreferenceStore};
    use noctuary::memory::Filter;
    use noctuary::{MemoryStore, SqliteMemoryStore};
    use rusqlite::Connection;

    use super::*;

    fn open(folder: &Path) -> SqliteMemoryStore {
        SqliteMemoryStore::open(folder.join("memory.db"), contract::scope()).unwrap()
    }

    /// A method one outcome away from quarantine, and a proposal.
    fn begin(folder: &Path) {
        let store = open(folder);
        for body in ["one", "two"] {
            let id = store.create_method(&agent(), &method(body), now()).unwrap();
            store.quarantine_method(&human(), id, false, now()).unwrap();
        }
        for number in 0..19 {
            let outcome = NewOutcome::new(format!("bad-{number}"), [MethodId::new(1)], Ending::Failure);
            store.report_outcome(&host(), &outcome, now()).unwrap();
        }
        for number in 0..9 {
            let outcome = NewOutcome::new(format!("good-{number}"), [MethodId::new(2)], Ending::Success);
            store.report_outcome(&host(), &outcome, now()).unwrap();
        }
        let tone = NewPreference::behavioural("tone", "Short answers.");
        store.propose_preference(&agent(), &tone, now()).unwrap();
    }

    /// All that the loop keeps, and the lines of the audit that say it was done.
    fn told(folder: &Path) -> String {
        let store = open(folder);
        let cases = [1, 2].map(|id| store.method_cases(&human(), MethodId::new(id), 99).unwrap());
        let rows = store.list(&human(), &Filter::limit(99)).unwrap();
        let audit = store.audit(&human(), 999).unwrap().into_iter();
        let done = audit.filter(|entry| entry.outcome == noctuary::memory::AuditOutcome::Done).count();
        let methods = store.methods(&human()).unwrap();
        let preferences = store.preferences(&human()).unwrap();
        let standing: Vec<_> = methods.iter().map(|one| (one, one.graduated, one.confidence)).collect();
        let wishes: Vec<_> = preferences.iter().map(|one| (one, one.approved, one.memory)).collect();
        format!("{standing:?} {cases:?} {wishes:?} {} rows, {done} done", rows.len())
    }

    fn copy(from: &Path, to: &Path) {
        for file in std::fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }

    type Call = fn(&SqliteMemoryStore) -> noctuary::Result<()>;

    #[test]
    #[ignore = "sweep"]
    fn a_statement_that_fails_undoes_the_whole_change() {
        let home = tempfile::tempdir().unwrap();
        begin(home.path());
        let before = told(home.path());
        let calls: [(&str, Call, usize); 4] = [
            (
                "report",
                |store| {
                    let ids = [MethodId::new(1), MethodId::new(2)];
                    let outcome = NewOutcome::new("the-one", ids, Ending::Failure).case("It rained.");
                    store.report_outcome(&host(), &outcome, now()).map(drop)
                },
                4,
            ),
            ("graduate", |store| store.graduate_method(&human(), MethodId::new(2), now()).map(drop), 2),
            ("approve", |store| store.approve_preference(&human(), PreferenceId::new(1), now()).map(drop), 4),
            (
                "create",
                |store| store.create_method(&agent(), &method("three").case("It rang."), now()).map(drop),
                3,
            ),
        ];
        for (name, call, least) in calls {
            let done = {
                let folder = tempfile::tempdir().unwrap();
                copy(home.path(), folder.path());
                call(&open(folder.path())).unwrap();
                told(folder.path())
            };
            assert_ne!(done, before, "{name}");
            let stock = Connection::open(home.path().join("memory.db")).unwrap();
            let tables: Vec<String> = stock
                .prepare(
                    "SELECT name FROM pragma_table_list
                     WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
                )
                .unwrap()
                .query_map([], |row| row.get(0))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            drop(stock);
            let mut failed = 0;
            for table in &tables {
                for verb in ["INSERT", "UPDATE", "DELETE"] {
                    let folder = tempfile::tempdir().unwrap();
                    copy(home.path(), folder.path());
                    let store = open(folder.path());
                    let stock = Connection::open(folder.path().join("memory.db")).unwrap();
                    let trap = format!(
                        "CREATE TRIGGER trap BEFORE {verb} ON {table} BEGIN SELECT raise(ABORT, 'trapped'); END"
                    );
                    stock.execute_batch(&trap).unwrap();
                    let said = call(&store);
                    stock.execute_batch("DROP TRIGGER trap").unwrap();
                    let standing = told(folder.path());
                    if said.is_ok() {
                        assert_eq!(standing, done, "{name}: {verb} of {table}");
                        continue;
                    }
                    failed += 1;
                    assert_eq!(standing, before, "{name}: {verb} of {table}");
                    call(&store).unwrap();
                    assert_eq!(told(folder.path()), done, "{name}: {verb} of {table}");
                }
            }
            assert!(failed >= least, "{name}: {failed} of {}", tables.len());
        }
    }
}
