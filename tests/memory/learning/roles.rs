//! Notes of roles, on both stores.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use super::{agent, backends, human};
use noctuary::learning::{NewRoleNote, Reflection, RoleClass};
use noctuary::testing::contract::role::{self as contract, EdgedRoles as Store};
use noctuary_tests::common::marta::now;
use noctuary_tests::open_store;

fn open(folder: &Path, backend: usize) -> Arc<dyn Store> {
    open_store!(backend, folder, contract::scope())
}

#[test]
fn both_stores_keep_the_whole_contract_of_roles() {
    let homes = RefCell::new(Vec::new());
    for backend in backends() {
        contract::roles(&|| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), backend);
            homes.borrow_mut().push(folder);
            store
        });
        let folder = tempfile::tempdir().unwrap();
        contract::edges(open(folder.path(), backend).as_ref());
    }
}

#[test]
fn notes_outlive_their_process_and_a_forgotten_one_does_not_come_back() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), backend);
        let note = |text: &str| NewRoleNote::new("planner", text);
        let ids = ["one", "the landlord is Jan", "three"]
            .map(|text| store.take_note(&agent(), &note(text), now()).unwrap());
        for id in ids {
            let lesson = Reflection::new(RoleClass::Success, format!("Lesson {id}"), now());
            assert!(store.reflect(&human(), id, &lesson).unwrap());
        }
        store.take_note(&agent(), &note("four"), now()).unwrap();
        store.forget(&human(), "landlord is Jan", now()).unwrap();
        let told = || (store.notes(&human(), true).unwrap(), store.notes(&human(), false).unwrap());
        let (pending, reflected) = told();
        assert_eq!((pending.len(), reflected.len()), (1, 2));
        drop(store);
        let store = open(folder.path(), backend);
        assert_eq!(
            (store.notes(&human(), true).unwrap(), store.notes(&human(), false).unwrap()),
            (pending, reflected)
        );
    }
}

#[test]
fn a_shell_rewrites_no_reflection_and_the_view_has_the_seeds_columns() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 1);
    let id = store.take_note(&agent(), &NewRoleNote::new("planner", "one"), now()).unwrap();
    store.reflect(&human(), id, &Reflection::new(RoleClass::Neutral, "Lesson", now())).unwrap();
    let stock = rusqlite::Connection::open(folder.path().join("memory.db")).unwrap();
    let columns: Vec<String> = stock
        .prepare("PRAGMA table_info(role_memory)")
        .unwrap()
        .query_map([], |row| row.get(1))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for needed in ["id", "role", "content", "reflection", "reflected_at"] {
        assert!(columns.iter().any(|column| column == needed), "{columns:?}");
    }
    assert!(stock.execute("UPDATE memory_roles SET reflection = 'x'", []).is_err());
    assert_eq!(store.notes(&human(), false).unwrap()[0].reflection.as_ref().unwrap().lesson, "Lesson");
}
