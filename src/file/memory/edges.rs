//! The edges of rows, held by their entities: which rows lead to a key.
//!
//! The edges of one row are in no list: its text says them again. So the lists hold for the extractor that made them. A
//! table of another one counts as none.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;

use super::entry::{Entry, SCENARIO};
use super::row::Stored;
use crate::base::access::Actor;
use crate::base::order;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::edges::{Edge, EdgeExtractor, Words, edges_of, scenario};
use crate::memory::MemoryId;
use crate::search::postings::bits::{Input, put, put_bytes, put_signed};
use crate::search::postings::{Error, Result as Read};

/// A key and a kind, in the order in which they are asked for.
pub(super) type Key = (String, Cow<'static, str>);

/// The rows of each entity.
#[derive(Default)]
pub(super) struct Edges {
    /// Ascending; rows that are deleted or retired too.
    pub(super) rows: SortedMap<Key, Vec<MemoryId>>,
    /// Whether a table of another extractor was read, so that they are to be made anew.
    pub(super) is_lost: bool,
}

impl Edges {
    pub(super) fn add(&mut self, id: MemoryId, edges: Vec<Edge>) {
        for Edge { verb, entity } in edges {
            if verb == Edge::CO_OCCURS_WITH {
                continue;
            }
            let rows = self.rows.entry((entity.key, entity.kind)).or_default();
            if let Err(at) = rows.binary_search(&id) {
                rows.insert(at, id);
            }
        }
    }

    pub(super) fn remove(&mut self, id: MemoryId, edges: Vec<Edge>) {
        for Edge { entity, .. } in edges {
            let key = (entity.key, entity.kind);
            let Some(rows) = self.rows.get_mut(&key) else { continue };
            order::retain(rows, |row| *row != id);
            if rows.is_empty() {
                self.rows.remove(&key);
            }
        }
    }

    /// Removes rows that are gone, and each key that no other row has.
    pub(super) fn remove_all(&mut self, gone: &[MemoryId]) {
        let gone: HashSet<MemoryId> = gone.iter().copied().collect();
        self.rows.retain(|_, rows| {
            order::retain(rows, |row| !gone.contains(row));
            !rows.is_empty()
        });
    }

    /// Returns the rows of a key, and of longer names.
    pub(super) fn of_key<'e>(&'e self, key: &str) -> impl Iterator<Item = &'e [MemoryId]> + use<'e> {
        let (exact, next) = ((key.to_owned(), Cow::Borrowed("")), (format!("{key}\u{1}"), Cow::Borrowed("")));
        let (from, to) = ((format!("{key} "), Cow::Borrowed("")), (format!("{key}!"), Cow::Borrowed("")));
        let exact = self.rows.range(exact..next);
        exact.chain(self.rows.range(from..to)).map(|(_, rows)| &rows[..])
    }

    pub(super) fn put(&self, out: &mut Vec<u8>, extractor: Option<&dyn EdgeExtractor>) {
        let rules = extractor.filter(|_| !self.is_lost).map(EdgeExtractor::identity);
        put_bytes(out, rules.unwrap_or_default().as_bytes());
        let kinds: SortedSet<&str> = self.rows.keys().map(|(_, kind)| &**kind).collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        put(out, kinds.len() as u64);
        for kind in &kinds {
            put_bytes(out, kind.as_bytes());
        }
        put(out, self.rows.len() as u64);
        for ((key, kind), rows) in &self.rows {
            put_bytes(out, key.as_bytes());
            put(out, kinds.binary_search(&&**kind).unwrap_or_default() as u64);
            put(out, rows.len() as u64);
            let mut before = 0;
            for id in rows {
                put_signed(out, id.get() - before);
                before = id.get();
            }
        }
    }

    /// Reads the lists; those of another extractor are lost.
    pub(super) fn read(input: &mut Input<'_>, extractor: Option<&dyn EdgeExtractor>) -> Read<Self> {
        let text = |input: &mut Input<'_>| {
            String::from_utf8(input.bytes()?.to_vec()).map_err(|_| Error::Damaged("an entity is no text"))
        };
        let rules = text(input)?;
        let mut kinds = Vec::new();
        for _ in 0..input.count()? {
            kinds.push(text(input)?);
        }
        let mut edges = Self { is_lost: rules != identity(extractor), ..Self::default() };
        for _ in 0..input.count()? {
            let key = text(input)?;
            let kind = usize::try_from(input.number()?).ok().and_then(|at| kinds.get(at).cloned());
            let kind = kind.ok_or(Error::Damaged("an entity has no kind"))?;
            let many = input.count()?;
            let mut rows = Vec::with_capacity(many);
            let mut before = 0_i64;
            for _ in 0..many {
                before = before.wrapping_add(input.signed()?);
                rows.push(MemoryId::new(before));
            }
            if !rows.is_sorted() {
                return Err(Error::Damaged("the rows of an entity do not ascend"));
            }
            if !edges.is_lost {
                edges.rows.insert((key, Cow::Owned(kind)), rows);
            }
        }
        Ok(edges)
    }
}

fn identity(extractor: Option<&dyn EdgeExtractor>) -> String {
    extractor.map(EdgeExtractor::identity).unwrap_or_default()
}

/// Returns the edges of a row.
pub(super) fn of_row(extractor: &dyn EdgeExtractor, entry: &Entry, stored: &Stored) -> Vec<Edge> {
    // Who wrote it is known from a flag.
    let writer = if entry.has(SCENARIO) { Actor::Library } else { Actor::Agent };
    let words = Words {
        text: &stored.memory.content,
        subject: stored.stated.about.as_ref().map(|key| &*key.subject),
        scenario: scenario(stored.memory.metadata.as_ref(), writer),
        ..Words::default()
    };
    edges_of(extractor, &words)
}

/// The lists of a file, which a question may make anew.
pub(super) type Held = RefCell<Edges>;
