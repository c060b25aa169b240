//! A text in chunks: pieces that are small enough to rank and large enough to understand.

use std::fmt;
use std::ops::Range;

use super::separators::plain;
use super::structure::Structure;
use crate::base::error::{Error, Result};
use crate::base::preset::Preset;
use crate::base::text;

/// A piece of a document.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// The place in the text, in bytes.
    pub bytes: Range<usize>,
    /// Its first and its last line, from 1.
    pub lines: (u64, u64),
    /// The headings that it is under, its own included, the outermost first, a line each.
    pub headings: String,
    /// Whether it is headings alone, with nothing under them: an index leaves it out.
    pub is_bare: bool,
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, lines, headings, .. } = self;
        write!(f, "Chunk {{ bytes: {bytes:?}, lines: {lines:?}, headings: {} bytes }}", headings.len())
    }
}

/// The rule for cutting documents. It belongs to the identity of an index: under another one, documents are cut anew.
///
/// Under any rule, the chunks of a text cover all of it in order, except a byte order mark. If one is longer than its
/// share, the next repeats its end. A cut never splits a character.
///
/// ```
/// use noctuary::search::ChunkConfig;
///
/// let text = "# Notes\n\n## Harbour\n\nThe boat is called Brisk.\n\n## Garden\n\nWater it on Fridays.\n";
/// let chunks = ChunkConfig::default().chunks(text);
/// assert_eq!(chunks.len(), 2, "a heading begins a chunk");
/// assert_eq!(&text[chunks[1].bytes.clone()], "## Garden\n\nWater it on Fridays.\n");
/// assert_eq!((chunks[1].lines, chunks[1].headings.as_str()), ((7, 9), "Notes\nGarden"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkConfig {
    /// By the structure of markdown: a heading begins a chunk, and a code block stays whole where it fits. Other cuts
    /// are between blocks, list items, lines, sentences or words, in this order. In a document above 1 MiB the
    /// structure is not read.
    Markdown {
        /// The most bytes of a chunk: 1,600, which are about 400 tokens.
        max_bytes: usize,
        /// The most bytes that a chunk repeats of the one before: 320. Nothing is repeated across a heading.
        overlap_bytes: usize,
    },
    /// By separators alone.
    Plain {
        /// The most characters of a chunk.
        max_chunk_size: usize,
        /// The number of characters that a chunk repeats of the one before.
        overlap: usize,
        /// The separators after which to cut, the best first. If the second half of a chunk has none, it is
        /// cut at any character.
        split_on: Vec<String>,
    },
}

impl Default for ChunkConfig {
    fn default() -> Self {
        Self::Markdown { max_bytes: 1600, overlap_bytes: 320 }
    }
}

impl ChunkConfig {
    /// Returns the rule of a dialect: [`ironclaw`](Self::ironclaw) for [`Preset::IronClaw`], else the default.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        if preset == Preset::IronClaw { Self::ironclaw() } else { Self::default() }
    }

    /// Makes the fifth seed's rule: 500 characters, 50 of them repeated, cut at paragraphs, lines and sentences.
    #[must_use]
    pub fn ironclaw() -> Self {
        Self::Plain {
            max_chunk_size: 500,
            overlap: 50,
            split_on: ["\n\n", "\n", ". "].map(str::to_owned).to_vec(),
        }
    }

    /// Returns a text that differs from that of every other configuration, and of other versions of the cutting.
    #[must_use]
    pub fn identity(&self) -> String {
        match self {
            Self::Markdown { max_bytes, overlap_bytes } => format!("markdown/2 {max_bytes}/{overlap_bytes}"),
            Self::Plain { max_chunk_size, overlap, split_on } => {
                format!("plain/2 {max_chunk_size}/{overlap} {split_on:?}")
            }
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let (max, overlap) = self.sizes();
        if max < LEAST {
            return Err(Error::Config { setting: "the size of a chunk", rule: "must be at least 16" });
        }
        if overlap > max / 2 {
            return Err(Error::Config { setting: "the overlap", rule: "must be at most half a chunk" });
        }
        Ok(())
    }

    fn sizes(&self) -> (usize, usize) {
        match self {
            Self::Markdown { max_bytes, overlap_bytes } => (*max_bytes, *overlap_bytes),
            Self::Plain { max_chunk_size, overlap, .. } => (*max_chunk_size, *overlap),
        }
    }

    /// Cuts a text. Sizes below 16, and overlaps of more than half of a chunk, are taken as those.
    #[must_use]
    pub fn chunks(&self, text: &str) -> Vec<Chunk> {
        let (max, overlap) = self.sizes();
        let max = max.max(LEAST);
        let overlap = overlap.min(max / 2);
        let mut lines = Lines { text, at: 0, line: 1 };
        let mut chunks = Vec::new();
        match self {
            Self::Markdown { .. } => {
                let structure = Structure::of(text);
                for section in &structure.sections {
                    for bytes in structure.cut(text, section.bytes.clone(), max, overlap) {
                        let (headings, is_bare) = (section.headings.clone(), section.is_bare);
                        chunks.push(Chunk { lines: lines.of(&bytes), bytes, headings, is_bare });
                    }
                }
            }
            Self::Plain { split_on, .. } => {
                for bytes in plain(text, max, overlap, split_on) {
                    let (lines, headings) = (lines.of(&bytes), String::new());
                    chunks.push(Chunk { lines, bytes, headings, is_bare: false });
                }
            }
        }
        chunks
    }
}

/// Below this, a cut might not get on.
const LEAST: usize = 16;

/// Counts lines, of ranges that begin one after the other.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, range: &Range<usize>) -> (u64, u64) {
        let bytes = self.text.as_bytes();
        self.line += text::line_breaks(&bytes[self.at..range.start]);
        self.at = range.start;
        // A line break at the end belongs to the last line.
        let inner = range.start..range.end.saturating_sub(1).max(range.start);
        (self.line, self.line + text::line_breaks(&bytes[inner]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::separators::front;
    use super::super::structure::STRUCTURED;
    use super::*;
    use proptest::prelude::*;

    fn markdown(max_bytes: usize, overlap_bytes: usize) -> ChunkConfig {
        ChunkConfig::Markdown { max_bytes, overlap_bytes }
    }

    fn pieces<'a>(text: &'a str, config: &ChunkConfig) -> Vec<&'a str> {
        config.chunks(text).into_iter().map(|chunk| &text[chunk.bytes]).collect()
    }

    /// Checks the rules for every text: coverage, order, sizes, lines.
    fn check(text: &str, config: &ChunkConfig) {
        let chunks = config.chunks(text);
        let (max, overlap) = config.sizes();
        let size = |range: Range<usize>| match config {
            ChunkConfig::Markdown { .. } => range.len(),
            ChunkConfig::Plain { .. } => text[range].chars().count(),
        };
        let mut whole = String::new();
        let mut covered = front(text);
        let mut begun = None;
        for chunk in &chunks {
            let Range { start, end } = chunk.bytes;
            assert!(start <= covered && end > covered, "in order, without a gap: {chunk:?} after {covered}");
            assert!(begun < Some(start), "each begins behind the one before");
            assert!(size(start..end) <= max, "{chunk:?} is too long");
            assert!(size(start..covered) <= overlap, "{chunk:?} repeats too much");
            whole.push_str(&text[covered..end]);
            let line = |at: usize| 1 + text[..at].matches('\n').count() as u64;
            let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
            assert_eq!(chunk.lines, (line(start), line(last)), "{chunk:?}");
            (covered, begun) = (end, Some(start));
        }
        assert_eq!(whole, text[front(text)..], "the chunks are the text");
    }

    fn any_markdown() -> impl Strategy<Value = String> {
        let parts = prop_oneof![
            "\\PC{0,30}",
            "[a-z ]{0,60}[.!?]? ?",
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\n\n".to_owned()),
            Just("\n# ".to_owned()),
            Just("\n### Heading\n".to_owned()),
            Just("\n---\n".to_owned()),
            Just("\n```\n".to_owned()),
            Just("\n~~~rust\nlet x = 1;\n~~~\n".to_owned()),
            Just("\n- item\n  - below\n".to_owned()),
            Just("\n| a | b |\n|---|---|\n| 1 | 2 |\n".to_owned()),
            Just("<!-- dream -->".to_owned()),
            Just("\u{feff}".to_owned()),
            Just("日本語。".to_owned()),
            Just("\t    code\n".to_owned()),
        ];
        proptest::collection::vec(parts, 0..60).prop_map(|parts| parts.concat())
    }

    proptest! {
        // VW-08, VW-09
        #[test]
        fn chunks_cover_any_text(text in any_markdown(), max in 16_usize..200, share in 0_usize..=8) {
            let overlap = max * share / 16;
            check(&text, &markdown(max, overlap));
            let split_on = ["\n\n", "\n", ". "].map(str::to_owned).to_vec();
            check(&text, &ChunkConfig::Plain { max_chunk_size: max, overlap, split_on });
            check(&text, &ChunkConfig::default());
            check(&text, &ChunkConfig::ironclaw());
        }
    }

    #[test]
    fn a_heading_begins_a_chunk_and_the_headings_right_below_share_it() {
        let text = "# Memory\n\n## Facts\n\n- tea\n\n## Decisions\n- Fridays\n\n# Garden\ngreen\n\nBoat\n====\nBrisk\n";
        assert_eq!(
            pieces(text, &ChunkConfig::default()),
            [
                "# Memory\n\n## Facts\n\n- tea\n\n",
                "## Decisions\n- Fridays\n\n",
                "# Garden\ngreen\n\n",
                "Boat\n====\nBrisk\n"
            ]
        );
        let headings: Vec<String> =
            ChunkConfig::default().chunks(text).into_iter().map(|chunk| chunk.headings).collect();
        assert_eq!(headings, ["Memory\nFacts", "Memory\nDecisions", "Garden", "Boat"]);
        for no_heading in ["> # quoted\n\nx\n\n> # again\n", "```\n# code\n```\n\nx\n\n```\n# code\n```\n"] {
            assert_eq!(pieces(no_heading, &ChunkConfig::default()).len(), 1, "{no_heading}");
        }
    }

    #[test]
    fn headings_with_nothing_under_them_are_bare() {
        let bare = |text: &str| -> Vec<bool> {
            ChunkConfig::default().chunks(text).into_iter().map(|chunk| chunk.is_bare).collect()
        };
        assert_eq!(bare("# Memory\n\n## Facts\n\n## Preferences\n"), [true]);
        assert_eq!(bare("# Memory\n\n## Facts\n\n- tea\n\n## Preferences\n\n## Decisions\n"), [false, true]);
        assert_eq!(bare("# 設定\n\n## 好み\n"), [true]);
        for text in [
            "# A\n\n[b]: https://example.com\n",
            "# A\n<!-- b -->\n",
            "# A\n---\n",
            "---\nx: y\n---\n",
            "text\n",
        ] {
            assert_eq!(bare(text), [false], "{text}");
        }
    }

    #[test]
    fn front_matter_is_no_heading() {
        let text = "---\ntitle: x\n---\n\nbody\n";
        assert_eq!(pieces(text, &ChunkConfig::default()), [text]);
        assert_eq!(ChunkConfig::default().chunks(text)[0].headings, "");
    }

    #[test]
    fn a_code_block_stays_whole_where_it_fits() {
        let code = format!("```rust\n{}```\n", "let x = 1;\n".repeat(8));
        for before in 0..20 {
            let text = format!("{}\n{code}\n{}", "Some words.\n".repeat(before), "After it.\n".repeat(20));
            let found = pieces(&text, &markdown(128, 40));
            assert!(found.iter().any(|piece| piece.contains(&code)), "{before}: {found:?}");
            assert!(
                found.iter().all(|piece| piece.contains(&code) || !piece.contains("let x")),
                "no half of it is repeated: {before}: {found:?}"
            );
        }
        let long = format!("```\n{}```\n", "let x = 1;\n".repeat(40));
        assert!(pieces(&long, &markdown(128, 40)).iter().all(|piece| piece.ends_with('\n')), "cut at lines");
    }

    #[test]
    fn a_cut_is_made_where_it_hurts_least() {
        let paragraphs = "aaaa aaaa aaaa.\n\nbbbb bbbb bbbb.\n\ncccc cccc cccc.\n";
        assert_eq!(pieces(paragraphs, &markdown(40, 0))[1], "cccc cccc cccc.\n", "between blocks");
        let lines = "aaaa aaaa aaaa\nbbbb bbbb bbbb\ncccc cccc cccc\n";
        assert_eq!(
            pieces(lines, &markdown(40, 16))[1],
            "bbbb bbbb bbbb\ncccc cccc cccc\n",
            "a line is repeated"
        );
        let sentences = "Aaaa aaaa aaaa. Bbbb bbbb bbbb. Cccc cccc.";
        assert_eq!(pieces(sentences, &markdown(40, 0))[1], " Cccc cccc.", "after a sentence");
        assert_eq!(pieces("aaaaaaaaaaaa bbbbbbbbb cc", &markdown(16, 0))[0], "aaaaaaaaaaaa ", "after a word");
        assert_eq!(pieces(&"日".repeat(12), &markdown(16, 0))[0], "日日日日日", "between characters");
    }

    /// VW-08
    #[test]
    fn the_seeds_chunks_are_in_characters() {
        let text = "Größe. ".repeat(200);
        let found = pieces(&text, &ChunkConfig::ironclaw());
        assert!(found[0].chars().count() <= 500 && found[0].ends_with(". "), "{}", found[0]);
        assert_eq!(found[0].chars().rev().take(50).collect::<String>(), {
            let begins: Vec<char> = found[1].chars().take(50).collect();
            begins.into_iter().rev().collect::<String>()
        });
    }

    #[test]
    fn a_long_document_is_cut_at_its_lines() {
        let text = "# Heading\nwords and words\n".repeat(STRUCTURED / 25);
        let chunks = ChunkConfig::default().chunks(&text);
        assert!(chunks.len() < text.len() / 800, "no heading begins one");
        assert!(chunks.iter().all(|chunk| text[chunk.bytes.clone()].ends_with('\n')));
    }

    #[test]
    fn a_configuration_has_its_bounds_and_its_own_identity() {
        for (config, is_fine) in [
            (ChunkConfig::default(), true),
            (ChunkConfig::ironclaw(), true),
            (markdown(16, 8), true),
            (markdown(15, 0), false),
            (markdown(100, 51), false),
        ] {
            assert_eq!(config.check().is_ok(), is_fine, "{config:?}");
        }
        let all = [ChunkConfig::default(), ChunkConfig::ironclaw(), markdown(1600, 0), markdown(500, 50)];
        let identities: std::collections::BTreeSet<String> = all.iter().map(ChunkConfig::identity).collect();
        assert_eq!(identities.len(), all.len());
    }
}
