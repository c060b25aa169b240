//! A claim of a page, and where it was taken from.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::document::SourceRef;
use crate::edges::CitedSource;

/// The source of a claim, and a hash of the quoted words: where the source says something else now, the hashes differ. Prints as
/// `memory 12, 3f9b95c40c6126e1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Citation {
    /// The source.
    pub source: CitedSource,
    /// The SHA-256 of the words as they are quoted, masked as they are shown.
    pub digest: Digest,
}

impl Citation {
    /// Cites some words of a source.
    #[must_use]
    pub fn of(source: CitedSource, quoted: &str) -> Self {
        Self { source, digest: Digest::of(quoted.as_bytes()) }
    }
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.source, self.digest.short(16))
    }
}

/// A statement on a page.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLine {
    /// The words, on one line.
    pub text: String,
    /// The kind: a category, or the word of a source.
    pub kind: String,
    /// Since when it is true, or when it was said, where that is known.
    pub at: Option<DateTime<Utc>>,
    /// Doubts and praise: `confirmed`, `disputed`, `over since 2026-11-20`, `from web`.
    pub notes: Vec<String>,
    /// The source of the words.
    pub citation: Citation,
    /// The lines of journals that the row was taken from.
    pub lines: Vec<SourceRef>,
}

impl PageLine {
    /// Makes a claim of a source of the host's: a trade, a reflection.
    #[must_use]
    pub fn new(
        kind: impl Into<String>,
        text: impl Into<String>,
        at: Option<DateTime<Utc>>,
        source: CitedSource,
    ) -> Self {
        let text = text.into();
        let citation = Citation::of(source, &text);
        Self { text, kind: kind.into(), at, notes: Vec::new(), citation, lines: Vec::new() }
    }
}

debug_as!(PageLine, |it| "PageLine {{ {}, {} bytes }}", it.citation.source, it.text.len());
