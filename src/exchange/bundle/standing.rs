//! The rows that a home holds already, under the names that a bundle gives them.

use std::collections::BTreeMap;

use super::entry::{self, Named};
use super::rows::Rows;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::text;
use crate::facts::{ConsolidationEvent, FactStore};
use crate::memory::{Filter, MemoryId, MemoryStore, NewMemory, Source};

/// The rows of a store under their names, and its decisions, the oldest first.
pub(super) struct Standing {
    pub(super) rows: Vec<Named>,
    pub(super) names: BTreeMap<MemoryId, String>,
    pub(super) events: Vec<ConsolidationEvent>,
    /// The place of each row, by its name.
    places: BTreeMap<String, usize>,
    /// The category and statement of each row, and the number of one that came in from elsewhere.
    said: BTreeMap<(String, String), Option<MemoryId>>,
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
        let mut said = BTreeMap::new();
        for Named { fact, .. } in &rows {
            let row = &fact.memory;
            let imported = said.entry((row.category.clone(), text::statement(&row.content))).or_insert(None);
            *imported = imported.or((row.source == Some(Source::Imported)).then_some(row.id));
        }
        Ok(Self { rows, names, events, places, said })
    }

    /// Returns a row by its name.
    pub(super) fn row(&self, id: &str) -> Option<&Named> {
        self.rows.get(*self.places.get(id)?)
    }

    /// Returns a row that came in from elsewhere too, in the same words.
    pub(super) fn imported(&self, memory: &NewMemory) -> Option<MemoryId> {
        *self.said.get(&(memory.category.clone(), text::statement(&memory.content)))?
    }

    /// Returns whether a row says a statement.
    pub(super) fn says(&self, said: &(String, String)) -> bool {
        self.said.contains_key(said)
    }
}
