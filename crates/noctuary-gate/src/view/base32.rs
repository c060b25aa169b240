//! Runs of base32, in letters of one case, padded or not.

use std::ops::Range;

use super::decoded::{NONE, runs, texts};
use super::island::Island;

/// The symbols of [`LEAST`](super::decoded::LEAST) bytes.
const LEAST: usize = 20;
/// The value of each byte. A decoder of the standard refuses a run that begins amid a code, lacks its padding or mixes
/// alphabets. A disguise may do all of these.
const VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let mut values = [NONE; 256];
    let symbols = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut value = 0;
    while value < 32 {
        values[symbols[value as usize] as usize] = value;
        values[symbols[value as usize].to_ascii_lowercase() as usize] = value;
        value += 1;
    }
    values
}

pub(super) fn islands(text: &str, dense: &[Range<usize>], take: &mut dyn FnMut(Island)) {
    runs(text, dense, &VALUES, LEAST, |run| {
        let symbols = &text[run.clone()];
        let has = |is: fn(&u8) -> bool| symbols.bytes().any(|byte| is(&byte));
        let (great, small) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
        // Long words have no digits.
        if great != small && (great || has(u8::is_ascii_digit)) {
            let most = (symbols.len().next_multiple_of(8) - symbols.len()).min(6);
            let padding = text[run.end..].bytes().take(most).take_while(|byte| *byte == b'=').count();
            texts(text, &run, padding, (&VALUES, 5), take);
        }
    });
}
