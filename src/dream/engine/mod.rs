//! One engine under all dreamers: claim, recovery, budget, usage, observer, log, and the loop over passes.
//!
//! A dreamer of one kind is a [`Dream`]: it says what is selected, asked, judged and committed. [`begin`] does the rest.
//!
//! ```text
//! begin: claim ─ open (recover, read) ─┬─ select ─┬─ nothing ── complete ── release ── Done
//!                                      │          └─ a request ── Ask
//! resume: fence ─ count ─ judge ───────┘
//! ```

mod begin;
mod budget;
mod builder;
mod caps;
mod dream;
mod due;
mod host;
mod masks;
mod pace;
mod reply;
mod request;
mod run;
mod sanitise;
mod store;

pub(crate) use begin::{RunTerms, begin};
pub(crate) use budget::Calls;
pub use budget::{BackOff, CallBudget};
pub(crate) use builder::{configured_by, stated_by};
pub use caps::SectionCaps;
pub(crate) use dream::{Asking, Dream, Pass, Then};
pub use due::Due;
pub(crate) use due::{breaker, due};
pub(crate) use host::{Host, other_machine};
pub(crate) use masks::{machine_ranges, mask_printed, without_secrets};
pub use pace::Pace;
pub(crate) use request::{nonce, tell_request};
pub(crate) use run::Run;
pub(crate) use sanitise::{Item, Sanitised, bullets_of_prose, print, sanitise};
pub(crate) use store::{Paced, Question, StoreDreamer, held, refused, stopped};
