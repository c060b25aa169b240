//! Forgetting: a statement leaves every place that can be reached, and is refused from then on.

use std::io;

use chrono::{DateTime, NaiveDate, Utc};

use super::Beside;
use super::claim::claim;
use super::holders::Holder;
use super::home::{Home, Theirs, place_of};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::base::receipt::{DocumentReceipt, ForgetPlace, ForgetReceipt, PlaceReceipt};
use crate::base::sorted::SortedMap;
use crate::base::sorted::SortedSet;
use crate::dream::commit;
use crate::format::JournalName;
use crate::format::documents::curated;
use crate::format::documents::statements::said;
use crate::format::replies::reply;
use crate::format::state::forgotten::Forgotten;
use crate::format::state::ledger::Ledger;
use crate::gate::{TombstoneKey, Tombstones};
use crate::life::rewrite;
use crate::memory::{ForgetRequest, MemoryStore};
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
    pub(super) access: &'a Access,
    texts: Vec<String>,
    /// The participant who is erased, and whether lines of others that name them are too.
    pub(super) person: Option<(String, bool)>,
    pub(super) in_files: bool,
    pub(super) stores: Vec<&'a dyn MemoryStore>,
    /// Stores of artifacts and files.
    pub(super) beside: Beside<'a>,
    pub(crate) pages: Option<&'a dyn Kept>,
    pub(super) workspace: Option<&'a dyn Workspace>,
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
        Self { texts: vec![text.into()], ..Self::bare(access) }
    }

    pub(super) fn bare(access: &'a Access) -> Self {
        Self {
            access,
            texts: Vec::new(),
            person: None,
            in_files: false,
            stores: Vec::new(),
            beside: Beside::default(),
            pages: None,
            workspace: None,
            index: None,
        }
    }

    /// Adds a statement. All of them have one receipt, and each file is rewritten once.
    ///
    /// ```
    /// use noctuary::exchange::{Forget, ForgetPlace};
    /// use noctuary::memory::{NewMemory, Source};
    /// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
    ///
    /// # let (folder, now) = (tempfile::tempdir()?, chrono::Utc::now());
    /// let marta = Access::human(Scope::user("marta"));
    /// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
    /// for said in ["My landlord is Jan Kowalski.", "The rent is 900 EUR."] {
    ///     store.write(&marta, &NewMemory::new("observation", said, Source::UserExplicit), now)?;
    /// }
    /// let both = Forget::new(&marta, "My landlord is Jan Kowalski.").also("The rent is 900 EUR.");
    /// assert_eq!(both.store(&store).run(now)?.place(ForgetPlace::Rows).removed, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn also(mut self, text: impl Into<String>) -> Self {
        self.texts.push(text.into());
        self
    }

    /// Sets whether it is overwritten in the person's own files too, with marks of the same length. Every other byte
    /// and line stays in its place. Off. Only the human of a main session may ask for it.
    pub fn in_files(mut self, in_files: bool) -> Self {
        self.in_files = in_files;
        self
    }

    /// Adds a memory store that forgets, no matter who wrote its rows; there may be several, those of the life's groups
    /// included. A row that says more than the statement says the rest from now on, with `[forgotten]` in its place. Any
    /// other row is removed. The human of the session finds them named in the receipt.
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
        self.check(self.in_files || self.person.is_some())?;
        #[cfg(feature = "exchange")]
        if let Some((name, mentions)) = &self.person {
            return self.run_person(name, *mentions, now);
        }
        let request = ForgetRequest { statements: self.statements()?, ..ForgetRequest::default() };
        self.run_all(&[request], None, now)
    }

    /// Forgets all of some requests, one for each store and a last one for all else, and what `theirs` finds in documents.
    pub(super) fn run_all(
        &self,
        requests: &[ForgetRequest],
        theirs: Option<&dyn Theirs>,
        now: DateTime<Utc>,
    ) -> Result<ForgetReceipt> {
        let mut receipt = ForgetReceipt::new(now);
        let request = requests.last().expect("there is one for what is no store");
        let texts = &request.statements;
        // A ledger that cannot be read would end it halfway.
        if let Some(workspace) = self.workspace.filter(|_| self.in_files) {
            check_ledger(workspace)?;
            for group in session::groups(workspace)? {
                check_ledger(&GroupView::new(workspace, &self.access.scope, &group))?;
            }
        }
        // A second run finds by its tombstones what an interrupted one left in documents.
        let early = match (self.workspace, theirs) {
            (Some(workspace), Some(_)) => Some(self.bury(workspace, texts, theirs)?),
            _ => None,
        };
        let mut of_stores: SortedMap<ForgetPlace, PlaceReceipt> = SortedMap::new();
        let mut lines = Vec::new();
        for (at, store) in self.stores.iter().enumerate() {
            let request = requests.get(at).unwrap_or(request);
            lines.extend(store.forget_all(&self.access_to(*store), request, now)?);
        }
        lines.extend(self.beside.forget(self.access, texts, self.in_files, now)?);
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
        let in_groups = self.in_groups(texts, now)?;
        let mut in_index = SortedSet::new();
        if let Some(workspace) = self.workspace {
            let (all, only) = match early {
                Some(buried) => buried,
                None => self.bury(workspace, texts, theirs)?,
            };
            let lease = if self.in_files { Some(claim(workspace)?) } else { None };
            if let Some(lease) = &lease {
                commit::recover_all(workspace, lease.as_ref(), Some(&all))?;
            }
            let is_ascii = theirs.is_none() && texts.iter().all(|text| text.is_ascii());
            let home = Home { workspace, lease: lease.as_deref(), only: &only, theirs, is_ascii };
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

    /// Returns the access to a store. A store of a group of the life takes the group's access.
    pub(super) fn access_to(&self, store: &dyn MemoryStore) -> Access {
        let group = store.scope().and_then(Scope::group_name);
        match group {
            Some(group) if self.access.scope.group_name().is_none() && self.person.is_none() => {
                self.access.clone().group(&group)
            }
            _ => self.access.clone(),
        }
    }

    /// Returns the statements that are forgotten. A line that this library printed loses its citations, and the day, the
    /// speaker and the label in front: `2026-03-03: User: Remember: tea at five (memory/2026-03-03-repl.md#L5)`. A line with
    /// only a day in front keeps it. If a journal of that day has the rest of the line, the day is cut too.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for a session with others present; those of reading the workspace.
    pub fn statements(&self) -> Result<Vec<String>> {
        self.check(false)?;
        let known = match self.workspace {
            Some(workspace) => session::forgotten(workspace)?,
            None => None,
        };
        let alone = Tombstones::new(TombstoneKey::random());
        let mut statements = Vec::new();
        for text in &self.texts {
            let (claim, citations) = reply::split_citations(text);
            let (day, rest) = curated::strip_date(&claim);
            let bare = said(&claim);
            // A label alone may be a part of what was said: "Model: a small one".
            let is_in_front = day.is_some() || !citations.is_empty();
            let mut is_printed = is_in_front && bare.len() < rest.len();
            for name in citations.iter().filter_map(|cited| cited.name.as_ref()) {
                is_printed |= day.is_some() && JournalName::day_of(name.as_str()) == day;
            }
            // An interrupted run may have taken it out of the journal.
            let is_forgotten = || known.as_ref().is_some_and(|known| known.holds(bare));
            let is_bare = is_in_front
                && alone.bury(bare).is_some()
                && (is_printed || is_forgotten() || self.is_said_on(day, bare)?);
            statements.push(match is_bare {
                true => bare.to_owned(),
                false if alone.bury(&claim).is_some() => claim,
                false => text.clone(),
            });
        }
        Ok(statements)
    }

    /// Returns whether a journal of a day says a statement.
    fn is_said_on(&self, day: Option<NaiveDate>, statement: &str) -> Result<bool> {
        let (Some(workspace), Some(day)) = (self.workspace, day) else { return Ok(false) };
        let mut alone = Tombstones::new(TombstoneKey::random());
        let Some(stone) = alone.bury(statement) else { return Ok(false) };
        alone.insert(stone);
        for journal in session::journals(workspace, |_, _| true)? {
            if journal.date() == day
                && workspace.read(journal.name())?.is_some_and(|text| alone.holds(&text.lossy()))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes it back: the statement may be written and remembered again. Removed text stays removed. `false`
    /// where it was not forgotten.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human of a main session; those of the stores, the workspace and the index.
    pub fn lift(&self, now: DateTime<Utc>) -> Result<bool> {
        self.check(true)?;
        // A line may have been forgotten with its day and without it.
        let mut texts = self.statements()?;
        for text in &self.texts {
            let (claim, _) = reply::split_citations(text);
            texts.extend([text.clone(), said(&claim).to_owned(), claim]);
        }
        let mut is_lifted = false;
        for store in &self.stores {
            for text in &texts {
                is_lifted |= store.lift(&self.access_to(*store), text, now)?;
            }
        }
        for text in &texts {
            is_lifted |= self.beside.lift(self.access, text)?;
        }
        if let Some(workspace) = self.workspace {
            rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
                let Some(mut file) =
                    Forgotten::<Tombstones>::or_copy(bytes, || session::forgotten_copy(workspace))?
                else {
                    return Ok(None);
                };
                let mut is_out = false;
                for text in &texts {
                    is_out |= file.tombstones.lift(text);
                }
                is_lifted |= is_out;
                file.in_files.retain(|digest| file.tombstones.iter().any(|stone| stone.digest == *digest));
                Ok(is_out.then(|| file.print()))
            })?;
            for group in session::groups(workspace)? {
                let access = self.access.clone().group(&group);
                let view = GroupView::new(workspace, &self.access.scope, &group);
                let there = Forget { texts: texts.clone(), ..Forget::bare(&access) };
                is_lifted |= there.workspace(&view).lift(now)?;
            }
        }
        if let Some(index) = self.index {
            index.catch_up(now)?;
        }
        Ok(is_lifted)
    }

    /// Forgets in the groups of the life too: their documents, and the state of their dreams. If any store was given, the
    /// receipt names each group whose store was not.
    fn in_groups(&self, texts: &[String], now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>> {
        let Some(workspace) = self.workspace else { return Ok(Vec::new()) };
        let mut lines = Vec::new();
        for group in session::groups(workspace)? {
            let access = self.access.clone().group(&group);
            let view = GroupView::new(workspace, &self.access.scope, &group);
            let there = Forget { texts: texts.to_vec(), ..Forget::bare(&access) };
            let receipt = there.in_files(self.in_files).workspace(&view).run(now)?;
            let is_told = |line: &PlaceReceipt| line.found > 0 || line.is_left();
            lines.extend(receipt.places.into_iter().filter(is_told));
            let mut is_given = false;
            for store in &self.stores {
                is_given |= store.scope() == Some(&access.scope);
            }
            if !self.stores.is_empty() && !is_given {
                let line = PlaceReceipt::new(ForgetPlace::Rows, 0, 0);
                lines.push(line.left(format!("no store of the group {group} was given")));
            }
        }
        Ok(lines)
    }

    pub(super) fn check(&self, is_for_the_human: bool) -> Result<()> {
        let Access { kind, actor, .. } = self.access;
        if *kind != SessionKind::Main || (is_for_the_human && *actor != Actor::Human) {
            return Err(Error::Denied { name: StateName::FORGOTTEN.into(), kind: *kind });
        }
        if let Some(workspace) = self.workspace {
            check_scope(workspace, self.access, StateName::FORGOTTEN)?;
        }
        let alone = Tombstones::new(TombstoneKey::random());
        for text in &self.texts {
            if alone.bury(text).is_none() {
                return Err(Error::Config {
                    setting: "the text to forget",
                    rule: "must have two words, or eight letters",
                });
            }
        }
        Ok(())
    }

    /// Writes the tombstones. Returns all forgotten statements of the workspace, and these statements alone. For a person,
    /// the second set includes earlier ones that were also to be removed from files, unless somebody else says them by now.
    fn bury(
        &self,
        workspace: &dyn Workspace,
        texts: &[String],
        theirs: Option<&dyn Theirs>,
    ) -> Result<(Tombstones, Tombstones)> {
        let mut buried = None;
        rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
            let file = Forgotten::or_copy(bytes, || session::forgotten_copy(workspace))?;
            let mut file = file.unwrap_or_else(|| Forgotten::new(Tombstones::new(TombstoneKey::random())));
            let mut only = Tombstones::new(file.tombstones.key().clone());
            let mut is_new = false;
            for text in texts {
                let stone = file.tombstones.bury(text).expect("it was checked that it has words enough");
                is_new |= file.tombstones.insert(stone);
                if self.in_files {
                    is_new |= file.in_files.insert(stone.digest);
                }
                only.insert(stone);
            }
            if let Some(theirs) = theirs.filter(|_| self.in_files) {
                let said = theirs.said_by_others(&file.tombstones);
                for stone in file.tombstones.own() {
                    let mut alone = Tombstones::new(file.tombstones.key().clone());
                    alone.insert(stone);
                    let mut is_of_others = false;
                    for words in &said {
                        is_of_others |= alone.holds(words);
                    }
                    if file.in_files.contains(&stone.digest) && !is_of_others {
                        only.insert(stone);
                    }
                }
            }
            let bytes = is_new.then(|| file.print());
            buried = Some((file.tombstones, only));
            Ok(bytes)
        })?;
        Ok(buried.expect("a file is rewritten from what stands in it"))
    }
}

debug_as!(
    Forget<'_>,
    |it| "Forget {{ statements: {}, person: {}, in_files: {} }}",
    it.texts.len(),
    it.person.is_some(),
    it.in_files
);

fn check_ledger(workspace: &dyn Workspace) -> Result<()> {
    Ledger::parse(workspace.read(&StateName::LEDGER)?.as_ref().map(Document::bytes)).map(drop)
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

impl Home<'_> {
    /// Goes through all documents and their earlier versions.
    fn forget(&self, receipt: &mut ForgetReceipt) -> Result<()> {
        let mut places: SortedMap<ForgetPlace, PlaceReceipt> =
            [ForgetPlace::Journals, ForgetPlace::Memory, ForgetPlace::Observations, ForgetPlace::Documents]
                .map(|place| (place, PlaceReceipt::new(place, 0, 0)))
                .into();
        let holders = self.holders(&mut places)?;
        self.carry(&holders)?;
        let logs = self.logs(&holders)?;
        // Who said a line is known by its journal alone, so those come last: an interrupted run finds the rest by them.
        let is_journal = |holder: &&Holder| place_of(&holder.name) == ForgetPlace::Journals;
        self.strike_all(holders.iter().filter(|holder| !is_journal(holder)), &mut places, receipt)?;
        let other = places.get_mut(&ForgetPlace::Documents).expect("it is one of the places");
        self.hidden(other, receipt)?;
        let (mut versions, proposals) = (self.versions()?, self.proposals()?);
        self.strike_all(holders.iter().filter(is_journal), &mut places, receipt)?;
        order::sort_by(&mut receipt.documents, |one, other| one.name.cmp(&other.name));
        self.note_times(&holders)?;
        for line in places.into_values() {
            receipt.set(line);
        }
        if self.lease.is_some() {
            // A server keeps a version of each document that was overwritten.
            let again = self.versions()?;
            versions.found += again.found;
            versions.removed += again.removed;
        }
        receipt.set(versions);
        receipt.set(proposals);
        // Names and hashes alone stand there.
        receipt.set(PlaceReceipt::new(ForgetPlace::Ledgers, 0, 0));
        receipt.set(logs);
        Ok(())
    }

    /// Overwrites documents, and counts what was in each.
    fn strike_all<'h>(
        &self,
        holders: impl Iterator<Item = &'h Holder>,
        places: &mut SortedMap<ForgetPlace, PlaceReceipt>,
        receipt: &mut ForgetReceipt,
    ) -> Result<()> {
        for holder in holders {
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
        Ok(())
    }
}
