//! A part of a text with its disguise undone, and where each byte of it stands in the text.

use std::ops::Range;

use super::super::search::steps;
use crate::text;

/// At least so much of the text stands on both sides of what was undone: room for a label and its secret.
const CONTEXT: usize = 160;
/// At most so much, where no white space ends it before.
const REACH: usize = 4096;
/// No secret is shorter.
const LEAST: usize = 8;

/// A place of a text, and the character that it stands for; none where nothing of it is left.
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) shown: Option<char>,
}

/// A part of a text, undone.
pub(in super::super) struct Island {
    pub(in super::super) text: String,
    places: Places,
}

/// Where the bytes of an island stand.
enum Places {
    /// Ascending by `seen`; the last at or before a byte tells.
    Steps(Vec<Step>),
    /// Each byte in so many bits of a symbol, from a place on; `bytes` of the code for each byte of the island.
    Symbols { from: usize, skipped: usize, bits: usize, bytes: usize, padding: usize },
}

struct Step {
    /// A place in the island.
    seen: usize,
    /// The place in the text.
    at: usize,
    /// Where that ends which is shown as one character; none where bytes stand as they are.
    end: Option<usize>,
}

impl Island {
    /// What was written in symbols of so many bits: `text` is what `bytes` each hold of it after the first `skipped`.
    pub(super) fn of_symbols(text: String, from: usize, skipped: usize, bits: usize, bytes: usize) -> Self {
        Self { text, places: Places::Symbols { from, skipped, bits, bytes, padding: 0 } }
    }

    /// Gives the end of what was written so many bytes of padding.
    pub(super) fn padded(mut self, by: usize) -> Self {
        if let Places::Symbols { padding, .. } = &mut self.places {
            *padding = by;
        }
        self
    }

    /// Where a part of the island stands, which is not empty.
    pub(in super::super) fn place(&self, part: &Range<usize>) -> Range<usize> {
        match &self.places {
            Places::Steps(steps) => {
                let step =
                    |at: usize| &steps[steps.partition_point(|step| step.seen <= at).saturating_sub(1)];
                let (first, last) = (step(part.start), step(part.end - 1));
                let start = if first.end.is_some() { first.at } else { first.at + part.start - first.seen };
                start..last.end.unwrap_or_else(|| last.at + part.end - last.seen)
            }
            Places::Symbols { from, skipped, bits, bytes, padding } => {
                let (first, end) = (skipped + part.start * bytes, skipped + part.end * bytes);
                let padding = if part.end == self.text.len() { *padding } else { 0 };
                from + first * 8 / bits..from + (end * 8).div_ceil(*bits) + padding
            }
        }
    }

    /// Where something was taken out inside a part of the island, the last first.
    pub(in super::super) fn joints(&self, part: &Range<usize>) -> Vec<usize> {
        let Places::Steps(steps) = &self.places else { return Vec::new() };
        let inside = |step: &&Step| step.end.is_none() && step.seen > part.start && step.seen < part.end;
        steps.iter().rev().filter(inside).map(|step| step.seen).collect()
    }
}

/// Hands over the parts of `text` around what is undone, each once, as they are then. The edits ascend.
pub(super) fn islands(text: &str, edits: &[Edit], take: &mut dyn FnMut(Island)) {
    let (mut first, mut floor) = (0, 0);
    while let Some(edit) = edits.get(first) {
        let start = before(text, edit.place.start, floor);
        let mut last = first;
        let end = loop {
            let from = edits[last].place.end;
            let Some(next) = edits.get(last + 1) else { break after(text, from, text.len()) };
            if next.place.start > from + CONTEXT {
                let end = after(text, from, next.place.start);
                if next.place.start > end + CONTEXT {
                    break end;
                }
            }
            last += 1;
        };
        let island = undone(text, start..end, &edits[first..=last]);
        steps::take(end - start);
        if island.text.len() >= LEAST {
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

/// Of two steps at one place, the later tells.
fn push(steps: &mut Vec<Step>, step: Step) {
    match steps.last_mut() {
        Some(last) if last.seen == step.seen => *last = step,
        _ => steps.push(step),
    }
}

/// Where the part of a text begins that an edit at `at` may concern.
fn before(text: &str, at: usize, floor: usize) -> usize {
    let near = at.saturating_sub(CONTEXT).max(floor);
    let far = at.saturating_sub(REACH).max(floor);
    let run = text.as_bytes()[far..near].iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    text::ceil_boundary(text, near - run)
}

/// Where it ends, at `most` at the latest.
fn after(text: &str, at: usize, most: usize) -> usize {
    let near = (at + CONTEXT).min(most);
    let far = (at + REACH).min(most);
    let run = text.as_bytes()[near..far].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    text::floor_boundary(text, near + run).max(at)
}
