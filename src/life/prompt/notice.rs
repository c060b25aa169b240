//! The notices of a prompt, for the operator.

use std::fmt;

use crate::base::name::DocName;
use crate::gate::DoorWarning;
use crate::life::receipt::{LeftOut, LeftOutReason, ReplySource, ShownBy};

/// Something about a prompt that a host may want to tell its operator. Never the text in question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptNotice {
    /// A document that the order asks for is missing; a marker stands in its place.
    Missing(DocName),
    /// Only a part of a document is shown.
    Cut {
        /// The document.
        name: DocName,
        /// Its length, in characters.
        chars: usize,
        /// The length of the shown part, in characters.
        shown: usize,
    },
    /// A document holds bytes that are no UTF-8; they are shown as replacement characters.
    NotUtf8(DocName),
    /// A document cannot be read: too large, a link, no plain file.
    Unreadable(DocName),
    /// Secrets in a document are masked, or lines that look like instructions in disguise are blocked: class,
    /// document and count. The document stays as it is.
    Found(DoorWarning),
    /// `MEMORY.md` is longer than it should be.
    MemoryOverBudget,
}

impl PromptNotice {
    /// Returns the same as an entry of a receipt; `None` where nothing was left out.
    pub(super) fn left_out(&self) -> Option<LeftOut> {
        let (name, reason) = match self {
            Self::Missing(name) => (name.clone(), LeftOutReason::Missing),
            Self::Cut { name, chars, shown } => {
                (name.clone(), LeftOutReason::Budget { chars: *chars as u64, shown: *shown as u64 })
            }
            Self::NotUtf8(name) => (name.clone(), LeftOutReason::NotUtf8),
            Self::Unreadable(name) => (name.clone(), LeftOutReason::Unreadable),
            Self::Found(warning) => {
                let found = LeftOutReason::Found { class: warning.class.clone(), count: warning.count };
                (DocName::parse(warning.name.as_str()).ok()?, found)
            }
            Self::MemoryOverBudget => return None,
        };
        Some(LeftOut::new(ShownBy::Prompt, ReplySource::Document(name), reason))
    }
}

impl fmt::Display for PromptNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "{name} is missing"),
            Self::Cut { name, chars, shown } => {
                write!(f, "{name} is cut: {shown} of {chars} characters are shown")
            }
            Self::NotUtf8(name) => write!(f, "{name} holds bytes that are no UTF-8"),
            Self::Unreadable(name) => write!(f, "{name} cannot be read"),
            Self::Found(warning) => write!(f, "{warning}"),
            Self::MemoryOverBudget => f.write_str("MEMORY.md is over its budget"),
        }
    }
}
