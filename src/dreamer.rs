//! The contract of a dreamer: a dream in steps that the host answers.
//!
//! [`Dreamer::begin`] either ends at once or hands out a [`DreamPass`] with a request for the model.
//! Whoever drives it answers with [`DreamPass::resume`], until it is [`Step::Done`]. The drivers
//! [`dream_once`](crate::dream_once) and [`dream_once_async`](crate::dream_once_async) are ten lines each; a
//! host with needs of its own writes its own ten.

mod facts;
mod report;
mod sleep;

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use crate::base::error::Result;
use crate::llm::{LlmError, LlmReply, LlmRequest};

pub use facts::{FactReport, FactRuling, LeftPair, LeftReason, RulingFate};
pub use report::{
    Backlog, Blamed, Charge, DreamMode, DreamReport, DropReason, Dropped, Failure, Fate, Hold, HoldReason,
    JournalReport, LineReport, MemoryGauge, NotDue, Notice, Outcome, PassReport, ReadReason, ShownSlice,
};
pub use sleep::{DeepReport, PlanFault, SleepReport};

/// The setters that the builder of every dreamer has over its configuration.
macro_rules! configured_by {
    ($config:ty) => {
        /// Turns the dreamer on or off; it is off until somebody turns it on.
        pub fn enabled(mut self, enabled: bool) -> Self {
            self.config.enabled = enabled;
            self
        }

        /// Replaces the whole configuration.
        pub fn config(mut self, config: $config) -> Self {
            self.config = config;
            self
        }

        /// Changes the configuration in place.
        pub fn configure(mut self, change: impl FnOnce(&mut $config)) -> Self {
            change(&mut self.config);
            self
        }
    };
}
pub(crate) use configured_by;

/// Dreams over one workspace.
///
/// # Example: a dreamer of your own
///
/// ```
/// use chrono::{DateTime, Utc};
/// use noctuary::dream::{DreamMode, Step};
/// use noctuary::{DreamReport, Dreamer, Extractive, Outcome, Result, dream_once};
///
/// /// Dreams nothing on workdays.
/// #[derive(Debug)]
/// struct Idle;
///
/// impl Dreamer for Idle {
///     fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
///         let mut report = DreamReport::begun(DreamMode::Append, "nowhere".to_owned(), now);
///         report.outcome = Outcome::NothingNew;
///         Ok(Step::Done(Box::new(report)))
///     }
/// }
///
/// assert_eq!(dream_once(&Idle, &Extractive::new())?.outcome, Outcome::NothingNew);
/// # Ok::<(), noctuary::Error>(())
/// ```
pub trait Dreamer: Debug + Send + Sync {
    /// Begins a dream: claims, recovers what an earlier one left unfinished, and selects.
    ///
    /// # Errors
    ///
    /// What the library itself could not do; nothing is lost, and nothing moved on. A held lock, a disabled
    /// dreamer and an empty selection are no errors but [`Outcome`]s.
    fn begin(&self, now: DateTime<Utc>) -> Result<Step>;
}

/// What a dream needs next. Exhaustive on purpose: a driver handles both.
#[derive(Debug)]
#[must_use = "a dream goes on with its step, or is given up with it"]
pub enum Step {
    /// The model's answer to [`DreamPass::request`].
    Ask(Box<dyn DreamPass>),
    /// Nothing: it is over.
    Done(Box<DreamReport>),
}

/// A claimed dream that waits for the model: it owns the lease and what was selected.
///
/// Dropping it releases the lease and writes nothing.
///
/// # Example: a host that drives the steps itself
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::dream::Step;
/// use noctuary::{Dreamer, FileWorkspace, JournalDreamer, LlmReply};
///
/// let folder = tempfile::tempdir()?;
/// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
/// let mut step = dreamer.begin(Utc::now())?;
/// let report = loop {
///     step = match step {
///         Step::Ask(pass) => {
///             let prompt = (&pass.request().system, &pass.request().user);
///             // Somewhere in between: cancel by dropping the pass, wait for a budget, ask another process.
///             let answer = Ok(LlmReply::new(if prompt.1.is_empty() { "" } else { "NOTHING_TO_PROMOTE" }));
///             pass.resume(answer, Utc::now())?
///         }
///         Step::Done(report) => break report,
///     };
/// };
/// assert_eq!(report.calls, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait DreamPass: Debug + Send {
    /// The request to answer.
    fn request(&self) -> &LlmRequest;

    /// Takes the answer, commits what it promotes, and says what is next. A failure of the model is an
    /// answer too: it is recorded, and nothing moves.
    ///
    /// # Errors
    ///
    /// What the library itself could not do. The lease is released; a commit that had begun is finished by
    /// the next claim.
    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step>;
}

/// Hears how each pass ended, for the host's log.
///
/// ```
/// use noctuary::dream::{DreamEvent, Level, Observer};
///
/// #[derive(Debug)]
/// struct ToStderr;
///
/// impl Observer for ToStderr {
///     fn event(&self, event: &DreamEvent<'_>) {
///         if event.level != Level::Info {
///             eprintln!("{}: {} {:?}", event.module, event.outcome, event.files);
///         }
///     }
/// }
/// ```
pub trait Observer: Debug + Send + Sync {
    /// Called once for each pass that ended, and for each run that ended without one.
    fn event(&self, event: &DreamEvent<'_>);
}

/// One line for a structured log. It names files and classes and holds no text out of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DreamEvent<'a> {
    /// `workspace/dreaming-task`, the seed's module name.
    pub module: &'static str,
    /// How loud it is.
    pub level: Level,
    /// How the pass ended.
    pub outcome: Outcome,
    /// Where: the workspace's location.
    pub workspace: &'a str,
    /// Which dream, where one was selected.
    pub dream_id: Option<&'a crate::format::DreamId>,
    /// Classes of secrets that were found in the reply.
    pub patterns: Vec<&'a str>,
    /// The journals that were quarantined, else those that were read.
    pub files: Vec<&'a str>,
}

/// How loud an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// As expected.
    Info,
    /// Worth a look: it will be tried again.
    Warn,
    /// Somebody has to look at it.
    Error,
}
