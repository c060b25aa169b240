//! The tools of a session, and the calls of them.

use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::documents::{Documents, Find};
use super::learn::Learn;
use super::room::Room;
use super::rows::Rows;
use super::tool::{Call, Tool};
use super::{ToolDef, ToolError};
use crate::base::access::Access;
use crate::base::gather::Gather as _;
use crate::base::spread::Spread;
use crate::format::Origin;
use crate::gate::{DoorWarning, Doors};
use crate::life::receipt::Recorder;
use crate::memory::{LearningStore, MemoryStore};
use crate::session::{Guarded, Indexed};
use crate::trace;
use crate::workspace::Workspace;

/// The tools of one session: their definitions, and the execution of a model's calls.
///
/// A [`Session`](crate::Session) has its toolbox by [`tools`](crate::Session::tools); [`new`](Self::new) makes one over any view.
///
/// | tool | with | does |
/// |---|---|---|
/// | `memory_write`, `memory_search`, `memory_read`, `memory_forget` | [`store`](Self::store) | rows of a memory store |
/// | `memory_learn` | [`learnings`](Self::learnings) | lessons of a review, apart from rows |
/// | `memory_compiled_page` | `pages` | one page on a name |
/// | `artifact_list`, `artifact_get` | `artifacts` | charts, spreadsheets and reports that were made |
/// | `file_list`, `file_read` | `files` | files that people handed over |
/// | `memory_write`, `memory_read`, `memory_list` | [`new`](Self::new) | documents of a workspace |
/// | `memory_search` | [`indexed`](Self::indexed) | passages of them |
/// | `set_sleep` | `sleep` | a plan for the host |
///
/// If rows and documents are given together, the names of the tools for documents begin with `workspace_`.
///
/// With others present (any [`SessionKind`](crate::SessionKind) but `Main`) `memory_write` writes
/// [`shared`](crate::memory::NewMemory::shared) rows, which a host's own writing to a store does not. `memory_forget`
/// and `memory_learn` are refused and not in the catalogue.
///
/// A document gets no deceptive name: `~`, a drive letter, an escape or a look-alike of another place. Nor another
/// spelling of `MEMORY.md`, its kin and journals.
///
/// The view and the access that the host gave name the session's kind and scope. No argument of a model changes that. A
/// call with a field that a tool does not take is refused, and says so. It acts as the agent, whose texts pass
/// [`Door::Tool`](crate::gate::Door::Tool), and is shown what a prompt of the session would show. An answer has at most
/// 24 KiB, give or take the escapes of JSON; where it is cut, `cut` says so.
///
/// # Example: what was written is found
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::{Access, FileMemoryStore, FileWorkspace, Life, LifeConfig, Scope};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
/// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
/// let now = Utc::now();
/// let session = life.begin_session(Access::agent(Scope::user("marta")), "8f14", "repl", now)?;
/// let tools = session.tools().store(store);
///
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
#[derive(Debug)]
pub struct Toolbox {
    pub(super) access: Access,
    pub(super) doors: Doors,
    rows: Option<Rows>,
    learnings: Option<Learn>,
    documents: Option<Arc<Documents>>,
    /// The tools of other rooms, in their order: of pages, artifacts, files, and behind those of documents of a sleeper.
    pub(super) rooms: [Option<Arc<dyn Room>>; 4],
    /// The speaker whose words the model passes on; the model itself by default.
    origin: Option<Origin>,
    /// The tools of all these, built at the first question for them.
    tools: OnceLock<Vec<Tool>>,
    /// The keeper of the texts that the tools hand out.
    recorder: Recorder,
}

/// The beginning of the names of the tools for documents, beside those for rows.
const PREFIX: &str = "workspace_";

impl Toolbox {
    /// Makes the tools over the documents of a session's view.
    #[must_use]
    pub fn new(view: Guarded<Arc<dyn Workspace>>) -> Self {
        let mut tools = Self::without_documents(view.access().clone()).doors(view.doors().clone());
        tools.documents = Some(Arc::new(Documents::new(view)));
        tools
    }

    /// Makes a toolbox without tools yet, for a session that has a memory store and no workspace.
    #[must_use]
    pub fn without_documents(access: Access) -> Self {
        Self {
            access,
            doors: Doors::default(),
            rows: None,
            learnings: None,
            documents: None,
            rooms: [const { None }; 4],
            origin: None,
            tools: OnceLock::new(),
            recorder: Recorder::default(),
        }
    }

    /// Lets `memory_write` replace documents that were written or read here, and keep the old version in a workspace. For a
    /// toolbox to which nothing was added yet.
    pub(crate) fn overwriting(mut self, kept_in: Option<Arc<dyn Workspace>>) -> Self {
        if let Some(documents) = self.documents.as_mut().and_then(Arc::get_mut) {
            documents.kept_in = kept_in;
        }
        self
    }

    /// Keeps the texts that the tools hand out. For a toolbox to which nothing was added yet.
    pub(crate) fn recording(mut self, recorder: Recorder) -> Self {
        if let Some(documents) = self.documents.as_mut().and_then(Arc::get_mut) {
            documents.recorder = recorder.clone();
        }
        self.recorder = recorder;
        self.anew()
    }

    /// Sets the doors whose [`Door::PromptLoad`](crate::gate::Door::PromptLoad) policy shows rows; those of the view unless set.
    #[must_use]
    pub fn doors(mut self, doors: Doors) -> Self {
        self.rows = self.rows.map(|rows| rows.with_doors(doors.clone()));
        self.doors = doors;
        self.anew()
    }

    /// Adds the tools over a memory store.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn MemoryStore>) -> Self {
        self.rows = Some(Rows::new(store, self.access.clone(), self.doors.clone(), self.recorder.clone()));
        self.anew()
    }

    /// Adds `memory_learn`, for the session of a review at the end of a turn. A learning is in no answer of the other
    /// tools; the host [reads](LearningStore::learnings) it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::memory::LearningStore;
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, FileMemoryStore, Scope};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
    /// let access = Access::agent(Scope::user("marta"));
    /// let tools = Toolbox::without_documents(access.clone()).learnings(store.clone());
    ///
    /// let learned = json!({"content": "Check the tide first.", "context": "The boat lay dry."});
    /// assert_eq!(tools.call("memory_learn", &learned, Utc::now())?["status"], "learned");
    /// assert_eq!(store.learnings(&access, 9)?[0].content, "Check the tide first.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn learnings(mut self, store: Arc<dyn LearningStore>) -> Self {
        self.learnings = Some(Learn::new(store, self.access.clone()));
        self.anew()
    }

    /// Adds a search over an index of the documents. A document written by a tool is found at once in a view over a
    /// clone of `indexed`. Else it is found after the next [`sync`](Indexed::sync). Text that is gone since the last
    /// one is not shown.
    ///
    /// Without documents in the toolbox, it adds nothing. The index must be over the documents of the session: that of
    /// the life, or one over the same folder. A search that finds a document of another folder is refused:
    /// [`ToolError`] with [`Error::Config`](crate::Error::Config). For a vault beside the life, make a second
    /// [`Toolbox::new`] with a view of the vault. Give its tools other names.
    ///
    /// ```
    /// # #[cfg(feature = "sqlite")] {
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::life::Indexed;
    /// use noctuary::{Access, FileWorkspace, Life, LifeConfig, Scope, SqliteIndex};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = SqliteIndex::open_in_memory(Scope::user("marta"))?;
    /// let indexed = Indexed::new(FileWorkspace::open(folder.path())?, index);
    /// let life = Life::new(Arc::new(indexed.clone()), LifeConfig::default());
    /// let now = Utc::now();
    /// let session = life.begin_session(Access::agent(Scope::user("marta")), "8f14", "repl", now)?;
    /// let tools = session.tools().indexed(&indexed);
    ///
    /// tools.call("memory_write", &json!({"path": "boat.md", "content": "It lies in Lisbon."}), now)?;
    /// let found = tools.call("memory_search", &json!({"query": "Lisbon"}), now)?;
    /// assert_eq!(found["results"][0]["path"], "boat.md");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn indexed<W: Workspace + 'static>(mut self, indexed: &Indexed<W>) -> Self {
        // The table shares the documents.
        self.tools = OnceLock::new();
        let (index, folder) = (indexed.clone(), indexed.clone());
        let find = Find {
            // Masked by the doors of the view.
            search: Arc::new(move |access, query, limit| {
                Ok(index.search_unmasked(access, query, limit)?.results)
            }),
            is_elsewhere: Arc::new(move |view, name| {
                let (theirs, ours) = (folder.metadata(name), view.metadata(name));
                let (Ok(Some(theirs)), Ok(ours)) = (theirs, ours) else { return false };
                folder.location() != view.location() && ours != Some(theirs)
            }),
        };
        if let Some(documents) = self.documents.as_mut().and_then(Arc::get_mut) {
            documents.find = Some(find);
        }
        self
    }

    /// Sets whose words the model passes on from here on. Use it for a turn that read text of others, such as a page.
    /// Rows (`memory_write`) and what is appended to journals then carry this origin instead of the agent's; nothing
    /// is refused. A learning and any other document carry none.
    ///
    /// # Example: a turn in which a page was read
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::format::Origin;
    /// use noctuary::memory::Filter;
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
    /// let access = Access::agent(Scope::user("marta"));
    /// let tools = Toolbox::without_documents(access.clone()).store(store.clone());
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

    /// Returns the definitions, always in the same order, and no name twice. A session with others present gets no
    /// tool that always refuses it: `memory_forget` and `memory_learn`.
    #[must_use]
    pub fn catalogue(&self) -> Vec<ToolDef> {
        self.tools().iter().filter(|tool| tool.is_listed).map(|tool| tool.definition.clone()).gather()
    }

    /// Takes the findings in documents that were written since the last call. Nothing prints or logs them. A row has no
    /// warnings: a row with a secret is refused.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<DoorWarning> {
        self.documents.as_ref().map(|documents| documents.take_warnings()).unwrap_or_default()
    }

    /// Carries out a model's call, and returns the answer. Arguments are an object, or the JSON text of one, as `OpenAI`'s
    /// protocol carries them.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with a sentence for the model, also for an unknown tool and for arguments of any other shape.
    pub fn call(&self, name: &str, arguments: &Value, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let Some(tool) = self.tools().iter().find(|tool| tool.definition.name == name) else {
            let listed = self.tools().iter().filter(|tool| tool.is_listed);
            let names: Vec<&str> = listed.map(|tool| tool.definition.name.as_str()).gather();
            return Err(ToolError::new(format!("There is no tool {name}. There are: {}.", names.join(", "))));
        };
        let origin = self.origin.as_ref().unwrap_or(&Origin::Agent);
        trace::tool(name, ToolError::library, || tool.call(&Call { tool: name, arguments, origin, now }))
    }

    /// Returns the tools with those that are always refused.
    fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| {
            let prefix = if self.rows.is_some() { PREFIX } else { "" };
            let rows = self.rows.clone().into_iter().spread(Rows::tools);
            let learnings = self.learnings.clone().map(Learn::tool);
            let documents = self.documents.iter().spread(|documents| documents.tools(prefix));
            let (before, behind) = self.rooms.split_at(3);
            let of = |room: &Arc<dyn Room>| room.tools(&self.doors);
            let before = before.iter().flatten().spread(of);
            rows.chain(learnings)
                .chain(before)
                .chain(documents)
                .chain(behind.iter().flatten().spread(of))
                .gather()
        })
    }

    /// Returns the same with a table that is built anew.
    pub(super) fn anew(mut self) -> Self {
        self.tools = OnceLock::new();
        self
    }
}
