//! `noctuary search` and `forget`.

use std::path::Path;
use std::sync::Arc;

use chrono::Utc;
use noctuary::exchange::Forget;
use noctuary::life::Indexed;
use noctuary::memory::Query;
use noctuary::{MemoryStore, SqliteIndex};
use serde_json::json;

use crate::home::{Home, Store};
use crate::output::{End, Output, Trouble};
use crate::progress::Progress;

pub(crate) fn search(
    path: &Path,
    query: &[String],
    limit: usize,
    user: Option<&str>,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(path, user)?;
    let query = query.join(" ");
    let (rows, documents) = {
        let _progress = Progress::begin("searching");
        let mut asked = Query::new(query.as_str());
        asked.filter.limit = limit;
        let rows = home.store.any().search_unmasked(&home.owner(), &asked)?;
        // The words of documents are read anew: the home is not written to.
        let index = SqliteIndex::open_in_memory(home.scope.clone())?;
        let indexed = Indexed::new(Arc::clone(&home.workspace), index);
        indexed.sync(Utc::now())?;
        (rows, indexed.search_unmasked(&home.owner(), &query, limit)?)
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
        let text: String = found.content.chars().take(400).collect();
        output.wrapped(4, &text);
    }
    if is_empty {
        output.line("Nothing was found. Other words may find it: the search knows words, not meanings.");
    }
    Ok(End::look_if(is_empty))
}

pub(crate) fn forget(
    path: &Path,
    text: &[String],
    in_files: bool,
    user: Option<&str>,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(path, user)?;
    let owner = home.owner();
    let store: &dyn MemoryStore = match &home.store {
        Store::File(store) => store,
        Store::Sqlite(store) => store,
    };
    let receipt = {
        let _progress = Progress::begin("forgetting");
        Forget::new(&owner, text.join(" "))
            .store(store)
            .workspace(&home.workspace)
            .in_files(in_files)
            .run(Utc::now())?
    };
    if output.json {
        output.value(&receipt)?;
    } else {
        output.line(receipt.to_string().trim_end());
    }
    Ok(End::look_if(receipt.left().next().is_some()))
}
