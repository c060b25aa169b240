//! The sync of an index with documents that were changed beside it.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};

use super::upkeep::{Cuts, Upkeep, is_indexed, is_no_document, is_nothing};
use super::walk::{Folder, Looked};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::search::documents::{IndexChange, IndexEntry, SeenDocument};
use crate::workspace::Workspace;

/// The result of a sync.
#[derive(Debug)]
#[non_exhaustive]
pub struct SyncReport {
    /// When it was made.
    pub at: DateTime<Utc>,
    /// Documents that the index did not know.
    pub added: Vec<DocName>,
    /// Documents that read otherwise than before, or were cut by another configuration.
    pub changed: Vec<DocName>,
    /// Documents that are gone.
    pub removed: Vec<DocName>,
    /// The number of changed documents that read as before and were indexed anew. They were indexed by another
    /// configuration or by another version of this library, or a statement was forgotten since.
    pub renewed: u64,
    /// The number of documents that read as before, and are indexed as before.
    pub unchanged: u64,
    /// Documents and folders that could not be read. Their entries in the index are kept, unless they are too
    /// large or no longer plain files.
    pub unreadable: Vec<Unreadable>,
    /// Entries that have no place in a workspace, such as symbolic links and names that no document may have. Lossy
    /// text.
    pub refused: Vec<String>,
    /// Documents and folders that are beyond the workspace's [reach](Workspace::reach), or that an ignore file names.
    /// The contents of such a folder are not known.
    pub left_out: Vec<DocName>,
    /// Documents that are indexed, and that a copy on Windows could not have; see [`DocName::is_portable`].
    pub not_portable: Vec<DocName>,
}

/// A document or folder that a sync could not read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unreadable {
    /// Its name.
    pub name: DocName,
    /// Why not.
    pub reason: Error,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot index {}: {}", self.name, self.reason)
    }
}

/// A sync in progress.
pub(super) struct Sync<'a, W> {
    upkeep: &'a Upkeep<W>,
    /// Looked at whatever their metadata says.
    missed: &'a SortedSet<DocName>,
    cuts: Cuts,
    /// Documents that the index knows and the walk has not met yet.
    known: BTreeMap<DocName, SeenDocument>,
    batch: Vec<IndexChange>,
    batch_bytes: usize,
    pub(super) report: SyncReport,
}

/// The most text that a sync holds in memory, and indexes in one step, except a document that alone is longer.
const BATCH_BYTES: usize = 4 << 20;

/// The most documents that a sync indexes in one step.
const BATCH_DOCUMENTS: usize = 512;

impl<'a, W: Workspace> Sync<'a, W> {
    /// Makes a sync, one at a time; the `missed` documents are looked at, whatever their metadata says.
    pub(super) fn new(upkeep: &'a Upkeep<W>, missed: &'a SortedSet<DocName>, at: DateTime<Utc>) -> Self {
        let report = SyncReport {
            at,
            added: Vec::new(),
            changed: Vec::new(),
            removed: Vec::new(),
            renewed: 0,
            unchanged: 0,
            unreadable: Vec::new(),
            refused: Vec::new(),
            left_out: Vec::new(),
            not_portable: Vec::new(),
        };
        let (cuts, known, batch) = (Cuts::default(), BTreeMap::new(), Vec::new());
        Self { upkeep, missed, cuts, known, batch, batch_bytes: 0, report }
    }

    pub(super) fn run(&mut self) -> Result<()> {
        self.known = self.upkeep.index.seen()?;
        let reach = self.upkeep.workspace.reach();
        let mut folders = vec![Folder::root()];
        while let Some(folder) = folders.pop() {
            match (folder.look(&self.upkeep.workspace, &reach), folder.name) {
                (Ok(looked), name) => {
                    let Looked { listing, folders: inner, left_out } = looked;
                    folders.extend(inner.into_iter().rev());
                    let within = name.map(|name| format!("{name}/")).unwrap_or_default();
                    let refused = listing.refused.iter().map(|name| format!("{within}{name}"));
                    self.report.refused.extend(refused);
                    let mut documents = listing.documents;
                    order::retain(&mut documents, |name| left_out.binary_search(name).is_err());
                    let not_portable = documents.iter().filter(|name| !name.is_portable()).cloned();
                    self.report.not_portable.extend(not_portable);
                    self.report.left_out.extend(left_out);
                    self.documents(&documents)?;
                }
                (Err(error), None) => return Err(error),
                (Err(reason), Some(name)) => {
                    // Whether what is in there is gone cannot be said.
                    let below = format!("{name}/");
                    self.known.retain(|known, _| !known.as_str().starts_with(&below));
                    self.report.unreadable.push(Unreadable { name, reason });
                }
            }
        }
        // Documents that were written through the handle, where no sync looks.
        let beyond: Vec<DocName> = self.known.keys().filter(|name| !reach.includes(name)).cloned().gather();
        order::retain(&mut self.report.left_out, |name| beyond.binary_search(name).is_err());
        self.documents(&beyond)?;
        for (name, before) in std::mem::take(&mut self.known) {
            self.change(IndexChange { name, before: Some(before), after: IndexEntry::Gone })?;
        }
        self.flush()
    }

    fn documents(&mut self, documents: &[DocName]) -> Result<()> {
        let names: Vec<&Name> = documents.iter().map(|name| &**name).gather();
        let looks = self.upkeep.workspace.metadata_of(&names);
        for (name, look) in documents.iter().zip(looks).filter(|(name, _)| is_indexed(name)) {
            let before = self.known.remove(name);
            let cut = self.cuts.of(self.upkeep, name)?;
            let after = match look {
                Ok(None) => Ok(IndexEntry::Gone),
                Ok(Some(metadata)) => match &before {
                    Some(seen) if cut.is_as_seen(name, metadata, seen) && !self.missed.contains(name) => {
                        self.report.unchanged += 1;
                        continue;
                    }
                    _ => self.upkeep.look(name, metadata, before.as_ref(), cut),
                },
                Err(error) => Err(error),
            };
            let after = match after {
                Ok(after) => after,
                Err(reason) => {
                    let is_gone = is_no_document(&reason) && before.is_some();
                    self.report.unreadable.push(Unreadable { name: name.clone(), reason });
                    if !is_gone {
                        continue;
                    }
                    IndexEntry::Gone
                }
            };
            self.change(IndexChange { name: name.clone(), before, after })?;
        }
        Ok(())
    }

    fn change(&mut self, change: IndexChange) -> Result<()> {
        if is_nothing(&change) {
            self.report.unchanged += u64::from(matches!(change.after, IndexEntry::Same(_)));
            return Ok(());
        }
        if let IndexEntry::Text { text, .. } = &change.after {
            self.batch_bytes += text.len();
        }
        self.batch.push(change);
        if self.batch_bytes >= BATCH_BYTES || self.batch.len() >= BATCH_DOCUMENTS {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
        let mut done = self.upkeep.index.apply(&batch, self.report.at)?;
        // A new one may have been removed and forgotten by another between the look and the change.
        let is_new = |change: &IndexChange| change.before.is_none();
        let new: Vec<&Name> =
            batch.iter().filter(|change| is_new(change)).map(|change| &*change.name).gather();
        let mut stands = self.upkeep.workspace.metadata_of(&new).into_iter();
        for (change, done) in batch.iter().zip(&mut done) {
            *done &= !is_new(change) || !matches!(stands.next(), Some(Ok(None)));
        }
        for (change, is_done) in batch.into_iter().zip(done) {
            let name = change.name.clone();
            let followed =
                if is_done { Ok(Some(change)) } else { self.upkeep.refresh(&name, Some(self.report.at)) };
            let change = match followed {
                Ok(Some(change)) => change,
                Ok(None) => {
                    self.report.unchanged += 1;
                    continue;
                }
                Err(reason) => {
                    self.report.unreadable.push(Unreadable { name, reason });
                    continue;
                }
            };
            match (change.after, change.before) {
                (IndexEntry::Gone, _) => self.report.removed.push(change.name),
                (IndexEntry::Same(_), _) => self.report.unchanged += 1,
                (IndexEntry::Text { .. }, None) => self.report.added.push(change.name),
                (IndexEntry::Text { seen, .. }, Some(before)) => {
                    self.report.renewed += u64::from(seen.revision == before.revision);
                    self.report.changed.push(change.name);
                }
            }
        }
        Ok(())
    }
}
