//! The rows of one scope, documents and states alike, read and changed inside one transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::columns::{Content, content, stamp};
use super::error::fold;
use super::home::Home;
use crate::base::access::Scope;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::{Name, Space};
use crate::base::uuid::document_id;
use crate::workspace::{MAX_DOCUMENT, WriteMode, line_break_before};

/// The most earlier versions of a document that are kept.
const KEPT_VERSIONS: u32 = 10;

/// The statements that both kinds of row share. Each row has a scope, a name, a content, a size and a time of change.
pub(super) struct Statements {
    /// Reads content and time of change.
    row: &'static str,
    /// Reads the content.
    pub(super) content: &'static str,
    /// Reads size and time of change.
    pub(super) metadata: &'static str,
    delete: &'static str,
}

macro_rules! statements {
    ($table:literal, $name:literal) => {
        Statements {
            row: statements!(@ "SELECT content, modified_ns FROM ", $table, $name),
            content: statements!(@ "SELECT content FROM ", $table, $name),
            metadata: statements!(@ "SELECT size, modified_ns FROM ", $table, $name),
            delete: statements!(@ "DELETE FROM ", $table, $name),
        }
    };
    (@ $verb:literal, $table:literal, $name:literal) => {
        concat!($verb, $table, " WHERE user_id = ?1 AND agent_id = ?2 AND ", $name, " = ?3")
    };
}

impl Statements {
    const DOCUMENTS: Self = statements!("memory_documents", "path");
    const STATES: Self = statements!("workspace_state", "name");

    /// Returns the statements on the rows of a kind of name.
    pub(super) const fn on(space: Space) -> &'static Self {
        match space {
            Space::Document => &Self::DOCUMENTS,
            Space::State => &Self::STATES,
        }
    }
}

/// The rows of one scope inside a transaction.
pub(super) struct Rows<'a> {
    pub(super) connection: &'a Connection,
    pub(super) scope: &'a Scope,
    pub(super) home: &'a Home,
    /// The database's file, for messages.
    pub(super) file: &'a str,
}

/// A row as it is.
pub(super) struct Row {
    pub(super) bytes: Vec<u8>,
    modified: i64,
}

impl Rows<'_> {
    pub(super) fn run<T>(
        &self,
        name: &Name,
        query: impl FnOnce(&Connection, &Scope) -> rusqlite::Result<T>,
    ) -> Result<T> {
        query(self.connection, self.scope)
            .map_err(|error| fold("write", &format!("{name} in {}", self.file), error))
    }

    pub(super) fn get(&self, name: &Name) -> Result<Option<Row>> {
        self.run(name, |connection, scope| {
            connection
                .prepare_cached(Statements::on(name.space()).row)?
                .query_row(params![scope.user, scope.agent, name.as_str()], |row| {
                    Ok(Row { bytes: content(row.get_ref(0)?)?, modified: row.get(1)? })
                })
                .optional()
        })
    }

    /// Writes a row, later than the one that was there, so that a change of content is a change of time.
    pub(super) fn put(&self, name: &Name, bytes: &[u8], standing: Option<&Row>) -> Result<()> {
        if bytes.len() as u64 > MAX_DOCUMENT {
            return Err(Error::TooLarge { name: name.clone(), len: bytes.len() as u64, limit: MAX_DOCUMENT });
        }
        let now = self.home.clock();
        let modified = now.timestamp_nanos_opt().unwrap_or(i64::MAX);
        let modified = standing.map_or(modified, |row| modified.max(row.modified + 1));
        let (stamp, revision) = (stamp(now), Revision::of(bytes).to_string());
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        match name.space() {
            Space::Document => {
                if standing.is_none() {
                    self.check_place(name)?;
                }
                self.run(name, |connection, scope| {
                    connection
                        .prepare_cached(
                            "INSERT INTO memory_documents
                               (id, user_id, agent_id, path, content, revision, size, created_at, updated_at, modified_ns)
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)
                             ON CONFLICT (user_id, agent_id, path) DO UPDATE SET
                               content = excluded.content, revision = excluded.revision, size = excluded.size,
                               updated_at = excluded.updated_at, modified_ns = excluded.modified_ns",
                        )?
                        .execute(params![
                            document_id(scope, name),
                            scope.user,
                            scope.agent,
                            name.as_str(),
                            Content(bytes),
                            revision,
                            size,
                            stamp,
                            modified
                        ])
                })?;
            }
            Space::State => {
                self.run(name, |connection, scope| {
                    connection
                        .prepare_cached(
                            "INSERT INTO workspace_state (user_id, agent_id, name, content, size, modified_ns)
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                             ON CONFLICT (user_id, agent_id, name) DO UPDATE SET
                               content = excluded.content, size = excluded.size, modified_ns = excluded.modified_ns",
                        )?
                        .execute(params![scope.user, scope.agent, name.as_str(), Content(bytes), size, modified])
                })?;
            }
        }
        Ok(())
    }

    /// Refuses what a folder would refuse: a document where documents are below, or below a document.
    fn check_place(&self, name: &Name) -> Result<()> {
        let mut above = name.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            above = folder;
            let is_document = self.run(name, |connection, scope| exists(connection, scope, above))?;
            if is_document {
                return Err(Error::Refused { path: above.to_owned(), reason: Refusal::NotAFolder });
            }
        }
        if self.run(name, |connection, scope| is_folder(connection, scope, name.as_str()))? {
            return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
        }
        Ok(())
    }

    /// Keeps the document in the history, before it is replaced.
    fn keep(&self, name: &Name, row: &Row) -> Result<()> {
        if name.space() == Space::State {
            return Ok(());
        }
        let (revision, stamp) = (Revision::of(&row.bytes).to_string(), stamp(self.home.clock()));
        self.run(name, |connection, scope| {
            connection
                .prepare_cached(
                    "INSERT INTO memory_document_versions (user_id, agent_id, path, version, content, revision, replaced_at)
                     SELECT ?1, ?2, ?3, coalesce(max(version), 0) + 1, ?4, ?5, ?6 FROM memory_document_versions
                     WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3",
                )?
                .execute(params![scope.user, scope.agent, name.as_str(), Content(&row.bytes), revision, stamp])?;
            connection
                .prepare_cached(
                    "DELETE FROM memory_document_versions WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3
                     AND version <= (SELECT max(version) FROM memory_document_versions
                                     WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3) - ?4",
                )?
                .execute(params![scope.user, scope.agent, name.as_str(), KEPT_VERSIONS])
        })?;
        Ok(())
    }

    pub(super) fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        let written = Revision::of(bytes);
        let standing = self.get(name)?;
        let conflict = |standing: Option<Row>| {
            let current = standing.map(|row| Box::new(Document::new(name.clone(), row.bytes)));
            Err(Error::Conflict { name: name.clone(), current })
        };
        let current = standing.as_ref().map(|row| Revision::of(&row.bytes));
        match mode {
            WriteMode::Create if standing.is_some() => return conflict(standing),
            WriteMode::Replace | WriteMode::IfRevision(_) if current == Some(written) => return Ok(written),
            WriteMode::IfRevision(seen) if current != Some(seen) => return conflict(standing),
            _ => {}
        }
        if let Some(row) = &standing {
            self.keep(name, row)?;
        }
        self.put(name, bytes, standing.as_ref())?;
        Ok(written)
    }

    pub(super) fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let standing = self.get(name)?;
        let before = standing.as_ref().map_or(&b""[..], |row| &row.bytes);
        let whole = [before, line_break_before(before.last().copied(), bytes), bytes].concat();
        self.put(name, &whole, standing.as_ref())
    }

    /// Adds exactly these bytes, if the document is still so long.
    pub(super) fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        let standing = self.get(name)?;
        let before = standing.as_ref().map_or(&b""[..], |row| &row.bytes);
        if before.len() as u64 != len {
            return Ok(false);
        }
        self.put(name, &[before, rest].concat(), standing.as_ref()).map(|()| true)
    }

    pub(super) fn remove(&self, name: &Name) -> Result<bool> {
        let Some(row) = self.get(name)? else {
            if name.space() == Space::Document
                && self.run(name, |connection, scope| is_folder(connection, scope, name.as_str()))?
            {
                return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
            }
            return Ok(false);
        };
        self.keep(name, &row)?;
        self.delete(name)?;
        Ok(true)
    }

    pub(super) fn delete(&self, name: &Name) -> Result<()> {
        let sql = Statements::on(name.space()).delete;
        self.run(name, |connection, scope| {
            connection.prepare_cached(sql)?.execute(params![scope.user, scope.agent, name.as_str()])
        })?;
        Ok(())
    }
}

/// Returns whether a document has this path.
pub(super) fn exists(connection: &Connection, scope: &Scope, path: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3")?
        .exists(params![scope.user, scope.agent, path])
}

/// Returns whether documents have paths below this one.
pub(super) fn is_folder(connection: &Connection, scope: &Scope, path: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path > ?3 AND path < ?4 LIMIT 1")?
        .exists(params![scope.user, scope.agent, format!("{path}/"), format!("{path}0")])
}
