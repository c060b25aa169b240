//! Vectors of the rows of a file, as the store asks for them.

use std::cell::Ref;
use std::collections::HashSet;

use super::super::lines::Lines;
use super::super::table::Table;
use super::records::Said;
use super::sidecar::{Sidecar, Window};
use super::states::{Kind, State};
use crate::base::error::Result;
use crate::base::order;
use crate::embed::Generation;
use crate::memory::{Filter, MemoryId};
use crate::search::rank::{Card, Visibility};
use crate::store::vectors::{
    Counts, Entry, FailedRow, MemoryVectors, Serving, Shelved, Sight, Since, VectorChanges, VectorRows,
};

impl Table<'_> {
    /// Returns the vectors as the disk has them, the same for all that this view is asked.
    fn sidecar(&self) -> Result<Ref<'_, Sidecar>> {
        if !self.knows_vectors.get() {
            self.lines.vectors.borrow_mut().catch_up(self.disk)?;
            self.knows_vectors.set(true);
        }
        Ok(self.lines.vectors.borrow())
    }

    /// Reads what a row says.
    fn content_of(&self, id: i64) -> Result<Option<String>> {
        let (rows, reader) = (&self.lines.rows, self.lines.reader());
        let entry = rows.seen(MemoryId::new(id), Visibility::All);
        entry.map(|entry| rows.content(entry, &reader)).transpose()
    }
}

/// Returns what a sight sees.
fn visibility(sight: Sight) -> Visibility {
    if sight == Sight::from(Visibility::All) { Visibility::All } else { Visibility::Shared }
}

impl VectorRows for Table<'_> {
    fn serving(&self) -> Result<Option<Serving>> {
        let vectors = self.sidecar()?;
        let serving = vectors.states.generations.iter().find(|known| known.serves);
        Ok(serving.map(|known| Serving {
            generation: known.name.clone(),
            number: known.token,
            dimensions: known.dimensions,
        }))
    }

    fn generations(&self) -> Result<Vec<Generation>> {
        Ok(self.sidecar()?.states.generations.iter().map(|known| known.name.clone()).collect())
    }

    fn counts(&self, generation: &Generation) -> Result<Counts> {
        let (vectors, mut counts) = (self.sidecar()?, Counts::default());
        let number = vectors.states.known(generation).map(|known| known.number);
        for entry in self.lines.rows.entries.iter().filter(|entry| entry.stands()) {
            counts.rows += 1;
            let state = number.and_then(|number| vectors.states.of(number, entry.id.get(), entry.revision));
            match state.map(|state| state.kind) {
                Some(Kind::Vector) => counts.embedded += 1,
                Some(Kind::Failed(_)) => counts.failed += 1,
                Some(Kind::Skipped) => counts.skipped += 1,
                None => {}
            }
        }
        Ok(counts)
    }

    fn unfilled(&self, generation: &Generation, after: i64, most: usize) -> Result<Vec<(i64, String)>> {
        let (vectors, rows, reader) = (self.sidecar()?, &self.lines.rows, self.lines.reader());
        let number = vectors.states.known(generation).map(|known| known.number);
        let from = rows.entries.partition_point(|entry| entry.id.get() <= after);
        let mut found = Vec::new();
        for entry in rows.entries[from..].iter().filter(|entry| entry.stands()) {
            let state = number.and_then(|number| vectors.states.of(number, entry.id.get(), entry.revision));
            if state.is_some() {
                continue;
            }
            if found.len() >= most {
                break;
            }
            found.push((entry.id.get(), rows.content(entry, &reader)?));
        }
        Ok(found)
    }

    fn contents_of(&self, ids: &[i64], take: &mut dyn FnMut(i64, &str)) -> Result<()> {
        for id in ids {
            if let Some(content) = self.content_of(*id)? {
                take(*id, &content);
            }
        }
        Ok(())
    }

    fn failed(&self, generation: &Generation, until: i64, most: usize) -> Result<Vec<FailedRow>> {
        let vectors = self.sidecar()?;
        let Some(known) = vectors.states.known(generation) else { return Ok(Vec::new()) };
        let failed = |state: &State| match state.kind {
            Kind::Failed(attempts) if state.generation == known.number && signed(state.number) <= until => {
                Some((attempts, state.number, state.row))
            }
            _ => None,
        };
        let counting = vectors.states.counting(&self.lines.rows, Visibility::All, 0);
        let mut failed: Vec<(u32, u64, i64)> = counting.filter_map(failed).collect();
        order::sort(&mut failed);
        failed.truncate(most);
        let mut found = Vec::with_capacity(failed.len());
        for (attempts, _, id) in failed {
            found.extend(self.content_of(id)?.map(|content| FailedRow { id, content, attempts }));
        }
        Ok(found)
    }

    fn moment(&self) -> Result<i64> {
        Ok(signed(self.sidecar()?.states.last))
    }

    fn changed_since(
        &self,
        serving: &Serving,
        sight: Sight,
        since: Option<Since>,
        take: &mut dyn FnMut(Shelved<'_>) -> bool,
    ) -> Result<Option<Since>> {
        let (vectors, rows) = (self.sidecar()?, &self.lines.rows);
        let now = Since { kept: signed(vectors.states.last), removed: rows.moved.now() };
        if since == Some(now) {
            return Ok(since);
        }
        let mut moved: Vec<i64> = Vec::new();
        if let Some(since) = since {
            let known = rows.moved.since(since.removed).filter(|_| since.kept <= now.kept);
            let Some(known) = known else { return Ok(None) };
            moved.extend(known);
            order::sort(&mut moved);
            order::dedup(&mut moved);
            if !moved.iter().all(|id| take(Shelved::Gone(*id))) {
                return Ok(Some(now));
            }
        }
        let Some(number) = number_of(&vectors, serving) else { return Ok(Some(now)) };
        let (after, sight) = (since.map_or(0, |since| since.kept.unsigned_abs()), visibility(sight));
        // One that moved may be as it was before, or may have come later than its vector: others write meanwhile.
        let back = moved.iter().filter_map(|id| vectors.states.of(number, *id, rows.revision(*id, sight)?));
        let back = back.filter(|state| state.number <= after);
        let kept = vectors.states.counting(rows, sight, after).filter(|state| state.generation == number);
        let mut window = Window::in_turn();
        for state in back.chain(kept) {
            let goes_on = match state.kind {
                Kind::Vector => {
                    let vector = vectors.vector(state, &mut window)?;
                    vector.is_none_or(|vector| take(Shelved::Vector(state.row, vector)))
                }
                Kind::Skipped => take(Shelved::Skipped(state.row)),
                Kind::Failed(_) => true,
            };
            if !goes_on {
                break;
            }
        }
        Ok(Some(now))
    }

    fn vectors(
        &self,
        serving: &Serving,
        sight: Sight,
        ids: &[i64],
        take: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        let (vectors, rows) = (self.sidecar()?, &self.lines.rows);
        let Some(number) = number_of(&vectors, serving) else { return Ok(()) };
        let is_most = ids.len().saturating_mul(4) > vectors.states.len();
        let mut window = if is_most { Window::in_turn() } else { Window::scattered() };
        for id in ids {
            let revision = rows.revision(*id, visibility(sight));
            let state = revision.and_then(|revision| vectors.states.of(number, *id, revision));
            if let Some(state) = state
                && let Some(vector) = vectors.vector(state, &mut window)?
            {
                take(*id, vector);
            }
        }
        Ok(())
    }
}

/// Returns the number of a generation in the file.
fn number_of(vectors: &Sidecar, serving: &Serving) -> Option<u64> {
    let known = vectors.states.generations.iter().find(|known| known.token == serving.number);
    known.map(|known| known.number)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl VectorChanges for Table<'_> {
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let Lines { rows, vectors, .. } = &mut *self.lines;
        let vectors = vectors.get_mut();
        let mut addition = vectors.begin(self.disk, rows)?;
        let number = addition.generation(&vectors.states, generation, dimensions);
        for (id, entry) in entries {
            let Some(revision) = rows.revision(*id, Visibility::All) else { continue };
            let said = match entry {
                Entry::Vector(bytes) => Said::Vector(bytes),
                Entry::Failed(attempts) => Said::Failed(*attempts),
                Entry::Skipped => Said::Skipped,
            };
            addition.state(number, (*id, revision), said);
        }
        addition.fits(self.bound)?;
        vectors.add(self.disk, &addition)?;
        vectors.keep_small(self.disk, rows);
        Ok(())
    }

    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()> {
        let Lines { rows, vectors, .. } = &mut *self.lines;
        let vectors = vectors.get_mut();
        let mut addition = vectors.begin(self.disk, rows)?;
        let number = addition.generation(&vectors.states, generation, dimensions);
        addition.serve(number);
        vectors.add(self.disk, &addition)
    }

    fn drop_others(&mut self, generation: &Generation, _most: usize) -> Result<u64> {
        let Lines { rows, vectors, .. } = &mut *self.lines;
        let vectors = vectors.get_mut();
        vectors.catch_up(self.disk)?;
        let newest = vectors.states.generations.iter().map(|known| known.number).max();
        let others = vectors
            .states
            .generations
            .iter()
            .filter(|known| !known.serves && known.name != *generation && Some(known.number) != newest);
        let others: Vec<u64> = others.map(|known| known.number).collect();
        if others.is_empty() {
            return Ok(0);
        }
        let counting = vectors.states.counting(rows, Visibility::All, 0);
        let dropped = counting.filter(|state| others.contains(&state.generation)).count();
        vectors.write_anew(self.disk, rows, &|known| !others.contains(&known.number))?;
        Ok(dropped as u64)
    }
}

impl MemoryVectors for Table<'_> {
    fn kept_of(&self, ids: &[MemoryId]) -> Result<u64> {
        let (vectors, rows) = (self.sidecar()?, &self.lines.rows);
        let mut kept = 0;
        for known in &vectors.states.generations {
            let has_one = |id: &&MemoryId| {
                let revision = rows.revision(id.get(), Visibility::All);
                let state = revision.and_then(|revision| vectors.states.of(known.number, id.get(), revision));
                state.is_some_and(|state| state.kind == Kind::Vector)
            };
            kept += ids.iter().filter(has_one).count() as u64;
        }
        Ok(kept)
    }

    fn taken_by(&self, visibility: Visibility, filter: &Filter) -> Result<HashSet<i64>> {
        let rows = &self.lines.rows;
        let seen = rows.entries.iter().filter_map(|entry| rows.seen(entry.id, visibility));
        Ok(seen.filter(|entry| entry.is_taken(filter, &rows.names)).map(|entry| entry.id.get()).collect())
    }

    fn cards(&self, visibility: Visibility, ids: &[i64], take: &mut dyn FnMut(&Card<'_>)) -> Result<()> {
        let rows = &self.lines.rows;
        let seen = ids.iter().filter_map(|id| rows.seen(MemoryId::new(*id), visibility));
        seen.for_each(|entry| take(&entry.card(&rows.names, &rows.places)));
        Ok(())
    }
}
