//! The sources of a reply, and what was left out: names, lines, ids and hashes, never text.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::document::SourceRef;
use crate::base::name::DocName;
use crate::format::DreamId;
use crate::memory::MemoryId;

/// A place that a text for a model came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplySource {
    /// Lines of a document, blank ones between them included.
    Lines {
        /// The document, the first and the last line.
        at: SourceRef,
        /// The dream whose section of `MEMORY.md` they are in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dream: Option<DreamId>,
    },
    /// A document as a whole.
    Document(DocName),
    /// A row of the memory store that was asked.
    Row {
        /// The row.
        id: MemoryId,
        /// Whether it was known to be one that sessions with others may see.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shared: bool,
    },
    /// Facts of the profile of a memory store.
    Profile {
        /// The number of facts.
        facts: u64,
    },
    /// A block that the host derived, by the host's name for it.
    Block(String),
}

impl ReplySource {
    /// Returns the document, if it is one or lines of one.
    #[must_use]
    pub fn document(&self) -> Option<&DocName> {
        match self {
            Self::Lines { at, .. } => Some(&at.name),
            Self::Document(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for ReplySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { at, dream: None } => write!(f, "{at}"),
            Self::Lines { at, dream: Some(dream) } => write!(f, "{at} of dream {dream}"),
            Self::Document(name) => write!(f, "{name}"),
            Self::Row { id, .. } => write!(f, "memory {id}"),
            Self::Profile { facts } => write!(f, "profile, {facts} facts"),
            Self::Block(id) => write!(f, "block {id}"),
        }
    }
}

/// The way by which a source reached the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShownBy {
    /// The prompt.
    Prompt,
    /// A search.
    Search,
    /// A document or a list of rows that the model asked for.
    Read,
}

impl fmt::Display for ShownBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Prompt => "prompt",
            Self::Search => "search",
            Self::Read => "read",
        })
    }
}

/// The state of a source by now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// Nobody looked: a row, a block, or lines that were not whole.
    #[default]
    Unknown,
    /// The same lines say the same.
    Same,
    /// They say something else, or the document is shorter.
    Changed,
    /// The document is gone.
    Gone,
}

/// A source that the model was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shown {
    /// The way by which it reached the model.
    pub by: ShownBy,
    /// The source.
    pub source: ReplySource,
    /// The keyed hash of the whole document, as it was then; `None` where only a part of it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The keyed hash of the lines or the row, as they were then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The state of the source by now.
    #[serde(skip)]
    pub standing: Standing,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.source, self.by)?;
        f.write_str(match self.standing {
            Standing::Unknown | Standing::Same => "",
            Standing::Changed => ", changed since",
            Standing::Gone => ", gone since",
        })
    }
}

/// The reason for which something did not reach the model, or not whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It is longer than its budget.
    Budget {
        /// Its length, in characters.
        chars: u64,
        /// The length of the shown part, in characters.
        shown: u64,
    },
    /// No room was left for any of it.
    NoRoom,
    /// The session may not read it.
    Rights,
    /// It is missing.
    Missing,
    /// It is too large, a link, or no plain file.
    Unreadable,
    /// It holds bytes that are no text; they were shown as replacement characters.
    NotUtf8,
    /// Its dream was never finished: a section without its end mark.
    Torn,
    /// The lines look like an instruction in disguise, and were blocked.
    Blocked,
    /// Secrets, forgotten words or instructions in it were found at the door.
    Found {
        /// The class of what was found.
        class: String,
        /// In how many places.
        count: u32,
    },
    /// The answer had enough passages of this document.
    Crowded,
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget { chars, shown } => write!(f, "cut: {shown} of {chars} characters"),
            Self::NoRoom => f.write_str("no room"),
            Self::Rights => f.write_str("not for this session"),
            Self::Missing => f.write_str("missing"),
            Self::Unreadable => f.write_str("cannot be read"),
            Self::NotUtf8 => f.write_str("not all of it is text"),
            Self::Torn => f.write_str("a dream that was not finished"),
            Self::Blocked => f.write_str("blocked"),
            Self::Found { class, count } => write!(f, "{class} found in {count} places"),
            Self::Crowded => f.write_str("enough passages of this document"),
        }
    }
}

/// Something that did not reach the model, or not whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The way by which it would have reached the model.
    pub by: ShownBy,
    /// The source.
    pub source: ReplySource,
    /// The reason.
    pub reason: LeftOutReason,
}

impl LeftOut {
    pub(crate) fn new(by: ShownBy, source: ReplySource, reason: LeftOutReason) -> Self {
        Self { by, source, reason }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.source, self.by, self.reason)
    }
}
