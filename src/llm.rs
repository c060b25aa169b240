//! The contract of a language model, `LlmClient`: the one thing that the host brings. Clients of ours are in `model/`.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::base::usage::Usage;

/// Completes a request with the host's own model.
///
/// The library calls it at most once for each pass, holds no key, sets no timeout and does not retry. Your client does.
/// One for OpenAI-compatible endpoints ships behind the feature `http`.
///
/// # Example: a closure is a client
///
/// ```
/// use noctuary::{LlmClient, LlmReply, LlmRequest, llm_fn};
///
/// let client = llm_fn(|request: &LlmRequest| {
///     let _prompt = (&request.system, &request.user);
///     Ok(LlmReply::new("NOTHING_TO_PROMOTE"))
/// });
/// assert_eq!(client.complete(&LlmRequest::new("be brief", "hello"))?.text, "NOTHING_TO_PROMOTE");
/// # Ok::<(), noctuary::LlmError>(())
/// ```
pub trait LlmClient {
    /// Answers one request.
    ///
    /// # Errors
    ///
    /// [`LlmError`] where there is no answer; the dream records it and moves nothing.
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError>;
}

impl<C: LlmClient + ?Sized> LlmClient for &C {
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (**self).complete(request)
    }
}

impl<C: LlmClient + ?Sized> LlmClient for Box<C> {
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (**self).complete(request)
    }
}

impl<C: LlmClient + ?Sized> LlmClient for std::sync::Arc<C> {
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (**self).complete(request)
    }
}

/// Makes a client of a closure.
///
/// ```
/// use noctuary::{LlmClient, LlmError, LlmRequest, llm_fn};
///
/// let offline = llm_fn(|_| Err(LlmError::new("no network")));
/// assert!(offline.complete(&LlmRequest::new("be brief", "hello")).unwrap_err().is_retryable());
/// ```
pub fn llm_fn<F>(complete: F) -> LlmFn<F>
where
    F: Fn(&LlmRequest) -> Result<LlmReply, LlmError>,
{
    LlmFn(complete)
}

/// A closure as a client; made by [`llm_fn`].
#[derive(Clone, Copy)]
pub struct LlmFn<F>(F);

impl<F> fmt::Debug for LlmFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LlmFn")
    }
}

impl<F> LlmClient for LlmFn<F>
where
    F: Fn(&LlmRequest) -> Result<LlmReply, LlmError>,
{
    fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (self.0)(request)
    }
}

/// A request to a model: one system message and one user message.
///
/// Secrets of the gate's classes are masked in it already. Prints its shape only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LlmRequest {
    /// The instructions; the same bytes for every pass of a configuration, so a provider can cache them.
    pub system: String,
    /// The material: current memory, then journals, each in a fence.
    pub user: String,
    /// An upper bound for the answer, in tokens.
    pub max_output_tokens: Option<u32>,
}

impl LlmRequest {
    /// Makes a request of two messages.
    #[must_use]
    pub fn new(system: impl Into<String>, user: impl Into<String>) -> Self {
        Self { system: system.into(), user: user.into(), max_output_tokens: None }
    }

    /// Returns the size of both messages in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.system.len() + self.user.len()
    }
}

debug_as!(
    LlmRequest,
    |it| "LlmRequest {{ system: {} bytes, user: {} bytes }}",
    it.system.len(),
    it.user.len()
);

/// The answer of a model. Untrusted text; prints its shape only.
///
/// ```
/// use noctuary::model::{Finish, Usage};
/// use noctuary::LlmReply;
///
/// let usage = Usage { input: 1_200, output: 40, ..Usage::default() };
/// let reply = LlmReply::new("- Likes tea. (memory/2026-11-20-repl.md#L1)").finish(Finish::Stop).usage(usage);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmReply {
    /// The answer.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// The tokens that it cost, where the host knows.
    pub usage: Option<Usage>,
    /// The lines that the client looked at and left, where it says so; [`Extractive`](crate::Extractive) does. They are in the
    /// [report](crate::dream::PassReport::left).
    pub left: Vec<Unpicked>,
    /// Whether no model made it: lines were picked by rules, as [`Extractive`](crate::Extractive) does. A dream remembers it, so that
    /// a model can be shown later [what it read](crate::JournalDreamer::read_without_model).
    pub without_model: bool,
}

impl LlmReply {
    /// Makes an answer that ended by itself.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), finish: Finish::Stop, usage: None, left: Vec::new(), without_model: false }
    }

    /// Says why the answer ended. One that was cut off at a length limit is never promoted.
    #[must_use]
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// Removes the thoughts of a model in front of its answer, between `<think>` and `</think>`. Where a server opens the
    /// thought itself, only its end is in the text, on a line of its own.
    ///
    /// For a client library that hands thoughts on as text; `ChatCompletions` does it already.
    ///
    /// ```
    /// use noctuary::LlmReply;
    ///
    /// let reply = LlmReply::new("<think>\n- Perhaps tea?\n</think>\n- Likes tea.").without_thoughts();
    /// assert_eq!(reply.text, "\n- Likes tea.");
    /// ```
    #[must_use]
    pub fn without_thoughts(mut self) -> Self {
        let said = spoken(&self.text).len();
        self.text.drain(..self.text.len() - said);
        self
    }

    /// Adds what it cost.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }
}

debug_as!(
    LlmReply,
    |it| "LlmReply {{ text: {} bytes, finish: {:?}, usage: {:?} }}",
    it.text.len(),
    it.finish,
    it.usage
);

/// Returns the end of a text that is no thought.
fn spoken(text: &str) -> &str {
    const END: &str = "</think>";
    let mut said = text;
    while said.trim_start().starts_with("<think>") {
        // Without an end it thought until it had to stop.
        said = said.split_once(END).map_or("", |(_, said)| said);
    }
    if said.len() < text.len() {
        return said;
    }
    let thought = text.split_inclusive('\n').position(|line| line.trim() == END);
    let skipped = text.split_inclusive('\n').take(thought.map_or(0, |at| at + 1)).map(str::len).sum();
    text.get(skipped..).unwrap_or_default()
}

/// Lines of a journal that a client left out of its answer for one reason, one behind the other.
///
/// ```
/// use noctuary::DocName;
/// use noctuary::model::{Unpicked, UnpickedReason};
/// use noctuary::format::SourceRef;
///
/// let name = DocName::parse("memory/2026-11-20-repl.md")?;
/// let left = Unpicked::new(SourceRef { name, first_line: 3, last_line: 4 }, UnpickedReason::Repeated);
/// assert_eq!(left.to_string(), "memory/2026-11-20-repl.md#L3-L4: memory or a better line says it");
/// # Ok::<(), noctuary::workspace::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unpicked {
    /// The lines.
    pub lines: SourceRef,
    /// Why they were left.
    pub reason: UnpickedReason,
}

impl Unpicked {
    /// Says of lines why they were left.
    #[must_use]
    pub fn new(lines: SourceRef, reason: UnpickedReason) -> Self {
        Self { lines, reason }
    }
}

/// Prints as `memory/2026-11-20-repl.md#L3: memory or a better line says it`.
impl fmt::Display for Unpicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.lines, self.reason)
    }
}

/// Why a line was left out of an answer. Prints as a clause in plain words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnpickedReason {
    /// It tells nothing that lasts.
    Slight,
    /// The answer was full of better lines.
    NoRoom,
    /// `MEMORY.md` or a better line says it.
    Repeated,
    /// A later line says the same with other numbers, or puts it right.
    Renewed,
    /// A secret was masked in it.
    Masked,
    /// It cites a journal: it repeats what was kept before.
    Echo,
    /// It reads as an instruction to the model.
    Instruction,
}

impl fmt::Display for UnpickedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Slight => "it tells nothing that lasts",
            Self::NoRoom => "the answer was full",
            Self::Repeated => "memory or a better line says it",
            Self::Renewed => "a later line puts it right",
            Self::Masked => "a secret or forgotten words were masked in it",
            Self::Echo => "it cites a journal",
            Self::Instruction => "it reads as an instruction to the model",
        })
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finish {
    /// The model had no more to say.
    Stop,
    /// It was cut off (`finish_reason = length`, `max_tokens`).
    Length,
    /// Something else ended it: a content filter, a tool call.
    Other,
    /// Nobody said why: it may have been cut off, so it is not used.
    Unsaid,
}

/// Why there is no answer.
///
/// The message is shown to the operator and kept in the log: put no key into it.
#[derive(thiserror::Error)]
#[error("{message}")]
pub struct LlmError {
    message: String,
    retryable: bool,
    wait: Option<Duration>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl fmt::Debug for LlmError {
    /// Vendors repeat prompts and keys in their messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LlmError {{ message: {} bytes, retryable: {} }}", self.message.len(), self.retryable)
    }
}

impl LlmError {
    /// Makes an error in the host's words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: true, wait: None, source: None }
    }

    /// Wraps the error of a client library.
    #[must_use]
    pub fn other(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = source.into();
        Self { message: source.to_string(), retryable: true, wait: None, source: Some(source) }
    }

    /// Makes the error of a model's server that answered with this HTTP status and nothing of use. Waiting may help after
    /// 408, 409, 425, 429 and whatever is the server's own fault; what else it refuses, it refuses tomorrow.
    ///
    /// Says the status alone, since what servers say beside it repeats prompts and keys.
    ///
    /// ```
    /// use noctuary::LlmError;
    ///
    /// assert!(LlmError::of_status(503).is_retryable());
    /// assert!(!LlmError::of_status(401).is_retryable());
    /// assert_eq!(LlmError::of_status(401).to_string(), "the model's server answered 401");
    /// ```
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        let error = Self::new(format!("the model's server answered {status}"));
        if may_pass(status) { error } else { error.permanent() }
    }

    /// Makes the error of a model's server that answered with this body, for a client library that hides the status.
    /// Takes the status from the body where it is a number in it, as llama.cpp, vLLM and `OpenRouter` write it. It is
    /// then [`of_status`](Self::of_status). Else it is permanent: such a body comes from another address, or a proxy
    /// that wants another key.
    ///
    /// Says the status alone, as there.
    ///
    /// ```
    /// use noctuary::LlmError;
    ///
    /// let busy = LlmError::of_body(r#"{"error":{"code":503,"message":"Loading model"}}"#);
    /// assert!(busy.is_retryable());
    /// let elsewhere = LlmError::of_body("404 page not found");
    /// assert!(!elsewhere.is_retryable());
    /// ```
    #[must_use]
    pub fn of_body(body: &str) -> Self {
        let body = serde_json::from_slice(body.as_bytes()).unwrap_or(Value::Null);
        let status =
            |place| body.pointer(place).and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let places = ["/error/code", "/error/status", "/code", "/status", "/status_code"];
        match places.into_iter().filter_map(status).find(|code| (400..600).contains(code)) {
            Some(status) => Self::of_status(status),
            None => {
                Self::new("the model's server answered with no completion: check its address and the key")
                    .permanent()
            }
        }
    }

    /// Marks it as one that will not go away by waiting: a wrong key, a model that does not exist.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.retryable = false;
        self
    }

    /// Says how long the provider asks to wait: its `Retry-After`.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Returns whether waiting may help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// Returns the time that the provider asks to wait, if it says so. For the host's own client: a dream calls once.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.wait
    }
}

/// Returns whether the answer of a server with this status may be another one later.
pub(crate) fn may_pass(status: u16) -> bool {
    status >= 500 || matches!(status, 408 | 409 | 425 | 429)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_taken_from_a_body_where_it_is_a_number_in_it() {
        // A client library that hid the status made a wrong key of llama.cpp "no answer", which waiting would mend.
        for (body, status) in [
            (r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#, 401),
            (r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#, 404),
            (r#"{"error":{"code":429,"message":"slow down"}}"#, 429),
            (
                r#"{"object":"error","message":"no such model","type":"NotFoundError","param":null,"code":404}"#,
                404,
            ),
            (r#"{"type":"about:blank","title":"Service Unavailable","status":503}"#, 503),
        ] {
            let error = LlmError::of_body(body);
            assert_eq!(error.to_string(), LlmError::of_status(status).to_string(), "{body}");
            assert_eq!(error.is_retryable(), may_pass(status), "{body}");
        }
        for body in [
            "",
            "404 page not found",
            "<html>plum-orchard</html>",
            r#"{"detail":"Not Found"}"#,
            r#"{"error":"plum-orchard"}"#,
            r#"{"error":{"code":"invalid_api_key","message":"plum-orchard"}}"#,
            r#"{"error":{"code":1500}}"#,
            r#"{"error":{"code":-401}}"#,
            r#"{"code":65937}"#,
        ] {
            let error = LlmError::of_body(body);
            assert!(!error.is_retryable(), "{body}");
            assert!(error.to_string().contains("check its address and the key"), "{error}");
        }
    }

    #[test]
    fn a_prompt_and_an_answer_print_their_shape_only() {
        let request = LlmRequest::new("sys", "private words");
        assert!(!format!("{request:?}").contains("private"));
        assert!(!format!("{:?}", LlmReply::new("private words")).contains("private"));
    }
}
