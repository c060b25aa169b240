//! Each demand of the seeds is proved by a test that names its id, or is told as a difference on the page `seeds`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A prefix of two letters, and a number.
type Ids = BTreeSet<(String, u32)>;

/// The ids of all demands: the ranges of numbers behind each prefix. Those of `BX` are asked for by no seed.
const DEMANDS: [(&str, &str); 33] = [
    ("WS", "1-27"),
    ("ED", "1-8"),
    ("SE", "1-15"),
    ("JR", "1-18"),
    ("HB", "1-13"),
    ("BS", "1-11"),
    ("SO", "1-5"),
    ("PR", "1-10"),
    ("DR", "1-19"),
    ("DL", "1-11"),
    ("DS", "1-8"),
    ("DB", "1-6"),
    ("PF", "1-18"),
    ("DO", "1-5"),
    ("CF", "1-16"),
    ("SL", "1-28"),
    ("MS", "1-26"),
    ("SQ", "1-10"),
    ("HY", "1-12"),
    ("SN", "1-10"),
    ("FA", "1-13"),
    ("PE", "1-5"),
    ("GE", "1-10"),
    ("CP", "1-7"),
    ("DC", "1-10"),
    ("XP", "1-15"),
    ("LL", "1-12"),
    ("FX", "1-8"),
    ("VW", "1-23"),
    ("TL", "1-7"),
    ("AF", "1-19"),
    ("OC", "1-7"),
    ("BX", "1-58, 60-61, 63-64, 67"),
];

/// The most words of the page.
const MAX_WORDS: usize = 2_500;

fn demands() -> Ids {
    let mut all = Ids::new();
    for (prefix, ranges) in DEMANDS {
        for range in ranges.split(", ") {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let numbers = first.parse::<u32>().unwrap()..=last.parse().unwrap();
            all.extend(numbers.map(|number| (prefix.to_owned(), number)));
        }
    }
    all
}

/// Returns the ids in a text. Lists and ranges are understood, with and without the prefix again.
fn ids(text: &str) -> Ids {
    let mut found = Ids::new();
    // The id before, and how it may go on: by a comma, or by a word between.
    let (mut before, mut is_list, mut is_range) = (None::<(String, u32)>, false, false);
    for word in text.split_whitespace() {
        if before.is_some() && matches!(word, "to" | "and") {
            (is_list, is_range) = (true, word == "to");
            continue;
        }
        let core = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
        if core.is_empty() && word.starts_with("//") {
            continue;
        }
        let id = match (core.split_once('-'), &before) {
            (Some((prefix, digits)), _) => number(digits).map(|number| (prefix.to_owned(), number)),
            (None, Some((prefix, _))) if is_list => number(core).map(|number| (prefix.clone(), number)),
            (None, _) => None,
        };
        let is_prefix =
            |prefix: &str| prefix.len() == 2 && prefix.bytes().all(|byte| byte.is_ascii_uppercase());
        let Some(id) = id.filter(|(prefix, _)| is_prefix(prefix)) else {
            (before, is_list, is_range) = (None, false, false);
            continue;
        };
        if let Some((prefix, first)) = before.filter(|(prefix, _)| is_range && *prefix == id.0) {
            found.extend((first..id.1).map(|number| (prefix.clone(), number)));
        }
        found.insert(id.clone());
        (is_list, is_range) = (word.ends_with(','), false);
        let may_go_on = is_list || word.ends_with(|sign: char| sign.is_ascii_alphanumeric());
        before = may_go_on.then_some(id);
    }
    found
}

/// The number of an id has two digits.
fn number(digits: &str) -> Option<u32> {
    (digits.len() == 2).then(|| digits.parse().ok()).flatten()
}

/// The comments of a source that belong to its tests.
fn comments(path: &Path, text: &str) -> String {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let is_test = |part: &&str| matches!(*part, "tests" | "testing" | "tests.rs");
    let tests = match text.find("\nmod tests {") {
        _ if parts.iter().any(is_test) => text,
        Some(at) => &text[at..],
        None => "",
    };
    let lines: Vec<&str> = tests.lines().filter(|line| line.trim_start().starts_with("//")).collect();
    lines.join("\n")
}

/// The ids that tests name.
fn proved() -> Ids {
    let root = noctuary_tests::root();
    let mut folders = noctuary_tests::sources();
    folders.extend(["tests", "examples"].map(|folder| root.join(folder)));
    folders
        .extend(fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("tests")));
    folders.retain(|folder| folder.is_dir());
    let mut proved = Ids::new();
    for path in noctuary_tests::files_below(folders) {
        if path.extension().is_some_and(|end| end == "rs") {
            let inside = path.strip_prefix(root).unwrap();
            proved.extend(ids(&comments(inside, &fs::read_to_string(&path).unwrap())));
        }
    }
    proved
}

fn page() -> String {
    fs::read_to_string(noctuary_tests::root().join("src/manual/seeds.md")).unwrap()
}

/// The cells of a column of all tables of a page.
fn column(page: &str, at: usize) -> String {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").nth(at));
    cells.collect::<Vec<_>>().join(" ; ")
}

fn printed<'a>(ids: impl IntoIterator<Item = &'a (String, u32)>) -> Vec<String> {
    ids.into_iter().map(|(prefix, number)| format!("{prefix}-{number:02}")).collect()
}

/// BX-61: whoever comes from a seed finds on one page how each difference came about.
#[test]
fn every_demand_is_proved_by_a_test_or_told_on_the_page() {
    let (demands, proved, page) = (demands(), proved(), page());
    let mut known = proved.clone();
    known.extend(ids(&page));
    let lost = printed(demands.difference(&known));
    assert!(lost.is_empty(), "neither a test nor the page names {lost:?}");
    let unknown = printed(known.difference(&demands));
    assert!(unknown.is_empty(), "no demand has the ids {unknown:?}");
    let claimed = ids(&column(&page, 1));
    assert!(claimed.len() > 380, "the page says what holds: {}", claimed.len());
    let unproved = printed(claimed.difference(&proved));
    assert!(unproved.is_empty(), "the page says that {unproved:?} hold, and no test names them");
}

#[test]
fn the_page_is_short() {
    let page = page();
    let words = page.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let words = words.count();
    assert!(words <= MAX_WORDS, "{words} words");
}

#[test]
fn lists_and_ranges_are_read() {
    let read = |text: &str| printed(&ids(text)).join(" ");
    assert_eq!(read("`DR-01 to 05`: nights"), "DR-01 DR-02 DR-03 DR-04 DR-05");
    assert_eq!(read("DR-01, 02, 08."), "DR-01 DR-02 DR-08");
    assert_eq!(read("SE-02 to SE-04, SE-13, and 14 more"), "SE-02 SE-03 SE-04 SE-13 SE-14");
    assert_eq!(read("// (FA-01,\n// FA-05 and 06)"), "FA-01 FA-05 FA-06");
    assert_eq!(read("WS-01 to 03, 06, JR-01 to 02"), "JR-01 JR-02 WS-01 WS-02 WS-03 WS-06");
    assert_eq!(read("WS-01: 20 files; (WS-02) 30, 40 and 50"), "WS-01 WS-02");
    assert_eq!(read("RFC-0009, UTF-16, a-01, DR-1, DR-100, C13 to 20"), "");
}

#[test]
fn comments_of_tests_alone_prove_something() {
    let source = "/// AA-01\nfn code() {}\n\n#[cfg(test)]\nmod tests {\n    /// AA-02\n    // AA-03\n    let text = \"AA-04\";\n}\n";
    let read = |path: &str| printed(&ids(&comments(Path::new(path), source))).join(" ");
    assert_eq!(read("src/life/edit.rs"), "AA-02 AA-03");
    for whole in ["tests/life/turns.rs", "src/testing/contract/fact.rs", "src/gate/tests.rs"] {
        assert_eq!(read(whole), "AA-01 AA-02 AA-03", "{whole}");
    }
    assert_eq!(printed(&ids(&comments(Path::new("src/lib.rs"), "/// AA-01\nfn code() {}\n"))), [""; 0]);
}
