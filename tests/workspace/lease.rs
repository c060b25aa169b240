//! The lease of a folder: one holder at a time, foreign peers respected, and a lost lease writes nothing.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test panics with what does not hold")]

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, TimeDelta, TimeZone, Utc};
use noctuary::testing::{Disk, DiskFile, Entry, Fault, Faults, FaultyDisk, Open, Script, Stat, folder};
use noctuary::workspace::{Claim, ClaimTerms, Holder, Lease, LostBy, StateName, WorkspaceExt};
use noctuary::{
    DocName, Error, FileWorkspace, JournalDreamer, LlmReply, Outcome, Result, Workspace, WriteMode,
    dream_once_at, llm_fn,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use noctuary_tests::common::{Peer, listen, role, tell, tree};

const LOCK: &str = ".dreaming.lock";
const GUARD: &str = ".dreaming.d/guard";
const TTL: Duration = Duration::from_secs(30 * 60);

fn open(path: &Path) -> FileWorkspace {
    FileWorkspace::open(path).unwrap()
}

fn new() -> (TempDir, FileWorkspace) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = open(folder.path());
    (folder, workspace)
}

/// The defaults, without the wait after a foreign lock.
fn terms() -> ClaimTerms {
    ClaimTerms { settle: Duration::ZERO, ..ClaimTerms::default() }
}

fn claim(workspace: &FileWorkspace) -> Claim {
    workspace.claim(&terms()).unwrap()
}

fn granted(workspace: &FileWorkspace) -> Box<dyn Lease> {
    match claim(workspace) {
        Claim::Granted(lease) => lease,
        Claim::Held(holder) => panic!("held by {holder:?}"),
    }
}

fn held(workspace: &FileWorkspace) -> Holder {
    match claim(workspace) {
        Claim::Granted(lease) => panic!("granted: {lease:?}"),
        Claim::Held(holder) => holder,
    }
}

fn is_granted(workspace: &FileWorkspace) -> bool {
    matches!(claim(workspace), Claim::Granted(_))
}

fn lock(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path.join(LOCK)).unwrap()).unwrap()
}

fn iso(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The host name under which this machine's peers know each other.
fn our_host() -> String {
    let (folder, workspace) = new();
    let _lease = granted(&workspace);
    lock(folder.path())["hostname"].as_str().unwrap().to_owned()
}

/// A process id that no process has any more.
fn dead_pid() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

/// A lock as a peer of the seed writes it.
fn foreign(pid: u32, hostname: &str, started_at: DateTime<Utc>) -> Value {
    json!({ "pid": pid, "hostname": hostname, "started_at": iso(started_at), "token": "a-peer-of-the-seed" })
}

fn place(path: &Path, lock: &Value) {
    fs::write(path.join(LOCK), lock.to_string()).unwrap();
    // Written now, by the clock that the library reads: the disk's own may be another where a test runs on a later day.
    let file = fs::File::options().write(true).open(path.join(LOCK)).unwrap();
    file.set_modified(SystemTime::from(Utc::now())).unwrap();
}

/// Whether a fresh workspace with this lock in it is granted; where it is not, the lock must stand.
fn gives_way(lock: &Value) -> bool {
    let (folder, workspace) = new();
    place(folder.path(), lock);
    let answer = is_granted(&workspace);
    if !answer {
        assert_eq!(fs::read_to_string(folder.path().join(LOCK)).unwrap(), lock.to_string());
    }
    answer
}

/// A disk whose clocks stand still, and on which a test may interfere before an operation.
struct Staged {
    disk: Arc<dyn Disk>,
    now: DateTime<Utc>,
    elapsed: Arc<Mutex<Duration>>,
    before: Box<dyn Fn(&str) + Send + Sync>,
}

impl Staged {
    fn new(path: &Path, now: DateTime<Utc>, before: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let elapsed = Arc::default();
        Self { disk: folder(path).unwrap(), now, elapsed, before: Box::new(before) }
    }

    /// The clock at a time that a lock file can hold: whole milliseconds.
    fn at(path: &Path) -> (Self, DateTime<Utc>) {
        let now = DateTime::from_timestamp_millis(Utc::now().timestamp_millis()).unwrap();
        (Self::new(path, now, |_| {}), now)
    }

    fn workspace(self) -> FileWorkspace {
        FileWorkspace::on_disk(Arc::new(self))
    }
}

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Staged({:?})", self.disk)
    }
}

impl Disk for Staged {
    fn root(&self) -> &Path {
        self.disk.root()
    }
    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        (self.before)(&format!("open {path}"));
        self.disk.open(path, how)
    }
    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        (self.before)(&format!("look at {path}"));
        self.disk.stat(path)
    }
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.disk.list(folder)
    }
    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.disk.create_folder(path)
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        (self.before)(&format!("rename {from}"));
        self.disk.rename(from, to)
    }
    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename_new(from, to)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        self.disk.unlink(path)
    }
    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.disk.sync_folder(folder)
    }
    fn network(&self) -> io::Result<Option<&'static str>> {
        self.disk.network()
    }
    fn clock(&self) -> DateTime<Utc> {
        self.now
    }
    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap()
    }
    fn pause(&self, duration: Duration) {
        (self.before)(&format!("pause {}", duration.as_millis()));
    }
}

#[test]
fn the_lock_is_json_with_the_seeds_fields() {
    // DL-02: pid, hostname, ISO started_at and an opaque token; what we add besides is ignored by a peer.
    let (folder, workspace) = new();
    let before = Utc::now();
    let lease = granted(&workspace);
    let text = fs::read_to_string(folder.path().join(LOCK)).unwrap();
    let lock: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(lock["pid"], std::process::id());
    assert!(!lock["hostname"].as_str().unwrap().is_empty());
    assert_eq!(lock["token"].as_str().unwrap().len(), 32);
    let started = lock["started_at"].as_str().unwrap();
    assert_eq!(started.len(), "2026-11-21T03:00:00.000Z".len());
    let at: DateTime<Utc> = started.parse().unwrap();
    assert!(at >= before - TimeDelta::milliseconds(1) && at <= Utc::now());
    assert_eq!(lock["impl"], "noctuary/1");
    assert_eq!(lock["epoch"], lease.epoch());
    assert_eq!(lock["acquired_at"], lock["started_at"]);
    assert_eq!(lock["guard"], GUARD);
    for path in [LOCK, GUARD] {
        let mode = fs::metadata(folder.path().join(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600, "{path}");
    }
    let token = lock["token"].clone();
    drop(lease);
    let _lease = granted(&workspace);
    assert_ne!(self::lock(folder.path())["token"], token, "each claim draws its own token");
}

#[test]
fn of_eight_threads_that_claim_at_once_one_wins() {
    // DL-01: the lock is made with exclusive creation.
    let (folder, _) = new();
    for _ in 0..5 {
        let (start, end) = (Barrier::new(8), Barrier::new(8));
        let won = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let workspace = open(folder.path());
                        start.wait();
                        let answer = claim(&workspace);
                        end.wait();
                        matches!(answer, Claim::Granted(_))
                    })
                })
                .collect();
            racers.into_iter().map(|racer| u32::from(racer.join().unwrap())).sum::<u32>()
        });
        assert_eq!(won, 1);
    }
}

#[test]
fn of_four_processes_that_claim_at_once_one_wins() {
    // DL-01: also between processes.
    let (folder, workspace) = new();
    let mut peers: Vec<Peer> =
        (0..4).map(|_| Peer::start(module_path!(), "claim once", folder.path())).collect();
    for peer in &mut peers {
        assert_eq!(peer.hear().unwrap(), "ready");
    }
    for peer in &mut peers {
        peer.go_on();
    }
    let said: Vec<String> = peers.iter_mut().map(|peer| peer.hear().unwrap()).collect();
    assert_eq!(said.iter().filter(|answer| *answer == "granted").count(), 1, "{said:?}");
    let winner = said.iter().position(|answer| answer == "granted").unwrap();
    assert_eq!(held(&workspace).pid, Some(peers[winner].child.id()));
    for peer in &mut peers {
        peer.go_on();
        peer.finish();
    }
    assert!(is_granted(&workspace));
}

#[test]
fn a_release_removes_the_lock_and_keeps_the_guard() {
    // DL-01: the lock is removed on release; the guard is never deleted.
    let (folder, workspace) = new();
    granted(&workspace).release().unwrap();
    assert!(!folder.path().join(LOCK).exists());
    assert!(folder.path().join(GUARD).exists());
    drop(granted(&workspace));
    assert!(!folder.path().join(LOCK).exists(), "a drop releases");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _lease = granted(&workspace);
        assert!(folder.path().join(LOCK).exists());
        std::panic::resume_unwind(Box::new("on purpose"));
    }));
    assert!(panicked.is_err());
    assert!(!folder.path().join(LOCK).exists(), "a panic releases");
    assert!(is_granted(&workspace));
    let stray: Vec<_> =
        tree(folder.path()).into_keys().filter(|path| path.to_string_lossy().contains("tmp")).collect();
    assert!(stray.is_empty(), "{stray:?}");
}

#[test]
fn a_held_lease_makes_a_second_claim_held() {
    // DL-01: a held lock is held, and says by whom, also for a peer that creates exclusively.
    let (folder, workspace) = new();
    let before = Utc::now() - TimeDelta::milliseconds(1);
    let lease = granted(&workspace);
    for other in [workspace.clone(), open(folder.path())] {
        let holder = held(&other);
        assert_eq!(holder.pid, Some(std::process::id()));
        assert_eq!(holder.hostname.as_deref(), lock(folder.path())["hostname"].as_str());
        assert!(holder.since.unwrap() >= before);
    }
    let peer = fs::OpenOptions::new().write(true).create_new(true).open(folder.path().join(LOCK));
    assert_eq!(peer.unwrap_err().kind(), ErrorKind::AlreadyExists);
    lease.check().unwrap();
}

#[test]
fn a_foreign_peer_that_knows_only_the_lock_file_is_respected() {
    // DL-01: a lock that was made by somebody who knows no guard holds.
    let (folder, workspace) = new();
    let now = Utc::now();
    let placed = foreign(7, "another-host", now);
    place(folder.path(), &placed);
    let holder = held(&workspace);
    assert_eq!((holder.pid, holder.hostname.as_deref()), (Some(7), Some("another-host")));
    assert_eq!(holder.since.map(iso), Some(iso(now)));
    assert_eq!(lock(folder.path()), placed, "its lock stands as it was");
    fs::remove_file(folder.path().join(LOCK)).unwrap();
    assert!(is_granted(&workspace), "nothing of the refused claim stays");
}

#[test]
fn a_lock_is_stale_by_age_after_thirty_minutes() {
    // DL-04: now - started_at > ttl, to the millisecond, and whatever the interval of dreams.
    assert_eq!(ClaimTerms::default().ttl, TTL);
    let ttl = TimeDelta::from_std(TTL).unwrap();
    let millisecond = TimeDelta::milliseconds(1);
    for (age, stale) in [(ttl - millisecond, false), (ttl, false), (ttl + millisecond, true)] {
        let (folder, _) = new();
        let (disk, now) = Staged::at(folder.path());
        place(folder.path(), &foreign(1, "another-host", now - age));
        assert_eq!(is_granted(&disk.workspace()), stale, "{age}");
    }
}

#[test]
fn a_ttl_of_ones_own_is_kept() {
    // DL-10: for slow models the ttl is raised, and a healthy pass is not declared stale.
    let (folder, workspace) = new();
    place(folder.path(), &foreign(1, "another-host", Utc::now() - TimeDelta::hours(2)));
    let patient = ClaimTerms { ttl: Duration::from_secs(3 * 60 * 60), ..terms() };
    assert!(matches!(workspace.claim(&patient).unwrap(), Claim::Held(_)));
    let endless = ClaimTerms { ttl: Duration::MAX, ..terms() };
    assert!(matches!(workspace.claim(&endless).unwrap(), Claim::Held(_)));
    assert!(is_granted(&workspace), "at the default it is abandoned");
}

#[test]
fn a_lock_of_a_far_year_is_as_old_as_its_file() {
    // DL-04: a peer wrote 2099 and died; nobody dreamed in that folder any more.
    let far = Utc.with_ymd_and_hms(2099, 1, 1, 0, 0, 0).unwrap();
    let ttl = TimeDelta::from_std(TTL).unwrap();
    for (age, stale) in [
        (TimeDelta::zero(), false),
        (ttl - TimeDelta::minutes(1), false),
        (ttl + TimeDelta::minutes(1), true),
    ] {
        let (folder, _) = new();
        place(folder.path(), &foreign(1, "another-host", far));
        let disk = FaultyDisk::new(noctuary::testing::folder(folder.path()).unwrap(), Faults::new());
        disk.shift_clock(age);
        assert_eq!(is_granted(&FileWorkspace::on_disk(Arc::new(disk))), stale, "{age}");
    }
}

#[test]
fn a_clock_that_goes_back_makes_nothing_stale() {
    // DL-04: a lock out of the future is not stale.
    for ahead in [TimeDelta::milliseconds(5), TimeDelta::hours(1), TimeDelta::days(400)] {
        let (folder, _) = new();
        let (disk, now) = Staged::at(folder.path());
        place(folder.path(), &foreign(1, "another-host", now + ahead));
        assert!(!is_granted(&disk.workspace()), "{ahead}");
    }
    let (path, _) = new();
    let disk = FaultyDisk::new(folder(path.path()).unwrap(), Faults::new());
    place(path.path(), &foreign(1, "another-host", Utc::now()));
    disk.shift_clock(-TimeDelta::hours(5));
    assert!(!is_granted(&FileWorkspace::on_disk(Arc::new(disk.clone()))));
    disk.shift_clock(TimeDelta::hours(6));
    assert!(is_granted(&FileWorkspace::on_disk(Arc::new(disk))));
}

#[test]
fn a_dead_process_of_this_host_holds_nothing() {
    // DL-05: same hostname, and the process is gone.
    let (host, now, dead) = (our_host(), Utc::now(), dead_pid());
    if host == "unknown" {
        println!("skipped: this host has no name");
        return;
    }
    assert!(gives_way(&foreign(dead, &host, now)), "dead and of this host");
    assert!(gives_way(&foreign(dead, &host, now + TimeDelta::hours(1))), "whatever the clock says");
    assert!(!gives_way(&foreign(std::os::unix::process::parent_id(), &host, now)), "alive");
    assert!(gives_way(&foreign(std::process::id(), &host, now)), "its number came again, and is ours");
    assert!(!gives_way(&foreign(1, &host, now)), "alive, of another user");
    assert!(!gives_way(&foreign(dead, "another-host", now)), "of another host");
    assert!(!gives_way(&foreign(0, &host, now)), "no process id");
    assert!(!gives_way(&foreign(u32::MAX, &host, now)), "no process id");
}

#[test]
fn a_process_of_another_namespace_is_not_known_dead() {
    // DL-05: a process id means something in its own namespace only.
    let (host, now, dead) = (our_host(), Utc::now(), dead_pid());
    let mut elsewhere = foreign(dead, &host, now);
    elsewhere["pid_ns"] = json!("pid:[1]");
    assert!(!gives_way(&elsewhere));
    if let Ok(namespace) = fs::read_link("/proc/self/ns/pid") {
        let mut here = foreign(dead, &host, now);
        here["pid_ns"] = json!(namespace.to_str().unwrap());
        assert!(gives_way(&here));
    }
}

#[test]
fn a_lock_that_is_being_written_is_respected_for_a_minute() {
    // DL-06: a peer that creates first and writes then is seen with half a lock, which is no stale one.
    let whole = foreign(1, "another-host", Utc::now()).to_string();
    for written in [&b""[..], b"{", &whole.as_bytes()[..whole.len() - 1], b"\0\0\0\0", b"\xff\xfe"] {
        let millisecond = TimeDelta::milliseconds(1);
        let minute = TimeDelta::seconds(60);
        for (age, stale) in [(TimeDelta::zero(), false), (minute, false), (minute + millisecond, true)] {
            let (folder, _) = new();
            let (disk, now) = Staged::at(folder.path());
            fs::write(folder.path().join(LOCK), written).unwrap();
            let file = fs::File::options().write(true).open(folder.path().join(LOCK)).unwrap();
            file.set_modified(SystemTime::from(now - age)).unwrap();
            assert_eq!(is_granted(&disk.workspace()), stale, "{age} old, {} bytes", written.len());
        }
    }
}

#[test]
fn a_lock_of_ours_that_a_crash_left_is_taken_over_at_once() {
    // DL-05: whoever has the guard knows that our own peers are dead, whatever their lock says.
    let now = Utc::now();
    for (pid, host) in [(std::process::id(), our_host()), (1, "another-host".to_owned())] {
        for started in [now, now + TimeDelta::days(3), now - TimeDelta::days(3)] {
            let mut left = foreign(pid, &host, started);
            left["impl"] = json!("noctuary/1");
            assert!(gives_way(&left), "{left}");
        }
    }
    let mut newer = foreign(1, "another-host", now);
    newer["impl"] = json!("noctuary/9");
    assert!(gives_way(&newer), "also of a later version");
    let mut other = foreign(1, "another-host", now);
    other["impl"] = json!("somebody-else/1");
    assert!(!gives_way(&other));
}

#[test]
fn a_holder_that_is_killed_blocks_nobody() {
    // DL-05: after a SIGKILL of the holder the next claim succeeds at once.
    let (folder, workspace) = new();
    let mut last = 0;
    for _ in 0..5 {
        let mut peer = Peer::start(module_path!(), "hold", folder.path());
        let epoch: u64 = peer.hear().unwrap().parse().unwrap();
        assert!(epoch > last, "epochs rise over crashes");
        last = epoch;
        assert_eq!(held(&workspace).pid, Some(peer.child.id()));
        peer.child.kill().unwrap();
        peer.child.wait().unwrap();
        assert!(folder.path().join(LOCK).exists(), "it could not clean up");
        let lease = granted(&workspace);
        assert!(lease.epoch() > last);
        assert_eq!(lock(folder.path())["pid"], std::process::id());
    }
}

#[test]
fn a_guard_that_is_deleted_while_it_is_being_locked_is_made_and_locked_anew() {
    // DL-01: else the claim would hold a lock that nobody else finds.
    let (folder, workspace) = new();
    let (guard, deleted) = (folder.path().join(GUARD), AtomicBool::new(false));
    let disk = Staged::new(folder.path(), Utc::now(), move |operation| {
        if operation == format!("look at {GUARD}") && !deleted.swap(true, Ordering::SeqCst) {
            fs::remove_file(&guard).unwrap();
        }
    });
    let lease = granted(&disk.workspace());
    lease.check().unwrap();
    assert!(!is_granted(&workspace), "another finds the lock");
}

#[test]
fn of_eight_who_find_one_stale_lock_one_takes_it_over() {
    // DL-06: two reclaimers never both win.
    for round in 0..10 {
        let (folder, _) = new();
        place(folder.path(), &foreign(1, "another-host", Utc::now() - TimeDelta::hours(1)));
        let (start, end) = (Barrier::new(8), Barrier::new(8));
        let won: usize = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let workspace = open(folder.path());
                        start.wait();
                        let answer = claim(&workspace);
                        end.wait();
                        usize::from(matches!(answer, Claim::Granted(_)))
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).sum()
        });
        assert_eq!(won, 1, "round {round}");
    }
}

/// Claims where a lock of a foreign peer is stale, and lets that peer interfere before an operation.
fn interfered(before: &'static str, interfere: fn(&Path)) -> (TempDir, Claim) {
    let (folder, _) = new();
    let path = folder.path().to_owned();
    let once = AtomicBool::new(false);
    let disk = Staged::new(folder.path(), Utc::now(), move |operation| {
        if operation == before && !once.swap(true, Ordering::SeqCst) {
            interfere(&path);
        }
    });
    place(folder.path(), &foreign(1, "another-host", Utc::now() - TimeDelta::hours(1)));
    let answer = disk.workspace().claim(&ClaimTerms::default()).unwrap();
    (folder, answer)
}

fn fresh() -> Value {
    json!({ "pid": 9, "hostname": "third-host", "started_at": "2030-01-01T00:00:00.000Z", "token": "fresh" })
}

fn take_over(path: &Path) {
    fs::remove_file(path.join(LOCK)).unwrap();
    place(path, &fresh());
}

#[test]
fn a_fresh_lock_that_came_meanwhile_wins() {
    // DL-06: between judging a lock stale and moving it, a peer took over.
    let (folder, answer) = interfered("rename .dreaming.lock", take_over);
    match answer {
        Claim::Held(holder) => assert_eq!(holder.hostname.as_deref(), Some("third-host")),
        Claim::Granted(lease) => panic!("{lease:?}"),
    }
    assert_eq!(lock(folder.path()), fresh(), "the fresh lock stands");
}

#[test]
fn a_stale_lock_that_went_meanwhile_makes_way() {
    // DL-06: its owner released it between our look and our move.
    let (_folder, answer) =
        interfered("rename .dreaming.lock", |path| fs::remove_file(path.join(LOCK)).unwrap());
    assert!(matches!(answer, Claim::Granted(_)));
}

#[test]
fn a_peer_that_takes_over_the_same_lock_wins_while_we_settle() {
    // DL-06: a peer that judged the same lock stale removes ours by name; we look again after a second.
    let (folder, answer) = interfered("pause 1000", take_over);
    match answer {
        Claim::Held(holder) => assert_eq!(holder.hostname.as_deref(), Some("third-host")),
        Claim::Granted(lease) => panic!("{lease:?}"),
    }
    assert_eq!(lock(folder.path()), fresh());
    let (folder, answer) = interfered("pause 1000", |path| fs::remove_file(path.join(LOCK)).unwrap());
    assert!(matches!(answer, Claim::Held(_)));
    assert!(!folder.path().join(LOCK).exists());
}

#[test]
fn a_settle_comes_after_a_foreign_lock_only() {
    let waits = |lock: Option<Value>| {
        let (folder, _) = new();
        if let Some(lock) = lock {
            place(folder.path(), &lock);
        }
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let disk = Staged::new(folder.path(), Utc::now(), move |operation| {
            if operation.starts_with("pause") {
                listener.lock().unwrap().push(operation.to_owned());
            }
        });
        assert!(matches!(disk.workspace().claim(&ClaimTerms::default()).unwrap(), Claim::Granted(_)));
        let heard = heard.lock().unwrap();
        heard.clone()
    };
    let stale = foreign(1, "another-host", Utc::now() - TimeDelta::hours(1));
    let mut ours = stale.clone();
    ours["impl"] = json!("noctuary/1");
    assert_eq!(waits(Some(stale)), ["pause 1000"]);
    assert!(waits(Some(ours)).is_empty());
    assert!(waits(None).is_empty());
}

#[test]
fn a_release_removes_only_ones_own_lock() {
    // DL-11: a token that is not ours is kept.
    let (folder, workspace) = new();
    let lease = granted(&workspace);
    take_over(folder.path());
    lease.release().unwrap();
    assert_eq!(lock(folder.path()), fresh());
    fs::remove_file(folder.path().join(LOCK)).unwrap();

    let lease = granted(&workspace);
    take_over(folder.path());
    drop(lease);
    assert_eq!(lock(folder.path()), fresh(), "nor does a drop");
}

#[test]
fn a_lock_that_is_taken_over_during_the_release_is_kept() {
    // DL-11: between reading one's own token and moving the file, a peer took over.
    let (folder, _) = new();
    let path = folder.path().to_owned();
    let disk = Staged::new(folder.path(), Utc::now(), move |operation| {
        if operation == "rename .dreaming.lock" {
            take_over(&path);
        }
    });
    granted(&disk.workspace()).release().unwrap();
    assert_eq!(lock(folder.path()), fresh());
}

/// Every verb of a lease says that it is lost, and by what, and writes nothing.
fn is_lost(title: &str, path: &Path, lease: &dyn Lease, by: LostBy) {
    let before = tree(path);
    let lost = |verb: &str, answer: Result<()>| match answer {
        Err(Error::LeaseLost(found)) => assert_eq!(found, by, "{title}: {verb}"),
        other => panic!("{title}: {verb}: {other:?}"),
    };
    lost("check", lease.check());
    for name in [&DocName::MEMORY, &DocName::USER] {
        lost("append", lease.append(name, b"late"));
        lost("replace", lease.replace(name, b"late"));
        lost("remove", lease.remove(name).map(|_| ()));
    }
    lost("replace state", lease.replace(&StateName::LEDGER, b"{}"));
    assert_eq!(tree(path), before, "{title}: nothing was written");
}

/// A workspace with one document and no other, and its lease.
fn leased() -> (TempDir, FileWorkspace, Box<dyn Lease>) {
    let (folder, workspace) = new();
    workspace.write(&DocName::MEMORY, b"# Memory\n", WriteMode::Create).unwrap();
    let lease = granted(&workspace);
    lease.append(&DocName::MEMORY, b"- it writes\n").unwrap();
    (folder, workspace, lease)
}

#[test]
fn a_lost_lease_writes_nothing() {
    // DL-10: a lease that was stolen is noticed at every verb, and nothing is written.
    type Theft = fn(&Path);
    let thefts: [(&str, LostBy, Theft); 10] = [
        ("lock deleted", LostBy::Token, |path| fs::remove_file(path.join(LOCK)).unwrap()),
        ("lock replaced", LostBy::Token, take_over),
        ("lock overwritten", LostBy::Token, |path| place(path, &fresh())),
        ("lock of the same process", LostBy::Token, |path| {
            let mut lock = lock(path);
            lock["token"] = json!("f".repeat(32));
            place(path, &lock);
        }),
        ("lock half written", LostBy::Token, |path| fs::write(path.join(LOCK), "{").unwrap()),
        ("lock emptied", LostBy::Token, |path| fs::write(path.join(LOCK), "").unwrap()),
        ("guard deleted", LostBy::Guard, |path| fs::remove_file(path.join(GUARD)).unwrap()),
        ("guard replaced", LostBy::Guard, |path| {
            let epoch = fs::read(path.join(GUARD)).unwrap();
            fs::write(path.join("copy"), epoch).unwrap();
            fs::rename(path.join("copy"), path.join(GUARD)).unwrap();
        }),
        ("epoch raised", LostBy::Epoch, |path| {
            fs::write(path.join(GUARD), "00000000000000000099\n").unwrap();
        }),
        ("epoch emptied", LostBy::Epoch, |path| fs::write(path.join(GUARD), "").unwrap()),
    ];
    for (title, by, theft) in thefts {
        let (folder, _workspace, lease) = leased();
        theft(folder.path());
        is_lost(title, folder.path(), lease.as_ref(), by);
        let lock = fs::read(folder.path().join(LOCK)).ok();
        drop(lease);
        if by == LostBy::Token {
            assert_eq!(fs::read(folder.path().join(LOCK)).ok(), lock, "{title}: DL-11 at the end, too");
        }
    }
}

#[test]
fn a_lease_over_a_damaged_guard_writes_nothing() {
    let (folder, _workspace, lease) = leased();
    fs::write(folder.path().join(GUARD), "no number").unwrap();
    let before = tree(folder.path());
    lease.check().unwrap_err();
    lease.append(&DocName::MEMORY, b"late").unwrap_err();
    lease.replace(&DocName::MEMORY, b"late").unwrap_err();
    lease.remove(&DocName::MEMORY).unwrap_err();
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn a_lease_is_lost_after_its_longest_hold() {
    // DL-10: a holder that hung for too long refuses to write itself.
    let (folder, _) = new();
    let (disk, _) = Staged::at(folder.path());
    let elapsed = Arc::clone(&disk.elapsed);
    *elapsed.lock().unwrap() = Duration::from_secs(77);
    let workspace = disk.workspace();
    workspace.write(&DocName::MEMORY, b"# Memory\n", WriteMode::Create).unwrap();
    let lease = granted(&workspace);
    let hold = ClaimTerms::default().max_hold;
    *elapsed.lock().unwrap() += hold.checked_sub(Duration::from_nanos(1)).unwrap();
    lease.append(&DocName::MEMORY, b"- in time\n").unwrap();
    *elapsed.lock().unwrap() += Duration::from_nanos(1);
    is_lost("deadline", folder.path(), lease.as_ref(), LostBy::Deadline);
    lease.release().unwrap();
    assert!(is_granted(&workspace), "and is given back as any other");
}

#[test]
fn a_lease_may_have_no_longest_hold() {
    let (_folder, workspace) = new();
    let endless = ClaimTerms { max_hold: Duration::MAX, ..terms() };
    match workspace.claim(&endless).unwrap() {
        Claim::Granted(lease) => lease.check().unwrap(),
        Claim::Held(holder) => panic!("{holder:?}"),
    }
}

#[test]
fn a_lease_writes_no_more_after_a_failed_sync() {
    let (path, _) = new();
    let faults = Faults::new();
    let disk = FaultyDisk::new(folder(path.path()).unwrap(), faults.clone());
    let workspace = FileWorkspace::on_disk(Arc::new(disk));
    let lease = granted(&workspace);
    lease.append(&DocName::MEMORY, b"- zero\n").unwrap();
    faults.disarm();
    lease.append(&DocName::MEMORY, b"- one\n").unwrap();
    let at = faults.seen().iter().position(|operation| operation == "sync MEMORY.md").unwrap();
    faults.arm(at as u64 + 1, Fault::Error(ErrorKind::Other));
    let error = lease.append(&DocName::MEMORY, b"- two\n").unwrap_err();
    assert!(matches!(error, Error::DurabilityUnknown { .. }), "{error:?}");
    faults.disarm();
    is_lost("poisoned", path.path(), lease.as_ref(), LostBy::Poisoned);
    drop(lease);
    assert!(is_granted(&workspace));
}

#[test]
fn a_deleted_guard_makes_way_for_one_new_holder() {
    // DL-08: whoever held the old guard writes nothing, and takes nothing from the new holder.
    let (folder, workspace, first) = leased();
    fs::remove_dir_all(folder.path().join(".dreaming.d")).unwrap();
    let second = granted(&workspace);
    second.append(&DocName::MEMORY, b"- the second\n").unwrap();
    is_lost("guard", folder.path(), first.as_ref(), LostBy::Guard);
    drop(first);
    second.append(&DocName::MEMORY, b"- still the second\n").unwrap();
    assert_eq!(
        workspace.read_text(&DocName::MEMORY).unwrap().as_deref(),
        Some("# Memory\n- it writes\n- the second\n- still the second\n")
    );
}

#[test]
fn epochs_rise_and_survive() {
    let (folder, workspace) = new();
    let mut last = 0;
    for round in 0..6 {
        let workspace = if round % 2 == 0 { open(folder.path()) } else { workspace.clone() };
        let lease = granted(&workspace);
        assert!(lease.epoch() > last);
        last = lease.epoch();
        let number: u64 = fs::read_to_string(folder.path().join(GUARD)).unwrap().trim().parse().unwrap();
        assert_eq!(number, last);
    }
}

#[test]
fn a_held_lock_is_refreshed_in_place() {
    // DL-03: a peer that goes by age never sees a live holder's lock grow old, nor a torn one.
    let (folder, workspace) = new();
    let path = folder.path().join(LOCK);
    let answer = workspace.claim(&ClaimTerms { ttl: Duration::from_secs(1), ..terms() }).unwrap();
    let Claim::Granted(lease) = answer else { panic!("{answer:?}") };
    let first = lock(folder.path());
    let (inode, len) = (fs::metadata(&path).unwrap().ino(), fs::metadata(&path).unwrap().len());
    let mut seen = vec![first["started_at"].clone()];
    let (begun, mut reads) = (Instant::now(), 0);
    while seen.len() < 4 {
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, len);
        let mut now: Value = serde_json::from_slice(&bytes).unwrap();
        let started = now["started_at"].take();
        started.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
        if seen.last() != Some(&started) {
            assert!(seen.last().unwrap().as_str() < started.as_str(), "it only rises");
            seen.push(started);
        }
        now["started_at"] = first["started_at"].clone();
        assert_eq!(now, first, "nothing else changes");
        reads += 1;
        assert!(begun.elapsed() < Duration::from_secs(30), "it is refreshed");
    }
    println!("{reads} reads over {} refreshes", seen.len() - 1);
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
    lease.check().unwrap();
}

#[test]
fn a_holder_that_lost_its_lock_refreshes_nobody_elses() {
    // DL-11: the refresh goes to the file that we placed, whatever stands at its name now.
    let (folder, workspace) = new();
    let answer = workspace.claim(&ClaimTerms { ttl: Duration::from_millis(4), ..terms() }).unwrap();
    let Claim::Granted(lease) = answer else { panic!("{answer:?}") };
    take_over(folder.path());
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(fs::read_to_string(folder.path().join(LOCK)).unwrap(), fresh().to_string());
    drop(lease);
    assert_eq!(fs::read_to_string(folder.path().join(LOCK)).unwrap(), fresh().to_string());
}

/// The unfinished files below a folder.
fn unfinished(path: &Path) -> Vec<String> {
    let paths = tree(path).into_keys().map(|path| path.to_string_lossy().into_owned());
    paths.filter(|path| path.contains(".noctuary-")).collect()
}

/// Lets a crash leave the temporary file of a replace.
fn crash_in_a_replace(path: &Path, name: &DocName) {
    let faults = Faults::new();
    let disk = FaultyDisk::new(folder(path).unwrap(), faults.clone());
    let workspace = FileWorkspace::on_disk(Arc::new(disk));
    workspace.write(name, b"old", WriteMode::Create).unwrap();
    faults.disarm();
    workspace.write(name, b"new", WriteMode::Replace).unwrap();
    let at = faults.seen().iter().position(|operation| operation.starts_with("rename to")).unwrap();
    faults.arm(at as u64 + 1, Fault::Crash);
    workspace.write(name, b"neu", WriteMode::Replace).unwrap_err();
    assert_eq!(unfinished(path).len(), 1, "the crash left its file");
}

#[test]
fn the_next_claim_sweeps_what_a_crash_left() {
    // BX-17: unfinished files do not pile up.
    let (folder, workspace) = new();
    crash_in_a_replace(folder.path(), &DocName::MEMORY);
    fs::create_dir_all(folder.path().join(".dreaming.d")).unwrap();
    let left = format!(".dreaming.d/.noctuary-{}.tmp", "0".repeat(32));
    fs::write(folder.path().join(left), "left").unwrap();
    let _lease = granted(&workspace);
    assert!(unfinished(folder.path()).is_empty(), "{:?}", unfinished(folder.path()));
    assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("new"));
}

#[test]
fn the_next_claim_sweeps_the_journals_too() {
    // BX-17: a crash in a write of a journal leaves its words in a hidden file for one night at most.
    let (folder, workspace) = new();
    crash_in_a_replace(folder.path(), &DocName::parse("memory/2026-11-21-a.md").unwrap());
    let _lease = granted(&workspace);
    assert!(unfinished(folder.path()).is_empty(), "{:?}", unfinished(folder.path()));
}

#[test]
fn a_sweep_takes_only_what_we_made() {
    // WS-26: a person's file whose name resembles ours is a person's file.
    let (folder, workspace) = new();
    fs::write(folder.path().join(".noctuary-notes.md"), "mine").unwrap();
    let _lease = granted(&workspace);
    assert_eq!(fs::read_to_string(folder.path().join(".noctuary-notes.md")).unwrap(), "mine");
}

#[test]
fn a_folder_whose_name_resembles_an_unfinished_file_stops_no_claim() {
    let (folder, workspace) = new();
    fs::create_dir(folder.path().join(format!(".noctuary-{}.tmp", "0".repeat(32)))).unwrap();
    drop(workspace.claim(&terms()).unwrap());
}

#[test]
fn a_network_file_system_is_refused_unless_it_is_trusted() {
    // DL-09: NFS is not supported.
    let (path, _) = new();
    let disk = FaultyDisk::new(folder(path.path()).unwrap(), Faults::new()).on_network("NFS");
    let workspace = FileWorkspace::on_disk(Arc::new(disk));
    match workspace.claim(&terms()) {
        Err(Error::NetworkFileSystem { file_system: "NFS", path: found }) => {
            assert_eq!(found, workspace.location());
        }
        other => panic!("{other:?}"),
    }
    assert!(tree(path.path()).is_empty(), "nothing was written");
    let trusting = ClaimTerms { allow_network: true, ..terms() };
    assert!(matches!(workspace.claim(&trusting).unwrap(), Claim::Granted(_)));
}

#[test]
fn a_claim_that_fails_at_any_operation_blocks_no_later_one() {
    // BX-17: wherever a claim is cut off, the next one on a sound disk succeeds at once.
    let old = Utc::now() - TimeDelta::hours(1);
    let mut ours = foreign(1, "another-host", Utc::now());
    ours["impl"] = json!("noctuary/1");
    for (title, standing) in [
        ("an empty folder", None),
        ("a lock of ours", Some(ours)),
        ("a stale foreign lock", Some(foreign(1, "another-host", old))),
    ] {
        let begin = || {
            let (path, _) = new();
            if let Some(lock) = &standing {
                place(path.path(), lock);
            }
            let faults = Faults::new();
            let disk = FaultyDisk::new(folder(path.path()).unwrap(), faults.clone());
            (path, FileWorkspace::on_disk(Arc::new(disk)), faults)
        };
        let (_path, workspace, faults) = begin();
        let lease = granted(&workspace);
        let operations = faults.seen();
        drop(lease);
        let (mut locks_left, mut unknown) = (0, 0);
        for (at, operation) in operations.iter().enumerate() {
            for fault in [Fault::Error(ErrorKind::StorageFull), Fault::Crash] {
                let context = format!("{title}: {fault:?} at {} ({operation}) of {operations:?}", at + 1);
                let (path, workspace, faults) = begin();
                faults.arm(at as u64 + 1, fault);
                match workspace.claim(&terms()) {
                    Err(Error::DurabilityUnknown { .. }) => unknown += 1,
                    Err(Error::Io { .. }) => {}
                    // The temporary file of a lock that was not placed: the next claim sweeps it.
                    Ok(Claim::Granted(_))
                        if operation == "unlink .dreaming.d/(temporary)" && fault != Fault::Crash => {}
                    // Without it git shows our files, and nothing else fails.
                    Ok(Claim::Granted(_)) if operation.ends_with("/.gitignore") && fault != Fault::Crash => {}
                    other => panic!("{context}: {other:?}"),
                }
                let ours = fs::read_to_string(path.path().join(LOCK)).unwrap_or_default();
                locks_left +=
                    u32::from(fault != Fault::Crash && ours.contains(&std::process::id().to_string()));
                drop(workspace);
                let sound = open(path.path());
                let lease = granted(&sound);
                assert!(unfinished(path.path()).is_empty(), "{context}: {:?}", unfinished(path.path()));
                lease.append(&DocName::MEMORY, b"x").unwrap();
                lease.release().unwrap();
                assert!(!path.path().join(LOCK).exists(), "{context}");
            }
        }
        println!("{title}: {} operations, {unknown} not certain, {locks_left} locks left", operations.len());
    }
}

/// A workspace of its own whose disk fails when it is told to.
fn begun_on_faults() -> (TempDir, FileWorkspace, Faults) {
    let (path, _) = new();
    let faults = Faults::new();
    let disk = FaultyDisk::new(folder(path.path()).unwrap(), faults.clone());
    (path, FileWorkspace::on_disk(Arc::new(disk)), faults)
}

#[test]
fn a_claim_that_fails_leaves_no_lock_to_foreign_peers() {
    // DL-01: a claim that ends in an error holds nothing; a peer need not wait for its time to run out.
    let (_path, workspace, faults) = begun_on_faults();
    let lease = granted(&workspace);
    let operations = faults.seen();
    drop(lease);
    let left: Vec<&String> = operations
        .iter()
        .enumerate()
        .filter(|(at, operation)| {
            let (path, workspace, faults) = begun_on_faults();
            faults.arm(*at as u64 + 1, Fault::Error(ErrorKind::Other));
            let claim = workspace.claim(&terms());
            assert_eq!(claim.is_ok(), operation.ends_with("/.gitignore"), "{operation}: {claim:?}");
            claim.is_err() && path.path().join(LOCK).exists()
        })
        .map(|(_, operation)| operation)
        .collect();
    assert!(left.is_empty(), "a lock stays where these fail: {left:?}");
}

#[test]
fn a_release_that_fails_at_any_operation_blocks_no_later_claim() {
    let (_path, workspace, faults) = begun_on_faults();
    let lease = granted(&workspace);
    faults.disarm();
    lease.release().unwrap();
    let operations = faults.seen();
    for (at, operation) in operations.iter().enumerate() {
        for fault in [Fault::Error(ErrorKind::StorageFull), Fault::Crash] {
            let (path, workspace, faults) = begun_on_faults();
            let lease = granted(&workspace);
            faults.arm(at as u64 + 1, fault);
            lease.release().expect_err(operation);
            drop(workspace);
            assert!(is_granted(&open(path.path())), "{fault:?} at {operation} of {operations:?}");
            assert!(unfinished(path.path()).is_empty());
        }
    }
}

#[test]
fn a_process_that_is_being_started_holds_no_lease() {
    // DL-01: a child is born with copies of our files and closes them a moment later; a lease that we gave
    // back in between is given back.
    let (_folder, workspace) = new();
    let stop = AtomicBool::new(false);
    let refused = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    Command::new("true").spawn().unwrap().wait().unwrap();
                }
            });
        }
        let mut refused = 0;
        for _ in 0..200 {
            if let Claim::Granted(lease) = claim(&workspace) {
                lease.release().unwrap();
            } else {
                refused += 1;
            }
        }
        stop.store(true, Ordering::Relaxed);
        refused
    });
    assert_eq!(refused, 0, "of 200 claims, with nobody else there");
}

fn night(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, 3, 0, 0).unwrap()
}

const ANSWER: &str = "### Preferences\n- The user prefers tea. (memory/2026-11-20-repl.md#L1)\n";

/// A workspace with one journal of the night before.
fn with_a_journal() -> (TempDir, FileWorkspace) {
    let (folder, workspace) = new();
    let journal = DocName::parse("memory/2026-11-20-repl.md").unwrap();
    workspace.append(&journal, b"[user] I prefer tea.\n").unwrap();
    workspace.write(&DocName::MEMORY, b"# Memory\n", WriteMode::Create).unwrap();
    (folder, workspace)
}

fn dreamer(workspace: &FileWorkspace) -> JournalDreamer {
    JournalDreamer::builder(Arc::new(workspace.clone())).enabled(true).build().unwrap()
}

#[test]
fn the_lease_is_held_through_the_whole_call_of_the_model() {
    // DL-03: a peer that comes during the call skips.
    let (folder, workspace) = with_a_journal();
    let (peer, path) = (open(folder.path()), folder.path().to_owned());
    let script = Script::new().answers(move |_| {
        assert_eq!(held(&peer).pid, Some(std::process::id()));
        assert!(path.join(LOCK).exists());
        let skipped = dream_once_at(&dreamer(&peer), &Script::new(), &|| night(21)).unwrap();
        assert_eq!(skipped.outcome, Outcome::LockHeld);
        Ok(LlmReply::new(ANSWER))
    });
    let report = dream_once_at(&dreamer(&workspace), &script, &|| night(21)).unwrap();
    assert_eq!(report.outcome, Outcome::Appended);
    assert!(!folder.path().join(LOCK).exists());
}

#[test]
fn a_held_lease_skips_the_dream() {
    // DR-05: held by a live peer means skip. DL-07: the loser says so and ends cleanly.
    let (folder, workspace) = with_a_journal();
    let _lease = granted(&workspace);
    let before = tree(folder.path());
    let script = Script::new().says(ANSWER);
    let report = dream_once_at(&dreamer(&workspace), &script, &|| night(21)).unwrap();
    assert_eq!((report.outcome, report.calls), (Outcome::LockHeld, 0));
    assert_eq!(report.outcome.as_str(), "lock_held_skip");
    assert_eq!(report.holder.unwrap().pid, Some(std::process::id()));
    assert!(script.requests().is_empty());
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn a_foreign_lock_skips_the_dream() {
    // DL-07: also where the holder knows no guard.
    let (folder, workspace) = with_a_journal();
    place(folder.path(), &foreign(7, "another-host", Utc::now()));
    let report = dream_once_at(&dreamer(&workspace), &Script::new().says(ANSWER), &|| night(21)).unwrap();
    assert_eq!((report.outcome, report.calls), (Outcome::LockHeld, 0));
    assert_eq!(report.holder.unwrap().hostname.as_deref(), Some("another-host"));
    assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("# Memory\n"));
}

#[test]
fn three_processes_on_one_workspace_promote_a_journal_once() {
    // DL-08: two processes on one workspace never promote the same log twice.
    for _ in 0..5 {
        let (folder, workspace) = with_a_journal();
        let mut peers: Vec<Peer> =
            (0..3).map(|_| Peer::start(module_path!(), "dream", folder.path())).collect();
        for peer in &mut peers {
            assert_eq!(peer.hear().unwrap(), "ready");
        }
        for peer in &mut peers {
            peer.go_on();
        }
        let said: Vec<String> = peers.iter_mut().flat_map(Peer::finish).collect();
        assert_eq!(said.iter().filter(|word| *word == "appended").count(), 1, "{said:?}");
        for word in &said {
            assert!(["appended", "lock_held_skip", "nothing_new"].contains(&word.as_str()), "{said:?}");
        }
        let memory = workspace.read_text(&DocName::MEMORY).unwrap().unwrap();
        assert_eq!(memory.matches("prefers tea").count(), 1, "{memory}");
    }
}

#[test]
fn a_lock_that_is_stolen_during_the_call_stops_the_append() {
    // DL-10: a stolen lease is noticed at the commit, and nothing is written.
    let (folder, workspace) = with_a_journal();
    let path = folder.path().to_owned();
    let script = Script::new().answers(move |_| {
        take_over(&path);
        Ok(LlmReply::new(ANSWER))
    });
    let report = dream_once_at(&dreamer(&workspace), &script, &|| night(21)).unwrap();
    assert_eq!(report.outcome, Outcome::LeaseLost);
    assert_eq!(report.passes[0].lost, Some(LostBy::Token));
    assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("# Memory\n"));
    assert_eq!(lock(folder.path()), fresh(), "the thief's lock stands");
    for state in [StateName::DREAMED, StateName::LEDGER, StateName::INTENT] {
        assert!(workspace.read(&state).unwrap().is_none(), "{state}");
    }
}

#[test]
fn every_ending_releases_the_lock() {
    // DR-15: every exit, model error and quarantine included, releases the lock.
    let endings = [
        (Script::new().says(ANSWER), Outcome::Appended),
        (Script::new(), Outcome::NothingToPromote),
        (Script::new().fails("no route"), Outcome::LlmError),
        (
            Script::new()
                .says("### Facts\n- The key is AKIAIOSFODNN7EXAMPLE (memory/2026-11-20-repl.md#L1)\n"),
            Outcome::Quarantined,
        ),
    ];
    for (script, outcome) in endings {
        let (folder, workspace) = with_a_journal();
        let report = dream_once_at(&dreamer(&workspace), &script, &|| night(21)).unwrap();
        assert_eq!(report.outcome, outcome);
        assert!(!folder.path().join(LOCK).exists(), "{outcome}");
        assert!(is_granted(&workspace), "{outcome}");
    }
    let (folder, workspace) = with_a_journal();
    let model = llm_fn(|_| std::panic::resume_unwind(Box::new("on purpose")));
    let dreamer = dreamer(&workspace);
    let panicked = catch_unwind(AssertUnwindSafe(|| dream_once_at(&dreamer, &model, &|| night(21))));
    assert!(panicked.is_err());
    assert!(!folder.path().join(LOCK).exists(), "a panic in the client");
    assert!(is_granted(&workspace));
}

/// How long the stress goes on.
fn stress() -> Duration {
    let long = std::env::var_os("NOCTUARY_LONG_TESTS").is_some();
    Duration::from_secs(if long { 60 } else { 2 })
}

const ROUNDS: u32 = 20;

#[test]
fn claims_of_four_processes_never_meet() {
    // DL-08: one dream at a time, by an oracle that knows nothing of leases, with holders that die.
    let (folder, workspace) = new();
    let epochs = DocName::parse("memory/epochs.md").unwrap();
    workspace.append(&epochs, b"").unwrap();
    fs::write(folder.path().join("oracle"), "").unwrap();
    let begun = Instant::now();
    let (mut held, mut granted, mut doubled, mut deaths) = (0, 0, 0, 0);
    std::thread::scope(|scope| {
        let slots: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut said = Vec::new();
                    while begun.elapsed() < stress() {
                        let mut peer = Peer::start(module_path!(), "stress", folder.path());
                        said.extend(peer.finish());
                    }
                    said
                })
            })
            .collect();
        for word in slots.into_iter().flat_map(|slot| slot.join().unwrap()) {
            match word.as_str() {
                "held" => held += 1,
                "granted" => granted += 1,
                "died holding" => deaths += 1,
                "doubled" => doubled += 1,
                other => panic!("{other}"),
            }
        }
    });
    println!("granted {granted}, held {held}, died holding {deaths}, doubled {doubled}");
    assert_eq!(doubled, 0);
    assert!(granted > 0 && deaths > 0);
    let text = workspace.read_text(&epochs).unwrap().unwrap();
    let numbers: Vec<u64> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(numbers.len(), granted, "each holder wrote once");
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "in the order of their epochs");
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let workspace = open(&folder);
    match role.as_str() {
        "claim once" => {
            tell("ready");
            listen();
            let answer = claim(&workspace);
            tell(if matches!(answer, Claim::Granted(_)) { "granted" } else { "held" });
            listen();
        }
        "hold" => {
            let lease = granted(&workspace);
            tell(&lease.epoch().to_string());
            listen();
        }
        "dream" => {
            let dreamer = dreamer(&workspace);
            tell("ready");
            listen();
            let report = dream_once_at(&dreamer, &Script::new().says(ANSWER), &|| night(21)).unwrap();
            tell(report.outcome.as_str());
        }
        "stress" => claim_again_and_again(&workspace, &folder),
        other => panic!("no role {other:?}"),
    }
}

/// Claims, looks whether somebody else holds too, and gives back; the last time by dying.
fn claim_again_and_again(workspace: &FileWorkspace, folder: &Path) {
    let oracle = fs::File::open(folder.join("oracle")).unwrap();
    let epochs = DocName::parse("memory/epochs.md").unwrap();
    for round in 0..ROUNDS {
        let Claim::Granted(lease) = claim(workspace) else {
            tell("held");
            std::thread::yield_now();
            continue;
        };
        if oracle.try_lock().is_err() {
            tell("doubled");
        }
        lease.append(&epochs, format!("{}\n", lease.epoch()).as_bytes()).unwrap();
        tell("granted");
        // Before it dies too: of a process that ends, a kernel gives up the locks in an order of its own.
        oracle.unlock().unwrap();
        if round >= ROUNDS / 2 {
            tell("died holding");
            std::process::exit(0);
        }
        lease.release().unwrap();
    }
}
