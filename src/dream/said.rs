//! The words and the citations of a promoted line, compared with those of another.

use super::evidence::{Shown, is_negation, negates_unparted};
use crate::base::gather::Gather as _;
use crate::base::relative;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::text;
use crate::format::documents::cited::{Cited, cited, compared};
use crate::format::documents::curated;
use crate::format::replies::reply::{Citation, split_citations};
use crate::search::rank::Stemmer;

/// The words of a statement.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) terms: SortedSet<String>,
    /// Numbers and negations: without them it says something else.
    pub(crate) decisive: SortedSet<String>,
}

impl Said {
    /// Reads a line, with or without what it cites. A date that a dream added tells nothing more.
    pub(crate) fn of(line: &str) -> Self {
        let claim = relative::undated(&split_citations(line).0);
        let mut said = Self::default();
        Stemmer::default().terms(&claim, |stem, _| {
            if stem.contains(|c: char| c.is_ascii_digit()) {
                said.decisive.insert(stem.to_owned());
            }
            said.terms.insert(stem.to_owned());
        });
        said.decisive.extend(text::words(&claim).filter(|word| is_negation(word)));
        said.decisive.extend(negates_unparted(&claim).then(|| "\u{4e0d}".to_owned()));
        said
    }

    /// Reads the line that this is of behind a label of two words in front. `None` where it has none, or the label says
    /// a number or a negation.
    fn behind_label(&self, line: &str) -> Option<Self> {
        const LABEL_WORDS: usize = 2;
        let (_, rest) =
            line.split_once(": ").filter(|(label, _)| label.split_whitespace().count() <= LABEL_WORDS)?;
        Some(Self::of(rest)).filter(|bare| bare.decisive == self.decisive)
    }

    /// Returns the number of its words.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns whether another line says all that this one says, and two words more at most.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        const MOST: usize = 2;
        self.is_in(other) && other.len() - self.len() <= MOST
    }

    /// Returns how many of its words a line of a journal lacks; `None` where it lacks a number or a negation.
    pub(crate) fn lacks_in(&self, line: &str) -> Option<usize> {
        let line = Self::of(line);
        let has = |word: &String| line.terms.contains(word) || line.decisive.contains(word);
        self.decisive.iter().all(has).then(|| self.terms.difference(&line.terms).count())
    }

    /// Returns whether another line says all that this one says.
    pub(crate) fn is_in(&self, other: &Self) -> bool {
        self.decisive == other.decisive && !self.terms.is_empty() && self.terms.is_subset(&other.terms)
    }
}

/// The lines that dreams promoted, by the places that they cite.
#[derive(Debug, Default)]
pub(super) struct Standing(SortedMap<Cited, Vec<String>>);

impl Standing {
    /// Takes in the sections of a curated file.
    pub(super) fn take(&mut self, memory: &str) {
        for line in curated::promoted(memory) {
            for place in cited(split_citations(&line.text).1) {
                self.0.entry(compared(&place)).or_default().push(line.text.clone());
            }
        }
    }

    /// Returns the lines whose cited line a person has moved to this place of the journal.
    fn moved_to(&self, place: &Cited, shown: &Shown) -> Vec<&String> {
        let (name, ..) = compared(place);
        let tells = |said: &Said, (name, first_line, last_line): Cited| {
            let cited = Citation { name: Some(name), first_line, last_line };
            let source = shown.find(&cited).ok()?;
            Some(source.lines.iter().any(|line| said.lacks_in(&line.text) == Some(0)))
        };
        let of_journal = self.0.range((name.clone(), 0, 0)..=(name, u64::MAX, u64::MAX));
        let is_moved = move |(at, line): &(&Cited, &String)| {
            let line = curated::strip_date(line).1;
            let said = Said::of(line);
            let said = said.behind_label(line).unwrap_or(said);
            tells(&said, place.clone()) == Some(true)
                && tells(&said, (place.0.clone(), at.1, at.2)) == Some(false)
        };
        let lines = of_journal.flat_map(|(at, lines)| lines.iter().map(move |line| (at, line)));
        lines.filter(is_moved).map(|(_, line)| line).gather()
    }

    /// Returns whether a line that cites one of these places says all that this line says. A label of two words in
    /// front of this line does not count. A line of a journal is shown twice if its record is lost, or has not yet
    /// come from another machine. So is a line that a person has changed, or asked for. Then a model may say more of
    /// it than before.
    pub(super) fn says(&self, line: &str, citations: &[Citation], shown: &Shown) -> bool {
        let places = cited(citations.to_vec());
        let places: Vec<&Cited> = places.iter().filter(|place| place.1 > 0).gather();
        let same = places.iter().filter_map(|place| self.0.get(&compared(place))).flatten();
        let moved = places.iter().flat_map(|place| self.moved_to(place, shown));
        let near: Vec<&String> = same.chain(moved).gather();
        if near.is_empty() {
            return false;
        }
        let said = Said::of(line);
        let bare = said.behind_label(line);
        near.into_iter().map(|line| Said::of(line)).any(|standing| {
            said.repeats(&standing) || bare.as_ref().is_some_and(|bare| bare.repeats(&standing))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_where_one_that_cites_the_same_says_it_but_for_two_words() {
        let mut standing = Standing::default();
        standing.take(
            "# Memory\n\n## Dreamed 2026-11-21\n<!-- dream:v1 id=0123456789abcdef src=1 sha256=0123456789abcdef -->\n\n- Marta likes green \
             tea. (memory/2026-11-20-repl.md#L4)\n\n<!-- /dream:v1 id=0123456789abcdef -->\n",
        );
        let says = |line: &str| {
            let citations = split_citations(line).1;
            standing.says(line, &citations, &Shown::default())
        };
        assert!(says("Marta likes green tea. (memory/2026-11-20-repl.md#L4)"));
        assert!(says("We know: Marta likes green tea. (memory/2026-11-20-repl.md#L4)"));
        assert!(says("Marta likes green tea. (memory/archive/log-20261120-repl.md#L4)"));
        assert!(says("Marta likes tea. (memory/2026-11-19-repl.md#L1, memory/2026-11-20-repl.md#L4)"));
        for other in [
            "Marta likes green tea.",
            "Marta likes green tea. (memory/2026-11-20-repl.md#L5)",
            "Marta likes green tea. (memory/2026-11-20-repl.md#L4-L5)",
            "Marta never likes green tea. (memory/2026-11-20-repl.md#L4)",
            "Marta likes 2 green teas. (memory/2026-11-20-repl.md#L4)",
            "Marta likes black tea. (memory/2026-11-20-repl.md#L4)",
            "Marta hasn't liked green tea. (memory/2026-11-20-repl.md#L4)",
            "Marta likes green tea and dairy. (memory/2026-11-20-repl.md#L4)",
            "Never again: Marta likes green tea. (memory/2026-11-20-repl.md#L4)",
            "Marta likes green tea, rye bread, brown cheese. (memory/2026-11-20-repl.md#L4)",
        ] {
            assert!(!says(other), "{other}");
        }
    }
}
