//! The beginning of a line: a session, an entry, a speaker within one, or nothing.

use std::sync::LazyLock;

use regex::Regex;

use crate::base::pattern::pattern;
use crate::base::text;
use crate::format::documents::origin::Origin;
use crate::format::documents::speakers::{self, Speaker};

/// The beginning of a line.
pub(super) enum Head<'t> {
    /// A session.
    Session,
    /// An entry, with a bullet or a time or neither, and where its words begin without a speaker.
    Entry { is_bulleted: bool, is_stamped: bool, speaker: Speaker<'t>, offset: usize },
    /// An entry that has a time and names nobody.
    Stamped,
    /// A line that names somebody where no entry begins.
    Nested(Speaker<'t>),
    /// A line that continues the one above.
    Plain,
}

pub(super) fn head(line: &str) -> Head<'_> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?<bullet>[-*+•]\s+)?(?<time>[\[(]?(?:(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})[t, ]\s*)?\d{1,2}:\d\d[:.\dz+-]*\s*(?:[ap]m)?[\])]?:?\s*[-–—]?\s*)?",
        )
    });
    static NEST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?<marks>[\s>\x00]*(?:(?:[-*+•]|\d{1,3}[.)])\s+)*)(?:[\[(][^\[\]()]{0,60}[\])]:?\s*[-–—]?\s*)?",
        )
    });
    let bare = line.trim_start_matches(text::BOM);
    let mark = line.len() - bare.len();
    if is_session(bare) {
        return Head::Session;
    }
    if let Some(speaker) = speakers::title(bare) {
        return Head::Entry { is_bulleted: false, is_stamped: false, speaker, offset: mark };
    }
    let Some(found) = HEAD.captures(bare) else { return Head::Plain };
    let (is_bulleted, is_stamped) = (found.name("bullet").is_some(), found.name("time").is_some());
    let begins = !bare.starts_with([' ', '\t', '\0', '|']);
    let offset = found[0].len();
    if let Some(speaker) = speakers::read(&bare[offset..]).filter(|_| begins) {
        // A tag that names nobody known leaves room for one that does; but no name gives anybody the user's voice.
        let is_room = speaker.is_named() && !speaker.is_sure;
        let nested = if is_room { nested(&NEST, bare) } else { None };
        let nested = nested.filter(|nested| nested.origin != Origin::User);
        return match nested {
            Some(speaker) => Head::Nested(speaker),
            None => Head::Entry { is_bulleted, is_stamped, speaker, offset: mark + offset },
        };
    }
    match nested(&NEST, bare) {
        Some(speaker) => Head::Nested(speaker),
        None if is_stamped && begins => Head::Stamped,
        None => Head::Plain,
    }
}

/// Returns the role that a line names behind marks or another tag.
fn nested<'t>(pattern: &Regex, line: &'t str) -> Option<Speaker<'t>> {
    if line.trim_start().starts_with('|') {
        return None;
    }
    if !line.contains(['[', '(', '<', ':', '：', '{']) {
        return None;
    }
    let found = pattern.captures(line)?;
    let marks = found.name("marks").map_or(0, |marks| marks.end());
    let role = |at: usize| speakers::read(&line[at..]).filter(|speaker| !speaker.is_named());
    role(marks).or_else(|| role(found[0].len()))
}

fn is_session(line: &str) -> bool {
    ["## Session", "# Session", "# Memory", "# Daily Log"].iter().any(|heading| line.starts_with(heading))
}
