//! Statements of curated files, and which of them are the same.

use chrono::NaiveDate;

use super::curated::strip_date;
use super::journal::JournalName;
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::format::replies::reply::{self, Citation};
use crate::format::state::log::key_hash;

/// Returns the hash under which a promoted statement is remembered.
pub(crate) fn statement_hash(bullet: &str) -> String {
    key_hash(&Statement::of(bullet).key())
}

/// Returns the statements of a curated file: each bullet or line of prose, without markup, marks and citations.
pub(crate) fn statements(memory: &str) -> impl Iterator<Item = Statement> + '_ {
    text::line_ranges(memory)
        .map(|range| memory[range].trim())
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '<']))
        .map(|line| Statement::of(reply::strip_bullet(line)))
        .filter(|statement| !statement.said.is_empty())
}

/// A statement: the form of its words, and the day in front of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    said: String,
    day: Option<NaiveDate>,
    /// Whether the day is that of a cited journal: when it was said, and no part of what was said.
    is_of_journal: bool,
}

impl Statement {
    /// Reads a bullet, with what it cites.
    pub(crate) fn of(bullet: &str) -> Self {
        let (claim, citations) = reply::split_citations(bullet);
        Self::citing(&claim, &citations)
    }

    /// Reads a bullet whose citations were taken out.
    pub(crate) fn citing(claim: &str, citations: &[Citation]) -> Self {
        let (day, rest) = strip_date(claim);
        let journals = citations.iter().filter_map(|cited| JournalName::parse(cited.name.as_ref()?));
        let is_of_journal =
            day.is_some() && journals.map(|journal| journal.date()).any(|date| Some(date) == day);
        Self { said: text::statement(rest), day, is_of_journal }
    }

    /// Returns the form in which it is remembered: with a day of its own, where it has one.
    pub(crate) fn key(&self) -> String {
        match self.day {
            Some(day) if !self.is_of_journal && !self.said.is_empty() => format!("{day} {}", self.said),
            _ => self.said.clone(),
        }
    }
}

/// The statements that are known. One without a day is the same as one of any day, and one that was said on two days is one; two with
/// different days of their own are two: the next appointment is none that has been.
#[derive(Debug, Default)]
pub(crate) struct KnownStatements(SortedMap<String, usize>);

impl KnownStatements {
    /// Takes in what a curated file says.
    pub(crate) fn take(&mut self, memory: &str) {
        for statement in statements(memory) {
            self.insert(&statement, 0);
        }
    }

    /// Takes in a statement, and a number to find with it; the first number of a statement stays.
    pub(crate) fn insert(&mut self, Statement { said, day, is_of_journal }: &Statement, number: usize) {
        let of_day = day.map_or_else(|| format!("undated {said}"), |day| format!("{day} {said}"));
        let of_journal = is_of_journal.then(|| format!("heard {said}"));
        for form in [format!("any {said}"), of_day].into_iter().chain(of_journal) {
            self.0.entry(form).or_insert(number);
        }
    }

    /// Returns the number of a statement that is the same.
    pub(crate) fn find(&self, Statement { said, day, is_of_journal }: &Statement) -> Option<usize> {
        let Some(day) = day else { return self.0.get(&format!("any {said}")).copied() };
        let of_journal = is_of_journal.then(|| format!("heard {said}"));
        let mut forms = [format!("{day} {said}"), format!("undated {said}")].into_iter().chain(of_journal);
        forms.find_map(|form| self.0.get(&form).copied())
    }

    /// Returns whether one is the same.
    pub(crate) fn has(&self, statement: &Statement) -> bool {
        self.find(statement).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_ignore_bullets_marks_and_citations() {
        let memory =
            "# Memory\n- Prefers **tea**. (memory/2026-01-01.md#L3)\n<!-- dream:v1 id=x -->\n1. Two.\n";
        assert_eq!(statements(memory).map(|one| one.key()).collect::<Vec<_>>(), ["prefers tea", "two"]);
    }

    #[test]
    fn a_statement_of_another_day_is_another_and_one_without_a_day_is_that_of_any() {
        let mut known = KnownStatements::default();
        known.take(
            "- 2026-11-20: Dentist. (memory/2026-11-19.md#L1)\n- Prefers tea.\n\
             - 2026-11-19: Lunch is late. (memory/2026-11-19.md#L2)\n",
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
            assert_eq!(known.has(&Statement::of(line)), is_known, "{line}");
        }
    }
}
