//! Whose secret it is: the journals that contain what the filter found in an answer.

use super::select::Slice;
use crate::dreamer::{Blamed, SourceRef};
use crate::name::DocName;
use crate::pii::Finding;
use crate::text;

/// Blames, for each class that was found, the journals that contain the match. Where none does, and the
/// current memory does not either, all of the batch are to blame.
pub(super) fn blame(answer: &str, findings: &[Finding], slices: &[Slice], memory: &str) -> Vec<Blamed> {
    let mut blamed: Vec<Blamed> = Vec::new();
    let memory = squeeze(memory);
    for finding in findings {
        let secret = squeeze(&answer[finding.span.clone()]);
        let places: Vec<SourceRef> = slices.iter().filter_map(|slice| place(slice, &secret)).collect();
        let mut journals: Vec<DocName> = places.iter().map(|place| place.name.clone()).collect();
        if journals.is_empty() && !memory.contains(&secret) {
            journals = slices.iter().map(|slice| slice.journal.name().clone()).collect();
        }
        match blamed.iter_mut().find(|known| known.pattern == finding.class) {
            Some(known) => {
                known.places.extend(places);
                known.journals.extend(journals);
            }
            None => blamed.push(Blamed { pattern: finding.class.to_string(), places, journals }),
        }
    }
    for class in &mut blamed {
        class.places.sort_unstable();
        class.places.dedup();
        class.journals.sort_unstable();
        class.journals.dedup();
    }
    blamed
}

/// Where a slice contains a squeezed secret: its line, or the lines that it is spread over.
fn place(slice: &Slice, secret: &str) -> Option<SourceRef> {
    let text = String::from_utf8_lossy(&slice.bytes);
    if !squeeze(&text).contains(secret) {
        return None;
    }
    let last_line = slice.first_line + slice.lines().saturating_sub(1);
    let line = (slice.first_line..)
        .zip(text::line_ranges(&text))
        .find(|(_, range)| squeeze(&text[range.clone()]).contains(secret))
        .map(|(number, _)| number);
    let (first_line, last_line) = line.map_or((slice.first_line, last_line), |line| (line, line));
    Some(SourceRef { name: slice.journal.name().clone(), first_line, last_line })
}

/// Text without what an answer may have added or lost: spaces, line breaks, markup, what cannot be seen.
fn squeeze(text: &str) -> String {
    text.chars()
        .filter(|c| {
            !c.is_whitespace()
                && !c.is_control()
                && !text::is_invisible(*c)
                && !matches!(c, '`' | '*' | '"' | '\\')
        })
        .collect()
}
