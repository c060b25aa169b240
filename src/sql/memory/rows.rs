//! Rows, the profile, the audit and learnings, as a store reads them.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::audit::audited;
use super::driver::MemoryDriver;
use super::edges;
use super::row::{COLUMNS, memory};
use super::saying::saying;
use super::search::{BY_TIME, TRUSTED, TRUSTED_OR_PARTICIPANT};
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::text;
use crate::base::word::from_word;
use crate::edges::{Edge, TopEntity};
use crate::facts::Fact;
use crate::format::DreamId;
use crate::format::Origin;
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::{
    AuditEntry, Learning, LearningId, Memory, MemoryId, NewLearning, SnapshotRow, Source, Stale, end_of,
};
use crate::search::rank::Visibility;
use crate::sql::{Driver, DriverExt, params, read_text, word as number_of};
use crate::store::backend::{Editable, Rows};
use crate::store::forget::Burial;
use crate::store::practice::Practice;
use crate::store::searchable::Searchable;
use crate::store::stamp::stamp;
use crate::store::vectors::MemoryVectors;

/// The value of `pinned` for a row that the human pinned; 1 is anybody else.
pub(crate) const PINNED_BY_THE_HUMAN: i64 = 2;

impl<T: MemoryDriver + MemoryVectors + Practice + Searchable> Rows for T {
    fn get(&self, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>> {
        get(self, id, visibility)
    }

    fn snapshot(&self, limit: usize, visibility: Visibility, participants: bool) -> Result<Vec<SnapshotRow>> {
        snapshot(self, limit, visibility, participants)
    }

    fn editable(&self, id: MemoryId, deleted_since: Option<DateTime<Utc>>) -> Result<Option<Editable>> {
        editable(self, id, deleted_since)
    }

    fn promoted(&self, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>> {
        promoted(self, dream, content)
    }

    fn saying(&self, burial: &Burial) -> Result<Vec<Fact>> {
        saying(self, burial)
    }

    fn profile(&self, keys: Option<&[&str]>) -> Result<Vec<(String, String)>> {
        profile(self, keys)
    }

    fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        audited(self, limit)
    }

    fn learnings(&self, limit: usize) -> Result<Vec<Learning>> {
        learnings(self, limit)
    }

    fn learned(&self, content: &str) -> Result<Option<LearningId>> {
        learned(self, content)
    }

    fn tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        self.forgotten()
    }

    fn tombstone_key(&self) -> Result<Option<TombstoneKey>> {
        tombstone_key(self)
    }

    fn mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>> {
        self.rows_mentioning(visibility, keys, most)
    }

    fn edges_of(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
        edges::of_rows(self, ids)
    }

    fn top_entities(&self, visibility: Visibility, limit: usize) -> Result<Vec<TopEntity>> {
        edges::most_mentioned(self, visibility, limit)
    }

    fn edition(&self) -> Result<u64> {
        self.number_of_changes()
    }

    fn as_vectors(&self) -> &dyn MemoryVectors {
        self
    }
}

fn get(driver: &dyn MemoryDriver, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>> {
    let (row, sight) = (driver.dialect().by_id("$3"), driver.dialect().in_sight(visibility));
    let sql = format!("SELECT {COLUMNS} FROM {row} WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight}");
    driver.first(&sql, params![id.get()], memory)
}

fn snapshot(
    driver: &dyn MemoryDriver,
    limit: usize,
    visibility: Visibility,
    participants: bool,
) -> Result<Vec<SnapshotRow>> {
    let mut rows = Vec::new();
    let told = if participants { TRUSTED_OR_PARTICIPANT } else { TRUSTED };
    for pinned in [true, false] {
        let sql = format!(
            "SELECT m.id, m.category, m.content,
               CASE WHEN {}(m.metadata, 'stale_after') > 0 THEN m.metadata END,
               CASE WHEN m.origin LIKE 'participant:%' THEN m.origin END FROM memories m
             WHERE {} AND {} AND m.user_id = $1 AND m.agent_id = $2
             AND m.fact_state IS DISTINCT FROM 'pending' {told} {BY_TIME} LIMIT $3",
            driver.dialect().place_of(),
            driver.dialect().in_sight(visibility),
            if pinned { "m.pinned > 0" } else { "m.pinned = 0" }
        );
        rows.extend(driver.all(&sql, params![limit - rows.len()], |found| {
            let id = MemoryId::new(found.number(0)?);
            let mut shown = SnapshotRow::new(id, found.text(1)?, found.text(2)?, pinned);
            let notes = found.maybe(3)?.and_then(|notes| serde_json::from_slice(notes.as_bytes()).ok());
            shown.stale.extend(end_of(notes.as_ref()).map(Stale::Over));
            let origin: Option<Origin> = found.maybe(4)?.and_then(|word| word.parse().ok());
            if let Some(Origin::Participant(name)) = &origin {
                shown.participant = Some(name.clone());
            }
            Ok(shown)
        })?);
    }
    Ok(rows)
}

fn editable(
    driver: &dyn MemoryDriver,
    id: MemoryId,
    deleted_since: Option<DateTime<Utc>>,
) -> Result<Option<Editable>> {
    let sql = "SELECT source, category, fact_state, pinned FROM memories
         WHERE user_id = $1 AND agent_id = $2 AND id = $3
         AND (($4 IS NULL AND deleted_at IS NULL) OR deleted_at >= $4)";
    driver.first(sql, params![id.get(), deleted_since.map(stamp)], |found| {
        let pinned_by = match found.number(3)? {
            0 => None,
            PINNED_BY_THE_HUMAN => Some(Actor::Human),
            _ => Some(Actor::Agent),
        };
        Ok(Editable {
            source: found.maybe(0)?.map(|word| Source::from(word.as_str())),
            category: found.text(1)?,
            state: found.maybe(2)?.and_then(|word| word.parse().ok()),
            pinned_by,
        })
    })
}

fn promoted(driver: &dyn MemoryDriver, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>> {
    let sql = "SELECT m.id, m.deleted_at IS NOT NULL AND coalesce((
             SELECT a.actor = 'library' FROM memory_audit a
             WHERE a.user_id = $1 AND a.agent_id = $2 AND a.memory_id = m.id
             AND a.action = 'memory_delete' AND a.outcome = 'done' ORDER BY a.id DESC LIMIT 1), false)
         FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2 AND m.dream = $3 AND m.content = $4
         ORDER BY m.deleted_at IS NOT NULL, m.id LIMIT 1";
    driver.first(sql, params![dream.as_str(), content], |found| {
        Ok((MemoryId::new(found.number(0)?), found.flag(1)?))
    })
}

pub(super) fn profile(driver: &dyn MemoryDriver, keys: Option<&[&str]>) -> Result<Vec<(String, String)>> {
    let which = keys.map_or_else(String::new, |_| driver.dialect().is_in("AND key", "$3"));
    let [table, of_profile] = driver.profile();
    let sql = format!("SELECT key, value FROM {table} WHERE {of_profile} {which} ORDER BY key");
    let keys = keys.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>());
    let values = keys.map_or_else(Vec::new, |keys| params![keys]);
    driver.all(&sql, values, |found| Ok((found.text(0)?, found.text(1)?)))
}

fn learnings(driver: &dyn MemoryDriver, limit: usize) -> Result<Vec<Learning>> {
    let sql = "SELECT id, content, context, created_at FROM memory_learnings
         WHERE user_id = $1 AND agent_id = $2 ORDER BY id DESC LIMIT $3";
    driver.all(sql, params![limit], |found| {
        let written = NewLearning { content: found.text(1)?, context: found.maybe(2)? };
        let at = found.time(3)?.unwrap_or_default();
        Ok(Learning::new(LearningId::new(found.number(0)?), written, at))
    })
}

fn learned(driver: &dyn MemoryDriver, content: &str) -> Result<Option<LearningId>> {
    let sql = format!(
        "SELECT id FROM memory_learnings WHERE user_id = $1 AND agent_id = $2 AND {}",
        driver.dialect().spell("normal = $3", "normal_word = $4 AND normal = $3")
    );
    let normal = text::statement(content);
    let number = number_of(&normal);
    driver.first(&sql, params![normal, number], |found| Ok(LearningId::new(found.number(0)?)))
}

/// Returns the key under which tombstones are kept.
pub(crate) fn tombstone_key(driver: &dyn Driver) -> Result<Option<TombstoneKey>> {
    let sql = "SELECT key FROM memory_tombstone_keys WHERE user_id = $1 AND agent_id = $2";
    let key = read_text(driver, sql, Vec::new())?;
    Ok(key.and_then(|key| from_word(&key)))
}

/// Reads the tombstones of the scope; `None` if it has forgotten nothing.
pub(crate) fn read_tombstones(driver: &dyn Driver) -> Result<Option<Tombstones>> {
    let Some(key) = tombstone_key(driver)? else { return Ok(None) };
    let sql = "SELECT words, mark, digest FROM memory_tombstones WHERE user_id = $1 AND agent_id = $2";
    let mut forgotten = Tombstones::new(key);
    driver.each(sql, Vec::new(), &mut |found| {
        let (words, mark) = (found.number(0)?, found.number(1)?);
        if let (Ok(words), Ok(mark), Ok(digest)) = (words.try_into(), mark.try_into(), found.text(2)?.parse())
        {
            forgotten.insert(Tombstone { words, mark, digest });
        }
        Ok(())
    })?;
    Ok(Some(forgotten).filter(|forgotten| !forgotten.is_empty()))
}
