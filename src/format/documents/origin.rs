//! The origin of the words in a journal: who said them, or through what they came.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

/// The speaker or source of an entry. The host says it, never the model.
///
/// ```
/// use noctuary::format::Origin;
///
/// assert_eq!(Origin::Tool("psql".into()).to_string(), "tool:psql");
/// assert_eq!("web".parse(), Ok(Origin::Web));
/// assert!("root".parse::<Origin>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Origin {
    /// The person whom the agent serves.
    User,
    /// The agent.
    Agent,
    /// The tool of this name; empty where it is not known. Characters other than `A-Z a-z 0-9 . _ / -` print as `-`.
    Tool(String),
    /// A page or a search.
    Web,
    /// An importer.
    Import,
    /// Somebody else who speaks, by name: not the user. Characters that are no letters, digits or ` . _ ' : / @ -` print
    /// as `-`. The audit of a store keeps the name when a statement is forgotten, and not when the person is erased.
    Participant(String),
    /// The host itself.
    System,
}

impl Origin {
    /// Returns the name of somebody else who speaks.
    pub(crate) fn participant(origin: Option<&Self>) -> Option<&str> {
        match origin {
            Some(Self::Participant(name)) => Some(name),
            _ => None,
        }
    }

    /// Returns whether these are words of somebody who may speak for the user: no tool, page or import.
    pub(crate) fn is_trusted(&self) -> bool {
        matches!(self, Self::User | Self::Agent | Self::System)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool(name) if name.is_empty() => "tool",
            Self::Tool(name) => {
                let plain = |c: char| if is_plain(c) { c } else { '-' };
                return write!(f, "tool:{}", name.chars().take(64).map(plain).collect::<String>());
            }
            Self::Participant(name) => {
                let plain = |c: char| if is_plain_in_name(c) { c } else { '-' };
                let name: String = name.chars().take(64).map(plain).collect();
                return write!(f, "participant:{}", if name.trim().is_empty() { "-" } else { name.trim() });
            }
            Self::Web => "web",
            Self::Import => "import",
            Self::System => "system",
        })
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-')
}

fn is_plain_in_name(c: char) -> bool {
    // Marks of decomposed letters, and the half-space of Persian names.
    c.is_alphanumeric()
        || is_combining_mark(c)
        || matches!(c, '\u{200c}' | '\u{200d}' | ' ' | '.' | '_' | '\'' | ':' | '/' | '@' | '-')
}

impl FromStr for Origin {
    type Err = UnknownOrigin;

    fn from_str(text: &str) -> Result<Self, UnknownOrigin> {
        Ok(match text {
            "user" => Self::User,
            "agent" => Self::Agent,
            "tool" => Self::Tool(String::new()),
            "web" => Self::Web,
            "import" => Self::Import,
            "system" => Self::System,
            _ if text.starts_with("participant:") => {
                let name = &text["participant:".len()..];
                let is_name = !name.is_empty() && name.trim() == name && name.chars().all(is_plain_in_name);
                return if is_name { Ok(Self::Participant(name.to_owned())) } else { Err(UnknownOrigin) };
            }
            _ => match text.strip_prefix("tool:") {
                Some(name) if !name.is_empty() && name.chars().all(is_plain) => Self::Tool(name.to_owned()),
                _ => return Err(UnknownOrigin),
            },
        })
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.to_string()
    }
}

impl TryFrom<String> for Origin {
    type Error = UnknownOrigin;

    fn try_from(text: String) -> Result<Self, UnknownOrigin> {
        text.parse()
    }
}

/// A text that names no [`Origin`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an origin: user, agent, tool:NAME, web, import, participant:NAME or system")]
pub struct UnknownOrigin;
