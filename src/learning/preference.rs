//! A preference: something that a person wants, or must not happen.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use crate::base::debug::debug_as;
use crate::base::row_id::row_id;
use crate::memory::MemoryId;

/// The id of a preference: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PreferenceId(i64);

row_id!(PreferenceId);

/// The kind of a preference. Prints as the word of its files: `hard_constraint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreferenceKind {
    /// A way of working that the person likes. Approved, it becomes a row of the source `learned_preference`.
    Behavioural,
    /// A limit that nothing lifts. Approved, it is a [standing rule](super::Constraint).
    HardConstraint,
}

impl PreferenceKind {
    /// Returns its word in a file: `hard_constraint`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Behavioural => "behavioural",
            Self::HardConstraint => "hard_constraint",
        }
    }
}

impl fmt::Display for PreferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The state of a preference. Prints as the word of its files: `proposed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreferenceState {
    /// It waits for the word of a person, and has no effect.
    Proposed,
    /// A person approved it.
    Active,
    /// A person took it back, and has the last word on it.
    Withdrawn,
}

impl PreferenceState {
    /// Returns its word in a file: `proposed`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Active => "active",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl fmt::Display for PreferenceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A preference to propose.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewPreference {
    /// The matter: `risk`, `tone`.
    pub dimension: String,
    /// The kind.
    pub kind: PreferenceKind,
    /// The preference itself, in one line.
    pub statement: String,
    /// The tools that a constraint is about, by name; `*` stands for any characters. None: it is about no tool, and is shown in
    /// prompts alone.
    pub tools: Vec<String>,
    /// The words of arguments that a constraint is about. None: every call of those tools.
    pub words: Vec<String>,
    /// Whether it comes from another home, such as a bundle.
    pub imported: bool,
}

impl NewPreference {
    fn new(kind: PreferenceKind, dimension: impl Into<String>, statement: impl Into<String>) -> Self {
        Self {
            dimension: dimension.into(),
            kind,
            statement: statement.into(),
            tools: Vec::new(),
            words: Vec::new(),
            imported: false,
        }
    }

    /// Makes a way of working that the person likes.
    pub fn behavioural(dimension: impl Into<String>, statement: impl Into<String>) -> Self {
        Self::new(PreferenceKind::Behavioural, dimension, statement)
    }

    /// Makes a limit.
    pub fn hard_constraint(dimension: impl Into<String>, statement: impl Into<String>) -> Self {
        Self::new(PreferenceKind::HardConstraint, dimension, statement)
    }

    /// Adds tools that a constraint is about: `trade_*`.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tools.push(name.into());
        self
    }

    /// Adds words that a constraint looks for in the arguments of a call; one of several is enough.
    #[must_use]
    pub fn when(mut self, words: impl Into<String>) -> Self {
        self.words.push(words.into());
        self
    }

    /// Says that it comes from another home.
    #[must_use]
    pub fn imported(mut self) -> Self {
        self.imported = true;
        self
    }
}

debug_as!(NewPreference, |it| "NewPreference {{ {}, {} bytes }}", it.kind, it.statement.len());

/// A preference.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Preference {
    /// Its id.
    pub id: PreferenceId,
    /// The matter.
    pub dimension: String,
    /// The kind.
    pub kind: PreferenceKind,
    /// The state.
    pub state: PreferenceState,
    /// The preference itself.
    pub statement: String,
    /// The tools that a constraint is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The words of arguments that a constraint is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The last word of a person: the approval of an active one, the withdrawal of a withdrawn one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approval>,
    /// The row of an active behavioural one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// When it was proposed.
    pub created_at: DateTime<Utc>,
}

impl Preference {
    /// Makes a preference as a store keeps it right after it was proposed.
    #[must_use]
    pub fn new(id: PreferenceId, proposed: NewPreference, now: DateTime<Utc>) -> Self {
        let NewPreference { dimension, kind, statement, tools, words, .. } = proposed;
        Self {
            id,
            dimension,
            kind,
            state: PreferenceState::Proposed,
            statement,
            tools,
            words,
            approved: None,
            memory: None,
            created_at: now,
        }
    }
}

debug_as!(
    Preference,
    |it| "Preference {{ {}, {}, {}, {} bytes }}",
    it.id,
    it.kind,
    it.state,
    it.statement.len()
);
