//! A client for endpoints that score texts against a question.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer;
use super::batches::Batches;
use super::connection::{Connection, Failure};
use crate::base::error::Result;
use crate::embed::{EmbedError, Reranker};

/// Scores texts at an endpoint in the shape of Cohere and Jina, which vLLM and llama.cpp have too: `POST …/rerank` with
/// `{model, query, documents, top_n}`.
///
/// It asks once and does not wait for a busy server: a search waits for it, and keeps its order without it. The key is kept
/// and sent as [`ChatCompletions`](crate::model::ChatCompletions) does.
///
/// # Example: the first fifty hits, by a server on this machine
///
/// ```
/// use std::sync::Arc;
///
/// use noctuary::model::HttpReranker;
/// use noctuary::store::StoreConfig;
///
/// let mut config = StoreConfig::default();
/// config.reranker = Some(Arc::new(HttpReranker::new("http://127.0.0.1:8080/v1", "ms-marco-MiniLM-L-12")?));
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct HttpReranker {
    connection: Connection,
    model: String,
    batches: Batches,
    timeout: Duration,
    parameters: Map<String, Value>,
}

impl HttpReranker {
    /// Makes a client of a model at a base URL, which is the part before `/rerank`. No key is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a URL that is not `http` or `https`, has no host, or has a user
    /// name, query or fragment.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self> {
        let texts = NonZeroUsize::new(100).expect("not zero");
        Ok(Self {
            connection: Connection::new(base_url, "/rerank", true)?,
            model: model.into(),
            batches: Batches { texts, chars: 256 << 10, chars_of_text: 4000 },
            timeout: Duration::from_secs(30),
            parameters: Map::new(),
        })
    }

    /// Adds a field to each request. The client's own fields (`model`, `query`, `documents`, `top_n`) are above it.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: Value) -> Self {
        self.parameters.insert(name.into(), value);
        self
    }

    /// Sets the maximum of texts and characters in a request: 100 and 262,144 unless said.
    #[must_use]
    pub fn batch(mut self, texts: NonZeroUsize, chars: usize) -> Self {
        (self.batches.texts, self.batches.chars) = (texts, chars);
        self
    }

    /// Sets the maximum of characters of a text: 4,000 unless said.
    #[must_use]
    pub fn text_chars(mut self, most: usize) -> Self {
        self.batches.chars_of_text = most;
        self
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

    /// Bounds a request: 30 seconds unless said, a year at most. A search waits for it.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn ask(&self, query: &str, texts: &[&str]) -> std::result::Result<Vec<f32>, Failure> {
        let mut body = self.parameters.clone();
        body.insert("model".to_owned(), self.model.clone().into());
        body.insert("query".to_owned(), query.into());
        body.insert("documents".to_owned(), texts.iter().copied().collect());
        body.insert("top_n".to_owned(), texts.len().into());
        let body = Value::Object(body).to_string();
        // Some servers repeat the documents, as long again where they escape each character.
        let repeated = 6 * u64::try_from(body.len()).unwrap_or(u64::MAX >> 8);
        let most = (64 << 10) + repeated;
        let body = self.connection.post(body.as_bytes(), most, self.timeout)?;
        answer::scores(&body, texts.len())
            .map_err(|unusable| self.connection.unusable(&unusable, "scores", body.len()))
    }
}

impl Reranker for HttpReranker {
    /// # Errors
    ///
    /// [`EmbedError`] for a server that cannot be reached, takes too long, or answers with an error. Also if there is
    /// not one score for each text, or one is no number.
    fn rerank(&self, query: &str, texts: &[&str]) -> std::result::Result<Vec<f32>, EmbedError> {
        let mut scores = Vec::with_capacity(texts.len());
        for batch in self.batches.split(texts) {
            scores.extend(self.ask(query, &batch)?);
        }
        Ok(scores)
    }
}

impl fmt::Debug for HttpReranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpReranker")
            .field("endpoint", &format_args!("{}", self.connection.endpoint()))
            .field("model", &self.model)
            .field("has_key", &self.connection.has_key())
            .finish_non_exhaustive()
    }
}
