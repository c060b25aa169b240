//! Kill -9 at random, eight processes at once, over files and artifacts; and the memory that a large upload takes.
//!
//! ```text
//! NOCTUARY_FILE_KILLS=2000 cargo test --release -p noctuary-tests --test fast files::killed -- --include-ignored --nocapture
//! ```

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use noctuary::FileArtifactStore;
use noctuary::artifacts::{
    ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactStatus, ArtifactStore, NewArtifact,
};
use noctuary::files::{FileKey, FileStore, LocalFileStore, NewFile};
use noctuary::workspace::Digest;

use super::{human, marta, tree};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::{Peer, role, tell};

const HERE: &str = module_path!();
/// So many kills in an ordinary run, over all homes.
const KILLS: usize = 48;
const PROCESSES: usize = 8;
const HOMES: [&str; 3] = ["files", "artifacts", "artifacts-sqlite"];

fn now() -> DateTime<Utc> {
    Utc::now()
}

fn artifacts(home: &str, folder: &Path) -> Box<dyn ArtifactStore> {
    if home == "artifacts-sqlite" {
        return Box::new(noctuary::SqliteArtifactStore::open(folder.join("life.db"), marta()).unwrap());
    }
    assert_eq!(home, "artifacts");
    Box::new(FileArtifactStore::open(folder, marta()).unwrap())
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let chance = Dice((u64::from(std::process::id()) << 20) ^ u64::from(now().timestamp_subsec_nanos()));
    match role.as_str() {
        "streams" => streams(&folder),
        "files" => keep_files(&folder, chance),
        home => make_artifacts(artifacts(home, &folder).as_ref(), chance),
    }
}

fn keep_files(folder: &Path, mut chance: Dice) -> ! {
    loop {
        // Each opening sweeps, while others write.
        let store = LocalFileStore::open(folder, marta()).unwrap();
        for _ in 0..4 {
            let len = chance.below(200_000);
            let bytes = vec![chance.roll().to_le_bytes()[0]; len];
            let stored = store.put(&human(), &NewFile::new("bin"), &mut &*bytes, now()).unwrap();
            tell(&format!("kept {} {}", stored.key, Digest::of(&bytes)));
            if chance.below(4) == 0 {
                tell(&format!("removing {} -", stored.key));
                store.delete(&human(), &stored.key, now()).unwrap();
                tell(&format!("removed {} -", stored.key));
            }
        }
    }
}

fn make_artifacts(store: &dyn ArtifactStore, mut chance: Dice) -> ! {
    loop {
        let id = store.insert(&human(), &NewArtifact::new(ArtifactKind::Report, "x"), now()).unwrap();
        tell(&format!("begun {id} -"));
        let text = "line\n".repeat(chance.below(20_000) + 1);
        let data = ArtifactData::markdown(text.clone());
        store.update(&human(), &id, &data, now()).unwrap();
        store.mark_completed(&human(), &id, &data, now()).unwrap();
        tell(&format!("kept {id} {}", Digest::of(text.as_bytes())));
        if chance.below(4) == 0 {
            tell(&format!("removing {id} -"));
            store.delete(&human(), &id, now()).unwrap();
            tell(&format!("removed {id} -"));
        }
    }
}

/// What processes said of each file or artifact, in order.
type Said = BTreeMap<String, Vec<(String, String)>>;

/// Starts processes on a folder and kills each at a time of its own; returns what they said.
fn killed(home: &str, folder: &Path, chance: &mut Dice) -> Said {
    let mut said = Said::new();
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..PROCESSES)
            .map(|_| {
                let wait = Duration::from_micros(chance.below(60_000));
                scope.spawn(move || {
                    let mut peer = Peer::start(HERE, home, folder);
                    let mut lines: Vec<String> = peer.hear().into_iter().collect();
                    std::thread::sleep(wait);
                    peer.child.kill().unwrap();
                    lines.extend(std::iter::from_fn(|| peer.hear()));
                    lines
                })
            })
            .collect();
        for line in readers.into_iter().flat_map(|reader| reader.join().unwrap()) {
            // The last line may be cut.
            if let [what, of, hash] = line.split(' ').collect::<Vec<_>>()[..]
                && (hash == "-" || hash.len() == 64)
            {
                said.entry(of.to_owned()).or_default().push((what.to_owned(), hash.to_owned()));
            }
        }
    });
    said
}

fn last<'a>(said: &'a [(String, String)], what: &str) -> Option<&'a str> {
    said.iter().rev().find(|(found, _)| found == what).map(|(_, hash)| hash.as_str())
}

fn check_files(folder: &Path, said: &Said) {
    let store = LocalFileStore::open(folder, marta()).unwrap();
    let listed: BTreeSet<FileKey> =
        store.list(&human(), None, usize::MAX).unwrap().into_iter().map(|file| file.key).collect();
    for key in &listed {
        let stored = store.get(&human(), key).unwrap();
        let bytes = store.read(&human(), key, 0..u64::MAX).unwrap();
        let read = (bytes.len() as u64, Digest::of(&bytes));
        assert_eq!((stored.len, stored.sha256), read, "half a file: {key}");
    }
    for (key, said) in said {
        let key = FileKey::parse(key.as_str()).unwrap();
        if last(said, "removed").is_some() {
            assert!(!listed.contains(&key), "what was removed is back: {key}");
        } else if let (Some(hash), None) = (last(said, "kept"), last(said, "removing")) {
            let stored = store.get(&human(), &key).unwrap_or_else(|error| panic!("lost: {key}: {error}"));
            assert_eq!(stored.sha256.to_string(), hash, "{key}");
        }
    }
    let names = tree(folder);
    let bytes = names.iter().filter(|path| path.starts_with("chat/")).count();
    let records = names.iter().filter(|path| path.starts_with(".dreaming.d/files/")).count();
    assert_eq!((bytes, records), (listed.len(), listed.len()), "orphans: {names:?}");
}

fn check_artifacts(home: &str, folder: &Path, said: &Said) {
    let store = artifacts(home, folder);
    let all = store.list(&human(), &ArtifactFilter::default().limit(usize::MAX)).unwrap();
    for artifact in &all {
        let whole = store.get(&human(), &artifact.id).unwrap();
        assert!(whole.status == ArtifactStatus::Running || whole.data.is_some(), "half of one: {}", whole.id);
    }
    for (id, said) in said {
        let id: ArtifactId = id.parse().unwrap();
        let found = store.get(&human(), &id);
        if last(said, "removed").is_some() {
            assert!(found.is_err(), "what was removed is back: {id}");
        } else if last(said, "removing").is_none() {
            let found = found.unwrap_or_else(|error| panic!("lost: {id}: {error}"));
            if let Some(hash) = last(said, "kept") {
                let Some(ArtifactData::Report { text, .. }) = &found.data else { panic!("no report: {id}") };
                assert_eq!(found.status, ArtifactStatus::Completed);
                assert_eq!(Digest::of(text.as_bytes()).to_string(), hash);
            }
        }
    }
    if home == "artifacts" {
        // Whoever opens it next leaves nothing behind of what was cut short.
        let is_known = |path: &str| path.ends_with(".json") || path == ".dreaming.d/write-guard";
        let is_strange = |path: &String| !is_known(path) && !path.ends_with(".gitignore");
        let strange: Vec<String> = tree(folder).into_iter().filter(is_strange).collect();
        assert!(strange.is_empty(), "orphans: {strange:?}");
    }
}

// BX-17, BX-28
#[test]
#[ignore = "sweep"]
fn killed_processes_lose_no_acknowledged_byte_and_leave_no_half() {
    let asked = std::env::var("NOCTUARY_FILE_KILLS").ok();
    let kills: usize = asked.map_or(KILLS, |asked| asked.parse().unwrap());
    let mut chance = Dice(u64::from(std::process::id()));
    let (mut done, mut acknowledged) = (0, 0);
    while done < kills {
        for home in HOMES {
            let folder = tempfile::tempdir().unwrap();
            let mut said = Said::new();
            // Twice in one life: the second ones find what the first ones left.
            for _ in 0..2 {
                said.extend(killed(home, folder.path(), &mut chance));
                done += PROCESSES;
            }
            acknowledged += said.values().filter(|said| last(said, "kept").is_some()).count();
            match home {
                "files" => check_files(folder.path(), &said),
                home => check_artifacts(home, folder.path(), &said),
            }
        }
    }
    println!("{done} kills, {acknowledged} acknowledged, 0 lost, 0 halves, 0 orphans");
    assert!(acknowledged > done / 4, "too little was done: {acknowledged}");
}

/// Bytes without a place in memory.
struct Made(u64);

impl Read for Made {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
        buffer[..len].fill(7);
        self.0 -= len as u64;
        Ok(len)
    }
}

/// The most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn streams(folder: &Path) {
    let store = LocalFileStore::open(folder, marta()).unwrap();
    let put = |len| store.put(&human(), &NewFile::new("bin"), &mut Made(len), now()).unwrap();
    let small = put(100_000);
    store.read(&human(), &small.key, 0..65_536).unwrap();
    let idle = peak();
    let large = put(20 << 20);
    for at in (0..large.len).step_by(65_536) {
        store.read(&human(), &large.key, at..at + 65_536).unwrap();
    }
    tell(&format!("{} {}", idle, peak() - idle));
}

#[cfg(target_os = "linux")]
#[test]
fn twenty_megabytes_pass_in_constant_memory() {
    let folder = tempfile::tempdir().unwrap();
    let said = Peer::start(HERE, "streams", folder.path()).finish();
    let grown: u64 = said[0].split_once(' ').unwrap().1.parse().unwrap();
    println!("idle and grown, in KiB: {}", said[0]);
    assert!(grown <= 2 << 10, "{grown} KiB for 20 MiB");
}
