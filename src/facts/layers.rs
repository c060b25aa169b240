//! One question to several stores, the nearest first.

use chrono::{DateTime, Utc};

use super::fact::Fact;
use super::store::FactStore;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::memory::key::Cardinality;
use crate::memory::{Doubt, Found, Hit, MemoryId, MemoryStore, Query, SearchOutcome, Shown, ShownRow, Stale};

/// Several stores that answer one question, the nearest first: the memory of a project above that of a person.
///
/// Each hit says whose it is. A statement of several stores comes once, as that of the nearest. A newer value of the same property
/// hides no hit: the hit [tells of it](LayeredHit::newer). [`MemoryContext::of_layers`](crate::life::MemoryContext::of_layers) shows
/// them in a prompt. Each store is asked with an access of its own, so its rights hold. Nothing
/// is copied between stores.
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use noctuary::facts::{FactKey, FactStore, Layers};
/// use noctuary::memory::{NewMemory, Query, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// # let (work, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let project = FileMemoryStore::open(work.path(), Scope::user("project"))?;
/// let personal = FileMemoryStore::open(home.path(), Scope::user("marta"))?;
/// let (of_project, of_marta) = (Access::agent(Scope::user("project")), Access::agent(Scope::user("marta")));
/// let editor = |text| NewMemory::new("fact", text, Source::UserExplicit).about(FactKey::one("marta", "editor"));
/// let (before, now) = (Utc::now() - TimeDelta::days(9), Utc::now());
/// project.record(&of_project, &editor("Marta's editor is Vim"), before)?;
/// personal.record(&of_marta, &editor("Marta's editor is Helix"), now)?;
///
/// let found = Layers::default()
///     .then("project", &project, &project, of_project)
///     .then("personal", &personal, &personal, of_marta)
///     .search(&Query::new("Which editor does Marta use?"))?;
/// assert_eq!((found.hits[0].layer, found.hits[1].layer), ("project", "personal"));
/// assert_eq!(found.hits[0].newer.unwrap().0, "personal"); // and still the nearest comes first
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Layers<'s> {
    layers: Vec<Layer<'s>>,
}

#[derive(Debug)]
struct Layer<'s> {
    name: &'s str,
    rows: &'s dyn MemoryStore,
    facts: &'s dyn FactStore,
    access: Access,
}

/// The result of a question to several stores.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Layered<'s> {
    /// The certainty of each store's result, the nearest first.
    pub outcomes: Vec<(&'s str, SearchOutcome)>,
    /// The rows, best first. Among equal places the nearest comes first.
    pub hits: Vec<LayeredHit<'s>>,
}

/// A row that was found in one of several stores.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LayeredHit<'s> {
    /// The name of the store that has it, the nearest of them.
    pub layer: &'s str,
    /// The row. Its score compares within its own store only.
    pub hit: Hit,
    /// The farther stores that have the same statement.
    pub also_in: Vec<&'s str>,
    /// The store and the row with the newest value of the same property, where another store has a newer one.
    pub newer: Option<(&'s str, MemoryId)>,
}

/// A way to ask a store.
type Ask<'a> = &'a dyn Fn(&dyn MemoryStore, &Access) -> Result<Found>;

impl<'s> Layers<'s> {
    /// Adds a store behind those that are there, with the name that its hits have. `facts` is the same store.
    #[must_use]
    pub fn then(
        mut self,
        name: &'s str,
        rows: &'s dyn MemoryStore,
        facts: &'s dyn FactStore,
        access: Access,
    ) -> Self {
        self.layers.push(Layer { name, rows, facts, access });
        self
    }

    /// Finds rows as [`MemoryStore::search`] does in each store. The query's limit holds for all of them together.
    ///
    /// # Errors
    ///
    /// The errors of the stores.
    pub fn search(&self, query: &Query) -> Result<Layered<'s>> {
        self.ask(query, &|rows, access| rows.search(access, query))
    }

    /// Finds what [`search`](Self::search) does, as it is in the stores. Show it only to the owner.
    ///
    /// # Errors
    ///
    /// The errors of the stores.
    pub fn search_unmasked(&self, query: &Query) -> Result<Layered<'s>> {
        self.ask(query, &|rows, access| rows.search_unmasked(access, query))
    }

    fn ask(&self, query: &Query, ask: Ask<'_>) -> Result<Layered<'s>> {
        let mut layered = Layered { outcomes: Vec::new(), hits: Vec::new() };
        let mut placed: Vec<Placed<'s>> = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            let found = ask(layer.rows, &layer.access)?;
            layered.outcomes.push((layer.name, found.outcome));
            for (place, hit) in found.hits.into_iter().enumerate() {
                let statement = text::statement(&hit.memory.content);
                let nearer = |row: &&mut Placed<'s>| row.number < number && row.statement == statement;
                if let Some(nearer) = placed.iter_mut().find(nearer) {
                    nearer.place = nearer.place.min(place);
                    if !nearer.found.also_in.contains(&layer.name) {
                        nearer.found.also_in.push(layer.name);
                    }
                    continue;
                }
                let found = LayeredHit { layer: layer.name, hit, also_in: Vec::new(), newer: None };
                placed.push(Placed { place, number, statement, found });
            }
        }
        order::sort_by_key(&mut placed, |row| (row.place, row.number));
        placed.truncate(query.filter.limit);
        let are_several = self.layers.len() > 1;
        for mut row in placed {
            if are_several {
                let newer = self.newer(row.number, row.found.hit.memory.id, &row.statement)?;
                row.found.newer = newer.map(|(other, fact)| (self.layers[other].name, fact.memory.id));
            }
            layered.hits.push(row.found);
        }
        Ok(layered)
    }

    /// Returns the rows and the profile for a prompt: pinned rows first, and of equal places the nearest. A statement and a key of
    /// the profile come once, as those of the nearest.
    pub(crate) fn shown(&self, most: usize, now: DateTime<Utc>) -> Result<Shown<'s>> {
        let (mut told, mut statements) = (Shown::default(), SortedSet::new());
        for (number, layer) in self.layers.iter().enumerate() {
            for (key, value) in layer.rows.profile(&layer.access)? {
                if !told.profile.iter().any(|(known, _)| *known == key) {
                    told.profile.push((key, value));
                }
            }
            let rows = layer.rows.snapshot(&layer.access, most, now)?;
            let of = (number > 0).then_some(layer.name);
            told.take(&rows, (number, of), Some(&mut statements));
        }
        for at in 0..told.rows.len() {
            let ShownRow { number, row, .. } = &told.rows[at];
            let Some((other, newer)) = self.newer(*number, row.id, &text::statement(&row.content))? else {
                continue;
            };
            // Words of a row that no prompt shows are not shown here either.
            let mut by = None;
            for shown in &told.rows {
                if shown.number == other && shown.row.id == newer.memory.id {
                    by = Some(shown.row.content.clone());
                }
            }
            let (stale, of) = (Stale::Newer(newer.memory.id), Some(self.layers[other].name));
            told.rows[at].doubt = Some(Doubt { stale, by, of });
        }
        order::sort_by_key(&mut told.rows, |shown| (!shown.row.pinned, shown.place, shown.number));
        told.rows.truncate(most);
        Ok(told)
    }

    /// Returns the access to the nearest store.
    pub(crate) fn nearest(&self) -> Option<&Access> {
        let layer = self.layers.first()?;
        Some(&layer.access)
    }

    /// Returns the newest value of a row's property, with the number of its store, where another store has a newer one.
    fn newer(&self, number: usize, id: MemoryId, statement: &str) -> Result<Option<(usize, Fact)>> {
        let of = &self.layers[number];
        let Some(fact) = of.facts.fact(&of.access, id)? else { return Ok(None) };
        let Some(key) = fact.key.as_ref().filter(|key| key.cardinality == Cardinality::One) else {
            return Ok(None);
        };
        let mut since: DateTime<Utc> = fact.since();
        let mut newest = None;
        for (at, layer) in self.layers.iter().enumerate() {
            if at == number {
                continue;
            }
            let Some(other) = layer.facts.current(&layer.access, key)? else { continue };
            if other.since() > since && is_other(&other, statement) {
                since = other.since();
                newest = Some((at, other));
            }
        }
        Ok(newest)
    }
}

/// Returns whether a fact says something else than a statement.
fn is_other(fact: &Fact, statement: &str) -> bool {
    text::statement(&fact.memory.content) != statement
}

/// A hit on its way into the order of all.
struct Placed<'s> {
    /// The best place among the results of a store that has it, from 0.
    place: usize,
    /// The number of its store, the nearest first.
    number: usize,
    statement: String,
    found: LayeredHit<'s>,
}
