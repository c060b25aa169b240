//! Dreaming over journals: lines of the days' journals become lines of `MEMORY.md`, each exactly once.

mod ask;
mod blame;
mod brief;
mod compact;
pub(crate) mod config;
mod curation;
mod dreamer;
mod dreams;
mod due;
mod earlier;
mod judge;
mod looks;
mod past;
mod person;
mod propose;
mod queue;
#[cfg(feature = "doctor")]
mod rebuild;
mod record;
mod records;
mod request;
mod reread;
mod run;
mod screen;
mod select;
mod shown;
mod survey;
mod undo;

pub use config::{DreamConfig, OverBudget};
pub use dreamer::{JournalDreamer, JournalDreamerBuilder};
pub use dreams::{DreamRecord, DreamStanding};
pub use due::should_dream;
pub use propose::{DreamProposal, ProposalEnd, ProposalReport};
#[cfg(feature = "doctor")]
pub(crate) use rebuild::rebuild_ledger;
pub use reread::JournalSpan;
pub use survey::DreamSurvey;
