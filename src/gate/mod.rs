//! Policies on text: what a filter finds is refused, masked or allowed here, in one way at every door.

mod checksum;
mod classes;
mod door;
mod injection;
mod mnemonic;
mod proof;
mod search;
mod secret;
mod tombstone;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::digest::Digest;
use crate::pii::{Finding, PiiFilter};
use crate::text;

pub use door::{Door, DoorPolicy, DoorWarning, Doors, InjectionPolicy, Passed, SecretPolicy};
pub use injection::{Injection, scan_injection};
pub use secret::{SecretGate, Strictness};
pub(crate) use tombstone::FORGOTTEN;
pub use tombstone::{Tombstone, TombstoneKey, Tombstones};

/// What an operator has looked at and lets pass: whole classes, or single values.
///
/// Without it, the cure for a false positive (releasing the journal from quarantine) would meet the same
/// filter again. A value is kept as a hash.
///
/// ```
/// use noctuary::Allow;
///
/// let allow = Allow::none().value("0x52908400098527886E0F7030069857D2E4169EE7").class("btc_legacy");
/// assert_ne!(allow, Allow::none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allow {
    classes: BTreeSet<String>,
    values: BTreeSet<Digest>,
}

impl Allow {
    /// Nothing passes.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Lets every finding of a class pass.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.classes.insert(class.into());
        self
    }

    /// Lets one value pass, exactly as it is written.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        self.values.insert(Digest::of(value.as_bytes()));
        self
    }

    fn passes(&self, text: &str, finding: &Finding) -> bool {
        self.classes.contains(finding.class.as_ref())
            || (!self.values.is_empty()
                && self
                    .values
                    .contains(&Digest::of(text.get(finding.span.clone()).unwrap_or_default().as_bytes())))
    }
}

/// A filter and what it lets pass: the one that stands at every door.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    filter: Arc<dyn PiiFilter>,
    allow: Allow,
}

impl Gate {
    pub(crate) fn new(filter: Arc<dyn PiiFilter>, allow: Allow) -> Self {
        Self { filter, allow }
    }

    /// Returns what must not pass.
    pub(crate) fn inspect(&self, text: &str) -> Vec<Finding> {
        self.filter.scan(text).into_iter().filter(|finding| !self.allow.passes(text, finding)).collect()
    }

    /// Masks what must not pass. Line breaks inside a secret stay, so no line changes its number.
    pub(crate) fn mask(&self, text: &str, masks: &mut Masks) -> String {
        mask_within(text, 0..text.len(), &self.inspect(text), masks)
    }
}

/// Joins what a filter found with what was forgotten, in the order of the text.
pub(crate) fn joined(secrets: Vec<Finding>, forgotten: Vec<Finding>) -> Vec<Finding> {
    if forgotten.is_empty() {
        return secrets;
    }
    let mut all = secrets;
    all.extend(forgotten);
    all.sort_by_key(|finding| finding.span.start);
    all
}

/// Masks a part of `text`, between character boundaries, of which all findings are given, ascending. One that begins
/// before it or ends after it is known, and is not returned.
pub(crate) fn mask_within(text: &str, part: Range<usize>, findings: &[Finding], masks: &mut Masks) -> String {
    let mut masked = String::with_capacity(part.len());
    let mut from = part.start;
    for finding in findings {
        // A filter of others may overlap, or cut characters: what is in doubt is masked.
        let start = text::floor_boundary(text, finding.span.start).max(from);
        let end = text::ceil_boundary(text, finding.span.end).min(part.end);
        if start >= end {
            continue;
        }
        masked.push_str(&text[from..start]);
        masked.push_str(&masks.mask(&finding.class, text.get(finding.span.clone()).unwrap_or_default()));
        masked.extend(text[start..end].matches('\n'));
        from = end;
    }
    masked.push_str(&text[from..part.end]);
    masked
}

/// Numbers the secrets of one request, so that the same secret has the same placeholder throughout.
#[derive(Default)]
pub(crate) struct Masks {
    numbers: BTreeMap<(String, Digest), usize>,
    last: BTreeMap<String, usize>,
    counts: BTreeMap<String, u32>,
}

impl Masks {
    /// Returns the placeholder of a secret: `[REDACTED:class#n]`.
    fn mask(&mut self, class: &str, secret: &str) -> String {
        *self.counts.entry(class.to_owned()).or_default() += 1;
        let last = self.last.entry(class.to_owned()).or_default();
        let number =
            *self.numbers.entry((class.to_owned(), Digest::of(secret.as_bytes()))).or_insert_with(|| {
                *last += 1;
                *last
            });
        format!("[REDACTED:{class}#{number}]")
    }

    /// How many places were masked, by class.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|(class, count)| (class.as_str(), *count))
    }
}

impl std::fmt::Debug for Masks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Masks({:?})", self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(allow: Allow) -> Gate {
        Gate::new(Arc::new(SecretGate::new()), allow)
    }

    #[test]
    fn the_same_secret_has_the_same_placeholder_and_lines_keep_their_numbers() {
        let mut masks = Masks::default();
        let text = "a AKIAIOSFODNN7EXAMPLE\nb AKIAIOSFODNN7EXAMPLF\n-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDDEEEE\n-----END PRIVATE KEY-----\nlast AKIAIOSFODNN7EXAMPLE";
        let masked = gate(Allow::none()).mask(text, &mut masks);
        let lines: Vec<&str> = masked.split('\n').collect();
        assert_eq!(lines[0], "a [REDACTED:aws_access_key#1]");
        assert_eq!(lines[1], "b [REDACTED:aws_access_key#2]");
        assert_eq!(lines[2], "[REDACTED:pem_private#1]");
        assert_eq!(lines[5], "last [REDACTED:aws_access_key#1]");
        assert_eq!(masks.counts().collect::<Vec<_>>(), [("aws_access_key", 3), ("pem_private", 1)]);
        assert!(!format!("{masks:?}").contains("AKIA"));
    }

    #[test]
    fn what_is_allowed_passes() {
        let text = "AKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLF";
        assert_eq!(gate(Allow::none()).inspect(text).len(), 2);
        assert_eq!(gate(Allow::none().value("AKIAIOSFODNN7EXAMPLE")).inspect(text).len(), 1);
        assert_eq!(gate(Allow::none().class("aws_access_key")).inspect(text).len(), 0);
    }
}
