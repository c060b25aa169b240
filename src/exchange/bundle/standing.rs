//! The rows that a home holds already, under the names that a bundle gives them.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{self, Named};
use super::rows::Rows;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::text;
use crate::facts::{ConsolidationEvent, FactStore};
use crate::memory::{Filter, MemoryId, MemoryStore};

/// The rows of a store under their names, and its decisions, the oldest first.
pub(super) struct Standing {
    pub(super) rows: Vec<Named>,
    pub(super) names: BTreeMap<MemoryId, String>,
    pub(super) events: Vec<ConsolidationEvent>,
    /// The place of each row, by its name.
    places: BTreeMap<String, usize>,
    /// The category and statement of each row.
    said: BTreeSet<(String, String)>,
}

impl Standing {
    pub(super) fn of(store: &dyn Rows, access: &Access) -> Result<Self> {
        let mut facts = Vec::new();
        let every = Filter { retired: true, ..Filter::limit(usize::MAX) };
        for row in MemoryStore::list(store, access, &every)? {
            facts.extend(FactStore::fact(store, access, row.id)?);
        }
        let rows = entry::named(facts);
        let names = rows.iter().map(|row| (row.fact.memory.id, row.id.clone())).collect();
        let mut events = FactStore::decisions(store, access, usize::MAX)?;
        events.reverse();
        let places = rows.iter().enumerate().map(|(place, row)| (row.id.clone(), place)).collect();
        let said =
            |row: &Named| (row.fact.memory.category.clone(), text::statement(&row.fact.memory.content));
        let said = rows.iter().map(said).collect();
        Ok(Self { rows, names, events, places, said })
    }

    /// Returns a row by its name.
    pub(super) fn row(&self, id: &str) -> Option<&Named> {
        self.rows.get(*self.places.get(id)?)
    }

    /// Returns whether a row says a statement.
    pub(super) fn says(&self, said: &(String, String)) -> bool {
        self.said.contains(said)
    }
}
