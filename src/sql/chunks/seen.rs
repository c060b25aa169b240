//! The documents that an index has seen, as the rows that say so.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::driver::ChunkDriver;
use crate::base::document::Revision;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::word::from_word;
use crate::search::documents::{Audience, SeenDocument};
use crate::sql::{Columns, DriverExt, params};

/// Says what was seen of every document.
pub(crate) fn all_seen(database: &dyn ChunkDriver) -> Result<BTreeMap<DocName, SeenDocument>> {
    let mut all = BTreeMap::new();
    let (from, is_whole) =
        (database.dialect().spell("", COUNTED), database.dialect().spell(SUMMED, IS_COUNTED));
    database.each(&format!("{SEEN} {from} {SCOPE} AND {is_whole}"), Vec::new(), &mut |row| {
        if let (Ok(name), Some(seen)) = (DocName::parse(row.text(0)?), read(row)?) {
            all.insert(name, seen);
        }
        Ok(())
    })?;
    Ok(all)
}

/// Says what was seen of one document.
pub(crate) fn seen_of(database: &dyn ChunkDriver, name: &DocName) -> Result<Option<SeenDocument>> {
    let chunks = database.dialect().spell(
        "SELECT count(*) FROM memory_chunks c WHERE c.document_id = d.id",
        "SELECT count(*) FROM chunks c WHERE c.user_id = $1 AND c.agent_id = $2 AND c.path = $3",
    );
    let sql = format!("{SEEN} {SCOPE} AND d.path = $3 AND d.chunks = ({chunks})");
    Ok(database.first(&sql, params![name.as_str()], read)?.flatten())
}

const SEEN: &str =
    "SELECT d.path, d.size, d.modified_ns, d.revision, d.audience, d.chunking FROM indexed_documents d";
const SCOPE: &str = "WHERE d.user_id = $1 AND d.agent_id = $2";

/// In SQLite, each is counted only where the sum of all is not right, which takes a tenth of it.
const SUMMED: &str = "((SELECT sum(chunks) FROM indexed_documents) = (SELECT count(*) FROM memory_chunks)
    OR d.chunks = (SELECT count(*) FROM memory_chunks c WHERE c.document_id = d.id))";
/// A server counts all in one go.
const COUNTED: &str = "LEFT JOIN (SELECT path, count(*) AS there FROM chunks
    WHERE user_id = $1 AND agent_id = $2 GROUP BY path) c ON c.path = d.path";
const IS_COUNTED: &str = "d.chunks = coalesce(c.there, 0)";

/// Reads [`SEEN`]; `None` for what another program put there.
fn read(found: &dyn Columns) -> Result<Option<SeenDocument>> {
    let Some(revision) = from_word::<Revision>(&found.text(3)?) else { return Ok(None) };
    Ok(Some(SeenDocument {
        size: found.count(1)?,
        modified: DateTime::from_timestamp_nanos(found.number(2)?),
        revision,
        audience: Audience::from_bits(u8::try_from(found.number(4)?).unwrap_or(0)),
        chunking: found.text(5)?,
    }))
}

/// Returns a time as the table has it.
pub(crate) fn nanos(time: DateTime<Utc>) -> i64 {
    time.timestamp_nanos_opt().unwrap_or(i64::MAX)
}
