//! A workspace whose documents are found by their words.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};

use super::Guarded;
use super::forgotten::ForgottenCache;
use super::rights::audience;
use super::shown::{Passages, ShownPassage};
use super::sync::{Sync, SyncReport, Unreadable};
use super::upkeep::{Cuts, Upkeep, is_indexed};
use crate::base::access::{Access, Scope};
use crate::base::document::{Document, Revision};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::embed::{EmbedError, Embedder, Purpose};
use crate::facts::FactStore;
use crate::gate::Doors;
use crate::memory::{Degraded, QueryVector, SearchOutcome};
use crate::search::documents::{ChunkConfig, DocumentIndex, FoundChunks, SearchResult};
use crate::search::rank::{Plan, one_line};
use crate::trace;
use crate::workspace::is_of;
use crate::workspace::{Claim, ClaimTerms, Lease, Listing, Metadata, Reach, Workspace, WriteMode};

/// A workspace, and an index over its documents that is kept in step with it.
///
/// It is a workspace itself. A change through it, or through a lease that it gave, is found the moment the verb
/// returns. A change by hand is found after the next [`sync`](Self::sync).
///
/// The document is the truth. Where the index fails, the verb does what it does all the same. The failure is kept for
/// [`take_failures`](Self::take_failures), and the next sync mends it. So it is after a crash between the two.
///
/// A search tells a session what [`Guarded`](crate::life::Guarded) would let it read, and nothing else. The audience is
/// a column of the index that every query binds, and is checked again on the way out. Its results are ranked over the
/// documents that it may read, so that not even the order tells of the rest.
///
/// No search shows statements that the workspace has forgotten. From the next sync on they are indexed as blanks of the
/// same length. All other text is found as before. A document with such a name is not found at all.
///
/// A sync looks for the documents within the workspace's [reach](Workspace::reach), and walks no other folder. A
/// document beyond it that was written through this handle is found too, until a [`rebuild`](Self::rebuild). Skipped
/// documents are in the [report](SyncReport::left_out).
///
/// State files are never indexed; documents with a zero byte are known and have no chunks. A verb reads the document
/// again to index it, so it costs more for longer ones. It writes only changed chunks of the index. One index serves
/// one workspace: a second one of the same scope would take the first one's documents for removed.
///
/// # Example: what was written is found
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use chrono::{TimeZone, Utc};
/// use noctuary::life::Indexed;
/// use noctuary::workspace::Reach;
/// use noctuary::{
///     Access, DocName, FileWorkspace, Scope, SqliteIndex, Workspace, WriteMode,
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
/// let access = Access::agent(Scope::user("marta"));
/// let found = workspace.search(&access, "What is my boat called?", 10)?.results;
/// assert_eq!((found[0].path.as_str(), found[0].lines, found[0].score), ("MEMORY.md", (1, 3), 1.0));
///
/// let group = Access::shared(Scope::user("marta"));
/// assert!(workspace.search(&group, "boat", 10)?.results.is_empty());
///
/// std::fs::write(folder.path().join("life/harbour.md"), "The boat lies in Lisbon.\n")?; // an editor
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// assert_eq!(workspace.sync(now)?.added, [DocName::parse("harbour.md")?]);
/// assert_eq!(workspace.search(&access, "boat", 10)?.results.len(), 2);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Indexed<W> {
    pub(super) upkeep: Arc<Upkeep<W>>,
    doors: Arc<Doors>,
    embedder: Option<Arc<dyn Embedder>>,
    facts: Option<Arc<dyn FactStore>>,
    around: usize,
}

/// Returns how many results are looked at for a requested number: the newest of several equal statements may be further
/// down.
fn compared(limit: usize) -> usize {
    if limit == 0 { 0 } else { limit.max(COMPARED) }
}

/// The results that are compared by what they say, where fewer are asked for.
const COMPARED: usize = 10;

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
    /// [`Error::Config`](crate::Error::Config) for chunks below 16 bytes or characters, or overlaps of more than half a chunk.
    pub fn with_chunks(
        workspace: W,
        index: impl DocumentIndex + 'static,
        chunks: ChunkConfig,
    ) -> Result<Self> {
        chunks.check()?;
        Ok(Self::over(workspace, Box::new(index), chunks))
    }

    fn over(workspace: W, index: Box<dyn DocumentIndex>, chunks: ChunkConfig) -> Self {
        let upkeep = Upkeep {
            workspace,
            index,
            chunks,
            missed: Mutex::default(),
            forgotten: ForgottenCache::default(),
        };
        Self { upkeep: Arc::new(upkeep), doors: Arc::default(), embedder: None, facts: None, around: 0 }
    }

    /// Sets what a [`search`](Self::search) shows, by [`Door::PromptLoad`](crate::gate::Door::PromptLoad).
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.doors = Arc::new(doors);
        self
    }

    /// Sets the embedder of queries. The chunks get their vectors by [`embed_once`](crate::vectors::embed_once) on the index.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Sets the facts by which a [`search`](Self::search) says behind an outdated line of memory what holds now, and
    /// since when. They are asked at each search that finds such a line.
    #[must_use]
    pub fn with_facts(mut self, facts: Arc<dyn FactStore>) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Sets how many entries of a journal a [`search`](Self::search) gives before and behind the one that matched; none as
    /// provided.
    #[must_use]
    pub fn with_neighbours(mut self, entries: usize) -> Self {
        self.around = entries;
        self
    }

    /// Returns the workspace beneath. A document that is written to it directly is found after the next sync.
    #[must_use]
    pub fn workspace(&self) -> &W {
        &self.upkeep.workspace
    }

    /// Finds the chunks that fit a text as a person types it, best first, as a model may be shown them. Each as its
    /// document would be in a prompt, with secrets masked and instructions blocked. No text is an error; for a scope
    /// that is not the index's, or not the workspace's, nothing is found.
    ///
    /// For a journal, an [entry](Self::entries) is given instead of its chunk. One comes behind a later one that says the same
    /// anew, and [names it](SearchResult::newer). Each document with a result is read. A passage that is no longer there is left
    /// out, and so is one that only masked words led to.
    ///
    /// # Errors
    ///
    /// The errors of the index, and of reading the results.
    pub fn search(&self, access: &Access, query: &str, limit: usize) -> Result<FoundChunks> {
        let found = self.search_unmasked(access, query, compared(limit))?;
        self.shown(access, query, found, limit, true)
    }

    /// Finds what [`search`](Self::search) does, by words and by a vector that the host made of the query. An index without
    /// vectors goes by words, and the outcome says so.
    ///
    /// # Errors
    ///
    /// The errors of [`search`](Self::search).
    pub fn search_near(
        &self,
        access: &Access,
        query: &str,
        vector: &QueryVector,
        limit: usize,
    ) -> Result<FoundChunks> {
        let found = self.searched(access, query, || {
            self.upkeep.index.search_near(access, query, vector, compared(limit))
        })?;
        self.shown(access, query, found, limit, true)
    }

    /// Narrows chunks of journals to the entries that matched, up to three of a chunk, as [`search`](Self::search) does; masks
    /// nothing, as [`search_unmasked`](Self::search_unmasked). A chunk that was found by its day or its meaning stays whole.
    ///
    /// # Errors
    ///
    /// The errors of reading the results.
    pub fn entries(
        &self,
        access: &Access,
        query: &str,
        found: FoundChunks,
        limit: usize,
    ) -> Result<FoundChunks> {
        self.shown(access, query, found, limit, false)
    }

    fn shown(
        &self,
        access: &Access,
        query: &str,
        mut found: FoundChunks,
        limit: usize,
        is_masked: bool,
    ) -> Result<FoundChunks> {
        let doors = Doors::clone(&self.doors);
        let mut view = Guarded::new(&self.upkeep.workspace, access.clone()).with_doors(doors);
        let is_memory = |found: &SearchResult| view.notes_in(&found.path).is_some();
        if let Some(facts) = self.facts.as_ref().filter(|_| is_masked && found.results.iter().any(is_memory))
        {
            view.mark_superseded(&facts.superseded(access)?)?;
        }
        let mut passages = Passages::new(&view, query, self.around);
        if !is_masked {
            passages = passages.unmasked();
        }
        let mut shown = Vec::with_capacity(found.results.len());
        for result in found.results {
            for ShownPassage { lines, content } in passages.shown(&result)?.into_iter().flatten() {
                let span = passages.sentence_in(&content);
                shown.push(SearchResult { content, lines, span, ..result.clone() });
            }
        }
        passages.newest_first(&mut shown);
        shown.truncate(limit);
        if shown.is_empty() && !matches!(found.outcome, SearchOutcome::Degraded(_)) {
            found.outcome = SearchOutcome::Empty;
        }
        Ok(FoundChunks { results: shown, ..found })
    }

    /// Finds what [`search`](Self::search) does, as the index has it: for the owner alone, and for callers that mask it.
    /// It belongs into no request of a model. Hits of journals are chunks; [`entries`](Self::entries) narrows them.
    ///
    /// # Errors
    ///
    /// The errors of the index.
    pub fn search_unmasked(&self, access: &Access, query: &str, limit: usize) -> Result<FoundChunks> {
        let by_words = || Ok(FoundChunks::by_words(query, self.upkeep.index.search(access, query, limit)?));
        self.searched(access, query, || match self.vector_of(query)? {
            None => by_words(),
            Some(Ok(vector)) => self.upkeep.index.search_near(access, query, &vector, limit),
            Some(Err(_)) => Ok(by_words()?.degraded(Degraded::Failed)),
        })
    }

    fn searched(
        &self,
        access: &Access,
        query: &str,
        search: impl FnOnce() -> Result<FoundChunks>,
    ) -> Result<FoundChunks> {
        let told = |found: &FoundChunks| (found.results.len(), found.outcome);
        trace::search_documents(told, || {
            if !is_of(&self.upkeep.workspace, &access.scope) {
                return Ok(FoundChunks::by_words(query, Vec::new()));
            }
            let mut found = search()?;
            let results = &mut found.results;
            let is_of_group = self.upkeep.is_of_group();
            let includes = |path: &DocName| audience(path, is_of_group).includes(access.kind);
            order::retain(results, |result| includes(&result.path) && is_indexed(&result.path));
            // The index may not have been brought up to date since something was forgotten.
            let mut cuts = Cuts::default();
            for result in std::mem::take(results) {
                if !cuts.of(&self.upkeep, &result.path)?.hides(&result.path, &result.content) {
                    results.push(result);
                }
            }
            Ok(found)
        })
    }

    /// Asks the embedder for the vector of a query, if there is one and the query may be answered by meaning.
    fn vector_of(&self, query: &str) -> Result<Option<std::result::Result<QueryVector, EmbedError>>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let Some(text) = Plan::of(&one_line(query), false).for_meaning() else { return Ok(None) };
        let forgotten = self.upkeep.forgotten.get(&self.upkeep.workspace)?;
        let doors = Doors::clone(&self.doors).heeding(forgotten);
        let Some(text) = doors.question_for_an_embedder(&text)? else { return Ok(None) };
        let vector = |mut numbers: Vec<Vec<f32>>| match (numbers.pop(), numbers.len()) {
            (Some(numbers), 0) => Ok(QueryVector::new(embedder.id(), numbers)),
            _ => Err(EmbedError::new("the embedder must answer one vector for one text")),
        };
        Ok(Some(embedder.embed(&[&text], Purpose::Query).and_then(vector)))
    }

    /// Catches up with what was changed beside this handle. A document of unchanged size and time of change is not
    /// opened. One of unchanged content is not cut again, and removed ones leave the index.
    ///
    /// Several processes may sync at once, and write meanwhile.
    ///
    /// # Errors
    ///
    /// The errors of the index, and of listing the root. A document that cannot be read is no error: the report names it.
    pub fn sync(&self, now: DateTime<Utc>) -> Result<SyncReport> {
        let missed = std::mem::take(&mut self.upkeep.missed().names);
        let mut sync = Sync::new(&self.upkeep, &missed, now);
        let done = sync.run();
        let report = sync.report;
        if done.is_err() || !report.unreadable.is_empty() {
            self.upkeep.missed().names.extend(missed);
        }
        done.map(|()| report)
    }

    /// Forgets everything and indexes every document anew. Meanwhile a search finds what is indexed again already.
    ///
    /// # Errors
    ///
    /// The errors of [`sync`](Self::sync).
    pub fn rebuild(&self, now: DateTime<Utc>) -> Result<SyncReport> {
        self.upkeep.index.clear()?;
        self.sync(now)
    }

    /// Returns the documents that are indexed by another rule than the present one: before the last statement was forgotten.
    pub(crate) fn outdated(&self) -> Result<SortedSet<DocName>> {
        let (mut cuts, mut outdated) = (Cuts::default(), SortedSet::new());
        for (name, seen) in self.upkeep.index.seen()? {
            if !cuts.of(&self.upkeep, &name)?.is_of(&seen) {
                outdated.insert(name);
            }
        }
        Ok(outdated)
    }

    /// Leaves nothing on the disk of what was taken out of the index, as far as it can.
    pub(crate) fn scrub(&self) -> Result<()> {
        self.upkeep.index.scrub()
    }

    /// Returns the documents that the index could not follow since the last call, the last failure of each document.
    #[must_use]
    pub fn take_failures(&self) -> Vec<Unreadable> {
        let failures = std::mem::take(&mut self.upkeep.missed().failures);
        failures.into_iter().map(|(name, reason)| Unreadable { name, reason }).gather()
    }
}

#[deny(clippy::missing_trait_methods)]
impl<W: Workspace + 'static> Workspace for Indexed<W> {
    fn location(&self) -> String {
        self.upkeep.workspace.location()
    }

    fn scope(&self) -> Option<&Scope> {
        self.upkeep.workspace.scope()
    }

    fn reach(&self) -> Reach {
        self.upkeep.workspace.reach()
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        self.upkeep.workspace.list(folder)
    }

    fn hidden(&self) -> Result<Vec<Name>> {
        self.upkeep.workspace.hidden()
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        self.upkeep.workspace.metadata(name)
    }

    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        self.upkeep.workspace.metadata_of(names)
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        self.upkeep.workspace.read(name)
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.upkeep.workspace.read_range(name, range)
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        let done = self.upkeep.workspace.write(name, bytes, mode);
        self.upkeep.follow(name);
        done
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let done = self.upkeep.workspace.append(name, bytes);
        self.upkeep.follow(name);
        done
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        let done = self.upkeep.workspace.remove(name);
        self.upkeep.follow(name);
        done
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        let done = self.upkeep.workspace.rename(from, to);
        self.upkeep.follow(from);
        self.upkeep.follow(to);
        done
    }

    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        let dropped = self.upkeep.workspace.drop_versions(holds)?;
        // A document that is deleted for good has left the index, and leaves its file too.
        self.upkeep.index.scrub()?;
        Ok(dropped)
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        Ok(match self.upkeep.workspace.claim(terms)? {
            Claim::Granted(lease) => {
                Claim::Granted(Box::new(IndexedLease { lease, upkeep: Arc::clone(&self.upkeep) }))
            }
            held @ Claim::Held(_) => held,
        })
    }
}

/// The lease of an [`Indexed`] workspace.
struct IndexedLease<W> {
    lease: Box<dyn Lease>,
    upkeep: Arc<Upkeep<W>>,
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
        self.upkeep.follow(name);
        done
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        let done = self.lease.finish(name, len, rest);
        self.upkeep.follow(name);
        done
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let done = self.lease.replace(name, bytes);
        self.upkeep.follow(name);
        done
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        let done = self.lease.remove(name);
        self.upkeep.follow(name);
        done
    }

    fn release(self: Box<Self>) -> Result<()> {
        self.lease.release()
    }
}

impl<W> Clone for Indexed<W> {
    fn clone(&self) -> Self {
        Self {
            upkeep: Arc::clone(&self.upkeep),
            doors: Arc::clone(&self.doors),
            embedder: self.embedder.clone(),
            facts: self.facts.clone(),
            around: self.around,
        }
    }
}

impl<W: fmt::Debug> fmt::Debug for Indexed<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Indexed({:?}, {:?})", self.upkeep.workspace, self.upkeep.index)
    }
}

impl<W> fmt::Debug for IndexedLease<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexedLease({:?})", self.lease)
    }
}
