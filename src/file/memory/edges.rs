//! The edges of rows, held by their entities: which rows lead to a key.
//!
//! The edges of one row are in no list: its text says them again. So the lists hold while the extractor is the one that made them,
//! and a table that another one made is as none.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::entry::{Entry, SCENARIO};
use super::reader::Reader;
use super::row::Stored;
use super::rows::Rows;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::edges::{Edge, EdgeExtractor, Entity, TopEntity, Words, edges_of, scenario};
use crate::memory::MemoryId;
use crate::search::postings::bits::{Input, put, put_bytes, put_signed};
use crate::search::postings::error::{Error, Result as Read};
use crate::search::rank::Visibility;

/// A key and a kind, in the order in which they are asked for.
type Key = (String, Cow<'static, str>);

/// The rows of each entity.
#[derive(Default)]
pub(super) struct Edges {
    /// Ascending; rows that are deleted or retired too.
    rows: BTreeMap<Key, Vec<MemoryId>>,
    /// Whether a table of another extractor was read, so that they are to be made anew.
    is_lost: bool,
}

impl Edges {
    fn add(&mut self, id: MemoryId, edges: Vec<Edge>) {
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

    fn remove(&mut self, id: MemoryId, edges: Vec<Edge>) {
        for Edge { entity, .. } in edges {
            let key = (entity.key, entity.kind);
            let Some(rows) = self.rows.get_mut(&key) else { continue };
            rows.retain(|row| *row != id);
            if rows.is_empty() {
                self.rows.remove(&key);
            }
        }
    }

    /// Removes rows that are gone, and each key that no other row has.
    pub(super) fn remove_all(&mut self, gone: &[MemoryId]) {
        let gone: HashSet<MemoryId> = gone.iter().copied().collect();
        self.rows.retain(|_, rows| {
            rows.retain(|row| !gone.contains(row));
            !rows.is_empty()
        });
    }

    /// Returns the rows of a key, and of names that go on with more words.
    fn of_key<'e>(&'e self, key: &str) -> impl Iterator<Item = &'e [MemoryId]> + use<'e> {
        let (exact, next) = ((key.to_owned(), Cow::Borrowed("")), (format!("{key}\u{1}"), Cow::Borrowed("")));
        let (from, to) = ((format!("{key} "), Cow::Borrowed("")), (format!("{key}!"), Cow::Borrowed("")));
        let exact = self.rows.range(exact..next);
        exact.chain(self.rows.range(from..to)).map(|(_, rows)| &rows[..])
    }

    pub(super) fn put(&self, out: &mut Vec<u8>, extractor: Option<&dyn EdgeExtractor>) {
        let rules = extractor.filter(|_| !self.is_lost).map(EdgeExtractor::identity);
        put_bytes(out, rules.unwrap_or_default().as_bytes());
        let kinds: BTreeSet<&str> = self.rows.keys().map(|(_, kind)| &**kind).collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        put(out, kinds.len() as u64);
        kinds.iter().for_each(|kind| put_bytes(out, kind.as_bytes()));
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
fn of_row(extractor: &dyn EdgeExtractor, entry: &Entry, stored: &Stored) -> Vec<Edge> {
    // Who wrote it is known from a flag.
    let writer = if entry.has(SCENARIO) { Actor::Library } else { Actor::Agent };
    let words = Words {
        text: &stored.memory.content,
        subject: stored.stated.about.as_ref().map(|key| &*key.subject),
        scenario: scenario(stored.memory.metadata.as_ref(), writer),
        note: None,
    };
    edges_of(extractor, &words)
}

impl Rows {
    fn extractor(&self) -> Option<Arc<dyn EdgeExtractor>> {
        self.keeper.edges.clone()
    }

    /// Adds the edges of a row that was read already.
    pub(super) fn link_as(&mut self, id: MemoryId, stored: &Stored) {
        let (Some(extractor), Some(entry)) = (self.extractor(), self.entry(id)) else { return };
        if !self.edges.borrow().is_lost {
            let edges = of_row(extractor.as_ref(), entry, stored);
            self.edges.get_mut().add(id, edges);
        }
    }

    /// Adds the edges of a row, or takes them out before it says something else.
    pub(super) fn link(&mut self, id: MemoryId, on: bool, reader: &Reader<'_>) -> Result<()> {
        let (Some(extractor), Some(entry)) = (self.extractor(), self.entry(id)) else { return Ok(()) };
        if !self.edges.borrow().is_lost {
            let edges = of_row(extractor.as_ref(), entry, &self.stored(entry, reader)?);
            let all = self.edges.get_mut();
            if on { all.add(id, edges) } else { all.remove(id, edges) }
        }
        Ok(())
    }

    /// Asks the lists, which are made anew from the rows where another extractor made them.
    fn ask_edges<T>(&self, reader: &Reader<'_>, ask: impl FnOnce(&Edges) -> T) -> Result<T> {
        if self.edges.borrow().is_lost
            && let Some(extractor) = self.extractor()
        {
            let mut anew = Edges::default();
            for entry in &self.entries {
                anew.add(entry.id, of_row(extractor.as_ref(), entry, &self.stored(entry, reader)?));
            }
            self.edges.replace(anew);
        }
        Ok(ask(&self.edges.borrow()))
    }

    /// Lists the latest rows in sight that lead to a key.
    pub(super) fn mentioning(
        &self,
        visibility: Visibility,
        keys: &[String],
        most: usize,
        reader: &Reader<'_>,
    ) -> Result<Vec<MemoryId>> {
        self.ask_edges(reader, |edges| {
            let mut found = BTreeSet::new();
            for rows in keys.iter().flat_map(|key| edges.of_key(key)) {
                let seen = rows.iter().rev().filter(|id| self.seen(**id, visibility).is_some());
                found.extend(seen.take(most));
            }
            found.into_iter().rev().take(most).collect()
        })
    }

    /// Returns the edges of rows, in the order of the ids.
    pub(super) fn edges_of_rows(
        &self,
        ids: &[MemoryId],
        reader: &Reader<'_>,
    ) -> Result<Vec<(MemoryId, Edge)>> {
        let Some(extractor) = self.extractor() else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for entry in ids.iter().filter_map(|id| self.entry(*id)) {
            let edges = of_row(extractor.as_ref(), entry, &self.stored(entry, reader)?);
            all.extend(edges.into_iter().map(|edge| (entry.id, edge)));
        }
        Ok(all)
    }

    /// Lists the entities of most rows in sight.
    pub(super) fn most_mentioned(
        &self,
        visibility: Visibility,
        limit: usize,
        reader: &Reader<'_>,
    ) -> Result<Vec<TopEntity>> {
        self.ask_edges(reader, |edges| {
            let texts = |rows: &[MemoryId]| {
                rows.iter().filter(|id| self.seen(**id, visibility).is_some()).count() as u64
            };
            let all = edges.rows.iter().map(|((key, kind), rows)| (key, kind, texts(rows)));
            let mut top: Vec<_> = all.filter(|(.., texts)| *texts > 0).collect();
            top.sort_by(|(key, kind, texts), (other_key, other_kind, others)| {
                (others, kind, key).cmp(&(texts, other_kind, other_key))
            });
            top.truncate(limit);
            let entry = |(key, kind, texts): (&String, &Cow<'static, str>, u64)| {
                TopEntity::new(Entity::new(kind.clone(), key.clone()), texts)
            };
            top.into_iter().map(entry).collect()
        })
    }
}

/// The lists of a file, which a question may make anew.
pub(super) type Held = RefCell<Edges>;
