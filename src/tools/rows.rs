//! The tools over a memory store: write, search, read.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::documents::{Fitting, Search, limited, parsed, ten};
use super::{ToolDef, ToolError};
use crate::access::{Access, Actor, SessionKind};
use crate::error::Result;
use crate::format::Origin;
use crate::gate::{Door, Doors, Masks};
use crate::memory::{Filter, Memory, MemoryStore, NewMemory, Query, Source, categories};
use crate::name::DocName;

/// The rows of a session.
#[derive(Debug)]
pub(super) struct Rows {
    store: Arc<dyn MemoryStore>,
    access: Access,
    doors: Doors,
}

#[derive(Deserialize)]
struct Write {
    category: String,
    content: String,
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Read {
    category: Option<String>,
    #[serde(default = "ten")]
    limit: u64,
}

impl Rows {
    pub(super) fn new(store: Arc<dyn MemoryStore>, access: Access, doors: Doors) -> Self {
        Self { store, access: Access { actor: Actor::Agent, ..access }, doors }
    }

    pub(super) fn catalogue() -> Vec<ToolDef> {
        let limit = json!({ "type": "integer", "minimum": 1, "maximum": 50, "description": "At most so many; 10 unless said." });
        vec![
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
                        "metadata": { "type": "object", "description": "Notes on it, such as how sure you are." }
                    },
                    "required": ["category", "content"],
                    "additionalProperties": false
                }),
            ),
            ToolDef::new(
                "memory_search",
                "Searches what was remembered, best first. Use it before you say that you do not know something \
                 about the user or an earlier session.",
                json!({
                    "type": "object",
                    "properties": {
                        "query": { "type": "string", "description": "What you look for, in plain words." },
                        "limit": limit
                    },
                    "required": ["query"],
                    "additionalProperties": false
                }),
            ),
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
        ]
    }

    /// Does what a tool of these is called for; `None` where there is none of this name.
    pub(super) fn call(
        &self,
        name: &str,
        arguments: &Value,
        now: DateTime<Utc>,
    ) -> Option<Result<Value, ToolError>> {
        Some(match name {
            "memory_write" => parsed(name, arguments).and_then(|arguments| self.write(arguments, now)),
            "memory_search" => parsed(name, arguments).and_then(|arguments| self.search(&arguments)),
            "memory_read" => parsed(name, arguments).and_then(|arguments| self.read(arguments)),
            _ => return None,
        })
    }

    fn write(&self, arguments: Write, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let mut memory = NewMemory::new(arguments.category, arguments.content, Source::AgentRecorded)
            .origin(Origin::Agent);
        memory.metadata = arguments.metadata.map(Value::Object);
        // What is said with others present was never private, and what is private the model cannot share.
        memory.shared = self.access.kind != SessionKind::Main;
        let id = self
            .store
            .write(&self.access, &memory, now)
            .map_err(|error| ToolError::at("the memory", error))?;
        Ok(json!({ "status": "remembered", "id": id }))
    }

    fn search(&self, arguments: &Search) -> Result<Value, ToolError> {
        let query = Query::new(arguments.query.as_str()).limit(limited(arguments.limit));
        let found =
            self.store.search(&self.access, &query).map_err(|error| ToolError::at("the search", error))?;
        self.told(found.hits.into_iter().map(|hit| hit.memory))
    }

    fn read(&self, arguments: Read) -> Result<Value, ToolError> {
        let mut filter = Filter::limit(limited(arguments.limit));
        filter.category = arguments.category;
        let rows =
            self.store.list(&self.access, &filter).map_err(|error| ToolError::at("the memory", error))?;
        self.told(rows.into_iter())
    }

    /// Rows as a prompt would show them.
    fn told(&self, rows: impl Iterator<Item = Memory>) -> Result<Value, ToolError> {
        let name = &DocName::MEMORY;
        let policy = self.doors.policy_of(Door::PromptLoad, name).as_shown();
        let mut masks = Masks::default();
        let mut results = Fitting::default();
        for row in rows {
            let mut pass = |text: &str| {
                let passed = self.doors.judge(Door::PromptLoad, policy, name, text, &mut masks);
                passed
                    .map(|passed| passed.text.into_owned())
                    .map_err(|error| ToolError::at("the memory", error))
            };
            let (category, content) = (pass(&row.category)?, pass(&row.content)?);
            results.add(&content, |content| {
                json!({
                    "id": row.id,
                    "category": category,
                    "content": content,
                    "source": row.source,
                    "updated_at": row.updated_at.to_rfc3339_opts(SecondsFormat::Secs, true)
                })
            });
        }
        Ok(results.answer())
    }
}
