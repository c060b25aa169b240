//! The rows of frequent words in lists, many rows in each: where a word has many postings, they become one.
//!
//! A list of hundreds of rows is read at once, where as many postings are looked up one by one. A row is in a list of a word, or has a
//! posting of it, and never both.

use crate::sql::Columns;
use std::collections::BTreeSet;

use super::table::{Posting, Table};
use crate::base::error::Result;
use crate::postgres::link::{Param, params};
use crate::search::rank::Visibility;
use crate::sql::DriverExt;

/// The number of postings of a word that become lists.
const FULL: i64 = 128;
/// The most rows of a list.
const ROWS: i64 = 256;
/// The bytes of an id.
const ID: usize = size_of::<i64>();

/// Makes a number for each session whose rows a search sees: 1 for the shared ones, 0 for the private ones.
fn flags(visibility: Visibility) -> Vec<i64> {
    match visibility {
        Visibility::All => vec![0, 1],
        Visibility::Shared => vec![1],
    }
}

/// A list without one of its rows. Its word and the last row that it had, its first and last row now, and its ids.
type Shorter = (i64, i64, i64, i64, Vec<u8>);

fn bytes_of(ids: &[i64]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.to_be_bytes()).collect()
}

/// Returns the ids of a list.
pub(super) fn ids_of(list: &[u8]) -> impl Iterator<Item = i64> {
    list.chunks_exact(ID).map(|id| i64::from_be_bytes(id.try_into().expect("eight bytes")))
}

/// The rows of one word, as far as they were read.
#[derive(Debug, Default)]
struct Having {
    /// The greatest first.
    ids: Vec<i64>,
    /// All rows from this id on were read.
    whole_from: Option<i64>,
}

impl Having {
    /// Returns whether the latest of all rows are among those that were read, by their number.
    fn has_the_latest(&self, most: usize) -> bool {
        let end = self.ids.last().filter(|_| self.ids.len() == most);
        self.whole_from.is_none_or(|from| end.is_some_and(|end| *end >= from))
    }
}

impl Table<'_> {
    /// Makes lists of the postings of words that have many. Each word is looked at once for as many postings of it as make it one
    /// of them.
    pub(super) fn list_full(&self, new: &[Posting]) -> Result<()> {
        let looked_at: BTreeSet<i64> = new
            .iter()
            .filter(|posting| posting.word.wrapping_add(posting.id).rem_euclid(FULL) == 0)
            .map(|posting| posting.word)
            .collect();
        if looked_at.is_empty() {
            return Ok(());
        }
        let sql = "SELECT w.word, s.shared FROM unnest($3) w (word) CROSS JOIN (VALUES (false), (true)) s (shared)
             WHERE (SELECT count(*) FROM (SELECT 1 FROM memory_postings p
               WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = w.word AND p.shared = s.shared LIMIT $4) f) >= $4";
        let bound = params![looked_at.into_iter().collect::<Vec<i64>>(), FULL];
        let full: Vec<(i64, bool)> = self.all(sql, bound, |found| Ok((found.number(0)?, found.flag(1)?)))?;
        for shared in [false, true] {
            let words: Vec<i64> =
                full.iter().filter(|(_, flag)| *flag == shared).map(|(word, _)| *word).collect();
            if words.is_empty() {
                continue;
            }
            let sql = "WITH gone AS (
                 DELETE FROM memory_postings p
                 WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = ANY ($3) AND p.shared = $4
                 RETURNING p.word, p.id),
               placed AS (
                 SELECT g.word, g.id, (row_number() OVER (PARTITION BY g.word ORDER BY g.id) - 1) / $5 AS list FROM gone g)
               INSERT INTO memory_lists (user_id, agent_id, word, shared, first, last, ids)
               SELECT $1, $2, p.word, $4, min(p.id), max(p.id), string_agg(int8send(p.id), ''::bytea ORDER BY p.id)
               FROM placed p GROUP BY p.word, p.list";
            self.run(sql, params![words, shared, ROWS])?;
        }
        Ok(())
    }

    /// Takes a row out of the lists of words.
    pub(super) fn unlist(&self, id: i64, shared: bool, words: &[i64]) -> Result<()> {
        let sql = "SELECT l.word, l.last, l.ids FROM memory_lists l WHERE l.user_id = $1 AND l.agent_id = $2
               AND l.word = ANY ($3) AND l.shared = $4 AND l.first <= $5 AND l.last >= $5";
        let found: Vec<(i64, i64, Vec<u8>)> =
            self.all(sql, params![words.to_vec(), shared, id], |found| {
                Ok((found.number(0)?, found.number(1)?, found.bytes(2)?.unwrap_or_default().to_vec()))
            })?;
        let (mut shorter, mut empty) = (Vec::new(), Vec::new());
        for (word, last, bytes) in found {
            let kept: Vec<i64> = ids_of(&bytes).filter(|of| *of != id).collect();
            match (kept.first(), kept.last()) {
                _ if kept.len() * ID == bytes.len() => {}
                (Some(first), Some(new_last)) => {
                    shorter.push((word, last, *first, *new_last, bytes_of(&kept)));
                }
                _ => empty.push((word, last)),
            }
        }
        if !shorter.is_empty() {
            let sql = "UPDATE memory_lists l SET first = n.first, last = n.new_last, ids = n.ids
                 FROM unnest($4, $5, $6, $7, $8) n (word, last, first, new_last, ids)
                 WHERE l.user_id = $1 AND l.agent_id = $2 AND l.word = n.word AND l.shared = $3 AND l.last = n.last";
            let column = |of: fn(&Shorter) -> i64| Param::Numbers(shorter.iter().map(of).collect());
            let bound = vec![
                shared.into(),
                column(|list| list.0),
                column(|list| list.1),
                column(|list| list.2),
                column(|list| list.3),
                Param::ManyBytes(shorter.iter().map(|list| list.4.clone()).collect()),
            ];
            self.run(sql, bound)?;
        }
        if !empty.is_empty() {
            let sql = "DELETE FROM memory_lists l USING unnest($4, $5) n (word, last)
                 WHERE l.user_id = $1 AND l.agent_id = $2 AND l.word = n.word AND l.shared = $3 AND l.last = n.last";
            let (words, ends): (Vec<i64>, Vec<i64>) = empty.into_iter().unzip();
            self.run(sql, params![shared, words, ends])?;
        }
        Ok(())
    }

    /// Counts the rows in sight that have each word, of postings up to a number.
    pub(super) fn found_in(&self, visibility: Visibility, words: Vec<i64>, most: u32) -> Result<Vec<u32>> {
        self.flush()?;
        let (of_postings, of_lists) = match visibility {
            Visibility::All => ("", ""),
            Visibility::Shared => ("AND p.shared", "AND l.shared"),
        };
        let sql = format!(
            "SELECT (SELECT count(*) FROM (SELECT 1 FROM memory_postings p
               WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = w.word {of_postings} LIMIT $4) f)
             + (SELECT coalesce(sum(octet_length(l.ids)), 0) / {ID} FROM memory_lists l
               WHERE l.user_id = $1 AND l.agent_id = $2 AND l.word = w.word {of_lists})
             FROM unnest($3) WITH ORDINALITY w (word, place) ORDER BY w.place"
        );
        self.all(&sql, params![words, i64::from(most)], |found| {
            Ok(u32::try_from(found.number(0)?).unwrap_or(u32::MAX))
        })
    }

    /// Lists for each word the rows in sight that have it, the greatest id first.
    pub(super) fn latest_having(
        &self,
        visibility: Visibility,
        words: &[i64],
        most: usize,
    ) -> Result<Vec<Vec<i64>>> {
        self.flush()?;
        // Lists overlap where a row changed: where these do not tell the latest ones, all are read.
        let few = i64::try_from(most).unwrap_or(i64::MAX) / ROWS + 2;
        let mut having = self.having(visibility, words, most, few)?;
        if !having.iter().all(|found| found.has_the_latest(most)) {
            having = self.having(visibility, words, most, i64::MAX)?;
        }
        Ok(having.into_iter().map(|found| found.ids).collect())
    }

    /// Lists for each word the rows in sight of its latest postings and lists.
    fn having(&self, visibility: Visibility, words: &[i64], most: usize, lists: i64) -> Result<Vec<Having>> {
        let sight = match visibility {
            Visibility::All => "",
            Visibility::Shared => "AND p.shared",
        };
        let sql = format!(
            "SELECT w.place, -1::bigint, f.id, NULL FROM unnest($3) WITH ORDINALITY w (word, place) CROSS JOIN LATERAL (
               SELECT p.id FROM memory_postings p
               WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = w.word {sight}
               ORDER BY p.id DESC LIMIT $4) f
             UNION ALL
             SELECT w.place, s.shared, f.last, f.ids FROM unnest($3) WITH ORDINALITY w (word, place)
             CROSS JOIN unnest($5) s (shared) CROSS JOIN LATERAL (
               SELECT l.last, l.ids FROM memory_lists l
               WHERE l.user_id = $1 AND l.agent_id = $2 AND l.word = w.word AND l.shared = (s.shared > 0)
               ORDER BY l.last DESC LIMIT $6) f"
        );
        let bound = params![words.to_vec(), most, flags(visibility), lists];
        let rows = self.run(sql, bound)?;
        let mut having: Vec<Having> = words.iter().map(|_| Having::default()).collect();
        // For each word and flag, the lists that came and the least of their ends.
        let mut ends = vec![[(0, i64::MAX); 2]; words.len()];
        for row in &rows {
            let row = self.found(row);
            let (place, flag, id, bytes) = (row.number(0)?, row.number(1)?, row.number(2)?, row.bytes(3)?);
            let Some(at) = usize::try_from(place - 1).ok().filter(|at| *at < words.len()) else { continue };
            match bytes {
                None => having[at].ids.push(id),
                Some(bytes) => {
                    having[at].ids.extend(ids_of(bytes));
                    let end = &mut ends[at][usize::from(flag > 0)];
                    *end = (end.0 + 1, end.1.min(id));
                }
            }
        }
        for (found, ends) in having.iter_mut().zip(ends) {
            found.ids.sort_unstable_by(|one, other| other.cmp(one));
            found.ids.truncate(most);
            found.whole_from = ends.into_iter().filter(|(came, _)| *came >= lists).map(|(_, end)| end).max();
        }
        Ok(having)
    }
}
