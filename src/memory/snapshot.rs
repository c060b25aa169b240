//! A row as a prompt shows it.

use super::id::MemoryId;
use super::stale::Stale;
use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedSet;
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
    /// The place among the rows of its store, and the number of the store, the nearest first.
    pub(crate) place: usize,
    pub(crate) number: usize,
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
    /// Returns why a row may be out of date, by the words of one of some rows.
    pub(crate) fn of(row: &SnapshotRow, rows: &[SnapshotRow]) -> Option<Self> {
        let stale = *row.stale.first()?;
        let mut by = None;
        for other in rows {
            if stale.by() == Some(other.id) {
                by = Some(other.content.clone());
            }
        }
        Some(Self { stale, by, of: None })
    }

    /// Prints it, with the beginning of the other row. `shown` is what a prompt may say of a whole text.
    pub(crate) fn told<E>(&self, shown: &mut dyn FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        let mut name = match &self.by {
            Some(words) => {
                let words = shown(words)?;
                let words = text::head(&words, MOST, Unit::Chars).split_whitespace().gather();
                format!("\"{}\"", words.join(" "))
            }
            None => "another".to_owned(),
        };
        if let Some(of) = self.of {
            name.push_str(&format!(" of {of}"));
        }
        Ok(self.stale.told(&name))
    }
}

impl<'s> Shown<'s> {
    /// Takes in the rows of a store with their doubts, except those with a known statement.
    pub(crate) fn take(
        &mut self,
        rows: &[SnapshotRow],
        (number, of): (usize, Option<&'s str>),
        mut known: Option<&mut SortedSet<String>>,
    ) {
        for (place, row) in rows.iter().enumerate() {
            if let Some(known) = &mut known
                && !known.insert(text::statement(&row.content))
            {
                continue;
            }
            // The other row is in the block itself, and words take room.
            let doubt = Doubt::of(row, &[]);
            self.rows.push(ShownRow { place, number, of, row: row.clone(), doubt });
        }
    }
}

/// The most characters of a row by which another may be out of date.
const MOST: usize = 50;

debug_as!(SnapshotRow, |it| "SnapshotRow {{ {}, {}, {} bytes }}", it.id, it.category, it.content.len());
