//! `noctuary search`, `forget` and `forgotten`.

use std::sync::Arc;

use chrono::Utc;
use noctuary::SqliteIndex;
use noctuary::exchange::{Forget, ForgottenList};
use noctuary::format::JournalName;
use noctuary::life::Indexed;
use noctuary::memory::Query;
use serde_json::json;

use crate::home::Home;
use crate::output::{End, Output, Trouble, count};
use crate::place::{Place, Whose};
use crate::progress::Progress;

pub(crate) fn search(
    place: &Place,
    query: &[String],
    (limit, around): (usize, usize),
    whose: Whose<'_>,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let query = query.join(" ");
    let (rows, documents) = {
        let _progress = Progress::begin("searching");
        let mut asked = Query::new(query.as_str());
        asked.filter.limit = limit;
        let rows = home.store.any().search_unmasked(&home.owner(), &asked)?;
        // The words of documents are read anew: the home is not written to.
        let index = SqliteIndex::open_in_memory(home.scope.clone())?;
        let indexed = Indexed::new(Arc::clone(&home.workspace), index).with_neighbours(around);
        indexed.sync(Utc::now())?;
        let found = indexed.search_unmasked(&home.owner(), &query, limit)?;
        (rows, indexed.entries(&home.owner(), &query, found, limit)?)
    };
    let is_empty = rows.hits.is_empty() && documents.results.is_empty();
    if output.json {
        let rows: Vec<_> = rows
            .hits
            .iter()
            .map(|hit| {
                json!({"id": hit.memory.id.get(), "category": hit.memory.category, "content": hit.memory.content,
                       "updated_at": hit.memory.updated_at, "score": hit.score, "span": hit.span})
            })
            .collect();
        let documents: Vec<_> = documents
            .results
            .iter()
            .map(|found| {
                json!({"document": found.path, "lines": [found.lines.0, found.lines.1], "content": found.content,
                       "score": found.score, "span": found.span})
            })
            .collect();
        output.value(&json!({"rows": rows, "documents": documents}))?;
        return Ok(End::look_if(is_empty));
    }
    for hit in &rows.hits {
        output.line(format!(
            "{}  {}",
            output.bold(&format!("memories/{}", hit.memory.id)),
            output.faint(&hit.memory.category)
        ));
        output.wrapped(4, &shown(&hit.memory.content, hit.excerpt(EXCERPT_BYTES)));
    }
    for found in &documents.results {
        let place = format!("{}#L{}-L{}", found.path, found.lines.0, found.lines.1);
        output.line(output.bold(&place));
        // What was asked for is shown whole.
        let is_whole = around > 0 && JournalName::parse(&found.path).is_some();
        let excerpt = if is_whole { &found.content } else { found.excerpt(EXCERPT_BYTES) };
        for line in shown(&found.content, excerpt).lines() {
            output.wrapped(4, line);
        }
    }
    if is_empty {
        output.say("nothing_found", &[]);
    }
    Ok(End::look_if(is_empty))
}

/// The most bytes that are shown of what was found.
const EXCERPT_BYTES: usize = 480;

/// Returns a part of a text, with dots where the text goes on.
fn shown(whole: &str, part: &str) -> String {
    let before = if whole.trim_start().starts_with(part.trim_start()) { "" } else { "… " };
    let behind = if whole.trim_end().ends_with(part.trim_end()) { "" } else { " …" };
    format!("{before}{}{behind}", part.trim())
}

pub(crate) fn forget(
    place: &Place,
    text: &[String],
    in_files: bool,
    whose: Whose<'_>,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let owner = home.owner();
    let receipt = {
        let _progress = Progress::begin("forgetting");
        Forget::new(&owner, text.join(" "))
            .store(home.store.any())
            .workspace(&home.workspace)
            .in_files(in_files)
            .run(Utc::now())?
    };
    if output.json {
        output.value(&receipt)?;
    } else {
        for line in receipt.to_string().lines() {
            output.folded(4, line);
        }
    }
    Ok(End::look_if(receipt.left().next().is_some()))
}

pub(crate) fn forgotten(place: &Place, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let owner = home.owner();
    let all =
        ForgottenList::new(&owner).workspace(home.workspace.as_ref()).store(home.store.rows()).list()?;
    if output.json {
        output.value(&all)?;
        return Ok(End::Well);
    }
    if all.is_empty() {
        output.line("Nothing is forgotten.");
    }
    for statement in &all {
        let words = count(usize::try_from(statement.words).unwrap_or(usize::MAX), "word");
        output.line(format!("{}  {words}", output.bold(&statement.id)));
        for line in &statement.hides {
            output.folded(8, &format!("    hides {}: {}", line.place, line.text));
        }
    }
    if !all.is_empty() {
        output.line(format!("`noctuary forgotten lift {place} ID` lets one in again."));
    }
    Ok(End::Well)
}

pub(crate) fn lift(place: &Place, text: &[String], whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let (owner, text, now) = (home.owner(), text.join(" "), Utc::now());
    let list = ForgottenList::new(&owner).workspace(home.workspace.as_ref()).store(home.store.rows());
    let is_lifted = list.lift(&text, now)?
        || Forget::new(&owner, text.as_str()).store(home.store.any()).workspace(&home.workspace).lift(now)?;
    if output.json {
        output.value(&json!({"lifted": is_lifted}))?;
    } else if is_lifted {
        output.line("It may be written and remembered again. What was removed stays removed.");
    } else {
        output.line(format!(
            "No forgotten statement has this id or these words. `noctuary forgotten list {place}` lists them."
        ));
    }
    Ok(End::look_if(!is_lifted))
}
