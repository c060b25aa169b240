//! The upkeep of an index: it follows each verb on its workspace.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::forgotten::ForgottenCache;
use super::rights::audience;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name, Space};
use crate::base::order;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::format::documents::templates;
use crate::gate::Tombstones;
use crate::search::documents::{Chunk, ChunkConfig, DocumentIndex, IndexChange, IndexEntry, SeenDocument};
use crate::search::rank::WORDS_VERSION;
use crate::workspace::{Metadata, Workspace};

/// A workspace, its index, and what the index could not follow.
pub(super) struct Upkeep<W> {
    pub(super) workspace: W,
    pub(super) index: Box<dyn DocumentIndex>,
    pub(super) chunks: ChunkConfig,
    pub(super) missed: Mutex<Missed>,
    pub(super) forgotten: ForgottenCache,
}

/// Documents that the index could not follow.
#[derive(Default)]
pub(super) struct Missed {
    /// To be looked at by the next sync, whatever their metadata says.
    pub(super) names: SortedSet<DocName>,
    /// Not taken yet: the last failure of each.
    pub(super) failures: SortedMap<DocName, Error>,
}

/// The most looks at a document that others indexed meanwhile.
const ATTEMPTS: u32 = 100;

/// Returns whether a document is one to be found: all but the library's own, and a playbook that was put by.
pub(super) fn is_indexed(name: &Name) -> bool {
    let folded = name.folded();
    name.space() == Space::Document
        && folded != DocName::HEARTBEAT_STATE.as_str()
        && !folded.starts_with("bootstrap.md.done.")
}

/// Returns whether the index must drop a document, since it can no longer be read.
pub(super) fn is_no_document(error: &Error) -> bool {
    matches!(error, Error::TooLarge { .. } | Error::Refused { .. })
}

impl<W: Workspace> Upkeep<W> {
    pub(super) fn missed(&self) -> MutexGuard<'_, Missed> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows a verb, even a failed one: a failed append may have left something.
    pub(super) fn follow(&self, name: &Name) {
        let Some(name) = DocName::parse(name.as_str()).ok().filter(|_| is_indexed(name)) else { return };
        let followed = self.refresh(&name, None);
        let mut missed = self.missed();
        match followed {
            // A name without a document has left the index, and the caller knows.
            Ok(_) | Err(Error::Refused { .. }) => {
                missed.names.remove(&name);
            }
            Err(error) => {
                missed.names.insert(name.clone());
                missed.failures.insert(name, error);
            }
        }
    }

    /// Brings the index entry of a document up to date. Returns what was carried out last.
    ///
    /// The index is asked before the document is read, and takes the change only if nobody changed it since. So
    /// whatever was indexed last was read last.
    pub(super) fn refresh(&self, name: &DocName, at: Option<DateTime<Utc>>) -> Result<Option<IndexChange>> {
        for _ in 0..ATTEMPTS {
            let cut = self.cut(GroupName::of_document(name.as_str()))?;
            let before = self.index.seen_of(name)?;
            let (metadata, failed) = match self.workspace.metadata(name) {
                Ok(metadata) => (metadata, None),
                Err(error) if is_no_document(&error) => (None, Some(error)),
                Err(error) => return Err(error),
            };
            let (after, failed) =
                match metadata.map(|metadata| self.look(name, metadata, before.as_ref(), &cut)) {
                    None => (IndexEntry::Gone, failed),
                    Some(Ok(after)) => (after, None),
                    Some(Err(error)) if is_no_document(&error) => (IndexEntry::Gone, Some(error)),
                    Some(Err(error)) => return Err(error),
                };
            let change = IndexChange { name: name.clone(), before, after };
            if is_nothing(&change) {
                return failed.map_or(Ok(None), Err);
            }
            let at = at.or(metadata.map(|metadata| metadata.modified)).unwrap_or_default();
            let changed = [change];
            let is_done = self.index.apply(&changed, at)?[0];
            let [change] = changed;
            // Meanwhile another process may have written, indexed, removed and forgotten a new document. That
            // looks as if nothing had happened.
            let stands =
                || Ok::<_, Error>(change.before.is_some() || self.workspace.metadata(name)?.is_some());
            if is_done && (matches!(change.after, IndexEntry::Gone) || stands()?) {
                return failed.map_or(Ok(Some(change)), Err);
            }
        }
        Err(Error::Busy { path: name.to_string() })
    }

    /// Reads a document whose metadata was read before. If it changes in between, the index keeps the older state, and
    /// the next sync looks again.
    pub(super) fn look(
        &self,
        name: &DocName,
        metadata: Metadata,
        before: Option<&SeenDocument>,
        cut: &Cut,
    ) -> Result<IndexEntry> {
        let Some(document) = self.workspace.read(name)? else { return Ok(IndexEntry::Gone) };
        let seen = SeenDocument {
            size: metadata.len,
            modified: metadata.modified,
            revision: document.revision(),
            audience: audience(name, self.is_of_group()),
            chunking: cut.identity.clone(),
        };
        let is_same =
            |before: &SeenDocument| before.revision == seen.revision && before.chunking == seen.chunking;
        if before.is_some_and(is_same) {
            return Ok(IndexEntry::Same(seen));
        }
        let bytes = document.into_bytes();
        let text = if bytes.contains(&0) {
            String::new()
        } else {
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        };
        let text = match cut.forgotten.as_ref().map(|forgotten| forgotten.blanked(&text)) {
            Some(Cow::Owned(blanked)) => blanked,
            _ => text,
        };
        let mut chunks = self.chunks.chunks(&text);
        // They would be found before what somebody has written.
        let says_nothing =
            |chunk: &Chunk| chunk.is_bare || templates::holds(name, &text[chunk.bytes.clone()]);
        order::retain(&mut chunks, |chunk| !says_nothing(chunk));
        Ok(IndexEntry::Text { seen, text, chunks })
    }

    /// Returns the rule for cutting documents now, those of a group or all others. Tombstones are a part of it, so that
    /// after a forgetting all documents are cut anew.
    pub(super) fn cut(&self, group: Option<GroupName>) -> Result<Cut> {
        let forgotten = self.forgotten.of_group(&self.workspace, group.as_ref())?;
        let is_of_group = self.is_of_group();
        let mut identity = format!("{} words {WORDS_VERSION}", self.chunks.identity());
        if let Some(forgotten) = &forgotten {
            identity.push_str(&format!(" forgotten {}", forgotten.identity()));
        }
        Ok(Cut { group, forgotten, identity, is_of_group })
    }

    /// Returns whether the workspace is a group's.
    pub(super) fn is_of_group(&self) -> bool {
        self.workspace.scope().is_some_and(|scope| scope.group_name().is_some())
    }
}

/// The rule for cutting documents, and the parts that are left out.
pub(super) struct Cut {
    group: Option<GroupName>,
    forgotten: Option<Arc<Tombstones>>,
    identity: String,
    is_of_group: bool,
}

impl Cut {
    /// Returns whether a text of a document, or its name, was forgotten.
    pub(super) fn hides(&self, name: &Name, text: &str) -> bool {
        let forgotten = self.forgotten.as_ref();
        forgotten.is_some_and(|forgotten| forgotten.holds(name.as_str()) || forgotten.holds(text))
    }

    pub(super) fn is_of(&self, seen: &SeenDocument) -> bool {
        seen.chunking == self.identity
    }

    pub(super) fn is_as_seen(&self, name: &DocName, metadata: Metadata, before: &SeenDocument) -> bool {
        before.size == metadata.len
            && before.modified == metadata.modified
            && before.chunking == self.identity
            && before.audience == audience(name, self.is_of_group)
    }
}

/// The rules for cutting the documents of a life and of the group that was read last: documents come folder by folder.
#[derive(Default)]
pub(super) struct Cuts([Option<Cut>; 2]);

impl Cuts {
    pub(super) fn of<W: Workspace>(&mut self, upkeep: &Upkeep<W>, name: &DocName) -> Result<&Cut> {
        let group = GroupName::of_document(name.as_str());
        let place = &mut self.0[usize::from(group.is_some())];
        let cut = match place.take() {
            Some(cut) if cut.group == group => cut,
            _ => upkeep.cut(group)?,
        };
        Ok(place.insert(cut))
    }
}

/// Returns whether the index says all of it already.
pub(super) fn is_nothing(change: &IndexChange) -> bool {
    match &change.after {
        IndexEntry::Gone => change.before.is_none(),
        IndexEntry::Same(seen) => change.before.as_ref() == Some(seen),
        IndexEntry::Text { .. } => false,
    }
}
