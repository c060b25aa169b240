//! How a life begins, on every home: seeding, boot, onboarding, the soul's notice, edits, retention, hygiene; and
//! what a crash at any operation of them leaves.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, TimeZone, Utc};
use noctuary::exchange::copy_into;
use noctuary::format::{JournalName, OnboardingEnd};
use noctuary::life::{
    Boot, BootState, BootstrapEnd, BootstrapOutcome, Consent, EDITABLE, Editor, GroupName, GroupView,
    HygieneConfig, Preset, Proposal, Retention, SeedReport, Soul, SoulNotice, document_of_command,
};
use noctuary::testing::{Fault, Faults, FaultyDisk, FaultyWorkspace, folder};
use noctuary::workspace::{Refusal, StateName, WorkspaceExt};
use noctuary::{
    Access, Actor, DocName, Error, FileWorkspace, Life, LifeConfig, Scope, SessionKind, Workspace, WriteMode,
};
use noctuary_tests::common::marta::{access, documents, name, quick};

/// A way to keep a life in a folder.
type Home = fn(&Path) -> Arc<dyn Workspace>;

const HOMES: &[Home] = &[
    |path| Arc::new(FileWorkspace::open(path).unwrap()),
    |path| {
        Arc::new(
            noctuary::SqliteWorkspace::open(path.join("life.db"), noctuary::Scope::user("marta")).unwrap(),
        )
    },
];

/// Runs a test on a new workspace of every home.
fn on_every_home(test: impl Fn(&Arc<dyn Workspace>)) {
    for home in HOMES {
        let folder = quick();
        test(&home(folder.path()));
    }
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 14, 5).unwrap()
}

fn put(workspace: &dyn Workspace, document: &str, text: &str) {
    workspace.write(&name(document), text.as_bytes(), WriteMode::Replace).unwrap();
}

fn text(workspace: &dyn Workspace, document: &str) -> Option<String> {
    workspace.read_text(&name(document)).unwrap()
}

/// Every document, and what the life remembers, with its bytes.
fn dump(workspace: &dyn Workspace) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for state in [StateName::LIFE, StateName::SOUL] {
        found.extend(workspace.read(&state).unwrap().map(|read| (state.to_string(), read.into_bytes())));
    }
    found.extend(documents(workspace));
    found
}

fn life<W: Workspace + Clone + 'static>(workspace: &W, config: &LifeConfig) -> Life {
    Life::new(Arc::new(workspace.clone()), config.clone())
}

fn seed<W: Workspace + Clone + 'static>(workspace: &W, config: &LifeConfig) -> noctuary::Result<SeedReport> {
    life(workspace, config).seed()
}

fn boot<W: Workspace + Clone + 'static>(workspace: &W, config: &LifeConfig) -> noctuary::Result<Boot> {
    life(workspace, config).prepare()
}

fn read_soul<W: Workspace + Clone + 'static>(workspace: &W, kind: SessionKind) -> noctuary::Result<Soul> {
    life(workspace, &LifeConfig::default()).read_soul(kind, now())
}

/// A life whose journals wait for no dream.
fn dreamless<W: Workspace + Clone + 'static>(workspace: &W) -> Life {
    let mut config = LifeConfig::default();
    config.retention.without_dreams = true;
    life(workspace, &config)
}

fn complete<W: Workspace + Clone + 'static>(
    workspace: &W,
    config: &LifeConfig,
    at: DateTime<Utc>,
) -> noctuary::Result<noctuary::life::Completion> {
    life(workspace, config).complete_onboarding(OnboardingEnd::Done, Some("repl"), at)
}

const JOURNAL: &str = "memory/2026-11-21-repl.md";
const ENTRY: &str = " [system] Onboarding is complete.\n";

/// The journal with nothing but the entry.
fn entry_of(at: DateTime<Utc>) -> String {
    format!("# Memory — {}\n\n- [{}]{ENTRY}", at.date_naive(), at.format("%H:%M:%S"))
}

/// WS-18, WS-22
#[test]
fn an_empty_workspace_is_filled_once_and_bootstrap_comes_first() {
    on_every_home(|workspace| {
        let report = seed(workspace, &LifeConfig::default()).unwrap();
        let wrote: Vec<_> = report.wrote.iter().map(|name| name.as_str()).collect();
        assert_eq!(
            wrote,
            ["BOOTSTRAP.md", "AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md", "TOOLS.md"]
        );
        assert!(report.stood.is_empty());
        let before = dump(workspace);
        let again = seed(workspace, &LifeConfig::default()).unwrap();
        assert_eq!((again.wrote.len(), again.stood.len()), (0, 6));
        assert_eq!(dump(workspace), before);
        assert_eq!(text(workspace, "HEARTBEAT.md"), None);
    });
    on_every_home(|workspace| {
        seed(workspace, &LifeConfig::preset(Preset::OpenClaw)).unwrap();
        assert_eq!(text(workspace, "TOOLS.md"), None);
    });
}

// WS-21, BS-02, D12, OC-03: what stands is not touched, and a used workspace is not asked to begin anew.
#[test]
fn a_used_workspace_keeps_its_bytes_and_gets_no_bootstrap() {
    let used = [
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        "MEMORY.md",
        "memory.md",
        "soul.md",
        "memory/2026-01-01.md",
        "daily/2026-01-01.md",
        "BOOTSTRAP.md.done.20260101T000000Z",
    ];
    for document in used {
        on_every_home(|workspace| {
            put(workspace, document, "mine\r\n");
            let report = seed(workspace, &LifeConfig::default()).unwrap();
            assert!(!report.wrote.contains(&DocName::BOOTSTRAP), "{document}");
            assert_eq!(text(workspace, document).as_deref(), Some("mine\r\n"));
            assert_eq!(text(workspace, "MEMORY.md").is_some(), document != "memory.md", "{document}");
        });
    }
    // A project's folder is not a life yet.
    on_every_home(|workspace| {
        put(workspace, "README.md", "a project\n");
        put(workspace, "AGENTS.md", "our rules\n");
        let report = seed(workspace, &LifeConfig::default()).unwrap();
        assert_eq!(report.wrote.first(), Some(&DocName::BOOTSTRAP));
        assert_eq!(report.stood, [DocName::AGENTS]);
        assert_eq!(text(workspace, "AGENTS.md").as_deref(), Some("our rules\n"));
    });
}

#[cfg(unix)]
#[test]
fn a_link_in_a_documents_place_is_left_alone() {
    let path = quick();
    std::os::unix::fs::symlink("/nowhere", path.path().join("SOUL.md")).unwrap();
    let workspace = FileWorkspace::open(path.path()).unwrap();
    let report = seed(&workspace, &LifeConfig::default()).unwrap();
    assert!(report.stood.contains(&DocName::SOUL) && !report.wrote.contains(&DocName::BOOTSTRAP));
    assert!(path.path().join("SOUL.md").is_symlink());
}

#[test]
fn bootstrap_is_never_seeded_a_second_time() {
    on_every_home(|workspace| {
        seed(workspace, &LifeConfig::default()).unwrap();
        // Everything is deleted by hand but the library's memory of it.
        for document in workspace.list(None).unwrap().documents {
            workspace.remove(&document).unwrap();
        }
        let report = seed(workspace, &LifeConfig::default()).unwrap();
        assert_eq!(report.wrote.len(), 6);
        assert_eq!(text(workspace, "BOOTSTRAP.md"), None);
    });
    // One that a person brought counts too, and so does one that the agent removed by itself (C2).
    on_every_home(|workspace| {
        put(workspace, "BOOTSTRAP.md", "my own\n");
        seed(workspace, &LifeConfig::default()).unwrap();
        assert_eq!(text(workspace, "BOOTSTRAP.md").as_deref(), Some("my own\n"));
        workspace.remove(&DocName::BOOTSTRAP).unwrap();
        assert_eq!(boot(workspace, &LifeConfig::default()).unwrap().state, BootState::Ready);
    });
}

/// Runs `first`, lets its n-th operation on the disk crash, for every n, and hands the folder to `then` on a disk
/// that works. Returns how many operations there were.
fn crash_everywhere(
    prepare: impl Fn(&Arc<dyn Workspace>),
    first: impl Fn(&Arc<dyn Workspace>) -> noctuary::Result<()>,
    then: impl Fn(&Arc<dyn Workspace>, u64),
) -> u64 {
    for n in 1.. {
        let path = quick();
        let plain = || -> Arc<dyn Workspace> { Arc::new(FileWorkspace::open(path.path()).unwrap()) };
        prepare(&plain());
        let faults = Faults::new();
        let disk = FaultyDisk::new(folder(path.path()).unwrap(), faults.clone());
        faults.arm(n, Fault::Crash);
        let failing: Arc<dyn Workspace> = Arc::new(FileWorkspace::on_disk(Arc::new(disk)));
        let ended = first(&failing);
        then(&plain(), n);
        if ended.is_ok() {
            return n - 1;
        }
    }
    unreachable!("some run has fewer operations")
}

/// As [`crash_everywhere`], between the verbs of a SQLite file.
fn crash_everywhere_in_sqlite(
    prepare: impl Fn(&Arc<dyn Workspace>),
    first: impl Fn(&Arc<dyn Workspace>) -> noctuary::Result<()>,
    then: impl Fn(&Arc<dyn Workspace>, u64),
) -> u64 {
    for n in 1.. {
        let path = quick();
        let open = || -> Arc<dyn Workspace> {
            let file = path.path().join("life.db");
            Arc::new(noctuary::SqliteWorkspace::open(file, noctuary::Scope::user("marta")).unwrap())
        };
        prepare(&open());
        let faults = Faults::new();
        faults.arm(n, Fault::Crash);
        let failing: Arc<dyn Workspace> = Arc::new(FaultyWorkspace::new(open(), faults.clone()));
        let ended = first(&failing);
        then(&open(), n);
        if ended.is_ok() {
            return n - 1;
        }
    }
    unreachable!("some run has fewer operations")
}

#[test]
fn a_crash_at_any_operation_of_seeding_ends_in_the_same_bytes() {
    let config = LifeConfig::default();
    let whole = quick();
    let whole = FileWorkspace::open(whole.path()).unwrap();
    seed(&whole, &config).unwrap();
    let whole = dump(&whole);
    let first = |workspace: &Arc<dyn Workspace>| seed(workspace, &config).map(drop);
    let then = |workspace: &Arc<dyn Workspace>, n| {
        seed(workspace, &config).unwrap();
        assert_eq!(dump(workspace), whole, "after a crash at operation {n}");
    };
    let count = crash_everywhere(|_| (), first, then);
    assert!(count > 50, "{count} operations");
    assert!(crash_everywhere_in_sqlite(|_| (), first, then) > 8);

    // Somebody moves in after the crash: no bootstrap comes that was not there before.
    crash_everywhere(
        |_| (),
        first,
        |workspace, n| {
            let offered = text(workspace, "BOOTSTRAP.md").is_some();
            put(workspace, "USER.md", "# Marta\n");
            seed(workspace, &config).unwrap();
            assert_eq!(text(workspace, "BOOTSTRAP.md").is_some(), offered, "operation {n}");
            assert_eq!(text(workspace, "USER.md").as_deref(), Some("# Marta\n"));
        },
    );
}

/// BS-01
#[test]
fn three_layouts_boot_into_three_states() {
    let (default, strict) = (LifeConfig::default(), LifeConfig::preset(Preset::Rfc0009Strict));
    on_every_home(|workspace| {
        let refused = boot(workspace, &strict).unwrap();
        assert_eq!(
            refused.state,
            BootState::Uninitialized { missing: vec![DocName::BOOTSTRAP, DocName::SOUL] }
        );
        assert!(dump(workspace).is_empty(), "strict writes nothing");
        assert!(matches!(
            refused.state.start_plan(SessionKind::Main, now().date_naive()),
            Err(Error::Uninitialized)
        ));
        put(workspace, "SOUL.md", "# Soul\n");
        assert_eq!(boot(workspace, &strict).unwrap().state, BootState::Ready);
        put(workspace, "BOOTSTRAP.md", "do this\n");
        assert_eq!(boot(workspace, &strict).unwrap().state, BootState::NeedsBootstrap);
        put(workspace, "BOOTSTRAP.md", " \n");
        assert_eq!(boot(workspace, &strict).unwrap().state, BootState::Ready, "one that was cleared");
        workspace.remove(&DocName::SOUL).unwrap();
        assert!(matches!(boot(workspace, &strict).unwrap().state, BootState::Uninitialized { .. }));
        // The default seeds it again, and says so.
        let seeded = boot(workspace, &default).unwrap();
        assert_eq!(seeded.state, BootState::Ready);
        assert!(seeded.seeded.wrote.contains(&DocName::SOUL));
    });
}

#[test]
fn what_soul_and_agents_lack_is_reported_and_hinders_nothing() {
    on_every_home(|workspace| {
        let config = LifeConfig::default();
        assert_eq!(boot(workspace, &config).unwrap().lacks, []);
        let agents = text(workspace, "AGENTS.md").unwrap().replace("## Safety\n", "");
        put(workspace, "AGENTS.md", &agents);
        put(workspace, "SOUL.md", "# Core Values\n\nName: Atlas\n");
        let booted = boot(workspace, &config).unwrap();
        assert_eq!(booted.state, BootState::NeedsBootstrap);
        let lacks: Vec<_> = booted.lacks.iter().map(|(name, part)| format!("{name}: {part}")).collect();
        assert_eq!(lacks, ["SOUL.md: role", "SOUL.md: capabilities", "AGENTS.md: safety"]);
    });
}

/// BS-06, BS-09
#[test]
fn the_onboarding_ends_as_the_policy_has_it() {
    let archive = "BOOTSTRAP.md.done.20261121T091405Z";
    for (end, fate) in [
        (BootstrapEnd::Archive, BootstrapOutcome::Archived(name(archive))),
        (BootstrapEnd::Delete, BootstrapOutcome::Deleted),
        (BootstrapEnd::Clear, BootstrapOutcome::Cleared),
    ] {
        on_every_home(|workspace| {
            let mut config = LifeConfig::default();
            config.bootstrap_end = end;
            boot(workspace, &config).unwrap();
            workspace.remove(&DocName::USER).unwrap();
            let completion = complete(workspace, &config, now()).unwrap();
            assert_eq!(completion.bootstrap, fate);
            assert_eq!(completion.missing, [DocName::USER]);
            assert_eq!(completion.journal.as_str(), JOURNAL);
            assert_eq!(text(workspace, JOURNAL), Some(entry_of(now())));
            let left = text(workspace, "BOOTSTRAP.md");
            assert_eq!(left.as_deref(), (end == BootstrapEnd::Clear).then_some(""));
            assert_eq!(
                text(workspace, archive),
                (end == BootstrapEnd::Archive).then(|| config.template(&DocName::BOOTSTRAP).unwrap())
            );
            let booted = boot(workspace, &config).unwrap();
            assert_eq!((booted.state, booted.unfinished), (BootState::Ready, None));
        });
    }
}

// BS-07: a playbook that was deleted for a key lived on as a version in the database, and in the editor's history.
#[test]
fn a_playbook_that_is_deleted_leaves_nothing_behind() {
    const HERS: &str = "the code of the door is zanzibarqx\n";
    for end in [BootstrapEnd::Delete, BootstrapEnd::Clear, BootstrapEnd::Archive] {
        for is_stopped in [false, true] {
            let folder = quick();
            for (kind, open) in HOMES.iter().enumerate() {
                let path = folder.path().join(kind.to_string());
                std::fs::create_dir(&path).unwrap();
                let workspace = open(&path);
                let mut config = LifeConfig::default();
                config.bootstrap_end = end;
                boot(&workspace, &config).unwrap();
                let key = if end == BootstrapEnd::Archive { "AKIAIOSFODNN7EXAMPLE\n" } else { "" };
                let human = access(SessionKind::Main, Actor::Human);
                let editor = noctuary::life::Editor::new(workspace.as_ref(), human);
                for text in [HERS, "and more\n", HERS] {
                    let seen = editor.load(&DocName::BOOTSTRAP).unwrap().map(|standing| standing.revision());
                    editor.save(&DocName::BOOTSTRAP, &format!("{text}{key}"), seen, now()).unwrap();
                }
                if is_stopped {
                    // The first try fails at each operation in turn, and the next one does the rest.
                    let faults = Faults::new();
                    let failing = FaultyWorkspace::new(Arc::clone(&workspace), faults.clone());
                    for n in 1..60 {
                        faults.arm(n, Fault::Error(ErrorKind::Other));
                        let _ = complete(&failing, &config, now());
                    }
                }
                complete(&workspace, &config, now()).unwrap();
                assert_eq!(text(workspace.as_ref(), "BOOTSTRAP.md").unwrap_or_default(), "");
                let editor =
                    noctuary::life::Editor::new(workspace.as_ref(), access(SessionKind::Main, Actor::Human));
                assert_eq!(editor.history(&DocName::BOOTSTRAP).unwrap().len(), 0, "{end:?}");
                drop(workspace);
                for (file, bytes) in files_below(&path) {
                    let holds = String::from_utf8_lossy(&bytes).contains("zanzibarqx");
                    assert!(!holds, "{end:?}, stopped {is_stopped}: it stands in {file}");
                }
            }
        }
    }
}

fn files_below(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found
}

#[test]
fn another_programs_soul_state_stops_no_session_and_stays_as_it_is() {
    // 13: a file of another shape in the seed's place ended every session with an error.
    on_every_home(|workspace| {
        for (at, theirs) in ["[]", r#"{"hash":"md5:1234"}"#, "not JSON", "", r#"{"hash":7,"seen_at":"soon"}"#]
            .into_iter()
            .enumerate()
        {
            workspace.write(&StateName::SOUL, theirs.as_bytes(), WriteMode::Replace).unwrap();
            put(workspace, "SOUL.md", &format!("soul {at}\n"));
            let notice = || read_soul(workspace, SessionKind::Main).unwrap().notice;
            if at == 0 {
                assert!(notice().is_none(), "the first read sets the baseline");
                put(workspace, "SOUL.md", "another\n");
            }
            notice().expect("it has changed").confirm(workspace, now()).unwrap();
            assert!(notice().is_none());
            let standing = workspace.read_text(&StateName::SOUL).unwrap();
            assert_eq!(standing.as_deref(), Some(theirs), "it is theirs");
        }
    });
}

/// BS-06
#[test]
fn a_taken_archive_name_gets_a_counter_and_a_secret_is_not_archived() {
    on_every_home(|workspace| {
        let config = LifeConfig::default();
        put(workspace, "BOOTSTRAP.md.done.20261121T091405Z", "an older one\n");
        put(workspace, "BOOTSTRAP.md", "do this\n");
        let fate = complete(workspace, &config, now()).unwrap().bootstrap;
        assert_eq!(fate, BootstrapOutcome::Archived(name("BOOTSTRAP.md.done.20261121T091405Z-2")));

        put(workspace, "BOOTSTRAP.md", "the key is AKIAIOSFODNN7EXAMPLE\n");
        let fate = complete(workspace, &config, now()).unwrap().bootstrap;
        assert_eq!(fate, BootstrapOutcome::DeletedForSecrets { classes: vec!["aws_access_key".into()] });
        let held = dump(workspace);
        assert!(!held.values().any(|bytes| String::from_utf8_lossy(bytes).contains("AKIA")));
    });
}

// BS-08: a person's own playbook stays, and begins a new onboarding.
#[test]
fn a_playbook_that_a_person_places_later_survives() {
    on_every_home(|workspace| {
        let config = LifeConfig::default();
        boot(workspace, &config).unwrap();
        complete(workspace, &config, now()).unwrap();
        assert_eq!(complete(workspace, &config, now()).unwrap().bootstrap, BootstrapOutcome::Gone);
        put(workspace, "BOOTSTRAP.md", "once more\n");
        let booted = boot(workspace, &config).unwrap();
        assert_eq!((booted.state, booted.unfinished), (BootState::NeedsBootstrap, None));
        assert_eq!(text(workspace, "BOOTSTRAP.md").as_deref(), Some("once more\n"));
        let next = complete(workspace, &config, now() + TimeDelta::days(1)).unwrap();
        assert_eq!(next.bootstrap, BootstrapOutcome::Archived(name("BOOTSTRAP.md.done.20261122T091405Z")));
        assert!(text(workspace, "memory/2026-11-22-repl.md").unwrap().ends_with(ENTRY));
    });
}

/// A folder whose verbs may fail.
fn faulty(path: &Path, faults: &Faults) -> FaultyWorkspace {
    FaultyWorkspace::new(Arc::new(FileWorkspace::open(path).unwrap()), faults.clone())
}

// BS-07, BS-10: what cannot be removed is an error that says so; the rest is done, and the next try finishes it.
#[test]
fn a_playbook_that_cannot_be_removed_is_an_error_and_the_entry_is_written() {
    let config = LifeConfig::preset(Preset::Rfc0009Strict);
    let faults = Faults::new();
    let path = quick();
    let workspace = faulty(path.path(), &faults);
    seed(&workspace, &LifeConfig::default()).unwrap();
    let operations = {
        let other = quick();
        let other = faulty(other.path(), &faults);
        seed(&other, &LifeConfig::default()).unwrap();
        faults.disarm();
        complete(&other, &config, now()).unwrap();
        faults.seen()
    };
    let removal = operations.iter().position(|operation| operation.contains("remove")).unwrap() as u64 + 1;
    faults.arm(removal, Fault::Error(ErrorKind::PermissionDenied));
    let error = complete(&workspace, &config, now()).unwrap_err();
    assert!(matches!(error, Error::BootstrapRemains { .. }), "{error:?}");
    assert!(error.to_string().contains("BOOTSTRAP.md"));
    faults.disarm();
    assert!(text(&workspace, "BOOTSTRAP.md").is_some());
    assert_eq!(text(&workspace, JOURNAL), Some(entry_of(now())));
    assert_eq!(boot(&workspace, &config).unwrap().unfinished, Some(OnboardingEnd::Done));
    let completion = complete(&workspace, &config, now() + TimeDelta::days(2)).unwrap();
    assert_eq!(completion.bootstrap, BootstrapOutcome::Deleted);
    assert_eq!(text(&workspace, JOURNAL), Some(entry_of(now())), "once");

    // Whatever step fails, the playbook is gone in the end, or the error says that it is not.
    for (n, operation) in (1..).zip(&operations) {
        let path = quick();
        let workspace = faulty(path.path(), &faults);
        faults.disarm();
        seed(&workspace, &LifeConfig::default()).unwrap();
        faults.arm(n, Fault::Error(ErrorKind::StorageFull));
        let ended = complete(&workspace, &config, now());
        faults.disarm();
        // An earlier version that may be left is as bad as the playbook itself.
        let is_of_earlier = operation.contains("history/BOOTSTRAP.md") || operation.contains("drop versions");
        let remains = text(&workspace, "BOOTSTRAP.md").is_some() || is_of_earlier;
        assert_eq!(remains, matches!(ended, Err(Error::BootstrapRemains { .. })), "{operation}");
    }
}

#[test]
#[ignore = "sweep"]
fn a_crash_at_any_operation_of_the_end_is_taken_up_and_says_so_once() {
    for end in [BootstrapEnd::Archive, BootstrapEnd::Delete, BootstrapEnd::Clear] {
        let mut config = LifeConfig::default();
        config.bootstrap_end = end;
        let prepare = |workspace: &Arc<dyn Workspace>| drop(boot(workspace, &config).unwrap());
        let first = |workspace: &Arc<dyn Workspace>| complete(workspace, &config, now()).map(drop);
        let then = |workspace: &Arc<dyn Workspace>, n| {
            // The host boots again: a playbook that still stands is followed anew or ended, as boot says.
            let booted = boot(workspace, &config).unwrap();
            if booted.unfinished.is_some() || booted.state == BootState::NeedsBootstrap {
                complete(workspace, &config, now() + TimeDelta::hours(20)).unwrap();
            }
            let ended = boot(workspace, &config).unwrap();
            assert_eq!((ended.state, ended.unfinished), (BootState::Ready, None), "operation {n}");
            let held = dump(workspace);
            let archives = held.keys().filter(|name| name.contains(".done.")).count();
            assert_eq!(archives, usize::from(end == BootstrapEnd::Archive), "operation {n}");
            let journals = held.iter().filter(|(name, _)| name.starts_with("memory/"));
            let told = journals.map(|(_, bytes)| String::from_utf8_lossy(bytes).matches(ENTRY).count());
            assert_eq!(told.sum::<usize>(), 1, "operation {n}");
        };
        assert!(crash_everywhere(prepare, first, then) > 20);
        assert!(crash_everywhere_in_sqlite(prepare, first, then) > 5);
    }
}

// Neither file in which the known soul may stand stops a session, wherever it is damaged, and a person's words stay.
#[test]
fn a_damaged_memory_of_the_soul_stops_no_session_and_gives_no_notice_for_ever() {
    for foreign in [false, true] {
        let folder = quick();
        let workspace = FileWorkspace::open(folder.path()).unwrap();
        let file = folder.path().join(if foreign { ".dreaming.d/soul.json" } else { ".soul-state.json" });
        if foreign {
            std::fs::write(folder.path().join(".soul-state.json"), "another program's\n").unwrap();
        }
        put(&workspace, "SOUL.md", "# Soul\n");
        read_soul(&workspace, SessionKind::Main).unwrap();
        let standing = std::fs::read(&file).unwrap();
        for bit in 0..standing.len() * 8 {
            let mut changed = standing.clone();
            if bit.is_multiple_of(9) {
                changed.truncate(bit / 8);
            } else {
                changed[bit / 8] ^= 1 << (bit % 8);
            }
            std::fs::write(&file, &changed).unwrap();
            // The notice may come once too often, and is then known.
            for _ in 0..2 {
                let soul = read_soul(&workspace, SessionKind::Main).unwrap();
                assert_eq!(soul.document.unwrap().lossy(), "# Soul\n", "bit {bit}");
                if let Some(notice) = soul.notice {
                    notice.confirm(&workspace, now()).unwrap();
                }
            }
            assert!(read_soul(&workspace, SessionKind::Main).unwrap().notice.is_none(), "bit {bit}");
            if foreign {
                let theirs = std::fs::read(folder.path().join(".soul-state.json")).unwrap();
                assert_eq!(theirs, b"another program's\n");
            }
        }
        assert_eq!(text(&workspace, "SOUL.md").as_deref(), Some("# Soul\n"));
    }
}

/// SO-01, SO-02, SO-03, SO-04
#[test]
fn a_changed_soul_is_made_known_once_to_a_main_session() {
    on_every_home(|workspace| {
        let notice = |kind| read_soul(workspace, kind).unwrap().notice;
        assert!(notice(SessionKind::Main).is_none() && dump(workspace).is_empty(), "no soul, no state");
        put(workspace, "SOUL.md", "one\n");
        assert!(notice(SessionKind::Main).is_none(), "the first read sets the baseline");
        let hash = noctuary::workspace::Revision::of(b"one\n").to_string();
        let state = |workspace: &dyn Workspace| workspace.read_text(&StateName::SOUL).unwrap().unwrap();
        assert!(state(workspace).contains(&hash));

        put(workspace, "SOUL.md", "two\n");
        let frozen = read_soul(workspace, SessionKind::Shared).unwrap();
        assert!(frozen.notice.is_none(), "held back where others are");
        assert!(notice(SessionKind::Main).is_some());
        let again =
            notice(SessionKind::Main).expect("it was handed over, not confirmed: the session crashed");
        assert!(state(workspace).contains("pending"));
        // Edited while the agent replies: that is another change.
        put(workspace, "SOUL.md", "three\n");
        assert_eq!(frozen.document.unwrap().bytes(), b"two\n", "a session keeps what it read");
        again.confirm(workspace, now()).unwrap();
        notice(SessionKind::Main).expect("the third").confirm(workspace, now()).unwrap();
        assert!(notice(SessionKind::Main).is_none());
        assert!(!state(workspace).contains("pending"));

        // Changed back before anybody was told: nothing to tell.
        put(workspace, "SOUL.md", "four\n");
        assert!(notice(SessionKind::Main).is_some());
        put(workspace, "SOUL.md", "three\n");
        assert!(notice(SessionKind::Main).is_none() && !state(workspace).contains("pending"));
        assert!(!SoulNotice::TEXT.contains('\n'));
    });
}

/// SO-03
#[test]
fn a_crash_around_a_notice_repeats_it_and_never_swallows_it() {
    let prepare = |workspace: &Arc<dyn Workspace>| {
        put(workspace, "SOUL.md", "one\n");
        assert!(read_soul(workspace, SessionKind::Main).unwrap().notice.is_none());
        put(workspace, "SOUL.md", "two\n");
    };
    // Handing over, without a confirmation.
    let hand_over = |workspace: &Arc<dyn Workspace>| read_soul(workspace, SessionKind::Main).map(drop);
    let repeats = |workspace: &Arc<dyn Workspace>, n| {
        let soul = read_soul(workspace, SessionKind::Main).unwrap();
        assert!(soul.notice.is_some(), "operation {n}");
    };
    assert!(crash_everywhere(prepare, hand_over, repeats) > 5);
}

#[test]
fn a_command_prints_the_live_file_where_the_session_may_read_it() {
    on_every_home(|workspace| {
        let documents = ["soul", "agents", "identity", "user", "memory", "heartbeat", "bootstrap"];
        for document in documents {
            put(workspace, &format!("{}.md", document.to_uppercase()), &format!("the live {document}\n"));
        }
        let short = ["/soul", "/identity", "/heartbeat"].map(str::to_owned);
        let commands: Vec<String> =
            documents.iter().map(|document| format!("/workspace {document}")).chain(short).collect();
        for kind in [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
            for actor in [Actor::Human, Actor::Agent] {
                let editor = Editor::new(workspace.as_ref(), access(kind, actor));
                let prints = |command: &str| match editor.load(&document_of_command(command).unwrap()) {
                    Ok(document) => Some(document.unwrap().lossy().into_owned()),
                    Err(Error::Denied { .. }) => None,
                    Err(other) => panic!("{command}: {other}"),
                };
                for command in &commands {
                    let document = command.trim_start_matches("/workspace ").trim_start_matches('/');
                    let is_told = match kind {
                        SessionKind::Main => true,
                        SessionKind::Scheduled if document == "heartbeat" => true,
                        _ => ["soul", "agents", "identity"].contains(&document),
                    };
                    let expected = is_told.then(|| format!("the live {document}\n"));
                    assert_eq!(prints(command), expected, "{kind:?} {actor:?}: {command}");
                }
            }
        }
    });
}

/// ED-03, ED-04, ED-05, ED-08
#[test]
fn a_save_is_by_revision_and_what_it_replaces_is_kept() {
    on_every_home(|workspace| {
        let human = Editor::new(workspace.as_ref(), access(SessionKind::Main, Actor::Human));
        let config = LifeConfig::default();
        let first = human.save(&DocName::SOUL, "one\n", None, now()).unwrap();
        let second = human.save(&DocName::SOUL, "two\n", Some(first), now()).unwrap();
        for stale in [None, Some(first)] {
            match human.save(&DocName::SOUL, "three\n", stale, now()) {
                Err(Error::Conflict { current: Some(current), .. }) => assert_eq!(current.bytes(), b"two\n"),
                other => panic!("a stale save conflicts: {other:?}"),
            }
            assert_eq!(text(workspace, "SOUL.md").as_deref(), Some("two\n"));
        }
        let preimage = human.restore_template(&DocName::SOUL, &config, Some(second), now()).unwrap();
        assert_eq!(preimage.unwrap().bytes(), b"two\n");
        assert_eq!(text(workspace, "SOUL.md"), config.template(&DocName::SOUL));
        let history = human.history(&DocName::SOUL).unwrap();
        let kept: Vec<_> = history.iter().map(|(_, document)| document.bytes()).collect();
        assert_eq!(kept, [&b"two\n"[..], b"one\n"]);
        // What is no UTF-8 is kept too, and HEARTBEAT is restored where it never was.
        workspace.write(&DocName::USER, b"\xff\xfe", WriteMode::Create).unwrap();
        let loaded = human.load(&DocName::USER).unwrap().unwrap().revision();
        human.save(&DocName::USER, "# User\n", Some(loaded), now()).unwrap();
        assert_eq!(human.history(&DocName::USER).unwrap()[0].1.bytes(), b"\xff\xfe");
        assert!(human.restore_template(&DocName::HEARTBEAT, &config, None, now()).unwrap().is_none());
        assert_eq!(text(workspace, "HEARTBEAT.md"), config.template(&DocName::HEARTBEAT));
        // A conflict leaves no trace of what it would have replaced.
        assert!(human.forget_history(&DocName::SOUL).unwrap());
        assert!(human.save(&DocName::SOUL, "four\n", Some(first), now()).is_err());
        assert!(human.history(&DocName::SOUL).unwrap().is_empty());
    });
}

#[test]
fn a_crash_at_any_operation_of_a_save_or_an_archiving_loses_no_version() {
    let prepare = |workspace: &Arc<dyn Workspace>| put(workspace, "USER.md", "one\n");
    let human = || access(SessionKind::Main, Actor::Human);
    let seen = noctuary::workspace::Revision::of(b"one\n");
    let save = |workspace: &Arc<dyn Workspace>| {
        Editor::new(workspace.as_ref(), human()).save(&DocName::USER, "two\n", Some(seen), now()).map(drop)
    };
    let count = crash_everywhere(prepare, save, |workspace, n| {
        let stands = text(workspace, "USER.md").unwrap();
        let kept = Editor::new(workspace.as_ref(), human()).history(&DocName::USER).unwrap();
        let kept = kept.iter().any(|(_, document)| document.bytes() == b"one\n");
        assert!(stands == "one\n" || (stands == "two\n" && kept), "operation {n}: {stands}");
    });
    assert!(count > 10, "{count} operations");

    let journal = JournalName::new(day(40), None);
    let archive = |workspace: &Arc<dyn Workspace>| {
        dreamless(workspace).archive_journal(&journal, None, now()).map(drop)
    };
    let prepare = |workspace: &Arc<dyn Workspace>| put(workspace, journal.name().as_str(), "- a note\n");
    let count = crash_everywhere(prepare, archive, |workspace, n| {
        let held: Vec<_> = dump(workspace).into_values().collect();
        assert_eq!(held, [b"- a note\n"], "operation {n}");
    });
    assert!(count > 3, "{count} operations");
}

/// ED-02
#[test]
fn the_editor_reaches_the_eight_documents_and_no_more_than_its_session() {
    on_every_home(|workspace| {
        seed(workspace, &LifeConfig::default()).unwrap();
        let human = Editor::new(workspace.as_ref(), access(SessionKind::Main, Actor::Human));
        for other in ["memory/2026-01-01.md", "notes.md", "memory.md"] {
            let refused = human.save(&name(other), "x", None, now());
            assert!(matches!(refused, Err(Error::Refused { reason: Refusal::NotEditable, .. })), "{other}");
        }
        let agent = Editor::new(workspace.as_ref(), access(SessionKind::Main, Actor::Agent));
        let soul = agent.load(&DocName::SOUL).unwrap().unwrap().revision();
        assert!(matches!(agent.save(&DocName::SOUL, "x", Some(soul), now()), Err(Error::Denied { .. })));
        let group = Editor::new(workspace.as_ref(), access(SessionKind::Shared, Actor::Human));
        for closed in EDITABLE {
            assert!(matches!(group.save(&closed, "x", None, now()), Err(Error::Denied { .. })), "{closed}");
        }
        assert!(matches!(group.history(&DocName::MEMORY), Err(Error::Denied { .. })));
    });
}

/// ED-06
#[test]
fn of_many_editors_one_wins_each_revision() {
    on_every_home(|workspace| {
        let start = workspace.write(&DocName::USER, b"start", WriteMode::Create).unwrap();
        let won = std::thread::scope(|scope| {
            let save = |count: i32| {
                let editor = Editor::new(workspace.as_ref(), access(SessionKind::Main, Actor::Human));
                editor.save(&DocName::USER, &format!("editor {count}"), Some(start), now()).is_ok()
            };
            let threads: Vec<_> = (0..6).map(|count| scope.spawn(move || save(count))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(won, 1);
    });
}

fn day(days_ago: i64) -> NaiveDate {
    now().date_naive() - TimeDelta::days(days_ago)
}

/// JR-13, VW-14, VW-18
#[test]
fn journals_go_by_proposal_alone_and_never_undreamed_or_recent() {
    let journals = |ages: &[i64]| -> Vec<JournalName> {
        ages.iter().map(|age| JournalName::new(day(*age), Some("repl"))).collect()
    };
    let all = journals(&[0, 6, 7, 30, 31, 91, 400]);
    let today = now().date_naive();
    let nothing = Retention::default().plan(all.clone(), today, |_| false);
    assert_eq!(nothing, noctuary::life::RetentionPlan::default(), "kept for ever");

    let mut retention = Retention::default();
    (retention.archive_after_days, retention.delete_after_days) = (Some(30), Some(90));
    let undreamed = JournalName::new(day(400), Some("repl"));
    let plan = retention.plan(all.clone(), today, |journal| *journal == undreamed);
    assert_eq!((plan.archive, plan.delete), (journals(&[31]), journals(&[91])));
    assert_eq!(plan.kept, [(undreamed, Refusal::Undreamed)]);

    // A bound on their number moves the oldest, and stops at the seventh day.
    let mut hygiene = HygieneConfig::default();
    assert_eq!(Retention::from(&hygiene), Retention::default());
    (hygiene.enabled, hygiene.max_daily_logs) = (true, 1);
    let plan = Retention::from(&hygiene).plan(all, today, |_| false);
    assert_eq!(plan.archive, journals(&[400, 91, 31, 30, 7]));
    assert_eq!(plan.kept, [(JournalName::new(day(6), Some("repl")), Refusal::Recent)]);
    assert!(plan.delete.is_empty());
}

// Eighty logs of a workspace that no dream reads once gave no proposal, and those in `daily/` were not looked at.
#[test]
fn logs_that_no_dream_reads_are_proposed_from_both_folders() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Arc::new(FileWorkspace::open(folder.path()).unwrap());
    for ago in 10..90 {
        let name =
            if ago % 2 == 0 { format!("daily/{}.md", day(ago)) } else { format!("memory/{}.md", day(ago)) };
        put(workspace.as_ref(), &name, "- a note\n");
    }
    let plan = |config| Life::new(workspace.clone(), config).propose_retention(now()).unwrap();
    let ironclaw = LifeConfig::preset(Preset::IronClaw);
    let proposed = plan(ironclaw.clone());
    assert_eq!((proposed.archive.len(), proposed.kept.len(), proposed.delete.len()), (20, 0, 0));
    assert_eq!(proposed.archive[0].date(), day(89), "the oldest first");
    let daily =
        proposed.archive.iter().find(|journal| journal.name().as_str().starts_with("daily/")).unwrap();
    let to = dreamless(&workspace).archive_journal(daily, None, now()).unwrap();
    assert!(to.as_str().starts_with("memory/archive/log-"), "{to}");
    // Where dreams are to read them, those that none has read are kept, and named.
    let mut config = ironclaw;
    config.retention.without_dreams = false;
    let kept = plan(config).kept;
    assert_eq!(kept.len(), 19);
    assert!(kept.iter().all(|(_, reason)| *reason == Refusal::Undreamed));
}

/// JR-14
#[test]
fn an_archived_journal_keeps_its_bytes_and_is_no_journal_any_more() {
    on_every_home(|workspace| {
        let life = dreamless(workspace);
        let journal = JournalName::new(day(40), Some("2026-01-02"));
        for round in ["log-20261012-2026_01_02.md", "log-20261012-2026_01_02-2.md"] {
            put(workspace, journal.name().as_str(), round);
            let to = life.archive_journal(&journal, None, now()).unwrap();
            assert_eq!(to.as_str(), format!("memory/archive/{round}"));
            assert_eq!(text(workspace, to.as_str()).as_deref(), Some(round));
            assert_eq!(JournalName::parse(&to), None);
        }
        assert!(matches!(life.archive_journal(&journal, None, now()), Err(Error::NotFound { .. })));
    });
}

/// JR-15, JR-14
#[test]
fn a_recent_or_undreamed_journal_goes_by_a_humans_word_alone() {
    on_every_home(|workspace| {
        let life = life(workspace, &LifeConfig::default());
        let (recent, undreamed) = (JournalName::new(day(6), None), JournalName::new(day(50), None));
        for (journal, reason) in [(&recent, Refusal::Recent), (&undreamed, Refusal::Undreamed)] {
            put(workspace, journal.name().as_str(), "- a note\n");
            let other = if *journal == recent { &undreamed } else { &recent };
            let human = access(SessionKind::Main, Actor::Human);
            let elsewhere = Consent::given(&human, other.clone()).unwrap();
            for consent in [None, Some(&elsewhere)] {
                for refused in [
                    life.archive_journal(journal, consent, now()).map(drop),
                    life.delete_journal(journal, consent, now()).map(drop),
                ] {
                    assert!(matches!(refused, Err(Error::Refused { reason: why, .. }) if why == reason));
                }
            }
            for (kind, actor) in [
                (SessionKind::Main, Actor::Agent),
                (SessionKind::Main, Actor::Library),
                (SessionKind::Shared, Actor::Human),
            ] {
                let given = Consent::given(&access(kind, actor), journal.clone());
                assert!(matches!(given, Err(Error::Denied { .. })));
            }
            let consent = Consent::given(&human, journal.clone()).unwrap();
            assert!(life.delete_journal(journal, Some(&consent), now()).unwrap());
            assert!(!life.delete_journal(journal, Some(&consent), now()).unwrap());
        }
    });
}

#[test]
fn hygiene_proposes_and_changes_nothing() {
    on_every_home(|workspace| {
        let page =
            "Releases go out on Tuesdays and Thursdays after the nightly build is green and the tests pass.";
        put(workspace, "projects/alpha/deployment.md", page);
        put(workspace, "projects/alpha/deploying.md", &page.replace("Tuesdays", "Mondays"));
        put(workspace, "tmp_file.md", "something else entirely, about tea and rye bread\n");
        put(workspace, "SOUL.md", "# Soul\n");
        put(workspace, JOURNAL, page);
        let documents: Vec<DocName> = dump(workspace).keys().map(|text| name(text)).collect();
        let before = dump(workspace);
        let life = life(workspace, &LifeConfig::default());
        let written = workspace.metadata(&DocName::SOUL).unwrap().unwrap().modified;
        let at = |days| life.propose_hygiene(&documents, written + TimeDelta::days(days)).unwrap();
        let fresh = at(90);
        assert_eq!(fresh.len(), 2, "{fresh:?}");
        assert!(matches!(&fresh[0], Proposal::NearDuplicate { first, second, similarity }
            if first.as_str() == "projects/alpha/deploying.md" && second.as_str() == "projects/alpha/deployment.md"
                && *similarity > 0.5));
        assert_eq!(fresh[1], Proposal::PoorName { name: name("tmp_file.md") });
        let outdated = at(92).into_iter().filter(|proposal| matches!(proposal, Proposal::Outdated { .. }));
        assert_eq!(outdated.count(), 3, "a root document is never outdated");
        assert_eq!(dump(workspace), before);
    });
}

#[test]
fn a_life_that_moves_takes_its_memory_of_itself_along() {
    fn human(workspace: &Arc<dyn Workspace>) -> Editor<'_> {
        Editor::new(workspace.as_ref(), access(SessionKind::Main, Actor::Human))
    }
    for from in HOMES {
        for to in HOMES {
            let (a, b) = (quick(), quick());
            let (source, target) = (from(a.path()), to(b.path()));
            let config = LifeConfig::default();
            boot(&source, &config).unwrap();
            complete(&source, &config, now()).unwrap();
            read_soul(&source, SessionKind::Main).unwrap();
            let seen = human(&source).load(&DocName::USER).unwrap().unwrap().revision();
            human(&source).save(&DocName::USER, "# Marta\n", Some(seen), now()).unwrap();
            copy_into(&source, &target).unwrap();
            assert_eq!(dump(&target), dump(&source));
            let history = human(&target).history(&DocName::USER).unwrap();
            assert_eq!(history, human(&source).history(&DocName::USER).unwrap());
            assert_eq!(history.len(), 1);
            assert!(boot(&target, &config).unwrap().seeded.wrote.is_empty());
        }
    }
}

// A session of a group whose life nobody had booted was told `Denied`, which says nothing of the next step, and a playbook was
// left in the group's folder.
#[test]
fn a_group_of_a_life_that_is_not_booted_says_so_and_leaves_nothing() {
    on_every_home(|workspace| {
        let (owner, family) = (Scope::user("marta"), GroupName::parse("family").unwrap());
        let group = Arc::new(GroupView::new(Arc::clone(workspace), &owner, &family));
        let life = Life::new(group, LifeConfig::default());
        let begin =
            || life.begin_session(Access::shared(owner.clone()).group(&family), "chat", "telegram", now());
        let refused = [begin().map(|_| ()), life.boot(now()).map(|_| ()), life.seed().map(|_| ())];
        for refused in refused {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Uninitialized), "{error}");
            assert!(error.to_string().contains("boot the life"), "{error}");
        }
        assert!(documents(workspace.as_ref()).is_empty());

        // A life that lacks one of the documents of who the agent is has groups all the same.
        put(workspace.as_ref(), "SOUL.md", "# Soul\n");
        begin().unwrap();
        assert_eq!(life.boot(now()).unwrap().state, BootState::Ready);
        assert_eq!(text(workspace.as_ref(), "AGENTS.md"), None, "a group cannot write it");
    });
}
