//! The commit: an intent, then steps that can each be done twice.
//!
//! The intent holds everything, so that the next claim can finish it: append, ledger, state, log, and then the intent
//! is dropped. The same steps are the commit and the recovery. A dream appends to `MEMORY.md` and never replaces it,
//! since a replacement would lose what a person saves meanwhile. Taking one back has no other way.
//!
//! Everything that changes a home is on this module: dreams, and the verbs of a person over earlier dreams and
//! proposals. It knows none of them.

mod by_hand;
mod change;
mod home;
#[cfg(any(test, not(any(feature = "doctor", feature = "exchange", feature = "sleep"))))]
mod no_sleeper;
mod proposal;
mod recorded;
mod section;
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
pub(super) mod sleeper;
mod steps;

pub(crate) use by_hand::{edits, take_edits};
pub(crate) use home::{
    Glimpse, append_log, archive, archive_of, is_there, memory, memory_name, memory_of, proposals, state,
};
#[cfg(not(any(feature = "doctor", feature = "exchange", feature = "sleep")))]
use no_sleeper::recover_sleep;
pub(crate) use recorded::{commit, recover, unfinished};
#[cfg(any(feature = "doctor", feature = "exchange", feature = "sleep"))]
use sleeper::recover_sleep;
pub(crate) use steps::{Committed, recover_all};
