//! The dreamer over facts: what it is built of, and what it remembers.

use std::sync::Arc;

use super::config::FactDreamConfig;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::dream::engine::{Host, StoreDreamer, configured_by, stated_by};
use crate::facts::FactStore;
use crate::workspace::{Workspace, WriteMode};

/// Judges the pairs of facts that may contradict each other, in the way of seed 003. A model says of each whether the
/// newer one is true now, and the store decides whether that may be.
///
/// The store finds the pairs ([`FactStore::suspicions`]). A request holds as many as fit. The answer is a word a pair,
/// and an answer in any other form decides nothing. Each word becomes a [`Decision`](crate::facts::Decision) of the
/// library, so the rules of the store are above it. The human alone retires what a human typed, confirmed or pinned. A
/// bound holds for each day, and in shadow mode nothing changes. Every decision and refusal is
/// [told](FactStore::decisions). Both rows are looked at again before they are decided on.
///
/// Some pairs no model is asked about, and the human decides ([`LeftReason`](crate::dream::LeftReason)). A pair that
/// was asked about is asked about again once a row of it, or the operator's wish, changes. So where nothing is new
/// nobody is called, and nothing is written.
///
/// When a run was killed between an answer and its last decision, the next one carries out the rest, and none twice.
/// The workspace gives the lease, and `.dreaming.d/facts.json` holds ids and keyed hashes, no words. One
/// workspace serves one store. Judging is off until it is enabled, here and in the store. It takes a model:
/// [`Extractive`](crate::Extractive) judges nothing.
///
/// # Example: somebody moved
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::dream::{FactDreamConfig, FactDreamer};
/// use noctuary::facts::{FactKey, FactStore};
/// use noctuary::memory::{NewMemory, Query, Source, categories};
/// use noctuary::store::StoreConfig;
/// use noctuary::{
///     Access, FileMemoryStore, FileWorkspace, LlmReply, MemoryStore, Outcome, Scope, dream_once, llm_fn,
/// };
///
/// let folder = tempfile::tempdir()?;
/// let scope = Scope::user("marta");
/// let mut config = StoreConfig::default();
/// config.facts.consolidation = true;
/// let store = Arc::new(FileMemoryStore::open_with(folder.path(), scope.clone(), config)?);
/// let access = Access::agent(scope.clone());
/// for home in ["Marta lives in Lisbon", "Marta lives in Porto"] {
///     let fact = NewMemory::new(categories::FACT, home, Source::ChatExtracted);
///     store.record(&access, &fact.about(FactKey::one("marta", "home")), Utc::now())?;
/// }
///
/// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
/// let dreamer = FactDreamer::builder(workspace, store.clone(), scope)
///     .config(FactDreamConfig::of(&store.config().facts))
///     .build()?;
/// let model = llm_fn(|_| Ok(LlmReply::new("P1 supersede: she moved")));
/// let report = dream_once(&dreamer, &model)?;
/// assert_eq!(report.outcome, Outcome::Decided);
/// let found = store.search(&access, &Query::new("Where does Marta live?"))?;
/// assert_eq!(found.hits.len(), 1);
/// assert_eq!(found.hits[0].memory.content, "Marta lives in Porto");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FactDreamer {
    pub(super) base: StoreDreamer,
    pub(super) store: Arc<dyn FactStore>,
    pub(super) config: Arc<FactDreamConfig>,
}

impl FactDreamer {
    /// Starts with the defaults: judging off, the default [`Doors`](crate::gate::Doors).
    pub fn builder(
        workspace: Arc<dyn Workspace>,
        store: Arc<dyn FactStore>,
        scope: Scope,
    ) -> FactDreamerBuilder {
        FactDreamerBuilder { host: Host::new(workspace), store, scope, config: FactDreamConfig::default() }
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &FactDreamConfig {
        &self.config
    }

    stated_by!();

    /// Has every open pair asked about again by the next run: after a change of model, or of shadow mode. The next run
    /// comes as early as the pace allows; one that is under way forgets that it was told so.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
    pub fn ask_again(&self) -> Result<()> {
        let workspace = self.base.host.workspace.as_ref();
        loop {
            let Some(document) = workspace.read(&self.base.file)? else { return Ok(()) };
            let mut state = self.base.parse(Some(&document))?;
            state.asked.clear();
            let mode = WriteMode::IfRevision(document.revision());
            match workspace.write(&self.base.file, &state.print(), mode) {
                Ok(_) => return Ok(()),
                // A run wrote it meanwhile: once more, from what stands there now.
                Err(Error::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

debug_as!(FactDreamer, |it| "FactDreamer({:?}, {:?})", it.store, it.base.host.workspace);

/// Builds a [`FactDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct FactDreamerBuilder {
    host: Host,
    store: Arc<dyn FactStore>,
    scope: Scope,
    config: FactDreamConfig,
}

impl FactDreamerBuilder {
    configured_by!(
        FactDreamConfig,
        /// Sets what may go to the model: the policy of [`Door::DreamRequest`](crate::gate::Door::DreamRequest), the filter, and
        /// what an operator allows.
        doors
    );

    /// Checks the configuration and builds. Touches nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] naming a setting out of its bounds, a door whose policy makes no sense, or a foreign `scope`.
    pub fn build(self) -> Result<FactDreamer> {
        self.config.validate()?;
        let base = StoreDreamer::new(self.host, StateName::FACTS, self.scope, self.store.facts_of())?;
        Ok(FactDreamer { base, store: self.store, config: Arc::new(self.config) })
    }
}
