//! Forgetting: a statement leaves every place that can be reached, and comes back through no door.

use std::io;

use chrono::{DateTime, Utc};

use super::Beside;
use super::claim::claim;
use super::home::{Home, place_of};
use crate::base::access::{Access, Actor, SessionKind};
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::receipt::{DocumentReceipt, ForgetPlace, ForgetReceipt, PlaceReceipt};
use crate::base::sorted::SortedMap;
use crate::base::sorted::SortedSet;
use crate::dream::commit;
use crate::format::state::forgotten::Forgotten;
use crate::gate::{TombstoneKey, Tombstones};
use crate::life::rewrite;
use crate::memory::MemoryStore;
use crate::session::{self, GroupView, Indexed, SyncReport};
use crate::workspace::{Workspace, check_scope};

/// Forgets a statement: its words leave everything in reach. No dream, import, copy, index, write or prompt brings them
/// back. [`lift`](Self::lift) is the way back.
///
/// A tombstone is written first. It is a keyed hash without content, which knows the statement again in any case,
/// wrapping, markup and spelling ([`Tombstones`]). When [`run`](Self::run) returns, it survives a power loss. After an
/// error or a crash some of the rest is done. Running again does what is left, and finds nothing where all was done.
///
/// A person's files are touched only where that person asks for it, by [`in_files`](Self::in_files). Until then they
/// stay, the receipt counts what is in them, and it is hidden from prompts, dreams and searches. Whoever opens the file
/// reads it.
///
/// Hidden files, such as those of an editor's bin, are files of the person too. Repositories (`.git`), links and unreadable
/// files are not opened. The receipt names them, and is not [whole](ForgetReceipt::is_gone) as long as they exist.
///
/// Words are forgotten in their order: the same statement in other words is not recognised. If somebody says the statement
/// again, it is in the journal of that session, since a journal is a record. No dream, search or prompt takes it from there.
/// Text written while this runs is for another run.
///
/// A request takes one workspace and its index. For a second workspace, such as a vault beside the agent's home, run
/// another request; it has a receipt of its own.
///
/// # Example: a person wants it gone, also from the files
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::exchange::{Forget, ForgetPlace};
/// use noctuary::{Access, DocName, FileWorkspace, Scope, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// workspace.write(&DocName::MEMORY, b"- My landlord is Jan Kowalski.\n- Tea at five.\n", WriteMode::Create)?;
///
/// let access = Access::human(Scope::user("marta"));
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
    /// Stores of artifacts and files.
    pub(super) beside: Beside<'a>,
    pub(crate) pages: Option<&'a dyn Kept>,
    workspace: Option<&'a dyn Workspace>,
    // No box: a request that is still in scope keeps nobody from its store or its index once it has run.
    index: Option<&'a (dyn CatchUp + 'a)>,
}

/// Something made of what is remembered, which is kept in memory alone.
pub(crate) trait Kept: Send + Sync {
    /// Drops it, and returns how much that was.
    fn clear(&self) -> u64;
}

/// An index over any workspace.
trait CatchUp: Send + Sync {
    /// Returns the documents that were indexed before the last statement was forgotten.
    fn outdated(&self) -> Result<SortedSet<DocName>>;

    /// Brings the index up to date.
    fn catch_up(&self, now: DateTime<Utc>) -> Result<SyncReport>;
}

impl<W: Workspace> CatchUp for Indexed<W> {
    fn outdated(&self) -> Result<SortedSet<DocName>> {
        Indexed::outdated(self)
    }

    fn catch_up(&self, now: DateTime<Utc>) -> Result<SyncReport> {
        let report = self.sync(now)?;
        self.scrub()?;
        Ok(report)
    }
}

impl<'a> Forget<'a> {
    /// Makes a request of a session to forget a statement, in its own words.
    pub fn new(access: &'a Access, text: impl Into<String>) -> Self {
        Self {
            access,
            text: text.into(),
            in_files: false,
            stores: Vec::new(),
            beside: Beside::default(),
            pages: None,
            workspace: None,
            index: None,
        }
    }

    /// Sets whether it is overwritten in the person's own files too, with marks of the same length. Every other byte
    /// and line stays in its place. Off. Only the human of a main session may ask for it.
    pub fn in_files(mut self, in_files: bool) -> Self {
        self.in_files = in_files;
        self
    }

    /// Adds a memory store that forgets, no matter who wrote its rows; there may be several. A row that says more than
    /// the statement says the rest from now on, with `[forgotten]` in its place. Any other row is removed. The human of
    /// the session finds them named in the receipt.
    pub fn store(mut self, store: &'a dyn MemoryStore) -> Self {
        self.stores.push(store);
        self
    }

    /// Sets the workspace that forgets: the folder or file itself, or the [`Indexed`] over it. Its tombstones are kept in
    /// `.dreaming.d/` there.
    pub fn workspace(mut self, workspace: &'a dyn Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Sets the index over the documents of that workspace: an [`Indexed`], not the `SqliteIndex` inside. A sync and a clean-up
    /// bring it up to date.
    pub fn index<W: Workspace>(mut self, index: &'a Indexed<W>) -> Self {
        self.index = Some(index);
        self
    }

    /// Forgets, and returns the result for each place.
    ///
    /// With [`in_files`](Self::in_files) the workspace is claimed meanwhile, so that no dream runs in between.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for another scope than the workspace's, and for a session with others present. The human alone may touch
    /// files, and forget a row that a human typed or confirmed: [`Error::Denied`] for anybody else.
    /// [`Error::Config`] for a text that has neither two words nor eight letters.
    /// [`Error::Busy`] where somebody dreams: the tombstone exists then, and the files wait for another run. [`Error::Refused`] in files,
    /// where a sleep was interrupted and this build lacks the feature `sleep`, which finishes it. The errors of
    /// the stores, the workspace and the index.
    pub fn run(&self, now: DateTime<Utc>) -> Result<ForgetReceipt> {
        self.check(self.in_files)?;
        let mut receipt = ForgetReceipt::new(now);
        let mut of_stores: SortedMap<ForgetPlace, PlaceReceipt> = SortedMap::new();
        let mut lines = Vec::new();
        for store in &self.stores {
            lines.extend(store.forget(self.access, &self.text, now)?);
        }
        lines.extend(self.beside.forget(self.access, &self.text, self.in_files, now)?);
        for line in lines {
            let sum = of_stores.entry(line.place).or_insert(PlaceReceipt::new(line.place, 0, 0));
            sum.found += line.found;
            sum.removed += line.removed;
            sum.rows.extend(line.rows);
            sum.left = sum.left.take().or(line.left);
        }
        for line in of_stores.into_values() {
            receipt.set(line);
        }
        if let Some(pages) = self.pages {
            let dropped = pages.clear();
            receipt.set(PlaceReceipt::new(ForgetPlace::Pages, dropped, dropped));
        }
        let in_groups = self.in_groups(now)?;
        let mut in_index = SortedSet::new();
        if let Some(workspace) = self.workspace {
            let (all, only) = self.bury(workspace)?;
            let lease = if self.in_files { Some(claim(workspace)?) } else { None };
            if let Some(lease) = &lease {
                commit::recover_all(workspace, lease.as_ref(), Some(&all))?;
            }
            let is_ascii = self.text.is_ascii();
            let home = Home { workspace, lease: lease.as_deref(), only: &only, is_ascii };
            if let Some(index) = self.index {
                in_index = index.outdated()?;
            }
            home.forget(&mut receipt)?;
            if let Some(lease) = lease {
                lease.release()?;
            }
        }
        for line in in_groups {
            receipt.add(line);
        }
        if let Some(index) = self.index {
            let unreadable = index.catch_up(now)?.unreadable.len();
            let held = receipt.documents.iter().filter(|document| in_index.contains(&document.name));
            let found = held.map(|document| document.found).sum();
            let line = PlaceReceipt::new(ForgetPlace::DocumentIndex, found, found);
            receipt.set(match unreadable {
                0 => line,
                some => line.left(format!("{some} documents and folders could not be read")),
            });
        }
        Ok(receipt)
    }

    /// Takes it back: the statement may be written and remembered again. Removed text stays removed. `false`
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
        is_lifted |= self.beside.lift(self.access, &self.text)?;
        if let Some(workspace) = self.workspace {
            rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
                let Some(mut file) =
                    Forgotten::<Tombstones>::or_copy(bytes, || session::forgotten_copy(workspace))?
                else {
                    return Ok(None);
                };
                let is_out = file.tombstones.lift(&self.text);
                is_lifted |= is_out;
                file.in_files.retain(|digest| file.tombstones.iter().any(|stone| stone.digest == *digest));
                Ok(is_out.then(|| file.print()))
            })?;
            for group in session::groups(workspace)? {
                let access = self.access.clone().group(&group);
                let view = GroupView::new(workspace, &self.access.scope, &group);
                is_lifted |= Forget::new(&access, self.text.clone()).workspace(&view).lift(now)?;
            }
        }
        if let Some(index) = self.index {
            index.catch_up(now)?;
        }
        Ok(is_lifted)
    }

    /// Forgets in the groups of the life too: their documents, and the state of their dreams.
    fn in_groups(&self, now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>> {
        let Some(workspace) = self.workspace else { return Ok(Vec::new()) };
        let mut lines = Vec::new();
        for group in session::groups(workspace)? {
            let access = self.access.clone().group(&group);
            let view = GroupView::new(workspace, &self.access.scope, &group);
            let there = Forget::new(&access, self.text.clone()).in_files(self.in_files).workspace(&view);
            let receipt = there.run(now)?;
            lines.extend(receipt.places.into_iter().filter(|line| line.found > 0));
        }
        Ok(lines)
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
                setting: "the text to forget",
                rule: "must have two words, or eight letters",
            }),
        }
    }

    /// Writes the tombstone. Returns all that the workspace has forgotten, and this statement alone.
    fn bury(&self, workspace: &dyn Workspace) -> Result<(Tombstones, Tombstones)> {
        let mut buried = None;
        rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
            let file = Forgotten::or_copy(bytes, || session::forgotten_copy(workspace))?;
            let mut file = file.unwrap_or_else(|| Forgotten::new(Tombstones::new(TombstoneKey::random())));
            let stone = file.tombstones.bury(&self.text).expect("it was checked that it has words enough");
            let mut is_new = file.tombstones.insert(stone);
            if self.in_files {
                is_new |= file.in_files.insert(stone.digest);
            }
            let mut only = Tombstones::new(file.tombstones.key().clone());
            only.insert(stone);
            let bytes = is_new.then(|| file.print());
            buried = Some((file.tombstones, only));
            Ok(bytes)
        })?;
        Ok(buried.expect("a file is rewritten from what stands in it"))
    }
}

debug_as!(Forget<'_>, |it| "Forget {{ bytes: {}, in_files: {} }}", it.text.len(), it.in_files);

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

impl Home<'_> {
    /// Goes through all documents and what is kept of earlier ones.
    fn forget(&self, receipt: &mut ForgetReceipt) -> Result<()> {
        let mut places: SortedMap<ForgetPlace, PlaceReceipt> =
            [ForgetPlace::Journals, ForgetPlace::Memory, ForgetPlace::Observations, ForgetPlace::Documents]
                .map(|place| (place, PlaceReceipt::new(place, 0, 0)))
                .into();
        let holders = self.holders(&mut places)?;
        self.carry(&holders)?;
        let logs = self.logs(&holders)?;
        for holder in &holders {
            let line = places.get_mut(&place_of(&holder.name)).expect("each document has a place");
            line.found += holder.found;
            let removed = match self.strike(holder) {
                // One that may not be written keeps no other from being overwritten.
                Err(Error::Io { source, .. }) if is_forbidden(&source) => {
                    line.also_left("a document may not be written");
                    0
                }
                removed => {
                    let removed = removed?;
                    if removed < holder.found {
                        line.also_left(self.why_left());
                    }
                    removed
                }
            };
            line.removed += removed;
            receipt.documents.push(DocumentReceipt::new(holder.name.clone(), holder.found, removed));
        }
        self.note_times(&holders)?;
        let other = places.get_mut(&ForgetPlace::Documents).expect("it is one of the places");
        self.hidden(other, receipt)?;
        for line in places.into_values() {
            receipt.set(line);
        }
        receipt.set(self.versions()?);
        receipt.set(self.proposals()?);
        // Names and hashes alone stand there.
        receipt.set(PlaceReceipt::new(ForgetPlace::Ledgers, 0, 0));
        receipt.set(logs);
        Ok(())
    }
}
