//! Suites of every memory store. Each suite panics with what does not hold.
//!
//! A store is made new and empty, for the scope of [`scope`], with the default doors.
//!
//! No suite asks that times are finer than a second, as the seed's tables have none, and that two stores rank alike. A
//! purge may fail after a part of its rows is gone, whole rows each. A [`FileMemoryStore`](crate::FileMemoryStore)
//! takes all of them at once, and a [`SqliteMemoryStore`](crate::SqliteMemoryStore) some hundred at a time, so that
//! writers wait for moments. The file of lines is the weaker one where a person edits it while a store has it open. A
//! change in place that makes it no shorter is seen at the next opening, or said to be damage.
//!
//! # Example: a backend proves itself
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use noctuary::SqliteMemoryStore;
//! use noctuary::testing::contract::memory;
//!
//! memory::store(&|| Arc::new(SqliteMemoryStore::open_in_memory(memory::scope()).unwrap()));
//! # }
//! ```

mod kit;
mod rights;
mod rows;
mod search;
mod suite;

pub use kit::{Make, scope};
pub(super) use kit::{access, agent, human};
pub use rights::{audits, doors, scopes, sessions};
pub use rows::{batches, deletions, edits, forgets, lists, pins, profiles, promotions, rows, writers};
pub use search::{any_text, operators, scripts, words};
pub use suite::store;
