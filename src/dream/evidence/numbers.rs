//! Numbers: each of the claim is in the sources, in digits or as a word, in this notation or another.
//!
//! A number is compared by its readings. `12k` reads 12000; `3pm` and `15:00` read the same minute; `50 %`
//! also reads 0.5, which "half" reads too. A source gives more readings than a claim: its `2` after "at"
//! may be a time, a claim's is a number.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::dates::{Calendar, TAKEN};
use super::shown::held;
use super::spelled::{said, spelled};
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::sorted::SortedSet;
use crate::base::spread::Spread;
use crate::dreamer::{Hold, HoldReason};

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+(?:[.,:'’\u{a0}\u{202f}\u{2009}]\d+)*"));

/// Numbers of several tokens: "12 000", "1/2".
static COMPOUND: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?-u:\b)(?:\d{1,3}(?: \d{3})+|(\d{1,2})/(\d{1,2}))(?-u:\b)"));

/// Returns the plain values of a run of digits, and of a version what it begins with.
fn plain(number: &str) -> Vec<String> {
    let number: String = number.chars().filter(|c| c.is_ascii_digit() || ".,:".contains(*c)).collect();
    let (dots, commas) = (number.matches('.').count(), number.matches(',').count());
    let thousands = |mark: char| number.split(mark).skip(1).all(|group| group.len() == 3);
    let bare = |mark: char| number.replace(mark, "");
    match (dots, commas) {
        _ if number.contains(':') => vec![number],
        (0, 0) => vec![decimal(&number)],
        (0, _) if thousands(',') => vec![decimal(&bare(','))],
        (1, 0) if thousands('.') => vec![decimal(&number), decimal(&bare('.'))],
        (1, 0) => vec![decimal(&number)],
        (0, 1) => vec![decimal(&number.replace(',', "."))],
        (_, 0) if thousands('.') => vec![decimal(&bare('.'))],
        (_, 0) => vec![number],
        (_, 1) if number.rfind(',') > number.rfind('.') => vec![decimal(&bare('.').replace(',', "."))],
        (1, _) => vec![decimal(&bare(','))],
        _ => vec![number],
    }
}

/// Returns a decimal without leading and trailing zeros.
fn decimal(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    };
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// Returns the factor of a unit after a number, and whether the number may also count without it.
fn factor(after: &str) -> Option<(f64, bool)> {
    static UNIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s?(?:(k|K|thousand|[Tt]sd)|(km|kg)|(M|[Mm]ill?ions?|Millionen|[Mm]io|mn)|(m)|([Bb]illions?|bn|Mrd)|(B))(?-u:\b)|^\s?(?:([万萬])|([亿億]))",
        )
    });
    if !may_begin(after, "kKtTMmBb万萬亿億") {
        return None;
    }
    let found = UNIT.captures(after)?;
    let at = (1..=8).find(|at| found.get(*at).is_some())?;
    [
        (1e3, false),
        (1e3, true),
        (1e6, false),
        (1e6, true),
        (1e9, false),
        (1e9, true),
        (1e4, false),
        (1e8, false),
    ]
    .get(at - 1)
    .copied()
}

/// Returns whether a text begins with one of the characters, or has a single blank before it. No pattern is looked for
/// where it cannot be: an answer has hundreds of numbers.
fn may_begin(text: &str, first: &str) -> bool {
    let mut chars = text.chars();
    let begins = |c: Option<char>| c.is_some_and(|c| first.contains(c));
    match chars.next() {
        Some(c) if c.is_whitespace() => begins(chars.next()),
        c => begins(c),
    }
}

fn times(value: &str, factor: f64) -> Option<String> {
    let value: f64 = value.parse().ok()?;
    Some(decimal(&format!("{:.4}", value * factor)))
}

/// A number where it is.
struct Token<'t> {
    text: &'t str,
    before: &'t str,
    after: &'t str,
}

fn tokens(text: &str) -> impl Iterator<Item = (Range<usize>, Token<'_>)> {
    NUMBER.find_iter(text).map(|found| {
        let token =
            Token { text: found.as_str(), before: &text[..found.start()], after: &text[found.end()..] };
        (found.range(), token)
    })
}

impl Token<'_> {
    /// Returns its possible meanings, in a claim and in a source alike.
    fn readings(&self) -> Vec<String> {
        static PERCENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s?(?:%|per ?cent|pct|Prozent)"));
        let plain = plain(self.text);
        if let Some((factor, or_alone)) = factor(self.after) {
            let mut readings: Vec<String> = plain.iter().filter_map(|value| times(value, factor)).gather();
            readings.extend(plain.into_iter().filter(|_| or_alone));
            return readings;
        }
        let mut readings = Vec::new();
        if may_begin(self.after, "%pP") && PERCENT.is_match(self.after) {
            readings.extend(plain.iter().filter_map(|value| times(value, 0.01)));
        }
        match self.time() {
            // "3pm" in a claim is no number of things.
            Some((minute, true)) => return vec![minute_of(minute)],
            Some((minute, false)) => readings.push(minute_of(minute)),
            None => {}
        }
        readings.extend(plain);
        readings
    }

    /// Returns the minute of the day, and whether it is nothing but a time.
    fn time(&self) -> Option<(u32, bool)> {
        static HALF: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(?i)^(?:\s?(?:-|–|to|bis)\s?\d{1,2}(?::\d{2})?)?\s?(?:([ap])\.?m\b|(uhr|o['’]clock|h)\b)",
            )
        });
        let (hour, minute) = self.text.split_once([':', '.']).unwrap_or((self.text, ""));
        let minute = minute.split(':').next().unwrap_or_default();
        if hour.len() > 2 || !matches!(minute.len(), 0 | 2) {
            return None;
        }
        let (mut hour, minutes): (u32, u32) =
            (hour.parse().ok()?, if minute.is_empty() { 0 } else { minute.parse().ok()? });
        if hour > 24 || minutes > 59 {
            return None;
        }
        let marked = may_begin(self.after, "-–tTbBaApPuUoOhH").then(|| HALF.captures(self.after)).flatten();
        let half = marked.as_ref().and_then(|found| found.get(1)).map(|half| half.as_str());
        match half {
            Some("p" | "P") if hour < 12 => hour += 12,
            Some("a" | "A") if hour == 12 => hour = 0,
            _ => {}
        }
        let is_clock = self.text.contains(':');
        (is_clock || marked.is_some()).then_some((hour * 60 + minutes, is_clock || half.is_some()))
    }

    /// Returns its further possible meanings in a source.
    fn implied(&self, knows_evening: bool) -> Vec<String> {
        static AT: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(?i)(?:\b(?:at|by|until|till?|from|to|before|after|around|about|between|and|or|um|ab|bis|gegen|à|las)|@|\d ?[-–])\s*$",
            )
        });
        static TO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s?(?:-|–|to\b|bis\b)"));
        static FROM: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d{1,2})\s?(?:-|–|to|bis)\s?$"));
        let mut readings = plain(self.text);
        // A version stands for what it begins with.
        readings.extend(self.text.match_indices('.').map(|(at, _)| decimal(&self.text[..at])));
        readings.extend(self.text.match_indices('.').map(|(at, _)| self.text[..at].to_owned()));
        if factor(self.after).is_some_and(|(_, or_alone)| !or_alone) {
            readings.clear();
        }
        let hour: Option<u32> = self.text.parse().ok().filter(|hour| *hour <= 24);
        if let Some((minute, _)) = self.time() {
            readings.push(minute_of(minute));
            readings.extend((minute % 60 == 0).then(|| (minute / 60).to_string()));
            readings.extend((knows_evening && minute < 720).then(|| minute_of(minute + 720)));
        } else if let Some(hour) = hour.filter(|_| AT.is_match(self.before)) {
            let start = FROM.captures(self.before).and_then(|found| found[1].parse::<u32>().ok());
            let wraps = start.is_some_and(|start| hour < start);
            readings.push(minute_of(hour * 60));
            readings.extend((hour < 12 && (knows_evening || wraps)).then(|| minute_of(hour * 60 + 720)));
        } else if let Some((hour, minutes)) = self.text.split_once('.')
            && let (Ok(hour @ 0..24), Ok(minutes @ 0..60)) = (hour.parse::<u32>(), minutes.parse::<u32>())
            && self.text.len() > 3
        {
            readings.push(minute_of(hour * 60 + minutes));
        } else if let Some(hour) = hour.filter(|_| TO.is_match(self.after)) {
            readings.push(minute_of(hour * 60));
        }
        readings
    }
}

fn minute_of(minute: u32) -> String {
    format!("t{}", minute % 1440)
}

/// Returns all that numbers and number words of a source may mean.
fn known(evidence: &str) -> SortedSet<String> {
    static EVENING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)\b(?:afternoon|evening|tonight|dinner|abends?|nachmittags?|soir)\b|下午|晚上|午後")
    });
    let knows_evening = EVENING.is_match(evidence);
    let mut known: SortedSet<String> = tokens(evidence)
        .spread(|(_, token)| token.readings().into_iter().chain(token.implied(knows_evening)))
        .collect();
    known.extend(COMPOUND.find_iter(evidence).filter_map(|found| compound(found.as_str())));
    known.extend(said(evidence));
    known
}

fn compound(text: &str) -> Option<String> {
    match text.split_once('/') {
        Some((over, under)) => {
            let (over, under): (f64, f64) = (over.parse().ok()?, under.parse().ok()?);
            (under > 0.0).then(|| decimal(&format!("{:.2}", over / under)))
        }
        None => Some(decimal(&text.replace(' ', ""))),
    }
}

/// Returns the readings of the numbers of a part of a text, for comparing parts.
pub(crate) fn readings(text: &str) -> Vec<String> {
    tokens(text).spread(|(_, token)| token.readings()).gather()
}

/// Checks the numbers of a claim; its dates, and those of the sources, were taken out before.
pub(crate) fn check(claim: &str, evidence: &str, calendar: &Calendar<'_>) -> Result<(), Hold> {
    let known = known(evidence);
    let compounds: Vec<Range<usize>> = COMPOUND
        .find_iter(claim)
        .filter(|found| compound(found.as_str()).is_some_and(|value| known.contains(&value)))
        .map(|found| found.range())
        .gather();
    for (at, token) in tokens(claim) {
        let is_said = token.readings().iter().any(|reading| known.contains(reading))
            || compounds.iter().any(|compound| compound.contains(&at.start))
            || is_part_of_date(&token, calendar);
        if !is_said {
            return Err(held(HoldReason::Number, token.text));
        }
    }
    // "two" may mean 2; "one" is mostly a pronoun.
    let made_up = |number: &&i64| **number > 1 && !known.contains(&number.to_string());
    match spelled(claim).iter().find(made_up) {
        Some(number) => Err(held(HoldReason::Number, &number.to_string())),
        None => Ok(()),
    }
}

/// Returns whether a number is a year or a day that the sources' dates allow. A day only counts as one where it
/// looks like one: "the 27th", "2026-12-05 to 9"; "27 people" is no day.
fn is_part_of_date(token: &Token<'_>, calendar: &Calendar<'_>) -> bool {
    static ORDINAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:st|nd|rd|th|日|号|\.)(?-u:\b|$|\s)"));
    static BEFORE_DATE: LazyLock<Regex> =
        LazyLock::new(|| pattern(&format!(r"^\s*(?:-|–|to|and|und|bis|until|&|,)\s*{TAKEN}")));
    static AFTER_DATE: LazyLock<Regex> =
        LazyLock::new(|| pattern(&format!(r"{TAKEN}\s*(?:-|–|to|and|und|bis|until|&)\s*$")));
    let Ok(number) = token.text.parse::<u32>() else { return false };
    if token.text.len() == 4 && (1900..2200).contains(&number) {
        return calendar.allows_year(i32::try_from(number).unwrap_or_default());
    }
    let is_day = ORDINAL.is_match(token.after)
        || BEFORE_DATE.is_match(token.after)
        || AFTER_DATE.is_match(token.before);
    is_day && calendar.allows_day(number)
}
