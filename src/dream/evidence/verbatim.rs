//! Claims that are a cited line word for word, behind labels that change nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::shown::Source;
use super::{common, matter};
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::text;
use crate::format::documents::curated::strip_date;
use crate::format::documents::speakers::is_party;

impl Source {
    /// Returns whether a line, or all lines together, are the claim word for word.
    pub(crate) fn says(&self, claim: &str) -> bool {
        let lines = || self.lines.iter().map(|line| line.text.as_str());
        if let [line] = self.lines.as_slice() {
            return self.is_said(claim, &line.text);
        }
        let whole = lines().gather().join(" ");
        let mut texts = lines().chain([whole.as_str()]);
        texts.any(|text| self.is_said(claim, text))
    }

    /// Returns whether a text of the source is the claim, except words that only say when, where and who.
    fn is_said(&self, claim: &str, text: &str) -> bool {
        let (plain, whole) = (text::statement(text), text::statement(claim));
        if plain == whole || text.trim_end().strip_suffix(claim.trim()).is_some_and(is_label_of_line) {
            return true;
        }
        let (date, rest) = strip_date(claim);
        if date.is_some() && date != self.date {
            return false;
        }
        let unnamed =
            rest.split_once(": ").filter(|(speaker, _)| speaks(speaker, text)).map(|(_, said)| said);
        [Some(rest), unnamed].into_iter().flatten().map(text::statement).any(|claim| {
            !claim.is_empty()
                && plain.strip_suffix(claim.as_str()).is_some_and(|label| is_label_before(text, label))
        })
    }
}

/// Returns whether a claim's label names a speaker that the line may have.
pub(crate) fn speaks(speaker: &str, line: &str) -> bool {
    let words: Vec<String> = text::words(speaker).gather();
    let stands = |word: &String| text::words(line).any(|known| known == *word);
    words.len() <= 2 && words.iter().all(|word| is_party(word) || (is_speaker(speaker) && stands(word)))
}

/// Returns whether a label is a party to the talk, or at most two words that can be a name: not "Myth".
fn is_speaker(label: &str) -> bool {
    let words: Vec<&str> = label.split_whitespace().gather();
    let is_capital = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || !c.is_ascii());
    let is_name = |word: &&str| {
        let lower = word.to_lowercase();
        is_capital(word) && !common::is_common(&lower) && !matter::is_negation(&lower) && !is_distance(&lower)
    };
    words.len() <= 2 && (words.iter().all(is_name) || words.iter().all(|word| is_party(&word.to_lowercase())))
}

/// Returns whether a word in front of a colon takes back what follows.
fn is_distance(word: &str) -> bool {
    matches!(
        word,
        "rumour"
            | "rumor"
            | "joke"
            | "fiction"
            | "lie"
            | "hypothetical"
            | "hypothesis"
            | "incorrect"
            | "hearsay"
            | "satire"
            | "alleged"
            | "allegedly"
            | "supposedly"
            | "maybe"
            | "doubtful"
            | "unlikely"
            | "gerücht"
    )
}

/// Returns whether a label of a normalised line, whose upper case is in the line itself.
fn is_label_before(line: &str, label: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let wanted = letters(label);
    let end =
        line.char_indices().filter(|(_, c)| c.is_alphanumeric()).nth(wanted).map_or(line.len(), |(at, _)| at);
    let front: String =
        line[..end].chars().filter(|c| !text::is_invisible(*c) && !"*`_".contains(*c)).collect();
    is_label_of_line(&front)
}

/// Returns whether a text in front of a line's matter is only a bullet, a time, a tag, a speaker.
fn is_label_of_line(text: &str) -> bool {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"^\s*(?:(?:[-*+>•]|\d{1,3}[.)])\s+)*(?:[\[(]?\d{1,4}[-\d:t.,z+ ]*(?:[ap]m)?[\])]?:?\s*[-–—]?\s*)?(?:\[[^\[\]]{1,40}\]:?\s*){0,2}(?:\**([\p{L}\d][\p{L}\d.'_-]*(?: [\p{L}\d.'_-]+)?)\**:\**\s*)?["“'(]*$"#,
        )
    });
    let Some(found) = LABEL.captures(text) else { return false };
    let tag_denies = text::words(text).any(|word| matter::is_negation(&word) || is_distance(&word));
    !tag_denies && found.get(1).is_none_or(|speaker| is_speaker(speaker.as_str()))
}
