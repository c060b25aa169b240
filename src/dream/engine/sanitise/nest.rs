//! The place of a bullet in a list: under another line, or under one that denies it.

use crate::base::text;
use crate::dream::evidence::is_negation;
use crate::format::replies::reply;

/// A bullet whose lines are being read.
pub(super) struct Open {
    pub(super) heading: Option<&'static str>,
    pub(super) text: String,
    pub(super) indent: usize,
    /// The whole text of the bullet above it, where it is a child of one.
    pub(super) parent: Option<String>,
    pub(super) is_nested: bool,
}

/// The place of the next bullet in a list.
#[derive(Default)]
pub(super) struct Nest {
    /// The indentation of the bullets of the list.
    base: Option<usize>,
    /// The bullets that the next one may be a child of, each with its indentation.
    above: Vec<(usize, String)>,
    /// Whether the line above the list denies its content: "Never do this:".
    pub(super) is_denied: bool,
}

impl Nest {
    /// Takes in the line of a bullet; returns its indentation, and whether it is a child of another bullet.
    pub(super) fn place(&mut self, line: &str) -> (usize, bool) {
        let marks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
        let indent: usize = marks.map(|c| if c == '\t' { 4 } else { 1 }).sum();
        // Less than two spaces makes no child. (CommonMark)
        let is_child = self.base.is_some_and(|base| indent >= base + 2);
        if !is_child {
            self.base = Some(indent);
        }
        (indent, is_child)
    }

    /// Takes in a bullet that is whole.
    pub(super) fn end(&mut self, open: &Open) {
        self.above.push((open.indent, open.text.clone()));
    }

    /// Returns the text of the bullet that one of this indentation is a child of.
    pub(super) fn parent(&mut self, indent: usize) -> Option<String> {
        while self.above.last().is_some_and(|(above, _)| above + 2 > indent) {
            self.above.pop();
        }
        self.above.last().map(|(_, text)| text.clone())
    }
}

/// No bullet with its parent is longer, in bytes.
const LONGEST: usize = 4096;

/// Joins a bullet to the one above it, as one claim with the citations of both: "Trip to Lisbon: flight on 3 May". `None` where
/// that makes no claim.
pub(super) fn join(parent: &str, child: &str) -> Option<String> {
    let (lead, cited) = reply::split_citations(parent);
    let lead = lead.trim_matches(['*', '_', ' ']).trim_end_matches([':', '：', '.', ' ']);
    if lead.is_empty() || lead.len() + child.len() > LONGEST {
        return None;
    }
    let mut text = format!("{lead}: {child}");
    for citation in cited {
        let name = citation.name?;
        text.push_str(&format!(" ({name}#L{}-L{})", citation.first_line, citation.last_line));
    }
    Some(text)
}

/// Returns an answer without bullets as bullets: its sentences that cite lines of journals, and its headings. A sentence that cites
/// none may be a refusal.
pub(crate) fn bullets_of_prose(answer: &str) -> Option<String> {
    let (mut bullets, mut has_any) = (String::new(), false);
    for line in answer.lines().map(str::trim) {
        if line.starts_with('#') {
            bullets.push_str(line);
            bullets.push('\n');
            continue;
        }
        if line.starts_with(['{', '[', '<', '|', '`', '~']) {
            continue;
        }
        let mut open = String::new();
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(word);
            // A citation may stand behind the stop.
            let is_cited_next = words
                .peek()
                .is_some_and(|next| reply::split_citations(next).0.trim_matches(['.', ' ']).is_empty());
            if (word.ends_with(['.', '!', '?', ')', '。']) && !is_cited_next) || words.peek().is_none() {
                let (claim, cited) = reply::split_citations(&open);
                let is_stop = claim.trim_end().ends_with(['.', '!', '?', '。']) || words.peek().is_none();
                if !is_stop {
                    continue;
                }
                if !cited.is_empty() && !claim.trim_matches(['.', ' ']).is_empty() {
                    has_any = true;
                    bullets.push_str("- ");
                    bullets.push_str(&open);
                    bullets.push('\n');
                }
                open.clear();
            }
        }
    }
    has_any.then_some(bullets)
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
