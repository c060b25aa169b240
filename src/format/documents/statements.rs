//! Statements of curated files, and which of them are the same.

use chrono::NaiveDate;

use super::curated::strip_date;
use super::journal::JournalName;
use super::labels;
use super::origin::Origin;
use super::speakers::{self, Speaker};
use crate::base::text;
use crate::format::replies::reply::{self, Citation};
use crate::format::state::log::key_hash;

/// Returns the hash under which a promoted statement is remembered.
pub(crate) fn statement_hash(bullet: &str) -> String {
    key_hash(&Statement::of(bullet).key())
}

/// Returns the lines of a curated file that say something: each bullet or line of prose, without markup and marks.
pub(crate) fn lines(memory: &str) -> impl Iterator<Item = &str> {
    text::line_ranges(memory)
        .map(|range| memory[range].trim())
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '<']))
        .map(reply::strip_bullet)
}

/// Returns what a line says behind its day, the role of its speaker, and its label: `2026-03-03: User: Remember: tea`.
pub(crate) fn said(line: &str) -> &str {
    let (_, rest) = strip_date(line);
    let rest = match speakers::read(rest) {
        Some(speaker) if !speaker.is_named() => rest[speaker.end..].trim_start(),
        _ => rest,
    };
    labels::mark(rest).map_or(rest, |end| rest[end..].trim_start())
}

/// Returns what a line of somebody [says](said), without their name in front: `2026-03-03: Ada: Remember: tea`.
pub(crate) fn said_by<'l>(name: &str, line: &'l str) -> &'l str {
    let (_, rest) = strip_date(line);
    match speakers::read(rest) {
        Some(Speaker { origin: Origin::Participant(other), end, .. })
            if text::same_name(&other) == text::same_name(name) =>
        {
            said(rest[end..].trim_start())
        }
        _ => said(line),
    }
}

/// A statement: the form of its words, and the day in front of it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        let mut is_of_journal = false;
        for name in citations.iter().filter_map(|cited| cited.name.as_ref()) {
            is_of_journal |= day.is_some() && JournalName::day_of(name.as_str()) == day;
        }
        Self { said: text::statement(rest), day, is_of_journal }
    }

    /// Returns the form in which it is remembered: with a day of its own, where it has one.
    pub(crate) fn key(&self) -> String {
        match self.day {
            Some(day) if !self.is_of_journal && !self.said.is_empty() => format!("{day} {}", self.said),
            _ => self.said.clone(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Returns the form of its words, without a day.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// Returns the day that it speaks of.
    pub(crate) fn own_day(&self) -> Option<NaiveDate> {
        self.day.filter(|_| !self.is_of_journal)
    }

    /// Returns the forms under which another statement finds that this one is the same.
    pub(crate) fn forms(&self) -> Vec<String> {
        let Self { said, day, is_of_journal } = self;
        let mut forms = vec![format!("any {said}")];
        forms.push(day.map_or_else(|| format!("undated {said}"), |day| format!("{day} {said}")));
        if *is_of_journal {
            forms.push(format!("heard {said}"));
        }
        forms
    }

    /// Returns the forms of those that are the same, the most like it first. One without a day is the same as one of
    /// any day, and one that was said on two days is one. Two with different days of their own are two: the next
    /// appointment is none that has been.
    pub(crate) fn same_forms(&self) -> Vec<String> {
        let Self { said, day, is_of_journal } = self;
        let mut forms = match day {
            Some(day) => vec![format!("{day} {said}"), format!("undated {said}")],
            None => vec![format!("any {said}")],
        };
        if *is_of_journal {
            forms.push(format!("heard {said}"));
        }
        forms
    }

    /// Returns whether another one is the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.said == other.said && other.same_forms().iter().any(|form| self.forms().contains(form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_ignore_bullets_marks_and_citations() {
        let memory =
            "# Memory\n- Prefers **tea**. (memory/2026-01-01.md#L3)\n<!-- dream:v1 id=x -->\n1. Two.\n";
        assert_eq!(
            lines(memory).map(|line| Statement::of(line).key()).collect::<Vec<_>>(),
            ["prefers tea", "two"]
        );
    }
}
