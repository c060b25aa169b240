//! A memory store: rows that were remembered, found again by what they say.

pub(crate) mod contract;
pub(crate) mod key;
mod learning;

pub use crate::base::receipt::PlaceReceipt;
pub(crate) use contract::MemoryStore;
pub use contract::{
    AuditEntry, Filter, Found, Hit, IndexState, Memory, MemoryEvent, MemoryId, MemoryObserver, NewMemory,
    Order, Place, Query, Role, SearchOutcome, SnapshotRow, Source, Syntax, categories, is_purge_due,
};
pub use learning::{Learning, LearningId, LearningStore, NewLearning};
