//! Two memory stores in databases, merged into a third.

use chrono::{DateTime, Utc};

use crate::SqliteMemoryStore;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::exchange::bundle::{Bundle, BundleImport, BundleKey, Export};

/// Merges the rows, facts, learnings, profile and tombstones of two stores into an empty one. Returns how many entries both had in all.
///
/// Rows are known by their content and time, and not by their numbers, which each machine gave to others. A row that
/// both have is there once, as the machine has it that touched it last. A statement that one has forgotten is in
/// neither. The order of the stores does not matter. A result merged again with a store that is in it says the same.
/// Nothing of the two stores is changed.
///
/// For the documents of two databases, [`Merge`](super::Merge) takes any workspaces. For stores in files, it merges the rows too.
///
/// # Example
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::merge_rows;
/// use noctuary::memory::{Filter, NewMemory, Source};
/// use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
///
/// let marta = || Scope::user("marta");
/// let [laptop, server, both] = [0; 3].map(|_| SqliteMemoryStore::open_in_memory(marta()).unwrap());
/// let (access, now) = (Access::human(marta()), Utc::now());
/// laptop.write(&access, &NewMemory::new("fact", "Tea at five.", Source::UserManual), now)?;
/// server.write(&access, &NewMemory::new("fact", "The boat is called Brisk.", Source::UserManual), now)?;
///
/// merge_rows(&access, [&laptop, &server], &both, now)?;
/// assert_eq!(both.list(&access, &Filter::limit(9))?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Denied`](crate::Error::Denied) for anybody but the human of the life; the errors of the stores. After an error, begin with another empty
/// store.
pub fn merge_rows(
    access: &Access,
    stores: [&SqliteMemoryStore; 2],
    out: &SqliteMemoryStore,
    now: DateTime<Utc>,
) -> Result<u64> {
    // It vouches for what this process itself has just read.
    let key = BundleKey::from_bytes(*b"two machines, the rows of 1 life");
    let bundle = |store: &SqliteMemoryStore| Export::new(access).sqlite_store(store).signed(&key).run();
    let mut bundles = [bundle(stores[0])?, bundle(stores[1])?];
    let content = |bundle: &Bundle| -> Vec<(String, Vec<u8>)> {
        bundle.files().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect()
    };
    // The same numbers, whichever is named first.
    bundles.sort_by_cached_key(content);
    let mut count = 0;
    for bundle in &bundles {
        BundleImport::new(access).sqlite_store(out).key(&key).merges().apply(bundle, now)?;
        count += bundle.files().count() as u64;
    }
    Ok(count)
}
