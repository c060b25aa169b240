//! A memory store: rows that were remembered, found again by what they say.

mod audit;
pub mod categories;
mod event;
mod found;
mod id;
pub(crate) mod key;
mod learning;
mod query;
mod row;
mod snapshot;
mod source;
pub(crate) mod store;

pub use crate::base::receipt::PlaceReceipt;
pub use audit::AuditEntry;
pub use event::{MemoryEvent, MemoryObserver};
pub use found::{Found, Hit, SearchOutcome};
pub use id::MemoryId;
pub use learning::{Learning, LearningId, LearningStore, NewLearning};
pub use query::{Filter, Order, Query, Syntax};
pub use row::{Memory, NewMemory, Place, Role};
pub use snapshot::SnapshotRow;
pub use source::Source;
pub(crate) use store::MemoryStore;
pub use store::{IndexState, is_purge_due};
