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
    pub(crate) doubt: Option<Doubt<'s>>,
}

/// Why a row may be out of date, for readers who see no ids: by the words of another row.
pub(crate) struct Doubt<'s> {
    pub(crate) stale: Stale,
    /// The words, as they are in the store; `None` where no prompt shows that row.
    pub(crate) by: Option<String>,
    /// The name of the store that has it, where it is another.
    pub(crate) of: Option<&'s str>,
}

impl Doubt<'_> {
    /// Returns why the first of some rows may be out of date.
    pub(crate) fn of(row: &SnapshotRow, rows: &[SnapshotRow]) -> Option<Self> {
        let stale = *row.stale.first()?;
        let by = stale.by().and_then(|id| rows.iter().find(|row| row.id == id));
        Some(Self { stale, by: by.map(|row| row.content.clone()), of: None })
    }

    /// Prints it; `shown` is what a prompt may say of a whole text, of which the beginning is quoted.
    pub(crate) fn told<E>(&self, shown: &mut dyn FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        let mut name = match &self.by {
            Some(words) => {
                let words = shown(words)?;
                let words = text::head(&words, MOST, Unit::Chars).split_whitespace().gather();
                format!("\"{}\"", words.join(" "))
            }
            None => "another memory".to_owned(),
        };
        if let Some(of) = self.of {
            name.push_str(&format!(" of {of}"));
        }
        Ok(self.stale.told(&name))
    }
}

/// Returns rows with their doubts.
pub(crate) fn shown(rows: Vec<SnapshotRow>, of: Option<&str>) -> Vec<ShownRow<'_>> {
    let mut doubts = Vec::with_capacity(rows.len());
    for row in &rows {
        doubts.push(Doubt::of(row, &rows));
    }
    rows.into_iter().zip(doubts).map(|(row, doubt)| ShownRow { of, row, doubt }).gather()
}

/// The most characters of a row by which another may be out of date.
const MOST: usize = 100;

debug_as!(SnapshotRow, |it| "SnapshotRow {{ {}, {}, {} bytes }}", it.id, it.category, it.content.len());
