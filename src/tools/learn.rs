//! The tool of a review: what was learned.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool::Tool;
use super::{ToolDef, ToolError};
use crate::base::access::{Access, Actor, SessionKind};
use crate::memory::{LearningStore, NewLearning};

/// The learnings of a session.
#[derive(Debug, Clone)]
pub(super) struct Learn {
    store: Arc<dyn LearningStore>,
    access: Access,
}

#[derive(Deserialize)]
struct Learned {
    content: String,
    context: Option<String>,
}

impl Learn {
    pub(super) fn new(store: Arc<dyn LearningStore>, access: Access) -> Self {
        Self { store, access: Access { actor: Actor::Agent, ..access } }
    }

    /// Returns the tool.
    pub(super) fn tool(self) -> Tool {
        let is_private = self.access.kind == SessionKind::Main;
        let definition = ToolDef::new(
            "memory_learn",
            "Records what a turn taught about how to work: one thing to do otherwise next time, complete in itself. For \
             a review at the end of a turn. What is true of the user belongs into memory_write.",
            json!({
                "type": "object",
                "properties": {
                    "content": { "type": "string", "description": "What was learned." },
                    "context": { "type": "string", "description": "What happened that it was learned from." }
                },
                "required": ["content"],
                "additionalProperties": false
            }),
        );
        Tool::new(definition, move |call| self.learn(call.read()?, call.now)).listed(is_private)
    }

    fn learn(&self, learned: Learned, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let Learned { content, context } = learned;
        let id = self
            .store
            .learn(&self.access, &NewLearning { content, context }, now)
            .map_err(|error| ToolError::at("the learnings", error))?;
        Ok(json!({ "status": "learned", "id": id }))
    }
}
