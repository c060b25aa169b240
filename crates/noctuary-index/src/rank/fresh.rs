//! The order of newer statements before the older ones that they update.
//!
//! Two rows answer the same if the older has most of the query, and the newer the same words of it. Fewer of these words
//! are enough with a sign of change. A sign is a word for it ("now", "moved"), another value of the same kind (5
//! interviews, and not 3), or both. "The limit is 8192" after "The limit is 4096" needs no other sign. Without a sign,
//! the newer must say most of what the older says. The newer row then goes up to right before the older, and all others
//! keep their order. One word is enough where the newer takes back what the older says ("from Vim to Helix"). An older
//! row may have a word of the query that the newer lacks. Without a sign against it, the older row answers something
//! else and keeps its place. The verb of a question is no such word if the newer names the result of a change.
//!
//! A row that surely is news itself, by two signs or by a word that it takes back, is passed by no long row with fewer signs.
//! Otherwise the latest row with any number in it would come before the one that says the new value.
//!
//! Nothing moves for a question about several things, nor for one whether something ever was.
//!
//! News says less than what it changes, so it is further down. If the query names a person whom rows mention, short rows with
//! that name are looked at far behind the best.

use std::cell::OnceCell;

use super::asked::asks_whether_ever;
use super::card::Card;
use super::entity::GenericEntities;
use super::frequencies::Frequencies;
use super::fuse::{Freshened, Search};
use super::pool::{Pool, Row, RowNo};
use super::query::Plan;
use super::ranking::Ranking;
use super::statement::{Statement, is_month, may_take_back};
use super::term::Term;
use super::terms::is_stop_word;

/// The least part of the query, by weight, that the older row has: a row with less does not answer it.
const ANSWERS: f64 = 0.5;
/// The least share of the query's words in the older row that the newer row has, names left out. With one sign of change,
/// and with two.
const WITH_A_SIGN: f64 = 0.75;
const WITH_TWO: f64 = 0.5;
/// The same with two in a row of more than [`BRIEF`] bytes: it says the thing in words of its own. A brief row would name
/// it, and is about another one if it does not.
const WITH_TWO_AT_LENGTH: f64 = 0.35;
const BRIEF: u32 = 100;
/// The most words of a question about one thing, stop words left out.
const MOST_WORDS: usize = 10;
/// The least score of a newer row with two signs, as a share of the older row's score. Long rows have signs of
/// everything.
const HALF_AS_GOOD: f64 = 0.5;
/// The verbs of a question that leave its own verb to its end.
const DO: [&str; 3] = ["do", "does", "did"];
/// The most bytes of a row: a longer one has words and numbers of everything.
const LONGEST: u32 = 1500;

/// A row among the best.
struct Candidate<'a> {
    number: RowNo,
    row: &'a Row,
    score: f64,
    /// Whether it is behind the rows that may be passed.
    is_far: bool,
    /// Its statement; computed only if needed.
    says: OnceCell<Statement>,
}

impl Search<'_> {
    /// Moves rows up before older ones that they say anew, among the best. The scores stay in their places.
    pub(crate) fn freshen(&self, ranked: &mut [(RowNo, f64)]) -> Freshened {
        let near = self.ranking.freshness.min(ranked.len());
        let mut passed = Freshened::default();
        if near == 0 || !self.freshens() {
            return passed;
        }
        let places = self.places(ranked);
        let candidate = |at: &usize| self.candidate(ranked[*at], *at >= near);
        let candidates: Vec<Candidate<'_>> = places.iter().map(candidate).collect();
        let question = self.question(&candidates[..near]);
        // The oldest first, so that each finds its forerunners in their places.
        let by_time = by_time(&candidates);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        // Whether each surely is news of another.
        let mut is_sure = vec![false; candidates.len()];
        for newer in by_time {
            let renewal = |older: usize| question.renewal(&candidates[newer], &candidates[older]);
            let renewed: Vec<(usize, Renewal)> =
                order[..near].iter().filter_map(|older| Some((*older, renewal(*older)?))).collect();
            let is_passed = |(older, renewal): &&(usize, Renewal)| renewal.is_sure() || !is_sure[*older];
            let rows: Vec<usize> = renewed.iter().filter(is_passed).map(|(older, _)| *older).collect();
            is_sure[newer] = renewed.iter().any(|(_, renewal)| renewal.is_sure());
            let rows = put_before(&mut order, newer, &rows);
            if !rows.is_empty() {
                passed.ranks.insert(candidates[newer].number, places[newer] + 1);
            }
            let number = |row: usize| candidates[row].number;
            passed.pairs.extend(rows.iter().map(|older| (number(newer), number(*older))));
        }
        for (at, candidate) in places.into_iter().zip(order) {
            ranked[at].0 = candidates[candidate].number;
        }
        passed
    }

    fn candidate(&self, (number, score): (RowNo, f64), is_far: bool) -> Candidate<'_> {
        Candidate { number, row: self.pool.row(number), score, is_far, says: OnceCell::new() }
    }

    /// Returns the query with its names, of those that some rows have.
    fn question(&self, near: &[Candidate<'_>]) -> Question<'_, '_> {
        Question {
            search: self,
            names: self.names() & near.iter().fold(0, |bits, candidate| bits | candidate.row.has),
            told_of: self.told_of(),
            numbers: self.numbers(),
            verb: self.verb(),
            weights: (0..self.pool.words()).map(|word| self.frequencies.weight(word)).collect(),
        }
    }

    /// Returns whether rows may come before others.
    pub(super) fn freshens(&self) -> bool {
        let words = self.plan.words.iter().filter(|word| !is_stop_word(word)).count();
        self.ranking.freshness > 0
            && !self.plan.terms.is_empty()
            && words <= MOST_WORDS
            && !self.plan.may_ask_for_the_past()
            && !asks_whether_ever(&self.plan.words)
    }

    /// Returns the words of the query that have a digit or name a month, a bit each.
    fn numbers(&self) -> u64 {
        let terms = self.plan.terms.iter().zip(0..);
        let numbers = terms.filter(|(term, _)| {
            term.written.contains(|c: char| c.is_ascii_digit()) || is_month(&term.written)
        });
        numbers.fold(0, |bits, (_, bit)| bits | 1 << bit)
    }

    /// Returns the verb of a question with "do", a bit: the word behind the name of who does it.
    fn verb(&self) -> u64 {
        let (names, terms) = (self.told_of(), &self.plan.terms);
        let mut words = self.plan.words.iter().skip_while(|word| !DO.contains(&word.as_str())).skip(1);
        let bit = |word: &String| terms.iter().position(|term| term.written == *word).map_or(0, |at| 1 << at);
        if !words.any(|word| bit(word) & names > 0) {
            return 0;
        }
        words.map(bit).find(|bit| *bit > 0).unwrap_or(0) & !names
    }

    /// Returns the words of the query that are names mentioned in rows and not names of speakers, a bit each.
    pub(super) fn told_of(&self) -> u64 {
        let terms = self.plan.terms.iter().zip(0..);
        let speakers = terms.filter(|(term, _)| self.pool.speaker(&term.written).is_some());
        speakers.fold(self.names(), |bits, (_, bit)| bits & !(1 << bit))
    }

    /// Returns the words of the query that are names, a bit each.
    fn names(&self) -> u64 {
        let names = self.entities.of(&self.plan.text);
        let terms = self.plan.terms.iter().zip(0..);
        terms.filter(|(term, _)| names.contains(&term.written)).fold(0, |bits, (_, bit)| bits | 1 << bit)
    }
}

/// Puts a text before the older texts that it says anew, as a search of rows does. If the query asks for the past, it is put
/// behind them. Returns the ids in the new order, and each newer text's id with that of an older one.
///
/// `cards` come best first; each has an id of its own.
///
/// ```
/// use noctuary_index::rank::{Card, Plan, newest_first};
///
/// let cards = [Card::of(1, "The boat lies in Porto."), Card::of(2, "The boat lies in Faro now.")];
/// let (order, pairs) = newest_first(&Plan::of("Where does the boat lie?", false), &cards);
/// assert_eq!((order, pairs), (vec![2, 1], vec![(2, 1)]));
/// ```
#[must_use]
pub fn newest_first(plan: &Plan, cards: &[Card<'_>]) -> (Vec<i64>, Vec<(i64, i64)>) {
    let every_word: Vec<usize> = (0..plan.terms.len()).collect();
    let mut pool = Pool::of(plan, &every_word);
    let taken = cards.iter().filter(|card| pool.take(card, None)).count();
    let ranking = Ranking { short: 0, ..Ranking::default() };
    let frequencies = Frequencies::within(&pool);
    let entities = &GenericEntities;
    let search = Search { pool: &pool, frequencies: &frequencies, ranking: &ranking, plan, entities };
    let mut order: Vec<i64> = cards.iter().map(|card| card.id).collect();
    let (mut pairs, mut moved) = (Vec::new(), Vec::new());
    let asks_for_the_past = plan.asks_for_the_past();
    if !asks_for_the_past && !search.freshens() {
        return (order, pairs);
    }
    let near = (0..).take(taken.min(ranking.freshness));
    let candidates: Vec<Candidate<'_>> = near.map(|number| search.candidate((number, 1.0), false)).collect();
    let question = search.question(&candidates);
    // Of one word alone, two texts may say anything.
    let is_asked_for = |term: &&Term| !term.is_stem() && !is_stop_word(&term.written);
    let is_one_word = plan.terms.iter().filter(is_asked_for).count() < 2;
    for newer in by_time(&candidates) {
        let says = |at: usize| &question.statement(&candidates[at]).words;
        let is_renewed = |older: &usize| match question.renewal(&candidates[newer], &candidates[*older]) {
            Some(Renewal::TakesBack | Renewal::SaysAnother) => true,
            Some(Renewal::SaysAnew | Renewal::SaysAnewForSure) => !is_one_word,
            None => false,
        };
        // The same words are no news.
        let is_news = |older: &usize| is_renewed(older) && says(newer) != says(*older);
        moved.extend((0..candidates.len()).filter(is_news).map(|older| (newer, older)));
    }
    if asks_for_the_past {
        for (newer, older) in moved {
            let place = |at: usize| order.iter().position(|other| *other == candidates[at].row.id);
            if let Some((from, to)) = place(older).zip(place(newer)).filter(|(from, to)| from > to) {
                order[to..=from].rotate_right(1);
            }
        }
        return (order, pairs);
    }
    for (at, (newer, older)) in moved.iter().enumerate() {
        let id = |at: usize| candidates[at].row.id;
        let place = |at: usize| order.iter().position(|other| *other == id(at));
        // The newest comes before all that say the same anew.
        let others = moved[..at].iter().filter(|(_, other)| other == older).map(|(newer, _)| *newer);
        let before = std::iter::once(*older).chain(others).filter_map(place).min();
        if let Some((from, to)) = place(*newer).zip(before).filter(|(from, to)| from > to) {
            order[to..=from].rotate_right(1);
        }
        pairs.push((id(*newer), id(*older)));
    }
    (order, pairs)
}

/// Returns the places of rows, the oldest first.
fn by_time(candidates: &[Candidate<'_>]) -> Vec<usize> {
    let mut by_time: Vec<usize> = (0..candidates.len()).collect();
    by_time.sort_by(|one, other| candidates[*one].row.newer(candidates[*other].row));
    by_time
}

/// The way in which a row answers what an older one answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Renewal {
    /// It says another thing of the same.
    SaysAnew,
    /// It does so with two signs of change, or briefly.
    SaysAnewForSure,
    /// It takes back a word of it.
    TakesBack,
    /// It says in the same words that the same thing is another.
    SaysAnother,
}

impl Renewal {
    /// Returns whether it is more than one sign in a long row.
    fn is_sure(self) -> bool {
        self != Self::SaysAnew
    }
}

/// A query, and what its words weigh.
struct Question<'s, 'a> {
    search: &'s Search<'a>,
    /// The words that are names which rows have, a bit each.
    names: u64,
    /// The names that rows mention: a speaker says "I".
    told_of: u64,
    /// The words with a digit and months, a bit each: in a query they distinguish things.
    numbers: u64,
    /// The verb, a bit: a word of change is in its place.
    verb: u64,
    /// 0 for what no row has.
    weights: Vec<f64>,
}

impl Question<'_, '_> {
    fn weigh(&self, bits: u64) -> f64 {
        self.weights.iter().zip(0..).filter(|(_, bit)| bits & 1 << bit > 0).map(|(weight, _)| weight).sum()
    }

    /// Returns how a row answers what an older one answers; `None` if it does not.
    fn renewal(&self, newer: &Candidate<'_>, older: &Candidate<'_>) -> Option<Renewal> {
        // From afar only a short row counts: a longer one takes back many things.
        let longest = if newer.is_far { self.search.ranking.short } else { LONGEST };
        if !newer.row.newer(older.row).is_gt()
            || !may_speak_for(newer.row, older.row)
            || newer.row.bytes.max(older.row.bytes) > longest
            || newer.row.has & older.row.has == 0
            || older.row.has & !newer.row.has & self.numbers > 0
            || (newer.is_far && newer.row.has & self.told_of == 0 && !may_take_back(self.text(newer)))
        {
            return None;
        }
        let (says, said) = (self.statement(newer), self.statement(older));
        let (has, had) = (newer.row.has | says.stands_for, older.row.has | said.stands_for);
        let is_answer =
            self.weigh(had) >= ANSWERS * self.weigh(u64::MAX) && (self.names == 0 || had & self.names > 0);
        // Somebody else's answer to the same question is no news of the one who is asked for.
        let is_of_another =
            had & self.names & !has > 0 && says.names.iter().any(|name| !said.words.contains(name));
        if !is_answer || is_of_another {
            return None;
        }
        if says.changes && says.taken_back.iter().any(|word| said.words.contains(word)) {
            return Some(Renewal::TakesBack);
        }
        if !newer.is_far && says.says_another_than(said) {
            return Some(Renewal::SaysAnother);
        }
        // Of whom it is says nothing of what it is about.
        let mut about = if had & !self.names > 0 { had & !self.names } else { had };
        // "Moved on to water" needs no "drinks", where the rest is said and nothing more.
        let is_turned = says.leads_to && says.others.len() <= said.others.len();
        if is_turned && has & about & !self.verb > 0 {
            about &= !self.verb;
        }
        let share = self.weigh(has & about) / self.weigh(about);
        let signs = usize::from(says.changes) + usize::from(says.has_other_values_than(said));
        let is_enough = match signs {
            0 => had & !has == 0 && says.has_most_words_of(said),
            1 => share >= WITH_A_SIGN,
            _ if newer.row.bytes > BRIEF => {
                share >= WITH_TWO_AT_LENGTH && newer.score >= HALF_AS_GOOD * older.score
            }
            _ => share >= WITH_TWO && newer.score >= HALF_AS_GOOD * older.score,
        };
        // From afar it says that something changed, of whom the query names.
        let is_near = !newer.is_far || (says.changes && newer.row.has & older.row.has & self.told_of > 0);
        let is_sure = signs == 2 || newer.row.bytes <= BRIEF;
        let renewal = if is_sure { Renewal::SaysAnewForSure } else { Renewal::SaysAnew };
        (is_enough && is_near).then_some(renewal)
    }

    fn text(&self, candidate: &Candidate<'_>) -> &str {
        self.search.pool.text(candidate.number)
    }

    fn statement<'c>(&self, candidate: &'c Candidate<'_>) -> &'c Statement {
        candidate.says.get_or_init(|| Statement::of(self.text(candidate), self.search.plan))
    }
}

/// Returns whether one row may update the other: a speaker speaks for no other, and nobody for the human.
fn may_speak_for(newer: &Row, older: &Row) -> bool {
    let speaks_for_another = newer.speaker.zip(older.speaker).is_some_and(|(one, other)| one != other);
    !speaks_for_another && (newer.own || !older.own)
}

/// Puts a newer row right before the first of some others, and returns those that it passed, in their order. All others
/// keep theirs.
fn put_before(order: &mut [usize], newer: usize, rows: &[usize]) -> Vec<usize> {
    let Some(at) = order.iter().position(|row| *row == newer) else { return Vec::new() };
    let passed: Vec<usize> = order[..at].iter().copied().filter(|row| rows.contains(row)).collect();
    if let Some(first) = order[..at].iter().position(|row| rows.contains(row)) {
        order[first..=at].rotate_right(1);
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::super::fuse::Ranked;
    use super::super::order::Order;
    use super::super::signal::Signal;
    use super::*;
    use chrono::NaiveDate;

    /// Searches rows, the oldest first.
    fn search(rows: &[Card<'_>], ranking: &Ranking, query: &str) -> Vec<Ranked> {
        let plan = Plan::of(query, false);
        let all: Vec<usize> = (0..plan.terms.len()).collect();
        let mut pool = Pool::of(&plan, &all);
        assert!(rows.iter().filter(|card| pool.take(card, None)).count() > 0);
        let mut frequencies = Frequencies::of(u32::try_from(rows.len()).unwrap());
        for word in &all {
            frequencies.push(pool.found_in(*word));
        }
        let entities = &GenericEntities;
        let search = Search { pool: &pool, frequencies: &frequencies, ranking, plan: &plan, entities };
        search.run(search.weigh(Order::Relevance, 10)).1
    }

    fn cards<'a>(texts: &[&'a str]) -> Vec<Card<'a>> {
        (0..).zip(texts).map(|(id, text)| Card::of(id, text)).collect()
    }

    fn first(texts: &[&str], query: &str) -> usize {
        search(&cards(texts), &Ranking::default(), query)[0].id.try_into().unwrap()
    }

    const EDITORS: [&str; 4] = [
        "Marta uses Vim as her editor",
        "The editor of Joris is Nano",
        "Marta has a red bicycle now",
        "Lunch with the team was late",
    ];

    fn order(found: &[Ranked]) -> Vec<i64> {
        found.iter().map(|ranked| ranked.id).collect()
    }

    #[test]
    fn what_is_said_anew_comes_before_what_was_said_of_it() {
        for update in [
            "Marta uses Helix as her editor",
            "The editor of Marta changed to Helix",
            "Marta switched from Vim to Helix",
            "Helix has replaced Vim for Marta",
        ] {
            let texts = [&EDITORS[..], &[update]].concat();
            assert_eq!(first(&texts, "Which editor does Marta use?"), 4, "{update}");
        }
    }

    /// Three lines: the second says the first anew, with less of the query than the third.
    const BUDGETS: [&str; 4] = [
        "The travel budget of the design team was set to $400 in March",
        "The team has a travel budget of $900 now, says Ines",
        "For the travel budget the design team wrote a long letter to the board of directors",
        "The design team asked for lunch",
    ];

    #[test]
    // The older row went down behind the newer one, so that a row that says neither came first.
    fn the_newer_row_goes_up_to_right_before_the_older_and_no_other_moves() {
        let ask = |freshness| {
            let ranking = Ranking { freshness, ..Ranking::default() };
            search(&cards(&BUDGETS), &ranking, "What is the travel budget of the design team?")
        };
        let (with, without) = (ask(10), ask(0));
        assert_eq!(order(&without), [0, 2, 1, 3], "a third row is between the two");
        assert_eq!(order(&with), [1, 0, 2, 3]);
        let scores = |found: &[Ranked]| found.iter().map(|ranked| ranked.score).collect::<Vec<_>>();
        assert_eq!(scores(&with), scores(&without), "the scores stay in their places");
        assert_eq!(with[0].why.last(), Some(&(Signal::Newer, 3)));
    }

    // The latest row with any number of hours came before the one with the new number.
    #[test]
    fn a_row_with_one_sign_passes_no_row_that_surely_is_news() {
        let texts = [
            "I tracked 12 hours of overtime in February",
            "I have now tracked 4 hours of overtime, as of March",
            "I tracked the 40 hours of overtime that others asked for, and want to know how to keep the whole team away from \
             such weeks in the next quarter",
        ];
        let query = "How many hours of overtime have I tracked?";
        assert_eq!(first(&texts, query), 1);
        assert_eq!(first(&[texts[0], texts[2]], query), 1, "it passes a row that is no news");
    }

    #[test]
    fn nothing_moves_where_no_state_is_asked_for() {
        let old = "I showed the letter about the new roof to Ana in June";
        let texts = [old, "I show the letter about the roof to Ana again now"];
        assert_eq!(first(&texts, "Who saw the letter about the roof, is it Ana?"), 1);
        assert_eq!(first(&texts, "Have I shown the letter about the new roof to Ana?"), 0, "ever");
        let of_many = "Is it Ana who saw the letter about the new roof, in which month, with whom, \
                       before or behind lunch, on paper or by mail, in town or abroad?";
        assert_eq!(first(&texts, of_many), 0, "it asks for several things");
    }

    // "From April 6 to April 8" took back every row with a day in April.
    #[test]
    fn a_day_that_is_taken_back_is_no_other_day_of_its_month() {
        let old = "The deadline for the draft of the group is April 20";
        let query = "What is the deadline for the draft of the group?";
        for (newer, is_first) in [
            ("I moved my writing from April 6 to April 8 and fear for every deadline", false),
            ("I moved the deadline from April 20 to April 28 at last", true),
            ("I moved the deadline from April to May at last", true),
        ] {
            assert_eq!(first(&[old, newer], query) == 1, is_first, "{newer}");
        }
    }

    #[test]
    fn a_word_of_change_stands_in_the_place_of_the_verb() {
        let question = "What does Marta drink in the morning?";
        let old = "Marta drinks chicory in the morning";
        for (newer, is_first) in [
            ("Marta moved on to water in the morning", true),
            ("Marta moved her morning run", false),
            ("Marta moved the morning run with the team to Tuesday", false),
            ("Marta switched to water in the evening", false),
        ] {
            let texts = [old, newer, "Joris drinks cocoa in the morning", "Lunch was late"];
            let found = order(&search(&cards(&texts), &Ranking::default(), question));
            let place = |row: i64| found.iter().position(|found| *found == row);
            assert_eq!(place(1) < place(0), is_first, "{newer}: {found:?}");
        }
    }

    #[test]
    fn news_of_whom_the_query_names_is_found_far_down() {
        let question = "On which port does the gateway of Lucia listen?";
        let mut texts = vec!["The gateway of Lucia listens on port 5005".to_owned()];
        texts.extend((0..70).map(|at| format!("Lucia asked for the gateway and the port of house {at}")));
        texts.push("Lucia switched from 5005 to 8080".to_owned());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = search(&cards(&texts), &Ranking::default(), question);
        assert_eq!(found[0].id, 71);
        assert!(
            found[0].why.iter().any(|(signal, rank)| *signal == Signal::Newer && *rank > 50),
            "{found:?}"
        );
        // Of one who speaks, others do not tell.
        let said = cards(&texts).into_iter().map(|card| Card { speaker: Some("Lucia"), ..card });
        let said: Vec<Card<'_>> = said.collect();
        assert_eq!(search(&said, &Ranking::default(), question)[0].id, 0);
    }

    #[test]
    fn rows_are_moved_by_hand_as_said() {
        let mut order = vec![0, 1, 2, 3, 4];
        assert_eq!(put_before(&mut order, 3, &[4, 2, 1]), [1, 2]);
        assert_eq!(order, [0, 3, 1, 2, 4]);
        assert_eq!(put_before(&mut order, 0, &[4]), [0; 0]);
        assert_eq!(order, [0, 3, 1, 2, 4]);
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
    }

    #[test]
    fn what_something_is_now_comes_before_what_it_was() {
        for (query, old, new, is_news) in [
            ("max_tokens", "max_tokens is 4096.", "max_tokens is 8192.", true),
            ("Where is the office?", "The office is in Oslo.", "The office is in Bergen.", true),
            ("Wo ist das Büro?", "Das Büro ist in Oslo.", "Das Büro ist in Bergen jetzt.", true),
            ("Where is the printer?", "The printer is upstairs.", "The printer is broken.", false),
            ("friend", "My friend is Ana.", "My friend is Boris.", false),
            (
                "locker code",
                "The locker code is four-seven-one-nine.",
                "The locker code is three-three-two-eight.",
                true,
            ),
            ("the locker code", "The locker code is 7.", "The locker code is 7!", false),
            ("Where is the office?", "The office is in Oslo.", "The office is in Oslo.", false),
            (
                "Where is the office?",
                "The office is in Oslo.",
                "The office is closed on all Fridays in May.",
                false,
            ),
            ("Where is the office?", "The office is in Oslo.", "The office of Joris is in Bergen.", false),
            ("Is there a cat?", "There is a cat.", "There is a dog.", false),
        ] {
            let cards = cards(&[old, new]);
            let (_, pairs) = newest_first(&Plan::of(query, false), &cards);
            assert_eq!(pairs == [(1, 0)], is_news, "{query} {old} {new}: {pairs:?}");
        }
        let offices = cards(&["The office is in Bergen.", "The office is in Oslo."]).into_iter().zip([9, 3]);
        let offices: Vec<Card<'_>> = offices.map(|(card, touched)| Card { touched, ..card }).collect();
        let past = Plan::of("Where was the office originally?", false);
        assert_eq!(newest_first(&past, &offices), (vec![1, 0], Vec::new()));
    }

    #[test]
    fn a_part_of_a_link_that_is_asked_for_is_not_taken_back() {
        let plan = Plan::of("[[billing]]", false);
        let cards = cards(&[
            "The invoices come from [[services/billing]].",
            "Olaf no longer reviews changes to [[services/billing]]; Ines does.",
        ]);
        assert_eq!(newest_first(&plan, &cards), (vec![0, 1], Vec::new()));
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

    // "What was it in April?" was answered by what was said in August.
    #[test]
    fn what_was_said_in_a_month_that_is_asked_for_keeps_its_place() {
        let texts = ["The rent of the yard is $148", "The rent of the yard is $136"];
        let on = |month| NaiveDate::from_ymd_opt(2026, month, 9);
        let said = cards(&texts).into_iter().zip([4, 8]);
        let said: Vec<Card<'_>> = said.map(|(card, month)| Card { said_on: on(month), ..card }).collect();
        let first = |query| search(&said, &Ranking::default(), query)[0].id;
        assert_eq!(first("What was the rent of the yard in April?"), 0);
        assert_eq!(first("What is the rent of the yard?"), 1);
    }

    #[test]
    fn nobody_speaks_for_another() {
        let said = |id, text, own, speaker| Card { speaker, own, ..Card::of(id, text) };
        let [old, new] = ["I use Vim as editor", "I now use Helix as editor"];
        let found =
            |older, newer| search(&[older, newer], &Ranking::default(), "Which editor do you use?")[0].id;
        assert_eq!(found(said(0, old, true, None), said(1, new, true, None)), 1);
        assert_eq!(found(said(0, old, true, None), said(1, new, false, None)), 0, "a reply to the human");
        let (marta, joris) = (Some("Marta"), Some("Joris"));
        let plain = Ranking { freshness: 0, ..Ranking::default() };
        let rows =
            [said(0, old, true, marta), said(1, "By now I think that I use Helix as editor", true, joris)];
        let ask = |ranking| order(&search(&rows, ranking, "Which editor do you use?"));
        assert_eq!(ask(&Ranking::default()), ask(&plain), "another speaker");
    }
}
