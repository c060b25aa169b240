//! The doctor: a home, how it is looked at, and what is mended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, Utc};

use super::examination::Examination;
use super::finding::FindingKind as Kind;
use super::{documents, folder, rows, state};
use crate::base::access::Scope;
use crate::base::document::Document;
use crate::base::error::{At, Error, Refusal, Result};
use crate::base::group::GroupName;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedSet;
use crate::disk::{Disk, Looking};
use crate::dream::journal::{DreamConfig, JournalDreamer};
use crate::dream::{ReadReason, RoleConfig};
use crate::dreamer::Outcome;
#[cfg(feature = "sqlite")]
use crate::edges::EdgeStore;
use crate::file::{FileMemoryStore, FileWorkspace};
use crate::format::JournalName;
use crate::format::state::asked::AskedState;
use crate::format::state::log::{self, LogLine};
use crate::gate::Doors;
#[cfg(feature = "sqlite")]
use crate::memory::IndexState;
#[cfg(feature = "postgres")]
use crate::postgres::Postgres;
use crate::session::{self, GroupView};
#[cfg(feature = "sqlite")]
use crate::sqlite::Copied;
use crate::store::StoreConfig;
use crate::workspace::Workspace;

/// Looks at a workspace and the memory store beside it, and says what an operator should mend.
///
/// A look writes nothing. In a folder every verb that writes is refused. A database is copied into the memory of this
/// process, which needs room for all of it. A server refuses all changes in the transactions of a look. Others may
/// write meanwhile.
///
/// ```
/// use chrono::Utc;
/// use noctuary::doctor::{Doctor, FindingKind};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("MEMORY.md"), "- key AKIAIOSFODNN7EXAMPLE\n")?;
/// let told = Doctor::of(folder.path())?.examine(Utc::now())?;
/// assert_eq!(told.findings[0].kind, FindingKind::SecretAtRest);
/// assert_eq!(told.findings[0].place, "MEMORY.md:1:7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Doctor {
    pub(super) home: Home,
    pub(super) scope: Option<Scope>,
    /// The group that is mended, and the scope of its life.
    pub(super) group: Option<(GroupName, Scope)>,
    pub(super) doors: Doors,
    pub(super) stores: StoreConfig,
    pub(super) roles: RoleConfig,
    dreams: DreamConfig,
}

/// The place of a life.
#[derive(Debug, Clone)]
pub(super) enum Home {
    Folder(PathBuf),
    #[cfg(feature = "sqlite")]
    Database(PathBuf),
    #[cfg(feature = "postgres")]
    Server(Postgres),
}

impl Doctor {
    /// Takes a path: a folder, or a database file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where nothing is there, [`Error::Refused`] for what is neither, or for a file without the feature
    /// `sqlite`.
    pub fn of(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let home = if path.is_dir() { Home::Folder(path.to_owned()) } else { Home::database(path)? };
        Ok(Self::over(home))
    }

    /// Takes a life on a server, which [`scope`](Self::scope) names. A look runs in transactions that may read alone.
    ///
    /// ```no_run
    /// use chrono::Utc;
    /// use noctuary::Scope;
    /// use noctuary::doctor::Doctor;
    /// use noctuary::postgres::Postgres;
    ///
    /// let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
    /// let found = Doctor::of_server(&server).scope(Scope::user("marta")).examine(Utc::now())?;
    /// for finding in &found.findings {
    ///     println!("{finding}");
    /// }
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    #[cfg(feature = "postgres")]
    #[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
    #[must_use]
    pub fn of_server(server: &Postgres) -> Self {
        Self::over(Home::Server(server.clone()))
    }

    fn over(home: Home) -> Self {
        Self {
            home,
            scope: None,
            group: None,
            doors: Doors::default(),
            stores: StoreConfig::default(),
            roles: RoleConfig::default(),
            dreams: DreamConfig::default(),
        }
    }

    /// Sets whose life it is. Unless set, a home with one life says so itself.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Sets what counts as a secret.
    #[must_use]
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Sets how stores are configured: the extractor of edges, the thresholds of methods, and the embedder. Without an
    /// embedder, rows that wait for a vector are no finding.
    #[must_use]
    pub fn stores(mut self, config: StoreConfig) -> Self {
        self.stores = config;
        self
    }

    /// Sets how dreams are configured: their window decides which journals are never read.
    #[must_use]
    pub fn dreams(mut self, config: DreamConfig) -> Self {
        self.dreams = config;
        self
    }

    /// Sets how notes of roles are reflected on. A note waits too long from the [age](RoleConfig::ages) of its role on. A role
    /// without one has the [backlog](crate::learning::LearningConfig::backlog) of the stores: 72 hours.
    #[must_use]
    pub fn roles(mut self, config: RoleConfig) -> Self {
        self.roles = config;
        self
    }

    /// Lists whose lives the home holds, ascending: one for a folder, or none where nobody said. A server lists them to an
    /// operator alone, as `Postgres::scopes` does.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn scopes(&self) -> Result<Vec<Scope>> {
        match &self.home {
            Home::Folder(path) => {
                let disk = Looking::open(path).at("open", path.display())?;
                Ok(FileMemoryStore::owner(&disk).into_iter().collect())
            }
            #[cfg(feature = "sqlite")]
            Home::Database(path) => Copied::of(path)?.scopes(),
            #[cfg(feature = "postgres")]
            Home::Server(server) => server.scopes(),
        }
    }

    /// Looks at everything, also at the state and the rows of each group, and returns what was found. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where a database holds several lives, or it is a server, and none was named. The errors of
    /// reading, where the home as a whole cannot be read. Damage inside of it is a finding and no error.
    pub fn examine(&self, now: DateTime<Utc>) -> Result<Examination> {
        let mut told = Examination::default();
        match &self.home {
            Home::Folder(path) => self.examine_folder(path, now, &mut told)?,
            #[cfg(feature = "sqlite")]
            Home::Database(path) => self.examine_database(path, now, &mut told)?,
            #[cfg(feature = "postgres")]
            Home::Server(server) => self.examine_server(server, now, &mut told)?,
        }
        Ok(told.sorted())
    }

    fn examine_folder(&self, path: &Path, now: DateTime<Utc>, told: &mut Examination) -> Result<()> {
        let disk: Arc<dyn Disk> = Arc::new(Looking::open(path).at("open", path.display())?);
        let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::over(Arc::clone(&disk)));
        let read = documents::examine(workspace.as_ref(), &self.doors, told)?;
        let is_dreaming = folder::examine_lock(disk.as_ref(), now, told)?;
        self.examine_files((&disk, &workspace), (&read, is_dreaming), None, now, told)?;
        self.examine_groups(&workspace, told, &|(group, view), scope, told| {
            let path = path.join(group.folder().as_str());
            let disk: Arc<dyn Disk> = Arc::new(Looking::open(&path).at("open", path.display())?);
            // Where nobody said whose life it is, the group's own rows may.
            let own = FileMemoryStore::owner(disk.as_ref()).filter(|_| self.scope.is_none());
            self.examine_files((&disk, view), (&[], is_dreaming), own.as_ref().or(Some(scope)), now, told)
        })
    }

    /// Looks at state, journals and rows of a folder: a life's, or that of the group whose scope is given.
    fn examine_files(
        &self,
        (disk, workspace): (&Arc<dyn Disk>, &Arc<dyn Workspace>),
        (read, is_dreaming): (&[String], bool),
        group: Option<&Scope>,
        now: DateTime<Utc>,
        told: &mut Examination,
    ) -> Result<()> {
        self.examine_state(workspace, now, told)?;
        folder::examine(disk.as_ref(), read, is_dreaming, now, told)?;
        let named = group.or(self.scope.as_ref());
        let (lines, mark) = (StateName::MEMORIES, StateName::MEMORIES_MARK);
        let stat = |name: &StateName| disk.stat(name.as_str()).at("look at", name.as_str());
        let standing = stat(&lines)?;
        if standing.is_none() && stat(&mark)?.is_none() {
            told.health.scope = named.cloned();
            return Ok(());
        }
        let scope = named.cloned().or_else(|| FileMemoryStore::owner(disk.as_ref()));
        let scope = scope.unwrap_or_else(|| Scope::user("user"));
        told.health.scope = Some(scope.clone());
        if FileMemoryStore::are_words_older(disk.as_ref()) {
            older_words(StateName::MEMORIES_TABLE.as_str(), told);
        }
        let stores = (&self.stores, &self.roles, profiled(workspace.as_ref()));
        let looked = FileMemoryStore::looked_at(Arc::clone(disk), scope.clone(), self.stores.clone())
            .and_then(|store| rows::examine(&store, &scope, &self.doors, now, stores, told));
        match looked {
            Err(error) => rows::tell(lines.as_str(), error, told)?,
            Ok(()) if standing.is_some_and(|stat| stat.len == 0) => {
                told.add(Kind::EmptiedStore, lines.as_str(), "put back a backup, or delete it to begin anew");
            }
            Ok(()) if !FileMemoryStore::is_as_written(disk.as_ref())? => {
                let fix = "put back a backup, if nobody edited the lines by hand: they are not those of the last commit";
                told.add(Kind::DamagedStore, lines.as_str(), fix);
            }
            Ok(()) => {}
        }
        embeddings(lines.as_str(), self.stores.embedder.is_some(), told);
        Ok(())
    }

    #[cfg(feature = "sqlite")]
    fn examine_database(&self, path: &Path, now: DateTime<Utc>, told: &mut Examination) -> Result<()> {
        let place = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.metadata().is_ok_and(|metadata| metadata.len() == 0) && !mark_of(path).exists() {
            told.add(Kind::EmptiedStore, &place, "put back a backup, or delete it to begin anew");
            return Ok(());
        }
        let copied = match Copied::of(path) {
            Ok(copied) => copied,
            Err(error) => return rows::tell(&place, error, told),
        };
        permissions(path, told)?;
        told.health.schema = Some(copied.version);
        if copied.version < copied.newest {
            let fix = format!(
                "open it with this version of the library, which brings it from version {} to {}; make a backup first",
                copied.version, copied.newest
            );
            told.add(Kind::OlderSchema, &place, fix);
        }
        let scope = match &self.scope {
            Some(scope) => scope.clone(),
            None => {
                only(copied.scopes().or_else(|error| rows::tell(&place, error, told).map(|()| Vec::new()))?)?
            }
        };
        match copied.are_words_older() {
            Ok(false) => {}
            Ok(true) => older_words(&place, told),
            Err(error) => rows::tell(&place, error, told)?,
        }
        let workspace: Arc<dyn Workspace> = Arc::new(copied.workspace(scope.clone()));
        if let Err(error) = documents::examine(workspace.as_ref(), &self.doors, told) {
            rows::tell(&place, error, told)?;
        }
        self.examine_copied(&copied, (&place, &scope), &workspace, now, told)?;
        self.examine_groups(&workspace, told, &|(_, view), of_group, told| {
            self.examine_copied(&copied, (&place, of_group), view, now, told)
        })
    }

    /// Looks at state, journals and rows of a copied database: a life's, or a group's.
    #[cfg(feature = "sqlite")]
    fn examine_copied(
        &self,
        copied: &Copied,
        (place, scope): (&str, &Scope),
        workspace: &Arc<dyn Workspace>,
        now: DateTime<Utc>,
        told: &mut Examination,
    ) -> Result<()> {
        told.health.scope = Some(scope.clone());
        // The index and the counts of vectors are of the whole file.
        let is_life = scope.group_name().is_none();
        let mut is_drifted = match is_life.then(|| copied.is_index_sound()).transpose() {
            Ok(is_sound) => is_sound == Some(false),
            Err(error) => return rows::tell(place, error, told),
        };
        if let Err(error) = self.examine_state(workspace, now, told) {
            rows::tell(place, error, told)?;
        }
        let store = match copied.store(scope.clone(), self.stores.clone()) {
            Ok(store) => store,
            Err(error) => return rows::tell(place, error, told),
        };
        match store.check() {
            Ok(state) => is_drifted |= state == IndexState::Drifted,
            Err(error) => rows::tell(place, error, told)?,
        }
        let times = (profiled(workspace.as_ref()), now);
        self.examine_store(&store, (place, scope), is_drifted, times, told)?;
        if is_life && self.stores.embedder.is_none() {
            match copied.embeddings() {
                Ok(embeddings) => told.health.embeddings = embeddings,
                Err(error) => rows::tell(place, error, told)?,
            }
        }
        let counted = copied.index(scope.clone()).and_then(|index| rows::chunks(&index, &self.stores, told));
        if let Err(error) = counted {
            rows::tell(place, error, told)?;
        }
        embeddings(place, self.stores.embedder.is_some(), told);
        // The store is a copy: what it lacks is added to that, and counted.
        match store.extract_edges() {
            Ok(0) => {}
            Ok(missing) => told.add(Kind::MissingEdges, place, missing_edges(missing)),
            Err(error) => rows::tell(place, error, told)?,
        }
        Ok(())
    }

    #[cfg(feature = "postgres")]
    fn examine_server(&self, server: &Postgres, now: DateTime<Utc>, told: &mut Examination) -> Result<()> {
        let (server, place) = (server.looking(), server.location());
        match server.pending() {
            Ok(pending) if pending.is_empty() => {}
            Ok(_) => {
                let fix = "let the owner of its tables call `Postgres::migrate`, as `noctuary init` does; make a backup first";
                told.add(Kind::OlderSchema, &place, fix);
                return Ok(());
            }
            Err(error) => return rows::tell(&place, error, told),
        }
        let scope = self
            .scope
            .clone()
            .ok_or(Error::Config { setting: "scope", rule: "must be named: a server holds several lives" })?;
        let workspace: Arc<dyn Workspace> = Arc::new(server.workspace(scope.clone())?);
        documents::examine(workspace.as_ref(), &self.doors, told)?;
        self.examine_on_server(&server, (&place, &scope), &workspace, now, told)?;
        self.examine_groups(&workspace, told, &|(_, view), of_group, told| {
            self.examine_on_server(&server, (&place, of_group), view, now, told)
        })
    }

    /// Looks at state, journals and rows on a server: a life's, or a group's.
    #[cfg(feature = "postgres")]
    fn examine_on_server(
        &self,
        server: &Postgres,
        (place, scope): (&str, &Scope),
        workspace: &Arc<dyn Workspace>,
        now: DateTime<Utc>,
        told: &mut Examination,
    ) -> Result<()> {
        told.health.scope = Some(scope.clone());
        self.examine_state(workspace, now, told)?;
        let store = server.memory_with(scope.clone(), self.stores.clone())?;
        let are_older = store.are_words_older()?;
        if are_older {
            older_words(place, told);
        }
        let is_drifted = !are_older && !store.is_index_sound()?;
        let times = (profiled(workspace.as_ref()), now);
        self.examine_store(&store, (place, scope), is_drifted, times, told)?;
        if self.stores.embedder.is_none() {
            told.health.embeddings = store.embeddings()?;
        }
        rows::chunks(&server.index(scope.clone())?, &self.stores, told)?;
        embeddings(place, self.stores.embedder.is_some(), told);
        match store.missing_edges()? {
            0 => {}
            missing => told.add(Kind::MissingEdges, place, missing_edges(missing)),
        }
        Ok(())
    }

    /// Tells of an index that drifted, and looks at the rows.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    fn examine_store(
        &self,
        store: &impl rows::Rows,
        (place, scope): (&str, &Scope),
        is_drifted: bool,
        (since, now): (Option<DateTime<Utc>>, DateTime<Utc>),
        told: &mut Examination,
    ) -> Result<()> {
        if is_drifted {
            let fix = "run `noctuary doctor PATH --fix --apply`: it makes the index anew from the rows";
            told.add(Kind::DriftedIndex, place, fix);
        }
        match rows::examine(store, scope, &self.doors, now, (&self.stores, &self.roles, since), told) {
            Ok(()) => Ok(()),
            Err(error) => rows::tell(place, error, told),
        }
    }

    /// Returns the doctor of the life or of a group, and the scope of its rows.
    pub(super) fn for_group(&self, group: Option<&GroupName>, owner: &Scope) -> (Self, Scope) {
        let group = group.map(|group| (group.clone(), owner.clone()));
        let scope = group.as_ref().map_or_else(|| owner.clone(), |(group, owner)| owner.group(group));
        (Self { group, ..self.clone() }, scope)
    }

    pub(super) fn scope_of(&self, found: &Examination) -> Scope {
        let scope = self.scope.clone().or_else(|| found.health.scope.clone());
        scope.unwrap_or_else(|| Scope::user("user"))
    }

    /// Looks at each group of a life, whose documents are looked at with those of the life.
    fn examine_groups(
        &self,
        workspace: &Arc<dyn Workspace>,
        told: &mut Examination,
        examine: &ExamineGroup<'_>,
    ) -> Result<()> {
        let owner = self.scope_of(told);
        for group in session::groups(workspace.as_ref())? {
            let mut of_group = Examination::default();
            let view: Arc<dyn Workspace> = Arc::new(GroupView::new(Arc::clone(workspace), &owner, &group));
            examine((&group, &view), &owner.group(&group), &mut of_group)?;
            for mut finding in of_group.findings {
                finding.group = Some(group.clone());
                told.findings.push(finding);
            }
        }
        Ok(())
    }

    /// Looks at state and journals.
    fn examine_state(
        &self,
        workspace: &Arc<dyn Workspace>,
        now: DateTime<Utc>,
        told: &mut Examination,
    ) -> Result<()> {
        state::examine(workspace.as_ref(), told)?;
        self.examine_journals(workspace, now, told)
    }

    fn examine_journals(
        &self,
        workspace: &Arc<dyn Workspace>,
        now: DateTime<Utc>,
        told: &mut Examination,
    ) -> Result<()> {
        let dreamer =
            JournalDreamer::builder(Arc::clone(workspace)).config(self.dreams.clone()).enabled(true);
        let survey = dreamer.build()?.survey(now);
        let log = workspace.read(&StateName::LOG).ok().flatten();
        let log = log.as_ref().map(Document::lossy).unwrap_or_default();
        let was_read = |name: &str| {
            log::of_curators(&log).any(|line| line.sources.iter().any(|source| source.name.as_str() == name))
        };
        let is_none = |_: &DocName, error: &Error| matches!(error, Error::Refused { .. } | Error::Io { .. });
        let journals = session::journals(workspace.as_ref(), is_none)?;
        future(&journals, &log, now, told);
        nothing_kept(&log, told);
        let mut outside = Vec::new();
        let Ok(survey) = survey else {
            // State that cannot be read is told already; what is too old goes by its name.
            let Some(days) = self.dreams.window_days else { return Ok(()) };
            let oldest = now.date_naive() - Days::new(days.into());
            for journal in journals {
                if journal.date() < oldest && !was_read(journal.name().as_str()) {
                    outside.push(journal.name().clone());
                }
            }
            outside_window(&outside, now, told);
            return Ok(());
        };
        for journal in &survey.journals {
            let fix = match journal.reason {
                ReadReason::Expired => {
                    outside.push(journal.name.clone());
                    continue;
                }
                ReadReason::OutsideWindow => {
                    if !was_read(journal.name.as_str()) {
                        outside.push(journal.name.clone());
                    }
                    continue;
                }
                ReadReason::Unreadable => "make it a readable plain file of UTF-8",
                ReadReason::SecretInName => "rename it: its name holds what no model is shown",
                ReadReason::Quarantined => {
                    "take the secret out of it, then release it from .dreamed-quarantine.json"
                }
                _ => continue,
            };
            told.add(Kind::UnreadJournal, &journal.name, fix);
        }
        outside_window(&outside, now, told);
        Ok(())
    }
}

/// Looks at a group: its name and its workspace, the scope of its rows, and what is told of it.
type ExamineGroup<'e> =
    dyn Fn((&GroupName, &Arc<dyn Workspace>), &Scope, &mut Examination) -> Result<()> + 'e;

/// Tells in one finding of all journals that the window leaves out: an import of old chats makes hundreds of them.
fn outside_window(journals: &[DocName], now: DateTime<Utc>, told: &mut Examination) {
    let mut days: Vec<NaiveDate> =
        journals.iter().filter_map(JournalName::parse).map(|journal| journal.date()).collect();
    days.sort_unstable();
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return };
    // A day more: the day of a person may be another one than that of the clock.
    let window = (now.date_naive() - *first).num_days() + 1;
    let place = match journals {
        [one] => one.to_string(),
        all => format!("{} journals of {first} to {last}", all.len()),
    };
    let fix = format!(
        "run `noctuary dream PATH --all`, or raise `window_days` to {window}, until dreams have read all: the window leaves it out"
    );
    told.add_places(Kind::UnreadJournal, place, fix, journals.len());
}

/// Tells of journals and dreams of days that have not come anywhere.
fn future(journals: &[JournalName], log: &str, now: DateTime<Utc>, told: &mut Examination) {
    const FIX: &str = "set the clock of the machine that wrote it, and put the day right where it is a slip";
    let tomorrow = now.date_naive() + Days::new(1);
    for journal in journals {
        if journal.date() > tomorrow {
            told.add(Kind::FutureDay, journal.name(), FIX);
        }
    }
    for line in log::of_curators(log) {
        if line.day > tomorrow || line.at.is_some_and(|at| at > now + Days::new(1)) {
            told.add(Kind::FutureDay, format!("dream {}", line.id), FIX);
        }
    }
}

/// Tells of nights that read journals and kept nothing, where the last three did.
fn nothing_kept(log: &str, told: &mut Examination) {
    const NIGHTS: usize = 3;
    let mut days = SortedSet::new();
    let mut without_model = true;
    let passes: Vec<LogLine> = log::of_curators(log).collect();
    for pass in passes.iter().rev().filter(|pass| !pass.sources.is_empty()) {
        if pass.outcome != Outcome::NothingToPromote.as_str() {
            break;
        }
        days.insert(pass.day);
        without_model &= pass.without_model;
    }
    if days.len() >= NIGHTS {
        let fix = if without_model {
            "dream with a model, or mark what is to be kept: a line that begins with `Remember:` or `Decision:` always is; \
             `noctuary preview PATH` shows what a night would keep"
        } else {
            "look at what the model is asked and answers in `noctuary preview PATH`, and try another model"
        };
        told.add(Kind::NothingKept, StateName::LOG, fix);
    }
}

/// Returns when the profile was last made of rows.
fn profiled(workspace: &dyn Workspace) -> Option<DateTime<Utc>> {
    let name = StateName::PERSONALIZATION;
    let standing = workspace.read(&name).ok()??;
    AskedState::parse(&name, Some(standing.bytes()), String::new).ok()?.pace.last_run_at
}

/// Tells of words of rows that another version made.
fn older_words(place: &str, told: &mut Examination) {
    let fix = "open it with this version of the library, which indexes the words of its rows anew, once: any command does";
    told.add(Kind::OlderSchema, place, fix);
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
fn missing_edges(missing: u64) -> String {
    format!(
        "run `noctuary doctor PATH --fix --apply`: it extracts the edges of every row anew and adds {missing}"
    )
}

/// Tells of rows and chunks without vectors.
fn embeddings(place: &str, has_embedder: bool, told: &mut Examination) {
    let how =
        if has_embedder { "run `noctuary doctor PATH --fix --apply`" } else { "give the doctor an embedder" };
    let health = told.health.clone();
    for (states, what) in [(&health.embeddings, "rows"), (&health.chunks, "chunks of documents")] {
        let count = |state: &str| states.get(state).copied().unwrap_or(0);
        let (failed, pending) = (count("failed"), count("pending"));
        if failed > 0 {
            let fix = format!("{how}: {failed} of the {what} came back without a vector and are sent again");
            told.add(Kind::FailedEmbeddings, place, fix);
        }
        if pending > 0 && has_embedder {
            let fix = format!("{how}: {pending} of the {what} wait for a vector");
            told.add(Kind::WaitingEmbeddings, place, fix);
        }
    }
}

impl Home {
    /// Returns the path of a folder.
    #[cfg_attr(
        not(any(feature = "sqlite", feature = "postgres")),
        expect(clippy::unnecessary_wraps, reason = "a database is a home too, with its feature")
    )]
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(path) => Some(path),
            #[cfg(feature = "sqlite")]
            Self::Database(_) => None,
            #[cfg(feature = "postgres")]
            Self::Server(_) => None,
        }
    }

    #[cfg(feature = "sqlite")]
    fn database(path: &Path) -> Result<Self> {
        if path.is_file() || mark_of(path).exists() {
            return Ok(Self::Database(path.to_owned()));
        }
        Err(Self::none(path))
    }

    #[cfg(not(feature = "sqlite"))]
    fn database(path: &Path) -> Result<Self> {
        if path.is_file() {
            return Err(Error::Refused { path: path.display().to_string(), reason: Refusal::NotAFolder });
        }
        Err(Self::none(path))
    }

    fn none(path: &Path) -> Error {
        let shown = path.display().to_string();
        if path.exists() {
            return Error::Refused { path: shown, reason: Refusal::NotAFile };
        }
        Error::Io { action: "open", path: shown, source: std::io::ErrorKind::NotFound.into() }
    }
}

#[cfg(feature = "sqlite")]
fn mark_of(path: &Path) -> PathBuf {
    let mut mark = path.as_os_str().to_owned();
    mark.push(".mark");
    mark.into()
}

/// Returns the one life of a database.
#[cfg(feature = "sqlite")]
fn only(mut scopes: Vec<Scope>) -> Result<Scope> {
    match scopes.len() {
        0 => Ok(Scope::user("user")),
        1 => Ok(scopes.remove(0)),
        _ => Err(Error::Config { setting: "scope", rule: "must be named: the database holds several lives" }),
    }
}

/// Looks at the modes of a database and of what SQLite keeps beside it.
#[cfg(all(feature = "sqlite", unix))]
fn permissions(path: &Path, told: &mut Examination) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let disk = Looking::open(folder).at("open", folder.display())?;
    let Some(file) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    for name in [file.to_owned(), format!("{file}-wal"), format!("{file}-shm")] {
        if disk.stat(&name).at("look at", &name)?.is_some_and(|stat| stat.mode & 0o077 > 0) {
            told.add(Kind::OpenPermissions, name, "close it for others: chmod 600");
        }
    }
    Ok(())
}

#[cfg(all(feature = "sqlite", not(unix)))]
fn permissions(_path: &Path, _told: &mut Examination) -> Result<()> {
    Ok(())
}
