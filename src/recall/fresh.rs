//! What is said anew stands before what it was said of earlier.
//!
//! Two rows answer the same where the older has the better part of the query, and the newer the words of the query
//! that the older has. Fewer of them are enough with a sign of change: a word for it ("now", "moved"), another value
//! of the same kind (5 interviews, and not 3), or both; and one is enough where the newer takes back what the older
//! says ("from Vim to Helix"). The newer then comes to just before the older, and all others keep their order. A row
//! that has a word of the query which the newer lacks, and no sign against it, answers something else: it stays.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::fuse::Search;
use super::index::{Row, RowNo};
use super::query::Plan;
use super::stem::stem;
use super::terms::{Piece, Stemmer, folded, is_stop_word, pieces};

/// Of the query by weight, the older row has at least so much: what has less does not answer it.
const ANSWERS: f64 = 0.5;
/// Of what the older row has of the query, the newer has at least so much, by the number of signs of change.
const IN_COMMON: [f64; 3] = [1.0, 0.8, 0.5];
/// What is longer, in bytes, says so much that it has words and numbers of everything.
const LONGEST: u32 = 1500;
/// So many words behind one that takes back are what is taken back.
const TAKEN_BACK: usize = 4;

/// A row among the best.
struct Candidate<'a> {
    number: RowNo,
    row: &'a Row,
    /// Its words of the query, a bit each.
    has: u64,
    /// What it says; looked at where it matters only.
    says: OnceCell<Statement>,
}

/// What the sentences of a row say that have a word of the query.
#[derive(Debug, Default)]
struct Statement {
    /// Whether they speak of a change.
    changes: bool,
    /// Words of the query that a word of change answers for, a bit each.
    stands_for: u64,
    /// Numbers, days and times, by what they count.
    values: BTreeMap<String, BTreeSet<String>>,
    /// All their words.
    words: BTreeSet<String>,
    /// Those that are said to hold no longer.
    taken_back: BTreeSet<String>,
    /// Those that may be names.
    names: BTreeSet<String>,
}

impl Search<'_> {
    /// Brings what is said anew to just before what it was said of earlier, among the best. The scores stay in their
    /// places. Returns the rows that were brought forward, with the ranks that they had.
    pub(super) fn freshen(&self, ranked: &mut [(RowNo, f64)]) -> BTreeMap<RowNo, usize> {
        let looked_at = self.ranking.freshness.min(ranked.len());
        let best = &mut ranked[..looked_at];
        let mut passed = BTreeMap::new();
        if best.len() < 2 || self.plan.terms.is_empty() || asks_for_the_past(&self.plan.words) {
            return passed;
        }
        let lists: Vec<_> = self.plan.terms.iter().map(|term| self.index.postings(&term.stem)).collect();
        let weights: Vec<f64> = lists
            .iter()
            .map(|list| {
                let found = list.filter(|list| list.found_in(self.sight) > 0);
                found.map_or(0.0, |list| self.index.weight(list, self.sight))
            })
            .collect();
        let has = |number: RowNo| {
            let has = lists.iter().zip(0..).filter(|(list, _)| list.is_some_and(|list| list.has(number)));
            has.fold(0_u64, |bits, (_, bit)| bits | 1 << bit)
        };
        let asked = Asked { search: self, names: self.names(), weights };
        let candidates: Vec<Candidate<'_>> = best
            .iter()
            .map(|(number, _)| {
                let (number, row) = (*number, self.index.row(*number));
                Candidate { number, row, has: has(number), says: OnceCell::new() }
            })
            .collect();
        // The oldest first, so that each finds its forerunners in their places.
        let mut by_time: Vec<usize> = (0..candidates.len()).collect();
        by_time.sort_by(|one, other| candidates[*one].row.newer(candidates[*other].row));
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        for newer in by_time {
            let Some(at) = order.iter().position(|place| *place == newer) else { continue };
            let over = order[..at].iter().position(|older| asked.renews(&candidates[newer], &candidates[*older]));
            if let Some(to) = over {
                order[to..=at].rotate_right(1);
                passed.insert(candidates[newer].number, newer + 1);
            }
        }
        for ((number, _), place) in best.iter_mut().zip(order) {
            *number = candidates[place].number;
        }
        passed
    }

    /// The words of the query that are names, a bit each.
    fn names(&self) -> u64 {
        let names = self.entities.of(&self.plan.text);
        let terms = self.plan.terms.iter().zip(0..);
        terms.filter(|(term, _)| names.contains(&term.written)).fold(0, |bits, (_, bit)| bits | 1 << bit)
    }
}

/// A query, and what a row must have to answer it.
struct Asked<'s, 'a> {
    search: &'s Search<'a>,
    /// The words that are names, a bit each.
    names: u64,
    /// What each word weighs; 0 where no row has it.
    weights: Vec<f64>,
}

impl Asked<'_, '_> {
    fn weigh(&self, bits: u64) -> f64 {
        self.weights.iter().zip(0..).filter(|(_, bit)| bits & 1 << bit > 0).map(|(weight, _)| weight).sum()
    }

    /// Whether a row answers what an older one answers.
    fn renews(&self, newer: &Candidate<'_>, older: &Candidate<'_>) -> bool {
        if !newer.row.newer(older.row).is_gt()
            || !may_speak_for(newer.row, older.row)
            || newer.row.bytes.max(older.row.bytes) > LONGEST
            || newer.has & older.has == 0
            || self.weigh(older.has) < ANSWERS * self.weigh(u64::MAX)
        {
            return false;
        }
        let (says, said) = (self.statement(newer), self.statement(older));
        let has = newer.has | says.stands_for;
        // Somebody else's answer to the same question is no news of the one who is asked for.
        let lacks_name = older.has & self.names & !has > 0;
        if lacks_name && says.names.iter().any(|name| !said.words.contains(name)) {
            return false;
        }
        if says.changes && says.taken_back.iter().any(|word| said.words.contains(word)) {
            return true;
        }
        let signs = usize::from(says.changes) + usize::from(says.has_other_values_than(said));
        self.weigh(has & older.has) >= IN_COMMON[signs] * self.weigh(older.has)
    }

    fn statement<'c>(&self, candidate: &'c Candidate<'_>) -> &'c Statement {
        candidate.says.get_or_init(|| {
            let text = (self.search.text)(candidate.row.id).unwrap_or_default();
            Statement::of(text, self.search.plan)
        })
    }
}

/// Whether what one says may be news of what the other says: a speaker speaks for no other, and what is said in reply
/// to the human, for nothing that the human said.
fn may_speak_for(newer: &Row, older: &Row) -> bool {
    let speaks_for_another = newer.speaker.zip(older.speaker).is_some_and(|(one, other)| one != other);
    !speaks_for_another && (newer.own || !older.own || newer.conversation.is_none())
}

/// Whether a query asks for what was, by its words in lower case.
fn asks_for_the_past(words: &[String]) -> bool {
    words.iter().any(|word| PAST.contains(&word.as_str()))
        || words.windows(2).any(|pair| pair[0] == "used" && pair[1] == "to")
}

impl Statement {
    fn of(text: &str, plan: &Plan) -> Self {
        let mut statement = Self::default();
        let mut stemmer = Stemmer::only(plan.terms.iter().map(|term| term.stem.as_str()));
        for sentence in sentences(text) {
            let mut asked_for = BTreeSet::new();
            stemmer.terms(sentence, |stem, word| {
                if plan.terms.iter().any(|term| term.stem == stem) {
                    asked_for.insert(word.to_owned());
                }
            });
            if asked_for.is_empty() && text.len() > SHORT {
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
        }
        let words: Vec<(&str, &str)> = chunks
            .iter()
            .flat_map(|chunk| chunk.words.iter().map(|(word, written)| (word.as_str(), *written)))
            .collect();
        for (at, (word, written)) in words.iter().enumerate() {
            let last = at.checked_sub(1).map_or("", |at| words[at].0);
            let changes = is_of_change(word) || (last, *word) == ("no", "longer");
            self.changes |= changes;
            if let Some((_, states)) = STATES.iter().find(|(change, _)| word.starts_with(change)) {
                let terms = plan.terms.iter().zip(0..);
                let answered = terms.filter(|(term, _)| states.contains(&term.stem.as_str()));
                self.stands_for = answered.fold(self.stands_for, |bits, (_, bit)| bits | 1 << bit);
            }
            if takes_back(last, word) {
                let behind = words[at + 1..].iter().map(|(word, _)| *word);
                let taken = behind.take(TAKEN_BACK).take_while(|word| !["to", "with", "but"].contains(word));
                let beside = taken.filter(|word| !is_stop_word(word) && !asked_for.contains(*word));
                self.taken_back.extend(beside.map(str::to_owned));
            }
            if written.starts_with(char::is_uppercase)
                && !changes
                && word.len() > 1
                && !is_stop_word(word)
                && !asked_for.contains(*word)
                && !WEEKDAYS.contains(word)
                && !is_month(word)
            {
                self.names.insert((*word).to_owned());
            }
            self.words.insert((*word).to_owned());
        }
    }

    /// Whether it counts or dates the same and says another value.
    fn has_other_values_than(&self, older: &Self) -> bool {
        self.values.iter().any(|(of_what, values)| {
            older.values.get(of_what).is_some_and(|before| !values.is_subset(before))
        })
    }
}

/// A row of fewer bytes is one statement, however many sentences it has.
const SHORT: usize = 0;

/// What stands between two white spaces.
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
            Piece::Word(word) => Some((folded(word), word)),
            _ => None,
        });
        Self { core, words: words.collect() }
    }

    fn first(&self) -> &str {
        self.words.first().map_or("", |(word, _)| word)
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", |(word, _)| word)
    }

    /// What it counts or dates, and the value.
    fn values(&self, before: Option<&Self>, behind: Option<&Self>) -> Vec<(String, String)> {
        let (before, behind) = (before.map_or("", Self::last), behind.map_or("", Self::first));
        let one = |of_what: &str, value: &str| vec![(of_what.to_owned(), value.to_owned())];
        let word = self.first();
        if WEEKDAYS.contains(&word) {
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

/// Whether what comes behind a word, and the one before it, is said to hold no longer.
fn takes_back(before: &str, word: &str) -> bool {
    matches!(
        (before, word),
        (_, "from" | "not" | "quit" | "stopped" | "dropped")
            | ("no", "longer")
            | ("instead", "of")
            | ("rather", "than")
    ) || word.starts_with("replac")
}

fn is_month(word: &str) -> bool {
    word.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(word))
}

/// Words that say of a query that it asks for what was.
const PAST: [&str; 12] = [
    "ago",
    "before",
    "earlier",
    "first",
    "former",
    "formerly",
    "initial",
    "initially",
    "original",
    "originally",
    "previous",
    "previously",
];

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

/// How words begin that say so.
const CHANGES: [&str; 18] = [
    "adjust", "chang", "decreas", "delay", "extend", "improv", "increas", "migrat", "postpon", "reduc",
    "relocat", "renam", "replac", "reschedul", "revis", "switch", "updat", "upgrad",
];

/// What a change is a change of, where it is another word: the stems of what is asked for.
const STATES: [(&str, &[&str]); 5] = [
    ("moved", &["live", "resid", "home", "address", "citi"]),
    ("relocat", &["live", "resid", "home", "address", "citi"]),
    ("joined", &["work", "job", "employ"]),
    ("hired", &["work", "job", "employ"]),
    ("switched", &["us"]),
];

const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
];

/// Numbers in words; the first two say more than a number.
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
