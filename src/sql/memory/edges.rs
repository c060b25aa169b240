//! The edges of rows: written with them, asked for by a row, and extracted anew.

use super::driver::MemoryDriver;
use super::row::numbers;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::word::from_word;
use crate::edges::{Edge, Entity, TopEntity, Words, edges_of, scenario};
use crate::memory::MemoryId;
use crate::search::rank::Visibility;
use crate::sql::{Columns, DriverExt, Param, params, read_text};
use crate::store::backend::Extracted;

/// The number of rows of one step of an extraction.
const STEP: usize = 500;

/// A row with the edges that its words give.
pub(crate) struct WithEdges {
    pub(crate) id: MemoryId,
    pub(crate) edges: Vec<Edge>,
    at: String,
}

/// Returns the edges of rows, in the order of the ids.
pub(crate) fn of_rows(driver: &dyn MemoryDriver, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
    let (words, table) = (driver.dialect(), driver.edges());
    let sql = format!(
        "SELECT e.src_id, e.dst_entity_kind, e.dst_entity_key, e.edge_type FROM {} CROSS JOIN {table} e
         WHERE {} AND e.src_id = r.value ORDER BY r.key, {}",
        words.list("$3", "r"),
        words.of_edges(),
        words.spell("e.id", "e.place")
    );
    driver.all(&sql, params![numbers(ids)], |found| Ok((MemoryId::new(found.number(0)?), read(found, 1)?)))
}

/// Lists the entities of most rows in sight.
pub(crate) fn most_mentioned(
    driver: &dyn MemoryDriver,
    visibility: Visibility,
    limit: usize,
) -> Result<Vec<TopEntity>> {
    let (words, table) = (driver.dialect(), driver.edges());
    let sql = format!(
        "SELECT e.dst_entity_kind, e.dst_entity_key, count(DISTINCT e.src_id) AS texts
         FROM memories m CROSS JOIN {table} e
         WHERE m.user_id = $1 AND m.agent_id = $2 AND {} AND {} AND e.src_id = m.id AND e.edge_type <> '{}'
         GROUP BY 1, 2 ORDER BY texts DESC, 1, 2 LIMIT $3",
        words.in_sight(visibility),
        words.of_edges(),
        Edge::CO_OCCURS_WITH
    );
    driver.all(&sql, params![limit], |found| {
        Ok(TopEntity::new(Entity::new(found.text(0)?, found.text(1)?), found.count(2)?))
    })
}

/// Adds the edges of what a row says; returns how many are new.
pub(crate) fn put_edges(driver: &dyn MemoryDriver, id: MemoryId, words: &Words<'_>, at: &str) -> Result<u64> {
    let Some(extractor) = driver.extractor() else { return Ok(0) };
    driver.add_edges(id, &edges_of(extractor, words), at)
}

/// Replaces the edges of a row whose text changed, or that another program wrote.
pub(crate) fn put_edges_anew(driver: &dyn MemoryDriver, id: MemoryId) -> Result<()> {
    let sql = format!(
        "DELETE FROM {} AS e WHERE {} AND e.src_id = $3",
        driver.edges(),
        driver.dialect().of_edges()
    );
    driver.run(&sql, params![id.get()])?;
    put_edges_of(driver, id).map(drop)
}

/// Adds the edges of a row as it is.
pub(crate) fn put_edges_of(driver: &dyn MemoryDriver, id: MemoryId) -> Result<u64> {
    let which = driver.dialect().spell("id = $3", "user_id = $1 AND agent_id = $2 AND id = $3");
    put_each(driver, extracted(driver, which, params![id.get()])?)
}

fn put_each(driver: &dyn MemoryDriver, rows: Vec<WithEdges>) -> Result<u64> {
    let mut added = 0;
    for row in rows {
        added += driver.add_edges(row.id, &row.edges, &row.at)?;
    }
    Ok(added)
}

/// Extracts the edges of the next rows of this scope.
pub(crate) fn extract_next(driver: &dyn MemoryDriver, after: MemoryId) -> Result<Extracted> {
    let rows = extracted_after(driver, after)?;
    let last = rows.last().map(|row| row.id);
    Ok(Extracted { added: put_each(driver, rows)?, last })
}

/// Returns the next rows with the edges that their words give.
pub(crate) fn extracted_after(driver: &dyn MemoryDriver, after: MemoryId) -> Result<Vec<WithEdges>> {
    let which = "user_id = $1 AND agent_id = $2 AND id > $3 ORDER BY id LIMIT $4";
    extracted(driver, which, params![after.get(), STEP])
}

fn extracted(driver: &dyn MemoryDriver, which: &str, values: Vec<Param>) -> Result<Vec<WithEdges>> {
    let sql = format!(
        "SELECT id, content, subject, CASE WHEN {}(metadata, 'scenario_id') > 0 THEN metadata END, updated_at
         FROM memories WHERE {which}",
        driver.dialect().place_of()
    );
    let found = driver.all(&sql, values, |found| {
        let words = (found.text(1)?, found.maybe(2)?, found.maybe(3)?);
        Ok((MemoryId::new(found.number(0)?), words, found.text(4)?))
    })?;
    let mut rows = Vec::with_capacity(found.len());
    for (id, (text, subject, notes), at) in found {
        let notes = notes.and_then(|notes| serde_json::from_slice(notes.as_bytes()).ok());
        let writer = if notes.is_some() { writer(driver, id)? } else { Actor::Agent };
        let scenario = scenario(notes.as_ref(), writer);
        let words = Words { text: &text, subject: subject.as_deref(), scenario, ..Words::default() };
        let edges = driver.extractor().map_or_else(Vec::new, |extractor| edges_of(extractor, &words));
        rows.push(WithEdges { id, edges, at });
    }
    Ok(rows)
}

/// Returns the writer of a row by the audit; the agent, who is trusted least, where that is not known.
fn writer(driver: &dyn MemoryDriver, id: MemoryId) -> Result<Actor> {
    let sql = format!(
        "SELECT actor FROM memory_audit WHERE {} memory_id = $3
         AND action = 'memory_write' AND outcome = 'done' ORDER BY id LIMIT 1",
        driver.dialect().spell("", "user_id = $1 AND agent_id = $2 AND")
    );
    let actor = read_text(driver, &sql, params![id.get()])?;
    Ok(actor.and_then(|word| from_word(&word)).unwrap_or(Actor::Agent))
}

/// Reads an edge from three columns: kind, key and verb.
fn read(found: &dyn Columns, from: usize) -> Result<Edge> {
    let entity = Entity::new(found.text(from)?, found.text(from + 1)?);
    Ok(Edge::new(found.text(from + 2)?, entity))
}
