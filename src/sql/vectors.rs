//! Vectors in tables, of rows of a store or of chunks of an index. A text that waits has nothing here.

use super::{Dialect, Driver, DriverExt, Param, params, read_count};
use crate::base::error::Result;
use crate::embed::Generation;
use crate::store::vectors::{
    Counts, Entry, FailedRow, Serving, Shelved, Sight, Since, VectorChanges, VectorRows,
};

const EMBEDDED: i64 = 1;
const FAILED: i64 = 2;
const SKIPPED: i64 = 3;

/// The number of vectors that are read together.
const READ: usize = 1000;

/// The names of the tables of vectors, and of columns in which they differ.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) generations: &'static str,
    /// The number of a generation in its own table.
    pub(crate) id: &'static str,
    pub(crate) vectors: &'static str,
    /// The text that a vector is of.
    pub(crate) text: &'static str,
    pub(crate) gone: &'static str,
}

/// A database inside one transaction, with texts that may have vectors.
///
/// The defaults are for tables that count by themselves and have triggers.
pub(crate) trait VectorDriver: Driver {
    fn names(&self) -> Names;

    /// Returns a table `m` of the texts in sight, or of all that may have a vector: `id`, `content`, `user_id` and `agent_id`.
    fn texts(&self, sight: Option<Sight>) -> String;

    /// Returns the same of all texts whose ids are the list `$3`, each looked up by itself.
    fn texts_by_ids(&self) -> String {
        let words = self.dialect();
        let (asked, join) = (words.list("$3", "r"), words.spell("CROSS JOIN", "JOIN"));
        format!("{asked} {join} {} ON m.id = r.value", self.texts(None))
    }

    /// Returns whether there was ever a generation, where that is known.
    fn may_have_vectors(&self) -> bool {
        true
    }

    /// Returns the number of a new generation.
    fn next_generation(&self) -> Result<Option<i64>> {
        Ok(None)
    }

    /// Returns the first of a count of new numbers of states.
    fn next_states(&self, _count: usize) -> Result<Option<i64>> {
        Ok(None)
    }

    /// Removes the states of texts in a generation; each of a serving generation is reported.
    fn forget_states(&self, ids: &[i64], generation: i64) -> Result<()> {
        let Names { vectors, text, .. } = self.names();
        let is_one = self.dialect().is_in(text, "$3");
        let sql = format!("DELETE FROM {vectors} WHERE {is_one} AND generation = $4");
        self.run(&sql, params![ids.to_vec(), generation])
    }

    /// Returns the latest numbers of states and of those that are gone.
    fn now(&self) -> Result<Since> {
        let Names { vectors, gone, .. } = self.names();
        let sql = format!(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{vectors}'), 0),
               coalesce((SELECT max(number) FROM {gone}), 0)"
        );
        let now = self.first(&sql, Vec::new(), |found| {
            Ok(Since { kept: found.number(0)?, removed: found.number(1)? })
        })?;
        Ok(now.unwrap_or_default())
    }
}

impl<T: VectorDriver> VectorRows for T {
    fn serving(&self) -> Result<Option<Serving>> {
        serving(self)
    }

    fn generations(&self) -> Result<Vec<Generation>> {
        let Names { generations, id, .. } = self.names();
        let sql =
            format!("SELECT name FROM {generations} WHERE user_id = $1 AND agent_id = $2 ORDER BY {id}");
        self.all(&sql, Vec::new(), |found| Ok(Generation::from_words(found.text(0)?)))
    }

    fn counts(&self, generation: &Generation) -> Result<Counts> {
        counts(self, generation)
    }

    fn unfilled(&self, generation: &Generation, after: i64, most: usize) -> Result<Vec<(i64, String)>> {
        unfilled(self, generation, after, most)
    }

    fn contents_of(&self, ids: &[i64], take: &mut dyn FnMut(i64, &str)) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let texts = self.texts_by_ids();
        let sql = format!("SELECT m.id, m.content FROM {texts} WHERE m.user_id = $1 AND m.agent_id = $2");
        self.each(&sql, params![ids.to_vec()], &mut |found| {
            take(found.number(0)?, &found.borrowed(1)?.unwrap_or_default());
            Ok(())
        })
    }

    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>> {
        failed(self, generation, until, most)
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
        changed_since(self, serving, sight, since, take)
    }

    fn vectors(
        &self,
        serving: &Serving,
        sight: Sight,
        ids: &[i64],
        take: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        vectors(self, serving, sight, ids, take)
    }
}

impl<T: VectorDriver> VectorChanges for T {
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()> {
        keep(self, generation, dimensions, entries)
    }

    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()> {
        let (number, Names { generations, id, .. }) =
            (make_generation(self, generation, dimensions)?, self.names());
        let sql =
            format!("UPDATE {generations} SET serves = ({id} = $3) WHERE user_id = $1 AND agent_id = $2");
        self.run(&sql, params![number])
    }

    fn drop_others(&mut self, generation: &Generation, most: usize) -> Result<u64> {
        drop_others(self, generation, most)
    }
}

fn serving(driver: &dyn VectorDriver) -> Result<Option<Serving>> {
    if !driver.may_have_vectors() {
        return Ok(None);
    }
    let Names { generations, id, .. } = driver.names();
    let sql = format!(
        "SELECT {id}, name, dimensions FROM {generations} WHERE user_id = $1 AND agent_id = $2 AND serves"
    );
    driver.first(&sql, Vec::new(), |found| {
        Ok(Serving {
            number: found.number(0)?,
            generation: Generation::from_words(found.text(1)?),
            dimensions: usize::try_from(found.number(2)?).unwrap_or(0),
        })
    })
}

/// Counts the texts in sight, or all that may have a vector.
pub(crate) fn count(driver: &dyn VectorDriver, sight: Option<Sight>) -> Result<u64> {
    let texts = driver.texts(sight);
    let sql = format!("SELECT count(*) FROM {texts} WHERE m.user_id = $1 AND m.agent_id = $2");
    read_count(driver, &sql, Vec::new())
}

fn counts(driver: &dyn VectorDriver, generation: &Generation) -> Result<Counts> {
    let mut counts = Counts { rows: count(driver, None)?, ..Counts::default() };
    let Some(number) = number_of(driver, generation)? else { return Ok(counts) };
    let sql = format!(
        "SELECT state, count(*) FROM {} s WHERE {} generation = $3 GROUP BY state",
        driver.names().vectors,
        driver.dialect().of_scope()
    );
    driver.each(&sql, params![number], &mut |found| {
        *match found.number(0)? {
            EMBEDDED => &mut counts.embedded,
            FAILED => &mut counts.failed,
            _ => &mut counts.skipped,
        } += found.count(1)?;
        Ok(())
    })?;
    Ok(counts)
}

fn unfilled(
    driver: &dyn VectorDriver,
    generation: &Generation,
    after: i64,
    most: usize,
) -> Result<Vec<(i64, String)>> {
    let Names { vectors, text, .. } = driver.names();
    let (number, filled) = number_and_filled(driver, generation)?.unwrap_or((0, i64::MIN));
    // By their ids, so that a pass goes through them once.
    let sql = format!(
        "SELECT m.id, m.content FROM {texts} WHERE m.id > $3 AND {of} AND NOT EXISTS (
           SELECT 1 FROM {vectors} s WHERE {of_scope} s.{text} = m.id AND s.generation = $4)
         ORDER BY m.id LIMIT $5",
        texts = driver.texts(None),
        of = in_order(driver),
        of_scope = driver.dialect().of_scope()
    );
    driver.all(&sql, params![after.max(filled), number, most], |found| Ok((found.number(0)?, found.text(1)?)))
}

/// Returns the condition of texts of the scope that are gone through by their ids.
fn in_order(driver: &dyn VectorDriver) -> &'static str {
    driver.dialect().spell("+m.user_id = $1 AND +m.agent_id = $2", "m.user_id = $1 AND m.agent_id = $2")
}

fn failed(
    driver: &dyn VectorDriver,
    generation: &Generation,
    until: i64,
    most: usize,
) -> Result<Vec<FailedRow>> {
    let Some(number) = number_of(driver, generation)? else { return Ok(Vec::new()) };
    let Names { vectors, text, .. } = driver.names();
    let sql = format!(
        "SELECT m.id, m.content, s.attempts FROM {vectors} s CROSS JOIN {}
         WHERE {} s.generation = $3 AND s.state = {FAILED} AND s.number <= $4
         AND m.id = s.{text} AND m.user_id = $1 AND m.agent_id = $2 ORDER BY s.attempts, s.number LIMIT $5",
        driver.texts(None),
        driver.dialect().of_scope()
    );
    driver.all(&sql, params![number, until, most], |found| {
        let attempts = u32::try_from(found.number(2)?).unwrap_or(u32::MAX);
        Ok(FailedRow { id: found.number(0)?, content: found.text(1)?, attempts })
    })
}

fn changed_since(
    driver: &dyn VectorDriver,
    serving: &Serving,
    sight: Sight,
    since: Option<Since>,
    take: &mut dyn FnMut(Shelved<'_>) -> bool,
) -> Result<Option<Since>> {
    let now = driver.now()?;
    if since == Some(now) {
        return Ok(since);
    }
    if let Some(since) = since {
        match gone_since(driver, serving, since, now, take)? {
            Gone::Told => {}
            Gone::Stopped => return Ok(Some(now)),
            Gone::Forgotten => return Ok(None),
        }
    }
    let Names { vectors, text, .. } = driver.names();
    let sql = format!(
        "SELECT s.number, s.{text}, s.state, s.vector FROM {vectors} s CROSS JOIN {}
         WHERE {} s.generation = $3 AND s.number > $4 AND s.state <> {FAILED}
         AND m.id = s.{text} AND m.user_id = $1 AND m.agent_id = $2 ORDER BY s.number LIMIT $5",
        driver.texts(Some(sight)),
        driver.dialect().of_scope()
    );
    let mut after = since.map_or(0, |since| since.kept);
    loop {
        let (mut read, mut goes_on) = (0, true);
        driver.each(&sql, params![serving.number, after, READ], &mut |found| {
            (after, read) = (found.number(0)?, read + 1);
            goes_on = goes_on
                && match (found.number(2)?, found.bytes(3)?) {
                    (EMBEDDED, Some(vector)) => take(Shelved::Vector(found.number(1)?, vector)),
                    (SKIPPED, _) => take(Shelved::Skipped(found.number(1)?)),
                    _ => true,
                };
            Ok(())
        })?;
        if !goes_on || read < READ {
            return Ok(Some(now));
        }
    }
}

fn vectors(
    driver: &dyn VectorDriver,
    serving: &Serving,
    sight: Sight,
    ids: &[i64],
    take: &mut dyn FnMut(i64, &[u8]),
) -> Result<()> {
    let (Names { vectors, text, .. }, texts) = (driver.names(), driver.texts(Some(sight)));
    let from = match driver.dialect() {
        Dialect::Sqlite => format!(
            "json_each($3) r CROSS JOIN {texts} ON m.id = r.value CROSS JOIN {vectors} s ON s.{text} = r.value WHERE"
        ),
        Dialect::Postgres => format!(
            "{vectors} s JOIN {texts} ON m.id = s.{text}
             WHERE s.user_id = $1 AND s.agent_id = $2 AND s.{text} = ANY ($3) AND"
        ),
    };
    let sql = format!(
        "SELECT m.id, s.vector FROM {from} s.generation = $4 AND s.state = {EMBEDDED}
         AND m.user_id = $1 AND m.agent_id = $2"
    );
    driver.each(&sql, params![ids.to_vec(), serving.number], &mut |found| {
        if let Some(vector) = found.bytes(1)? {
            take(found.number(0)?, vector);
        }
        Ok(())
    })
}

fn keep(
    driver: &dyn VectorDriver,
    generation: &Generation,
    dimensions: usize,
    entries: &[(i64, Entry)],
) -> Result<()> {
    let generation = make_generation(driver, generation, dimensions)?;
    // Each has a new number, by which others see the change.
    driver.forget_states(&entries.iter().map(|(id, _)| *id).collect::<Vec<_>>(), generation)?;
    let first = driver.next_states(entries.len())?;
    let (Names { vectors, text, .. }, [columns, values]) = (driver.names(), driver.dialect().with_scope());
    let sql = format!(
        "INSERT INTO {vectors} ({columns}number, {text}, generation, state, attempts, vector)
         VALUES ({values}$3, $4, $5, $6, $7, $8)"
    );
    for (place, (id, entry)) in (0..).zip(entries) {
        let (state, attempts, vector) = match entry {
            Entry::Vector(bytes) => (EMBEDDED, 0, Some(bytes.clone())),
            Entry::Failed(attempts) => (FAILED, i64::from(*attempts), None),
            Entry::Skipped => (SKIPPED, 0, None),
        };
        let number = first.map(|first| first + place);
        let values = params![number, *id, generation, state, attempts, Param::MaybeBytes(vector)];
        driver.put(sql.clone().into(), values)?;
    }
    note_filled(driver, generation)
}

/// Keeps the text up to which none waits, so that the next pass begins behind it.
fn note_filled(driver: &dyn VectorDriver, generation: i64) -> Result<()> {
    let (Names { generations, id, vectors, text, .. }, words) = (driver.names(), driver.dialect());
    let sql = format!(
        "UPDATE {generations} AS g SET filled = {greatest}(filled, coalesce(
           (SELECT m.id - 1 FROM {texts} WHERE m.id > g.filled AND {of} AND NOT EXISTS (
              SELECT 1 FROM {vectors} s WHERE {of_scope} s.{text} = m.id AND s.generation = $3)
            ORDER BY m.id LIMIT 1),
           (SELECT max(m.id) FROM {texts} {all}), filled))
         WHERE user_id = $1 AND agent_id = $2 AND {id} = $3",
        greatest = words.greatest(),
        texts = driver.texts(None),
        of = in_order(driver),
        of_scope = words.of_scope(),
        // A file has the rows of all scopes in one order.
        all = words.spell("", "WHERE m.user_id = $1 AND m.agent_id = $2")
    );
    driver.run(&sql, params![generation])
}

fn drop_others(driver: &dyn VectorDriver, generation: &Generation, most: usize) -> Result<u64> {
    let (Names { generations, id, vectors, text, .. }, of_scope) =
        (driver.names(), driver.dialect().of_scope());
    let others = format!(
        "SELECT {id} FROM {generations} WHERE user_id = $1 AND agent_id = $2 AND name <> $3 AND NOT serves
         AND {id} < (SELECT max(n.{id}) FROM {generations} n WHERE n.user_id = $1 AND n.agent_id = $2)"
    );
    let sql = format!(
        "DELETE FROM {vectors} AS s WHERE {of_scope} (s.{text}, s.generation) IN (
           SELECT s.{text}, s.generation FROM {vectors} s WHERE {of_scope} s.generation IN ({others}) LIMIT $4)
         RETURNING 1"
    );
    let removed = driver.count(&sql, params![generation.as_str(), most])?;
    if removed < most as u64 {
        let sql =
            format!("DELETE FROM {generations} WHERE user_id = $1 AND agent_id = $2 AND {id} IN ({others})");
        driver.run(&sql, params![generation.as_str()])?;
    }
    Ok(removed)
}

/// Returns the number of a generation, and the text up to which none waits.
fn number_and_filled(driver: &dyn VectorDriver, generation: &Generation) -> Result<Option<(i64, i64)>> {
    let Names { generations, id, .. } = driver.names();
    let sql =
        format!("SELECT {id}, filled FROM {generations} WHERE user_id = $1 AND agent_id = $2 AND name = $3");
    driver.first(&sql, params![generation.as_str()], |found| Ok((found.number(0)?, found.number(1)?)))
}

/// Returns the number of a generation.
fn number_of(driver: &dyn VectorDriver, generation: &Generation) -> Result<Option<i64>> {
    Ok(number_and_filled(driver, generation)?.map(|(number, _)| number))
}

/// Returns the number of a generation, which is made where there is none.
fn make_generation(driver: &dyn VectorDriver, generation: &Generation, dimensions: usize) -> Result<i64> {
    if let Some(number) = number_of(driver, generation)? {
        return Ok(number);
    }
    let Names { generations, id, .. } = driver.names();
    let sql = format!(
        "INSERT INTO {generations} (user_id, agent_id, {id}, name, dimensions, filled)
         VALUES ($1, $2, $3, $4, $5, $6)"
    );
    let values = params![driver.next_generation()?, generation.as_str(), dimensions, i64::MIN];
    driver.run(&sql, values)?;
    Ok(number_of(driver, generation)?.unwrap_or_default())
}

/// Whether all texts were told that are gone.
enum Gone {
    Told,
    /// Nobody wants to hear more.
    Stopped,
    /// Nobody remembers all of them.
    Forgotten,
}

fn gone_since(
    driver: &dyn VectorDriver,
    serving: &Serving,
    since: Since,
    now: Since,
    take: &mut dyn FnMut(Shelved<'_>) -> bool,
) -> Result<Gone> {
    let Names { text, gone, .. } = driver.names();
    let sql = format!(
        "SELECT number, generation, {text} FROM {gone} s WHERE {} number > $3 ORDER BY number",
        driver.dialect().of_scope()
    );
    let gone = driver.all(&sql, params![since.removed], |found| {
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
