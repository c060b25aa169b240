//! The answer of a curator: bullets under `### Facts`, `### Preferences`, `### Decisions`, each with its
//! journal lines, or exactly one token.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::fences;
use crate::base::name::DocName;
use crate::base::pattern::pattern;

/// The whole of an answer in which nothing is worth keeping.
pub(crate) const NOTHING_TO_PROMOTE: &str = "NOTHING_TO_PROMOTE";

/// The headings of a section.
pub(crate) const HEADINGS: [&str; 3] = [FACTS, "Preferences", "Decisions"];

/// The heading of statements that nobody need have wished.
pub(crate) const FACTS: &str = "Facts";

/// A citation as it is in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Citation {
    /// The journal; `None` where the text cites something that is no document.
    pub(crate) name: Option<DocName>,
    /// The first line, from 1; 0 where the text names a journal and no line that can be read.
    pub(crate) first_line: u64,
    pub(crate) last_line: u64,
}

/// `memory/<file>#L<a>` or `#L<a>-L<b>`, and the forms that models write: `<file> L25`, `<file>:25`,
/// `<file>, line 25`. Also a file without its folder, an en dash, and backticks around the file.
static CITATION: LazyLock<Regex> = LazyLock::new(|| {
    let folder = r"(?:memory|daily)/[^\s()\[\],;#`']+?";
    let bare = r"\d{4}-\d{2}-\d{2}[^\s()\[\],;#`'/:]*?\.(?:md|MD)";
    let loose = r"(?:[`\])]{0,2},?\s*(?:#\s*)?[Ll](?:ines?|n)?\.?\s*|:[Ll]?|#)";
    pattern(&format!(
        r"(?:\./)?(?:({folder})`?#[Ll]|({folder}\.(?:md|MD)){loose}|({bare}){loose})(\d{{1,12}})(?:{TO}(\d{{1,12}}))?"
    ))
});

/// The pattern between the ends of a range.
const TO: &str = r"(?:[-‐‑–—−]#?[Ll]?|\s*(?:[-‐‑–—−]|to)\s*#?[Ll]|\s+to\s+)";

/// Further lines of the same file: `, L26`, `; #L26`, `and #L26`, and in a list also `, 26`.
static FURTHER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"^`?\s*(?:[,;&/]|,?\s*and\b)\s*(#?\s*[Ll](?:ines?\s+)?|#)?(\d{{1,12}})(?:{TO}(\d{{1,12}}))?"
    ))
});

/// A text that looks like the name of a journal.
static MENTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:(?:memory|daily)/)?\d{4}-\d{2}-\d{2}[^\s()\[\],;#`']*\.(?:md|MD)"));

/// Takes the citations out of a statement: the statement without them, and what it cites.
///
/// A statement may name a journal without a readable line. It keeps its text and cites line 0, which no journal has.
pub(crate) fn split_citations(statement: &str) -> (String, Vec<Citation>) {
    let mut citations = Vec::new();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(found) = CITATION.captures_at(statement, at) {
        let whole = found.get(0).expect("the whole match").range();
        at = whole.end;
        // The end of another path is no path of ours.
        if statement[..whole.start].ends_with(is_path_character) {
            continue;
        }
        let name = name_of(&found);
        citations.push(citation(name.as_ref(), &found, 4));
        at = take_further(statement, at, name.as_ref(), &mut citations);
        match spans.last_mut() {
            // Citations parted by a comma or "and" are one group, and leave together.
            Some(last) if is_separator(&statement[last.end..whole.start]) => last.end = at,
            _ => spans.push(whole.start..at),
        }
    }
    if citations.is_empty() {
        citations.extend(MENTION.find(statement).map(|mention| Citation {
            name: fences::dereference(mention.as_str()),
            first_line: 0,
            last_line: 0,
        }));
    }
    (without(statement, spans), citations)
}

fn is_path_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '-' | '_' | '%' | '~' | '@')
}

fn name_of(found: &regex::Captures<'_>) -> Option<DocName> {
    match (found.get(1).or_else(|| found.get(2)), found.get(3)) {
        (Some(path), _) => fences::dereference(path.as_str()),
        (_, Some(file)) => fences::dereference(&format!("{}/{}", DocName::JOURNALS, file.as_str())),
        _ => None,
    }
}

fn citation(name: Option<&DocName>, found: &regex::Captures<'_>, at: usize) -> Citation {
    let number = |at| found.get(at).and_then(|digits| digits.as_str().parse().ok());
    let first_line = number(at).unwrap_or(0);
    Citation { name: name.cloned(), first_line, last_line: number(at + 1).unwrap_or(first_line) }
}

/// Takes the lines that follow a citation without a file's name: they are of the same file.
fn take_further(
    statement: &str,
    mut at: usize,
    name: Option<&DocName>,
    citations: &mut Vec<Citation>,
) -> usize {
    while let Some(found) = FURTHER.captures(&statement[at..]) {
        let end = at + found.get(0).expect("the whole match").end();
        let rest = &statement[end..];
        // A bare number is a line only inside of a list that ends: "(f#L2, 3)", not "f#L2, 3 people".
        let is_marked = found.get(1).is_some();
        if rest.starts_with(char::is_alphanumeric) || !(is_marked || rest.starts_with([')', ']', ',', ';'])) {
            break;
        }
        citations.push(citation(name, &found, 2));
        at = end;
    }
    at
}

/// Returns the statement without its citations.
fn without(statement: &str, spans: Vec<Range<usize>>) -> String {
    let mut claim = String::with_capacity(statement.len());
    let mut from = 0;
    for span in spans {
        let span = widen(statement, span);
        // Two groups may claim the same bracket.
        if span.start >= from {
            claim.push_str(statement[from..span.start].trim_end());
        }
        from = span.end.max(from);
    }
    claim.push_str(&statement[from..]);
    claim.trim().to_owned()
}

fn is_separator(between: &str) -> bool {
    matches!(
        between.trim_matches(['`', ' ']),
        "," | ";" | "and" | ", and" | "" | "&" | ") (" | ")(" | "] [" | "][" | "](" | "), (" | "], ["
    )
}

/// Takes in the brackets, backticks and the word "source" around a group of citations.
fn widen(text: &str, mut span: Range<usize>) -> Range<usize> {
    loop {
        let before = text[..span.start].trim_end();
        let after = &text[span.end..];
        let quoted = before.ends_with('`');
        if quoted && (after.starts_with('`') || text[span.clone()].contains('`')) {
            span = before.len() - 1..span.end + usize::from(after.starts_with('`'));
            continue;
        }
        let is_link = text[span.clone()].contains("](");
        let pair = [('(', ')'), ('[', ']'), ('（', '）'), ('[', ')')]
            .into_iter()
            .find(|(open, close)| before.ends_with(*open) && after.starts_with(*close))
            .filter(|pair| *pair != ('[', ')') || is_link);
        if let Some((open, close)) = pair {
            span = before.len() - open.len_utf8()..span.end + close.len_utf8();
            if open == '(' {
                span.start = link_start(text, span.start);
            }
            continue;
        }
        match label(before) {
            Some(label) => span.start = before.len() - label.len(),
            None => return span,
        }
    }
}

/// Returns the start of the markdown link whose target is at `at`, if its text only names a place: `[L25](…)`.
fn link_start(text: &str, at: usize) -> usize {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\[(?i:sources?|journal|ref|lines?|[#\^`L\d\s,–-]|\S*\.md`?)*\]$"));
    PLACE.find(&text[..at]).map_or(at, |place| place.start())
}

fn label(before: &str) -> Option<&'static str> {
    ["source:", "sources:", "source", "see", "from", "cf."].into_iter().find(|label| {
        before.len() >= label.len()
            && before.is_char_boundary(before.len() - label.len())
            && before[before.len() - label.len()..].eq_ignore_ascii_case(label)
            && before[..before.len() - label.len()].ends_with(['(', '['])
    })
}

/// Returns a statement without the signs that strike it through: `~~Lives in Berlin.~~`.
pub(crate) fn unstruck(statement: &str) -> &str {
    let inner = statement.trim().strip_prefix(STRIKE).and_then(|rest| rest.strip_suffix(STRIKE));
    inner.filter(|inner| !inner.trim().is_empty()).map_or(statement, str::trim)
}

/// The sign before and behind what is struck through.
pub(crate) const STRIKE: &str = "~~";

/// Returns a line without the bullet or number in front of it.
pub(crate) fn strip_bullet(line: &str) -> &str {
    bullet(line).unwrap_or_else(|| line.trim())
}

/// Returns the text of a bullet or numbered item; `None` for any other line.
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
    fn a_citation_is_read_in_every_form_that_models_write() {
        let file = "memory/2026-11-20-repl.md";
        let one = |from, to| (file.to_owned(), from, to);
        for (form, cited) in [
            ("({f}#L25, L26)", vec![one(25, 25), one(26, 26)]),
            ("({f}#L25,L26)", vec![one(25, 25), one(26, 26)]),
            ("({f}#L25; #L26)", vec![one(25, 25), one(26, 26)]),
            ("({f}#L25 and #L26)", vec![one(25, 25), one(26, 26)]),
            ("({f}#L25, #L27-L29, 31)", vec![one(25, 25), one(27, 29), one(31, 31)]),
            ("({f}#L25–L26)", vec![one(25, 26)]),
            ("({f}#L25 - L26)", vec![one(25, 26)]),
            ("({f}#L25-26)", vec![one(25, 26)]),
            ("({f}#l25)", vec![one(25, 25)]),
            ("({f}#25)", vec![one(25, 25)]),
            ("({f} L25)", vec![one(25, 25)]),
            ("({f}, L25)", vec![one(25, 25)]),
            ("({f}:25)", vec![one(25, 25)]),
            ("({f}:L25-L26)", vec![one(25, 26)]),
            ("({f}, line 25)", vec![one(25, 25)]),
            ("({f} lines 25-26)", vec![one(25, 26)]),
            ("({f}, lines 25 to 26)", vec![one(25, 26)]),
            ("({f}, lines 25 and 26)", vec![one(25, 25), one(26, 26)]),
            ("(`{f}`#L25)", vec![one(25, 25)]),
            ("(`{f}` L25)", vec![one(25, 25)]),
            ("(`{f}#L25`, `{f}#L26`)", vec![one(25, 25), one(26, 26)]),
            ("[L25]({f}#L25)", vec![one(25, 25)]),
            ("[source]({f}#L25)", vec![one(25, 25)]),
            ("[{f}#L25]({f}#L25)", vec![one(25, 25), one(25, 25)]),
            ("[{f}#L25]", vec![one(25, 25)]),
            ("（{f}#L25）", vec![one(25, 25)]),
            ("(./{f}#L25)", vec![one(25, 25)]),
            ("(see {f}#L25)", vec![one(25, 25)]),
        ] {
            for name in [file, "2026-11-20-repl.md"] {
                let text = format!("Ships on Fridays. {}", form.replace("{f}", name));
                assert_eq!(cite(&text), ("Ships on Fridays.".to_owned(), cited.clone()), "{text}");
            }
        }
        assert_eq!(cite("[Ships on Fridays](memory/a.md#L2)").0, "[Ships on Fridays]");
        assert_eq!(cite("memory/a.md#L2, 3 people came").0, ", 3 people came");
    }

    #[test]
    fn the_end_of_another_path_is_no_citation_and_a_journal_without_a_line_cites_line_zero() {
        let none = ("memory/2026-11-20-repl.md".to_owned(), 0, 0);
        for text in [
            "Ships. (memory/2026-11-20-repl.md)",
            "Ships. (evil/memory/2026-11-20-repl.md#L25)",
            "Ships, says memory/2026-11-20-repl.md#lots.",
        ] {
            assert_eq!(cite(text), (text.to_owned(), vec![none.clone()]), "{text}");
        }
        assert_eq!(cite("Ships. (2026-11-20-repl.md)").1.len(), 1);
        assert_eq!(cite("Ships on 2026-11-20. See README.md").1, vec![]);
        assert_eq!(cite("Ships. (x/2026-11-20.md, memory/a.md#L1)").1, [("memory/a.md".to_owned(), 1, 1)]);
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
