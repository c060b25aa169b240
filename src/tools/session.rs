//! The tools of a session of a life.

use std::sync::Arc;

use super::{MemoryTool, Toolbox};
use crate::life::session::Session;
use crate::workspace::Workspace;

impl Session {
    /// Returns the tools of this session over its documents. The toolbox takes the session's rights and doors; add
    /// [`store`](Toolbox::store), [`learnings`](Toolbox::learnings) and [`indexed`](Toolbox::indexed) for more.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::{Access, FileMemoryStore, FileWorkspace, Life, LifeConfig, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
    /// let session = life.begin_session(Access::agent(Scope::user("marta")), "8f14", "repl", Utc::now())?;
    /// let tools = session.tools().store(store.clone()).learnings(store);
    /// assert_eq!(tools.catalogue().len(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tools(&self) -> Toolbox {
        Toolbox::new(self.view_of_tools()).overwriting(self.overwrites()).recording(self.recorder().clone())
    }

    /// Returns the tool `memory_20250818` of this session.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::{Access, FileWorkspace, Life, LifeConfig, Scope};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let session = life.begin_session(Access::agent(Scope::user("marta")), "8f14", "repl", Utc::now())?;
    /// let notes = session.memory_tool();
    /// notes.call(&json!({"command": "create", "path": "/memories/boat.md", "file_text": "It lies in Porto.\n"}))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn memory_tool(&self) -> MemoryTool<Arc<dyn Workspace>> {
        MemoryTool::new(self.view_of_tools()).recording(self.recorder().clone())
    }
}
