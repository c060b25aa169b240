//! Contrasts: where a source sets one thing against another, the claim must not take the other.
//!
//! Only the connectives below are read, in the source and in the claim. If the source has none of them,
//! nothing is held.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::matter::{is_negation, same_stem};
use super::names::fold;
use super::numbers;
use super::shown::Source;
use crate::base::gather::Gather as _;
use crate::base::list::List;
use crate::base::pattern::pattern;
use crate::base::spread::Spread;
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};

/// Two things of a clause: the one that is kept, and the one that is not.
struct Contrast {
    kept: Vec<String>,
    dropped: Vec<String>,
    /// A move: what was left is not denied, only the order counts.
    is_move: bool,
}

/// Words that are no sign of either side.
static SMALL: List = List::new(
    "the and but for with that this at in on of by as is be it we he do so if or my us an to from use uses used \
    using are was were has have had will would she they you user his her their our not now also",
);

/// Returns the words and numbers of one side.
fn side(text: &str) -> Vec<String> {
    let words = text::words(text)
        .filter(|word| word.chars().count() > 1 && !word.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|word| !SMALL.has(word) && !is_negation(word));
    words.map(|word| fold(&word)).chain(numbers::readings(text)).gather()
}

fn holds(side: &[String], word: &str) -> bool {
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    side.iter().any(|known| if has_digit { known == word } else { same_stem(known, word) })
}

/// Returns the clauses in which a contrast is looked for.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    static STOP: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.;!?:\n]+(?:\s|$)|[()]| [-–—] "));
    STOP.split(text).filter(|clause| !clause.is_empty())
}

impl Contrast {
    fn new(kept: &str, dropped: &str, is_move: bool) -> Option<Self> {
        let (all, other) = (side(kept), side(dropped));
        let kept: Vec<String> = all.iter().filter(|word| !holds(&other, word)).cloned().gather();
        let dropped: Vec<String> = other.into_iter().filter(|word| !holds(&all, word)).gather();
        (!kept.is_empty() && !dropped.is_empty()).then_some(Self { kept, dropped, is_move })
    }

    /// Returns the contrast that a clause makes.
    fn of(clause: &str) -> Option<Self> {
        static FRONT: LazyLock<Regex> =
            LazyLock::new(|| pattern(r"(?i)^\W*(?:instead of|rather than|not) ([^,]+?)(?:,| but) (.+)$"));
        static BUT: LazyLock<Regex> =
            LazyLock::new(|| pattern(r"(?i)^(.*?)\b(?:not|nicht) ([^,]+?),? (?:but|sondern) (.+)$"));
        static MOVE: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"(?i)\bfrom ([^,]+?) to ([^,]+)|\breplac\w+ ([^,]+?) (?:with|by) ([^,]+)")
        });
        static INSTEAD: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"(?i)^(.+?),? (?:instead of|rather than|(?:more|better) than|statt) ([^,]+)")
        });
        static PREFER: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(?i)\b((?:prefer|chose|choose|pick|favou?r|like|love|want|go|went)\w*\b [^,]*?) over ([^,]+)|\bprefer\w* ([^,]+?) to ([^,]+)",
            )
        });
        static NOT: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"(?i)^(.+?),? (?:and |but )?not (?:(?:in|on|at|to|with|for) )?(\S+(?: \S+)?)$|^(.+?), (?:and |but )?not ([^,]+)",
            )
        });
        let at = |found: &Captures<'_>, at: usize| found.get(at).map_or("", |side| side.as_str()).to_owned();
        let either = |found: &Captures<'_>, one: usize, other: usize| at(found, one) + &at(found, other);
        if let Some(found) = FRONT.captures(clause) {
            return Self::new(&at(&found, 2), &at(&found, 1), false);
        }
        if let Some(found) = BUT.captures(clause) {
            return Self::new(&(at(&found, 1) + " " + &at(&found, 3)), &at(&found, 2), false);
        }
        if let Some(found) = INSTEAD.captures(clause) {
            return Self::new(&at(&found, 1), &at(&found, 2), false);
        }
        if let Some(found) = PREFER.captures(clause) {
            return Self::new(&either(&found, 1, 3), &either(&found, 2, 4), false);
        }
        if let Some(found) = MOVE.captures(clause) {
            return Self::new(&either(&found, 2, 4), &either(&found, 1, 3), true);
        }
        let found =
            NOT.captures(clause).filter(|_| clause.contains(", not ") || clause.contains(" and not "))?;
        Self::new(&either(&found, 1, 3), &either(&found, 2, 4), false)
    }

    /// Returns whether another contrast has this one's sides the other way round.
    fn is_swapped(&self, other: &Self) -> bool {
        self.dropped.iter().any(|word| holds(&other.kept, word))
            && self.kept.iter().any(|word| holds(&other.dropped, word))
    }

    /// Returns whether a clause without a contrast takes the dropped side of this one. It then has a word of that
    /// side and no object of the kept side. Its other words are from the kept side.
    fn is_adopted(&self, clause: &[String], whole: &str, elsewhere: &[String]) -> bool {
        let takes = |word: &String| holds(clause, word) && !holds(elsewhere, word);
        let verbs = clause.iter().any(|word| holds(&self.kept, word));
        let is_bare = clause.iter().all(|word| holds(&self.dropped, word) || holds(&self.kept, word));
        // "Use npm" has no word left but the dropped one; else the clause must share the kept side's verb.
        let is_short = clause.iter().all(|word| holds(&self.dropped, word));
        let object_is_gone = self.kept.iter().filter(|word| holds(clause, word)).count() < self.kept.len();
        let negates = text::words(whole).any(|word| is_negation(&word));
        !self.is_move
            && !negates
            && self.dropped.iter().any(takes)
            && (is_short || (verbs && is_bare))
            && object_is_gone
    }
}

/// Checks that no clause of the claim swaps the sides of a contrast of the sources, nor take the dropped one.
pub(crate) fn check(claim: &str, sources: &[Source]) -> Result<(), Hold> {
    let lines = || sources.iter().spread(|source| &source.lines).spread(|line| clauses(&line.text));
    let contrasts: Vec<Contrast> = lines().filter_map(Contrast::of).gather();
    if contrasts.is_empty() {
        return Ok(());
    }
    let elsewhere: Vec<String> =
        lines().filter(|clause| Contrast::of(clause).is_none()).spread(side).gather();
    for clause in clauses(claim) {
        let goes_wrong = match Contrast::of(clause) {
            Some(claimed) => {
                contrasts.iter().any(|contrast| contrast.is_swapped(&claimed))
                    && contrasts.iter().all(|contrast| !contrast.supports(&claimed))
            }
            None => contrasts.iter().any(|contrast| contrast.is_adopted(&side(clause), clause, &elsewhere)),
        };
        if goes_wrong {
            return Err(Hold { reason: HoldReason::Negation, word: None });
        }
    }
    Ok(())
}

impl Contrast {
    /// Returns whether another contrast has the same sides.
    fn supports(&self, other: &Self) -> bool {
        self.kept.iter().any(|word| holds(&other.kept, word))
            && self.dropped.iter().any(|word| holds(&other.dropped, word))
            && !self.is_swapped(other)
    }
}
