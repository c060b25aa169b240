//! A life by day, as a host lives it: what each session is told, what a turn leaves behind, and what stands
//! whatever happens.

#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

mod day_seed;
mod day_turn;
mod presets;
mod prompt;
mod readers;
mod receipts;
mod turns;
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::workspace::StateName;
use noctuary::{FileWorkspace, Life, LifeConfig, Session, Workspace, WriteMode};
use noctuary_tests::common::marta::{access, agent as private, documents, name, quick};
use tempfile::TempDir;

fn at(day: u32, hour: u32, minute: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, hour, minute, 0).unwrap()
}

fn begin(life: &Life, id: &str, now: DateTime<Utc>) -> Session {
    life.begin_session(private(), id, "repl", now).unwrap()
}

fn put(workspace: &dyn Workspace, document: &str, bytes: impl AsRef<[u8]>) {
    workspace.write(&name(document), bytes.as_ref(), WriteMode::Replace).unwrap();
}

fn bytes(workspace: &dyn Workspace, document: &str) -> Vec<u8> {
    workspace.read(&name(document)).unwrap().unwrap().into_bytes()
}

fn text(workspace: &dyn Workspace, document: &str) -> String {
    String::from_utf8(bytes(workspace, document)).unwrap()
}

/// Every document, and the state beside them.
fn everything(workspace: &dyn Workspace) -> BTreeMap<String, Vec<u8>> {
    let mut found = documents(workspace);
    for state in [
        StateName::DREAMED,
        StateName::QUARANTINE,
        StateName::LEDGER,
        StateName::INTENT,
        StateName::LOG,
        StateName::SOUL,
        StateName::LIFE,
    ] {
        found.extend(
            workspace.read(&state).unwrap().map(|state_file| (state.to_string(), state_file.into_bytes())),
        );
    }
    found
}

/// The names of what differs.
fn changed(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

/// The workspace of a folder: the folder itself, or a SQLite file in it.
fn open(kind: usize, folder: &Path) -> Option<Arc<dyn Workspace>> {
    let workspace: Arc<dyn Workspace> = match kind {
        0 => Arc::new(FileWorkspace::open(folder).unwrap()),
        1 => {
            let file = folder.join("life.db");
            Arc::new(noctuary::SqliteWorkspace::open(file, noctuary::Scope::user("marta")).unwrap())
        }
        _ => return None,
    };
    Some(workspace)
}

/// An empty workspace: in a folder, or in a SQLite file.
fn home(kind: usize) -> Option<(TempDir, Arc<dyn Workspace>)> {
    let folder = quick();
    let workspace = open(kind, folder.path())?;
    Some((folder, workspace))
}

/// One of each.
fn homes() -> impl Iterator<Item = (TempDir, Arc<dyn Workspace>)> {
    (0..).map_while(home)
}

/// Lives in each home: seeded, and past its onboarding.
fn in_each_home(config: &LifeConfig, test: impl Fn(&Life)) {
    for (_folder, workspace) in homes() {
        let life = Life::new(workspace, config.clone());
        life.boot(at(20, 8, 0)).unwrap();
        begin(&life, "first", at(20, 8, 1))
            .end_turn("BOOTSTRAP_DONE", noctuary::life::TurnEnd::default(), at(20, 8, 2))
            .unwrap();
        test(&life);
    }
}

/// WS-20: a host that went straight to its first session got a prompt without a soul, since only a boot seeded.
#[test]
fn a_session_in_an_empty_workspace_is_seeded_before_it_is_told_anything() {
    for (_folder, workspace) in homes() {
        let life = Life::new(workspace, LifeConfig::default());
        let mut session = begin(&life, "first", at(20, 8, 0));
        let prompt = session.prompt(&[]).unwrap();
        assert!(prompt.block("bootstrap").is_some(), "the first session asks whom it serves");
        let seeded = documents(life.workspace().as_ref());
        assert_eq!(seeded.len(), 7, "{:?}", seeded.keys());
        drop(session);
        begin(&life, "second", at(20, 9, 0));
        assert_eq!(documents(life.workspace().as_ref()), seeded, "and nothing is seeded again");
    }
    // What a person took away is not brought back by a session, and their own words stand.
    for (_folder, workspace) in homes() {
        put(workspace.as_ref(), "SOUL.md", "I am mine.\n");
        let life = Life::new(workspace, LifeConfig::default());
        begin(&life, "first", at(20, 8, 0));
        assert_eq!(documents(life.workspace().as_ref()).keys().collect::<Vec<_>>(), ["SOUL.md"]);
    }
}

/// VW-23, JR-10: the names of the seed's calls, over what they stand for.
#[test]
fn the_calls_of_the_seed_have_their_names() {
    in_each_home(&LifeConfig::default(), |life| {
        let mut session = begin(life, "one", at(21, 9, 0));
        session.append_daily_log("Started on the gateway.", at(21, 9, 14)).unwrap();
        let whole = session.prompt(&[]).unwrap().to_string();
        assert_eq!(session.system_prompt().unwrap(), whole);
        let log = life.today_log(at(21, 12, 0)).unwrap();
        assert!(
            log[0].1.lossy().ends_with("- [09:14:00] [agent] Started on the gateway.\n"),
            "{}",
            log[0].1.lossy()
        );
        assert_eq!(life.daily_log(at(21, 0, 0).date_naive()).unwrap().len(), log.len());
    });
}
