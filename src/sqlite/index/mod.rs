//! An index inside one SQLite file: the fifth seed's chunks, searched by FTS5.

mod chunks;
mod links;
mod search;
mod seen;
mod surroundings;
pub(super) mod tables;
mod vectors;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

use super::columns::stamp;
use super::database::Database;
use super::driver::Run;
use super::edges;
use super::error::is_corrupt;
use super::open::{self, PATIENCE};
use super::schema::Others;
use crate::base::access::{Access, Scope, SessionKind};
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::base::name::{DocName, Name, StateName};
use crate::edges::{EdgeExtractor, EdgeStore, TextEdges};
use crate::embed::store::{BatchFrom, BatchSize, EmbedBatch, EmbeddingStatus, KeptVectors, VectorStore};
use crate::embed::{EmbedError, EmbedderId};
use crate::gate::Doors;
use crate::memory::{Degraded, IndexState, QueryVector};
use crate::search::documents::{
    Audience, DocumentIndex, FoundChunks, IndexChange, SearchResult, SeenDocument, mark_found,
};
use crate::search::rank::{Plan, Ranking, one_line};
use crate::sql::chunks::{ChunkSearch, all_seen, seen_of};
use crate::store::vectors::{Fill, Meaning, Shelves, Sight, VectorChanges, VectorHome, VectorRows};
use links::Links;

/// An index inside one SQLite file, for one scope of it.
///
/// The file may be its own, or that of a [`SqliteWorkspace`](crate::SqliteWorkspace) or a
/// [`SqliteMemoryStore`](crate::SqliteMemoryStore): one file is one thing to [back
/// up](crate::SqliteWorkspace::backup_to). An index apart can be thrown away and made anew. If a document is removed
/// from `memory_documents` in the same file, its chunks are removed too.
///
/// The tables are the seed's `memory_chunks`, with columns beside its own, `indexed_documents`, and
/// `memory_chunks_fts`, an FTS5 index over the chunks. WAL with `synchronous=FULL`. Several processes may use it at
/// once, and a call that waits for longer than half a minute gets [`Error::Busy`](crate::Error::Busy). Not for network
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
/// assert_eq!(workspace.search(&access, "boat", 10)?.results[0].content, "- The boat is called Brisk.\n");
/// assert_eq!(index.check()?, IndexState::Sound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SqliteIndex {
    database: Database,
    scope: Scope,
    doors: Arc<Doors>,
    shelves: Arc<Shelves>,
    links: Links,
    ranking: Ranking,
}

impl SqliteIndex {
    /// Opens or makes the file. It belongs outside of a folder whose documents it finds, or it would be one of them.
    ///
    /// # Errors
    ///
    /// The errors of [`SqliteWorkspace::open`](crate::SqliteWorkspace::open).
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::over(open::open(path.as_ref(), PATIENCE, Others::Refused, None)?, scope)
    }

    /// Makes an index that ends with the process.
    ///
    /// # Errors
    ///
    /// [`Error::Database`](crate::Error::Database).
    pub fn open_in_memory(scope: Scope) -> Result<Self> {
        Self::over(open::in_memory(PATIENCE, None)?, scope)
    }

    pub(super) fn over(database: Database, scope: Scope) -> Result<Self> {
        let extractor: Arc<dyn EdgeExtractor> = Arc::new(TextEdges::default());
        let links = Links { extractor: Some(extractor), table: database.read("open", edges::table)? };
        let ranking = Ranking::default();
        Ok(Self { database, scope, doors: Arc::default(), shelves: Arc::default(), links, ranking })
    }

    /// Sets the finder of [edges](crate::edges) in documents that are indexed from now on; `None` for no edges.
    #[must_use]
    pub fn with_edges(mut self, extractor: Option<Arc<dyn EdgeExtractor>>) -> Self {
        self.links.extractor = extractor;
        self
    }

    /// Sets what chunks pass on their way to an embedder, by [`Door::EmbedRequest`](crate::gate::Door::EmbedRequest).
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.doors = Arc::new(doors);
        self
    }

    /// Sets how chunks by words and chunks by meaning become one order: [`fusion`](Ranking::fusion) and
    /// [`nearest`](Ranking::nearest) count here, and nothing else of it.
    ///
    /// ```
    /// use noctuary::life::Preset;
    /// use noctuary::store::StoreConfig;
    /// use noctuary::{Scope, SqliteIndex};
    ///
    /// let ranking = StoreConfig::preset(Preset::IronClaw).ranking; // reciprocal ranks
    /// let index = SqliteIndex::open_in_memory(Scope::user("marta"))?.with_ranking(ranking);
    /// # let _ = index;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    #[must_use]
    pub fn with_ranking(mut self, ranking: Ranking) -> Self {
        self.ranking = ranking;
        self
    }

    /// Looks at whether the text index says what the chunks say, of all scopes of the file. Every chunk must be of a
    /// document, and every document have its chunks. Takes as long as the index is large.
    ///
    /// [`optimize`](Self::optimize) mends the first two, the next [`sync`](crate::life::Indexed::sync) the last.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`](crate::Error::Busy), [`Error::Database`](crate::Error::Database).
    pub fn check(&self) -> Result<IndexState> {
        self.database.change("check", |connection| {
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

    /// Tidies the index, of all scopes of the file. Removes chunks whose document is gone, makes a differing text index
    /// anew, and merges its parts. Returns how many chunks were removed.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`](crate::Error::Busy), [`Error::Database`](crate::Error::Database).
    pub fn optimize(&self) -> Result<u64> {
        self.database.change("optimize", |connection| {
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

/// The number of chunks of a document `d`.
const COUNT: &str = "(SELECT count(*) FROM memory_chunks c WHERE c.document_id = d.id)";

impl DocumentIndex for SqliteIndex {
    fn scope(&self) -> &Scope {
        &self.scope
    }

    fn seen(&self) -> Result<BTreeMap<DocName, SeenDocument>> {
        self.look("read", |table| all_seen(table))
    }

    fn seen_of(&self, name: &DocName) -> Result<Option<SeenDocument>> {
        self.look("read", |table| seen_of(table, name))
    }

    /// Applies the changes, which survive a power loss when it returns.
    fn apply(&self, changes: &[IndexChange], at: DateTime<Utc>) -> Result<Vec<bool>> {
        let at = stamp(at);
        self.alter("write to", |table| {
            let mut applied = Vec::with_capacity(changes.len());
            for change in changes {
                applied.push(seen::apply(table, &self.scope, change, &self.links, &at)?);
            }
            Ok(applied)
        })
    }

    fn clear(&self) -> Result<()> {
        let scope = &self.scope;
        self.database.change("clear", |connection| {
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
        self.database.truncate_log()
    }

    fn search(&self, access: &Access, text: &str, limit: usize) -> Result<Vec<SearchResult>> {
        if access.scope != self.scope {
            return Ok(Vec::new());
        }
        let mut found = self.look("search", |table| {
            ChunkSearch::new(table, &self.scope, access.kind).by_words(text, limit)
        })?;
        mark_found(&Plan::of(&one_line(text), false), &mut found);
        Ok(found)
    }

    fn search_near(
        &self,
        access: &Access,
        text: &str,
        vector: &QueryVector,
        limit: usize,
    ) -> Result<FoundChunks> {
        if access.scope != self.scope
            || limit == 0
            || Plan::of(&one_line(text), false).for_meaning().is_none()
        {
            return Ok(FoundChunks::by_words(text, self.search(access, text, limit)?));
        }
        let meaning = Meaning::of(&vector.embedder, Ok(vec![vector.numbers.clone()]));
        let Meaning::Asked(asked) = meaning else {
            let found = FoundChunks::by_words(text, self.search(access, text, limit)?);
            return Ok(found.degraded(Degraded::Failed));
        };
        self.look("search", |table| {
            let search = ChunkSearch::new(table, &self.scope, access.kind);
            search.near(&self.shelves, text, (&asked, &self.ranking), limit)
        })
    }

    fn edges(&self) -> Option<&dyn EdgeStore> {
        Some(self)
    }
}

impl VectorHome for SqliteIndex {
    fn sight_of_main(&self) -> Sight {
        Sight(Audience::bit(SessionKind::Main))
    }

    fn read<T>(&self, read: impl FnOnce(&dyn VectorRows) -> Result<T>) -> Result<T> {
        self.look("read", |table| read(table))
    }

    fn change<T>(&self, change: impl FnOnce(&mut dyn VectorChanges) -> Result<T>) -> Result<T> {
        self.alter("write to", |table| change(&mut { *table }))
    }

    fn doors(&self) -> Result<Doors> {
        Ok(Doors::clone(&self.doors))
    }

    fn name_of(&self, id: i64) -> Name {
        StateName::row("memory_chunks", id).into()
    }
}

impl SqliteIndex {
    /// Returns a connection as the scope uses it.
    fn within<'a>(&'a self, connection: &'a Connection, action: &'static str) -> Run<'a> {
        let Scope { user, agent } = &self.scope;
        Run { connection, user, agent, action, file: self.database.file() }
    }

    /// Changes the tables in one step.
    fn alter<T>(&self, action: &'static str, change: impl FnOnce(&Run<'_>) -> Result<T>) -> Result<T> {
        self.database
            .attempt(action, self.database.file(), |connection| change(&self.within(connection, action)))
    }

    /// Reads in one view of the tables.
    fn look<T>(&self, action: &'static str, read: impl FnOnce(&Run<'_>) -> Result<T>) -> Result<T> {
        let connection = self.database.lock();
        let moment = self.database.moment(&connection, action)?;
        let read = read(&self.within(&moment, action))?;
        self.database.end(moment, action)?;
        Ok(read)
    }
}

impl VectorStore for SqliteIndex {
    fn embedding_status(&self, embedder: &EmbedderId) -> Result<EmbeddingStatus> {
        Fill::embedding_status(self, embedder)
    }

    fn embed_batch(
        &self,
        embedder: &EmbedderId,
        from: &BatchFrom,
        size: BatchSize,
    ) -> Result<Option<EmbedBatch>> {
        Fill::embed_batch(self, embedder, from, size)
    }

    fn keep_vectors(
        &self,
        embedder: &EmbedderId,
        batch: &EmbedBatch,
        answer: std::result::Result<Vec<Vec<f32>>, EmbedError>,
    ) -> Result<KeptVectors> {
        Fill::keep_vectors(self, embedder, batch, answer)
    }

    fn serve_vectors(&self, embedder: &EmbedderId) -> Result<bool> {
        Fill::serve_vectors(self, embedder)
    }

    fn drop_vectors(&self, embedder: &EmbedderId) -> Result<u64> {
        Fill::drop_vectors(self, embedder)
    }
}

debug_as!(SqliteIndex, |it| "SqliteIndex({})", it.database.path().display());
