//! How rows come into the index and out of it.

use rusqlite::params;

use super::count::{INDEXED, with_row};
use super::held::{Held, State, Terms, WHOLE};
use crate::search::postings::error::{Error, Result};
use crate::search::postings::pages::Pages;
use crate::search::postings::partition::Partition;
use crate::search::postings::record::Record;
use crate::search::postings::row::{Row, with_terms};
use crate::search::rank::Card;
use crate::sqlite::memory::table::Table;

/// So many changed rows are taken in at a time.
pub(super) const TAKEN: usize = 1024;

impl Table<'_> {
    /// Asks the index; `None` where it does not have all rows yet.
    pub(in crate::sqlite::memory) fn ask_terms<T>(
        &self,
        ask: impl FnOnce(&Partition, &dyn Pages) -> Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let held = &mut *self.held.borrow_mut();
        self.load(held)?;
        if self.writes && held.is_whole == Some(true) {
            // This change may have edited rows.
            held.is_whole = Some(self.take_changed(held, TAKEN)?);
        }
        let Some(terms) = held.terms.as_ref().filter(|_| held.is_whole == Some(true)) else {
            return Ok(None);
        };
        let answer = ask(&terms.partition, &terms.pages(self.connection));
        self.settled(held, answer)
    }

    /// Says that this change indexes itself what it adds: the triggers leave that to it.
    pub(in crate::sqlite::memory) fn announce(&self) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        if !held.is_announced {
            self.connection.prepare_cached("UPDATE file_commits SET writing = 1")?.execute([])?;
            held.is_announced = true;
        }
        Ok(())
    }

    /// Takes a row in that this change added.
    pub(in crate::sqlite::memory) fn index_row(&self, card: &Card<'_>) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        self.load(held)?;
        // Where the index is not built up to the end yet, the row is reached later.
        let Some(terms) = held.terms.as_mut().filter(|terms| terms.built == WHOLE) else { return Ok(()) };
        let added =
            with_terms(card, &mut held.stemmer, |row| terms.change(self.connection, row, Change::Added));
        self.settled(held, added).map(drop)
    }

    /// Brings what is in memory to the state of the tables, once for each read or change.
    pub(super) fn load(&self, held: &mut Held) -> rusqlite::Result<()> {
        if held.is_whole.is_some() {
            return Ok(());
        }
        let state = State::read(self.connection, self.user(), self.agent())?;
        held.is_whole = Some(state.as_ref().is_some_and(State::is_whole));
        match state {
            None => held.terms = None,
            Some(state) if !state.is_known() && self.writes => self.renew(held)?,
            Some(state) if self.writes || state.is_whole() => {
                let before = held.terms.take();
                let current = state.current(self.connection, before);
                if let Some(terms) = self.settled(held, current)? {
                    held.terms = Some(terms);
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Takes in rows that were changed, at most so many; returns whether all are in as they are.
    pub(super) fn take_changed(&self, held: &mut Held, most: usize) -> rusqlite::Result<bool> {
        let Some(terms) = &mut held.terms else { return Ok(false) };
        let sql =
            "SELECT id FROM memory_terms_changed WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id LIMIT ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let ids = statement
            .query_map(params![self.user(), self.agent(), most], |found| found.get(0))?
            .collect::<rusqlite::Result<Vec<i64>>>()?;
        let is_end = i64::try_from(ids.len()).is_ok_and(|taken| taken < most);
        for id in ids {
            // What is not reached yet is not in.
            if id <= terms.built {
                let taken = self.take_again(terms, &mut held.stemmer, id)?;
                if let Err(error) = taken {
                    self.settled::<()>(held, Err(error))?;
                    return Ok(false);
                }
            }
            self.connection
                .prepare_cached(
                    "DELETE FROM memory_terms_changed WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3",
                )?
                .execute(params![self.user(), self.agent(), id])?;
        }
        Ok(is_end && terms.built == WHOLE)
    }

    /// Takes a row out as it was, and in as it is.
    fn take_again(
        &self,
        terms: &mut Terms,
        stemmer: &mut crate::search::rank::Stemmer,
        id: i64,
    ) -> rusqlite::Result<Result<()>> {
        let mut done = Ok(());
        for (table, change) in [("memory_terms_changed", Change::Removed), ("main_memories", Change::Added)] {
            let which = if change == Change::Removed { "AND was_in = 1" } else { "" };
            let sql = format!(
                "SELECT {INDEXED} FROM {table} WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3 {which}"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![self.user(), self.agent(), id])?;
            if let Some(found) = rows.next()? {
                done = done.and(with_row(found, stemmer, |row| terms.change(self.connection, row, change))?);
            }
        }
        Ok(done)
    }

    /// Begins the index anew: the rows are taken in from the first one on.
    pub(super) fn renew(&self, held: &mut Held) -> rusqlite::Result<()> {
        forget_index(self.connection, self.user(), self.agent())?;
        held.terms = Some(Terms::anew(self.connection, self.user(), self.agent())?);
        held.is_whole = Some(false);
        Ok(())
    }

    /// Returns what the index answers. One that cannot be read is begun anew by a change, and is an error for a read.
    pub(super) fn settled<T>(&self, held: &mut Held, answer: Result<T>) -> rusqlite::Result<Option<T>> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(Error::Host(error)) => Err(match error.downcast() {
                Ok(error) => *error,
                Err(error) => rusqlite::Error::ToSqlConversionFailure(error),
            }),
            Err(_) if self.writes => self.renew(held).map(|()| None),
            Err(error) => {
                held.terms = None;
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
                Err(rusqlite::Error::SqliteFailure(code, Some(error.to_string())))
            }
        }
    }
}

/// Removes all that is kept of the index of a scope.
fn forget_index(connection: &rusqlite::Connection, user: &str, agent: &str) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM memory_terms_pages WHERE terms_id IN
           (SELECT id FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2)",
        "DELETE FROM memory_terms_log WHERE terms_id IN
           (SELECT id FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2)",
        "DELETE FROM memory_terms_changed WHERE user_id = ?1 AND agent_id = ?2",
        "DELETE FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2",
    ] {
        connection.prepare_cached(sql)?.execute(params![user, agent])?;
    }
    Ok(())
}

/// A change of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Added,
    Removed,
}

impl Terms {
    /// Makes a change, and keeps it in the log.
    fn change(&mut self, connection: &rusqlite::Connection, row: &Row<'_>, change: Change) -> Result<()> {
        let mut pages = self.pages(connection);
        let number = self.partition.number();
        let record = Record::written(number, change == Change::Removed, row);
        if change == Change::Added {
            self.partition.add(&pages, row)?;
        } else if !self.partition.remove(&pages, row)? {
            return Err(Error::Differs("a removed row is not in"));
        }
        let sql = "INSERT INTO memory_terms_log (terms_id, number, record) VALUES (?1, ?2, ?3)";
        let mut statement = connection.prepare_cached(sql).map_err(Error::host)?;
        statement.execute(params![self.index, number.cast_signed(), record]).map_err(Error::host)?;
        self.is_unsaved |= self.partition.keep_up(&mut pages, 0)?;
        Ok(())
    }
}
