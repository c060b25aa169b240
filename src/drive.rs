//! The drivers, `dream_once` and its kin: the loop over steps, and the only place that reads the wall clock.

use std::future::Future;

use chrono::{DateTime, Utc};

use crate::base::error::Result;
use crate::dreamer::{DreamReport, Dreamer, Step};
use crate::llm::{LlmClient, LlmError, LlmReply, LlmRequest};
use crate::trace;

/// Dreams once, by the clock on the wall: begins, asks the model as often as a pass needs it, and reports.
///
/// Blocks while the model thinks. To stop in between, drive the steps by hand and drop the pass.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::{FileWorkspace, JournalDreamer, LlmReply, Outcome, dream_once, llm_fn};
///
/// let folder = tempfile::tempdir()?;
/// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
/// let report = dream_once(&dreamer, &llm_fn(|_| Ok(LlmReply::new("NOTHING_TO_PROMOTE"))))?;
/// assert_eq!(report.outcome, Outcome::NothingNew);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Failures of the library itself; see [`Dreamer::begin`].
pub fn dream_once(dreamer: &dyn Dreamer, llm: &dyn LlmClient) -> Result<DreamReport> {
    dream_once_at(dreamer, llm, &Utc::now)
}

/// Dreams once, by a clock of the caller's. The same workspace, answers and clock give the same bytes.
///
/// It takes a dreamer of any kind, the model, and a function that returns the time. A time would not do, since an
/// answer may take minutes. The clock is asked at the beginning and after each answer. For a fixed time write
/// `&|| night`; time zone and the hour at which a day begins are the dreamer's
/// ([`DreamConfig::day`](crate::DreamConfig::day)).
///
/// A dream writes `MEMORY.md`, which main sessions alone read: nothing of it reaches a group. A group's dream writes the group's own.
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeZone, Utc};
/// use noctuary::{Extractive, FileWorkspace, JournalDreamer, dream_once_at};
///
/// let folder = tempfile::tempdir()?;
/// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
/// let night = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
/// assert_eq!(dream_once_at(&dreamer, &Extractive::new(), &|| night)?.started_at, night);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dream_once`].
pub fn dream_once_at(
    dreamer: &dyn Dreamer,
    llm: &dyn LlmClient,
    clock: &dyn Fn() -> DateTime<Utc>,
) -> Result<DreamReport> {
    let span = trace::dream();
    let unended = span.unless_ended();
    let dreamt = || {
        let mut step = span.attempt(|| dreamer.begin(clock()))?;
        loop {
            match step {
                Step::Done(report) => return Ok(*span.ended(report)),
                Step::Ask(pass) => {
                    let asking = trace::ask(&span, pass.request());
                    let answer = asking.within(|| llm.complete(pass.request()));
                    asking.answered(&answer);
                    step = span.attempt(|| pass.resume(answer, clock()))?;
                }
            }
        }
    };
    let dreamt = dreamt();
    unended.end();
    dreamt
}

/// Dreams once in an async host of any runtime.
///
/// The files are read and written on the thread that polls. That takes some milliseconds a pass in a release build,
/// tens for the first of a process. A host that cannot spare them calls [`dream_once`] on a thread that may block,
/// which then cannot be cancelled. Dropping the future can: it releases the lease and leaves the files as they were
/// after the last pass. A call that is given up so is counted by no cap and no back-off, so put a time limit into
/// `ask`.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::{FileWorkspace, JournalDreamer, LlmReply, LlmRequest, dream_once_async};
///
/// # let runtime = tokio::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
/// let ask = |_request: LlmRequest| async { Ok(LlmReply::new("NOTHING_TO_PROMOTE")) };
/// let report = dream_once_async(&dreamer, ask).await?;
/// assert_eq!(report.calls, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Example: a time limit
///
/// A call that took too long is an error of the model, is counted, and backs off:
///
/// ```rust
/// use std::sync::Arc;
/// use std::time::Duration;
/// use noctuary::{FileWorkspace, JournalDreamer, LlmError, LlmReply, LlmRequest, Outcome, dream_once_async};
///
/// async fn complete(_request: LlmRequest) -> Result<LlmReply, LlmError> {
///     std::future::pending().await // your async client; this one hangs
/// }
///
/// # let runtime = tokio::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # std::fs::create_dir(folder.path().join("memory"))?;
/// # std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), "[user] I prefer tea.\n")?;
/// # let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?))
/// #     .enabled(true)
/// #     .configure(|config| config.window_days = None)
/// #     .build()?;
/// # #[cfg(any())]
/// let limit = Duration::from_secs(5 * 60);
/// # let limit = Duration::from_millis(5);
/// let ask = async |request: LlmRequest| match tokio::time::timeout(limit, complete(request)).await {
///     Ok(answer) => answer,
///     Err(_) => Err(LlmError::new("no answer in time")),
/// };
/// let report = dream_once_async(&dreamer, ask).await?;
/// assert_eq!(report.outcome, Outcome::LlmError);
/// let state = dreamer.state()?;
/// assert_eq!((state.calls_that_day, state.consecutive_failures), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dream_once`].
pub async fn dream_once_async<F, Fut>(dreamer: &dyn Dreamer, ask: F) -> Result<DreamReport>
where
    F: Fn(LlmRequest) -> Fut,
    Fut: Future<Output = Result<LlmReply, LlmError>>,
{
    dream_once_async_at(dreamer, ask, Utc::now).await
}

/// Dreams once in an async host, by a clock of the caller's.
///
/// It is to [`dream_once_async`] as [`dream_once_at`] is to [`dream_once`]: for tests, and for a host that keeps a clock of its own. The
/// clock is asked at the beginning and after each answer. The future can be spawned where `ask`, its futures and the
/// clock are `Send`.
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeZone, Utc};
/// use noctuary::{FileWorkspace, JournalDreamer, LlmReply, LlmRequest, dream_once_async_at};
///
/// # let runtime = tokio::runtime::Runtime::new()?;
/// # runtime.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
/// let night = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
/// let ask = |_request: LlmRequest| async { Ok(LlmReply::new("NOTHING_TO_PROMOTE")) };
/// let report = dream_once_async_at(&dreamer, ask, || night).await?;
/// assert_eq!(report.started_at, night);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dream_once`].
pub async fn dream_once_async_at<F, Fut, C>(dreamer: &dyn Dreamer, ask: F, clock: C) -> Result<DreamReport>
where
    C: Fn() -> DateTime<Utc>,
    F: Fn(LlmRequest) -> Fut,
    Fut: Future<Output = Result<LlmReply, LlmError>>,
{
    let span = trace::dream();
    let unended = span.unless_ended();
    let dreamt = async {
        let mut step = span.attempt(|| dreamer.begin(clock()))?;
        loop {
            match step {
                Step::Done(report) => return Ok(*span.ended(report)),
                Step::Ask(pass) => {
                    let asking = trace::ask(&span, pass.request());
                    let answer = asking.around(ask(pass.request().clone())).await;
                    asking.answered(&answer);
                    step = span.attempt(|| pass.resume(answer, clock()))?;
                }
            }
        }
    };
    let dreamt = dreamt.await;
    unended.end();
    dreamt
}
