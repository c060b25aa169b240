//! The default secret filter: vendor shapes, and checksums where a shape is weak.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::class::{Class, Switch};
use super::classes;
use super::scanner::{Found, Scanner, Strictness};
use super::table::TABLE;
use crate::text;
use crate::{Finding, PiiFilter, View};

/// The secret filter that ships with the crate.
///
/// It finds the classes of the table below, where the first eleven are those of seed 000. A distinctive prefix is found
/// by its shape alone. A text that could be anything must prove itself by a checksum, its structure, or the name in
/// front of it. Bare shapes that mean nothing are not gated: Solana addresses, 64 hexadecimal digits, rows of words
/// whose checksum fails.
///
/// It sees through disguises: lookalike and invisible letters, spaced letters, and pieces over lines, cells, lists and
/// marks. It also reads escapes, base64, base32, hexadecimal digits and decimal bytes. It does not see secrets that are
/// reversed, encrypted, compressed, translated or told in words, or whose pieces are in several documents.
///
/// Addresses are public identifiers, and switching their classes off is a choice for hosts in finance. Classes of data
/// that names a person are off until a host switches them on. Values under a plain name such as `password:` are looked
/// for. A host whose texts are full of test data may switch those two classes off:
///
/// ```
/// # use noctuary_gate as noctuary;
/// use noctuary::{PiiFilter, SecretGate};
///
/// let text = "pay 0x52908400098527886E0F7030069857D2E4169EE7";
/// assert_eq!(SecretGate::new().scan(text).len(), 1);
/// assert_eq!(SecretGate::new().without("evm_address").scan(text).len(), 0);
///
/// let text = "pay with 4012 8888 8888 1881";
/// assert_eq!(SecretGate::new().scan(text).len(), 0);
/// assert_eq!(SecretGate::new().with("payment_card").scan(text).len(), 1);
///
/// let text = "password: hunter2-Boat";
/// assert_eq!(SecretGate::new().scan(text).len(), 1);
/// assert_eq!(SecretGate::new().without("named_password").scan(text).len(), 0);
/// ```
///
#[doc = include_str!("classes/classes.md")]
#[derive(Clone)]
pub struct SecretGate {
    strictness: Strictness,
    /// The classes that differ from the table, and whether each is on.
    switched: BTreeMap<String, bool>,
    sees_disguises: bool,
    /// Made when the first text is scanned.
    scanner: OnceLock<Arc<Scanner>>,
}

impl SecretGate {
    /// Returns all classes that are on by default, on their shapes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            strictness: Strictness::Shape,
            switched: BTreeMap::new(),
            sees_disguises: true,
            scanner: OnceLock::new(),
        }
    }

    /// Sets how much a match must prove.
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self.scanner = OnceLock::new();
        self
    }

    /// Switches a class off. A name that is no class changes nothing.
    #[must_use]
    pub fn without(self, class: impl Into<String>) -> Self {
        self.switch(class.into(), false)
    }

    /// Switches a class on that is off by default. A name that is no class changes nothing.
    #[must_use]
    pub fn with(self, class: impl Into<String>) -> Self {
        self.switch(class.into(), true)
    }

    /// Finds only plain text, and sees through no disguise: faster, and for texts that nobody would hide something in.
    ///
    /// ```
    /// # use noctuary_gate as noctuary;
    /// use noctuary::{PiiFilter, SecretGate};
    ///
    /// let text = "the key is AKIA**IOSFODNN**7EXAMPLE";
    /// assert_eq!(SecretGate::new().scan(text).len(), 1);
    /// assert_eq!(SecretGate::new().undisguised_only().scan(text).len(), 0);
    /// ```
    #[must_use]
    pub fn undisguised_only(mut self) -> Self {
        self.sees_disguises = false;
        self.scanner = OnceLock::new();
        self
    }

    /// Returns the names of all classes, in the order of the table, those that are off by default too.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        classes::all().map(|class| class.name)
    }

    /// Returns the shapes of the classes that are on, as regular expressions for other tools: `ripgrep`, `grep -P`, a
    /// baseline.
    ///
    /// They are shapes only. The bounds beside a match and its proof are missing, so they find more than the gate does.
    /// Some classes are not scanned by a pattern. They are given as the nearest pattern (runs in base 58, cards) or
    /// left out (mnemonics, names in other languages). Where a pattern has a group, the secret is the group. They are
    /// meant for bytes: `\s` and the like know ASCII only.
    ///
    /// ```
    /// # use noctuary_gate as noctuary;
    /// let patterns: Vec<_> = noctuary::SecretGate::new().patterns().collect();
    /// assert!(patterns.contains(&("aws_access_key", "(?:AKIA)[0-9A-Z]{16,16}".to_owned())));
    /// ```
    pub fn patterns(&self) -> impl Iterator<Item = (&'static str, String)> {
        let rows = classes::all().filter(|class| self.is_on(class));
        rows.filter_map(|class| Some((class.name, class.pattern()?)))
    }

    fn switch(mut self, class: String, on: bool) -> Self {
        self.switched.insert(class, on);
        self.scanner = OnceLock::new();
        self
    }

    fn scanner(&self) -> &Scanner {
        self.scanner.get_or_init(|| {
            Arc::new(Scanner::new(self.strictness, self.sees_disguises, |class| self.is_on(class)))
        })
    }

    fn is_on(&self, class: &Class) -> bool {
        self.switched.get(class.name).copied().unwrap_or(class.default == Switch::On)
    }
}

impl PiiFilter for SecretGate {
    fn scan(&self, text: &str) -> Vec<Finding> {
        let finding = |one: Found| Finding {
            class: Cow::Borrowed(TABLE.classes[one.class].name),
            span: one.span,
            confidence: one.confidence,
            view: one.view,
        };
        self.scanner().scan(text).into_iter().map(finding).collect()
    }

    fn plain<'a>(&self, text: &'a str, finding: &Finding) -> Cow<'a, str> {
        let span = finding.span.clone();
        let written = text.get(span.clone()).unwrap_or_default();
        if finding.view == View::Raw {
            return Cow::Borrowed(written);
        }
        // The text beside a secret may tell its kind: a little of it, or else all.
        let start = text::floor_boundary(text, span.start.saturating_sub(BESIDE));
        let end = text::ceil_boundary(text, span.end.saturating_add(BESIDE));
        let parts = [(text.get(start..end).unwrap_or_default(), start), (text, 0)];
        let secret = parts.into_iter().find_map(|(part, from)| {
            let is_it = |one: &Found| {
                TABLE.classes[one.class].name == finding.class
                    && (from + one.span.start, from + one.span.end) == (span.start, span.end)
            };
            self.scanner().scan(part).into_iter().find(is_it)?.plain
        });
        secret.map_or(Cow::Borrowed(written), Cow::Owned)
    }
}

/// Bytes on each side of a secret that mostly decide as the whole text does.
const BESIDE: usize = 512;

impl Default for SecretGate {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SecretGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretGate")
            .field("strictness", &self.strictness)
            .field("switched", &self.switched)
            .field("sees_disguises", &self.sees_disguises)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
