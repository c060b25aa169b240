//! Chunks by how well they fit a text, by words and by meaning, among the documents that a session may read.

use std::collections::{BTreeSet, HashMap};

use ::postgres::Row;

use super::words::hash;
use crate::base::access::SessionKind;
use crate::base::error::Result;
use crate::base::name::{DocName, Name};
use crate::base::uuid::{chunk_id, document_id};
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::search::documents::{
    Audience, FoundChunks, LISTED, SearchResult, WEIGHED, fuse, reciprocal, weigh,
};
use crate::search::rank::{Clause, Plan, Ranking, Stemmer, Term, one_line};
use crate::search::vectors::Wanted;
use crate::sql::vectors::count;
use crate::store::vectors::{AskedVector, Shelves, Sight};

/// The number of chunks that are read at once, where each is looked at whole.
const PAGE: i64 = 1024;

/// The columns of a chunk. A document's audience is in every statement: `$1` to `$3` are the scope and the kind.
macro_rules! chunks {
    ($condition:literal) => {
        concat!(
            "SELECT c.number, c.path, c.place, c.content, c.first_line, c.last_line, c.beside
             FROM chunks c
             JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id AND d.path = c.path
             WHERE c.user_id = $1 AND c.agent_id = $2 AND (d.audience & $3) <> 0 AND ",
            $condition
        )
    };
}

const ALL: &str =
    chunks!("(c.path < $4 OR c.path = $4 AND c.place > $5) ORDER BY c.path DESC, c.place LIMIT $6");
const HAVING: &str = "
    SELECT ARRAY(SELECT DISTINCT p.number FROM unnest($3) w (word) CROSS JOIN LATERAL (
      SELECT p.number FROM chunk_postings p
      WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = w.word OFFSET 0) p)";
/// The last of some chunks, in any order. The server sees how many there are, and goes to each of a few, or through all of them by their
/// paths. Texts are read of those alone that are wanted, and are in no sort.
const MATCHING: &str = "
    SELECT c.number, c.path, c.place, c.content, c.first_line, c.last_line, c.beside
    FROM chunks c WHERE c.user_id = $1 AND c.agent_id = $2 AND c.number = ANY (ARRAY(
      SELECT c.number FROM chunks c
      JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id AND d.path = c.path
      WHERE c.user_id = $1 AND c.agent_id = $2 AND (d.audience & $3) <> 0
        AND (c.path < $4 OR c.path = $4 AND c.place > $5) AND c.number = ANY ($7)
      ORDER BY c.path DESC, c.place LIMIT $6))";
const HOLDING: &str = chunks!("position($4::bytea in c.content) > 0 ORDER BY c.path, c.place LIMIT $5");
const NUMBERED: &str = chunks!("c.number = ANY ($4)");
/// Finds the chunks that fit a text, best first.
pub(super) fn by_words(
    within: &Within<'_>,
    kind: SessionKind,
    text: &str,
    limit: usize,
) -> Result<Vec<SearchResult>> {
    let text = one_line(text);
    let plan = Plan::of(&text, false);
    let literal = text.trim();
    if limit == 0 || literal.is_empty() {
        return Ok(Vec::new());
    }
    let needed = match &plan.required {
        Some(clause) => needed(clause),
        None if plan.terms.is_empty() => None,
        None => Some(Needed::One(plan.terms.iter().map(|term| hash(&term.stem)).collect())),
    };
    match needed {
        Some(Needed::One(words)) => {
            matching(within, kind, &plan, &words.into_iter().collect::<Vec<_>>(), limit)
        }
        Some(Needed::Nothing) => matching(within, kind, &plan, &[], limit),
        None => holding(within, kind, literal, limit),
    }
}

/// Finds chunks by both, best first; ties by path and place.
pub(super) fn near(
    within: &Within<'_>,
    shelves: &Shelves,
    kind: SessionKind,
    text: &str,
    (asked, ranking): (&AskedVector, &Ranking),
    limit: usize,
) -> Result<FoundChunks> {
    let mut words = by_words(within, kind, text, LISTED.max(limit))?;
    let sight = Sight(Audience::bit(kind));
    let wanted = Wanted::new(ranking.nearest.max(1));
    let near = match asked.near(within, shelves, sight, count(within, Some(sight))?, &wanted)? {
        Ok(near) => near,
        Err(why) => {
            words.truncate(limit);
            return Ok(FoundChunks::by_words(text, words).degraded(why));
        }
    };
    let ids: Vec<i64> = near.rows.iter().map(|row| row.id).collect();
    let mut chunks = HashMap::new();
    for row in within.run(NUMBERED, [bit(kind), ids.into()])? {
        if let Some(found) = result(within, &row)? {
            chunks.insert(within.column(&row, 0)?, found);
        }
    }
    Ok(fuse((text, ranking.fusion), words, &near, chunks, limit))
}

/// Ranks by BM25 over the chunks in sight that have one of some words; all of them where there are none.
fn matching(
    within: &Within<'_>,
    kind: SessionKind,
    plan: &Plan,
    words: &[i32],
    limit: usize,
) -> Result<Vec<SearchResult>> {
    let page = if plan.required.is_some() { PAGE } else { WEIGHED };
    let weighed = usize::try_from(WEIGHED).unwrap_or(usize::MAX);
    let mut chunks: Vec<(SearchResult, String)> = Vec::new();
    let having: Option<Vec<i64>> = match words {
        [] => None,
        words => within.one(HAVING, [Param::Words(words.to_owned())])?,
    };
    if having.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    // No path begins so.
    let (mut path, mut place) = ("\u{10ffff}".to_owned(), -1_i64);
    loop {
        let mut params = vec![bit(kind), Param::from(&path), place.into(), page.into()];
        params.extend(having.clone().map(Param::from));
        let read = within.run(if having.is_some() { MATCHING } else { ALL }, params)?;
        let mut rows = Vec::with_capacity(read.len());
        for row in &read {
            rows.push((within.column::<String>(row, 1)?, within.column::<i64>(row, 2)?, row));
        }
        rows.sort_by(|(one, its, _), (other, others, _)| (other, its).cmp(&(one, others)));
        for (.., row) in &rows {
            let Some(found) = result(within, row)? else { continue };
            // Its path and its headings are searched too.
            let text = [found.content.as_str(), &within.text(row, 6)?].join("\n");
            if plan.required.is_none() || plan.is_fulfilled_by(&text) {
                chunks.push((found, text));
            }
        }
        let is_last = i64::try_from(rows.len()).unwrap_or(i64::MAX) < page;
        match rows.last() {
            Some((last, at, _)) if !is_last && chunks.len() < weighed => (path, place) = (last.clone(), *at),
            _ => break,
        }
    }
    chunks.truncate(weighed);
    Ok(weigh(plan, chunks, limit))
}

/// Returns the chunks that hold a text without words, such as `+++`, by path and place.
fn holding(within: &Within<'_>, kind: SessionKind, literal: &str, limit: usize) -> Result<Vec<SearchResult>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = within.run(HOLDING, [bit(kind), literal.as_bytes().into(), limit.into()])?;
    let mut found = Vec::new();
    for row in &rows {
        found.extend(result(within, row)?);
    }
    let scored = found.into_iter().enumerate();
    Ok(scored.map(|(at, found)| SearchResult { score: reciprocal(at), ..found }).collect())
}

/// Reads a chunk; `None` for a path that another program put there.
fn result(within: &Within<'_>, row: &Row) -> Result<Option<SearchResult>> {
    let path: String = within.column(row, 1)?;
    let Ok(path) = DocName::parse(path) else { return Ok(None) };
    let place: i64 = within.column(row, 2)?;
    let line = |column| within.column(row, column).map(|line: i64| u64::try_from(line).unwrap_or(1));
    let name: Name = path.clone().into();
    let document_id = document_id(within.scope, &name);
    Ok(Some(SearchResult {
        chunk_id: chunk_id(&document_id, place),
        document_id,
        path,
        content: within.text(row, 3)?,
        chunk_index: u32::try_from(place).unwrap_or(u32::MAX),
        score: 0.0,
        bm25_score: None,
        vector_score: None,
        lines: (line(4)?, line(5)?),
        span: None,
        newer: None,
        origin: None,
    }))
}

fn bit(kind: SessionKind) -> Param {
    i64::from(Audience::bit(kind)).into()
}

/// The words, where a chunk must have one.
#[derive(Debug, PartialEq, Eq)]
enum Needed {
    One(BTreeSet<i32>),
    /// Any chunk may do.
    Nothing,
}

/// Says what a chunk must have at least to fulfil a clause; `None` where none can.
fn needed(clause: &Clause) -> Option<Needed> {
    match clause {
        Clause::Word(terms) => of_longest(terms.iter().map(|Term { stem, .. }| stem.as_str())),
        Clause::Phrase(words) => {
            let longest = words.iter().map(|spelled| &spelled.word).max_by_key(|word| word.len())?;
            let mut stems = Vec::new();
            Stemmer::default().terms(longest, |stem, _| stems.push(stem.to_owned()));
            // A word between signs has stems of its own; where it has none, each chunk is looked at.
            Some(of_longest(stems.iter().map(String::as_str)).unwrap_or(Needed::Nothing))
        }
        Clause::Prefix(_) => Some(Needed::Nothing),
        // Each part is a condition; the one with the fewest words leaves the fewest chunks.
        Clause::And(clauses) => {
            let all = clauses.iter().filter_map(needed);
            all.min_by_key(|needed| match needed {
                Needed::One(words) => words.len(),
                Needed::Nothing => usize::MAX,
            })
        }
        Clause::Or(clauses) => {
            let mut all = BTreeSet::new();
            for clause in clauses {
                match needed(clause)? {
                    Needed::One(words) => all.extend(words),
                    Needed::Nothing => return Some(Needed::Nothing),
                }
            }
            (!all.is_empty()).then_some(Needed::One(all))
        }
        Clause::Without(clause, _) => needed(clause),
    }
}

/// Each chunk must have all of some words, and the longest of them has the fewest.
fn of_longest<'a>(stems: impl Iterator<Item = &'a str>) -> Option<Needed> {
    stems.max_by_key(|stem| stem.len()).map(|stem| Needed::One(BTreeSet::from([hash(stem)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed_of(query: &str) -> Option<Needed> {
        needed(Plan::of(query, false).required.as_ref().unwrap())
    }

    #[test]
    fn a_condition_asks_for_no_more_than_it_means() {
        let one = |words: &[&str]| Some(Needed::One(words.iter().map(|word| hash(word)).collect()));
        assert_eq!(needed_of("cats AND (dogs OR birds)"), one(&["cat"]));
        assert_eq!(needed_of("(dogs OR birds) NOT cats"), one(&["dog", "bird"]));
        assert_eq!(needed_of("slip*"), Some(Needed::Nothing));
        assert_eq!(needed_of("slip* AND harbour"), one(&["harbour"]));
        assert!(super::super::words::hashes("Harbours, and a boat").contains(&hash("harbour")));
    }
}
