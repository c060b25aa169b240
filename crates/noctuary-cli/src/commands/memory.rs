//! `noctuary search`, `forget` and `forgotten`.

use std::sync::Arc;

use chrono::{NaiveDate, TimeDelta, Utc};
use noctuary::exchange::{Forget, ForgottenList};
use noctuary::format::JournalName;
use noctuary::life::Indexed;
use noctuary::memory::{AsOf, Query};
use noctuary::search::ChunkConfig;
use noctuary::store::StoreConfig;
use noctuary::{DocName, SqliteIndex};
use serde_json::json;

use crate::arguments::Kept;
use crate::commands::rows;
use crate::config::Config;
use crate::home::Home;
use crate::output::{End, Output, Trouble, count};
use crate::place::{Place, Whose};
use crate::progress::Progress;

/// The part of what is found that is shown.
pub(crate) struct Sought<'a> {
    pub(crate) limit: usize,
    pub(crate) around: usize,
    pub(crate) as_of: Option<NaiveDate>,
    pub(crate) kept: &'a Kept,
}

impl Sought<'_> {
    /// Returns the number of hits to look through: a part of them may not be kept.
    fn looked_through(&self) -> usize {
        let Kept { category: _, origin, who, tag, from, until } = self.kept;
        let is_all = [origin, who, tag].iter().all(|word| word.is_none());
        let is_always = from.is_none() && until.is_none() && self.as_of.is_none();
        if is_all && is_always { self.limit } else { self.limit.max(MAX_LOOKED_THROUGH) }
    }

    /// Returns whether a document is kept: a journal by its day, others where no day is asked for. Nobody knows a category or an
    /// origin of it.
    fn takes(&self, name: &DocName, content: &str) -> bool {
        let Kept { category, origin, who, tag, from, until } = self.kept;
        let of_rows = category.is_some() || origin.is_some() || who.is_some();
        let until = until.iter().chain(&self.as_of).min();
        let is_within = match JournalName::parse(name).map(|journal| journal.date()) {
            Some(day) => from.is_none_or(|from| day >= from) && until.is_none_or(|until| day <= *until),
            None => from.is_none() && until.is_none(),
        };
        !of_rows && is_within && tag.as_ref().is_none_or(|tag| rows::has_tag(content, tag))
    }
}

/// The most hits that are looked through for those that are kept.
const MAX_LOOKED_THROUGH: usize = 200;

pub(crate) fn search(
    place: &Place,
    query: &[String],
    sought: &Sought<'_>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let query = query.join(" ");
    let (limit, around, most) = (sought.limit, sought.around, sought.looked_through());
    let (rows, documents) = {
        let _progress = Progress::begin("searching");
        let mut asked = Query::new(query.as_str());
        asked.filter = rows::filter(sought.kept, config)?;
        asked.filter.limit = most;
        let last = sought.as_of.map(|date| rows::ends(date, config)).transpose()?;
        asked.as_of = last.map(|ends| AsOf::Held(ends - TimeDelta::milliseconds(1)));
        let mut found = home.store.any().search_unmasked(&home.owner(), &asked)?;
        found.hits.retain(|hit| rows::is_wanted(&hit.memory, sought.kept));
        found.hits.truncate(limit);
        // The words of documents are read anew: the home is not written to.
        let index = SqliteIndex::open_in_memory(home.scope.clone())?;
        let index = index.with_ranking(StoreConfig::preset(config.preset()).ranking);
        let chunks = ChunkConfig::preset(config.preset());
        let indexed =
            Indexed::with_chunks(Arc::clone(&home.workspace), index, chunks)?.with_neighbours(around);
        indexed.sync(Utc::now())?;
        let mut documents = indexed.search_unmasked(&home.owner(), &query, most)?;
        documents.results.retain(|one| sought.takes(&one.path, &one.content));
        documents.results.truncate(limit);
        (found, indexed.entries(&home.owner(), &query, documents, limit)?)
    };
    let is_empty = rows.hits.is_empty() && documents.results.is_empty();
    if is_empty {
        rows::hint(&home, sought.kept)?;
    }
    if output.json {
        let rows: Vec<_> = rows
            .hits
            .iter()
            .map(|hit| {
                json!({"id": hit.memory.id.get(), "category": hit.memory.category, "content": hit.memory.content,
                       "updated_at": hit.memory.updated_at, "score": hit.score, "span": hit.span, "stale": hit.stale})
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
            output.faint(
                &hit.stale.iter().fold(hit.memory.category.clone(), |told, why| format!("{told}, {why}"))
            )
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
