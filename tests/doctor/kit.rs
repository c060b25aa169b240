//! Lives to look at, and the hash of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::exchange::Forget;
use noctuary::facts::{Decision, FactKey, FactStore};
use noctuary::format::Origin;
use noctuary::memory::{LearningStore, NewLearning, NewMemory, Source, categories};
use noctuary::{
    Access, Extractive, JournalDreamer, Life, LifeConfig, MemoryStore, Note, Scope, Workspace, dream_once_at,
};

pub(crate) fn at(day: u32, hour: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, hour, 0, 0).unwrap()
}

pub(crate) fn now() -> DateTime<Utc> {
    at(22, 9)
}

/// Lives two days, dreams once, and remembers in rows.
pub(crate) fn live<S>(workspace: &Arc<dyn Workspace>, store: &S)
where
    S: MemoryStore + FactStore + LearningStore,
{
    let scope = Scope::user("marta");
    let (human, agent) = (Access::human(scope.clone()), Access::agent(scope));
    let life = Life::new(Arc::clone(workspace), LifeConfig::default());
    life.boot(at(19, 9)).unwrap();
    let mut session = life.begin_session(agent.clone(), "repl", "repl", at(19, 10)).unwrap();
    session.note(&Note::decision("Releases go out on Fridays.").from(Origin::User), at(19, 11)).unwrap();
    session.flush().unwrap();
    let dreamer = JournalDreamer::builder(Arc::clone(workspace)).enabled(true).build().unwrap();
    let report = dream_once_at(&dreamer, &Extractive::new(), &|| at(20, 3)).unwrap();
    assert_eq!(report.promoted().count(), 1, "{report}");
    let home = |town: &str| {
        NewMemory::new(categories::FACT, format!("Marta lives in {town}"), Source::ChatExtracted)
            .about(FactKey::one("marta", "home"))
    };
    let lisbon = store.record(&agent, &home("Lisbon"), at(20, 9)).unwrap();
    let porto = store.record(&agent, &home("Porto"), at(20, 10)).unwrap();
    store.settle(at(20, 11)).unwrap();
    store.decide(&human, &Decision::supersede(lisbon.id, porto.id).because("she moved"), at(20, 12)).unwrap();
    let tea = NewMemory::new("preference", "Takes tea without milk", Source::UserManual);
    let tea = store.write(&human, &tea, at(20, 13)).unwrap();
    store.pin(&human, tea, true, at(20, 14)).unwrap();
    store.learn(&agent, &NewLearning::new("Ask before a long job.").context("a build"), at(20, 15)).unwrap();
    store.set_profile(&human, "timezone", "Europe/Lisbon", at(20, 16)).unwrap();
    Forget::new(&human, "the landlord is called Jan")
        .store(store)
        .workspace(workspace)
        .run(at(20, 17))
        .unwrap();
}

/// Returns every file below a folder with its bytes, its mode, and its time of change.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, (Vec<u8>, u32, Option<std::time::SystemTime>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let bytes = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            all.insert(name, (bytes, mode(&metadata), metadata.modified().ok()));
        }
    }
    all
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata)
}

#[cfg(not(unix))]
fn mode(_metadata: &fs::Metadata) -> u32 {
    0
}

/// Copies a folder with modes and links.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, from.metadata().unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// A row of words without an end, for lives at random.
pub(crate) fn word(number: u64) -> String {
    const WORDS: [&str; 12] = [
        "harbour", "ferry", "tea", "garden", "release", "Porto", "violin", "paint", "bicycle", "letter",
        "bread", "lamp",
    ];
    let pick = |by: u64| WORDS[usize::try_from(number / by).unwrap() % WORDS.len()];
    format!("{} {} {} {number}", pick(1), pick(12), pick(144))
}

pub(crate) fn later(hours: u64) -> DateTime<Utc> {
    at(20, 0) + TimeDelta::hours(i64::try_from(hours).unwrap())
}
