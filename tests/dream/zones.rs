//! Nights of people whose clock changes: each note is in the journal of its own day, and is dreamed once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use chrono::{DateTime, Duration, NaiveDate, Utc};
use noctuary::format::JournalName;
use noctuary::testing::MemoryDisk;
use noctuary::workspace::{DayPolicy, Zone};
use noctuary::{Access, DreamConfig, FileWorkspace, Life, LifeConfig, Note, Outcome, Scope, dream_once_at};
use noctuary_tests::common::marta::{documents, name};
use noctuary_tests::dreaming::dreamer_over;
use noctuary_tests::dreaming::world::{World, teller};

/// A zone and a day on which its clock changes, with the hours of that day.
const CHANGES: [(&str, &str, usize); 6] = [
    ("America/Los_Angeles", "2026-03-08", 23),
    ("America/Los_Angeles", "2026-11-01", 25),
    ("Pacific/Auckland", "2026-09-27", 23),
    ("Pacific/Auckland", "2026-04-05", 25),
    ("Europe/Prague", "2026-03-29", 23),
    ("Europe/Prague", "2026-10-25", 25),
];

/// A note each hour, and a dream after each day, from the day before a change until the day after.
fn live(zone: &str, change: &str, cutoff: u8) -> (World, Vec<(DateTime<Utc>, String)>, DayPolicy) {
    let day = DayPolicy::new(zone.parse::<Zone>().unwrap(), cutoff);
    let disk = MemoryDisk::new();
    let workspace = Arc::new(FileWorkspace::on_disk(Arc::new(disk.clone())));
    let mut config = LifeConfig::default();
    config.day = day;
    let life = Life::new(Arc::clone(&workspace) as _, config);
    let dreamer = dreamer_over(workspace, |config| {
        *config = DreamConfig::default();
        config.enabled = true;
        config.evidence = noctuary::dream::Evidence::Off;
        config.memory_budget = 1 << 20;
        config.day = day;
    });
    let change: NaiveDate = change.parse().unwrap();
    let (mut now, end) = (day.begins(change.pred_opt().unwrap()), change + chrono::Days::new(2));
    let agent = Access::agent(Scope::user("marta"));
    let (mut noted, mut last) = (Vec::new(), day.date(now));
    while day.date(now) < end || day.date(now) > last {
        disk.set_clock(now);
        if day.date(now) > last {
            let report = dream_once_at(&dreamer, &teller(), &|| now).unwrap();
            assert_eq!(report.outcome, Outcome::Appended, "{zone} {now}: {report:?}");
            assert_eq!(report.backlog.bytes, 0, "{zone} {now}");
            last = day.date(now);
            continue;
        }
        let text = format!("stone number {:03}", noted.len());
        let mut session = life.begin_session(agent.clone(), "repl", "repl", now).unwrap();
        session.note(&Note::happened(&text), now).unwrap();
        session.flush().unwrap();
        noted.push((now, text));
        now += Duration::hours(1);
    }
    (World::on(&disk), noted, day)
}

/// BX-54
#[test]
fn on_the_days_when_clocks_change_each_note_is_in_one_journal_and_dreamed_once() {
    for (zone, change, hours) in CHANGES {
        for cutoff in [0, 3] {
            let (world, noted, day) = live(zone, change, cutoff);
            let change: NaiveDate = change.parse().unwrap();
            assert_eq!(noted.len(), 24 + hours + 24, "{zone} {change}");
            let memory = world.memory();
            for (at, text) in &noted {
                assert_eq!(memory.matches(&format!("{text}.")).count(), 1, "{zone} {at} {text}: {memory}");
            }
            let mut found = Vec::new();
            for document in documents(world.0.as_ref()).into_keys() {
                let document = name(&document);
                let Some(journal) = JournalName::parse(&document) else { continue };
                let of_day: Vec<_> = noted.iter().filter(|(at, _)| day.date(*at) == journal.date()).collect();
                let mut from = 0;
                let written = world.text_of(&document);
                for (at, text) in &of_day {
                    let place = written[from..].find(text.as_str());
                    from += place.unwrap_or_else(|| panic!("{zone} {document} {at}: {text} in {written}"));
                    let clock = format!("[{}]", day.time(*at).format("%H:%M:%S"));
                    let line = written[..from].rsplit('\n').next().unwrap();
                    assert!(line.contains(&clock), "{zone} {at}: {line}");
                }
                assert_eq!(written.matches("stone number").count(), of_day.len(), "{zone} {document}");
                found.extend(of_day.iter().map(|(_, text)| text.clone()));
            }
            found.sort();
            assert_eq!(found.len(), noted.len(), "{zone} {change}: each note in one journal");
        }
    }
}
