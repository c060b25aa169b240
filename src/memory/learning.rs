//! The contract of an agent's lessons about its own work, apart from its memories.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::base::row_id::row_id;

/// Learnings: results of the review of a turn, on what to do otherwise next time. They are apart from memories: no
/// list, search, snapshot or prompt of rows holds one, and no learning changes a row. (seed 003, Write path)
///
/// Their use is the host's: it [reads](Self::learnings) them, for a person or for a job that makes methods of
/// them. [`MemoryStore::forget`](super::MemoryStore::forget) reaches them, and what was forgotten is not learned again.
///
/// It is beside [`MemoryStore`](super::MemoryStore), and both stores keep it.
///
/// # Example: the end of a turn
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{Filter, LearningStore, NewLearning};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let learning = NewLearning::new("Ask for the time zone before a call is planned.")
///     .context("The call with Lisbon was planned an hour late.");
/// store.learn(&access, &learning, now)?;
///
/// assert_eq!(store.learnings(&access, 9)?[0].content, "Ask for the time zone before a call is planned.");
/// assert!(store.list(&access, &Filter::limit(9))?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LearningStore: Debug + Send + Sync {
    /// Writes a learning and returns its id. When it returns, the learning is durable. Where one says the same already
    /// (white space, case and end marks do not count), its id is returned and nothing changes.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session. [`Error::Stopped`](crate::Error::Stopped) if
    /// the store refuses its text. [`Error::TooLarge`](crate::Error::TooLarge) above the row cap.
    /// [`Error::Config`](crate::Error::Config) where it says nothing.
    fn learn(&self, access: &Access, learning: &NewLearning, now: DateTime<Utc>) -> Result<LearningId>;

    /// Lists what was learned, the latest first, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn learnings(&self, access: &Access, limit: usize) -> Result<Vec<Learning>>;
}

/// The id of a learning: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LearningId(i64);

row_id!(LearningId);

/// A learning to write.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewLearning {
    /// The lesson.
    pub content: String,
    /// The work that it was learned from.
    pub context: Option<String>,
}

impl NewLearning {
    /// Makes a learning of a lesson.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), context: None }
    }

    /// Says what it was learned from.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }
}

debug_as!(NewLearning, |it| "NewLearning {{ {} bytes }}", it.content.len());

/// A learning.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Learning {
    /// Its id.
    pub id: LearningId,
    /// The lesson.
    pub content: String,
    /// The work that it was learned from.
    pub context: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

impl Learning {
    /// Makes a learning as a store keeps it right after the write.
    #[must_use]
    pub fn new(id: LearningId, written: NewLearning, now: DateTime<Utc>) -> Self {
        let NewLearning { content, context } = written;
        Self { id, content, context, created_at: now }
    }
}

debug_as!(Learning, |it| "Learning {{ {}, {} bytes }}", it.id, it.content.len());
