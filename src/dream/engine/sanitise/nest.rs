//! The place of a bullet in a list: under another line, or under one that denies it.

use crate::base::gather::Gather as _;
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

/// Joins a bullet to the one above it, as one claim with both citations: "Trip to Lisbon: flight on 3 May". `None` if the two
/// make no claim.
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

/// Returns an answer without bullets as bullets: its lines that cite journals. The others stay as they are: one may deny what follows.
/// An answer that cites nothing may be a refusal.
pub(crate) fn bullets_of_prose(answer: &str) -> Option<String> {
    let (mut bullets, mut has_any) = (String::new(), false);
    for line in answer.lines().map(str::trim) {
        let claims =
            if line.starts_with(['#', '{', '[', '<', '|', '`', '~']) { Vec::new() } else { claims(line) };
        if claims.is_empty() {
            bullets.push_str(line);
            bullets.push('\n');
        }
        for claim in claims {
            has_any = true;
            bullets.push_str("- ");
            bullets.push_str(&claim);
            bullets.push('\n');
        }
    }
    has_any.then_some(bullets)
}

/// Takes a line of prose apart, behind its citations. It is one claim where a part cites nothing, or turns or introduces the others.
/// None where it cites nothing.
fn claims(line: &str) -> Vec<String> {
    let (mut claims, mut open) = (Vec::new(), String::new());
    let words: Vec<&str> = line.split_whitespace().gather();
    for (at, word) in words.iter().enumerate() {
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(word);
        let next = words.get(at + 1);
        let goes_on =
            next.is_some_and(|next| next.starts_with(|c: char| c.is_lowercase() || "([,;".contains(c)));
        let may_end = word.ends_with([')', ']', '.', '!', '?', '。']) && !goes_on;
        if line.len() <= LONGEST && may_end && cites(&open) {
            claims.push(std::mem::take(&mut open));
        }
    }
    if claims.is_empty() && !cites(&open) {
        return claims;
    }
    let is_whole = !open.is_empty() || claims.len() > 1 && (line.contains([':', '：']) || turns(line));
    if is_whole { vec![line.to_owned()] } else { claims }
}

/// Returns whether a text says something, and cites a journal for it.
fn cites(text: &str) -> bool {
    let (claim, cited) = reply::split_citations(text);
    !cited.is_empty() && claim.contains(char::is_alphanumeric)
}

/// Returns whether a line only leads to those under it.
pub(super) fn leads(text: &str) -> bool {
    let (claim, _) = reply::split_citations(text);
    claim.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

/// Returns whether a line that is no bullet turns the list below it into its opposite.
pub(super) fn denies(line: &str) -> bool {
    (line.starts_with('#') || leads(line)) && turns(line)
}

/// Returns whether a word turns what is said into its opposite.
fn turns(line: &str) -> bool {
    text::words(line).any(|word| {
        is_negation(&word)
            || matches!(
                &*word,
                "avoid" | "stop" | "reject" | "rejected" | "forbidden" | "false" | "wrong" | "unless"
            )
    })
}
