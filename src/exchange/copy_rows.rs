//! Copying the rows of a memory store into another one.

use chrono::{DateTime, Utc};

use super::bundle::{BundleImport, BundleKey, BundlePlan, Export, StoredRows};
use crate::base::access::Access;
use crate::base::error::Result;

/// Copies the rows of a memory store into an empty one, between files, databases and servers in any direction. It
/// copies what an [`Export`] takes along. Returns each entry, and what became of it.
///
/// Deleted rows, vectors, the audit and hard constraints stay behind. Calling it again adds what an interrupted copy left out.
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::copy_rows;
/// use noctuary::memory::{Filter, NewMemory, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let (here, there) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let marta = Access::human(Scope::user("marta"));
/// let source = FileMemoryStore::open(here.path(), marta.scope.clone())?;
/// let target = FileMemoryStore::open(there.path(), marta.scope.clone())?; // or SqliteMemoryStore, PostgresMemoryStore
/// source.write(&marta, &NewMemory::new("fact", "Tea at five.", Source::UserManual), Utc::now())?;
/// let copied = copy_rows(&source, &target, &marta, Utc::now())?;
/// assert_eq!(copied.refused().count(), 0);
/// assert_eq!(target.list(&marta, &Filter::limit(9))?[0].content, "Tea at five.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// `Error::Denied` for anybody but the human in a main session; the errors of both stores. An entry that the target refuses, such
/// as a forgotten statement, is no error and is in the plan.
pub fn copy_rows<'a>(
    source: impl Into<StoredRows<'a>>,
    target: impl Into<StoredRows<'a>>,
    access: &Access,
    now: DateTime<Utc>,
) -> Result<BundlePlan> {
    // It vouches for what this process itself has just read.
    let key = BundleKey::from_bytes(*b"the rows of one life, copied now");
    let bundle = Export::new(access).rows(source.into()).signed(&key).run()?;
    BundleImport::new(access).rows(target.into()).key(&key).apply(&bundle, now)
}
