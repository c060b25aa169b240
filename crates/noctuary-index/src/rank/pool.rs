//! The rows that are weighed for one query, and what they have of it.
//!
//! A pool holds rows in sight and no others, so nothing in an order can depend on a row that is not.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use super::card::Card;
use super::query::Plan;
use super::stemmer::Stemmer;
use super::word::same_word;

/// A row by its place in the pool.
pub(crate) type RowNo = u32;

/// A row that is weighed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub id: i64,
    /// In words.
    pub length: u32,
    /// In bytes.
    pub bytes: u32,
    pub conversation: Option<u32>,
    pub speaker: Option<u32>,
    pub own: bool,
    pub touched: i64,
    /// The words of the query that it has, a bit each.
    pub has: u64,
}

impl Row {
    /// Compares by time, then by id: the later is the greater.
    pub(crate) fn newer(&self, other: &Self) -> Ordering {
        (self.touched, self.id).cmp(&(other.touched, other.id))
    }
}

/// The number of rows or conversations, and their total length.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    pub count: u32,
    pub length: u64,
}

impl Extent {
    fn add(&mut self, length: u32) {
        self.count += 1;
        self.length += u64::from(length);
    }

    /// Returns the mean length, at least 1.
    #[expect(clippy::cast_precision_loss, reason = "a length of 2^53 words is not in memory")]
    pub(crate) fn mean_length(self) -> f64 {
        (self.length as f64 / f64::from(self.count.max(1))).max(1.0)
    }
}

/// The words of a query in a row, as an index counted them.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// The number of times that the row has each word of the query.
    pub counts: &'a [u32],
    /// In words.
    pub length: u32,
}

/// The rows that are weighed.
pub struct Pool<'p> {
    plan: &'p Plan,
    terms: HashMap<&'p str, usize>,
    /// The words of the query, a bit each: a row needs one of them, or fulfils a condition.
    needed: u64,
    rows: Vec<Row>,
    /// The texts, as far as they were read.
    texts: Vec<Option<String>>,
    /// The number of times that each row has each word of the query, row by row.
    counts: Vec<u16>,
    numbers: HashMap<i64, RowNo>,
    extent: Extent,
    names: HashMap<String, u32>,
    /// The length of each conversation in words, of rows that fit.
    conversations: Vec<u32>,
    speakers: HashMap<String, u32>,
    /// Rows, and those beside them in their conversations.
    beside: Vec<(RowNo, RowNo)>,
    stemmer: Stemmer,
}

impl<'p> Pool<'p> {
    /// Makes a pool without rows, for those that have one of some words of a query.
    #[must_use]
    pub fn of(plan: &'p Plan, needed: &[usize]) -> Self {
        let terms = plan.terms.iter().zip(0..).map(|(term, at)| (term.stem.as_str(), at)).collect();
        Self {
            plan,
            terms,
            needed: needed.iter().fold(0, |bits, word| bits | 1 << word),
            rows: Vec::new(),
            texts: Vec::new(),
            counts: Vec::new(),
            numbers: HashMap::new(),
            extent: Extent::default(),
            names: HashMap::new(),
            conversations: Vec::new(),
            speakers: HashMap::new(),
            beside: Vec::new(),
            stemmer: Stemmer::only(plan.terms.iter().map(|term| term.stem.as_str())),
        }
    }

    /// Takes a row that fits; `false` for one that only seemed to. The text of a row that an index counted need not be
    /// known, unless the plan requires something of it.
    pub fn take(&mut self, card: &Card<'_>, counted: Option<Counted<'_>>) -> bool {
        if self.plan.required.as_ref().is_some_and(|clause| !clause.is_fulfilled_by(card)) {
            return false;
        }
        let first = self.counts.len();
        self.counts.resize(first + self.terms.len(), 0);
        let length = match counted {
            Some(counted) => {
                for (count, counted) in self.counts[first..].iter_mut().zip(counted.counts) {
                    *count = u16::try_from(*counted).unwrap_or(u16::MAX);
                }
                counted.length
            }
            None => self.count_terms(card, first),
        };
        let counts = self.counts[first..].iter().zip(0..);
        let has = counts.filter(|(count, _)| **count > 0).fold(0, |bits, (_, word)| bits | 1 << word);
        if self.plan.required.is_none() && has & self.needed == 0 {
            self.counts.truncate(first);
            return false;
        }
        let number = self.push(card, length, has);
        self.texts.push(counted.is_none().then(|| card.text.to_owned()));
        self.extent.add(length);
        if let Some(conversation) = self.rows[number as usize].conversation {
            self.conversations[conversation as usize] += length;
        }
        true
    }

    /// Counts the words of the query in a text, from a place of the counts on; returns how many words it says.
    fn count_terms(&mut self, card: &Card<'_>, first: usize) -> u32 {
        let (terms, counts) = (&self.terms, &mut self.counts[first..]);
        card.terms(&mut self.stemmer, |stem, _| {
            if let Some(word) = terms.get(stem) {
                counts[*word] = counts[*word].saturating_add(1);
            }
        })
    }

    /// Takes what is beside a row of the pool. Of what is not in the pool already no word is known.
    pub fn put_beside(&mut self, giver: i64, card: &Card<'_>) {
        let Some(giver) = self.numbers.get(&giver).copied() else { return };
        let taker = match self.numbers.get(&card.id).copied() {
            Some(taker) => taker,
            // Nothing is known by which it could fulfil a condition.
            None if self.plan.required.is_some() => return,
            None => {
                self.counts.resize(self.counts.len() + self.terms.len(), 0);
                // It says nothing that is looked at.
                self.texts.push(Some(String::new()));
                self.push(card, 0, 0)
            }
        };
        self.beside.push((giver, taker));
    }

    /// Marks a row as near by its meaning; `false` for one that is not here. The text of one that was only beside another is to
    /// be read.
    pub fn mark_near(&mut self, id: i64) -> bool {
        let Some(number) = self.numbers.get(&id) else { return false };
        if self.rows[*number as usize].has == 0 {
            self.texts[*number as usize] = None;
        }
        true
    }

    /// Takes a row that is near by its meaning and not here. No word of it is known, and its text is to be read.
    pub fn put_near(&mut self, card: &Card<'_>) {
        if !self.mark_near(card.id) {
            self.counts.resize(self.counts.len() + self.terms.len(), 0);
            self.texts.push(None);
            self.push(card, 0, 0);
        }
    }

    /// Returns the place of a row.
    pub(crate) fn number(&self, id: i64) -> Option<RowNo> {
        self.numbers.get(&id).copied()
    }

    fn push(&mut self, card: &Card<'_>, length: u32, has: u64) -> RowNo {
        let number = RowNo::try_from(self.rows.len()).expect("memory ends before four thousand million rows");
        let conversation = card.place.map(|(name, _)| {
            let next = u32::try_from(self.conversations.len()).expect("fewer than rows");
            let conversation = *self.names.entry(name.to_owned()).or_insert(next);
            if conversation == next {
                self.conversations.push(0);
            }
            conversation
        });
        let speaker = card.speaker.map(|speaker| {
            let next = u32::try_from(self.speakers.len()).expect("fewer than rows");
            *self.speakers.entry(same_word(speaker)).or_insert(next)
        });
        self.rows.push(Row {
            id: card.id,
            length,
            bytes: card.bytes,
            conversation,
            speaker,
            own: card.own,
            touched: card.touched,
            has,
        });
        self.numbers.insert(card.id, number);
        number
    }

    /// Puts what is beside into an order that does not depend on how it came.
    pub fn settle(&mut self) {
        let rows = &self.rows;
        self.beside
            .sort_unstable_by_key(|(giver, taker)| (rows[*giver as usize].id, rows[*taker as usize].id));
        self.beside.dedup();
    }

    /// Counts the rows that fit.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.extent.count
    }

    /// Counts the words of the query.
    pub(crate) fn words(&self) -> usize {
        self.terms.len()
    }

    /// Counts the rows that have a word of the query.
    pub(crate) fn found_in(&self, word: usize) -> u32 {
        let found_in = self.rows.iter().filter(|row| row.has & 1 << word > 0).count();
        u32::try_from(found_in).unwrap_or(u32::MAX)
    }

    /// Returns the number of times that a row has a word of the query.
    pub(crate) fn count(&self, number: RowNo, word: usize) -> u16 {
        self.counts[number as usize * self.terms.len() + word]
    }

    pub(crate) fn row(&self, number: RowNo) -> &Row {
        &self.rows[number as usize]
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Puts the text of a row that was only counted.
    pub fn put_text(&mut self, id: i64, text: &str) {
        if let Some(number) = self.numbers.get(&id) {
            self.texts[*number as usize] = Some(text.to_owned());
        }
    }

    /// Returns whether the text of a row is known.
    pub(crate) fn is_read(&self, number: RowNo) -> bool {
        self.texts[number as usize].is_some()
    }

    /// Returns the text of a row that was read; an empty one for a row that is only beside another.
    pub(crate) fn text(&self, number: RowNo) -> &str {
        debug_assert!(self.is_read(number), "a text is read before it is looked at");
        self.texts[number as usize].as_deref().unwrap_or_default()
    }

    /// Returns the mean length of a row that fits, at least 1.
    pub(crate) fn mean_length(&self) -> f64 {
        self.extent.mean_length()
    }

    /// Returns the conversations in which rows fit, as if each were a row.
    pub(crate) fn conversations(&self) -> Extent {
        let mut extent = Extent::default();
        // A row that is only beside another is in the same conversation.
        self.conversations.iter().for_each(|length| extent.add(*length));
        extent
    }

    /// Returns the length of a conversation, in words of rows that fit.
    pub(crate) fn conversation_length(&self, conversation: u32) -> u32 {
        self.conversations[conversation as usize]
    }

    /// Returns the speaker of this name, who says something here.
    pub(crate) fn speaker(&self, folded: &str) -> Option<u32> {
        self.speakers.get(folded).copied()
    }

    /// Returns rows, and those beside them.
    pub(crate) fn beside(&self) -> &[(RowNo, RowNo)] {
        &self.beside
    }
}

/// Without its texts.
impl fmt::Debug for Pool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool {{ rows: {} }}", self.rows.len())
    }
}
