//! Doc sentences open with a verb or a noun, never with a riddle, say things in the field's words, and are short.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Openings that hide the subject of a sentence.
const RIDDLES: [&str; 5] = ["What", "Whose", "That of", "Those", "Of which"];

/// Words of a poet, where the field says *number*, *whose*, *is* or *exists*. To stand for something is plain.
const POETRY: [&str; 6] = ["so many", "so much", "of which", "stand", "stands", "stood"];

/// Docs that still have such words.
const LATER: [&str; 4] = ["src/exchange/chats", "crates/noctuary-cli", "src/life/", "src/store/"];

/// The most words of a sentence.
const WORDS: usize = 22;

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

#[test]
fn docs_say_things_in_the_words_of_the_field() {
    let mut found = Vec::new();
    for path in noctuary_tests::files_below(noctuary_tests::sources()) {
        let name = path.strip_prefix(noctuary_tests::root()).unwrap().to_str().unwrap().replace('\\', "/");
        let ends = |with: &str| path.extension().is_some_and(|end| end == with);
        let (is_page, is_code) = (name.starts_with("src/manual/") && ends("md"), ends("rs"));
        let is_skipped = name.contains("/tests") || LATER.iter().any(|later| name.starts_with(later));
        if !(is_page || is_code) || is_skipped {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let blocks =
            if is_page { prose(&text).into_iter().map(|block| (0, block)).collect() } else { docs(&text) };
        for (line, block) in blocks {
            let plain = prose(&block).join(" ");
            found.extend(poetry(&plain).into_iter().map(|word| format!("{name}:{line}: {word}: {plain}")));
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_manual_has_no_sentence_of_more_than_22_words() {
    let root = noctuary_tests::root();
    let mut pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(|page| root.join(page)).to_vec();
    pages.extend(noctuary_tests::files_below(vec![root.join("src/manual")]));
    let mut found = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
        found.extend(long(page, &prose(&fs::read_to_string(page).unwrap())));
    }
    assert!(pages.len() > 20, "the pages were found");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Lists them: `cargo test --test house sentences -- --ignored --nocapture`.
#[test]
#[ignore = "a list for whoever mends them"]
fn sentences_of_more_than_22_words_in_docs() {
    let files = noctuary_tests::files_below(noctuary_tests::sources());
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        for (line, block) in docs(&fs::read_to_string(path).unwrap()) {
            for sentence in long(path, &prose(&block)) {
                println!("{line} {sentence}");
            }
        }
    }
}

#[test]
fn planted_words_and_long_sentences_are_named() {
    assert_eq!(
        poetry("At most so many rows stand here, one of which counts."),
        ["so many", "of which", "stand"]
    );
    assert_eq!(poetry("A look, and what it tells."), ["what it tells"]);
    assert!(poetry("A `*` stands for any word, and standing rules outstand the understood.").is_empty());
    let page = Path::new("page");
    let words = |count: usize| vec!["word"; count].join(" ");
    assert!(long(page, &prose(&format!("{}. {}.", words(22), words(22)))).is_empty());
    assert_eq!(long(page, &prose(&format!("{}.", words(23)))).len(), 1);
    let code = format!("`{}` and [{}](crate::a).\n\n```text\n{}\n```", words(30), words(20), words(30));
    assert!(long(page, &prose(&code)).is_empty(), "code counts as a word, and a link as its text");
    let row = format!("| a | b |\n|---|---|\n| {} | {} |", words(20), words(20));
    assert!(long(page, &prose(&row)).is_empty(), "a cell is a sentence");
}

/// Returns the blocks of a markdown text without its code: paragraphs, items, cells and headings.
fn prose(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_code = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::Heading { .. } | Tag::TableCell) => {
                blocks.push(String::new());
            }
            Event::Text(text) if !is_code => blocks.last_mut().unwrap().push_str(&text),
            Event::Code(_) => blocks.last_mut().unwrap().push('X'),
            Event::SoftBreak | Event::HardBreak => blocks.last_mut().unwrap().push(' '),
            _ => {}
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Returns the sentences of some blocks that are too long, with their number of words.
fn long(path: &Path, blocks: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for block in blocks {
        let mut sentence: Vec<&str> = Vec::new();
        let mut words = block.split_whitespace().peekable();
        while let Some(word) = words.next() {
            sentence.push(word);
            let is_end = word.trim_end_matches([')', '"', '”']).ends_with(['.', '?', '!']);
            if is_end || words.peek().is_none() {
                let count = sentence.iter().filter(|word| word.contains(char::is_alphanumeric)).count();
                if count > WORDS {
                    found.push(format!("{}: {count}: {}", path.display(), sentence.join(" ")));
                }
                sentence.clear();
            }
        }
    }
    found
}

/// Returns the words of a poet in a text.
fn poetry(text: &str) -> Vec<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '*')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut found = Vec::new();
    for poetic in POETRY {
        let wanted: Vec<&str> = poetic.split(' ').collect();
        for (at, there) in words.windows(wanted.len()).enumerate() {
            let is_plain = wanted.len() == 1 && words.get(at + 1).is_some_and(|next| next == "for");
            if there == wanted && !is_plain {
                found.push(poetic.to_owned());
            }
        }
    }
    for there in words.windows(3) {
        if there[0] == "what" && there[2] == "tells" {
            found.push(there.join(" "));
        }
    }
    found
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
