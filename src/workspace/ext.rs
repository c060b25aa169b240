//! Verbs that every workspace has by those of the contract.

use super::claim::{Claim, ClaimTerms};
use super::contract::Workspace;
use super::lease::Lease;
use crate::base::access::{Access, Scope};
use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::Name;
use crate::base::text;

/// Verbs that every workspace has by those of [`Workspace`].
pub trait WorkspaceExt: Workspace {
    /// Reads a document as text, without a byte order mark; `None` where nothing has this name.
    ///
    /// ```
    /// use noctuary::workspace::WorkspaceExt;
    /// use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = FileWorkspace::open(folder.path())?;
    /// workspace.write(&DocName::MEMORY, "\u{feff}# Memory\r\n".as_bytes(), WriteMode::Create)?;
    /// assert_eq!(workspace.read_text(&DocName::MEMORY)?.as_deref(), Some("# Memory\r\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotUtf8`] where it is not text, and those of [`Workspace::read`].
    fn read_text(&self, name: &Name) -> Result<Option<String>> {
        self.read(name)?.map(|document| text_of(name, document)).transpose()
    }

    /// Reads at most the last `max` bytes as text, in memory for those alone. Never splits a character;
    /// bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    ///
    /// The errors of [`Workspace::read_range`].
    fn read_tail(&self, name: &Name, max: u64) -> Result<Tail> {
        let len = self.metadata(name)?.map_or(0, |metadata| metadata.len);
        let start = len.saturating_sub(max);
        let bytes = self.read_range(name, start..len)?;
        let skip = if start == 0 { 0 } else { text::leading_continuation(&bytes) };
        let cut = bytes.len().saturating_sub(text::trailing_fragment(&bytes));
        let text = String::from_utf8_lossy(bytes.get(skip..cut).unwrap_or_default()).into_owned();
        Ok(Tail { start: start + skip as u64, text })
    }
}

impl<W: Workspace + ?Sized> WorkspaceExt for W {}

/// Returns the text of a document, without a byte order mark.
pub(crate) fn text_of(name: &Name, document: Document) -> Result<String> {
    let text = String::from_utf8(document.into_bytes()).map_err(|error| Error::NotUtf8 {
        name: name.clone(),
        valid_up_to: error.utf8_error().valid_up_to(),
    })?;
    Ok(match text.strip_prefix(text::BOM) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The end of a document, read by [`WorkspaceExt::read_tail`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tail {
    /// The byte offset at which `text` begins.
    pub start: u64,
    /// The text from there to the last whole character.
    pub text: String,
}

debug_as!(Tail, |it| "Tail {{ start: {}, bytes: {} }}", it.start, it.text.len());

/// Returns whether a workspace holds the life of this scope, as far as it knows its own. A group's workspace always knows.
pub(crate) fn is_of<W: Workspace + ?Sized>(workspace: &W, scope: &Scope) -> bool {
    workspace.scope().map_or_else(|| scope.group_name().is_none(), |own| own == scope)
}

/// Refuses an access of another scope than the workspace's to `name`, before anything is read.
pub(crate) fn check_scope<W: Workspace + ?Sized>(
    workspace: &W,
    access: &Access,
    name: impl Into<Name>,
) -> Result<()> {
    if is_of(workspace, &access.scope) {
        return Ok(());
    }
    Err(Error::Denied { name: name.into(), kind: access.kind })
}

/// Claims a workspace for what cannot wait; [`Error::Busy`] where somebody else holds it.
pub(crate) fn claim_now(workspace: &dyn Workspace, terms: &ClaimTerms) -> Result<Box<dyn Lease>> {
    match workspace.claim(terms)? {
        Claim::Granted(lease) => Ok(lease),
        Claim::Held(_) => Err(Error::Busy { path: workspace.location() }),
    }
}
