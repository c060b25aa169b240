//! Makes a section of an answer: bullets under three headings, and nothing that could act on a reader.
//!
//! The answer is text of a model that read untrusted journals, and every later session will read it. Text that
//! is taken out is counted with its reason. Sanitising a section again changes nothing.

mod clean;
mod nest;
mod tags;
use super::caps::SectionCaps;
use crate::base::text;
use crate::dream::evidence::gives_order;
use crate::dreamer::{DropReason, Dropped};
use crate::format::replies::reply::{self, HEADINGS, NOTHING_TO_PROMOTE};
use crate::gate::{PLACEHOLDER, is_struck};
use clean::{Drops, TAG, decoded, is_rule, visible};
pub(crate) use nest::bullets_of_prose;
use nest::{Nest, Open, denies, join, leads};

/// A bullet of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) heading: Option<&'static str>,
    /// One line, its citations included.
    pub(crate) text: String,
    /// Whether it has lines below it, or is below a line that denies it, and makes sense with those alone.
    pub(crate) is_nested: bool,
}

/// An answer taken apart.
#[derive(Debug, Default)]
pub(crate) struct Sanitised {
    pub(crate) items: Vec<Item>,
    /// Bullets beyond the bounds of a section.
    pub(crate) over_caps: Vec<(Item, DropReason)>,
    /// The number of bullets that were joined to the one above them.
    pub(crate) joined: u32,
    /// The number of sentences that were taken as bullets, of an answer that had none.
    pub(crate) split: u32,
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
        let bullet = reply::bullet(trimmed);
        let continues = line.starts_with([' ', '\t']) && !trimmed.is_empty() && bullet.is_none();
        if let (true, Some(open)) = (continues, &mut open) {
            open.text.push(' ');
            open.text.push_str(trimmed);
            continue;
        }
        let place = bullet.map(|_| nest.place(line));
        if let Some(mut open) = open.take() {
            // A line that leads to others is no statement either: "The user never wants us to:".
            let is_above = place.is_some_and(|(indent, is_child)| is_child && indent >= open.indent + 2);
            open.is_nested |= is_above && leads(&open.text);
            sanitised.end_item(open, &mut nest, caps);
        }
        if trimmed.is_empty() {
            continue;
        }
        if let (Some(item), Some((indent, is_child))) = (bullet, place) {
            let parent = if is_child { nest.parent(indent) } else { None };
            let is_nested = nest.is_denied || is_child && parent.is_none();
            open = Some(Open { heading, text: item.to_owned(), indent, parent, is_nested });
        } else {
            let known = sanitised.judge_line(trimmed);
            nest = Nest::default();
            nest.is_denied = known.is_none() && denies(trimmed);
            heading = known.or(heading);
        }
    }
    if let Some(open) = open {
        sanitised.end_item(open, &mut nest, caps);
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

    /// Returns whether no bullet was found in the answer.
    pub(crate) fn is_prose(&self) -> bool {
        self.items.is_empty() && self.over_caps.is_empty() && !self.has_masked()
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

    /// Takes in a bullet whose lines were read. A bullet below another becomes one claim with it. It stays held where it cites
    /// nothing itself, or is an order alone: what is above would hide that.
    fn end_item(&mut self, mut open: Open, nest: &mut Nest, caps: &SectionCaps) {
        if let Some(parent) = &open.parent {
            let (child, cited) = reply::split_citations(&open.text);
            let is_claim = !cited.is_empty() && !gives_order(&child);
            open.is_nested |= !is_claim;
            match join(parent, &open.text) {
                Some(text) => {
                    open.text = text;
                    self.joined += u32::from(is_claim);
                }
                None => open.is_nested = true,
            }
        }
        nest.end(&open);
        self.take_item(open, caps);
    }

    fn take_item(&mut self, open: Open, caps: &SectionCaps) {
        let Open { heading, text: item, is_nested, .. } = open;
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
