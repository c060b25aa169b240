//! The work of a backend that keeps vectors: it stores and lists bytes, and decides nothing.

use std::collections::HashSet;

use crate::base::error::Result;
use crate::embed::Generation;
use crate::memory::{Filter, MemoryId};
use crate::search::rank::{Card, Visibility};

/// A generation that serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Serving {
    pub(crate) generation: Generation,
    /// Its number in the backend. A generation that was dropped and made anew has another one.
    pub(crate) number: i64,
    pub(crate) dimensions: usize,
}

/// A moment in the life of a generation: the last vector that was kept, and the last that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Since {
    pub(crate) kept: i64,
    pub(crate) removed: i64,
}

/// A change of the vectors of a generation.
pub(crate) enum Shelved<'a> {
    /// A row no longer has a vector.
    Gone(i64),
    /// A row has this one.
    Vector(i64, &'a [u8]),
    /// A row needs none.
    Skipped(i64),
}

/// The rows of a generation by state; those without any wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) embedded: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// All rows in sight of a main session.
    pub(crate) rows: u64,
}

/// A row whose text was sent in vain.
pub(crate) struct FailedRow {
    pub(crate) id: i64,
    pub(crate) content: String,
    pub(crate) attempts: u32,
}

/// The state of a row that does not wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Vector(Vec<u8>),
    /// The count of failures in a row.
    Failed(u32),
    Skipped,
}

/// Who looks, as a number of the backend's own: each has rows of its own in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sight(pub(crate) u8);

impl From<Visibility> for Sight {
    fn from(visibility: Visibility) -> Self {
        Self(visibility as u8)
    }
}

/// Vectors of the rows of a scope, of those alone that a search may return.
pub(crate) trait VectorRows {
    /// Returns the generation that serves.
    fn serving(&self) -> Result<Option<Serving>>;

    /// Returns all generations, the oldest first.
    fn generations(&self) -> Result<Vec<Generation>>;

    /// Counts the rows of a generation.
    fn counts(&self, generation: &Generation) -> Result<Counts>;

    /// Returns what rows say that have no state in a generation, by id, from behind one on.
    fn unfilled(&self, generation: &Generation, after: i64, most: usize) -> Result<Vec<(i64, String)>>;

    /// Gives what rows say, of those in sight of a main session, in any order.
    fn contents_of(&self, ids: &[i64], take: &mut dyn FnMut(i64, &str)) -> Result<()>;

    /// Returns the rows that failed at a moment or before, the least often first.
    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>>;

    /// Returns a number that grows with every state that is kept.
    fn moment(&self) -> Result<i64>;

    /// Gives the rows in sight that changed since a moment, or all of them, until `take` returns `false`. Removed rows come
    /// first. Returns the present moment. `None` if the rows removed since then are no longer known.
    fn changed_since(
        &self,
        serving: &Serving,
        sight: Sight,
        since: Option<Since>,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Option<Since>>;

    /// Gives the vectors of rows in sight, in any order.
    fn vectors(
        &self,
        serving: &Serving,
        sight: Sight,
        ids: &[i64],
        take: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()>;
}

/// Changes of vectors.
pub(crate) trait VectorChanges: VectorRows {
    /// Keeps the states of rows, in place of earlier ones.
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()>;

    /// Lets a generation serve, and no other.
    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()>;

    /// Removes at most `most` states of generations that do not serve, and returns how many. `generation` is kept, and so is the
    /// newest, which another process may be filling. If all of them leave in one step, they may be more.
    fn drop_others(&mut self, generation: &Generation, most: usize) -> Result<u64>;
}

/// Rows of a memory store with vectors, as its search reads them.
pub(crate) trait MemoryVectors: VectorRows {
    /// Counts the vectors of rows, of all generations.
    fn kept_of(&self, ids: &[MemoryId]) -> Result<u64>;

    /// Returns the rows in sight that a filter takes.
    fn taken_by(&self, visibility: Visibility, filter: &Filter) -> Result<HashSet<i64>>;

    /// Gives what is weighed of rows in sight, without their texts, in any order.
    fn cards(&self, visibility: Visibility, ids: &[i64], take: &mut dyn FnMut(&Card<'_>)) -> Result<()>;
}
