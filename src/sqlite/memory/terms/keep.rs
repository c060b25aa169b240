//! How a change leaves the index: with all that changed in it, and a bounded part of what is not in yet.

use rusqlite::params;

use super::count::{INDEXED, with_row};
use super::held::{Held, State, Terms, WHOLE};
use super::take::TAKEN;
use crate::search::postings::error::Result;
use crate::sqlite::memory::table::Table;

/// So many rows of an older file are taken in by each change.
const BUILT: usize = 512;
/// So many by each step while a store is opened.
const BUILT_AT_OPENING: usize = 8192;

impl Table<'_> {
    /// Takes in what this change and other programs changed, and goes on with an index that is not whole.
    pub(in crate::sqlite::memory) fn keep_terms(&self) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        if held.is_whole.is_none()
            && State::read(self.connection, self.user(), self.agent())?.is_some_and(|state| state.is_whole())
        {
            return Ok(());
        }
        self.keep(held, (TAKEN, BUILT))
    }

    /// Returns whether rows of the scope are not in the index.
    pub(in crate::sqlite::memory) fn are_terms_behind(&self) -> rusqlite::Result<bool> {
        if let Some(state) = State::read(self.connection, self.user(), self.agent())? {
            return Ok(!state.is_whole());
        }
        let sql = "SELECT 1 FROM main_memories WHERE user_id = ?1 AND agent_id = ?2 LIMIT 1";
        self.connection.prepare_cached(sql)?.exists(params![self.user(), self.agent()])
    }

    /// Goes on with an index that is not whole; returns whether there is more to do.
    pub(in crate::sqlite::memory) fn build_terms(&self) -> rusqlite::Result<bool> {
        let held = &mut *self.held.borrow_mut();
        self.keep(held, (BUILT_AT_OPENING, BUILT_AT_OPENING))?;
        Ok(held.is_whole != Some(true))
    }

    /// Takes in every row that was changed, so that nothing is left of what it said.
    pub(super) fn take_all_changed(&self, held: &mut Held) -> rusqlite::Result<()> {
        self.keep(held, (usize::MAX, BUILT))
    }

    /// Begins the index anew.
    pub(in crate::sqlite::memory) fn renew_terms(&self) -> rusqlite::Result<()> {
        self.renew(&mut self.held.borrow_mut())
    }

    fn keep(&self, held: &mut Held, (taken, built): (usize, usize)) -> rusqlite::Result<()> {
        self.load(held)?;
        if held.terms.is_none() {
            held.terms = Some(Terms::anew(self.connection, self.user(), self.agent())?);
        }
        let is_taken = self.take_changed(held, taken)?;
        let is_built = self.build(held, built)?;
        held.is_whole = Some(is_built && (is_taken || !self.has_changed()?));
        let Some(terms) = &mut held.terms else { return Ok(()) };
        terms.save(self.connection)?;
        let swept = terms.sweep(self.connection);
        self.settled(held, swept).map(drop)
    }

    fn has_changed(&self) -> rusqlite::Result<bool> {
        let sql = "SELECT 1 FROM memory_terms_changed WHERE user_id = ?1 AND agent_id = ?2 LIMIT 1";
        self.connection.prepare_cached(sql)?.exists(params![self.user(), self.agent()])
    }

    /// Takes in the rows behind those that are in, at most so many; returns whether none is left.
    fn build(&self, held: &mut Held, most: usize) -> rusqlite::Result<bool> {
        let Some(terms) = held.terms.as_mut().filter(|terms| terms.built != WHOLE) else {
            return Ok(held.terms.is_some());
        };
        // By id, and not by the index of the scope: the rows behind the last one are few, or all.
        let sql = format!(
            "SELECT {INDEXED} FROM main_memories
             WHERE +user_id = ?1 AND +agent_id = ?2 AND id > ?3 ORDER BY id LIMIT ?4"
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![self.user(), self.agent(), terms.built, most])?;
        let (mut read, mut pages) = (0, terms.pages(self.connection));
        let mut built = Ok(());
        while built.is_ok()
            && let Some(found) = rows.next()?
        {
            read += 1;
            terms.built = found.get(0)?;
            let partition = &mut terms.partition;
            built = with_row(found, &mut held.stemmer, |row| {
                partition.add(&pages, row)?;
                partition.keep_up(&mut pages, 0).map(drop)
            })?;
        }
        // What is in a segment needs no log.
        let built = built.and_then(|()| terms.partition.flush(&mut pages, 0));
        terms.is_unsaved = true;
        if read < most {
            terms.built = WHOLE;
        }
        let is_whole = terms.built == WHOLE;
        Ok(self.settled(held, built)?.is_some() && is_whole)
    }
}

impl Terms {
    /// Saves what the tables say of it, where it changed.
    pub(super) fn save(&mut self, connection: &rusqlite::Connection) -> rusqlite::Result<()> {
        if !self.is_unsaved {
            return Ok(());
        }
        self.epoch += 1;
        connection
            .prepare_cached(
                "UPDATE memory_terms_state SET built = ?2, epoch = ?3, manifest = ?4 WHERE id = ?1",
            )?
            .execute(params![self.index, self.built, self.epoch, self.partition.manifest()])?;
        connection
            .prepare_cached("DELETE FROM memory_terms_log WHERE terms_id = ?1 AND number < ?2")?
            .execute(params![self.index, self.partition.first_in_log().cast_signed()])?;
        self.is_unsaved = false;
        Ok(())
    }

    fn sweep(&mut self, connection: &rusqlite::Connection) -> Result<()> {
        let mut pages = self.pages(connection);
        self.partition.sweep(&mut pages).map(drop)
    }
}
