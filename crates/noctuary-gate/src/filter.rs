//! The contract of a secret filter, `PiiFilter`: text in, findings out. Our own filter is `SecretGate`.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Finds secrets in text. A filter finds; what happens then is the caller's policy.
///
/// ```
/// # use noctuary_gate as noctuary;
/// use noctuary::{PiiFilter, SecretGate};
///
/// let findings = SecretGate::default().scan("the key is AKIAIOSFODNN7EXAMPLE");
/// assert_eq!(findings[0].class, "aws_access_key");
/// assert_eq!(findings[0].span, 11..31);
/// ```
///
/// # Example: a class of your own
///
/// Findings ascend and do not overlap.
///
/// ```
/// # mod noctuary { pub use noctuary_gate::*; pub mod gate { pub use noctuary_gate::{Confidence, Finding}; } }
/// use std::borrow::Cow;
///
/// use noctuary::gate::{Confidence, Finding};
/// use noctuary::{PiiFilter, SecretGate};
///
/// /// Badges of our company: `ACME-` and six digits.
/// #[derive(Debug)]
/// struct WithBadges(SecretGate);
///
/// impl PiiFilter for WithBadges {
///     fn scan(&self, text: &str) -> Vec<Finding> {
///         let mut found = self.0.scan(text);
///         for (start, _) in text.match_indices("ACME-") {
///             let digits = text[start + 5..].bytes().take_while(u8::is_ascii_digit).count();
///             if digits == 6 {
///                 let span = start..start + 11;
///                 found.push(Finding::new("acme_badge", span, Confidence::Shape));
///             }
///         }
///         found.sort_by_key(|finding| finding.span.start);
///         found
///     }
///
///     // The gate removes disguises of its own findings; a badge has none.
///     fn plain<'a>(&self, text: &'a str, finding: &Finding) -> Cow<'a, str> {
///         self.0.plain(text, finding)
///     }
/// }
///
/// let gate = WithBadges(SecretGate::new());
/// assert_eq!(gate.scan("let in ACME-123456 today")[0].class, "acme_badge");
/// ```
pub trait PiiFilter: Debug + Send + Sync {
    /// Returns what `text` holds, ascending by span and without overlap. Spans are byte offsets on
    /// character boundaries. The same text gives the same findings.
    fn scan(&self, text: &str) -> Vec<Finding>;

    /// Returns the secret of a finding in `text` as it would be used, its disguise undone. Two findings of one secret
    /// give the same, however each is written. It is the secret: it belongs into no message.
    ///
    /// ```
    /// # mod noctuary { pub use noctuary_gate::*; pub mod gate { pub use noctuary_gate::View; } }
    /// use noctuary::gate::View;
    /// use noctuary::{PiiFilter, SecretGate};
    ///
    /// let (gate, text) = (SecretGate::new(), "the key is QUtJQUlPU0ZPRE5ON0VYQU1QTEU=");
    /// let findings = gate.scan(text);
    /// assert_eq!(findings[0].view, View::Base64);
    /// assert_eq!(gate.plain(text, &findings[0]), "AKIAIOSFODNN7EXAMPLE");
    /// ```
    fn plain<'a>(&self, text: &'a str, finding: &Finding) -> Cow<'a, str> {
        Cow::Borrowed(text.get(finding.span.clone()).unwrap_or_default())
    }
}

/// One secret in a text: its class and place, never the text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The class, such as `aws_access_key`.
    pub class: Cow<'static, str>,
    /// The place, in bytes.
    pub span: Range<usize>,
    /// The certainty of the filter.
    pub confidence: Confidence,
    /// The disguise in which it was seen.
    pub view: View,
}

impl Finding {
    /// Returns a finding that is in the text without a disguise.
    #[must_use]
    pub fn new(class: impl Into<Cow<'static, str>>, span: Range<usize>, confidence: Confidence) -> Self {
        Self { class: class.into(), span, confidence, view: View::Raw }
    }

    /// Sets the disguise in which it was seen.
    #[must_use]
    pub fn seen_as(mut self, view: View) -> Self {
        self.view = view;
        self
    }
}

/// The form of a secret in a text: as it is, or in a disguise that a filter saw through. With several disguises,
/// the last one of this list is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum View {
    /// As it is.
    #[default]
    Raw,
    /// With characters that are not seen, or that look like others.
    Lookalike,
    /// In pieces: over lines, cells of a table or strings of a list, in marks of markdown, or in joined strings.
    Joined,
    /// With something between each two of its letters.
    Spaced,
    /// In escapes: of an address, of HTML, of a string, of markdown, of a style sheet, of a mail.
    Escaped,
    /// In base64.
    Base64,
    /// In hexadecimal digits.
    Hex,
    /// In base32.
    Base32,
    /// In rows of decimal numbers, one for each byte.
    Decimal,
}

/// The certainty of a filter about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Confidence {
    /// The shape fits.
    Shape,
    /// A checksum or structure inside it fits too.
    Verified,
}
