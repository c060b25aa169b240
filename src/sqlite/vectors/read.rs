//! Vectors as they are read.

use rusqlite::{CachedStatement, OptionalExtension, params};

use super::{VectorTables, count, listed, named, text};
use crate::base::error::Result;
use crate::embed::Generation;
use crate::sqlite::columns::ReadAll;
use crate::store::vectors::{Counts, FailedRow, Serving, Shelved, Sight, Since, VectorRows};

pub(super) const EMBEDDED: i64 = 1;
pub(super) const FAILED: i64 = 2;
pub(super) const SKIPPED: i64 = 3;

impl<T: VectorTables> VectorRows for T {
    fn serving(&self) -> Result<Option<Serving>> {
        let sql = "SELECT id, name, dimensions FROM GENERATIONS
            WHERE user_id = ?1 AND agent_id = ?2 AND serves = 1";
        self.run(|| {
            let serving = |found: &rusqlite::Row<'_>| {
                Ok(Serving {
                    number: found.get(0)?,
                    generation: Generation::from_words(text(found, 1)?),
                    dimensions: usize::try_from(found.get::<_, i64>(2)?).unwrap_or(0),
                })
            };
            prepared(self, sql)?.query_row(self.owner(), serving).optional()
        })
    }

    fn generations(&self) -> Result<Vec<Generation>> {
        let sql = "SELECT name FROM GENERATIONS WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id";
        self.run(|| {
            let name = |found: &rusqlite::Row<'_>| Ok(Generation::from_words(text(found, 0)?));
            prepared(self, sql)?.query(self.owner())?.all(name)
        })
    }

    fn counts(&self, generation: &Generation) -> Result<Counts> {
        self.run(|| {
            let rows = "SELECT count(*) FROM ALL m WHERE m.user_id = ?1 AND m.agent_id = ?2";
            let rows: i64 = prepared(self, rows)?.query_row(self.owner(), |found| found.get(0))?;
            let mut counts = Counts { rows: rows.unsigned_abs(), ..Counts::default() };
            let Some(number) = number_of(self, generation)? else { return Ok(counts) };
            let states = "SELECT state, count(*) FROM VECTORS WHERE generation = ?1 GROUP BY state";
            let mut statement = prepared(self, states)?;
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
        self.run(|| {
            let number = number_of(self, generation)?;
            let filled = match number {
                None => i64::MIN,
                Some(number) => {
                    let sql = "SELECT filled FROM GENERATIONS WHERE id = ?1";
                    prepared(self, sql)?.query_row([number], |found| found.get(0))?
                }
            };
            // By their ids, so that a pass goes through them once.
            let mut statement = prepared(
                self,
                "SELECT m.id, m.content FROM ALL m
                 WHERE m.id > ?1 AND +m.user_id = ?2 AND +m.agent_id = ?3 AND NOT EXISTS (
                   SELECT 1 FROM VECTORS v WHERE v.text_id = m.id AND v.generation = ?4)
                 ORDER BY m.id LIMIT ?5",
            )?;
            let [user, agent] = self.owner();
            let bound = params![after.max(filled), user, agent, number.unwrap_or(0), count(most)];
            statement.query(bound)?.all(|found| Ok((found.get(0)?, text(found, 1)?)))
        })
    }

    fn contents_of(&self, ids: &[i64], take: &mut dyn FnMut(i64, &str)) -> Result<()> {
        let sql = "SELECT m.id, m.content FROM json_each(?3) r CROSS JOIN ALL m ON m.id = r.value
            WHERE m.user_id = ?1 AND m.agent_id = ?2";
        self.run(|| {
            let [user, agent] = self.owner();
            let mut statement = prepared(self, sql)?;
            let mut rows = statement.query(params![user, agent, listed(ids)])?;
            while let Some(found) = rows.next()? {
                take(found.get(0)?, &text(found, 1)?);
            }
            Ok(())
        })
    }

    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>> {
        self.run(|| {
            let Some(number) = number_of(self, generation)? else { return Ok(Vec::new()) };
            let mut statement = prepared(
                self,
                "SELECT m.id, m.content, v.attempts FROM VECTORS v CROSS JOIN ALL m ON m.id = v.text_id
                 WHERE v.generation = ?1 AND v.state = 2 AND v.number <= ?2
                 AND m.user_id = ?3 AND m.agent_id = ?4 ORDER BY v.attempts, v.number LIMIT ?5",
            )?;
            let row = |found: &rusqlite::Row<'_>| {
                let attempts = u32::try_from(found.get::<_, i64>(2)?).unwrap_or(u32::MAX);
                Ok(FailedRow { id: found.get(0)?, content: text(found, 1)?, attempts })
            };
            let [user, agent] = self.owner();
            statement.query(params![number, until, user, agent, count(most)])?.all(row)
        })
    }

    fn moment(&self) -> Result<i64> {
        self.run(|| latest_kept(self))
    }

    fn changed_since(
        &self,
        serving: &Serving,
        sight: Sight,
        since: Option<Since>,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Option<Since>> {
        self.run(|| {
            let now = Since { kept: latest_kept(self)?, removed: latest_gone(self)? };
            if since == Some(now) {
                return Ok(since);
            }
            if let Some(since) = since {
                match gone_since(self, serving, since, now, take)? {
                    Gone::Told => {}
                    Gone::Stopped => return Ok(Some(now)),
                    Gone::Forgotten => return Ok(None),
                }
            }
            let sql = format!(
                "SELECT v.text_id, v.state, v.vector FROM VECTORS v CROSS JOIN {} m ON m.id = v.text_id
                 WHERE v.number > ?1 AND v.generation = ?2 AND v.state <> 2
                 AND m.user_id = ?3 AND m.agent_id = ?4 ORDER BY v.number",
                T::view(sight)
            );
            let (mut statement, [user, agent]) = (prepared(self, &sql)?, self.owner());
            let after = since.map_or(0, |since| since.kept);
            let mut kept = statement.query(params![after, serving.number, user, agent])?;
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
        sight: Sight,
        ids: &[i64],
        take: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        let sql = format!(
            "SELECT v.text_id, v.vector FROM json_each(?3) r CROSS JOIN {} m ON m.id = r.value
             CROSS JOIN VECTORS v ON v.text_id = m.id AND v.generation = ?4
             WHERE m.user_id = ?1 AND m.agent_id = ?2 AND v.state = 1",
            T::view(sight)
        );
        self.run(|| {
            let (mut statement, [user, agent]) = (prepared(self, &sql)?, self.owner());
            let mut found = statement.query(params![user, agent, listed(ids), serving.number])?;
            while let Some(found) = found.next()? {
                if let Ok(Some(vector)) = found.get_ref(1)?.as_blob_or_null() {
                    take(found.get(0)?, vector);
                }
            }
            Ok(())
        })
    }
}

/// Prepares a statement with the names of the tables.
pub(super) fn prepared<'c, T: VectorTables>(
    tables: &'c T,
    sql: &str,
) -> rusqlite::Result<CachedStatement<'c>> {
    tables.connection().prepare_cached(&named(&T::NAMES, sql))
}

/// Returns the number of a generation.
pub(super) fn number_of<T: VectorTables>(
    tables: &T,
    generation: &Generation,
) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT id FROM GENERATIONS WHERE user_id = ?1 AND agent_id = ?2 AND name = ?3";
    let [user, agent] = tables.owner();
    let bound = [user, agent, generation.as_str()];
    prepared(tables, sql)?.query_row(bound, |found| found.get(0)).optional()
}

/// Returns the latest number that a state had, also of one that is gone.
fn latest_kept<T: VectorTables>(tables: &T) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'VECTORS'), 0)";
    prepared(tables, sql)?.query_row([], |found| found.get(0))
}

/// Returns the same of texts that are gone. The latest of them is kept always.
fn latest_gone<T: VectorTables>(tables: &T) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(number), 0) FROM GONE";
    prepared(tables, sql)?.query_row([], |found| found.get(0))
}

/// Whether all texts were told that are gone.
enum Gone {
    Told,
    /// Nobody wants to hear more.
    Stopped,
    /// Nobody remembers all of them.
    Forgotten,
}

fn gone_since<T: VectorTables>(
    tables: &T,
    serving: &Serving,
    since: Since,
    now: Since,
    take: &mut dyn FnMut(Shelved<'_>) -> bool,
) -> rusqlite::Result<Gone> {
    let sql = "SELECT number, generation, text_id FROM GONE WHERE number > ?1 ORDER BY number";
    let mut statement = prepared(tables, sql)?;
    let mut gone = statement.query([since.removed])?;
    let mut expected = since.removed;
    while let Some(found) = gone.next()? {
        expected += 1;
        if found.get::<_, i64>(0)? != expected {
            return Ok(Gone::Forgotten);
        }
        if found.get::<_, i64>(1)? == serving.number && !take(Shelved::Gone(found.get(2)?)) {
            return Ok(Gone::Stopped);
        }
    }
    let is_behind = now.kept < since.kept || expected != now.removed;
    Ok(if is_behind { Gone::Forgotten } else { Gone::Told })
}
