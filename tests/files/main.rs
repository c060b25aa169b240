//! Files that people hand over: whole or not there, in their own folder, out of sight of others.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::files::{FileKey, FileLimits, FileStore, LocalFileStore, NewFile};
use noctuary::testing::{Fault, Faults, FaultyDisk, MemoryDisk};
use noctuary::workspace::Digest;
use noctuary::{Access, Actor, Error, Scope, SessionKind};

#[allow(clippy::unwrap_used, reason = "a day that exists")]
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

/// Gives bytes without end, and counts them.
struct Endless(u64);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        buffer.fill(7);
        self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

// AF-14
#[test]
fn the_limit_stops_an_upload_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let limit = 20 << 20;
    let whole = vec![1; limit];
    assert!(put(&store, &whole).is_ok());
    assert!(
        matches!(put(&store, &[whole, vec![1]].concat()), Err(Error::TooLarge { limit, .. }) if limit == 20 << 20)
    );
    let mut endless = Endless(0);
    assert!(store.put(&human(), &NewFile::default(), &mut endless, now()).is_err());
    assert!(endless.0 <= (20 << 20) + (64 << 10), "it was read on: {}", endless.0);
    assert_eq!(store.list(&human(), None, 99).unwrap().len(), 1);
    assert_eq!(tree(&folder.path().join("chat")).len(), 1, "nothing is left of what was refused");
    let mut limits = FileLimits::default();
    limits.scope_bytes = Some(10);
    let small = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open_with(small.path(), marta(), limits).unwrap();
    assert!(put(&store, b"12345678").is_ok());
    assert!(matches!(put(&store, b"123"), Err(Error::QuotaReached { limit: 10, .. })));
    assert!(put(&store, b"12").is_ok());
}

// AF-18
#[test]
fn a_key_of_another_scope_or_of_a_private_file_reads_as_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let private = put(&store, b"mine").unwrap();
    let group = Access::shared(marta());
    let shared = store.put(&group, &NewFile::new("txt"), &mut &b"ours"[..], now()).unwrap();
    assert!(shared.is_shared);
    assert_eq!(store.read(&group, &shared.key, 0..9).unwrap(), b"ours");
    assert_eq!(store.list(&group, None, 9).unwrap().len(), 1);
    assert_eq!(store.list(&human(), None, 9).unwrap().len(), 2);
    let ivos = LocalFileStore::open(folder.path(), Scope::user("ivo")).unwrap();
    let mut agent_of_marta = marta();
    agent_of_marta.agent = "other".to_owned();
    let others = LocalFileStore::open(folder.path(), agent_of_marta.clone()).unwrap();
    let is_gone = |answer: noctuary::Result<Vec<u8>>| matches!(answer, Err(Error::NotFound { .. }));
    for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
        let access = Access::new(kind, Actor::Agent, marta());
        assert!(is_gone(store.read(&access, &private, 0..9)), "{kind:?}");
        assert!(matches!(store.get(&access, &private), Err(Error::NotFound { .. })));
        assert!(store.delete(&access, &shared.key, now()).is_err());
    }
    assert!(is_gone(store.read(&Access::human(Scope::user("ivo")), &private, 0..9)));
    assert!(is_gone(ivos.read(&Access::human(Scope::user("ivo")), &private, 0..9)));
    assert!(is_gone(ivos.read(&human(), &private, 0..9)));
    assert!(is_gone(others.read(&Access::human(agent_of_marta.clone()), &private, 0..9)));
    assert!(others.list(&Access::human(agent_of_marta), None, 9).unwrap().is_empty());
    let unknown = "chat/files/marta/1795251600000-3f9b95c40c6126e13f9b95c40c6126e1.bin";
    let answer = store.read(&human(), &FileKey::parse(unknown).unwrap(), 0..9);
    assert!(is_gone(answer));
    assert!(
        store.put(&Access::human(Scope::user("ivo")), &NewFile::default(), &mut &b""[..], now()).is_err()
    );
}

// AF-17
#[test]
fn nothing_is_served_as_what_a_browser_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    for extension in
        ["html", "HTM", "svg", "js", "xhtml", "mjs", "xml", "hta", "swf", "exe", "../svg", "svg;x"]
    {
        let stored = store.put(&human(), &NewFile::new(extension), &mut &b"<script>"[..], now()).unwrap();
        let kind = stored.media_type();
        assert!(kind.starts_with("text/plain") || kind == "application/octet-stream", "{extension}: {kind}");
    }
    assert!(
        tree(folder.path())
            .iter()
            .all(|path| path.starts_with("chat/files/marta/") || path.starts_with(".dreaming.d/"))
    );
}

// AF-19
#[test]
fn what_is_deleted_is_gone_for_good_and_its_record_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let (one, two) = (put(&store, b"one").unwrap(), put(&store, b"two").unwrap());
    assert!(matches!(store.delete(&Access::agent(marta()), &one, now()), Err(Error::Denied { .. })));
    let removal = store.delete(&human(), &one, now()).unwrap();
    assert_eq!((&removal.key, removal.actor), (&one, Actor::Human));
    assert!(matches!(store.delete(&human(), &one, now()), Err(Error::NotFound { .. })));
    assert_eq!(store.list(&human(), None, 9).unwrap().len(), 1);
    assert!(!folder.path().join(one.as_str()).exists());
    assert_eq!(store.removals(&human(), 9).unwrap(), [removal]);
    assert!(store.removals(&Access::shared(marta()), 9).unwrap().is_empty());
    let ivos = LocalFileStore::open(folder.path(), Scope::user("ivo")).unwrap();
    assert!(ivos.removals(&Access::human(Scope::user("ivo")), 9).unwrap().is_empty());
    assert_eq!(store.read(&human(), &two, 0..9).unwrap(), b"two");
}

#[test]
fn pages_of_a_list_are_stable_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), marta()).unwrap();
    let at = |minute: i64| now() + TimeDelta::minutes(minute);
    let put = |minute: i64| {
        store.put(&human(), &NewFile::default(), &mut minute.to_string().as_bytes(), at(minute)).unwrap().key
    };
    let first: Vec<FileKey> = (0..25).map(put).collect();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.list(&human(), after.as_ref(), 10).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        seen.extend(page.into_iter().map(|file| file.key));
        if seen.len() < 30 {
            put(100 + i64::try_from(seen.len()).unwrap());
        }
    }
    assert_eq!(seen[..25], first);
    assert!(seen.is_sorted() && seen.len() > 25);
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
