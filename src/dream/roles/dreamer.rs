//! The dreamer over notes of roles: what it is built of, and what it remembers.

use std::sync::Arc;

use super::config::RoleConfig;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::dream::engine::{Host, StoreDreamer, configured_by, stated_by};
use crate::learning::{MethodStore, RoleStore};
use crate::workspace::Workspace;

/// Reflects on notes of roles that are old enough, in the way of seed 003. A model says the class of each, then its
/// lesson.
///
/// Where it has a [store of methods](RoleDreamerBuilder::methods), it also forms methods of lessons. They land in quarantine like
/// any other new one, and only outcomes and a person take them further. No note or reflection is ever rewritten.
///
/// Notes are masked before they leave for the model. Lessons and methods come in by the store's own door. The workspace gives the
/// lease, and `.dreaming.d/roles.json` holds counts, no words. Reflecting is off until it is enabled.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeDelta, Utc};
/// use noctuary::dream::RoleDreamer;
/// use noctuary::learning::{NewRoleNote, RoleStore};
/// use noctuary::{Access, FileMemoryStore, FileWorkspace, LlmReply, LlmRequest, Outcome, Scope, dream_once, llm_fn};
///
/// let folder = tempfile::tempdir()?;
/// let scope = Scope::user("marta");
/// let store = Arc::new(FileMemoryStore::open(folder.path(), scope.clone())?);
/// let agent = Access::agent(scope.clone());
/// let note = NewRoleNote::new("planner", "The ferry left early, and we missed it.");
/// store.take_note(&agent, &note, Utc::now() - TimeDelta::days(2))?;
///
/// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
/// let dreamer = RoleDreamer::builder(workspace, store.clone(), scope).enabled(true).build()?;
/// let model = llm_fn(|request: &LlmRequest| {
///     let is_first = request.system.contains("went well");
///     Ok(LlmReply::new(if is_first { "N1 failure" } else { "N1: Be there half an hour early." }))
/// });
/// assert_eq!(dream_once(&dreamer, &model)?.outcome, Outcome::Reflected);
/// let reflected = store.notes(&agent, false)?;
/// assert_eq!(reflected[0].reflection.as_ref().unwrap().lesson, "Be there half an hour early.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RoleDreamer {
    pub(super) base: StoreDreamer,
    pub(super) store: Arc<dyn RoleStore>,
    pub(super) methods: Option<Arc<dyn MethodStore>>,
    pub(super) config: Arc<RoleConfig>,
}

impl RoleDreamer {
    /// Starts with the defaults: reflecting off, no store of methods, the default [`Doors`](crate::gate::Doors).
    pub fn builder(
        workspace: Arc<dyn Workspace>,
        store: Arc<dyn RoleStore>,
        scope: Scope,
    ) -> RoleDreamerBuilder {
        RoleDreamerBuilder {
            host: Host::new(workspace),
            store,
            methods: None,
            scope,
            config: RoleConfig::default(),
        }
    }

    stated_by!();
}

debug_as!(RoleDreamer, |it| "RoleDreamer({:?}, {:?})", it.store, it.base.host.workspace);

/// Builds a [`RoleDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct RoleDreamerBuilder {
    host: Host,
    store: Arc<dyn RoleStore>,
    methods: Option<Arc<dyn MethodStore>>,
    scope: Scope,
    config: RoleConfig,
}

impl RoleDreamerBuilder {
    /// Forms methods of lessons, into this store.
    pub fn methods(mut self, store: Arc<dyn MethodStore>) -> Self {
        self.methods = Some(store);
        self
    }

    configured_by!(
        RoleConfig,
        /// Sets what may go to the model and come back.
        doors
    );

    /// Checks the configuration and builds. Touches nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming a setting out of its bounds, a door whose policy makes no sense,
    /// or a foreign `scope`.
    pub fn build(self) -> Result<RoleDreamer> {
        self.config.validate()?;
        let base = StoreDreamer::new(self.host, StateName::ROLES, self.scope, self.store.roles_of())?;
        let config = Arc::new(self.config);
        Ok(RoleDreamer { base, store: self.store, methods: self.methods, config })
    }
}
