//! One line of an answer, cleaned.

use crate::dream::engine::{SectionCaps, sanitise};
use crate::dreamer::{DropReason, Dropped};
use crate::format::replies::fences::one_line;

/// The rest of an answer's line, without anything that can act on a reader.
#[derive(Debug)]
pub(crate) struct CleanLine {
    /// The line; `None` where nothing is left of it.
    pub(crate) text: Option<String>,
    /// Why it is beyond the bounds, where it is.
    pub(crate) over: Option<DropReason>,
    /// Counts of removed parts.
    pub(crate) dropped: Vec<Dropped>,
}

/// Cleans one line of an answer as the bullets of a section are cleaned.
pub(crate) fn clean_line(line: &str, caps: &SectionCaps) -> CleanLine {
    let line = format!("- {}", one_line(line));
    let cleaned = sanitise(&line, caps);
    let dropped = cleaned.dropped();
    let over = cleaned.over_caps.into_iter().next();
    let text = cleaned.items.into_iter().next().map(|item| item.text);
    match over {
        Some((item, reason)) => CleanLine { text: Some(item.text), over: Some(reason), dropped },
        None => CleanLine { text, over: None, dropped },
    }
}
