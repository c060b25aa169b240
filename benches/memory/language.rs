//! A language that is drawn, the same every time.
//!
//! Its words fall off as those of a language do (Zipf): the word of rank *r* is drawn 1/*r* as often as the first. The first thirty are
//! stop words, and a third of a text. The next is in one row of 26, the hundredth in one of 80, and most are in a handful.

use std::ops::Range;

const STOP_WORDS: [&str; 30] = [
    "the", "and", "to", "of", "a", "in", "is", "that", "it", "for", "was", "on", "with", "as", "at", "this",
    "but", "from", "have", "not", "are", "be", "we", "you", "they", "which", "what", "there", "when", "all",
];
/// How many words there are.
const VOCABULARY: u32 = 1 << 16;
/// The words of a row.
const ROW: usize = 14;
/// The ranks of the commonest words that are no stop words.
const COMMON: Range<usize> = STOP_WORDS.len()..STOP_WORDS.len() + 100;

/// Draws the same numbers every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

pub(crate) struct Language {
    /// For each rank: how often it and all ranks before it are drawn.
    up_to: Vec<u64>,
}

impl Language {
    pub(crate) fn new() -> Self {
        let often = |rank: u32| (1 << 40) / u64::from(rank);
        let sum = |sum: &mut u64, rank| {
            *sum += often(rank);
            Some(*sum)
        };
        Self { up_to: (1..=VOCABULARY).scan(0, sum).collect() }
    }

    /// The rank of a word that is no rarer or commoner than these, counted from 0.
    fn draw(&self, dice: &mut Dice, ranks: Range<usize>) -> usize {
        let below = if ranks.start == 0 { 0 } else { self.up_to[ranks.start - 1] };
        let drawn = below + dice.roll(self.up_to[ranks.end - 1] - below);
        self.up_to.partition_point(|sum| *sum <= drawn)
    }

    /// The statement of a row: fourteen words, of which some are stop words.
    pub(crate) fn row(&self, number: u32) -> String {
        let mut dice = Dice(u64::from(number) << 16);
        let words = (0..ROW).map(|_| word(self.draw(&mut dice, 0..self.up_to.len())));
        words.collect::<Vec<_>>().join(" ") + "."
    }

    /// The words of a question: two to eight, the first of them a common one.
    pub(crate) fn question(&self, number: u32) -> Vec<String> {
        let mut dice = Dice(u64::MAX / 2 + (u64::from(number) << 16));
        let ranks = |at| if at == 0 { COMMON } else { STOP_WORDS.len()..self.up_to.len() };
        (0..2 + number % 7).map(|at| word(self.draw(&mut dice, ranks(at)))).collect()
    }
}

fn word(rank: usize) -> String {
    STOP_WORDS.get(rank).map_or_else(|| spelt(rank - STOP_WORDS.len()), |word| (*word).to_owned())
}

/// The word of a number: two syllables, three for the rarer.
fn spelt(mut number: usize) -> String {
    let (consonants, vowels) = (b"bdfgklmnprstvz", b"aiou");
    let mut word = String::new();
    while word.len() < 4 || number > 0 {
        word.push(consonants[number / 4 % 14].into());
        word.push(vowels[number % 4].into());
        number /= 56;
    }
    word
}
