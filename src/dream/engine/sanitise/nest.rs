//! The place of a bullet in a list: under another line, or under one that denies it.

use crate::base::text;
use crate::dream::evidence::is_negation;
use crate::format::replies::reply;

/// A bullet whose lines are being read.
pub(super) struct Open {
    pub(super) heading: Option<&'static str>,
    pub(super) text: String,
    pub(super) is_nested: bool,
}

/// The place of the next bullet in a list.
#[derive(Default)]
pub(super) struct Nest {
    /// The indentation of the bullets of the list.
    pub(super) base: Option<usize>,
    /// Whether the line above the list denies its content: "Never do this:".
    pub(super) is_denied: bool,
    /// Whether the last bullet is the first below one of the list.
    pub(super) is_first: bool,
    /// Whether the bullet above is one of the list.
    pub(super) is_below: bool,
}

impl Nest {
    /// Takes in the line of a bullet; says whether it is under another line.
    pub(super) fn holds(&mut self, line: &str) -> bool {
        let marks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
        let indent: usize = marks.map(|c| if c == '\t' { 4 } else { 1 }).sum();
        // Less than two spaces makes no child. (CommonMark)
        let is_child = self.base.is_some_and(|base| indent >= base + 2);
        if !is_child {
            self.base = Some(indent);
        }
        (self.is_first, self.is_below) = (is_child && self.is_below, !is_child);
        is_child || self.is_denied
    }
}

/// Returns whether a line only leads to those under it.
pub(super) fn leads(text: &str) -> bool {
    let (claim, _) = reply::split_citations(text);
    claim.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

/// Returns whether a line that is no bullet turns the list below it into its opposite.
pub(super) fn denies(line: &str) -> bool {
    let leads = line.starts_with('#') || leads(line);
    leads
        && text::words(line).any(|word| {
            is_negation(&word)
                || matches!(
                    &*word,
                    "avoid" | "stop" | "reject" | "rejected" | "forbidden" | "false" | "wrong" | "unless"
                )
        })
}
