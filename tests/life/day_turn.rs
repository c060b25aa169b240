//! The end of a turn in both homes: no line is lost or torn, and the operator's bytes stand.
#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::exchange::Forget;
use noctuary::format::{DayLog, HeartbeatFile, JournalName, Origin};
use noctuary::life::{Beat, JournalNaming, TurnEnd};
use noctuary::life::{Guarded, Journal};
use noctuary::testing::{Fault, Faults, FaultyDisk, folder};
use noctuary::workspace::{
    Claim, ClaimTerms, DayPolicy, Document, Listing, Metadata, Name, Revision, WorkspaceExt,
};
use noctuary::{
    Access, DocName, Error, FileWorkspace, Life, LifeConfig, Note, Scope, Session, Workspace, WriteMode,
};

use noctuary_tests::common::{Peer, listen, role, tell};

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

/// A life that seeds nothing, so that the files of a test are all there are.
fn life(workspace: &Arc<dyn Workspace>, configure: impl FnOnce(&mut LifeConfig)) -> Life {
    let mut config = LifeConfig::default();
    workspace.write(&DocName::SOUL, b"# Soul\n", WriteMode::Replace).unwrap();
    configure(&mut config);
    Life::new(Arc::clone(workspace), config)
}

fn logging(interval: u64) -> impl Fn(&mut LifeConfig) {
    move |config| (config.daily_log.enabled, config.daily_log.interval) = (true, interval)
}

fn main_session(life: &Life, id: &str, now: DateTime<Utc>) -> Session {
    life.begin_session(Access::agent(Scope::user("marta")), id, "repl", now).unwrap()
}

fn text(workspace: &dyn Workspace, name: &DocName) -> String {
    workspace.read_text(name).unwrap().unwrap()
}

/// Runs a test in each home.
fn in_each_home(test: impl Fn(Arc<dyn Workspace>)) {
    let place = tempfile::tempdir().unwrap();
    test(Arc::new(FileWorkspace::open(place.path()).unwrap()));
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
    let mut journal = Journal::new(journal(None), DAY, begun);
    tell("ready");
    listen();
    for n in 0..LINES {
        let note = Note::happened(format!("{session} {n}\nand its second line"));
        journal.append(&workspace, &note, begun + TimeDelta::seconds(n)).unwrap();
    }
}

const LINES: i64 = 150;

/// JR-04
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
                let life = life(&workspace, |config| {
                    logging(3)(config);
                    // Half of them share the day's own file.
                    config.naming =
                        if writer % 2 == 0 { JournalNaming::Session } else { JournalNaming::Daily };
                });
                scope.spawn(move || {
                    for day in 1..=days {
                        let begun = at(day, 9, writer);
                        let mut state = main_session(&life, &format!("w{writer}"), begun);
                        for turn in 0..turns {
                            let now = begun + TimeDelta::minutes(i64::from(turn));
                            let end = TurnEnd::default()
                                .opens([format!("loop {writer}")])
                                .note(Note::happened(format!("w{writer} d{day} t{turn}")));
                            let report = state.end_turn("Done.", end, now).unwrap().turn;
                            assert_eq!(report.heartbeat, Beat::Written);
                            assert_eq!(report.notes_written, if (turn + 1) % 3 == 0 { 3 } else { 0 });
                        }
                        assert_eq!(state.flush().unwrap(), 1, "seven turns by three leave one");
                    }
                });
            }
        });
        let mut seen = BTreeMap::new();
        for day in 1..=days {
            let logs = life(&workspace, |_| ()).daily_log(DAY.date(at(day, 12, 0))).unwrap();
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

/// HB-13, CF-06
#[test]
fn the_first_turn_makes_the_memo_and_a_foreign_file_stands() {
    in_each_home(|workspace| {
        let ends = |configure: &dyn Fn(&mut LifeConfig), access: Access| {
            let life = life(&workspace, configure);
            let mut state = life.begin_session(access, "8f14", "repl", at(21, 9, 0)).unwrap();
            let turn = |state: &mut Session| {
                state.end_turn("Done.", TurnEnd::default(), at(21, 9, 1)).unwrap().turn.heartbeat
            };
            (turn(&mut state), turn(&mut state))
        };
        let main = || Access::agent(Scope::user("marta"));
        for of in [Access::shared, Access::subagent, Access::scheduled] {
            assert_eq!(ends(&|_| (), of(Scope::user("marta"))), (Beat::NotMain, Beat::NotMain));
        }
        assert_eq!(ends(&|config| config.heartbeat.enabled = false, main()), (Beat::Off, Beat::Off));
        assert_eq!(workspace.read(&DocName::HEARTBEAT).unwrap(), None);

        assert_eq!(ends(&|_| (), main()), (Beat::Written, Beat::Written));
        let file = HeartbeatFile::parse(text(workspace.as_ref(), &DocName::HEARTBEAT));
        let memo = file.memo().unwrap();
        assert_eq!(
            (file.schedule(), memo.turn_count, memo.session_id.as_deref()),
            (Some(""), 2, Some("8f14"))
        );
        let has_tasks = || life(&workspace, |_| ()).has_heartbeat_tasks().unwrap();
        assert!(!has_tasks(), "our memo is no task");

        for foreign in
            [&b"# Heartbeat Checklist\n\n- [ ] Check the mail\n"[..], b"## State\n- turn_count: 1\n\xff\n"]
        {
            workspace.write(&DocName::HEARTBEAT, foreign, WriteMode::Replace).unwrap();
            assert_eq!(ends(&|_| (), main()), (Beat::Foreign, Beat::Foreign));
            assert_eq!(workspace.read(&DocName::HEARTBEAT).unwrap().unwrap().bytes(), foreign);
            assert!(has_tasks());
        }
        let aside = |config: &mut LifeConfig| config.heartbeat.document = DocName::parse("memo.md").unwrap();
        assert_eq!(ends(&aside, main()), (Beat::Written, Beat::Written));
    });
}

#[test]
fn a_schedule_that_is_saved_during_the_turns_end_is_kept() {
    in_each_home(|workspace| {
        let life = life(&workspace, |_| ());
        let workspace = workspace.as_ref();
        life.update_heartbeat(|memo| memo.turn_count = 1).unwrap();
        let saves = std::cell::Cell::new(0);
        let beat = life.update_heartbeat(|memo| {
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

/// JR-10, JR-11
#[test]
fn an_explicit_note_is_written_and_the_night_rolls_the_day() {
    in_each_home(|workspace| {
        let begun = at(21, 23, 58);
        let mut state = main_session(&life(&workspace, |_| ()), "repl", begun);
        let turn = TurnEnd::default().note(Note::happened("by itself"));
        let ended = state.end_turn("Done.", turn, begun).unwrap();
        assert_eq!(ended.turn.notes_waiting, 0, "the log is off, so nothing waits");
        let note = Note::decision("Fridays.").from(Origin::User);
        state.note(&note, begun).unwrap();

        let logging = life(&workspace, logging(5));
        let mut state = main_session(&logging, "repl", begun);
        let turn = TurnEnd::default().note(Note::happened("before midnight"));
        state.end_turn("Done.", turn, begun).unwrap();
        let turn = TurnEnd::default().note(Note::happened("after midnight"));
        state.end_turn("Done.", turn, at(22, 0, 1)).unwrap();
        assert_eq!(state.flush().unwrap(), 2);
        let workspace = workspace.as_ref();
        assert_eq!(
            text(workspace, journal(Some("repl")).name()),
            "# Memory — 2026-11-21\n\n## Session [23:58]\n\n- [23:58:00] [user] Decision: Fridays.\n\
             - [23:58:00] [agent] before midnight\n"
        );
        let tomorrow = logging.today_log(at(22, 5, 0)).unwrap();
        assert_eq!(
            tomorrow[0].1.lossy(),
            "# Memory — 2026-11-22\n\n## Session [23:58]\n\n- [00:01:00] [agent] after midnight\n"
        );
        // Another tool's file of the day is only added to, behind its torn line.
        let theirs = "\u{feff}# Daily Log - 2026-11-22\r\n[08:00] theirs";
        let other = DocName::parse("memory/2026-11-22.md").unwrap();
        workspace.write(&other, theirs.as_bytes(), WriteMode::Create).unwrap();
        Journal::new(journal(None), DAY, at(22, 9, 0)).append(workspace, &note, at(22, 9, 0)).unwrap();
        let added = String::from_utf8(workspace.read(&other).unwrap().unwrap().into_bytes()).unwrap();
        let added = added.strip_prefix(theirs).expect("what stood stands");
        assert_eq!(added, "\r\n\r\n## Session [09:00]\r\n\r\n- [09:00:00] [user] Decision: Fridays.\r\n");
        assert_eq!(logging.daily_log(DAY.date(at(22, 9, 0))).unwrap().len(), 2);
    });
}

#[test]
fn marks_of_two_hosts_stand_beside_each_other_and_damage_is_left() {
    in_each_home(|workspace| {
        let life = life(&workspace, |_| ());
        let workspace = workspace.as_ref();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let life = &life;
                scope.spawn(move || life.mark_checked(&format!("check {n}"), at(21, 9, n)).unwrap());
            }
        });
        let checks = life.checks().unwrap();
        assert_eq!(checks.names().count(), 8);
        assert_eq!(checks.last("check 3"), Some(at(21, 9, 3).timestamp()));
        workspace.write(&DocName::HEARTBEAT_STATE, b"{", WriteMode::Replace).unwrap();
        assert!(matches!(life.mark_checked("email", at(21, 9, 0)), Err(Error::Corrupt { .. })));
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
    let seven = |workspace: &FileWorkspace| {
        Life::new(Arc::new(workspace.clone()), LifeConfig::default())
            .update_heartbeat(|memo| memo.turn_count = 7)
    };
    fail_at_each(
        |workspace| {
            workspace.write(&DocName::HEARTBEAT, old.as_bytes(), WriteMode::Create).unwrap();
        },
        |workspace| seven(workspace).map(drop),
        |workspace, place| {
            let stands = text(workspace, &DocName::HEARTBEAT);
            assert!(stands == old || stands == new.as_str(), "{place}: {stands}");
            seven(workspace).unwrap();
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
        Journal::new(name.clone(), DAY, begun).append(workspace, &Note::happened(words), begun).map(drop)
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

/// A workspace that counts the bytes that are read of it.
#[derive(Debug)]
struct Counting {
    workspace: FileWorkspace,
    read: AtomicU64,
}

impl Counting {
    fn count<T>(&self, read: noctuary::Result<T>, bytes: impl Fn(&T) -> usize) -> noctuary::Result<T> {
        let bytes = read.as_ref().map_or(0, bytes) as u64;
        self.read.fetch_add(bytes, Ordering::Relaxed);
        read
    }

    /// The bytes that were read since this was last asked.
    fn take(&self) -> u64 {
        self.read.swap(0, Ordering::Relaxed)
    }
}

impl Workspace for Counting {
    fn location(&self) -> String {
        self.workspace.location()
    }
    fn list(&self, folder: Option<&DocName>) -> noctuary::Result<Listing> {
        self.workspace.list(folder)
    }
    fn metadata(&self, name: &Name) -> noctuary::Result<Option<Metadata>> {
        self.workspace.metadata(name)
    }
    fn read(&self, name: &Name) -> noctuary::Result<Option<Document>> {
        self.count(self.workspace.read(name), |document| document.as_ref().map_or(0, |it| it.bytes().len()))
    }
    fn read_range(&self, name: &Name, range: std::ops::Range<u64>) -> noctuary::Result<Vec<u8>> {
        self.count(self.workspace.read_range(name, range), Vec::len)
    }
    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> noctuary::Result<Revision> {
        self.workspace.write(name, bytes, mode)
    }
    fn append(&self, name: &Name, bytes: &[u8]) -> noctuary::Result<()> {
        self.workspace.append(name, bytes)
    }
    fn remove(&self, name: &Name) -> noctuary::Result<bool> {
        self.workspace.remove(name)
    }
    fn rename(&self, from: &Name, to: &Name) -> noctuary::Result<()> {
        self.workspace.rename(from, to)
    }
    fn claim(&self, terms: &ClaimTerms) -> noctuary::Result<Claim> {
        self.workspace.claim(terms)
    }
}

fn in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let place = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    place.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

fn counting(place: &Path) -> Arc<Counting> {
    Arc::new(Counting { workspace: FileWorkspace::open(place).unwrap(), read: AtomicU64::new(0) })
}

// Each note read the whole journal, so a day of notes was quadratic.
#[test]
fn a_note_reads_as_much_at_the_first_as_at_the_five_thousandth_of_a_day() {
    const NOTES: usize = 5_000;
    let place = in_memory();
    let workspace = counting(place.path());
    let life = life(&(workspace.clone() as Arc<dyn Workspace>), |_| ());
    let mut session = main_session(&life, "repl", at(21, 9, 0));
    workspace.take();
    let mut read = Vec::new();
    for n in 0..NOTES {
        session.note(&Note::happened(format!("note {n:0>6}")), at(21, 9, 1)).unwrap();
        read.push(workspace.take());
    }
    println!("bytes read: first {}, second {}, last {}", read[0], read[1], read[NOTES - 1]);
    assert_eq!(read[0], 0, "the file is made by the first");
    assert!(read.iter().all(|bytes| *bytes <= 192), "{:?}", read.iter().max());
    assert_eq!(read[NOTES - 1], read[2]);
    let stands = text(&workspace.workspace, journal(Some("repl")).name());
    let mut expected = "# Memory — 2026-11-21\n\n## Session [09:00]\n\n".to_owned();
    expected.extend((0..NOTES).map(|n| format!("- [09:01:00] [agent] note {n:0>6}\n")));
    assert!(stands == expected);
}

// A guarded write read all that was forgotten anew.
#[test]
fn a_write_reads_the_list_of_what_was_forgotten_only_where_it_changed() {
    let place = in_memory();
    let workspace = counting(place.path());
    let human = Access::human(Scope::user("marta"));
    let forget = |text: &str| {
        Forget::new(&human, text).workspace(&workspace.workspace).run(at(21, 9, 0)).unwrap();
    };
    (0..200).for_each(|n| forget(&format!("the secret name of number {n}")));
    let view = Guarded::new(workspace.clone(), Access::agent(Scope::user("marta")));
    let write = |text: &str| view.append(&DocName::parse("notes.md").unwrap(), text.as_bytes());
    write("one\n").unwrap();
    assert!(workspace.take() > 10_000);
    write("two\n").unwrap();
    let unchanged = workspace.take();
    assert!(unchanged <= 64, "{unchanged}");
    forget("what nobody knows yet");
    assert!(matches!(write("What nobody knows yet!\n"), Err(Error::Stopped { .. })));
}
