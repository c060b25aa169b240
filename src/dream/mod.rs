//! Nights: what the days wrote becomes memory, each line exactly once.

pub(crate) mod commit;
mod engine;
mod evidence;
mod facts;
pub(crate) mod journal;
mod profile;
pub(crate) mod sleep;

pub use crate::dreamer::{
    Backlog, Blamed, Charge, DreamEvent, DreamMode, DreamPass, DropReason, Dropped, FactReport, FactRuling,
    Failure, Fate, Hold, HoldReason, JournalReport, LeftPair, LeftReason, Level, LineReport, MemoryGauge,
    NotDue, Notice, Observer, PassReport, ReadReason, RulingFate, ShownSlice, Step,
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
