//! The ledger, `.dreaming.d/ledger.json`: which bytes of which journal a model has been shown.
//!
//! ```text
//! {"v":1,"epoch":7,"watermark":1795230000000,"journals":{"memory/2026-11-20-repl.md":
//!   {"shown":[{"from":0,"to":18342,"sha256":"…","breaks":214}],"size":18342,"modified":1795229000000000000}}}
//! ```
//!
//! Each piece carries the hash of its bytes, so a journal that was rewritten where it had been shown is
//! noticed, and only the pieces that changed are shown again. A piece without a hash was dreamed by a peer.
//! The line breaks of a piece are counted once, so that the lines after it have their numbers without reading it again.
//! A rewrite that keeps both size and time of change to the nanosecond is not noticed. An entry may count `tries`: how
//! often in a row it was shown and every line of the answer was held.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::seal;
use crate::base::digest::Digest;
use crate::base::error::{Error, Result, parse_json};
use crate::base::name::{DocName, StateName};
use crate::base::text;

const VERSION: u64 = 1;

/// The facts about every journal that is inside the window, or that still waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    v: u64,
    /// The claim that wrote it last.
    pub(crate) epoch: u64,
    /// The watermark that we wrote beside it; another one in the state file is a peer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) watermark: Option<Number>,
    journals: BTreeMap<DocName, Entry>,
}

/// One journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The ranges that were shown, ascending and without overlap.
    shown: Vec<Piece>,
    /// Its size when it was last looked at.
    pub(crate) size: u64,
    /// Its time of change then, in nanoseconds since the epoch.
    pub(crate) modified: i64,
    /// The number of times in a row that it was shown and every line of the answer was held.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(crate) tries: u32,
    /// The number of times that a person gave a part of it back: then the same bytes make another dream.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(crate) again: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out the field by reference")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// A run of bytes that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// The hash of the bytes; `None` where a peer dreamed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<Digest>,
    /// How many line breaks are among them; `None` where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) breaks: Option<u64>,
}

impl Piece {
    /// Makes the piece of bytes that a model was shown.
    pub(crate) fn of(from: u64, bytes: &[u8], sha256: Digest) -> Self {
        let to = from + bytes.len() as u64;
        Self { from, to, sha256: Some(sha256), breaks: Some(text::line_breaks(bytes)) }
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self { v: VERSION, epoch: 0, watermark: None, journals: BTreeMap::new() }
    }
}

impl Ledger {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let name = StateName::LEDGER;
        let parsed: Result<Self> = seal::parse(name.as_str(), bytes);
        if parsed.as_ref().map_or(true, |ledger| ledger.v != VERSION) {
            check_version(name.as_str(), bytes, VERSION)?;
        }
        let ledger = parsed?;
        let sound = |entry: &Entry| {
            entry.shown.iter().all(|piece| piece.from < piece.to)
                && entry.shown.windows(2).all(|pair| pair[0].to <= pair[1].from)
        };
        if ledger.journals.values().all(sound) {
            Ok(ledger)
        } else {
            Err(Error::Corrupt {
                name: name.to_string(),
                line: 0,
                column: 0,
                what: "pieces overlap or are empty",
            })
        }
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        seal::print(self)
    }

    pub(crate) fn get(&self, journal: &DocName) -> Option<&Entry> {
        self.journals.get(journal)
    }

    pub(crate) fn journals(&self) -> impl Iterator<Item = (&DocName, &Entry)> {
        self.journals.iter()
    }

    /// Forgets the journals for which `keep` says no.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&DocName, &Entry) -> bool) {
        self.journals.retain(|journal, entry| keep(journal, entry));
    }

    /// Takes over whole entries, as a commit recorded them. Doing it twice is doing it once.
    pub(crate) fn apply(&mut self, delta: &BTreeMap<DocName, Entry>) {
        for (journal, entry) in delta {
            self.journals.insert(journal.clone(), entry.clone());
        }
    }
}

impl Entry {
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.shown
    }

    /// Keeps the pieces for which `keep` says yes; returns whether all were kept.
    pub(crate) fn retain_pieces(&mut self, keep: impl FnMut(&Piece) -> bool) -> bool {
        let before = self.shown.len();
        self.shown.retain(keep);
        self.shown.len() == before
    }

    /// Says of the pieces that were shown of `old` that they were shown of `new`, which is as long.
    pub(crate) fn rehash(&mut self, old: &[u8], new: &[u8]) {
        fn part<'b>(bytes: &'b [u8], piece: &Piece) -> Option<&'b [u8]> {
            let range = usize::try_from(piece.from).ok()?..usize::try_from(piece.to).ok()?;
            bytes.get(range)
        }
        for piece in &mut self.shown {
            if piece.sha256.is_some()
                && piece.sha256 == part(old, piece).map(Digest::of)
                && let Some(bytes) = part(new, piece)
            {
                *piece = Piece::of(piece.from, bytes, Digest::of(bytes));
            }
        }
    }

    /// Takes a run of bytes out of what was shown; what is left of a piece beside it is hashed by `hash`, and void where
    /// that fails. Returns how many bytes wait that did not.
    pub(crate) fn give_back(
        &mut self,
        span: &Range<u64>,
        mut hash: impl FnMut(Range<u64>) -> Option<Digest>,
    ) -> u64 {
        let mut given = 0;
        let pieces = std::mem::take(&mut self.shown);
        for piece in pieces {
            if piece.to <= span.start || span.end <= piece.from {
                self.shown.push(piece);
                continue;
            }
            let mut kept = 0;
            for part in [piece.from..span.start.max(piece.from), span.end.min(piece.to)..piece.to] {
                if part.start < part.end
                    && let Some(sha256) = hash(part.clone())
                {
                    kept += part.end - part.start;
                    let (from, to) = (part.start, part.end);
                    self.shown.push(Piece { from, to, sha256: Some(sha256), breaks: None });
                }
            }
            given += piece.to - piece.from - kept;
        }
        self.tries = 0;
        self.again = self.again.saturating_add(u32::from(given > 0));
        given
    }

    /// Adds a piece that overlaps no other; one without bytes is none.
    pub(crate) fn show(&mut self, piece: Piece) {
        if piece.from >= piece.to {
            return;
        }
        let at = self.shown.partition_point(|other| other.from < piece.from);
        self.shown.insert(at, piece);
    }

    /// Returns the runs of bytes below `end` that were not shown, ascending.
    pub(crate) fn gaps(&self, end: u64) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut from = 0;
        for piece in &self.shown {
            if piece.from > from && from < end {
                gaps.push(from..piece.from.min(end));
            }
            from = from.max(piece.to);
        }
        if from < end {
            gaps.push(from..end);
        }
        gaps
    }

    /// Counts the bytes below `end` that were not shown.
    pub(crate) fn pending(&self, end: u64) -> u64 {
        self.gaps(end).iter().map(|gap| gap.end - gap.start).sum()
    }
}

/// Refuses a file that a newer version wrote, before its shape is judged.
pub(crate) fn check_version(name: &str, bytes: &[u8], known: u64) -> Result<()> {
    #[derive(Deserialize)]
    struct Version {
        v: u64,
    }
    let found = parse_json::<Version>(name, bytes)?.v;
    if found > known { Err(Error::NewerVersion { name: name.to_owned(), found, known }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(from: u64, to: u64) -> Piece {
        Piece { from, to, sha256: None, breaks: None }
    }

    #[test]
    fn gaps_are_what_was_not_shown() {
        let mut entry = Entry::default();
        entry.show(piece(50, 60));
        entry.show(piece(10, 20));
        assert_eq!(entry.gaps(100), [0..10, 20..50, 60..100]);
        assert_eq!((entry.gaps(15).len(), entry.gaps(15)[0].clone()), (1, 0..10));
        assert_eq!(entry.gaps(0), []);
        assert_eq!(entry.pending(100), 80);
    }

    #[test]
    fn a_ledger_reads_back_and_damage_is_an_error() {
        let mut ledger = Ledger::default();
        let mut entry = Entry::default();
        entry.show(piece(0, 4));
        ledger.apply(&BTreeMap::from([(DocName::parse("memory/2026-01-01.md").unwrap(), entry)]));
        assert_eq!(Ledger::parse(Some(&ledger.print())).unwrap(), ledger);
        let printed = ledger.print();
        for cut in 0..printed.len() - 2 {
            assert!(Ledger::parse(Some(&printed[..cut])).is_err(), "cut at {cut}");
        }
        let overlap = br#"{"v":1,"epoch":0,"journals":{"memory/a.md":{"shown":[{"from":0,"to":9},{"from":3,"to":12}],"size":1,"modified":1}}}"#;
        assert!(matches!(Ledger::parse(Some(overlap)), Err(Error::Corrupt { .. })));
        let newer = br#"{"v":2,"whatever":true}"#;
        assert!(matches!(Ledger::parse(Some(newer)), Err(Error::NewerVersion { found: 2, known: 1, .. })));
    }

    proptest! {
        #[test]
        fn shown_and_gaps_together_are_the_whole(bounds in proptest::collection::btree_set(0u64..200, 0..20), end in 0u64..220) {
            let bounds: Vec<u64> = bounds.into_iter().collect();
            let mut entry = Entry::default();
            for pair in bounds.chunks_exact(2) {
                entry.show(piece(pair[0], pair[1]));
            }
            let shown: u64 = entry.pieces().iter().map(|p| p.to.min(end).saturating_sub(p.from)).sum();
            prop_assert_eq!(shown + entry.pending(end), end);
        }
    }
}
