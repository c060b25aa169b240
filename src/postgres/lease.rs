//! The lease of a scope across machines: a row with epoch, token and an end by the server's clock.
//!
//! The row is the fence. Each write of a lease shares the row's lock in the same transaction. So a claim waits for the
//! write, or the write sees the claim. A connection of the holder's process shows that the holder lives. If the
//! server's process behind that connection is gone, nobody waits for the end.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::DateTime;

use super::documents::Rows;
use super::link::Param;
use super::scoped::ScopedServer;
use super::shared::GuardId;
use crate::base::debug::debug_as;
use crate::base::error::{Error, LostBy, Result};
use crate::base::name::{Name, StateName};
use crate::disk::host::{self, Host};
use crate::workspace::{Claim, ClaimTerms, Holder, Lease, WriteMode};

/// A session of another role shows its process and not when it began: it counts as alive.
const CLAIM: &str = "
    INSERT INTO leases AS held
      (user_id, agent_id, epoch, token, expires_at, acquired_us, pid, hostname, guard_pid, guard_start_us)
    VALUES ($1, $2, 1, $3, clock_timestamp() + $4 * interval '1 microsecond',
            (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $5, $6, $7, $8)
    ON CONFLICT (user_id, agent_id) DO UPDATE SET
      epoch = held.epoch + 1, token = excluded.token, expires_at = excluded.expires_at, acquired_us = excluded.acquired_us,
      pid = excluded.pid, hostname = excluded.hostname, guard_pid = excluded.guard_pid,
      guard_start_us = excluded.guard_start_us
    WHERE held.expires_at < clock_timestamp()
       OR held.guard_pid <> 0 AND NOT EXISTS (
            SELECT 1 FROM pg_catalog.pg_stat_activity AS activity WHERE activity.pid = held.guard_pid
            AND (activity.backend_start IS NULL
                 OR (extract(epoch FROM activity.backend_start) * 1000000)::bigint = held.guard_start_us))
    RETURNING epoch";

const FENCE: &str = "SELECT epoch, token FROM leases WHERE user_id = $1 AND agent_id = $2 FOR SHARE";

const HOLDER: &str = "SELECT pid, hostname, acquired_us FROM leases WHERE user_id = $1 AND agent_id = $2";

/// A paused holder goes on if nobody else has claimed meanwhile.
const REFRESH: &str = "
    UPDATE leases SET expires_at = clock_timestamp() + $4 * interval '1 microsecond', guard_pid = $5, guard_start_us = $6
    WHERE user_id = $1 AND agent_id = $2 AND token = $3";

/// The row stays, for its epoch.
const RELEASE: &str = "
    UPDATE leases SET expires_at = '-infinity', token = '' WHERE user_id = $1 AND agent_id = $2 AND token = $3";

/// Claims the scope, or says who holds it.
pub(super) fn claim(scoped: &Arc<ScopedServer>, terms: &ClaimTerms) -> Result<Claim> {
    let begun = Instant::now();
    let guard = scoped.shared.guard().map_err(|fault| fault.fold("claim", scoped.location()))?;
    let token = host::token();
    let host = Host::this();
    let name: Name = StateName::LEDGER.into();
    let answer = scoped.write("claim", &name, |rows| {
        let params = vec![
            Param::from(&token),
            micros(terms.ttl).into(),
            i64::from(host.pid).into(),
            Param::from(&host.hostname),
            guard.pid.into(),
            guard.start_us.into(),
        ];
        let claimed = rows.run(&name, CLAIM, params)?;
        let epoch: Option<i64> = rows.first(&name, &claimed, |row| row.try_get(0))?;
        match epoch {
            Some(epoch) => Ok(Ok(u64::try_from(epoch).unwrap_or(0))),
            None => holder(rows, &name).map(Err),
        }
    })?;
    let epoch = match answer {
        Ok(epoch) => epoch,
        Err(holder) => return Ok(Claim::Held(holder)),
    };
    let shared = Arc::new(Held { scoped: Arc::clone(scoped), epoch, token, begun, max_hold: terms.max_hold });
    let heartbeat = match Heartbeat::start(&shared, terms.ttl) {
        Ok(heartbeat) => heartbeat,
        Err(error) => {
            let _ = shared.release();
            return Err(error);
        }
    };
    Ok(Claim::Granted(Box::new(PostgresLease { held: shared, heartbeat: Mutex::new(Some(heartbeat)) })))
}

/// A bound that nobody reaches is one of some thousand years.
fn micros(time: Duration) -> i64 {
    const MOST: i64 = 100_000_000_000_000_000;
    i64::try_from(time.as_micros()).unwrap_or(MOST).min(MOST)
}

fn holder(rows: &Rows<'_>, name: &Name) -> Result<Holder> {
    let found = rows.run(name, HOLDER, Vec::new())?;
    let holder = rows.first(name, &found, |row| {
        Ok(Holder {
            pid: u32::try_from(row.try_get::<_, i64>(0)?).ok(),
            hostname: Some(row.try_get(1)?),
            since: DateTime::from_timestamp_micros(row.try_get(2)?),
        })
    })?;
    Ok(holder.unwrap_or_default())
}

/// The state that a lease and its heartbeat share.
struct Held {
    scoped: Arc<ScopedServer>,
    epoch: u64,
    token: String,
    begun: Instant,
    max_hold: Duration,
}

impl Held {
    fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.max_hold
    }

    /// Checks the fence, inside the transaction of what it allows.
    fn fence(&self, rows: &Rows<'_>, name: &Name) -> Result<()> {
        let lost = |by| Err(Error::LeaseLost(by));
        if self.is_over() {
            return lost(LostBy::Deadline);
        }
        let found = rows.run(name, FENCE, Vec::new())?;
        let standing =
            rows.first(name, &found, |row| Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, String>(1)?)))?;
        match standing {
            Some((_, token)) if token != self.token => lost(LostBy::Token),
            Some((epoch, _)) if u64::try_from(epoch) != Ok(self.epoch) => lost(LostBy::Epoch),
            Some(_) => Ok(()),
            None => lost(LostBy::Token),
        }
    }

    fn fenced<T>(
        &self,
        action: &'static str,
        name: &Name,
        mutate: impl FnOnce(&Rows<'_>) -> Result<T>,
    ) -> Result<T> {
        self.scoped.write(action, name, |rows| {
            self.fence(rows, name)?;
            mutate(rows)
        })
    }

    fn key(&self) -> Vec<Param> {
        let mut key = self.scoped.key();
        key.push(Param::from(&self.token));
        key
    }

    fn refresh(&self, ttl: Duration) -> Result<()> {
        let location = || self.scoped.location();
        let GuardId { pid, start_us } =
            self.scoped.shared.guard().map_err(|fault| fault.fold("refresh the lease of", location()))?;
        let mut params = self.key();
        params.extend([micros(ttl).into(), pid.into(), start_us.into()]);
        self.scoped.note("refresh the lease of", REFRESH, params)
    }

    fn release(&self) -> Result<()> {
        self.scoped.note("give back the lease of", RELEASE, self.key())
    }
}

/// Moves the end of a lease on until stopped.
struct Heartbeat {
    stop: Sender<()>,
}

impl Heartbeat {
    fn start(held: &Arc<Held>, ttl: Duration) -> Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let held = Arc::clone(held);
        let every = (ttl / 4).max(Duration::from_millis(1));
        let location = held.scoped.location();
        std::thread::Builder::new()
            .name("noctuary-lease".to_owned())
            .spawn(move || {
                // A holder past its deadline writes no more, and no longer looks alive to others.
                while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) && !held.is_over() {
                    // A missed refresh is made up by the next; a claim by another is noticed by the fence.
                    let _ = held.refresh(ttl);
                }
            })
            .map_err(|source| Error::Io { action: "start the heartbeat of", path: location, source })?;
        Ok(Self { stop })
    }
}

/// The lease of a [`PostgresWorkspace`](super::workspace::PostgresWorkspace).
struct PostgresLease {
    held: Arc<Held>,
    /// `None` once it was given back.
    heartbeat: Mutex<Option<Heartbeat>>,
}

impl PostgresLease {
    fn give_back(&self) -> Result<()> {
        let heartbeat = self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Heartbeat { stop }) = heartbeat else { return Ok(()) };
        // A refresh that is under way finds another token, and changes nothing.
        drop(stop);
        self.held.release()
    }
}

impl Lease for PostgresLease {
    fn epoch(&self) -> u64 {
        self.held.epoch
    }

    fn check(&self) -> Result<()> {
        self.held.fenced("check the lease of", &StateName::LEDGER.into(), |_| Ok(()))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.held.fenced("append to", name, |rows| rows.append(name, bytes))
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        self.held.fenced("append to", name, |rows| rows.finish(name, len, rest))
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.held.fenced("replace", name, |rows| rows.write(name, bytes, WriteMode::Replace).map(|_| ()))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.held.fenced("remove", name, |rows| rows.remove(name))
    }

    fn release(self: Box<Self>) -> Result<()> {
        self.give_back()
    }
}

impl Drop for PostgresLease {
    fn drop(&mut self) {
        // Nobody is left to tell: a row that stays is taken over when its time is up.
        let _ = self.give_back();
    }
}

debug_as!(PostgresLease, |it| "PostgresLease {{ epoch: {} }}", it.held.epoch);
