//! A client for endpoints that speak OpenAI's embeddings.

use std::fmt;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::{self, Unusable};
use super::batches::Batches;
use super::connection::{Connection, Failure};
use crate::base::error::Result;
use crate::embed::{EmbedError, Embedder, EmbedderId, Purpose, Strength};

/// How often a request goes out when the server is busy, and who bounds the waits by time does not say.
const TRIES: u32 = 6;

/// Makes vectors at an endpoint of OpenAI's embeddings. It may be a vendor's, or on this machine: Ollama, llama.cpp,
/// vLLM, LM Studio.
///
/// **Waiting.** Kept texts wait for a busy server (429 or 503), as long as it asks in `Retry-After`. Else they wait a
/// second, then two, then four, [`patience`](Self::patience) in all. A question never waits: it is sent once, has
/// [`query_timeout`](Self::query_timeout), and the search goes on by words.
///
/// **Requests** have at most 64 texts and 64 Ki characters, see [`batch`](Self::batch). Only the start of a text is
/// sent, see [`text_chars`](Self::text_chars). The answer of a request is read up to what its vectors need.
///
/// **The key** is kept and sent as [`ChatCompletions`](crate::model::ChatCompletions) does, and so are texts: over plain
/// HTTP everybody on the way reads them. A pass masks secrets before.
///
/// **The id** is made of the model, the dimensions, prefixes, the start of a text, and parameters. It does not know
/// which build of a model a server runs: name it in [`settings`](Self::settings).
///
/// # Example: a server on this machine
///
/// ```no_run
/// # #[cfg(feature = "sqlite")] {
/// use std::sync::Arc;
///
/// use noctuary::model::HttpEmbedder;
/// use noctuary::store::StoreConfig;
/// use noctuary::vectors::{EmbedConfig, embed_once};
/// use noctuary::{Scope, SqliteMemoryStore};
///
/// let embedder = Arc::new(HttpEmbedder::new("http://127.0.0.1:11434/v1", "bge-small-en-v1.5", 384)?);
/// let mut config = StoreConfig::default();
/// config.embedder = Some(embedder.clone()); // for questions
/// let store = SqliteMemoryStore::open_with("life/memory.db", Scope::user("marta"), config)?;
/// let report = embed_once(&store, &embedder, &EmbedConfig::default())?; // for rows
/// println!("{} rows have a vector", report.status.embedded);
/// # }
/// # Ok::<(), noctuary::Error>(())
/// ```
///
/// # Example: a vendor, with a shorter vector
///
/// ```no_run
/// use noctuary::model::HttpEmbedder;
///
/// let embedder = HttpEmbedder::new("https://api.openai.com/v1", "text-embedding-3-small", 512)?
///     .shortened()
///     .key_from_env("OPENAI_API_KEY")?;
/// # let _ = embedder;
/// # Ok::<(), noctuary::Error>(())
/// ```
///
/// # Example: prefixes
///
/// ```
/// use noctuary::model::HttpEmbedder;
/// use noctuary::vectors::Embedder;
///
/// let bare = HttpEmbedder::new("http://127.0.0.1:8080/v1", "e5-small-v2", 384)?;
/// let e5 = bare.clone().prefixes("passage: ", "query: ");
/// assert_ne!(bare.id().generation(), e5.id().generation());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct HttpEmbedder {
    connection: Connection,
    id: EmbedderId,
    words: String,
    prefixes: [String; 2],
    is_shortened: bool,
    batches: Batches,
    timeouts: [Duration; 2],
    patience: Duration,
    parameters: Map<String, Value>,
}

impl HttpEmbedder {
    /// Makes a client of a model at a base URL, which is the part before `/embeddings`; most end in `/v1`. The dimensions are
    /// the numbers of its vectors; where you do not know them, see [`probed`](Self::probed). No key is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a URL that is not `http` or `https`, has no host, or has a user
    /// name, query or fragment.
    pub fn new(base_url: &str, model: impl Into<String>, dimensions: usize) -> Result<Self> {
        let texts = NonZeroUsize::new(64).expect("not zero");
        let embedder = Self {
            connection: Connection::new(base_url, "/embeddings", true)?,
            id: EmbedderId::new(model, dimensions),
            words: String::new(),
            prefixes: [String::new(), String::new()],
            is_shortened: false,
            batches: Batches { texts, chars: 64 << 10, chars_of_text: 4000 },
            timeouts: [Duration::from_secs(120), Duration::from_secs(10)],
            patience: Duration::from_secs(60),
            parameters: Map::new(),
        };
        Ok(embedder.with_settings())
    }

    /// Takes the dimensions from the server, which makes one vector for it.
    ///
    /// ```no_run
    /// use noctuary::model::HttpEmbedder;
    /// use noctuary::vectors::Embedder;
    ///
    /// let embedder = HttpEmbedder::new("http://127.0.0.1:11434/v1", "all-minilm", 0)?.probed()?;
    /// println!("{} dimensions", embedder.id().dimensions);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As of [`Embedder::embed`].
    pub fn probed(mut self) -> std::result::Result<Self, EmbedError> {
        let vectors = self.ask(&["hello"], Purpose::Document, None)?;
        self.id.dimensions = vectors.first().map(Vec::len).unwrap_or_default();
        Ok(self)
    }

    /// Asks the server for vectors of the said dimensions, which some models can shorten.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.is_shortened = true;
        self.with_settings()
    }

    /// Puts words before a kept text, and other words before a question. For e5 they are `"passage: "` and `"query: "`, for
    /// nomic `"search_document: "` and `"search_query: "`. For bge they are nothing and
    /// `"Represent this sentence for searching relevant passages: "`.
    #[must_use]
    pub fn prefixes(mut self, document: impl Into<String>, query: impl Into<String>) -> Self {
        self.prefixes = [document.into(), query.into()];
        self.with_settings()
    }

    /// Says what else changes the vectors: a revision of the model, or how it is quantised.
    #[must_use]
    pub fn settings(mut self, words: impl Into<String>) -> Self {
        self.words = words.into();
        self.with_settings()
    }

    /// Says what kind of model it is; a transformer unless said.
    #[must_use]
    pub fn strength(mut self, strength: Strength) -> Self {
        self.id.strength = strength;
        self
    }

    /// Adds a field to each request, such as `truncate`. It is part of the id. The client's own fields (`model`,
    /// `input`, `dimensions`) are above it.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: Value) -> Self {
        self.parameters.insert(name.into(), value);
        self.with_settings()
    }

    /// Sets the maximum of texts and characters in a request: 64 and 65,536 unless said. A text is never split.
    #[must_use]
    pub fn batch(mut self, texts: NonZeroUsize, chars: usize) -> Self {
        (self.batches.texts, self.batches.chars) = (texts, chars);
        self
    }

    /// Sets the maximum of characters of a text, without its prefix: 4,000 unless said. Many servers refuse a whole
    /// request if one text is longer than the model reads. 512 tokens are about 1,800 English characters.
    #[must_use]
    pub fn text_chars(mut self, most: usize) -> Self {
        self.batches.chars_of_text = most;
        self.with_settings()
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

    /// Bounds a request for texts that are kept: 2 minutes unless said, a year at most.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeouts[0] = timeout;
        self
    }

    /// Bounds a request for a question: 10 seconds unless said. A search waits for it.
    #[must_use]
    pub fn query_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts[1] = timeout;
        self
    }

    /// Bounds the waits for a busy server in one call: a minute unless said; zero never waits.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Writes into the id all that changes vectors.
    fn with_settings(mut self) -> Self {
        let [document, query] = &self.prefixes;
        let mut settings = format!("chars={}", self.batches.chars_of_text);
        if !(document.is_empty() && query.is_empty()) {
            // With their quotes, so that no prefix ends another.
            settings.push_str(&format!(" document={document:?} query={query:?}"));
        }
        if self.is_shortened {
            settings.push_str(" shortened");
        }
        if !self.parameters.is_empty() {
            settings.push_str(&format!(" parameters={}", Value::Object(self.parameters.clone())));
        }
        if !self.words.is_empty() {
            settings.push_str(&format!(" {}", self.words));
        }
        self.id.settings = settings;
        self
    }

    /// Sends texts once.
    fn ask(
        &self,
        texts: &[&str],
        purpose: Purpose,
        dimensions: Option<usize>,
    ) -> std::result::Result<Vec<Vec<f32>>, Failure> {
        let of = usize::from(purpose == Purpose::Query);
        let mut body = self.parameters.clone();
        body.insert("model".to_owned(), self.id.model.clone().into());
        let input = texts.iter().map(|text| format!("{}{text}", self.prefixes[of]));
        body.insert("input".to_owned(), input.collect());
        if self.is_shortened {
            body.insert("dimensions".to_owned(), self.id.dimensions.into());
        }
        let body = Value::Object(body).to_string();
        // A number is at most so long in JSON, with what is around it on a line of its own.
        let numbers = texts.len() * dimensions.unwrap_or(4096);
        let most = (64 << 10) + 40 * u64::try_from(numbers).unwrap_or(u64::MAX >> 8);
        let body = self.connection.post(body.as_bytes(), most, self.timeouts[of])?;
        answer::vectors(&body, texts.len(), dimensions)
            .map_err(|unusable| self.connection.unusable(&unusable, "vectors", body.len()))
    }

    /// Sends texts, and again where the server is busy and there is patience left.
    fn ask_again(
        &self,
        texts: &[&str],
        purpose: Purpose,
        patience: &mut Duration,
    ) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        for attempt in 1.. {
            let failure = match self.ask(texts, purpose, Some(self.id.dimensions)) {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            let pause = failure.wait.unwrap_or(Duration::from_secs(1 << (attempt - 1).min(6)));
            if !failure.is_busy || purpose == Purpose::Query || attempt == TRIES || pause > *patience {
                return Err(failure.into());
            }
            *patience -= pause;
            thread::sleep(pause);
        }
        unreachable!("the last attempt returns")
    }
}

impl Embedder for HttpEmbedder {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    /// # Errors
    ///
    /// [`EmbedError`] for a server that cannot be reached, takes too long, answers with an error, or with vectors that cannot
    /// be used. It says the status and the first words of the server, secrets masked. It is permanent where waiting does
    /// not help: a wrong key, another number of vectors or dimensions.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let mut patience = self.patience;
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in self.batches.split(texts) {
            vectors.extend(self.ask_again(&batch, purpose, &mut patience)?);
        }
        Ok(vectors)
    }
}

impl Connection {
    /// Returns why an answer cannot be used, in words for an operator.
    pub(super) fn unusable(&self, unusable: &Unusable, what: &str, bytes: usize) -> Failure {
        match unusable {
            Unusable::NoJson => self.failed(&format!("answered what is no JSON, {bytes} bytes")),
            Unusable::NoList(words) if words.is_empty() => {
                self.failed(&format!("answered without {what}")).permanent()
            }
            Unusable::NoList(words) => {
                self.failed(&format!("answered without {what}: {}", self.excerpt(words)))
            }
            Unusable::Count { asked, got } => {
                self.failed(&format!("answered {got} {what} for {asked} texts")).permanent()
            }
            Unusable::Dimensions { asked, got } => self
                .failed(&format!(
                    "answered vectors of {got} dimensions, not {asked}; say the dimensions of the model"
                ))
                .permanent(),
            Unusable::NoNumber => self.failed(&format!("answered {what} with what is no number")),
        }
    }
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("endpoint", &format_args!("{}", self.connection.endpoint()))
            .field("id", &self.id)
            .field("has_key", &self.connection.has_key())
            .finish_non_exhaustive()
    }
}
