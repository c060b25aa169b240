//! The files of a bundle that are made of its entries for readers: edges, pages on entities, a word on preferences.
//!
//! An import reads none of them: whatever they say, it is made anew from the rows.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::entry::Named;
use super::front::Front;
use super::places::{EDGES, PAGES, PREFERENCES_README};
use super::tree::Bundle;
use crate::base::digest::Digest;
use crate::base::text;
use crate::edges::{Edge, Entity};
use crate::facts::FactState;
use crate::memory::MemoryId;

/// The least number of rows that speak of an entity which has a page.
const LEAST: usize = 2;

/// A line of the edges.
#[derive(Serialize)]
struct Line<'a> {
    row: &'a str,
    verb: &'a str,
    kind: &'a str,
    key: &'a str,
}

/// The lines of records about entities, such as trades.
pub(super) type Records = BTreeMap<Entity, Vec<String>>;

/// The parts of pages that are in no row.
pub(super) struct Beside<'a> {
    pub(super) truths: Vec<String>,
    pub(super) records: &'a Records,
}

/// Adds the edges of the current rows. Adds a page for each entity that some of them mention, or that a record is about.
pub(super) fn edges(
    rows: &[Named],
    paths: &[String],
    edges: &[(MemoryId, Edge)],
    beside: &Beside<'_>,
    instance: Option<&str>,
    bundle: &mut Bundle,
) {
    let mut of_rows: BTreeMap<MemoryId, BTreeSet<&Edge>> = BTreeMap::new();
    for (id, edge) in edges {
        of_rows.entry(*id).or_default().insert(edge);
    }
    let mut lines = String::new();
    let mut spoken: BTreeMap<&Entity, Vec<(&Named, &str)>> = BTreeMap::new();
    for (named, path) in rows.iter().zip(paths).filter(|(named, _)| holds(named)) {
        let mut told = BTreeSet::new();
        for edge in of_rows.get(&named.fact.memory.id).into_iter().flatten() {
            let line =
                Line { row: &named.id, verb: &edge.verb, kind: &edge.entity.kind, key: &edge.entity.key };
            lines.push_str(&serde_json::to_string(&line).expect("plain data is always JSON"));
            lines.push('\n');
            let is_told = edge.verb == Edge::CO_OCCURS_WITH || !told.insert(&edge.entity);
            if !is_told {
                spoken.entry(&edge.entity).or_default().push((named, path));
            }
        }
    }
    if !lines.is_empty() {
        bundle.put(EDGES, lines);
    }
    for entity in beside.records.keys() {
        spoken.entry(entity).or_default();
    }
    for (entity, rows) in spoken {
        let records = beside.records.get(entity).map(Vec::as_slice).unwrap_or_default();
        if rows.len() < LEAST && records.is_empty() {
            continue;
        }
        let mut front = Front::new("page", instance);
        front.put("entity", entity.to_string());
        front.put("rows", rows.len());
        front.body = format!("# {}\n", one_line(&entity.key));
        let mut named = beside.truths.iter().filter(|truth| names(truth, &entity.key)).peekable();
        if named.peek().is_some() {
            front.body.push_str("\n## Compiled truth\n");
            for truth in named {
                front.body.push_str(&format!("\n- {}", one_line(truth)));
            }
            front.body.push_str("\n\n## Timeline\n");
        }
        for (named, path) in rows {
            let day = named.fact.memory.created_at.date_naive();
            let said = one_line(&named.fact.memory.content);
            front.body.push_str(&format!("\n- {day}: {said} ([source](../{path}))"));
        }
        for record in records {
            front.body.push_str(&format!("\n- {}", one_line(record)));
        }
        bundle.put(page(entity), front.print());
    }
}

/// Returns whether a text has the words of an entity, whatever their case.
fn names(text: &str, key: &str) -> bool {
    let (text, key): (Vec<String>, Vec<String>) = (text::words(text).collect(), text::words(key).collect());
    !key.is_empty() && text.windows(key.len()).any(|words| words == key)
}

/// Returns the place of a page.
fn page(entity: &Entity) -> String {
    #[cfg(feature = "finance")]
    if entity.kind == Entity::TICKER {
        let (lower, upper) = (entity.key.to_ascii_lowercase(), entity.key.to_ascii_uppercase());
        if super::entry::folder(&lower) == lower && upper == entity.key {
            return format!("{}{upper}.md", super::places::ASSETS);
        }
    }
    format!("{PAGES}{}.md", Digest::of(entity.to_string().as_bytes()).short(16))
}

/// Returns whether a row is on the pages: it is neither retired nor still to be settled.
pub(super) fn holds(named: &Named) -> bool {
    let state = named.fact.status.state;
    !state.is_retired() && state != FactState::Pending
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds a word on what the folder of preferences holds.
pub(super) fn readme(has_constraints: bool, bundle: &mut Bundle) {
    let constraints = if has_constraints {
        "Hard constraints are among them, since they were asked for."
    } else {
        "Hard constraints are left out: `noctuary export --include-constraints` takes them along."
    };
    let text = format!(
        "# Preferences\n\nOne file for each, in a folder by its dimension. {constraints}\n\n\
         Whoever imports this folder gets a hard constraint as a proposal at most, and only at a terminal, by\n\
         `noctuary import --approve-hard-constraints`. It holds when a person approves it there.\n"
    );
    bundle.put(PREFERENCES_README, text);
}
