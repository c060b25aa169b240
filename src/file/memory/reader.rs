//! Lines of the file that are read when they are asked for.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::entry::{Entry, PINNED};
use super::record::{NewRow, Record};
use super::row::{Stated, Stored};
use super::span::Span;
use crate::base::error::{At, Error, Result};
use crate::base::name::StateName;
use crate::disk::DiskFile;
use crate::facts::{ConsolidationEvent, FactStatus, Suspect};
use crate::memory::{Memory, MemoryId, Source};
use crate::search::postings::pages::Cache;

/// Lines that were read or written lately, in memory.
pub(super) struct Lately {
    lines: Cache,
    /// Whether a line was not as it was when it was read first.
    is_changed: Cell<bool>,
}

/// So many bytes of lines are kept in memory.
const KEPT: usize = 2 << 20;

impl Default for Lately {
    fn default() -> Self {
        Self { lines: Cache::of(KEPT), is_changed: Cell::default() }
    }
}

impl Lately {
    /// Keeps a line for a while.
    pub(super) fn keep(&self, span: Span, line: &[u8]) {
        if line.len() < KEPT / 16 {
            self.lines.keep(key(span), Arc::from(line));
        }
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        self.lines = Cache::of(KEPT);
    }

    /// Says that what is in memory is not to be used any more.
    pub(super) fn distrust(&self) {
        self.is_changed.set(true);
    }

    /// Returns whether somebody changed lines that were read before.
    pub(super) fn is_changed(&self) -> bool {
        self.is_changed.get()
    }
}

fn key(span: Span) -> (u64, u32) {
    (span.at, span.len)
}

/// Reads lines: of the file, and of what waits to be added to it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) file: Option<&'a dyn DiskFile>,
    /// Where the file ends, and what is added behind it.
    pub(super) end: u64,
    pub(super) waiting: &'a [u8],
    pub(super) lately: &'a Lately,
}

/// The content of a line.
#[derive(Deserialize)]
struct Content {
    id: MemoryId,
    content: Option<String>,
}

/// The source of a row, which its line says of itself.
#[derive(Deserialize)]
struct Sourced {
    source: Option<Source>,
}

/// The events of a line.
#[derive(Deserialize)]
struct Ruled {
    events: Vec<ConsolidationEvent>,
}

impl<'a> Reader<'a> {
    /// Makes a reader for a line that refers to no other.
    pub(super) fn none(lately: &'a Lately) -> Self {
        Self { file: None, end: u64::MAX, waiting: &[], lately }
    }

    /// Reads a line.
    pub(super) fn line(&self, span: Span) -> Result<Arc<[u8]>> {
        if let Some(line) = self.lately.lines.get(key(span)) {
            return Ok(line);
        }
        let mut line = vec![0; span.len as usize];
        if let Some(at) = span.at.checked_sub(self.end) {
            let waiting = usize::try_from(at).ok().and_then(|at| self.waiting.get(at..at + line.len()));
            line.copy_from_slice(waiting.ok_or_else(|| self.changed())?);
        } else {
            let mut read = 0;
            while let Some(file) = self.file.filter(|_| read < line.len()) {
                match file.read_at(&mut line[read..], span.at + read as u64) {
                    Ok(0) => break,
                    more => read += more.at("read", &*StateName::MEMORIES)?,
                }
            }
            if read < line.len() {
                return Err(self.changed());
            }
        }
        self.lately.keep(span, &line);
        Ok(line.into())
    }

    /// Says that a line is not as it was.
    fn changed(&self) -> Error {
        self.lately.distrust();
        Error::Corrupt {
            name: StateName::MEMORIES.to_string(),
            line: 0,
            column: 0,
            what: "a line was changed while the store was open; try again",
        }
    }

    fn parsed<T: for<'l> Deserialize<'l>>(&self, line: &[u8]) -> Result<T> {
        serde_json::from_slice(line).map_err(|_| self.changed())
    }

    /// Reads a line as a change.
    pub(super) fn record(&self, span: Span) -> Result<Record> {
        self.parsed(&self.line(span)?)
    }

    /// Reads the events of a line.
    pub(super) fn events(&self, span: Span) -> Result<Vec<ConsolidationEvent>> {
        Ok(self.parsed::<Ruled>(&self.line(span)?)?.events)
    }

    /// Reads what a line says of a row.
    pub(super) fn content(&self, id: MemoryId, span: Span) -> Result<String> {
        let Content { id: found, content } = self.parsed(&self.line(span)?)?;
        content.filter(|_| found == id).ok_or_else(|| self.changed())
    }

    /// Reads what a new row may contradict.
    pub(super) fn suspects(&self, entry: &Entry) -> Result<BTreeMap<MemoryId, Suspect>> {
        let row: NewRow = self.parsed(&self.line(entry.line)?)?;
        // The last counts, where a row is named twice.
        Ok(row.suspects.into_iter().map(|suspect| (suspect.id, suspect)).collect())
    }

    /// Reads a row as it is now; its content is in the last line that changed it.
    pub(super) fn row(
        &self,
        entry: &Entry,
        changed: Option<Span>,
        status: Option<FactStatus>,
    ) -> Result<Stored> {
        let line = self.line(entry.line)?;
        let Sourced { source } = self.parsed(&line)?;
        let row: NewRow = self.parsed(&line)?;
        if row.id != entry.id {
            return Err(self.changed());
        }
        let content = match changed {
            Some(changed) => self.content(entry.id, changed)?,
            None => row.content.ok_or_else(|| self.changed())?,
        };
        let memory = Memory {
            id: entry.id,
            category: row.category,
            content,
            source,
            metadata: row.metadata,
            place: row.place,
            shared: row.shared,
            origin: row.origin,
            cites: row.cites,
            dream: row.dream,
            pinned: entry.has(PINNED),
            created_at: entry.created,
            updated_at: entry.updated,
        };
        Ok(Stored { memory, stated: Stated { about: row.about, valid_from: row.valid_from, status } })
    }
}
