//! The edges of chunks, asked for: the links, tags and names of documents.

use super::driver::{ChunkDriver, in_sight, place};
use crate::base::access::SessionKind;
use crate::base::document::SourceRef;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::order;
use crate::edges::{
    Cited, CitedSource, Edge, EdgeExtractor, Entity, Mention, Neighborhood, Passage, TopEntity, Words,
    edges_of,
};
use crate::format::JournalName;
use crate::format::documents::properties::Properties;
use crate::search::documents::Audience;
use crate::sql::{Columns, DriverExt, params, read_text};

/// The number of chunks of one step of an extraction.
const STEP: usize = 500;

/// A chunk whose edges are to be extracted.
pub(crate) struct ChunkText {
    pub(crate) number: i64,
    /// `None` for a path that another program put there.
    pub(crate) name: Option<DocName>,
    pub(crate) text: String,
    /// The time at which it was written, where that is kept.
    pub(crate) at: String,
}

/// The edges of chunks, as a database has them.
pub(crate) struct EdgeTable {
    /// A table `e` of edges: `src_id` is the chunk, then `kind`, `key`, `verb`, and `place` among those of the chunk.
    pub(crate) edges: String,
    /// Queries, each for `src_id`, of the chunks that lead to the key `$4`. A name may be longer.
    pub(crate) leads_to: Vec<String>,
}

/// A chunk that leads to an entity.
struct LeadingChunk {
    number: i64,
    place: (String, i64),
    passage: Option<Passage>,
}

/// Returns the entity that is asked for with the passages around it that a kind of session may read, at most `limit`.
pub(crate) fn neighborhood(
    database: &dyn ChunkDriver,
    table: &EdgeTable,
    kind: SessionKind,
    keys: &[String],
    limit: usize,
) -> Result<Neighborhood> {
    let mut found = leading(database, table, kind, keys, limit.saturating_add(1))?;
    let is_cut = found.len() > limit;
    found.truncate(limit);
    let mut mentions = Vec::with_capacity(found.len());
    let edges = &table.edges;
    let sql = format!("SELECT e.kind, e.key, e.verb FROM {edges} WHERE e.src_id = $3 ORDER BY e.place");
    for LeadingChunk { number, passage, .. } in found {
        let Some(passage) = passage else { continue };
        let edges = database.all(&sql, params![number], |found| {
            Ok(Edge::new(found.text(2)?, Entity::new(found.text(0)?, found.text(1)?)))
        })?;
        mentions.push(Mention::new(Cited::Passage(passage), edges));
    }
    let mut around = Neighborhood::of(mentions, keys);
    around.is_cut = is_cut;
    Ok(around)
}

/// Lists the chunks that lead to a key, those of the last paths first, which the newest notes have.
fn leading(
    database: &dyn ChunkDriver,
    table: &EdgeTable,
    kind: SessionKind,
    keys: &[String],
    most: usize,
) -> Result<Vec<LeadingChunk>> {
    let words = database.dialect();
    let (chunks, place) = (in_sight(words), place(words));
    let mut found = Vec::new();
    for query in &table.leads_to {
        let sql = format!(
            "SELECT DISTINCT d.path, {place}, c.number, c.content, c.first_line, c.last_line
             FROM ({query}) e CROSS JOIN {chunks} AND c.number = e.src_id ORDER BY d.path DESC, {place} LIMIT $5"
        );
        for key in keys {
            database.each(&sql, params![bit(kind), key, most], &mut |row| {
                found.push(leading_chunk(row)?);
                Ok(())
            })?;
        }
    }
    order::sort_by(&mut found, |one: &LeadingChunk, other| {
        (&other.place.0, one.place.1).cmp(&(&one.place.0, other.place.1))
    });
    found.dedup_by_key(|chunk| chunk.number);
    found.truncate(most);
    Ok(found)
}

fn leading_chunk(found: &dyn Columns) -> Result<LeadingChunk> {
    let (path, place, number) = (found.text(0)?, found.number(1)?, found.number(2)?);
    let line = |column| Ok::<_, Error>(u64::try_from(found.number(column)?).unwrap_or(1));
    let (first_line, last_line) = (line(4)?, line(5)?);
    let passage = match DocName::parse(&path) {
        Ok(name) => Some(Passage::new(SourceRef { name, first_line, last_line }, found.text(3)?)),
        Err(_) => None,
    };
    Ok(LeadingChunk { number, place: (path, place), passage })
}

/// Lists the entities of most chunks that a kind of session may read.
pub(crate) fn top_entities(
    database: &dyn ChunkDriver,
    table: &EdgeTable,
    kind: SessionKind,
    limit: usize,
) -> Result<Vec<TopEntity>> {
    let sql = format!(
        "SELECT e.kind, e.key, count(DISTINCT e.src_id) AS texts FROM {} CROSS JOIN {}
         AND c.number = e.src_id AND e.verb <> $4 GROUP BY 1, 2 ORDER BY texts DESC, 1, 2 LIMIT $5",
        table.edges,
        in_sight(database.dialect())
    );
    database.all(&sql, params![bit(kind), Edge::CO_OCCURS_WITH, limit], |found| {
        Ok(TopEntity::new(Entity::new(found.text(0)?, found.text(1)?), found.count(2)?))
    })
}

/// Returns the words of a passage that a kind of session may read; `None` for another source.
pub(crate) fn words(
    database: &dyn ChunkDriver,
    kind: SessionKind,
    source: &CitedSource,
) -> Result<Option<String>> {
    let CitedSource::Lines(lines) = source else { return Ok(None) };
    let sql = format!(
        "SELECT c.content FROM {} AND d.path = $4 AND c.first_line = $5 AND c.last_line = $6
         ORDER BY c.number LIMIT 1",
        in_sight(database.dialect())
    );
    let values = params![bit(kind), lines.name.as_str(), lines.first_line, lines.last_line];
    read_text(database, &sql, values)
}

/// Returns the next chunks of the scope, whoever may read them.
pub(crate) fn chunks_after(database: &dyn ChunkDriver, after: i64) -> Result<Vec<ChunkText>> {
    let from = database.dialect().spell(
        "SELECT c.number, d.path, c.content, c.created_at FROM memory_chunks c JOIN indexed_documents d ON d.id = c.document_id
         WHERE c.number > $3 AND d.user_id = $1 AND d.agent_id = $2",
        "SELECT c.number, c.path, c.content, '' FROM chunks c
         WHERE c.number > $3 AND c.user_id = $1 AND c.agent_id = $2",
    );
    database.all(&format!("{from} ORDER BY c.number LIMIT $4"), params![after, STEP], |found| {
        let name = DocName::parse(found.text(1)?).ok();
        Ok(ChunkText { number: found.number(0)?, name, text: found.text(2)?, at: found.text(3)? })
    })
}

/// Extracts the edges of a chunk of a document.
pub(crate) fn edges_of_chunk(extractor: &dyn EdgeExtractor, name: &DocName, text: &str) -> Vec<Edge> {
    // Journals are named by their day, and nobody links to them.
    let note = name.as_str().strip_suffix(".md").filter(|_| JournalName::parse(name).is_none());
    // The frontmatter of a note is a chunk of its own.
    let Properties { aliases, tags } = note.map(|_| Properties::of(text)).unwrap_or_default();
    edges_of(extractor, &Words { text, note, aliases: &aliases, tags: &tags, ..Words::default() })
}

fn bit(kind: SessionKind) -> i64 {
    i64::from(Audience::bit(kind))
}
