//! The tables of one scope: how they are opened, read and changed.

use std::cell::RefCell;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use super::edges::due;
use super::table::{SqliteBackend, Table};
use super::tables;
use super::terms::{self, Held};
use crate::base::access::Scope;
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::edges::EdgeExtractor;
use crate::memory::{IndexState, MemoryId};
use crate::sql::memory::put_edges_anew;
use crate::sqlite::columns::ReadAll;
use crate::sqlite::database::Database;
use crate::sqlite::edges;
use crate::sqlite::error::is_corrupt;
use crate::sqlite::removals;
use crate::store::backend::{Backend, Changes, Rows};

impl SqliteBackend {
    /// Takes what other programs wrote in, too.
    pub(super) fn over(
        database: Database,
        scope: &Scope,
        extractor: Option<Arc<dyn EdgeExtractor>>,
    ) -> Result<Self> {
        let profile_of_the_seed = database.read("open", tables::has_profile_of_the_seed)?;
        let edges = database.read("open", edges::table)?;
        let notes_have_edges = database.read("open", edges::has_own_notes)?;
        let mut backend = Self {
            profile_of_the_seed,
            extractor,
            edges,
            notes_have_edges,
            location: database.path().display().to_string(),
            database,
            user: scope.user.clone(),
            agent: scope.agent.clone(),
            known: Mutex::new(None),
            forgets: AtomicBool::new(false),
            terms: Mutex::default(),
        };
        if backend.owner(scope)? == *scope {
            (backend.user, backend.agent) = (String::new(), String::new());
        }
        backend.catch_up()?;
        Ok(backend)
    }

    /// Returns the owner of the file: the first scope that opens it.
    fn owner(&self, scope: &Scope) -> Result<Scope> {
        let sql = "SELECT user_id, agent_id FROM memory_owner";
        let read = |connection: &Connection| {
            let owner = |row: &rusqlite::Row<'_>| Ok(Scope { user: row.get(0)?, agent: row.get(1)? });
            connection.query_row(sql, [], owner).optional()
        };
        if let Some(owner) = self.database.read("open", read)? {
            return Ok(owner);
        }
        self.database.change("open", |connection| {
            connection.execute(
                "INSERT OR IGNORE INTO memory_owner (one, user_id, agent_id) VALUES (1, ?1, ?2)",
                params![scope.user, scope.agent],
            )?;
            Ok(read(connection)?.unwrap_or_else(|| scope.clone()))
        })
    }

    /// Takes in rows of other programs, and mends an index that they left behind.
    fn catch_up(&self) -> Result<()> {
        let behind = self.database.read("open", |connection| {
            // An index that cannot be read is behind too.
            let drifted = match tables::has_drifted(connection) {
                Err(error) if is_corrupt(&error) => true,
                looked => looked?,
            };
            let are_mended = tables::are_mended(connection)?
                && removals::are_mended(connection)?
                && edges::are_mended(connection)?;
            Ok((are_mended, drifted, tables::has_unread(connection)? || terms::are_older(connection)?))
        })?;
        if behind != (true, false, false) {
            let others = self.database.change("open", |connection| {
                edges::mend(connection)?;
                removals::mend(connection)?;
                if tables::mend_triggers(connection)? || tables::has_drifted(connection).unwrap_or(true) {
                    tables::rebuild(connection)?;
                    terms::distrust(connection)?;
                }
                if terms::are_older(connection)? {
                    connection.execute_batch("UPDATE memories SET terms = NULL, normal = NULL")?;
                    terms::distrust(connection)?;
                }
                tables::read_others(connection)
            })?;
            // Another program may have put a row in the place of one that had edges.
            for ids in others.chunks(ROWS_AT_ONCE) {
                self.alter("open", |table| {
                    ids.iter().try_for_each(|id| put_edges_anew(table, MemoryId::new(*id)))
                })?;
            }
        }
        if self.extractor.is_some() && self.database.read("open", due)?.is_some() {
            while self.alter("open", |table| table.folded(|| table.extract_due()))? {}
        }
        let is_behind = |table: &Table<'_>| table.folded(|| table.are_terms_behind());
        if self.look("open", |table| is_behind(table))? { self.build_terms("open") } else { Ok(()) }
    }

    /// Takes all rows into the word index, in steps between which others may write.
    fn build_terms(&self, action: &'static str) -> Result<()> {
        while self.alter(action, |table| table.folded(|| table.build_terms()))? {}
        Ok(())
    }

    /// Reads in one view of the tables.
    pub(super) fn look<T>(
        &self,
        action: &'static str,
        read: impl FnOnce(&Table<'_>) -> Result<T>,
    ) -> Result<T> {
        let connection = self.database.lock();
        let moment = self.database.moment(&connection, action)?;
        let held = RefCell::new(self.take_terms().begin(&moment));
        let table = Table { backend: self, connection: &moment, action, held: &held, writes: false };
        let read = read(&table)?;
        self.database.end(moment, action)?;
        self.put_terms(held.take().end(&connection));
        Ok(read)
    }

    /// Changes the tables in one step.
    pub(super) fn alter<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut Table<'_>) -> Result<T>,
    ) -> Result<T> {
        let held = RefCell::new(Held::default());
        let alter = |connection: &Connection| {
            held.replace(self.take_terms().begin(connection));
            let mut table = Table { backend: self, connection, action, held: &held, writes: true };
            let changed = change(&mut table)?;
            table.folded(|| table.keep_terms())?;
            Ok(changed)
        };
        // What a change did to the index in memory counts when it is committed, and before another thread reads.
        self.database.attempt_then(action, self.database.file(), alter, |connection| {
            self.put_terms(held.take().end(connection));
        })
    }

    fn take_terms(&self) -> Held {
        mem::take(&mut *self.terms.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put_terms(&self, held: Held) {
        *self.terms.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }

    /// Looks at the whole file, and compares the index with the rows.
    pub(super) fn check(&self) -> Result<IndexState> {
        // Indexes have tables of their own, which this sees too.
        let verdicts: Vec<String> = self.database.read("check", |connection| {
            let mut statement = connection.prepare("PRAGMA integrity_check(100)")?;
            statement.query([])?.all(|row| row.get(0))
        })?;
        let is_drifted = self.database.change("check", |connection| {
            let sql = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)";
            match connection.execute_batch(sql) {
                Err(error) if is_corrupt(&error) => Ok(true),
                checked => checked.map(|()| false),
            }
        })?;
        let is_of = |verdict: &String, index: &str| verdict.contains(index);
        let is_damaged = |verdict: &String| {
            verdict != "ok" && !is_of(verdict, "memories_fts") && !is_of(verdict, "memory_chunks_fts")
        };
        if verdicts.iter().any(is_damaged) {
            return Err(Error::Corrupt {
                name: self.database.file().to_owned(),
                line: 0,
                column: 0,
                what: "the database is malformed",
            });
        }
        let is_drifted =
            is_drifted || !self.look("check", |table| table.folded(|| table.are_terms_sound()))?;
        let is_drifted = is_drifted || verdicts.iter().any(|verdict| is_of(verdict, "memories_fts"));
        Ok(if is_drifted { IndexState::Drifted } else { IndexState::Sound })
    }

    pub(super) fn rebuild_index(&self) -> Result<()> {
        let action = "rebuild the index of";
        self.alter(action, |table| {
            table.folded(|| {
                tables::rebuild(table.connection)?;
                table.renew_terms()
            })
        })?;
        self.build_terms(action)
    }

    /// Takes what was deleted out of the parts of the index. There the words of a removed row stay until they are
    /// merged.
    fn wipe_index(&self) -> Result<()> {
        self.alter("purge", |table| {
            table.folded(|| {
                let optimize = "INSERT INTO memories_fts (memories_fts) VALUES ('optimize')";
                table.connection.execute_batch(optimize)?;
                table.wipe_terms()
            })
        })
    }
}

/// The number of rows of other programs that get their edges in one step.
const ROWS_AT_ONCE: usize = 500;

impl Backend for SqliteBackend {
    fn location(&self) -> String {
        self.location.clone()
    }

    fn audit_name(&self) -> Name {
        StateName::row("memory_audit", "all").into()
    }

    fn read_rows(&self, action: &'static str, read: &mut dyn FnMut(&dyn Rows) -> Result<()>) -> Result<()> {
        self.look(action, |table| read(table))
    }

    fn change_rows(
        &self,
        action: &'static str,
        change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>,
    ) -> Result<()> {
        let changed = self.alter(action, |table| change(table));
        if self.forgets.swap(false, Ordering::AcqRel) {
            // It may have been rolled back.
            self.database.has_forgotten();
        }
        changed
    }

    fn mend_index(&self) -> Result<bool> {
        self.rebuild_index().map(|()| true)
    }

    fn wipe(&self, is_forgotten: bool) -> Result<Option<&'static str>> {
        const LEFT: &str = "the log of the file: forget it again when whoever reads it now is done";
        if !is_forgotten {
            self.wipe_index()?;
            return Ok((!self.database.empty_log("purge")?).then_some(LEFT));
        }
        let Some(removals) = self.database.read("forget in", removals::since_vacuum)? else {
            // No word was removed since all copies were.
            return Ok(None);
        };
        // Who writes without secure deletion, as a shell does, leaves words between the rows and in free pages.
        self.database.read("forget in", |connection| connection.execute_batch("VACUUM"))?;
        self.wipe_index()?;
        if !self.database.empty_log("purge")? {
            return Ok(Some(LEFT));
        }
        self.database.change("forget in", |connection| removals::were_vacuumed(connection, removals))?;
        Ok(None)
    }
}
