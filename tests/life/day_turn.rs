//! The end of a turn in both homes: no line is lost or torn, and the operator's bytes stand.
#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::format::{DayLog, HeartbeatFile, JournalName, Origin};
use noctuary::life::{
    Beat, DailyLogConfig, HeartbeatConfig, TurnEnd, TurnState, append_note, daily_log, heartbeat_has_tasks,
    mark_checked, read_checks, today_log, update_heartbeat,
};
use noctuary::testing::{Fault, Faults, FaultyDisk, folder};
use noctuary::workspace::{DayPolicy, WorkspaceExt};
use noctuary::{DocName, Error, FileWorkspace, Note, SessionKind, Workspace, WriteMode};

use crate::common::{Peer, listen, role, tell};

const SCHEDULE: &str =
    "\r\n- 09:00 mail   <!-- mine -->\r\n\r\n\r\n  - [ ] weekly: the plants\r\nunknown = 1";
const DAY: DayPolicy = DayPolicy::UTC;

fn at(day: u32, hour: u32, minute: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, hour, minute, 0).unwrap()
}

fn journal(session: Option<&str>) -> JournalName {
    JournalName::new(DAY.date(at(21, 9, 0)), session)
}

fn memo_with_schedule() -> String {
    format!("# Heartbeat\r\n\r\n## State\r\n\r\n## Open loops\r\n\r\n## Schedule\r\n{SCHEDULE}")
}

fn logging(interval: u64) -> DailyLogConfig {
    let mut config = DailyLogConfig::default();
    (config.enabled, config.interval) = (true, interval);
    config
}

fn main_session(journal: JournalName, now: DateTime<Utc>) -> TurnState {
    TurnState::begin(SessionKind::Main, "8f14", "repl", journal, DAY, now)
}

fn text(workspace: &dyn Workspace, name: &DocName) -> String {
    workspace.read_text(name).unwrap().unwrap()
}

/// Runs a test in each home.
fn in_each_home(test: impl Fn(Arc<dyn Workspace>)) {
    let place = tempfile::tempdir().unwrap();
    test(Arc::new(FileWorkspace::open(place.path()).unwrap()));
    #[cfg(feature = "sqlite")]
    {
        let file = place.path().join("life.db");
        test(Arc::new(noctuary::SqliteWorkspace::open(file, noctuary::Scope::user("marta")).unwrap()));
    }
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, place)) = role() else { return };
    append_lines(&role, &place);
}

/// A process of its own appends to the day's file, many times.
fn append_lines(role: &str, place: &Path) {
    let (begun, session) = role.split_once(' ').unwrap();
    let begun = at(21, 9, begun.parse().unwrap());
    let workspace = FileWorkspace::open(place).unwrap();
    tell("ready");
    listen();
    for n in 0..LINES {
        let note = Note::happened(format!("{session} {n}\nand its second line"));
        append_note(&workspace, &journal(None), DAY, begun, &note, begun + TimeDelta::seconds(n)).unwrap();
    }
}

const LINES: i64 = 150;

#[test]
fn two_processes_share_a_days_file_and_no_line_is_lost_or_torn() {
    let place = tempfile::tempdir().unwrap();
    let mut peers = [
        Peer::start(module_path!(), "10 a", place.path()),
        Peer::start(module_path!(), "11 b", place.path()),
    ];
    for peer in &mut peers {
        assert_eq!(peer.hear().unwrap(), "ready");
    }
    peers.iter_mut().for_each(Peer::go_on);
    for peer in &mut peers {
        peer.finish();
    }
    let workspace = FileWorkspace::open(place.path()).unwrap();
    let text = text(&workspace, journal(None).name());
    let log = DayLog::parse(&text);
    for session in ["a", "b"] {
        let own: Vec<_> = log.entries.iter().filter(|entry| entry.text.starts_with(session)).collect();
        let expected: Vec<_> = (0..LINES).map(|n| format!("{session} {n}\nand its second line")).collect();
        assert_eq!(
            own.iter().map(|entry| &entry.text).collect::<Vec<_>>(),
            expected.iter().collect::<Vec<_>>()
        );
    }
    assert_eq!(log.entries.len(), 2 * usize::try_from(LINES).unwrap(), "nothing else stands there");
    assert!(text.starts_with("# Memory — 2026-11-21\n") && text.matches("# Memory").count() == 1);
    assert_eq!(
        (text.matches("## Session [09:10]").count(), text.matches("## Session [09:11]").count()),
        (1, 1)
    );
}

#[test]
fn eight_writers_live_a_week_and_nothing_is_lost() {
    in_each_home(|workspace| {
        workspace.write(&DocName::HEARTBEAT, memo_with_schedule().as_bytes(), WriteMode::Create).unwrap();
        let (writers, days, turns) = (8, 7, 7);
        std::thread::scope(|scope| {
            for writer in 0..writers {
                let workspace = workspace.as_ref();
                scope.spawn(move || {
                    for day in 1..=days {
                        // Half of them share the day's own file.
                        let session = (writer % 2 == 0).then(|| format!("w{writer}"));
                        let begun = at(day, 9, writer);
                        let journal = JournalName::new(DAY.date(begun), session.as_deref());
                        let mut state = main_session(journal, begun);
                        for turn in 0..turns {
                            let now = begun + TimeDelta::minutes(i64::from(turn));
                            let end = TurnEnd::default()
                                .opens([format!("loop {writer}")])
                                .note(Note::happened(format!("w{writer} d{day} t{turn}")));
                            let report = state
                                .end_turn(workspace, &HeartbeatConfig::default(), logging(3), end, now)
                                .unwrap();
                            assert_eq!(report.heartbeat, Beat::Written);
                            assert_eq!(report.notes_written, if (turn + 1) % 3 == 0 { 3 } else { 0 });
                        }
                        assert_eq!(state.flush(workspace).unwrap(), 1, "seven turns by three leave one");
                    }
                });
            }
        });
        let mut seen = BTreeMap::new();
        for day in 1..=days {
            let logs = daily_log(workspace.as_ref(), DAY.date(at(day, 12, 0))).unwrap();
            assert_eq!(logs.len(), 5, "the day's own file and four sessions'");
            assert_eq!(logs[0].0.session(), None);
            for (_, document) in logs {
                for entry in DayLog::parse(&document.lossy()).entries {
                    *seen.entry(entry.text).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(seen.len(), 8 * 7 * 7, "no line is lost, none is torn");
        assert!(seen.values().all(|count| *count == 1), "none stands twice");
        let file = HeartbeatFile::parse(text(workspace.as_ref(), &DocName::HEARTBEAT));
        assert_eq!(file.schedule(), Some(SCHEDULE));
        let mut loops = file.memo().unwrap().open_loops.clone();
        loops.sort();
        assert_eq!(loops, (0..writers).map(|writer| format!("loop {writer}")).collect::<Vec<_>>());
    });
}

#[test]
fn the_first_turn_makes_the_memo_and_a_foreign_file_stands() {
    in_each_home(|workspace| {
        let workspace = workspace.as_ref();
        let end = |state: &mut TurnState, config: &HeartbeatConfig| {
            let report = state.end_turn(
                workspace,
                config,
                DailyLogConfig::default(),
                TurnEnd::default(),
                at(21, 9, 1),
            );
            report.unwrap().heartbeat
        };
        let config = HeartbeatConfig::default();
        for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
            let mut state = TurnState::begin(kind, "s", "group", journal(Some("s")), DAY, at(21, 9, 0));
            assert_eq!(end(&mut state, &config), Beat::NotMain);
        }
        let mut state = main_session(journal(Some("s")), at(21, 9, 0));
        let mut off = HeartbeatConfig::default();
        off.enabled = false;
        assert_eq!(end(&mut state, &off), Beat::Off);
        assert_eq!(workspace.read(&DocName::HEARTBEAT).unwrap(), None);

        assert_eq!(end(&mut state, &config), Beat::Written);
        let file = HeartbeatFile::parse(text(workspace, &DocName::HEARTBEAT));
        let memo = file.memo().unwrap();
        assert_eq!(
            (file.schedule(), memo.turn_count, memo.session_id.as_deref()),
            (Some(""), 2, Some("8f14"))
        );
        assert!(!heartbeat_has_tasks(workspace, &DocName::HEARTBEAT).unwrap(), "our memo is no task");

        for foreign in
            [&b"# Heartbeat Checklist\n\n- [ ] Check the mail\n"[..], b"## State\n- turn_count: 1\n\xff\n"]
        {
            workspace.write(&DocName::HEARTBEAT, foreign, WriteMode::Replace).unwrap();
            assert_eq!(end(&mut state, &config), Beat::Foreign);
            assert_eq!(workspace.read(&DocName::HEARTBEAT).unwrap().unwrap().bytes(), foreign);
            assert!(heartbeat_has_tasks(workspace, &DocName::HEARTBEAT).unwrap());
        }
        let mut aside = HeartbeatConfig::default();
        aside.document = DocName::parse("memo.md").unwrap();
        assert_eq!(end(&mut state, &aside), Beat::Written);
    });
}

#[test]
fn a_schedule_that_is_saved_during_the_turns_end_is_kept() {
    in_each_home(|workspace| {
        let workspace = workspace.as_ref();
        update_heartbeat(workspace, &DocName::HEARTBEAT, |memo| memo.turn_count = 1).unwrap();
        let saves = std::cell::Cell::new(0);
        let beat = update_heartbeat(workspace, &DocName::HEARTBEAT, |memo| {
            memo.turn_count += 1;
            // The user saves between our look and our write, twice.
            if saves.get() < 2 {
                saves.set(saves.get() + 1);
                let edited = format!("{}- 0{}:00 mail\n", text(workspace, &DocName::HEARTBEAT), saves.get());
                workspace.write(&DocName::HEARTBEAT, edited.as_bytes(), WriteMode::Replace).unwrap();
            }
        });
        assert_eq!(beat.unwrap(), Beat::Written);
        let file = HeartbeatFile::parse(text(workspace, &DocName::HEARTBEAT));
        assert_eq!(
            (file.schedule(), file.memo().unwrap().turn_count),
            (Some("- 01:00 mail\n- 02:00 mail\n"), 2)
        );
    });
}

#[test]
fn an_explicit_note_is_written_and_the_night_rolls_the_day() {
    in_each_home(|workspace| {
        let workspace = workspace.as_ref();
        let begun = at(21, 23, 58);
        let mut state = main_session(journal(Some("repl")), begun);
        let turn = TurnEnd::default().note(Note::happened("by itself"));
        state
            .end_turn(workspace, &HeartbeatConfig::default(), DailyLogConfig::default(), turn, begun)
            .unwrap();
        assert_eq!(state.waiting(), 0, "the log is off, so nothing waits");
        let note = Note::decision("Fridays.").from(Origin::User);
        state.note(workspace, &note, begun).unwrap();

        let turn = TurnEnd::default().note(Note::happened("before midnight"));
        state.end_turn(workspace, &HeartbeatConfig::default(), logging(5), turn, begun).unwrap();
        let turn = TurnEnd::default().note(Note::happened("after midnight"));
        state.end_turn(workspace, &HeartbeatConfig::default(), logging(5), turn, at(22, 0, 1)).unwrap();
        assert_eq!(state.flush(workspace).unwrap(), 2);
        assert_eq!(
            text(workspace, journal(Some("repl")).name()),
            "# Memory — 2026-11-21\n\n## Session [23:58]\n\n- [23:58:00] [user] Decision: Fridays.\n\
             - [23:58:00] [agent] before midnight\n"
        );
        let tomorrow = today_log(workspace, DAY, at(22, 5, 0)).unwrap();
        assert_eq!(
            tomorrow[0].1.lossy(),
            "# Memory — 2026-11-22\n\n## Session [23:58]\n\n- [00:01:00] [agent] after midnight\n"
        );
        // Another tool's file of the day is only added to, behind its torn line.
        let theirs = "\u{feff}# Daily Log - 2026-11-22\r\n[08:00] theirs";
        let other = DocName::parse("memory/2026-11-22.md").unwrap();
        workspace.write(&other, theirs.as_bytes(), WriteMode::Create).unwrap();
        append_note(workspace, &journal(None), DAY, at(22, 9, 0), &note, at(22, 9, 0)).unwrap();
        let added = String::from_utf8(workspace.read(&other).unwrap().unwrap().into_bytes()).unwrap();
        let added = added.strip_prefix(theirs).expect("what stood stands");
        assert_eq!(added, "\r\n\r\n## Session [09:00]\r\n\r\n- [09:00:00] [user] Decision: Fridays.\r\n");
        assert_eq!(daily_log(workspace, DAY.date(at(22, 9, 0))).unwrap().len(), 2);
    });
}

#[test]
fn marks_of_two_hosts_stand_beside_each_other_and_damage_is_left() {
    in_each_home(|workspace| {
        let workspace = workspace.as_ref();
        std::thread::scope(|scope| {
            for n in 0..8 {
                scope.spawn(move || mark_checked(workspace, &format!("check {n}"), at(21, 9, n)).unwrap());
            }
        });
        let checks = read_checks(workspace).unwrap();
        assert_eq!(checks.names().count(), 8);
        assert_eq!(checks.last("check 3"), Some(at(21, 9, 3).timestamp()));
        workspace.write(&DocName::HEARTBEAT_STATE, b"{", WriteMode::Replace).unwrap();
        assert!(matches!(mark_checked(workspace, "email", at(21, 9, 0)), Err(Error::Corrupt { .. })));
        assert_eq!(text(workspace, &DocName::HEARTBEAT_STATE), "{");
    });
}

/// Fails each operation of `act` in turn, with an error and with a crash, on a folder that `prepare` made.
fn fail_at_each(
    prepare: impl Fn(&FileWorkspace),
    act: impl Fn(&FileWorkspace) -> noctuary::Result<()>,
    check: impl Fn(&FileWorkspace, &str),
) {
    let run = |at: Option<(u64, Fault)>| {
        let place = tempfile::tempdir().unwrap();
        let sound = FileWorkspace::open(place.path()).unwrap();
        prepare(&sound);
        let faults = Faults::new();
        let disk = FaultyDisk::new(folder(place.path()).unwrap(), faults.clone());
        let workspace = FileWorkspace::on_disk(Arc::new(disk));
        if let Some((at, fault)) = at {
            faults.arm(at, fault);
        }
        let acted = act(&workspace);
        let place = format!("{at:?} {acted:?} {:?}", faults.seen().last());
        check(&sound, &place);
        faults.seen().len()
    };
    let operations = u64::try_from(run(None)).unwrap();
    assert!(operations > 5, "the operations are seen");
    for at in 1..=operations {
        run(Some((at, Fault::Crash)));
        run(Some((at, Fault::Error(std::io::ErrorKind::StorageFull))));
    }
}

#[test]
fn a_crash_in_a_heartbeat_leaves_the_old_one_or_the_new_one() {
    let old = memo_with_schedule();
    let mut new = HeartbeatFile::parse(old.clone());
    let mut memo = new.memo().unwrap().clone();
    memo.turn_count = 7;
    assert!(new.update(&memo));
    fail_at_each(
        |workspace| {
            workspace.write(&DocName::HEARTBEAT, old.as_bytes(), WriteMode::Create).unwrap();
        },
        |workspace| update_heartbeat(workspace, &DocName::HEARTBEAT, |memo| memo.turn_count = 7).map(drop),
        |workspace, place| {
            let stands = text(workspace, &DocName::HEARTBEAT);
            assert!(stands == old || stands == new.as_str(), "{place}: {stands}");
            update_heartbeat(workspace, &DocName::HEARTBEAT, |memo| memo.turn_count = 7).unwrap();
            assert_eq!(
                text(workspace, &DocName::HEARTBEAT),
                new.as_str(),
                "{place}: the next turn writes it"
            );
        },
    );
}

#[test]
fn a_crash_in_an_append_leaves_what_stood_and_the_next_note_is_whole() {
    let begun = at(21, 9, 12);
    let name = journal(Some("repl"));
    let note = |workspace: &FileWorkspace, words: &str| {
        append_note(workspace, &name, DAY, begun, &Note::happened(words), begun).map(drop)
    };
    for standing in [None, Some("mine, without an end")] {
        fail_at_each(
            |workspace| {
                if let Some(standing) = standing {
                    workspace.write(name.name(), standing.as_bytes(), WriteMode::Create).unwrap();
                }
            },
            |workspace| note(workspace, "the first note 日"),
            |workspace, place| {
                // A host keeps a note that failed, and tries again.
                note(workspace, "the second note").unwrap();
                let bytes = workspace.read(name.name()).unwrap().unwrap().into_bytes();
                let stands = String::from_utf8_lossy(&bytes);
                assert!(
                    stands.starts_with(standing.unwrap_or("# Memory — 2026-11-21\n")),
                    "{place}: {stands}"
                );
                let log = DayLog::parse(&stands);
                assert_eq!(log.entries.last().unwrap().text, "the second note", "{place}: {stands}");
                if place.contains("Ok(())") {
                    assert!(
                        log.entries.iter().any(|entry| entry.text == "the first note 日"),
                        "{place}: {stands}"
                    );
                }
            },
        );
    }
}
