//! A walk over a whole workspace, for the secrets in it.

use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::gate::{Doors, GateFinding};
use crate::workspace::Workspace;

/// The findings of [`audit_secrets`].
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
/// use noctuary::exchange::audit_secrets;
/// use noctuary::gate::Doors;
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
/// The errors of [`Workspace::list`] and [`Workspace::read`].
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
