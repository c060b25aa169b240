//! The text of a document in a prompt: cut to its budget, below its heading.

use super::PromptNotice;
use super::order::Heading;
use crate::base::name::DocName;
use crate::base::text::{self, Unit};

/// The mark of a cut journal's beginning, as in a dream's request.
pub(super) const CUT_HEAD: &str = "[...truncated head]\n";
/// The mark of another cut document's end.
const CUT_TAIL: &str = "\n[...truncated tail]";

/// The text of one document, ready to be printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PromptText {
    pub(super) name: String,
    pub(super) body: String,
}

/// Returns the beginning of a text, and how much is left out.
pub(super) fn cut_tail(
    name: &DocName,
    text: &str,
    most: usize,
    notices: &mut Vec<PromptNotice>,
) -> PromptText {
    let text = text.trim_start_matches(text::BOM).trim_end();
    let chars = text.chars().count();
    let mut body = text.to_owned();
    if chars > most {
        let head = text::head(text, most.saturating_sub(CUT_TAIL.len()), Unit::Chars).trim_end();
        notices.push(PromptNotice::Cut { name: name.clone(), chars, shown: head.chars().count() });
        body = format!("{head}{CUT_TAIL}");
    }
    PromptText { name: name.to_string(), body }
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
        Heading::Words(_) => without_title(&text.body).to_owned(),
        Heading::None => text.body.clone(),
    });
    let printed = printed.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    match heading {
        Heading::Words(words) if !printed.is_empty() => format!("## {words}\n\n{printed}"),
        _ => printed,
    }
}

/// Returns a text without its level-one title, for which another heading stands in.
fn without_title(text: &str) -> &str {
    let body = text.trim_start();
    match body.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest.trim_start_matches(['\r', '\n']),
        None if body.starts_with("# ") => "",
        _ => text,
    }
}
