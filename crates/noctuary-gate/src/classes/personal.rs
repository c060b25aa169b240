//! Data that names a person. Off by default: a host switches on what it must keep out.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::class::{Class, scan};
use crate::proof;

pub(super) const PERSONAL: &[Class] = &[
    scan(
        "payment_card",
        "numbers of payment cards, in groups or after a word for one",
        card_shape,
        Some(CARD),
        proof::card,
    )
    .off(),
    scan("iban", "international bank account numbers", iban_shape, Some(IBAN), proof::iban).off(),
    scan("us_ssn", "US social security numbers", ssn_shape, Some(SSN), proof::ssn).off(),
    scan(
        "phone_number",
        "telephone numbers, international or of North America",
        phone_shape,
        Some(PHONE),
        proof::phone,
    )
    .off(),
    scan("email_address", "e-mail addresses", email_shape, Some(EMAIL), |_| true).off(),
];

/// Searches for a pattern from a place on.
macro_rules! shape {
    ($name:ident, $pattern:expr) => {
        fn $name(text: &str, from: usize) -> Option<Range<usize>> {
            static PATTERN: LazyLock<Regex> =
                LazyLock::new(|| Regex::new($pattern).expect("a literal pattern"));
            PATTERN.find_at(text, from).map(|found| found.range())
        }
    };
}

shape!(card_digits, CARD);
/// Finds the number of a card. Long numbers in code are cards by chance, so one without groups needs a word for it before.
fn card_shape(text: &str, from: usize) -> Option<Range<usize>> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)card|visa|amex|american express|discover|diners|jcb|maestro|credit|debit|\b(?:pan|cc)\b",
        )
        .expect("a literal pattern")
    });
    let mut from = from;
    loop {
        let span = card_digits(text, from)?;
        let before = crate::text::floor_boundary(text, span.start.saturating_sub(MAX_WORD_BYTES_BEFORE));
        if text[span.clone()].contains([' ', '-']) || WORD.is_match(&text[before..span.start]) {
            return Some(span);
        }
        from = span.start + 1;
    }
}

/// The most bytes between a number and its word before it.
const MAX_WORD_BYTES_BEFORE: usize = 40;

shape!(iban_shape, IBAN);
shape!(ssn_shape, SSN);
shape!(phone_shape, PHONE);
shape!(email_shape, EMAIL);

const CARD: &str = r"[2-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|3[0-9]{3}[ -]?[0-9]{6}[ -]?[0-9]{4,5}";
const IBAN: &str = r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?";
const SSN: &str = r"[0-9]{3}-[0-9]{2}-[0-9]{4}";
const PHONE: &str =
    r"\+[1-9][0-9]{0,2}(?:[ .()-]{0,2}[0-9]){6,13}|\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[ .-][0-9]{4}";
const EMAIL: &str = r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}";
