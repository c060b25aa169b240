//! The configuration of a store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Days, Utc};

use crate::base::access::Scope;
use crate::base::env;
use crate::base::error::{Error, Result};
use crate::base::preset::Preset;
use crate::base::spread::Spread;
use crate::edges::{EdgeExtractor, TextEdges};
use crate::embed::{Embedder, Reranker};
use crate::facts::FactConfig;
use crate::facts::{ConsolidationEvent, EventOutcome};
use crate::gate::Doors;
use crate::learning::LearningConfig;
use crate::memory::{EventName, MemoryEvent, MemoryId, MemoryObserver, Source};
use crate::search::rank::{Entities, GenericEntities, Ranking};
use crate::workspace::Workspace;

/// The configuration of a memory store, for every backend.
///
/// ```
/// use noctuary::store::StoreConfig;
///
/// let config = StoreConfig::from_env(|name| std::env::var(name).ok())?;
/// assert_eq!(config.max_row_bytes, 16 * 1024);
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoreConfig {
    /// The rules for written text, by [`Door::StoreWrite`](crate::gate::Door::StoreWrite).
    pub doors: Doors,
    /// Who hears of changes.
    pub observer: Option<Arc<dyn MemoryObserver>>,
    /// The most bytes of a row, its category, speaker, key and metadata included: 16 KiB. A memory is a statement; what
    /// is longer belongs into a document.
    pub max_row_bytes: usize,
    /// For how many days a deleted row can be restored: 30.
    pub retention_days: u32,
    /// Writers that are switched off: rows with these sources are refused.
    pub refused: BTreeSet<Source>,
    /// The time that a change waits for another process: 30 seconds.
    pub patience: Duration,
    /// The most bytes of the file, which SQLite counts in whole pages; `None` for no bound of its own. A write that does not
    /// fit is refused as on a full disk. In a folder the file of rows has this bound, and so has that of their vectors.
    pub max_file_bytes: Option<u64>,
    /// The limits on decisions about facts by others than the human.
    pub facts: FactConfig,
    /// The thresholds of the learning loop.
    pub learning: LearningConfig,
    /// The weights of a search.
    pub ranking: Ranking,
    /// The finder of a text's entities.
    pub entities: Arc<dyn Entities>,
    /// The finder of [edges](crate::edges) in written texts; `None` for no edges.
    pub edges: Option<Arc<dyn EdgeExtractor>>,
    /// The embedder of queries; `None` for words alone. The rows get their vectors by
    /// [`embed_once`](crate::vectors::embed_once).
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The model that orders the first rows of a search anew; `None` for none.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// How many of the first rows are ordered by it; 50 unless set.
    pub reranked: usize,
    /// The share of its scores in that order, beside those of the search; 0.5 unless set. 1 uses its scores alone,
    /// and 0 asks no reranker.
    pub reranker_share: f64,
    /// The journals that rows cite, for main sessions. A hit and a row of a snapshot then say if a cited line is
    /// [gone](crate::memory::Stale::SourceGone) or [changed](crate::memory::Stale::SourceChanged). Each cited journal is read
    /// once for each search. `None` for no such check.
    pub journals: Option<Arc<dyn Workspace>>,
}

const GUIDANCE: &str = "MEMORY_CONSOLIDATION_GUIDANCE";

/// In characters.
const LONGEST_GUIDANCE: usize = 500;

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            doors: Doors::default(),
            observer: None,
            max_row_bytes: 16 * 1024,
            retention_days: 30,
            refused: BTreeSet::new(),
            patience: Duration::from_secs(30),
            max_file_bytes: None,
            facts: FactConfig::default(),
            learning: LearningConfig::default(),
            ranking: Ranking::default(),
            entities: Arc::new(GenericEntities),
            edges: Some(Arc::new(TextEdges::default())),
            embedder: None,
            reranker: None,
            reranked: 50,
            reranker_share: 0.5,
            journals: None,
        }
    }
}

impl StoreConfig {
    /// Returns the configuration of a dialect.
    ///
    /// [`Preset::Minara`] takes the [seed's ranking](Ranking::seed), and [addresses of wallets](Doors::with_addresses) as data.
    /// [`Preset::IronClaw`] fuses words and meaning by reciprocal rank with a `k` of 60. All others are the default.
    ///
    /// ```
    /// use noctuary::life::Preset;
    /// use noctuary::search::Ranking;
    /// use noctuary::store::StoreConfig;
    ///
    /// assert_eq!(StoreConfig::preset(Preset::Minara).ranking, Ranking::seed());
    /// ```
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        let mut config = Self::default();
        match preset {
            Preset::Minara => {
                config.ranking = Ranking::seed();
                config.doors = Doors::default().with_addresses();
            }
            Preset::IronClaw => {
                // Of the dialects it alone knows no entities.
                config.ranking = Ranking::seed();
                config.ranking.entities = 0.0;
            }
            Preset::Default | Preset::Rfc0009Strict | Preset::OpenClaw | Preset::OpenSeed => {}
        }
        config
    }

    /// Reads the variable `FIN_PROFILE_MEMORY_SOFT_DELETE_RETENTION_DAYS`, or
    /// `WORKSPACE_MEMORY_SOFT_DELETE_RETENTION_DAYS`, which comes before it, `MEMORY_CONSOLIDATION_ENABLED`,
    /// `MEMORY_CONSOLIDATION_GUIDANCE` and `MINARA_NON_INTERACTIVE` through `lookup`; the rest stays at its defaults.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] naming the variable whose value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        const RETENTION: [&str; 2] =
            ["WORKSPACE_MEMORY_SOFT_DELETE_RETENTION_DAYS", "FIN_PROFILE_MEMORY_SOFT_DELETE_RETENTION_DAYS"];
        let mut config = Self::default();
        for name in RETENTION {
            if let Some(days) = env::positive(&lookup, name)? {
                config.retention_days = u32::try_from(days)
                    .map_err(|_| Error::Config { setting: name, rule: "must fit into 32 bits" })?;
                break;
            }
        }
        config.facts.consolidation = env::flag(&lookup, "MEMORY_CONSOLIDATION_ENABLED")?.unwrap_or(false);
        config.facts.guidance =
            lookup(GUIDANCE).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        if config.facts.guidance.as_ref().is_some_and(|text| text.chars().count() > LONGEST_GUIDANCE) {
            return Err(Error::Config { setting: GUIDANCE, rule: "must have at most 500 characters" });
        }
        config.learning.non_interactive = env::flag(&lookup, "MINARA_NON_INTERACTIVE")?.unwrap_or(false);
        Ok(config)
    }

    /// Returns the time before which a row must have been deleted to be purged at `now`. A row deleted since then
    /// can be restored.
    #[must_use]
    pub fn cutoff(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_sub_days(Days::new(self.retention_days.into())).unwrap_or(DateTime::<Utc>::MIN_UTC)
    }

    /// Tells of facts that were retired or came back.
    pub(crate) fn tell_facts(&self, events: &[ConsolidationEvent]) {
        let applied = events.iter().filter(|event| event.outcome == EventOutcome::Applied);
        for change in applied.spread(|event| &event.changes) {
            match (change.before.state.is_retired(), change.after.state.is_retired()) {
                (false, true) => self.tell(EventName::FactRetired, Some(change.id)),
                (true, false) => self.tell(EventName::FactReturned, Some(change.id)),
                _ => {}
            }
        }
    }

    /// Tells of what is durable.
    pub(crate) fn tell(&self, name: EventName, id: Option<MemoryId>) {
        if let Some(observer) = &self.observer {
            observer.event(&MemoryEvent::new(name, id));
        }
    }
}

/// Refuses to open a store that nobody owns.
pub(crate) fn check_scope(scope: &Scope) -> Result<()> {
    if scope.user.is_empty() {
        return Err(Error::Config { setting: "scope", rule: "must name a user" });
    }
    Ok(())
}
