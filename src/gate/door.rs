//! The doors of a workspace, where text that comes in or goes out to a model is checked, and their results.

use std::borrow::Cow;
use std::fmt;

use crate::base::debug::debug_as;
use crate::base::name::Name;

/// A place where text is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Door {
    /// A line is added to a journal.
    JournalAppend,
    /// A document is written, added to, or given another name.
    WorkspaceWrite,
    /// A document comes from another workspace.
    Import,
    /// A document, or a row of a memory store, is read into a prompt. A prompt is never refused for its content: text
    /// that a policy rejects is masked or blocked there.
    PromptLoad,
    /// A row is written into a memory store, or a fact into its profile.
    StoreWrite,
    /// A model writes through a tool. Its text passes the door of the document or of the store too, and the
    /// stricter of both decides.
    Tool,
    /// A dream shows journals and `MEMORY.md` to a model.
    DreamRequest,
    /// A model answers a dream, and the answer is to become lines of `MEMORY.md`.
    DreamReply,
    /// A row or a question is shown to an embedder or a reranker.
    EmbedRequest,
}

impl Door {
    /// All doors.
    pub const ALL: [Self; 9] = [
        Self::JournalAppend,
        Self::WorkspaceWrite,
        Self::Import,
        Self::PromptLoad,
        Self::StoreWrite,
        Self::Tool,
        Self::DreamRequest,
        Self::DreamReply,
        Self::EmbedRequest,
    ];
}

/// A text that was checked at a door.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed<'a> {
    /// The text, with its placeholders.
    pub text: Cow<'a, str>,
    /// The findings in it, one for each class, masked and blocked ones included.
    pub warnings: Vec<DoorWarning>,
}

debug_as!(Passed<'_>, |it| "Passed {{ bytes: {}, warnings: {:?} }}", it.text.len(), it.warnings);

/// A finding in a checked text: names and classes, never the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DoorWarning {
    /// The door.
    pub door: Door,
    /// The document; `a new note` or `a new loop` for words that a session is given.
    pub name: Name,
    /// The class of a secret, or the reason of an injection.
    pub class: String,
    /// In how many places.
    pub count: u32,
    /// The line of the first of them in the checked text, from 1.
    pub line: u64,
    /// The character of that line with which it begins, from 1.
    pub column: u64,
}

impl fmt::Display for DoorWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, class, count, line, column, .. } = self;
        write!(f, "{class} in {name} at {line}:{column}")?;
        if *count > 1 { write!(f, ", the first of {count} places") } else { Ok(()) }
    }
}
