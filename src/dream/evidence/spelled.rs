//! Numbers that a text says in words: "twenty-five", "half past three", "a dozen", "两".

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::text;

const NUMBER_WORDS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty";

/// Returns the value of a number word up to twenty.
pub(crate) fn number_word(word: &str) -> Option<i64> {
    let at = NUMBER_WORDS.split(' ').position(|known| known == word)?;
    i64::try_from(at).ok()
}

/// Returns the value of any word that is part of a number: "forty", "hundred".
fn part_of_number(word: &str) -> Option<i64> {
    let tens = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let ten = || tens.iter().zip(3..).find(|(ten, _)| **ten == word).map(|(_, at)| at * 10);
    let power = || match word {
        "hundred" => Some(100),
        "thousand" => Some(1000),
        "million" => Some(1_000_000),
        _ => None,
    };
    number_word(word).or_else(ten).or_else(power)
}

/// Returns the numbers that words of a text say: "twenty-five", "a hundred and fifty".
pub(crate) fn spelled(text: &str) -> Vec<i64> {
    spelled_by(text::words(text))
}

fn spelled_by(words: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<i64> {
    let mut numbers = Vec::new();
    let mut open: Option<(i64, i64)> = None;
    let mut last = 0;
    let mut follows_digits = false;
    for word in words {
        let word = word.as_ref();
        // "1.2 million" is read with its digits.
        let part = part_of_number(word);
        if std::mem::replace(&mut follows_digits, word.ends_with(|c: char| c.is_ascii_digit()))
            && part.is_some_and(|power| power >= 1000)
        {
            continue;
        }
        match (part, open) {
            (Some(power), Some((sum, part))) if power >= 100 => {
                let product = part.saturating_mul(power);
                open = Some(if power == 100 { (sum, product) } else { (sum.saturating_add(product), 0) });
            }
            (Some(power), None) if power >= 100 => open = Some((power, 0)),
            // "twenty five" is one number, "two three" are two.
            (Some(value), Some((sum, part))) if last >= 100 || (last >= 20 && value < 10) => {
                open = Some((sum, part.saturating_add(value)));
            }
            (Some(value), _) => {
                numbers.extend(open.map(|(sum, part)| sum.saturating_add(part)));
                open = Some((0, value));
            }
            (None, Some(_)) if word == "and" && last >= 100 => continue,
            (None, _) => numbers.extend(open.take().map(|(sum, part)| sum.saturating_add(part))),
        }
        last = part.unwrap_or(0);
    }
    numbers.extend(open.map(|(sum, part)| sum.saturating_add(part)));
    numbers
}

/// Returns all that the words of a source may mean.
pub(crate) fn said(evidence: &str) -> Vec<String> {
    static READINGS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        include_str!("spelled.tsv").lines().filter_map(|row| row.split_once('\t')).collect()
    });
    let words: Vec<String> = text::words(evidence).gather();
    let mut readings: Vec<String> = spelled_by(&words).iter().map(ToString::to_string).gather();
    for word in words {
        readings.extend(number_word(&word).map(|number| number.to_string()));
        let said = READINGS.get(word.as_str()).copied().unwrap_or_default();
        readings.extend(said.split_ascii_whitespace().map(str::to_owned));
    }
    let lower = evidence.to_lowercase();
    readings.extend(phrases(&lower));
    readings.extend(in_smaller_units(&lower));
    readings.extend(chinese(evidence).iter().map(ToString::to_string));
    readings
}

/// Phrases that say a number: "half past three", "an hour and a half", "half a dozen".
fn phrases(lower: &str) -> Vec<String> {
    static CLOCK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(half|quarter) (?:(past)|to) ([a-z]+|\d{1,2})\b"));
    static HALF: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(?:([a-z]+|\d+) and a half|(half) an? (hour|dozen)|(hour) and a half|([a-z]+) dozen)\b")
    });
    let number = |word: &str| number_word(word).or_else(|| word.parse().ok());
    let mut readings = Vec::new();
    // One of these is in each of them.
    if !["half", "quarter", "dozen"].iter().any(|word| lower.contains(word)) {
        return readings;
    }
    for found in CLOCK.captures_iter(lower) {
        let Some(hour) = number(&found[3]) else { continue };
        let past = if &found[1] == "half" { 30 } else { 15 };
        let minute = hour * 60 + if found.get(2).is_some() { past } else { -past };
        readings.extend([minute, minute + 720].map(|minute| format!("t{}", minute.rem_euclid(1440))));
    }
    for found in HALF.captures_iter(lower) {
        readings.extend(found.get(1).and_then(|word| number(word.as_str())).map(|n| format!("{n}.5")));
        readings.extend(found.get(2).map(|_| if &found[3] == "hour" { "30" } else { "6" }.to_owned()));
        if found.get(4).is_some() || lower.contains("hour and a half") {
            readings.extend(["1.5".to_owned(), "90".to_owned()]);
        }
        readings.extend(found.get(5).and_then(|word| number(word.as_str())).map(|n| (n * 12).to_string()));
    }
    readings
}

/// Returns readings in smaller units: "Two weeks" are 14 days.
fn in_smaller_units(lower: &str) -> Vec<String> {
    static UNIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b([a-z]+|\d{1,4}) ?(weeks?|days|hours?|hrs?|h|years?|months|minutes?|mins?)\b")
    });
    let convert = |found: regex::Captures<'_>| {
        let count = found[1].parse().ok().or_else(|| number_word(&found[1]))?;
        Some(match &found[2] {
            "week" | "weeks" => vec![count * 7],
            "year" | "years" => vec![count * 12],
            "days" => vec![count * 24, if count % 7 == 0 { count / 7 } else { count }],
            "months" => vec![if count % 12 == 0 { count / 12 } else { count }],
            _ => vec![count * 60, if count % 60 == 0 { count / 60 } else { count }],
        })
    };
    UNIT.captures_iter(lower).filter_map(convert).flatten().map(|number: i64| number.to_string()).gather()
}

/// Returns the values of runs of Chinese digits up to 99.
fn chinese(text: &str) -> Vec<usize> {
    const DIGITS: &str = "零一二三四五六七八九十";
    let digit = |c: char| if c == '两' { Some(2) } else { DIGITS.chars().position(|known| known == c) };
    let mut numbers = Vec::new();
    if text.is_ascii() {
        return numbers;
    }
    for run in text.split(|c| digit(c).is_none()).filter(|run| !run.is_empty()) {
        let digits: Vec<usize> = run.chars().filter_map(digit).gather();
        numbers.push(match digits.as_slice() {
            [tens, 10, ones] if *tens < 10 => tens * 10 + ones,
            [10, ones] => 10 + ones,
            [tens, 10] => tens * 10,
            _ => digits[0],
        });
    }
    numbers
}
