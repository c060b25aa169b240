//! The settings of prompts.

use super::order::PromptOrder;
use crate::base::name::DocName;

/// The settings of prompts.
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
    /// The blocks, in their order. The seed's.
    pub order: PromptOrder,
    /// The most of one document, in characters: 20,000. A mark takes the place of a cut, and its words count
    /// too, where there is room for them.
    pub max_file_chars: usize,
    /// The most of `USER.md`, in characters: 20,000. OpenClaw has 4,000.
    pub max_user_chars: usize,
    /// The most of all documents together, in characters: 60,000. Where it is not enough, identity comes
    /// before memory, and memory before journals.
    pub max_chars: usize,
    /// The advised length of `MEMORY.md`, in characters: 10,000. Beyond it there is a notice, and nothing is
    /// dropped.
    pub memory_budget: u64,
    /// For how many days back journals are shown: 1, which is today and yesterday.
    pub journal_days: u32,
    /// The document that carries the memo of the last session: `HEARTBEAT.md`. `None` shows none.
    pub heartbeat: Option<DocName>,
    /// Whether `BRIEFING.md` is shown, the page that [dreams replace](crate::DreamConfig::briefing). Off.
    pub briefing: bool,
    /// Whether `SOUL.md` is required for a prompt. Off: a marker takes its place.
    pub requires_soul: bool,
}

impl Default for PromptConfig {
    fn default() -> Self {
        Self {
            order: PromptOrder::Seed,
            max_file_chars: 20_000,
            max_user_chars: 20_000,
            max_chars: 60_000,
            memory_budget: 10_000,
            journal_days: 1,
            heartbeat: Some(DocName::HEARTBEAT),
            briefing: false,
            requires_soul: false,
        }
    }
}
