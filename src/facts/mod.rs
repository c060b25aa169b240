//! Facts: what is true now, what was true before, and who decided so.
//!
//! A [`FactStore`] is an additional contract of both memory stores.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::facts::{Decision, FactKey, FactStore};
//! use noctuary::memory::{NewMemory, Source};
//! use noctuary::{Access, FileMemoryStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
//! let marta = Access::human(Scope::user("marta"));
//! let home = |text| NewMemory::new("fact", text, Source::ChatExtracted).about(FactKey::one("marta", "home"));
//! let lisbon = store.record(&marta, &home("Marta lives in Lisbon"), Utc::now())?;
//! let porto = store.record(&marta, &home("Marta lives in Porto"), Utc::now())?;
//! assert_eq!(porto.suspects[0].id, lisbon.id); // they may contradict each other
//! let moved = store.decide(&marta, &Decision::supersede(lisbon.id, porto.id), Utc::now())?;
//! assert_eq!(store.history(&marta, porto.id)?.len(), 2);
//! store.revert(&marta, moved.id, Utc::now())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`FactKey`], [`Cardinality`] | a subject and a property, with one value or many |
//! | [`Recorded`], [`Suspect`], [`SuspectReason`], [`Suspicion`] | rows that may contradict a new one |
//! | [`Decision`], [`Verdict`] | supersede, duplicate, coexist, dispute, confirm, reject |
//! | [`Fact`], [`FactState`], [`FactStatus`] | a row with its state |
//! | [`ConsolidationEvent`], [`EventId`], [`EventOutcome`], [`StatusChange`] | the record of a decision, and its revert |
//! | [`Superseded`] | a promoted line that no longer holds, and what holds now |
//! | [`Layers`], [`Layered`], [`LayeredHit`] | one question to several stores, the nearest first |
//! | [`Settled`] | the result of settling pending facts |
//! | [`UnknownFactState`] | error of parsing the word of a state |
//! | [`FactConfig`] | consolidation by a model, shadow mode, circuit breaker |
//!
//! # Limits
//!
//! - A suspicion changes nothing until somebody decides. [`FactDreamer`](crate::dream::FactDreamer) lets a model decide; it is off by default.
//! - Only rows of category `fact` are settled: a preference that is written twice exists twice.
//! - The human alone retires a row that a human typed, confirmed or pinned.
//! - A retired row is in the history only, and no word is rewritten. A search by its words leads to what holds now.
//!
//! The manual has [the decisions and the rights](crate::manual::memory#facts).

mod config;
mod decision;
mod event;
mod fact;
mod layers;
mod state;
mod store;
mod suspicion;

pub use crate::memory::key::{Cardinality, FactKey};
pub use config::FactConfig;
pub use decision::{Decision, Verdict};
pub use event::{ConsolidationEvent, EventId, EventOutcome};
pub use fact::{Fact, Superseded};
pub use layers::{Layered, LayeredHit, Layers};
pub use state::{FactState, FactStatus, StatusChange, UnknownFactState};
pub(crate) use store::as_of;
pub use store::{FactStore, Settled};
pub use suspicion::{Recorded, Suspect, SuspectReason, Suspicion};
