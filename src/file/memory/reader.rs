//! Lines of the file that are read when they are asked for.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use serde::Deserialize;

use super::entry::{Entry, PINNED};
use super::record::{NewRow, Record};
use super::row::{Stated, Stored};
use super::span::Span;
use crate::base::error::{At, Error, Result};
use crate::base::name::StateName;
use crate::disk::DiskFile;
use crate::facts::{ConsolidationEvent, FactStatus};
use crate::memory::{Memory, MemoryId};
use crate::store::known::Known;

/// Rows that were read or written lately, in memory, as their lines say them.
#[derive(Default)]
pub(super) struct Lately {
    rows: RefCell<Known<Arc<Stored>, KEPT>>,
    /// Whether a line was not as it was when it was read first.
    is_changed: Cell<bool>,
}

/// Half of the bytes of rows that are kept in memory.
const KEPT: usize = 2 << 20;
/// The bytes of a row beside its lines.
const BESIDE: usize = 512;

impl Lately {
    /// Keeps a row for a while, with the bytes of its lines.
    pub(super) fn keep(&self, row: Arc<Stored>, bytes: usize) {
        if bytes < KEPT / 16 {
            self.rows.borrow_mut().keep(row.memory.id.get(), row, bytes + BESIDE);
        }
    }

    fn get(&self, id: MemoryId) -> Option<Arc<Stored>> {
        self.rows.borrow_mut().get(id.get()).cloned()
    }

    /// Changes the content of a row, where it is kept.
    pub(super) fn change(&self, id: MemoryId, content: &str) {
        if let Some(row) = self.rows.borrow_mut().get(id.get()) {
            content.clone_into(&mut Arc::make_mut(row).memory.content);
        }
    }

    /// Forgets a row that says something else now.
    pub(super) fn forget(&self, id: MemoryId) {
        self.rows.borrow_mut().forget(id.get());
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.rows = RefCell::default();
    }

    /// Says that the state in memory must no longer be used.
    pub(super) fn distrust(&self) {
        self.is_changed.set(true);
    }

    /// Returns whether somebody changed lines that were read before.
    pub(super) fn is_changed(&self) -> bool {
        self.is_changed.get()
    }
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
    pub(super) fn line(&self, span: Span) -> Result<Vec<u8>> {
        let mut line = vec![0; span.len as usize];
        if let Some(at) = span.at.checked_sub(self.end) {
            let waiting = usize::try_from(at).ok().and_then(|at| self.waiting.get(at..at + line.len()));
            line.copy_from_slice(waiting.ok_or_else(|| self.changed())?);
            return Ok(line);
        }
        let mut read = 0;
        while let Some(file) = self.file.filter(|_| read < line.len()) {
            match file.read_at(&mut line[read..], span.at + read as u64) {
                Ok(0) => break,
                more => read += more.at("read", &*StateName::MEMORIES)?,
            }
        }
        if read < line.len() { Err(self.changed()) } else { Ok(line) }
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
        Record::read(&self.line(span)?).map_err(|_| self.changed())
    }

    /// Reads the events of a line.
    pub(super) fn events(&self, span: Span) -> Result<Vec<ConsolidationEvent>> {
        Ok(self.parsed::<Ruled>(&self.line(span)?)?.events)
    }

    /// Reads the text of a row, which is not kept.
    pub(super) fn content(&self, entry: &Entry, changed: Option<Span>) -> Result<String> {
        match self.lately.get(entry.id) {
            Some(row) => Ok(row.memory.content.clone()),
            None => self.content_of(entry.id, changed.unwrap_or(entry.line)),
        }
    }

    /// Reads what a line says of a row.
    fn content_of(&self, id: MemoryId, span: Span) -> Result<String> {
        let Content { id: found, content } = self.parsed(&self.line(span)?)?;
        content.filter(|_| found == id).ok_or_else(|| self.changed())
    }

    /// Reads a row as it is now; its content is in the last line that changed it.
    pub(super) fn row(
        &self,
        entry: &Entry,
        changed: Option<Span>,
        status: Option<FactStatus>,
    ) -> Result<Stored> {
        let mut stored = Stored::clone(&*self.said(entry, changed)?);
        stored.memory.pinned = entry.has(PINNED);
        stored.memory.updated_at = entry.updated;
        stored.stated.status = status;
        Ok(stored)
    }

    /// Reads a row as its lines say it, and keeps it for a while.
    pub(super) fn said(&self, entry: &Entry, changed: Option<Span>) -> Result<Arc<Stored>> {
        if let Some(row) = self.lately.get(entry.id) {
            return Ok(row);
        }
        let row: NewRow = self.parsed(&self.line(entry.line)?)?;
        if row.id != entry.id {
            return Err(self.changed());
        }
        let content = match changed {
            Some(changed) => self.content_of(entry.id, changed)?,
            None => row.content.ok_or_else(|| self.changed())?,
        };
        let memory = Memory {
            id: entry.id,
            category: row.category,
            content,
            source: row.source,
            metadata: row.metadata,
            place: row.place,
            shared: row.shared,
            origin: row.origin,
            cites: row.cites,
            dream: row.dream,
            pinned: false,
            created_at: entry.created,
            updated_at: entry.created,
        };
        let stated = Stated { about: row.about, valid_from: row.valid_from, status: None };
        let said = Arc::new(Stored { memory, stated });
        let bytes = entry.line.len as usize + changed.map_or(0, |line| line.len as usize);
        self.lately.keep(said.clone(), bytes);
        Ok(said)
    }
}
