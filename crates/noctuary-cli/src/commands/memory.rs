//! `noctuary search`, `forget` and `forgotten`.

use std::sync::Arc;

use bstr::ByteSlice as _;
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
                       "updated_at": hit.memory.updated_at, "score": hit.score})
            })
            .collect();
        let documents: Vec<_> = documents
            .results
            .iter()
            .map(|found| {
                json!({"document": found.path, "lines": [found.lines.0, found.lines.1], "content": found.content,
                       "score": found.score})
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
        output.wrapped(4, &hit.memory.content);
    }
    for found in &documents.results {
        let place = format!("{}#L{}-L{}", found.path, found.lines.0, found.lines.1);
        output.line(output.bold(&place));
        // What was asked for is shown whole.
        let is_whole = around > 0 && JournalName::parse(&found.path).is_some();
        let lines = if is_whole {
            found.content.lines().map(|line| line.trim().to_owned()).collect()
        } else {
            matching(&found.content, &query)
        };
        for line in lines {
            output.wrapped(4, &line);
        }
    }
    if is_empty {
        output.say("nothing_found", &[]);
    }
    Ok(End::look_if(is_empty))
}

/// Returns the lines of a passage that have most of the words that were looked for, in their order; its first lines where none
/// has any, as where a heading above it was found.
fn matching(passage: &str, query: &str) -> Vec<String> {
    const MOST: usize = 3;
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    // The end of a word is left out, since a search looks for stems.
    let stem = |word: &str| {
        let word = word.to_lowercase();
        let len = word.chars().count();
        word.chars().take(len.saturating_sub(2).max(3)).collect::<String>()
    };
    let stems: Vec<String> = words.map(stem).collect();
    let mut lines: Vec<(usize, usize, &str)> = Vec::new();
    for (place, line) in passage.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let folded = line.to_lowercase();
        lines.push((stems.iter().filter(|stem| folded.contains(stem.as_str())).count(), place, line));
    }
    lines.sort_by_key(|(count, place, _)| (std::cmp::Reverse(*count), *place));
    let has_any = lines.first().is_some_and(|(count, ..)| *count > 0);
    lines.retain(|(count, ..)| !has_any || *count > 0);
    lines.truncate(MOST);
    lines.sort_by_key(|(_, place, _)| *place);
    lines.iter().map(|(_, _, line)| line.trim().as_bytes().graphemes().take(300).collect()).collect()
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
