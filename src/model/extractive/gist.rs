//! The gist of a line, by which it is compared to another.

use super::lexicon::{Cue, Wording};
use super::token::is_number;
use crate::base::sorted::SortedSet;

/// The words and numbers of a line, by which it is compared to another.
#[derive(Clone)]
pub(super) struct Gist<'l> {
    words: SortedSet<&'l str>,
    numbers: SortedSet<&'l str>,
    /// The things that it speaks of by number: `route 1`.
    numbered: SortedSet<(&'l str, &'l str)>,
    /// Whether it says that something changed.
    changes: bool,
    /// Whether it says that something is as it was before.
    returns: bool,
    /// Its words as they follow one another.
    order: Vec<&'l str>,
}

impl<'l> Gist<'l> {
    pub(super) fn of(wording: &'l Wording) -> Self {
        let words = &wording.words;
        let (numbers, others): (SortedSet<&str>, _) =
            words.iter().map(String::as_str).partition(|word| is_number(word));
        let mut order = Vec::new();
        for word in words {
            if is_content(wording, word) {
                order.push(word.as_str());
            }
        }
        Self {
            words: others.into_iter().filter(|word| is_content(wording, word)).collect(),
            order,
            numbers,
            numbered: numbered(wording),
            changes: wording.has(Cue::Change),
            returns: wording.has(Cue::Return),
        }
    }

    pub(super) fn common(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }

    /// Returns whether the two have enough words in common to speak of the same.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let (one, two) = (self.words.len(), other.words.len());
        // Two sets of very different sizes need not be compared.
        if one.min(two) * 100 < SAME_PERCENT * one.max(two) {
            return false;
        }
        let common = self.common(other);
        common > 0 && common * 100 >= SAME_PERCENT * (one + two - common)
    }

    /// Returns whether it says nothing that the other does not say. A change back has the same words in another order.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        self.is_near(other) && self.numbers.is_subset(&other.numbers) && !self.turns(other)
    }

    fn turns(&self, other: &Self) -> bool {
        let is_back = self.returns || other.returns;
        is_back && self.changes && other.changes && self.in_order(other) != other.in_order(self)
    }

    /// Returns the words that the other has too, as they follow one another.
    fn in_order(&self, other: &Self) -> Vec<&'l str> {
        let mut words = Vec::new();
        for word in &self.order {
            if other.words.contains(word) {
                words.push(*word);
            }
        }
        words
    }

    /// Returns whether this line makes a statement of memory untrue. It corrects the statement, or says that a value is back
    /// after the change in memory. Another number alone may be the next of many.
    pub(super) fn updates(&self, other: &Self) -> bool {
        let common = self.common(other);
        let is_back = self.returns && other.changes && common >= 2 && common * 2 >= self.words.len();
        (self.changes && self.renews(other)) || (is_back && !self.repeats(other))
    }

    /// Returns whether the other line, which is above it, no longer holds. Then this line has the same words with
    /// other numbers, or corrects it.
    pub(super) fn renews(&self, other: &Self) -> bool {
        let common = || self.common(other);
        let corrects = || self.changes && common() >= 3 && common() * 2 >= other.words.len();
        let is_another = self.numbered.iter().any(|(thing, number)| {
            other.numbered.iter().any(|(same, another)| same == thing && another != number)
        });
        !is_another && (self.is_near(other) || corrects()) && !other.repeats(self)
    }
}

/// Returns whether two lines say the same except for their numbers, and the later does not say that something
/// changed.
pub(super) fn differ_in_numbers_alone(later: &Gist<'_>, other: &Gist<'_>) -> bool {
    !later.changes && later.words == other.words && later.numbers != other.numbers
}

/// Returns the things at the front of a line that have a number: `route 1 goes by Nes`. A number further back is most often
/// a value, which may change.
fn numbered(wording: &Wording) -> SortedSet<(&str, &str)> {
    let front = wording.words.windows(3).take(SUBJECT);
    let things = front.filter(|three| {
        let is_plain = three[1].len() <= 4 && three[1].bytes().all(|byte| byte.is_ascii_digit());
        is_content(wording, &three[0]) && !is_number(&three[0]) && is_plain
    });
    things.map(|three| (three[0].as_str(), three[1].as_str())).collect()
}

/// Number of pairs of words at the front of a line that most often hold its subject.
const SUBJECT: usize = 3;

/// Returns whether a word says what its line is about.
pub(super) fn is_content(wording: &Wording, word: &str) -> bool {
    let least = if wording.lexicon.is_unparted() { 1 } else { 2 };
    word.chars().nth(least).is_some() && !wording.is(Cue::Stop, word)
}

/// The percentage of common words at which two lines say the same.
const SAME_PERCENT: usize = 70;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::extractive::lexicon::Lexicon;

    fn wording(text: &str) -> Wording {
        Wording::of(text, Lexicon::english())
    }

    #[test]
    fn two_lines_are_near_from_seven_words_in_ten() {
        let words = ["red blue green white black brown grey", "red blue green white black"].map(wording);
        let [all, most] = [&words[0], &words[1]].map(Gist::of);
        assert!(all.is_near(&most));
        assert!(!all.is_near(&Gist::of(&wording("blue green white black"))));
        assert!(!Gist::of(&wording("")).is_near(&Gist::of(&wording(""))), "lines without words say nothing");
    }

    #[test]
    fn a_later_line_renews_what_it_puts_right() {
        let renews = |new: &str, old: &str| Gist::of(&wording(new)).renews(&Gist::of(&wording(old)));
        let cost = "the berth costs 1,250 kronor a month";
        assert!(renews("the berth costs 1,400 kronor a month", cost));
        assert!(!renews(cost, cost), "a repetition changes nothing");
        let visit = "Sill's appointment at the clinic is on 2026-03-10 in the afternoon, with Hanna";
        assert!(renews("Sill's appointment with Hanna has moved to 2026-03-12, same clinic", visit));
        assert!(!renews("Sill's appointment with Hanna at the clinic went well", visit));
    }

    #[test]
    fn a_value_that_is_back_and_another_number_update_what_memory_holds() {
        let updates = |new: &str, old: &str| Gist::of(&wording(new)).updates(&Gist::of(&wording(old)));
        let moved = "the storage moved from Porto to Braga";
        assert!(updates("the storage is in Porto again, Braga was too damp", moved));
        // The next of many measurements is no news of a value.
        assert!(!updates("blood pressure 141 over 92", "the blood pressure should stay below 130"));
        assert!(!updates("the build server is slow again", "the build server is in Oslo"));
        assert!(!updates("the storage in Braga was too damp", moved));
        assert!(!updates("the violin lesson is at 6 again", "the workshop has 5 lifts"));
        let tabs = "Decision: tabs, not spaces.";
        assert!(updates("We take back the decision on tabs; spaces it is.", tabs));
        assert!(!updates("The decision on tabs was a long talk about spaces.", tabs));
        let back = "we moved from Helix back to Vim for the lists";
        let forth = "we moved from Vim to Helix for the lists";
        assert!(updates(back, forth) && !Gist::of(&wording(back)).repeats(&Gist::of(&wording(forth))));
        assert!(Gist::of(&wording(forth)).repeats(&Gist::of(&wording(forth))));
    }

    #[test]
    fn things_with_numbers_of_their_own_do_not_put_each_other_right() {
        let renews = |new: &str, old: &str| Gist::of(&wording(new)).renews(&Gist::of(&wording(old)));
        assert!(!renews("route 2 goes by Nes", "route 1 goes by Nes"));
        assert!(!renews("Decision: route 10 goes by Nes", "Decision: route 9 goes by Nes"));
        assert!(renews("route 2 leaves at 9:40 from Nes", "route 2 leaves at 9:20 from Nes"));
        assert!(renews("the meeting takes place in room 14", "the meeting takes place in room 12"));
    }

    #[test]
    fn what_memory_holds_with_another_number_is_news() {
        let [memory, line] = ["the berth costs 1,250 kronor", "the berth costs 1,400 kronor"].map(wording);
        assert!(!Gist::of(&line).repeats(&Gist::of(&memory)));
        assert!(Gist::of(&line).repeats(&Gist::of(&line)));
    }
}
