//! A client for endpoints that speak OpenAI's chat completions.

mod endpoint;
mod key;
mod wait;
mod wire;

use std::fmt;
use std::io::Read;
use std::time::Duration;

use serde_json::{Map, Value};
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderName, RETRY_AFTER};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use crate::base::error::{Error, Result};
use crate::llm::{LlmClient, LlmError, LlmReply, LlmRequest, may_pass};
use endpoint::Endpoint;
use key::Key;
use wait::Wait;

/// The most that is read of an answer, in bytes.
const MOST: u64 = 4 << 20;

/// The most that is read of what comes with an error, in bytes.
const MOST_OF_ERROR: u64 = 16 << 10;

/// The longest time for a call unless the host says otherwise: a large prompt on a small machine takes minutes.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// A year: no clock ends at it, as it does at `Duration::MAX`.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Completes requests at an endpoint that speaks OpenAI's chat completions: a vendor's, or a server on this machine,
/// as llama.cpp, Ollama, vLLM and LM Studio are.
///
/// It asks once and waits for the whole answer: no retry, no streaming, no redirect followed. It blocks its thread, so
/// an async host calls it where blocking is fine.
///
/// **Its endings.** An answer that ended by a length limit is [`Finish::Length`](crate::model::Finish::Length), one that
/// ended by itself [`Finish::Stop`](crate::model::Finish::Stop), one of which the server does not say why it ended
/// [`Finish::Unsaid`](crate::model::Finish::Unsaid), and any other [`Finish::Other`](crate::model::Finish::Other): of these none is used,
/// since an answer that may be half a one is no memory. A refusal keeps its text, as `Other`. Thoughts in front of an answer
/// are not part of it, see [`LlmReply::without_thoughts`]. At most 4 MiB are read.
///
/// **The key** is kept in memory, sent in one header and printed nowhere: not by `Debug`, nor in an error, though the
/// server repeat it. It goes to the endpoint alone, and over plain HTTP to this machine alone, unless
/// [`key_over_plain_http`](Self::key_over_plain_http) says otherwise. The level `trace` of the crate `log` shows what
/// goes over the wire, key and all: keep the target `ureq` out of it.
///
/// **The request** goes wherever the endpoint is, over plain HTTP for everybody on the way to read. Of a dream's
/// request the secrets are masked already.
///
/// Certificates are checked against Mozilla's roots, not those of the machine: for an authority of your own, bring your
/// own [`LlmClient`]. The proxies of the environment are used, but not for this machine.
///
/// # Example: a server on this machine
///
/// ```no_run
/// use std::sync::Arc;
///
/// use noctuary::model::ChatCompletions;
/// use noctuary::{FileWorkspace, JournalDreamer, dream_once};
///
/// let model = ChatCompletions::new("http://127.0.0.1:11434/v1", "qwen3:8b")?;
/// let workspace = Arc::new(FileWorkspace::open("life")?);
/// let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
/// let report = dream_once(&dreamer, &model)?;
/// println!("{}", report.outcome);
/// # Ok::<(), noctuary::Error>(())
/// ```
///
/// # Example: a vendor, with a key from the environment
///
/// ```no_run
/// use std::time::Duration;
///
/// use noctuary::model::ChatCompletions;
/// use serde_json::json;
///
/// let model = ChatCompletions::new("https://api.openai.com/v1", "gpt-5-mini")?
///     .key_from_env("OPENAI_API_KEY")?
///     .timeout(Duration::from_secs(120))
///     .parameter("reasoning_effort", json!("low"));
/// # let _ = model;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct ChatCompletions {
    agent: Agent,
    endpoint: Endpoint,
    model: String,
    key: Option<Key>,
    timeout: Duration,
    parameters: Map<String, Value>,
}

impl ChatCompletions {
    /// Makes a client of a model at a base URL, which is the part before `/chat/completions`; most end in `/v1`. No key is
    /// sent.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a URL that is not `http` or `https`, has no host, or holds a user name, a query or a
    /// fragment: a key does not belong there.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self> {
        let endpoint = Endpoint::parse(base_url)?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A POST is not repeated elsewhere, and nor is a key.
            .max_redirects(0)
            // A night asks seldom; a connection that was kept would be closed by then.
            .max_idle_connections(0)
            .user_agent(concat!("noctuary/", env!("CARGO_PKG_VERSION")));
        // A server on this machine is reached without a proxy.
        let config = if endpoint.is_local() { config.proxy(None) } else { config };
        Ok(Self {
            agent: config.build().new_agent(),
            endpoint,
            model: model.into(),
            key: None,
            timeout: TIMEOUT,
            parameters: Map::new(),
        })
    }

    /// Sends a key with each request. White space around it does not count.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a key that is empty or cannot stand in a header, and where it would go to another
    /// machine unencrypted.
    pub fn key(self, key: &str) -> Result<Self> {
        if !self.endpoint.is_encrypted() && !self.endpoint.is_local() {
            return Err(Error::Config {
                setting: "key",
                rule: "is sent to another machine over https only; see key_over_plain_http",
            });
        }
        self.key_over_plain_http(key)
    }

    /// As [`key`](Self::key), with the key taken from an environment variable.
    ///
    /// # Errors
    ///
    /// As [`key`](Self::key), and [`Error::Config`] naming a variable that is not set.
    pub fn key_from_env(self, variable: &'static str) -> Result<Self> {
        // The standard library's error for a variable that is not text quotes its value.
        let key = std::env::var(variable)
            .map_err(|_| Error::Config { setting: variable, rule: "must be set, to the key" })?;
        self.key(&key)
    }

    /// Does the same as [`key`](Self::key), also if others on the way can read it.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a key that is empty or cannot stand in a header.
    pub fn key_over_plain_http(mut self, key: &str) -> Result<Self> {
        self.key = Some(Key::parse(key)?);
        Ok(self)
    }

    /// Bounds a whole call, from the name of the host to the last byte of the answer: 10 minutes unless said, a year at most.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout.min(LONGEST);
        self
    }

    /// Adds a field to each request: `temperature`, `seed`, whatever the server knows. A field that the client fills in itself
    /// (`model`, `messages`, `stream`, and the bound of the answer) stands above it.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: Value) -> Self {
        self.parameters.insert(name.into(), value);
        self
    }

    /// Returns the words of a server as they can be shown to an operator.
    fn excerpt(&self, text: &str) -> String {
        key::excerpt(text, self.key.as_ref())
    }

    fn failed(&self, what: &str) -> LlmError {
        LlmError::new(format!("{} {what}", self.endpoint))
    }

    /// Returns why the call did not come to its end.
    fn broken(&self, error: &ureq::Error) -> LlmError {
        match error {
            ureq::Error::Timeout(_) => {
                self.failed(&format!("gave no whole answer within {:?}", self.timeout))
            }
            ureq::Error::BodyExceedsLimit(_) => {
                self.failed(&format!("answered more than {} MiB", MOST >> 20)).permanent()
            }
            other => self.failed(&format!("did not answer: {}", self.excerpt(&other.to_string()))),
        }
    }

    /// Returns why there is an answer, and no completion.
    fn refused(&self, response: &mut Response<Body>) -> LlmError {
        let status = response.status();
        let mut said = status.to_string();
        if status == StatusCode::NOT_FOUND {
            // Most often the base lacks its `/v1`.
            said.push_str(&format!(" for {}", self.excerpt(self.endpoint.path())));
        }
        if status.is_redirection() {
            said.push_str(", and redirects are not followed");
        }
        let mut body = Vec::new();
        // The bytes that were read count; a longer or broken answer says nothing new.
        let _ = response.body_mut().as_reader().take(MOST_OF_ERROR).read_to_end(&mut body);
        let words = self.excerpt(&wire::message(&body));
        if !words.is_empty() {
            said.push_str(": ");
            said.push_str(&words);
        }
        let header = |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = header(RETRY_AFTER).and_then(Wait::parse);
        if let Some(wait) = wait {
            said.push_str(&format!("; it asks to wait {wait}"));
        }
        let error = self.failed(&format!("answered {said}"));
        let error = if may_pass(status.as_u16()) { error } else { error.permanent() };
        match wait.and_then(|wait| wait.duration(header(DATE))) {
            Some(wait) => error.wait(wait),
            None => error,
        }
    }
}

impl LlmClient for ChatCompletions {
    /// # Errors
    ///
    /// [`LlmError`] for a server that cannot be reached, takes too long, answers with an error or with what is no
    /// completion. It says the status, the first words of what the server said, secrets masked, and how long it asks
    /// to wait; it is permanent where waiting does not help.
    fn complete(&self, request: &LlmRequest) -> std::result::Result<LlmReply, LlmError> {
        let bound = self.endpoint.bound_of_answer();
        let body = wire::body(&self.parameters, &self.model, request, bound);
        let mut call = self
            .agent
            .post(self.endpoint.url())
            .config()
            .timeout_global(Some(self.timeout))
            .build()
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            call = call.header(AUTHORIZATION, key.header());
        }
        let mut response = call.send(&body).map_err(|error| self.broken(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(&mut response));
        }
        let body = response.body_mut().with_config().limit(MOST).read_to_vec();
        let body = body.map_err(|error| self.broken(&error))?;
        wire::reply(&body).map_err(|fault| match fault {
            wire::Fault::NoJson => self.failed(&format!("answered what is no JSON, {} bytes", body.len())),
            wire::Fault::NoChoice(words) if words.is_empty() => self.failed("answered without a choice"),
            wire::Fault::NoChoice(words) => {
                self.failed(&format!("answered without a choice: {}", self.excerpt(&words)))
            }
        })
    }
}

impl fmt::Debug for ChatCompletions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatCompletions")
            .field("endpoint", &format_args!("{}", self.endpoint))
            .field("model", &self.model)
            .field("has_key", &self.key.is_some())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
