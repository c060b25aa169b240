//! A document as it was read, and the revision that names its bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::name::{DocName, Name};

/// The revision of a document: the SHA-256 of its raw bytes.
///
/// ```
/// use noctuary::workspace::Revision;
///
/// assert_eq!(Revision::of(b"a"), Revision::of(b"a"));
/// assert_ne!(Revision::of(b"a\n"), Revision::of(b"a\r\n"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(Digest);

impl Revision {
    /// Returns the revision that a document with these bytes has.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Digest::of(bytes))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Lines of a journal that a promoted line cites.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceRef {
    /// The journal.
    pub name: DocName,
    /// The first line, from 1.
    pub first_line: u64,
    /// The last line.
    pub last_line: u64,
}

impl fmt::Display for SourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#L{}", self.name, self.first_line)?;
        if self.last_line > self.first_line { write!(f, "-L{}", self.last_line) } else { Ok(()) }
    }
}

/// The place and class of something found in a text; never its words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoundAt {
    /// The class of a secret, or the reason of an injection.
    pub class: String,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The character of that line with which it begins, from 1.
    pub column: u64,
}

impl fmt::Display for FoundAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.class, self.line, self.column)
    }
}

/// A document's bytes, taken in one read, and so their revision.
///
/// Prints its shape only, since the bytes are a person's words.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    name: Name,
    bytes: Vec<u8>,
}

impl Document {
    /// Puts a name to bytes; the revision follows from them.
    #[must_use]
    pub fn new(name: Name, bytes: Vec<u8>) -> Self {
        Self { name, bytes }
    }

    /// Returns the document's name.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Returns the raw bytes, byte order mark and line endings included.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the raw bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the revision of these bytes, hashed at each call: most documents are read and never written back.
    #[must_use]
    pub fn revision(&self) -> Revision {
        Revision::of(&self.bytes)
    }

    /// Returns the text, with every byte that is not UTF-8 replaced. For reading only: writing it back would change
    /// the document.
    #[must_use]
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

debug_as!(Document, |it| "Document {{ name: {}, bytes: {} }}", it.name, it.bytes.len());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name::DocName;

    #[test]
    fn a_document_prints_its_shape_and_not_its_words() {
        let document = Document::new(DocName::MEMORY.into(), b"secret words".to_vec());
        assert_eq!(format!("{document:?}"), "Document { name: MEMORY.md, bytes: 12 }");
    }
}
