//! A pass over the rows that wait for their vectors: its steps, and the drivers that take them.

use std::future::Future;

use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::embed::store::{BatchFrom, BatchSize, EmbedBatch, EmbeddingStatus, VectorStore};
use crate::embed::{EmbedError, Embedder, EmbedderId, Purpose};

/// The bounds of a pass.
///
/// ```
/// use noctuary::vectors::EmbedConfig;
///
/// let little_after_each_turn = EmbedConfig::default().texts(16).requests(1);
/// assert_eq!(little_after_each_turn.failures, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbedConfig {
    /// The size of one request.
    pub batch: BatchSize,
    /// Maximum number of requests. Unlimited unless set.
    pub requests: Option<u32>,
    /// Number of failed requests in a row that ends a pass: 2 unless set.
    pub failures: u32,
}

impl Default for EmbedConfig {
    fn default() -> Self {
        Self { batch: BatchSize::default(), requests: None, failures: 2 }
    }
}

impl EmbedConfig {
    /// Sets the maximum of texts in one request.
    #[must_use]
    pub fn texts(mut self, texts: usize) -> Self {
        self.batch.texts = texts;
        self
    }

    /// Sets the maximum of requests.
    #[must_use]
    pub fn requests(mut self, requests: u32) -> Self {
        self.requests = Some(requests);
        self
    }

    /// Sets the number of failed requests in a row that ends a pass.
    #[must_use]
    pub fn failures(mut self, failures: u32) -> Self {
        self.failures = failures;
        self
    }
}

/// The result of a pass.
#[derive(Debug)]
#[non_exhaustive]
pub struct EmbedReport {
    /// Requests to the embedder.
    pub requests: u32,
    /// Rows that have a vector now.
    pub embedded: u64,
    /// Rows whose text was sent in vain. A later pass sends them again.
    pub failed: u64,
    /// Rows whose words changed while they were sent. They wait still.
    pub moved: u64,
    /// Vectors of earlier generations that were removed.
    pub dropped: u64,
    /// All rows of the store, by their states.
    pub status: EmbeddingStatus,
    /// Whether searches use the vectors of this embedder.
    pub serves: bool,
    /// The last answer that could not be used.
    pub error: Option<EmbedError>,
}

/// A pass by hand: it hands out batches and takes their vectors back.
///
/// Each step is durable, and a pass that is dropped or killed loses the batch that was out. The next pass goes on where this
/// one ended.
///
/// # Example: a host that answers between its other work
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use noctuary::testing::HashEmbedder;
/// use noctuary::vectors::{EmbedConfig, EmbedPass, Embedder, Purpose};
/// use noctuary::{Scope, SqliteMemoryStore};
///
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let embedder = HashEmbedder::new(64);
/// let mut pass = EmbedPass::begin(&store, embedder.id(), &EmbedConfig::default());
/// while let Some(batch) = pass.batch()? {
///     let answer = embedder.embed(&batch.texts(), Purpose::Document);
///     pass.keep(&batch, answer)?;
/// }
/// assert!(pass.end()?.serves);
/// # }
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug)]
pub struct EmbedPass<'a> {
    store: &'a dyn VectorStore,
    embedder: EmbedderId,
    config: EmbedConfig,
    from: BatchFrom,
    failures: u32,
    report: EmbedReport,
}

impl<'a> EmbedPass<'a> {
    /// Begins a pass. It claims nothing: two at a time do the same work twice.
    #[must_use]
    pub fn begin(store: &'a dyn VectorStore, embedder: &EmbedderId, config: &EmbedConfig) -> Self {
        let report = EmbedReport {
            requests: 0,
            embedded: 0,
            failed: 0,
            moved: 0,
            dropped: 0,
            status: EmbeddingStatus::empty(),
            serves: false,
            error: None,
        };
        let (embedder, config) = (embedder.clone(), *config);
        Self { store, embedder, config, from: BatchFrom::the_start(), failures: 0, report }
    }

    /// Returns texts that wait; `None` where none does, or the pass is at its bounds.
    ///
    /// # Errors
    ///
    /// The errors of [`VectorStore::embed_batch`].
    pub fn batch(&mut self) -> Result<Option<EmbedBatch>> {
        let is_over = self.failures >= self.config.failures.max(1)
            || self.config.requests.is_some_and(|most| self.report.requests >= most);
        if is_over {
            return Ok(None);
        }
        let batch = self.store.embed_batch(&self.embedder, &self.from, self.config.batch)?;
        if let Some(batch) = &batch {
            self.from = batch.next();
        }
        Ok(batch)
    }

    /// Keeps the vectors of a batch, or that there are none.
    ///
    /// # Errors
    ///
    /// The errors of [`VectorStore::keep_vectors`].
    pub fn keep(
        &mut self,
        batch: &EmbedBatch,
        answer: std::result::Result<Vec<Vec<f32>>, EmbedError>,
    ) -> Result<()> {
        let kept = self.store.keep_vectors(&self.embedder, batch, answer)?;
        self.report.requests += 1;
        self.report.embedded += kept.embedded;
        self.report.failed += kept.failed;
        self.report.moved += kept.moved;
        match kept.error {
            // Waiting does not help against a wrong key or another model: what is left waits for somebody to look.
            Some(error) => {
                self.failures = if error.is_retryable() { self.failures + 1 } else { u32::MAX };
                self.report.error = Some(error);
            }
            None => self.failures = 0,
        }
        Ok(())
    }

    /// Lets the generation serve if no row waits for it, and removes vectors of earlier ones; says what was done.
    ///
    /// # Errors
    ///
    /// The errors of the store. All that was kept stays.
    pub fn end(mut self) -> Result<EmbedReport> {
        self.report.serves = self.store.serve_vectors(&self.embedder)?;
        if self.report.serves {
            loop {
                match self.store.drop_vectors(&self.embedder)? {
                    0 => break,
                    dropped => self.report.dropped += dropped,
                }
            }
        }
        self.report.status = self.store.embedding_status(&self.embedder)?;
        Ok(self.report)
    }
}

/// Gives rows that wait their vectors, once: asks the embedder batch by batch, and reports.
///
/// Blocks while the model works; no lock is held meanwhile, and others write. Call it after a turn, at night, or from a thread
/// of your own. It returns with an error in its report where the embedder fails, and the next call sends those rows again.
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use noctuary::testing::HashEmbedder;
/// use noctuary::vectors::{EmbedConfig, embed_once};
/// use noctuary::{Scope, SqliteMemoryStore};
///
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let report = embed_once(&store, &HashEmbedder::new(64), &EmbedConfig::default())?;
/// assert!(report.serves && report.status.pending == 0);
/// # }
/// # Ok::<(), noctuary::Error>(())
/// ```
///
/// # Errors
///
/// Failures of the store.
pub fn embed_once(
    store: &dyn VectorStore,
    embedder: &dyn Embedder,
    config: &EmbedConfig,
) -> Result<EmbedReport> {
    let mut pass = EmbedPass::begin(store, embedder.id(), config);
    while let Some(batch) = pass.batch()? {
        let answer = embedder.embed(&batch.texts(), Purpose::Document);
        pass.keep(&batch, answer)?;
    }
    pass.end()
}

/// Does the same in an async host of any runtime, whose client makes the vectors.
///
/// The store is read and written on the thread that polls, some milliseconds a batch. Dropping the future is safe: the batch
/// that was out waits still. Put a time limit into `embed`.
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use noctuary::vectors::{EmbedConfig, EmbedderId, embed_once_async};
/// use noctuary::{Scope, SqliteMemoryStore};
///
/// # let runtime = tokio::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let id = EmbedderId::new("bge-small-en-v1.5", 384);
/// let embed = |texts: Vec<String>| async move { Ok(vec![vec![1.0; 384]; texts.len()]) };
/// let report = embed_once_async(&store, &id, &EmbedConfig::default(), embed).await?;
/// assert!(report.serves);
/// # Ok::<(), noctuary::Error>(())
/// # })?;
/// # }
/// # Ok::<(), noctuary::Error>(())
/// ```
///
/// # Errors
///
/// As [`embed_once`].
pub async fn embed_once_async<F, Fut>(
    store: &dyn VectorStore,
    embedder: &EmbedderId,
    config: &EmbedConfig,
    embed: F,
) -> Result<EmbedReport>
where
    F: Fn(Vec<String>) -> Fut,
    Fut: Future<Output = std::result::Result<Vec<Vec<f32>>, EmbedError>>,
{
    let mut pass = EmbedPass::begin(store, embedder, config);
    while let Some(batch) = pass.batch()? {
        let texts = batch.texts().into_iter().map(str::to_owned).gather();
        let answer = embed(texts).await;
        pass.keep(&batch, answer)?;
    }
    pass.end()
}
