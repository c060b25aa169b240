//! Sessions and their turns: what each switch does, and what nobody but its owner changes.

use std::sync::Arc;

use chrono::{FixedOffset, TimeDelta};
use noctuary::format::{DayLog, HeartbeatFile, Origin};
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::life::{Beat, Block, BootState, BootstrapEnd, CacheHint, PromptOrder, SoulNotice, TurnEnd};
use noctuary::testing::{Fault, Faults, FaultyDisk, FaultyWorkspace};
use noctuary::workspace::{DayPolicy, StateName};
use noctuary::{DocName, Error, FileWorkspace, Life, LifeConfig, Note, SessionKind, Workspace, WriteMode};

use noctuary::Actor;

use crate::life::{access, at, begin, bytes, changed, everything, homes, in_each_home, put, text};

fn logging(interval: u64) -> LifeConfig {
    let mut config = LifeConfig::default();
    (config.daily_log.enabled, config.daily_log.interval) = (true, interval);
    config
}

fn noted(workspace: &dyn Workspace, journal: &str) -> Vec<String> {
    DayLog::parse(&text(workspace, journal)).entries.into_iter().map(|entry| entry.text).collect()
}

/// JR-05, JR-16
#[test]
fn seven_turns_are_written_by_threes_and_the_rest_before_the_end() {
    in_each_home(&logging(3), |life| {
        let mut session = begin(life, "repl", at(21, 9, 0));
        let mut written = Vec::new();
        for turn in 1..=7 {
            let end = TurnEnd::default().note(Note::happened(format!("turn {turn}")));
            let outcome = session.end_turn("Yes.", end, at(21, 9, turn)).unwrap();
            written.push((outcome.turn.notes_written, outcome.turn.notes_waiting));
        }
        assert_eq!(written, [(0, 1), (0, 2), (3, 0), (0, 1), (0, 2), (3, 0), (0, 1)]);
        assert_eq!(noted(life.workspace(), "memory/2026-11-21-repl.md").len(), 6);
        assert_eq!((session.flush().unwrap(), session.flush().unwrap()), (1, 0));
        let expected: Vec<String> = (1..=7).map(|turn| format!("turn {turn}")).collect();
        assert_eq!(noted(life.workspace(), "memory/2026-11-21-repl.md"), expected);
    });
}

/// WS-19, HB-01
#[test]
fn with_the_log_off_a_turn_rewrites_the_memo_alone_and_a_note_is_still_written() {
    in_each_home(&LifeConfig::default(), |life| {
        let workspace = life.workspace();
        put(workspace, "USER.md", "# User\r\n\r\n- Name: Marta\r\n");
        put(workspace, "context/vision.md", "\u{feff}mine");
        let mut session = begin(life, "repl", at(21, 9, 0));
        session.prompt(&[]).unwrap();
        let before = everything(workspace);
        for minute in 1..12 {
            let turn = TurnEnd::default().note(Note::happened("by itself")).opens(["a report"]);
            let outcome = session.end_turn("Yes.", turn, at(21, 9, minute)).unwrap();
            assert_eq!((outcome.turn.notes_written, outcome.turn.notes_waiting), (0, 0));
        }
        assert_eq!(session.flush().unwrap(), 0);
        assert_eq!(changed(&before, &everything(workspace)), ["HEARTBEAT.md"]);

        let before = everything(workspace);
        let note = Note::decision("Fridays.").from(Origin::User);
        assert!(session.note(&note, at(21, 10, 0)).unwrap().is_empty());
        assert_eq!(changed(&before, &everything(workspace)), ["memory/2026-11-21-repl.md"]);
        assert_eq!(noted(workspace, "memory/2026-11-21-repl.md"), ["Fridays."]);
    });
}

#[test]
fn the_first_turn_of_a_private_session_makes_the_memo() {
    for (_folder, workspace) in homes() {
        let life = Life::new(workspace, LifeConfig::default());
        life.boot(at(21, 9, 0)).unwrap();
        for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
            let access = access(kind, Actor::Agent);
            let mut session = life.begin_session(access, "s", "chat", at(21, 9, 0)).unwrap();
            let turn = TurnEnd::default().opens(["theirs"]);
            let outcome = session.end_turn("BOOTSTRAP_DONE", turn, at(21, 9, 1)).unwrap();
            assert_eq!((outcome.turn.heartbeat, outcome.onboarding), (Beat::NotMain, None));
        }
        assert_eq!(life.workspace().read(&DocName::HEARTBEAT).unwrap(), None);
        assert_eq!(
            life.boot(at(21, 9, 1)).unwrap().state,
            BootState::NeedsBootstrap,
            "it is not theirs to end"
        );
        let turn = TurnEnd::default().opens(["mine"]);
        begin(&life, "repl", at(21, 9, 2)).end_turn("Yes.", turn, at(21, 9, 3)).unwrap();
        let file = HeartbeatFile::parse(text(life.workspace(), "HEARTBEAT.md"));
        let memo = file.memo().unwrap();
        assert_eq!((file.schedule(), memo.last_seen, memo.turn_count), (Some(""), Some(at(21, 9, 3)), 1));
        assert_eq!(
            (memo.open_loops.as_slice(), memo.surface.as_deref()),
            (&["mine".to_owned()][..], Some("repl"))
        );
    }
}

fn is_told(session: &mut noctuary::Session) -> bool {
    let prompt = session.prompt(&[]).unwrap();
    let block = prompt.block("soul_notice");
    assert!(block.is_none_or(|block| block.text == SoulNotice::TEXT && block.cache == CacheHint::Turn));
    block.is_some()
}

/// SO-05
#[test]
fn a_changed_soul_is_told_once_and_again_after_a_crash_before_the_reply() {
    in_each_home(&LifeConfig::default(), |life| {
        let workspace = life.workspace();
        assert!(!is_told(&mut begin(life, "a", at(21, 9, 0))), "the first look sets what is known");
        let mut running = begin(life, "a", at(21, 9, 1));
        let frozen = running.prompt(&[]).unwrap();
        put(workspace, "SOUL.md", "# Soul\n\nYou are Wren.\n");
        assert_eq!(running.prompt(&[]).unwrap(), frozen, "an edit meanwhile is for the next session");
        running.end_turn("Yes.", TurnEnd::default(), at(21, 9, 2)).unwrap();

        let group = access(SessionKind::Shared, Actor::Agent);
        let mut group = life.begin_session(group, "g", "chat", at(21, 9, 3)).unwrap();
        assert!(!is_told(&mut group) && group.prompt(&[]).unwrap().to_string().contains("Wren"));
        group.end_turn("Hello.", TurnEnd::default(), at(21, 9, 4)).unwrap();

        // The host dies before the reply is given, once with a prompt made and once before.
        assert!(is_told(&mut begin(life, "b", at(21, 9, 5))));
        drop(begin(life, "b", at(21, 9, 6)));
        let mut session = begin(life, "b", at(21, 9, 7));
        session.end_turn("Good morning.", TurnEnd::default(), at(21, 9, 8)).unwrap();
        assert!(is_told(&mut session), "a turn without its prompt does not count");
        session.end_failed_turn(at(21, 9, 9)).unwrap();
        assert!(is_told(&mut session), "nor does one that gave no reply");
        session.end_turn("My soul has changed.", TurnEnd::default(), at(21, 9, 10)).unwrap();
        assert!(!is_told(&mut session) && !is_told(&mut begin(life, "b", at(21, 9, 11))));
        assert!(workspace.read(&StateName::SOUL).unwrap().is_some());
    });
}

/// BS-11
#[test]
fn the_playbook_leaves_the_prompt_with_the_token() {
    for end in [BootstrapEnd::Archive, BootstrapEnd::Delete, BootstrapEnd::Clear] {
        for (_folder, workspace) in homes() {
            let mut config = LifeConfig::default();
            config.bootstrap_end = end;
            let life = Life::new(workspace, config);
            life.boot(at(21, 9, 0)).unwrap();
            let mut session = begin(&life, "repl", at(21, 9, 0));
            let mut other = begin(&life, "http", at(21, 9, 0));
            session.end_turn("I will say BOOTSTRAP_DONE later.", TurnEnd::default(), at(21, 9, 1)).unwrap();
            assert!(session.prompt(&[]).unwrap().block("bootstrap").is_some());
            let outcome = session.end_turn("BOOTSTRAP_DONE", TurnEnd::default(), at(21, 9, 2)).unwrap();
            assert!(outcome.onboarding.is_some(), "{end:?}");
            for session in [&mut session, &mut other] {
                assert!(session.prompt(&[]).unwrap().block("bootstrap").is_none(), "{end:?}");
            }
            let again = session.end_turn("BOOTSTRAP_DONE", TurnEnd::default(), at(21, 9, 3)).unwrap();
            assert_eq!(again.onboarding, None, "once");
            assert_eq!(life.boot(at(21, 9, 4)).unwrap().state, BootState::Ready);
            let journal = text(life.workspace(), "memory/2026-11-21-repl.md");
            assert_eq!(journal.matches("Onboarding is complete.").count(), 1);
            assert!(journal.starts_with("# Memory — 2026-11-21\n"), "{journal}");
        }
    }
}

// HB-04
#[test]
fn a_loop_that_a_turn_opens_is_in_the_prompt_of_the_next_session() {
    let mut on = LifeConfig::default();
    on.heartbeat.enabled = true;
    in_each_home(&on, |life| {
        let mut first = begin(life, "repl", at(21, 9, 0));
        first.end_turn("Yes.", TurnEnd::default().opens(["send the report to Ana"]), at(21, 9, 1)).unwrap();
        assert!(
            !first.prompt(&[]).unwrap().to_string().contains("report to Ana"),
            "its prompt keeps its bytes"
        );
        drop(first);
        let next = begin(life, "http", at(21, 9, 2)).prompt(&[]).unwrap();
        let memo = &next.block("memory_snapshot").unwrap().text;
        assert!(memo.contains("send the report to Ana"), "{next}");
    });
}

// BX-24, VW-17: everything off; a turn then leaves nothing behind, and what is off is in no prompt.
#[test]
fn off_means_off() {
    let mut off = LifeConfig::default();
    off.heartbeat.enabled = false;
    in_each_home(&off, |life| {
        let workspace = life.workspace();
        put(
            workspace,
            "HEARTBEAT.md",
            "# Heartbeat\n\n## State\n\n- surface: canary\n\n## Open loops\n\n## Schedule\n",
        );
        let mut session = begin(life, "repl", at(21, 9, 0));
        assert!(!session.prompt(&[]).unwrap().to_string().contains("canary"));
        let before = everything(workspace);
        let turn = TurnEnd::default().opens(["a loop"]).note(Note::happened("x"));
        let outcome = session.end_turn("Yes.", turn, at(21, 9, 1)).unwrap();
        assert_eq!(outcome.turn.heartbeat, Beat::Off);
        session.flush().unwrap();
        assert!(changed(&before, &everything(workspace)).is_empty());
        // Dreams are off unless they are turned on.
        let dreamer = noctuary::JournalDreamer::builder(workspace.clone()).build().unwrap();
        let report =
            noctuary::dream_once_at(&dreamer, &noctuary::Extractive::new(), &|| at(22, 3, 0)).unwrap();
        assert_eq!(report.outcome, noctuary::Outcome::Disabled);
        assert!(changed(&before, &everything(workspace)).is_empty());
        // Hygiene and retention propose nothing.
        assert!(!life.config().hygiene.is_due(None, at(22, 3, 0)));
        assert_eq!(life.propose_retention(at(28, 3, 0)).unwrap(), noctuary::life::RetentionPlan::default());
    });
    let mut on = LifeConfig::default();
    on.heartbeat.enabled = true;
    in_each_home(&on, |life| {
        put(
            life.workspace(),
            "HEARTBEAT.md",
            "# Heartbeat\n\n## State\n\n- surface: canary\n\n## Open loops\n\n## Schedule\n",
        );
        assert!(begin(life, "repl", at(21, 9, 0)).prompt(&[]).unwrap().to_string().contains("canary"));
    });
}

/// ED-01
#[test]
fn two_turns_of_a_session_have_the_same_bytes() {
    for order in [PromptOrder::Seed, PromptOrder::IronClaw, PromptOrder::OpenClaw] {
        let mut config = logging(1);
        config.prompt.order = order;
        in_each_home(&config, |life| {
            put(life.workspace(), "memory/2026-11-20-repl.md", "- [user] Likes tea.\n");
            let mut session = begin(life, "repl", at(21, 9, 0));
            let derived = [Block::derived("skills", "release", CacheHint::Session)];
            let first = session.prompt(&derived).unwrap();
            assert!(first.to_string().contains("Likes tea."));
            session.note(&Note::happened("new"), at(21, 9, 1)).unwrap();
            put(life.workspace(), "MEMORY.md", "- edited\n");
            session.end_turn("Yes.", TurnEnd::default().opens(["a loop"]), at(21, 9, 2)).unwrap();
            assert_eq!(session.prompt(&derived).unwrap().to_string(), first.to_string(), "{order:?}");
            let next = begin(life, "repl", at(21, 9, 3)).prompt(&derived).unwrap().to_string();
            assert!(next.contains("edited"), "{order:?}");
            assert!(next.contains("new"), "{order:?}");
        });
    }
}

#[test]
fn two_in_the_morning_belongs_to_yesterday() {
    let mut config = logging(1);
    config.day = DayPolicy::new(FixedOffset::east_opt(3600).unwrap(), 4);
    in_each_home(&config, |life| {
        // 02:00 of the 22nd where the human is.
        let mut session = begin(life, "repl", at(22, 1, 0));
        session.note(&Note::happened("late"), at(22, 1, 0)).unwrap();
        let turn = |text: &str| TurnEnd::default().note(Note::happened(text));
        session.end_turn("Yes.", turn("later"), at(22, 2, 59)).unwrap();
        session.end_turn("Yes.", turn("early"), at(22, 3, 0)).unwrap();
        assert_eq!(noted(life.workspace(), "memory/2026-11-21-repl.md"), ["late", "later"]);
        assert_eq!(noted(life.workspace(), "memory/2026-11-22-repl.md"), ["early"]);
        assert!(text(life.workspace(), "memory/2026-11-21-repl.md").contains("## Session [02:00]"));
        let prompt = begin(life, "http", at(22, 1, 30)).prompt(&[]).unwrap().to_string();
        assert!(prompt.contains("late"));
    });
}

#[test]
fn secrets_are_masked_on_their_way_and_what_is_stopped_does_not_stop_the_turn() {
    let key = "AKIAIOSFODNN7EXAMPLE";
    in_each_home(&logging(1), |life| {
        let say = |life: &Life, id: &str| {
            let turn = TurnEnd::default()
                .opens([format!("rotate {key}"), "call Sarah".to_owned()])
                .note(Note::happened(format!("the key is {key}")));
            begin(life, id, at(21, 9, 0)).end_turn("BOOTSTRAP_DONE", turn, at(21, 9, 1))
        };
        let outcome = say(life, "masking").unwrap();
        let mut told: Vec<String> = outcome.warnings.iter().map(ToString::to_string).collect();
        told.sort_unstable();
        // It named `memory`, as if the finding were in `MEMORY.md`.
        assert_eq!(told, ["aws_access_key in a new loop at 1:8", "aws_access_key in a new note at 1:12"]);
        assert!(text(life.workspace(), "HEARTBEAT.md").contains("rotate [REDACTED:aws_access_key#1]"));

        put(life.workspace(), "BOOTSTRAP.md", "Begin anew.\n");
        put(life.workspace(), "HEARTBEAT.md", "");
        let policy = DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Warn);
        let strict = life.clone().with_doors(Doors::default().policy(Door::JournalAppend, policy));
        assert!(matches!(say(&strict, "strict"), Err(Error::Stopped { .. })));
        let memo = text(life.workspace(), "HEARTBEAT.md");
        assert!(memo.contains("call Sarah") && !memo.contains("rotate"), "{memo}");
        assert_eq!(life.workspace().read(&DocName::BOOTSTRAP).unwrap(), None, "the onboarding ended");
        for (name, bytes) in everything(life.workspace()) {
            assert!(!String::from_utf8_lossy(&bytes).contains(key), "{name}");
        }
    });
}

// A note of a tool whose name the door stopped ended the turn there: no memo was written, and no other note.
#[test]
fn a_note_whose_tool_is_stopped_costs_neither_the_memo_nor_another_note() {
    in_each_home(&logging(1), |life| {
        let policy = DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Warn);
        let strict = life.clone().with_doors(Doors::default().policy(Door::JournalAppend, policy));
        let tool = Origin::Tool("AKIAIOSFODNN7EXAMPLE".to_owned());
        let turn = TurnEnd::default()
            .opens(["call Sarah"])
            .note(Note::happened("by a tool").from(tool))
            .note(Note::happened("by nobody"));
        let ended = begin(&strict, "strict", at(21, 9, 0)).end_turn("Yes.", turn, at(21, 9, 1));
        assert!(matches!(ended, Err(Error::Stopped { .. })), "{ended:?}");
        assert!(text(life.workspace(), "HEARTBEAT.md").contains("call Sarah"));
        assert_eq!(noted(life.workspace(), "memory/2026-11-21-strict.md"), ["by nobody"]);
    });
}

// HB-01: a full disk, or a crash, at any operation of a turn's end.
#[test]
#[ignore = "sweep"]
fn a_turn_that_fails_anywhere_leaves_the_memo_old_or_new_and_loses_no_note() {
    let run = |kind: usize, fault: Option<(u64, Fault)>| -> Option<usize> {
        let (place, sound) = crate::life::home(kind)?;
        let life = Life::new(sound.clone(), logging(1));
        life.boot(at(20, 9, 0)).unwrap();
        begin(&life, "repl", at(20, 9, 0)).end_turn("Yes.", TurnEnd::default(), at(20, 9, 1)).unwrap();
        put(&sound, "SOUL.md", "# Soul\n\nYou are Wren.\n");
        let old = bytes(&sound, "HEARTBEAT.md");
        let faults = Faults::new();
        let failing: Arc<dyn Workspace> = if place.path().join("life.db").exists() {
            Arc::new(FaultyWorkspace::new(sound.clone(), faults.clone()))
        } else {
            let disk = noctuary::testing::folder(place.path()).unwrap();
            Arc::new(FileWorkspace::on_disk(Arc::new(FaultyDisk::new(disk, faults.clone()))))
        };
        let life = Life::new(failing, logging(1));
        let mut session = begin(&life, "repl", at(21, 9, 0));
        assert!(is_told(&mut session));
        faults.disarm();
        if let Some((at, fault)) = fault {
            faults.arm(at, fault);
        }
        let turn = TurnEnd::default().opens(["a loop"]).note(Note::happened("of the turn"));
        let ended = session.end_turn("BOOTSTRAP_DONE", turn, at(21, 9, 1));
        let seen = faults.seen();
        faults.disarm();
        let step = format!("{fault:?} {:?} {ended:?}", seen.last());
        match &ended {
            Err(Error::Io { .. } | Error::DurabilityUnknown { .. } | Error::BootstrapRemains { .. })
            | Ok(_) => {}
            Err(other) => panic!("{step}: {other:?}"),
        }
        let new = bytes(&sound, "HEARTBEAT.md");
        assert!(new == old || String::from_utf8(new.clone()).unwrap().contains("a loop"), "{step}");
        if ended.is_ok() {
            assert!(
                new != old && noted(&sound, "memory/2026-11-21-repl.md").contains(&"of the turn".to_owned()),
                "{step}"
            );
            assert_eq!(sound.read(&DocName::BOOTSTRAP).unwrap(), None, "{step}");
        }
        // The same host goes on, and what waited is written; the next one finishes the onboarding.
        session.flush().unwrap();
        let notes = noted(&sound, "memory/2026-11-21-repl.md");
        assert!(notes.contains(&"of the turn".to_owned()), "{step}: {notes:?}");
        let next = Life::new(sound.clone(), logging(1));
        next.boot(at(21, 10, 0)).unwrap();
        let mut session = begin(&next, "repl", at(21, 10, 0));
        session.prompt(&[]).unwrap();
        session.end_turn("BOOTSTRAP_DONE", TurnEnd::default(), at(21, 10, 1)).unwrap();
        assert_eq!(next.boot(at(21, 10, 2)).unwrap().state, BootState::Ready, "{step}");
        assert!(!is_told(&mut begin(&next, "repl", at(21, 10, 3))), "{step}");
        let said = everything(&sound);
        let said = said.values().map(|bytes| String::from_utf8_lossy(bytes).matches("Onboarding is").count());
        assert_eq!(said.sum::<usize>(), 1, "{step}: the end of the onboarding is told once");
        Some(seen.len())
    };
    for kind in 0.. {
        let Some(operations) = run(kind, None) else { break };
        assert!(operations > 10, "the operations are seen");
        for at in 1..=operations as u64 {
            run(kind, Some((at, Fault::Error(std::io::ErrorKind::StorageFull))));
            run(kind, Some((at, Fault::Crash)));
        }
    }
}

// WS-12, BX-09: what others left in the files is kept, and told of.
#[test]
#[ignore = "sweep"]
fn odd_files_are_preserved_and_reported() {
    in_each_home(&LifeConfig::default(), |life| {
        let workspace = life.workspace();
        let large = format!("# User\r\n\r\n- Name: Marta\r\n{}", "wide load\r\n".repeat(5 << 20 >> 4));
        let odd: [(&str, &[u8]); 5] = [
            ("USER.md", large.as_bytes()),
            ("MEMORY.md", b"# Memory\n\n- caf\xe9\n"),
            ("HEARTBEAT.md", b"# Tasks\r\n\r\n- [ ] water the plants\r\n"),
            ("AGENTS.md", "\u{feff}# Agents\r\n\r\nBe brief.\r\n".as_bytes()),
            ("memory/2026-11-21-repl.md", "\u{feff}# Daily Log - 2026-11-21\r\n[08:00] theirs".as_bytes()),
        ];
        for (name, bytes) in odd {
            put(workspace, name, bytes);
        }
        let mut session = begin(life, "repl", at(21, 9, 0));
        let prompt = session.prompt(&[]).unwrap();
        let notices = format!("{:?}", prompt.notices);
        assert!(
            notices.contains("NotUtf8(MEMORY.md)") && notices.contains("Cut { name: USER.md"),
            "{notices}"
        );
        let shown = prompt.to_string();
        assert!(shown.len() < 80_000 && shown.contains("Be brief.") && shown.contains("water the plants"));
        session.note(&Note::happened("ours"), at(21, 9, 1)).unwrap();
        let outcome = session.end_turn("Yes.", TurnEnd::default().opens(["x"]), at(21, 9, 2)).unwrap();
        assert_eq!(outcome.turn.heartbeat, Beat::Foreign);
        life.boot(at(21, 9, 3)).unwrap();
        for (name, before) in odd {
            let after = bytes(workspace, name);
            assert!(after.starts_with(before), "{name}");
            assert_eq!(after.len() == before.len(), name != "memory/2026-11-21-repl.md", "{name}");
        }
        let journal = text(workspace, "memory/2026-11-21-repl.md");
        assert!(journal.ends_with("- [09:01:00] [agent] ours\r\n"), "{journal:?}");
    });
}

// A folder that may not be written to; a process of root may write to it all the same.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_an_error_with_a_type_and_still_gives_a_prompt() {
    use std::os::unix::fs::PermissionsExt;
    let folder = crate::life::quick();
    let workspace = Arc::new(noctuary::FileWorkspace::open(folder.path()).unwrap());
    let life = Life::new(workspace.clone(), LifeConfig::default());
    life.boot(at(21, 9, 0)).unwrap();
    let mut session = begin(&life, "repl", at(21, 9, 0));
    let mode = |mode| std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let is_root = std::fs::write(folder.path().join("probe"), "").is_ok();
    let ended = session.end_turn("Yes.", TurnEnd::default(), at(21, 9, 1));
    let shown = session.prompt(&[]).unwrap().to_string();
    mode(0o755);
    assert!(shown.contains("SOUL.md"));
    if is_root {
        println!("skipped: root writes to every folder");
    } else {
        assert!(matches!(ended, Err(Error::Io { .. })), "{ended:?}");
        assert_eq!(workspace.read(&DocName::HEARTBEAT).unwrap(), None);
    }
    workspace.write(&DocName::HEARTBEAT, b"", WriteMode::Replace).unwrap();
}

#[test]
fn a_session_of_days_goes_on_in_the_next_days_journal() {
    in_each_home(&LifeConfig::default(), |life| {
        let begun = at(20, 23, 0);
        let mut session = begin(life, "repl", begun);
        for day in 0..3 {
            session.note(&Note::happened(format!("day {day}")), begun + TimeDelta::days(day)).unwrap();
        }
        for day in 0..3 {
            let journal = format!("memory/2026-11-{}-repl.md", 20 + day);
            assert_eq!(noted(life.workspace(), &journal), [format!("day {day}")]);
        }
    });
}
