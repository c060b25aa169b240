//! A database that is open: one connection, which everything that this process has open in the file shares.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction};

use super::commits::{count_commit, mark_of};
use super::error::fold;
use crate::base::error::Result;
use crate::disk::Disk;
use crate::disk::mark::Mark;

/// A file that is open, or the memory of this process.
pub(super) struct Shared {
    connection: Mutex<Connection>,
    /// The time that a statement waits for another process, as the connection has it now.
    patience: AtomicU64,
    /// The number of forgettings through this connection, whose own changes its `data_version` does not tell.
    forgets: AtomicU64,
    /// The folder of the file; `None` in memory.
    disk: Option<Arc<dyn Disk>>,
    path: PathBuf,
    file: String,
    /// The identity of the file; `None` if unknown.
    id: Option<(u64, u64)>,
    /// Whether it holds data that cannot be made anew, and has a mark.
    is_marked: AtomicBool,
}

impl Shared {
    pub(super) fn new(
        connection: Connection,
        disk: Option<Arc<dyn Disk>>,
        path: PathBuf,
        file: String,
        id: Option<(u64, u64)>,
    ) -> Self {
        Self {
            connection: Mutex::new(connection),
            patience: AtomicU64::new(u64::MAX),
            forgets: AtomicU64::new(0),
            disk,
            path,
            file,
            id,
            is_marked: AtomicBool::new(false),
        }
    }
}

/// An open database of one workspace, store or index. A verb of one waits for a verb of another in the same file.
#[derive(Clone)]
pub(super) struct Database {
    shared: Arc<Shared>,
    patience: Duration,
}

impl Database {
    pub(super) fn new(shared: Arc<Shared>, patience: Duration) -> Self {
        Self { shared, patience }
    }

    /// Says what the file held at its last commit in a mark beside it, from now on.
    pub(super) fn marked(self) -> Self {
        self.shared.is_marked.store(true, Ordering::Relaxed);
        self
    }

    /// Returns the file's name in its folder.
    pub(super) fn file(&self) -> &str {
        &self.shared.file
    }

    /// Returns the place of the file.
    pub(super) fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Returns the folder of the file; `None` in memory.
    pub(super) fn disk(&self) -> Option<&Arc<dyn Disk>> {
        self.shared.disk.as_ref()
    }

    /// Counts the forgettings through this connection.
    pub(super) fn forgets(&self) -> u64 {
        self.shared.forgets.load(Ordering::Acquire)
    }

    /// Says that what is forgotten must be read anew.
    pub(super) fn has_forgotten(&self) {
        self.shared.forgets.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        let connection = self.shared.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX - 1);
        if self.shared.patience.swap(patience, Ordering::Relaxed) != patience {
            // Fails for no connection that is open.
            let _ = connection.busy_timeout(self.patience);
        }
        connection
    }

    pub(super) fn read<T>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.read_at(action, self.file(), query)
    }

    /// Writes the log back, where the page of a removed row stays until then; `false` where somebody reads it just now.
    ///
    /// Readers are waited for only a moment: one that stays would keep a person waiting without a word.
    pub(super) fn empty_log(&self, action: &'static str) -> Result<bool> {
        const MOMENT: Duration = Duration::from_secs(1);
        let busy: i64 = self.read(action, |connection| {
            connection.busy_timeout(MOMENT.min(self.patience))?;
            let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |found| found.get(0));
            connection.busy_timeout(self.patience)?;
            busy
        })?;
        Ok(busy == 0)
    }

    /// As [`read`](Self::read), of a place in the file.
    pub(super) fn read_at<T>(
        &self,
        action: &'static str,
        place: impl fmt::Display,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        match query(&self.lock()) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(fold(action, &place.to_string(), error)),
        }
    }

    /// Begins a view of the file at one moment.
    pub(super) fn moment<'a>(
        &self,
        connection: &'a Connection,
        action: &'static str,
    ) -> Result<Transaction<'a>> {
        connection.unchecked_transaction().map_err(|error| fold(action, self.file(), error))
    }

    /// Ends a view of the file.
    pub(super) fn end(&self, moment: Transaction<'_>, action: &'static str) -> Result<()> {
        moment.finish().map_err(|error| fold(action, self.file(), error))
    }

    /// Writes the log of changes back and empties it, so that it keeps nothing of what was deleted. Where somebody
    /// reads meanwhile, a later one does it.
    pub(super) fn truncate_log(&self) -> Result<()> {
        self.empty_log("checkpoint").map(drop)
    }

    /// Runs a mutation in one immediate transaction: all of it, or nothing.
    pub(super) fn change<T>(
        &self,
        action: &'static str,
        mutate: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.attempt(action, self.file(), |connection| {
            mutate(connection).map_err(|error| fold(action, self.file(), error))
        })
    }

    /// As [`change`](Self::change), of a place in the file, for a mutation that may refuse.
    pub(super) fn attempt<T>(
        &self,
        action: &'static str,
        place: impl fmt::Display,
        mutate: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.attempt_then(action, place, mutate, |_| ())
    }

    /// As [`attempt`](Self::attempt); when it is committed, something is done before anybody else has the connection.
    pub(super) fn attempt_then<T>(
        &self,
        action: &'static str,
        place: impl fmt::Display,
        mutate: impl FnOnce(&Connection) -> Result<T>,
        committed: impl FnOnce(&Connection),
    ) -> Result<T> {
        let (mut mutate, mut committed, mut done) = (Some(mutate), Some(committed), None);
        let mut step = |connection: &Connection| {
            match mutate.take() {
                Some(mutate) => done = Some(mutate(connection)?),
                None => committed.take().expect("there are two steps")(connection),
            }
            Ok(())
        };
        self.transact(action, &place, &mut step)?;
        Ok(done.expect("it is committed, so it was done"))
    }

    /// Takes a step in one immediate transaction, and the next one when that is committed.
    fn transact(
        &self,
        action: &'static str,
        place: &dyn fmt::Display,
        step: &mut dyn FnMut(&Connection) -> Result<()>,
    ) -> Result<()> {
        let connection = self.lock();
        let transaction = Immediate::begin(&connection, action, place)?;
        step(&connection)?;
        let commits = transaction.commit(action, place)?;
        // Nothing fails any more.
        let _ = step(&connection);
        self.mark(commits);
        Ok(())
    }

    /// Says in the mark how many commits the file has; where it cannot be written, the last commit counts all the same.
    fn mark(&self, commits: u64) {
        if let Some(disk) = self.disk().filter(|disk| self.has_mark(disk.as_ref())) {
            let _ = Mark::new(commits).write(disk.as_ref(), &mark_of(self.file()));
        }
    }

    /// Returns whether the mark belongs to this file: another file may have its name by now, such as a restored backup.
    fn has_mark(&self, disk: &dyn Disk) -> bool {
        let is_named = || {
            let standing = disk.stat(self.file()).ok().flatten();
            standing.is_some_and(|standing| Some(standing.id) == self.shared.id)
        };
        self.shared.is_marked.load(Ordering::Relaxed) && is_named()
    }
}

/// A transaction that writes, and is rolled back where it is dropped. Its statements are prepared once.
struct Immediate<'a> {
    connection: &'a Connection,
}

impl<'a> Immediate<'a> {
    fn begin(connection: &'a Connection, action: &'static str, place: &dyn fmt::Display) -> Result<Self> {
        let begun = connection.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.execute([]));
        begun.map_err(|error| fold(action, &place.to_string(), error))?;
        Ok(Self { connection })
    }

    /// Commits, and returns how many commits the file has.
    fn commit(self, action: &'static str, place: &dyn fmt::Display) -> Result<u64> {
        let commit = || {
            let commits = count_commit(self.connection)?;
            self.connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(commits)
        };
        commit().map_err(|error| fold(action, &place.to_string(), error))
    }
}

impl Drop for Immediate<'_> {
    fn drop(&mut self) {
        // Not after a commit, nor where SQLite rolled it back itself.
        if !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}
