//! Forgetting: what a person wants gone leaves every place that can be reached, and comes back through no door.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use chrono::{DateTime, Utc};

use crate::base::access::{Access, Actor, SessionKind};
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::base::receipt::{DocumentReceipt, ForgetPlace, ForgetReceipt, PlaceReceipt};
use crate::base::text;
use crate::dream::commit;
use crate::dreamer::Outcome;
use crate::format::replies::reply;
use crate::format::state::forgotten::Forgotten;
use crate::format::state::history::History;
use crate::format::state::intent::Intent;
use crate::format::state::ledger::{Entry, Ledger};
use crate::format::state::proposal::{Proposals, Waiting};
use crate::format::state::sleep_intent::SleepIntent;
use crate::format::state::undone::Undone;
use crate::format::state::{log, seal};
use crate::format::{JournalName, SleepFiles};
use crate::gate::{TombstoneKey, Tombstones};
use crate::life::{EDITABLE, rewrite};
use crate::memory::MemoryStore;
use crate::session::{Indexed, SyncReport};
use crate::workspace::{Claim, ClaimTerms, Lease, Metadata, Workspace, check_scope};

/// Forgets a statement: its words leave what can be reached, and neither a dream, an import, a copy, an index, an
/// agent's write, anybody's write into a store nor a prompt brings them back. [`lift`](Self::lift) is the way back.
///
/// A tombstone is written first: a keyed hash without content, by which the statement is known again wherever it
/// stands, in any case, wrapping and markup ([`Tombstones`]). When [`run`](Self::run) returns, it survives a power
/// loss. After an error or a crash some of the rest is done; running again does what is left, and finds nothing
/// where all was done.
///
/// A person's files are touched only where that person asks for it, by [`in_files`](Self::in_files). Until then they
/// stay, the receipt counts what stands in them, and it is hidden from prompts, dreams and searches; whoever opens the
/// file reads it.
///
/// What is forgotten are words in their order: the same in other words is not known again. What is said again stands
/// in the journal of that session, which is a record, and goes no further. What is written while this runs is for
/// another run.
///
/// # Example: a person wants it gone, also from the files
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::exchange::{Forget, ForgetPlace};
/// use noctuary::{Access, Actor, DocName, FileWorkspace, Scope, SessionKind, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// workspace.write(&DocName::MEMORY, b"- My landlord is Jan Kowalski.\n- Tea at five.\n", WriteMode::Create)?;
///
/// let access = Access::new(SessionKind::Main, Actor::Human, Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let receipt =
///     Forget::new(&access, "my landlord is Jan Kowalski").in_files(true).workspace(&workspace).run(now)?;
/// assert_eq!(receipt.place(ForgetPlace::Memory).removed, 1);
/// assert_eq!(receipt.left().count(), 0);
/// assert!(!receipt.is_gone(), "no memory store and no index was given");
///
/// let memory = std::fs::read_to_string(folder.path().join("MEMORY.md"))?;
/// assert_eq!(memory, "- [forgotten]----------------.\n- Tea at five.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is forgotten until it is `run`"]
pub struct Forget<'a> {
    access: &'a Access,
    text: String,
    in_files: bool,
    stores: Vec<&'a dyn MemoryStore>,
    workspace: Option<&'a dyn Workspace>,
    index: Option<CatchUp<'a>>,
}

/// Brings an index up to date.
type CatchUp<'a> = Box<dyn Fn(DateTime<Utc>) -> Result<SyncReport> + Send + Sync + 'a>;

const NOT_ASKED: &str = "files are touched only where their person asks for it";

impl<'a> Forget<'a> {
    /// A request of a session to forget a statement, in its own words.
    pub fn new(access: &'a Access, text: impl Into<String>) -> Self {
        Self { access, text: text.into(), in_files: false, stores: Vec::new(), workspace: None, index: None }
    }

    /// Sets whether it is overwritten in the person's own files too, with marks of the same length: every other byte
    /// stays, and every line where it was. Off. Only the human of a main session may ask for it.
    pub fn in_files(mut self, in_files: bool) -> Self {
        self.in_files = in_files;
        self
    }

    /// A memory store that forgets: its rows are removed, whoever wrote them; there may be several.
    pub fn store(mut self, store: &'a dyn MemoryStore) -> Self {
        self.stores.push(store);
        self
    }

    /// The workspace that forgets.
    pub fn workspace(mut self, workspace: &'a dyn Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// The index over its documents, which is brought up to date.
    pub fn index<W: Workspace>(mut self, index: &'a Indexed<W>) -> Self {
        self.index = Some(Box::new(move |now| {
            let report = index.sync(now)?;
            index.scrub()?;
            Ok(report)
        }));
        self
    }

    /// Forgets, and says what came of it in each place.
    ///
    /// With [`in_files`](Self::in_files) the workspace is claimed meanwhile, so that no dream runs in between.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for another scope than the workspace's, for a session with others present, and for anybody but the human where files are to be
    /// touched, or where the human typed or confirmed a row of a store. [`Error::Config`] for a text of fewer than two words and fewer than eight letters.
    /// [`Error::Busy`] where somebody dreams: the tombstone stands then, and the files wait for another run. Those of
    /// the stores, the workspace and the index.
    pub fn run(&self, now: DateTime<Utc>) -> Result<ForgetReceipt> {
        self.check(self.in_files)?;
        let mut receipt = ForgetReceipt::new(now);
        let mut of_stores: BTreeMap<ForgetPlace, PlaceReceipt> = BTreeMap::new();
        for store in &self.stores {
            for line in store.forget(self.access, &self.text, now)? {
                let sum = of_stores.entry(line.place).or_insert(PlaceReceipt::new(line.place, 0, 0));
                sum.found += line.found;
                sum.removed += line.removed;
                sum.left = sum.left.take().or(line.left);
            }
        }
        for line in of_stores.into_values() {
            receipt.set(line);
        }
        let mut in_documents = 0;
        if let Some(workspace) = self.workspace {
            let (all, only) = self.bury(workspace)?;
            let lease = if self.in_files { Some(claim(workspace)?) } else { None };
            if let Some(lease) = &lease {
                commit::recover::<Intent>(workspace, lease.as_ref(), Some(&all))?;
                commit::recover::<SleepIntent>(workspace, lease.as_ref(), Some(&all))?;
            }
            let text = Text { workspace, lease: lease.as_deref(), only: &only };
            in_documents = text.forget(&mut receipt)?;
            if let Some(lease) = lease {
                lease.release()?;
            }
        }
        if let Some(index) = &self.index {
            let unreadable = index(now)?.unreadable.len();
            let line = PlaceReceipt::new(ForgetPlace::DocumentIndex, in_documents, in_documents);
            receipt.set(match unreadable {
                0 => line,
                some => line.left(format!("{some} documents and folders could not be read")),
            });
        }
        Ok(receipt)
    }

    /// Takes it back: the statement may be written and remembered again. What was removed stays removed. `false`
    /// where it was not forgotten.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of a main session; those of the stores, the workspace and the index.
    pub fn lift(&self, now: DateTime<Utc>) -> Result<bool> {
        self.check(true)?;
        let mut is_lifted = false;
        for store in &self.stores {
            is_lifted |= store.lift(self.access, &self.text, now)?;
        }
        if let Some(workspace) = self.workspace {
            rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
                let Some(mut file) = Forgotten::<Tombstones>::parse(bytes)? else { return Ok(None) };
                let is_out = file.tombstones.lift(&self.text);
                is_lifted |= is_out;
                Ok(is_out.then(|| file.print()))
            })?;
        }
        if let Some(index) = &self.index {
            index(now)?;
        }
        Ok(is_lifted)
    }

    fn check(&self, is_for_the_human: bool) -> Result<()> {
        let Access { kind, actor, .. } = self.access;
        if *kind != SessionKind::Main || (is_for_the_human && *actor != Actor::Human) {
            return Err(Error::Denied { name: StateName::FORGOTTEN.into(), kind: *kind });
        }
        if let Some(workspace) = self.workspace {
            check_scope(workspace, self.access, StateName::FORGOTTEN)?;
        }
        match Tombstones::new(TombstoneKey::random()).bury(&self.text) {
            Some(_) => Ok(()),
            None => Err(Error::Config {
                setting: "what is to be forgotten",
                rule: "must have two words, or eight letters",
            }),
        }
    }

    /// Writes the tombstone. Returns all that the workspace has forgotten, and this statement alone.
    fn bury(&self, workspace: &dyn Workspace) -> Result<(Tombstones, Tombstones)> {
        let mut buried = None;
        rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
            let file = Forgotten::parse(bytes)?;
            let mut file = file.unwrap_or_else(|| Forgotten::new(Tombstones::new(TombstoneKey::random())));
            let stone = file.tombstones.bury(&self.text).expect("it was checked that it has words enough");
            let is_new = file.tombstones.insert(stone);
            let mut only = Tombstones::new(file.tombstones.key().clone());
            only.insert(stone);
            let bytes = is_new.then(|| file.print());
            buried = Some((file.tombstones, only));
            Ok(bytes)
        })?;
        Ok(buried.expect("a file is rewritten from what stands in it"))
    }
}

impl fmt::Debug for Forget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Forget {{ bytes: {}, in_files: {} }}", self.text.len(), self.in_files)
    }
}

/// Claims a workspace for as long as its files are overwritten.
fn claim(workspace: &dyn Workspace) -> Result<Box<dyn Lease>> {
    match workspace.claim(&ClaimTerms::default())? {
        Claim::Granted(lease) => Ok(lease),
        Claim::Held(_) => Err(Error::Busy { path: workspace.location() }),
    }
}

/// What a workspace says in words, and what is to leave it.
struct Text<'a> {
    workspace: &'a dyn Workspace,
    /// `None` where files are only looked at.
    lease: Option<&'a dyn Lease>,
    only: &'a Tombstones,
}

/// A document that holds the statement.
struct Holder {
    document: Document,
    name: DocName,
    found: u64,
    /// As it was before it was overwritten.
    metadata: Option<Metadata>,
}

impl Text<'_> {
    /// Goes through all documents and what is kept of earlier ones; returns how often they held the statement.
    fn forget(&self, receipt: &mut ForgetReceipt) -> Result<u64> {
        let mut places: BTreeMap<ForgetPlace, PlaceReceipt> =
            [ForgetPlace::Journals, ForgetPlace::Memory, ForgetPlace::Observations, ForgetPlace::Documents]
                .map(|place| (place, PlaceReceipt::new(place, 0, 0)))
                .into();
        let holders = self.holders(&mut places)?;
        self.count_as_read(&holders)?;
        let logs = self.logs(&holders)?;
        for holder in &holders {
            let removed = self.strike(holder)?;
            let line = places.get_mut(&place_of(&holder.name)).expect("each document has a place");
            line.found += holder.found;
            line.removed += removed;
            if removed < holder.found && line.left.is_none() {
                line.left = Some(Cow::Borrowed(match self.lease {
                    None => NOT_ASKED,
                    Some(_) => "a document is not text where it stands",
                }));
            }
            receipt.documents.push(DocumentReceipt::new(holder.name.clone(), holder.found, removed));
        }
        self.note_times(&holders)?;
        for line in places.into_values() {
            receipt.set(line);
        }
        receipt.set(self.versions()?);
        receipt.set(self.proposals()?);
        // Names and hashes alone stand there.
        receipt.set(PlaceReceipt::new(ForgetPlace::Ledgers, 0, 0));
        receipt.set(logs);
        Ok(holders.iter().map(|holder| holder.found).sum())
    }

    /// The documents that hold the statement, ascending.
    fn holders(&self, places: &mut BTreeMap<ForgetPlace, PlaceReceipt>) -> Result<Vec<Holder>> {
        let mut holders = Vec::new();
        let mut in_names: BTreeMap<ForgetPlace, u64> = BTreeMap::new();
        let mut folders = vec![None];
        while let Some(folder) = folders.pop() {
            let listing = self.workspace.list(folder.as_ref())?;
            if !listing.refused.is_empty() {
                let line = places.get_mut(&ForgetPlace::Documents).expect("it is one of the places");
                line.left = Some(Cow::Borrowed("links, and what is no plain file, were not opened"));
            }
            folders.extend(listing.folders.into_iter().map(Some));
            for name in listing.documents {
                let line = places.get_mut(&place_of(&name)).expect("each document has a place");
                if self.only.holds(name.as_str()) {
                    line.found += 1;
                    *in_names.entry(line.place).or_default() += 1;
                }
                let metadata = self.workspace.metadata(&name);
                let document = match self.workspace.read(&name) {
                    Ok(Some(document)) => document,
                    Ok(None) => continue,
                    Err(Error::TooLarge { .. } | Error::Refused { .. }) => {
                        line.left = Some(Cow::Borrowed("a document could not be read"));
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                let found = self.count(document.bytes());
                if found > 0 {
                    holders.push(Holder { document, name, found, metadata: metadata? });
                }
            }
        }
        for (place, names) in in_names {
            let line = places.get_mut(&place).expect("each document has a place");
            line.left = Some(match names {
                1 => Cow::Borrowed("it stands in the name of a document, to be renamed by hand"),
                _ => {
                    Cow::Owned(format!("it stands in the names of {names} documents, to be renamed by hand"))
                }
            });
        }
        holders.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(holders)
    }

    /// Bytes that are not UTF-8 stay, between texts of their own; what holds a zero byte is no text.
    fn struck(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if bytes.contains(&0) {
            return None;
        }
        let mut all = Vec::with_capacity(bytes.len());
        let mut is_changed = false;
        for chunk in bytes.utf8_chunks() {
            let struck = self.only.struck(chunk.valid());
            is_changed |= matches!(struck, Cow::Owned(_));
            all.extend_from_slice(struck.as_bytes());
            all.extend_from_slice(chunk.invalid());
        }
        is_changed.then_some(all)
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        self.only.find(&String::from_utf8_lossy(bytes)).len() as u64
    }

    /// Overwrites the statement in a document, whoever adds to it meanwhile; returns how often.
    fn strike(&self, holder: &Holder) -> Result<u64> {
        let mut left = 0;
        let is_struck = self.change(&holder.name, |bytes| {
            let struck = bytes.and_then(|bytes| self.struck(bytes));
            left = struck.as_ref().map_or(0, |struck| self.count(struck));
            Ok(struck)
        })?;
        Ok(if is_struck { holder.found.saturating_sub(left) } else { 0 })
    }

    /// Changes a document or state file, whoever else writes to it meanwhile. Where files are only looked at, it is shown
    /// to `change`, and stays.
    fn change(
        &self,
        name: &Name,
        mut change: impl FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>>,
    ) -> Result<bool> {
        let Some(lease) = self.lease else {
            change(self.workspace.read(name)?.as_ref().map(Document::bytes))?;
            return Ok(false);
        };
        lease.check()?;
        rewrite(self.workspace, name, change)
    }

    /// Tells the ledger what journals will look like, before they do: else one that was overwritten would be shown
    /// once more, as new. A crash in between leaves journals of unchanged size and time, which no dream opens.
    fn count_as_read(&self, holders: &[Holder]) -> Result<()> {
        self.change_ledger(holders, |holder, entry| {
            let bytes = holder.document.bytes();
            if let Some(struck) = self.struck(bytes) {
                entry.rehash(bytes, &struck);
            }
            Ok(())
        })
    }

    /// Tells the ledger when the journals were overwritten, so that the next dream need not open them.
    fn note_times(&self, holders: &[Holder]) -> Result<()> {
        let nanoseconds = |metadata: Metadata| metadata.modified.timestamp_nanos_opt().unwrap_or(i64::MAX);
        self.change_ledger(holders, |holder, entry| {
            let now = self.workspace.metadata(&holder.name)?;
            if let (Some(before), Some(now)) = (holder.metadata, now)
                && (entry.size, entry.modified) == (before.len, nanoseconds(before))
                && now.len == before.len
            {
                entry.modified = nanoseconds(now);
            }
            Ok(())
        })
    }

    fn change_ledger(
        &self,
        holders: &[Holder],
        change: impl Fn(&Holder, &mut Entry) -> Result<()>,
    ) -> Result<()> {
        let Some(lease) = self.lease else { return Ok(()) };
        let standing = self.workspace.read(&StateName::LEDGER)?;
        let mut ledger = Ledger::parse(standing.as_ref().map(Document::bytes))?;
        let mut changed = BTreeMap::new();
        for holder in holders {
            let Some(entry) = ledger.get(&holder.name) else { continue };
            let mut after = entry.clone();
            change(holder, &mut after)?;
            if after != *entry {
                changed.insert(holder.name.clone(), after);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        ledger.apply(&changed);
        lease.replace(&StateName::LEDGER, &ledger.print())
    }

    /// Overwrites the hashes by which the log knows lines that dreams promoted and that hold the statement, while these
    /// still say which they are: a hash without a key can be tried against words.
    fn logs(&self, holders: &[Holder]) -> Result<PlaceReceipt> {
        let mut hashes = BTreeSet::new();
        let is_curated = |name: &DocName| place_of(name) == ForgetPlace::Memory || *name == DocName::DREAMED;
        for holder in holders.iter().filter(|holder| is_curated(&holder.name)) {
            hashes.extend(self.hashes(&holder.document.lossy()));
        }
        let undone = self.workspace.read(&StateName::UNDONE)?;
        let undone = Undone::parse(undone.as_ref().map(Document::bytes))?;
        for section in undone.dreams().iter().map(|dream| dream.section.as_str()).chain(undone.sections()) {
            hashes.extend(self.hashes(section));
        }
        let (found, removed) = self.strike_hashes(&StateName::LOG, &hashes)?;
        let line = PlaceReceipt::new(ForgetPlace::Logs, found, removed);
        Ok(if removed < found { line.left(NOT_ASKED) } else { line })
    }

    /// The hashes under which lines that hold the statement are remembered.
    fn hashes(&self, text: &str) -> Vec<String> {
        let places = self.only.find(text);
        let touches =
            |line: &Range<usize>| places.iter().any(|place| place.start < line.end && line.start < place.end);
        let lines = text::line_ranges(text).filter(touches);
        lines.map(|line| format!("\"{}\"", log::statement_hash(reply::strip_bullet(&text[line])))).collect()
    }

    /// Overwrites hashes in a state file; returns how many were there, and how many are no more.
    fn strike_hashes(&self, name: &StateName, hashes: &BTreeSet<String>) -> Result<(u64, u64)> {
        let mut found = 0;
        let strike = |bytes: Option<&[u8]>| {
            let mut text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            found = hashes.iter().map(|hash| text.matches(hash.as_str()).count() as u64).sum();
            for hash in hashes {
                text = text.replace(hash.as_str(), &format!("\"{}\"", "0".repeat(hash.len() - 2)));
            }
            Ok((found > 0).then(|| seal::renewed(text.as_bytes())))
        };
        let is_struck = self.change(name, strike)?;
        Ok((found, if is_struck { found } else { 0 }))
    }

    /// What dreams would append, and waits for a person's word.
    fn proposals(&self) -> Result<PlaceReceipt> {
        let standing = self.workspace.read(&StateName::PROPOSALS)?;
        let list = Proposals::parse(standing.as_ref().map(Document::bytes))?;
        let (mut found, mut removed, mut is_read) = (0, 0, true);
        let mut names: BTreeSet<StateName> = list.waiting().iter().map(Waiting::name).collect();
        // One that a person went on with after its answer stands there still, and is on no list.
        let log = self.workspace.read(&StateName::LOG)?.map(Document::into_bytes).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let proposed = log::of_curators(&log).filter(|line| line.outcome == Outcome::Proposed.word());
        names.extend(proposed.map(|line| StateName::proposal(line.id)));
        for name in names {
            let document = match self.workspace.read(&name) {
                Ok(Some(document)) => document,
                Ok(None) => continue,
                Err(Error::TooLarge { .. } | Error::Refused { .. }) => {
                    is_read = false;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let here = self.count(document.bytes());
            if here == 0 {
                continue;
            }
            found += here;
            self.strike_hashes(&StateName::PROPOSALS, &self.hashes(&document.lossy()).into_iter().collect())?;
            let is_struck = self.change(&name, |bytes| Ok(bytes.and_then(|bytes| self.struck(bytes))))?;
            removed += if is_struck { here } else { 0 };
        }
        let line = PlaceReceipt::new(ForgetPlace::Proposals, found, removed);
        Ok(match is_read {
            false => line.left("a proposal could not be read"),
            true if removed < found => line.left(NOT_ASKED),
            true => line,
        })
    }

    /// What was kept of documents before they were replaced.
    fn versions(&self) -> Result<PlaceReceipt> {
        let (mut found, mut removed) = (0, 0);
        let state = self.workspace.read(&StateName::SLEEP)?;
        let sleeper = SleepFiles::of_state(state.as_ref().map(Document::bytes))?;
        let rewritten = sleeper.into_iter().flat_map(SleepFiles::rewritten);
        for document in EDITABLE.into_iter().chain(rewritten) {
            let file = StateName::history(&document);
            let mut here = 0;
            let strike = |bytes: Option<&[u8]>| {
                let mut history = History::parse(&file, bytes)?;
                here = history.change(|bytes| {
                    let holds = self.only.holds(&String::from_utf8_lossy(bytes));
                    holds.then(|| self.struck(bytes))
                });
                Ok((here > 0).then(|| history.print()))
            };
            let is_struck = self.change(&file, strike)?;
            removed += if is_struck { here } else { 0 };
            found += here;
        }
        let mut here = 0;
        let let_go = |bytes: Option<&[u8]>| {
            let mut undone = Undone::parse(bytes)?;
            here = undone.retain(|dream| !self.only.holds(&dream.section))
                + undone.retain_appended(|section| !self.only.holds(section));
            Ok((here > 0).then(|| undone.print()))
        };
        let is_gone = self.change(&StateName::UNDONE, let_go)?;
        removed += if is_gone { here } else { 0 };
        found += here;
        let kept = Cell::new(0);
        let dropped = self.workspace.drop_versions(&|_, bytes| {
            let holds = self.only.holds(&String::from_utf8_lossy(bytes));
            kept.set(kept.get() + u64::from(holds));
            holds && self.lease.is_some()
        })?;
        let line = PlaceReceipt::new(ForgetPlace::Versions, found + kept.get(), removed + dropped);
        Ok(if line.removed < line.found { line.left(NOT_ASKED) } else { line })
    }
}

fn place_of(name: &DocName) -> ForgetPlace {
    match name.folded().as_str() {
        "memory.md" => ForgetPlace::Memory,
        folded if folded.rsplit('/').next() == Some("observations.md") => ForgetPlace::Observations,
        folded if JournalName::is_name(folded) => ForgetPlace::Journals,
        _ => ForgetPlace::Documents,
    }
}
