//! What a curator answers: bullets under `### Facts`, `### Preferences`, `### Decisions`, each with the
//! journal lines that it rests on, or exactly one token.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::fences;
use crate::name::DocName;

/// The whole of an answer in which nothing is worth keeping.
pub(crate) const NOTHING_TO_PROMOTE: &str = "NOTHING_TO_PROMOTE";

/// The headings of a section.
pub(crate) const HEADINGS: [&str; 3] = ["Facts", "Preferences", "Decisions"];

/// A citation as it stands in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Citation {
    /// The journal; `None` where the text cites something that is no document.
    pub(crate) name: Option<DocName>,
    pub(crate) first_line: u64,
    pub(crate) last_line: u64,
}

/// `memory/<file>#L<a>` or `#L<a>-L<b>`, with the brackets and backticks around it.
static CITATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"((?:memory|daily)/[^\s()\[\],;#`']+?)#L(\d{1,12})(?:-L?(\d{1,12}))?")
        .expect("a literal pattern")
});

/// Takes the citations out of a statement: the statement without them, and what it cites.
pub(crate) fn split_citations(statement: &str) -> (String, Vec<Citation>) {
    let mut citations = Vec::new();
    let mut spans: Vec<Range<usize>> = Vec::new();
    for found in CITATION.captures_iter(statement) {
        let number = |at| found.get(at).and_then(|digits| digits.as_str().parse().ok());
        let first_line = number(2).unwrap_or(0);
        let last_line = number(3).unwrap_or(first_line);
        citations.push(Citation { name: fences::dereference(&found[1]), first_line, last_line });
        let whole = found.get(0).expect("the whole match").range();
        match spans.last_mut() {
            // Citations parted by a comma or "and" are one group, and leave together.
            Some(last) if is_separator(&statement[last.end..whole.start]) => last.end = whole.end,
            _ => spans.push(whole),
        }
    }
    if spans.is_empty() {
        return (statement.trim().to_owned(), citations);
    }
    let mut claim = String::with_capacity(statement.len());
    let mut from = 0;
    for span in spans {
        let span = widen(statement, span);
        claim.push_str(statement[from..span.start].trim_end());
        from = span.end;
    }
    claim.push_str(&statement[from..]);
    (claim.trim().to_owned(), citations)
}

fn is_separator(between: &str) -> bool {
    matches!(between.trim_matches(['`', ' ']), "," | ";" | "and" | "" | "&" | ") (" | ")(" | "] [" | "][")
}

/// Takes in the brackets, backticks and the word "source" around a group of citations.
fn widen(text: &str, mut span: Range<usize>) -> Range<usize> {
    loop {
        let before = text[..span.start].trim_end();
        let after = &text[span.end..];
        if before.ends_with('`') && after.starts_with('`') {
            span = before.len() - 1..span.end + 1;
            continue;
        }
        let pair = [('(', ')'), ('[', ']')]
            .into_iter()
            .find(|(open, close)| before.ends_with(*open) && after.starts_with(*close));
        if pair.is_some() {
            span = before.len() - 1..span.end + 1;
            continue;
        }
        let label = ["source:", "sources:", "see", "from"].into_iter().find(|label| {
            before.len() >= label.len()
                && before.is_char_boundary(before.len() - label.len())
                && before[before.len() - label.len()..].eq_ignore_ascii_case(label)
                && before[..before.len() - label.len()].ends_with(['(', '['])
        });
        match label {
            Some(label) => span.start = before.len() - label.len(),
            None => return span,
        }
    }
}

/// A line without the bullet or number in front of it.
pub(crate) fn strip_bullet(line: &str) -> &str {
    bullet(line).unwrap_or_else(|| line.trim())
}

/// The text of a bullet or numbered item; `None` for any other line.
pub(crate) fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•', '–']) {
        return if rest.is_empty() { Some("") } else { rest.strip_prefix([' ', '\t']).map(str::trim) };
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        return line[digits..].strip_prefix(['.', ')'])?.strip_prefix(' ').map(str::trim);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cite(text: &str) -> (String, Vec<(String, u64, u64)>) {
        let (claim, citations) = split_citations(text);
        let plain =
            |c: Citation| (c.name.map(|n| n.to_string()).unwrap_or_default(), c.first_line, c.last_line);
        (claim, citations.into_iter().map(plain).collect())
    }

    #[test]
    fn citations_leave_with_their_brackets() {
        let one = ("memory/2026-11-20-repl.md".to_owned(), 14, 16);
        for text in [
            "Ships on Fridays. (memory/2026-11-20-repl.md#L14-L16)",
            "Ships on Fridays. [memory/2026-11-20-repl.md#L14-16]",
            "Ships on Fridays. (`memory/2026-11-20-repl.md#L14-L16`)",
            "Ships on Fridays. (source: memory/2026-11-20-repl.md#L14-L16)",
            "Ships on Fridays. memory/2026-11-20-repl.md#L14-L16",
        ] {
            assert_eq!(cite(text), ("Ships on Fridays.".to_owned(), vec![one.clone()]), "{text}");
        }
    }

    #[test]
    fn several_citations_leave_together() {
        let (claim, citations) = cite("A and B (memory/a.md#L1, memory/b.md#L2-L3) (memory/c.md#L4)");
        assert_eq!(claim, "A and B");
        assert_eq!(citations.len(), 3);
    }

    #[test]
    fn a_name_that_is_no_document_is_cited_as_nothing() {
        let (_, citations) = split_citations("x (memory/../SOUL.md#L1)");
        assert_eq!(citations[0].name, None);
        assert_eq!(cite("no citation in memory/ here"), ("no citation in memory/ here".to_owned(), vec![]));
    }

    #[test]
    fn bullets_of_every_kind() {
        for line in ["- x", "* x", "  + x", "• x", "1. x", "12) x"] {
            assert_eq!(bullet(line), Some("x"), "{line}");
        }
        for line in ["x", "-x", "**x** y", "2026-01-01: x", "---"] {
            assert_eq!(bullet(line), None, "{line}");
        }
    }
}
