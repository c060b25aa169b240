//! The kind and the id of an artifact.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::error::{Error, Result};
use crate::base::text::floor_boundary;

/// The kind of an artifact. Prints as its word, which is the scheme of its URI too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArtifactKind {
    /// `chart`: options of charts, as `ECharts` takes them. Ids begin with `x-`.
    Chart,
    /// `spreadsheet`: a table as CSV. Ids begin with `x-`, as those of charts do.
    Spreadsheet,
    /// `report`: a text in markdown or HTML. Ids begin with `r-`.
    Report,
}

impl ArtifactKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Chart, Self::Spreadsheet, Self::Report];

    /// Returns its word: `chart`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chart => "chart",
            Self::Spreadsheet => "spreadsheet",
            Self::Report => "report",
        }
    }

    /// Returns the beginning of its ids.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Chart | Self::Spreadsheet => "x-",
            Self::Report => "r-",
        }
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ArtifactKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(Error::Config {
            setting: "the kind of an artifact",
            rule: "must be chart, spreadsheet or report",
        })
    }
}

/// The id of an artifact: `x-` or `r-`, and up to 64 letters, digits, `-` and `_` of ASCII. It names a reference that lasts,
/// and is no secret: what may be read is decided by the [`Access`](crate::Access) of each call.
///
/// ```
/// use noctuary::artifacts::ArtifactId;
///
/// let id: ArtifactId = "x-0f3a9c2e17b4d5a6".parse()?;
/// assert_eq!(id.as_str(), "x-0f3a9c2e17b4d5a6");
/// assert!("x-../../etc".parse::<ArtifactId>().is_err());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArtifactId(String);

/// The longest part of an id behind its prefix, in bytes.
const LONGEST: usize = 64;

impl ArtifactId {
    /// Makes the id of a kind with a number of random hexadecimal digits.
    pub(crate) fn of(kind: ArtifactKind, digits: &str) -> Self {
        Self(format!("{}{digits}", kind.prefix()))
    }

    /// Returns its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether an artifact of this kind may have it.
    pub(crate) fn may_be(&self, kind: ArtifactKind) -> bool {
        self.0.starts_with(kind.prefix())
    }

    /// Returns the length of the id at the beginning of a text; `None` where there is none.
    pub(crate) fn len_at(text: &str) -> Option<usize> {
        let rest = text.strip_prefix("x-").or_else(|| text.strip_prefix("r-"))?;
        let is_of_id = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let len = rest.bytes().take_while(|byte| is_of_id(byte)).count();
        (1..=LONGEST).contains(&len).then_some(len + 2)
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ArtifactId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if Self::len_at(text) == Some(text.len()) {
            return Ok(Self(text.to_owned()));
        }
        Err(not_found(
            text,
            "an id is x- or r-, and letters, digits, - and _; copy it from the list of artifacts",
        ))
    }
}

impl TryFrom<String> for ArtifactId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<ArtifactId> for String {
    fn from(id: ArtifactId) -> Self {
        id.0
    }
}

/// Makes the error of an artifact that is not there, under the text by which it was asked for.
pub(crate) fn not_found(asked: &str, hint: &'static str) -> Error {
    let mut shown: String = asked.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    shown.truncate(floor_boundary(&shown, 80));
    Error::ArtifactNotFound { artifact: shown, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_words_and_nothing_that_leads_out_of_a_folder() {
        for good in ["x-1", "r-0f3a", "x-V1StGXR8_Z5jdHi6B-myT", &format!("r-{}", "a".repeat(64))] {
            assert_eq!(good.parse::<ArtifactId>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "x-",
            "y-1",
            "x-a/b",
            "x-..",
            "x-a.b",
            "X-1",
            "x-é",
            " x-1",
            "x-1\n",
            &format!("x-{}", "a".repeat(65)),
        ] {
            let error = bad.parse::<ArtifactId>().unwrap_err();
            assert!(matches!(error, Error::ArtifactNotFound { .. }), "{bad:?}");
            assert!(!error.to_string().contains('\n'), "{bad:?}");
        }
    }
}
