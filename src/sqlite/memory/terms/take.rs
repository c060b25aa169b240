//! How rows come into the index and out of it.

use rusqlite::{Connection, params};

use super::count::{INDEXED, with_row};
use super::held::{Held, State, Terms};
use crate::search::postings::{Error, Pages, Partition, Result, with_terms};
use crate::search::rank::{Card, Stemmer};
use crate::sqlite::memory::table::Table;

/// Maximum number of rows left by others that a change takes in.
const MAX_ROWS_TAKEN: usize = 512;
/// Maximum number of rows that are in memory alone for a read; for more of them it asks FTS5.
const MAX_ROWS_IN_MEMORY: usize = 2048;
/// Maximum distance between the newest id and the newest id in a page. Behind it a page is written, however few rows it has.
const MAX_IDS_WITHOUT_PAGE: i64 = 8192;
/// Maximum number of changes of others that are taken in one by one; after more the index is made anew.
const MAX_CHANGES_TAKEN: i64 = 4096;

impl Table<'_> {
    /// Asks the index; `None` where it does not have all rows yet.
    pub(in crate::sqlite::memory) fn ask_terms<T>(
        &self,
        ask: impl FnOnce(&Partition, &dyn Pages) -> Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let held = &mut *self.held.borrow_mut();
        self.load(held, MAX_ROWS_TAKEN)?;
        if self.writes && held.is_whole == Some(true) {
            // This change may have edited rows.
            self.take_changed(held)?;
        }
        let Some(terms) = held.terms.as_ref().filter(|_| held.is_whole == Some(true)) else {
            return Ok(None);
        };
        let answer = ask(&terms.partition, &terms.pages(self.connection));
        self.settled(held, answer)
    }

    /// Takes a row in that this change added.
    pub(in crate::sqlite::memory) fn take_row(&self, card: &Card<'_>) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        held.left += 1;
        if held.is_whole.is_none() && !held.is_current(self.connection)? {
            // It is read with all others that are not in when somebody asks.
            return Ok(());
        }
        held.is_whole.get_or_insert(true);
        // Where ids are not counted, it may have that of a row that was removed.
        held.has_edited |= held.terms.as_ref().is_some_and(|terms| card.id <= terms.seen);
        let Some(terms) =
            held.terms.as_mut().filter(|terms| held.is_whole == Some(true) && card.id > terms.seen)
        else {
            return Ok(());
        };
        held.left -= 1;
        let added = with_terms(card, &mut held.stemmer, |row| {
            terms.partition.add(&terms.pages(self.connection), row)?;
            terms.seen = row.id;
            terms.keep_up(self.connection)
        });
        self.settled(held, added).map(drop)
    }

    /// Brings what is in memory to the state of the tables, once for each read or change. Maximum number of rows that a
    /// change takes in.
    pub(super) fn load(&self, held: &mut Held, most: usize) -> rusqlite::Result<()> {
        if held.is_whole.is_some() {
            return Ok(());
        }
        if held.is_current(self.connection)? {
            held.is_whole = Some(true);
            return Ok(());
        }
        held.is_whole = Some(false);
        match State::read(self.connection, self.user(), self.agent())? {
            Some(state) if state.is_known() => {
                let before = held.terms.take();
                let current = state.current(self.connection, before);
                if let Some(terms) = self.settled(held, current)? {
                    held.terms = Some(terms);
                }
            }
            Some(_) if self.writes => self.renew(held)?,
            None if self.writes => {
                held.terms = Some(Terms::anew(self.connection, self.user(), self.agent())?);
            }
            _ => held.terms = None,
        }
        let Some(terms) = &held.terms else { return Ok(()) };
        if self.are_too_many(terms)? {
            if !self.writes {
                held.terms = None;
                return Ok(());
            }
            self.renew(held)?;
        }
        self.take_changed(held)?;
        self.take_new(held, most)
    }

    /// Returns whether too much changed to be taken in row by row.
    fn are_too_many(&self, terms: &Terms) -> rusqlite::Result<bool> {
        if self.last_change()? - terms.changed <= MAX_CHANGES_TAKEN {
            return Ok(false);
        }
        let sql = "SELECT count(*) FROM memory_terms_changed
                   WHERE number > ?3 AND user_id = ?1 AND agent_id = ?2";
        let bound = params![self.user(), self.agent(), terms.changed];
        let changed: i64 = self.connection.prepare_cached(sql)?.query_row(bound, |found| found.get(0))?;
        Ok(changed > MAX_CHANGES_TAKEN)
    }

    /// The number of the last change of a row.
    pub(super) fn last_change(&self) -> rusqlite::Result<i64> {
        let sql = "SELECT coalesce(max(number), 0) FROM memory_terms_changed";
        self.connection.prepare_cached(sql)?.query_row([], |found| found.get(0))
    }

    /// Takes in rows as they are that were changed since.
    pub(super) fn take_changed(&self, held: &mut Held) -> rusqlite::Result<()> {
        let Held { terms: Some(terms), stemmer, .. } = held else { return Ok(()) };
        let last =
            if held.is_whole == Some(true) && !held.has_edited { terms.changed } else { self.last_change()? };
        if last <= terms.changed {
            return Ok(());
        }
        let taken = self.take_all(terms, stemmer)?.and_then(|()| {
            terms.changed = last;
            if self.writes { terms.keep_up(self.connection) } else { Ok(()) }
        });
        self.settled(held, taken).map(drop)
    }

    fn take_all(&self, terms: &mut Terms, stemmer: &mut Stemmer) -> rusqlite::Result<Result<()>> {
        let sql = format!(
            "SELECT {INDEXED}, was_in FROM memory_terms_changed
             WHERE number > ?3 AND user_id = ?1 AND agent_id = ?2 ORDER BY id, number"
        );
        let now =
            format!("SELECT {INDEXED} FROM main_memories WHERE +user_id = ?1 AND +agent_id = ?2 AND id = ?3");
        let mut changes = self.connection.prepare_cached(&sql)?;
        let mut changes = changes.query(params![self.user(), self.agent(), terms.changed])?;
        let mut standing = self.connection.prepare_cached(&now)?;
        let mut before = None;
        while let Some(change) = changes.next()? {
            let id: i64 = change.get(0)?;
            // The first change since tells of the row that is in, and a row that is not reached yet is not in.
            if before.replace(id) == Some(id) || id > terms.seen {
                continue;
            }
            let pages = terms.pages(self.connection);
            terms.words.forget(id);
            if !terms.partition.remove_newest(id) && change.get::<_, bool>(12)? {
                let removed =
                    with_row(&self.found(change), stemmer, |row| terms.partition.remove(&pages, row))?;
                match removed {
                    Ok(true) => {}
                    Ok(false) => return Ok(Err(Error::Differs("a changed row is not in"))),
                    Err(error) => return Ok(Err(error)),
                }
            }
            let mut rows = standing.query(params![self.user(), self.agent(), id])?;
            if let Some(found) = rows.next()? {
                let added = with_row(&self.found(found), stemmer, |row| terms.partition.add(&pages, row))?;
                if added.is_err() {
                    return Ok(added);
                }
            }
        }
        Ok(Ok(()))
    }

    /// Takes in rows behind those that are in.
    pub(super) fn take_new(&self, held: &mut Held, most: usize) -> rusqlite::Result<()> {
        let Held { terms: Some(terms), stemmer, .. } = held else { return Ok(()) };
        let sql = "SELECT max(id) FROM memories";
        let last: Option<i64> = self.connection.prepare_cached(sql)?.query_row([], |found| found.get(0))?;
        let Some(last) = last.filter(|last| *last > terms.seen) else {
            held.is_whole = Some(true);
            return Ok(());
        };
        let most =
            if self.writes { most } else { MAX_ROWS_IN_MEMORY.saturating_sub(terms.partition.in_memory()) };
        // By id, and not by the index of the scope: the rows behind the last one are few, or all.
        let sql = format!(
            "SELECT {INDEXED} FROM main_memories
             WHERE +user_id = ?1 AND +agent_id = ?2 AND id > ?3 ORDER BY id LIMIT ?4"
        );
        let mut rows = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let mut rows = rows.query(params![self.user(), self.agent(), terms.seen, limit])?;
        let (mut taken, mut done) = (0, Ok(()));
        while done.is_ok()
            && let Some(found) = rows.next()?
        {
            taken += 1;
            done = with_row(&self.found(found), stemmer, |row| {
                terms.partition.add(&terms.pages(self.connection), row)?;
                terms.seen = row.id;
                if self.writes { terms.keep_up(self.connection) } else { Ok(()) }
            })?;
        }
        if taken < most {
            // Rows of others, and rows that are not found, are passed too.
            terms.seen = terms.seen.max(last);
        }
        let is_whole = taken < most;
        if self.writes
            && is_whole
            && done.is_ok()
            && terms.seen.saturating_sub(terms.built.max(0)) > MAX_IDS_WITHOUT_PAGE
        {
            // Else each store that begins would go through the rows of others in between.
            done = terms.partition.flush(&mut terms.pages(self.connection), 0);
            terms.are_in_pages();
        }
        held.is_whole = Some(self.settled(held, done)?.is_some() && is_whole);
        Ok(())
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
fn forget_index(connection: &Connection, user: &str, agent: &str) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM memory_terms_pages WHERE terms_id IN
           (SELECT id FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2)",
        "DELETE FROM memory_terms_changed WHERE user_id = ?1 AND agent_id = ?2",
        "DELETE FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2",
    ] {
        connection.prepare_cached(sql)?.execute(params![user, agent])?;
    }
    Ok(())
}

impl Terms {
    /// Keeps the pages in order after changes. When all that is in memory goes into pages, rows and changes up to here are
    /// in them.
    pub(super) fn keep_up(&mut self, connection: &Connection) -> Result<()> {
        let first = self.partition.first_in_log();
        let mut pages = self.pages(connection);
        self.is_unsaved |= self.partition.keep_up(&mut pages, 0)?;
        if self.partition.first_in_log() != first {
            self.are_in_pages();
        }
        Ok(())
    }

    /// Says that rows and changes up to here are in pages.
    pub(super) fn are_in_pages(&mut self) {
        (self.built, self.changed_in_pages, self.is_unsaved) = (self.seen, self.changed, true);
    }
}
