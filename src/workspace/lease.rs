//! The right to write for a dream.

use std::fmt::Debug;

use crate::base::error::Result;
use crate::base::name::Name;

/// The right to write for a dream, until dropped.
///
/// Its verbs check the fence and write in one critical section. So a holder that lost the lease during a pause writes
/// nothing. Dropping releases it, also when a panic unwinds.
///
/// ```
/// use noctuary::workspace::{Claim, ClaimTerms, WorkspaceExt};
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// match workspace.claim(&ClaimTerms::default())? {
///     Claim::Granted(lease) => {
///         lease.append(&DocName::MEMORY, b"- Likes tea.\n")?;
///         lease.release()?;
///     }
///     Claim::Held(holder) => println!("not now: {holder:?}"),
/// }
/// assert_eq!(workspace.read_text(&DocName::MEMORY)?.as_deref(), Some("- Likes tea.\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Lease: Debug + Send {
    /// Returns the number of this claim. Later claims of the same workspace have greater ones, as long as nobody
    /// deletes the library's own files.
    fn epoch(&self) -> u64;

    /// Returns whether the lease still holds.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`](crate::Error::LeaseLost).
    fn check(&self) -> Result<()>;

    /// As [`Workspace::append`](crate::Workspace::append), fenced.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`](crate::Error::LeaseLost), and nothing was written.
    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()>;

    /// Adds the rest of an append that was cut off. It adds exactly these bytes, in the middle of a line if need be,
    /// fenced. `false` if the document is no longer `len` bytes long; then nothing was written.
    ///
    /// For what the library itself began. Everything else begins on a line of its own, by [`append`](Self::append).
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`](crate::Error::LeaseLost), and nothing was written; those of [`Workspace::append`](crate::Workspace::append).
    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool>;

    /// As [`Workspace::write`](crate::Workspace::write) with [`WriteMode::Replace`](crate::WriteMode::Replace), fenced.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`](crate::Error::LeaseLost), and nothing was written.
    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()>;

    /// As [`Workspace::remove`](crate::Workspace::remove), fenced.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`](crate::Error::LeaseLost), and nothing was removed.
    fn remove(&self, name: &Name) -> Result<bool>;

    /// Gives the lease back, and says whether that worked. Dropping does the same and says nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) where the lock file could not be removed: peers then wait for its time to run out.
    fn release(self: Box<Self>) -> Result<()>;
}
