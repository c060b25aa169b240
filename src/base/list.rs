//! A list of words, for a look whether a word is on it: an answer takes thousands of those.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

/// A list of words, parted by spaces, and read once. Each line may have a name in front of its words, and a tab between: a language.
pub(crate) struct List {
    text: &'static str,
    words: OnceLock<Words>,
}

/// The words of a list.
struct Words {
    all: HashSet<&'static str, BuildHasherDefault<Fnv>>,
    /// By the first byte: a bit for each length that a word has. Most other words are known by it to be none of these.
    lengths: [u32; 256],
}

impl Words {
    fn of(text: &'static str) -> Self {
        let mut words = Self { all: HashSet::default(), lengths: [0; 256] };
        for line in text.lines() {
            let listed = line.split_once('\t').map_or(line, |(_, words)| words);
            for word in listed.split_ascii_whitespace() {
                words.lengths[usize::from(word.as_bytes()[0])] |= length_of(word);
                words.all.insert(word);
            }
        }
        words
    }

    fn has(&self, word: &str) -> bool {
        let first = word.as_bytes().first();
        first.is_some_and(|first| self.lengths[usize::from(*first)] & length_of(word) > 0)
            && self.all.contains(word)
    }
}

/// Returns the bit of the length of a word.
fn length_of(word: &str) -> u32 {
    1 << word.len().min(31)
}

/// The hash of Fowler, Noll and Vo. The words are ours, so nobody can choose them to meet.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl List {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, words: OnceLock::new() }
    }

    /// Returns whether a word is on the list.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| Words::of(self.text)).has(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_words_and_no_parts_of_them() {
        static LIST: List = List::new("off-limits nicht \n  für\nde\tkein");
        assert!(["off-limits", "nicht", "für", "kein"].iter().all(|word| LIST.has(word)));
        assert!(!["", "off", "limits", "nich", "de", "nicht für", " "].iter().any(|word| LIST.has(word)));
    }
}
