//! The line that a search found is what a terminal shows.

use std::fs;

use crate::ends;

#[test]
fn a_search_shows_the_line_that_matched() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ends(at, &["init", "life"], 0);
    let lines = include_str!("../memory/found.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let filler =
        |word: &str| format!("Nothing {word} happened that night, and nobody wrote of it. ").repeat(8);
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let piano = if row[0].starts_with("two words") { "The piano is out of tune." } else { "" };
        text += &format!("## Entry {number}\n\n{}{}\n{}{piano}\n\n", filler("much"), row[2], filler("else"));
    }
    fs::write(at.join("life/MEMORY.md"), text).unwrap();
    for row in rows {
        let shown = ends(at, &["search", "life", row[1]], 0);
        let on_one_line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(on_one_line.contains(row[2]), "{row:?}\n{shown}");
        assert!(on_one_line.contains("… Nothing"), "{row:?} is far from the beginning\n{shown}");
    }
}
