//! The statements that a home has forgotten, and the search for them in a text.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use noctuary_gate::{Confidence, Finding};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::char::canonical_combining_class;

use super::key::TombstoneKey;
use super::spelling;
use super::words::{self, Words, power};
use crate::base::debug::debug_as;
use crate::base::digest::{Digest, Hasher};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::relative;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::spread::Spread;

/// The fewest words of a statement that can be buried, unless it has [`FEWEST_CHARACTERS`].
const FEWEST_WORDS: usize = 2;
const FEWEST_CHARACTERS: usize = 8;

/// The class that a forgotten statement is found as.
pub(crate) const FORGOTTEN: &str = "forgotten";

/// The mark in a document in the place of a forgotten statement.
const STRUCK: &str = "[forgotten]";

/// The least stars that are a mark where [`STRUCK`] has no room. Markdown has no emphasis of four.
const LEAST_STARS: usize = 4;

/// Returns whether a text holds the mark of a forgotten statement, as a document has it.
///
/// Stars inside an ASCII word are none: a statement ends where its words do. Chinese has no such ends.
pub(crate) fn is_struck(text: &str) -> bool {
    // Stars alone are a rule.
    text.contains(STRUCK) || (text.contains(char::is_alphanumeric) && has_stars(text))
}

/// Returns whether enough stars are together, with no ASCII letter or digit beside them.
fn has_stars(text: &str) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(first) = bytes[at..].iter().position(|byte| *byte == b'*').map(|first| at + first) {
        let many = bytes[first..].iter().take_while(|byte| **byte == b'*').count();
        at = first + many;
        let before = first.checked_sub(1).and_then(|before| bytes.get(before));
        if many >= LEAST_STARS && !is_word(before) && !is_word(bytes.get(at)) {
            return true;
        }
    }
    false
}

/// The number of bits in the sieve of marks.
const SIEVE: usize = 1 << 16;

/// One forgotten statement, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tombstone {
    /// The number of its words.
    pub words: u32,
    /// A keyed hash that is quick to compute: statements with different ones are different.
    pub mark: u32,
    /// A keyed hash: equal statements have equal hashes, and without the key it tells nothing.
    pub digest: Digest,
}

/// The statements that a home has forgotten. Each is known again in every spelling. Composition, compatible and
/// lookalike letters, entities of HTML, escapes, and points of Hebrew and Arabic do not count.
///
/// ```
/// use noctuary::gate::{TombstoneKey, Tombstones};
///
/// let mut forgotten = Tombstones::new(TombstoneKey::random());
/// let tombstone = forgotten.bury("My landlord is Jan Kowalski.").expect("it has words enough");
/// assert!(forgotten.insert(tombstone));
///
/// let text = "- 09:12 [user] by the way, **my landlord** is\n  jan kowalski, as you know";
/// let places = forgotten.find(text);
/// assert_eq!(&text[places[0].clone()], "my landlord** is\n  jan kowalski");
/// assert!(!forgotten.holds("My landlord is Piotr Kowalski."));
/// ```
#[derive(Clone)]
pub struct Tombstones {
    key: TombstoneKey,
    stones: SortedSet<Tombstone>,
    quick: Quick,
    /// The tombstones of other machines, each set under the key of its machine.
    others: Vec<Tombstones>,
}

/// An index derived from key and stones: a text without any of them is read once and quickly.
#[derive(Clone)]
struct Quick {
    seed: u64,
    base: u64,
    /// The number of stones for each number of words.
    lengths: SortedMap<u32, usize>,
    /// A bit for each mark; a mark whose bit is off is nobody's.
    sieve: Vec<u64>,
}

impl Quick {
    fn note(&mut self, stone: &Tombstone) {
        self.sieve.resize(SIEVE / 64, 0);
        *self.lengths.entry(stone.words).or_default() += 1;
        let (word, bit) = sieved(stone.mark);
        self.sieve[word] |= bit;
    }
}

/// Returns the word and the bit of the sieve that a mark belongs to.
fn sieved(mark: u32) -> (usize, u64) {
    let place = mark as usize % SIEVE;
    (place / 64, 1 << (place % 64))
}

impl Tombstones {
    /// Returns an empty set: nothing is forgotten yet.
    #[must_use]
    pub fn new(key: TombstoneKey) -> Self {
        let mut hasher = Hasher::new();
        hasher.field(b"mark").field(&key.0);
        let derived = hasher.finish();
        let number = |at: usize| {
            derived.as_bytes()[at..at + 8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        // An even base would push the first words of a statement out of the hash.
        let quick =
            Quick { seed: number(0), base: number(8) | 1, lengths: SortedMap::new(), sieve: Vec::new() };
        Self { key, stones: SortedSet::new(), quick, others: Vec::new() }
    }

    /// Returns the tombstone of a statement. It is not yet [inserted](Self::insert).
    ///
    /// `None` for fewer than two words and fewer than eight characters: a common word would be taken out of every
    /// text.
    #[must_use]
    pub fn bury(&self, text: &str) -> Option<Tombstone> {
        self.stone(&spelling::alike(text))
    }

    /// Returns the tombstones that a statement may have: the one of now, and the one from before spellings were compared.
    pub(crate) fn stones_of(&self, text: &str) -> impl Iterator<Item = Tombstone> {
        [self.bury(text), self.stone(text)].into_iter().flatten()
    }

    fn stone(&self, text: &str) -> Option<Tombstone> {
        let words = self.words(text);
        let letters = words.folded.chars().filter(|c| canonical_combining_class(*c) == 0);
        let is_enough = words.len() >= FEWEST_WORDS || letters.count() >= FEWEST_CHARACTERS;
        if words.len() == 0 || !is_enough {
            return None;
        }
        Some(Tombstone {
            words: u32::try_from(words.len()).ok()?,
            mark: words.mark(0, words.len(), power(self.quick.base, words.len())),
            digest: self.digest(&words, 0, words.len()),
        })
    }

    /// Takes a tombstone in, made with the same key; `false` where it is there already, or is of no words.
    pub fn insert(&mut self, stone: Tombstone) -> bool {
        let is_new = stone.words > 0 && self.stones.insert(stone);
        if is_new {
            self.quick.note(&stone);
        }
        is_new
    }

    /// Takes the tombstone of a statement back; `false` where there is none.
    pub fn lift(&mut self, text: &str) -> bool {
        let stones: Vec<_> = self.stones_of(text).gather();
        let is_lifted = stones.iter().fold(false, |is_lifted, stone| self.remove(stone) | is_lifted);
        self.others.iter_mut().fold(is_lifted, |is_lifted, other| other.lift(text) | is_lifted)
    }

    /// Takes in all that another machine has forgotten, whose key may be another one.
    ///
    /// ```
    /// use noctuary::gate::{TombstoneKey, Tombstones};
    ///
    /// let [mut laptop, mut server] = [Tombstones::new(TombstoneKey::random()), Tombstones::new(TombstoneKey::random())];
    /// for (machine, statement) in [(&mut laptop, "my landlord is Jan"), (&mut server, "the code is 4711")] {
    ///     let stone = machine.bury(statement).expect("it has words enough");
    ///     machine.insert(stone);
    /// }
    /// laptop.join(&server);
    /// assert!(laptop.holds("The code is 4711.") && laptop.holds("My landlord is Jan."));
    /// ```
    pub fn join(&mut self, other: &Self) {
        let mut sets: SortedMap<[u8; 32], Self> = SortedMap::new();
        for set in self.sets().chain(other.sets()) {
            let known = sets.entry(set.key.0).or_insert_with(|| Self::new(set.key.clone()));
            known.extend(set.stones.iter().copied());
        }
        // The smallest key of one that has stones comes first, on each machine.
        let mut sets: Vec<Self> = sets.into_values().gather();
        order::sort_by_key(&mut sets, |set| set.stones.is_empty());
        let mut sets = sets.into_iter();
        *self = sets.next().expect("its own set is among them");
        self.others = sets.filter(|set| !set.stones.is_empty()).gather();
    }

    /// Returns whether it has tombstones of more than one key.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        !self.others.is_empty()
    }

    fn sets(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// Takes a tombstone out, of whichever key it is; `false` where it is not in.
    pub fn remove(&mut self, stone: &Tombstone) -> bool {
        let is_removed = self.stones.remove(stone);
        if is_removed {
            (self.quick.lengths, self.quick.sieve) = (SortedMap::new(), Vec::new());
            for stone in &self.stones {
                self.quick.note(stone);
            }
        }
        self.others.iter_mut().fold(is_removed, |is_removed, other| other.remove(stone) | is_removed)
    }

    /// Returns whether a tombstone is in.
    #[must_use]
    pub fn contains(&self, stone: &Tombstone) -> bool {
        self.sets().any(|set| set.stones.contains(stone))
    }

    /// Returns whether nothing is forgotten.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets().all(|set| set.stones.is_empty())
    }

    /// Returns how many statements are forgotten.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets().map(|set| set.stones.len()).sum()
    }

    /// Returns the tombstones: of each key ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Tombstone> {
        self.sets().spread(|set| &set.stones)
    }

    /// Returns the tombstones of its own key, ascending.
    pub(crate) fn own(&self) -> impl Iterator<Item = Tombstone> {
        self.stones.iter().copied()
    }

    /// Returns each tombstone, and the set of it alone under the key that it was made with.
    #[cfg(feature = "exchange")]
    pub(crate) fn each_alone(&self) -> impl Iterator<Item = (Tombstone, Self)> {
        self.sets().flat_map(|set| {
            set.stones.iter().map(|stone| {
                let mut alone = Self::new(set.key.clone());
                alone.insert(*stone);
                (*stone, alone)
            })
        })
    }

    /// Returns what they are made with.
    #[must_use]
    pub fn key(&self) -> &TombstoneKey {
        &self.key
    }

    /// Returns the byte ranges of forgotten statements in a text, ascending and apart, from the first letter to the
    /// last. Also as JSON has them, where `\\n` parts words, and in other spellings.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let _ = self.scan_all(text, |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        let dates = if found.is_empty() { Vec::new() } else { relative::dates(text) };
        for range in &mut found {
            let date = dates.iter().find(|date| date.start == range.end);
            range.end = date.map_or(range.end, |date| date.end);
        }
        order::sort_by_key(&mut found, |range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        apart
    }

    /// Returns whether a forgotten statement is anywhere in a text.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.scan_all(text, |_| ControlFlow::Break(())).is_break()
    }

    fn scan_all(&self, text: &str, mut give: impl FnMut(Range<usize>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_empty() {
            return ControlFlow::Continue(());
        }
        for spelled in spelling::all(text) {
            for set in self.sets() {
                set.scan(&spelled.text, |range| give(spelled.place(&range)))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns what [`find`](Self::find) finds, in the form of a filter's findings.
    pub(crate) fn inspect(&self, text: &str) -> Vec<Finding> {
        let finding = |span| Finding::new(FORGOTTEN, span, Confidence::Verified);
        self.find(text).into_iter().map(finding).gather()
    }

    /// Returns the text with spaces in the place of what is forgotten, so that every other byte and line keeps its
    /// place.
    pub(crate) fn blanked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.overwritten(text, &|_| true, |len| " ".repeat(len))
    }

    /// Returns the number of words that are left of a text without what is forgotten.
    pub(crate) fn words_left(&self, text: &str) -> usize {
        self.words(&self.blanked(text)).len()
    }

    /// Returns the text with a mark of the same length in the place of what is forgotten.
    pub(crate) fn struck<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.struck_where(text, &|_| true)
    }

    /// Overwrites those of the statements that `is_gone` says yes to.
    pub(crate) fn struck_where<'t>(&self, text: &'t str, is_gone: &dyn Fn(&str) -> bool) -> Cow<'t, str> {
        self.overwritten(text, is_gone, mark)
    }

    /// Returns what is in front of the words of a line stays, and its break. `mark` makes as many bytes as the words
    /// have.
    fn overwritten<'t>(
        &self,
        text: &'t str,
        is_gone: &dyn Fn(&str) -> bool,
        mark: impl Fn(usize) -> String,
    ) -> Cow<'t, str> {
        let mut places = self.find(text);
        order::retain(&mut places, |place| is_gone(&text[place.clone()]));
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut written = String::with_capacity(text.len());
        let mut from = 0;
        for place in places {
            written.push_str(&text[from..place.start]);
            for piece in text[place.clone()].split_inclusive('\n') {
                let end = piece.trim_end().len();
                // An escape that begins a word is of it: half of one would be another.
                let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '\\' | '&' | '%');
                let start = piece[..end].find(is_of_word).unwrap_or(end);
                written.push_str(&piece[..start]);
                written.push_str(&mark(end - start));
                written.push_str(&piece[end..]);
            }
            from = place.end;
        }
        written.push_str(&text[from..]);
        Cow::Owned(written)
    }

    /// Returns the identity of this set.
    pub(crate) fn identity(&self) -> String {
        let mut hasher = Hasher::new();
        for set in self.sets() {
            hasher.field(&set.key.0);
            for stone in &set.stones {
                hasher.field(stone.digest.as_bytes());
            }
        }
        hasher.finish().short(16)
    }

    /// Slides a window of each length over the words, and gives each place where a statement is.
    fn scan(&self, text: &str, mut give: impl FnMut(Range<usize>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.stones.is_empty() {
            return ControlFlow::Continue(());
        }
        let words = self.words(text);
        for length in self.quick.lengths.keys() {
            let Some(last) = usize::try_from(*length).ok().and_then(|len| words.len().checked_sub(len))
            else {
                // The lengths ascend, so all others are longer than the text too.
                break;
            };
            let len = words.len() - last;
            let power = power(self.quick.base, len);
            for first in 0..=last {
                let mark = words.mark(first, len, power);
                let (word, bit) = sieved(mark);
                if self.quick.sieve[word] & bit != 0 && self.is_buried(&words, first, len, *length, mark) {
                    give(words.spans[first].start..words.spans[first + len - 1].end)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn is_buried(&self, words: &Words, first: usize, len: usize, length: u32, mark: u32) -> bool {
        let least = Tombstone { words: length, mark, digest: Digest::LEAST };
        let mut same =
            self.stones.starting_at(&least).take_while(|stone| (stone.words, stone.mark) == (length, mark));
        let Some(stone) = same.next() else { return false };
        let digest = self.digest(words, first, len);
        stone.digest == digest || same.any(|stone| stone.digest == digest)
    }

    fn digest(&self, words: &Words, first: usize, len: usize) -> Digest {
        let mut hasher = Hasher::new();
        hasher.field(&self.key.0);
        for at in first..first + len {
            hasher.field(words.word(at).as_bytes());
        }
        hasher.finish()
    }

    fn words(&self, text: &str) -> Words {
        Words::of(text, self.quick.seed, self.quick.base)
    }
}

/// Returns a signature of a text. If a statement [is](Tombstones::holds) in it, the text's signature has every bit of
/// the statement's signature.
pub(crate) fn signature(text: &str) -> u64 {
    spelling::all(text).iter().fold(0, |bits, spelled| bits | words::signature(&spelled.text))
}

/// Returns the mark in the place of forgotten words of this many bytes.
pub(crate) fn mark(len: usize) -> String {
    match len.checked_sub(STRUCK.len()) {
        Some(rest) => format!("{STRUCK}{}", "-".repeat(rest)),
        None => "*".repeat(len),
    }
}

/// Returns the signature of a statement: two bits for each word.
pub(crate) fn statement_signature(text: &str) -> u64 {
    words::signature(&spelling::alike(text))
}

impl Extend<Tombstone> for Tombstones {
    fn extend<T: IntoIterator<Item = Tombstone>>(&mut self, stones: T) {
        for stone in stones {
            self.insert(stone);
        }
    }
}

impl PartialEq for Tombstones {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.stones == other.stones && self.others == other.others
    }
}

impl Eq for Tombstones {}

debug_as!(Tombstones, |it| "Tombstones({})", it.len());

#[derive(Serialize, Deserialize)]
struct Shape {
    key: TombstoneKey,
    tombstones: Vec<Tombstone>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Tombstones>,
}

impl Serialize for Tombstones {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tombstones = self.stones.iter().copied().gather();
        let others = self.others.clone();
        Shape { key: self.key.clone(), tombstones, others }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tombstones {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = Shape::deserialize(deserializer)?;
        let mut all = Self::new(shape.key);
        all.extend(shape.tombstones);
        all.others = shape.others;
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
