//! The memory store in one SQLite file: its contract, its tables, its door, and what it survives.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

#[allow(dead_code, reason = "each test crate uses a part of it")]
mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Days, TimeDelta, TimeZone, Utc};
use common::{Peer, listen, role, tell};
use noctuary::testing::contract::memory as contract;
use noctuary::{
    Access, Actor, ContextConfig, DocName, Door, DoorPolicy, Error, Filter, IndexState, InjectionPolicy,
    MemoryContext, MemoryEvent, MemoryId, MemoryObserver, MemoryStore, NewMemory, Query, Scope, SecretPolicy,
    SessionKind, Source, SqliteMemoryStore, SqliteWorkspace, StoreConfig, Workspace, WorkspaceExt, WriteMode,
};
use rusqlite::Connection;
use tempfile::TempDir;

const FILE: &str = "memory.db";
const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

fn main_session() -> Access {
    Access::new(SessionKind::Main, Actor::Agent, contract::scope())
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new("fact", content, Source::AgentRecorded)
}

fn found(store: &dyn MemoryStore, text: &str) -> Vec<String> {
    let hits = store.search(&main_session(), &Query::new(text)).unwrap().hits;
    hits.into_iter().map(|hit| hit.memory.content).collect()
}

/// A file in a folder of its own.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join(FILE)
    }

    fn open(&self) -> SqliteMemoryStore {
        SqliteMemoryStore::open(self.path(), contract::scope()).unwrap()
    }

    fn configured(&self, change: impl FnOnce(&mut StoreConfig)) -> SqliteMemoryStore {
        let mut config = StoreConfig::default();
        change(&mut config);
        SqliteMemoryStore::open_with(self.path(), contract::scope(), config).unwrap()
    }

    fn refuses(&self) -> Error {
        SqliteMemoryStore::open(self.path(), contract::scope()).unwrap_err()
    }

    /// A connection that knows nothing of this library.
    fn stock(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }
}

fn is_sound(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let verdict: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    connection
        .execute_batch("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
        .unwrap();
}

fn count(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

macro_rules! contracts {
    ($($name:ident),*) => {
        mod keeps {
            $(
                #[test]
                fn $name() {
                    let home = super::Home::new();
                    super::contract::$name(&home.open());
                    super::is_sound(&home.path());
                }
            )*
        }
        mod keeps_as_a_trait_object {
            use std::sync::Arc;
            $(
                #[test]
                fn $name() {
                    let store: Arc<dyn noctuary::MemoryStore> = Arc::new(
                        noctuary::SqliteMemoryStore::open_in_memory(super::contract::scope()).unwrap(),
                    );
                    super::contract::$name(&*store);
                }
            )*
        }
    };
}

contracts!(rows, lists, words, operators, scripts, sessions, scopes, doors, edits, deletions, profiles);

#[test]
fn it_keeps_the_whole_contract_in_files_and_in_memory() {
    let homes = Mutex::new(Vec::new());
    contract::store(&|| {
        let home = Home::new();
        let store = home.open();
        homes.lock().unwrap().push(home);
        Arc::new(store)
    });
    contract::store(&|| Arc::new(SqliteMemoryStore::open_in_memory(contract::scope()).unwrap()));
}

/// Two scopes in one file, the second a guest.
#[test]
fn a_guest_of_a_file_keeps_the_contract_too() {
    let homes = Mutex::new(Vec::new());
    contract::store(&|| {
        let home = Home::new();
        let owner = SqliteMemoryStore::open(home.path(), Scope::user("owner")).unwrap();
        let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("owner"));
        owner.write(&access, &fact("slippage canary of the owner"), now()).unwrap();
        owner.set_profile(&access, "name", "Owner", now()).unwrap();
        let guest = home.open();
        homes.lock().unwrap().push(home);
        Arc::new(guest)
    });
}

// SQ-02, SQ-10
#[test]
fn no_string_makes_a_search_fail() {
    let count = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 500_000 } else { 2_000 };
    contract::any_text(&SqliteMemoryStore::open_in_memory(contract::scope()).unwrap(), count);
}
