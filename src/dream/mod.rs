//! Nights: what the days wrote becomes memory, each line exactly once.

pub(crate) mod commit;
mod evidence;
pub(crate) mod facts;
pub(crate) mod journal;
mod profile;
pub(crate) mod sleep;

pub use crate::dreamer::{
    Backlog, Blamed, Charge, DreamEvent, DreamMode, DreamPass, DropReason, Dropped, FactReport, FactRuling,
    Failure, Fate, Hold, HoldReason, JournalReport, LeftPair, LeftReason, Level, LineReport, MemoryGauge,
    NotDue, Notice, Observer, PassReport, ReadReason, RulingFate, ShownSlice, Step,
};
pub(crate) use commit::{append_log, recover};
pub(crate) use evidence::{Judge, Shown, Verdict};
pub use facts::{
    FactDreamConfig, FactDreamer, FactDreamerBuilder, HistoryFn, HistoryItem, HistorySource, Pace, history_fn,
};
pub use journal::{
    BackOff, DreamProposal, DreamRecord, DreamStanding, DreamSurvey, Due, Evidence, JournalDreamerBuilder,
    JournalSpan, OverBudget, ProposalEnd, ProposalReport, SectionCaps, Trust, should_dream,
};
pub(crate) use journal::{
    Bounds, Calls, CleanLine, DreamConfig, Sanitised, breaker, clean_line, count_call, count_failure, due,
    machine_ranges, mask_printed, sanitise, tell, tell_request, whole, without_secrets,
};
pub use profile::{PersonalizationConfig, PersonalizationDreamer, PersonalizationDreamerBuilder};
