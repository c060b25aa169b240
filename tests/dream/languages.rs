//! Nights without a model in many languages: lines of a day of which some are worth keeping.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use noctuary::Extractive;

use noctuary_tests::dreaming::{Life, dream, dreamer_over, night};

/// Language, half, whether it is kept, who says it, and what.
const LINES: &str = include_str!("languages.tsv");

struct Row {
    language: &'static str,
    half: &'static str,
    is_kept: bool,
    speaker: &'static str,
    said: &'static str,
}

fn rows() -> Vec<Row> {
    let rows = LINES.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let mut cells = line.split('\t');
        let mut next = || cells.next().unwrap();
        Row { language: next(), half: next(), is_kept: next() == "keep", speaker: next(), said: next() }
    };
    rows.map(read).collect()
}

/// Returns the memory after the night of a day.
fn memory_after(day: &str) -> String {
    let life = Life::with(&[(20, day)]);
    let dreamer = dreamer_over(life.quick_workspace(), |_| {});
    dream(&dreamer, &Extractive::with_share(1.0), night(21));
    life.memory()
}

// Ten journals in other languages than English kept nothing. (BX-64)
#[test]
fn a_night_keeps_what_lasts_and_leaves_the_rest_in_each_language() {
    let rows = rows();
    let mut languages: Vec<&str> = rows.iter().map(|row| row.language).collect();
    languages.dedup();
    assert_eq!(languages.len(), 13);
    let mut misses = Vec::new();
    for language in languages {
        for half in ["tuned", "held"] {
            let all = || rows.iter().filter(move |row| row.language == language && row.half == half);
            let (keep, leave) = (|| all().filter(|row| row.is_kept), || all().filter(|row| !row.is_kept));
            assert_eq!((keep().count(), leave().count()), (20, 20), "{language}, {half}");
            let pairs = keep().zip(leave()).flat_map(|(one, other)| [one, other]);
            let day: String = pairs.map(|row| format!("- [{}] {}\n", row.speaker, row.said)).collect();
            let memory = memory_after(&day);
            let kept = keep().filter(|row| memory.contains(row.said)).count();
            let left = leave().filter(|row| !memory.contains(row.said)).count();
            println!("{language}, {half}: {kept} of 20 kept, {left} of 20 left");
            if kept < 16 || left < 18 {
                misses.push(format!("{language}, {half}: {kept} of 20 kept, {left} of 20 left"));
            }
        }
    }
    assert!(misses.is_empty(), "{misses:#?}");
}

// The line that the command tells a newcomer to try kept nothing.
#[test]
fn one_line_about_oneself_is_kept_alone_with_and_without_a_speaker() {
    let is_first = |row: &&Row| row.half == "tuned" && row.is_kept;
    let rows = rows();
    let mut others: Vec<&Row> = rows.iter().filter(is_first).collect();
    others.dedup_by_key(|row| row.language);
    let english = [
        "My wife is called Ana.",
        "My birthday is 3 May.",
        "I no longer drink coffee; I take green tea.",
        "I moved from Berlin to Lisbon.",
        "Call me Marta.",
        "We use Just instead of Make.",
        "We release on Fridays.",
        "We decided to use PostgreSQL.",
        "PostgreSQL kullanmaya karar verdik.",
        "PostgreSQLを使うことに決めた。",
    ];
    for said in english.into_iter().chain(others.into_iter().map(|row| row.said)) {
        for line in [format!("- [user] {said}\n"), format!("{said}\n")] {
            let life = Life::with(&[(20, &line)]);
            dream(&dreamer_over(life.quick_workspace(), |_| {}), &Extractive::new(), night(21));
            // An order of nobody is held, whatever it asks.
            let is_kept = said != "Call me Marta." || line.starts_with("- [user]");
            assert_eq!(life.memory().contains(said), is_kept, "{line}");
        }
    }
}

#[test]
fn a_tool_claims_nothing_in_any_language() {
    for row in rows().iter().filter(|row| row.is_kept) {
        let day = format!("- [user] hm\n- [tool] {}\n- [web:fetch] {}\n", row.said, row.said);
        assert!(!memory_after(&day).contains(row.said), "{}", row.said);
    }
}
