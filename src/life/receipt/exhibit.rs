//! The sources that a model was shown, kept until the host names the reply.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::source::{LeftOut, LeftOutReason, ReplySource, ShownBy};
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::document::SourceRef;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::memory::{Found, Memory, Packed};
use crate::search::documents::FoundChunks;

/// Sources that a model was shown, for [`Session::showed`](crate::Session::showed): ids, lines and hashes, no text.
///
/// It is made `From` the results of a search ([`Found`], [`FoundChunks`]), from rows [packed](Packed) into a context, and from
/// a [`MemoryContext`](crate::life::MemoryContext).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Exhibit {
    pub(crate) items: Vec<Item>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// A source, and the hashes of what it says, without a key yet.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) by: ShownBy,
    pub(crate) source: ReplySource,
    pub(crate) revision: Option<Digest>,
    pub(crate) hash: Option<Digest>,
}

impl Item {
    /// Makes the source of a row of a store.
    pub(crate) fn row(by: ShownBy, row: &Memory) -> Self {
        let source = ReplySource::Row { id: row.id, shared: row.shared };
        Self { by, source, revision: None, hash: Some(Digest::of(row.content.as_bytes())) }
    }

    /// Makes the source of lines of a document.
    pub(crate) fn lines(by: ShownBy, name: &DocName, lines: (u64, u64), revision: Option<Digest>) -> Self {
        let at = SourceRef { name: name.clone(), first_line: lines.0, last_line: lines.1 };
        Self { by, source: ReplySource::Lines { at, dream: None }, revision, hash: None }
    }
}

impl Exhibit {
    /// Adds a source.
    pub(crate) fn add(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Adds something that was left out.
    pub(crate) fn leave_out(&mut self, by: ShownBy, source: ReplySource, reason: LeftOutReason) {
        self.left_out.push(LeftOut::new(by, source, reason));
    }

    /// Adds all of another one.
    pub(crate) fn extend(&mut self, other: Self) {
        self.items.extend(other.items);
        self.left_out.extend(other.left_out);
    }
}

impl From<&Found> for Exhibit {
    fn from(found: &Found) -> Self {
        let items = found.hits.iter().map(|hit| Item::row(ShownBy::Search, &hit.memory)).gather();
        Self { items, left_out: Vec::new() }
    }
}

impl From<&Packed<'_>> for Exhibit {
    fn from(packed: &Packed<'_>) -> Self {
        let items = packed.rows.iter().map(|row| Item::row(ShownBy::Search, row)).gather();
        Self { items, left_out: Vec::new() }
    }
}

impl From<&FoundChunks> for Exhibit {
    fn from(found: &FoundChunks) -> Self {
        let items = found.results.iter().map(|one| Item::lines(ShownBy::Search, &one.path, one.lines, None));
        Self { items: items.gather(), left_out: Vec::new() }
    }
}

debug_as!(Exhibit, |it| "Exhibit {{ {} sources, {} left out }}", it.items.len(), it.left_out.len());

/// The sources that one session handed out. Its toolboxes have the same one; where receipts are off, it keeps nothing.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Option<Arc<Mutex<Kept>>>);

/// Sources that wait for their reply.
#[derive(Default)]
pub(crate) struct Kept {
    /// Sources of the prompt that was made last: it stays the prompt until another one is made.
    pub(crate) prompt: Exhibit,
    /// All others since the last reply.
    pub(crate) since: Exhibit,
    pub(crate) replies: u64,
}

impl Recorder {
    pub(crate) fn new(is_on: bool) -> Self {
        Self(is_on.then(Arc::default))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the sources that wait, if receipts are on.
    pub(crate) fn kept(&self) -> Option<MutexGuard<'_, Kept>> {
        self.0.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps sources that were handed out; they are only made where receipts are on.
    pub(crate) fn keep(&self, made: impl FnOnce() -> Exhibit) {
        if self.is_on() {
            let made = made();
            if let Some(mut kept) = self.kept() {
                kept.since.extend(made);
            }
        }
    }
}

debug_as!(Recorder, |it| "Recorder {{ on: {} }}", it.is_on());

/// Returns whether rows of a store that were handed to this session may be seen by sessions with others.
pub(crate) fn are_shared(access: &Access) -> bool {
    !access.reads_memory()
}
