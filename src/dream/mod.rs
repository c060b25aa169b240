//! Nights: a dream reads new journals, asks the model, checks its answer, and appends to `MEMORY.md`.
//!
//! ```
//! use std::sync::Arc;
//! use noctuary::dream::{DreamMode, Evidence};
//! use noctuary::{Extractive, FileWorkspace, JournalDreamer, Outcome, dream_once};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::create_dir(folder.path().join("memory"))?;
//! # let journal = format!("memory/{}-repl.md", chrono::Utc::now().format("%Y-%m-%d"));
//! # std::fs::write(folder.path().join(journal), "[user] Decision: releases go out on Fridays.\n")?;
//! let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?))
//!     .enabled(true) // off by default
//!     .configure(|config| config.evidence = Evidence::Required) // hold lines without a citation
//!     .configure(|config| config.mode = DreamMode::Append) // or Propose, Preview
//!     .build()?;
//! let report = dream_once(&dreamer, &Extractive::new())?; // or your own model
//! assert_eq!(report.outcome, Outcome::Appended);
//! for line in report.passes.iter().flat_map(|pass| &pass.lines) {
//!     println!("{line}"); // promoted, or held and why
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`should_dream`], [`Due`], [`NotDue`], [`BackOff`] | whether it is time |
//! | [`DreamMode`], [`Evidence`], [`Trust`], [`OverBudget`], [`SectionCaps`] | [settings](crate::DreamConfig) of a dream |
//! | [`JournalDreamerBuilder`] | builds a [`JournalDreamer`](crate::JournalDreamer) |
//! | [`PassReport`], [`LineReport`], [`LineOutcome`], [`Hold`], [`HoldReason`] | the lines of an answer |
//! | [`JournalReport`], [`ReadReason`], [`ShownSlice`], [`Backlog`] | the journals of a run |
//! | [`Failure`], [`Notice`], [`Blamed`], [`Charge`], [`Dropped`], [`DropReason`], [`MemoryGauge`] | the rest of a report |
//! | [`DreamSurvey`] | what waits, without a run |
//! | [`DreamProposal`], [`ProposalReport`], [`ProposalEnd`] | proposals for a person |
//! | [`DreamRecord`], [`DreamStanding`], [`JournalSpan`] | earlier dreams: undo, redo, read again |
//! | [`FactDreamer`], [`FactDreamerBuilder`], [`FactDreamConfig`], [`FactReport`], [`FactRuling`], [`RulingOutcome`], [`LeftPair`], [`LeftReason`] | a model judges contradictions among facts |
//! | [`PersonalizationDreamer`], [`PersonalizationDreamerBuilder`], [`PersonalizationConfig`], [`HistorySource`], [`HistoryItem`], [`history_fn`], [`HistoryFn`] | rows about the human, rebuilt from a host's history |
//! | [`RoleDreamer`], [`RoleDreamerBuilder`], [`RoleConfig`] | lessons of notes of roles, and methods of lessons |
//! | [`Pace`] | calls and bytes of those three |
//! | [`Step`], [`DreamPass`] | the steps of a dream, for a host that drives it by hand |
//! | [`Observer`], [`DreamEvent`], [`Level`] | one event for each pass, for a log |
//!
//! A creature that tires and sleeps is in `noctuary::sleep` (feature `sleep`).
//!
//! # Limits
//!
//! - A line that cites nothing is promoted unchecked by default, and reported so. [`Evidence::Required`] holds it.
//! - Evidence catches inventions, not misreadings.
//! - Put the time limit inside your client. A call that is given up from outside is counted by no cap and no back-off.
//! - Only [`should_dream`] knows the interval: a driver runs whenever it is called, unless a back-off or a cap stops it.
//! - A preview costs a call, and no cap counts it.
//! - Undo, redo and the archive replace `MEMORY.md`. An editor that saves in that very moment loses its save.
//!
//! The manual has [each outcome](crate::manual::night), [schedules](crate::manual::night#when-to-call-it) and
//! [the commit, case by case](crate::manual::durability).

pub(crate) mod commit;
mod engine;
mod evidence;
mod facts;
pub(crate) mod journal;
mod profile;
mod roles;
mod said;
#[cfg(feature = "sleep")]
pub(crate) mod sleep;

pub use crate::dreamer::{
    Backlog, Blamed, Charge, DreamEvent, DreamMode, DreamPass, DropReason, Dropped, FactReport, FactRuling,
    Failure, Hold, HoldReason, JournalReport, LeftPair, LeftReason, Level, LineOutcome, LineReport,
    MemoryGauge, NotDue, Notice, Observer, PassReport, ReadReason, RulingOutcome, ShownSlice, Step,
};
pub use engine::{BackOff, CallBudget, Due, Pace, SectionCaps};
pub use evidence::{Evidence, Trust};
pub use facts::{FactDreamConfig, FactDreamer, FactDreamerBuilder};
pub use journal::{
    DreamProposal, DreamRecord, DreamStanding, DreamSurvey, JournalDreamerBuilder, JournalSpan, OverBudget,
    ProposalEnd, ProposalReport, should_dream,
};
pub use profile::{
    HistoryFn, HistoryItem, HistorySource, PersonalizationConfig, PersonalizationDreamer,
    PersonalizationDreamerBuilder, history_fn,
};
pub use roles::{RoleConfig, RoleDreamer, RoleDreamerBuilder};
#[cfg(feature = "exchange")]
pub(crate) use said::Said;
