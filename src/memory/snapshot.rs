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

/// The part of one store or of several that a prompt shows.
#[derive(Default)]
pub(crate) struct Shown<'s> {
    /// The pinned ones first.
    pub(crate) rows: Vec<ShownRow<'s>>,
    pub(crate) profile: Vec<(String, String)>,
}

/// A row, whose it is where it is one of several stores, and why it may be out of date.
pub(crate) struct ShownRow<'s> {
    /// The name of a store that is not the nearest.
    pub(crate) of: Option<&'s str>,
    pub(crate) row: SnapshotRow,
    pub(crate) doubt: Option<String>,
}

/// Returns rows with their doubts.
pub(crate) fn shown<'s>(rows: Vec<SnapshotRow>, of: Option<&'s str>) -> Vec<ShownRow<'s>> {
    let mut doubts: Vec<Option<String>> = rows.iter().map(|row| doubt(row, &rows)).gather();
    let told = rows.into_iter().zip(doubts.drain(..));
    told.map(|(row, doubt)| ShownRow { of, row, doubt }).gather()
}

/// The most characters of a row by which another may be out of date.
const MOST: usize = 100;

/// Returns why a row may be out of date, for readers who see no ids: by the words of the other row, as they are in the store.
pub(crate) fn doubt(row: &SnapshotRow, rows: &[SnapshotRow]) -> Option<String> {
    let stale = row.stale.first()?;
    let other = stale.by().and_then(|id| rows.iter().find(|row| row.id == id));
    Some(stale.told(&other.map_or_else(|| "another memory".to_owned(), |other| quoted(&other.content))))
}

/// Returns the words by which a prompt names a row.
pub(crate) fn quoted(content: &str) -> String {
    format!("\"{}\"", text::head(content, MOST, Unit::Chars).split_whitespace().gather().join(" "))
}

debug_as!(SnapshotRow, |it| "SnapshotRow {{ {}, {}, {} bytes }}", it.id, it.category, it.content.len());
