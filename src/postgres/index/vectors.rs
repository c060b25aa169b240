//! Vectors of the chunks of a scope. A text that waits has nothing here.

use super::chunks::forget_vectors;
use crate::base::error::Result;
use crate::embed::Generation;
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::store::vectors::{
    Counts, Entry, FailedRow, Serving, Shelved, Sight, Since, VectorChanges, VectorRows,
};

/// The chunks of a scope in one view of the database, or inside one change.
pub(super) struct ChunkTable<'a>(pub(super) &'a Within<'a>);

const EMBEDDED: i64 = 1;
const FAILED: i64 = 2;
const SKIPPED: i64 = 3;

/// The number of vectors that are read at once.
const PAGE: i64 = 1000;

impl VectorRows for ChunkTable<'_> {
    fn serving(&self) -> Result<Option<Serving>> {
        let sql = "SELECT generation, name, dimensions FROM chunk_generations
            WHERE user_id = $1 AND agent_id = $2 AND serves";
        let rows = self.0.run(sql, [])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let dimensions: i64 = self.0.column(row, 2)?;
        Ok(Some(Serving {
            number: self.0.column(row, 0)?,
            generation: Generation::from_words(self.0.column::<String>(row, 1)?),
            dimensions: usize::try_from(dimensions).unwrap_or(0),
        }))
    }

    fn generations(&self) -> Result<Vec<Generation>> {
        let sql =
            "SELECT name FROM chunk_generations WHERE user_id = $1 AND agent_id = $2 ORDER BY generation";
        let rows = self.0.run(sql, [])?;
        rows.iter().map(|row| Ok(Generation::from_words(self.0.column::<String>(row, 0)?))).collect()
    }

    fn counts(&self, generation: &Generation) -> Result<Counts> {
        let sql = "SELECT count(*) FROM chunks WHERE user_id = $1 AND agent_id = $2";
        let rows: i64 = self.0.one(sql, [])?.unwrap_or(0);
        let mut counts = Counts { rows: rows.unsigned_abs(), ..Counts::default() };
        let Some(number) = self.number_of(generation)? else { return Ok(counts) };
        let sql = "SELECT state, count(*) FROM chunk_vectors
            WHERE user_id = $1 AND agent_id = $2 AND generation = $3 GROUP BY state";
        for row in self.0.run(sql, [number.into()])? {
            let (state, count): (i64, i64) = (self.0.column(&row, 0)?, self.0.column(&row, 1)?);
            *match state {
                EMBEDDED => &mut counts.embedded,
                FAILED => &mut counts.failed,
                _ => &mut counts.skipped,
            } += count.unsigned_abs();
        }
        Ok(counts)
    }

    fn unfilled(&self, generation: &Generation, after: i64, most: usize) -> Result<Vec<(i64, String)>> {
        let number = self.number_of(generation)?.unwrap_or(0);
        // By their numbers, so that a pass goes through them once.
        let sql = "SELECT c.number, c.content FROM chunks c
            WHERE c.user_id = $1 AND c.agent_id = $2
              AND c.number > greatest($3, coalesce((SELECT filled FROM chunk_generations g
                WHERE g.user_id = $1 AND g.agent_id = $2 AND g.generation = $4), 0))
              AND NOT EXISTS (SELECT 1 FROM chunk_vectors v
                WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $4 AND v.chunk = c.number)
            ORDER BY c.number LIMIT $5";
        let rows = self.0.run(sql, [after.into(), number.into(), count(most).into()])?;
        rows.iter().map(|row| Ok((self.0.column(row, 0)?, self.0.text(row, 1)?))).collect()
    }

    fn contents_of(&self, ids: &[i64], take: &mut dyn FnMut(i64, &str)) -> Result<()> {
        let sql =
            "SELECT number, content FROM chunks WHERE user_id = $1 AND agent_id = $2 AND number = ANY ($3)";
        for row in self.0.run(sql, [ids.to_vec().into()])? {
            take(self.0.column(&row, 0)?, &self.0.text(&row, 1)?);
        }
        Ok(())
    }

    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>> {
        let Some(number) = self.number_of(generation)? else { return Ok(Vec::new()) };
        let sql = "SELECT c.number, c.content, v.attempts FROM chunk_vectors v
            JOIN chunks c ON c.user_id = v.user_id AND c.agent_id = v.agent_id AND c.number = v.chunk
            WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $3 AND v.state = 2 AND v.number <= $4
            ORDER BY v.attempts, v.number LIMIT $5";
        let rows = self.0.run(sql, [number.into(), until.into(), count(most).into()])?;
        let row = |row: &::postgres::Row| {
            let attempts: i64 = self.0.column(row, 2)?;
            Ok(FailedRow {
                id: self.0.column(row, 0)?,
                content: self.0.text(row, 1)?,
                attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
            })
        };
        rows.iter().map(row).collect()
    }

    fn moment(&self) -> Result<i64> {
        Ok(self.now()?.kept)
    }

    fn changed_since(
        &self,
        serving: &Serving,
        sight: Sight,
        since: Option<Since>,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Option<Since>> {
        let now = self.now()?;
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
        let sql = "SELECT v.number, v.chunk, v.state, v.vector FROM chunk_vectors v
            JOIN chunks c ON c.user_id = v.user_id AND c.agent_id = v.agent_id AND c.number = v.chunk
            JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id AND d.path = c.path
            WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $3 AND v.number > $4 AND v.state <> 2
              AND (d.audience & $5) <> 0
            ORDER BY v.number LIMIT $6";
        let mut after = since.map_or(0, |since| since.kept);
        loop {
            let params = [serving.number.into(), after.into(), i64::from(sight.0).into(), PAGE.into()];
            let rows = self.0.run(sql, params)?;
            for row in &rows {
                after = self.0.column(row, 0)?;
                let id = self.0.column(row, 1)?;
                let vector: Option<Vec<u8>> = self.0.column(row, 3)?;
                let goes_on = match (self.0.column(row, 2)?, &vector) {
                    (EMBEDDED, Some(vector)) => take(Shelved::Vector(id, vector)),
                    (SKIPPED, _) => take(Shelved::Skipped(id)),
                    _ => true,
                };
                if !goes_on {
                    return Ok(Some(now));
                }
            }
            if rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
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
        let sql = "SELECT v.chunk, v.vector FROM chunk_vectors v
            JOIN chunks c ON c.user_id = v.user_id AND c.agent_id = v.agent_id AND c.number = v.chunk
            JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id AND d.path = c.path
            WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $3 AND v.chunk = ANY ($4) AND v.state = 1
              AND (d.audience & $5) <> 0";
        let params = [serving.number.into(), ids.to_vec().into(), i64::from(sight.0).into()];
        for row in self.0.run(sql, params)? {
            if let Some(vector) = self.0.column::<Option<Vec<u8>>>(&row, 1)? {
                take(self.0.column(&row, 0)?, &vector);
            }
        }
        Ok(())
    }
}

impl VectorChanges for ChunkTable<'_> {
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()> {
        let number = self.make_generation(generation, dimensions)?;
        let ids: Vec<i64> = entries.iter().map(|(id, _)| *id).collect();
        // Each has a new number, by which others see the change.
        forget_vectors(self.0, &ids, number)?;
        let sql =
            "UPDATE index_numbers SET kept = kept + $3 WHERE user_id = $1 AND agent_id = $2 RETURNING kept";
        let last: i64 = self.0.one(sql, [count(entries.len()).into()])?.unwrap_or(0);
        let first = last - count(entries.len()) + 1;
        let sql = "INSERT INTO chunk_vectors
              (user_id, agent_id, generation, chunk, number, state, attempts, vector)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        for (at, (id, entry)) in (first..).zip(entries) {
            let (state, attempts, vector) = match entry {
                Entry::Vector(bytes) => (EMBEDDED, 0, Some(bytes.clone())),
                Entry::Failed(attempts) => (FAILED, i64::from(*attempts), None),
                Entry::Skipped => (SKIPPED, 0, None),
            };
            let params = [
                number.into(),
                (*id).into(),
                at.into(),
                state.into(),
                attempts.into(),
                Param::MaybeBytes(vector),
            ];
            self.0.run(sql, params)?;
        }
        self.note_filled(number)
    }

    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()> {
        let number = self.make_generation(generation, dimensions)?;
        let sql =
            "UPDATE chunk_generations SET serves = (generation = $3) WHERE user_id = $1 AND agent_id = $2";
        self.0.run(sql, [number.into()]).map(drop)
    }

    fn drop_others(&mut self, generation: &Generation, most: usize) -> Result<u64> {
        let sql = "WITH doomed AS (
              SELECT v.generation, v.chunk FROM chunk_vectors v JOIN chunk_generations g
                ON g.user_id = $1 AND g.agent_id = $2 AND g.generation = v.generation AND g.name <> $3 AND NOT g.serves
                AND g.generation < (SELECT max(n.generation) FROM chunk_generations n WHERE n.user_id = $1 AND n.agent_id = $2)
              WHERE v.user_id = $1 AND v.agent_id = $2 LIMIT $4)
            DELETE FROM chunk_vectors v USING doomed
            WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = doomed.generation AND v.chunk = doomed.chunk
            RETURNING 1";
        let name = Param::from(generation.as_str());
        let removed = self.0.run(sql, [name.clone(), count(most).into()])?.len();
        if removed < most {
            let sql = "DELETE FROM chunk_generations
                WHERE user_id = $1 AND agent_id = $2 AND name <> $3 AND NOT serves
                  AND generation < (SELECT max(n.generation) FROM chunk_generations n WHERE n.user_id = $1 AND n.agent_id = $2)";
            self.0.run(sql, [name])?;
        }
        Ok(removed as u64)
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

impl ChunkTable<'_> {
    /// Returns the number of a generation.
    fn number_of(&self, generation: &Generation) -> Result<Option<i64>> {
        let sql =
            "SELECT generation FROM chunk_generations WHERE user_id = $1 AND agent_id = $2 AND name = $3";
        self.0.one(sql, [generation.as_str().into()])
    }

    /// Returns the number of a generation, which is made where there is none.
    fn make_generation(&self, generation: &Generation, dimensions: usize) -> Result<i64> {
        if let Some(number) = self.number_of(generation)? {
            return Ok(number);
        }
        let sql = "INSERT INTO index_numbers AS held (user_id, agent_id, generation) VALUES ($1, $2, 1)
            ON CONFLICT (user_id, agent_id) DO UPDATE SET generation = held.generation + 1 RETURNING generation";
        let number: i64 = self.0.one(sql, [])?.unwrap_or(1);
        let sql = "INSERT INTO chunk_generations (user_id, agent_id, generation, name, dimensions)
            VALUES ($1, $2, $3, $4, $5)";
        self.0.run(sql, [number.into(), generation.as_str().into(), count(dimensions).into()])?;
        Ok(number)
    }

    /// Keeps up to which chunk no chunk waits, so that the next pass begins behind it.
    fn note_filled(&self, generation: i64) -> Result<()> {
        let sql = "UPDATE chunk_generations g SET filled = greatest(g.filled, coalesce(
              (SELECT min(c.number) - 1 FROM chunks c
               WHERE c.user_id = $1 AND c.agent_id = $2 AND c.number > g.filled AND NOT EXISTS (
                 SELECT 1 FROM chunk_vectors v
                 WHERE v.user_id = $1 AND v.agent_id = $2 AND v.generation = $3 AND v.chunk = c.number)),
              (SELECT max(number) FROM chunks WHERE user_id = $1 AND agent_id = $2), g.filled))
            WHERE g.user_id = $1 AND g.agent_id = $2 AND g.generation = $3";
        self.0.run(sql, [generation.into()]).map(drop)
    }

    fn now(&self) -> Result<Since> {
        let sql = "SELECT kept, gone FROM index_numbers WHERE user_id = $1 AND agent_id = $2";
        let rows = self.0.run(sql, [])?;
        let Some(row) = rows.first() else { return Ok(Since::default()) };
        Ok(Since { kept: self.0.column(row, 0)?, removed: self.0.column(row, 1)? })
    }

    fn gone_since(
        &self,
        serving: &Serving,
        since: Since,
        now: Since,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Gone> {
        let sql = "SELECT number, generation, chunk FROM chunk_vectors_gone
            WHERE user_id = $1 AND agent_id = $2 AND number > $3 ORDER BY number";
        let mut expected = since.removed;
        for row in self.0.run(sql, [since.removed.into()])? {
            expected += 1;
            let (number, generation): (i64, i64) = (self.0.column(&row, 0)?, self.0.column(&row, 1)?);
            if number != expected {
                return Ok(Gone::Forgotten);
            }
            if generation == serving.number && !take(Shelved::Gone(self.0.column(&row, 2)?)) {
                return Ok(Gone::Stopped);
            }
        }
        let is_behind = now.kept < since.kept || expected != now.removed;
        Ok(if is_behind { Gone::Forgotten } else { Gone::Told })
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
