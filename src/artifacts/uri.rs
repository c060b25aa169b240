//! References to artifacts in a text: `chart://x-…`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::id::{ArtifactId, ArtifactKind, not_found};
use crate::base::error::{Error, Result};

/// A reference to an artifact as a model writes it: `chart://x-…`, `spreadsheet://x-…`, `report://r-…`. Parsing and printing
/// are inverse.
///
/// ```
/// use noctuary::artifacts::{ArtifactKind, ArtifactUri};
///
/// let uri: ArtifactUri = "report://r-51c0d9".parse()?;
/// assert_eq!((uri.kind, uri.id.as_str()), (ArtifactKind::Report, "r-51c0d9"));
/// assert_eq!(uri.to_string(), "report://r-51c0d9");
/// assert!("report://x-51c0d9".parse::<ArtifactUri>().is_err()); // no report has such an id
///
/// let found = ArtifactUri::find("See [the figures](chart://x-7), and report://r-51c0d9.");
/// assert_eq!(found.len(), 2);
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub struct ArtifactUri {
    /// The kind that the scheme names.
    pub kind: ArtifactKind,
    /// The id.
    pub id: ArtifactId,
}

impl ArtifactUri {
    /// Makes the reference to an artifact.
    ///
    /// # Errors
    ///
    /// [`Error::ArtifactNotFound`] for an id that no artifact of this kind has.
    pub fn new(kind: ArtifactKind, id: ArtifactId) -> Result<Self> {
        if id.may_be(kind) {
            return Ok(Self { kind, id });
        }
        Err(not_found(
            &format!("{kind}://{id}"),
            "ids of reports begin with r-, all others with x-; copy the reference from the list of artifacts",
        ))
    }

    /// Finds the references in a text, each once, in their order. A scheme without an id is none.
    #[must_use]
    pub fn find(text: &str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (at, mark) in text.match_indices("://") {
            let before = &text[..at];
            let Some(kind) = ArtifactKind::ALL.into_iter().find(|kind| before.ends_with(kind.as_str()))
            else {
                continue;
            };
            // `flowchart://` is a scheme of somebody else.
            let is_longer = before[..before.len() - kind.as_str().len()]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_'));
            let rest = &text[at + mark.len()..];
            let Some(id) = ArtifactId::len_at(rest).filter(|_| !is_longer) else { continue };
            let uri = rest[..id].parse().and_then(|id| Self::new(kind, id));
            if let Ok(uri) = uri
                && !found.contains(&uri)
            {
                found.push(uri);
            }
        }
        found
    }
}

impl fmt::Display for ArtifactUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.kind, self.id)
    }
}

impl FromStr for ArtifactUri {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        const HINT: &str = "a reference is chart://x-…, spreadsheet://x-… or report://r-…; copy it from the list of artifacts";
        let (kind, id) = text.split_once("://").ok_or_else(|| not_found(text, HINT))?;
        let kind = kind.parse().map_err(|_| not_found(text, HINT))?;
        let id = id.parse().map_err(|_| not_found(text, HINT))?;
        Self::new(kind, id)
    }
}

impl TryFrom<String> for ArtifactUri {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<ArtifactUri> for String {
    fn from(uri: ArtifactUri) -> Self {
        uri.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        ArtifactUri::find(text).iter().map(ToString::to_string).collect()
    }

    /// AF-08
    #[test]
    fn references_are_found_in_prose_and_each_once() {
        assert_eq!(found("chart://x-1 (chart://x-1), **report://r-2**."), ["chart://x-1", "report://r-2"]);
        assert_eq!(found("![a](chart://x-1)![b](spreadsheet://x-1)"), ["chart://x-1", "spreadsheet://x-1"]);
        for none in [
            "flowchart://x-1",
            "chart://",
            "chart://x-",
            "report://x-1",
            "chart://r-1",
            "chart:// x-1",
            "CHART://x-1",
        ] {
            assert!(found(none).is_empty(), "{none}");
        }
        assert_eq!(found(&format!("chart://x-{}", "a".repeat(65))), [""; 0], "longer than an id");
        assert_eq!(
            found("日chart://x-1/../../etc"),
            [""; 0],
            "{}",
            "a letter before it makes it another scheme"
        );
        assert_eq!(found("「chart://x-1/../../etc"), ["chart://x-1"]);
    }

    proptest! {
        /// AF-08
        #[test]
        fn a_reference_reads_back_as_it_prints(id in "[A-Za-z0-9_-]{1,64}", kind in 0..3_usize) {
            let kind = ArtifactKind::ALL[kind];
            let uri = ArtifactUri::new(kind, format!("{}{id}", kind.prefix()).parse().unwrap()).unwrap();
            prop_assert_eq!(uri.to_string().parse::<ArtifactUri>().unwrap(), uri.clone());
            prop_assert_eq!(ArtifactUri::find(&format!("see {uri}.")), vec![uri]);
        }

        #[test]
        fn no_text_makes_the_search_panic(text in "\\PC{0,40}(chart|report)?(://)?[xr]?-?\\PC{0,20}") {
            for uri in ArtifactUri::find(&text) {
                prop_assert!(text.contains(&uri.to_string()));
            }
            let _ = text.parse::<ArtifactUri>();
        }
    }
}
