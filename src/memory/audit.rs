//! A line of the audit.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::id::MemoryId;
use super::source::Source;
use crate::base::access::{Actor, SessionKind};
use crate::base::debug::debug_as;
use crate::format::Origin;

/// A line of the audit: the change or refusal, by whom and why, without the words that it was about.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who acted.
    pub actor: Actor,
    /// In what kind of session; `None` where it was in none.
    pub kind: Option<SessionKind>,
    /// `memory_write`, `memory_update`, `memory_delete`, `memory_restore`, `memory_pin`, `memory_unpin`,
    /// `memory_forget`, `memory_lift`, `memory_learn`, or `memory_removed` for a purged row. `profile_write`,
    /// `method_create`, `method_graduate`, `method_quarantine`, `method_lift`, `outcome_report`, `preference_propose`,
    /// `preference_approve`, `preference_withdraw`, `role_note`, or `role_reflect`.
    pub action: String,
    /// Its end.
    pub outcome: AuditOutcome,
    /// The row, where it has an id.
    pub id: Option<MemoryId>,
    /// The claimed source of the row.
    pub source: Option<Source>,
    /// The origin of the words. It stays after a statement was forgotten, a participant's name included.
    pub origin: Option<Origin>,
    /// Why, as it was stored: with secrets and instructions masked.
    pub reason: Option<String>,
}

impl AuditEntry {
    /// Makes the entry of an action or refusal, without the rest: its fields can be set.
    pub fn new(at: DateTime<Utc>, actor: Actor, action: impl Into<String>, outcome: AuditOutcome) -> Self {
        Self {
            at,
            actor,
            kind: None,
            action: action.into(),
            outcome,
            id: None,
            source: None,
            origin: None,
            reason: None,
        }
    }
}

debug_as!(AuditEntry, |it| "AuditEntry {{ {:?}, {}, {}, {:?} }}", it.actor, it.action, it.outcome, it.id);

/// The outcome of an action in the audit. Prints as the words of its files, and each text is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AuditOutcome {
    /// `done`.
    Done,
    /// `refused: denied`: this actor may not, or not in this kind of session.
    Denied,
    /// `refused: too large`.
    TooLarge,
    /// `refused: ` with the classes of the findings, or the setting whose rule was broken.
    Refused(String),
    /// The words of another version, kept as they are.
    Other(String),
}

impl AuditOutcome {
    /// Returns whether it was refused, for any reason.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Denied | Self::TooLarge | Self::Refused(_))
    }
}

impl fmt::Display for AuditOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Denied => f.write_str("refused: denied"),
            Self::TooLarge => f.write_str("refused: too large"),
            Self::Refused(what) => write!(f, "refused: {what}"),
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl From<&str> for AuditOutcome {
    fn from(text: &str) -> Self {
        match (text, text.strip_prefix("refused: ")) {
            ("done", _) => Self::Done,
            (_, Some("denied")) => Self::Denied,
            (_, Some("too large")) => Self::TooLarge,
            (_, Some(what)) => Self::Refused(what.to_owned()),
            (words, None) => Self::Other(words.to_owned()),
        }
    }
}

impl Serialize for AuditOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AuditOutcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::from(text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_read_back_as_the_words_that_it_prints() {
        let refused = |what: &str| AuditOutcome::Refused(what.to_owned());
        for (text, outcome) in [
            ("done", AuditOutcome::Done),
            ("refused: denied", AuditOutcome::Denied),
            ("refused: too large", AuditOutcome::TooLarge),
            ("refused: aws_access_key, jwt", refused("aws_access_key, jwt")),
            ("refused: ", refused("")),
            ("postponed", AuditOutcome::Other("postponed".to_owned())),
        ] {
            assert_eq!(AuditOutcome::from(text), outcome);
            assert_eq!(outcome.to_string(), text);
            assert_eq!(outcome.is_refused(), text.starts_with("refused"), "{text}");
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<AuditOutcome>(&json).unwrap(), outcome);
        }
    }
}
