//! Makes a section of an answer: bullets under three headings, and nothing that could act on a reader.
//!
//! The answer is text of a model that read untrusted journals, and every later session will read it. Text that
//! is taken out is counted with its reason. Sanitising a section again changes nothing.

mod clean;
mod nest;
mod tags;
use super::caps::SectionCaps;
use crate::base::text;
use crate::dreamer::{DropReason, Dropped};
use crate::format::replies::reply::{self, HEADINGS, NOTHING_TO_PROMOTE};
use crate::gate::{PLACEHOLDER, is_struck};
use clean::{Drops, TAG, decoded, is_rule, visible};
use nest::{Nest, Open, denies, leads};

/// A bullet of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) heading: Option<&'static str>,
    /// One line, its citations included.
    pub(crate) text: String,
    /// Whether it is below another line, or has lines below it, and makes sense with those alone.
    pub(crate) is_nested: bool,
}

/// An answer taken apart.
#[derive(Debug, Default)]
pub(crate) struct Sanitised {
    pub(crate) items: Vec<Item>,
    /// Bullets beyond the bounds of a section.
    pub(crate) over_caps: Vec<(Item, DropReason)>,
    drops: Drops,
}

/// Tokens that a host or this library acts on where they are alone on a line.
const CONTROL_TOKENS: [&str; 6] =
    [NOTHING_TO_PROMOTE, "BOOTSTRAP_DONE", "HEARTBEAT_OK", "NO_REPLY", "ANNOUNCE_SKIP", "REPLY_SKIP"];

/// Takes an answer apart within `caps`.
pub(crate) fn sanitise(answer: &str, caps: &SectionCaps) -> Sanitised {
    let mut sanitised = Sanitised::default();
    let answer = answer.trim_start_matches(text::BOM);
    let mut heading = None;
    let mut open: Option<Open> = None;
    let mut nest = Nest::default();
    for line in answer.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}']) {
        let trimmed = line.trim();
        let continues =
            line.starts_with([' ', '\t']) && !trimmed.is_empty() && reply::bullet(trimmed).is_none();
        if let (true, Some(open)) = (continues, &mut open) {
            open.text.push(' ');
            open.text.push_str(trimmed);
            continue;
        }
        let is_nested = reply::bullet(trimmed).is_some() && nest.holds(line);
        if let Some(mut open) = open.take() {
            // A line that leads to others is no statement either: "The user never wants us to:".
            open.is_nested |= is_nested && nest.is_first && leads(&open.text);
            sanitised.take_item(open, caps);
        }
        if trimmed.is_empty() {
            continue;
        }
        if let Some(item) = reply::bullet(trimmed) {
            open = Some(Open { heading, text: item.to_owned(), is_nested });
        } else {
            let known = sanitised.judge_line(trimmed);
            nest = Nest { is_denied: known.is_none() && denies(trimmed), ..Nest::default() };
            heading = known.or(heading);
        }
    }
    if let Some(open) = open {
        sanitised.take_item(open, caps);
    }
    sanitised
}

/// Prints bullets under their headings, as they came.
pub(crate) fn print<'a>(items: impl IntoIterator<Item = &'a Item>) -> String {
    let mut body = String::new();
    let mut heading = None;
    for item in items {
        if item.heading != heading {
            heading = item.heading;
            if !body.is_empty() {
                body.push('\n');
            }
            if let Some(heading) = heading {
                body.push_str(&format!("### {heading}\n"));
            }
        }
        body.push_str(&format!("- {}\n", item.text));
    }
    body
}

impl Sanitised {
    /// Returns the counts of removed parts.
    pub(crate) fn dropped(&self) -> Vec<Dropped> {
        self.drops.list()
    }

    /// Returns whether a bullet was left out for what it may not say: the answer had a form, and was read.
    pub(crate) fn has_masked(&self) -> bool {
        self.drops.has(DropReason::Masked)
    }

    fn drop(&mut self, reason: DropReason) {
        self.drops.add(reason);
    }

    /// Judges a line that is no bullet: a heading of ours is returned, all else is dropped.
    fn judge_line(&mut self, line: &str) -> Option<&'static str> {
        let plain = visible(&decoded(line));
        let plain = plain.trim();
        if plain.starts_with('#') {
            let title = plain.trim_matches(['#', ' ', '*', ':', '_']);
            let known = HEADINGS.into_iter().find(|known| known.eq_ignore_ascii_case(title));
            if known.is_none() {
                self.drop(DropReason::Heading);
            }
            return known;
        }
        self.drop(if plain.starts_with("```") || plain.starts_with("~~~") {
            DropReason::Fence
        } else if is_rule(plain) {
            DropReason::Frontmatter
        } else if is_control_token(plain) {
            DropReason::ControlToken
        } else if plain.contains("<!--") || plain.contains("-->") {
            DropReason::Comment
        } else if TAG.is_match(plain) {
            DropReason::Tag
        } else if plain.is_empty() {
            DropReason::Invisible
        } else {
            DropReason::NotABullet
        });
        None
    }

    fn take_item(&mut self, open: Open, caps: &SectionCaps) {
        let Open { heading, text: item, is_nested } = open;
        let item = item.as_str();
        // Also before it is cleaned: with a colon behind it, a mask is taken for the definition of a link.
        if item.contains(PLACEHOLDER) {
            return self.drop(DropReason::Masked);
        }
        // A text that is far too long is not cleaned.
        let is_vast = item.len() > caps.item_chars.saturating_mul(8);
        let text = if is_vast { Some(text::cut(item, 200).to_owned()) } else { self.drops.clean(item) };
        let Some(text) = text else { return self.drop(DropReason::Tag) };
        let used: usize = self.items.iter().map(|item| item.text.len() + 3).sum();
        let over = if is_vast || text.chars().count() > caps.item_chars {
            Some(DropReason::TooLong)
        } else if self.items.len() >= caps.items {
            Some(DropReason::TooMany)
        } else if used.saturating_add(text.len() + 3) > caps.bytes {
            Some(DropReason::SectionFull)
        } else {
            None
        };
        if text.is_empty() {
            self.drop(if is_struck(item) { DropReason::Masked } else { DropReason::Empty });
        } else if is_control_token(&reply::split_citations(&text).0) {
            self.drop(DropReason::ControlToken);
        } else if text.contains(PLACEHOLDER) {
            self.drop(DropReason::Masked);
        } else if let Some(reason) = over {
            self.drop(reason);
            self.over_caps.push((Item { heading, text, is_nested }, reason));
        } else {
            self.items.push(Item { heading, text, is_nested });
        }
    }
}

fn is_control_token(text: &str) -> bool {
    let plain = text.replace('\\', "");
    CONTROL_TOKENS.contains(&plain.trim_matches(|c: char| !c.is_alphanumeric()))
}
