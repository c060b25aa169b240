//! The journal lines that rows cite, as they are now beside what they were when a row was made of them.

use serde_json::{Map, Value};

use super::row::{Memory, NewMemory};
use super::stale::Stale;
use crate::base::digest::Digest;
use crate::base::document::{Document, SourceRef};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::sorted::SortedMap;
use crate::format::JournalName;
use crate::workspace::Workspace;

/// The name among the notes of a row: a hash for each of its citations, in their order.
const QUOTES: &str = "quotes";

/// The digits of a hash.
const DIGITS: usize = 16;

/// A journal as it is now.
enum Journal {
    Gone,
    /// Nobody knows what it says.
    Unreadable,
    Lines(Vec<String>),
}

/// The cited journals of a workspace. Each is read once.
pub(crate) struct CitedLines<'w> {
    workspace: &'w dyn Workspace,
    journals: SortedMap<DocName, Journal>,
}

impl<'w> CitedLines<'w> {
    pub(crate) fn of(workspace: &'w dyn Workspace) -> Self {
        Self { workspace, journals: SortedMap::new() }
    }

    /// Notes at a row what the lines that it cites say now. One that cites nothing, or lines that are not there, stays
    /// as it is.
    pub(crate) fn quoted(&mut self, mut row: NewMemory) -> NewMemory {
        let said: Option<Vec<Value>> = row.cites.iter().map(|cited| Some(self.hash(cited)?.into())).collect();
        let Some(said) = said.filter(|said| !said.is_empty()) else { return row };
        let mut notes = match row.metadata.take() {
            Some(Value::Object(notes)) => notes,
            None => Map::new(),
            other => {
                row.metadata = other;
                return row;
            }
        };
        notes.insert(QUOTES.to_owned(), said.into());
        row.metadata = Some(notes.into());
        row
    }

    /// Returns why the cited lines may no longer support a row: one is gone, or its text has changed.
    pub(crate) fn doubt(&mut self, row: &Memory) -> Option<Stale> {
        let quotes = row.metadata.as_ref().and_then(|notes| notes.get(QUOTES)).and_then(Value::as_array);
        let mut changed = None;
        for (at, cited) in row.cites.iter().enumerate() {
            if matches!(self.journal(&cited.name), Journal::Unreadable) {
                continue;
            }
            let said = quotes.and_then(|quotes| quotes.get(at)).and_then(Value::as_str);
            match (self.hash(cited), said) {
                (None, _) => return Some(Stale::SourceGone),
                (Some(now), Some(said)) if now != said => changed = Some(Stale::SourceChanged),
                _ => {}
            }
        }
        changed
    }

    /// Returns the hash of cited lines; `None` where one of them is not there.
    fn hash(&mut self, cited: &SourceRef) -> Option<String> {
        let Journal::Lines(lines) = self.journal(&cited.name) else { return None };
        let place = |number: u64| usize::try_from(number).ok();
        let lines = lines.get(place(cited.first_line)?.checked_sub(1)?..place(cited.last_line)?)?;
        Some(Digest::of(lines.join("\n").as_bytes()).short(DIGITS))
    }

    fn journal(&mut self, name: &DocName) -> &Journal {
        let workspace = self.workspace;
        self.journals.entry(name.clone()).or_insert_with(|| {
            let document = workspace.read(name).and_then(|found| match found {
                Some(document) => Ok(Some(document)),
                None => archived(workspace, name),
            });
            match document {
                Ok(Some(document)) => {
                    Journal::Lines(document.lossy().lines().map(|line| line.trim_end().to_owned()).gather())
                }
                Ok(None) => Journal::Gone,
                Err(_) => Journal::Unreadable,
            }
        })
    }
}

/// Reads a journal that was moved into the archive.
fn archived(workspace: &dyn Workspace, name: &DocName) -> Result<Option<Document>> {
    let Some(journal) = JournalName::parse(name) else { return Ok(None) };
    match journal.archived(1) {
        Ok(archived) => workspace.read(&archived),
        Err(_) => Ok(None),
    }
}
