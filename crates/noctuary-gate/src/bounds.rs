//! The text right before a match: the beginning of a word, an escape, or a part of the secret.

use super::class::{Bounds, Lead};

/// Returns whether a literal ends a word wherever it is: `hvs.`, `dop_v1_`. Then a word right before it is none of its
/// own.
pub(super) fn is_distinctive(literal: &str) -> bool {
    literal.len() >= LEAST_DISTINCTIVE && literal.ends_with(['_', '-', '.', '/', ':'])
}

/// So long are the literals that words do not end with.
const LEAST_DISTINCTIVE: usize = 6;

pub(super) fn is_left_bounded(text: &str, start: usize, bounds: Bounds, ended: usize) -> bool {
    let before = text.as_bytes()[..start].last();
    if bounds == Bounds::Apart && matches!(before, Some(b'+' | b'/')) {
        return false;
    }
    matches!(bounds, Bounds::None | Bounds::Right)
        || !before.is_some_and(u8::is_ascii_alphanumeric)
        || (ended > 0 && ended == start)
        || ends_in_escape(&text.as_bytes()[..start])
}

/// Returns where a secret begins whose literal has something before it.
pub(super) fn led_start(text: &str, literal: usize, lead: Lead) -> Option<usize> {
    let before = text.as_bytes()[..literal].iter().rev().take(lead.most + 1);
    let length = before.take_while(|byte| lead.symbols[usize::from(**byte)]).count();
    // The last letter of an escape is none of it.
    let ends = length > lead.most && ends_in_escape(&text.as_bytes()[..literal - lead.most]);
    let length = length - usize::from(ends);
    (lead.least..=lead.most).contains(&length).then(|| literal - length)
}

/// Returns whether a text ends in an escape that ends in a letter or digit: `\n`, `%3D`, a colour of a terminal.
fn ends_in_escape(before: &[u8]) -> bool {
    let at = |back: usize| before.len().checked_sub(back).map(|at| before[at]);
    let is_hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
    let control = at(2) == Some(b'\\') && matches!(at(1), Some(b'n' | b'r' | b't' | b'b' | b'f'));
    let percent = at(3) == Some(b'%') && is_hex(at(2)) && is_hex(at(1));
    let colour = before.strip_suffix(b"m").map(|rest| {
        let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').take(32);
        &rest[..rest.len() - digits.count()]
    });
    control
        || percent
        || colour
            .is_some_and(|rest| rest.ends_with(b"\x1b[") || rest.ends_with(b"b[") || rest.ends_with(b"\\e["))
}
