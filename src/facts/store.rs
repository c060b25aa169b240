//! The contract of a fact layer: what is true now, what was true before, and who decided so.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::decision::Decision;
use super::event::{ConsolidationEvent, EventId};
use super::fact::{Fact, Superseded};
use super::state::FactState;
use super::suspicion::{Recorded, Suspicion};
use crate::base::access::{Access, Scope};
use crate::base::error::Result;
use crate::base::text;
use crate::memory::key::FactKey;
use crate::memory::{AsOf, MemoryId, NewMemory};

/// Statements that are kept true: what replaces another leaves the earlier one in the history, and out of lists,
/// searches and prompts.
///
/// A fact is a row of category [`FACT`](crate::memory::categories::FACT). It waits as pending until it is
/// [settled](Self::settle). The host calls that at a quiet moment, and
/// [`snapshot`](crate::memory::MemoryStore::snapshot) does it before it reads. Among equal statements the oldest
/// stays.
///
/// Words alone do not tell whether one statement replaces another. So rows that may contradict a new one are
/// [found](Recorded::suspects) when it is recorded. They are returned to the caller and kept as
/// [suspicions](Self::suspicions), until somebody [decides](Self::decide). No decision rewrites a word, each is
/// [told](Self::decisions), and each can be [taken back](Self::revert).
///
/// A row that a human typed, confirmed or pinned is retired by that human alone.
///
/// It is beside [`MemoryStore`](crate::memory::MemoryStore), and another layer of facts can be put in its place.
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
    /// contradict. A session with others present gets only shared ones.
    ///
    /// # Errors
    ///
    /// The errors of [`MemoryStore::write`](crate::memory::MemoryStore::write).
    fn record(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;

    /// Writes a value of a property that has one, and retires the value before it by itself. The time since which each
    /// is true counts ([`valid_from`](NewMemory::valid_from), else when it is written), not the order of writing. Late
    /// news of an earlier time goes into the past. A value that returns holds again; the one that holds already is no
    /// second row. Returns the row of the value that holds now.
    ///
    /// A row stays where only the human may retire it, beyond the bounds of a day, and in shadow mode. It is among the
    /// [suspects](Recorded::suspects) then, for somebody to decide.
    ///
    /// ```
    /// use chrono::{TimeDelta, TimeZone, Utc};
    /// use noctuary::facts::{FactKey, FactStore};
    /// use noctuary::memory::{NewMemory, Source, categories};
    /// use noctuary::{Access, FileMemoryStore, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
    /// let access = Access::agent(Scope::user("marta"));
    /// let key = FactKey::one("office", "city");
    /// let monday = Utc.with_ymd_and_hms(2026, 11, 23, 9, 0, 0).unwrap();
    /// let is_in = |city: &str| {
    ///     NewMemory::new(categories::FACT, format!("The office is in {city}."), Source::AgentRecorded).about(key.clone())
    /// };
    /// for (day, city) in [(0, "Oslo"), (1, "Bergen"), (2, "Oslo")] {
    ///     store.replace(&access, &is_in(city), monday + TimeDelta::days(day))?;
    /// }
    /// let said = |fact: Option<noctuary::facts::Fact>| fact.map(|fact| fact.memory.content);
    /// assert_eq!(said(store.current(&access, &key)?).as_deref(), Some("The office is in Oslo."));
    /// let tuesday = store.value_at(&access, &key, monday + TimeDelta::days(1))?;
    /// assert_eq!(said(tuesday).as_deref(), Some("The office is in Bergen."));
    /// assert_eq!(store.values(&access, &key)?.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`record`](Self::record); [`Error::Config`](crate::Error::Config) for a fact without a key, or with one of many
    /// values; [`Error::Denied`](crate::Error::Denied) outside a main session. Nothing is written then.
    fn replace(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;

    /// Writes a row in place of another one, which stays in the [history](Self::history), in one step.
    ///
    /// ```
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::facts::FactStore;
    /// use noctuary::memory::{NewMemory, Source, categories};
    /// use noctuary::{Access, FileMemoryStore, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
    /// let marta = Access::human(Scope::user("marta"));
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let wrong = NewMemory::new(categories::FACT, "The harbour opens at six.", Source::UserManual);
    /// let wrong = store.record(&marta, &wrong, now)?.id;
    ///
    /// let row = store.fact(&marta, wrong)?.unwrap();
    /// let right = row.restated("The harbour opens at seven.", Source::UserManual);
    /// let right = store.correct(&marta, wrong, &right, now)?.id;
    /// let history: Vec<_> = store.history(&marta, right)?.into_iter().map(|fact| fact.memory.id).collect();
    /// assert_eq!(history, [wrong, right]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`record`](Self::record) and [`decide`](Self::decide); [`Error::Denied`](crate::Error::Denied) outside a main
    /// session. Nothing is written then.
    fn correct(
        &self,
        access: &Access,
        id: MemoryId,
        fact: &NewMemory,
        now: DateTime<Utc>,
    ) -> Result<Recorded>;

    /// Lists all rows of a property that this session may read, retired ones too, by the time since which each
    /// holds.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn values(&self, access: &Access, key: &FactKey) -> Result<Vec<Fact>>;

    /// Returns the value that holds: the latest. Where there are several, somebody has to decide.
    ///
    /// # Errors
    ///
    /// As [`values`](Self::values).
    fn current(&self, access: &Access, key: &FactKey) -> Result<Option<Fact>> {
        Ok(last(self.values(access, key)?, &|fact, _| !fact.status.state.is_retired()))
    }

    /// Returns the value that held at a time, as it is known now. `None` if no value is known for then.
    ///
    /// # Errors
    ///
    /// As [`values`](Self::values).
    fn value_at(&self, access: &Access, key: &FactKey, time: DateTime<Utc>) -> Result<Option<Fact>> {
        Ok(as_of(self.values(access, key)?, AsOf::Held(time)))
    }

    /// Returns the value that was believed to hold at a time: the last that the store knew then and had not retired.
    ///
    /// # Errors
    ///
    /// As [`values`](Self::values).
    fn believed_at(&self, access: &Access, key: &FactKey, time: DateTime<Utc>) -> Result<Option<Fact>> {
        Ok(as_of(self.values(access, key)?, AsOf::Believed(time)))
    }

    /// Settles pending rows, the oldest first, without a model. A statement that an older row makes already is retired.
    /// Any other one counts from now on. A rejected fact that is stated again is retired too. A newer row also replaces
    /// a row that a dream promoted: such a row is removed with its line.
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

    /// Reads a row with its status as a fact, retired or not. `None` where it is missing, deleted, or not for this
    /// session.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn fact(&self, access: &Access, id: MemoryId) -> Result<Option<Fact>>;

    /// Returns the rows that this one replaced, itself, and those that replaced it, by the time [since](Fact::since) which
    /// they are true. Only readable ones are among them.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn history(&self, access: &Access, id: MemoryId) -> Result<Vec<Fact>>;

    /// Lists the promoted lines that no longer hold, by id, each with what holds now. None outside a main session. The
    /// lines stay in `MEMORY.md`: [`Session::mark_superseded`](crate::Session::mark_superseded) marks them in prompts.
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

    /// Decides on rows. In shadow mode, a decision of anybody but the human is only [recorded](Self::decisions),
    /// as `shadow`.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for a confirmation by anybody but the human.
    /// [`Error::NotFound`](crate::Error::NotFound) for a row that is not there.
    /// [`Error::Undecided`](crate::Error::Undecided) with the rule that is against it. A refusal in a main session is
    /// reported to the observer too, except while that pass is switched off.
    fn decide(&self, access: &Access, decision: &Decision, now: DateTime<Utc>) -> Result<ConsolidationEvent>;

    /// Puts the rows of a decision back to what they were before it.
    ///
    /// # Errors
    ///
    /// As [`decide`](Self::decide). [`Error::DecidedSince`](crate::Error::DecidedSince) with the id of a later decision
    /// that changed one of the rows. That must be reverted first, else two values would count, or none. A decision of
    /// the human is reverted by the human alone.
    fn revert(&self, access: &Access, event: EventId, now: DateTime<Utc>) -> Result<ConsolidationEvent>;

    /// Lists what was decided, refused or only told, the latest first.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn decisions(&self, access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>>;
}

/// Returns the last of some facts that fits, beside all of them.
fn last(mut facts: Vec<Fact>, fits: &dyn Fn(&Fact, &[Fact]) -> bool) -> Option<Fact> {
    let mut at = facts.len();
    while at > 0 {
        at -= 1;
        if fits(&facts[at], &facts) {
            return Some(facts.swap_remove(at));
        }
    }
    None
}

/// Returns whether news of an earlier time was put in the place of a fact by then.
fn is_outdone(fact: &Fact, time: DateTime<Utc>, facts: &[Fact]) -> bool {
    let (Some(by), Some(retired)) = (fact.status.successor, fact.status.retired_at) else { return false };
    for other in facts {
        if other.memory.id == by && other.since() < fact.since() {
            // What is said again counts as long as it was said.
            let is_other = text::statement(&other.memory.content) != text::statement(&fact.memory.content);
            return is_other && retired <= time;
        }
    }
    false
}

/// Returns the last of some facts that counted at a time. They are in the order of the times since which they
/// are true.
pub(crate) fn as_of(facts: Vec<Fact>, time: AsOf) -> Option<Fact> {
    match time {
        AsOf::Held(time) => {
            let held = |fact: &Fact, facts: &[Fact]| {
                let is_true = fact.status.state != FactState::Rejected && fact.since() <= time;
                is_true && !is_outdone(fact, time, facts)
            };
            // What followed it may have been true before it too: a value that returned.
            let is_over = |fact: &Fact| {
                fact.status.valid_until.is_some_and(|until| until > fact.since() && until <= time)
            };
            last(facts, &held).filter(|fact| !is_over(fact))
        }
        AsOf::Believed(time) => {
            let was_believed = |fact: &Fact, _: &[Fact]| {
                let is_known = fact.memory.created_at <= time && fact.since() <= time;
                is_known && fact.status.retired_at.is_none_or(|retired| retired > time)
            };
            last(facts, &was_believed)
        }
    }
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
