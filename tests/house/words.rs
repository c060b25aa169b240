//! Doc sentences open with a verb or a noun, never with a riddle.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

/// Openings that hide the subject of a sentence.
const RIDDLES: [&str; 5] = ["What", "Whose", "That of", "Those", "Of which"];

#[test]
fn no_doc_sentence_opens_with_a_riddle() {
    let mut found = Vec::new();
    let mut sentences = 0;
    let files = noctuary_tests::files_below(noctuary_tests::sources());
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let text = fs::read_to_string(path).unwrap();
        sentences += docs(&text).iter().map(|(_, paragraph)| starts(paragraph).count()).sum::<usize>();
        found.extend(riddles(&text).into_iter().map(|riddle| format!("{}:{riddle}", path.display())));
    }
    assert!(sentences > 4_000, "the docs were found: {sentences}");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn a_planted_riddle_is_named_by_its_line() {
    let planted = |text: &str| riddles(text);
    assert_eq!(planted("/// What stands there.\nstruct Row;"), ["1: What stands there."]);
    assert_eq!(planted("//! Rows.\n//!\n//! Those of a store."), ["3: Those of a store."]);
    assert_eq!(planted("    /// Whose it is.\n    own: bool,"), ["1: Whose it is."]);
    assert_eq!(
        planted("/// That of a row.\n/// Of which one is kept."),
        ["1: That of a row.", "1: Of which one is kept."]
    );
    let within = "/// Reads a row. What\n/// is there stays.\nfn read() {}";
    assert_eq!(planted(within), ["1: What is there stays."], "a sentence may go over lines");
    let sound = "/// Returns what is there: those rows, whose owner is known.\n/// ```text\n/// What\n/// ```\n// What\n";
    assert!(planted(sound).is_empty(), "code and plain comments are no docs");
    assert!(planted("/// What is it? A row.").is_empty(), "a question may ask");
    assert!(planted("/// Thoselike words, Whatever they are.").is_empty());
}

/// Returns the sentences of the docs that open with a riddle, each with the line of its paragraph.
fn riddles(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (line, paragraph) in docs(text) {
        for start in starts(&paragraph) {
            let opens = |riddle: &&str| {
                start.strip_prefix(*riddle).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            };
            // A question is no riddle.
            let is_question = start.find(['.', '?']).is_some_and(|at| start[at..].starts_with('?'));
            if RIDDLES.iter().any(opens) && !is_question {
                let end = start.find(". ").map_or(start.len(), |at| at + 1);
                found.push(format!("{line}: {}", &start[..end]));
            }
        }
    }
    found
}

/// Returns the paragraphs of the docs, each as one line, with the number of its first line. Code is left out.
fn docs(text: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut is_code, mut goes_on) = (false, false);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            (is_code, goes_on) = (false, false);
            continue;
        };
        let doc = doc.trim();
        if doc.starts_with("```") {
            (is_code, goes_on) = (!is_code, false);
        } else if is_code || doc.is_empty() {
            goes_on = false;
        } else if goes_on && !doc.starts_with(['-', '*', '|', '#']) {
            let (_, paragraph) = paragraphs.last_mut().unwrap();
            paragraph.push(' ');
            paragraph.push_str(doc);
        } else {
            paragraphs.push((at + 1, doc.trim_start_matches(['-', '*', '|', '#', ' ']).to_owned()));
            goes_on = true;
        }
    }
    paragraphs
}

/// Returns a paragraph from the start of each of its sentences on.
fn starts(paragraph: &str) -> impl Iterator<Item = &str> {
    let ends = [". ", ".) ", "? ", "! "]
        .into_iter()
        .flat_map(move |end| paragraph.match_indices(end).map(move |(at, end)| &paragraph[at + end.len()..]));
    std::iter::once(paragraph).chain(ends)
}
