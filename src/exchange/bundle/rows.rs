//! A store of rows, as a bundle needs it: whatever its home is.

use chrono::{DateTime, Utc};

use crate::base::access::Access;
use crate::base::error::Result;
use crate::edges::Edge;
use crate::facts::{ConsolidationEvent, FactStore};
use crate::file::FileMemoryStore;
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::learning::{MethodStore, Preference, PreferenceStore, RoleNote, RoleStore};
use crate::memory::{AuditOutcome, LearningStore, MemoryId, MemoryStore, NewMemory};
#[cfg(feature = "postgres")]
use crate::postgres::PostgresMemoryStore;
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteMemoryStore;
use crate::store::carry::{CarriedDecision, CarriedLearning, CarriedRow};
use crate::store::carry_practice::CarriedMethod;

/// A store whose rows can be taken out and put back as they were.
pub(in crate::exchange) trait Rows:
    MemoryStore + FactStore + LearningStore + MethodStore + PreferenceStore + RoleStore
{
    fn carry_rows(&self, access: &Access, rows: &[CarriedRow]) -> Result<Vec<MemoryId>>;
    fn carry_new(
        &self,
        access: &Access,
        rows: &[(NewMemory, DateTime<Utc>)],
    ) -> Result<Vec<Result<MemoryId>>>;
    fn carry_decisions(
        &self,
        access: &Access,
        decisions: &[(ConsolidationEvent, Option<CarriedDecision>)],
        now: DateTime<Utc>,
    ) -> Result<()>;
    fn carry_learnings(&self, access: &Access, learnings: &[CarriedLearning]) -> Result<()>;
    fn carry_profile(&self, access: &Access, key: &str, value: &str, at: DateTime<Utc>) -> Result<()>;
    fn carry_methods(&self, access: &Access, methods: &[CarriedMethod]) -> Result<()>;
    fn carry_preferences(&self, access: &Access, preferences: &[Preference]) -> Result<()>;
    fn carry_notes(&self, access: &Access, notes: &[RoleNote]) -> Result<()>;
    fn carry_outcomes(&self, access: &Access, ids: &[String], now: DateTime<Utc>) -> Result<()>;
    fn outcomes(&self, access: &Access) -> Result<Vec<String>>;
    fn edges_of(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>>;
    fn stones(&self, access: &Access) -> Result<Option<Tombstones>>;
    fn carry_stones(
        &self,
        access: &Access,
        key: &TombstoneKey,
        stones: &[Tombstone],
        strikes: bool,
        now: DateTime<Utc>,
    ) -> Result<bool>;
    fn tell_audit(&self, access: &Access, lines: &[(&str, AuditOutcome, DateTime<Utc>)]) -> Result<()>;
    fn lift_stone(&self, access: &Access, stone: Tombstone, now: DateTime<Utc>) -> Result<bool>;
}

/// The rows of a memory store in any home, as a copy takes and leaves them.
#[derive(Clone, Copy)]
pub struct StoredRows<'a>(pub(in crate::exchange) &'a dyn Rows);

impl std::fmt::Debug for StoredRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredRows({})", self.0.location())
    }
}

macro_rules! rows {
    ($($type:ty),*) => {$(
        impl<'a> From<&'a $type> for StoredRows<'a> {
            fn from(store: &'a $type) -> Self {
                Self(store)
            }
        }

        impl Rows for $type {
            fn carry_rows(&self, access: &Access, rows: &[CarriedRow]) -> Result<Vec<MemoryId>> {
                self.engine().carry_rows(access, rows)
            }
            fn carry_new(
                &self,
                access: &Access,
                rows: &[(NewMemory, DateTime<Utc>)],
            ) -> Result<Vec<Result<MemoryId>>> {
                self.engine().carry_new(access, rows)
            }
            fn carry_decisions(
                &self,
                access: &Access,
                decisions: &[(ConsolidationEvent, Option<CarriedDecision>)],
                now: DateTime<Utc>,
            ) -> Result<()> {
                self.engine().carry_decisions(access, decisions, now)
            }
            fn carry_learnings(&self, access: &Access, learnings: &[CarriedLearning]) -> Result<()> {
                self.engine().carry_learnings(access, learnings)
            }
            fn carry_profile(&self, access: &Access, key: &str, value: &str, at: DateTime<Utc>) -> Result<()> {
                self.engine().carry_profile(access, key, value, at)
            }
            fn carry_methods(&self, access: &Access, methods: &[CarriedMethod]) -> Result<()> {
                self.engine().carry_methods(access, methods)
            }
            fn carry_preferences(&self, access: &Access, preferences: &[Preference]) -> Result<()> {
                self.engine().carry_preferences(access, preferences)
            }
            fn carry_notes(&self, access: &Access, notes: &[RoleNote]) -> Result<()> {
                self.engine().carry_notes(access, notes)
            }
            fn carry_outcomes(&self, access: &Access, ids: &[String], now: DateTime<Utc>) -> Result<()> {
                self.engine().carry_outcomes(access, ids, now)
            }
            fn outcomes(&self, access: &Access) -> Result<Vec<String>> {
                self.engine().outcomes(access)
            }
            fn edges_of(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
                self.engine().edges_of(access, ids)
            }
            fn stones(&self, access: &Access) -> Result<Option<Tombstones>> {
                self.engine().stones(access)
            }
            fn carry_stones(
                &self,
                access: &Access,
                key: &TombstoneKey,
                stones: &[Tombstone],
                strikes: bool,
                now: DateTime<Utc>,
            ) -> Result<bool> {
                self.engine().carry_stones(access, key, stones, strikes, now)
            }
            fn tell_audit(
                &self,
                access: &Access,
                lines: &[(&str, AuditOutcome, DateTime<Utc>)],
            ) -> Result<()> {
                self.engine().tell_all(access, lines)
            }
            fn lift_stone(&self, access: &Access, stone: Tombstone, now: DateTime<Utc>) -> Result<bool> {
                self.engine().lift_stones(access, now, |_| vec![stone])
            }
        }
    )*};
}

rows!(FileMemoryStore);
#[cfg(feature = "sqlite")]
rows!(SqliteMemoryStore);
#[cfg(feature = "postgres")]
rows!(PostgresMemoryStore);
