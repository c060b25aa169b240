//! The signs of change in a row: values, words that are taken back, and names.

use std::collections::{BTreeMap, BTreeSet};

use super::query::Plan;
use super::stem::stem;
use super::stemmer::Stemmer;
use super::terms::{Piece, is_stop_word, pieces};
use super::word::same_word;

/// Maximum number of words that a word such as "from" takes back: those directly behind it.
const MAX_TAKEN_BACK: usize = 3;
/// Maximum number of words that "no longer" takes back: all behind it.
const MAX_NO_LONGER: usize = 5;

/// Maximum number of words of a value.
const MAX_VALUE: usize = 4;

/// The content of a row's sentences that have a word of the query.
#[derive(Debug, Default)]
pub(super) struct Statement {
    /// Whether they speak of a change.
    pub(super) changes: bool,
    /// Words of the query that a word of change answers for, a bit each.
    pub(super) stands_for: u64,
    /// Numbers, days and times, by what they count.
    pub(super) values: BTreeMap<String, BTreeSet<String>>,
    /// Their words, and their numbers as a whole.
    pub(super) words: BTreeSet<String>,
    /// Words that are said to hold no longer.
    pub(super) taken_back: BTreeSet<String>,
    /// Words that may be names, and are none of the query.
    pub(super) names: BTreeSet<String>,
    /// Whether a word of change leads to something: "moved on to water".
    pub(super) leads_to: bool,
    /// Words that the query has not, and that are no words of change.
    pub(super) others: BTreeSet<String>,
    /// For each sentence that gives a value: its words, and how many of them come before the value.
    equations: Vec<(Vec<String>, usize)>,
}

impl Statement {
    pub(super) fn of(text: &str, plan: &Plan) -> Self {
        let mut statement = Self::default();
        let mut stemmer = Stemmer::only(plan.terms.iter().map(|term| term.stem.as_str()));
        for sentence in sentences(text) {
            let mut asked_for = BTreeSet::new();
            stemmer.terms(sentence, |stem, word| {
                if plan.terms.iter().any(|term| term.stem == stem) {
                    asked_for.insert(word.to_owned());
                }
            });
            if asked_for.is_empty() {
                continue;
            }
            statement.take(sentence, plan, &asked_for);
        }
        statement
    }

    fn take(&mut self, sentence: &str, plan: &Plan, asked_for: &BTreeSet<String>) {
        let chunks: Vec<Chunk<'_>> = sentence.split_whitespace().map(Chunk::of).collect();
        for (at, chunk) in chunks.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| &chunks[at]);
            for (of_what, value) in chunk.values(before, chunks.get(at + 1)) {
                self.values.entry(of_what).or_default().insert(value);
            }
            let may_be_name = |(word, written): &&(String, &str)| {
                written.starts_with(char::is_uppercase)
                    && word.len() > 1
                    && !asked_for.contains(word)
                    && ![is_stop_word, is_of_change, is_weekday, is_month].iter().any(|is| is(word))
            };
            self.names.extend(chunk.words.iter().filter(may_be_name).map(|(word, _)| word.clone()));
        }
        let words: Vec<&str> = chunks.iter().flat_map(Chunk::parts).collect();
        // `services/billing` is one thing with `billing`.
        let is_asked_for = |chunk: &&Chunk<'_>| chunk.parts().any(|word| asked_for.contains(word));
        let linked: BTreeSet<&str> = chunks.iter().filter(is_asked_for).flat_map(Chunk::parts).collect();
        for (at, word) in words.iter().enumerate() {
            let (before, behind) = (&words[..at], &words[at + 1..]);
            let last = before.last().copied().unwrap_or_default();
            if is_of_change(word) || (last, *word) == ("no", "longer") {
                self.changes = true;
                let to = behind.iter().position(|word| *word == "to").and_then(|at| behind.get(at + 1));
                self.leads_to |= to.is_some_and(|word| !is_stop_word(word));
                self.stands_for |= stands_for(before, word, behind, plan, asked_for);
            }
            let taken = taken_back(last, word, behind);
            // "From April 6 to April 8" takes back a day, and not the month.
            let is_day = taken.iter().any(|word| is_number(word));
            let is_named = |word: &str| asked_for.contains(word) || linked.contains(word);
            let is_beside =
                |word: &&&str| !(is_stop_word(word) || is_named(word) || (is_day && is_month(word)));
            let beside = taken.iter().filter(is_beside);
            self.taken_back.extend(beside.map(|word| (*word).to_owned()));
        }
        let is_equal = |at: &usize| {
            let of_what = &words[..*at];
            COPULAS.binary_search(&words[*at]).is_ok()
                && of_what.iter().any(|word| !is_stop_word(word) && asked_for.contains(*word))
        };
        if let Some(at) = (1..words.len()).find(is_equal) {
            self.equations.push((words.iter().map(|word| (*word).to_owned()).collect(), at + 1));
        }
        let is_other =
            |word: &&&str| !asked_for.contains(**word) && !is_stop_word(word) && !is_of_change(word);
        self.others.extend(words.iter().filter(is_other).map(|word| (*word).to_owned()));
        self.words.extend(words.into_iter().map(str::to_owned));
    }

    /// Returns whether it counts or dates the same and says another value.
    pub(super) fn has_other_values_than(&self, older: &Self) -> bool {
        self.values.iter().any(|(of_what, values)| {
            older.values.get(of_what).is_some_and(|before| !values.is_subset(before))
        })
    }

    /// Returns whether it gives another value of one kind for the same thing. Values are numbers, or words behind the same
    /// word, such as "in Oslo" and "in Bergen".
    pub(super) fn says_another_than(&self, older: &Self) -> bool {
        let is_another = |(new, of): &(Vec<String>, usize), (old, before): &(Vec<String>, usize)| {
            if of != before || new[..*of] != old[..*of] {
                return false;
            }
            let (new, old) = (&new[*of..], &old[*of..]);
            let front = new.iter().zip(old).take_while(|(one, other)| one == other).count();
            let (new, old) = (&new[front..], &old[front..]);
            let end = new.iter().rev().zip(old.iter().rev()).take_while(|(one, other)| one == other).count();
            let gaps = [&new[..new.len() - end], &old[..old.len() - end]];
            let are_numbers = gaps.iter().all(|gap| gap.first().is_some_and(|word| is_number(word)));
            gaps.iter().all(|gap| (1..=MAX_VALUE).contains(&gap.len())) && (front > 0 || are_numbers)
        };
        self.equations.iter().any(|new| older.equations.iter().any(|old| is_another(new, old)))
    }

    /// Returns whether it has at least three of four words that an older one has, stop words left out.
    pub(super) fn has_most_words_of(&self, older: &Self) -> bool {
        let count = |statement: &Self| {
            older.words.iter().filter(|word| !is_stop_word(word) && statement.words.contains(*word)).count()
        };
        let all = count(older);
        all > 0 && 4 * count(self) >= 3 * all
    }
}

/// The text between two white spaces.
struct Chunk<'a> {
    /// Without the punctuation around it.
    core: &'a str,
    /// Its words, folded and as they are written.
    words: Vec<(String, &'a str)>,
}

impl<'a> Chunk<'a> {
    fn of(chunk: &'a str) -> Self {
        let core = chunk
            .trim_start_matches(|c: char| !c.is_alphanumeric() && !CURRENCIES.contains(&c))
            .trim_end_matches(|c: char| !c.is_alphanumeric() && c != '%');
        let words = pieces(chunk).filter_map(|piece| match piece {
            Piece::Word(word) => Some((same_word(word), word)),
            _ => None,
        });
        Self { core, words: words.collect() }
    }

    /// Its words, or the number that it is.
    fn parts(&self) -> impl Iterator<Item = &str> {
        let is_number = self.core.contains(is_digit) && !self.core.contains(char::is_alphabetic);
        let words = self.words.iter().map(|(word, _)| word.as_str()).filter(move |_| !is_number);
        is_number.then_some(self.core).into_iter().chain(words)
    }

    fn first(&self) -> &str {
        self.words.first().map_or("", |(word, _)| word)
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", |(word, _)| word)
    }

    /// Returns the thing that it counts or dates, and the value.
    fn values(&self, before: Option<&Self>, behind: Option<&Self>) -> Vec<(String, String)> {
        let (before, behind) = (before.map_or("", Self::last), behind.map_or("", Self::first));
        let one = |of_what: &str, value: &str| vec![(of_what.to_owned(), value.to_owned())];
        let word = self.first();
        if is_weekday(word) {
            return one("weekday", word);
        }
        let counts = |word: &str| !word.is_empty() && !is_stop_word(word) && !word.starts_with(is_digit);
        if let Some((_, value)) = NUMBERS.iter().find(|(number, _)| *number == word) {
            return if counts(behind) { one(&stem(behind), value) } else { Vec::new() };
        }
        if let Some(amount) = self.core.strip_prefix(CURRENCIES) {
            return one("money", &amount.replace(',', ""));
        }
        let end = self.core.find(|c: char| !is_digit(c) && !matches!(c, ',' | '.' | ':'));
        let (number, unit) = self.core.split_at(end.unwrap_or(self.core.len()));
        if !number.starts_with(is_digit) {
            return Vec::new();
        }
        let number = number.replace(',', "");
        let unit = unit.trim_start_matches('-').to_lowercase();
        let is_of_day = |word: &str| matches!(word, "am" | "pm");
        if number.contains(':') || is_of_day(&unit) || (unit.is_empty() && is_of_day(behind)) {
            return one("clock", number.trim_end_matches(":00"));
        }
        match unit.as_str() {
            "" | "st" | "nd" | "rd" | "th" => {}
            "%" => return one("percent", &number),
            _ => return one(&stem(&unit), &number),
        }
        if let Some(month) = [before, behind].into_iter().find(|word| is_month(word)) {
            return one("date", &format!("{} {number}", &month[..3]));
        }
        let mut values = Vec::new();
        if counts(behind) {
            values.push((stem(behind), number.clone()));
        }
        if counts(before) {
            // A page 3 is another thing than 3 pages.
            values.push((format!("{} #", stem(before)), number));
        }
        values
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(is_digit) || NUMBERS.iter().any(|(number, _)| *number == word)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Parts a text after each stop, and at each line's end.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '。', '！', '？']).flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let ends = |(at, c): &(usize, char)| {
                matches!(c, '.' | '!' | '?') && rest[at + 1..].starts_with(char::is_whitespace)
            };
            let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at + 1);
            let (sentence, behind) = rest.split_at(end);
            rest = behind;
            Some(sentence)
        })
    })
}

fn is_of_change(word: &str) -> bool {
    CHANGED.binary_search(&word).is_ok() || CHANGES.iter().any(|begin| word.starts_with(begin))
}

/// Returns the words of a query that a word of change answers, a bit each. A person who moved lives elsewhere, and
/// a thing that was changed is no longer used.
fn stands_for(
    before: &[&str],
    word: &str,
    behind: &[&str],
    plan: &Plan,
    asked_for: &BTreeSet<String>,
) -> u64 {
    // "Marta just moved to Turin", and neither "the meeting of Marta moved to Friday" nor "Marta moved to 10:30".
    let says_who = before.iter().all(|word| {
        let is_of_another = ["of", "for", "in", "at", "with"].contains(word);
        asked_for.contains(*word) || is_of_change(word) || (is_stop_word(word) && !is_of_another)
    });
    let says_where = matches!(behind, ["to" | "back" | "into", place, ..] if !place.starts_with(is_digit));
    let is_move = MOVES.iter().any(|begin| word.starts_with(begin)) && says_who && says_where;
    let is_answered = |stem: &str| stem == USE || (is_move && DWELLS.contains(&stem));
    let terms = plan.terms.iter().zip(0..).filter(|(term, _)| is_answered(&term.stem));
    terms.fold(0, |bits, (_, bit)| bits | 1 << bit)
}

/// Returns the words behind it that a word, with the one before it, takes back.
fn taken_back<'a, 'b>(before: &str, word: &str, behind: &'b [&'a str]) -> &'b [&'a str] {
    let together = behind.iter().take(MAX_TAKEN_BACK).take_while(|word| !is_stop_word(word)).count();
    match (before, word) {
        ("no", "longer") => &behind[..behind.len().min(MAX_NO_LONGER)],
        // "From Vim to Helix", and not "from today on".
        (_, "from") if behind.get(together) == Some(&"to") => &behind[..together],
        ("instead", "of") | ("rather", "than") => &behind[..together],
        _ if word.starts_with(REPLACES) => &behind[..together],
        _ => &[],
    }
}

/// Returns whether a text may take something back.
pub(super) fn may_take_back(text: &str) -> bool {
    [" longer ", "rom ", "nstead of ", "ather than ", "eplac"].iter().any(|sign| text.contains(sign))
}

fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

pub(super) fn is_month(word: &str) -> bool {
    word.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(word))
}

/// Words that say that something is otherwise than it was.
const CHANGED: [&str; 20] = [
    "actually",
    "anymore",
    "became",
    "bumped",
    "canceled",
    "cancelled",
    "correction",
    "currently",
    "dropped",
    "instead",
    "lowered",
    "moved",
    "moves",
    "moving",
    "new",
    "newly",
    "now",
    "pushed",
    "raised",
    "stopped",
];

/// The beginnings of words for a change.
const CHANGES: [&str; 18] = [
    "adjust",
    "chang",
    "decreas",
    "delay",
    "extend",
    "improv",
    "increas",
    "migrat",
    "postpon",
    "reduc",
    "relocat",
    "renam",
    "replac",
    "reschedul",
    "revis",
    "switch",
    "updat",
    "upgrad",
];

/// Words that say what something is, as of now, in folded form.
const COPULAS: [&str; 14] =
    ["ar", "are", "er", "es", "est", "esta", "este", "is", "ist", "jest", "sind", "sono", "sont", "zijn"];

/// The beginning of words for a replacement.
const REPLACES: &str = "replac";

/// The beginnings of words for a move, and the stems of its questions.
const MOVES: [&str; 2] = ["moved", "relocat"];
const DWELLS: [&str; 6] = ["live", "resid", "home", "address", "citi", "town"];
/// The stem of "use", in questions about all that is used.
const USE: &str = "us";

const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Numbers in words. "One", "first" and "second" are often none.
const NUMBERS: [(&str, &str); 19] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("third", "3"),
    ("fourth", "4"),
    ("fifth", "5"),
    ("sixth", "6"),
    ("seventh", "7"),
    ("eighth", "8"),
    ("ninth", "9"),
    ("tenth", "10"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_same_kind_are_told_from_others() {
        let of = |text| Statement::of(text, &Plan::of("standup budget interviews", false));
        for (one, other) in [
            ("standup at 9:00", "standup at 10:30"),
            ("standup at 9 am", "standup at 2pm"),
            ("standup on Monday", "standup on Friday, April 4"),
            ("budget of $1,200", "budget of $1,350"),
            ("budget until April 21", "budget until 22 April"),
            ("three interviews", "the fifth of 5 interviews"),
            ("standup takes 15-minute slots", "standup takes 20 minutes"),
            ("interviews on page 200", "interviews on page 220"),
        ] {
            assert!(of(other).has_other_values_than(&of(one)), "{one}: {:?} {:?}", of(one), of(other));
        }
        for (one, other) in [
            ("standup at 9:00", "standup at 9 am"),
            ("3 interviews", "budget of $5"),
            ("two interviews", "2 interviews"),
            ("budget of $1,200", "budget of $1200"),
        ] {
            assert!(!of(other).has_other_values_than(&of(one)), "{one}: {:?} {:?}", of(one), of(other));
        }
    }
}
