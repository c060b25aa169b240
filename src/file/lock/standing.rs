//! A lock as somebody sees it who holds nothing, for the doctor.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::{FoundLock, is_stale, read_lock};
use crate::base::error::Result;
use crate::disk::Disk;
use crate::disk::host::Host;
use crate::format::state::lock::LockFile;

/// A lock that exists, as somebody sees it who holds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StandingLock {
    /// A dream of this library is under way.
    Ours,
    /// Its holder is gone, or older than a dream may be.
    Stuck,
    /// Another program or host holds it, as far as can be seen.
    Foreign,
}

/// Looks at the lock; `None` where there is none.
pub(crate) fn look(disk: &dyn Disk, ttl: Duration, now: DateTime<Utc>) -> Result<Option<StandingLock>> {
    let Some((seen, modified)) = read_lock(disk)? else { return Ok(None) };
    let host = Host::this();
    let found = FoundLock::of(&seen);
    Ok(Some(match &found {
        // A holder refreshes the time while it dreams.
        FoundLock::Lock(lock) if lock.is_ours() => {
            if lock.pid == host.pid && lock.hostname == host.hostname {
                return Ok(Some(StandingLock::Ours));
            }
            let judged = FoundLock::Lock(LockFile { implementation: None, ..lock.clone() });
            if is_stale(&judged, modified, now, ttl, &host) {
                StandingLock::Stuck
            } else {
                StandingLock::Ours
            }
        }
        _ if is_stale(&found, modified, now, ttl, &host) => StandingLock::Stuck,
        _ => StandingLock::Foreign,
    }))
}
