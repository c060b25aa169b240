//! The source of a row, and who may claim or change it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::categories;
use crate::base::access::Actor;

/// Where a row comes from. Set by the caller, who knows; never taken from what a model says of itself. Prints as the word
/// of its files, and each word is a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// Typed by the human into an interface. Never retired by code or model.
    UserManual,
    /// The human asked in a conversation to remember it.
    UserExplicit,
    /// A preference that was observed often enough.
    LearnedPreference,
    /// Derived from history by a rebuild.
    Inferred,
    /// Taken from a conversation by a scan.
    ChatExtracted,
    /// Recorded by the agent.
    AgentRecorded,
    /// Promoted by a dream.
    Dreamed,
    /// Brought from elsewhere.
    Imported,
    /// A word of another program, kept as it is.
    #[serde(untagged)]
    Other(String),
}

impl Source {
    /// Returns the word that stands for it in a file: `user_manual`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::UserManual => "user_manual",
            Self::UserExplicit => "user_explicit",
            Self::LearnedPreference => "learned_preference",
            Self::Inferred => "inferred",
            Self::ChatExtracted => "chat_extracted",
            Self::AgentRecorded => "agent_recorded",
            Self::Dreamed => "dreamed",
            Self::Imported => "imported",
            Self::Other(word) => word,
        }
    }

    /// Parses the source from its word. A word of another program is kept as it is.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.as_str() == Self::UserManual.as_str()
    }

    /// Returns whether `actor` may write rows with this source: the human alone claims `user_manual`, and the agent
    /// never claims `dreamed`.
    #[must_use]
    pub fn may_be_claimed(&self, actor: Actor) -> bool {
        match Self::from(self.as_str()) {
            Self::UserManual => actor == Actor::Human,
            Self::Dreamed => actor != Actor::Agent,
            _ => true,
        }
    }

    /// Returns whether `actor` may change the words of a row with this source. The human may change personal rows that
    /// were typed into an interface. The agent and the library may change all others. (seed 003, Schema)
    ///
    /// The same holds for deletes and restores, but the human of a main session may do both with any row.
    #[must_use]
    pub fn may_edit(source: Option<&Self>, category: &str, actor: Actor) -> bool {
        let is_typed = source.is_some_and(Self::is_typed);
        match actor {
            Actor::Human => is_typed && category == categories::PERSONALIZATION,
            Actor::Agent | Actor::Library => !is_typed,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&str> for Source {
    /// Reads a word. One of another program is kept as it is.
    fn from(word: &str) -> Self {
        let known = [
            Self::UserManual,
            Self::UserExplicit,
            Self::LearnedPreference,
            Self::Inferred,
            Self::ChatExtracted,
            Self::AgentRecorded,
            Self::Dreamed,
            Self::Imported,
        ];
        known
            .into_iter()
            .find(|source| source.as_str() == word)
            .unwrap_or_else(|| Self::Other(word.to_owned()))
    }
}
