//! A change of a document, and of the row that says what was seen of it.

use rusqlite::{Connection, params};

use super::chunks;
use super::links::Links;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::base::uuid::document_id;
use crate::search::documents::{IndexChange, IndexEntry};
use crate::sql::chunks::{nanos, seen_of};
use crate::sqlite::driver::Run;
use crate::sqlite::error::fold;

/// Carries out a change; `false` where the document was indexed by somebody else meanwhile.
pub(super) fn apply(
    table: &Run<'_>,
    scope: &Scope,
    change: &IndexChange,
    links: &Links,
    at: &str,
) -> Result<bool> {
    if seen_of(table, &change.name)? != change.before {
        return Ok(false);
    }
    let put = put(table.connection, scope, change, links, at);
    put.map_err(|error| fold(table.action, table.file, error)).map(|()| true)
}

fn put(
    connection: &Connection,
    scope: &Scope,
    change: &IndexChange,
    links: &Links,
    at: &str,
) -> rusqlite::Result<()> {
    let name = &change.name;
    let id = document_id(scope, name);
    let (seen, count) = match &change.after {
        IndexEntry::Gone => {
            connection.prepare_cached("DELETE FROM indexed_documents WHERE id = ?1")?.execute([id])?;
            return Ok(());
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
    Ok(())
}

const PUT_DOCUMENT: &str = "INSERT INTO indexed_documents
       (id, user_id, agent_id, path, size, modified_ns, revision, audience, chunking, chunks, indexed_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, coalesce(?10, 0), ?11)
     ON CONFLICT (user_id, agent_id, path) DO UPDATE SET
       size = excluded.size, modified_ns = excluded.modified_ns, revision = excluded.revision,
       audience = excluded.audience, chunking = excluded.chunking, chunks = coalesce(?10, chunks),
       indexed_at = excluded.indexed_at";
