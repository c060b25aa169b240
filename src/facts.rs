//! The contract of a fact layer: what is true now, what was true before, and who decided so.

use std::fmt::{self, Debug};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::error::Result;
use crate::memory::{Memory, MemoryId, NewMemory};

pub use crate::memory::key::{Cardinality, FactKey};

/// Statements that are kept true: what replaces another leaves the earlier one in the history, and out of lists,
/// searches and prompts.
///
/// A fact is a row of category [`FACT`](crate::memory::categories::FACT). It waits as pending until it is
/// [settled](Self::settle): the host calls that where nobody waits for it, and
/// [`snapshot`](crate::memory::MemoryStore::snapshot) does it before it reads. Of equal statements the oldest stays.
///
/// Whether one statement replaces another is nothing that words alone tell. So rows that may contradict a new one
/// are [found](Recorded::suspects) when it is recorded, told to the caller and kept as
/// [suspicions](Self::suspicions); somebody then [decides](Self::decide). No decision rewrites a word, each is
/// [told](Self::decisions), and each can be [taken back](Self::revert).
///
/// What a human typed, confirmed or pinned is retired by that human alone.
///
/// It stands beside [`MemoryStore`](crate::memory::MemoryStore), and another layer of facts can be put in its place.
///
/// # Example: somebody moved
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::facts::{Decision, FactKey, FactStore};
/// use noctuary::memory::{NewMemory, Query, Source, categories};
/// use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
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
    /// decides nothing.
    fn takes_rulings(&self) -> bool {
        true
    }

    /// Writes a fact, as [`MemoryStore::write`](crate::memory::MemoryStore::write) does, and says which rows it may
    /// contradict. A session with others present is told of shared ones only.
    ///
    /// # Errors
    ///
    /// Those of [`MemoryStore::write`](crate::memory::MemoryStore::write).
    fn record(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;

    /// Settles what is pending, the oldest first, without a model: a statement that an older row makes already is
    /// retired, any other one counts from now on. What was rejected and is stated again is retired too. What a dream
    /// promoted gives way to a newer row as well, since it leaves with its line.
    ///
    /// # Errors
    ///
    /// Those of the backend; nothing was settled.
    fn settle(&self, now: DateTime<Utc>) -> Result<Settled>;

    /// Whether anything is pending. Costs next to nothing.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn is_settling_due(&self) -> Result<bool>;

    /// Reads a row with what is known of it as a fact, retired or not; `None` where it is missing, deleted, or not
    /// for this session.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn fact(&self, access: &Access, id: MemoryId) -> Result<Option<Fact>>;

    /// The rows that this one replaced, it, and those that replaced it, the oldest first; of those that this
    /// session may read.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    fn history(&self, access: &Access, id: MemoryId) -> Result<Vec<Fact>>;

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
    /// [`Error::Undecided`](crate::Error::Undecided) with the rule that stands against it. In a main session refusals are told
    /// too, but for those of a pass that is switched off.
    fn decide(&self, access: &Access, decision: &Decision, now: DateTime<Utc>) -> Result<ConsolidationEvent>;

    /// Puts the rows of a decision back to what they were before it.
    ///
    /// # Errors
    ///
    /// As [`decide`](Self::decide); [`Error::DecidedSince`](crate::Error::DecidedSince) with the id of a later decision that
    /// changed one of the rows: that must be reverted first, else two values would count, or none.
    /// What the human decided is reverted by the human alone.
    fn revert(&self, access: &Access, event: EventId, now: DateTime<Utc>) -> Result<ConsolidationEvent>;

    /// Lists what was decided, refused or only told, the latest first.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn decisions(&self, access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>>;
}

/// How a fact stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactState {
    /// Recorded, and not settled yet: found by a search, and in no prompt.
    Pending,
    /// It counts, as far as anybody knows.
    Candidate,
    /// The human confirmed it.
    Verified,
    /// Another one contradicts it, and nobody knows which holds. Both are found.
    Disputed,
    /// Replaced by another one, or said by an older one already: out of every list, search and prompt.
    Superseded,
    /// Found to be wrong: out of every list, search and prompt.
    Rejected,
}

impl FactState {
    /// The word that stands for it in a file: `pending`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Candidate => "candidate",
            Self::Verified => "verified",
            Self::Disputed => "disputed",
            Self::Superseded => "superseded",
            Self::Rejected => "rejected",
        }
    }

    /// The state that a word stands for.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::Pending, Self::Candidate, Self::Verified, Self::Disputed, Self::Superseded, Self::Rejected]
            .into_iter()
            .find(|state| state.word() == word)
    }

    /// Whether a fact in this state is in no list, search or prompt.
    #[must_use]
    pub fn is_retired(self) -> bool {
        matches!(self, Self::Superseded | Self::Rejected)
    }
}

/// What decisions change of a fact; never its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactStatus {
    /// How it stands.
    pub state: FactState,
    /// The row that says it now, where it was superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<MemoryId>,
    /// Until when it was true, where that is known: since when its successor is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<DateTime<Utc>>,
    /// Since when the store knows that it is not true any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<DateTime<Utc>>,
}

impl FactStatus {
    /// A fact that stands, in this state.
    #[must_use]
    pub fn standing(state: FactState) -> Self {
        Self { state, successor: None, valid_until: None, retired_at: None }
    }
}

/// A row as a fact. Its `created_at` says since when the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// The row.
    pub memory: Memory,
    /// What it is about, where that was said.
    pub key: Option<FactKey>,
    /// Since when it is true, where that was said: never guessed from when it was recorded.
    pub valid_from: Option<DateTime<Utc>>,
    /// How it stands.
    pub status: FactStatus,
}

impl Fact {
    /// A row of a store as a fact.
    #[must_use]
    pub fn new(
        memory: Memory,
        key: Option<FactKey>,
        valid_from: Option<DateTime<Utc>>,
        status: FactStatus,
    ) -> Self {
        Self { memory, key, valid_from, status }
    }

    /// Whether only the human may retire it: typed, confirmed or pinned by them.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        let is_typed = self.memory.source.as_ref().is_some_and(crate::memory::Source::is_typed);
        is_typed || self.memory.pinned || self.status.state == FactState::Verified
    }
}

/// What became of a fact that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Its row.
    pub id: MemoryId,
    /// The rows that it may contradict, at most five, those of the same key first.
    pub suspects: Vec<Suspect>,
}

impl Recorded {
    /// What a store answers.
    #[must_use]
    pub fn new(id: MemoryId, suspects: Vec<Suspect>) -> Self {
        Self { id, suspects }
    }
}

/// A row that a new one may contradict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// The row.
    pub id: MemoryId,
    /// Why.
    pub reason: SuspectReason,
}

/// Why two rows may contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SuspectReason {
    /// They state the same property of the same subject, which has one value.
    SameKey,
    /// They share most of their words.
    Alike,
}

/// Two standing rows that may contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suspicion {
    /// The one that was there.
    pub older: Fact,
    /// The one that came.
    pub newer: Fact,
    /// Why.
    pub reason: SuspectReason,
}

impl Suspicion {
    /// A pair of a store.
    #[must_use]
    pub fn new(older: Fact, newer: Fact, reason: SuspectReason) -> Self {
        Self { older, newer, reason }
    }
}

/// What a sweep settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Settled {
    /// Facts that count from now on.
    pub settled: u64,
    /// Facts that an older row says already.
    pub duplicates: u64,
}

impl Settled {
    /// What a store answers.
    #[must_use]
    pub fn new(settled: u64, duplicates: u64) -> Self {
        Self { settled, duplicates }
    }
}

/// A decision on one or two facts.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// What is decided.
    pub verdict: Verdict,
    /// The row, or the older one of two.
    pub older: MemoryId,
    /// The newer one of two.
    pub newer: Option<MemoryId>,
    /// Why, for those who read the [decisions](FactStore::decisions).
    pub reason: Option<String>,
}

/// What is decided on facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The newer one is how it is now: the older is retired.
    Supersede,
    /// Both say the same: the newer is retired.
    Duplicate,
    /// Both hold.
    Coexist,
    /// One of them does not hold, and nobody knows which.
    Dispute,
    /// It holds: the human says so. From now on nobody else retires it.
    Confirm,
    /// It does not hold, and never did: it is retired.
    Reject,
    /// What was pending was settled, and where an older row says the same it was retired. The library's own.
    Settle,
    /// An earlier decision was taken back.
    Revert,
}

impl Decision {
    fn new(verdict: Verdict, older: MemoryId, newer: Option<MemoryId>) -> Self {
        Self { verdict, older, newer, reason: None }
    }

    /// The newer row is how it is now.
    #[must_use]
    pub fn supersede(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Supersede, older, Some(newer))
    }

    /// Both rows say the same.
    #[must_use]
    pub fn duplicate(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Duplicate, older, Some(newer))
    }

    /// Both rows hold: they are no contradiction.
    #[must_use]
    pub fn coexist(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Coexist, older, Some(newer))
    }

    /// One of the rows does not hold, and nobody knows which.
    #[must_use]
    pub fn dispute(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Dispute, older, Some(newer))
    }

    /// The row holds.
    #[must_use]
    pub fn confirm(id: MemoryId) -> Self {
        Self::new(Verdict::Confirm, id, None)
    }

    /// The row does not hold.
    #[must_use]
    pub fn reject(id: MemoryId) -> Self {
        Self::new(Verdict::Reject, id, None)
    }

    /// Says why. Secrets and instructions in it are masked.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verdict, older, newer, reason } = self;
        let reason = reason.as_ref().map(String::len);
        write!(f, "Decision({verdict:?} {older:?} {newer:?}, reason: {reason:?} bytes)")
    }
}

/// The id of a decision: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(i64);

impl EventId {
    /// An id of a store.
    #[must_use]
    pub fn new(id: i64) -> Self {
        Self(id)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A decision as it is told: a row of `memory_consolidation_events`. It holds no words of the facts.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConsolidationEvent {
    /// Its id.
    pub id: EventId,
    /// When.
    pub at: DateTime<Utc>,
    /// Who decided.
    pub actor: Actor,
    /// In what kind of session; `None` where it was in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SessionKind>,
    /// What was decided.
    pub verdict: Verdict,
    /// The row, or the older one of two; `None` where it settled something that no other row says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<MemoryId>,
    /// The newer one of two, or what was settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<MemoryId>,
    /// What came of it.
    pub outcome: EventOutcome,
    /// Why, as it was stored: with secrets and instructions masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The decision that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<EventId>,
    /// The rows that it changed, or would have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<StatusChange>,
}

impl ConsolidationEvent {
    /// A decision that counts and changes nothing: its other fields can be set.
    #[must_use]
    pub fn new(id: EventId, at: DateTime<Utc>, actor: Actor, verdict: Verdict) -> Self {
        Self {
            id,
            at,
            actor,
            kind: None,
            verdict,
            older: None,
            newer: None,
            outcome: EventOutcome::Applied,
            reason: None,
            reverts: None,
            changes: Vec::new(),
        }
    }
}

impl Debug for ConsolidationEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, actor, verdict, older, newer, outcome, .. } = self;
        write!(f, "ConsolidationEvent({id:?} {actor:?} {verdict:?} {older:?} {newer:?} {outcome:?})")
    }
}

/// What came of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventOutcome {
    /// It counts.
    Applied,
    /// It was only told, since the store runs in shadow mode.
    Shadow,
    /// The session may not decide this.
    Denied,
    /// A row is not there.
    NotFound,
    /// A row is protected, and a human did not decide.
    Protected,
    /// A row does not stand any more, or a later decision changed it.
    Outdated,
    /// Enough was retired for a day.
    Breaker,
}

/// How one row stood, and stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// The row.
    pub id: MemoryId,
    /// How it stood.
    pub before: FactStatus,
    /// How it stands, or would.
    pub after: FactStatus,
}

impl StatusChange {
    /// Whether it takes the row out of lists, searches and prompts.
    #[must_use]
    pub fn retires(&self) -> bool {
        !self.before.state.is_retired() && self.after.state.is_retired()
    }
}
/// What anybody but the human may decide on facts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactConfig {
    /// Whether a pass with a model may decide, which acts as the library. Off: what it decides is refused, and
    /// nothing is written. What agent and human decide does not hang on it. (seed 003, Facts)
    pub consolidation: bool,
    /// What the operator asks of that pass, at most 1,000 characters. It has no authority: no rule gives way to it.
    pub guidance: Option<String>,
    /// Shadow mode: their decisions are told and change nothing. Off.
    pub shadow: bool,
    /// The circuit breaker: so many facts may be retired by their decisions within 24 hours, then none: 100.
    pub max_retired_a_day: u32,
}

impl Default for FactConfig {
    fn default() -> Self {
        Self { consolidation: false, guidance: None, shadow: false, max_retired_a_day: 100 }
    }
}
