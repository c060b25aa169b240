//! Values as the columns of all tables hold them: contents, times, revisions, ids.

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row, Rows};

use crate::base::document::Revision;
use crate::base::word::from_word;

/// Bytes as they are bound: text where they are text.
pub(super) struct Content<'a>(pub(super) &'a [u8]);

impl rusqlite::ToSql for Content<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match std::str::from_utf8(self.0) {
            // Text with a zero byte would end there for some readers.
            Ok(text) if !self.0.contains(&0) => ValueRef::Text(text.as_bytes()),
            _ => ValueRef::Blob(self.0),
        }))
    }
}

/// Reads all rows of a query, in a loop: what `rusqlite` maps and collects is compiled in five times as many lines.
pub(super) trait ReadAll {
    fn all<T>(self, read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> rusqlite::Result<Vec<T>>;
}

impl ReadAll for Rows<'_> {
    fn all<T>(mut self, mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> rusqlite::Result<Vec<T>> {
        let mut all = Vec::new();
        while let Some(row) = self.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }
}

/// Reads a content: text or a blob.
pub(super) fn content(value: ValueRef<'_>) -> rusqlite::Result<Vec<u8>> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_vec()),
        other => Err(rusqlite::Error::InvalidColumnType(0, "content".to_owned(), other.data_type())),
    }
}

/// Reads a revision; `None` for what is not one.
pub(super) fn parse_revision(text: &str) -> Option<Revision> {
    from_word(text)
}

/// Writes a time, in UTC to the millisecond.
pub(super) fn stamp(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
