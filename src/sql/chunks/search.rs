//! The search of an index: the same for the owner, for a guest and on a server.
//!
//! A database lists the chunks in sight that have a word. The rest is here: how rare a word is among them, the chunks whose words
//! weigh most, and their order. Nothing is counted of chunks that the session may not read.

use std::collections::HashMap;

use super::driver::{ChunkDriver, InSight, in_sight, place};
use crate::base::access::{Scope, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::base::uuid::{chunk_id, document_id};
use crate::search::documents::{
    Audience, FoundChunks, LISTED, ReadChunk, SearchResult, fuse, reciprocal, weigh,
};
use crate::search::rank::{Frequencies, Plan, Ranking, one_line};
use crate::search::vectors::Wanted;
use crate::sql::vectors::count;
use crate::sql::{Columns, Dialect, DriverExt, Param, params, read_numbers};
use crate::store::vectors::{AskedVector, Shelves, Sight};

/// The most chunks that are weighed, of those that may be found.
const MAX_WEIGHED_CHUNKS: usize = 128;
/// The most chunks that are read at once and may not fulfil a condition.
const READ_AT_ONCE: usize = 512;

/// The condition of a document that a session may read.
const SEEN: &str = "d.user_id = $1 AND d.agent_id = $2 AND (d.audience & $3) <> 0";

/// A search of the chunks of a scope that one kind of session may read.
pub(crate) struct ChunkSearch<'a, D> {
    database: &'a D,
    scope: &'a Scope,
    sight: Sight,
}

impl<'a, D: ChunkDriver> ChunkSearch<'a, D> {
    /// Makes a search of what a kind of session may read.
    pub(crate) fn new(database: &'a D, scope: &'a Scope, kind: SessionKind) -> Self {
        Self { database, scope, sight: Sight(Audience::bit(kind)) }
    }

    /// Finds the chunks that fit a text, best first; ties by path and place.
    pub(crate) fn by_words(&self, text: &str, limit: usize) -> Result<Vec<SearchResult>> {
        let text = one_line(text);
        let literal = text.trim();
        if limit == 0 || literal.is_empty() {
            return Ok(Vec::new());
        }
        let plan = Plan::of(&text, false);
        if plan.required.is_none() && plan.terms.is_empty() {
            return self.holding(literal, limit);
        }
        let within = self.in_sight()?;
        let may_fulfil = match &plan.required {
            None => None,
            Some(clause) => match self.database.fulfilling(within, clause)? {
                None => return self.holding(literal, limit),
                numbers => numbers,
            },
        };
        self.ranked(plan, within, may_fulfil, limit)
    }

    /// Finds chunks by words and by meaning, best first; ties by path and place.
    pub(crate) fn near(
        &self,
        shelves: &Shelves,
        text: &str,
        (asked, ranking): (&AskedVector, &Ranking),
        limit: usize,
    ) -> Result<FoundChunks> {
        let mut words = self.by_words(text, LISTED.max(limit))?;
        let in_sight = count(self.database, Some(self.sight))?;
        let wanted = Wanted::new(ranking.nearest.max(1));
        let near = match asked.near(self.database, shelves, self.sight, in_sight, &wanted)? {
            Ok(near) => near,
            Err(why) => {
                words.truncate(limit);
                return Ok(FoundChunks::by_words(text, words).degraded(why));
            }
        };
        let mut numbers = Vec::with_capacity(near.rows.len());
        for row in &near.rows {
            numbers.push(row.id);
        }
        let mut chunks = HashMap::new();
        for chunk in self.read(&numbers)? {
            chunks.insert(chunk.number, chunk.found);
        }
        Ok(fuse((text, ranking.fusion), words, &near, chunks, limit))
    }

    /// Ranks by the words of a plan, among all chunks or among those that may fulfil its condition.
    fn ranked(
        &self,
        mut plan: Plan,
        within: InSight,
        may_fulfil: Option<Vec<i64>>,
        limit: usize,
    ) -> Result<Vec<SearchResult>> {
        // Without frequent words, a question finds less in long chunks.
        let mut frequencies = Frequencies::of_every_word(u32::try_from(within.chunks).unwrap_or(u32::MAX));
        let all_terms = plan.terms.clone();
        let mut terms = Vec::with_capacity(all_terms.len());
        terms.extend(&all_terms);
        let mut lists = self.database.with_words(within, &terms)?;
        for numbers in &lists {
            frequencies.push(u32::try_from(numbers.len()).unwrap_or(u32::MAX));
        }
        frequencies.leave_out_absent(&mut plan);
        let (mut all, mut left) = (terms.iter(), plan.terms.iter().peekable());
        order::retain(&mut lists, |_| {
            all.next().is_some_and(|term| left.next_if(|kept| kept == term).is_some())
        });
        let looked_up = frequencies.looked_up();
        let mut weighed = Weights::default();
        for at in &looked_up {
            weighed.add(&lists[*at], frequencies.whole_weight(*at).max(1));
        }
        let most = MAX_WEIGHED_CHUNKS.max(limit.saturating_mul(2));
        let candidates = self.best_first(weighed.sums(may_fulfil), plan.required.is_some(), most)?;
        let mut chunks = Vec::new();
        // Few of those that may fulfil a condition may do so.
        let at_once = if plan.required.is_some() { most.max(READ_AT_ONCE) } else { most };
        for part in candidates.chunks(at_once) {
            let mut read = self.read(part)?;
            for number in part {
                let Some(at) = read.iter().position(|chunk| chunk.number == *number) else { continue };
                let chunk = read.swap_remove(at);
                if plan.required.is_none() || plan.is_fulfilled_by(&chunk.searched) {
                    chunks.push(chunk);
                }
            }
            if chunks.len() >= most {
                break;
            }
        }
        chunks.truncate(most);
        // They are all here: a database may part words otherwise.
        let are_all = candidates.len() <= most && plan.required.is_none();
        Ok(weigh(&plan, chunks, (frequencies, are_all), limit))
    }

    /// Orders chunks by weights, the greatest first, and equals by path and place, the last path first: the newest journals have it.
    /// Where only the first `most` are read, equals that are read all or not at all stay as they are.
    fn best_first(&self, mut sums: Vec<(i64, i64)>, are_all_read: bool, most: usize) -> Result<Vec<i64>> {
        sums.sort_unstable();
        sums.reverse();
        let mut best = Vec::with_capacity(sums.len());
        for (_, number) in &sums {
            best.push(*number);
        }
        let Some((edge, _)) = sums.get(most) else { return Ok(best) };
        let (from, to) = if are_all_read {
            (0, sums.len())
        } else {
            (sums.partition_point(|(sum, _)| sum > edge), sums.partition_point(|(sum, _)| sum >= edge))
        };
        let mut ordered = self.last_paths_first(&best[from..to])?;
        if are_all_read {
            ordered = heaviest_first(&sums, &ordered);
        }
        // A text index that drifted names chunks that are gone, and no order has them. Nothing behind these is read.
        best.truncate(from);
        best.append(&mut ordered);
        Ok(best)
    }

    /// Returns chunks in sight by path, the last one first, and by place.
    fn last_paths_first(&self, numbers: &[i64]) -> Result<Vec<i64>> {
        let words = self.database.dialect();
        let sql = format!(
            "SELECT c.number FROM {} CROSS JOIN {} AND c.number = r.value ORDER BY d.path DESC, {}",
            words.list("$4", "r"),
            in_sight(words),
            place(words)
        );
        read_numbers(self.database, &sql, params![i64::from(self.sight.0), numbers.to_vec()])
    }

    /// Counts the chunks in sight, and says whether any other is beside them.
    fn in_sight(&self) -> Result<InSight> {
        let sql = format!(
            "SELECT CAST(coalesce(sum(CASE WHEN {SEEN} THEN d.chunks ELSE 0 END), 0) AS bigint),
               CAST(coalesce(sum(CASE WHEN {SEEN} THEN 0 ELSE 1 END), 0) AS bigint)
             FROM indexed_documents d {}",
            self.database.dialect().spell("", "WHERE d.user_id = $1 AND d.agent_id = $2")
        );
        let sight = self.sight;
        let counted = self.database.first(&sql, params![i64::from(sight.0)], |found| {
            Ok(InSight { sight, chunks: found.count(0)?, is_whole: found.count(1)? == 0 })
        })?;
        Ok(counted.unwrap_or(InSight { sight, chunks: 0, is_whole: false }))
    }

    /// Reads chunks in sight, in any order.
    fn read(&self, numbers: &[i64]) -> Result<Vec<ReadChunk>> {
        let words = self.database.dialect();
        let sql = format!(
            "SELECT {} FROM {} CROSS JOIN {} AND c.number = r.value",
            columns(words),
            words.list("$4", "r"),
            in_sight(words)
        );
        self.chunks(&sql, params![i64::from(self.sight.0), numbers.to_vec()])
    }

    /// Returns the chunks that hold a text without words, such as `+++`, by path and place.
    fn holding(&self, literal: &str, limit: usize) -> Result<Vec<SearchResult>> {
        let words = self.database.dialect();
        let holds = words.spell("instr(c.content, $4)", "position($4::bytea in c.content)");
        let literal = match words {
            Dialect::Sqlite => Param::from(literal),
            Dialect::Postgres => Param::from(literal.as_bytes()),
        };
        let sql = format!(
            "SELECT {} FROM {} AND {holds} > 0 ORDER BY d.path, {} LIMIT $5",
            columns(words),
            in_sight(words),
            place(words)
        );
        let mut found = Vec::new();
        for chunk in self.chunks(&sql, params![i64::from(self.sight.0), literal, limit])? {
            found.push(SearchResult { score: reciprocal(found.len()), ..chunk.found });
        }
        Ok(found)
    }

    /// Runs a statement for [`columns`]. A chunk with a path that another program put there is left out.
    fn chunks(&self, sql: &str, values: Vec<Param>) -> Result<Vec<ReadChunk>> {
        let mut chunks = Vec::new();
        self.database.each(sql, values, &mut |found| {
            if let Some(chunk) = self.chunk(found)? {
                chunks.push(chunk);
            }
            Ok(())
        })?;
        Ok(chunks)
    }

    /// Reads [`columns`].
    fn chunk(&self, found: &dyn Columns) -> Result<Option<ReadChunk>> {
        let Ok(path) = DocName::parse(found.text(1)?) else { return Ok(None) };
        let (number, place) = (found.number(0)?, found.number(2)?);
        let ids = (found.maybe(7)?, found.maybe(8)?);
        let name: Name = path.clone().into();
        let document_id = ids.0.unwrap_or_else(|| document_id(self.scope, &name));
        let content = found.text(3)?;
        // Its path and its headings are searched too. In SQLite, a last line has tokens that are for FTS5 alone.
        let beside = found.text(6)?;
        let beside = match (self.database.dialect(), beside.rsplit_once('\n')) {
            (Dialect::Sqlite, Some((words, _))) => words,
            _ => &beside,
        };
        let searched = [content.as_str(), beside].join("\n");
        let line = |column| Ok::<_, Error>(u64::try_from(found.number(column)?).unwrap_or(1));
        let found = SearchResult {
            chunk_id: ids.1.unwrap_or_else(|| chunk_id(&document_id, place)),
            document_id,
            path,
            content,
            chunk_index: u32::try_from(place).unwrap_or(u32::MAX),
            score: 0.0,
            bm25_score: None,
            vector_score: None,
            lines: (line(4)?, line(5)?),
            span: None,
            newer: None,
            origin: None,
        };
        Ok(Some(ReadChunk { number, found, searched }))
    }
}

/// The columns of a chunk.
const fn columns(words: Dialect) -> &'static str {
    words.spell(
        "c.number, d.path, c.chunk_index, c.content, c.first_line, c.last_line, c.terms, d.id, c.id",
        "c.number, d.path, c.place, c.content, c.first_line, c.last_line, c.beside, NULL::text, NULL::text",
    )
}

/// Orders numbers by their sums, the greatest first; equals keep their order.
fn heaviest_first(sums: &[(i64, i64)], numbers: &[i64]) -> Vec<i64> {
    let (mut places, mut by_number) = (Vec::new(), Vec::new());
    for (place, number) in (0_i64..).zip(numbers) {
        places.push((*number, place));
    }
    for (sum, number) in sums {
        by_number.push((*number, *sum));
    }
    places.sort_unstable();
    by_number.sort_unstable();
    let (mut at, mut keys) = (0, Vec::new());
    for (number, place) in places {
        while by_number[at].0 < number {
            at += 1;
        }
        keys.push((-by_number[at].1, place));
    }
    keys.sort_unstable();
    let mut ordered = Vec::with_capacity(keys.len());
    for (_, place) in keys {
        ordered.push(numbers[usize::try_from(place).unwrap_or(0)]);
    }
    ordered
}

/// The sums of the weights of words, a row for each word of a chunk.
#[derive(Default)]
struct Weights(Vec<(i64, i64)>);

impl Weights {
    fn add(&mut self, numbers: &[i64], weight: i64) {
        for number in numbers {
            self.0.push((*number, weight));
        }
    }

    /// Returns the weight and the number of each chunk; of some alone where these are given.
    fn sums(mut self, among: Option<Vec<i64>>) -> Vec<(i64, i64)> {
        self.0.sort_unstable();
        let mut sums: Vec<(i64, i64)> = Vec::new();
        for (number, weight) in self.0 {
            match sums.last_mut() {
                Some((sum, last)) if *last == number => *sum += weight,
                _ => sums.push((weight, number)),
            }
        }
        let Some(mut among) = among else { return sums };
        among.sort_unstable();
        among.dedup();
        let mut weights = sums.into_iter().peekable();
        let mut limited = Vec::with_capacity(among.len());
        for number in among {
            while weights.next_if(|(_, other)| *other < number).is_some() {}
            let weight = weights.next_if(|(_, other)| *other == number).map_or(0, |(weight, _)| weight);
            limited.push((weight, number));
        }
        limited
    }
}
