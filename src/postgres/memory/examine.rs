//! A look at the rows of a scope that writes nothing, for the doctor.

use crate::sql::DriverExt;
use crate::sql::memory::edges_of_rows;
use crate::sql::memory::extracted_after;
use std::collections::{BTreeMap, HashMap};

use super::PostgresMemoryStore;
use super::lists::ids_of;
use super::table::PostgresBackend;
use crate::base::error::Result;
use crate::memory::MemoryId;

impl PostgresMemoryStore {
    /// Returns whether another version of this library made the words of the rows.
    pub(crate) fn are_words_older(&self) -> Result<bool> {
        self.store.backend().look("check", |table| Ok(!table.are_terms_known()))
    }

    /// Returns whether the words by which rows are found are those of the rows.
    pub(crate) fn is_index_sound(&self) -> Result<bool> {
        self.store.backend().is_index_sound()
    }

    /// Counts the edges that the words of rows give, and that are not there.
    pub(crate) fn missing_edges(&self) -> Result<u64> {
        self.store.backend().missing_edges()
    }

    /// Counts the vectors of rows by their state.
    pub(crate) fn embeddings(&self) -> Result<BTreeMap<String, u64>> {
        self.store.backend().embeddings()
    }
}

impl PostgresBackend {
    /// Returns whether the words of the rows are found by them, and nothing else is.
    pub(super) fn is_index_sound(&self) -> Result<bool> {
        self.look("check", |table| {
            if !table.are_terms_known() {
                return Ok(false);
            }
            let state = table.state();
            let (mut wanted, mut rows, mut shared) = (HashMap::new(), 0, 0);
            table.each_found(|row| {
                rows += 1;
                shared += i64::from(row.shared);
                for word in row.words.keys() {
                    let counts: &mut [i64; 3] = wanted.entry(*word).or_default();
                    counts[0] += 1;
                    counts[1] += i64::from(row.shared);
                    counts[2] = counts[2].wrapping_add(row.id);
                }
                Ok(())
            })?;
            let sql = "SELECT p.word, count(*), count(*) FILTER (WHERE p.shared), sum(p.id)::bigint
                 FROM memory_postings p WHERE p.user_id = $1 AND p.agent_id = $2 GROUP BY p.word";
            let held = table.all(sql, Vec::new(), |found| {
                Ok((found.number(0)?, [found.number(1)?, found.number(2)?, found.number(3)?]))
            })?;
            let mut held: HashMap<i64, [i64; 3]> = held.into_iter().collect();
            let sql =
                "SELECT l.word, l.shared, l.ids FROM memory_lists l WHERE l.user_id = $1 AND l.agent_id = $2";
            table.all(sql, Vec::new(), |found| {
                let (shared, list) = (found.flag(1)?, found.bytes(2)?.unwrap_or_default());
                let counts = held.entry(found.number(0)?).or_default();
                for id in ids_of(list) {
                    counts[0] += 1;
                    counts[1] += i64::from(shared);
                    counts[2] = counts[2].wrapping_add(id);
                }
                Ok(())
            })?;
            Ok((state.rows, state.shared) == (rows, shared) && held == wanted)
        })
    }

    /// Counts the edges that the words of rows give, and that are not there.
    pub(super) fn missing_edges(&self) -> Result<u64> {
        self.look("check", |table| {
            let (mut missing, mut after) = (0, MemoryId::new(0));
            loop {
                let page = extracted_after(table, after)?;
                let Some(last) = page.last() else { return Ok(missing) };
                after = last.id;
                let ids: Vec<MemoryId> = page.iter().map(|row| row.id).collect();
                let mut held: HashMap<MemoryId, Vec<_>> = HashMap::new();
                for (id, edge) in edges_of_rows(table, &ids)? {
                    held.entry(id).or_default().push(edge);
                }
                for row in &page {
                    let held = held.get(&row.id).map_or(&[][..], Vec::as_slice);
                    missing += row.edges.iter().filter(|edge| !held.contains(edge)).count() as u64;
                }
            }
        })
    }

    /// Counts the vectors of rows by their state.
    pub(super) fn embeddings(&self) -> Result<BTreeMap<String, u64>> {
        let sql = "SELECT CASE state WHEN 1 THEN 'embedded' WHEN 2 THEN 'failed' ELSE 'skipped' END, count(*)
             FROM memory_vectors WHERE user_id = $1 AND agent_id = $2 GROUP BY 1";
        self.look("check", |table| {
            let counts =
                table.all(sql, Vec::new(), |found| Ok((found.text(0)?, found.number(1)?.unsigned_abs())))?;
            Ok(counts.into_iter().collect())
        })
    }
}
