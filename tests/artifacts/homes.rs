//! The suite on both homes, quotas, faults, several handles at once.

use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeZone, Utc};
use noctuary::artifacts::{
    ArtifactData, ArtifactEvent, ArtifactFilter, ArtifactKind, ArtifactObserver, ArtifactStatus,
    ArtifactStore, NewArtifact,
};
use noctuary::exchange::{Forget, ForgetPlace};
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::store::ArtifactConfig;
use noctuary::testing::contract::artifacts::artifacts;
use noctuary::testing::{Fault, Faults, FaultyDisk, MemoryDisk};
use noctuary::tools::Toolbox;
use noctuary::{Access, Error, FileArtifactStore, Scope};
use serde_json::{Value, json};

pub(crate) fn marta() -> Scope {
    Scope::user("marta")
}

pub(crate) fn agent() -> Access {
    Access::agent(marta())
}

pub(crate) fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

type Open = fn(&Path, ArtifactConfig) -> Arc<dyn ArtifactStore>;

const HOMES: &[(&str, Open)] = &[
    ("files", |path, config| Arc::new(FileArtifactStore::open_with(path, marta(), config).unwrap())),
    ("sqlite", |path, config| {
        Arc::new(noctuary::SqliteArtifactStore::open_with(path.join("life.db"), marta(), config).unwrap())
    }),
    ("postgres", |path, config| {
        Arc::new(noctuary_tests::common::server::at(path).artifacts_with(marta(), config).unwrap())
    }),
];

/// The homes that this machine has.
pub(crate) fn homes() -> &'static [(&'static str, Open)] {
    if noctuary_tests::common::server::url().is_none() {
        return &HOMES[..HOMES.len() - 1];
    }
    HOMES
}

#[test]
fn every_home_keeps_the_contract() {
    for (_, open) in homes() {
        let folders = Mutex::new(Vec::new());
        artifacts(&|| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), ArtifactConfig::default());
            folders.lock().unwrap().push(folder);
            store
        });
    }
    artifacts(&|| Arc::new(noctuary::SqliteArtifactStore::open_in_memory(marta()).unwrap()));
}

// A database that keeps no zero character keeps another in its place, which may not be seen by a caller.
#[test]
fn every_character_comes_back_as_it_was_made() {
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), ArtifactConfig::default());
        for title in ["Q3 \u{10fffe}0", "Q3 \u{10fffe}", "Quý 3 báo cáo"] {
            let id = store.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, title), now()).unwrap();
            let text = format!("a\0b {title}");
            store.mark_completed(&agent(), &id, &ArtifactData::markdown(&text), now()).unwrap();
            let found = store.get(&agent(), &id).unwrap();
            assert_eq!(found.title, title, "{home}");
            assert_eq!(found.data, Some(ArtifactData::markdown(&text)), "{home}");
        }
    }
}

#[test]
fn what_was_made_is_there_after_opening_again_and_for_its_scope_alone() {
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), ArtifactConfig::default());
        let id = store.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, "Q3"), now()).unwrap();
        let made = store.mark_completed(&agent(), &id, &ArtifactData::markdown("# Q3"), now()).unwrap();
        drop(store);
        let again = open(folder.path(), ArtifactConfig::default());
        assert_eq!(again.get(&agent(), &id).unwrap(), made, "{home}");
    }
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (marta(), Scope::user("jan"));
    let ours = FileArtifactStore::open(folder.path(), one).unwrap();
    let theirs = FileArtifactStore::open(folder.path(), other.clone()).unwrap();
    let id = ours.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, "Q3"), now()).unwrap();
    assert!(theirs.get(&Access::human(other.clone()), &id).is_err());
    assert!(theirs.list(&Access::human(other), &ArtifactFilter::default()).unwrap().is_empty());
}

#[derive(Debug, Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<String>>);

impl ArtifactObserver for Heard {
    fn event(&self, event: &ArtifactEvent) {
        self.0.lock().unwrap().push(event.name.to_string());
    }
}

#[test]
fn each_transition_is_heard_once_and_refusals_are_not() {
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let heard = Arc::new(Heard::default());
        let mut config = ArtifactConfig::default();
        config.observer = Some(heard.clone());
        let store = open(folder.path(), config);
        let begin =
            || store.insert(&agent(), &NewArtifact::new(ArtifactKind::Spreadsheet, "t"), now()).unwrap();
        let (one, other) = (begin(), begin());
        store.update(&agent(), &one, &ArtifactData::csv("a"), now()).unwrap();
        store.mark_completed(&agent(), &one, &ArtifactData::csv("a"), now()).unwrap();
        assert!(store.mark_completed(&agent(), &one, &ArtifactData::csv("a"), now()).is_err());
        store.mark_error(&agent(), &other, "no", now()).unwrap();
        store.delete(&agent(), &other, now()).unwrap();
        let expected = ["running", "running", "updated", "completed", "error", "deleted"];
        assert_eq!(*heard.0.lock().unwrap(), expected.map(|word| format!("artifact:{word}")), "{home}");
    }
}

#[test]
fn quotas_of_a_scope_hold_and_a_deletion_makes_room() {
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = ArtifactConfig::default();
        (config.max_artifacts, config.max_bytes, config.max_artifact_bytes) = (Some(2), Some(60), 50);
        let store = open(folder.path(), config);
        let begin = || store.insert(&agent(), &NewArtifact::new(ArtifactKind::Spreadsheet, "t"), now());
        let (one, other) = (begin().unwrap(), begin().unwrap());
        assert!(matches!(begin(), Err(Error::QuotaReached { limit: 2, .. })), "{home}");
        let of = |len: usize| ArtifactData::csv("a".repeat(len)); // {"csvContent":""} takes 17
        let large = store.mark_completed(&agent(), &one, &of(34), now());
        assert!(matches!(large, Err(Error::TooLarge { len: 51, limit: 50, .. })), "{home}: {large:?}");
        store.update(&agent(), &one, &of(33), now()).unwrap();
        store.mark_completed(&agent(), &one, &of(23), now()).unwrap(); // the draft gives its room back
        let full = store.mark_completed(&agent(), &other, &of(4), now());
        assert!(matches!(full, Err(Error::QuotaReached { limit: 60, .. })), "{home}: {full:?}");
        store.mark_completed(&agent(), &other, &of(3), now()).unwrap();
        assert!(store.delete(&agent(), &one, now()).unwrap());
        begin().unwrap();
    }
}

#[test]
fn handles_that_write_at_once_lose_nothing_and_end_each_artifact_once() {
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path(), ArtifactConfig::default());
        let race = first.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, "race"), now()).unwrap();
        let won = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let store = open(folder.path(), ArtifactConfig::default());
                    for number in 0..10 {
                        let new = NewArtifact::new(ArtifactKind::Report, format!("{number}"));
                        let id = store.insert(&agent(), &new, now()).unwrap();
                        store.mark_completed(&agent(), &id, &ArtifactData::markdown("# R"), now()).unwrap();
                    }
                    match store.mark_completed(&agent(), &race, &ArtifactData::markdown("# R"), now()) {
                        Ok(_) => *won.lock().unwrap() += 1,
                        Err(error) => assert!(matches!(error, Error::ArtifactEnded { .. }), "{error}"),
                    }
                });
            }
        });
        assert_eq!(*won.lock().unwrap(), 1, "{home}");
        let all = first.list(&agent(), &ArtifactFilter::default().limit(99)).unwrap();
        assert_eq!(all.iter().filter(|one| one.status == ArtifactStatus::Completed).count(), 41, "{home}");
        assert_eq!(first.audit(&agent(), 999).unwrap().len(), 82, "{home}");
    }
}

// Each operation of the disk fails once: what was acknowledged is there, what failed changed nothing, or all of it.
#[test]
fn a_fault_at_each_operation_leaves_an_artifact_as_it_was_or_as_it_should_be() {
    let all_verbs = |store: &dyn ArtifactStore| -> Vec<noctuary::Result<()>> {
        let begun = store.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, "Q3"), now());
        let Ok(id) = begun else { return vec![begun.map(drop)] };
        vec![
            Ok(()),
            store.update(&agent(), &id, &ArtifactData::markdown("# draft"), now()).map(drop),
            store.mark_completed(&agent(), &id, &ArtifactData::markdown("# Q3"), now()).map(drop),
            store.delete(&agent(), &id, now()).map(drop),
        ]
    };
    let run = |at: Option<u64>| -> (u64, Vec<noctuary::Result<()>>) {
        let disk = MemoryDisk::new();
        let faults = Faults::new();
        if let Some(at) = at {
            faults.arm(at, Fault::Error(std::io::ErrorKind::Other));
        }
        let broken = FaultyDisk::new(Arc::new(disk.clone()), faults.clone());
        let answers = match FileArtifactStore::on_disk(Arc::new(broken), marta(), ArtifactConfig::default()) {
            Ok(store) => all_verbs(&store),
            Err(_) => Vec::new(),
        };
        let after = FileArtifactStore::on_disk(Arc::new(disk), marta(), ArtifactConfig::default()).unwrap();
        let listed = after.list(&agent(), &ArtifactFilter::default()).unwrap();
        let actions: Vec<String> =
            after.audit(&agent(), 9).unwrap().into_iter().rev().map(|line| line.action).collect();
        for artifact in &listed {
            let whole = after.get(&agent(), &artifact.id).unwrap();
            assert_eq!(
                whole.status == ArtifactStatus::Completed,
                actions.contains(&"artifact_complete".to_owned())
            );
        }
        if answers.len() == 4 && answers[3].is_ok() {
            assert!(listed.is_empty(), "what was deleted stays deleted");
        }
        if answers.len() == 4 && answers[2].is_ok() && answers[3].is_err() && listed.len() == 1 {
            assert_eq!(listed[0].status, ArtifactStatus::Completed, "what was acknowledged is there");
        }
        (faults.seen().len() as u64, answers)
    };
    let (operations, answers) = run(None);
    assert!(answers.iter().all(Result::is_ok) && operations > 20, "{operations}");
    let mut failed = 0;
    for at in 1..=operations {
        let (_, answers) = run(Some(at));
        failed += u64::from(answers.is_empty() || answers.iter().any(Result::is_err));
    }
    assert!(failed > operations / 2, "{failed} of {operations}");
}

// BX-15: no byte is left in the home, and the receipt of a request has the place.
#[test]
fn a_request_to_forget_reaches_artifacts_and_leaves_no_byte() {
    const SAID: &str = "my landlord is Jan Kowalski";
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), ArtifactConfig::default());
        let id = store.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, SAID), now()).unwrap();
        let text = format!("{SAID}\n").repeat(500);
        store.mark_completed(&agent(), &id, &ArtifactData::markdown(text), now()).unwrap();
        let human = Access::human(marta());
        let receipt = Forget::new(&human, SAID).artifacts(store.as_ref()).run(now()).unwrap();
        let line = receipt.place(ForgetPlace::Artifacts);
        assert_eq!((line.found, line.removed, &line.left), (1, 1, &None), "{home}");
        let unasked = Forget::new(&human, SAID).run(now()).unwrap();
        assert!(unasked.place(ForgetPlace::Artifacts).left.is_some());
        let mut folders = vec![folder.path().to_owned()];
        while let Some(path) = folders.pop() {
            for entry in std::fs::read_dir(path).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let bytes = std::fs::read(&path).unwrap();
                assert!(!bytes.windows(8).any(|part| part == b"Kowalski"), "{home}: {}", path.display());
            }
        }
        assert!(Forget::new(&human, SAID).artifacts(store.as_ref()).lift(now()).unwrap());
    }
}

#[test]
fn tools_show_what_was_made_masked_and_in_parts() {
    for (home, open) in homes() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = ArtifactConfig::default();
        let unlocked = DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow);
        config.doors = Doors::default().policy(Door::WorkspaceWrite, unlocked).policy(Door::Tool, unlocked);
        let store = open(folder.path(), config);
        let begin = |title: &str| {
            store.insert(&agent(), &NewArtifact::new(ArtifactKind::Report, title), now()).unwrap()
        };
        let (long, keyed) = (begin("long"), begin("key AKIAIOSFODNN7EXAMPLE"));
        let words = "é word ".repeat(6_000);
        store.mark_completed(&agent(), &long, &ArtifactData::markdown(words.clone()), now()).unwrap();
        store.mark_error(&agent(), &keyed, "no answer", now()).unwrap();
        let tools = Toolbox::without_documents(agent()).artifacts(store.clone());
        let call = |name: &str, arguments: Value| tools.call(name, &arguments, now());
        let listed = call("artifact_list", json!({})).unwrap();
        assert_eq!(listed["artifacts"].as_array().unwrap().len(), 2, "{home}");
        assert!(
            listed.to_string().contains("[REDACTED:aws_access_key") && !listed.to_string().contains("AKIA")
        );
        let failed = call("artifact_list", json!({"status": "error", "kind": "report", "limit": 1})).unwrap();
        assert_eq!(failed["artifacts"][0]["error"], "no answer");
        let page = call("artifact_list", json!({"after": listed["artifacts"][0]["uri"]})).unwrap();
        assert_eq!(page["artifacts"].as_array().unwrap().len(), 1);
        let (mut read, mut offset) = (String::new(), 0);
        loop {
            let part =
                call("artifact_get", json!({"uri": format!("report://{long}"), "offset": offset})).unwrap();
            let text = part["markdown"].as_str().unwrap();
            assert!(text.len() < 24 << 10);
            read.push_str(text);
            offset += text.len();
            if part["cut"].is_null() {
                break;
            }
        }
        assert_eq!(read, words);
        for (arguments, why) in [
            (json!({"uri": "report://r-made-up"}), "There is no artifact"),
            (json!({"uri": format!("chart://{long}")}), "There is no artifact"),
            (json!({"uri": format!("report://{long}"), "offset": 1}), "inside of a character"),
            (json!({"uri": format!("report://{long}"), "scope": "jan"}), "does not take"),
        ] {
            let refused = call("artifact_get", arguments.clone()).unwrap_err();
            assert!(refused.message().contains(why), "{arguments}: {refused}");
        }
        let group = Toolbox::without_documents(Access::shared(marta())).artifacts(store.clone());
        assert_eq!(group.call("artifact_list", &json!({}), now()).unwrap(), json!({"artifacts": []}));
        assert!(group.call("artifact_get", &json!({"uri": format!("report://{long}")}), now()).is_err());
    }
}
