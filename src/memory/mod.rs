//! Memory in rows: statements that are written once and found by plain questions.
//!
//! A [memory store](crate::MemoryStore) ships in a folder ([`FileMemoryStore`](crate::FileMemoryStore)) and in SQLite (`SqliteMemoryStore`), with the same rules.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::memory::{NewMemory, Query, Source};
//! use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
//! let marta = Access::agent(Scope::user("marta"));
//! let tea = NewMemory::new("preference", "Takes tea without milk", Source::UserExplicit);
//! let id = store.write(&marta, &tea, Utc::now())?; // durable when it returns
//! let found = store.search(&marta, &Query::new("How does she like her tea?"))?;
//! assert_eq!(found.hits[0].memory.id, id);
//! let group = Access::shared(Scope::user("marta"));
//! assert!(store.search(&group, &Query::new("tea"))?.hits.is_empty()); // rows are private unless written as shared
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`NewMemory`], [`Memory`], [`MemoryId`], [`Source`], [`Role`], [`Place`], [`categories`] | a row: words, origin, place in a conversation |
//! | [`Query`], [`AsOf`], [`QueryVector`], [`Syntax`], [`Order`], [`Filter`] | a search or a list |
//! | [`Found`], [`Hit`], [`SearchOutcome`], [`Signal`] | results, with the reason of each hit |
//! | [`Reached`], [`Stale`] | the way to a hit; why a row may be out of date |
//! | [`Degraded`], [`Shares`] | the part of a search that was left out; the shares of words and meaning |
//! | [`Packed`] | found rows as a context with a limit of characters, promoted lines in place of longer rows |
//! | [`SnapshotRow`] | a row for a prompt; [`MemoryContext`](crate::life::MemoryContext) makes the block |
//! | [`MemoryObserver`], [`MemoryEvent`], [`EventName`] | one event for each durable change |
//! | [`IndexProgress`] | how far a store is that makes its index anew |
//! | [`AuditEntry`], [`AuditOutcome`] | a line of the audit |
//! | [`is_purge_due`] | when to remove deleted rows for good |
//! | [`LearningStore`], [`NewLearning`], [`Learning`], [`LearningId`] | lessons of a review, apart from rows |
//! | [`IndexState`] | the state of a text index |
//! | [`ForgetRequest`], [`PlaceReceipt`] | all that a store is asked to forget in one call; the receipt |
//!
//! Settings are in [`store`](crate::store), facts and their history in [`facts`](crate::facts).
//!
//! # Limits
//!
//! - Search is by words, unless the host brings an [embedder](crate::vectors): a question that shares no word with its answer may find nothing.
//! - A row has at most 16 KiB. Longer text belongs into a document.
//! - A file store keeps every row in memory, which suits some hundred thousand.
//! - If one SQLite file has several scopes, a phrase, a condition or a list by time reads past the matches of
//!   all.
//! - A deleted row can be restored for thirty days. Only a purge or [`Forget`](crate::exchange::Forget) removes its bytes.
//!
//! The manual has [sources, rights and deletion](crate::manual::memory).

mod audit;
pub mod categories;
mod cited;
mod event;
mod forget;
mod found;
mod id;
pub(crate) mod key;
mod learning;
mod pack;
mod query;
mod row;
mod snapshot;
mod source;
mod stale;
pub(crate) mod store;

pub use crate::base::receipt::PlaceReceipt;
pub use audit::{AuditEntry, AuditOutcome};
pub(crate) use cited::CitedLines;
pub use event::{EventName, IndexProgress, MemoryEvent, MemoryObserver};
pub use forget::ForgetRequest;
pub use found::{Degraded, Found, Hit, Reached, SearchOutcome};
pub use id::MemoryId;
pub use learning::{Learning, LearningId, LearningStore, NewLearning};
#[doc(inline)]
pub use noctuary_index::rank::{Order, Shares, Signal};
pub use pack::Packed;
pub use query::{AsOf, Filter, Query, QueryVector, Syntax};
pub use row::{Memory, NewMemory, Place, Role};
pub use snapshot::SnapshotRow;
pub(crate) use snapshot::{Doubt, Shown, ShownRow};
pub use source::Source;
pub use stale::Stale;
#[cfg(any(feature = "exchange", feature = "postgres", feature = "sqlite"))]
pub(crate) use stale::end_of;
pub(crate) use store::MemoryStore;
pub use store::{IndexState, is_purge_due};
