//! The lease of a scope in a file: a kernel lock on a guard file, and a row with epoch and token.
//!
//! The guard says who lives: the kernel frees it at any death of its holder, so nobody waits for a dead one.
//! The row is the fence: each write of a lease looks at it in the same transaction.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, params};

use super::columns::stamp;
use super::documents::Rows;
use super::error::fold;
use super::home::Guard;
use super::scoped::ScopedDatabase;
use crate::base::debug::debug_as;
use crate::base::digest::Hasher;
use crate::base::error::{Error, LostBy, Result};
use crate::base::name::{Name, StateName};
use crate::disk::host::{self, Host};
use crate::workspace::{Claim, ClaimTerms, Holder, Lease, WriteMode};

/// Claims the scope, or says who holds it.
pub(super) fn claim(scoped: &Arc<ScopedDatabase>, terms: &ClaimTerms) -> Result<Claim> {
    let guard_name = guard_name(scoped);
    let Some(Guard { id, held }) = scoped.home.guard(&guard_name)? else {
        return Ok(Claim::Held(holder(scoped)?));
    };
    let token = host::token();
    let epoch = raise_epoch(scoped, &token)?;
    let lease = SqliteLease {
        guard_id: id,
        deadline: scoped.home.elapsed().saturating_add(terms.max_hold),
        scoped: Arc::clone(scoped),
        guard: Mutex::new(Some(held)),
        guard_name,
        epoch,
        token,
    };
    Ok(Claim::Granted(Box::new(lease)))
}

/// Returns `life.db.guard-…`: one for each scope, so that users do not wait for each other's nights.
pub(super) fn guard_name(scoped: &ScopedDatabase) -> String {
    let mut hasher = Hasher::new();
    hasher.field(scoped.scope.user.as_bytes()).field(scoped.scope.agent.as_bytes());
    format!("{}.guard-{}", scoped.database.file(), hasher.finish().short(12))
}

fn raise_epoch(scoped: &ScopedDatabase, token: &str) -> Result<u64> {
    let host = Host::this();
    let name: Name = StateName::LEDGER.into();
    let epoch: i64 = scoped.write("claim", &name, |rows| {
        rows.run(&name, |connection, scope| {
            connection.query_row(
                "INSERT INTO workspace_leases (user_id, agent_id, epoch, token, pid, hostname, acquired_at)
                 VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)
                 ON CONFLICT (user_id, agent_id) DO UPDATE SET epoch = epoch + 1, token = excluded.token,
                   pid = excluded.pid, hostname = excluded.hostname, acquired_at = excluded.acquired_at
                 RETURNING epoch",
                params![scope.user, scope.agent, token, host.pid, host.hostname, stamp(scoped.home.clock())],
                |row| row.get(0),
            )
        })
    })?;
    Ok(u64::try_from(epoch).unwrap_or(0))
}

fn holder(scoped: &ScopedDatabase) -> Result<Holder> {
    let found: Option<(u32, String, String)> = scoped.read("look at the lease of", scoped.database.file(), |connection, scope| {
        connection
            .query_row(
                "SELECT pid, hostname, acquired_at FROM workspace_leases WHERE user_id = ?1 AND agent_id = ?2",
                params![scope.user, scope.agent],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()
    })?;
    Ok(found.map_or_else(Holder::default, |(pid, hostname, since)| Holder {
        pid: Some(pid),
        hostname: Some(hostname),
        since: since.parse::<DateTime<Utc>>().ok(),
    }))
}

/// The lease of a [`SqliteWorkspace`](super::workspace::SqliteWorkspace).
struct SqliteLease {
    scoped: Arc<ScopedDatabase>,
    /// `None` once it was given back.
    guard: Mutex<Option<Box<dyn fmt::Debug + Send + Sync>>>,
    guard_name: String,
    guard_id: (u64, u64),
    epoch: u64,
    token: String,
    deadline: Duration,
}

impl SqliteLease {
    /// Checks the fence, inside the transaction of what it allows.
    fn fence(&self, rows: &Rows<'_>, name: &Name) -> Result<()> {
        let lost = |by| Err(Error::LeaseLost(by));
        let home = &self.scoped.home;
        if home.elapsed() >= self.deadline {
            return lost(LostBy::Deadline);
        }
        if !home.is_guard(&self.guard_name, self.guard_id)? {
            return lost(LostBy::Guard);
        }
        let standing: Option<(i64, String)> = rows.run(name, |connection, scope| {
            connection
                .prepare_cached(
                    "SELECT epoch, token FROM workspace_leases WHERE user_id = ?1 AND agent_id = ?2",
                )?
                .query_row(params![scope.user, scope.agent], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })?;
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

    /// Gives the lease back. The row stays, for its epoch; the kernel's lock is what is given back.
    fn give_back(&self) {
        drop(self.guard.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Lease for SqliteLease {
    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn check(&self) -> Result<()> {
        let name: Name = StateName::LEDGER.into();
        let mut connection = self.scoped.database.lock();
        let folded = |error| fold("check the lease of", self.scoped.database.file(), error);
        let transaction = connection.transaction().map_err(folded)?;
        self.fence(&self.scoped.rows(&transaction), &name)
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.fenced("append to", name, |rows| rows.append(name, bytes))
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        self.fenced("append to", name, |rows| rows.finish(name, len, rest))
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.fenced("replace", name, |rows| rows.write(name, bytes, WriteMode::Replace).map(|_| ()))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.fenced("remove", name, |rows| rows.remove(name))
    }

    fn release(self: Box<Self>) -> Result<()> {
        self.give_back();
        Ok(())
    }
}

impl Drop for SqliteLease {
    fn drop(&mut self) {
        self.give_back();
    }
}

debug_as!(SqliteLease, |it| "SqliteLease {{ epoch: {} }}", it.epoch);
