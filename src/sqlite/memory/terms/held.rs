//! The index as this process has it in memory, and what the tables say of it.

use std::fmt;

use rusqlite::{Connection, OptionalExtension, params};

use super::pages::StoredPages;
use crate::search::postings::{Error, Partition, Result};
use crate::search::rank::{Stemmer, WORDS_VERSION};
use crate::store::known::Known;
use crate::store::words::Words;

/// The version of the terms of a text.
pub(super) const VERSION: i64 = WORDS_VERSION as i64;
/// The most bytes of pages that are kept in memory.
const CACHED: usize = 8 << 20;
/// The number of rows in each half of the words that are kept in memory.
const KNOWN: usize = 1 << 17;

/// The index in memory, between the reads and changes of a store.
#[derive(Default)]
pub(in crate::sqlite::memory) struct Held {
    pub(super) terms: Option<Terms>,
    /// Whether this read or change has looked at the tables already, and whether all rows were in the index.
    pub(super) is_whole: Option<bool>,
    /// The moment of the index in memory; `None` where rows are not in it.
    moment: Option<Moment>,
    /// The moment at which this read or change began. Its version of the file's data is read when it is asked for.
    begun: Moment,
    is_version_read: bool,
    /// Whether this change may have changed or removed rows, and not only added some.
    pub(super) has_edited: bool,
    /// How many rows this change added and did not take in.
    pub(super) left: usize,
    pub(super) stemmer: Stemmer,
}

/// A state of the tables, as this connection sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Moment {
    /// It grows with each commit of another connection.
    data_version: i64,
    /// How many rows this connection changed.
    changes: u64,
}

impl Held {
    /// Forgets what a read or change saw, before the next one.
    pub(in crate::sqlite::memory) fn begin(mut self, connection: &Connection) -> Self {
        (self.is_whole, self.is_version_read, self.has_edited, self.left) = (None, false, false, 0);
        self.begun = Moment { data_version: 0, changes: connection.total_changes() };
        self
    }

    /// Keeps that the index is as the tables are, after a read or a change that is committed.
    pub(in crate::sqlite::memory) fn end(mut self, connection: &Connection) -> Self {
        if let Some(is_whole) = self.is_whole {
            let now = Moment { changes: connection.total_changes(), ..self.begun };
            self.moment = is_whole.then_some(now);
        }
        self
    }

    /// Returns whether nobody changed a row since the index in memory was brought to the state of the tables.
    pub(super) fn is_current(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        self.data_version(connection)?;
        Ok(self.terms.is_some() && self.moment == Some(self.begun))
    }

    /// Returns the version of the file's data, which grows with each commit of another connection.
    pub(in crate::sqlite::memory) fn data_version(
        &mut self,
        connection: &Connection,
    ) -> rusqlite::Result<i64> {
        if !self.is_version_read {
            let sql = "PRAGMA data_version";
            self.begun.data_version = connection.prepare_cached(sql)?.query_row([], |found| found.get(0))?;
            self.is_version_read = true;
        }
        Ok(self.begun.data_version)
    }

    /// Says that this change changes or removes rows.
    pub(in crate::sqlite::memory) fn edits(&mut self) {
        self.has_edited = true;
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").finish_non_exhaustive()
    }
}

/// The index of a scope. The rows that are in no page yet are in memory only: they are read from their table again.
pub(super) struct Terms {
    /// Its number in `memory_terms_state`. One that is made anew has another number.
    pub(super) index: i64,
    pub(super) partition: Partition,
    /// Rows up to this id are in pages, except changes of them.
    pub(super) built: i64,
    /// Rows up to this id are in.
    pub(super) seen: i64,
    /// The number of the last change in memory, and of the last one in pages.
    pub(super) changed: i64,
    pub(super) changed_in_pages: i64,
    /// How often its manifest was saved.
    pub(super) epoch: i64,
    /// Whether the manifest or how far it is built changed since.
    pub(super) is_unsaved: bool,
    /// The words of rows that were read lately, as long as they are as they were.
    pub(super) words: Known<Words, KNOWN>,
}

/// The state of an index in the tables.
pub(super) struct State {
    index: i64,
    version: i64,
    pub(super) built: i64,
    epoch: i64,
}

impl State {
    /// Reads the state of the index of a scope; `None` where it has none yet.
    pub(super) fn read(connection: &Connection, user: &str, agent: &str) -> rusqlite::Result<Option<Self>> {
        let sql =
            "SELECT id, version, built, epoch FROM memory_terms_state WHERE user_id = ?1 AND agent_id = ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let state = |found: &rusqlite::Row<'_>| {
            let (index, version) = (found.get(0)?, found.get(1)?);
            Ok(Self { index, version, built: found.get(2)?, epoch: found.get(3)? })
        };
        statement.query_row(params![user, agent], state).optional()
    }

    /// Returns whether it has the terms that this version makes.
    pub(super) fn is_known(&self) -> bool {
        Self::knows(self.version)
    }

    /// Returns whether this version makes the terms of an index of that version.
    pub(super) fn knows(version: i64) -> bool {
        version == VERSION
    }

    /// Brings the pages in memory to this state. Rows and changes that are in no page are read later.
    pub(super) fn current(&self, connection: &Connection, held: Option<Terms>) -> Result<Terms> {
        let held = held.filter(|terms| terms.index == self.index);
        if let Some(terms) = held {
            return if terms.epoch == self.epoch { Ok(terms) } else { self.renewed(connection, terms) };
        }
        let pages = StoredPages { connection, index: self.index };
        let partition = match self.manifest(connection)? {
            None => Partition::new(CACHED),
            Some(manifest) => Partition::open(&pages, &manifest, CACHED)?,
        };
        Ok(self.over(partition))
    }

    /// Takes over what another process saved. Where that one only merged, rows that are in memory only stay there.
    fn renewed(&self, connection: &Connection, terms: Terms) -> Result<Terms> {
        let pages = StoredPages { connection, index: self.index };
        let Some(manifest) = self.manifest(connection)? else { return Ok(self.over(Partition::new(CACHED))) };
        let (partition, is_same) = terms.partition.follow(&pages, &manifest)?;
        Ok(if is_same { Terms { partition, epoch: self.epoch, ..terms } } else { self.over(partition) })
    }

    fn over(&self, partition: Partition) -> Terms {
        let Self { index, built, epoch, .. } = *self;
        Terms {
            index,
            partition: if cfg!(test) { partition.small() } else { partition },
            built,
            seen: built,
            changed: 0,
            changed_in_pages: 0,
            epoch,
            is_unsaved: false,
            words: Known::default(),
        }
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
        let (index, built) = (connection.last_insert_rowid(), i64::MIN);
        Ok(State { index, version: VERSION, built, epoch: 0 }.over(Partition::new(CACHED)))
    }

    pub(super) fn pages<'a>(&self, connection: &'a Connection) -> StoredPages<'a> {
        StoredPages { connection, index: self.index }
    }
}
