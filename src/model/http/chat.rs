//! A client for endpoints that speak OpenAI's chat completions.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::connection::Connection;
use super::wire;
use crate::base::error::Result;
use crate::llm::{LlmClient, LlmError, LlmReply, LlmRequest};

/// The most that is read of an answer, in bytes.
const MOST: u64 = 4 << 20;

/// The longest time for a call unless the host says otherwise: a large prompt on a small machine takes minutes.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Completes requests at an endpoint of OpenAI's chat completions. It may be a vendor's, or on this machine: llama.cpp,
/// Ollama, vLLM, LM Studio.
///
/// It asks once and waits for the whole answer: no retry, no streaming, no redirect followed. It blocks its thread, so
/// an async host calls it where blocking is fine.
///
/// **Its endings.** An answer that ended by a length limit is [`Finish::Length`](crate::model::Finish::Length), and one
/// that ended by itself [`Finish::Stop`](crate::model::Finish::Stop). One without a reason from the server is
/// [`Finish::Unsaid`](crate::model::Finish::Unsaid), and any other [`Finish::Other`](crate::model::Finish::Other). The
/// last two are not used, since they may be half an answer. A refusal keeps its text, as `Other`. Thoughts in front of
/// an answer are not part of it, see [`LlmReply::without_thoughts`]. At most 4 MiB are read.
///
/// **The key** is kept in memory, sent in one header and printed nowhere. `Debug` and errors do not have it, even if
/// the server repeats it. It goes to the endpoint alone, and over plain HTTP to this machine alone, unless
/// [`key_over_plain_http`](Self::key_over_plain_http) says otherwise. The level `trace` of the crate `log` shows the
/// wire with the key. Keep the target `ureq` out of it.
///
/// **The request** goes wherever the endpoint is, over plain HTTP for everybody on the way to read. In a dream's
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
    connection: Connection,
    model: String,
    timeout: Duration,
    parameters: Map<String, Value>,
}

impl ChatCompletions {
    /// Makes a client of a model at a base URL, which is the part before `/chat/completions`; most end in `/v1`. No key is
    /// sent.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a URL that is not `http` or `https`, has no host, or has a user
    /// name, query or fragment. A key does not belong there.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self> {
        // A night asks seldom; a connection that was kept would be closed by then.
        let connection = Connection::new(base_url, "/chat/completions", false)?;
        Ok(Self { connection, model: model.into(), timeout: TIMEOUT, parameters: Map::new() })
    }

    /// Sends a key with each request. White space around it does not count.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a key that is empty or cannot are in a header, and where it would go
    /// to another machine unencrypted.
    pub fn key(self, key: &str) -> Result<Self> {
        Ok(Self { connection: self.connection.key(key)?, ..self })
    }

    /// As [`key`](Self::key), with the key taken from an environment variable.
    ///
    /// # Errors
    ///
    /// As [`key`](Self::key), and [`Error::Config`](crate::Error::Config) naming a variable that is not set.
    pub fn key_from_env(self, variable: &'static str) -> Result<Self> {
        Ok(Self { connection: self.connection.key_from_env(variable)?, ..self })
    }

    /// Does the same as [`key`](Self::key), also if others on the way can read it.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a key that is empty or cannot are in a header.
    pub fn key_over_plain_http(self, key: &str) -> Result<Self> {
        Ok(Self { connection: self.connection.key_over_plain_http(key)?, ..self })
    }

    /// Bounds a whole call, from the lookup of the host to the last byte: 10 minutes by default, at most a year.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Adds a field to each request: `temperature`, `seed`, whatever the server knows. A field that the client fills in
    /// itself (`model`, `messages`, `stream`, and the bound of the answer) is above it.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: Value) -> Self {
        self.parameters.insert(name.into(), value);
        self
    }
}

impl LlmClient for ChatCompletions {
    /// # Errors
    ///
    /// [`LlmError`] for a server that cannot be reached, takes too long, answers with an error or with what is no
    /// completion. It says the status, the first words of what the server said, secrets masked, and how long it asks to
    /// wait. It is permanent where waiting does not help.
    fn complete(&self, request: &LlmRequest) -> std::result::Result<LlmReply, LlmError> {
        let connection = &self.connection;
        let bound = connection.endpoint().bound_of_answer();
        let body = wire::body(&self.parameters, &self.model, request, bound);
        let body = connection.post(&body, MOST, self.timeout)?;
        let failure = match wire::reply(&body) {
            Ok(reply) => return Ok(reply),
            Err(wire::Fault::NoJson) => format!("answered what is no JSON, {} bytes", body.len()),
            Err(wire::Fault::NoChoice(words)) if words.is_empty() => "answered without a choice".to_owned(),
            Err(wire::Fault::NoChoice(words)) => {
                format!("answered without a choice: {}", connection.excerpt(&words))
            }
        };
        Err(connection.failed(&failure).into())
    }
}

impl fmt::Debug for ChatCompletions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatCompletions")
            .field("endpoint", &format_args!("{}", self.connection.endpoint()))
            .field("model", &self.model)
            .field("has_key", &self.connection.has_key())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
