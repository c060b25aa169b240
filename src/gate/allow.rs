//! The list of findings that an operator lets pass.

use std::fmt;

use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::sorted::SortedSet;

/// The longest name of a class in a list.
const LONGEST_CLASS: usize = 64;

/// A list of the findings that an operator lets pass: whole classes, or single values.
///
/// Without it, the cure for a false positive (releasing the journal from quarantine) would meet the same
/// filter again. A value passes in any disguise that the filter sees through, and is kept as a hash.
///
/// ```
/// use noctuary::gate::Allow;
///
/// let allow = Allow::none().value("0x52908400098527886E0F7030069857D2E4169EE7").class("btc_legacy");
/// assert_ne!(allow, Allow::none());
/// assert!(!format!("{allow:?}").contains("5290"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Allow {
    classes: SortedSet<String>,
    values: SortedSet<Digest>,
}

impl Allow {
    /// Returns an empty list: nothing passes.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Allows every finding of a class. A class that ends in `*` means all that begin so: `btc_*`.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.classes.insert(class.into());
        self
    }

    /// Allows one value, exactly as it is written.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        self.values.insert(Digest::of(value.as_bytes()));
        self
    }

    /// Reads a list from a file of the operator's: on each line a class, or `sha256:` and the digest of a value. Empty
    /// lines and text after a `#` do not count. `printf %s VALUE | sha256sum` makes the digest.
    ///
    /// The digest hides a key, which nobody can guess. All telephone numbers or cards can be tried until one fits. Keep
    /// such a list as private as the value, or let the class pass.
    ///
    /// ```
    /// use noctuary::gate::Allow;
    ///
    /// let list = "# addresses are public here\nevm_address\nbtc_*\n";
    /// assert_eq!(Allow::parse(list)?, Allow::none().class("evm_address").class("btc_*"));
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] naming the line that is neither, without its words: they may be a secret.
    pub fn parse(list: &str) -> Result<Self> {
        let mut allow = Self::none();
        for (number, line) in (1..).zip(list.lines()) {
            let entry = line.split('#').next().unwrap_or_default().trim();
            if entry.is_empty() {
                continue;
            }
            let known = match entry.strip_prefix("sha256:") {
                Some(digest) => digest.parse().is_ok_and(|digest| {
                    allow.values.insert(digest);
                    true
                }),
                None => {
                    is_class(entry) && {
                        allow.classes.insert(entry.to_owned());
                        true
                    }
                }
            };
            if !known {
                let what = "it is neither a class nor sha256: and 64 hexadecimal digits";
                return Err(Error::Corrupt {
                    name: "the allow list".to_owned(),
                    line: number,
                    column: 1,
                    what,
                });
            }
        }
        Ok(allow)
    }

    pub(super) fn has_class(&self, class: &str) -> bool {
        self.classes.contains(class)
            || self
                .classes
                .iter()
                .filter_map(|allowed| allowed.strip_suffix('*'))
                .any(|start| class.starts_with(start))
    }

    pub(super) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    pub(super) fn has_value(&self, value: &str) -> bool {
        self.values.contains(&Digest::of(value.as_bytes()))
    }
}

impl fmt::Debug for Allow {
    // Not the digests: a short value can be found by trying.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allow").field("classes", &self.classes).field("values", &self.values.len()).finish()
    }
}

/// Returns whether it is written as classes are: a secret that was put there by mistake is not.
fn is_class(entry: &str) -> bool {
    let name = entry.strip_suffix('*').unwrap_or(entry);
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    entry.len() <= LONGEST_CLASS
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_classes_and_digests_and_what_is_neither_is_not_quoted() {
        let digest = Digest::of(b"AKIAIOSFODNN7EXAMPLE");
        let list = format!("\u{20}evm_address # public\r\n\r\n#btc_legacy\nsha256:{digest}\nbtc_*\n");
        let allow = Allow::parse(&list).unwrap();
        assert_eq!(allow, Allow::none().class("evm_address").class("btc_*").value("AKIAIOSFODNN7EXAMPLE"));
        assert!(
            allow.has_class("btc_bech32") && !allow.has_class("bt") && !allow.has_class("aws_access_key")
        );
        for wrong in ["AKIAIOSFODNN7EXAMPLE", "sha256:12", "*", "_x", "a b", &"a".repeat(65)] {
            let error = Allow::parse(&format!("evm_address\n{wrong}")).unwrap_err();
            assert!(matches!(error, Error::Corrupt { line: 2, .. }), "{wrong}");
            assert!(!format!("{error} {error:?}").contains("IOSF"), "{error}");
        }
        let debug = format!("{allow:?}");
        assert!(!debug.contains(&digest.short(6)), "{debug}");
    }
}
