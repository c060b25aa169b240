//! The contract of a keeper of vectors: a memory store for its rows, an index for its chunks.

use std::fmt::Debug;

use super::{EmbedError, EmbedderId, Generation};
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::gather::Gather as _;

/// Rows with vectors, in generations: rows of a memory store, or chunks of an index. A store that keeps none lacks nothing:
/// its searches go by words.
///
/// A row waits for its vector from the moment it is written; a write does nothing for it. The vectors of one embedder
/// are a generation. The first one serves when no row waits for it. A later one is filled while the earlier serves,
/// and takes its place in one step. A row that is changed, deleted, retired or forgotten has no vector from that
/// moment on.
///
/// [`embed_once`](crate::vectors::embed_once) calls these verbs, which are for its makers and for the doctor. They block, and
/// no lock is held between two of them.
///
/// # Example: the steps of a pass, here of a store in SQLite; any store of this crate has them
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use chrono::Utc;
/// use noctuary::memory::{NewMemory, Source};
/// use noctuary::testing::HashEmbedder;
/// use noctuary::vectors::{BatchFrom, BatchSize, Embedder, Purpose, VectorStore};
/// use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
///
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let marta = Access::agent(Scope::user("marta"));
/// store.write(&marta, &NewMemory::new("note", "Bought thirty metres of rope", Source::UserExplicit), Utc::now())?;
///
/// let embedder = HashEmbedder::new(64);
/// let batch = store.embed_batch(embedder.id(), &BatchFrom::the_start(), BatchSize::default())?.unwrap();
/// let answer = embedder.embed(&batch.texts(), Purpose::Document);
/// store.keep_vectors(embedder.id(), &batch, answer)?;
/// assert!(store.serve_vectors(embedder.id())?); // no row waits
/// assert_eq!(store.embedding_status(embedder.id())?.embedded, 1);
/// # }
/// # Ok::<(), noctuary::Error>(())
/// ```
pub trait VectorStore: Debug + Send + Sync {
    /// Counts the rows of an embedder's generation by their states.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn embedding_status(&self, embedder: &EmbedderId) -> Result<EmbeddingStatus>;

    /// Returns texts that wait for a vector, masked as [`Door::EmbedRequest`](crate::gate::Door::EmbedRequest) says; `None`
    /// if no row waits. Rows that never had one come first, then those that failed, in smaller batches each time. Rows that
    /// need none are marked as skipped in the same call.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for an embedder with 0 or more than 4096 dimensions or without a name, and the errors
    /// of the backend.
    fn embed_batch(
        &self,
        embedder: &EmbedderId,
        from: &BatchFrom,
        size: BatchSize,
    ) -> Result<Option<EmbedBatch>>;

    /// Keeps the vectors of a batch. A row whose words changed meanwhile still waits. When it returns, the vectors are
    /// durable.
    ///
    /// # Errors
    ///
    /// The errors of the backend; nothing is kept then. An answer that is an error, or that cannot be used, is none:
    /// its rows failed, and the outcome says why. A model is refused if kept vectors under its name are of another. The
    /// outcome says so, and the rows wait.
    fn keep_vectors(
        &self,
        embedder: &EmbedderId,
        batch: &EmbedBatch,
        answer: std::result::Result<Vec<Vec<f32>>, EmbedError>,
    ) -> Result<KeptVectors>;

    /// Lets a generation serve, in one step, if no row waits for it; returns whether it serves.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn serve_vectors(&self, embedder: &EmbedderId) -> Result<bool>;

    /// Removes vectors of generations that do not serve, except this one and the newest, which another process may be
    /// filling. It removes some at a time, so that others may write between. Returns how many it removed; 0 where none
    /// is left.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn drop_vectors(&self, embedder: &EmbedderId) -> Result<u64>;
}

/// The rows of a store, by whether they have a vector of one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddingStatus {
    /// Rows that wait for their first vector.
    pub pending: u64,
    /// Rows with a vector.
    pub embedded: u64,
    /// Rows whose text was sent, and no vector came back that can be used. They are sent again.
    pub failed: u64,
    /// Rows that need none: too short, or refused by the door.
    pub skipped: u64,
    /// The generation that searches use, if any serves.
    pub serving: Option<Generation>,
    /// All generations that have vectors.
    pub generations: Vec<Generation>,
}

impl EmbeddingStatus {
    /// Makes a status without rows, for a backend that counts them.
    #[must_use]
    pub fn empty() -> Self {
        Self { pending: 0, embedded: 0, failed: 0, skipped: 0, serving: None, generations: Vec::new() }
    }
}

/// The size of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchSize {
    /// Maximum number of texts: 64 unless set.
    pub texts: usize,
    /// Maximum bytes together, but at least one text: 64 KiB unless set.
    pub bytes: usize,
}

impl Default for BatchSize {
    fn default() -> Self {
        Self { texts: 64, bytes: 64 * 1024 }
    }
}

/// The place where a pass looks for the next batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchFrom {
    /// Rows up to this one were handed out.
    pub(crate) after: i64,
    /// Texts that failed at this moment or before are sent again; `None` at the start of a pass.
    pub(crate) failed_until: Option<i64>,
}

impl BatchFrom {
    /// Begins a pass.
    #[must_use]
    pub fn the_start() -> Self {
        Self { after: i64::MIN, failed_until: None }
    }
}

/// Texts that wait for their vectors.
#[derive(Clone, PartialEq, Eq)]
pub struct EmbedBatch {
    pub(crate) texts: Vec<EmbedText>,
    /// How often these failed before.
    pub(crate) attempts: u32,
    pub(crate) next: BatchFrom,
    pub(crate) probe: Option<Probe>,
}

/// The masked text of a row that has a vector already: the new one says whether the model is still the same.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) text: String,
    pub(crate) vector: Vec<u8>,
}

/// The masked text of a row, and what it was made of.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct EmbedText {
    pub(crate) id: i64,
    pub(crate) text: String,
    /// The digest of the row's own words.
    pub(crate) of: Digest,
}

impl EmbedBatch {
    /// Returns the texts, in the order in which their vectors are expected. In the first batch of a pass the last text
    /// already has a vector, to detect another model of the same name.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.texts.iter().map(|text| text.text.as_str()).gather();
        if let Some(probe) = &self.probe {
            texts.push(&probe.text);
        }
        texts
    }

    /// Returns the place of the batch behind this one.
    #[must_use]
    pub fn next(&self) -> BatchFrom {
        self.next
    }
}

debug_as!(EmbedBatch, |it| "EmbedBatch {{ texts: {} }}", it.texts.len());

/// The result of keeping the vectors of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct KeptVectors {
    /// Rows that have a vector now.
    pub embedded: u64,
    /// Rows that wait for another try.
    pub failed: u64,
    /// Rows for which the model has no direction: zeros, beside another vector.
    pub skipped: u64,
    /// Rows that were changed or removed meanwhile.
    pub moved: u64,
    /// Why the whole answer could not be used.
    pub error: Option<EmbedError>,
}

impl KeptVectors {
    /// Makes the result of keeping nothing, for a backend that counts.
    #[must_use]
    pub fn none() -> Self {
        Self { embedded: 0, failed: 0, skipped: 0, moved: 0, error: None }
    }
}
