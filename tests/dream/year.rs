//! A year of nights: memory stays within its budget, nothing of the operator changes, and no line is lost.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use chrono::{Datelike, Days, NaiveDate};
use noctuary::dream::{Due, Evidence, Notice, OverBudget, should_dream};
use noctuary::testing::MemoryDisk;
use noctuary::{DreamConfig, FileWorkspace, Outcome, dream_once_at};

use noctuary_tests::dreaming::dreamer_over;
use noctuary_tests::dreaming::world::{World, teller};

#[test]
#[ignore = "sweep"]
fn a_year_of_nights_keeps_memory_within_its_budget() {
    // WS-17, BX-09, BX-19: 365 days of three journals each.
    let mine = "# Memory\n\n- The boat is called Brisk.\n\n## Rules\n\n- Tea at five.\n";
    let disk = MemoryDisk::new();
    disk.put("MEMORY.md", mine);
    let world = World::on(&disk);
    let dreamer = dreamer_over(Arc::new(FileWorkspace::on_disk(Arc::new(disk.clone()))), |config| {
        *config = DreamConfig::default();
        config.enabled = true;
        config.evidence = Evidence::Off;
        config.over_budget = OverBudget::Archive;
        config.budget.max_calls_per_day = Some(2);
    });
    let first = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap();
    let (mut calls, mut archived, mut operator) = (0, 0, mine.to_owned());
    for day in 0..365 {
        let date = first.checked_add_days(Days::new(day)).unwrap();
        disk.set_clock(date.and_hms_opt(20, 0, 0).unwrap().and_utc());
        for session in ["repl", "mail", "phone"] {
            let text =
                format!("- [user] what was said on day {day} by {session}, in some words of its own\n");
            world.add(&format!("memory/{date}-{session}.md"), &text);
        }
        if date.day() == 15 {
            let line = format!("- A note of my own of {date}.\n");
            world.add("MEMORY.md", &line);
            operator.push_str(&line);
        }
        let now = date.and_hms_opt(23, 30, 0).unwrap().and_utc();
        disk.set_clock(now);
        assert_eq!(should_dream(now, &dreamer.state().unwrap(), dreamer.config()), Due::Now, "{date}");
        let report = dream_once_at(&dreamer, &teller(), &|| now).unwrap();
        assert_eq!(report.outcome, Outcome::Appended, "{date}: {report:?}");
        assert!(report.calls <= 2, "{date}");
        assert_eq!(report.backlog.bytes, 0, "{date}");
        let gauge = report.memory.unwrap();
        assert!(gauge.chars <= gauge.budget && gauge.budget == 10_000, "{date}: {gauge:?}");
        assert!(!report.notices.contains(&Notice::MemoryOverBudget));
        calls += report.calls;
        archived += report.archived.len();
    }
    let (memory, archive) = (world.memory(), world.archive());
    for day in 0..365 {
        for session in ["repl", "mail", "phone"] {
            let told = format!("Told: what was said on day {day} by {session},");
            let stands = memory.matches(&told).count() + archive.matches(&told).count();
            assert_eq!(stands, 1, "day {day}, {session}");
        }
    }
    let mut left = operator.lines();
    let mut next = left.next();
    for line in memory.lines() {
        if next == Some(line) {
            next = left.next();
        }
    }
    assert_eq!(next, None, "a line of the operator is gone or out of order");
    println!(
        "365 nights, {calls} calls, {archived} sections in the archive ({} bytes), memory {} characters",
        archive.len(),
        memory.chars().count()
    );
}
