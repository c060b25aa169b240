//! The ending of a run or pass, and the mode in which a run dreams.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The end of a run or pass. Prints the seed's words for the endings that the seed knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// Dreaming is off; nothing was touched.
    #[serde(rename = "disabled")]
    Disabled,
    /// No journal has anything that a model has not been shown; the model was not called.
    #[serde(rename = "nothing_new")]
    NothingNew,
    /// The section of exactly these inputs is in `MEMORY.md` or the archive already; the model was not called.
    #[serde(rename = "already_promoted")]
    AlreadyPromoted,
    /// A proposal of exactly these inputs waits for a person's word; the model was not called.
    #[serde(rename = "already_proposed")]
    AlreadyProposed,
    /// The model was asked, and nothing was worth keeping or new.
    #[serde(rename = "nothing_to_promote")]
    NothingToPromote,
    /// The model was asked, and every line of its answer was held. Its journals wait for another try, up to
    /// [`max_tries`](crate::DreamConfig::max_tries) of them.
    #[serde(rename = "all_held")]
    AllHeld,
    /// A section was appended (in a preview: would have been).
    #[serde(rename = "appended")]
    Appended,
    /// The section waits for a person's answer.
    #[serde(rename = "proposed")]
    Proposed,
    /// It backs off after failures, or has reached its daily cap.
    #[serde(rename = "not_due_skip")]
    NotDue,
    /// As many proposals wait as may; the model was not called, and the journals wait.
    #[serde(rename = "proposals_full_skip")]
    ProposalsFull,
    /// A live peer holds the workspace.
    #[serde(rename = "lock_held_skip")]
    LockHeld,
    /// The lease was lost while the model thought; nothing was written.
    #[serde(rename = "lease_lost")]
    LeaseLost,
    /// There was no usable answer; nothing moved.
    #[serde(rename = "llm_error")]
    LlmError,
    /// The answer held a secret; the journals to blame are quarantined and `MEMORY.md` is untouched.
    #[serde(rename = "pii_detected_quarantine")]
    Quarantined,
    /// Facts were decided on, or in shadow mode would have been.
    #[serde(rename = "facts_decided")]
    Decided,
    /// The model was asked about facts, and nothing was decided.
    #[serde(rename = "nothing_decided")]
    Undecided,
    /// Rows about the human were written into a memory store.
    #[serde(rename = "personalization_rebuilt")]
    Rebuilt,
    /// Lessons of notes, or methods, were written into a memory store.
    #[serde(rename = "roles_reflected")]
    Reflected,
}

impl Outcome {
    /// Returns the word for logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NothingNew => "nothing_new",
            Self::AlreadyPromoted => "already_promoted",
            Self::AlreadyProposed => "already_proposed",
            Self::NothingToPromote => "nothing_to_promote",
            Self::AllHeld => "all_held",
            Self::Appended => "appended",
            Self::Proposed => "proposed",
            Self::NotDue => "not_due_skip",
            Self::ProposalsFull => "proposals_full_skip",
            Self::LockHeld => "lock_held_skip",
            Self::LeaseLost => "lease_lost",
            Self::LlmError => "llm_error",
            Self::Quarantined => "pii_detected_quarantine",
            Self::Decided => "facts_decided",
            Self::Undecided => "nothing_decided",
            Self::Rebuilt => "personalization_rebuilt",
            Self::Reflected => "roles_reflected",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The handling of a dream's findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DreamMode {
    /// Appends it to `MEMORY.md`.
    #[default]
    Append,
    /// Makes a file of it that a person edits, and then accepts or rejects; see
    /// [`JournalDreamer::proposals`](crate::JournalDreamer::proposals). The journals that the model was shown count as read.
    Propose,
    /// Asks the model and says what it would append. It claims nothing and writes nothing, so it may run beside a
    /// dream. No cap counts it, and no cap or back-off stops it. It asks again when it is called again.
    Preview,
}

impl DreamMode {
    /// Returns the word for lines that were promoted.
    pub(super) fn of_promoted(self) -> &'static str {
        match self {
            Self::Append => "promoted",
            Self::Propose => "proposed",
            Self::Preview => "to promote",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(super) fn is_append(&self) -> bool {
        *self == Self::Append
    }
}
