//! A bounded pool of connections, which all scopes of a process share.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::config::{Address, PostgresConfig};
use super::fault::Fault;
use super::link::Link;

#[derive(Debug, Default)]
struct State {
    idle: Vec<Link>,
    /// The number of connections, idle and lent.
    open: usize,
    /// The number of connections that broke.
    broken: u64,
}

/// A bounded pool.
pub(super) struct Pool {
    address: Address,
    max: usize,
    /// The time to wait for a free connection.
    patience: Duration,
    statement_timeout: Duration,
    /// Whether a pooler is between.
    is_pooled: bool,
    state: Mutex<State>,
    freed: Condvar,
}

impl Pool {
    pub(super) fn new(address: Address, settings: &PostgresConfig) -> Self {
        Self {
            address,
            max: settings.max_connections,
            patience: settings.lock_timeout,
            statement_timeout: settings.statement_timeout,
            is_pooled: settings.is_pooled,
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Makes a connection that is not of the pool.
    pub(super) fn connect(&self) -> Result<Link, Fault> {
        Link::open(&self.address, self.statement_timeout, self.is_pooled)
    }

    /// Returns the number of connections that broke until now.
    pub(super) fn broken(&self) -> u64 {
        self.state().broken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends a connection, an idle one first.
    pub(super) fn lend(self: &Arc<Self>) -> Result<Lent, Fault> {
        let begun = Instant::now();
        let mut state = self.state();
        loop {
            if let Some(link) = state.idle.pop() {
                return Ok(Lent { link: Some(link), pool: Arc::clone(self), was_idle: true });
            }
            if state.open < self.max {
                state.open += 1;
                break;
            }
            let left = self.patience.checked_sub(begun.elapsed()).ok_or(Fault::Exhausted)?;
            (state, _) = self.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        let mut lent = Lent { link: None, pool: Arc::clone(self), was_idle: false };
        lent.link = Some(self.connect()?);
        Ok(lent)
    }

    /// Closes the idle connections: one of them was found dead, and the others are of the same age.
    pub(super) fn forget_idle(&self) {
        let mut state = self.state();
        let idle = std::mem::take(&mut state.idle);
        state.open = state.open.saturating_sub(idle.len());
        state.broken += 1;
        self.freed.notify_all();
    }
}

/// A connection that is lent, until dropped.
pub(super) struct Lent {
    /// `None` while it is made, and after it was thrown away.
    link: Option<Link>,
    pool: Arc<Pool>,
    /// Whether it was made earlier, so that the server may have closed it since.
    pub(super) was_idle: bool,
}

impl Lent {
    /// Closes the connection instead of giving it back.
    pub(super) fn throw_away(&mut self) {
        self.link = None;
    }
}

impl Deref for Lent {
    type Target = Link;

    fn deref(&self) -> &Link {
        self.link.as_ref().expect("nobody uses a connection that was thrown away")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        if let Some(link) = self.link.take() {
            state.idle.push(link);
        } else {
            state.open = state.open.saturating_sub(1);
            state.broken += 1;
        }
        self.pool.freed.notify_one();
    }
}
