//! The contract of a fact layer: what is true now, what was true before, and who decided so.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::decision::Decision;
use super::event::{ConsolidationEvent, EventId};
use super::fact::{Fact, Superseded};
use super::suspicion::{Recorded, Suspicion};
use crate::base::access::{Access, Scope};
use crate::base::error::Result;
use crate::memory::{MemoryId, NewMemory};

/// Statements that are kept true: what replaces another leaves the earlier one in the history, and out of lists,
/// searches and prompts.
///
/// A fact is a row of category [`FACT`](crate::memory::categories::FACT). It waits as pending until it is
/// [settled](Self::settle): the host calls that where nobody waits for it, and
/// [`snapshot`](crate::memory::MemoryStore::snapshot) does it before it reads. Of equal statements the oldest stays.
///
/// Words alone do not tell whether one statement replaces another. So rows that may contradict a new one
/// are [found](Recorded::suspects) when it is recorded, told to the caller and kept as
/// [suspicions](Self::suspicions); somebody then [decides](Self::decide). No decision rewrites a word, each is
/// [told](Self::decisions), and each can be [taken back](Self::revert).
///
/// A row that a human typed, confirmed or pinned is retired by that human alone.
///
/// It stands beside [`MemoryStore`](crate::memory::MemoryStore), and another layer of facts can be put in its place.
///
/// # Example: somebody moved
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::facts::{Decision, FactKey, FactStore};
/// use noctuary::memory::{NewMemory, Query, Source, categories};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let home = |text| {
///     NewMemory::new(categories::FACT, text, Source::ChatExtracted).about(FactKey::one("marta", "home"))
/// };
/// let lisbon = store.record(&access, &home("Marta lives in Lisbon"), now)?;
/// let porto = store.record(&access, &home("Marta lives in Porto"), now)?;
/// assert_eq!(porto.suspects[0].id, lisbon.id);
///
/// let decision = Decision::supersede(lisbon.id, porto.id).because("she said that she moved");
/// let decided = store.decide(&access, &decision, now)?;
/// let found = store.search(&access, &Query::new("Where does Marta live?"))?;
/// assert_eq!(found.hits.len(), 1);
/// assert_eq!(found.hits[0].memory.content, "Marta lives in Porto");
/// assert_eq!(store.history(&access, porto.id)?[0].memory.content, "Marta lives in Lisbon");
///
/// store.revert(&access, decided.id, now)?;
/// assert_eq!(store.search(&access, &Query::new("Where does Marta live?"))?.hits.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FactStore: Debug + Send + Sync {
    /// Says whose facts it holds, as [`MemoryStore::scope`](crate::memory::MemoryStore::scope) does.
    fn facts_of(&self) -> Option<&Scope> {
        None
    }

    /// Says whether it takes decisions of a pass with a model. A dreamer asks this first, so that no call is paid for that
    /// decides nothing. As provided it does.
    fn takes_rulings(&self) -> bool {
        true
    }

    /// Writes a fact, as [`MemoryStore::write`](crate::memory::MemoryStore::write) does, and says which rows it may
    /// contradict. A session with others present is told of shared ones only.
    ///
    /// # Errors
    ///
    /// The errors of [`MemoryStore::write`](crate::memory::MemoryStore::write).
    fn record(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;

    /// Settles what is pending, the oldest first, without a model: a statement that an older row makes already is
    /// retired, any other one counts from now on. A rejected fact that is stated again is retired too. A newer row also
    /// replaces a row that a dream promoted: such a row is removed with its line.
    ///
    /// # Errors
    ///
    /// The errors of the backend; nothing was settled.
    fn settle(&self, now: DateTime<Utc>) -> Result<Settled>;

    /// Returns whether anything is pending. Costs next to nothing.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn is_settling_due(&self) -> Result<bool>;

    /// Reads a row with what is known of it as a fact, retired or not; `None` where it is missing, deleted, or not
    /// for this session.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn fact(&self, access: &Access, id: MemoryId) -> Result<Option<Fact>>;

    /// Returns the rows that this one replaced, it, and those that replaced it, the oldest first; of those that this
    /// session may read.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn history(&self, access: &Access, id: MemoryId) -> Result<Vec<Fact>>;

    /// Lists the lines that dreams promoted and that hold no more, by id, each with what holds now; none outside a main
    /// session. The lines stay in `MEMORY.md`:
    /// [`Session::mark_superseded`](crate::Session::mark_superseded) says it in prompts.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn superseded(&self, access: &Access) -> Result<Vec<Superseded>>;

    /// Pairs of standing rows that may contradict each other and that nobody decided on, the oldest pair first.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn suspicions(&self, access: &Access, limit: usize) -> Result<Vec<Suspicion>>;

    /// Decides on rows. Of anybody but the human it is only [told](Self::decisions), as `shadow`, where the store
    /// runs in shadow mode.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for a confirmation by anybody but the
    /// human; [`Error::NotFound`](crate::Error::NotFound) for a row that is not there;
    /// [`Error::Undecided`](crate::Error::Undecided) with the rule that stands against it. A refusal in a main
    /// session is reported to the observer too, except while that pass is switched off.
    fn decide(&self, access: &Access, decision: &Decision, now: DateTime<Utc>) -> Result<ConsolidationEvent>;

    /// Puts the rows of a decision back to what they were before it.
    ///
    /// # Errors
    ///
    /// As [`decide`](Self::decide); [`Error::DecidedSince`](crate::Error::DecidedSince) with the id of a later decision that
    /// changed one of the rows: that must be reverted first, else two values would count, or none.
    /// A decision of the human is reverted by the human alone.
    fn revert(&self, access: &Access, event: EventId, now: DateTime<Utc>) -> Result<ConsolidationEvent>;

    /// Lists what was decided, refused or only told, the latest first.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn decisions(&self, access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>>;
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Settled {
    /// Facts that count from now on.
    pub settled: u64,
    /// Facts that an older row says already.
    pub duplicates: u64,
}

impl Settled {
    /// Makes the result that a store returns.
    #[must_use]
    pub fn new(settled: u64, duplicates: u64) -> Self {
        Self { settled, duplicates }
    }
}
