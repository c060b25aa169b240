//! The contract of weeks: a life over twelve weeks, with nights without a model, answers as well as it ever did.
//!
//! The script and its probes are those of `evaluate -- weeks`. They are asked after every fourth week, and after each with
//! `NOCTUARY_LONG_TESTS=1`. `NOCTUARY_PRINT=1` prints the weeks where nothing fails.

#[path = "../../examples/evaluate/weeks/life.rs"]
mod life;

use life::{HEADS, WEEKS, Week};

#[test]
fn a_life_of_twelve_weeks_tells_what_holds_and_nothing_that_was_forgotten() {
    let is_long = std::env::var_os("NOCTUARY_LONG_TESTS").is_some();
    let weeks = life::live(if is_long { 1 } else { 4 }).unwrap();
    let table: Vec<String> = weeks.iter().map(|(number, week)| format!("{number:>4} {week}")).collect();
    let table = format!("week {HEADS}\n{}", table.join("\n"));
    for (number, Week { forgotten, duplicates, wrong, .. }) in &weeks {
        assert_eq!((forgotten, duplicates), (&0, &0), "week {number}: {wrong:#?}");
    }
    let (number, last) = weeks.last().unwrap();
    assert_eq!((*number, last.asked), (WEEKS, 37), "{table}");
    // The floor that is reached, by the end of the last week.
    assert!(last.first >= 27 && last.stale_first <= 5 && last.unmarked <= 5, "{table}");
    assert!(last.memory_bytes < last.journal_bytes / 2, "{table}");
    if std::env::var_os("NOCTUARY_PRINT").is_some() {
        println!("{table}");
    }
}

#[test]
fn the_probes_are_many_and_each_kind_of_change_has_some() {
    let probes = life::probes().unwrap();
    assert!(probes.len() >= 40);
    for kind in [
        "changed",
        "returned",
        "moved",
        "negated",
        "forgotten",
        "two people",
        "corrected",
        "cron",
        "edited",
        "imported",
        "machines",
    ] {
        assert!(probes.iter().any(|probe| probe.kind == kind), "{kind}");
    }
}
