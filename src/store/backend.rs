//! The work of a memory store's backend: it keeps rows and reads them, and decides nothing.
//!
//! All data is plain, and all calls block. A backend keeps the rows of one scope apart from those of others. It leaves
//! out rows that a [`Visibility`] does not see in its query, so that none of their words leaves it.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::echo::EchoWord;
use super::edit::Edit;
use super::forget::{Burial, Struck};
use super::practice::{Practice, PracticeChanges, Rest};
use super::searchable::Searchable;
use super::vectors::{MemoryVectors, VectorChanges};
use super::words::Words;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::name::Name;
use crate::edges::{Edge, TopEntity};
use crate::facts::{
    ConsolidationEvent, EventId, Fact, FactKey, FactState, Suspect, SuspectReason, Suspicion,
};
use crate::format::DreamId;
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::{
    AuditEntry, Learning, LearningId, Memory, MemoryId, NewLearning, NewMemory, SnapshotRow, Source,
};
use crate::search::rank::{Stemmer, Term, Visibility};

/// The place of a store's rows.
pub(crate) trait Backend: Send + Sync {
    /// Says where it is, for messages: a path.
    fn location(&self) -> String;

    /// Returns the name of the audit in errors.
    fn audit_name(&self) -> Name;

    /// Reads once, in one view of the store, with everything that other processes wrote before.
    fn read_rows(&self, action: &'static str, read: &mut dyn FnMut(&dyn Rows) -> Result<()>) -> Result<()>;

    /// Reads and changes once, in one step: nothing comes between, and where it fails or the power is lost nothing is changed.
    /// When it returns, the change is durable.
    fn change_rows(
        &self,
        action: &'static str,
        change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>,
    ) -> Result<()>;

    /// Makes an index anew that could not be read; `false` where there is none to mend.
    fn mend_index(&self) -> Result<bool> {
        Ok(false)
    }

    /// Takes the words of removed rows out of what is left of them in the files; says where any stay. `is_forgotten`
    /// where no byte of them may be left between rows either.
    fn wipe(&self, _is_forgotten: bool) -> Result<Option<&'static str>> {
        Ok(None)
    }
}

impl dyn Backend {
    /// Returns an answer that is read in one view of the store.
    pub(crate) fn read<T>(
        &self,
        action: &'static str,
        read: impl FnOnce(&dyn Rows) -> Result<T>,
    ) -> Result<T> {
        let (mut read, mut answer) = (Some(read), None);
        self.read_rows(action, &mut |rows| {
            if let Some(read) = read.take() {
                answer = Some(read(rows)?);
            }
            Ok(())
        })?;
        Ok(answer.expect("a backend that succeeds has read"))
    }

    /// Returns an answer of a change in one step.
    pub(crate) fn change<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut dyn Changes) -> Result<T>,
    ) -> Result<T> {
        let (mut change, mut answer) = (Some(change), None);
        self.change_rows(action, &mut |rows| {
            if let Some(change) = change.take() {
                answer = Some(change(rows)?);
            }
            Ok(())
        })?;
        Ok(answer.expect("a backend that succeeds has changed"))
    }
}

/// The rows of a scope, and what belongs to them.
pub(crate) trait Rows: Searchable + Facts + Practice {
    /// Reads a row that is neither deleted nor retired.
    fn get(&self, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>>;

    /// Lists the rows of a prompt: first the pinned ones, then the others, each the latest touched first. No row is
    /// pending or from a foreign source. The words of `participants` are among them only in a group of theirs.
    fn snapshot(&self, limit: usize, visibility: Visibility, participants: bool) -> Result<Vec<SnapshotRow>>;

    /// Reads the facts by which a change of a row is judged. The row is not deleted, or was deleted at a time or
    /// later.
    fn editable(&self, id: MemoryId, deleted_since: Option<DateTime<Utc>>) -> Result<Option<Editable>>;

    /// Returns the row of a dream with these words, deleted or not, and whether the library was the last to delete
    /// it. A row that is not deleted comes before the others, then the least id.
    fn promoted(&self, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>>;

    /// Returns all rows that say a statement anywhere, deleted and retired ones too, by id.
    fn saying(&self, burial: &Burial) -> Result<Vec<Fact>>;

    /// Returns the profile by key, or some keys of it.
    fn profile(&self, keys: Option<&[&str]>) -> Result<Vec<(String, String)>>;

    /// Returns the latest lines of the audit first.
    fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>>;

    /// Returns the latest learnings first.
    fn learnings(&self, limit: usize) -> Result<Vec<Learning>>;

    /// Returns the learning that says this; white space, case and end marks do not count.
    fn learned(&self, content: &str) -> Result<Option<LearningId>>;

    /// Returns the tombstones; `None` if nothing was forgotten.
    fn tombstones(&self) -> Result<Option<Arc<Tombstones>>>;

    /// Returns the key under which tombstones are kept, where there were any.
    fn tombstone_key(&self) -> Result<Option<TombstoneKey>>;

    /// Lists the latest rows in sight with an edge to one of these keys or to a longer name, at most `most`. The
    /// greatest id is first.
    fn mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>>;

    /// Returns the edges of rows, whatever their state, in the order of the ids; those of a row as they were found.
    fn edges_of(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>>;

    /// Lists the entities of most rows in sight; ties by kind, then by key.
    fn top_entities(&self, visibility: Visibility, limit: usize) -> Result<Vec<TopEntity>>;

    /// Returns a number that is another one after any change.
    fn edition(&self) -> Result<u64>;

    /// Returns the vectors of its rows.
    fn as_vectors(&self) -> &dyn MemoryVectors;
}

/// Rows as facts: all that are not deleted, retired ones included.
pub(crate) trait Facts: Searchable {
    /// Returns a row.
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>>;
    /// Gives what rows say, in any order.
    fn contents(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()>;
    /// Gives the words of what rows say, in any order.
    fn words(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &Words)) -> Result<()> {
        let mut stemmer = Stemmer::default();
        self.contents(ids, &mut |id, text| take(id, &Words::of(text, &mut stemmer)))
    }
    /// Lists, for each word, the rows in sight that have it: the greatest id first, at most `most` for a word. The work
    /// does not grow with the number of rows that have a word.
    fn latest_with(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>>;
    /// Lists, for each word, the latest rows in sight, at most `most`. These are retired rows with a successor that say
    /// it, and current rows whose key has it. A listed row may no longer have the word. There are no lists if there are
    /// no such rows at all.
    fn echoes(&self, visibility: Visibility, words: &[EchoWord], most: usize) -> Result<Vec<Vec<MemoryId>>>;
    /// Returns the undecided pairs of some rows: each of those rows, the other one of the pair, and why. Both stand and
    /// are in sight.
    fn open_suspects(
        &self,
        visibility: Visibility,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, MemoryId, SuspectReason)>>;
    /// Returns the facts that wait, by id.
    fn pending(&self) -> Result<Vec<Fact>>;
    /// Returns whether any waits. Costs next to nothing.
    fn is_pending(&self) -> Result<bool>;
    /// Lists the settled facts with the same statement as a pending one, in any order; none that another one replaced.
    fn stated_as_pending(&self) -> Result<Vec<Fact>>;
    /// Returns the facts of this subject and slot, by id.
    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>>;
    /// Returns the lines of dreams that were replaced, by id.
    fn retired_lines(&self) -> Result<Vec<Fact>>;
    /// Returns the facts that a row replaced, by id.
    fn replaced_by(&self, id: MemoryId) -> Result<Vec<Fact>>;
    /// Returns the pairs of standing rows that nobody decided on, by the newer row, then by the older.
    fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>>;
    /// Counts the facts that anybody but the human retired since then.
    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64>;
    /// Returns a decision.
    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>>;
    /// Returns the events after one, in their order.
    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>>;
    /// Returns the latest events first.
    fn decisions(&self, limit: usize) -> Result<Vec<ConsolidationEvent>>;
}

/// Changes of the rows of a scope, each with its line of the audit.
pub(crate) trait Changes: Rows + PracticeChanges {
    /// Adds a row, and keeps what it may contradict.
    fn write(&mut self, memory: &NewMemory, suspects: &[Suspect], entry: AuditEntry) -> Result<MemoryId>;

    /// Makes several changes durable in one step. If one of them fails, none is made.
    fn together(&mut self, change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>) -> Result<()>;

    /// Changes the row that the entry names, by its actor and at its time.
    fn edit(&mut self, id: MemoryId, edit: Edit<'_>, entry: AuditEntry) -> Result<()>;

    /// Keeps events, gives each its id, and carries out what those change that count.
    fn rule(&mut self, events: &mut [ConsolidationEvent], now: DateTime<Utc>) -> Result<()>;

    /// Adds a learning.
    fn learn(&mut self, learning: &NewLearning, entry: AuditEntry) -> Result<LearningId>;

    /// Sets a value of the profile.
    fn set_profile(&mut self, key: &str, value: &str, entry: AuditEntry) -> Result<()>;

    /// Removes rows that say a statement, and takes it out of everything else. Parts with other text are overwritten, the rest is
    /// removed. Keeps its tombstone under a key. The audit has a line for each row beside the entry. Returns what was removed.
    fn forget(
        &mut self,
        rows: &[MemoryId],
        burial: (&Burial, &[Rest]),
        key: &TombstoneKey,
        entry: AuditEntry,
    ) -> Result<Struck>;

    /// Takes a tombstone away.
    fn lift(&mut self, stone: Tombstone, entry: AuditEntry) -> Result<()>;

    /// Removes for good the rows that were deleted before a time, at least one if there is any. The audit has a line
    /// like the entry for each.
    fn purge(&mut self, cutoff: DateTime<Utc>, entry: AuditEntry) -> Result<Vec<MemoryId>>;

    /// Extracts the edges of some rows anew that come after a row.
    fn extract_edges(&mut self, after: MemoryId) -> Result<Extracted>;

    /// Adds a line to the audit, of something that was refused.
    fn refuse(&mut self, entry: AuditEntry) -> Result<()>;

    /// Returns the vectors of its rows, to change them.
    fn as_vectors_mut(&mut self) -> &mut dyn VectorChanges;
}

/// A step of an extraction of edges.
pub(crate) struct Extracted {
    pub(crate) added: u64,
    /// The last row that was looked at; `None` where there are no more.
    pub(crate) last: Option<MemoryId>,
}

/// The facts that a change of a row is judged by.
pub(crate) struct Editable {
    pub(crate) source: Option<Source>,
    pub(crate) category: String,
    /// `None` where nothing was ever decided.
    pub(crate) state: Option<FactState>,
    pub(crate) pinned_by: Option<Actor>,
}
