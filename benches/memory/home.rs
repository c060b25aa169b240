//! The stores that are measured, and the rows that are written to them.

use std::path::Path;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::facts::FactStore;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::{Access, FileMemoryStore, MemoryStore, Scope, SqliteMemoryStore};

use crate::language::Language;

/// Where the rows are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    File,
}

/// A store with its facts.
pub(crate) trait Store: MemoryStore + FactStore {}

impl<S: MemoryStore + FactStore> Store for S {}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::File];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::File => "file",
        }
    }

    /// Opens the store in a folder of its own, as a host does that configures nothing.
    pub(crate) fn open(self, folder: &Path) -> Box<dyn Store> {
        match self {
            Self::Sqlite => Box::new(SqliteMemoryStore::open(folder.join("life.db"), scope()).unwrap()),
            Self::File => Box::new(FileMemoryStore::open(folder, scope()).unwrap()),
        }
    }
}

pub(crate) fn scope() -> Scope {
    Scope::user("marta")
}

pub(crate) fn agent() -> Access {
    Access::agent(scope())
}

pub(crate) fn human() -> Access {
    Access::human(scope())
}

/// The minute of a row.
pub(crate) fn at(number: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2022, 1, 1, 8, 0, 0).unwrap() + TimeDelta::minutes(i64::from(number))
}

pub(crate) fn memory(language: &Language, category: &str, number: u32) -> NewMemory {
    NewMemory::new(category, language.row(number), Source::AgentRecorded)
}

/// The question of a number, as a person types it.
pub(crate) fn query(language: &Language, number: u32) -> Query {
    Query::new(language.question(number).join(" ")).limit(10)
}
