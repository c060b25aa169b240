//! Settings of a memory store, the same for both backends.
//!
//! ```
//! use noctuary::memory::Source;
//! use noctuary::store::StoreConfig;
//! use noctuary::{FileMemoryStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let mut config = StoreConfig::from_env(|name| std::env::var(name).ok())?; // or StoreConfig::default()
//! config.retention_days = 7; // for so long a deleted row can be restored
//! config.refused.insert(Source::ChatExtracted); // rows of this source are refused
//! config.facts.consolidation = true; // a model may judge facts
//! let store = FileMemoryStore::open_with(folder.path(), Scope::user("marta"), config)?;
//! # let _ = store;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`StoreConfig`] is all there is to set: doors, observer, sizes, retention, refused sources, waiting time, facts, ranking and entities. The
//! contract and its rows are in [`memory`](crate::memory).
//!
//! # Limits
//!
//! - A row has at most [`StoreConfig::max_row_bytes`], 16 KiB by default.
//! - A change waits for another process for up to [`StoreConfig::patience`], then it is [`Error::Busy`](crate::Error::Busy).

mod admit;
mod config;
mod deed;
mod edit;
pub(crate) mod fact;
pub(crate) mod forget;
mod shown;

pub(crate) use admit::main_only;
pub use config::StoreConfig;
pub(crate) use config::check_scope;
pub(crate) use deed::{Deed, refusal};
pub(crate) use edit::Edit;
pub(crate) use shown::{Veil, shown};

use crate::base::access::{Access, SessionKind};
use crate::base::name::{Name, StateName};
use crate::memory::MemoryId;

/// What a profile tells a session with others present. (seed 001, 3.2)
pub(crate) const SHARED_KEYS: [&str; 3] = ["name", "timezone", "language"];

/// Whether a session sees the rows of its human, or those alone that are shared. (seed 001, 4.1)
pub(crate) fn sees_all(access: &Access) -> bool {
    match access.kind {
        SessionKind::Main => true,
        SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled => false,
    }
}

/// What errors call a learning that is not there yet.
pub(crate) fn learning_name() -> Name {
    StateName::new_row("learning").into()
}

/// What errors call a row: `memories/42`, or `a new memory`.
pub(crate) fn row_name(id: Option<MemoryId>) -> Name {
    match id {
        Some(id) => StateName::row("memories", id).into(),
        None => StateName::new_row("memory").into(),
    }
}
