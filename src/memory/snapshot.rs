//! A row as a prompt shows it.

use super::id::MemoryId;
use super::stale::Stale;
use crate::base::debug::debug_as;

/// A row as a prompt shows it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotRow {
    /// Its id.
    pub id: MemoryId,
    /// The kind of memory.
    pub category: String,
    /// The remembered text.
    pub content: String,
    /// Whether every snapshot begins with it.
    pub pinned: bool,
    /// Who said it, of those who take part in a group; `None` for the user and the agent.
    pub participant: Option<String>,
    /// Why it may be out of date; empty where nothing says so.
    pub stale: Vec<Stale>,
}

impl SnapshotRow {
    /// Makes a row of a store.
    #[must_use]
    pub fn new(id: MemoryId, category: String, content: String, pinned: bool) -> Self {
        Self { id, category, content, pinned, participant: None, stale: Vec::new() }
    }
}

debug_as!(SnapshotRow, |it| "SnapshotRow {{ {}, {}, {} bytes }}", it.id, it.category, it.content.len());
