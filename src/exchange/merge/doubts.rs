//! Rows of two machines that may contradict each other: a person is asked which of them holds.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use crate::base::text;
use crate::facts::{FactKey, SuspectReason};
use crate::format::Origin;
use crate::format::documents::known::differs_in_value;
use crate::format::documents::statements::{said, said_by};
use crate::memory::{NewMemory, Source};
use crate::search::rank::Stemmer;
use crate::store::suspects::{MOST_SUSPECTS, SAME, SHORT, is_judged};
use crate::store::words::Words;

/// Maximum number of rows that are looked at for one word: the latest.
const LISTED: usize = 64;

/// A row as it is compared.
struct Compared {
    key: Option<(String, String)>,
    participant: Option<String>,
    statement: String,
    words: Words,
}

impl Compared {
    /// Reads the line of a row; `None` for a row that is not compared.
    fn of(line: &Map<String, Value>, stemmer: &mut Stemmer) -> Option<Self> {
        let text = |key| line.get(key).and_then(Value::as_str);
        let mut row = NewMemory::new(text("category")?, text("content")?, Source::UserManual);
        row.about = line.get("about").and_then(|about| serde_json::from_value(about.clone()).ok());
        if !is_judged(&row) {
            return None;
        }
        let origin = line.get("origin").and_then(|origin| serde_json::from_value(origin.clone()).ok());
        let participant = Origin::participant(origin.as_ref()).map(str::to_owned);
        let words = match &participant {
            Some(name) => said_by(name, &row.content),
            None => said(&row.content),
        };
        Some(Self {
            key: row.about.as_ref().map(FactKey::normal),
            statement: text::statement(words),
            words: Words::of(words, stemmer),
            participant,
        })
    }

    /// Returns why two rows may contradict each other, if they may.
    fn against(&self, other: &Self) -> Option<SuspectReason> {
        if self.statement == other.statement {
            return None;
        }
        if let (Some(one), Some(other)) = (&self.key, &other.key) {
            return (one == other).then_some(SuspectReason::SameKey);
        }
        let of_another = self.participant.as_ref().zip(other.participant.as_ref());
        if of_another.is_some_and(|(one, other)| text::same_name(one) != text::same_name(other)) {
            return None;
        }
        let is_short = self.words.len().min(other.words.len()) <= SHORT;
        let is_alike = self.words.are_alike(&other.words)
            || (is_short && differs_in_value(&self.statement, &other.statement, SAME));
        is_alike.then_some(SuspectReason::Alike)
    }
}

/// Returns for each row of `rows`, which are in the order of the merged file, the earlier rows of the other machine
/// that it may contradict.
pub(super) fn doubts(rows: &[(usize, &Map<String, Value>)]) -> BTreeMap<usize, Vec<(usize, SuspectReason)>> {
    let mut stemmer = Stemmer::default();
    let mut listed: [HashMap<u32, Vec<usize>>; 2] = Default::default();
    let mut of_key: [HashMap<(String, String), Vec<usize>>; 2] = Default::default();
    let mut known: Vec<Option<Compared>> = Vec::with_capacity(rows.len());
    let mut doubts = BTreeMap::new();
    for (at, (side, line)) in rows.iter().enumerate() {
        known.push(Compared::of(line, &mut stemmer));
        let Some(row) = &known[at] else { continue };
        let mut near: BTreeMap<usize, usize> = BTreeMap::new();
        let other = 1 - *side;
        for word in row.words.hashes() {
            for earlier in listed[other].get(&word).into_iter().flatten().rev().take(LISTED) {
                *near.entry(*earlier).or_default() += 1;
            }
            listed[*side].entry(word).or_default().push(at);
        }
        if let Some(key) = &row.key {
            for earlier in of_key[other].get(key).into_iter().flatten().rev().take(LISTED) {
                near.entry(*earlier).or_default();
            }
            of_key[*side].entry(key.clone()).or_default().push(at);
        }
        // Those of the same key come first, then those with the most words in common, then the latest.
        let mut found: Vec<(SuspectReason, usize, usize)> = near
            .into_iter()
            .filter_map(|(earlier, shared)| {
                let reason = row.against(known[earlier].as_ref()?)?;
                Some((reason, usize::MAX - shared, usize::MAX - earlier))
            })
            .collect();
        found.sort_unstable();
        found.truncate(MOST_SUSPECTS);
        if !found.is_empty() {
            let found = found.into_iter().map(|(reason, _, place)| (usize::MAX - place, reason));
            doubts.insert(at, found.collect());
        }
    }
    doubts
}
