//! A text with its disguises undone, one after the other: the secrets that a reader still can take out of it.
//!
//! Seen, within a megabyte of text at a time: characters that are not seen or that look like others; pieces over lines
//! and cells of a table, in marks of markdown and tags, in strings that a program puts together or lists; letters with
//! one separator between each two; escapes of addresses, HTML, strings, markdown, style sheets and mail; base64, base32,
//! hexadecimal digits and decimal bytes, of text in UTF-8 (base64 and hexadecimal digits of UTF-16 too), in runs of any
//! length of which 64 KiB are read at once. Where one disguise is put on another, they are undone in this order; what was decoded
//! or unescaped is looked at once more from the beginning. Two decodings are undone, and four disguises in all.
//!
//! Not seen: what is reversed, encrypted, compressed, translated or described; letters that stand for others; other
//! codes, as base 58 and base 85; pieces that are parted by words, in variables or fields of their own, or over
//! documents; two or three letters between separators; lines of which each holds a plain word only, as those of
//! a mnemonic cut within its words.

mod base32;
mod base64;
mod decimal;
mod decoded;
mod escaped;
mod hex;
mod island;
mod joined;
mod lookalike;
mod quoted;
mod spaced;

pub(crate) use lookalike::as_drawn;

use std::cell::OnceCell;
use std::ops::Range;

pub(super) use island::Island;
pub(super) use joined::{is_date, is_word};

use super::dense;
use crate::base::text;
use crate::pii::View;

/// So many disguises are undone one after the other.
const MOST: u8 = 4;
const MOST_DECODED: u8 = 2;
/// So much is looked at in one piece, and so much of it once more with the next.
const PART: usize = 1 << 20;
const OVERLAP: usize = 64 << 10;

/// What was undone to come to a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Undone {
    last: Option<View>,
    count: u8,
    decoded: u8,
}

impl Undone {
    /// What may be undone next.
    pub(super) fn next(self) -> impl Iterator<Item = View> {
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
            follows && self.count < MOST && !(is_code && self.decoded == MOST_DECODED)
        })
    }

    pub(super) fn and(self, view: View) -> Self {
        let decoded = self.decoded + u8::from(is_decoding(view));
        Self { last: Some(view), count: self.count + 1, decoded }
    }
}

fn is_decoding(view: View) -> bool {
    matches!(view, View::Base64 | View::Hex | View::Base32 | View::Decimal)
}

/// A text, and what several disguises ask of it.
pub(super) struct Disguised<'t> {
    pub(super) text: &'t str,
    runs: OnceCell<Vec<Range<usize>>>,
}

impl<'t> Disguised<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, runs: OnceCell::new() }
    }

    /// The long runs of symbols, which no code is without.
    fn runs(&self) -> &[Range<usize>] {
        self.runs.get_or_init(|| dense::runs(self.text.as_bytes()).collect())
    }
}

/// Hands over what of a text is in a disguise, undone.
pub(super) fn undo(view: View, of: &Disguised<'_>, take: &mut dyn FnMut(Island)) {
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

/// The pieces of a text that are looked at on their own: all of it, where it is not large.
pub(super) fn parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        let end = text::floor_boundary(text, start + PART + OVERLAP);
        from = (end < text.len()).then(|| text::floor_boundary(text, start + PART));
        Some(start..end)
    })
}
