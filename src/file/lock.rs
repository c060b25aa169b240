//! The seed's lock file, `.dreaming.lock`, which peers judge by its age and its process.
//!
//! It is complete from the moment it can be seen, and refreshed in place while held. A peer that takes over a lock moves it
//! aside and looks again before it removes it.

#[cfg(feature = "doctor")]
mod standing;

use std::io;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::write_guard::write_guard;
use crate::base::error::{At, Result};
use crate::disk::host::Host;
use crate::disk::{Disk, DiskFile, Open, STATE_FOLDER, atomic};
use crate::format::state::iso_millis;
use crate::format::state::lock::{IMPLEMENTATION, LockFile, started_at_offset};
use crate::workspace::{ClaimTerms, Holder};

#[cfg(feature = "doctor")]
pub(crate) use standing::{StandingLock, look};

pub(super) const LOCK: &str = ".dreaming.lock";
/// More than any lock file has.
const LOCK_LIMIT: u64 = 64 << 10;
/// A lock that is further ahead than this was not written by a clock.
const MOST_AHEAD: TimeDelta = TimeDelta::days(1);
/// The age at which a lock that does not parse is taken for abandoned rather than half written.
const UNFINISHED_FOR: TimeDelta = TimeDelta::seconds(60);

/// The answer to a try to place a lock.
pub(super) enum Placed {
    Ours(OurLock),
    Held(Holder),
}

/// The lock file that we placed, open, so that it can be refreshed whatever becomes of its name.
pub(super) struct OurLock {
    pub(super) token: String,
    file: Box<dyn DiskFile>,
    started_at: u64,
}

impl OurLock {
    /// Writes the present time into the lock file that we placed, also where its name has gone.
    pub(super) fn refresh(&self, now: DateTime<Utc>) -> io::Result<()> {
        self.file.write_at(iso_millis::print(now).as_bytes(), self.started_at)
    }
}

/// Places the seed's lock file, after judging the one that is there.
pub(super) fn place(
    disk: &dyn Disk,
    terms: &ClaimTerms,
    epoch: u64,
    token: &str,
    guard: &str,
) -> Result<Placed> {
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
        guard: Some(guard.to_owned()),
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
    let found = FoundLock::of(&seen);
    let foreign = !matches!(&found, FoundLock::Lock(lock) if lock.is_ours());
    if !is_stale(&found, modified, now, terms.ttl, &host) {
        return Ok(Placed::Held(found.holder()));
    }
    // It is moved aside, never removed by name. A peer may have taken over since our look, and its fresh lock
    // must survive. (seed 000, "Multi-process safety")
    if !move_aside(disk, |aside| aside == seen)? {
        return Ok(Placed::Held(standing_holder(disk)?));
    }
    if !create_lock(disk, &printed)? {
        return Ok(Placed::Held(standing_holder(disk)?));
    }
    if foreign {
        // A foreign peer may have judged the same lock stale and be about to remove ours by name.
        disk.pause(terms.settle);
        match standing(disk)? {
            Some(placed) if placed.token == lock.token => {}
            other => {
                return Ok(Placed::Held(other.map_or_else(Holder::default, |lock| holder_of(&lock))));
            }
        }
    }
    ours()
}

/// Creates the lock file; `false` where one exists. Under the write guard, so that no other claim's sweep takes the
/// file before it has its name.
fn create_lock(disk: &dyn Disk, printed: &str) -> Result<bool> {
    let _write_guard = write_guard(disk)?;
    atomic::create(disk, LOCK, printed.as_bytes())
}

/// The content of a lock file that somebody else left.
enum FoundLock {
    Lock(LockFile),
    /// JSON of another shape: a peer that we do not know.
    Unknown,
    /// Not JSON: a peer between making and writing it.
    Unfinished,
}

impl FoundLock {
    fn of(bytes: &[u8]) -> Self {
        match LockFile::parse(bytes) {
            Some(lock) => Self::Lock(lock),
            None if serde_json::from_slice::<serde_json::Value>(bytes).is_ok() => Self::Unknown,
            None => Self::Unfinished,
        }
    }

    fn holder(&self) -> Holder {
        match self {
            Self::Lock(lock) => holder_of(lock),
            Self::Unknown | Self::Unfinished => Holder::default(),
        }
    }
}

/// Returns the seed's two rules, and cases that it leaves open. A lock of ours is dead, since we hold the guard. One
/// without a time goes by that of its file. A lock that is no JSON is still being written, unless it is old.
fn is_stale(
    found: &FoundLock,
    modified: DateTime<Utc>,
    now: DateTime<Utc>,
    ttl: Duration,
    host: &Host,
) -> bool {
    let ttl = TimeDelta::from_std(ttl).unwrap_or(TimeDelta::MAX);
    let lock = match found {
        FoundLock::Unfinished => return now - modified > UNFINISHED_FOR,
        FoundLock::Unknown => return now - modified > ttl,
        FoundLock::Lock(lock) if lock.is_ours() => return true,
        FoundLock::Lock(lock) => lock,
    };
    // A time that no clock wrote would hold for ever: then the file's own counts.
    let begun = lock.started_at.filter(|begun| *begun - now <= MOST_AHEAD).unwrap_or(modified);
    let too_old = now - begun > ttl;
    let same_namespace = lock.pid_ns.is_none() || lock.pid_ns == host.pid_ns;
    too_old || (same_namespace && host.is_dead(&lock.hostname, lock.pid))
}

/// Moves the lock file aside. If it is the expected one, it is removed, else it is put back.
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
pub(super) fn take_away(disk: &dyn Disk, token: &str) -> Result<()> {
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

/// Reads the lock file that is there; `None` where there is none, or none that parses.
pub(super) fn standing(disk: &dyn Disk) -> Result<Option<LockFile>> {
    Ok(read_lock(disk)?.and_then(|(bytes, _)| LockFile::parse(&bytes)))
}

/// Returns who holds the lock, as far as the lock file says.
pub(super) fn standing_holder(disk: &dyn Disk) -> Result<Holder> {
    Ok(standing(disk)?.as_ref().map_or_else(Holder::default, holder_of))
}

fn holder_of(lock: &LockFile) -> Holder {
    Holder {
        pid: Some(lock.pid),
        hostname: Some(lock.hostname.clone()),
        since: lock.acquired_at.or(lock.started_at),
    }
}
