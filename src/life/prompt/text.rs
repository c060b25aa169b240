//! The text of a document in a prompt: cut to its budget, below its heading.

use super::PromptNotice;
use super::order::Heading;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::text::{self, Unit};
use crate::life::receipt::{Item, Trail};

/// The mark of a cut journal's beginning, as in a dream's request.
pub(super) const CUT_HEAD: &str = "[...truncated head]\n";
/// The mark of another cut document's end.
const CUT_TAIL: &str = "\n[...truncated tail]";

/// The text of one document, ready to be printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PromptText {
    pub(super) name: String,
    pub(super) body: String,
    /// The lines that the body was made of.
    pub(super) trail: Trail,
    /// Rows of a store that notes in the body were made of.
    pub(super) rows: Vec<Item>,
}

impl PromptText {
    /// Makes a text of lines of a document.
    pub(super) fn of(name: impl Into<String>, body: String, trail: Trail) -> Self {
        Self { name: name.into(), body, trail, rows: Vec::new() }
    }

    /// Makes a text that is of no document.
    pub(super) fn ours(name: impl Into<String>, body: impl Into<String>) -> Self {
        Self::of(name, body.into(), Trail::none())
    }
}

/// Returns the beginning of a text, and how much is left out.
pub(super) fn cut_tail(
    name: &DocName,
    text: &str,
    most: usize,
    notices: &mut Vec<PromptNotice>,
    mut trail: Trail,
) -> PromptText {
    let text = text.trim_start_matches(text::BOM).trim_end();
    trail.keep(text, 0..text.len());
    let chars = text.chars().count();
    let mut body = text.to_owned();
    if chars > most {
        let head = text::head(text, most.saturating_sub(CUT_TAIL.len()), Unit::Chars).trim_end();
        notices.push(PromptNotice::Cut { name: name.clone(), chars, shown: head.chars().count() });
        trail.keep(text, 0..head.len());
        trail.frame(0, 1);
        body = format!("{head}{CUT_TAIL}");
    }
    PromptText::of(name.to_string(), body, trail)
}

/// Returns a text without the YAML block that a template may begin with.
pub(super) fn without_frontmatter(text: &str) -> &str {
    let body = text.trim_start_matches(text::BOM);
    let Some(rest) = body.strip_prefix("---\n").or_else(|| body.strip_prefix("---\r\n")) else { return body };
    let mut at = body.len() - rest.len();
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return body[at..].trim_start_matches(['\r', '\n']);
        }
    }
    body
}

pub(super) fn print(texts: &[PromptText], heading: Heading) -> String {
    let printed = texts.iter().map(|text| match heading {
        Heading::FileName => format!("## {}\n\n{}", text.name, text.body),
        Heading::Words(_) | Heading::None => printed_part(text, heading).to_owned(),
    });
    let printed = printed.filter(|text| !text.is_empty()).gather().join("\n\n");
    match heading {
        Heading::Words(words) if !printed.is_empty() => format!("## {words}\n\n{printed}"),
        _ => printed,
    }
}

/// Returns as much of a text as is printed below a heading.
pub(super) fn printed_part(text: &PromptText, heading: Heading) -> &str {
    match heading {
        Heading::Words(_) => without_title(&text.body),
        Heading::FileName | Heading::None => &text.body,
    }
}

/// Returns a text without its level-one title, for which another heading stands in.
fn without_title(text: &str) -> &str {
    let body = text.trim_start();
    match body.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest.trim_start_matches(['\r', '\n']),
        None if body.starts_with("# ") => &body[body.len()..],
        _ => text,
    }
}
