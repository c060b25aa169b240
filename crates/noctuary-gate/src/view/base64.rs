//! Runs of base64, of either alphabet, padded or not.

use std::ops::Range;

use super::decoded::{NONE, runs, texts};
use super::island::Island;

/// The symbols of [`LEAST`](super::decoded::LEAST) bytes.
const LEAST: usize = 17;
/// The value of each byte. A decoder of the standard refuses a run that begins amid a code, lacks its padding or mixes
/// alphabets. A disguise may do all of these.
const VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let mut values = [NONE; 256];
    let symbols = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        values[symbols[value as usize] as usize] = value;
        value += 1;
    }
    values[b'-' as usize] = 62;
    values[b'_' as usize] = 63;
    values
}

pub(super) fn islands(text: &str, dense: &[Range<usize>], take: &mut dyn FnMut(Island)) {
    runs(text, dense, &VALUES, LEAST, |run| {
        let symbols = &text[run.clone()];
        // Names and paths have letters of one case; text in base64 has both.
        let has = |is: fn(&u8) -> bool| symbols.bytes().any(|byte| is(&byte));
        if has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) {
            // As many as fill the last four: another sign is of what follows.
            let most = (symbols.len().next_multiple_of(4) - symbols.len()).min(2);
            let padding = text[run.end..].bytes().take(most).take_while(|byte| *byte == b'=').count();
            texts(text, &run, padding, (&VALUES, 6), take);
        }
    });
}
