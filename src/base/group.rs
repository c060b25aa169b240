//! The name of a group: an audience of its own within a life.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::name::DocName;
use super::name_rules::{NameError, printable, windows_fault};

/// The name of a group of people with whom an agent talks.
///
/// At most 40 characters out of `a-z`, `0-9` and `-`, with a letter or digit at both ends. So it is a folder's name on
/// every disk, and no two names differ by case alone.
///
/// ```
/// use noctuary::life::GroupName;
///
/// assert_eq!(GroupName::parse("family")?.to_string(), "family");
/// for other in ["", "Family", "../x", "famıly", "a b", "-x", "con"] {
///     assert!(GroupName::parse(other).is_err(), "{other}");
/// }
/// # Ok::<(), noctuary::workspace::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct GroupName(String);

/// The folder of the groups.
const FOLDER: &str = "groups";

impl GroupName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`NameError`] for any other text.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = (1..=40).contains(&text.len())
            && text.bytes().all(is_plain)
            && !text.starts_with('-')
            && !text.ends_with('-')
            && windows_fault(text).is_none();
        if is_name {
            return Ok(Self(text.to_owned()));
        }
        let rule =
            "the name of a group has at most 40 of a-z, 0-9 and -, with a letter or digit at both ends";
        Err(NameError { name: printable(text), rule })
    }

    /// Returns the folder of the group's documents in the life's workspace: `groups/family`.
    ///
    /// # Panics
    ///
    /// Never: the name of a group obeys the grammar of documents.
    #[must_use]
    pub fn folder(&self) -> DocName {
        DocName::parse(format!("{FOLDER}/{self}"))
            .expect("the name of a group is a segment of a document's name")
    }

    /// Returns the folder of all groups.
    pub(crate) fn all() -> DocName {
        DocName::parse(FOLDER).expect("it obeys the grammar")
    }

    /// Returns the group to which a document of the life's workspace belongs by its name.
    pub(crate) fn of_document(name: &str) -> Option<Self> {
        let (group, _) = name.strip_prefix(FOLDER)?.strip_prefix('/')?.split_once('/')?;
        Self::parse(group).ok()
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for GroupName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl From<GroupName> for String {
    fn from(name: GroupName) -> Self {
        name.0
    }
}

impl TryFrom<String> for GroupName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}
