//! A finding as an operator sees it: its place and the way to mend it, never its text.

use std::fmt;

use noctuary_gate::{Confidence, Finding, View};
use serde::{Deserialize, Serialize};

use crate::base::name::DocName;

/// A secret that was found in a document, so that a person can go there and act.
///
/// It holds at most a quarter of the secret, and no hash of it, since a short one is found by trying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GateFinding {
    /// The document.
    pub name: DocName,
    /// The class, such as `aws_access_key`.
    pub class: String,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The character of that line with which it begins, from 1. A line of a journal that is shown in part counts from
    /// that part, if more than 32 KiB are before it.
    pub column: u64,
    /// Its form in the text.
    pub view: View,
    /// The certainty of the filter.
    pub confidence: Confidence,
    /// Its first and last two characters, where that is no more than a quarter of it: `AK…LE`. Else nothing but `…`.
    pub preview: String,
    /// The way to mend it.
    pub cure: Cure,
}

impl GateFinding {
    /// Puts together the report on a secret.
    #[must_use]
    pub(crate) fn new(
        name: DocName,
        (line, column): (u64, u64),
        finding: &Finding,
        plain: &str,
        cure: Cure,
    ) -> Self {
        Self {
            name,
            class: finding.class.clone().into_owned(),
            line,
            column,
            view: finding.view,
            confidence: finding.confidence,
            preview: preview(plain),
            cure,
        }
    }

    /// Returns where it is: what reports are sorted by.
    pub(crate) fn place(&self) -> (&DocName, u64, u64) {
        (&self.name, self.line, self.column)
    }
}

impl fmt::Display for GateFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, class, line, column, preview, cure, .. } = self;
        write!(f, "{name}:{line}:{column}: {class} {preview}: {cure}")
    }
}

/// A way for an operator to mend a finding. Prints as words for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cure {
    /// Take it out of the document, or allow it.
    TakeOut,
    /// Take it out of the journal, or allow it; then release the journal from quarantine.
    TakeOutAndRelease,
}

impl fmt::Display for Cure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TakeOut => "take it out, or allow the value or its class",
            Self::TakeOutAndRelease => {
                "take it out of the journal, or allow the value or its class; then delete the entry of \
                 .dreamed-quarantine.json, or call release"
            }
        })
    }
}

/// Returns as much of a secret as may be told.
fn preview(plain: &str) -> String {
    let count = plain.chars().count();
    if count < 16 {
        return "…".to_owned();
    }
    let shown = |c: char| if c.is_ascii_graphic() { c } else { '·' };
    let first = plain.chars().take(2).map(shown);
    let last = plain.chars().skip(count - 2).map(shown);
    first.chain(['…']).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_tells_a_quarter_at_most_and_nothing_of_a_short_one() {
        assert_eq!(preview("AKIAIOSFODNN7EXAMPLE"), "AK…LE");
        assert_eq!(preview("a\nb45678901234é日"), "a·…··");
        assert_eq!(preview("123-45-6789"), "…");
        assert_eq!(preview("123456789012345"), "…");
        assert_eq!(preview(""), "…");
    }
}
