//! Rows that a new one may contradict.
//!
//! The work for one row is bounded by its own words, however many rows the store has. Each word lists the latest rows
//! that have it. The rows whose words weigh most together are read and compared. Every row with a rare word is in that
//! word's list. Among rows that share only frequent words, the latest are found.

use super::backend::Facts;
use super::fact::normal;
use super::words::{Words, hash};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::text;
use crate::facts::{Cardinality, Fact, Suspect, SuspectReason};
use crate::format::Origin;
use crate::format::documents::known::differs_in_value;
use crate::format::documents::statements::{said, said_by};
use crate::memory::{MemoryId, NewMemory, categories};
use crate::search::rank::{MOST_TERMS, Stemmer, Term, Visibility, gain, is_stop_word, norm, rarity};

/// The category of promoted decisions.
const DECISION: &str = "decision";
/// The most rows that are named as what a new one may contradict.
pub(crate) const MOST_SUSPECTS: usize = 5;
/// The most rows that are compared. For each word of a statement two are read, and no fewer than these.
const LOOKED_AT: usize = 16;
/// The most rows that are listed for all words of a statement together.
const LISTED: usize = 1024;
/// Maximum number of telling words of a short statement, which is compared with rows that share one word. In "The office is
/// in Oslo", only the office stays the same.
pub(crate) const SHORT: usize = 3;
/// The least number of words that stay the same where two statements say another value.
pub(crate) const SAME: usize = 3;
/// The least limit of rows listed for one word, however many words there are.
const LISTED_OF_ONE: usize = 64;

/// Returns whether a new row is compared with others.
pub(crate) fn is_judged(new: &NewMemory) -> bool {
    let is_fact = new.about.is_some() || is_stated(&new.category);
    let is_many = new.about.as_ref().is_some_and(|key| key.cardinality == Cardinality::Many);
    is_fact && !is_many
}

/// Returns whether the rows of a category are compared: facts, and decisions as nights promote them.
fn is_stated(category: &str) -> bool {
    category.eq_ignore_ascii_case(categories::FACT) || category.eq_ignore_ascii_case(DECISION)
}

/// Returns the rows that a new one may contradict, best first. They are taken from all rows, or from the shared
/// ones. If private rows were left out only at the end, the gaps would tell of them.
pub(crate) fn suspects(facts: &dyn Facts, new: &NewMemory, sees_all: bool) -> Result<Vec<Suspect>> {
    if !is_judged(new) {
        return Ok(Vec::new());
    }
    let stated = text::statement(said(&new.content));
    let is_other = |fact: &Fact| {
        let Fact { memory, key, status, .. } = fact;
        let is_compared = is_stated(&memory.category) || normal(&memory.category, "", key.as_ref()).is_some();
        let is_seen = (sees_all || memory.shared) && !status.state.is_retired();
        // A line that a dream promoted says the same as its words alone.
        is_seen && is_compared && text::statement(said(&memory.content)) != stated
    };
    let mut found = Vec::new();
    if let Some(key) = &new.about {
        let of_key = facts.of_key(key)?.into_iter().rev().filter(is_other);
        let single = of_key.filter(Fact::is_single);
        found.extend(single.map(|fact| Suspect { id: fact.memory.id, reason: SuspectReason::SameKey }));
    }
    let visibility = if sees_all { Visibility::All } else { Visibility::Shared };
    let theirs = Origin::participant(new.origin.as_ref());
    let words = theirs.map_or_else(|| said(&new.content), |name| said_by(name, &new.content));
    for fact in alike(facts, words, visibility)?.into_iter().filter(is_other) {
        // Nobody speaks for another.
        let of_another = theirs.zip(Origin::participant(fact.memory.origin.as_ref()));
        let of_another =
            of_another.is_some_and(|(one, other)| text::same_name(one) != text::same_name(other));
        // If both name their subject, the subject decides.
        let is_told = new.about.is_some() && fact.key.is_some();
        let is_many = fact.key.as_ref().is_some_and(|key| key.cardinality == Cardinality::Many);
        if !is_told && !is_many && !of_another {
            found.push(Suspect { id: fact.memory.id, reason: SuspectReason::Alike });
        }
    }
    found.truncate(MOST_SUSPECTS);
    Ok(found)
}

/// Rows in sight that share enough words with a text to be about the same, the most alike first, then the latest.
fn alike(facts: &dyn Facts, text: &str, visibility: Visibility) -> Result<Vec<Fact>> {
    let (terms, words) = terms_of(text);
    let terms: Vec<&Term> = terms.iter().take(MOST_TERMS).collect();
    if terms.len() < 2 {
        return Ok(Vec::new());
    }
    let most = (LISTED / terms.len()).max(LISTED_OF_ONE);
    let lists = facts.latest_with(visibility, &terms, most)?;
    let weights: Vec<f64> = lists.iter().map(|list| weight(list.len())).gather();
    let hashes: Vec<u32> = terms.iter().map(|term| hash(&term.stem)).gather();
    let shared = if terms.len() > SHORT { 2 } else { 1 };
    let ids = candidates(&lists, &weights, most, shared);
    let mut read: Vec<(MemoryId, Words)> = Vec::with_capacity(ids.len());
    facts.words(&ids, &mut |id, words| read.push((id, words.clone())))?;
    let all: usize = read.iter().map(|(_, others)| others.len()).sum();
    let mean = f64::from(count(all)) / f64::from(count(read.len()));
    let mut best: Vec<(f64, MemoryId, &Words)> = read
        .iter()
        .map(|(id, others)| {
            let shared = hashes.iter().zip(&weights).filter(|(word, _)| others.has(**word));
            let weight: f64 = shared.map(|(_, weight)| weight).sum();
            (weight * gain(1.0, norm(count(others.len()), mean)), *id, others)
        })
        .gather();
    order::sort_by(&mut best, |(one, id, _), (other, other_id, _)| {
        other.total_cmp(one).then(other_id.cmp(id))
    });
    let (stated, mut alike) = (text::statement(text), Vec::new());
    let words_of = |fact: &Fact| {
        let content = fact.memory.content.as_str();
        let name = Origin::participant(fact.memory.origin.as_ref());
        text::statement(match name {
            Some(name) => said_by(name, content),
            None => said(content),
        })
    };
    for (_, id, others) in best.into_iter().take(LOOKED_AT) {
        let is_alike = words.are_alike(others);
        if !is_alike && shared > 1 {
            continue;
        }
        let Some(fact) = facts.fact(id)? else { continue };
        if is_alike || differs_in_value(&words_of(&fact), &stated, SAME) {
            alike.push(fact);
        }
    }
    Ok(alike)
}

/// The rows that may share `shared` words with a statement; each word lists the latest rows that have it. A row is in as
/// many lists, or in fewer if another list ends before it. The greatest weight of words comes first, then the latest
/// row.
fn candidates(lists: &[Vec<i64>], weights: &[f64], most: usize, shared: usize) -> Vec<MemoryId> {
    let listed = together(lists, weights);
    let ends = lists.iter().filter(|list| list.len() >= most).filter_map(|list| list.last().copied());
    let end = ends.max().unwrap_or(i64::MIN);
    let may_share = listed.into_iter().filter(|row| row.words >= shared || row.id < end);
    let mut found: Vec<(f64, i64)> = may_share.map(|row| (row.weight, row.id)).gather();
    let first =
        |(one, id): &(f64, i64), (other, other_id): &(f64, i64)| other.total_cmp(one).then(other_id.cmp(id));
    // A long statement shares words with many.
    let most = LOOKED_AT.max(2 * lists.len());
    if found.len() > most {
        found.select_nth_unstable_by(most, first);
        found.truncate(most);
    }
    order::sort_by(&mut found, first);
    found.into_iter().map(|(_, id)| MemoryId::new(id)).gather()
}

/// A row that words list.
struct Listed {
    id: i64,
    /// How many words list it, and how much they weigh.
    words: usize,
    weight: f64,
}

/// Returns each row that any word lists, once, with the words that list it.
fn together(lists: &[Vec<i64>], weights: &[f64]) -> Vec<Listed> {
    let most: usize = lists.iter().map(Vec::len).sum();
    let mut rows: Vec<Listed> = Vec::with_capacity(most);
    // The place of a row by its id, one more than it is. More than half of the places stay free.
    let mut places = vec![0_u32; (2 * most).next_power_of_two()];
    let last = places.len() - 1;
    for (list, weight) in lists.iter().zip(weights) {
        for id in list {
            let spread = id.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let mut at = usize::try_from(spread).unwrap_or_default() & last;
            loop {
                match (places[at] as usize).checked_sub(1) {
                    None => {
                        rows.push(Listed { id: *id, words: 1, weight: *weight });
                        places[at] = count(rows.len());
                        break;
                    }
                    Some(place) if rows[place].id == *id => {
                        rows[place].words += 1;
                        rows[place].weight += weight;
                        break;
                    }
                    Some(_) => at = (at + 1) & last,
                }
            }
        }
    }
    rows
}

/// Returns how much a word says that so many rows are listed for.
fn weight(listed: usize) -> f64 {
    rarity(count(LISTED.max(listed)), count(listed))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns the terms by which a statement says something, each once and in order, and its words.
fn terms_of(text: &str) -> (Vec<Term>, Words) {
    let mut all: Vec<Term> = Vec::new();
    Stemmer::default().terms(text, |stem, written| {
        if !stem.is_empty() {
            all.push(Term { stem: stem.to_owned(), written: written.to_owned() });
        }
    });
    if all.iter().any(|term| !is_stop_word(&term.written)) {
        order::retain(&mut all, |term| !is_stop_word(&term.written));
    }
    order::sort_by(&mut all, |one, other| (&one.stem, &one.written).cmp(&(&other.stem, &other.written)));
    all.dedup_by(|one, other| one.stem == other.stem);
    let words = Words::from(all.iter().map(|term| hash(&term.stem)).collect::<Vec<u32>>());
    (all, words)
}
