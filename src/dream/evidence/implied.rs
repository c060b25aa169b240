//! Days that a source implies without a date: "tomorrow", "end of Q1", "on the 5th", "two years ago".

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};
use regex::Regex;

use super::spelled::number_word;
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::relative::{self, Span};
use crate::base::spread::Spread;
use crate::base::text;

fn number(found: &regex::Captures<'_>, at: usize) -> Option<u32> {
    found.get(at).and_then(|digits| digits.as_str().parse().ok())
}

/// Returns the spans of days that words of a line point at, seen from the day of its journal.
pub(crate) fn implied(line: &str, day: NaiveDate) -> Vec<Span> {
    let lower = line.to_lowercase();
    let words: Vec<String> = text::words(&lower).gather();
    let mut spans = ends(&lower, &words, day);
    spans.extend(relative::in_any(line, day).into_iter().map(|found| found.span));
    spans.extend(relative::weekdays(line).into_iter().spread(|weekday| near(day, weekday)));
    spans.extend(ago(&lower, day));
    spans.extend(parts_of_year(&words, day));
    spans.extend(ordinals(&lower, day));
    spans
}

fn shifted(day: NaiveDate, from: i64, to: i64) -> Span {
    (day + TimeDelta::days(from), day + TimeDelta::days(to))
}

fn near(day: NaiveDate, weekday: Weekday) -> impl Iterator<Item = Span> {
    (-14..=14)
        .map(move |offset| day + TimeDelta::days(offset))
        .filter(move |day| day.weekday() == weekday)
        .map(|day| (day, day))
}

/// Returns the spans of ends: "end of the month", "EOW", "年底".
fn ends(lower: &str, words: &[String], day: NaiveDate) -> Vec<Span> {
    let mut spans = Vec::new();
    let ends_with = |unit: &str| {
        ["end of", "end of the", "end of this", "ende des"]
            .iter()
            .any(|end| lower.contains(&format!("{end} {unit}")))
    };
    if ends_with("month") || ends_with("monats") || words.iter().any(|word| word == "eom") {
        spans.push(shifted(day, 0, 31));
    }
    if ends_with("week") || words.iter().any(|word| word == "eow") {
        spans.push(shifted(day, 0, 7));
    }
    if ends_with("year") || ends_with("jahres") || lower.contains("年底") || words.iter().any(|w| w == "eoy")
    {
        spans.extend(month_span(day.year(), 12, 12));
    }
    spans
}

/// Returns the span from the first of one month to the last of another.
fn month_span(year: i32, from: u32, to: u32) -> Option<Span> {
    let after = if to == 12 { (year + 1, 1) } else { (year, to + 1) };
    Some((
        NaiveDate::from_ymd_opt(year, from, 1)?,
        NaiveDate::from_ymd_opt(after.0, after.1, 1)? - TimeDelta::days(1),
    ))
}

/// Returns quarters, seasons and feasts, of the journal's year and those next to it.
fn parts_of_year(words: &[String], day: NaiveDate) -> Vec<Span> {
    let mut spans = Vec::new();
    for word in words {
        let (from, to) = match word.as_str() {
            "q1" | "winter" => (1, 3),
            "q2" | "spring" | "frühling" | "frühjahr" => (3, 6),
            "q3" | "summer" | "sommer" => (6, 9),
            "q4" | "autumn" | "fall" | "herbst" => (9, 12),
            "christmas" | "xmas" | "weihnachten" | "silvester" | "nye" => (12, 12),
            _ => continue,
        };
        // A quarter that is named lies ahead, or is this year's; a season may be last year's.
        let first = if word.starts_with('q') { 0 } else { -1 };
        spans.extend((first..=1).filter_map(|years| month_span(day.year() + years, from, to)));
        if word == "winter" {
            spans.extend((-1..=0).filter_map(|years| month_span(day.year() + years, 12, 12)));
        }
    }
    spans
}

/// Days of the month by number alone, "the 5th": of the journal's month or one next to it.
fn ordinals(lower: &str, day: NaiveDate) -> Vec<Span> {
    static ORDINAL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?-u:\b)(\d{1,2})(?:(?:st|nd|rd|th)\b|\s?[日号])|\b(?:am|zum|bis|vom|ab) (\d{1,2})\.(?:\s|$)",
        )
    });
    let mut spans = Vec::new();
    for found in ORDINAL.captures_iter(lower) {
        let Some(number) = number(&found, 1).or_else(|| number(&found, 2)) else { continue };
        let month = i64::from(day.month0());
        let earliest = if number > day.day() { -1 } else { 0 };
        for offset in earliest..=1 {
            let at = month + offset;
            let year = day.year() + i32::try_from(at.div_euclid(12)).unwrap_or(0);
            let month = u32::try_from(at.rem_euclid(12)).unwrap_or(0) + 1;
            spans.extend(NaiveDate::from_ymd_opt(year, month, number).map(|day| (day, day)));
        }
    }
    spans
}

/// Returns the spans of "Two weeks ago", "in three days", "for five years".
fn ago(lower: &str, day: NaiveDate) -> Vec<Span> {
    static AGO: LazyLock<Regex> = LazyLock::new(|| {
        let count = r"(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a few|few|several|a couple of|a couple)";
        let unit = r"(day|week|month|year)s?";
        pattern(&format!(
            r"\b(?:{count} {unit} (?:ago|back)|(?:for|past|last) {count} {unit}|(?:in|within|next) {count} {unit}|{count} {unit} (?:from now|from today))\b|\b(?:vor|seit) (\d{{1,3}}|einem|einer|zwei|drei) (tag|woche|monat|jahr)"
        ))
    });
    let mut spans = Vec::new();
    for found in AGO.captures_iter(lower) {
        let Some(at) = [1, 3, 5, 7, 9].into_iter().find(|at| found.get(*at).is_some()) else { continue };
        let sign = if matches!(at, 5 | 7) { 1 } else { -1 };
        let (count, more) = match &found[at] {
            "a few" | "few" | "several" => (3, 2),
            "a couple of" | "a couple" | "zwei" => (2, 0),
            "drei" => (3, 0),
            count => (count.parse().ok().or_else(|| number_word(count)).unwrap_or(1), 0),
        };
        let (days, slack) = match &found[at + 1] {
            "day" | "tag" => (1, 0),
            "week" | "woche" => (7, 6),
            "month" | "monat" => (30, 16),
            _ => (365, 183),
        };
        let slack = slack + more * days;
        spans.push(shifted(day, sign * count * days - slack, sign * count * days + slack));
    }
    spans
}
