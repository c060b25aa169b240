//! The world around a life: folders of other programs, other processes, and somebody who means harm.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::exchange::{Dialect, Import, ImportAction};
use noctuary::format::{DayLog, HeartbeatFile, Origin};
use noctuary::life::{BootState, BootstrapOutcome, Preset, TurnEnd};
use noctuary::{
    DocName, Error, Extractive, FileWorkspace, JournalDreamer, Life, LifeConfig, Note, Outcome, SessionKind,
    Workspace, dream_once_at,
};

use noctuary::Actor;

use crate::life::{access, at, begin, bytes, documents, homes, name, put, quick, text};
use noctuary_tests::common::{Peer, Standing, listen, role, tell, tree};
use noctuary_tests::dreaming::copy_folder;

const SETS: [(&str, i32, u32, u32); 3] =
    [("2026.2.9", 2026, 2, 9), ("2026.4.5", 2026, 4, 5), ("2026.9.6", 2026, 9, 6)];

fn set(version: &str) -> std::path::PathBuf {
    noctuary_tests::root().join("tests/fixtures/openclaw").join(version)
}

/// The same instant of another day.
fn on(year: i32, month: u32, day: u32, hour: u32) -> DateTime<Utc> {
    chrono::TimeZone::with_ymd_and_hms(&Utc, year, month, day, hour, 0, 0).unwrap()
}

/// Every file of a folder, whoever's it is.
fn files(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |(path, standing): (std::path::PathBuf, Standing)| match standing {
        Standing::File(bytes, _) => Some((path.to_str().unwrap().to_owned(), bytes)),
        _ => None,
    };
    tree(place).into_iter().filter_map(file).collect()
}

/// Boots, has a session with a note and a turn, and dreams; what `stands` before must still stand.
fn live_a_day(
    life: &Life,
    stands: impl Fn() -> BTreeMap<String, Vec<u8>>,
    morning: DateTime<Utc>,
) -> (String, Outcome) {
    let before = stands();
    let booted = life.boot(morning).unwrap();
    let mut session = begin(life, "agent:main:main", morning);
    let prompt = session.prompt(&[]).unwrap();
    let note = Note::decision("Releases go out on Fridays at 16:00.").from(Origin::User);
    session.note(&note, morning).unwrap();
    let reply = if booted.state == BootState::NeedsBootstrap { "BOOTSTRAP_DONE" } else { "Yes." };
    let outcome = session.end_turn(reply, TurnEnd::default().opens(["a loop"]), morning).unwrap();
    session.flush().unwrap();
    let dreamer = JournalDreamer::builder(Arc::clone(life.workspace())).enabled(true).build().unwrap();
    let night = morning + TimeDelta::hours(18);
    let report = dream_once_at(&dreamer, &Extractive::new(), &|| night).unwrap();
    assert_eq!(life.boot(night).unwrap().state, BootState::Ready);
    let after = stands();
    for (file, was) in before {
        let ended = outcome.onboarding.as_ref().filter(|_| file == "BOOTSTRAP.md");
        match ended.map(|completion| &completion.bootstrap) {
            Some(BootstrapOutcome::Archived(kept)) => assert_eq!(after[kept.as_str()], was),
            Some(fate) => assert_eq!(*fate, BootstrapOutcome::Deleted),
            None => {
                let is = &after[&file];
                let may_grow = file.starts_with("memory/20") || file.eq_ignore_ascii_case("MEMORY.md");
                assert!(*is == was || may_grow && is.starts_with(&was), "{file}");
            }
        }
    }
    (prompt.to_string(), report.outcome)
}

#[test]
fn folders_of_openclaw_live_a_day_and_every_byte_stands() {
    for (version, year, month, day) in SETS {
        for preset in [Preset::OpenClaw, Preset::Default] {
            let place = quick();
            copy_folder(&set(version), place.path());
            let workspace = Arc::new(FileWorkspace::open(place.path()).unwrap());
            let memory =
                ["MEMORY.md", "memory.md"].into_iter().find(|file| place.path().join(file).is_file());
            let memory = memory.unwrap();
            let known = text(&workspace, memory);
            let known = known.lines().rfind(|line| line.starts_with("- ")).unwrap().to_owned();
            let life = Life::new(workspace.clone(), LifeConfig::preset(preset));
            let (prompt, outcome) = live_a_day(&life, || files(place.path()), on(year, month, day, 9));
            let place = format!("{version} {preset:?}");
            assert!(prompt.contains(&known), "{place}: its memory is told: {known:?} in {prompt}");
            assert!(prompt.contains("- "), "{place}");
            assert_eq!(outcome, Outcome::Appended, "{place}");
            assert!(
                text(&workspace, memory).contains("Fridays at 16:00"),
                "{place}: it dreams into its own memory"
            );
        }
    }
}

/// The layout that seed 001 shows: the root files, and a journal a day.
fn furnish_001(workspace: &dyn Workspace) {
    for (file, text) in [
        ("AGENTS.md", "# Agents\n\nRead SOUL.md, then USER.md.\n"),
        ("SOUL.md", "# Soul\n\nYou are Wren.\n"),
        ("USER.md", "# User\n\n- Name: Marta\n"),
        ("TOOLS.md", "# Tools\n"),
        ("MEMORY.md", "# Memory\n\n- Likes tea.\n"),
        ("memory/2026-11-20.md", "# 2026-11-20\n\n- Walked the ridge with Tomas.\n"),
        ("memory/2026-11-21.md", "# 2026-11-21\n\n- Rosa called.\n"),
    ] {
        put(workspace, file, text);
    }
}

/// OC-07
#[test]
fn the_layout_of_the_first_seed_lives_a_day() {
    for preset in [Preset::Default, Preset::Rfc0009Strict] {
        for (_folder, workspace) in homes() {
            furnish_001(workspace.as_ref());
            let life = Life::new(workspace.clone(), LifeConfig::preset(preset));
            let (prompt, outcome) = live_a_day(&life, || documents(&workspace), at(21, 9, 0));
            for told in ["Wren", "Likes tea", "Tomas", "Rosa called"] {
                assert!(prompt.contains(told), "{preset:?}: {told}");
            }
            assert_eq!(outcome, Outcome::Appended);
            let stands = documents(&workspace);
            let is_strict = preset == Preset::Rfc0009Strict;
            assert_eq!(stands.contains_key("IDENTITY.md"), !is_strict, "strict seeds nothing");
            assert_eq!(stands.contains_key("HEARTBEAT.md"), !is_strict);
            assert_eq!(stands["memory/2026-11-21.md"].ends_with(b"Fridays at 16:00.\n"), is_strict);
        }
    }
    for (_folder, workspace) in homes() {
        let life = Life::new(workspace, LifeConfig::preset(Preset::Rfc0009Strict));
        assert!(matches!(life.boot(at(21, 9, 0)).unwrap().state, BootState::Uninitialized { .. }));
        let begun = life.begin_session(crate::life::private(), "x", "repl", at(21, 9, 0));
        assert!(matches!(begun, Err(Error::Uninitialized)));
        assert!(documents(life.workspace()).is_empty());
    }
}

// OC-06: the door finds nothing to object to in what the other program ships and people write.
#[test]
fn the_door_of_imports_is_quiet_about_honest_folders() {
    for (version, ..) in SETS {
        for (_folder, target) in homes() {
            let source = FileWorkspace::open(set(version)).unwrap();
            let plan = Import::new(Dialect::OpenClaw).plan(&source, &target).unwrap();
            for item in &plan.items {
                let is_quiet = matches!(item.action, ImportAction::Copy | ImportAction::Skip(_));
                assert!(is_quiet && item.found.is_empty(), "{version}: {item:?}");
            }
            assert!(plan.items.iter().filter(|item| item.action == ImportAction::Copy).count() >= 5);
        }
    }
}

const WRITERS: u32 = 8;
const DAYS: u32 = 7;
const TURNS: u32 = 5;
const SCHEDULE: &str =
    "\r\n- 09:00 mail   <!-- mine -->\r\n\r\n\r\n  - [ ] weekly: the plants\r\nunknown = 1";

#[test]
fn a_child_plays_its_role() {
    let Some((role, place)) = role() else { return };
    live_a_week(&role, &place);
}

/// A process of its own: a session each day, with a note each turn, one of the human's and one by itself.
fn live_a_week(writer: &str, place: &Path) {
    let mut config = LifeConfig::default();
    (config.daily_log.enabled, config.daily_log.interval) = (true, 2);
    // Half of them share the day's own file.
    if writer.ends_with(['1', '3', '5', '7']) {
        config.naming = noctuary::life::JournalNaming::Daily;
    }
    let life = Life::new(Arc::new(FileWorkspace::open(place).unwrap()), config);
    tell("ready");
    listen();
    for day in 1..=DAYS {
        life.boot(at(day, 8, 0)).unwrap();
        let mut session = begin(&life, writer, at(day, 9, 0));
        for turn in 1..=TURNS {
            session.prompt(&[]).unwrap();
            session.note(&Note::remember(format!("{writer} {day} {turn} said")), at(day, 9, turn)).unwrap();
            let end = TurnEnd::default()
                .opens([format!("loop of {writer}")])
                .note(Note::happened(format!("{writer} {day} {turn} taken\nand more")));
            session.end_turn("Yes.", end, at(day, 9, turn)).unwrap();
        }
        assert_eq!(session.flush().unwrap(), 1);
    }
}

#[test]
fn eight_processes_live_a_week_and_no_line_is_lost_or_torn() {
    let place = tempfile::tempdir().unwrap();
    let workspace = FileWorkspace::open(place.path()).unwrap();
    let memo = format!("# Heartbeat\r\n\r\n## State\r\n\r\n## Open loops\r\n\r\n## Schedule\r\n{SCHEDULE}");
    put(&workspace, "HEARTBEAT.md", memo);
    let mut peers: Vec<Peer> =
        (0..WRITERS).map(|n| Peer::start(module_path!(), &format!("w{n}"), place.path())).collect();
    for peer in &mut peers {
        assert_eq!(peer.hear().unwrap(), "ready");
    }
    peers.iter_mut().for_each(Peer::go_on);
    for peer in &mut peers {
        peer.finish();
    }
    let mut seen = BTreeMap::new();
    let life = Life::new(Arc::new(workspace.clone()), LifeConfig::default());
    for day in 1..=DAYS {
        let logs = life.daily_log(at(day, 9, 0).date_naive()).unwrap();
        assert_eq!(logs.len(), 5, "the day's own file and four sessions'");
        for (journal, document) in logs {
            let text = String::from_utf8(document.into_bytes()).unwrap();
            assert!(text.starts_with(&format!("# Memory — {}\n", journal.date())), "{journal:?}");
            assert_eq!(text.matches("# Memory").count(), 1);
            for entry in DayLog::parse(&text).entries {
                *seen.entry(entry.text).or_insert(0) += 1;
            }
        }
    }
    let expected: BTreeMap<String, i32> = (0..WRITERS)
        .flat_map(|writer| (1..=DAYS).flat_map(move |day| (1..=TURNS).map(move |turn| (writer, day, turn))))
        .flat_map(|(writer, day, turn)| {
            ["said", "taken\nand more"].map(|what| (format!("w{writer} {day} {turn} {what}"), 1))
        })
        .collect();
    assert_eq!(seen, expected);
    let file = HeartbeatFile::parse(text(&workspace, "HEARTBEAT.md"));
    assert_eq!(file.schedule(), Some(SCHEDULE));
    assert_eq!(file.memo().unwrap().open_loops.len(), WRITERS as usize);
}

/// Ids as they come from the network: paths, names of other files, control characters, and whatever is long.
fn hostile_ids() -> Vec<String> {
    let parts = [
        "..",
        "/",
        "\\",
        "../../outside/secret",
        "con",
        "NUL",
        "shared.",
        "SHARED.",
        ".dreaming.d",
        "\0",
        "\n",
        "%2e%2e",
        "日",
        "memory",
        ".md",
        "MEMORY.md",
        "-",
        "",
        " ",
        "a",
    ];
    let mut ids: Vec<String> =
        parts.iter().flat_map(|a| parts.iter().map(move |b| format!("{a}{b}"))).collect();
    ids.extend(parts.iter().map(|part| part.repeat(100)));
    let mut n = 0;
    while ids.len() < 1000 {
        ids.push(format!("{}{n}{}", parts[n % parts.len()], parts[(n / parts.len() + 3) % parts.len()]));
        n += 1;
    }
    ids
}

/// JR-01
#[test]
#[ignore = "sweep"]
fn a_thousand_hostile_session_ids_each_have_a_journal_of_their_own() {
    let place = quick();
    let inner = place.path().join("life");
    fs::create_dir(&inner).unwrap();
    let mut config = LifeConfig::default();
    // No room for the journals of a thousand others.
    config.prompt.max_chars = 0;
    let life = Life::new(Arc::new(FileWorkspace::open(&inner).unwrap()), config);
    let ids: std::collections::BTreeSet<String> = hostile_ids().into_iter().collect();
    for (n, id) in ids.iter().enumerate() {
        let kind = if n % 2 == 0 { SessionKind::Main } else { SessionKind::Shared };
        let access = access(kind, Actor::Agent);
        let mut session = life.begin_session(access, id, "chat", at(21, 9, 0)).unwrap();
        session.note(&Note::happened(format!("number {n}")), at(21, 9, 1)).unwrap();
    }
    let outside: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside, ["life"]);
    let journals = life.workspace().list(Some(&DocName::JOURNALS)).unwrap();
    assert_eq!((journals.documents.len(), journals.collisions.len()), (ids.len(), 0));
    let shared = journals.documents.iter().filter_map(noctuary::format::JournalName::parse);
    assert_eq!(shared.filter(noctuary::format::JournalName::is_shared).count(), ids.len() / 2);
}

// A thread makes `memory/` and what is in it lead elsewhere, again and again, while a life goes on.
#[cfg(unix)]
#[test]
#[ignore = "sweep"]
fn nothing_is_read_or_written_outside_while_links_are_swapped() {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    let place = quick();
    let (inner, outside) = (place.path().join("life"), place.path().join("outside"));
    fs::create_dir(&inner).unwrap();
    fs::create_dir(&outside).unwrap();
    let journal = "2026-11-21-repl.md";
    fs::write(outside.join(journal), "- [user] canary\n").unwrap();
    fs::write(outside.join("MEMORY.md"), "- canary\n").unwrap();
    let before = tree(&outside);
    let life = Life::new(Arc::new(FileWorkspace::open(&inner).unwrap()), LifeConfig::default());
    life.boot(at(21, 8, 0)).unwrap();
    fs::create_dir_all(inner.join("memory")).unwrap();
    let done = AtomicBool::new(false);
    let (mut wrote, mut failed) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (memory, aside) = (inner.join("memory"), inner.join("aside"));
            while !done.load(Ordering::Relaxed) {
                // Each may fail, since the other side makes the folder anew.
                if fs::rename(&memory, &aside).is_ok() {
                    let _ = symlink(&outside, &memory);
                    std::thread::yield_now();
                    let _ = fs::remove_file(&memory);
                    let _ = fs::rename(&aside, &memory);
                }
                let file = memory.join(journal);
                let _ = fs::rename(&file, memory.join("kept"));
                let _ = symlink(outside.join(journal), &file);
                std::thread::yield_now();
                let _ = fs::remove_file(&file);
                // All is as it should be for a moment, so that some turns pass.
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
        });
        for n in 0..1000 {
            let lived = life.begin_session(crate::life::private(), "repl", "repl", at(21, 9, 0)).and_then(
                |mut session| {
                    let prompt = session.prompt(&[])?.to_string();
                    assert!(!prompt.contains("canary"), "read outside");
                    session.note(&Note::happened(format!("number {n}")), at(21, 9, 1))?;
                    session.end_turn("Yes.", TurnEnd::default(), at(21, 9, 2))
                },
            );
            match lived {
                Ok(_) => wrote += 1,
                Err(_) => failed += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    println!("{wrote} turns, {failed} refused");
    assert!(wrote > 0 && failed > 0, "both sides met: {wrote} {failed}");
    assert_eq!(tree(&outside), before);
}

#[test]
fn a_life_that_was_imported_is_told() {
    for (_folder, target) in homes() {
        let source = FileWorkspace::open(set("2026.4.5")).unwrap();
        let import = Import::new(Dialect::OpenClaw);
        let plan = import.plan(&source, &target).unwrap();
        import.apply(plan, &source, &target).unwrap();
        let life = Life::new(target, LifeConfig::default());
        assert_eq!(life.boot(on(2026, 4, 5, 9)).unwrap().state, BootState::Ready, "nobody begins anew");
        let prompt = begin(&life, "repl", on(2026, 4, 5, 9)).prompt(&[]).unwrap().to_string();
        assert!(prompt.contains("Walked the ridge with Tomas."));
        assert_eq!(bytes(life.workspace(), "SOUL.md"), fs::read(set("2026.4.5").join("SOUL.md")).unwrap());
        assert!(life.workspace().read(&name("BOOTSTRAP.md")).unwrap().is_none());
    }
}
