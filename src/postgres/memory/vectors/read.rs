//! Vectors as they are read.

use crate::sql::Columns;
use std::collections::HashSet;

use super::super::search::CARD;
use super::super::search::CONDITIONS;
use super::super::table::Table;
use crate::base::error::Result;
use crate::embed::Generation;
use crate::memory::{Filter, MemoryId};
use crate::postgres::link::params;
use crate::search::rank::{Card, Visibility};
use crate::sql::Dialect;
use crate::sql::memory::with_card;
use crate::sql::memory::{filtered, trusted};
use crate::sql::{Driver, DriverExt};
use crate::store::vectors::{Counts, FailedRow, MemoryVectors, Serving, Shelved, Sight, Since, VectorRows};

pub(super) const EMBEDDED: i64 = 1;
pub(super) const FAILED: i64 = 2;
pub(super) const SKIPPED: i64 = 3;

/// So many vectors are read together.
const READ: usize = 2000;

/// Returns the condition of the rows in sight of somebody.
fn seen(sight: Sight) -> &'static str {
    let is_all = sight == Sight::from(Visibility::All);
    Dialect::Postgres.in_sight(if is_all { Visibility::All } else { Visibility::Shared })
}

impl VectorRows for Table<'_> {
    fn serving(&self) -> Result<Option<Serving>> {
        if self.state().generation == 0 {
            return Ok(None);
        }
        let sql = "SELECT id, name, dimensions FROM memory_generations
             WHERE user_id = $1 AND agent_id = $2 AND serves";
        self.first(sql, Vec::new(), |found| {
            Ok(Serving {
                number: found.number(0)?,
                generation: Generation::from_words(found.text(1)?),
                dimensions: usize::try_from(found.number(2)?).unwrap_or(0),
            })
        })
    }

    fn generations(&self) -> Result<Vec<Generation>> {
        let sql = "SELECT name FROM memory_generations WHERE user_id = $1 AND agent_id = $2 ORDER BY id";
        self.all(sql, Vec::new(), |found| Ok(Generation::from_words(found.text(0)?)))
    }

    fn counts(&self, generation: &Generation) -> Result<Counts> {
        let sql = format!(
            "SELECT count(*) FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2 AND {}",
            Dialect::Postgres.in_sight(Visibility::All)
        );
        let rows = self.first(&sql, Vec::new(), |found| found.number(0))?;
        let mut counts = Counts { rows: rows.unwrap_or(0).unsigned_abs(), ..Counts::default() };
        let Some(number) = self.number_of(generation)? else { return Ok(counts) };
        let sql = "SELECT state, count(*) FROM memory_vectors
             WHERE user_id = $1 AND agent_id = $2 AND generation = $3 GROUP BY state";
        let states = self.all(sql, params![number], |found| Ok((found.number(0)?, found.number(1)?)))?;
        for (state, rows) in states {
            *match state {
                EMBEDDED => &mut counts.embedded,
                FAILED => &mut counts.failed,
                _ => &mut counts.skipped,
            } += rows.unsigned_abs();
        }
        Ok(counts)
    }

    fn unfilled(&self, generation: &Generation, after: i64, most: usize) -> Result<Vec<(i64, String)>> {
        let number = self.number_of(generation)?;
        let sql = format!(
            "SELECT m.id, m.content FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2
             AND m.id > greatest($3, coalesce((SELECT g.filled FROM memory_generations g
               WHERE g.user_id = $1 AND g.agent_id = $2 AND g.id = $4), $3))
             AND {} AND NOT EXISTS (SELECT 1 FROM memory_vectors v
               WHERE v.user_id = $1 AND v.agent_id = $2 AND v.text_id = m.id AND v.generation = $4)
             ORDER BY m.id LIMIT $5",
            Dialect::Postgres.in_sight(Visibility::All)
        );
        self.all(&sql, params![after, number.unwrap_or(0), most], |found| {
            Ok((found.number(0)?, found.text(1)?))
        })
    }

    fn contents_of(&self, ids: &[i64], take: &mut dyn FnMut(i64, &str)) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT m.id, m.content FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {}",
            Dialect::Postgres.by_ids("$3"),
            Dialect::Postgres.in_sight(Visibility::All)
        );
        for (id, content) in
            self.all(&sql, params![ids.to_vec()], |found| Ok((found.number(0)?, found.text(1)?)))?
        {
            take(id, &content);
        }
        Ok(())
    }

    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>> {
        let Some(number) = self.number_of(generation)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT m.id, m.content, v.attempts FROM memory_vectors v
             JOIN memories m ON m.user_id = $1 AND m.agent_id = $2 AND m.id = v.text_id
             WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $3 AND v.state = 2 AND v.number <= $4
             AND {} ORDER BY v.attempts, v.number LIMIT $5",
            Dialect::Postgres.in_sight(Visibility::All)
        );
        self.all(&sql, params![number, until, most], |found| {
            let attempts = u32::try_from(found.number(2)?).unwrap_or(u32::MAX);
            Ok(FailedRow { id: found.number(0)?, content: found.text(1)?, attempts })
        })
    }

    fn moment(&self) -> Result<i64> {
        Ok(self.state().vector)
    }

    fn changed_since(
        &self,
        serving: &Serving,
        sight: Sight,
        since: Option<Since>,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Option<Since>> {
        let state = self.state();
        let now = Since { kept: state.vector, removed: state.gone };
        if since == Some(now) {
            return Ok(since);
        }
        if let Some(since) = since {
            match self.gone_since(serving, since, now, take)? {
                Gone::Told => {}
                Gone::Stopped => return Ok(Some(now)),
                Gone::Forgotten => return Ok(None),
            }
        }
        let sql = format!(
            "SELECT v.number, v.text_id, v.state, v.vector FROM memory_vectors v
             JOIN memories m ON m.user_id = $1 AND m.agent_id = $2 AND m.id = v.text_id
             WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $3 AND v.number > $4 AND v.state <> 2
             AND {} ORDER BY v.number LIMIT $5",
            seen(sight)
        );
        let mut after = since.map_or(0, |since| since.kept);
        loop {
            let read = self.run(sql.clone(), params![serving.number, after, READ])?;
            for found in &read {
                let found = self.found(found);
                let id = found.number(1)?;
                let goes_on = match (found.number(2)?, found.bytes(3)?) {
                    (EMBEDDED, Some(vector)) => take(Shelved::Vector(id, vector)),
                    (SKIPPED, _) => take(Shelved::Skipped(id)),
                    _ => true,
                };
                if !goes_on {
                    return Ok(Some(now));
                }
                after = found.number(0)?;
            }
            if read.len() < READ {
                return Ok(Some(now));
            }
        }
    }

    fn vectors(
        &self,
        serving: &Serving,
        sight: Sight,
        ids: &[i64],
        take: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        let sql = format!(
            "SELECT v.text_id, v.vector FROM memory_vectors v
             JOIN memories m ON m.user_id = $1 AND m.agent_id = $2 AND m.id = v.text_id
             WHERE v.user_id = $1 AND v.agent_id = $2 AND v.text_id = ANY ($3) AND v.generation = $4
             AND v.state = 1 AND {}",
            seen(sight)
        );
        self.each(&sql, params![ids.to_vec(), serving.number], &mut |found| {
            if let Some(vector) = found.bytes(1)? {
                take(found.number(0)?, vector);
            }
            Ok(())
        })
    }
}

impl MemoryVectors for Table<'_> {
    fn kept_of(&self, ids: &[MemoryId]) -> Result<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        let sql = "SELECT count(*) FROM memory_vectors
             WHERE user_id = $1 AND agent_id = $2 AND text_id = ANY ($3) AND state = 1";
        let kept = self.first(sql, params![ids], |found| found.number(0))?;
        Ok(kept.unwrap_or(0).unsigned_abs())
    }

    fn taken_by(&self, visibility: Visibility, filter: &Filter) -> Result<HashSet<i64>> {
        let sql = format!(
            "SELECT m.id FROM memories m WHERE {CONDITIONS} AND {} {}",
            Dialect::Postgres.in_sight(visibility),
            trusted(filter)
        );
        Ok(self.all(&sql, filtered(filter), |found| found.number(0))?.into_iter().collect())
    }

    fn cards(&self, visibility: Visibility, ids: &[i64], take: &mut dyn FnMut(&Card<'_>)) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT {CARD} FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {}",
            Dialect::Postgres.by_ids("$3"),
            Dialect::Postgres.in_sight(visibility)
        );
        self.each(&sql, params![ids.to_vec()], &mut |found| with_card(found, "", |card| take(card)))
    }
}

/// Whether all texts were told that are gone.
enum Gone {
    Told,
    /// Nobody wants to hear more.
    Stopped,
    /// Nobody remembers all of them.
    Forgotten,
}

impl Table<'_> {
    /// Returns the number of a generation.
    pub(super) fn number_of(&self, generation: &Generation) -> Result<Option<i64>> {
        let sql = "SELECT id FROM memory_generations WHERE user_id = $1 AND agent_id = $2 AND name = $3";
        self.first(sql, params![generation.as_str()], |found| found.number(0))
    }

    fn gone_since(
        &self,
        serving: &Serving,
        since: Since,
        now: Since,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Gone> {
        let sql = "SELECT number, generation, text_id FROM memory_vectors_gone
             WHERE user_id = $1 AND agent_id = $2 AND number > $3 ORDER BY number";
        let gone = self.all(sql, params![since.removed], |found| {
            Ok((found.number(0)?, found.number(1)?, found.number(2)?))
        })?;
        let mut expected = since.removed;
        for (number, generation, id) in gone {
            expected += 1;
            if number != expected {
                return Ok(Gone::Forgotten);
            }
            if generation == serving.number && !take(Shelved::Gone(id)) {
                return Ok(Gone::Stopped);
            }
        }
        let is_behind = now.kept < since.kept || expected != now.removed;
        Ok(if is_behind { Gone::Forgotten } else { Gone::Told })
    }
}
