//! A workspace whose documents are found by their words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::sight::Passages;
use super::walk::{Folder, Looked};
use super::{Guarded, audience, forgotten};
use crate::base::access::{Access, Scope};
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, Space};
use crate::gate::{Doors, Tombstones};
use crate::search::documents::{
    ChunkConfig, DocumentIndex, IndexChange, IndexEntry, SearchResult, SeenDocument,
};
use crate::trace;
use crate::workspace::is_of;
use crate::workspace::{Claim, ClaimTerms, Lease, Listing, Metadata, Reach, Workspace, WriteMode};

/// A workspace, and an index over its documents that is kept in step with it.
///
/// It is a workspace itself: what is written, appended, removed or renamed through it, or through a lease that it
/// gave, is found the moment the verb returns. What was changed by hand is found after the next [`sync`](Self::sync).
///
/// The document is the truth. Where the index fails, the verb does what it does all the same; the failure is kept for
/// [`take_failures`](Self::take_failures), and the next sync mends it. So it is after a crash between the two.
///
/// A search tells a session what [`Guarded`](crate::life::Guarded) would let it read, and nothing else: who may read a
/// document is a column of the index that every query binds, and is asked of the access table again on the way
/// out. What it finds is ranked over what it may read, so that not even the order tells of the rest.
///
/// What the workspace has forgotten is told by no search. From the next sync on it is indexed as blanks of the same
/// length, and whatever else a document says is found where it stands; one whose name holds it is not found at all.
///
/// A sync looks for the documents within the workspace's [reach](Workspace::reach), and walks no other folder. A document
/// beyond it that was written through this handle is found too, until a [`rebuild`](Self::rebuild); what was passed over is in
/// the [report](SyncReport::left_out).
///
/// State files are never indexed; documents with a zero byte are known and have no chunks. A verb reads the document
/// again to index it, so it costs more the longer that is; of the index it writes only the chunks that read
/// otherwise. One index serves one workspace: a second one of the same scope would take the first one's documents
/// for removed.
///
/// # Example: what was written is found
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use chrono::{TimeZone, Utc};
/// use noctuary::life::Indexed;
/// use noctuary::workspace::Reach;
/// use noctuary::{
///     Access, Actor, DocName, FileWorkspace, Scope, SessionKind, SqliteIndex, Workspace, WriteMode,
/// };
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("life"))?;
/// let reach = Reach::own().and(DocName::parse("harbour.md")?);
/// let files = FileWorkspace::open(folder.path().join("life"))?.reaching(reach);
/// let index = SqliteIndex::open(folder.path().join("index.db"), Scope::user("marta"))?;
/// let workspace = Indexed::new(files, index);
/// workspace.write(&DocName::MEMORY, b"# Memory\n\n- The boat is called Brisk.\n", WriteMode::Create)?;
///
/// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
/// let found = workspace.search(&access, "What is my boat called?", 10)?;
/// assert_eq!((found[0].path.as_str(), found[0].lines, found[0].score), ("MEMORY.md", (1, 3), 1.0));
///
/// let group = Access::new(SessionKind::Shared, Actor::Agent, Scope::user("marta"));
/// assert!(workspace.search(&group, "boat", 10)?.is_empty());
///
/// std::fs::write(folder.path().join("life/harbour.md"), "The boat lies in Lisbon.\n")?; // an editor
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// assert_eq!(workspace.sync(now)?.added, [DocName::parse("harbour.md")?]);
/// assert_eq!(workspace.search(&access, "boat", 10)?.len(), 2);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Indexed<W> {
    inner: Arc<Inner<W>>,
    doors: Arc<Doors>,
}

struct Inner<W> {
    workspace: W,
    index: Box<dyn DocumentIndex>,
    chunks: ChunkConfig,
    missed: Mutex<Missed>,
}

/// What the index could not follow.
#[derive(Default)]
struct Missed {
    /// To be looked at by the next sync, whatever their metadata says.
    names: BTreeSet<DocName>,
    /// Not taken yet: the last failure of each.
    failures: BTreeMap<DocName, Error>,
}

/// What a sync found.
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
    /// How many read as before.
    pub unchanged: u64,
    /// Documents and folders that could not be read. What the index knew of them stands, except where they are too
    /// large or no plain files any more.
    pub unreadable: Vec<Unreadable>,
    /// Entries that have no place in a workspace, such as symbolic links and names that no document may have. Lossy
    /// text.
    pub refused: Vec<String>,
    /// Documents and folders that are beyond the workspace's [reach](Workspace::reach), or that an ignore file names. Of
    /// a folder nothing further is known.
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

/// How much text a sync holds in memory, and indexes in one step, but for a document that is longer alone.
const BATCH_BYTES: usize = 4 << 20;

/// How many documents a sync indexes in one step.
const BATCH_DOCUMENTS: usize = 512;

/// How often a document is looked at again because others indexed it meanwhile.
const ATTEMPTS: u32 = 100;

impl<W: Workspace> Indexed<W> {
    /// Puts an index beside a workspace, with the default [`ChunkConfig`]. Nothing is read until something is
    /// written or [`sync`](Self::sync) is called.
    pub fn new(workspace: W, index: impl DocumentIndex + 'static) -> Self {
        Self::over(workspace, Box::new(index), ChunkConfig::default())
    }

    /// As [`new`](Self::new), cutting documents by `chunks`. The next sync cuts those anew that the index knows by
    /// another configuration.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for chunks below 16 bytes or characters, or overlaps of more than half a chunk.
    pub fn with_chunks(
        workspace: W,
        index: impl DocumentIndex + 'static,
        chunks: ChunkConfig,
    ) -> Result<Self> {
        chunks.check()?;
        Ok(Self::over(workspace, Box::new(index), chunks))
    }

    fn over(workspace: W, index: Box<dyn DocumentIndex>, chunks: ChunkConfig) -> Self {
        let inner = Inner { workspace, index, chunks, missed: Mutex::default() };
        Self { inner: Arc::new(inner), doors: Arc::default() }
    }

    /// Sets what a [`search`](Self::search) shows, by [`Door::PromptLoad`](crate::gate::Door::PromptLoad).
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.doors = Arc::new(doors);
        self
    }

    /// The workspace beneath. What is written to it directly is found after the next sync.
    #[must_use]
    pub fn workspace(&self) -> &W {
        &self.inner.workspace
    }

    /// Finds the chunks that fit a text as a person types it, best first, as a model may be shown them: each as its
    /// document would stand in a prompt, with secrets masked and instructions blocked. No text is an error; for a scope that is
    /// not the index's, or not the workspace's, nothing is found.
    ///
    /// Each document of which something was found is read. What stands there no more is left out, and so is what only masked
    /// words led to.
    ///
    /// # Errors
    ///
    /// Those of the index, and of reading what was found.
    pub fn search(&self, access: &Access, query: &str, limit: usize) -> Result<Vec<SearchResult>> {
        let found = self.search_unmasked(access, query, limit)?;
        let doors = Doors::clone(&self.doors);
        let view = Guarded::new(&self.inner.workspace, access.clone()).with_doors(doors);
        let mut passages = Passages::new(&view, query);
        let mut shown = Vec::with_capacity(found.len());
        for result in found {
            if let Some(content) = passages.shown(&result)? {
                shown.push(SearchResult { content, ..result });
            }
        }
        Ok(shown)
    }

    /// Finds what [`search`](Self::search) does, as the index has it: for the owner's own eyes, and for whoever masks it.
    /// It belongs into no request of a model.
    ///
    /// # Errors
    ///
    /// Those of the index.
    pub fn search_unmasked(&self, access: &Access, query: &str, limit: usize) -> Result<Vec<SearchResult>> {
        trace::search_documents(|| {
            if !is_of(&self.inner.workspace, &access.scope) {
                return Ok(Vec::new());
            }
            let mut found = self.inner.index.search(access, query, limit)?;
            found.retain(|result| audience(&result.path).includes(access.kind) && is_indexed(&result.path));
            if let Some(forgotten) = forgotten(&self.inner.workspace)? {
                // The index may not have been brought up to date since.
                found.retain(|result| {
                    !forgotten.holds(result.path.as_str()) && !forgotten.holds(&result.content)
                });
            }
            Ok(found)
        })
    }

    /// Catches up with what was changed beside this handle. A document of unchanged size and time of change is not
    /// opened, one of unchanged content is not cut again, and what is gone leaves the index.
    ///
    /// Several processes may sync at once, and write meanwhile.
    ///
    /// # Errors
    ///
    /// Those of the index, and of listing the root. A document that cannot be read is no error: the report names it.
    pub fn sync(&self, now: DateTime<Utc>) -> Result<SyncReport> {
        let cut = self.inner.cut()?;
        let missed = std::mem::take(&mut self.inner.missed().names);
        let mut sync = Sync {
            inner: &self.inner,
            missed: &missed,
            cut,
            known: BTreeMap::new(),
            batch: Vec::new(),
            batch_bytes: 0,
            report: SyncReport {
                at: now,
                added: Vec::new(),
                changed: Vec::new(),
                removed: Vec::new(),
                unchanged: 0,
                unreadable: Vec::new(),
                refused: Vec::new(),
                left_out: Vec::new(),
                not_portable: Vec::new(),
            },
        };
        let done = sync.run();
        let report = sync.report;
        if done.is_err() || !report.unreadable.is_empty() {
            self.inner.missed().names.extend(missed);
        }
        done.map(|()| report)
    }

    /// Forgets everything and indexes every document anew. Meanwhile a search finds what is indexed again already.
    ///
    /// # Errors
    ///
    /// Those of [`sync`](Self::sync).
    pub fn rebuild(&self, now: DateTime<Utc>) -> Result<SyncReport> {
        self.inner.index.clear()?;
        self.sync(now)
    }

    /// Leaves nothing on the disk of what was taken out of the index, as far as it can.
    pub(crate) fn scrub(&self) -> Result<()> {
        self.inner.index.scrub()
    }

    /// What the index could not follow since this was last asked, the last failure of each document.
    #[must_use]
    pub fn take_failures(&self) -> Vec<Unreadable> {
        let failures = std::mem::take(&mut self.inner.missed().failures);
        failures.into_iter().map(|(name, reason)| Unreadable { name, reason }).collect()
    }
}

/// Whether a document is one to be found: all but the library's own, and a playbook that was put by.
fn is_indexed(name: &Name) -> bool {
    let folded = name.folded();
    name.space() == Space::Document
        && folded != DocName::HEARTBEAT_STATE.as_str()
        && !folded.starts_with("bootstrap.md.done.")
}

/// Whether what the index knew of a document must go, since it is none any more that can be read.
fn is_no_document(error: &Error) -> bool {
    matches!(error, Error::TooLarge { .. } | Error::Refused { .. })
}

impl<W: Workspace> Inner<W> {
    fn missed(&self) -> MutexGuard<'_, Missed> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows a verb, whatever came of it: also a failed append may have left something.
    fn follow(&self, name: &Name) {
        let Some(name) = DocName::parse(name.as_str()).ok().filter(|_| is_indexed(name)) else { return };
        let followed = self.refresh(&name, None);
        let mut missed = self.missed();
        match followed {
            // What is no document any more has left the index, and whoever asked for it knows.
            Ok(_) | Err(Error::Refused { .. }) => {
                missed.names.remove(&name);
            }
            Err(error) => {
                missed.names.insert(name.clone());
                missed.failures.insert(name, error);
            }
        }
    }

    /// Makes the index say of a document what stands there now. Returns what was carried out last.
    ///
    /// The index is asked before the document is read, and takes the change only if nobody changed it since. So
    /// whatever was indexed last was read last.
    fn refresh(&self, name: &DocName, at: Option<DateTime<Utc>>) -> Result<Option<IndexChange>> {
        for _ in 0..ATTEMPTS {
            let cut = self.cut()?;
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
            // A document that was new may have been written, indexed, removed and forgotten by another meanwhile:
            // that looks as if nothing had happened.
            let stands =
                || Ok::<_, Error>(change.before.is_some() || self.workspace.metadata(name)?.is_some());
            if is_done && (matches!(change.after, IndexEntry::Gone) || stands()?) {
                return failed.map_or(Ok(Some(change)), Err);
            }
        }
        Err(Error::Busy { path: name.to_string() })
    }

    /// Reads a document whose metadata was asked before: where it changes in between, what the index says of it is
    /// older than it is, so that the next sync looks again.
    fn look(
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
            audience: audience(name),
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
        let chunks = self.chunks.chunks(&text);
        Ok(IndexEntry::Text { seen, text, chunks })
    }

    /// How documents are cut now: what was forgotten is a part of it, so that whatever was cut before is cut anew.
    fn cut(&self) -> Result<Cut> {
        let forgotten = forgotten(&self.workspace)?;
        let mut identity = self.chunks.identity();
        if let Some(forgotten) = &forgotten {
            identity.push_str(&format!(" forgotten {}", forgotten.identity()));
        }
        Ok(Cut { forgotten, identity })
    }
}

/// How documents are cut, and what is left out of them.
struct Cut {
    forgotten: Option<Tombstones>,
    identity: String,
}

impl Cut {
    fn is_as_seen(&self, name: &DocName, metadata: Metadata, before: &SeenDocument) -> bool {
        before.size == metadata.len
            && before.modified == metadata.modified
            && before.chunking == self.identity
            && before.audience == audience(name)
    }
}

/// Whether the index says all of it already.
fn is_nothing(change: &IndexChange) -> bool {
    match &change.after {
        IndexEntry::Gone => change.before.is_none(),
        IndexEntry::Same(seen) => change.before.as_ref() == Some(seen),
        IndexEntry::Text { .. } => false,
    }
}

/// A sync under way.
struct Sync<'a, W> {
    inner: &'a Inner<W>,
    /// Looked at whatever their metadata says.
    missed: &'a BTreeSet<DocName>,
    cut: Cut,
    /// What the index knows and the walk has not met yet.
    known: BTreeMap<DocName, SeenDocument>,
    batch: Vec<IndexChange>,
    batch_bytes: usize,
    report: SyncReport,
}

impl<W: Workspace> Sync<'_, W> {
    fn run(&mut self) -> Result<()> {
        self.known = self.inner.index.seen()?;
        let reach = self.inner.workspace.reach();
        let mut folders = vec![Folder::root()];
        while let Some(folder) = folders.pop() {
            match (folder.look(&self.inner.workspace, &reach), folder.name) {
                (Ok(looked), name) => {
                    let Looked { listing, folders: inner, left_out } = looked;
                    folders.extend(inner.into_iter().rev());
                    let within = name.map(|name| format!("{name}/")).unwrap_or_default();
                    let refused = listing.refused.iter().map(|name| format!("{within}{name}"));
                    self.report.refused.extend(refused);
                    let mut documents = listing.documents;
                    documents.retain(|name| left_out.binary_search(name).is_err());
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
        // What was written through the handle, where no sync looks.
        let beyond: Vec<DocName> = self.known.keys().filter(|name| !reach.includes(name)).cloned().collect();
        self.report.left_out.retain(|name| beyond.binary_search(name).is_err());
        self.documents(&beyond)?;
        for (name, before) in std::mem::take(&mut self.known) {
            self.change(IndexChange { name, before: Some(before), after: IndexEntry::Gone })?;
        }
        self.flush()
    }

    fn documents(&mut self, documents: &[DocName]) -> Result<()> {
        let names: Vec<&Name> = documents.iter().map(|name| &**name).collect();
        let looks = self.inner.workspace.metadata_of(&names);
        for (name, look) in documents.iter().zip(looks).filter(|(name, _)| is_indexed(name)) {
            let before = self.known.remove(name);
            let after = match look {
                Ok(None) => Ok(IndexEntry::Gone),
                Ok(Some(metadata)) => match &before {
                    Some(seen)
                        if self.cut.is_as_seen(name, metadata, seen) && !self.missed.contains(name) =>
                    {
                        self.report.unchanged += 1;
                        continue;
                    }
                    _ => self.inner.look(name, metadata, before.as_ref(), &self.cut),
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
        let mut done = self.inner.index.apply(&batch, self.report.at)?;
        // A new one may have been removed and forgotten by another between the look and the change.
        let is_new = |change: &IndexChange| change.before.is_none();
        let new: Vec<&Name> =
            batch.iter().filter(|change| is_new(change)).map(|change| &*change.name).collect();
        let mut stands = self.inner.workspace.metadata_of(&new).into_iter();
        for (change, done) in batch.iter().zip(&mut done) {
            *done &= !is_new(change) || !matches!(stands.next(), Some(Ok(None)));
        }
        for (change, is_done) in batch.into_iter().zip(done) {
            let name = change.name.clone();
            let followed =
                if is_done { Ok(Some(change)) } else { self.inner.refresh(&name, Some(self.report.at)) };
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
                (IndexEntry::Text { .. }, Some(_)) => self.report.changed.push(change.name),
            }
        }
        Ok(())
    }
}

#[deny(clippy::missing_trait_methods)]
impl<W: Workspace + 'static> Workspace for Indexed<W> {
    fn location(&self) -> String {
        self.inner.workspace.location()
    }

    fn scope(&self) -> Option<&Scope> {
        self.inner.workspace.scope()
    }

    fn reach(&self) -> Reach {
        self.inner.workspace.reach()
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        self.inner.workspace.list(folder)
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        self.inner.workspace.metadata(name)
    }

    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        self.inner.workspace.metadata_of(names)
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        self.inner.workspace.read(name)
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.inner.workspace.read_range(name, range)
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        let done = self.inner.workspace.write(name, bytes, mode);
        self.inner.follow(name);
        done
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let done = self.inner.workspace.append(name, bytes);
        self.inner.follow(name);
        done
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        let done = self.inner.workspace.remove(name);
        self.inner.follow(name);
        done
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        let done = self.inner.workspace.rename(from, to);
        self.inner.follow(from);
        self.inner.follow(to);
        done
    }

    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        let dropped = self.inner.workspace.drop_versions(holds)?;
        // What is deleted for good has left the index, and leaves its file too.
        self.inner.index.scrub()?;
        Ok(dropped)
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        Ok(match self.inner.workspace.claim(terms)? {
            Claim::Granted(lease) => {
                Claim::Granted(Box::new(IndexedLease { lease, inner: Arc::clone(&self.inner) }))
            }
            held @ Claim::Held(_) => held,
        })
    }
}

/// The lease of an [`Indexed`] workspace.
struct IndexedLease<W> {
    lease: Box<dyn Lease>,
    inner: Arc<Inner<W>>,
}

impl<W: Workspace> Lease for IndexedLease<W> {
    fn epoch(&self) -> u64 {
        self.lease.epoch()
    }

    fn check(&self) -> Result<()> {
        self.lease.check()
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let done = self.lease.append(name, bytes);
        self.inner.follow(name);
        done
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        let done = self.lease.finish(name, len, rest);
        self.inner.follow(name);
        done
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let done = self.lease.replace(name, bytes);
        self.inner.follow(name);
        done
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        let done = self.lease.remove(name);
        self.inner.follow(name);
        done
    }

    fn release(self: Box<Self>) -> Result<()> {
        self.lease.release()
    }
}

impl<W> Clone for Indexed<W> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), doors: Arc::clone(&self.doors) }
    }
}

impl<W: fmt::Debug> fmt::Debug for Indexed<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Indexed({:?}, {:?})", self.inner.workspace, self.inner.index)
    }
}

impl<W> fmt::Debug for IndexedLease<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexedLease({:?})", self.lease)
    }
}
