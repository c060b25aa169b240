//! A row as a prompt shows it.

use super::id::MemoryId;
use super::stale::Stale;
use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::text::{self, Unit};

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

/// The most characters of a row by which another may be out of date.
const MOST: usize = 100;

/// Returns why a row may be out of date, for readers who see no ids: by the words of the other row, as they may be shown.
pub(crate) fn doubt<E>(
    row: &SnapshotRow,
    rows: &[SnapshotRow],
    mut shown: impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<String>, E> {
    let Some(stale) = row.stale.first() else { return Ok(None) };
    let other = stale.by().and_then(|id| rows.iter().find(|row| row.id == id));
    let name = match other {
        Some(other) => {
            let words = text::head(&other.content, MOST, Unit::Chars).split_whitespace().gather();
            format!("\"{}\"", shown(&words.join(" "))?)
        }
        None => "another memory".to_owned(),
    };
    Ok(Some(stale.told(&name)))
}

debug_as!(SnapshotRow, |it| "SnapshotRow {{ {}, {}, {} bytes }}", it.id, it.category, it.content.len());
