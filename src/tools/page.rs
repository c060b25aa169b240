//! The tool that shows one page on an entity.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::shown::cut;
use super::tool::Tool;
use super::{MAX_ANSWER, ToolDef, ToolError};
use crate::base::access::{Access, Actor};
use crate::pages::Pages;

/// The pages of a session.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pages: Arc<Pages>,
    access: Access,
}

#[derive(Deserialize)]
struct Asked {
    entity: String,
    #[serde(default = "yes")]
    include_hard_constraints: bool,
}

fn yes() -> bool {
    true
}

impl Page {
    pub(super) fn new(pages: Arc<Pages>, access: Access) -> Self {
        Self { pages, access: Access { actor: Actor::Agent, ..access } }
    }

    /// Returns the tool.
    pub(super) fn tool(self) -> Tool {
        let definition = ToolDef::new(
            "memory_compiled_page",
            "Shows all that is remembered of one person, thing, place, tag, link or file on one page: what holds now, \
             what happened, what may contradict, and what is mentioned beside it. Use it in place of several searches \
             for one name.",
            json!({
                "type": "object",
                "properties": {
                    "entity": { "type": "string", "description": "The name, such as Marta, #sailing, @jan or [[boat]]." },
                    "include_hard_constraints": {
                        "type": "boolean", "description": "Whether approved constraints are shown too; true unless said."
                    }
                },
                "required": ["entity"],
                "additionalProperties": false
            }),
        );
        Tool::new(definition, move |call| self.show(&call.read()?, call.now))
    }

    fn show(&self, asked: &Asked, now: DateTime<Utc>) -> Result<Value, ToolError> {
        if asked.entity.trim().is_empty() {
            return Err(ToolError::new("Nothing was looked up: say which entity."));
        }
        let page = self
            .pages
            .page(&self.access, &asked.entity, asked.include_hard_constraints, now)
            .map_err(|error| ToolError::at("the page", error))?;
        let page = page.to_markdown();
        let (shown, is_whole) = cut(&page, MAX_ANSWER - 64);
        let mut answer = json!({ "page": shown });
        if !is_whole {
            answer["cut"] = json!("The end is left out: search for the rest.");
        }
        Ok(answer)
    }
}
