//! The pool of a server as its workspaces share it, and the connection that says that this process lives.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::config::PostgresConfig;
use super::fault::Fault;
use super::kept::Kept;
use super::link::Link;
use super::pool::Pool;

/// The server as its workspaces share it.
pub(super) struct Shared {
    pub(super) pool: Arc<Pool>,
    pub(super) settings: PostgresConfig,
    guard: Mutex<Option<Guard>>,
    kept: Mutex<Kept>,
}

/// The connection that shows other processes that this one lives. The server knows of its end at once, whatever ended it.
struct Guard {
    link: Link,
    id: GuardId,
}

/// The server's process behind a guard: its id, and when it began, in microseconds. Zeros where a pooler is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GuardId {
    pub(super) pid: i64,
    pub(super) start_us: i64,
}

impl Shared {
    pub(super) fn new(pool: Pool, settings: PostgresConfig) -> Self {
        // A pooler may lead to another server and say nothing of it.
        let kept = Kept::new(if settings.is_pooled { 0 } else { settings.kept_bytes });
        Self { pool: Arc::new(pool), settings, guard: Mutex::default(), kept: Mutex::new(kept) }
    }

    /// Returns the cards that searches have read.
    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the guard of this process, which is made anew where it was lost.
    pub(super) fn guard(&self) -> Result<GuardId, Fault> {
        if self.settings.is_pooled {
            return Ok(GuardId { pid: 0, start_us: 0 });
        }
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(standing) = &*guard
            && standing.link.call(|client| client.batch_execute("")).is_ok()
        {
            return Ok(standing.id);
        }
        *guard = None;
        let link = self.pool.connect()?;
        let id = link.call(|client| {
            let sql = "SELECT pid::bigint, (extract(epoch FROM backend_start) * 1000000)::bigint
                       FROM pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()";
            let row = client.query_typed_one(sql, &[])?;
            Ok(GuardId { pid: row.try_get(0)?, start_us: row.try_get(1)? })
        })?;
        *guard = Some(Guard { link, id });
        Ok(id)
    }
}
