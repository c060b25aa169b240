//! The suite of a store of files.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::digest::Digest;
use crate::base::error::Error;
use crate::upload::{FileKey, FileLimits, FileStore, NewFile, StoredFile};

/// Opens the store of a scope in one place, with limits of its own.
pub type OpenFiles = Box<dyn Fn(Scope, FileLimits) -> Arc<dyn FileStore>>;

/// Makes a new, empty place.
pub type MakeFiles<'a> = &'a dyn Fn() -> OpenFiles;

/// Runs all parts of the suite.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::files::LocalFileStore;
/// use noctuary::testing::contract;
///
/// contract::files::files(&|| {
///     let folder = tempfile::tempdir().unwrap();
///     Box::new(move |scope, limits| Arc::new(LocalFileStore::open_with(folder.path(), scope, limits).unwrap()))
/// });
/// ```
pub fn files(make: MakeFiles<'_>) {
    keeping(make);
    limits(make);
    sight(make);
    hostile(make);
    pages(make);
    removal(make);
    halves(make);
    adoption(make);
    erasure(make);
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

fn marta() -> Scope {
    Scope::user("marta")
}

fn human() -> Access {
    Access::human(marta())
}

fn open(place: &OpenFiles) -> Arc<dyn FileStore> {
    place(marta(), FileLimits::default())
}

fn put(store: &dyn FileStore, bytes: &[u8], minute: i64) -> StoredFile {
    store.put(&human(), &NewFile::new("bin"), &mut &*bytes, at(minute)).expect("it is kept")
}

fn listed(store: &dyn FileStore, access: &Access) -> Vec<FileKey> {
    store.list(access, None, 1_000).expect("a list").into_iter().map(|file| file.key).collect()
}

fn is_not_found<T: std::fmt::Debug>(answer: &crate::Result<T>) -> bool {
    matches!(answer, Err(Error::NotFound { .. }))
}

/// A file is kept under its own key, with its hash. It is read whole and in parts, also after it is opened again.
pub fn keeping(make: MakeFiles<'_>) {
    let place = make();
    let store = open(&place);
    let bytes: Vec<u8> = (0..200_000u32).map(|at| (at % 251) as u8).collect();
    let stored =
        store.put(&human(), &NewFile::named("Berth plan.PNG"), &mut &*bytes, at(0)).expect("it is kept");
    assert!(
        stored.key.as_str().starts_with("chat/files/marta/1795251600000-"),
        "the key has the user and the time: {}",
        stored.key
    );
    assert_eq!((stored.key.extension(), stored.len), ("png", 200_000), "what is known of it");
    assert_eq!((stored.sha256, stored.at), (Digest::of(&bytes), at(0)), "its hash and time");
    assert!(!stored.is_shared && !stored.url.is_empty(), "it is private, and has an address");
    let empty = put(store.as_ref(), b"", 1);
    assert_eq!((empty.len, empty.sha256), (0, Digest::of(b"")), "an empty file is one");
    for store in [store, open(&place)] {
        assert_eq!(
            store.get(&human(), &stored.key).expect("it is there"),
            stored,
            "the answer is what is kept"
        );
        let read = |part| store.read(&human(), &stored.key, part).expect("it is read");
        assert!(read(0..u64::MAX) == bytes, "it is read whole");
        assert!(read(199_990..300_000) == bytes[199_990..], "less where it ends before");
        assert!(read(70_000..70_010) == bytes[70_000..70_010], "a part in the middle");
        let (from, to) = (9, 3);
        let reversed = read(from..to);
        assert!(
            read(200_000..200_001).is_empty() && read(300_000..300_001).is_empty(),
            "nothing behind its end"
        );
        assert!(read(7..7).is_empty() && reversed.is_empty(), "nothing of nothing");
        assert!(store.read(&human(), &empty.key, 0..9).expect("it is read").is_empty());
        assert_eq!(
            listed(store.as_ref(), &human()),
            [stored.key.clone(), empty.key.clone()],
            "the oldest first"
        );
    }
    let one = put(open(&place).as_ref(), b"same", 2);
    let other = put(open(&place).as_ref(), b"same", 2);
    assert_ne!(one.key, other.key, "each upload has a key of its own");
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

/// An upload is stopped while it is read, and a scope keeps no more than its quota.
pub fn limits(make: MakeFiles<'_>) {
    let place = make();
    let of = |file_bytes, scope_bytes| {
        let mut limits = FileLimits::default();
        (limits.file_bytes, limits.scope_bytes) = (file_bytes, scope_bytes);
        place(marta(), limits)
    };
    let try_put = |store: &dyn FileStore, len: usize| {
        store.put(&human(), &NewFile::new("bin"), &mut &vec![1; len][..], at(0)).map(drop)
    };
    let small = of(100_000, None);
    assert!(try_put(small.as_ref(), 100_000).is_ok(), "exactly as much as is allowed");
    assert!(
        matches!(try_put(small.as_ref(), 100_001), Err(Error::TooLarge { limit: 100_000, .. })),
        "a byte more is refused"
    );
    let mut endless = Endless(0);
    assert!(small.put(&human(), &NewFile::default(), &mut endless, at(0)).is_err());
    assert!(endless.0 <= 100_000 + (64 << 10), "it was read on: {}", endless.0);
    let quota = of(100_000, Some(100_010));
    assert!(matches!(try_put(quota.as_ref(), 11), Err(Error::QuotaReached { limit: 100_010, .. })));
    assert!(try_put(quota.as_ref(), 10).is_ok(), "up to the quota");
    assert_eq!(listed(small.as_ref(), &human()).len(), 2, "nothing of what was refused");
    let other = place(Scope::user("ivo"), FileLimits::default());
    let ivo = Access::human(Scope::user("ivo"));
    assert!(other.put(&ivo, &NewFile::default(), &mut &b"x"[..], at(0)).is_ok(), "a quota is of a scope");
}

/// A key of another scope, or of a private file where others are present, reads as not found.
pub fn sight(make: MakeFiles<'_>) {
    let place = make();
    let store = open(&place);
    let private = put(store.as_ref(), b"mine", 0).key;
    let group = Access::shared(marta());
    let shared = store.put(&group, &NewFile::new("txt"), &mut &b"ours"[..], at(1)).expect("it is kept");
    assert!(shared.is_shared, "with others present all is shared");
    assert_eq!(listed(store.as_ref(), &human()), [private.clone(), shared.key.clone()]);
    for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
        let access = Access::new(kind, Actor::Agent, marta());
        assert!(is_not_found(&store.read(&access, &private, 0..9)), "{kind:?} reads nothing private");
        assert!(is_not_found(&store.get(&access, &private)), "nor is told of it");
        assert_eq!(listed(store.as_ref(), &access), std::slice::from_ref(&shared.key), "nor lists it");
        assert_eq!(store.read(&access, &shared.key, 0..9).expect("it is read"), b"ours");
        assert!(store.delete(&access, &shared.key, at(2)).is_err(), "nor removes anything");
        assert!(store.removals(&access, 9).expect("a list").is_empty(), "nor is told of removals");
        assert!(matches!(store.adopt(&access, &shared, &mut &b"ours"[..]), Err(Error::Denied { .. })));
        assert!(matches!(store.erase(&access), Err(Error::Denied { .. })));
    }
    let other_agent = Scope { agent: "other".to_owned(), ..marta() };
    for stranger in [Scope::user("ivo"), Scope::user("Marta"), other_agent] {
        let access = Access::human(stranger.clone());
        let theirs = place(stranger, FileLimits::default());
        for store in [&store, &theirs] {
            for key in [&private, &shared.key] {
                assert!(is_not_found(&store.read(&access, key, 0..9)), "another scope reads nothing");
                assert!(is_not_found(&store.get(&access, key)), "nor is told of it");
                assert!(store.delete(&access, key, at(2)).is_err(), "nor removes it");
            }
            assert!(listed(store.as_ref(), &access).is_empty(), "nor lists it");
        }
        assert!(is_not_found(&theirs.read(&human(), &private, 0..9)), "a store has one scope");
        let put = store.put(&access, &NewFile::default(), &mut &b""[..], at(2));
        assert!(matches!(put, Err(Error::Denied { .. })), "nor keeps anything here");
        assert!(matches!(store.erase(&access), Err(Error::Denied { .. })), "nor erases it");
    }
    let unknown = "chat/files/marta/1795251600000-3f9b95c40c6126e13f9b95c40c6126e1.bin";
    let unknown = FileKey::parse(unknown).expect("it is a key");
    assert!(is_not_found(&store.read(&human(), &unknown, 0..9)), "a key that was made up is no key");
    assert_eq!(listed(store.as_ref(), &human()).len(), 2, "all is there still");
}

/// Names of people and of files that lead elsewhere, or that something would run. Each is kept in its own folder, and
/// none is served as what a browser runs. 242 cases.
pub fn hostile(make: MakeFiles<'_>) {
    const USERS: [&str; 11] = [
        "../marta",
        "a/b",
        "a\\b",
        "..",
        "con",
        "MARTA",
        "m\0x",
        "<script>",
        "x\u{202e}y",
        "%2e%2e%2f",
        "日本 ",
    ];
    const NAMES: [&str; 22] = [
        "x.html",
        "x.HTM",
        "x.svg",
        "x.js",
        "x.xhtml",
        "x.mjs",
        "x.xml",
        "x.hta",
        "x.swf",
        "x.exe",
        "x.php",
        "x.svg;x",
        "x.html\0.png",
        "x.png/../../etc/passwd",
        "../../x.sh",
        ".htaccess",
        "x.",
        "x.svg\n",
        "x.é",
        "x.averyverylongextension",
        "a\u{202e}gnp.svg",
        "x.png%00.svg",
    ];
    const BYTES: &[u8] = b"<script>alert(1)</script>\n=cmd|' /C calc'!A0\n<svg onload=alert(1)>";
    let place = make();
    let mut folders = BTreeSet::new();
    for user in USERS {
        let access = Access::human(Scope::user(user));
        let store = place(access.scope.clone(), FileLimits::default());
        for name in NAMES {
            let stored = store.put(&access, &NewFile::named(name), &mut &*BYTES, at(0)).expect("it is kept");
            let key = stored.key.as_str();
            assert_eq!(FileKey::parse(key).expect("it is a key"), stored.key, "{user:?} {name:?}");
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/-_.~".contains(c);
            assert!(key.starts_with("chat/files/") && key.chars().all(plain), "{user:?} {name:?}: {key}");
            assert!(key.matches('/').count() == 3 && !key.contains(".."), "{user:?} {name:?}: {key}");
            let kind = stored.media_type();
            let runs = ["html", "svg", "xml", "script", "flash", "msdownload"];
            assert!(!runs.iter().any(|word| kind.contains(word)), "{user:?} {name:?}: {kind}");
            assert_eq!(
                store.read(&access, &stored.key, 0..99).expect("it is read"),
                BYTES,
                "{user:?} {name:?}"
            );
            folders.insert(key.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
        }
        assert_eq!(listed(store.as_ref(), &access).len(), NAMES.len(), "{user:?}");
    }
    assert_eq!(folders.len(), USERS.len(), "no two people share a folder");
    for bad in ["", "chat/files/", "chat/files/../../etc/passwd", "/etc/passwd", "chat/files/marta/x.pdf"] {
        assert!(FileKey::parse(bad).is_err(), "{bad:?} is no key");
    }
}

/// A list has the oldest first, in pages that stay stable while others write.
pub fn pages(make: MakeFiles<'_>) {
    let place = make();
    let store = open(&place);
    let keep = |minute: i64| put(store.as_ref(), minute.to_string().as_bytes(), minute).key;
    let first: Vec<FileKey> = (0..25).map(keep).collect();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.list(&human(), after.as_ref(), 10).expect("a page");
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 10, "a page has no more than was asked for");
        after = Some(last.key.clone());
        seen.extend(page.into_iter().map(|file| file.key));
        if seen.len() < 30 {
            keep(100 + i64::try_from(seen.len()).unwrap_or(0));
        }
    }
    assert_eq!(seen[..25], first, "nothing twice, and nothing left out");
    assert!(seen.is_sorted() && seen.len() > 25, "what came meanwhile is behind");
    let gone = &first[9];
    store.delete(&human(), gone, at(200)).expect("it is removed");
    let rest = store.list(&human(), Some(gone), 5).expect("a page");
    assert_eq!(rest[0].key, first[10], "a page goes on behind what was removed since");
    assert!(store.list(&human(), None, 0).expect("a page").is_empty(), "nothing is asked for");
}

/// A file that was removed is gone for good, for whoever holds its key, and its record stays.
pub fn removal(make: MakeFiles<'_>) {
    let place = make();
    let store = open(&place);
    let (one, two) = (put(store.as_ref(), b"one", 0).key, put(store.as_ref(), b"two", 1).key);
    let denied = store.delete(&Access::agent(marta()), &one, at(2));
    assert!(matches!(denied, Err(Error::Denied { .. })), "an agent removes nothing");
    let removal = store.delete(&human(), &one, at(2)).expect("it is removed");
    assert_eq!((&removal.key, removal.actor, removal.at), (&one, Actor::Human, at(2)));
    for store in [&store, &open(&place)] {
        assert!(is_not_found(&store.delete(&human(), &one, at(3))), "it is removed once");
        assert!(is_not_found(&store.read(&human(), &one, 0..9)) && is_not_found(&store.get(&human(), &one)));
        assert_eq!(listed(store.as_ref(), &human()), std::slice::from_ref(&two));
        assert_eq!(store.removals(&human(), 9).expect("a list"), std::slice::from_ref(&removal));
        assert_eq!(store.read(&human(), &two, 0..9).expect("it is read"), b"two");
    }
    let later = store.delete(&human(), &two, at(4)).expect("it is removed");
    assert_eq!(store.removals(&human(), 1).expect("a list"), [later], "the latest first");
    for stranger in [Scope::user("ivo"), Scope { agent: "other".to_owned(), ..marta() }] {
        let theirs = place(stranger.clone(), FileLimits::default());
        assert!(theirs.removals(&Access::human(stranger), 9).expect("a list").is_empty());
    }
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

/// Half an upload is never seen.
pub fn halves(make: MakeFiles<'_>) {
    let place = make();
    let store = open(&place);
    for len in [0, 1, 100_000] {
        let torn = store.put(&human(), &NewFile::default(), &mut Torn(len), at(0));
        assert!(matches!(torn, Err(Error::Io { .. })), "{torn:?}");
    }
    assert!(listed(store.as_ref(), &human()).is_empty(), "half a file is not listed");
    let whole = put(store.as_ref(), b"whole", 1);
    assert_eq!(listed(open(&place).as_ref(), &human()), [whole.key]);
}

/// A file of another store is kept under its key, once, whole, and not where it was removed.
pub fn adoption(make: MakeFiles<'_>) {
    let (here, there) = (make(), make());
    let (source, target) = (open(&here), open(&there));
    let private = put(source.as_ref(), b"mine", 0);
    let group = Access::shared(marta());
    let shared = source.put(&group, &NewFile::new("txt"), &mut &b"ours"[..], at(1)).expect("it is kept");
    let adopt = |file: &StoredFile, bytes: &[u8]| target.adopt(&human(), file, &mut &*bytes);
    for (wrong, bytes) in [(&private, &b"min"[..]), (&private, b"mine!"), (&private, b"ours")] {
        assert!(matches!(adopt(wrong, bytes), Err(Error::Corrupt { .. })), "other bytes are refused");
    }
    assert!(target.adopt(&human(), &private, &mut Torn(2)).is_err());
    assert!(listed(target.as_ref(), &human()).is_empty(), "nothing of what was refused");
    for (file, bytes) in [(&private, &b"mine"[..]), (&shared, b"ours")] {
        assert!(adopt(file, bytes).expect("it is kept"), "it is new here");
        let kept = target.get(&human(), &file.key).expect("it is there");
        assert_eq!((kept.len, kept.sha256, kept.at), (file.len, file.sha256, file.at));
        assert_eq!((kept.is_shared, kept.key), (file.is_shared, file.key.clone()), "as it was there");
        assert_eq!(target.read(&human(), &file.key, 0..9).expect("it is read"), bytes);
        assert!(!adopt(file, bytes).expect("it is here already"), "once");
    }
    assert!(is_not_found(&target.get(&group, &private.key)), "what was private stays so");
    let mut other = private.clone();
    other.sha256 = Digest::of(b"else");
    assert!(matches!(adopt(&other, b"else"), Err(Error::Corrupt { .. })), "another file has the key");
    target.delete(&human(), &private.key, at(3)).expect("it is removed");
    assert!(!adopt(&private, b"mine").expect("it was removed"), "a copy does not bring it back");
    assert!(is_not_found(&target.get(&human(), &private.key)));
    let ivo = Access::human(Scope::user("ivo"));
    let theirs = there(ivo.scope.clone(), FileLimits::default());
    assert!(matches!(theirs.adopt(&ivo, &shared, &mut &b"ours"[..]), Err(Error::Denied { .. })));
    let agent = target.adopt(&Access::agent(marta()), &private, &mut &b"mine"[..]);
    assert!(matches!(agent, Err(Error::Denied { .. })), "an agent adopts nothing");
}

/// A scope is erased whole, and nothing of the others.
pub fn erasure(make: MakeFiles<'_>) {
    let place = make();
    let store = open(&place);
    let (one, two) = (put(store.as_ref(), b"one", 0).key, put(store.as_ref(), b"two", 1).key);
    store.delete(&human(), &one, at(2)).expect("it is removed");
    let other_agent = Access::human(Scope { agent: "other".to_owned(), ..marta() });
    let mut others = Vec::new();
    for access in [other_agent, Access::human(Scope::user("ivo"))] {
        let theirs = place(access.scope.clone(), FileLimits::default());
        let gone = theirs.put(&access, &NewFile::default(), &mut &b"gone"[..], at(0)).expect("it is kept");
        theirs.delete(&access, &gone.key, at(1)).expect("it is removed");
        theirs.put(&access, &NewFile::default(), &mut &b"stays"[..], at(0)).expect("it is kept");
        others.push((access, theirs));
    }
    let host = Access::new(SessionKind::Main, Actor::Library, marta());
    for access in [Access::agent(marta()), host] {
        assert!(matches!(store.erase(&access), Err(Error::Denied { .. })), "the human alone erases");
    }
    assert_eq!(store.erase(&human()).expect("it is erased"), 1);
    assert_eq!(store.erase(&human()).expect("it is erased"), 0, "once");
    for store in [&store, &open(&place)] {
        assert!(listed(store.as_ref(), &human()).is_empty() && is_not_found(&store.get(&human(), &two)));
        assert!(store.removals(&human(), 9).expect("a list").is_empty(), "nor is a record left");
    }
    for (access, theirs) in others {
        assert_eq!(listed(theirs.as_ref(), &access).len(), 1, "what others have stays");
        assert_eq!(theirs.removals(&access, 9).expect("a list").len(), 1, "and their records");
    }
}
