//! The contract of a dreamer: a dream in steps that the host answers. The parts of this file are in `dreamer/`; dreamers that
//! keep the contract are in `dream/`.
//!
//! [`Dreamer::begin`] either ends at once or hands out a [`DreamPass`] with a request for the model.
//! A driver answers with [`DreamPass::resume`], until it is [`Step::Done`]. The drivers
//! [`dream_once`](crate::dream_once) and [`dream_once_async`](crate::dream_once_async) are ten lines each; a
//! host with needs of its own writes its own ten.

mod contract;
mod due;
mod facts;
mod failure;
mod journal;
mod line;
mod notice;
mod observer;
mod outcome;
mod pass;
mod report;
mod sleep;

pub use contract::{DreamPass, Dreamer, Step};
pub use due::NotDue;
pub use facts::{FactReport, FactRuling, LeftPair, LeftReason, RulingOutcome};
pub use failure::Failure;
pub use journal::{Backlog, JournalReport, MemoryGauge, ReadReason};
pub use line::{DropReason, Dropped, Hold, HoldReason, LineOutcome, LineReport};
pub use notice::Notice;
pub use observer::{DreamEvent, Level, Observer};
pub use outcome::{DreamMode, Outcome};
pub use pass::{Blamed, Charge, PassReport, ShownSlice};
pub use report::DreamReport;
#[cfg(feature = "sleep")]
pub use sleep::{DeepReport, PlanFault, SleepReport};
