//! Rows that look random, the same each time.

use std::collections::BTreeMap;

use crate::postings::row::Row;

/// Numbers that look random, the same each time.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// A number below another one.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number below another one, most often a small one.
    pub(super) fn low(&mut self, end: u64) -> u64 {
        let share = (self.next() % 1_000_000) as f64 / 1e6;
        ((end as f64).powf(share) - 1.0) as u64
    }
}

/// A row of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) id: i64,
    pub(super) shared: bool,
    pub(super) length: u32,
    pub(super) terms: Vec<(String, u32)>,
}

impl Line {
    pub(super) fn random(dice: &mut Dice, id: i64, words: u64) -> Self {
        let mut terms: BTreeMap<String, u32> = BTreeMap::new();
        let length = if dice.below(20) == 0 { 60 } else { dice.below(14) };
        for _ in 0..length {
            *terms.entry(word(dice.low(words))).or_default() += 1;
        }
        let more = if dice.below(4) == 0 { dice.below(400) } else { 0 };
        let shared = dice.below(3) > 0;
        Self { id, shared, length: (length + more) as u32, terms: terms.into_iter().collect() }
    }

    pub(super) fn with<T>(&self, take: impl FnOnce(&Row<'_>) -> T) -> T {
        let terms: Vec<(&str, u32)> =
            self.terms.iter().map(|(term, count)| (term.as_str(), *count)).collect();
        take(&Row { id: self.id, shared: self.shared, length: self.length, terms: &terms })
    }
}

/// A word of a number; many have a beginning in common.
pub(super) fn word(number: u64) -> String {
    let ends = ["", "s", "ing", "ß", "漢"];
    format!("{}{}{}", ["w", "wo", "x", "tea"][number as usize % 4], number / 20, ends[number as usize % 5])
}
