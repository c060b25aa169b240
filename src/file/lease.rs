//! The lease of a folder: a kernel lock for our own peers, and the seed's lock file for the others.
//!
//! The truth is the kernel's lock on `.dreaming.d/guard`, a file that is never removed: the kernel frees it
//! at any death of its holder, and no two open files have it at once. The guard also holds the epoch, a
//! number that only rises. Beside it stands `.dreaming.lock`, complete from the moment it can be seen, and
//! refreshed in place while held, so that a peer which knows only age and process id never takes a live
//! holder for dead. Whoever takes over a lock moves it aside and looks again before it is removed.

use std::fmt;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::{append, finish, remove, write, write_guard};
use crate::base::error::{At, Error, LostBy, Result};
use crate::base::name::Name;
use crate::disk::host::{self, Host};
use crate::disk::{Disk, DiskFile, Open, STATE_FOLDER, atomic};
use crate::format::state::iso_millis;
use crate::format::state::lock::{IMPLEMENTATION, LockFile, started_at_offset};
use crate::workspace::{Claim, ClaimTerms, Holder, Lease, WriteMode};

const GUARD: &str = ".dreaming.d/guard";
const LOCK: &str = ".dreaming.lock";
/// More than any lock file has.
const LOCK_LIMIT: u64 = 64 << 10;
/// The epoch as text: twenty digits and a line break.
const EPOCH_BYTES: usize = 21;
/// A lock that is further ahead than this was not written by a clock.
const MOST_AHEAD: TimeDelta = TimeDelta::days(1);
/// How old a lock that does not parse must be before it is taken for abandoned rather than half written.
const UNFINISHED_FOR: TimeDelta = TimeDelta::seconds(60);

/// Claims the workspace, or says who holds it.
pub(super) fn claim(disk: &Arc<dyn Disk>, terms: &ClaimTerms) -> Result<Claim> {
    if !terms.allow_network
        && let Some(file_system) = disk.network().at("look at", disk.root().display())?
    {
        return Err(Error::NetworkFileSystem { path: disk.root().display().to_string(), file_system });
    }
    atomic::create_folder_of(disk.as_ref(), GUARD)?;
    let Some(guard) = atomic::lock_named(disk.as_ref(), GUARD)? else {
        return Ok(Claim::Held(holder(
            read_lock(disk.as_ref())?.as_ref().map(|(bytes, _)| bytes.as_slice()),
        )));
    };
    let epoch = raise_epoch(disk.as_ref(), guard.as_ref())?;
    {
        let _write_guard = write_guard(disk.as_ref())?;
        atomic::sweep(disk.as_ref(), "")?;
        atomic::sweep(disk.as_ref(), STATE_FOLDER)?;
    }
    let guard_id = guard.stat().at("look at", GUARD)?.id;
    let token = host::token();
    // A lock that was placed by a claim that fails is taken away again: a peer that goes by age and process
    // id would wait for it.
    let withdraw = |_: &Error| drop(take_away(disk.as_ref(), &token));
    let lock = match place_lock(disk.as_ref(), terms, epoch, &token).inspect_err(withdraw)? {
        Placed::Ours(lock) => lock,
        Placed::Held(holder) => return Ok(Claim::Held(holder)),
    };
    let shared = Arc::new(Shared {
        disk: Arc::clone(disk),
        guard_id,
        guard,
        epoch,
        lock,
        deadline: disk.elapsed().saturating_add(terms.max_hold),
        poisoned: Mutex::new(false),
    });
    let heartbeat = Heartbeat::start(&shared, terms.ttl / 4).inspect_err(withdraw)?;
    Ok(Claim::Granted(Box::new(FileLease { shared, heartbeat: Some(heartbeat) })))
}

fn raise_epoch(disk: &dyn Disk, guard: &dyn DiskFile) -> Result<u64> {
    // A guard that somebody deleted begins at nothing; the last holder's lock may still know better.
    let standing =
        read_lock(disk)?.and_then(|(bytes, _)| LockFile::parse(&bytes)).and_then(|lock| lock.epoch);
    let epoch = read_epoch(guard)?.max(standing.unwrap_or(0)).saturating_add(1);
    guard.write_at(format!("{epoch:020}\n").as_bytes(), 0).at("write", GUARD)?;
    guard.sync().map_err(atomic::unsynced).at("sync", GUARD)?;
    Ok(epoch)
}

fn read_epoch(guard: &dyn DiskFile) -> Result<u64> {
    let mut bytes = [0; EPOCH_BYTES];
    let read = guard.read_at(&mut bytes, 0).at("read", GUARD)?;
    // Zeros are what a power loss leaves where it takes the first epoch and not the length.
    let text = std::str::from_utf8(&bytes[..read]).unwrap_or("x").trim_matches(['\0', '\n']).trim();
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| Error::Corrupt {
        name: GUARD.to_owned(),
        line: 1,
        column: 1,
        what: "it is no number",
    })
}

enum Placed {
    Ours(OurLock),
    Held(Holder),
}

/// The lock file that we placed, open, so that it can be refreshed whatever becomes of its name.
struct OurLock {
    token: String,
    file: Box<dyn DiskFile>,
    started_at: u64,
}

/// Places the seed's lock file, after judging the one that stands there.
fn place_lock(disk: &dyn Disk, terms: &ClaimTerms, epoch: u64, token: &str) -> Result<Placed> {
    let host = Host::this();
    let now = disk.clock();
    let lock = LockFile {
        pid: host.pid,
        hostname: host.hostname.clone(),
        started_at: Some(now),
        token: token.to_owned(),
        implementation: Some(IMPLEMENTATION.to_owned()),
        acquired_at: Some(now),
        epoch: Some(epoch),
        boot_id: host.boot_id.clone(),
        pid_ns: host.pid_ns.clone(),
        guard: Some(GUARD.to_owned()),
    };
    let printed = lock.print();
    let ours = || -> Result<Placed> {
        let file = disk.open(LOCK, Open::Modify).at("open", LOCK)?;
        let started_at = started_at_offset(&printed);
        Ok(Placed::Ours(OurLock { token: lock.token.clone(), file, started_at }))
    };
    if create_lock(disk, &printed)? {
        return ours();
    }
    // Something stands there: a dead peer of ours, since we hold the guard, or a foreign one, dead or alive.
    let Some((seen, modified)) = read_lock(disk)? else {
        return Ok(if create_lock(disk, &printed)? { ours()? } else { Placed::Held(Holder::default()) });
    };
    let standing = Standing::of(&seen);
    let foreign = !matches!(&standing, Standing::Lock(lock) if lock.is_ours());
    if !is_stale(&standing, modified, now, terms.ttl, &host) {
        return Ok(Placed::Held(holder(Some(&seen))));
    }
    // Moved aside, never removed by name: a peer may have taken over between our look and now, and its
    // fresh lock must survive. (seed 000, "Multi-process safety")
    if !move_aside(disk, |aside| aside == seen)? {
        return Ok(Placed::Held(holder(read_lock(disk)?.as_ref().map(|(bytes, _)| bytes.as_slice()))));
    }
    if !create_lock(disk, &printed)? {
        return Ok(Placed::Held(holder(read_lock(disk)?.as_ref().map(|(bytes, _)| bytes.as_slice()))));
    }
    if foreign {
        // A foreign peer may have judged the same lock stale and be about to remove ours by name.
        disk.pause(terms.settle);
        match read_lock(disk)?.and_then(|(bytes, _)| LockFile::parse(&bytes)) {
            Some(placed) if placed.token == lock.token => {}
            other => {
                return Ok(Placed::Held(other.map_or_else(Holder::default, |lock| holder_of(&lock))));
            }
        }
    }
    ours()
}

/// Creates the lock file; `false` where one stands. Under the write guard, so that no other claim's sweep takes
/// the file before it has its name.
fn create_lock(disk: &dyn Disk, printed: &str) -> Result<bool> {
    let _write_guard = write_guard(disk)?;
    atomic::create(disk, LOCK, printed.as_bytes())
}

/// What stands in the place of the lock file.
enum Standing {
    Lock(LockFile),
    /// JSON of another shape: a peer that we do not know.
    Unknown,
    /// Not JSON: a peer between making and writing it.
    Unfinished,
}

impl Standing {
    fn of(bytes: &[u8]) -> Self {
        match LockFile::parse(bytes) {
            Some(lock) => Self::Lock(lock),
            None if serde_json::from_slice::<serde_json::Value>(bytes).is_ok() => Self::Unknown,
            None => Self::Unfinished,
        }
    }
}

/// The seed's two rules, and what it leaves open: a lock of ours is dead, since we hold the guard; one that
/// says no time goes by that of its file; one that is no JSON is being written, unless it is old.
fn is_stale(
    standing: &Standing,
    modified: DateTime<Utc>,
    now: DateTime<Utc>,
    ttl: Duration,
    host: &Host,
) -> bool {
    let ttl = TimeDelta::from_std(ttl).unwrap_or(TimeDelta::MAX);
    let lock = match standing {
        Standing::Unfinished => return now - modified > UNFINISHED_FOR,
        Standing::Unknown => return now - modified > ttl,
        Standing::Lock(lock) if lock.is_ours() => return true,
        Standing::Lock(lock) => lock,
    };
    // A time that no clock wrote would hold for ever: then the file's own counts.
    let begun = lock.started_at.filter(|begun| *begun - now <= MOST_AHEAD).unwrap_or(modified);
    let too_old = now - begun > ttl;
    let same_namespace = lock.pid_ns.is_none() || lock.pid_ns == host.pid_ns;
    too_old || (same_namespace && host.is_dead(&lock.hostname, lock.pid))
}

/// Moves the lock file aside and removes it, if what was moved is what was meant; else puts it back.
fn move_aside(disk: &dyn Disk, is_meant: impl FnOnce(&[u8]) -> bool) -> Result<bool> {
    let mut aside = atomic::temporary();
    let mut moved = disk.rename(LOCK, &aside);
    if moved.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::CrossesDevices) {
        aside = aside.trim_start_matches(STATE_FOLDER).trim_start_matches('/').to_owned();
        moved = disk.rename(LOCK, &aside);
    }
    match moved {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error).at("move aside", LOCK),
    }
    let moved = atomic::read(disk, &aside, LOCK_LIMIT)?.unwrap_or_default();
    if is_meant(&moved) {
        disk.unlink(&aside).at("remove", &aside)?;
        return Ok(true);
    }
    match disk.rename_new(&aside, LOCK) {
        Ok(()) => Ok(false),
        // Somebody placed another one meanwhile: theirs stands.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            disk.unlink(&aside).at("remove", &aside)?;
            Ok(false)
        }
        Err(error) => Err(error).at("put back", LOCK),
    }
}

/// Removes the lock file with this token, and no other.
fn take_away(disk: &dyn Disk, token: &str) -> Result<()> {
    let _write_guard = write_guard(disk)?;
    let is_mine = |bytes: &[u8]| LockFile::parse(bytes).is_some_and(|lock| lock.token == token);
    if read_lock(disk)?.is_some_and(|(bytes, _)| is_mine(&bytes)) {
        move_aside(disk, is_mine)?;
    }
    Ok(())
}

fn read_lock(disk: &dyn Disk) -> Result<Option<(Vec<u8>, DateTime<Utc>)>> {
    let Some(stat) = disk.stat(LOCK).at("look at", LOCK)? else { return Ok(None) };
    Ok(atomic::read(disk, LOCK, LOCK_LIMIT)?.map(|bytes| (bytes, stat.modified)))
}

fn holder(lock: Option<&[u8]>) -> Holder {
    lock.and_then(LockFile::parse).map_or_else(Holder::default, |lock| holder_of(&lock))
}

fn holder_of(lock: &LockFile) -> Holder {
    Holder {
        pid: Some(lock.pid),
        hostname: Some(lock.hostname.clone()),
        since: lock.acquired_at.or(lock.started_at),
    }
}

/// What the lease and its heartbeat share.
struct Shared {
    disk: Arc<dyn Disk>,
    guard: Box<dyn DiskFile>,
    guard_id: (u64, u64),
    epoch: u64,
    lock: OurLock,
    deadline: Duration,
    poisoned: Mutex<bool>,
}

impl Shared {
    /// The fence. Whoever calls it before a write holds the write guard.
    fn check(&self) -> Result<()> {
        let lost = |by| Err(Error::LeaseLost(by));
        if *self.poisoned.lock().unwrap_or_else(PoisonError::into_inner) {
            return lost(LostBy::Poisoned);
        }
        if self.disk.elapsed() >= self.deadline {
            return lost(LostBy::Deadline);
        }
        if self.disk.stat(GUARD).at("look at", GUARD)?.is_none_or(|named| named.id != self.guard_id) {
            return lost(LostBy::Guard);
        }
        if read_epoch(self.guard.as_ref())? != self.epoch {
            return lost(LostBy::Epoch);
        }
        let standing = read_lock(self.disk.as_ref())?.and_then(|(bytes, _)| LockFile::parse(&bytes));
        if standing.is_none_or(|lock| lock.token != self.lock.token) {
            return lost(LostBy::Token);
        }
        Ok(())
    }

    /// Runs a mutation behind the fence, in one critical section.
    fn fenced<T>(&self, mutate: impl FnOnce(&dyn Disk) -> Result<T>) -> Result<T> {
        let _write_guard = write_guard(self.disk.as_ref())?;
        self.check()?;
        mutate(self.disk.as_ref()).inspect_err(|error| {
            // After a failed sync nobody knows what is on the disk: this lease writes no more, and the next
            // claim finishes from the intent.
            if matches!(error, Error::DurabilityUnknown { .. }) {
                *self.poisoned.lock().unwrap_or_else(PoisonError::into_inner) = true;
            }
        })
    }

    /// Writes the present time into the lock file that we placed, also where its name has gone.
    fn refresh(&self) -> io::Result<()> {
        self.lock.file.write_at(iso_millis::print(self.disk.clock()).as_bytes(), self.lock.started_at)
    }

    fn release(&self) -> Result<()> {
        take_away(self.disk.as_ref(), &self.lock.token)
    }
}

/// Refreshes the lock file until stopped. The one thread of this crate.
struct Heartbeat {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Heartbeat {
    fn start(shared: &Arc<Shared>, every: Duration) -> Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let shared = Arc::clone(shared);
        let every = every.max(Duration::from_millis(1));
        let thread = std::thread::Builder::new()
            .name("noctuary-lease".to_owned())
            .spawn(move || {
                // A holder past its deadline writes no more, and no longer looks alive to peers.
                while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout)
                    && shared.disk.elapsed() < shared.deadline
                {
                    // A missed refresh is made up by the next; a peer that took over meanwhile is noticed by
                    // the fence.
                    let _ = shared.refresh();
                }
            })
            .at("start the heartbeat of", LOCK)?;
        Ok(Self { stop, thread })
    }

    fn stop(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

/// The lease of a [`FileWorkspace`](super::FileWorkspace).
struct FileLease {
    shared: Arc<Shared>,
    heartbeat: Option<Heartbeat>,
}

impl FileLease {
    fn give_back(&mut self) -> Result<()> {
        let Some(heartbeat) = self.heartbeat.take() else { return Ok(()) };
        heartbeat.stop();
        self.shared.release()
        // The guard is freed by the kernel when `shared` is dropped.
    }
}

impl Lease for FileLease {
    fn epoch(&self) -> u64 {
        self.shared.epoch
    }

    fn check(&self) -> Result<()> {
        self.shared.check()
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.shared.fenced(|disk| append(disk, name, bytes))
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        self.shared.fenced(|disk| finish(disk, name, len, rest))
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.shared.fenced(|disk| write(disk, name, bytes, WriteMode::Replace).map(|_| ()))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.shared.fenced(|disk| remove(disk, name))
    }

    fn release(mut self: Box<Self>) -> Result<()> {
        self.give_back()
    }
}

impl Drop for FileLease {
    fn drop(&mut self) {
        // Nobody is left to tell: a lock file that stays is known as dead by the free guard.
        let _ = self.give_back();
    }
}

impl fmt::Debug for FileLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileLease {{ epoch: {} }}", self.shared.epoch)
    }
}
