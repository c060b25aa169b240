//! The fact layer of a store: what is true now, what was true before, and who decided so.

mod config;
mod decision;
mod event;
mod fact;
mod state;
mod store;
mod suspicion;

pub use crate::memory::key::{Cardinality, FactKey};
pub use config::FactConfig;
pub use decision::{Decision, Verdict};
pub use event::{ConsolidationEvent, EventId, EventOutcome};
pub use fact::Fact;
pub use state::{FactState, FactStatus, StatusChange};
pub use store::{FactStore, Settled};
pub use suspicion::{Recorded, Suspect, SuspectReason, Suspicion};
