//! The gist of a line, by which it is compared to another.

use std::collections::BTreeSet;

use super::line::is_number;
use super::words::{self, any, any_pair};

/// The words and numbers of a line, by which it is compared to another.
#[derive(Clone)]
pub(super) struct Gist<'l> {
    words: BTreeSet<&'l str>,
    numbers: BTreeSet<&'l str>,
    /// Whether it says that something changed.
    changes: bool,
}

impl<'l> Gist<'l> {
    pub(super) fn of(words: &'l [String]) -> Self {
        let (numbers, others): (BTreeSet<&str>, _) =
            words.iter().map(String::as_str).partition(|word| is_number(word));
        Self {
            words: others.into_iter().filter(|word| is_content(word)).collect(),
            numbers,
            changes: any(&words::CHANGE, words) || any_pair(words::CHANGE_PAIRS, words),
        }
    }

    pub(super) fn common(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }

    /// Returns whether the two have so many words in common that they speak of the same.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let (one, two) = (self.words.len(), other.words.len());
        // Two sets of very different sizes need not be compared.
        if one.min(two) * 100 < SAME_PERCENT * one.max(two) {
            return false;
        }
        let common = self.common(other);
        common > 0 && common * 100 >= SAME_PERCENT * (one + two - common)
    }

    /// Returns whether it says nothing that the other does not say.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        self.is_near(other) && self.numbers.is_subset(&other.numbers)
    }

    /// Returns whether the other, which stands above it, no longer holds: the same with other numbers, or put right
    /// by a line that says so.
    pub(super) fn renews(&self, other: &Self) -> bool {
        let common = || self.common(other);
        let corrects = || self.changes && common() >= 3 && common() * 2 >= other.words.len();
        (self.is_near(other) || corrects()) && !other.repeats(self)
    }
}

pub(super) fn is_content(word: &str) -> bool {
    word.chars().nth(2).is_some() && !words::STOP.contains(word)
}

/// The percentage of common words at which two lines say the same.
const SAME_PERCENT: usize = 70;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::extractive::line::tokens;

    #[test]
    fn two_lines_are_near_from_seven_words_in_ten() {
        let words = ["red blue green white black brown grey", "red blue green white black"].map(tokens);
        let [all, most] = [&words[0], &words[1]].map(|words| Gist::of(words));
        assert!(all.is_near(&most));
        assert!(!all.is_near(&Gist::of(&words[1][1..])));
        assert!(!Gist::of(&[]).is_near(&Gist::of(&[])), "lines without words say nothing");
    }

    #[test]
    fn a_later_line_renews_what_it_puts_right() {
        let renews = |new: &str, old: &str| Gist::of(&tokens(new)).renews(&Gist::of(&tokens(old)));
        let cost = "the berth costs 1,250 kronor a month";
        assert!(renews("the berth costs 1,400 kronor a month", cost));
        assert!(!renews(cost, cost), "a repetition changes nothing");
        let visit = "Sill's appointment at the clinic is on 2026-03-10 in the afternoon, with Hanna";
        assert!(renews("Sill's appointment with Hanna has moved to 2026-03-12, same clinic", visit));
        assert!(!renews("Sill's appointment with Hanna at the clinic went well", visit));
    }

    #[test]
    fn what_memory_holds_with_another_number_is_news() {
        let [memory, line] = ["the berth costs 1,250 kronor", "the berth costs 1,400 kronor"].map(tokens);
        assert!(!Gist::of(&line).repeats(&Gist::of(&memory)));
        assert!(Gist::of(&line).repeats(&Gist::of(&line)));
    }
}
