//! Sets of bytes that a run may hold.

/// The bytes that a run may hold.
pub(super) type Symbols = &'static [bool; 256];

pub(super) const ALNUM: Symbols = &symbols("A-Za-z0-9");
pub(super) const LOWER: Symbols = &symbols("a-z0-9");
pub(super) const UPPER: Symbols = &symbols("A-Z0-9");
pub(super) const DIGITS: Symbols = &symbols("0-9");
pub(super) const HEX: Symbols = &symbols("0-9a-f");
pub(super) const ANY_HEX: Symbols = &symbols("0-9A-Fa-f");
pub(super) const LETTERS: Symbols = &symbols("A-Za-z");
/// Base64 as it is in URLs.
pub(super) const URL: Symbols = &symbols("A-Za-z0-9_-");
/// Base64.
pub(super) const BASE64: Symbols = &symbols("A-Za-z0-9+/=");
/// The widest set that makers of tokens use.
pub(super) const FREE: Symbols = &symbols("A-Za-z0-9_.=-");

/// Returns a set as it would be between brackets: characters, and ranges such as `a-z`. A hyphen at the end is one.
pub(super) const fn symbols(set: &str) -> [bool; 256] {
    let set = set.as_bytes();
    let mut symbols = [false; 256];
    let mut at = 0;
    while at < set.len() {
        let is_range = at + 2 < set.len() && set[at + 1] == b'-';
        let last = if is_range { set[at + 2] } else { set[at] };
        let mut symbol = set[at];
        while symbol <= last {
            symbols[symbol as usize] = true;
            symbol += 1;
        }
        at += if is_range { 3 } else { 1 };
    }
    symbols
}
