//! The catalogue of a session, and what carries its calls out.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::arguments::parsed;
use super::documents::Documents;
use super::learn::Learn;
use super::rows::Rows;
use super::{ToolDef, ToolError};
use crate::base::access::Access;
use crate::dream::sleep::SetSleep;
use crate::format::Origin;
use crate::gate::{DoorWarning, Doors};
use crate::memory::{LearningStore, MemoryStore};
use crate::session::{Guarded, Indexed};
use crate::trace;
use crate::workspace::Workspace;

/// The tools of one session: their definitions, and what carries out what a model calls.
///
/// | tool | with | does |
/// |---|---|---|
/// | `memory_write`, `memory_search`, `memory_read`, `memory_forget` | [`store`](Self::store) | rows of a memory store |
/// | `memory_learn` | [`learnings`](Self::learnings) | what a review learned, apart from rows |
/// | `memory_write`, `memory_read`, `memory_list` | [`documents`](Self::documents) | documents of a workspace |
/// | `memory_search` | [`indexed`](Self::indexed) | passages of them |
/// | `set_sleep` | [`sleep`](Self::sleep) | a plan for the host |
///
/// Where rows and documents are given together, the names of those for documents begin with `workspace_`, so
/// that no name is there twice.
///
/// With others present (any [`SessionKind`](crate::SessionKind) but `Main`) `memory_write` writes rows that are
/// [`shared`](crate::memory::NewMemory::shared), as a host's own writing to a store does not, and `memory_forget` and
/// `memory_learn` are refused and not in the catalogue.
///
/// A document is given no name that is not what it looks like: `~`, a drive letter, an escape or a look-alike of another
/// place, or another spelling of `MEMORY.md`, its kin and journals.
///
/// For whom the session is stands in the view and in the access that the host gave. Whatever a model puts into its
/// arguments changes nothing of that: a call with a field that a tool does not take is refused, and says so. It acts as the
/// agent, whose texts pass [`Door::Tool`](crate::gate::Door::Tool), and is shown what a prompt of the session would show. An answer has at
/// most 24 KiB, give or take the escapes of JSON; where it is cut, `cut` says so.
///
/// # Example: what was written is found
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::life::Guarded;
/// use noctuary::tools::Toolbox;
/// use noctuary::{Access, Actor, FileMemoryStore, FileWorkspace, Scope, SessionKind, Workspace};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let files: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path())?);
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
/// let tools = Toolbox::new()
///     .store(Arc::new(store), access.clone())
///     .documents(Guarded::new(files, access));
///
/// let now = Utc::now();
/// tools.call("memory_write", &json!({"category": "fact", "content": "Marta's boat is called Brisk."}), now)?;
/// let found = tools.call("memory_search", &json!({"query": "what is the boat called?"}), now)?;
/// assert_eq!(found["results"][0]["content"], "Marta's boat is called Brisk.");
///
/// tools.call("workspace_memory_write", &json!({"path": "boat.md", "content": "Lies in Lisbon."}), now)?;
/// let read = tools.call("workspace_memory_read", &json!({"path": "boat.md"}), now)?;
/// assert_eq!(read["content"], "Lies in Lisbon.\n");
///
/// let error = tools.call("memory_forge", &json!({}), now).unwrap_err();
/// assert!(error.message().starts_with("There is no tool memory_forge. There are: memory_write, "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Toolbox {
    rows: Option<Rows>,
    learnings: Option<Learn>,
    documents: Option<Documents>,
    sleeps: bool,
    /// Whose words the model passes on; its own, where nobody said otherwise.
    origin: Option<Origin>,
}

/// What the names of the tools for documents begin with beside those for rows.
const PREFIX: &str = "workspace_";

impl Toolbox {
    /// No tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tools over a memory store, for one session.
    #[must_use]
    pub fn store(self, store: Arc<dyn MemoryStore>, access: Access) -> Self {
        self.store_with_doors(store, access, Doors::default())
    }

    /// As [`store`](Self::store), showing rows by [`Door::PromptLoad`](crate::gate::Door::PromptLoad) of these doors.
    #[must_use]
    pub fn store_with_doors(mut self, store: Arc<dyn MemoryStore>, access: Access, doors: Doors) -> Self {
        self.rows = Some(Rows::new(store, access, doors));
        self
    }

    /// Adds `memory_learn`, for the session of a review at the end of a turn. What is learned is in no answer of the other
    /// tools; the host [reads](LearningStore::learnings) it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::memory::LearningStore;
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, Actor, FileMemoryStore, Scope, SessionKind};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
    /// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
    /// let tools = Toolbox::new().learnings(store.clone(), access.clone());
    ///
    /// let learned = json!({"content": "Check the tide first.", "context": "The boat lay dry."});
    /// assert_eq!(tools.call("memory_learn", &learned, Utc::now())?["status"], "learned");
    /// assert_eq!(store.learnings(&access, 9)?[0].content, "Check the tide first.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn learnings(mut self, store: Arc<dyn LearningStore>, access: Access) -> Self {
        self.learnings = Some(Learn::new(store, access));
        self
    }

    /// Adds the tools over the documents of a session's view.
    #[must_use]
    pub fn documents(mut self, view: Guarded<Arc<dyn Workspace>>) -> Self {
        self.documents = Some(Documents::new(view, None));
        self
    }

    /// As [`documents`](Self::documents), with a search over an index: `view` reads, writes and says whose session it is,
    /// `indexed` finds for that same session. What is written by a tool is found at once where the view is one over a clone of
    /// `indexed`, else after the next [`sync`](Indexed::sync); what is gone since the last one is not shown.
    ///
    /// ```
    /// # #[cfg(feature = "sqlite")] {
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::life::{Guarded, Indexed};
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, Actor, FileWorkspace, Scope, SessionKind, SqliteIndex, Workspace};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = SqliteIndex::open_in_memory(Scope::user("marta"))?;
    /// let indexed = Indexed::new(FileWorkspace::open(folder.path())?, index);
    /// let workspace: Arc<dyn Workspace> = Arc::new(indexed.clone());
    /// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
    /// let tools = Toolbox::new().indexed(Guarded::new(workspace, access), &indexed);
    ///
    /// let now = Utc::now();
    /// tools.call("memory_write", &json!({"path": "boat.md", "content": "It lies in Lisbon."}), now)?;
    /// let found = tools.call("memory_search", &json!({"query": "Lisbon"}), now)?;
    /// assert_eq!(found["results"][0]["path"], "boat.md");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn indexed<W: Workspace + 'static>(
        mut self,
        view: Guarded<Arc<dyn Workspace>>,
        indexed: &Indexed<W>,
    ) -> Self {
        let indexed = indexed.clone();
        // Masked by the doors of the view.
        let find = move |access: &Access, query: &str, limit| indexed.search_unmasked(access, query, limit);
        self.documents = Some(Documents::new(view, Some(Arc::new(find))));
        self
    }

    /// Adds `set_sleep`. It sleeps nobody: the host takes the `seconds` of the answer to
    /// [`SleepDreamer::fall_asleep`](crate::sleep::SleepDreamer::fall_asleep), and does the sleeping.
    #[must_use]
    pub fn sleep(mut self) -> Self {
        self.sleeps = true;
        self
    }

    /// Says whose words the model passes on from here on: for a turn in which it read what others wrote, such as a page. Rows
    /// (`memory_write`) and what is appended to journals then carry this origin instead of the agent's; nothing is refused. A
    /// learning and any other document carry none.
    ///
    /// # Example: a turn in which a page was read
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::format::Origin;
    /// use noctuary::memory::Filter;
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
    /// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
    /// let tools = Toolbox::new().store(store.clone(), access.clone());
    ///
    /// let tools = tools.origin(Origin::Web); // the page was fetched; `.origin(Origin::Agent)` when the turn has ended
    /// tools.call("memory_write", &json!({"category": "fact", "content": "Shops close at 5."}), chrono::Utc::now())?;
    /// assert_eq!(store.list(&access, &Filter::limit(9))?[0].origin, Some(Origin::Web));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// The definitions, always in the same order, and no name twice. What a session with others present is always refused,
    /// `memory_forget` and `memory_learn`, is not among its own.
    #[must_use]
    pub fn catalogue(&self) -> Vec<ToolDef> {
        let mut tools = self.tools();
        if self.rows.as_ref().is_some_and(|rows| !rows.is_private()) {
            tools.retain(|tool| tool.name != "memory_forget");
        }
        if self.learnings.as_ref().is_some_and(|learnings| !learnings.is_private()) {
            tools.retain(|tool| tool.name != "memory_learn");
        }
        tools
    }

    /// The definitions of all tools, with those that are always refused.
    fn tools(&self) -> Vec<ToolDef> {
        let mut tools = Vec::new();
        if self.rows.is_some() {
            tools.extend(Rows::catalogue());
        }
        if self.learnings.is_some() {
            tools.push(Learn::definition());
        }
        if let Some(documents) = &self.documents {
            tools.extend(documents.catalogue(self.prefix()));
        }
        if self.sleeps {
            let told = SetSleep::schema();
            let text = |field: &str| told[field].as_str().unwrap_or_default().to_owned();
            tools.push(ToolDef::new(text("name"), text("description"), told["input_schema"].clone()));
        }
        tools
    }

    fn prefix(&self) -> &'static str {
        if self.rows.is_some() { PREFIX } else { "" }
    }

    /// Takes what the doors found in documents that were written since this was last asked. Nothing prints or logs it. A row has
    /// no warnings: what holds a secret is refused.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<DoorWarning> {
        self.documents.as_ref().map(Documents::take_warnings).unwrap_or_default()
    }

    /// Carries out what a model called, and returns what it is answered. Arguments are an object, or the JSON text of one,
    /// as `OpenAI`'s protocol carries them.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with what the model is to be told, also for a tool that is not there and for arguments of any other
    /// shape.
    pub fn call(&self, name: &str, arguments: &Value, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let none = || {
            let names: Vec<String> = self.catalogue().into_iter().map(|tool| tool.name).collect();
            ToolError::new(format!("There is no tool {name}. There are: {}.", names.join(", ")))
        };
        let tools = self.tools();
        let tool = tools.iter().find(|tool| tool.name == name).ok_or_else(none)?;
        let answer = || self.answer(name, arguments, now).unwrap_or_else(|| Err(none()));
        trace::tool(&tool.name, ToolError::library, || tool.check(arguments).and_then(|()| answer()))
    }

    /// What a tool is answered; `None` where there is none of this name.
    fn answer(&self, name: &str, arguments: &Value, now: DateTime<Utc>) -> Option<Result<Value, ToolError>> {
        let origin = self.origin.as_ref().unwrap_or(&Origin::Agent);
        let of_rows = || self.rows.as_ref()?.call(name, arguments, origin, now);
        let of_learnings = || {
            (name == "memory_learn").then_some(())?;
            Some(self.learnings.as_ref()?.call(arguments, now))
        };
        let of_documents = || self.documents.as_ref()?.call(self.prefix(), name, arguments, origin);
        let of_sleep = || (self.sleeps && name == "set_sleep").then(|| plan(arguments));
        of_rows().or_else(of_learnings).or_else(of_documents).or_else(of_sleep)
    }
}

fn plan(arguments: &Value) -> Result<Value, ToolError> {
    let arguments: Value = parsed("set_sleep", arguments)?;
    let asked = SetSleep::parse(&arguments.to_string()).map_err(|error| ToolError::at("the sleep", error))?;
    Ok(json!({ "status": "planned", "seconds": asked.seconds }))
}
