//! An index inside one SQLite file: the fifth seed's chunks, searched by FTS5.

mod search;
pub(super) mod tables;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::database::{Database, is_corrupt};
use super::open::{self, Others};
use super::words;
use super::{PATIENCE, document_id, parse_revision, stamp, uuid};
use crate::base::access::{Access, Scope};
use crate::base::digest::Hasher;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::format::JournalName;
use crate::memory::IndexState;
use crate::search::documents::{
    Audience, Chunk, DocumentIndex, IndexChange, IndexEntry, SearchResult, SeenDocument,
};

/// An index inside one SQLite file, for one scope of it.
///
/// The file may be its own, or that of a [`SqliteWorkspace`](crate::SqliteWorkspace) or a
/// [`SqliteMemoryStore`](crate::SqliteMemoryStore): one file is one thing to [back up](crate::SqliteWorkspace::backup_to); an index apart can be thrown
/// away and made anew. A document that leaves `memory_documents` in the same file takes its chunks along.
///
/// The tables are the seed's `memory_chunks`, with columns beside its own, `indexed_documents`, and
/// `memory_chunks_fts`, an FTS5 index over the chunks. WAL with `synchronous=FULL`; several processes may use it at
/// once, and whoever waits for longer than half a minute gets [`Error::Busy`](crate::Error::Busy). Not for network
/// drives.
///
/// Clones are the same index.
///
/// # Example: the index of a workspace in the same file
///
/// ```
/// use noctuary::life::Indexed;
/// use noctuary::memory::IndexState;
/// use noctuary::{Access, DocName, Scope, SqliteIndex, SqliteWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("life.db");
/// let index = SqliteIndex::open(&file, Scope::user("marta"))?;
/// let workspace = Indexed::new(SqliteWorkspace::open(&file, Scope::user("marta"))?, index.clone());
/// workspace.append(&DocName::MEMORY, b"- The boat is called Brisk.\n")?;
///
/// let access = Access::agent(Scope::user("marta"));
/// assert_eq!(workspace.search(&access, "boat", 10)?[0].content, "- The boat is called Brisk.\n");
/// assert_eq!(index.check()?, IndexState::Sound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SqliteIndex {
    inner: Arc<Inner>,
}

struct Inner {
    database: Database,
    location: String,
    scope: Scope,
}

impl SqliteIndex {
    /// Opens or makes the file. It belongs outside of a folder whose documents it finds, of which it would be one.
    ///
    /// # Errors
    ///
    /// Those of [`SqliteWorkspace::open`](crate::SqliteWorkspace::open).
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Ok(Self::over(open::open(path.as_ref(), PATIENCE, Others::Refused, None)?, scope))
    }

    /// Makes an index that ends with the process.
    ///
    /// # Errors
    ///
    /// [`Error::Database`](crate::Error::Database).
    pub fn open_in_memory(scope: Scope) -> Result<Self> {
        Ok(Self::over(open::in_memory(PATIENCE, None)?, scope))
    }

    fn over(database: Database, scope: Scope) -> Self {
        let location = database.path().display().to_string();
        Self { inner: Arc::new(Inner { database, location, scope }) }
    }

    /// Looks at whether the text index says what the chunks say, of all scopes of the file, and whether every chunk
    /// is of a document and every document has its chunks. Takes as long as the index is large.
    ///
    /// [`optimize`](Self::optimize) mends the first two, the next [`sync`](crate::life::Indexed::sync) the last.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`](crate::Error::Busy), [`Error::Database`](crate::Error::Database).
    pub fn check(&self) -> Result<IndexState> {
        self.inner.database.change("check", |connection| {
            let is_sound = match tables::compare(connection) {
                Ok(()) => true,
                Err(error) if is_corrupt(&error) => false,
                Err(error) => return Err(error),
            };
            let sql = format!(
                "SELECT NOT EXISTS (SELECT 1 FROM memory_chunks WHERE {})
                 AND NOT EXISTS (SELECT 1 FROM indexed_documents d WHERE d.chunks <> {COUNT})",
                tables::ORPHANS
            );
            let is_whole: bool = connection.query_row(&sql, [], |row| row.get(0))?;
            Ok(if is_sound && is_whole { IndexState::Sound } else { IndexState::Drifted })
        })
    }

    /// Tidies the index, of all scopes of the file: removes chunks whose document is gone, makes the text index
    /// anew where it does not say what the chunks say, and merges its parts. Returns how many chunks were removed.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`](crate::Error::Busy), [`Error::Database`](crate::Error::Database).
    pub fn optimize(&self) -> Result<u64> {
        self.inner.database.change("optimize", |connection| {
            let mut removed = 0;
            let remove = format!("DELETE FROM memory_chunks WHERE {}", tables::ORPHANS);
            let mut vacuum = |connection: &Connection| {
                removed += connection.execute(&remove, [])?;
                Ok(())
            };
            match tables::compare(connection) {
                Ok(()) => vacuum(connection)?,
                Err(error) if is_corrupt(&error) => tables::remake(connection, vacuum)?,
                Err(error) => return Err(error),
            }
            connection
                .execute_batch("INSERT INTO memory_chunks_fts (memory_chunks_fts) VALUES ('optimize')")?;
            Ok(removed as u64)
        })
    }
}

/// How many chunks a document `d` has.
const COUNT: &str = "(SELECT count(*) FROM memory_chunks c WHERE c.document_id = d.id)";

impl Inner {
    fn seen_of(&self, connection: &Connection, name: &DocName) -> rusqlite::Result<Option<SeenDocument>> {
        let sql = format!("{SEEN} AND d.path = ?3");
        let mut statement = connection.prepare_cached(&sql)?;
        let found = statement
            .query_row(params![self.scope.user, self.scope.agent, name.as_str()], seen)
            .optional()?;
        Ok(found.flatten())
    }

    fn apply(&self, connection: &Connection, change: &IndexChange, at: &str) -> rusqlite::Result<bool> {
        let name = &change.name;
        if self.seen_of(connection, name)? != change.before {
            return Ok(false);
        }
        let id = document_id(&self.scope, name);
        let (seen, count) = match &change.after {
            IndexEntry::Gone => {
                connection.prepare_cached("DELETE FROM indexed_documents WHERE id = ?1")?.execute([id])?;
                return Ok(true);
            }
            IndexEntry::Same(seen) => (seen, None),
            IndexEntry::Text { seen, chunks, .. } => (seen, i64::try_from(chunks.len()).ok()),
        };
        connection.prepare_cached(PUT_DOCUMENT)?.execute(params![
            id,
            self.scope.user,
            self.scope.agent,
            name.as_str(),
            i64::try_from(seen.size).unwrap_or(i64::MAX),
            nanos(seen.modified),
            seen.revision.to_string(),
            seen.audience.bits(),
            seen.chunking,
            count,
            at
        ])?;
        if let IndexEntry::Text { text, chunks, .. } = &change.after {
            put_chunks(connection, &id, name, text, chunks, at)?;
        }
        Ok(true)
    }
}

const SEEN: &str =
    "SELECT d.path, d.size, d.modified_ns, d.revision, d.audience, d.chunking FROM indexed_documents d
     WHERE d.user_id = ?1 AND d.agent_id = ?2
     AND d.chunks = (SELECT count(*) FROM memory_chunks c WHERE c.document_id = d.id)";

/// [`SEEN`] of all documents. Each is counted only where the sum of all is not right, which takes a tenth of it.
const ALL_SEEN: &str =
    "SELECT d.path, d.size, d.modified_ns, d.revision, d.audience, d.chunking FROM indexed_documents d
     WHERE d.user_id = ?1 AND d.agent_id = ?2
     AND ((SELECT sum(chunks) FROM indexed_documents) = (SELECT count(*) FROM memory_chunks)
          OR d.chunks = (SELECT count(*) FROM memory_chunks c WHERE c.document_id = d.id))";

const PUT_DOCUMENT: &str = "INSERT INTO indexed_documents
       (id, user_id, agent_id, path, size, modified_ns, revision, audience, chunking, chunks, indexed_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, coalesce(?10, 0), ?11)
     ON CONFLICT (user_id, agent_id, path) DO UPDATE SET
       size = excluded.size, modified_ns = excluded.modified_ns, revision = excluded.revision,
       audience = excluded.audience, chunking = excluded.chunking, chunks = coalesce(?10, chunks),
       indexed_at = excluded.indexed_at";

/// A text that is another has no vector yet.
const PUT_CHUNK: &str = "INSERT INTO memory_chunks
       (id, document_id, chunk_index, content, terms, first_byte, first_line, last_line, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (document_id, chunk_index) DO UPDATE SET
       content = excluded.content, terms = excluded.terms, first_byte = excluded.first_byte,
       first_line = excluded.first_line, last_line = excluded.last_line, created_at = excluded.created_at,
       embedding = NULL, generation = NULL";

/// Reads [`SEEN`]; `None` for what another program put there.
fn seen(row: &Row<'_>) -> rusqlite::Result<Option<SeenDocument>> {
    let Some(revision) = parse_revision(&row.get::<_, String>(3)?) else { return Ok(None) };
    Ok(Some(SeenDocument {
        size: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
        modified: DateTime::from_timestamp_nanos(row.get(2)?),
        revision,
        audience: Audience::from_bits(row.get(4)?),
        chunking: row.get(5)?,
    }))
}

fn nanos(time: DateTime<Utc>) -> i64 {
    time.timestamp_nanos_opt().unwrap_or(i64::MAX)
}

/// Makes the chunks of a document these. One that stands as it is is left alone: an append costs what it adds.
fn put_chunks(
    connection: &Connection,
    document: &str,
    name: &DocName,
    text: &str,
    chunks: &[Chunk],
    at: &str,
) -> rusqlite::Result<()> {
    let standing: Vec<(i64, String, String, [i64; 3])> = {
        let mut statement = connection.prepare_cached(
            "SELECT chunk_index, content, terms, first_byte, first_line, last_line FROM memory_chunks
             WHERE document_id = ?1 ORDER BY chunk_index",
        )?;
        let place = |row: &Row<'_>| Ok::<_, rusqlite::Error>([row.get(3)?, row.get(4)?, row.get(5)?]);
        let rows = statement
            .query_map([document], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, place(row)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut standing = standing.into_iter().peekable();
    let of_name = words_of(name);
    let mut put = connection.prepare_cached(PUT_CHUNK)?;
    let mut shift = connection.prepare_cached(
        "UPDATE memory_chunks SET first_byte = ?3, first_line = ?4, last_line = ?5
         WHERE document_id = ?1 AND chunk_index = ?2",
    )?;
    for (index, chunk) in (0_i64..).zip(chunks) {
        let content = &text[chunk.bytes.clone()];
        let mut terms = [of_name.as_str(), &chunk.headings, ""].join("\n");
        words::add_beside(&mut terms, content);
        let place = [chunk.bytes.start as u64, chunk.lines.0, chunk.lines.1]
            .map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let [byte, first, last] = place;
        match standing.next_if(|(other, ..)| *other == index) {
            Some((_, text, words, stands)) if text == content && words == terms => {
                if stands != place {
                    shift.execute(params![document, index, byte, first, last])?;
                }
            }
            _ => {
                let id = chunk_id(document, index);
                put.execute(params![id, document, index, content, terms, byte, first, last, at])?;
            }
        }
    }
    connection
        .prepare_cached("DELETE FROM memory_chunks WHERE document_id = ?1 AND chunk_index >= ?2")?
        .execute(params![document, i64::try_from(chunks.len()).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// The id of a chunk: a UUID (version 8) hashed from its document and place.
fn chunk_id(document: &str, index: i64) -> String {
    let mut hasher = Hasher::new();
    hasher.field(document.as_bytes()).field(&index.to_be_bytes());
    uuid(hasher)
}

/// What a document is found by beside its text: its path, without the words that many share.
fn words_of(name: &DocName) -> String {
    let path = name.as_str();
    let path = path.strip_suffix(".md").unwrap_or(path);
    match JournalName::parse(name) {
        Some(_) => path.split_once('/').map_or(path, |(_, file)| file).to_owned(),
        None => path.to_owned(),
    }
}

impl DocumentIndex for SqliteIndex {
    fn scope(&self) -> &Scope {
        &self.inner.scope
    }

    fn seen(&self) -> Result<BTreeMap<DocName, SeenDocument>> {
        let scope = &self.inner.scope;
        self.inner.database.read("read", |connection| {
            let mut statement = connection.prepare_cached(ALL_SEEN)?;
            let mut rows = statement.query(params![scope.user, scope.agent])?;
            let mut all = BTreeMap::new();
            while let Some(row) = rows.next()? {
                if let (Ok(name), Some(seen)) = (DocName::parse(row.get::<_, String>(0)?), seen(row)?) {
                    all.insert(name, seen);
                }
            }
            Ok(all)
        })
    }

    fn seen_of(&self, name: &DocName) -> Result<Option<SeenDocument>> {
        self.inner.database.read("read", |connection| self.inner.seen_of(connection, name))
    }

    /// When it returns, the changes survive a power loss.
    fn apply(&self, changes: &[IndexChange], at: DateTime<Utc>) -> Result<Vec<bool>> {
        let at = stamp(at);
        self.inner.database.change("write to", |connection| {
            changes.iter().map(|change| self.inner.apply(connection, change, &at)).collect()
        })
    }

    fn clear(&self) -> Result<()> {
        let scope = &self.inner.scope;
        self.inner.database.change("clear", |connection| {
            tables::remake(connection, |connection| {
                connection.execute(
                    "DELETE FROM indexed_documents WHERE user_id = ?1 AND agent_id = ?2",
                    params![scope.user, scope.agent],
                )?;
                connection.execute(&format!("DELETE FROM memory_chunks WHERE {}", tables::ORPHANS), [])?;
                Ok(())
            })
        })
    }

    fn scrub(&self) -> Result<()> {
        // A text index keeps the words of what was deleted until its parts are merged.
        self.optimize()?;
        self.inner.database.truncate_log()
    }

    fn search(&self, access: &Access, text: &str, limit: usize) -> Result<Vec<SearchResult>> {
        if access.scope != self.inner.scope {
            return Ok(Vec::new());
        }
        self.inner
            .database
            .read("search", |connection| search::run(&self.inner, connection, access.kind, text, limit))
    }
}

impl fmt::Debug for SqliteIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqliteIndex({})", self.inner.location)
    }
}
