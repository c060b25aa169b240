//! Verbs in a text: which words stand for which relation, and which entity each belongs to.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use super::edge::Edge;
use super::entity::Entity;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedSet;
use crate::base::text;

/// The most entities of a text that are told to occur together: ten pairs.
const MOST_TOGETHER: usize = 5;

/// An entity in a text.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) place: Range<usize>,
    pub(crate) entity: Entity,
}

/// A table of words and the relations that they stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Verbs {
    words: Vec<String>,
    relations: Vec<String>,
    finder: Option<Arc<AhoCorasick>>,
}

impl Verbs {
    /// Adds words to the table.
    pub(crate) fn with<'t>(self, table: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let Self { mut words, mut relations, .. } = self;
        for (word, relation) in table {
            words.push(word.to_lowercase());
            relations.push(relation.to_owned());
        }
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(&words)
            .ok();
        let finder = finder.filter(|_| !words.is_empty()).map(Arc::new);
        Self { words, relations, finder }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the words and their relations.
    pub(crate) fn table(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().map(String::as_str).zip(self.relations.iter().map(String::as_str))
    }

    /// Returns the verbs of a text that are not denied, each by its place and relation.
    fn in_text(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let found = finder.find_iter(text).filter(|found| {
            let place = found.range();
            is_whole(text, &place) && !is_denied(text, place.start)
        });
        found.map(|found| (found.range(), &*self.relations[found.pattern().as_usize()])).gather()
    }
}

/// Returns the edges of the entities in a text. A verb belongs to the entities behind it in its sentence, up to the next
/// verb. If there is none, or the verb is passive, it belongs to the entity before it. An entity without a verb is
/// mentioned.
pub(crate) fn assemble(text: &str, spots: &[Spot], verbs: &Verbs, together: &SortedSet<String>) -> Vec<Edge> {
    let mut edges = Vec::new();
    let found = verbs.in_text(text);
    let mut has_verb = vec![false; spots.len()];
    for (at, (place, relation)) in found.iter().enumerate() {
        let sentence = sentence(text, place.start);
        let next = found.get(at + 1).map_or(sentence.end, |(next, _)| next.start.min(sentence.end));
        let within = |range: Range<usize>| {
            spots.iter().enumerate().filter(move |(_, spot)| range.contains(&spot.place.start))
        };
        let behind: Vec<usize> = within(place.end..next).map(|(number, _)| number).gather();
        let before = within(sentence.start..place.start).next_back().map(|(number, _)| number);
        let is_passive = is_passive(text, place.start) && before.is_some();
        let of_verb = if behind.is_empty() || is_passive { before.into_iter().gather() } else { behind };
        for number in of_verb {
            has_verb[number] = true;
            edges.push(Edge::new((*relation).to_owned(), spots[number].entity.clone()));
        }
    }
    let plain = spots.iter().zip(&has_verb).filter(|(_, has_verb)| !**has_verb);
    edges.extend(plain.map(|(spot, _)| Edge::new(Edge::MENTIONS, spot.entity.clone())));
    for kind in together {
        let keys: SortedSet<&str> =
            spots.iter().filter(|spot| spot.entity.kind == **kind).map(|spot| &*spot.entity.key).collect();
        let keys: Vec<&str> = keys.into_iter().take(MOST_TOGETHER).collect();
        for (at, one) in keys.iter().enumerate() {
            for other in &keys[at + 1..] {
                let pair = Entity::new(format!("{kind}_pair"), format!("{one}|{other}"));
                edges.push(Edge::new(Edge::CO_OCCURS_WITH, pair));
            }
        }
    }
    edges
}

/// Returns whether a match is a word of its own; scripts without spaces have no ends of words.
fn is_whole(text: &str, place: &Range<usize>) -> bool {
    let word = &text[place.clone()];
    if !word.is_ascii() {
        return true;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    !text[..place.start].ends_with(is_part) && !text[place.end..].starts_with(is_part)
}

/// Returns whether one of the three words before a verb, or a sign right before it, denies it.
fn is_denied(text: &str, at: usize) -> bool {
    const WORDS: [&str; 11] = [
        "not", "never", "no", "without", "neither", "nor", "avoid", "avoided", "cannot", "refuses", "refused",
    ];
    let before = &text[text::ceil_boundary(text, at.saturating_sub(40))..at];
    if before.trim_end().ends_with(['不', '没', '未', '别', '勿', '無', '无']) || before.ends_with("没有")
    {
        return true;
    }
    let start = before.rfind(['.', ';', ',', '\n', '。', '，', '；']).map_or(0, |at| at + 1);
    let before = before.get(start..).unwrap_or_default().to_ascii_lowercase();
    before.split_whitespace().rev().take(3).any(|word| WORDS.contains(&word) || word.ends_with("n't"))
}

/// Returns whether a word before a verb says that something is done to what is before it.
fn is_passive(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    let word = before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
    before.ends_with('被') || ["was", "were", "been", "is", "are", "be", "got"].contains(&word)
}

/// Returns the sentence around a place.
fn sentence(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].char_indices().rev().find(|(at, c)| ends(text, *at, *c));
    let end = text[at..].char_indices().find(|(by, c)| ends(text, at + by, *c));
    start.map_or(0, |(at, c)| at + c.len_utf8())..end.map_or(text.len(), |(by, _)| at + by)
}

/// Returns whether a sentence ends with a sign: not with that of a number or of a name.
fn ends(text: &str, at: usize, c: char) -> bool {
    match c {
        '\n' | '。' | '！' | '？' | '；' => true,
        '.' | '!' | '?' | ';' => text[at + 1..].chars().next().is_none_or(char::is_whitespace),
        _ => false,
    }
}
