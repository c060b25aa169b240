//! Spans for the host's tracing; see [the manual](crate::manual::operate#spans). Nothing is left of them without
//! the feature `tracing`.
//!
//! A span says that something happened, how it ended and how much of it there was, never what. No function here takes a
//! text. Recorded are counts, ids and words of our own lists.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use crate::base::error::{Error, Result};
use crate::base::receipt::{ForgetPlace, PlaceReceipt};
use crate::base::spread::Spread;
use crate::base::usage::Usage;
use crate::dreamer::{DreamReport, LineOutcome};
use crate::format::DreamId;
use crate::llm::{Finish, LlmError, LlmReply, LlmRequest};
use crate::memory::{Found, MemoryId, SearchOutcome};
use crate::workspace::Claim;

/// Opens a span below one, or below the one that is entered: `word = value` is known, a word alone comes later.
#[cfg(feature = "tracing")]
macro_rules! span {
    ($name:literal, below: $parent:expr $(, $field:literal $(= $value:expr)?)* $(,)?) => {
        Span(tracing::info_span!(
            target: "noctuary", parent: &$parent.0, $name,
            $($field = span!(@ $($value)?),)* "error.type" = tracing::field::Empty,
        ))
    };
    ($name:literal $(, $field:literal $(= $value:expr)?)* $(,)?) => {
        Span(tracing::info_span!(
            target: "noctuary", $name,
            $($field = span!(@ $($value)?),)* "error.type" = tracing::field::Empty,
        ))
    };
    (@) => { tracing::field::Empty };
    (@ $value:expr) => { $value };
}

#[cfg(not(feature = "tracing"))]
macro_rules! span {
    ($name:literal $(, below: $parent:expr)? $(, $field:literal $(= $value:expr)?)* $(,)?) => {{
        $(let _ = $parent;)?
        if false {
            $($(let _ = $value;)?)*
        }
        Span()
    }};
}

/// A span, until it is dropped. It is entered while something runs within it, never over a point of waiting.
#[derive(Debug, Clone)]
pub(crate) struct Span(#[cfg(feature = "tracing")] tracing::Span);

#[cfg_attr(not(feature = "tracing"), expect(clippy::unused_self, reason = "a span is nothing then"))]
impl Span {
    /// Runs something within the span.
    pub(crate) fn within<T>(&self, run: impl FnOnce() -> T) -> T {
        #[cfg(feature = "tracing")]
        return self.0.in_scope(run);
        #[cfg(not(feature = "tracing"))]
        run()
    }

    /// Runs something within the span, which says where it failed.
    pub(crate) fn attempt<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.within(run).inspect_err(|error| self.word("error.type", error.kind()))
    }

    /// Says that something was given up, unless it ends before this is dropped.
    pub(crate) fn unless_ended(&self) -> Unended {
        Unended { span: Some(self.clone()) }
    }

    /// Returns a future that is within the span whenever it is polled, and only then.
    pub(crate) fn around<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        #[cfg(feature = "tracing")]
        return tracing::Instrument::instrument(future, self.0.clone());
        #[cfg(not(feature = "tracing"))]
        future
    }

    /// Returns whether anybody listens; without a listener an event costs nothing.
    fn is_heard(&self) -> bool {
        #[cfg(feature = "tracing")]
        return !self.0.is_disabled();
        #[cfg(not(feature = "tracing"))]
        false
    }

    fn word(&self, field: &'static str, word: &str) {
        #[cfg(feature = "tracing")]
        self.0.record(field, word);
        #[cfg(not(feature = "tracing"))]
        let _ = (field, word);
    }

    fn count(&self, field: &'static str, count: impl TryInto<u64>) {
        #[cfg(feature = "tracing")]
        self.0.record(field, count.try_into().unwrap_or(u64::MAX));
        #[cfg(not(feature = "tracing"))]
        let _ = (field, count);
    }

    /// Says how a dream ended.
    pub(crate) fn ended(&self, report: Box<DreamReport>) -> Box<DreamReport> {
        if !self.is_heard() {
            return report;
        }
        let lines = || report.passes.iter().spread(|pass| &pass.lines);
        let ids: Vec<&str> = report.passes.iter().map(|pass| pass.dream_id.as_str()).collect();
        self.word("noctuary.outcome", report.outcome.as_str());
        self.word("noctuary.dream.id", &ids.join(" "));
        self.count("noctuary.calls", report.calls);
        self.count("noctuary.candidates", report.journals.len());
        self.count(
            "noctuary.promoted",
            lines().filter(|line| matches!(line.fate, LineOutcome::Promoted { .. })).count(),
        );
        self.count("noctuary.held", lines().filter(|line| matches!(line.fate, LineOutcome::Held(_))).count());
        self.count("noctuary.backlog.journals", report.backlog.journals);
        self.count("noctuary.backlog.bytes", report.backlog.bytes);
        report
    }

    /// Says how much was selected, out of how many candidates, and ends.
    pub(crate) fn selected(self, candidates: usize, sizes: impl ExactSizeIterator<Item = usize>) {
        self.count("noctuary.candidates", candidates);
        self.count("noctuary.selected", sizes.len());
        self.count("noctuary.selected.bytes", sizes.sum::<usize>());
    }

    /// Says how a model answered, and ends.
    pub(crate) fn answered(self, answer: &std::result::Result<LlmReply, LlmError>) {
        match answer {
            Ok(reply) => {
                let finish = match reply.finish {
                    Finish::Stop => "stop",
                    Finish::Length => "length",
                    Finish::Other => "other",
                    Finish::Unsaid => "unsaid",
                };
                self.word("gen_ai.response.finish_reasons", finish);
                self.count("noctuary.reply.bytes", reply.text.len());
                if let Some(Usage { input, output, cached_input }) = reply.usage {
                    self.count("gen_ai.usage.input_tokens", input);
                    self.count("gen_ai.usage.output_tokens", output);
                    self.count("gen_ai.usage.cache_read.input_tokens", cached_input);
                }
            }
            Err(error) => {
                self.word("error.type", if error.is_retryable() { "retryable" } else { "permanent" });
            }
        }
    }
}

/// A dream that has not ended. If it is dropped, by a host that gave it up or by a panic, the span says so.
#[derive(Debug)]
pub(crate) struct Unended {
    span: Option<Span>,
}

impl Unended {
    /// Ends the span. The dream has ended, well or not, and says itself how.
    pub(crate) fn end(mut self) {
        self.span = None;
    }
}

impl Drop for Unended {
    fn drop(&mut self) {
        if let Some(span) = self.span.take() {
            span.word("noctuary.outcome", "cancelled");
        }
    }
}

/// Opens the span of a whole dream.
pub(crate) fn dream() -> Span {
    span!(
        "dream",
        "gen_ai.operation.name" = "invoke_workflow",
        "gen_ai.workflow.name" = "dream",
        "noctuary.outcome",
        "noctuary.dream.id",
        "noctuary.calls",
        "noctuary.candidates",
        "noctuary.promoted",
        "noctuary.held",
        "noctuary.backlog.journals",
        "noctuary.backlog.bytes",
    )
}

/// Opens the span of the selection of what a dream shows to a model.
pub(crate) fn select() -> Span {
    span!("select", "noctuary.candidates", "noctuary.selected", "noctuary.selected.bytes")
}

/// Opens the span of a call of a model, in a dream.
pub(crate) fn ask(dream: &Span, request: &LlmRequest) -> Span {
    let span = span!(
        "ask",
        below: dream,
        "gen_ai.operation.name" = "chat",
        "gen_ai.request.max_tokens",
        "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.cache_read.input_tokens",
        "noctuary.request.bytes" = request.bytes(),
        "noctuary.reply.bytes",
    );
    if let Some(most) = request.max_output_tokens {
        span.count("gen_ai.request.max_tokens", most);
    }
    span
}

/// Spans a commit of a pass: an append to `MEMORY.md`, or what a sleeper leaves behind.
pub(crate) fn commit<T>(id: &DreamId, run: impl FnOnce() -> Result<T>) -> Result<T> {
    span!("commit", "gen_ai.operation.name" = "update_memory", "noctuary.dream.id" = id.as_str()).attempt(run)
}

/// Spans the claim of a workspace. Who holds it is not said: it is in the report.
pub(crate) fn claim(run: impl FnOnce() -> Result<Claim>) -> Result<Claim> {
    let span = span!("claim", "noctuary.claim.granted", "noctuary.claim.epoch", "noctuary.claim.wait_ms");
    let begun = span.is_heard().then(Instant::now);
    let claim = span.attempt(run);
    let waited = begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    span.count("noctuary.claim.wait_ms", waited.as_millis());
    match &claim {
        Ok(Claim::Granted(lease)) => {
            span.word("noctuary.claim.granted", "yes");
            span.count("noctuary.claim.epoch", lease.epoch());
        }
        Ok(Claim::Held(_)) => span.word("noctuary.claim.granted", "no"),
        Err(_) => {}
    }
    claim
}

/// Rows are searched.
pub(crate) fn search(run: impl FnOnce() -> Result<Found>) -> Result<Found> {
    let span = searching();
    let found = span.attempt(run);
    if let Ok(found) = &found {
        span.count("gen_ai.memory.record.count", found.hits.len());
        span.word("noctuary.search.outcome", outcome(found.outcome));
    }
    found
}

/// Makes the index of a store anew, which was missing or could not be read. Says how many rows were read.
pub(crate) fn read_rows(run: impl FnOnce() -> Result<usize>) -> Result<()> {
    let span = span!("index_rows", "noctuary.rows");
    let rows = span.attempt(run)?;
    span.count("noctuary.rows", rows);
    Ok(())
}

/// Documents are searched.
pub(crate) fn search_documents<T>(
    told: impl Fn(&T) -> (usize, SearchOutcome),
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let span = searching();
    span.attempt(run).inspect(|found| {
        let (count, found) = told(found);
        span.count("gen_ai.memory.record.count", count);
        span.word("noctuary.search.outcome", outcome(found));
    })
}

fn outcome(outcome: SearchOutcome) -> &'static str {
    match outcome {
        SearchOutcome::Hit => "hit",
        SearchOutcome::Weak => "weak",
        SearchOutcome::Empty => "empty",
        SearchOutcome::Degraded(_) => "degraded",
    }
}

fn searching() -> Span {
    span!(
        "search_memory",
        "gen_ai.operation.name" = "search_memory",
        "gen_ai.memory.record.count",
        "noctuary.search.outcome",
    )
}

/// Spans the writing of a row.
pub(crate) fn create<T, I: fmt::Display>(id: impl Fn(&T) -> I, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let span = span!("create_memory", "gen_ai.operation.name" = "create_memory", "gen_ai.memory.record.id");
    span.attempt(run).inspect(|written| span.word("gen_ai.memory.record.id", &id(written).to_string()))
}

/// Spans the change of a row, or of its state.
pub(crate) fn update(id: MemoryId, run: impl FnOnce() -> Result<bool>) -> Result<bool> {
    let span = span!(
        "update_memory",
        "gen_ai.operation.name" = "update_memory",
        "gen_ai.memory.record.id" = id.to_string(),
        "gen_ai.memory.record.count",
    );
    span.attempt(run).inspect(|done| span.count("gen_ai.memory.record.count", u64::from(*done)))
}

/// Spans the deletion of a row.
pub(crate) fn delete(id: MemoryId, run: impl FnOnce() -> Result<bool>) -> Result<bool> {
    let span = span!(
        "delete_memory",
        "gen_ai.operation.name" = "delete_memory",
        "gen_ai.memory.record.id" = id.to_string(),
        "gen_ai.memory.record.count",
    );
    span.attempt(run).inspect(|done| span.count("gen_ai.memory.record.count", u64::from(*done)))
}

/// Words are forgotten wherever they are.
pub(crate) fn forget(run: impl FnOnce() -> Result<Vec<PlaceReceipt>>) -> Result<Vec<PlaceReceipt>> {
    let span =
        span!("delete_memory", "gen_ai.operation.name" = "delete_memory", "gen_ai.memory.record.count");
    span.attempt(run).inspect(|places| {
        let rows = places.iter().filter(|place| place.place == ForgetPlace::Rows);
        span.count("gen_ai.memory.record.count", rows.map(|place| place.removed).sum::<u64>());
    })
}

/// Spans a call of a tool of ours, by a name of ours. Its arguments and its answer are not recorded.
pub(crate) fn tool<T, E>(
    name: &str,
    because: impl FnOnce(&E) -> Option<&Error>,
    run: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let span = span!("execute_tool", "gen_ai.operation.name" = "execute_tool", "gen_ai.tool.name" = name);
    span.within(run)
        .inspect_err(|error| span.word("error.type", because(error).map_or("refused", Error::kind)))
}
