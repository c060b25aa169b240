//! Whether a line says what its sources say: deterministic, and on the side of holding back.
//!
//! The cited lines must have been shown. Every number, date and name of the claim must occur in them, and
//! the claim must not turn a sentence of theirs into its opposite. A claim that is a cited line word for
//! word passes at once. This is no proof of truth: it catches what a model made up, not what it misread.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, TimeDelta, Weekday};
use regex::Regex;

use crate::dreamer::{Hold, HoldReason, SourceRef};
use crate::format::JournalName;
use crate::format::curated::strip_date;
use crate::format::fences::ShownLine;
use crate::format::reply::Citation;
use crate::name::DocName;
use crate::text;

/// The lines that a model was shown, as it was shown them.
#[derive(Debug, Default)]
pub(super) struct Shown {
    journals: BTreeMap<DocName, (Option<NaiveDate>, BTreeMap<u64, String>)>,
    /// The whole extent of each slice: blank lines between shown ones may lie inside a citation.
    extents: BTreeMap<DocName, Vec<(u64, u64)>>,
}

impl Shown {
    /// Adds a slice of a journal.
    pub(super) fn add(
        &mut self,
        journal: &JournalName,
        first_line: u64,
        last_line: u64,
        lines: &[ShownLine],
    ) {
        let (_, known) = self
            .journals
            .entry(journal.name().clone())
            .or_insert_with(|| (Some(journal.date()), BTreeMap::new()));
        known.extend(lines.iter().map(|line| (line.number, line.text.clone())));
        self.extents.entry(journal.name().clone()).or_default().push((first_line, last_line));
    }

    /// Looks the cited lines up: what they are, or which citation is wrong.
    fn find(&self, citation: &Citation) -> Result<Source, HoldReason> {
        let (name, (date, lines)) = citation
            .name
            .as_ref()
            .and_then(|name| self.journals.get_key_value(name))
            .ok_or(HoldReason::UnknownSource)?;
        let (first, last) = (citation.first_line, citation.last_line);
        let inside = self
            .extents
            .get(name)
            .is_some_and(|extents| extents.iter().any(|(from, to)| *from <= first && last <= *to));
        if first == 0 || last < first || last - first > MOST_LINES || !inside {
            return Err(HoldReason::NoSuchLine);
        }
        let lines: Vec<String> = lines.range(first..=last).map(|(_, text)| text.clone()).collect();
        if lines.is_empty() {
            return Err(HoldReason::NoSuchLine);
        }
        let place = SourceRef { name: name.clone(), first_line: first, last_line: last };
        Ok(Source { place, date: *date, lines })
    }
}

/// A citation of more lines than this proves nothing.
const MOST_LINES: u64 = 40;

struct Source {
    place: SourceRef,
    date: Option<NaiveDate>,
    lines: Vec<String>,
}

/// Judges a claim by what it cites: the sources, or why it is held back.
pub(super) fn judge(claim: &str, citations: &[Citation], shown: &Shown) -> (Vec<SourceRef>, Option<Hold>) {
    let mut sources = Vec::new();
    for citation in citations {
        match shown.find(citation) {
            Ok(source) => sources.push(source),
            Err(reason) => {
                let word = citation.name.as_ref().map(ToString::to_string);
                return (
                    sources.into_iter().map(|source| source.place).collect(),
                    Some(Hold { reason, word }),
                );
            }
        }
    }
    let hold =
        if sources.iter().any(|source| source.says(claim)) { None } else { check(claim, &sources).err() };
    (sources.into_iter().map(|source| source.place).collect(), hold)
}

impl Source {
    /// Whether a line, or all lines together, are the claim word for word.
    fn says(&self, claim: &str) -> bool {
        let (date, claim) = strip_date(claim);
        if date.is_some() && date != self.date {
            return false;
        }
        let unnamed = claim.split_once(": ").filter(|(speaker, _)| is_label(speaker)).map(|(_, rest)| rest);
        let claims: Vec<String> = [Some(claim), unnamed].into_iter().flatten().map(text::normalise).collect();
        let is_said = |line: &str| {
            let line = text::normalise(line);
            claims.iter().any(|claim| {
                !claim.is_empty() && line.strip_suffix(claim.as_str()).is_some_and(is_label_of_line)
            })
        };
        self.lines.iter().any(|line| is_said(line)) || is_said(&self.lines.join(" "))
    }
}

/// Whether a text in front of a colon only says who speaks.
fn is_label(text: &str) -> bool {
    text.split_whitespace().count() <= 2 && !text::words(text).any(|word| is_negation(&word))
}

/// Whether a text in front of a line's matter is only a bullet, a time, a tag, a speaker.
fn is_label_of_line(text: &str) -> bool {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:[-*+>•]\s+)?(?:[\[(]?\d{1,4}[-\d:t.,z+ ]*[\])]?:?\s*)?(?:\[[^\[\]]{1,40}\]:?\s*)?(?:\p{L}[\p{L}\d.-]*(?: [\p{L}\d.-]+)?:\s*)?$")
            .expect("a literal pattern")
    });
    LABEL.is_match(text) && !text::words(text).any(|word| is_negation(&word))
}

fn check(claim: &str, sources: &[Source]) -> Result<(), Hold> {
    let evidence: String =
        sources.iter().flat_map(|source| &source.lines).map(|line| format!("{line}\n")).collect();
    let (claim, claim_dates) = take_dates(claim);
    let (rest, evidence_dates) = take_dates(&evidence);
    let known: BTreeSet<String> = text::words(&evidence).collect();
    check_dates(&claim_dates, &evidence_dates, sources)?;
    check_numbers(&claim, &rest, &claim_dates, &evidence_dates)?;
    check_names(&claim, &known)?;
    check_overlap(&claim, &known)?;
    check_negation(&claim, sources)
}

fn held(reason: HoldReason, word: &str) -> Hold {
    Hold { reason, word: Some(word.to_owned()) }
}

// Dates.

/// A date as far as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SomeDate {
    year: Option<i32>,
    month: u32,
    day: Option<u32>,
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
fn take_dates(text: &str) -> (String, Vec<SomeDate>) {
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
fn check_dates(claim: &[SomeDate], evidence: &[SomeDate], sources: &[Source]) -> Result<(), Hold> {
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
        let count = count.parse().ok().or_else(|| number_word(count)).unwrap_or(1);
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

// Numbers.

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d+(?:[.,:]\d+)*").expect("a literal pattern"));

const NUMBER_WORDS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

fn number_word(word: &str) -> Option<i64> {
    let at = NUMBER_WORDS.iter().position(|known| *known == word)?;
    i64::try_from(at).ok()
}

/// The numbers of a text, thousands marks and trailing zeros gone, words up to twenty included.
fn numbers(text: &str, words_too: bool) -> BTreeSet<String> {
    let mut numbers: BTreeSet<String> =
        NUMBER.find_iter(text).map(|found| plain_number(found.as_str())).collect();
    if words_too {
        numbers
            .extend(text::words(text).filter_map(|word| number_word(&word)).map(|number| number.to_string()));
    }
    numbers
}

fn plain_number(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let is_grouped = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    let whole = if is_grouped { groups.concat() } else { whole.to_owned() };
    let whole = match whole.trim_start_matches('0') {
        rest if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => whole.as_str(),
    };
    // "3.10" is a version as often as a decimal, but a claim and its source write it alike.
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

fn check_numbers(
    claim: &str,
    evidence: &str,
    claim_dates: &[SomeDate],
    evidence_dates: &[SomeDate],
) -> Result<(), Hold> {
    let mut known = numbers(evidence, true);
    // A part of a date may be said alone: the year, the day.
    for date in evidence_dates.iter().chain(claim_dates) {
        known.extend(date.year.map(|year| year.to_string()));
        known.extend(date.day.map(|day| day.to_string()));
    }
    let mut claimed = numbers(claim, false);
    // "two" may mean 2; "one" is mostly a pronoun.
    claimed.extend(
        text::words(claim)
            .filter_map(|word| number_word(&word))
            .filter(|number| *number > 1)
            .map(|number| number.to_string()),
    );
    match claimed.iter().find(|number| !known.contains(*number)) {
        Some(number) => Err(held(HoldReason::Number, number)),
        None => Ok(()),
    }
}

// Names.

/// Words that begin a curated line in upper case and are no names.
const OPENERS: &[&str] = &[
    "a",
    "about",
    "after",
    "agent",
    "agreed",
    "all",
    "allergic",
    "always",
    "an",
    "and",
    "any",
    "ask",
    "asked",
    "asks",
    "assistant",
    "at",
    "avoid",
    "avoids",
    "because",
    "before",
    "believes",
    "both",
    "but",
    "by",
    "call",
    "chose",
    "clients",
    "code",
    "commit",
    "commits",
    "confirmed",
    "data",
    "deadline",
    "decided",
    "decision",
    "deploy",
    "deploys",
    "dislikes",
    "do",
    "does",
    "each",
    "enjoys",
    "every",
    "everyone",
    "expects",
    "for",
    "from",
    "goal",
    "had",
    "has",
    "hates",
    "have",
    "he",
    "her",
    "his",
    "human",
    "i",
    "if",
    "in",
    "is",
    "it",
    "its",
    "keep",
    "keeps",
    "learned",
    "lesson",
    "likes",
    "lives",
    "loves",
    "meetings",
    "migrations",
    "moved",
    "must",
    "my",
    "name",
    "needs",
    "never",
    "new",
    "no",
    "not",
    "note",
    "now",
    "of",
    "on",
    "only",
    "open",
    "operator",
    "our",
    "owner",
    "plans",
    "prefer",
    "preference",
    "preferred",
    "prefers",
    "promised",
    "release",
    "releases",
    "remember",
    "reports",
    "requires",
    "reviews",
    "rule",
    "runs",
    "she",
    "should",
    "since",
    "some",
    "team",
    "tests",
    "that",
    "the",
    "their",
    "there",
    "they",
    "this",
    "to",
    "today",
    "tomorrow",
    "tool",
    "uses",
    "use",
    "used",
    "user",
    "user's",
    "users",
    "wants",
    "was",
    "we",
    "when",
    "while",
    "will",
    "with",
    "works",
    "yesterday",
    "you",
    "your",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// A word in upper case that is not the sources' and no opener of a sentence is a name that was made up.
fn check_names(claim: &str, known: &BTreeSet<String>) -> Result<(), Hold> {
    for sentence in claim.split_inclusive(['.', '!', '?', ':', ';']) {
        let mut words = sentence
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '_')))
            .filter(|word| !word.is_empty())
            .enumerate();
        if let Some((_, name)) =
            words.find(|(at, word)| looks_like_a_name(word) && !is_known(word, *at == 0, known))
        {
            return Err(held(HoldReason::Name, name));
        }
    }
    Ok(())
}

fn looks_like_a_name(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters > 1 && word.chars().any(char::is_uppercase)
}

fn is_known(word: &str, opens: bool, known: &BTreeSet<String>) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    let bare = lower.strip_suffix("'s").unwrap_or(&lower);
    let parts = || bare.split('_').filter(|part| !part.is_empty());
    if known.contains(&lower)
        || known.contains(bare)
        || known.contains(&format!("{bare}'s"))
        || parts().all(|part| known.contains(part))
    {
        return true;
    }
    if matches!(bare, "user" | "agent" | "human" | "operator" | "assistant" | "owner") {
        return true;
    }
    // The first word of a sentence is a name unless it is an opener, or a form of a word of the sources.
    opens && (OPENERS.contains(&bare) || known.iter().any(|other| same_stem(other, bare)))
}

/// Whether two words are forms of one: their first letters agree, and what follows is an ending.
fn same_stem(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    shared >= 4 && one.len() - shared <= 4 && other.len() - shared <= 4
}

// What the claim is about.

/// Words that carry no matter.
const SMALL_WORDS: &[&str] = &[
    "the", "and", "but", "for", "with", "from", "that", "this", "these", "those", "are", "was", "were",
    "has", "have", "had", "will", "would", "should", "could", "can", "may", "must", "its", "his", "her",
    "their", "our", "your", "they", "them", "she", "him", "you", "who", "which", "what", "when", "where",
    "how", "why", "all", "any", "some", "into", "onto", "about", "than", "then", "there", "here", "also",
    "only", "just", "very", "been", "being", "does", "did", "user", "agent", "human", "operator", "said",
    "says", "always", "now", "out",
];

fn matter(text: &str) -> Vec<String> {
    text::words(text)
        .filter(|word| {
            word.chars().count() > 2 && !SMALL_WORDS.contains(&word.as_str()) && !is_negation(word)
        })
        .collect()
}

/// A claim that shares no word of matter with its sources is about something else.
fn check_overlap(claim: &str, known: &BTreeSet<String>) -> Result<(), Hold> {
    let matter = matter(claim);
    let shares = |word: &String| known.iter().any(|other| same_stem(other, word));
    if matter.is_empty() || matter.iter().any(shares) {
        Ok(())
    } else {
        Err(Hold { reason: HoldReason::Unrelated, word: None })
    }
}

// Negation.

fn is_negation(word: &str) -> bool {
    word.ends_with("n't")
        || matches!(
            word,
            "not"
                | "no"
                | "never"
                | "none"
                | "nobody"
                | "nothing"
                | "neither"
                | "nor"
                | "without"
                | "cannot"
                | "stopped"
                | "stop"
                | "quit"
                | "refuses"
                | "refused"
                | "refuse"
                | "unable"
                | "dont"
                | "avoid"
                | "avoids"
                | "dislike"
                | "dislikes"
                | "hates"
                | "hate"
                | "forbidden"
                | "banned"
        )
}

/// The clauses of a text, each with its words of matter and whether it negates.
fn clauses(text: &str) -> Vec<(Vec<String>, bool)> {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[.;!?\n]+(?:\s|$)|, | [-–—] | but | although | though | however | instead ")
            .expect("a literal pattern")
    });
    PART.split(text)
        .map(|clause| (matter(clause), text::words(clause).any(|word| is_negation(&word))))
        .filter(|(matter, negates)| !matter.is_empty() || *negates)
        .collect()
}

/// A clause of the claim must not say of the same matter the opposite of the clause of the sources that it
/// is nearest to.
fn check_negation(claim: &str, sources: &[Source]) -> Result<(), Hold> {
    let evidence: Vec<(Vec<String>, bool)> =
        sources.iter().flat_map(|source| &source.lines).flat_map(|line| clauses(line)).collect();
    for (words, negates) in clauses(claim) {
        let near = |(other, _): &&(Vec<String>, bool)| {
            words.iter().filter(|word| other.iter().any(|known| same_stem(known, word))).count()
        };
        let same = evidence
            .iter()
            .filter(|(_, other)| *other == negates)
            .map(|clause| near(&clause))
            .max()
            .unwrap_or(0);
        let opposite = evidence
            .iter()
            .filter(|(_, other)| *other != negates)
            .map(|clause| near(&clause))
            .max()
            .unwrap_or(0);
        // Nearer to the opposite than to anything that agrees, and about the same: at least half its words.
        let flips = if negates {
            same == 0 && !evidence.iter().any(|(_, other)| *other)
        } else {
            opposite > same && opposite * 2 >= words.len()
        };
        if flips {
            return Err(Hold { reason: HoldReason::Negation, word: None });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::reply::split_citations;

    fn shown() -> Shown {
        let journal = JournalName::parse(&DocName::parse("memory/2026-03-12-repl.md").unwrap()).unwrap();
        let lines = [
            (7, "[09:14:05] [user] The release moves to 2026-03-27, Ilya signs it off."),
            (8, "[09:15:00] [user] I prefer tabs, three spaces at most."),
            (9, "[09:16:00] [agent] We never deploy on Fridays; Mondays are fine."),
            (10, "[09:17:00] Caroline: I went to the support group yesterday and it was powerful."),
            (12, "[09:18:00] [user] The berth costs 1,250.50 a month from next month."),
            (13, "[09:19:00] [user] Do not send invoices to Acme."),
        ];
        let lines: Vec<ShownLine> = lines
            .iter()
            .map(|(number, text)| ShownLine { number: *number, text: (*text).to_owned() })
            .collect();
        let mut shown = Shown::default();
        shown.add(&journal, 7, 13, &lines);
        shown
    }

    fn verdict(bullet: &str) -> Option<HoldReason> {
        let (claim, citations) = split_citations(bullet);
        judge(&claim, &citations, &shown()).1.map(|hold| hold.reason)
    }

    fn cite(claim: &str, lines: &str) -> String {
        format!("{claim} (memory/2026-03-12-repl.md#{lines})")
    }

    #[test]
    fn what_the_sources_say_is_kept() {
        for (claim, lines) in [
            ("The release is on 2026-03-27 and Ilya signs it off.", "L7"),
            ("2026-03-12: The release moves to 2026-03-27, Ilya signs it off.", "L7"),
            ("Prefers tabs, 3 spaces at most.", "L8"),
            ("User prefers tabs.", "L8"),
            ("Never deploys on Fridays.", "L9"),
            ("Deploying on Mondays is fine.", "L9"),
            ("Caroline went to a support group on 2026-03-11.", "L10"),
            ("Caroline: I went to the support group yesterday and it was powerful.", "L10"),
            ("The berth costs 1250.5 a month from April 2026.", "L12"),
            ("Invoices are not sent to Acme.", "L13"),
            ("Release on 27 March.", "L7-L9"),
        ] {
            assert_eq!(verdict(&cite(claim, lines)), None, "{claim}");
        }
    }

    #[test]
    fn what_was_made_up_is_held() {
        use HoldReason::{Date, Name, Negation, NoSuchLine, Number, UnknownSource, Unrelated};
        for (claim, lines, reason) in [
            ("The release is on 2026-03-28.", "L7", Date),
            ("The release is in April 2027.", "L7", Date),
            ("The release moves to 3 days later.", "L7", Number),
            ("Prefers tabs, four spaces at most.", "L8", Number),
            ("Marta signs the release off.", "L7", Name),
            ("The release is signed off by Marta.", "L7", Name),
            ("Uses Kubernetes for the release.", "L7", Name),
            ("Deploys happen on Fridays.", "L9", Negation),
            ("Send invoices to Acme.", "L13", Negation),
            ("send invoices to Acme", "L13", Negation),
            ("Does not prefer tabs.", "L8", Negation),
            ("The cat eats fish.", "L7", Unrelated),
            ("The release moves to 2026-03-27.", "L6", NoSuchLine),
            ("The release moves to 2026-03-27.", "L11", NoSuchLine),
            ("The release moves to 2026-03-27.", "L13-L99", NoSuchLine),
            ("The release moves to 2026-03-27.", "L0", NoSuchLine),
        ] {
            assert_eq!(verdict(&cite(claim, lines)), Some(reason), "{claim}");
        }
        assert_eq!(verdict("The release moves. (memory/2026-03-13-repl.md#L7)"), Some(UnknownSource));
        assert_eq!(verdict("The release moves. (memory/../x.md#L7)"), Some(UnknownSource));
    }
}
