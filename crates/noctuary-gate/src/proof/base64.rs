//! Base64 inside a token.

use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};

/// Base64 in either alphabet, without padding. Bits that fill the last symbol may be anything, as many makers leave them.
static BASE64: LazyLock<Encoding> = LazyLock::new(|| {
    let mut form = Specification::new();
    form.symbols.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    form.translate.from.push_str("-_");
    form.translate.to.push_str("+/");
    form.check_trailing_bits = false;
    form.encoding().expect("64 symbols")
});

/// Returns the bytes that `text` writes in base64, of either alphabet, padded or not. A symbol too many at its end is
/// left out.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let symbols = text.trim_end_matches('=').as_bytes();
    let whole = symbols.len() - usize::from(symbols.len() % 4 == 1);
    BASE64.decode(&symbols[..whole]).ok()
}
