//! A filter, and the operator's allow-list.

use crate::base::order;
use std::borrow::Cow;
use std::sync::Arc;

use noctuary_gate::{Finding, PiiFilter};

use super::allow::Allow;
use super::mask::{Masks, mask_within};

/// A filter and its allow-list. All doors use the same.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    pub(super) filter: Arc<dyn PiiFilter>,
    pub(super) allow: Allow,
}

impl Gate {
    pub(crate) fn new(filter: Arc<dyn PiiFilter>, allow: Allow) -> Self {
        Self { filter, allow }
    }

    /// Returns what must not pass.
    pub(crate) fn inspect(&self, text: &str) -> Vec<Finding> {
        let mut found = self.filter.scan(text);
        order::retain(&mut found, |finding| !self.passes(text, finding));
        found
    }

    /// Returns the secret of a finding as it would be used.
    pub(crate) fn plain<'t>(&self, text: &'t str, finding: &Finding) -> Cow<'t, str> {
        self.filter.plain(text, finding)
    }

    /// Returns a value passes as it is written, and in any disguise.
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

    /// Masks secrets that earlier masks revealed: a secret beside another is seen once the other is masked.
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

/// The most rounds in which a masked text is searched again.
const MOST_ROUNDS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use noctuary_gate::SecretGate;

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

    #[test]
    fn a_masked_text_masks_to_itself() {
        let text = "password: hunter2![REDACTED:jwt#1]x and token=9fk2LmQ7xV0bTz4RwYc8Hd1N";
        let mask = |text: &str| gate(Allow::none()).mask(text, &mut Masks::default());
        let masked = mask(text);
        assert!(!masked.contains("9fk2"), "{masked}");
        assert_eq!(mask(&masked), masked);
    }
}
