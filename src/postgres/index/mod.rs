//! An index on a PostgreSQL server: chunks of documents, found by words and by meaning.

mod chunks;
mod links;
mod search;
mod seen;
mod surroundings;
pub(super) mod tables;
mod vectors;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::scoped::ScopedServer;
use crate::base::access::{Access, Scope, SessionKind};
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::base::name::{DocName, Name, StateName};
use crate::edges::{EdgeExtractor, EdgeStore, TextEdges};
use crate::embed::store::{BatchFrom, BatchSize, EmbedBatch, EmbeddingStatus, KeptVectors, VectorStore};
use crate::embed::{EmbedError, EmbedderId};
use crate::gate::Doors;
use crate::memory::{Degraded, QueryVector};
use crate::search::documents::{
    Audience, DocumentIndex, FoundChunks, IndexChange, SearchResult, SeenDocument, mark_found,
};
use crate::search::rank::{Plan, Ranking, one_line};
use crate::sql::chunks::{ChunkSearch, all_seen, seen_of};
use crate::store::vectors::{Fill, Meaning, Shelves, Sight, VectorChanges, VectorHome, VectorRows};
use links::Links;

/// An index on a PostgreSQL server, for one scope of it; made by [`Postgres::index`](crate::postgres::Postgres::index).
///
/// Chunks are ranked as in SQLite. A search finds those that have a word of it in a table of words, as numbers. Vectors are searched in the memory of this process, as in SQLite.
///
/// Clones are the same index.
///
/// # Example: a workspace and its index on one server
///
/// ```no_run
/// use noctuary::life::Indexed;
/// use noctuary::postgres::Postgres;
/// use noctuary::{Access, DocName, Scope, Workspace};
///
/// let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
/// let marta = Scope::user("marta");
/// let workspace = Indexed::new(server.workspace(marta.clone())?, server.index(marta.clone())?);
/// workspace.append(&DocName::MEMORY, b"- The boat is called Brisk.\n")?;
/// let found = workspace.search(&Access::agent(marta), "boat", 10)?;
/// assert_eq!(found.results[0].content, "- The boat is called Brisk.\n");
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct PostgresIndex {
    scoped: Arc<ScopedServer>,
    doors: Arc<Doors>,
    shelves: Arc<Shelves>,
    links: Links,
    ranking: Ranking,
}

impl PostgresIndex {
    pub(super) fn over(scoped: ScopedServer) -> Self {
        let extractor: Arc<dyn EdgeExtractor> = Arc::new(TextEdges::default());
        let links = Links { extractor: Some(extractor) };
        let (doors, shelves) = (Arc::default(), Arc::default());
        Self { scoped: Arc::new(scoped), doors, shelves, links, ranking: Ranking::default() }
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
    #[must_use]
    pub fn with_ranking(mut self, ranking: Ranking) -> Self {
        self.ranking = ranking;
        self
    }
}

impl DocumentIndex for PostgresIndex {
    fn scope(&self) -> &Scope {
        &self.scoped.scope
    }

    fn seen(&self) -> Result<BTreeMap<DocName, SeenDocument>> {
        self.scoped.look_within("read the index of", |within| all_seen(within))
    }

    fn seen_of(&self, name: &DocName) -> Result<Option<SeenDocument>> {
        self.scoped.look_within("read the index of", |within| seen_of(within, name))
    }

    /// Applies the changes, which survive a power loss of the server when it returns.
    fn apply(&self, changes: &[IndexChange], at: DateTime<Utc>) -> Result<Vec<bool>> {
        self.scoped.change_within("write to the index of", |within| {
            changes.iter().map(|change| seen::apply(within, change, &self.links, at)).collect()
        })
    }

    fn clear(&self) -> Result<()> {
        self.scoped.change_within("clear the index of", |within| {
            for name in all_seen(within)?.keys() {
                chunks::clear(within, name)?;
            }
            // Where the count of chunks is wrong, a document was not seen.
            let vectors = "DELETE FROM chunk_vectors WHERE user_id = $1 AND agent_id = $2";
            let postings = "DELETE FROM chunk_postings WHERE user_id = $1 AND agent_id = $2";
            let documents = "DELETE FROM indexed_documents WHERE user_id = $1 AND agent_id = $2";
            for sql in [vectors, postings, documents] {
                within.run(sql, [])?;
            }
            Ok(())
        })
    }

    fn search(&self, access: &Access, text: &str, limit: usize) -> Result<Vec<SearchResult>> {
        if access.scope != self.scoped.scope {
            return Ok(Vec::new());
        }
        let mut found = self.scoped.look_within("search", |within| {
            ChunkSearch::new(within, &self.scoped.scope, access.kind).by_words(text, limit)
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
        if access.scope != self.scoped.scope
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
        self.scoped.look_within("search", |within| {
            let search = ChunkSearch::new(within, &self.scoped.scope, access.kind);
            search.near(&self.shelves, text, (&asked, &self.ranking), limit)
        })
    }

    fn edges(&self) -> Option<&dyn EdgeStore> {
        Some(self)
    }
}

impl VectorHome for PostgresIndex {
    fn sight_of_main(&self) -> Sight {
        Sight(Audience::bit(SessionKind::Main))
    }

    fn read<T>(&self, read: impl FnOnce(&dyn VectorRows) -> Result<T>) -> Result<T> {
        self.scoped.look_within("read the index of", |within| read(within))
    }

    fn change<T>(&self, change: impl FnOnce(&mut dyn VectorChanges) -> Result<T>) -> Result<T> {
        self.scoped.change_within("write to the index of", |within| change(&mut { *within }))
    }

    fn doors(&self) -> Result<Doors> {
        Ok(Doors::clone(&self.doors))
    }

    fn name_of(&self, id: i64) -> Name {
        StateName::row("chunks", id).into()
    }
}

impl VectorStore for PostgresIndex {
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

debug_as!(PostgresIndex, |it| "PostgresIndex({} {})", it.scoped.location(), it.scoped.scope.user);
