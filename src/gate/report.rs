//! Where in a text something was found, and a walk over a whole workspace.

use super::Doors;
use crate::base::document::FoundAt;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::text;
use crate::pii::{Cure, Finding, GateFinding};
use crate::workspace::Workspace;

/// The most places that an error names.
pub(super) const MOST_PLACES: usize = 20;

/// Goes through a text and says on which line and at which character of it a byte stands.
pub(crate) struct Places<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    column: u64,
}

impl<'a> Places<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self::from_line(text, 1)
    }

    /// Where the first line of the text has another number.
    pub(crate) fn from_line(text: &'a str, line: u64) -> Self {
        Self { text, at: 0, line, column: 1 }
    }

    /// The line and the character, both from 1. Ask in ascending order.
    pub(crate) fn place(&mut self, byte: usize) -> (u64, u64) {
        let to = text::floor_boundary(self.text, byte).max(self.at);
        for c in self.text[self.at..to].chars() {
            match c {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                text::BOM => {}
                _ => self.column += 1,
            }
        }
        self.at = to;
        (self.line, self.column)
    }
}

/// Where findings stand in a text of which they are given in ascending order.
pub(super) fn found_at<'f>(text: &str, findings: impl Iterator<Item = &'f Finding>) -> Vec<FoundAt> {
    let mut places = Places::of(text);
    let found = |finding: &Finding| {
        let (line, column) = places.place(finding.span.start);
        FoundAt { class: finding.class.clone().into_owned(), line, column }
    };
    findings.map(found).collect()
}

impl Doors {
    /// Finds every secret of a text that is not allowed, whatever the policies say of it: for an operator who wants to
    /// know.
    ///
    /// ```
    /// use noctuary::gate::Doors;
    /// use noctuary::DocName;
    ///
    /// let found = Doors::default().inspect(&DocName::TOOLS, "# Tools\n\n- key: AKIAIOSFODNN7EXAMPLE\n");
    /// assert_eq!((found[0].line, found[0].column, found[0].preview.as_str()), (3, 8, "AK…LE"));
    /// ```
    #[must_use]
    pub fn inspect(&self, name: &DocName, text: &str) -> Vec<GateFinding> {
        let mut places = Places::of(text);
        let findings = self.gate().inspect(text);
        let told = |finding: &Finding| {
            let place = places.place(finding.span.start);
            GateFinding::new(name.clone(), place, finding, &self.gate().plain(text, finding), Cure::TakeOut)
        };
        findings.iter().map(told).collect()
    }
}

/// What [`audit_secrets`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretAudit {
    /// The secrets, by document and place.
    pub findings: Vec<GateFinding>,
    /// The documents that could not be read whole, and were not looked at.
    pub unread: Vec<DocName>,
    /// The entries that have no place in a workspace, and were not looked at.
    pub refused: Vec<String>,
}

/// Looks for secrets in every document of a workspace, for its operator. Changes nothing.
///
/// Earlier versions of documents and the library's own files are not looked at.
///
/// ```
/// use noctuary::gate::{Doors, audit_secrets};
/// use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let boat = DocName::parse("projects/boat.md")?;
/// workspace.write(&boat, b"- key AKIAIOSFODNN7EXAMPLE\n", WriteMode::Create)?;
///
/// let audit = audit_secrets(&workspace, &Doors::default())?;
/// assert!(audit.findings[0].to_string().starts_with("projects/boat.md:1:7: aws_access_key AK…LE: take it out"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`Workspace::list`] and [`Workspace::read`].
pub fn audit_secrets(workspace: &dyn Workspace, doors: &Doors) -> Result<SecretAudit> {
    let mut audit = SecretAudit::default();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref())?;
        folders.extend(listing.folders.into_iter().map(Some));
        audit.refused.extend(listing.refused);
        for name in listing.documents {
            match workspace.read(&name) {
                Ok(Some(document)) => audit.findings.extend(doors.inspect(&name, &document.lossy())),
                Ok(None) => {}
                Err(Error::TooLarge { .. } | Error::Refused { .. }) => audit.unread.push(name),
                Err(error) => return Err(error),
            }
        }
    }
    audit.findings.sort_by(|one, other| one.place().cmp(&other.place()));
    Ok(audit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters() {
        let text = "\u{feff}ab\r\né日x\n\ny";
        let mut places = Places::of(text);
        let at = |needle: &str| text.find(needle).unwrap();
        assert_eq!(places.place(at("a")), (1, 1));
        assert_eq!(places.place(at("b")), (1, 2));
        assert_eq!(places.place(at("x")), (2, 3));
        assert_eq!(places.place(at("y")), (4, 1));
        assert_eq!(places.place(text.len()), (4, 2));
        assert_eq!(Places::from_line("a\nb", 7).place(2), (8, 1));
    }
}
