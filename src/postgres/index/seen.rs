//! The documents that an index has seen, as the rows that say so.

use std::collections::BTreeMap;

use ::postgres::Row;
use chrono::{DateTime, Utc};

use super::chunks;
use super::links::Links;
use crate::base::document::Revision;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::word::from_word;
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::search::documents::{Audience, IndexChange, IndexEntry, SeenDocument};

/// Says what was seen of every document.
pub(super) fn all(within: &Within<'_>) -> Result<BTreeMap<DocName, SeenDocument>> {
    let mut all = BTreeMap::new();
    for row in within.run(ALL_SEEN, [])? {
        let path: String = within.column(&row, 0)?;
        if let (Ok(name), Some(seen)) = (DocName::parse(path), read(within, &row)?) {
            all.insert(name, seen);
        }
    }
    Ok(all)
}

/// Says what was seen of one document.
pub(super) fn of(within: &Within<'_>, name: &DocName) -> Result<Option<SeenDocument>> {
    let rows = within.run(SEEN, [name.as_str().into()])?;
    rows.first().map_or(Ok(None), |row| read(within, row))
}

/// Carries out a change; `false` where the document was indexed by somebody else meanwhile.
pub(super) fn apply(
    within: &Within<'_>,
    change: &IndexChange,
    links: &Links,
    at: DateTime<Utc>,
) -> Result<bool> {
    let name = &change.name;
    if of(within, name)? != change.before {
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

const SEEN: &str = "
    SELECT d.path, d.size, d.modified_ns, d.revision, d.audience, d.chunking FROM indexed_documents d
    WHERE d.user_id = $1 AND d.agent_id = $2 AND d.path = $3 AND d.chunks = (
      SELECT count(*) FROM chunks c WHERE c.user_id = $1 AND c.agent_id = $2 AND c.path = $3)";

const ALL_SEEN: &str = "
    SELECT d.path, d.size, d.modified_ns, d.revision, d.audience, d.chunking
    FROM indexed_documents d LEFT JOIN (
      SELECT path, count(*) AS there FROM chunks WHERE user_id = $1 AND agent_id = $2 GROUP BY path) c ON c.path = d.path
    WHERE d.user_id = $1 AND d.agent_id = $2 AND d.chunks = coalesce(c.there, 0)";

const PUT_DOCUMENT: &str = "
    INSERT INTO indexed_documents AS held
      (user_id, agent_id, path, size, modified_ns, revision, audience, chunking, chunks, indexed_us)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, greatest($9, 0), $10)
    ON CONFLICT (user_id, agent_id, path) DO UPDATE SET
      size = excluded.size, modified_ns = excluded.modified_ns, revision = excluded.revision,
      audience = excluded.audience, chunking = excluded.chunking, indexed_us = excluded.indexed_us,
      chunks = CASE WHEN $9 < 0 THEN held.chunks ELSE $9 END";

/// Reads [`SEEN`]; `None` for what another program put there.
fn read(within: &Within<'_>, row: &Row) -> Result<Option<SeenDocument>> {
    let revision: String = within.column(row, 3)?;
    let Some(revision) = from_word::<Revision>(&revision) else {
        return Ok(None);
    };
    let (size, audience): (i64, i64) = (within.column(row, 1)?, within.column(row, 4)?);
    Ok(Some(SeenDocument {
        size: u64::try_from(size).unwrap_or(0),
        modified: DateTime::from_timestamp_nanos(within.column(row, 2)?),
        revision,
        audience: Audience::from_bits(u8::try_from(audience).unwrap_or(0)),
        chunking: within.column(row, 5)?,
    }))
}

fn nanos(time: DateTime<Utc>) -> i64 {
    time.timestamp_nanos_opt().unwrap_or(i64::MAX)
}
