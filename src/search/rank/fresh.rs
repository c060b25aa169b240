//! What is said anew stands before what it was said of earlier.
//!
//! Two rows answer the same where the older has the better part of the query, and the newer the words of the query
//! that the older has. Fewer of them are enough with a sign of change: a word for it ("now", "moved"), another value
//! of the same kind (5 interviews, and not 3), or both; and one is enough where the newer takes back what the older
//! says ("from Vim to Helix"). The newer then comes to just before the older, and all others keep their order. A row
//! that has a word of the query which the newer lacks, and no sign against it, answers something else: it stays.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::fuse::{LOOKED_AT, Search};
use super::index::{Postings, Row, RowNo};
use super::query::Plan;
use super::stem::stem;
use super::terms::{Piece, Stemmer, folded, is_stop_word, pieces};

/// Of the query by weight, the older row has at least so much: what has less does not answer it.
const ANSWERS: f64 = 0.5;
/// Of what the older row has of the query but for names, the newer has at least so much: with one sign of change,
/// and with two.
const WITH_A_SIGN: f64 = 0.75;
const WITH_TWO: f64 = 0.5;
/// What is longer, in bytes, says so much that it has words and numbers of everything.
const LONGEST: u32 = 1500;
/// So many words behind one that takes back are what is taken back: as far as they stand together, and behind "no
/// longer" whatever they are.
const TOGETHER: usize = 3;
const NO_LONGER: usize = 5;

/// A row among the best.
struct Candidate<'a> {
    number: RowNo,
    row: &'a Row,
    /// Its words of the query, a bit each.
    has: u64,
    /// Whether it stands behind those that may be passed.
    is_far: bool,
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
    /// Their words, and their numbers as a whole.
    words: BTreeSet<String>,
    /// Those that are said to hold no longer.
    taken_back: BTreeSet<String>,
    /// Those that may be names, and are none of the query.
    names: BTreeSet<String>,
}

impl Search<'_> {
    /// Brings what is said anew to just before what it was said of earlier, among the best. The scores stay in their
    /// places. Returns the rows that were brought forward, with the ranks that they had.
    pub(crate) fn freshen(&self, ranked: &mut [(RowNo, f64)]) -> BTreeMap<RowNo, usize> {
        let near = self.ranking.freshness.min(ranked.len());
        let mut passed = BTreeMap::new();
        if near == 0 || self.plan.terms.is_empty() || asks_for_the_past(&self.plan.words) {
            return passed;
        }
        let looked_at = near.max(LOOKED_AT).min(ranked.len());
        let best = &mut ranked[..looked_at];
        let lists: Vec<_> = self.plan.terms.iter().map(|term| self.index.postings(&term.stem)).collect();
        let candidates: Vec<Candidate<'_>> = (0..)
            .zip(best.iter())
            .map(|(at, (number, _))| {
                let has =
                    lists.iter().zip(0..).filter(|(list, _)| list.is_some_and(|list| list.has(*number)));
                let has = has.fold(0, |bits, (_, bit)| bits | 1 << bit);
                let row = self.index.row(*number);
                Candidate { number: *number, row, has, is_far: at >= near, says: OnceCell::new() }
            })
            .collect();
        let weigh = |list: &Postings| match list.found_in(self.sight) {
            0 => 0.0,
            _ => self.index.weight(list, self.sight),
        };
        let asked = Asked {
            search: self,
            names: self.names() & candidates[..near].iter().fold(0, |bits, candidate| bits | candidate.has),
            numbers: self.numbers(),
            weights: lists.iter().map(|list| list.map_or(0.0, weigh)).collect(),
        };
        // The oldest first, so that each finds its forerunners in their places.
        let mut by_time: Vec<usize> = (0..looked_at).collect();
        by_time.sort_by(|one, other| candidates[*one].row.newer(candidates[*other].row));
        let mut order: Vec<usize> = (0..looked_at).collect();
        for newer in by_time {
            let Some(at) = order.iter().position(|place| *place == newer) else { continue };
            let mut before = order[..at.min(near)].iter();
            if let Some(to) = before.position(|older| asked.renews(&candidates[newer], &candidates[*older])) {
                order[to..=at].rotate_right(1);
                passed.insert(candidates[newer].number, newer + 1);
            }
        }
        for ((number, _), place) in best.iter_mut().zip(order) {
            *number = candidates[place].number;
        }
        passed
    }

    /// The words of the query that have a digit, a bit each.
    fn numbers(&self) -> u64 {
        let terms = self.plan.terms.iter().zip(0..);
        let numbers = terms.filter(|(term, _)| term.written.contains(|c: char| c.is_ascii_digit()));
        numbers.fold(0, |bits, (_, bit)| bits | 1 << bit)
    }

    /// The words of the query that are names, a bit each.
    fn names(&self) -> u64 {
        let names = self.entities.of(&self.plan.text);
        let terms = self.plan.terms.iter().zip(0..);
        terms.filter(|(term, _)| names.contains(&term.written)).fold(0, |bits, (_, bit)| bits | 1 << bit)
    }
}

/// A query, and what its words weigh.
struct Asked<'s, 'a> {
    search: &'s Search<'a>,
    /// The words that are names which rows have, a bit each.
    names: u64,
    /// The words with a digit, a bit each: a number that is asked for tells one thing from another.
    numbers: u64,
    /// 0 for what no row has.
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
            || older.has & !newer.has & self.numbers > 0
            || (newer.is_far && !self.text(newer).is_some_and(may_take_back))
        {
            return false;
        }
        let (says, said) = (self.statement(newer), self.statement(older));
        let (has, had) = (newer.has | says.stands_for, older.has | said.stands_for);
        let is_answer =
            self.weigh(had) >= ANSWERS * self.weigh(u64::MAX) && (self.names == 0 || had & self.names > 0);
        // Somebody else's answer to the same question is no news of the one who is asked for.
        let is_of_another =
            had & self.names & !has > 0 && says.names.iter().any(|name| !said.words.contains(name));
        if !is_answer || is_of_another {
            return false;
        }
        if says.changes && says.taken_back.iter().any(|word| said.words.contains(word)) {
            return true;
        }
        // Of whom it is says nothing of what it is about.
        let about = if had & !self.names > 0 { had & !self.names } else { had };
        let share = self.weigh(has & about) / self.weigh(about);
        let is_enough = match usize::from(says.changes) + usize::from(says.has_other_values_than(said)) {
            0 => had & !has == 0,
            1 => share >= WITH_A_SIGN,
            _ => share >= WITH_TWO,
        };
        is_enough && !newer.is_far
    }

    fn text(&self, candidate: &Candidate<'_>) -> Option<&str> {
        (self.search.text)(candidate.row.id)
    }

    fn statement<'c>(&self, candidate: &'c Candidate<'_>) -> &'c Statement {
        candidate
            .says
            .get_or_init(|| Statement::of(self.text(candidate).unwrap_or_default(), self.search.plan))
    }
}

/// Whether what one says may be news of what the other says: a speaker speaks for no other, and nobody for the human.
fn may_speak_for(newer: &Row, older: &Row) -> bool {
    let speaks_for_another = newer.speaker.zip(older.speaker).is_some_and(|(one, other)| one != other);
    !speaks_for_another && (newer.own || !older.own)
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
        for (at, word) in words.iter().enumerate() {
            let (before, behind) = (&words[..at], &words[at + 1..]);
            let last = before.last().copied().unwrap_or_default();
            if is_of_change(word) || (last, *word) == ("no", "longer") {
                self.changes = true;
                self.stands_for |= stands_for(before, word, behind, plan, asked_for);
            }
            let taken = taken_back(last, word, behind);
            let beside = taken.iter().filter(|word| !is_stop_word(word) && !asked_for.contains(**word));
            self.taken_back.extend(beside.map(|word| (*word).to_owned()));
        }
        self.words.extend(words.into_iter().map(str::to_owned));
    }

    /// Whether it counts or dates the same and says another value.
    fn has_other_values_than(&self, older: &Self) -> bool {
        self.values.iter().any(|(of_what, values)| {
            older.values.get(of_what).is_some_and(|before| !values.is_subset(before))
        })
    }
}

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

    /// What it counts or dates, and the value.
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

/// The words of a query that a word of change answers for, a bit each: who moved lives elsewhere, and what changed is
/// used no longer.
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

/// What a word, with the one before it, says of the words behind it to hold no longer.
fn taken_back<'a, 'b>(before: &str, word: &str, behind: &'b [&'a str]) -> &'b [&'a str] {
    let together = behind.iter().take(TOGETHER).take_while(|word| !is_stop_word(word)).count();
    match (before, word) {
        ("no", "longer") => &behind[..behind.len().min(NO_LONGER)],
        // "From Vim to Helix", and not "from today on".
        (_, "from") if behind.get(together) == Some(&"to") => &behind[..together],
        ("instead", "of") | ("rather", "than") => &behind[..together],
        _ if word.starts_with(REPLACES) => &behind[..together],
        _ => &[],
    }
}

/// Whether there can be something in a text that is taken back.
fn may_take_back(text: &str) -> bool {
    [" longer ", "rom ", "nstead of ", "ather than ", "eplac"].iter().any(|sign| text.contains(sign))
}

fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
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

/// How words begin that say that something else has its place.
const REPLACES: &str = "replac";

/// How words begin for which somebody lives elsewhere, and the stems of what is asked for then.
const MOVES: [&str; 2] = ["moved", "relocat"];
const DWELLS: [&str; 6] = ["live", "resid", "home", "address", "citi", "town"];
/// The stem of what is asked for of all that is used, whatever is said of it.
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
    use super::super::card::Card;
    use super::super::entity::GenericEntities;
    use super::super::fuse::{Ranked, Ranking};
    use super::super::index::{Index, Sight};
    use super::*;

    /// What is found of rows, the oldest first.
    fn search(rows: &[Card<'_>], ranking: &Ranking, query: &str) -> Vec<Ranked> {
        let mut index = Index::default();
        for card in rows {
            index.add(card);
        }
        let plan = Plan::of(query, false);
        let text = |id: i64| rows.iter().find(|card| card.id == id).map(|card| card.text);
        Search {
            index: &index,
            ranking,
            plan: &plan,
            sight: Sight::All,
            may: &|_| true,
            text: &text,
            entities: &GenericEntities,
        }
        .best(10)
    }

    fn cards<'a>(texts: &[&'a str]) -> Vec<Card<'a>> {
        (0..).zip(texts).map(|(id, text)| Card::of(id, text)).collect()
    }

    fn first(texts: &[&str], query: &str) -> usize {
        search(&cards(texts), &Ranking::default(), query)[0].number as usize
    }

    const EDITORS: [&str; 4] = [
        "Marta uses Vim as her editor",
        "The editor of Joris is Nano",
        "Marta has a red bicycle now",
        "Lunch with the team was late",
    ];

    #[test]
    fn what_is_said_anew_comes_just_before_what_was_said_of_it() {
        for update in [
            "Most days, as I said, Marta uses Helix as her editor",
            "The editor of Marta changed to Helix",
            "Marta switched from Vim to Helix",
            "Helix has replaced Vim for Marta",
        ] {
            let texts = [&EDITORS[..], &[update]].concat();
            assert_eq!(first(&texts, "Which editor does Marta use?"), 4, "{update}");
        }
        let texts = [&EDITORS[..], &["Marta switched from Vim to Helix"]].concat();
        let with = search(&cards(&texts), &Ranking::default(), "Which editor does Marta use?");
        let without = Ranking { freshness: 0, ..Ranking::default() };
        let without = search(&cards(&texts), &without, "Which editor does Marta use?");
        let order = |found: &[Ranked]| found.iter().map(|ranked| ranked.number).collect::<Vec<_>>();
        let mut rest = order(&with);
        assert_eq!(rest.remove(0), 4);
        assert_eq!(rest, order(&without).into_iter().filter(|row| *row != 4).collect::<Vec<_>>());
        let scores = |found: &[Ranked]| found.iter().map(|ranked| ranked.score).collect::<Vec<_>>();
        assert_eq!(scores(&with), scores(&without), "the scores stay in their places");
        let rank = order(&without).iter().position(|row| *row == 4).unwrap() + 1;
        assert_eq!(with[0].why.last(), Some(&("newer", rank)));
    }

    #[test]
    fn what_answers_something_else_passes_nothing() {
        for other in [
            "Joris now uses Helix as his editor",
            "Marta now uses Helix as a reading lamp",
            "Marta paid $20 for the editor's cake",
        ] {
            let texts = [&EDITORS[..], &[other]].concat();
            assert_eq!(first(&texts, "Which editor does Marta use for work?"), 0, "{other}");
        }
        let texts = ["The team uses Bun for testing", "The team now uses Bun for bundling"];
        assert_eq!(first(&texts, "What does the team use for testing?"), 0);
    }

    #[test]
    fn another_value_of_the_same_kind_is_a_sign_of_change() {
        let question = "How many interviews for the producer role at the studio?";
        for (newer, expected) in [
            ("So far it is 5 interviews for a role as producer", 1),
            ("All my long notes of interviews for a role as producer lie there", 0),
        ] {
            let old = "I had 3 interviews for the producer role at the studio";
            assert_eq!(
                first(&[old, newer, "The studio is closed", "A studio tour"], question),
                expected,
                "{newer}"
            );
        }
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

    #[test]
    fn who_asks_for_the_past_is_told_of_it() {
        let texts = [&EDITORS[..], &["Marta switched from Vim to Helix as editor"]].concat();
        for past in [
            "Which editor did Marta use originally?",
            "Which editor was it that Marta used to use?",
            "Marta's first editor",
        ] {
            assert_eq!(first(&texts, past), 0, "{past}");
        }
        assert_eq!(first(&texts, "Which editor is used by Marta?"), 4);
    }

    #[test]
    fn nobody_speaks_for_another() {
        let said = |id, text, own, speaker| Card { speaker, own, ..Card::of(id, text) };
        let [old, new] = ["I use Vim as editor", "I now use Helix as editor"];
        let found =
            |older, newer| search(&[older, newer], &Ranking::default(), "Which editor do you use?")[0].number;
        assert_eq!(found(said(0, old, true, None), said(1, new, true, None)), 1);
        assert_eq!(found(said(0, old, true, None), said(1, new, false, None)), 0, "a reply to the human");
        let (marta, joris) = (Some("Marta"), Some("Joris"));
        let plain = Ranking { freshness: 0, ..Ranking::default() };
        let rows =
            [said(0, old, true, marta), said(1, "By now I think that I use Helix as editor", true, joris)];
        let order = |ranking| {
            let found = search(&rows, ranking, "Which editor do you use?");
            found.iter().map(|ranked| ranked.number).collect::<Vec<_>>()
        };
        assert_eq!(order(&Ranking::default()), order(&plain), "another speaker");
    }
}
