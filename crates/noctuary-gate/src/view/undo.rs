//! Undoing the disguises of a text, one after the other.

use std::cell::OnceCell;
use std::ops::Range;

use super::island::{self, Island};
use super::{base32, base64, decimal, escaped, hex, joined, lookalike, quoted, spaced};
use crate::View;
use crate::dense;
use crate::text;

/// The most disguises that are undone one after the other.
const MAX_DISGUISES: u8 = 4;
const MOST_DECODED: u8 = 2;
/// Bytes that are looked at in one piece, and bytes of it that are repeated with the next.
const PART: usize = 1 << 20;
const OVERLAP: usize = 64 << 10;

/// The disguises that were undone to come to a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Undone {
    last: Option<View>,
    count: u8,
    decoded: u8,
}

impl Undone {
    /// Returns what may be undone next.
    pub(crate) fn next(self) -> impl Iterator<Item = View> {
        use View::{Base32, Base64, Decimal, Escaped, Hex, Joined, Lookalike, Spaced};
        let all = [Lookalike, Joined, Spaced, Escaped, Base64, Hex, Base32, Decimal];
        all.into_iter().filter(move |view| {
            let is_code = is_decoding(*view);
            let follows = match self.last {
                None => true,
                // The rows of letters are what is left.
                Some(Spaced) => is_code,
                Some(last) => last == Escaped || is_decoding(last) || *view > last,
            };
            follows && self.count < MAX_DISGUISES && !(is_code && self.decoded == MOST_DECODED)
        })
    }

    pub(crate) fn and(self, view: View) -> Self {
        let decoded = self.decoded + u8::from(is_decoding(view));
        Self { last: Some(view), count: self.count + 1, decoded }
    }
}

fn is_decoding(view: View) -> bool {
    matches!(view, View::Base64 | View::Hex | View::Base32 | View::Decimal)
}

/// A text, and what several disguises ask of it.
pub(crate) struct Disguised<'t> {
    pub(crate) text: &'t str,
    runs: OnceCell<Vec<Range<usize>>>,
}

impl<'t> Disguised<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, runs: OnceCell::new() }
    }

    /// Returns the long runs of symbols, which no code is without.
    fn runs(&self) -> &[Range<usize>] {
        self.runs.get_or_init(|| dense::runs(self.text.as_bytes()).collect())
    }
}

/// Hands over what of a text is in a disguise, undone.
pub(crate) fn undo(view: View, of: &Disguised<'_>, take: &mut dyn FnMut(Island)) {
    let text = of.text;
    match view {
        View::Lookalike => {
            island::islands(text, &lookalike::edits(text), take);
            island::islands(text, &lookalike::tags(text), take);
        }
        View::Joined => {
            for edits in joined::edits(text) {
                island::islands(text, &edits, take);
            }
        }
        View::Spaced => island::islands(text, &spaced::edits(text), take),
        View::Escaped => {
            island::islands(text, &escaped::edits(text), take);
            island::islands(text, &quoted::edits(text), take);
        }
        View::Base64 => base64::islands(text, of.runs(), take),
        View::Hex => {
            hex::islands(text, of.runs(), take);
            island::islands(text, &hex::edits(text), take);
            island::islands(text, &hex::groups(text), take);
        }
        View::Base32 => base32::islands(text, of.runs(), take),
        View::Decimal => island::islands(text, &decimal::edits(text), take),
        View::Raw => {}
    }
}

/// Returns the pieces of a text that are looked at on their own: all of it, where it is not large.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        let end = text::floor_boundary(text, start + PART + OVERLAP);
        from = (end < text.len()).then(|| text::floor_boundary(text, start + PART));
        Some(start..end)
    })
}
