//! The edges of chunks, written with them.

use std::sync::Arc;

use rusqlite::Connection;

use crate::base::name::DocName;
use crate::edges::{EdgeExtractor, Words, edges_of};
use crate::format::JournalName;
use crate::format::documents::properties::Properties;
use crate::sqlite::edges::{self, OF_CHUNKS};

/// The writer of the edges of chunks.
#[derive(Clone)]
pub(super) struct Links {
    pub(super) extractor: Option<Arc<dyn EdgeExtractor>>,
    /// The name of their table.
    pub(super) table: &'static str,
}

impl Links {
    /// Adds the edges of a chunk; returns how many are new.
    pub(super) fn put(
        &self,
        connection: &Connection,
        name: &DocName,
        (chunk, text): (i64, &str),
        at: &str,
    ) -> rusqlite::Result<usize> {
        let Some(extractor) = &self.extractor else { return Ok(0) };
        let path = name.as_str();
        // Journals are named by their day, and nobody links to them.
        let note = path.strip_suffix(".md").filter(|_| JournalName::parse(name).is_none());
        // The frontmatter of a note is a chunk of its own.
        let Properties { aliases, tags } = note.map(|_| Properties::of(text)).unwrap_or_default();
        let words = Words { text, note, aliases: &aliases, tags: &tags, ..Words::default() };
        let found = edges_of(extractor.as_ref(), &words);
        edges::put(connection, self.table, (OF_CHUNKS, chunk), &found, at)
    }
}
