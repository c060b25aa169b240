//! How a change leaves the index: with all that changed in it, and a bounded part of what is not in yet.

use rusqlite::{Connection, OptionalExtension, params};

use super::held::{Held, State, Terms};
use crate::search::postings::Result;
use crate::sqlite::memory::table::Table;

/// Number of rows of an adopted file that each change takes in, and each step while a store is opened.
const BUILT: usize = 512;
const BUILT_AT_OPENING: usize = 8192;
/// Maximum number of rows and changes that wait for a store that never asked its index.
const MAX_WAITING: i64 = 512;

impl Table<'_> {
    /// Takes in the changes of this write and of other programs, and continues an unfinished index.
    pub(in crate::sqlite::memory) fn keep_terms(&self) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        if held.is_whole.is_none() && !held.is_current(self.connection)? && !self.are_many_waiting()? {
            return Ok(());
        }
        self.keep(held, BUILT)
    }

    /// Returns whether too much is missing in the index to wait until somebody asks.
    fn are_many_waiting(&self) -> rusqlite::Result<bool> {
        let sql = "SELECT version, built, (SELECT max(id) FROM memories),
                   (SELECT max(number) FROM memory_terms_changed) - (SELECT min(number) FROM memory_terms_changed)
                   FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2";
        let state = |found: &rusqlite::Row<'_>| {
            let (built, last): (i64, Option<i64>) = (found.get(1)?, found.get(2)?);
            let rows = last.map_or(0, |last| last.saturating_sub(built));
            let changes: Option<i64> = found.get(3)?;
            Ok(State::knows(found.get(0)?) && rows < MAX_WAITING && changes.unwrap_or(0) < MAX_WAITING)
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![self.user(), self.agent()], state).optional()? != Some(true))
    }

    /// Returns whether the index lacks more rows of the scope than a search reads beside it.
    pub(in crate::sqlite::memory) fn are_terms_behind(&self) -> rusqlite::Result<bool> {
        let state = State::read(self.connection, self.user(), self.agent())?;
        let (built, most) = match state {
            Some(state) if !state.is_known() => return Ok(true),
            Some(state) => (state.built, MAX_WAITING),
            None => (i64::MIN, 1),
        };
        let sql = "SELECT count(*) FROM (SELECT 1 FROM main_memories
                     WHERE +user_id = ?1 AND +agent_id = ?2 AND id > ?3 LIMIT ?4)";
        let bound = params![self.user(), self.agent(), built, most];
        let behind: i64 = self.connection.prepare_cached(sql)?.query_row(bound, |found| found.get(0))?;
        Ok(behind >= most)
    }

    /// Goes on with an index that is not whole; returns whether there is more to do.
    pub(in crate::sqlite::memory) fn build_terms(&self) -> rusqlite::Result<bool> {
        let held = &mut *self.held.borrow_mut();
        self.keep(held, BUILT_AT_OPENING)?;
        Ok(held.is_whole != Some(true))
    }

    /// Begins the index anew.
    pub(in crate::sqlite::memory) fn renew_terms(&self) -> rusqlite::Result<()> {
        self.renew(&mut self.held.borrow_mut())
    }

    pub(super) fn keep(&self, held: &mut Held, most: usize) -> rusqlite::Result<()> {
        self.load(held, most)?;
        self.take_changed(held)?;
        if held.left > 0 && held.is_whole == Some(false) {
            // A change that brings many rows in does not leave them to others.
            self.take_new(held, held.left)?;
        }
        let Some(terms) = &mut held.terms else { return Ok(()) };
        self.save(terms)?;
        let swept = terms.sweep(self.connection);
        self.settled(held, swept).map(drop)
    }

    /// Saves what the tables say of the index, where it changed.
    pub(super) fn save(&self, terms: &mut Terms) -> rusqlite::Result<()> {
        if !terms.is_unsaved {
            return Ok(());
        }
        terms.epoch += 1;
        let sql = "UPDATE memory_terms_state SET built = ?2, epoch = ?3, manifest = ?4 WHERE id = ?1";
        let state = params![terms.index, terms.built, terms.epoch, terms.partition.manifest()];
        self.connection.prepare_cached(sql)?.execute(state)?;
        let sql = "DELETE FROM memory_terms_changed WHERE number <= ?3 AND user_id = ?1 AND agent_id = ?2";
        let changes = params![self.user(), self.agent(), terms.changed_in_pages];
        self.connection.prepare_cached(sql)?.execute(changes)?;
        terms.is_unsaved = false;
        Ok(())
    }
}

impl Terms {
    fn sweep(&mut self, connection: &Connection) -> Result<()> {
        let mut pages = self.pages(connection);
        self.partition.sweep(&mut pages).map(drop)
    }
}
