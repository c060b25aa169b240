//! The tools over a memory store: write, search, read, forget.

use std::ops::Range;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::found::{Fitting, Search, limit, limited, ten};
use super::shown::{cut, plain};
use super::tool::{Call, Tool};
use super::{ToolDef, ToolError};
use crate::base::access::{Access, Actor, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::format::Origin;
use crate::gate::Doors;
use crate::life::receipt::{Exhibit, Item, LeftOutReason, Recorder, ShownBy};
use crate::memory::{
    AsOf, Filter, Hit, Memory, MemoryId, MemoryStore, NewMemory, Query, Reached, Source, Stale, categories,
};
use crate::store::{self, Veil};

/// The rows of a session.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    store: Arc<dyn MemoryStore>,
    access: Access,
    doors: Doors,
    recorder: Recorder,
}

#[derive(Deserialize)]
struct Write {
    category: String,
    content: String,
    metadata: Option<Map<String, Value>>,
    replaces: Option<MemoryId>,
}

#[derive(Deserialize)]
struct Sought {
    #[serde(flatten)]
    search: Search,
    as_of: Option<String>,
}

#[derive(Deserialize)]
struct Forget {
    id: MemoryId,
}

#[derive(Deserialize)]
struct Read {
    category: Option<String>,
    #[serde(default = "ten")]
    limit: u64,
}

/// The longest word that is shown beside a row.
const LONGEST_WORD: usize = 128;

impl Rows {
    pub(super) fn new(store: Arc<dyn MemoryStore>, access: Access, doors: Doors, recorder: Recorder) -> Self {
        Self { store, access: Access { actor: Actor::Agent, ..access }, doors, recorder }
    }

    pub(super) fn with_doors(self, doors: Doors) -> Self {
        Self { doors, ..self }
    }

    /// Returns whether nobody else is present.
    fn is_private(&self) -> bool {
        self.access.kind == SessionKind::Main
    }

    /// Returns the tools over these rows.
    pub(super) fn tools(self) -> Vec<Tool> {
        let limit = limit();
        let is_private = self.is_private();
        let rows = Arc::new(self);
        let tool = |definition, run: fn(&Self, &Call<'_>) -> Result<Value, ToolError>| {
            let rows = Arc::clone(&rows);
            Tool::new(definition, move |call| run(&rows, call))
        };
        vec![
            tool(
                ToolDef::new(
                "memory_write",
                "Remembers something for later sessions: one statement, complete in itself, with names and dates \
                 instead of \"he\" and \"tomorrow\". Use fact for what is true of the user, preference for what they \
                 want, lesson for what worked or did not, reference for an address or a number. Not for passwords or \
                 keys, large data, whole conversations, the state of a task, or what only this turn needs.",
                json!({
                    "type": "object",
                    "properties": {
                        "category": { "type": "string", "enum": categories::ALL, "description": "What kind of memory it is." },
                        "content": { "type": "string", "description": "What to remember." },
                        "metadata": { "type": "object", "description": "Notes on it, such as how sure you are." },
                        "replaces": { "type": "integer", "description": "The id of a memory that you wrote and that this one corrects: it is taken back." }
                    },
                    "required": ["category", "content"],
                    "additionalProperties": false
                }),
            ),
                |rows, call| rows.write(call.read()?, call.origin, call.now),
            ),
            tool(
                ToolDef::new(
                "memory_search",
                "Searches what was remembered, best first. Use it before you say that you do not know something \
                 about the user or an earlier session.",
                json!({
                    "type": "object",
                    "properties": {
                        "query": { "type": "string", "description": "What you look for, in plain words." },
                        "as_of": { "type": "string", "format": "date", "description": "A day in the past, as 2026-03-01: what held at its end, in UTC." },
                        "limit": limit
                    },
                    "required": ["query"],
                    "additionalProperties": false
                }),
            ),
                |rows, call| rows.search(&call.read()?, call.now),
            ),
            tool(
                ToolDef::new(
                "memory_read",
                "Lists what was remembered, the latest first, of one category or of all.",
                json!({
                    "type": "object",
                    "properties": {
                        "category": { "type": "string", "description": "Only of this category." },
                        "limit": limit
                    },
                    "required": [],
                    "additionalProperties": false
                }),
            ),
                |rows, call| rows.read(call.read()?, call.now),
            ),
            tool(
                ToolDef::new(
                "memory_forget",
                "Takes back a memory that you wrote yourself and that is wrong or of no use any more. To correct one, \
                 write it anew with memory_write and say which it replaces. What the user wrote, confirmed or pinned \
                 is theirs: ask them.",
                json!({
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer", "description": "Its id, as memory_search and memory_read give it." }
                    },
                    "required": ["id"],
                    "additionalProperties": false
                }),
            ),
                |rows, call| rows.forget(call.read::<Forget>()?.id, call.now),
            ).listed(is_private),
        ]
    }

    fn write(&self, arguments: Write, origin: &Origin, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let replaced = arguments.replaces;
        if let Some(id) = replaced {
            self.check_own(id)?;
        }
        let mut memory = NewMemory::new(arguments.category, arguments.content, Source::AgentRecorded)
            .origin(origin.clone());
        memory.metadata = arguments.metadata.map(Value::Object);
        // A statement made with others present was never private, and the model cannot share a private one.
        memory.shared = !self.is_private();
        let id = self
            .store
            .write(&self.access, &memory, now)
            .map_err(|error| ToolError::at("the memory", error))?;
        let mut answer = json!({ "status": "remembered", "id": id });
        if let Some(replaced) = replaced {
            // Written first: whatever happens in between, one of them stands.
            if let Err(error) = self.take_back(replaced, now) {
                self.take_back(id, now)?;
                return Err(error);
            }
            answer["replaced"] = json!(replaced);
        }
        Ok(answer)
    }

    fn forget(&self, id: MemoryId, now: DateTime<Utc>) -> Result<Value, ToolError> {
        self.check_own(id)?;
        self.take_back(id, now)?;
        Ok(json!({ "status": "forgotten", "id": id }))
    }

    /// Deletes a row, so that it can be restored for a while.
    fn take_back(&self, id: MemoryId, now: DateTime<Utc>) -> Result<(), ToolError> {
        match self.store.delete(&self.access, id, now) {
            Ok(true) => Ok(()),
            Ok(false) => Err(no_memory(id)),
            Err(Error::Denied { .. }) => Err(not_own(id)),
            Err(error) => Err(ToolError::at(&called(id), error)),
        }
    }

    /// Refuses to take back rows that the model did not write by a tool, and rows that the human pinned. A confirmed row the
    /// store refuses.
    fn check_own(&self, id: MemoryId) -> Result<(), ToolError> {
        if !self.is_private() {
            return Err(ToolError::new("This session may not take back a memory."));
        }
        let row = self.store.get(&self.access, id).map_err(|error| ToolError::at(&called(id), error))?;
        let row = row.ok_or_else(|| no_memory(id))?;
        let is_own =
            row.source.as_ref().is_some_and(|source| source.as_str() == Source::AgentRecorded.as_str());
        if is_own && !row.pinned { Ok(()) } else { Err(not_own(id)) }
    }

    fn search(&self, arguments: &Sought, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let Sought { search, as_of } = arguments;
        let mut query = Query::new(plain(&search.query)).limit(limited(search.limit)).now(now);
        if let Some(day) = as_of {
            let no_day = |_| ToolError::new("as_of is no day: say it as 2026-03-01.");
            let day: NaiveDate = day.trim().parse().map_err(no_day)?;
            query.as_of = day.and_hms_milli_opt(23, 59, 59, 999).map(|ends| AsOf::Held(ends.and_utc()));
        }
        let found =
            // Masked below, by the doors of the tools.
            self.store.search_unmasked(&self.access, &query).map_err(|error| ToolError::at("the search", error))?;
        let found =
            store::masked(found, &query, &self.doors).map_err(|error| ToolError::at("the search", error))?;
        self.told(
            ShownBy::Search,
            found.hits.into_iter().map(|hit| {
                let notes = notes(&hit);
                Ok((hit.memory, hit.span, notes))
            }),
        )
    }

    fn read(&self, arguments: Read, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let mut filter = Filter::limit(limited(arguments.limit));
        filter.category = arguments.category;
        let rows =
            self.store.list(&self.access, &filter).map_err(|error| ToolError::at("the memory", error))?;
        let mut veil = Veil::new(&self.doors);
        self.told(
            ShownBy::Read,
            rows.into_iter().map(|row| {
                let row = veil.row(row)?;
                let notes = row.over(now).as_ref().map(stale_note).into_iter().gather();
                Ok((row, None, notes))
            }),
        )
    }

    /// Tells of rows that are masked already, each with the sentence that was found and notes on it.
    fn told(
        &self,
        by: ShownBy,
        rows: impl Iterator<Item = Result<(Memory, Option<Range<usize>>, Vec<String>)>>,
    ) -> Result<Value, ToolError> {
        let mut results = Fitting::default();
        let mut exhibit = Exhibit::default();
        for row in rows {
            let (row, span, notes) = row.map_err(|error| ToolError::at("the memory", error))?;
            // Other programs have words of their own, as long as they like.
            let word = |word: String| cut(&word, LONGEST_WORD).0.to_owned();
            let source = row.source.as_ref().map(|source| word(source.as_str().to_owned()));
            // A row in nobody's own words says so.
            let origin = row.origin.as_ref().filter(|_| !row.is_trusted());
            let origin = origin.map(|origin| word(origin.to_string()));
            let item = self.recorder.is_on().then(|| Item::row(by, &row));
            let is_told = results.add(&row.content, span.as_ref(), |content| {
                let mut told = json!({
                    "id": row.id,
                    "category": word(row.category),
                    "content": content,
                    "source": source,
                    "updated_at": row.updated_at.to_rfc3339_opts(SecondsFormat::Secs, true)
                });
                if let Some(origin) = origin {
                    told["origin"] = json!(origin);
                }
                if !notes.is_empty() {
                    told["notes"] = json!(notes);
                }
                told
            });
            match item {
                Some(item) if is_told => exhibit.add(item),
                Some(item) => exhibit.leave_out(by, item.source, LeftOutReason::NoRoom),
                None => {}
            }
        }
        self.recorder.keep(|| exhibit);
        Ok(results.answer())
    }
}

/// Returns the facts on a found row for a model.
fn notes(hit: &Hit) -> Vec<String> {
    let replaced = match hit.reached {
        Reached::Retired(id) => {
            Some(format!("This holds now. It replaced memory {id}, whose words you searched for."))
        }
        _ => None,
    };
    // A few are enough to know that it is in doubt.
    replaced.into_iter().chain(hit.stale.iter().take(MOST_NOTES).map(stale_note)).gather()
}

fn stale_note(stale: &Stale) -> String {
    format!("This may be out of date: {stale}.")
}

/// The most doubts that are shown for one row.
const MOST_NOTES: usize = 3;

fn called(id: MemoryId) -> String {
    format!("memory {id}")
}

fn no_memory(id: MemoryId) -> ToolError {
    ToolError::new(format!("There is no {}.", called(id)))
}

fn not_own(id: MemoryId) -> ToolError {
    ToolError::new(format!(
        "Nothing was done: {} is not one that you wrote by yourself, or the user has made it theirs. Ask them.",
        called(id)
    ))
}
