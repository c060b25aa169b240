//! A text as it is seen, and the characters in it that are not.

use std::borrow::Cow;
use std::ops::Range;

use crate::text;

/// A text as it is seen, and where its bytes are in the text as it is.
pub(super) struct Seen<'a> {
    pub(super) text: Cow<'a, str>,
    /// The points where the distance between the two changes: a place in the view, and its place in the text.
    steps: Vec<(usize, usize)>,
}

impl<'a> Seen<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if text.is_ascii() {
            return Self { text: Cow::Borrowed(text), steps: Vec::new() };
        }
        let (mut seen, mut steps) = (String::with_capacity(text.len()), Vec::new());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            if c.is_ascii() {
                // All of these are as they look.
                let length = text.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii()).count();
                seen.push_str(&text[at..at + length]);
                at += length;
                continue;
            }
            let shown = look(c);
            if shown != Some(c) {
                steps.push((seen.len(), at));
            }
            seen.extend(shown);
            at += c.len_utf8();
            if shown != Some(c) {
                steps.push((seen.len(), at));
            }
        }
        Self { text: Cow::Owned(seen), steps }
    }

    /// Returns where a place of the view is in the text.
    pub(super) fn place(&self, at: usize) -> usize {
        match self.steps.partition_point(|(seen, _)| *seen <= at).checked_sub(1) {
            Some(step) => self.steps[step].1 + (at - self.steps[step].0),
            None => at,
        }
    }
}

/// Returns what a character looks like; `None` where nothing of it is seen.
fn look(c: char) -> Option<char> {
    Some(match c {
        // Most letters beyond Latin ones, Greek and Cyrillic.
        '\u{900}'..='\u{10ff}'
        | '\u{3041}'..='\u{30fa}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => c,
        '\u{2028}' | '\u{2029}' | '\u{85}' => '\n',
        _ if text::is_invisible(c) => return None,
        // Letters of full width, and those of Cyrillic and Greek that are drawn as Latin ones.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        'а' | 'А' | 'α' | 'Α' => 'a',
        'е' | 'Е' | 'Ε' => 'e',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'с' | 'С' => 'c',
        'у' | 'У' => 'y',
        'х' | 'Х' => 'x',
        'і' | 'І' | 'ι' | 'Ι' => 'i',
        'ѕ' | 'Ѕ' => 's',
        'Т' | 'Τ' => 't',
        'М' | 'Μ' => 'm',
        _ => c,
    })
}

/// Finds text that nobody sees: marks that reorder it, tags, and runs of marks that take no room. Single marks are
/// ordinary: in emoji, in scripts that join letters, at the front of a file.
pub(super) fn invisible(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // None of them is in ASCII.
    if text.is_ascii() {
        return found;
    }
    let mut run: Option<(usize, usize, bool)> = None;
    let mut before = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_hidden = text::is_invisible(c) && !matches!(c, '\u{2028}' | '\u{2029}');
        match (&mut run, is_hidden) {
            (Some((_, count, reorders)), true) => {
                *count += 1;
                *reorders |= is_reordering(c);
            }
            (None, true) => run = Some((at, 1, is_reordering(c))),
            (Some((start, count, reorders)), false) => {
                // The flags of England, Scotland and Wales are a black flag and tags.
                let is_flag = before == Some('\u{1f3f4}');
                if *reorders || (*count >= 3 && !is_flag) {
                    found.push(*start..at);
                }
                run = None;
            }
            (None, false) => {}
        }
        if !is_hidden {
            before = Some(c);
        }
    }
    found
}

fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
