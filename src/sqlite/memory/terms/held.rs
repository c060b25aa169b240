//! The index as this process has it in memory, and how it takes in what others wrote.

use std::fmt;

use rusqlite::{Connection, OptionalExtension, params};

use super::pages::StoredPages;
use crate::search::postings::error::{Error, Result};
use crate::search::postings::partition::Partition;
use crate::search::rank::Stemmer;

/// The version of the terms of a text. One that parts or stems texts otherwise is a new version.
pub(super) const VERSION: i64 = 1;
/// All rows are in the index.
pub(super) const WHOLE: i64 = i64::MAX;
/// So many bytes of pages are kept in memory.
const CACHED: usize = 8 << 20;

/// The index in memory, between the reads and changes of a store.
#[derive(Default)]
pub(in crate::sqlite::memory) struct Held {
    pub(super) terms: Option<Terms>,
    /// Whether this read or change has looked at the tables already, and whether all rows were in the index.
    pub(super) is_whole: Option<bool>,
    /// Whether this change has said that it indexes itself what it adds.
    pub(super) is_announced: bool,
    pub(super) stemmer: Stemmer,
}

impl Held {
    /// Forgets what a read or change saw, before the next one.
    pub(in crate::sqlite::memory) fn begin(mut self) -> Self {
        (self.is_whole, self.is_announced) = (None, false);
        self
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").finish_non_exhaustive()
    }
}

/// The index of a scope.
pub(super) struct Terms {
    /// Its number in `memory_terms_state`. One that is made anew has another number.
    pub(super) index: i64,
    pub(super) partition: Partition,
    /// Rows up to this id are in.
    pub(super) built: i64,
    /// How often its manifest was saved.
    pub(super) epoch: i64,
    /// Whether the manifest or how far it is built changed since.
    pub(super) is_unsaved: bool,
}

/// What the tables say of an index.
pub(super) struct State {
    index: i64,
    version: i64,
    built: i64,
    epoch: i64,
    /// Whether rows changed that are in it.
    has_changed: bool,
}

impl State {
    /// Reads the state of the index of a scope; `None` where it has none yet.
    pub(super) fn read(connection: &Connection, user: &str, agent: &str) -> rusqlite::Result<Option<Self>> {
        let sql = "SELECT id, version, built, epoch, EXISTS (SELECT 1 FROM memory_terms_changed c
                     WHERE c.user_id = ?1 AND c.agent_id = ?2)
                   FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let state = |found: &rusqlite::Row<'_>| {
            Ok(Self {
                index: found.get(0)?,
                version: found.get(1)?,
                built: found.get(2)?,
                epoch: found.get(3)?,
                has_changed: found.get(4)?,
            })
        };
        statement.query_row(params![user, agent], state).optional()
    }

    /// Returns whether all rows are in as they are.
    pub(super) fn is_whole(&self) -> bool {
        self.is_known() && self.built == WHOLE && !self.has_changed
    }

    /// Returns whether it has the terms that this version makes.
    pub(super) fn is_known(&self) -> bool {
        self.version == VERSION
    }

    /// Brings what is in memory to this state.
    pub(super) fn current(&self, connection: &Connection, held: Option<Terms>) -> Result<Terms> {
        let pages = StoredPages { connection, index: self.index };
        let held = held.filter(|terms| terms.index == self.index);
        let mut terms = match held {
            Some(terms) if terms.epoch == self.epoch => terms,
            held => Terms {
                index: self.index,
                partition: match (self.manifest(connection)?, held) {
                    (None, _) => Partition::new(CACHED),
                    (Some(manifest), None) => Partition::open(&pages, &manifest, CACHED)?,
                    (Some(manifest), Some(held)) => held.partition.reopen(&pages, &manifest)?,
                },
                built: self.built,
                epoch: self.epoch,
                is_unsaved: false,
            },
        };
        terms.built = self.built;
        let sql = "SELECT record FROM memory_terms_log WHERE terms_id = ?1 AND number >= ?2 ORDER BY number";
        let mut statement = connection.prepare_cached(sql).map_err(Error::host)?;
        let next = terms.partition.number().cast_signed();
        let mut records = statement.query((self.index, next)).map_err(Error::host)?;
        while let Some(found) = records.next().map_err(Error::host)? {
            let record: Vec<u8> = found.get(0).map_err(Error::host)?;
            terms.partition.replay(&pages, &record)?;
        }
        Ok(terms)
    }

    fn manifest(&self, connection: &Connection) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT manifest FROM memory_terms_state WHERE id = ?1";
        let mut statement = connection.prepare_cached(sql).map_err(Error::host)?;
        statement.query_row([self.index], |found| found.get(0)).map_err(Error::host)
    }
}

impl Terms {
    /// An index without rows, with a place of its own in the tables.
    pub(super) fn anew(connection: &Connection, user: &str, agent: &str) -> rusqlite::Result<Self> {
        let sql = "INSERT INTO memory_terms_state (user_id, agent_id, version, built, epoch) VALUES (?1, ?2, ?3, ?4, 0)";
        connection.prepare_cached(sql)?.execute(params![user, agent, VERSION, i64::MIN])?;
        Ok(Self {
            index: connection.last_insert_rowid(),
            partition: Partition::new(CACHED),
            built: i64::MIN,
            epoch: 0,
            is_unsaved: false,
        })
    }

    pub(super) fn pages<'a>(&self, connection: &'a Connection) -> StoredPages<'a> {
        StoredPages { connection, index: self.index }
    }
}
