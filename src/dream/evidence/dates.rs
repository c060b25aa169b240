//! Dates: one that stands in the sources, is the journal's own, or follows from it by a word.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};
use regex::Regex;

use super::numbers::number_word;
use super::{Source, held};
use crate::dreamer::{Hold, HoldReason};
use crate::text;

/// What stands in a text where a date was taken out.
pub(super) const TAKEN: &str = "\u{1}";

/// A date as far as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SomeDate {
    year: Option<i32>,
    month: u32,
    day: Option<u32>,
    /// Day and month may be the other way round: "05/12/2026".
    swaps: bool,
    /// Any day of the month will do: "end of March".
    vague: bool,
    text: String,
}

const MONTHS: &[(&str, u32)] = &[
    ("january|january's|jan|januar|jänner|janvier|enero", 1),
    ("february|feb|februar|février|febrero", 2),
    ("march|mar|märz|mars|marzo", 3),
    ("april|apr|avril|abril", 4),
    ("may|mai|mayo", 5),
    ("june|jun|juni|juin|junio", 6),
    ("july|jul|juli|juillet|julio", 7),
    ("august|aug|août|agosto", 8),
    ("september|sept|sep|septembre|septiembre", 9),
    ("october|oct|oktober|okt|octobre|octubre", 10),
    ("november|nov|novembre|noviembre", 11),
    ("december|dec|dezember|dez|décembre|diciembre", 12),
];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a literal pattern")
}

fn month_names() -> String {
    MONTHS.iter().map(|(names, _)| *names).collect::<Vec<_>>().join("|")
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
pub(super) fn take_dates(text: &str) -> (String, Vec<SomeDate>) {
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
    let (_, month) = MONTHS.iter().find(|(names, _)| names.split('|').any(|known| known == lower))?;
    let vague = day.is_none() && AROUND.is_match(before);
    (day.is_none_or(|day| (1..=31).contains(&day))).then(|| SomeDate {
        year,
        month: *month,
        day,
        swaps: false,
        vague,
        text: found[0].trim().to_owned(),
    })
}

/// What may be a date in a source, and stays a number too: "12/5", "5.12.".
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

/// The other end of "5-9 December", which stays a number too.
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
        let month = MONTHS.iter().find(|(names, _)| names.split('|').any(|known| known == name));
        if let Some((_, month)) = month {
            let (month, text) = (*month, String::new());
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

type Span = (NaiveDate, NaiveDate);

/// Everything that the sources say about days.
pub(super) struct Calendar {
    dates: Vec<SomeDate>,
    spans: Vec<Span>,
    /// The days of the journals.
    days: Vec<NaiveDate>,
}

impl Calendar {
    /// Reads the sources; `dates` were taken out of their text, and `rest` is left.
    pub(super) fn new(mut dates: Vec<SomeDate>, rest: &str, sources: &[Source]) -> Self {
        let days: Vec<NaiveDate> = sources.iter().filter_map(|source| source.date).collect();
        let lines = || {
            sources.iter().flat_map(|source| {
                source.lines.iter().filter_map(|line| source.date.map(|day| (line.as_str(), day)))
            })
        };
        dates.extend(short_dates(rest));
        dates.extend(sources.iter().flat_map(|source| &source.lines).flat_map(|line| ends_of_ranges(line)));
        let spans = days
            .iter()
            .map(|day| (*day, *day))
            .chain(lines().flat_map(|(line, day)| implied(line, day)))
            .collect();
        Self { dates, spans, days }
    }

    /// A date stands in the sources, or is the journal's own, or follows by a word such as "tomorrow".
    pub(super) fn check(&self, claim: &[SomeDate]) -> Result<(), Hold> {
        match claim.iter().find(|date| !self.allows(date)) {
            Some(date) => Err(held(HoldReason::Date, &date.text)),
            None => Ok(()),
        }
    }

    fn allows(&self, date: &SomeDate) -> bool {
        self.dates.iter().any(|other| self.agree(date, other))
            || self.spans.iter().any(|span| days_meant(*span, date.day.is_some()).any(|day| date.covers(day)))
    }

    /// Whether a date of the claim is one of the sources', or vague in the same way.
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

    pub(super) fn allows_year(&self, year: i32) -> bool {
        self.dates.iter().any(|date| date.year == Some(year))
            || self.spans.iter().any(|(from, to)| (from.year()..=to.year()).contains(&year))
    }

    /// Whether a date of the sources is of this day of the month.
    pub(super) fn allows_day(&self, day: u32) -> bool {
        self.dates.iter().any(|date| date.day == Some(day) || (date.swaps && date.month == day))
            || self.spans.iter().any(|(from, to)| from == to && from.day() == day)
    }

    /// Whether a date of the sources falls on this day of the week.
    pub(super) fn allows_weekday(&self, weekday: Weekday) -> bool {
        let on = |date: &SomeDate| {
            let years: Vec<i32> =
                date.year.map_or_else(|| self.days.iter().map(Datelike::year).collect(), |year| vec![year]);
            date.day.is_some_and(|day| {
                years
                    .into_iter()
                    .filter_map(|year| NaiveDate::from_ymd_opt(year, date.month, day))
                    .any(|day| day.weekday() == weekday)
            })
        };
        self.spans.iter().any(|(from, to)| from == to && from.weekday() == weekday)
            || self.dates.iter().any(on)
    }
}

/// The day of the week that a word names.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    const NAMES: [(&str, &str, Weekday); 7] = [
        ("monday|mon|mondays", "montag|montags|lundi|lunes|周一|星期一|月曜", Weekday::Mon),
        ("tuesday|tue|tues|tuesdays", "dienstag|dienstags|mardi|martes|周二|星期二|火曜", Weekday::Tue),
        ("wednesday|wed|wednesdays", "mittwoch|mittwochs|mercredi|周三|星期三|水曜", Weekday::Wed),
        (
            "thursday|thu|thur|thurs|thursdays",
            "donnerstag|donnerstags|jeudi|jueves|周四|星期四|木曜",
            Weekday::Thu,
        ),
        ("friday|fri|fridays", "freitag|freitags|vendredi|viernes|周五|星期五|金曜", Weekday::Fri),
        ("saturday|sat|saturdays", "samstag|samstags|samedi|sábado|周六|星期六|土曜", Weekday::Sat),
        ("sunday|sun|sundays", "sonntag|sonntags|dimanche|domingo|周日|星期日|日曜", Weekday::Sun),
    ];
    NAMES
        .into_iter()
        .find(|(english, others, _)| english.split('|').chain(others.split('|')).any(|name| name == word))
        .map(|(.., weekday)| weekday)
}

/// The spans of days that words of a line point at, seen from the day of its journal.
fn implied(line: &str, day: NaiveDate) -> Vec<Span> {
    let lower = line.to_lowercase();
    let words: Vec<String> = text::words(&lower).collect();
    let mut spans = relative(&lower, &words, day);
    spans.extend(words.iter().filter_map(|word| weekday(word)).flat_map(|weekday| near(day, weekday)));
    spans.extend(ago(&lower, day));
    spans.extend(parts_of_year(&words, day));
    spans.extend(ordinals(&lower, day));
    spans
}

/// The days that a span may mean: of a long one, such as "next year", no single day but its ends and middle.
fn days_meant((from, to): Span, is_exact: bool) -> impl Iterator<Item = NaiveDate> {
    let days = (to - from).num_days();
    let step = if is_exact && days > 33 { (days / 2).max(1) } else { 1 };
    (0..=days)
        .filter(move |offset| offset % step == 0 || *offset == days)
        .map(move |offset| from + TimeDelta::days(offset))
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

/// Words that are counted from the day itself, with the days that they may mean.
const RELATIVE: &[(&str, i64, i64)] = &[
    ("yesterday", -1, -1),
    ("gestern", -1, -1),
    ("hier", -1, -1),
    ("ayer", -1, -1),
    ("today", 0, 0),
    ("tonight", 0, 0),
    ("heute", 0, 0),
    ("tomorrow", 1, 1),
    ("morgen", 1, 1),
    ("demain", 1, 1),
    ("mañana", 1, 1),
    ("übermorgen", 2, 2),
    ("vorgestern", -2, -2),
    ("weekend", -8, 8),
    ("wochenende", -8, 8),
    ("after tomorrow", 2, 2),
    ("before yesterday", -2, -2),
    ("last night", -1, 0),
    ("last week", -14, 0),
    ("next week", 1, 14),
    ("this week", -6, 6),
    ("last month", -62, 0),
    ("next month", 1, 62),
    ("this month", -31, 31),
    ("last year", -731, 0),
    ("next year", 1, 731),
    ("this year", -366, 366),
    ("letzte woche", -14, 0),
    ("nächste woche", 1, 14),
    ("nächsten monat", 1, 62),
    ("letztes jahr", -731, 0),
    ("nächstes jahr", 1, 731),
    ("next quarter", 1, 184),
    ("last quarter", -184, 0),
    ("other day", -14, 0),
];

/// The same in languages that part no words.
const RELATIVE_UNPARTED: &[(&str, i64, i64)] = &[
    ("昨天", -1, -1),
    ("昨日", -1, -1),
    ("今天", 0, 0),
    ("今日", 0, 0),
    ("明天", 1, 1),
    ("明日", 1, 1),
    ("后天", 2, 2),
    ("下周", 1, 14),
    ("来週", 1, 14),
    ("下个月", 1, 62),
    ("明年", 1, 731),
    ("去年", -731, 0),
];

fn relative(lower: &str, words: &[String], day: NaiveDate) -> Vec<Span> {
    let has = |phrase: &str| match phrase.split_once(' ') {
        Some((one, two)) => words.windows(2).any(|pair| pair[0] == one && pair[1].starts_with(two)),
        None => words.iter().any(|word| word == phrase),
    };
    let parted = RELATIVE.iter().filter(|(phrase, ..)| has(phrase));
    let unparted = RELATIVE_UNPARTED.iter().filter(|(phrase, ..)| lower.contains(phrase));
    let mut spans: Vec<Span> = parted.chain(unparted).map(|(_, from, to)| shifted(day, *from, *to)).collect();
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

/// The first of one month to the last of another.
fn month_span(year: i32, from: u32, to: u32) -> Option<Span> {
    let after = if to == 12 { (year + 1, 1) } else { (year, to + 1) };
    Some((
        NaiveDate::from_ymd_opt(year, from, 1)?,
        NaiveDate::from_ymd_opt(after.0, after.1, 1)? - TimeDelta::days(1),
    ))
}

/// Quarters, seasons and feasts, of the journal's year and those next to it.
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

/// "Two weeks ago", "in three days", "for five years".
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
