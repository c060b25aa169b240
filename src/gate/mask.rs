//! Placeholders in the place of secrets.

use std::borrow::Cow;
use std::ops::Range;

use noctuary_gate::Finding;

use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::base::text;

/// Joins the findings of a filter with forgotten statements, in the order of the text.
pub(crate) fn joined(secrets: Vec<Finding>, forgotten: Vec<Finding>) -> Vec<Finding> {
    if forgotten.is_empty() {
        return secrets;
    }
    let mut all = secrets;
    all.extend(forgotten);
    order::sort_by_key(&mut all, |finding| finding.span.start);
    all
}

/// Masks a part of `text`, between character boundaries, by all its findings in order. One that begins before it or
/// ends after it is known, and is not returned. Line breaks inside a secret stay, so no line changes its number;
/// findings that are `plain` the same have the same one.
pub(crate) fn mask_within<'t>(
    text: &'t str,
    part: Range<usize>,
    findings: &[Finding],
    masks: &mut Masks,
    plain: impl Fn(&Finding) -> Cow<'t, str>,
) -> String {
    let mut masked = String::with_capacity(part.len());
    let mut from = part.start;
    masks.keep_apart_from(&text[part.clone()]);
    for finding in findings {
        // A filter of others may overlap, or cut characters: what is in doubt is masked.
        let start = text::floor_boundary(text, finding.span.start).max(from);
        let end = text::ceil_boundary(text, finding.span.end).min(part.end);
        if start >= end {
            continue;
        }
        masked.push_str(&text[from..start]);
        masked.push_str(&masks.mask(&finding.class, &plain(finding)));
        masked.extend(text[start..end].chars().filter(|c| matches!(c, '\r' | '\n')));
        from = end;
    }
    masked.push_str(&text[from..part.end]);
    masked
}

/// Numbers the secrets of one request, so that the same secret has the same placeholder throughout.
#[derive(Default)]
pub(crate) struct Masks {
    numbers: SortedMap<(String, Digest), usize>,
    last: SortedMap<String, usize>,
    counts: SortedMap<String, u32>,
}

/// The beginning of a placeholder: `[REDACTED:class#n]`.
pub(crate) const PLACEHOLDER: &str = "[REDACTED:";

/// No number above this is somebody's.
const MOST_MASKED: usize = 1_000_000;

impl Masks {
    /// Returns the placeholder of a secret.
    fn mask(&mut self, class: &str, secret: &str) -> String {
        *self.counts.entry(class.to_owned()).or_default() += 1;
        let last = self.last.entry(class.to_owned()).or_default();
        let number =
            *self.numbers.entry((class.to_owned(), Digest::of(secret.as_bytes()))).or_insert_with(|| {
                *last += 1;
                *last
            });
        format!("{PLACEHOLDER}{class}#{number}]")
    }

    /// Gives no number from here on that is in a placeholder of `text`: it is of another secret, masked earlier.
    pub(crate) fn keep_apart_from(&mut self, text: &str) {
        for rest in text.split(PLACEHOLDER).skip(1) {
            let Some((class, number)) = rest.split(']').next().and_then(|inside| inside.rsplit_once('#'))
            else {
                continue;
            };
            if let Some(number) = number.parse().ok().filter(|number: &usize| *number <= MOST_MASKED) {
                let last = self.last.entry(class.to_owned()).or_default();
                *last = number.max(*last);
            }
        }
    }

    /// Returns how many places were masked, by class.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|(class, count)| (class.as_str(), *count))
    }
}

debug_as!(Masks, |it| "Masks({:?})", it.counts);
