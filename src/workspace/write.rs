//! The intent of a write, and the version that it replaces.

use chrono::{DateTime, Utc};

use crate::base::document::Revision;

/// The intent of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// The document must not exist.
    Create,
    /// An existing document is replaced.
    Replace,
    /// The document must still be at this revision.
    IfRevision(Revision),
}

/// An earlier version of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The revision that it had.
    pub revision: Revision,
    /// When it was replaced or removed.
    pub replaced_at: DateTime<Utc>,
}

/// Returns the line break that an append of `bytes` needs in front, where the document ends in the byte `last`.
pub(crate) fn line_break_before(last: Option<u8>, bytes: &[u8]) -> &'static [u8] {
    let begins_a_line = last.is_none_or(|last| last == b'\n');
    let ends_the_last = bytes.is_empty() || bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n");
    if begins_a_line || ends_the_last { b"" } else { b"\n" }
}
