//! A part of a text with its disguise undone, and where each byte of it is in the text.

use std::ops::Range;

use crate::steps;
use crate::text;

/// The bytes of text that are kept on both sides of what was decoded: room for a label and its secret.
const CONTEXT_BYTES: usize = 160;
/// The bytes of the line that are kept before and behind decoded code. They are few, because each piece of code scans them again.
const LABEL_BYTES: usize = 64;
const BYTES_BEHIND: usize = 16;
/// The bytes that are kept on both sides where there may be a key of many lines.
const KEY_BYTES: usize = 8 << 10;
/// Maximum number of bytes added on a side until white space ends the part.
const MAX_ADDED_BYTES: usize = 4096;
/// Minimum length of a part, in bytes: no secret is shorter.
const MIN_BYTES: usize = 8;

/// A place of a text, and the character that it stands for; none where nothing of it is left.
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) shown: Option<char>,
}

/// A part of a text, undone.
pub(crate) struct Island {
    pub(crate) text: String,
    places: Places,
}

/// The places of an island's bytes.
enum Places {
    /// Ascending by `seen`; the last one at or before a byte counts.
    Steps(Vec<Step>),
    /// Decoded text, between the text beside it.
    Code(Code),
}

struct Step {
    /// A place in the island.
    seen: usize,
    /// The place in the text.
    at: usize,
    /// The end of the part that is shown as one character; none if the bytes are shown as they are.
    end: Option<usize>,
}

/// Text that was written in symbols.
pub(super) struct Code {
    /// The start of the symbols of whole bytes.
    pub(super) from: usize,
    /// Their end, with the padding.
    pub(super) end: usize,
    /// The number of bits of each symbol.
    pub(super) bits: usize,
    /// The range of the bytes that is the text.
    pub(super) text: Range<usize>,
    /// The number of bytes of a character.
    pub(super) width: usize,
    /// Its range in the text that is shown around it.
    pub(super) beside: Range<usize>,
}

impl Code {
    /// Returns where a byte of the island is.
    fn place(&self, at: usize, is_end: bool) -> usize {
        let first = self.left();
        let length = self.text.len() / self.width;
        if at < first || (at == first && is_end) {
            self.beside.start + at
        } else if at > first + length || (at == first + length && !is_end) {
            self.end + at - first - length
        } else {
            let bits = (self.text.start + (at - first) * self.width) * 8;
            let symbols = if is_end { bits.div_ceil(self.bits) } else { bits / self.bits };
            if is_end && at == first + length && self.is_last() { self.end } else { self.from + symbols }
        }
    }

    fn left(&self) -> usize {
        self.from.saturating_sub(self.beside.start)
    }

    /// Returns whether the text goes up to the end of the code.
    fn is_last(&self) -> bool {
        self.beside.end > self.end
    }
}

impl Island {
    /// Returns what was written in symbols, and what is beside it on that side where it was all of them.
    pub(super) fn decoded(text: &str, part: &str, mut code: Code, is_first: bool, is_last: bool) -> Self {
        code.beside = code.from..code.end;
        if is_first {
            let near = &text[text::ceil_boundary(text, code.from.saturating_sub(LABEL_BYTES))..code.from];
            code.beside.start -= near.rfind('\n').map_or(near.len(), |at| near.len() - at - 1);
        }
        if is_last {
            let near = &text[code.end..text::floor_boundary(text, code.end + BYTES_BEHIND)];
            code.beside.end += near.find('\n').unwrap_or(near.len());
        }
        let seen = [&text[code.beside.start..code.from], part, &text[code.end..code.beside.end]].concat();
        Self { text: seen, places: Places::Code(code) }
    }

    /// Returns where a part of the island is, which is not empty.
    pub(crate) fn place(&self, part: &Range<usize>) -> Range<usize> {
        match &self.places {
            Places::Steps(steps) => {
                let step =
                    |at: usize| &steps[steps.partition_point(|step| step.seen <= at).saturating_sub(1)];
                let (first, last) = (step(part.start), step(part.end - 1));
                let start = if first.end.is_some() { first.at } else { first.at + part.start - first.seen };
                start..last.end.unwrap_or_else(|| last.at + part.end - last.seen)
            }
            Places::Code(code) => code.place(part.start, false)..code.place(part.end, true),
        }
    }

    /// Returns where something was taken out inside a part of the island, the last first.
    pub(crate) fn joints(&self, part: &Range<usize>) -> Vec<usize> {
        let Places::Steps(steps) = &self.places else { return Vec::new() };
        let inside = |step: &&Step| step.end.is_none() && step.seen > part.start && step.seen < part.end;
        steps.iter().rev().filter(inside).map(|step| step.seen).collect()
    }
}

/// Hands over the parts of `text` around what is undone, each once, as they are then. The edits ascend.
pub(super) fn islands(text: &str, edits: &[Edit], take: &mut dyn FnMut(Island)) {
    let is_key = || text.contains("-----BEGIN") || text.contains("PRIVATE KEY-----");
    let context = if !edits.is_empty() && is_key() { KEY_BYTES } else { CONTEXT_BYTES };
    let (mut first, mut floor) = (0, 0);
    while let Some(edit) = edits.get(first) {
        let start = before(text, edit.place.start, floor, context);
        let mut last = first;
        let end = loop {
            let from = edits[last].place.end;
            let Some(next) = edits.get(last + 1) else { break after(text, from, text.len(), context) };
            if next.place.start > from + context {
                let end = after(text, from, next.place.start, context);
                if next.place.start > end + context {
                    break end;
                }
            }
            last += 1;
        };
        let island = undone(text, start..end, &edits[first..=last]);
        steps::take(end - start);
        if island.text.len() >= MIN_BYTES {
            take(island);
        }
        floor = end;
        first = last + 1;
    }
}

fn undone(text: &str, part: Range<usize>, edits: &[Edit]) -> Island {
    let mut seen = String::with_capacity(part.len());
    let mut steps = vec![Step { seen: 0, at: part.start, end: None }];
    let mut from = part.start;
    for Edit { place, shown } in edits {
        seen.push_str(&text[from..place.start]);
        if let Some(shown) = shown {
            push(&mut steps, Step { seen: seen.len(), at: place.start, end: Some(place.end) });
            seen.push(*shown);
        }
        push(&mut steps, Step { seen: seen.len(), at: place.end, end: None });
        from = place.end;
    }
    seen.push_str(&text[from..part.end]);
    Island { text: seen, places: Places::Steps(steps) }
}

/// Adds a step. If two are at one place, the later counts.
fn push(steps: &mut Vec<Step>, step: Step) {
    match steps.last_mut() {
        Some(last) if last.seen == step.seen => *last = step,
        _ => steps.push(step),
    }
}

/// Returns where the part of a text begins that an edit at `at` may concern.
fn before(text: &str, at: usize, floor: usize, context: usize) -> usize {
    let near = at.saturating_sub(context).max(floor);
    let far = near.saturating_sub(MAX_ADDED_BYTES).max(floor);
    let run = text.as_bytes()[far..near].iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    text::ceil_boundary(text, near - run)
}

/// Returns where it ends, at `most` at the latest.
fn after(text: &str, at: usize, most: usize, context: usize) -> usize {
    let near = (at + context).min(most);
    let far = (near + MAX_ADDED_BYTES).min(most);
    let run = text.as_bytes()[near..far].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    text::floor_boundary(text, near + run).max(at)
}
