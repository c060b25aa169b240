//! The system prompt of a session: typed blocks in a stated order, within a budget.
//!
//! A [`Snapshot`] reads the workspace once, when the session starts, through the session's own view; so it holds
//! nothing that this session may not see, and a later edit is seen by the next session. What may change from
//! turn to turn, the onboarding and the notice of a changed `SOUL.md`, is added when a prompt is made.
//!
//! The order is precedence: what the workspace says stands before everything that is inferred or learned
//! elsewhere, and a line says so. Remembered text is advice; it lifts no limit that code enforces.

mod context;
mod order;
mod reader;
mod snapshot;
mod text;

use std::borrow::Cow;
use std::fmt;

use crate::base::name::DocName;
use crate::dreamer::MemoryGauge;
use crate::gate::DoorWarning;

pub use context::{ContextConfig, MemoryContext};
pub use order::PromptOrder;
pub use snapshot::Snapshot;

/// How prompts are made.
///
/// ```
/// use noctuary::life::{PromptConfig, PromptOrder};
///
/// let mut config = PromptConfig::default();
/// config.order = PromptOrder::IronClaw;
/// assert_eq!(config.max_file_chars, 20_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptConfig {
    /// Which blocks there are, in which order. The seed's.
    pub order: PromptOrder,
    /// The most of one document, in characters: 20,000. What is cut is said in its place, and the words that say so count
    /// too, where there is room for them.
    pub max_file_chars: usize,
    /// The most of all documents together, in characters: 60,000. Where it is not enough, identity comes
    /// before memory, and memory before journals.
    pub max_chars: usize,
    /// How long `MEMORY.md` should stay, in characters: 10,000. Beyond it there is a notice, and nothing is
    /// dropped.
    pub memory_budget: u64,
    /// For how many days back journals are shown: 1, which is today and yesterday.
    pub journal_days: u32,
    /// The document that carries the memo of the last session: `HEARTBEAT.md`. `None` tells of none.
    pub heartbeat: Option<DocName>,
    /// Whether there is no prompt without `SOUL.md`. Off: a marker stands in its place.
    pub requires_soul: bool,
}

impl Default for PromptConfig {
    fn default() -> Self {
        Self {
            order: PromptOrder::Seed,
            max_file_chars: 20_000,
            max_chars: 60_000,
            memory_budget: 10_000,
            journal_days: 1,
            heartbeat: Some(DocName::HEARTBEAT),
            requires_soul: false,
        }
    }
}

/// A system prompt. Its text is what [`Display`](fmt::Display) prints; the same blocks give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The blocks, in order. A host may move or replace them; derived ones come after the workspace's.
    pub blocks: Vec<Block>,
    /// How long `MEMORY.md` is, and how long it should be; `None` where this session does not see it.
    pub memory: Option<MemoryGauge>,
    /// What a host may want to tell its operator.
    pub notices: Vec<PromptNotice>,
}

impl Prompt {
    /// Finds a block by its id.
    #[must_use]
    pub fn block(&self, id: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 {
                f.write_str("\n\n")?;
            }
            f.write_str(&block.text)?;
        }
        Ok(())
    }
}

/// A part of a prompt.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// What it is, such as `identity` or `memory_snapshot`; the same from release to release.
    pub id: Cow<'static, str>,
    /// Its text, headings included, without a line break at the end.
    pub text: String,
    /// For how long it stays the same.
    pub cache: CacheHint,
}

impl Block {
    /// Makes a block of text that the host derives from elsewhere: a skill catalogue, a playbook, a profile it inferred.
    ///
    /// `id` is the host's own name for it, `cache` how long its text stays the same. [`Session::prompt`](crate::Session::prompt)
    /// puts it after all that the workspace says. It is shown as it is: not scanned, not cut, not counted in
    /// [`PromptConfig::max_chars`], and to whichever session it is given.
    ///
    /// ```
    /// use noctuary::life::{Block, CacheHint};
    ///
    /// let skills = Block::derived("skills", "# Skills\n\n- book_train: books a seat", CacheHint::Session);
    /// assert_eq!(skills.id, "skills");
    /// // let prompt = session.prompt(&[skills])?;
    /// ```
    pub fn derived(id: impl Into<Cow<'static, str>>, text: impl Into<String>, cache: CacheHint) -> Self {
        Self { id: id.into(), text: text.into(), cache }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block {{ {}, {:?}, {} bytes }}", self.id, self.cache, self.text.len())
    }
}

/// For how long a block stays the same, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CacheHint {
    /// Until somebody edits who the agent is.
    Stable,
    /// For this session.
    Session,
    /// For this turn.
    Turn,
}

/// Something about a prompt that a host may want to tell its operator. Never the text in question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptNotice {
    /// A document that the order asks for is missing; a marker stands in its place.
    Missing(DocName),
    /// Of a document only a part is shown.
    Cut {
        /// The document.
        name: DocName,
        /// How long it is, in characters.
        chars: usize,
        /// How much of it is shown, in characters.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_told_in_a_clause() {
        let name = DocName::USER;
        assert_eq!(PromptNotice::Missing(name.clone()).to_string(), "USER.md is missing");
        let cut = PromptNotice::Cut { name, chars: 900, shown: 300 };
        assert_eq!(cut.to_string(), "USER.md is cut: 300 of 900 characters are shown");
    }
}
