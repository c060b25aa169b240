//! Files that people hand over: whole or not there, in their own folder, out of sight of others.
#![allow(clippy::unwrap_used, reason = "helpers of a test panic with what does not hold")]

mod exchange;
#[cfg(unix)]
mod kills;
mod messages;
mod objects;
mod tables;

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::files::{FileKey, FileLimits, FileStore, LocalFileStore, NewFile};
use noctuary::testing::contract::files::files;
use noctuary::testing::{Fault, Faults, FaultyDisk, MemoryDisk};
use noctuary::workspace::Digest;
use noctuary::{Access, Error, Scope};

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

fn marta() -> Scope {
    Scope::user("marta")
}

fn human() -> Access {
    Access::human(marta())
}

fn put(store: &dyn FileStore, bytes: &[u8]) -> noctuary::Result<FileKey> {
    Ok(store.put(&human(), &NewFile::new("bin"), &mut &*bytes, now())?.key)
}

/// All files below a folder, with their paths.
fn tree(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("it is a folder") {
            let path = entry.expect("it is listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).expect("it is below").display().to_string());
            }
        }
    }
    found
}

// AF-12 to AF-14, AF-17 to AF-19: the suite, in a folder and on a disk in memory.
#[test]
fn a_folder_keeps_the_contract() {
    files(&|| {
        let folder = tempfile::tempdir().unwrap();
        Box::new(move |scope, limits| {
            Arc::new(LocalFileStore::open_with(folder.path(), scope, limits).unwrap())
        })
    });
    files(&|| {
        let disk = MemoryDisk::new();
        Box::new(move |scope, limits| {
            Arc::new(LocalFileStore::on_disk(Arc::new(disk.clone()), scope, limits).unwrap())
        })
    });
}

// AF-14, AF-17: nothing is left of what was refused, and nothing stands outside of the two folders.
#[test]
fn what_is_refused_leaves_nothing_and_what_is_kept_stays_in_its_folders() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let whole = vec![1; 20 << 20];
    assert!(put(&store, &whole).is_ok());
    let larger = put(&store, &[whole, vec![1]].concat());
    assert!(matches!(larger, Err(Error::TooLarge { limit, .. }) if limit == 20 << 20));
    for extension in ["../svg", "svg;x", "html\0", "/etc/passwd"] {
        store.put(&human(), &NewFile::new(extension), &mut &b"<script>"[..], now()).unwrap();
    }
    assert_eq!(tree(&folder.path().join("chat")).len(), 5, "nothing is left of what was refused");
    let is_ours = |path: &String| path.starts_with("chat/files/marta/") || path.starts_with(".dreaming.d/");
    assert!(tree(folder.path()).iter().all(is_ours));
}

// AF-19: a line that a power loss tore does not swallow the next record.
#[test]
fn a_torn_record_of_a_removal_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let (one, two) = (put(&store, b"one").unwrap(), put(&store, b"two").unwrap());
    store.delete(&human(), &one, now()).unwrap();
    let log = folder.path().join(".dreaming.d/removals.jsonl");
    let whole = std::fs::read(&log).unwrap();
    std::fs::write(&log, [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
    store.delete(&human(), &two, now()).unwrap();
    let removed: Vec<FileKey> =
        store.removals(&human(), 9).unwrap().into_iter().map(|removal| removal.key).collect();
    assert_eq!(removed, [two, one]);
}

// AF-01
#[cfg(unix)]
#[test]
fn roots_that_share_a_folder_are_refused_also_through_links() {
    use noctuary::files::roots_apart;
    let data = tempfile::tempdir().unwrap();
    let path = |name: &str| data.path().join(name);
    for name in ["workspace", "sandbox", "uploads", "uploads/inner", "uploads-2"] {
        std::fs::create_dir(path(name)).unwrap();
    }
    std::os::unix::fs::symlink(path("uploads"), path("link")).unwrap();
    std::os::unix::fs::symlink(path("uploads/inner"), path("sandbox/link")).unwrap();
    let apart = |names: &[&str]| {
        let paths: Vec<_> = names.iter().map(|name| path(name)).collect();
        roots_apart(&paths.iter().map(std::path::PathBuf::as_path).collect::<Vec<_>>())
    };
    apart(&["workspace", "sandbox", "uploads", "uploads-2"]).unwrap();
    for shared in [
        ["uploads", "uploads"],
        ["uploads", "uploads/inner"],
        ["uploads/inner", "uploads"],
        ["uploads", "link"],
        ["uploads", "sandbox/link"],
        ["workspace", "uploads/../workspace"],
    ] {
        assert!(matches!(apart(&shared), Err(Error::Config { setting: "roots", .. })), "{shared:?}");
    }
    apart(&["workspace", "later"]).unwrap();
    for later in [["uploads", "uploads/later"], ["uploads", "link/later"]] {
        assert!(apart(&later).is_err(), "a folder that does not exist yet: {later:?}");
    }
}

// AF-12, AF-13
#[test]
fn a_file_is_kept_under_its_key_for_its_owner_alone_and_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let bytes: Vec<u8> = (0..200_000u32).map(|at| (at % 251) as u8).collect();
    let stored = store.put(&human(), &NewFile::named("Berth plan.PNG"), &mut &*bytes, now()).unwrap();
    assert_eq!(stored.key.as_str().split('-').next(), Some("chat/files/marta/1795251600000"));
    assert_eq!((stored.key.extension(), stored.len, stored.media_type()), ("png", 200_000, "image/png"));
    assert_eq!(stored.sha256, Digest::of(&bytes));
    let path = Path::new(&stored.url);
    assert_eq!(std::fs::read(path).unwrap(), bytes, "the address is its path");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(store.read(&human(), &stored.key, 0..u64::MAX).unwrap(), bytes);
    assert_eq!(store.read(&human(), &stored.key, 199_990..300_000).unwrap(), bytes[199_990..]);
    assert_eq!(store.read(&human(), &stored.key, 300_000..300_001).unwrap(), b"");
    assert_eq!(store.get(&human(), &stored.key).unwrap(), stored);
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let key = put(&store, b"mine").unwrap();
    let path = folder.path().join(key.as_str());
    std::fs::write(outside.path().join("theirs"), "theirs").unwrap();
    std::fs::remove_file(&path).unwrap();
    symlink(outside.path().join("theirs"), &path).unwrap();
    assert!(store.read(&human(), &key, 0..9).is_err());
    let other = tempfile::tempdir().unwrap();
    symlink(outside.path(), other.path().join("chat")).unwrap();
    let led = LocalFileStore::open(other.path(), marta());
    assert!(led.is_err() || put(&led.unwrap(), b"x").is_err());
    assert_eq!(tree(outside.path()).len(), 1, "nothing was written there");
}

/// Fails after some bytes.
struct Torn(usize);

impl Read for Torn {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(self.0);
        self.0 -= len;
        if len == 0 { Err(io::Error::other("the connection is gone")) } else { Ok(len) }
    }
}

#[test]
fn half_an_upload_is_never_seen_and_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let torn = store.put(&human(), &NewFile::default(), &mut Torn(100_000), now());
    assert!(matches!(torn, Err(Error::Io { .. })), "{torn:?}");
    assert!(tree(&folder.path().join("chat")).is_empty());
    // What a process left that was killed: bytes without a record.
    let user = folder.path().join("chat/files/marta");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(user.join("1795251600000-3f9b95c40c6126e13f9b95c40c6126e1.bin"), "half").unwrap();
    let kept = put(&store, b"whole").unwrap();
    assert_eq!(store.list(&human(), None, 9).unwrap().len(), 1, "half a file is not listed");
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    assert_eq!(tree(&folder.path().join("chat")).len(), 1, "the next open removes it");
    assert_eq!(store.read(&human(), &kept, 0..9).unwrap(), b"whole");
}

// Each operation of the disk fails once, or the process ends there: what was acknowledged is there, and nothing half.
#[test]
fn a_fault_or_an_end_at_each_operation_loses_nothing_and_shows_nothing_half() {
    let bytes = vec![9; 150_000];
    let run = |armed: Option<(u64, Fault)>| {
        let (disk, faults) = (MemoryDisk::new(), Faults::new());
        if let Some((at, fault)) = armed {
            faults.arm(at, fault);
        }
        let broken = FaultyDisk::new(Arc::new(disk.clone()), faults.clone());
        let mut acknowledged = Vec::new();
        let mut deleted = None;
        if let Ok(store) = LocalFileStore::on_disk(Arc::new(broken), marta(), FileLimits::default()) {
            acknowledged.extend(put(&store, &bytes));
            acknowledged.extend(put(&store, b"second"));
            if let Some(key) = acknowledged.first().cloned()
                && store.delete(&human(), &key, now()).is_ok()
            {
                deleted = Some(key);
            }
        }
        let operations = faults.seen().len() as u64;
        let after = LocalFileStore::on_disk(Arc::new(disk), marta(), FileLimits::default()).unwrap();
        let listed: Vec<FileKey> =
            after.list(&human(), None, 9).unwrap().into_iter().map(|file| file.key).collect();
        for key in &listed {
            let stored = after.get(&human(), key).unwrap();
            let read = after.read(&human(), key, 0..u64::MAX).unwrap();
            assert_eq!(
                (stored.len, stored.sha256),
                (read.len() as u64, Digest::of(&read)),
                "{armed:?}: half a file"
            );
        }
        for (at, key) in acknowledged.iter().enumerate() {
            let may_be_gone = at == 0;
            assert!(may_be_gone || listed.contains(key), "{armed:?}: an acknowledged file is lost");
        }
        if let Some(key) = &deleted {
            assert!(!listed.contains(key), "{armed:?}: what was deleted is back");
        }
        (operations, acknowledged.len(), deleted.is_some())
    };
    let (operations, acknowledged, deleted) = run(None);
    assert!(operations > 20 && acknowledged == 2 && deleted, "{operations}");
    let mut failed = 0;
    for at in 1..=operations {
        for kind in [io::ErrorKind::Other, io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied] {
            let (_, acknowledged, deleted) = run(Some((at, Fault::Error(kind))));
            failed += u64::from(acknowledged < 2 || !deleted);
        }
    }
    assert!(failed > operations, "{failed} of {}", operations * 3);
}

#[test]
fn eight_writers_and_openers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<FileKey> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let path = folder.path();
                scope.spawn(move || {
                    let mut keys = Vec::new();
                    for round in 0..12 {
                        // Each opening sweeps.
                        let store = LocalFileStore::open(path, marta()).unwrap();
                        keys.push(put(&store, format!("{writer} {round}").repeat(5_000).as_bytes()).unwrap());
                    }
                    keys
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let listed: BTreeSet<FileKey> =
        store.list(&human(), None, usize::MAX).unwrap().into_iter().map(|file| file.key).collect();
    assert_eq!(listed, keys.into_iter().collect());
    assert_eq!(tree(&folder.path().join("chat")).len(), 96, "no orphan is left");
}
