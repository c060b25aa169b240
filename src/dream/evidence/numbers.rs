//! Numbers: each of the claim stands in the sources, in digits or as a word.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::dates::SomeDate;
use super::held;
use crate::dreamer::{Hold, HoldReason};
use crate::text;

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

pub(super) fn number_word(word: &str) -> Option<i64> {
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

pub(super) fn check(
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
