//! The structure of a markdown document, and the cuts that follow it.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

use super::separators::front;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::text;

/// A heading and what follows it, up to the next.
pub(super) struct Section {
    pub(super) bytes: Range<usize>,
    pub(super) headings: String,
    /// Whether nothing is under its headings.
    pub(super) is_bare: bool,
}

/// The places where markdown may be cut.
#[derive(Default)]
pub(super) struct Structure {
    pub(super) sections: Vec<Section>,
    /// Code blocks with their fences, whole lines.
    code: Vec<Range<usize>>,
    /// The starts of blocks, and of the items of lists.
    blocks: Vec<usize>,
}

impl Structure {
    /// Reads the structure of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut structure = Self::default();
        let mut begins = front(text);
        if begins == text.len() {
            return structure;
        }
        let mut above: Vec<(HeadingLevel, String)> = Vec::new();
        // Headings that stand directly below one another share a section.
        let mut has_body = text.len() > STRUCTURED;
        if text.len() <= STRUCTURED {
            let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
            let source = &text[begins..];
            let base = begins;
            let mut depth = 0_usize;
            for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
                let start = base + line_start(source, range.start);
                match event {
                    Event::Start(tag) => {
                        if depth == 0 || matches!(tag, Tag::Item) {
                            structure.blocks.push(start);
                        }
                        match tag {
                            Tag::Heading { level, .. } if depth == 0 => {
                                if has_body {
                                    structure.close(begins..start, &above, false);
                                    begins = start;
                                }
                                has_body = false;
                                order::retain(&mut above, |(other, _)| *other < level);
                                above.push((level, title(&source[range])));
                            }
                            Tag::CodeBlock(_) => {
                                structure.code.push(start..base + line_end(source, range.end));
                                has_body = true;
                            }
                            _ => has_body |= depth == 0,
                        }
                        depth += 1;
                    }
                    Event::End(_) => depth -= 1,
                    _ => has_body |= depth == 0,
                }
            }
        }
        // The target of a link is no block.
        let is_heading = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        let is_bare = !has_body && text[begins..].lines().all(is_heading);
        structure.close(begins..text.len(), &above, is_bare);
        structure
    }

    fn close(&mut self, bytes: Range<usize>, above: &[(HeadingLevel, String)], is_bare: bool) {
        let headings: Vec<&str> = above.iter().map(|(_, title)| title.as_str()).gather();
        self.sections.push(Section { bytes, headings: headings.join("\n"), is_bare });
    }

    /// Cuts a section into ranges of at most `max` bytes.
    pub(super) fn cut(
        &self,
        text: &str,
        section: Range<usize>,
        max: usize,
        overlap: usize,
    ) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let (mut start, mut covered) = (section.start, section.start);
        while section.end - start > max {
            let end = self.end(text, start, covered, max);
            ranges.push(start..end);
            covered = end;
            start = self.repeat(text, end, max, overlap);
        }
        ranges.push(start..section.end);
        ranges
    }

    /// Returns the code block that a cut at `at` would split, where it fits a chunk.
    fn code_at(&self, at: usize, max: usize) -> Option<&Range<usize>> {
        let before = self.code.partition_point(|code| code.start < at);
        self.code[..before].last().filter(|code| at < code.end && code.len() <= max)
    }

    /// Returns the end of the chunk that begins at `start`, behind the `covered` part.
    fn end(&self, text: &str, start: usize, covered: usize, max: usize) -> usize {
        let limit = text::floor_boundary(text, start + max);
        if let Some(code) = self.code_at(limit, max).filter(|code| code.start > covered) {
            return code.start;
        }
        let least = text::ceil_boundary(text, covered.max(start + max / 2));
        let block = self.blocks.partition_point(|block| *block <= limit).checked_sub(1);
        if let Some(block) = block.map(|at| self.blocks[at]).filter(|block| *block > least) {
            return block;
        }
        let room = &text[least..limit];
        let after_line = room.rfind('\n').map(|at| at + 1);
        let after_sentence = || {
            let ends = room.match_indices(['.', '!', '?', '。', '！', '？']);
            ends.map(|(at, sign)| at + sign.len()).rfind(|end| {
                room[*end..].starts_with(char::is_whitespace) || room[..*end].ends_with(['。', '！', '？'])
            })
        };
        let after_word =
            || room.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
        after_line.or_else(after_sentence).or_else(after_word).map_or(limit, |at| least + at)
    }

    /// Returns the start of the chunk after a cut.
    fn repeat(&self, text: &str, cut: usize, max: usize, overlap: usize) -> usize {
        let mut from = cut.saturating_sub(overlap);
        if let Some(code) = self.code_at(cut + 1, max).filter(|code| code.start == cut) {
            // The repeated part must not push the code out.
            from = from.max(code.end.saturating_sub(max));
        }
        // No half of a code block that was whole.
        let from = self.code_at(from, max).map_or(text::ceil_boundary(text, from), |code| code.end);
        if from >= cut {
            return cut;
        }
        let is_line = text[..from].ends_with('\n');
        let line = text[from..cut].find('\n').map(|at| from + at + 1).filter(|line| *line < cut);
        let word = || text[from..cut].find(char::is_whitespace).map(|at| from + at);
        if is_line { from } else { line.or_else(word).unwrap_or(from) }
    }
}

/// Returns the words of a heading, of its first line.
fn title(heading: &str) -> String {
    let line = heading.lines().next().unwrap_or_default();
    line.trim_matches(|c: char| c == '#' || c.is_whitespace()).to_owned()
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the end of the line that ends at `at`, its break included.
fn line_end(text: &str, at: usize) -> usize {
    if text[..at].ends_with('\n') { at } else { text[at..].find('\n').map_or(text.len(), |end| at + end + 1) }
}

/// A longer document is cut at its lines: what a parser keeps of one is many times its length.
pub(super) const STRUCTURED: usize = 1 << 20;
