//! Matter: what the claim and its sources are about, and whether one says the opposite of the other.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Source;
use crate::dreamer::{Hold, HoldReason};
use crate::text;

/// Words that carry no matter.
const SMALL_WORDS: &str = "the and but for with from that this these those are was were has have had will would should \
    could can may must its his her their our your they them she him you who which what when where \
    how why all any some into onto about than then there here also only just very been being does \
    did user agent human operator said says always now out";

fn matter(text: &str) -> Vec<String> {
    text::words(text)
        .filter(|word| {
            word.chars().count() > 2
                && !SMALL_WORDS.split(' ').any(|small| small == word)
                && !is_negation(word)
        })
        .collect()
}

/// A claim that shares no word of matter with its sources is about something else.
pub(super) fn check_overlap(claim: &str, known: &BTreeSet<String>) -> Result<(), Hold> {
    let matter = matter(claim);
    let shares = |word: &String| known.iter().any(|other| same_stem(other, word));
    if matter.is_empty() || matter.iter().any(shares) {
        Ok(())
    } else {
        Err(Hold { reason: HoldReason::Unrelated, word: None })
    }
}

/// Whether two words are forms of one: their first letters agree, and what follows is an ending.
pub(super) fn same_stem(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    shared >= 4 && one.len() - shared <= 4 && other.len() - shared <= 4
}

pub(super) fn is_negation(word: &str) -> bool {
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
pub(super) fn check_negation(claim: &str, sources: &[Source]) -> Result<(), Hold> {
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
