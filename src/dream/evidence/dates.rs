//! Dates: one that is in the sources, is the journal's own, or follows from it by a word.

use std::cell::OnceCell;
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};
use regex::Regex;

use super::implied::implied;
use super::shown::{Source, held};
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::relative::Span;
use crate::base::spread::Spread;
use crate::dreamer::{Hold, HoldReason};

/// The character that replaces a date that was taken out of a text.
pub(crate) const TAKEN: &str = "\u{1}";

/// A date as far as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SomeDate {
    year: Option<i32>,
    month: u32,
    day: Option<u32>,
    /// Day and month may be the other way round: "05/12/2026".
    swaps: bool,
    /// Any day of the month will do: "end of March".
    vague: bool,
    text: String,
}

/// The names of the months, a pattern for each.
static MONTHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines = include_str!("months.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.replace('\t', "|")).gather()
});

/// Returns the number of the month that a word names, from 1.
fn month(name: &str) -> Option<u32> {
    let at = MONTHS.iter().position(|names| names.split('|').any(|known| known == name))?;
    u32::try_from(at + 1).ok()
}

fn month_names() -> String {
    MONTHS.join("|")
}

static NUMERIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-u:\b)(?:(\d{4})[-/](\d{2})(?:[-/](\d{2}))?|(\d{1,2})([./])(\d{1,2})[./](\d{4}))(?-u:\b)|(?:(\d{4})\s?年\s?)?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?",
    )
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let names = month_names();
    pattern(&format!(
        r"(?i)(?-u:\b)(\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: of| de)?[ -]({names})\b\.?(?:,?(?: de)? (\d{{4}})\b)?|\b({names})\b\.?(?:[ -](?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,? (\d{{4}})\b)?"
    ))
});

fn number(found: &regex::Captures<'_>, at: usize) -> Option<u32> {
    found.get(at).and_then(|digits| digits.as_str().parse().ok())
}

fn year(found: &regex::Captures<'_>, at: usize) -> Option<i32> {
    number(found, at).and_then(|year| i32::try_from(year).ok())
}

/// Takes the dates out of a text.
pub(crate) fn take_dates(text: &str) -> (String, Vec<SomeDate>) {
    let mut dates = Vec::new();
    let rest = NUMERIC.replace_all(text, |found: &regex::Captures<'_>| match numeric(found) {
        Some(date) => {
            dates.push(date);
            TAKEN.to_owned()
        }
        None => found[0].to_owned(),
    });
    let rest = NAMED.replace_all(&rest, |found: &regex::Captures<'_>| {
        let start = found.get(0).map_or(0, |whole| whole.start());
        match named(found, &rest[..start]) {
            Some(date) => {
                dates.push(date);
                TAKEN.to_owned()
            }
            None => found[0].to_owned(),
        }
    });
    (rest.into_owned(), dates)
}

fn numeric(found: &regex::Captures<'_>) -> Option<SomeDate> {
    let swaps = found.get(5).is_some_and(|mark| mark.as_str() == "/");
    let (year, month, day) = if found.get(4).is_some() {
        (year(found, 7), number(found, 6)?, number(found, 4))
    } else if found.get(9).is_some() {
        (year(found, 8), number(found, 9)?, number(found, 10))
    } else {
        (year(found, 1), number(found, 2)?, number(found, 3))
    };
    let date = SomeDate { year, month, day, swaps, vague: false, text: found[0].to_owned() };
    // "12/31/2026" is only a date the other way round.
    let date = match date.day {
        Some(day) if swaps && month > 12 => SomeDate { month: day, day: Some(month), ..date },
        _ => date,
    };
    let is_date = (1..=12).contains(&date.month) && date.day.is_none_or(|day| (1..=31).contains(&day));
    is_date.then_some(date)
}

fn named(found: &regex::Captures<'_>, before: &str) -> Option<SomeDate> {
    static AROUND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:end of|late|early|mid|middle of|start of|beginning of|ende|anfang|mitte|fin)[ -](?:the )?$",
        )
    });
    static IN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:in|since|until|till|by|early|late|mid|from|before|after|next|last|im|seit|bis)[ -]$",
        )
    });
    let (name, day, year) = match found.get(2) {
        Some(name) => (name.as_str(), number(found, 1), year(found, 3)),
        None => (&found[4], number(found, 5), year(found, 6)),
    };
    let lower = name.to_lowercase();
    // "May" and "mar" alone are words.
    let is_word = name.chars().count() <= 3 || matches!(lower.as_str(), "march" | "mars" | "august");
    let is_bare = day.is_none() && year.is_none();
    if is_bare && is_word && !IN.is_match(before) && !AROUND.is_match(before) {
        return None;
    }
    let month = month(&lower)?;
    let vague = day.is_none() && AROUND.is_match(before);
    (day.is_none_or(|day| (1..=31).contains(&day))).then(|| SomeDate {
        year,
        month,
        day,
        swaps: false,
        vague,
        text: found[0].trim().to_owned(),
    })
}

/// Returns possible dates of a source that are numbers too: "12/5", "5.12.".
fn short_dates(text: &str) -> Vec<SomeDate> {
    static SHORT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?-u:\b)(\d{1,2})(?:(/)(\d{1,2})(?-u:\b)|\.\s?(\d{1,2})\.)"));
    let mut dates = Vec::new();
    for found in SHORT.captures_iter(text) {
        let (Some(day), Some(month)) = (number(&found, 1), number(&found, 3).or_else(|| number(&found, 4)))
        else {
            continue;
        };
        let swaps = found.get(2).is_some();
        dates.push(SomeDate { year: None, month, day: Some(day), swaps, vague: false, text: String::new() });
    }
    dates
}

/// Returns the other end of "5-9 December", which stays a number too.
fn ends_of_ranges(text: &str) -> Vec<SomeDate> {
    static RANGE: LazyLock<Regex> = LazyLock::new(|| {
        let (names, to) = (month_names(), r"\s*(?:[-–—&]|to|and|or|until|through|bis|und)\s*");
        let day = r"(\d{1,2})(?:st|nd|rd|th|\.)?";
        pattern(&format!(
            r"(?i){day}{to}\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? ({names})\b|\b({names})\.? \d{{1,2}}(?:st|nd|rd|th)?{to}(?:the )?{day}"
        ))
    });
    let mut dates = Vec::new();
    for found in RANGE.captures_iter(text) {
        let name = found.get(2).or_else(|| found.get(3)).map_or("", |name| name.as_str()).to_lowercase();
        let day = number(&found, 1).or_else(|| number(&found, 4));
        if let Some(month) = month(&name) {
            let text = String::new();
            dates.push(SomeDate { year: None, month, day, swaps: false, vague: false, text });
        }
    }
    dates
}

impl SomeDate {
    fn readings(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let swapped = self.day.filter(|_| self.swaps).map(|day| (day, Some(self.month)));
        std::iter::once((self.month, self.day)).chain(swapped)
    }

    fn covers(&self, date: NaiveDate) -> bool {
        let fits = |(month, day): (u32, Option<u32>)| {
            month == date.month() && day.is_none_or(|day| day == date.day())
        };
        self.year.is_none_or(|year| year == date.year()) && self.readings().any(fits)
    }
}

/// Everything that the sources say about days.
pub(crate) struct Calendar<'s> {
    dates: Vec<SomeDate>,
    sources: &'s [Source],
    /// The spans of their words, read when first needed: most claims name no day.
    spans: OnceCell<Vec<Span>>,
    /// The days of the journals.
    days: Vec<NaiveDate>,
}

impl<'s> Calendar<'s> {
    /// Reads the sources; `dates` were taken out of their text, and `rest` is left.
    pub(crate) fn new(mut dates: Vec<SomeDate>, rest: &str, sources: &'s [Source]) -> Self {
        let days: Vec<NaiveDate> = sources.iter().filter_map(|source| source.date).gather();
        dates.extend(short_dates(rest));
        dates.extend(sources.iter().spread(|source| &source.lines).spread(|line| ends_of_ranges(&line.text)));
        Self { dates, sources, spans: OnceCell::new(), days }
    }

    /// The days of the journals, and those that words of their lines point at.
    fn spans(&self) -> &[Span] {
        self.spans.get_or_init(|| {
            let lines = self.sources.iter().spread(|source| {
                source.lines.iter().filter_map(|line| source.date.map(|day| (line.text.as_str(), day)))
            });
            let own = self.days.iter().map(|day| (*day, *day));
            own.chain(lines.spread(|(line, day)| implied(line, day))).gather()
        })
    }

    /// Checks that each date is in the sources, or is the journal's own, or follows by a word such as "tomorrow".
    pub(crate) fn check(&self, claim: &[SomeDate]) -> Result<(), Hold> {
        match claim.iter().find(|date| !self.allows(date)) {
            Some(date) => Err(held(HoldReason::Date, &date.text)),
            None => Ok(()),
        }
    }

    fn allows(&self, date: &SomeDate) -> bool {
        self.dates.iter().any(|other| self.agree(date, other))
            || self
                .spans()
                .iter()
                .any(|span| days_meant(*span, date.day.is_some()).any(|day| date.covers(day)))
    }

    /// Returns whether a date of the claim is one of the sources', or vague in the same way.
    fn agree(&self, claim: &SomeDate, other: &SomeDate) -> bool {
        let year = match (claim.year, other.year) {
            (Some(year), Some(other)) => year == other,
            // "27 March" is of a year near to the journal's.
            (Some(year), None) => self.days.iter().any(|day| (year - day.year()).abs() <= 1),
            (None, _) => true,
        };
        let fits = |(month, day): (u32, Option<u32>)| {
            other.readings().any(|(other_month, other_day)| {
                month == other_month
                    && (day.is_none() || day == other_day || (other.vague && other_day.is_none()))
            })
        };
        year && claim.readings().any(fits)
    }

    pub(crate) fn allows_year(&self, year: i32) -> bool {
        self.dates.iter().any(|date| date.year == Some(year))
            || self.spans().iter().any(|(from, to)| (from.year()..=to.year()).contains(&year))
    }

    /// Returns whether a date of the sources is of this day of the month.
    pub(crate) fn allows_day(&self, day: u32) -> bool {
        self.dates.iter().any(|date| date.day == Some(day) || (date.swaps && date.month == day))
            || self.spans().iter().any(|(from, to)| from == to && from.day() == day)
    }

    /// Returns whether a date of the sources falls on this day of the week.
    pub(crate) fn allows_weekday(&self, weekday: Weekday) -> bool {
        let on = |date: &SomeDate| {
            let years: Vec<i32> =
                date.year.map_or_else(|| self.days.iter().map(Datelike::year).gather(), |year| vec![year]);
            date.day.is_some_and(|day| {
                years
                    .into_iter()
                    .filter_map(|year| NaiveDate::from_ymd_opt(year, date.month, day))
                    .any(|day| day.weekday() == weekday)
            })
        };
        self.spans().iter().any(|(from, to)| from == to && from.weekday() == weekday)
            || self.dates.iter().any(on)
    }
}

/// Returns the days that a span may mean. A long span, such as "next year", means its ends and middle, not every
/// day.
fn days_meant((from, to): Span, is_exact: bool) -> impl Iterator<Item = NaiveDate> {
    let days = (to - from).num_days();
    let step = if is_exact && days > 33 { (days / 2).max(1) } else { 1 };
    (0..=days)
        .filter(move |offset| offset % step == 0 || *offset == days)
        .map(move |offset| from + TimeDelta::days(offset))
}
