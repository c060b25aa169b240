//! The edges of rows, as rows come, change and go, and as they are asked for.

use std::borrow::Cow;
use std::sync::Arc;

use super::edges::{Edges, of_row};
use super::reader::Reader;
use super::row::Stored;
use super::rows::Rows;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::base::spread::Spread;
use crate::edges::{Edge, EdgeExtractor, Entity, TopEntity};
use crate::memory::MemoryId;
use crate::search::rank::Visibility;

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
            let mut found = SortedSet::new();
            for rows in keys.iter().spread(|key| edges.of_key(key)) {
                let seen = rows.iter().rev().filter(|id| self.seen(**id, visibility).is_some());
                found.extend(seen.take(most).copied());
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
            order::sort_by(&mut top, |(key, kind, texts), (other_key, other_kind, others)| {
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
