//! The tool that shows one page on an entity.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::room::Room;
use super::shown::cut;
use super::tool::Tool;
use super::{MAX_ANSWER, ToolDef, ToolError, Toolbox};
use crate::base::access::{Access, Actor};
use crate::gate::Doors;
use crate::pages::Pages;

/// The pages of a session.
#[derive(Debug, Clone)]
struct Page {
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

impl Toolbox {
    /// Adds `memory_compiled_page`: one page on a name, from sources that the session may see.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::pages::Pages;
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, FileMemoryStore, Scope};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
    /// let access = Access::agent(Scope::user("marta"));
    /// let tools = Toolbox::without_documents(access).pages(Arc::new(Pages::new(store)));
    ///
    /// let page = tools.call("memory_compiled_page", &json!({"entity": "Brisk"}), Utc::now())?;
    /// assert_eq!(page["page"], "# Brisk\n\nNothing is known of it.\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[cfg_attr(docsrs, doc(cfg(feature = "pages")))]
    pub fn pages(mut self, pages: Arc<Pages>) -> Self {
        self.rooms[0] = Some(Arc::new(Page::new(pages, self.access.clone())));
        self.anew()
    }
}

impl Room for Page {
    fn tools(&self, _doors: &Doors) -> Vec<Tool> {
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
        let page = self.clone();
        vec![Tool::new(definition, move |call| page.show(&call.read()?, call.now))]
    }
}

impl Page {
    fn new(pages: Arc<Pages>, access: Access) -> Self {
        Self { pages, access: Access { actor: Actor::Agent, ..access } }
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
