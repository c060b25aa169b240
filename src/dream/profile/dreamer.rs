//! The dreamer over earlier sessions: what it is built of, and what it remembers.

use std::sync::Arc;

use super::config::PersonalizationConfig;
use super::history::HistorySource;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;
use crate::base::order;
use crate::dream::engine::{Host, StoreDreamer, configured_by, stated_by};
use crate::memory::MemoryStore;
use crate::workspace::Workspace;

/// Rebuilds the rows of category [`personalization`](crate::memory::categories::PERSONALIZATION), in the way of seed
/// 003. A model is shown the latest sessions, and says what lasts about the human.
///
/// The host hands over its history by [`HistorySource`]s, each with its latest items: sessions, and whatever its domain
/// records. The text is masked and numbered as journals are for a dream, and the answer is judged in the same way. Each
/// statement cites lines, and a statement that they do not say is held. So are words of pages, tools and imports,
/// orders and hidden instructions. The remaining lines are written as rows of source
/// [`inferred`](crate::memory::Source::Inferred) through the store's own door. A line is left out if a personal row, a
/// preference or a fact says it, retired or not. So is one that an earlier rebuild wrote and somebody took out. Rows
/// that exist are never changed.
///
/// If nothing is new since the last answer, nobody is called, and nothing is written. Statements that a crash left
/// unwritten are
/// asked about again; no statement is written twice. The workspace gives the lease, and
/// `.dreaming.d/personalization.json` holds keyed hashes, no words.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeZone, Utc};
/// use noctuary::dream::{HistoryItem, PersonalizationDreamer, history_fn};
/// use noctuary::memory::Filter;
/// use noctuary::{
///     FileMemoryStore, FileWorkspace, LlmReply, MemoryStore, Outcome, Scope, dream_once, llm_fn,
/// };
/// # use noctuary::Access;
///
/// let folder = tempfile::tempdir()?;
/// let scope = Scope::user("marta");
/// let store = Arc::new(FileMemoryStore::open(folder.path(), scope.clone())?);
/// let chat = history_fn("chat", |_limit| {
///     let at = Utc.with_ymd_and_hms(2026, 11, 20, 9, 0, 0).unwrap();
///     Ok(vec![HistoryItem::new("session-41", at, "[user] I am vegetarian, as you know.")])
/// });
/// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
/// let dreamer = PersonalizationDreamer::builder(workspace, store.clone(), scope.clone())
///     .source(Arc::new(chat))
///     .enabled(true)
///     .build()?;
/// let model = llm_fn(|_| Ok(LlmReply::new("### Facts\n- The user is vegetarian. (memory/2026-11-20-chat.1.md#L1)")));
/// assert_eq!(dream_once(&dreamer, &model)?.outcome, Outcome::Rebuilt);
///
/// let access = Access::human(scope);
/// let profile = store.list(&access, &Filter::limit(50).category("personalization"))?;
/// assert_eq!(profile[0].content, "The user is vegetarian.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PersonalizationDreamer {
    pub(super) base: StoreDreamer,
    pub(super) store: Arc<dyn MemoryStore>,
    pub(super) sources: Vec<Arc<dyn HistorySource>>,
    pub(super) config: Arc<PersonalizationConfig>,
}

impl PersonalizationDreamer {
    /// Starts with the defaults: rebuilding off, no source, the default [`Doors`](crate::gate::Doors).
    pub fn builder(
        workspace: Arc<dyn Workspace>,
        store: Arc<dyn MemoryStore>,
        scope: Scope,
    ) -> PersonalizationDreamerBuilder {
        PersonalizationDreamerBuilder {
            host: Host::new(workspace),
            store,
            scope,
            sources: Vec::new(),
            config: PersonalizationConfig::default(),
        }
    }

    stated_by!();
}

debug_as!(PersonalizationDreamer, |it| "PersonalizationDreamer({:?}, {:?})", it.store, it.sources);

/// Builds a [`PersonalizationDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct PersonalizationDreamerBuilder {
    host: Host,
    store: Arc<dyn MemoryStore>,
    scope: Scope,
    sources: Vec<Arc<dyn HistorySource>>,
    config: PersonalizationConfig,
}

impl PersonalizationDreamerBuilder {
    /// Adds a source of evidence.
    pub fn source(mut self, source: Arc<dyn HistorySource>) -> Self {
        self.sources.push(source);
        self
    }

    configured_by!(
        PersonalizationConfig,
        /// Sets what may go to the model and come back.
        doors
    );

    /// Checks the configuration and builds. Touches nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] naming a setting out of its bounds, a door whose policy makes no sense, or a foreign `scope`.
    /// It names `source` if two sources have one name.
    pub fn build(self) -> Result<PersonalizationDreamer> {
        self.config.validate()?;
        let base = StoreDreamer::new(self.host, StateName::PERSONALIZATION, self.scope, self.store.scope())?;
        let mut names: Vec<&str> = self.sources.iter().map(|source| source.name()).gather();
        order::sort(&mut names);
        if names.windows(2).any(|pair| pair[0] == pair[1]) || names.contains(&"") {
            return Err(Error::Config {
                setting: "source",
                rule: "must have a name that no other source has",
            });
        }
        let config = Arc::new(self.config);
        Ok(PersonalizationDreamer { base, store: self.store, sources: self.sources, config })
    }
}
