//! The gate: one scanner for secrets and disguised instructions, at every place where text comes in or goes out.
//!
//! ```
//! use noctuary::gate::{Allow, Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
//! use noctuary::{DocName, Error};
//!
//! let doors = Doors::default()
//!     .allow(Allow::none().class("evm_address")) // this host is a wallet
//!     .policy(Door::WorkspaceWrite, DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Reject));
//! let (journal, key) = (DocName::parse("memory/2026-11-21-repl.md")?, "the key is AKIAIOSFODNN7EXAMPLE");
//! let passed = doors.pass(Door::JournalAppend, &journal, key)?;
//! assert_eq!(passed.text, "the key is [REDACTED:aws_access_key#1]");
//! let stopped = doors.pass(Door::WorkspaceWrite, &DocName::MEMORY, key);
//! assert!(matches!(stopped, Err(Error::Stopped { .. })));
//! # Ok::<(), noctuary::Error>(())
//! ```
//!
//! Give the same [`Doors`] to lives, dreamers, stores, importers and tools; without it they use the defaults.
//!
//! | Name | Use |
//! |---|---|
//! | [`Door`], [`DoorPolicy`], [`SecretPolicy`], [`InjectionPolicy`] | the places, and the policy of each |
//! | [`Passed`], [`DoorWarning`] | the text that passed, with warnings |
//! | [`Allow`] | classes and values that an operator allows |
//! | [`Finding`], [`GateFinding`], [`View`], [`Confidence`], [`Cure`] | a secret: its class, place, disguise and cure, never its text |
//! | [`Strictness`] | how much proof [the filter](crate::SecretGate) wants |
//! | [`scan_injection`], [`Injection`] | disguised instructions |
//! | [`audit_secrets`], [`SecretAudit`] | a check of a whole workspace |
//! | [`Tombstone`], [`TombstoneKey`], [`Tombstones`] | keyed hashes of forgotten statements |
//!
//! # Limits
//!
//! - The filter knows shapes, makers and plain names. It misses secrets that are encrypted, reversed, spelled out, or without any form.
//! - A secret that is split over two writes is not seen.
//! - The scan for instructions is a net, not a wall.
//! - Cards, accounts, telephone numbers and addresses are found only after [`SecretGate::with`](crate::SecretGate::with).
//!
//! The manual has [all of what is found and missed](crate::manual::gate).
#![expect(clippy::needless_bitwise_bool, reason = "without branches many bytes are looked at together")]

mod allow;
mod checksum;
mod classes;
mod dense;
mod door;
mod injection;
mod mnemonic;
mod named;
mod proof;
mod report;
mod search;
pub(crate) mod secret;
mod tombstone;
mod view;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::base::digest::Digest;
use crate::base::text;
use crate::pii::PiiFilter;

pub use crate::pii::{Confidence, Cure, Finding, GateFinding, View};
pub use allow::Allow;
pub use door::{Door, DoorPolicy, DoorWarning, Doors, InjectionPolicy, Passed, SecretPolicy};
pub use injection::{Injection, scan_injection};
pub(crate) use report::Places;
pub use report::{SecretAudit, audit_secrets};
pub(crate) use secret::SecretGate;
pub use secret::Strictness;
pub(crate) use tombstone::FORGOTTEN;
pub use tombstone::{Tombstone, TombstoneKey, Tombstones};
pub(crate) use view::as_drawn;

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
        let mut found = self.filter.scan(text);
        found.retain(|finding| !self.passes(text, finding));
        found
    }

    /// The secret of a finding as it would be used.
    pub(crate) fn plain<'t>(&self, text: &'t str, finding: &Finding) -> Cow<'t, str> {
        self.filter.plain(text, finding)
    }

    /// A value passes as it is written, and in any disguise.
    fn passes(&self, text: &str, finding: &Finding) -> bool {
        self.allow.has_class(&finding.class)
            || self.allow.has_values()
                && (self.allow.has_value(text.get(finding.span.clone()).unwrap_or_default())
                    || self.allow.has_value(&self.plain(text, finding)))
    }

    /// Masks what must not pass.
    pub(crate) fn mask(&self, text: &str, masks: &mut Masks) -> String {
        let plain = |finding: &Finding| self.plain(text, finding);
        let masked = mask_within(text, 0..text.len(), &self.inspect(text), masks, plain);
        self.mask_bared(masked, masks)
    }

    /// Masks what masks laid bare: a secret that runs into another is seen once that one is gone.
    pub(crate) fn mask_bared(&self, mut masked: String, masks: &mut Masks) -> String {
        for _ in 0..MOST_ROUNDS {
            let bared = self.inspect(&masked);
            if bared.is_empty() {
                break;
            }
            let plain = |finding: &Finding| self.plain(&masked, finding);
            masked = mask_within(&masked, 0..masked.len(), &bared, masks, plain);
        }
        masked
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
/// before it or ends after it is known, and is not returned. Line breaks inside a secret stay, so no line changes its
/// number; findings that are `plain` the same have the same one.
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

/// How often a masked text is looked through again.
const MOST_ROUNDS: usize = 8;

/// Numbers the secrets of one request, so that the same secret has the same placeholder throughout.
#[derive(Default)]
pub(crate) struct Masks {
    numbers: BTreeMap<(String, Digest), usize>,
    last: BTreeMap<String, usize>,
    counts: BTreeMap<String, u32>,
}

/// How a placeholder begins: `[REDACTED:class#n]`.
const PLACEHOLDER: &str = "[REDACTED:";

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

    /// Gives no number from here on that stands in a placeholder of `text`: it is of another secret, masked earlier.
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
