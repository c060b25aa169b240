//! Vectors as they are read: each statement goes through the view of the rows that a session may see.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, params, params_from_iter};

use super::super::row::{self, CARD};
use super::super::search::{CONDITIONS, count, listed, trusted, view};
use super::super::table::Table;
use crate::base::error::Result;
use crate::embed::Generation;
use crate::memory::{Filter, MemoryId};
use crate::search::rank::{Card, Visibility};
use crate::store::vectors::{Counts, FailedRow, Serving, Shelved, Since, VectorRows};

pub(super) const EMBEDDED: i64 = 1;
pub(super) const FAILED: i64 = 2;
pub(super) const SKIPPED: i64 = 3;

/// The generation that serves, in a statement with the owner as `?1` and `?2`.
const SERVING: &str = "SELECT id, name, dimensions FROM memory_generations
    WHERE user_id = ?1 AND agent_id = ?2 AND serves = 1";

/// The latest number that a vector had, also of one that is gone.
const LATEST: &str = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory_vectors'), 0)";
/// The same, of rows that are gone. The latest of them is kept always.
const LATEST_GONE: &str = "SELECT coalesce(max(number), 0) FROM memory_vectors_gone";

impl VectorRows for Table<'_> {
    fn serving(&self) -> Result<Option<Serving>> {
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(SERVING)?;
            statement
                .query_row([self.user(), self.agent()], |found| {
                    Ok(Serving {
                        number: found.get(0)?,
                        generation: Generation::from_words(row::text(found, 1)?),
                        dimensions: usize::try_from(found.get::<_, i64>(2)?).unwrap_or(0),
                    })
                })
                .optional()
        })
    }

    fn generations(&self) -> Result<Vec<Generation>> {
        let sql = "SELECT name FROM memory_generations WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id";
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(sql)?;
            let name = |found: &rusqlite::Row<'_>| Ok(Generation::from_words(row::text(found, 0)?));
            statement.query_map([self.user(), self.agent()], name)?.collect()
        })
    }

    fn counts(&self, generation: &Generation) -> Result<Counts> {
        self.folded(|| {
            let rows = "SELECT count(*) FROM main_memories m WHERE m.user_id = ?1 AND m.agent_id = ?2";
            let rows: i64 = self
                .connection
                .prepare_cached(rows)?
                .query_row([self.user(), self.agent()], |found| found.get(0))?;
            let mut counts = Counts { rows: rows.unsigned_abs(), ..Counts::default() };
            let Some(number) = self.generation(generation)? else { return Ok(counts) };
            let states = "SELECT state, count(*) FROM memory_vectors WHERE generation = ?1 GROUP BY state";
            let mut statement = self.connection.prepare_cached(states)?;
            let mut states = statement.query([number])?;
            while let Some(found) = states.next()? {
                *match found.get(0)? {
                    EMBEDDED => &mut counts.embedded,
                    FAILED => &mut counts.failed,
                    _ => &mut counts.skipped,
                } += found.get::<_, i64>(1)?.unsigned_abs();
            }
            Ok(counts)
        })
    }

    fn unfilled(&self, generation: &Generation, after: i64, most: usize) -> Result<Vec<(i64, String)>> {
        self.folded(|| {
            let number = self.generation(generation)?;
            let filled = match number {
                None => i64::MIN,
                Some(number) => self
                    .connection
                    .prepare_cached("SELECT filled FROM memory_generations WHERE id = ?1")?
                    .query_row([number], |found| found.get(0))?,
            };
            // Rows by their ids, so that a pass goes through them once.
            let mut statement = self.connection.prepare_cached(
                "SELECT m.id, m.content FROM main_memories m
                 WHERE m.id > ?1 AND +m.user_id = ?2 AND +m.agent_id = ?3 AND NOT EXISTS (
                   SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.generation = ?4)
                 ORDER BY m.id LIMIT ?5",
            )?;
            let bound =
                params![after.max(filled), self.user(), self.agent(), number.unwrap_or(0), count(most)];
            statement.query_map(bound, |found| Ok((found.get(0)?, row::text(found, 1)?)))?.collect()
        })
    }

    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>> {
        self.folded(|| {
            let Some(number) = self.generation(generation)? else { return Ok(Vec::new()) };
            let mut statement = self.connection.prepare_cached(
                "SELECT m.id, m.content, v.attempts FROM memory_vectors v
                 CROSS JOIN main_memories m ON m.id = v.memory_id
                 WHERE v.generation = ?1 AND v.state = 2 AND v.number <= ?2
                 AND m.user_id = ?3 AND m.agent_id = ?4 ORDER BY v.attempts, v.number LIMIT ?5",
            )?;
            let row = |found: &rusqlite::Row<'_>| {
                let attempts = found.get::<_, i64>(2)?;
                let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
                Ok(FailedRow { id: found.get(0)?, content: row::text(found, 1)?, attempts })
            };
            let bound = params![number, until, self.user(), self.agent(), count(most)];
            statement.query_map(bound, row)?.collect()
        })
    }

    fn moment(&self) -> Result<i64> {
        self.folded(|| self.latest(LATEST))
    }

    fn changed_since(
        &self,
        serving: &Serving,
        visibility: Visibility,
        since: Option<Since>,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Option<Since>> {
        self.folded(|| {
            let now = Since { kept: self.latest(LATEST)?, removed: self.latest(LATEST_GONE)? };
            if since == Some(now) {
                return Ok(since);
            }
            if let Some(since) = since {
                if now.kept < since.kept || now.removed < since.removed {
                    return Ok(None);
                }
                let sql = "SELECT number, generation, memory_id FROM memory_vectors_gone
                    WHERE number > ?1 ORDER BY number";
                let mut statement = self.connection.prepare_cached(sql)?;
                let mut gone = statement.query([since.removed])?;
                let mut expected = since.removed;
                while let Some(found) = gone.next()? {
                    expected += 1;
                    if found.get::<_, i64>(0)? != expected {
                        return Ok(None);
                    }
                    if found.get::<_, i64>(1)? == serving.number && !take(Shelved::Gone(found.get(2)?)) {
                        return Ok(Some(now));
                    }
                }
                if expected != now.removed {
                    return Ok(None);
                }
            }
            let sql = format!(
                "SELECT v.memory_id, v.state, v.vector FROM memory_vectors v
                 CROSS JOIN {} m ON m.id = v.memory_id
                 WHERE v.number > ?1 AND v.generation = ?2 AND v.state <> 2
                 AND m.user_id = ?3 AND m.agent_id = ?4 ORDER BY v.number",
                view(visibility)
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let after = since.map_or(0, |since| since.kept);
            let mut kept = statement.query(params![after, serving.number, self.user(), self.agent()])?;
            while let Some(found) = kept.next()? {
                let id = found.get(0)?;
                let vector = found.get_ref(2)?.as_blob_or_null().ok().flatten();
                let change = match (found.get(1)?, vector) {
                    (EMBEDDED, Some(vector)) => Shelved::Vector(id, vector),
                    (SKIPPED, _) => Shelved::Skipped(id),
                    _ => continue,
                };
                if !take(change) {
                    break;
                }
            }
            Ok(Some(now))
        })
    }

    fn vectors(
        &self,
        serving: &Serving,
        visibility: Visibility,
        ids: &[i64],
        take: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        let sql = format!(
            "SELECT v.memory_id, v.vector FROM json_each(?3) r CROSS JOIN {} m ON m.id = r.value
             CROSS JOIN memory_vectors v ON v.memory_id = m.id AND v.generation = ?4
             WHERE m.user_id = ?1 AND m.agent_id = ?2 AND v.state = 1",
            view(visibility)
        );
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut found =
                statement.query(params![self.user(), self.agent(), listed(ids), serving.number])?;
            while let Some(found) = found.next()? {
                if let Ok(Some(vector)) = found.get_ref(1)?.as_blob_or_null() {
                    take(found.get(0)?, vector);
                }
            }
            Ok(())
        })
    }

    fn kept_of(&self, ids: &[MemoryId]) -> Result<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        let sql = "SELECT count(*) FROM json_each(?1) r CROSS JOIN memory_vectors v ON v.memory_id = r.value
            WHERE v.state = 1";
        self.folded(|| {
            let kept: i64 =
                self.connection.prepare_cached(sql)?.query_row([listed(&ids)], |found| found.get(0))?;
            Ok(kept.unsigned_abs())
        })
    }

    fn taken_by(&self, visibility: Visibility, filter: &Filter) -> Result<HashSet<i64>> {
        let sql = format!("SELECT m.id FROM {} m WHERE {CONDITIONS} {}", view(visibility), trusted(filter));
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map(params_from_iter(self.bound(filter)), |found| found.get(0))?.collect()
        })
    }

    fn cards(&self, visibility: Visibility, ids: &[i64], take: &mut dyn FnMut(&Card<'_>)) -> Result<()> {
        let sql = format!(
            "SELECT {CARD} FROM json_each(?3) r CROSS JOIN {} m ON m.id = r.value
             WHERE m.user_id = ?1 AND m.agent_id = ?2",
            view(visibility)
        );
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut found = statement.query(params![self.user(), self.agent(), listed(ids)])?;
            while let Some(found) = found.next()? {
                row::with_card(found, "", |card| take(card))?;
            }
            Ok(())
        })
    }
}

impl Table<'_> {
    /// Returns the number of a generation.
    pub(super) fn generation(&self, generation: &Generation) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT id FROM memory_generations WHERE user_id = ?1 AND agent_id = ?2 AND name = ?3";
        let bound = params![self.user(), self.agent(), generation.as_str()];
        self.connection.prepare_cached(sql)?.query_row(bound, |found| found.get(0)).optional()
    }

    fn latest(&self, sql: &str) -> rusqlite::Result<i64> {
        self.connection.prepare_cached(sql)?.query_row([], |found| found.get(0))
    }
}
