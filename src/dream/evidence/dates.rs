//! Dates: one that stands in the sources, is the journal's own, or follows from it by a word.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};
use regex::Regex;

use super::{Source, held};
use crate::dreamer::{Hold, HoldReason};
use crate::text;

/// A date as far as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SomeDate {
    pub(super) year: Option<i32>,
    month: u32,
    pub(super) day: Option<u32>,
    text: String,
}

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

static ISO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b").expect("a literal pattern"));
static DAY_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\b\.?(?: (\d{1,2})(?:st|nd|rd|th)?\b)?,?(?: (\d{4})\b)?")
        .expect("a literal pattern")
});

/// Takes the dates out of a text.
pub(super) fn take_dates(text: &str) -> (String, Vec<SomeDate>) {
    let mut dates = Vec::new();
    let number = |found: &regex::Captures<'_>, at: usize| {
        found.get(at).and_then(|digits| digits.as_str().parse::<u32>().ok())
    };
    let rest = ISO.replace_all(text, |found: &regex::Captures<'_>| {
        let month = number(found, 2).unwrap_or(0);
        let day = number(found, 3);
        if !(1..=12).contains(&month) || day.is_some_and(|day| !(1..=31).contains(&day)) {
            return found[0].to_owned();
        }
        let year = number(found, 1).and_then(|year| i32::try_from(year).ok());
        dates.push(SomeDate { year, month, day, text: found[0].to_owned() });
        " ".to_owned()
    });
    let rest = DAY_MONTH.replace_all(&rest, |found: &regex::Captures<'_>| {
        let day = number(found, 1).or_else(|| number(found, 3));
        let year = number(found, 4);
        let name = found[2].to_ascii_lowercase();
        // "May" and "mar" alone are words.
        if day.is_none() && year.is_none() && name.len() <= 4 {
            return found[0].to_owned();
        }
        let month = MONTHS.iter().position(|month| month.starts_with(&name[..3])).map_or(0, |at| at + 1);
        let year = year.and_then(|year| i32::try_from(year).ok());
        let month = u32::try_from(month).unwrap_or(0);
        dates.push(SomeDate { year, month, day, text: found[0].trim().to_owned() });
        " ".to_owned()
    });
    (rest.into_owned(), dates)
}

impl SomeDate {
    /// Whether this date is one of `other`'s, or vague in the same way.
    fn agrees(&self, other: &Self) -> bool {
        self.month == other.month
            && (self.year.is_none() || other.year.is_none() || self.year == other.year)
            && (self.day.is_none() || self.day == other.day)
    }

    fn covers(&self, date: NaiveDate) -> bool {
        self.month == date.month()
            && self.year.is_none_or(|year| year == date.year())
            && self.day.is_none_or(|day| day == date.day())
    }
}

/// A date stands in the sources, or is the journal's own, or follows from it by a word such as "tomorrow".
pub(super) fn check(claim: &[SomeDate], evidence: &[SomeDate], sources: &[Source]) -> Result<(), Hold> {
    for date in claim {
        let follows = || {
            sources.iter().any(|source| {
                let Some(day) = source.date else { return false };
                date.covers(day)
                    || source.lines.iter().any(|line| {
                        implied(line, day).into_iter().any(|(from, to)| {
                            from.iter_days().take_while(|day| *day <= to).any(|day| date.covers(day))
                        })
                    })
            })
        };
        if !evidence.iter().any(|other| date.agrees(other)) && !follows() {
            return Err(held(HoldReason::Date, &date.text));
        }
    }
    Ok(())
}

static AGO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (day|week|month|year)s? ago\b|\bin (\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (day|week|month|year)s?\b")
        .expect("a literal pattern")
});

/// The spans of days that words of a line point at, seen from the day of its journal.
fn implied(line: &str, day: NaiveDate) -> Vec<(NaiveDate, NaiveDate)> {
    let lower = line.to_lowercase();
    let words: Vec<String> = text::words(&lower).collect();
    let has = |word: &str| words.iter().any(|known| known == word);
    let pair = |one: &str, two: &str| words.windows(2).any(|pair| pair[0] == one && pair[1].starts_with(two));
    let span = |from: i64, to: i64| (day + TimeDelta::days(from), day + TimeDelta::days(to));
    let mut spans = Vec::new();
    for (word, from, to) in
        [("yesterday", -1, -1), ("today", 0, 0), ("tonight", 0, 0), ("tomorrow", 1, 1), ("weekend", -8, 8)]
    {
        if has(word) {
            spans.push(span(from, to));
        }
    }
    for (one, two, from, to) in [
        ("last", "night", -1, 0),
        ("last", "week", -14, 0),
        ("next", "week", 1, 14),
        ("this", "week", -6, 6),
        ("last", "month", -62, 0),
        ("next", "month", 1, 62),
        ("this", "month", -31, 31),
        ("last", "year", -731, 0),
        ("next", "year", 1, 731),
        ("this", "year", -366, 366),
    ] {
        if pair(one, two) {
            spans.push(span(from, to));
        }
    }
    for (name, weekday) in [
        ("monday", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wednesday", Weekday::Wed),
        ("thursday", Weekday::Thu),
        ("friday", Weekday::Fri),
        ("saturday", Weekday::Sat),
        ("sunday", Weekday::Sun),
    ] {
        if has(name) {
            let days =
                (-14..=14).map(|offset| day + TimeDelta::days(offset)).filter(|day| day.weekday() == weekday);
            spans.extend(days.map(|day| (day, day)));
        }
    }
    for found in AGO.captures_iter(&lower) {
        let (count, unit, sign) = match (found.get(1), found.get(2), found.get(3), found.get(4)) {
            (Some(count), Some(unit), ..) => (count.as_str(), unit.as_str(), -1),
            (_, _, Some(count), Some(unit)) => (count.as_str(), unit.as_str(), 1),
            _ => continue,
        };
        let count = count.parse().ok().or_else(|| super::numbers::number_word(count)).unwrap_or(1);
        let (days, slack) = match unit {
            "day" => (count, 0),
            "week" => (count * 7, 6),
            "month" => (count * 30, 16),
            _ => (count * 365, 183),
        };
        spans.push(span(sign * days - slack, sign * days + slack));
    }
    spans
}
