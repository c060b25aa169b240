//! Entries that a home once had and no longer has.
//!
//! The audit outlives them: it knows the moment at which each came in. A bundle has those moments in its index, without
//! content, for the home that it is restored into. That distinguishes an older bundle from a home that has only changed
//! since.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::rows::Rows;
use super::standing::Standing;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::learning::{MethodStore, PreferenceStore, RoleStore};
use crate::memory::{AuditOutcome, MemoryStore};

/// The kinds of entries that may be gone, each by the action that writes it.
pub(super) const ROW: &str = "memory_write";
pub(super) const METHOD: &str = "method_create";
pub(super) const PREFERENCE: &str = "preference_propose";
pub(super) const NOTE: &str = "role_note";
const KINDS: [&str; 4] = [ROW, METHOD, PREFERENCE, NOTE];

/// The action of a line of the audit on an entry that was gone already when a bundle was made.
const TOLD: &str = "memory_import.gone.";

/// Moments, each as often as an entry of it is gone.
pub(super) type Gone = BTreeMap<String, Vec<DateTime<Utc>>>;

/// The moments at which entries came into a home, and those whose entries are there.
pub(super) struct Moments {
    came: BTreeMap<(String, DateTime<Utc>), usize>,
    stand: BTreeMap<(&'static str, DateTime<Utc>), usize>,
    /// Rows that say something else than they did.
    edited: BTreeMap<DateTime<Utc>, usize>,
}

impl Moments {
    pub(super) fn of(store: &dyn Rows, access: &Access, standing: &Standing) -> Result<Self> {
        let (mut came, mut stand, mut edited) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for entry in MemoryStore::audit(store, access, usize::MAX)? {
            let kind = entry.action.strip_prefix(TOLD).unwrap_or(&entry.action);
            if entry.outcome == AuditOutcome::Done && KINDS.contains(&kind) {
                *came.entry((kind.to_owned(), entry.at)).or_default() += 1;
            }
        }
        let rows = standing.rows.iter().map(|row| &row.fact.memory);
        for row in rows {
            *stand.entry((ROW, row.created_at)).or_default() += 1;
            if row.updated_at != row.created_at {
                *edited.entry(row.created_at).or_default() += 1;
            }
        }
        for method in MethodStore::methods(store, access)? {
            *stand.entry((METHOD, method.created_at)).or_default() += 1;
        }
        for preference in PreferenceStore::preferences(store, access)? {
            *stand.entry((PREFERENCE, preference.created_at)).or_default() += 1;
        }
        for pending in [true, false] {
            for note in RoleStore::notes(store, access, pending)? {
                *stand.entry((NOTE, note.created_at)).or_default() += 1;
            }
        }
        Ok(Self { came, stand, edited })
    }

    /// Returns whether the home had an entry of a moment that it no longer has, or not in those words. It asks for one that the
    /// home does not have.
    pub(super) fn had(&self, kind: &'static str, at: DateTime<Utc>) -> bool {
        let edited = if kind == ROW { self.edited.get(&at).copied().unwrap_or(0) } else { 0 };
        self.gone_of(kind, at) + edited > 0
    }

    fn gone_of(&self, kind: &str, at: DateTime<Utc>) -> usize {
        let Some(kind) = KINDS.into_iter().find(|known| *known == kind) else { return 0 };
        let came = self.came.get(&(kind.to_owned(), at)).copied().unwrap_or(0);
        came.saturating_sub(self.stand.get(&(kind, at)).copied().unwrap_or(0))
    }

    /// Returns the moments whose entries are gone.
    pub(super) fn gone(&self) -> Gone {
        let mut gone = Gone::new();
        for (kind, at) in self.came.keys() {
            let times = std::iter::repeat_n(*at, self.gone_of(kind, *at));
            gone.entry(kind.clone()).or_default().extend(times);
        }
        gone.retain(|_, times| !times.is_empty());
        gone
    }

    /// Returns those moments of another home that this one does not know as gone.
    pub(super) fn unknown(&self, theirs: &Gone) -> Gone {
        let mut unknown = Gone::new();
        for (kind, times) in theirs.iter().filter(|(kind, _)| KINDS.contains(&kind.as_str())) {
            let mut counts: BTreeMap<DateTime<Utc>, usize> = BTreeMap::new();
            for at in times {
                *counts.entry(*at).or_default() += 1;
                if counts[at] > self.gone_of(kind, *at) {
                    unknown.entry(kind.clone()).or_default().push(*at);
                }
            }
        }
        unknown
    }
}

/// Tells the audit of a home about entries that were gone before it began.
pub(super) fn tell(store: &dyn Rows, access: &Access, gone: &Gone) -> Result<()> {
    for (kind, times) in gone {
        let action = format!("{TOLD}{kind}");
        let lines: Vec<_> = times.iter().map(|at| (action.as_str(), AuditOutcome::Done, *at)).collect();
        store.tell_audit(access, &lines)?;
    }
    Ok(())
}
