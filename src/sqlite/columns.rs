//! Values as the columns of all tables hold them: contents, times, revisions, ids.

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::types::{ToSqlOutput, ValueRef};

use crate::base::access::Scope;
use crate::base::digest::Hasher;
use crate::base::document::Revision;
use crate::base::name::Name;

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

/// Reads a content: text or a blob.
pub(super) fn content(value: ValueRef<'_>) -> rusqlite::Result<Vec<u8>> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_vec()),
        other => Err(rusqlite::Error::InvalidColumnType(0, "content".to_owned(), other.data_type())),
    }
}

/// Returns the id of a document: a UUID (version 8) hashed from scope and path, so that making it anew keeps it.
pub(super) fn document_id(scope: &Scope, name: &Name) -> String {
    let mut hasher = Hasher::new();
    hasher.field(scope.user.as_bytes()).field(scope.agent.as_bytes()).field(name.as_str().as_bytes());
    uuid(hasher)
}

/// Writes a hash as a UUID (version 8).
pub(super) fn uuid(hasher: Hasher) -> String {
    let hex = hasher.finish().short(32);
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

/// Reads a revision; `None` for what is not one.
pub(super) fn parse_revision(text: &str) -> Option<Revision> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).ok()
}

/// Writes a time, in UTC to the millisecond.
pub(super) fn stamp(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
