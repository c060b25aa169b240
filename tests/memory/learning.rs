//! Methods, outcomes and what follows of them, on both stores.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex};

use noctuary::learning::{
    Ending, MethodId, NewMethod, NewOutcome, NewPreference, NewRoleNote, PreferenceId, PreferenceStore,
    Reflection, RoleClass, RoleNoteId, RoleStore,
};
use noctuary::memory::{MemoryEvent, MemoryObserver};
use noctuary::store::StoreConfig;
use noctuary::testing::contract::method::{self as contract, Methods as Store};
use noctuary::{Access, Actor, SessionKind};
use noctuary_tests::common::marta::now;
use noctuary_tests::open_store;

mod calls;
mod faults;
mod roles;
mod rules;

fn agent() -> Access {
    Access::agent(contract::scope())
}

fn human() -> Access {
    Access::human(contract::scope())
}

fn host() -> Access {
    Access::new(SessionKind::Main, Actor::Library, contract::scope())
}

fn open(folder: &Path, backend: usize) -> Arc<dyn Store> {
    open_with(folder, backend, StoreConfig::default())
}

fn open_with(folder: &Path, backend: usize, config: StoreConfig) -> Arc<dyn Loop> {
    open_store!(backend, folder, contract::scope(), config)
}

/// A store with all parts of the loop.
trait Loop: Store + PreferenceStore + RoleStore {}

impl<S: Store + PreferenceStore + RoleStore> Loop for S {}

fn backends() -> std::ops::Range<usize> {
    noctuary_tests::common::backends()
}

fn method(body: &str) -> NewMethod {
    NewMethod::new("Name", "class", body)
}

#[test]
fn both_stores_keep_the_whole_contract() {
    let homes = RefCell::new(Vec::new());
    for backend in backends() {
        contract::methods(&|| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), backend);
            homes.borrow_mut().push(folder);
            store
        });
    }
}

#[test]
fn methods_outlive_their_process_and_two_handles_see_each_other() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (open(folder.path(), backend), open(folder.path(), backend));
        let id = store.create_method(&agent(), &method("Knock twice").case("It rang."), now()).unwrap();
        for number in 0..7 {
            let outcome =
                NewOutcome::new(format!("o{number}"), [id], Ending::Success).case(format!("Case {number}"));
            let handle = if number % 2 == 0 { &store } else { &other };
            assert!(handle.report_outcome(&host(), &outcome, now()).unwrap().counted);
            assert!(!store.report_outcome(&host(), &outcome, now()).unwrap().counted);
            assert!(!other.report_outcome(&host(), &outcome, now()).unwrap().counted);
        }
        store.graduate_method(&human(), id, now()).unwrap();
        let (methods, cases) =
            (other.methods(&agent()).unwrap(), other.method_cases(&agent(), id, 99).unwrap());
        assert_eq!((methods[0].uses, cases.len()), (7, 8));
        drop((store, other));
        let store = open(folder.path(), backend);
        assert_eq!(store.methods(&agent()).unwrap(), methods);
        assert_eq!(store.method_cases(&agent(), id, 99).unwrap(), cases);
        let next = store.create_method(&agent(), &method("Bring tea"), now()).unwrap();
        assert_eq!(next, MethodId::new(2));
    }
}

#[test]
fn the_same_calls_give_the_same_standing_in_both_stores() {
    let mut told = Vec::new();
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), backend);
        for body in ["one", "two", "three"] {
            store.create_method(&agent(), &method(body), now()).unwrap();
        }
        for number in 0..60_i64 {
            let ids = [MethodId::new(number % 3 + 1), MethodId::new(number % 2 + 1)];
            let ending = if number % 7 < 4 { Ending::Success } else { Ending::Failure };
            store
                .report_outcome(&host(), &NewOutcome::new(format!("o{number}"), ids, ending), now())
                .unwrap();
            if number == 20 {
                store.quarantine_method(&human(), MethodId::new(2), false, now()).unwrap();
            }
        }
        let bits = |methods: Vec<noctuary::learning::Method>| {
            methods
                .into_iter()
                .map(|method| (method.clone(), method.confidence.to_bits()))
                .collect::<Vec<_>>()
        };
        told.push(bits(store.methods(&agent()).unwrap()));
    }
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "{told:?}");
}

#[derive(Debug, Default)]
struct Heard(Mutex<Vec<String>>);

impl MemoryObserver for Heard {
    fn event(&self, event: &MemoryEvent) {
        self.0.lock().unwrap().push(event.name.to_string());
    }
}

// MS-21
#[test]
fn each_change_of_the_loop_is_told_once_and_what_changed_nothing_is_not() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let heard = Arc::new(Heard::default());
        let mut config = StoreConfig::default();
        config.observer = Some(heard.clone());
        let store = open_with(folder.path(), backend, config);
        for _again in 0..2 {
            let mut knock = method("Knock twice");
            knock.cases.push("The bell was broken.".into());
            let id = store.create_method(&agent(), &knock, now()).unwrap();
            for number in 0..5 {
                let mut good = NewOutcome::new(format!("o{number}"), [id], Ending::Success);
                if number == 4 {
                    good = good.case("Nobody was at home.");
                }
                store.report_outcome(&host(), &good, now()).unwrap();
            }
            assert!(store.graduate_method(&agent(), id, now()).is_err());
            store.graduate_method(&human(), id, now()).unwrap();
            let tone = NewPreference::behavioural("tone", "Short answers.");
            let tone = store.propose_preference(&agent(), &tone, now()).unwrap();
            assert!(store.approve_preference(&agent(), tone, now()).is_err());
            store.approve_preference(&human(), tone, now()).unwrap();
            store.take_note(&agent(), &NewRoleNote::new("planner", "It rang."), now()).unwrap();
        }
        let tone = PreferenceId::new(1);
        for _again in 0..2 {
            store.withdraw_preference(&human(), tone, now()).unwrap();
            let lesson = Reflection::new(RoleClass::Neutral, "Listen.", now());
            store.reflect(&human(), RoleNoteId::new(1), &lesson).unwrap();
        }
        let mut expected = vec!["method:created", "trade:recorded"];
        expected.extend(["trade:outcome_updated"; 4]);
        expected.extend([
            "trade:recorded",
            "trade:outcome_updated",
            "method:judged",
            "preference:proposed",
            "memory:written",
            "preference:approved",
            "role:noted",
            "memory:deleted",
            "preference:withdrawn",
            "role:reflected",
        ]);
        assert_eq!(*heard.0.lock().unwrap(), expected);
    }
}

#[test]
fn the_tables_have_the_seeds_columns_and_no_shell_graduates_a_method() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 1);
    let id = store.create_method(&agent(), &method("Knock twice"), now()).unwrap();
    let stock = rusqlite::Connection::open(folder.path().join("memory.db")).unwrap();
    let columns = |table: &str| -> Vec<String> {
        let mut statement = stock.prepare(&format!("PRAGMA table_info({table})")).unwrap();
        statement.query_map([], |row| row.get(1)).unwrap().map(Result::unwrap).collect()
    };
    for (table, needed) in [
        (
            "methodologies",
            &["id", "name", "body", "asset_class", "confidence", "quarantine", "times_used"][..],
        ),
        (
            "memory_methods",
            &["id", "name", "class", "body", "confidence", "quarantine", "times_used", "graduated_by"],
        ),
        ("memory_cases", &["id", "method_id", "content", "outcome", "created_at"]),
        ("memory_outcomes", &["id", "outcome", "ending", "methods", "created_at"]),
    ] {
        let standing = columns(table);
        assert!(
            needed.iter().all(|column| standing.iter().any(|name| name == column)),
            "{table}: {standing:?}"
        );
    }
    for sql in [
        "UPDATE memory_methods SET quarantine = 0",
        "UPDATE memory_methods SET quarantine = 0, graduated_by = 'human', graduated_at = '2026-01-01 00:00:00'",
        "UPDATE memory_methods SET graduated_by = 'human', graduated_at = '2026-01-01 00:00:00'",
        "INSERT INTO memory_methods (user_id, agent_id, name, class, body, normal, confidence, quarantine, created_at,
           updated_at) VALUES ('', '', 'a', 'b', 'c', 'd', 1.0, 0, 'x', 'x')",
    ] {
        assert!(stock.execute(sql, []).is_err(), "{sql}");
    }
    assert_eq!(store.methods(&agent()).unwrap()[0].id, id);
    let standing: (i64, f64) = stock
        .query_row("SELECT quarantine, confidence FROM methodologies", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(standing.0, 1);
    assert!((standing.1 - 0.5).abs() < 1e-9);
}
