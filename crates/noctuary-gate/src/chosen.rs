//! The classes that one gate looks for, and the search for them.

use std::ops::Range;

use aho_corasick::{Span, packed};

use super::base58;
use super::class::{Class, Needs, Shape};
use super::table::{Match, TABLE, literals_of};

/// The classes of the table that one gate looks for.
pub(super) struct Chosen {
    /// By class.
    is_on: Vec<bool>,
    /// The classes that no literal begins.
    scans: Vec<usize>,
    few: Option<Few>,
}

/// The literals of a gate with few of them, which has a faster search.
struct Few {
    search: packed::Searcher,
    /// The literals and their classes, by the first byte.
    heads: Vec<Vec<(String, usize)>>,
}

/// Maximum number for which the search of [`Few`] is made.
const MOST_FEW: usize = 64;

impl Chosen {
    pub(super) fn new(is_on: impl Fn(&Class) -> bool) -> Self {
        let is_on: Vec<bool> = TABLE.classes.iter().map(|class| is_on(class)).collect();
        let is_few = TABLE.owners.iter().filter(|class| is_on[**class]).count() <= MOST_FEW;
        let few =
            is_few.then(|| {
                let rows = TABLE.classes.iter().enumerate().filter(|(class, _)| is_on[*class]);
                Few::new(rows.flat_map(|(class, row)| {
                    literals_of(row).into_iter().map(move |literal| (literal, class))
                }))
            });
        let is_scan = |class: &usize| matches!(TABLE.classes[*class].shape, Shape::Scan(..));
        let scans = (0..is_on.len()).filter(|class| is_on[*class]).filter(is_scan).collect();
        Self { few: few.flatten(), scans, is_on }
    }

    /// Hands over every match, and learns from the answer whether it was taken.
    pub(super) fn search(&self, text: &str, mut take: impl FnMut(Match) -> bool) {
        let mut free = Vec::new();
        let mut ended = 0;
        let hit = |class: usize, place: Range<usize>| {
            if !self.is_on[class] {
                return;
            }
            if free.is_empty() {
                free.resize(self.is_on.len(), 0);
            }
            // Where each class goes on, and where the last match ended.
            if place.start >= free[class]
                && let Some(found) = TABLE.match_at(class, text, place, ended)
            {
                let end = found.span.end;
                if take(found) {
                    free[class] = end;
                    ended = end;
                }
            }
        };
        let dense = if let Some(few) = &self.few {
            few.search(text.as_bytes(), hit);
            Some(0)
        } else {
            TABLE.search(text, hit)
        };
        // Most texts hold no long run in base 58: those classes share one look for it.
        let mut run = None;
        for class in self.scans.iter().copied() {
            let row = TABLE.classes[class];
            let Shape::Scan(scan, needs, _) = row.shape else { continue };
            let mut from = 0;
            if needs == Needs::Run58 {
                let first_run = || base58::first_run(text, dense?);
                let Some(run) = *run.get_or_insert_with(first_run) else { continue };
                from = run;
            }
            while let Some(span) = scan(text, from) {
                // All shapes begin with an ASCII character.
                from = span.start + 1;
                let end = span.end;
                if TABLE.is_bounded(text, &span, row.bounds, 0)
                    && take(Match { class, proving: span.clone(), span })
                {
                    from = end;
                }
            }
        }
    }
}

impl Few {
    /// Builds the search; `None` where the machine has none of this kind.
    fn new(literals: impl Iterator<Item = (String, usize)>) -> Option<Self> {
        let mut heads: Vec<Vec<(String, usize)>> = vec![Vec::new(); 256];
        for (literal, class) in literals {
            heads[usize::from(literal.as_bytes()[0])].push((literal, class));
        }
        let search = packed::Searcher::new(heads.iter().flatten().map(|(literal, _)| literal))?;
        Some(Self { search, heads })
    }

    fn search(&self, text: &[u8], mut hit: impl FnMut(usize, Range<usize>)) {
        let mut span = Span { start: 0, end: text.len() };
        while let Some(found) = self.search.find_in(text, span) {
            let start = found.start();
            // One literal may begin another, and stand inside another.
            span.start = start + 1;
            for (literal, class) in &self.heads[usize::from(text[start])] {
                if text[start..].starts_with(literal.as_bytes()) {
                    hit(*class, start..start + literal.len());
                }
            }
        }
    }
}
