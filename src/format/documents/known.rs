//! The statements that memory knows, in the order of the days on which they were said.

use chrono::NaiveDate;

use super::cited::{Cited, cited, compared};
use super::journal::JournalName;
use super::negations::negates;
use super::statements::{Statement, lines};
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::text;
use crate::format::replies::reply::{Citation, split_citations};

/// A statement, and when it was said: the latest journal's day that it cites, and its places there.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    statement: Statement,
    day: Option<NaiveDate>,
    places: SortedSet<Cited>,
}

impl Heard {
    /// Reads a bullet, with what it cites.
    pub(crate) fn of(bullet: &str) -> Self {
        let (claim, citations) = split_citations(bullet);
        Self::new(Statement::citing(&claim, &citations), citations)
    }

    pub(crate) fn new(statement: Statement, citations: Vec<Citation>) -> Self {
        let places: SortedSet<Cited> = cited(citations).iter().map(compared).collect();
        let day = JournalName::last_day(&mut places.iter().map(|place| place.0.as_str()));
        Self { statement, day, places }
    }

    /// Reads the lines of a file. A statement that cites nothing has the time of the one above it.
    pub(crate) fn all(lines: &mut dyn Iterator<Item = &str>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in lines {
            let mut heard = Self::of(line);
            if let (None, Some(last)) = (heard.day, all.last()) {
                heard = Self { statement: heard.statement, ..last.clone() };
            }
            all.push(heard);
        }
        all
    }

    /// Returns whether another one says the same, whenever it was said.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.statement.is_same(&other.statement)
    }

    fn is_other_value(&self, other: &Self) -> bool {
        is_other_value(&self.statement, &other.statement)
    }

    /// Returns whether this was said before the other: on an earlier day, or further up in the same journal.
    fn is_before(&self, other: &Self) -> bool {
        if self.day != other.day {
            return self.day < other.day;
        }
        let mut is_before = false;
        for (journal, _, line) in &self.places {
            for (other_journal, _, other_line) in &other.places {
                if journal == other_journal && line >= other_line {
                    return false;
                }
                is_before |= journal == other_journal;
            }
        }
        is_before
    }
}

/// The statements that are known, each with a number to find by it.
///
/// A value that returns is news. Where the office was in Oslo, then in Bergen, and is in Oslo again, the third line is
/// none of the first.
#[derive(Debug, Default)]
pub(crate) struct KnownStatements {
    /// The number of each form of a statement.
    numbers: SortedMap<String, usize>,
    all: Vec<Heard>,
}

impl KnownStatements {
    /// Takes in what a curated file says.
    pub(crate) fn take(&mut self, memory: &str, number: usize) {
        for heard in Heard::all(&mut lines(memory)) {
            if !heard.statement.is_empty() {
                self.insert(heard, number);
            }
        }
    }

    /// Takes in a statement; the first number of one stays.
    pub(crate) fn insert(&mut self, heard: Heard, number: usize) {
        for form in heard.statement.forms() {
            self.numbers.entry(form).or_insert(number);
        }
        self.all.push(heard);
    }

    /// Returns the number of a statement that is the same, whenever it was said.
    pub(crate) fn find(&self, heard: &Heard) -> Option<usize> {
        heard.statement.same_forms().iter().find_map(|form| self.numbers.get(form).copied())
    }

    /// Returns the number of a statement that says this already: one that is the same, where it is no value that returned.
    pub(crate) fn says(&self, heard: &Heard) -> Option<usize> {
        match self.find(heard) {
            Some(_) if self.returns(heard, None) => None,
            found => found,
        }
    }

    /// Returns whether another value was said before this, after every line of the same statement and not before `since`.
    pub(crate) fn returns(&self, heard: &Heard, since: Option<NaiveDate>) -> bool {
        let is_news = |other: &Heard| {
            let is_before = other.day >= since && other.is_before(heard);
            let is_after = || self.all.iter().all(|same| !same.is_same(heard) || same.is_before(other));
            is_before && other.is_other_value(heard) && is_after()
        };
        heard.day.is_some() && self.all.iter().any(is_news)
    }

    /// Returns whether another value was said between two lines of one statement.
    pub(crate) fn parts(&self, one: &Heard, two: &Heard) -> bool {
        let (first, last) = if one.is_before(two) { (one, two) } else { (two, one) };
        let is_between =
            |other: &Heard| first.is_before(other) && other.is_before(last) && other.is_other_value(one);
        first.day.is_some() && self.all.iter().any(is_between)
    }
}

/// Returns whether a statement gives another value for the same thing. If both have a day of their own, it is the same
/// day.
pub(crate) fn is_other_value(one: &Statement, two: &Statement) -> bool {
    match (one.own_day(), two.own_day()) {
        (Some(one), Some(two)) if one != two => false,
        _ => differs_in_value(one.said(), two.said(), 2),
    }
}

/// Returns whether two statements have the same words except at one place, and at least `least_same` words around it.
/// The place is behind their subject. Two words are in front of it, and three in front of a number. Nearer to the front
/// a number is most often part of a name.
pub(crate) fn differs_in_value(one: &str, two: &str, least_same: usize) -> bool {
    /// The weight of a word; a sign of a script that parts no words weighs 1.
    const WORD: usize = 3;
    const MOST_OTHER: usize = 3 * WORD;
    const LEAST_IN_FRONT: usize = WORD + 1;
    const LEAST_BEFORE_A_NUMBER: usize = 3;
    // Most lines speak of something else, and say so by their first letter.
    if one.chars().next() != two.chars().next() {
        return false;
    }
    let (one, two) = (parts(one, WORD), parts(two, WORD));
    let shorter = one.len().min(two.len());
    let mut common = 0;
    while common < shorter && one[common] == two[common] {
        common += 1;
    }
    let (one_rest, two_rest) = (&one[common..], &two[common..]);
    let mut back = 0;
    while back < shorter - common && one[one.len() - 1 - back] == two[two.len() - 1 - back] {
        back += 1;
    }
    let (one_gap, one_end) = one_rest.split_at(one_rest.len() - back);
    let two_gap = &two_rest[..two_rest.len() - back];
    let (mut before, mut words_before) = (0, 0);
    for (word, weight) in &one[..common] {
        // A label says nothing of them.
        if !word.ends_with(':') {
            before += weight;
            words_before += 1;
        }
    }
    let (behind, gap) = (weight(one_end), weight(one_gap).max(weight(two_gap)));
    let (mut says_no, mut has_number) = (false, false);
    for (word, _) in one_gap.iter().chain(two_gap) {
        for word in text::words(word) {
            says_no |= negates(&word);
        }
        has_number |= word.contains(char::is_numeric);
    }
    let is_value = !one_gap.is_empty() && !two_gap.is_empty();
    let is_behind = before >= LEAST_IN_FRONT || (words_before > 0 && (behind == 0 || says_no));
    is_behind
        && before + behind >= least_same * WORD
        && gap <= MOST_OTHER
        && (is_value || says_no)
        && (words_before >= LEAST_BEFORE_A_NUMBER || !has_number)
}

fn weight(parts: &[(&str, usize)]) -> usize {
    let mut sum = 0;
    for (_, weight) in parts {
        sum += weight;
    }
    sum
}

/// Returns the words of a statement with what each weighs; of a script that parts none, the signs.
fn parts(text: &str, word_weight: usize) -> Vec<(&str, usize)> {
    let is_unparted = |c| ('\u{e00}'..='\u{eff}').contains(&c) || ('\u{3041}'..='\u{9fff}').contains(&c);
    let mut parts = Vec::new();
    for word in text.split(' ') {
        if word.contains(is_unparted) {
            parts.extend(word.char_indices().map(|(at, c)| (&word[at..at + c.len_utf8()], 1)));
        } else {
            parts.push((word, word_weight));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(known: &KnownStatements, line: &str) -> bool {
        known.says(&Heard::of(line)).is_some()
    }

    #[test]
    fn a_statement_of_another_day_is_another_and_one_without_a_day_is_that_of_any() {
        let mut known = KnownStatements::default();
        known.take(
            "- 2026-11-20: Dentist. (memory/2026-11-19.md#L1)\n- Prefers tea.\n\
             - 2026-11-19: Lunch is late. (memory/2026-11-19.md#L2)\n",
            0,
        );
        for (line, is_known) in [
            ("2026-11-20 - **Dentist**", true),
            ("2027-05-20: Dentist.", false),
            ("2026-11-19: Dentist. (memory/2026-11-19.md#L7)", false),
            ("Dentist.", true),
            ("2026-11-20: Prefers tea.", true),
            ("Prefers coffee.", false),
            ("2026-11-20: ", false),
            // It was said again on another day.
            ("2026-11-25: Lunch is late. (memory/2026-11-25-repl.md#L1)", true),
            ("Lunch is late.", true),
            ("2026-11-25: Lunch is late. (memory/2026-11-24.md#L1)", false),
        ] {
            assert_eq!(says(&known, line), is_known, "{line}");
        }
    }

    #[test]
    fn a_value_that_returns_is_news_once_and_what_only_looks_like_it_is_none() {
        let oslo = |place: &str| format!("The office is in Oslo. (memory/2026-11-{place})");
        let mut memory = format!("- {}\n", oslo("01.md#L1"));
        let news = |memory: &str, line: &str| {
            let mut known = KnownStatements::default();
            known.take(memory, 0);
            !says(&known, line)
        };
        assert!(!news(&memory, &oslo("03.md#L1")), "nothing was said between");
        memory += "- The office is in Bergen. (memory/2026-11-02.md#L4)\n";
        assert!(news(&memory, &oslo("03.md#L1")));
        assert!(news(&memory, &oslo("02.md#L5")), "later on that day");
        assert!(!news(&memory, &oslo("02.md#L3")), "earlier on that day");
        assert!(!news(&memory, &oslo("02-repl.md#L5")), "nobody knows");
        assert!(!news(&memory, &oslo("01.md#L1")), "read again");
        assert!(!news(&memory, "The office is in Oslo."), "it cites nothing");
        let by_hand = format!("{memory}- The office is in Oslo.\n");
        assert!(!news(&by_hand, &oslo("03.md#L1")), "written by a person after it");
        memory += &format!("- {}\n", oslo("03.md#L1"));
        for day in ["01", "03", "04"] {
            assert!(!news(&memory, &oslo(&format!("{day}.md#L1"))), "{day}");
        }
        assert!(news(&memory, "The office is in Bergen. (memory/2026-11-04.md#L1)"));
    }

    #[test]
    fn of_any_chain_of_values_each_change_is_news_and_nothing_else_is() {
        const PLACES: [&str; 3] = ["Oslo", "Bergen", "New York"];
        for chain in 0..3_usize.pow(7) {
            let (mut memory, mut before, mut known) = (String::new(), None, KnownStatements::default());
            for day in 1..=7 {
                let place = chain / 3_usize.pow(day - 1) % 3;
                let line = format!("The main office is in {}. (memory/2026-11-0{day}.md#L1)", PLACES[place]);
                let is_news = before != Some(place);
                assert_eq!(!says(&known, &line), is_news, "{line} after\n{memory}");
                if is_news {
                    memory += &format!("- {line}\n");
                    known.insert(Heard::of(&line), 0);
                }
                before = Some(place);
            }
        }
    }

    #[test]
    fn values_differ_in_one_place() {
        for (one, two, is_value) in [
            ("The office is in Oslo.", "The office is in Bergen.", true),
            ("We use Bazel.", "We do not use Bazel.", true),
            ("The budget is 500 euros a month.", "The budget is 650 euros a month.", true),
            ("Người phụ trách là Ánh.", "Người phụ trách là Minh.", true),
            ("オフィスはオスロにあります。", "オフィスはベルゲンにあります。", true),
            ("We use Bazel for all builds.", "We use Buck for all builds.", true),
            ("Ana lives in Oslo.", "Ben lives in Oslo.", false),
            ("Note: build 12 has passed.", "Note: build 13 has passed.", false),
            ("The Oslo office closes at five.", "The Turku office closes at five.", false),
            ("Marta likes tea.", "Marta likes green tea.", false),
            ("We ship.", "We sail.", false),
            ("The office is in Oslo.", "The office is closed on every Friday in May.", false),
        ] {
            let (one, two) = (Statement::of(one), Statement::of(two));
            assert_eq!(is_other_value(&one, &two), is_value, "{one:?} {two:?}");
            assert_eq!(is_other_value(&two, &one), is_value, "{two:?} {one:?}");
        }
        let of_day = |day: &str| Statement::of(&format!("{day}: Dentist."));
        assert!(!is_other_value(&of_day("2026-11-20"), &of_day("2026-11-27")), "two appointments");
    }
}
