//! Sections of the memo, and the bullets in them.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::base::gather::Gather as _;
use crate::base::text;

pub(super) const TITLE: &str = "heartbeat";
pub(super) const STATE: &str = "state";
pub(super) const LOOPS: &str = "open loops";
pub(super) const SCHEDULE: &str = "schedule";
pub(super) const FRESH: &str = "# Heartbeat\n\n## State\n\n## Open loops\n\n## Schedule\n";

/// A heading of the first or second level, and what is below it up to the next.
pub(super) struct Section {
    /// In lower case.
    pub(super) title: String,
    /// The start of the heading's line.
    pub(super) start: usize,
    pub(super) body: Range<usize>,
}

impl Section {
    pub(super) fn is_ours(&self) -> bool {
        [STATE, LOOPS].contains(&self.title.as_str())
    }
}

/// Returns the markdown of a text, with offsets into all of it.
pub(super) fn events(text: &str, options: Options) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let bom = if text.starts_with(text::BOM) { text::BOM.len_utf8() } else { 0 };
    Parser::new_ext(&text[bom..], options)
        .into_offset_iter()
        .map(move |(event, range)| (event, range.start + bom..range.end + bom))
}

pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut depth = 0_usize;
    let mut in_title = false;
    for (event, range) in events(text, Options::empty()) {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2, .. }) if depth == 0 => {
                let start = text[..range.start].rfind('\n').map_or(range.start, |at| at + 1);
                let end = range.start + text[range].trim_end().len();
                let below = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
                if let Some(above) = sections.last_mut() {
                    above.body.end = start;
                    above.body.start = above.body.start.min(start);
                }
                sections.push(Section { title: String::new(), start, body: below..text.len() });
                in_title = true;
            }
            Event::End(TagEnd::Heading(_)) => in_title = false,
            Event::Text(said) | Event::Code(said) if in_title => {
                if let Some(section) = sections.last_mut() {
                    section.title.push_str(&said.to_lowercase());
                }
            }
            _ => {}
        }
    }
    sections
}

pub(super) fn find<'s>(sections: &'s [Section], title: &str) -> Option<&'s Section> {
    sections.iter().find(|section| section.title == title)
}

/// Returns the bullets at the left edge of a part of `text`, each with its indented lines.
pub(super) fn bullets(text: &str, part: &Range<usize>) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut at = part.start;
    for line in text[part.clone()].split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if let Some(bullet) = line.strip_prefix(['-', '*', '+']).and_then(|rest| rest.strip_prefix(' ')) {
            found.push((range, bullet.trim().to_owned()));
        } else if line.starts_with([' ', '\t'])
            && !line.trim().is_empty()
            && let Some((above, bullet)) = found.last_mut().filter(|(above, _)| above.end == range.start)
        {
            above.end = range.end;
            bullet.push(' ');
            bullet.push_str(line.trim());
        }
    }
    found
}

/// Puts `lines` as bullets in the place of a section's own ones; makes the section where it is missing.
pub(super) fn put(text: &mut String, title: &str, is_ours: impl Fn(&str) -> bool, lines: &[String]) {
    // By the first line, which no update touches.
    let is_crlf = text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n"));
    let eol = if is_crlf { "\r\n" } else { "\n" };
    let mut block: String = lines.iter().map(|line| format!("- {line}{eol}")).collect();
    let sections = sections(text);
    let Some(section) = find(&sections, title) else {
        if !lines.is_empty() {
            let at = find(&sections, SCHEDULE).map_or(text.len(), |schedule| schedule.start);
            let heading = if title == STATE { "## State" } else { "## Open loops" };
            block = format!("{}{heading}{eol}{eol}{block}", gap(&text[..at], eol));
            block.push_str(if at < text.len() { eol } else { "" });
            text.insert_str(at, &block);
        }
        return;
    };
    let mut ours: Vec<Range<usize>> = bullets(text, &section.body)
        .into_iter()
        .filter(|(_, bullet)| is_ours(bullet))
        .map(|(at, _)| at)
        .gather();
    if ours.is_empty() && !lines.is_empty() {
        let first = text[section.body.clone()].split_inclusive('\n').next().unwrap_or_default();
        let blank = if first.trim().is_empty() { first.len() } else { 0 };
        let at = section.body.start + blank;
        block.insert_str(0, &gap(&text[..at], eol));
        let follows = text[at..].split_inclusive('\n').next().unwrap_or_default();
        block.push_str(if follows.trim().is_empty() { "" } else { eol });
        ours.push(at..at);
    }
    for (nth, range) in ours.into_iter().enumerate().rev() {
        text.replace_range(range, if nth == 0 { &block } else { "" });
    }
}

/// Returns what parts a block from the text above it by one blank line.
fn gap(above: &str, eol: &str) -> String {
    let mut lines = above.lines().rev();
    let is_parted = lines.next().is_none_or(|line| line.trim().is_empty());
    match (above.is_empty() || above.ends_with('\n'), is_parted) {
        (true, true) => String::new(),
        (false, false) => eol.repeat(2),
        _ => eol.to_owned(),
    }
}
