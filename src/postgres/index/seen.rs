//! A change of a document, and of the row that says what was seen of it.

use chrono::{DateTime, Utc};

use super::chunks;
use super::links::Links;
use crate::base::error::Result;
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::search::documents::{IndexChange, IndexEntry};
use crate::sql::chunks::{nanos, seen_of};

/// Carries out a change; `false` where the document was indexed by somebody else meanwhile.
pub(super) fn apply(
    within: &Within<'_>,
    change: &IndexChange,
    links: &Links,
    at: DateTime<Utc>,
) -> Result<bool> {
    let name = &change.name;
    if seen_of(within, name)? != change.before {
        return Ok(false);
    }
    let (seen, text) = match &change.after {
        IndexEntry::Gone => {
            chunks::clear(within, name)?;
            let sql = "DELETE FROM indexed_documents WHERE user_id = $1 AND agent_id = $2 AND path = $3";
            within.run(sql, [name.as_str().into()])?;
            return Ok(true);
        }
        IndexEntry::Same(seen) => (seen, None),
        IndexEntry::Text { seen, text, chunks } => (seen, Some((text, chunks))),
    };
    let count = match text {
        Some((_, chunks)) => i64::try_from(chunks.len()).unwrap_or(i64::MAX),
        None => -1,
    };
    within.run(
        PUT_DOCUMENT,
        [
            name.as_str().into(),
            i64::try_from(seen.size).unwrap_or(i64::MAX).into(),
            nanos(seen.modified).into(),
            Param::Text(seen.revision.to_string()),
            i64::from(seen.audience.bits()).into(),
            Param::from(&seen.chunking),
            count.into(),
            at.timestamp_micros().into(),
        ],
    )?;
    // Who has chunks in memory has them by who may read them.
    if change.before.as_ref().is_some_and(|before| before.audience != seen.audience) {
        chunks::renumber(within, name)?;
    }
    if let Some((text, all)) = text {
        chunks::put(within, name, text, all, links)?;
    }
    Ok(true)
}

const PUT_DOCUMENT: &str = "
    INSERT INTO indexed_documents AS held
      (user_id, agent_id, path, size, modified_ns, revision, audience, chunking, chunks, indexed_us)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, greatest($9, 0), $10)
    ON CONFLICT (user_id, agent_id, path) DO UPDATE SET
      size = excluded.size, modified_ns = excluded.modified_ns, revision = excluded.revision,
      audience = excluded.audience, chunking = excluded.chunking, indexed_us = excluded.indexed_us,
      chunks = CASE WHEN $9 < 0 THEN held.chunks ELSE $9 END";
