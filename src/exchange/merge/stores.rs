//! Two memory stores in databases, merged into a third.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use crate::SqliteMemoryStore;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::text;
use crate::exchange::bundle::{Bundle, BundleImport, BundleKey, Export};
use crate::facts::{Decision, FactKey, FactStore as _};
use crate::memory::{Filter, Memory, MemoryStore as _};

/// Merges the rows, facts, learnings, profile and tombstones of two stores into an empty one. Returns how many entries both had in all.
///
/// Rows are known by their content and time, and not by their numbers, which each machine gave to others. A row that
/// both have is there once, as the machine has it that touched it last. Where each wrote an equal row for itself, the later
/// is retired as a duplicate. A statement that one has forgotten is in
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
    one_of_equal(access, stores, out, now)?;
    Ok(count)
}

/// Retires the later of two equal rows that each store has written for itself. The earlier keeps the pin of both.
fn one_of_equal(
    access: &Access,
    stores: [&SqliteMemoryStore; 2],
    out: &SqliteMemoryStore,
    now: DateTime<Utc>,
) -> Result<()> {
    let name = |row: &Memory| (row.created_at, row.content.clone());
    let mut of_store: [BTreeSet<_>; 2] = Default::default();
    for (names, store) in of_store.iter_mut().zip(stores) {
        *names = store.list(access, &Filter::limit(usize::MAX))?.iter().map(name).collect();
    }
    let mut rows = out.list(access, &Filter::limit(usize::MAX))?;
    rows.sort_by_key(|row| (row.created_at, row.id));
    let mut equal: BTreeMap<String, Vec<(usize, Memory)>> = BTreeMap::new();
    for row in rows {
        let Some(fact) = out.fact(access, row.id)? else { continue };
        let is_of = [0, 1].map(|side: usize| of_store[side].contains(&name(&row)));
        let side = match is_of {
            [true, false] => 0,
            [false, true] => 1,
            _ => continue,
        };
        let said = serde_json::to_string(&(
            (text::statement(&row.content), &row.category, fact.key.as_ref().map(FactKey::normal)),
            (&row.source, &row.origin, row.shared, &row.dream, &row.metadata, &row.place),
            fact.valid_from,
        ));
        let said = said.expect("plain data is JSON");
        let others = equal.entry(said).or_default();
        let Some(at) = others.iter().position(|(other, _)| *other != side) else {
            others.push((side, row));
            continue;
        };
        let (_, earlier) = others.remove(at);
        if row.pinned && !earlier.pinned {
            out.pin(access, earlier.id, true, now)?;
        }
        out.decide(access, &Decision::duplicate(earlier.id, row.id), now)?;
    }
    Ok(())
}
