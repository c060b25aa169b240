//! The contract of a dreamer: a dream in steps that the host answers.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use super::report::DreamReport;
use crate::base::error::Result;
use crate::llm::{LlmError, LlmReply, LlmRequest};

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
    /// Failures of the library itself; nothing is lost, and nothing moved on. A held lock, a disabled
    /// dreamer and an empty selection are no errors but [`Outcome`](super::Outcome)s.
    fn begin(&self, now: DateTime<Utc>) -> Result<Step>;
}

/// The next need of a dream. Exhaustive on purpose: a driver handles both.
///
/// # Example: on tokio
///
/// Steps run on threads that may block, and the model is asked on the runtime:
///
/// ```rust,no_run
/// use std::time::Duration;
///
/// use chrono::Utc;
/// use noctuary::dream::{Due, Step, should_dream};
/// use noctuary::{DreamReport, Dreamer, Error, JournalDreamer, LlmError, LlmReply, LlmRequest};
/// use tracing::{Instrument as _, Span, info_span};
///
/// /// Runs work that blocks on a thread for it, within the span of its caller, which another thread does not know.
/// async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
///     let span = Span::current();
///     tokio::task::spawn_blocking(move || span.in_scope(work)).await.expect("no panic")
/// }
///
/// async fn ask(_request: LlmRequest) -> Result<LlmReply, LlmError> {
///     Ok(LlmReply::new("NOTHING_TO_PROMOTE")) // your client
/// }
///
/// async fn tick(dreamer: JournalDreamer) -> Result<Option<DreamReport>, Error> {
///     let begun = dreamer.clone();
///     let first = blocking(move || -> Result<Option<Step>, Error> {
///         match should_dream(Utc::now(), &begun.state()?, begun.config()) {
///             Due::Now => begun.begin(Utc::now()).map(Some),
///             _ => Ok(None),
///         }
///     });
///     let Some(mut step) = first.await? else { return Ok(None) };
///     loop {
///         match step {
///             Step::Done(report) => return Ok(Some(*report)),
///             Step::Ask(pass) => {
///                 let answer = ask(pass.request().clone()).instrument(info_span!("ask")).await;
///                 step = blocking(move || pass.resume(answer, Utc::now())).await?;
///             }
///         }
///     }
/// }
///
/// /// Runs until `stop` is ready, such as `tokio::signal::ctrl_c()`.
/// async fn nights<S>(dreamer: JournalDreamer, stop: impl Future<Output = S>) {
///     let mut stop = std::pin::pin!(stop);
///     let mut every = tokio::time::interval(Duration::from_secs(30 * 60));
///     every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay); // a laptop that slept
///     loop {
///         tokio::select! {
///             _ = &mut stop => return,
///             _ = every.tick() => {}
///         }
///         // Not a branch of the `select!`: a dream that has begun comes to its end.
///         match tick(dreamer.clone()).instrument(info_span!("dream")).await {
///             Ok(Some(report)) => println!("{}", report.outcome),
///             Ok(None) => {}
///             Err(error) => eprintln!("{error}"),
///         }
///     }
/// }
/// ```
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
    /// Returns the request to answer.
    fn request(&self) -> &LlmRequest;

    /// Takes the answer, commits what it promotes, and says what is next. A failure of the model is an
    /// answer too: it is recorded, and nothing moves.
    ///
    /// # Errors
    ///
    /// Failures of the library itself. The lease is released; a commit that had begun is finished by
    /// the next claim.
    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step>;
}
