//! Whose secret it is: the journals that contain what the filter found in an answer.

use std::collections::{BTreeMap, BTreeSet};

use super::select::Slice;
use crate::dreamer::{Blamed, SourceRef};
use crate::name::DocName;
use crate::pii::Finding;
use crate::text;

/// More findings than this in one answer blame no better.
const MOST_FINDINGS: usize = 200;

/// Blames, for each class that was found, the journals that contain the match. Where none does, and the
/// current memory does not either, all of the batch are to blame.
pub(super) fn blame(answer: &str, findings: &[Finding], slices: &[Slice], memory: &str) -> Vec<Blamed> {
    let memory = squeeze(memory);
    let squeezed: Vec<String> =
        slices.iter().map(|slice| squeeze(&String::from_utf8_lossy(&slice.bytes))).collect();
    let mut secrets: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for finding in findings.iter().take(MOST_FINDINGS) {
        let secret = squeeze(answer.get(finding.span.clone()).unwrap_or_default());
        secrets.entry(&finding.class).or_default().insert(secret);
    }
    let mut blamed = Vec::new();
    for (class, secrets) in secrets {
        let mut places = BTreeSet::new();
        let mut is_nobodys = false;
        for secret in &secrets {
            let holding = slices.iter().zip(&squeezed).filter(|(_, text)| text.contains(secret.as_str()));
            let found: Vec<SourceRef> = holding.map(|(slice, _)| place(slice, secret)).collect();
            is_nobodys |= found.is_empty() && !memory.contains(secret.as_str());
            places.extend(found);
        }
        let journals: BTreeSet<DocName> = if is_nobodys {
            slices.iter().map(|slice| slice.journal.name().clone()).collect()
        } else {
            places.iter().map(|place: &SourceRef| place.name.clone()).collect()
        };
        blamed.push(Blamed {
            pattern: class.to_owned(),
            places: places.into_iter().collect(),
            journals: journals.into_iter().collect(),
        });
    }
    blamed
}

/// Where a slice contains a squeezed secret: its line, or the lines that it is spread over.
fn place(slice: &Slice, secret: &str) -> SourceRef {
    let text = String::from_utf8_lossy(&slice.bytes);
    let last_line = slice.first_line + slice.lines().saturating_sub(1);
    let line = (slice.first_line..)
        .zip(text::line_ranges(&text))
        .find(|(_, range)| squeeze(&text[range.clone()]).contains(secret))
        .map(|(number, _)| number);
    let (first_line, last_line) = line.map_or((slice.first_line, last_line), |line| (line, line));
    SourceRef { name: slice.journal.name().clone(), first_line, last_line }
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
