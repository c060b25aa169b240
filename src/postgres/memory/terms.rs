//! The words of the rows that a search finds: a posting for each word of each row, written with the row. Postings of frequent words become
//! [lists](super::lists).
//!
//! A word is a number, made of its stem. A search reads candidates by it, and counts the words of a row in its text.
//! The stems of all words are beside them, each once. So a search for the beginning of a word finds its stems.

use crate::sql::Columns;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::table::{Posting, Table};
use crate::base::error::Result;
use crate::base::text;
use crate::memory::MemoryId;
use crate::postgres::link::params;
use crate::search::postings::bits::checksum;
use crate::search::rank::{Card, Stemmer, Visibility, WORDS_VERSION, is_name, may_begin, stem};
use crate::sql::DriverExt;
use crate::sql::memory::MemoryDriver;

/// The version of the terms of a text. Terms that are kept otherwise are a new version, too.
const VERSION: i64 = WORDS_VERSION as i64;
/// The number of words that are written together.
const WORDS_AT_ONCE: usize = 8192;
/// The most bytes of a stem that are kept: an index holds no long texts.
const LONGEST_STEM: usize = 64;
/// Where more stems fit a beginning, or a word of it is in more rows, most rows fit it.
const MOST_STEMS: usize = 512;
const MOST_ROWS: usize = 10_000;
/// The number of rows that are read together while the index is made anew.
const ROWS_AT_ONCE: usize = 1000;

/// A row as the index has it.
pub(super) struct Indexed {
    pub(super) id: i64,
    /// Each word with its stem.
    pub(super) words: BTreeMap<i64, String>,
    pub(super) shared: bool,
    /// Whether a search finds it.
    is_found: bool,
}

impl Indexed {
    fn of(card: &Card<'_>, is_found: bool, stemmer: &mut Stemmer) -> Self {
        let mut words = BTreeMap::new();
        card.terms(stemmer, |stem, _| {
            if !stem.is_empty() {
                words.entry(word_of(stem)).or_insert_with(|| kept(stem).to_owned());
            }
        });
        Self { id: card.id, words, shared: card.shared, is_found }
    }

    /// Reads the columns of [`INDEXED`].
    fn read(found: &dyn Columns, stemmer: &mut Stemmer) -> Result<Self> {
        let (category, content) = (found.text(1)?, found.text(2)?);
        let speaker = found.maybe(3)?;
        let said_at = found.time(4)?;
        let card = Card {
            category: &category,
            said_on: said_at.map(|said_at| said_at.date_naive()),
            speaker: speaker.as_deref().filter(|speaker| is_name(speaker)),
            shared: found.flag(5)?,
            ..Card::of(found.number(0)?, &content)
        };
        Ok(Self::of(&card, found.flag(6)?, stemmer))
    }
}

const INDEXED: &str = "SELECT m.id, m.category, m.content, m.speaker, m.said_at, m.shared,
       m.deleted_at IS NULL AND m.retired_at IS NULL
     FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2";

/// Returns the number of a stem.
pub(super) fn word_of(stem: &str) -> i64 {
    checksum(stem.as_bytes(), 7).cast_signed()
}

/// Returns the part of a stem that is kept.
fn kept(stem: &str) -> &str {
    &stem[..text::floor_boundary(stem, LONGEST_STEM)]
}

impl Table<'_> {
    /// Returns whether the words of the rows are those that this version makes.
    pub(super) fn are_terms_known(&self) -> bool {
        let state = self.state();
        state.memory == 0 || state.terms == VERSION
    }

    /// Makes the postings of all rows anew.
    pub(super) fn renew_terms(&self) -> Result<()> {
        // Whoever calls for it may have changed rows by other means.
        self.alters_rows();
        for table in ["memory_postings", "memory_lists", "memory_stems"] {
            self.run(format!("DELETE FROM {table} WHERE user_id = $1 AND agent_id = $2"), Vec::new())?;
        }
        self.with_state(|state| (state.rows, state.shared, state.terms) = (0, 0, VERSION));
        self.each_found(|row| self.post(row))
    }

    /// Gives each row that a search finds.
    pub(super) fn each_found(&self, mut take: impl FnMut(&Indexed) -> Result<()>) -> Result<()> {
        let sql = format!("{INDEXED} AND m.id > $3 ORDER BY m.id LIMIT $4");
        let (mut after, mut stemmer) = (i64::MIN, Stemmer::default());
        loop {
            let rows =
                self.all(&sql, params![after, ROWS_AT_ONCE], |found| Indexed::read(found, &mut stemmer))?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.id;
            rows.iter().filter(|row| row.is_found).try_for_each(&mut take)?;
        }
    }

    /// Adds the words of a new row.
    pub(super) fn take_row(&self, card: &Card<'_>) -> Result<()> {
        self.with_state(|state| state.terms = VERSION);
        self.post(&Indexed::of(card, true, &mut Stemmer::default()))
    }

    fn post(&self, row: &Indexed) -> Result<()> {
        self.with_state(|state| {
            state.rows += 1;
            state.shared += i64::from(row.shared);
        });
        self.post_words(row.id, row.shared, row.words.iter())
    }

    fn post_words<'w>(
        &self,
        id: i64,
        shared: bool,
        words: impl Iterator<Item = (&'w i64, &'w String)>,
    ) -> Result<()> {
        let waiting = {
            let held = &mut *self.held.borrow_mut();
            for (word, stem) in words {
                held.postings.push(Posting { word: *word, id, shared });
                held.stems.entry(*word).or_insert_with(|| stem.clone());
            }
            held.postings.len()
        };
        if waiting >= WORDS_AT_ONCE { self.flush() } else { Ok(()) }
    }

    /// Writes the words that wait.
    pub(super) fn flush(&self) -> Result<()> {
        let postings = std::mem::take(&mut self.held.borrow_mut().postings);
        let stems = std::mem::take(&mut self.held.borrow_mut().stems);
        if postings.is_empty() {
            return Ok(());
        }
        let words: Vec<i64> = postings.iter().map(|posting| posting.word).collect();
        let ids: Vec<i64> = postings.iter().map(|posting| posting.id).collect();
        let shared: Vec<i64> = postings.iter().map(|posting| i64::from(posting.shared)).collect();
        let (numbers, stems): (Vec<i64>, Vec<String>) = stems.into_iter().unzip();
        let sql = "INSERT INTO memory_stems (user_id, agent_id, stem, word)
             SELECT $1, $2, s.stem, s.word FROM unnest($3, $4) s (stem, word) ON CONFLICT DO NOTHING";
        self.put(sql, params![stems, numbers])?;
        let sql = "INSERT INTO memory_postings (user_id, agent_id, word, id, shared)
             SELECT $1, $2, p.word, p.id, p.shared > 0 FROM unnest($3, $4, $5) p (word, id, shared)";
        self.put(sql, params![words, ids, shared])?;
        self.list_full(&postings)
    }

    fn unpost(&self, row: &Indexed) -> Result<()> {
        self.with_state(|state| {
            state.rows -= 1;
            state.shared -= i64::from(row.shared);
        });
        self.unpost_words(row.id, row.shared, row.words.iter())
    }

    fn unpost_words<'w>(
        &self,
        id: i64,
        shared: bool,
        words: impl Iterator<Item = (&'w i64, &'w String)>,
    ) -> Result<()> {
        self.flush()?;
        let (words, stems): (Vec<i64>, Vec<String>) = words.map(|(word, stem)| (*word, stem.clone())).unzip();
        if words.is_empty() {
            return Ok(());
        }
        self.unlist(id, shared, &words)?;
        let sql = "DELETE FROM memory_postings
                   WHERE user_id = $1 AND agent_id = $2 AND word = ANY ($3) AND id = $4";
        self.run(sql, params![words, id])?;
        let sql = "DELETE FROM memory_stems s
                   WHERE s.user_id = $1 AND s.agent_id = $2 AND s.stem = ANY ($3) AND NOT EXISTS (
                     SELECT 1 FROM memory_postings p WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = s.word)
                   AND NOT EXISTS (
                     SELECT 1 FROM memory_lists l WHERE l.user_id = $1 AND l.agent_id = $2 AND l.word = s.word)";
        self.run(sql, params![stems]).map(drop)
    }

    /// Returns a row as the index has it.
    pub(super) fn indexed(&self, id: MemoryId) -> Result<Option<Indexed>> {
        let mut stemmer = Stemmer::default();
        self.first(&format!("{INDEXED} AND m.id = $3"), params![id.get()], |found| {
            Indexed::read(found, &mut stemmer)
        })
    }

    /// Takes a row out of the index that is about to be removed.
    pub(super) fn unindex(&self, id: MemoryId) -> Result<()> {
        match self.indexed(id)? {
            Some(row) if row.is_found => self.unpost(&row),
            _ => Ok(()),
        }
    }

    /// Brings the index to what a change made of a row. Its vectors leave where a search finds other words of it.
    pub(super) fn reindex(&self, before: Option<&Indexed>, id: MemoryId) -> Result<()> {
        let after = self.indexed(id)?;
        let found = |row: Option<Indexed>| row.filter(|row| row.is_found);
        match (before.filter(|before| before.is_found), found(after)) {
            (Some(before), Some(after)) if before.shared == after.shared => {
                let has = |row: &Indexed, word: &i64| row.words.contains_key(word);
                let gone = before.words.iter().filter(|(word, _)| !has(&after, word));
                self.unpost_words(after.id, after.shared, gone)?;
                let new = after.words.iter().filter(|(word, _)| !has(before, word));
                self.post_words(after.id, after.shared, new)
            }
            (before, after) => {
                before.map_or(Ok(()), |before| self.unpost(before))?;
                after.map_or(Ok(()), |after| self.post(&after))
            }
        }
    }

    /// Lists the rows in sight that may have a word which begins so, and all that do; `None` where most do.
    pub(super) fn all_beginning(
        &self,
        visibility: Visibility,
        beginning: &str,
    ) -> Result<Option<BTreeSet<i64>>> {
        self.flush()?;
        // A stem begins as its word does. Two ASCII letters of the beginning are safe to look for, else only its first
        // letter.
        let plain = beginning.bytes().take_while(u8::is_ascii).take(2).count();
        let first = if plain == 2 { 2 } else { beginning.chars().next().map_or(0, char::len_utf8) };
        let first = &beginning[..first];
        let whole = stem(beginning);
        let sql = "SELECT s.stem, s.word FROM memory_stems s
             WHERE s.user_id = $1 AND s.agent_id = $2 AND s.stem >= $3 AND s.stem < $4
             UNION SELECT s.stem, s.word FROM memory_stems s WHERE s.user_id = $1 AND s.agent_id = $2 AND s.stem = $5";
        let bound = params![first, format!("{first}\u{10ffff}"), kept(&whole)];
        let (fits, mut words) = (may_begin(beginning), Vec::new());
        for (stem, word) in self.all(sql, bound, |found| Ok((found.text(0)?, found.number(1)?)))? {
            // Of a long one the end is not known.
            if fits(&stem) || stem.len() + 4 > LONGEST_STEM && beginning.starts_with(&stem) {
                words.push(word);
            }
        }
        if words.len() > MOST_STEMS {
            return Ok(None);
        }
        let lists = self.latest_having(visibility, &words, MOST_ROWS)?;
        let is_cut = lists.iter().any(|list| list.len() >= MOST_ROWS);
        Ok((!is_cut).then(|| lists.into_iter().flatten().collect()))
    }

    /// Lists the rows in sight that have each of some words.
    pub(super) fn all_having(
        &self,
        visibility: Visibility,
        words: &BTreeSet<i64>,
    ) -> Result<HashMap<i64, BTreeSet<i64>>> {
        let words: Vec<i64> = words.iter().copied().collect();
        let lists = self.latest_having(visibility, &words, usize::MAX)?;
        Ok(words.into_iter().zip(lists.into_iter().map(|list| list.into_iter().collect())).collect())
    }
}
