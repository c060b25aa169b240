//! The contract of a workspace: documents under validated names, and a lease over them.
//!
//! A `Workspace` is the operator's own, unguarded capability. A session reaches it only through a view
//! that states its [`Access`](crate::Access).

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::claim::{Claim, ClaimTerms};
use super::listing::{Listing, Metadata};
use super::reach::Reach;
use super::write::WriteMode;
use crate::base::access::Scope;
use crate::base::document::{Document, Revision};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};

/// The largest document that [`Workspace::read`] returns whole, in bytes: 64 MiB.
pub const MAX_DOCUMENT: u64 = 64 << 20;

/// Documents and state files under validated names.
///
/// Every verb takes a [`Name`]: a [`DocName`] and a [`StateName`](crate::workspace::StateName) dereference to it.
/// Verbs block; an async host calls them on a thread that may.
///
/// ```
/// use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let journal = DocName::parse("memory/2026-11-21.md")?;
/// workspace.append(&journal, b"- met Ilya\n")?;
/// let seen = workspace.read(&journal)?.expect("it was just written").revision();
/// workspace.write(&journal, b"- met Ilya, who sails\n", WriteMode::IfRevision(seen))?;
/// assert_eq!(workspace.list(Some(&DocName::JOURNALS))?.documents, [journal]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Workspace: Debug + Send + Sync {
    /// Says where it is, for messages and reports: a path.
    fn location(&self) -> String;

    /// Says whose life it holds, always the same; whatever takes an [`Access`](crate::Access) refuses any other scope then.
    ///
    /// As provided it is `None`: the host knows whose it is, as with a folder. A workspace around another one answers as that
    /// does.
    fn scope(&self) -> Option<&Scope> {
        None
    }

    /// Returns the documents that a [sync](crate::life::Indexed::sync) and a list of all folders include. A document that is asked for
    /// by its name is found wherever it is.
    ///
    /// As provided it is everything, which is right where nothing but a life is kept. A workspace around another one
    /// answers as that does.
    fn reach(&self) -> Reach {
        Reach::everything()
    }

    /// Lists a folder, the root where `folder` is `None`: names only, nothing is opened. A folder that does
    /// not exist is empty. Names come in ascending order; dot names are left out, except
    /// [`.self`](DocName::DOT_SELF).
    ///
    /// # Errors
    ///
    /// [`Error::Refused`](crate::Error::Refused) where the folder is a file or a symbolic link.
    fn list(&self, folder: Option<&DocName>) -> Result<Listing>;

    /// Returns the hidden files that no listing names, ascending: of an editor's bin, such as `.trash`, or of its
    /// settings. The library's own state is not among them. A link, the folder of a repository (`.git`) and the state
    /// of another life are returned by their own names alone. For a request to [forget](crate::exchange::Forget).
    ///
    /// As provided it is nothing, which is right where every name is a document's. A workspace around another one
    /// answers as that does.
    ///
    /// # Errors
    ///
    /// The errors of listing.
    fn hidden(&self) -> Result<Vec<Name>> {
        Ok(Vec::new())
    }

    /// Returns length and time of change, without reading content; `None` where nothing has this name.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`](crate::Error::Refused) where it is no plain file.
    fn metadata(&self, name: &Name) -> Result<Option<Metadata>>;

    /// Looks at many documents: what [`metadata`](Self::metadata) says of each, in the order of `names`.
    ///
    /// The survey of a dream asks for all journals of its window at once. As provided it looks at one after
    /// the other; a backend that can answer for a whole folder together is faster.
    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        names.iter().map(|name| self.metadata(name)).gather()
    }

    /// Reads a document whole; `None` where nothing has this name.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`](crate::Error::TooLarge) above [`MAX_DOCUMENT`], [`Error::Refused`](crate::Error::Refused) where it is no plain file.
    fn read(&self, name: &Name) -> Result<Option<Document>>;

    /// Reads the bytes of `range` that exist; empty where nothing has this name. Uses memory for the range only.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`](crate::Error::TooLarge) for a range above [`MAX_DOCUMENT`], [`Error::Refused`](crate::Error::Refused) where it is no plain file.
    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>>;

    /// Replaces or creates a document, whole or not at all; no reader sees a part of it.
    ///
    /// When it returns, the bytes survive a power loss. An `IfRevision` or `Replace` whose content already is there
    /// succeeds and writes nothing, so two writers of the same bytes both succeed. A `Create` of an existing name does
    /// not. Permissions of an existing document are kept.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`](crate::Error::Conflict) with the present content; nothing was written.
    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision>;

    /// Adds bytes at the end, on a line of their own, and creates the document where it is missing. Existing bytes
    /// are never rewritten, also not by a failing append, which may leave a part of `bytes` at the end.
    ///
    /// A line break is added first where the document does not end in one and `bytes` do not begin with one. Look and
    /// write are one critical section. So no append continues an unfinished line of somebody else: a torn one, an
    /// editor's, or one hidden from the caller. Empty `bytes` add nothing.
    ///
    /// When it returns, the bytes survive a power loss. Appends of several processes follow one another.
    ///
    /// # Errors
    ///
    /// [`Error::DurabilityUnknown`](crate::Error::DurabilityUnknown) where the bytes were written and could not be synced.
    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()>;

    /// Removes a document; `false` where there was none. When it returns, that survives a power loss.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`](crate::Error::Refused) where it is no plain file.
    fn remove(&self, name: &Name) -> Result<bool>;

    /// Gives a document another name, at once. When it returns, that survives a power loss.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound), or [`Error::Conflict`](crate::Error::Conflict) where `to` exists already.
    fn rename(&self, from: &Name, to: &Name) -> Result<()>;

    /// Removes the workspace's own earlier versions of documents for which `holds` says yes to name and bytes. Returns
    /// how many it took back. For what is forgotten or deleted for good: it must not live on there.
    ///
    /// As provided it does nothing, which is right where nothing of the kind is kept.
    ///
    /// # Errors
    ///
    /// The errors of reading and removing; some versions may be gone already then.
    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        let _ = holds;
        Ok(0)
    }

    /// Claims the workspace for one dream at a time on this host, and for peers that know only the seed's
    /// lock file. Does not wait for a holder.
    ///
    /// # Errors
    ///
    /// [`Error::NetworkFileSystem`](crate::Error::NetworkFileSystem) where locks cannot be trusted.
    fn claim(&self, terms: &ClaimTerms) -> Result<Claim>;
}

macro_rules! forward {
    ($($type:ty),*) => {$(
        #[deny(clippy::missing_trait_methods)]
        impl<W: Workspace + ?Sized> Workspace for $type {
            fn location(&self) -> String {
                (**self).location()
            }
            fn scope(&self) -> Option<&Scope> {
                (**self).scope()
            }
            fn reach(&self) -> Reach {
                (**self).reach()
            }
            fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
                (**self).list(folder)
            }
            fn hidden(&self) -> Result<Vec<Name>> {
                (**self).hidden()
            }
            fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
                (**self).metadata(name)
            }
            fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
                (**self).metadata_of(names)
            }
            fn read(&self, name: &Name) -> Result<Option<Document>> {
                (**self).read(name)
            }
            fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
                (**self).read_range(name, range)
            }
            fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
                (**self).write(name, bytes, mode)
            }
            fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
                (**self).append(name, bytes)
            }
            fn remove(&self, name: &Name) -> Result<bool> {
                (**self).remove(name)
            }
            fn rename(&self, from: &Name, to: &Name) -> Result<()> {
                (**self).rename(from, to)
            }
            fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
                (**self).drop_versions(holds)
            }
            fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
                (**self).claim(terms)
            }
        }
    )*};
}
forward!(&W, Box<W>, Arc<W>);

#[cfg(test)]
mod tests {
    use super::super::lease::Lease;
    use super::*;

    #[test]
    fn contracts_are_object_safe_and_cross_threads() {
        fn crosses<T: Send + Sync + ?Sized>() {}
        fn sends<T: Send + ?Sized>() {}
        crosses::<dyn Workspace>();
        sends::<dyn Lease>();
    }
}
