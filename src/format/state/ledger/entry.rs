//! The entry of a journal: the bytes that were shown of it, and how it was when it was last looked at.

use std::iter;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;
use crate::base::gather::Gather as _;
use crate::base::text;

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

/// The facts of an entry that most looks need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glance {
    /// The size of the journal when it was last looked at.
    pub(crate) size: u64,
    /// Its time of change then, in nanoseconds since the epoch.
    pub(crate) modified: i64,
    /// The number of its bytes that were not shown.
    pub(crate) pending: u64,
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

    /// Hands its pieces to `change`, which returns whether any is another one now.
    pub(crate) fn change_pieces(&mut self, change: &dyn Fn(&mut Vec<Piece>) -> bool) -> bool {
        change(&mut self.shown)
    }

    /// Takes a run of bytes out of what was shown. The rest of a piece beside it is hashed by `hash`, and void where
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
        self.open_below(end).gather()
    }

    fn open_below(&self, end: u64) -> impl Iterator<Item = Range<u64>> {
        let ends = self.shown.iter().map(|piece| piece.to);
        let starts = self.shown.iter().map(move |piece| piece.from.min(end));
        let gaps = iter::once(0).chain(ends).zip(starts.chain(iter::once(end)));
        gaps.map(|(from, to)| from..to).filter(|gap| gap.start < gap.end)
    }

    /// Counts the bytes below `end` that were not shown.
    pub(crate) fn pending(&self, end: u64) -> u64 {
        self.open_below(end).map(|gap| gap.end - gap.start).sum()
    }

    /// Returns its facts for a look.
    pub(crate) fn glance(&self) -> Glance {
        Glance { size: self.size, modified: self.modified, pending: self.pending(self.size) }
    }

    /// Returns whether its pieces hold bytes, ascend, and do not overlap.
    pub(super) fn is_sound(&self) -> bool {
        self.shown.iter().all(|piece| piece.from < piece.to)
            && self.shown.windows(2).all(|pair| pair[0].to <= pair[1].from)
    }
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
