//! The documents that an index has seen, as the rows that say so.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::chunks;
use super::links::Links;
use crate::base::access::Scope;
use crate::base::name::DocName;
use crate::base::uuid::document_id;
use crate::search::documents::{Audience, IndexChange, IndexEntry, SeenDocument};
use crate::sqlite::columns::parse_revision;

/// Says what was seen of every document.
pub(super) fn all(
    connection: &Connection,
    scope: &Scope,
) -> rusqlite::Result<BTreeMap<DocName, SeenDocument>> {
    let mut statement = connection.prepare_cached(ALL_SEEN)?;
    let mut rows = statement.query(params![scope.user, scope.agent])?;
    let mut all = BTreeMap::new();
    while let Some(row) = rows.next()? {
        if let (Ok(name), Some(seen)) = (DocName::parse(row.get::<_, String>(0)?), read(row)?) {
            all.insert(name, seen);
        }
    }
    Ok(all)
}

/// Says what was seen of one document.
pub(super) fn of(
    connection: &Connection,
    scope: &Scope,
    name: &DocName,
) -> rusqlite::Result<Option<SeenDocument>> {
    let sql = format!("{SEEN} AND d.path = ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row(params![scope.user, scope.agent, name.as_str()], read).optional()?;
    Ok(found.flatten())
}

/// Carries out a change; `false` where the document was indexed by somebody else meanwhile.
pub(super) fn apply(
    connection: &Connection,
    scope: &Scope,
    change: &IndexChange,
    links: &Links,
    at: &str,
) -> rusqlite::Result<bool> {
    let name = &change.name;
    if of(connection, scope, name)? != change.before {
        return Ok(false);
    }
    let id = document_id(scope, name);
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
        scope.user,
        scope.agent,
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
        chunks::put(connection, (&id, name), text, chunks, links, at)?;
    }
    Ok(true)
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

/// Reads [`SEEN`]; `None` for what another program put there.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<SeenDocument>> {
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
