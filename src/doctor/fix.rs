//! The repairs of the doctor: a plan by default, carried out where it is asked for.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::doctor::{Doctor, Home};
use super::examination::Examination;
use super::finding::{DoctorFinding, FindingKind};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use super::rows::has_vectors;
use super::state::is_mended;
use crate::base::access::{Access, Scope};
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::disk::restrict;
use crate::dream::commit;
use crate::dream::journal::rebuild_ledger;
use crate::dream::{RoleConfig, RoleDreamer};
use crate::dreamer::{Dreamer, Step};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::edges::EdgeStore;
use crate::embed::store::VectorStore;
use crate::embed::{Embedder, Purpose};
use crate::file::lease::GUARD;
use crate::file::{FileMemoryStore, FileWorkspace};
use crate::learning::{MethodId, RoleStore};
use crate::llm::LlmClient;
use crate::memory::AuditOutcome;
use crate::session::{self, GroupView};
#[cfg(feature = "sqlite")]
use crate::sqlite::{SqliteIndex, SqliteMemoryStore, SqliteWorkspace};
use crate::vectors::{EmbedConfig, EmbedPass, EmbedReport};
use crate::workspace::{Claim, ClaimTerms, Workspace};

/// Whether a plan is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Apply {
    /// Nothing is written.
    #[default]
    DryRun,
    /// The actions are carried out, and each leaves a line in the audit.
    Yes,
}

/// An action of the doctor. Each can be repeated without effect, removes no words, and asks no model, but for the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FixAction {
    /// Makes the index of a store anew from its rows.
    Index,
    /// Mends a damaged or missing state file: of what can be read of it, of its copy, or of the log.
    State,
    /// Takes a stuck lock over by the protocol of dreams, and gives it back.
    Lock,
    /// Takes the rights of others from files of the library's state. No document is touched.
    Permissions,
    /// Sends rows whose vectors wait or failed to the embedder of the doctor.
    Embeddings,
    /// Extracts the edges of every row anew, and adds those that are missing.
    Edges,
    /// Puts methods whose outcomes are too bad into quarantine. None is taken out of it.
    MethodologyDemotion,
    /// Lets a model reflect on notes that wait for too long. Only by [`Doctor::reflect_pending`].
    ReflectPending,
}

impl FixAction {
    /// The actions, in their order.
    pub const ALL: [Self; 8] = [
        Self::Index,
        Self::State,
        Self::Lock,
        Self::Permissions,
        Self::Embeddings,
        Self::Edges,
        Self::MethodologyDemotion,
        Self::ReflectPending,
    ];

    /// Returns its word: `index`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::State => "state",
            Self::Lock => "lock",
            Self::Permissions => "permissions",
            Self::Embeddings => "embeddings",
            Self::Edges => "edges",
            Self::MethodologyDemotion => "methodology_demotion",
            Self::ReflectPending => "reflect_pending",
        }
    }

    fn mends(self, kind: FindingKind) -> bool {
        match self {
            Self::Index => kind == FindingKind::DriftedIndex,
            Self::State => matches!(
                kind,
                FindingKind::DamagedState | FindingKind::EmptiedState | FindingKind::MissingState
            ),
            Self::Lock => kind == FindingKind::StuckLock,
            Self::Permissions => kind == FindingKind::OpenPermissions,
            Self::Embeddings => {
                matches!(kind, FindingKind::FailedEmbeddings | FindingKind::WaitingEmbeddings)
            }
            Self::Edges => kind == FindingKind::MissingEdges,
            Self::MethodologyDemotion => kind == FindingKind::WeakMethod,
            Self::ReflectPending => kind == FindingKind::WaitingReflection,
        }
    }
}

impl fmt::Display for FixAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An action on one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Fixed {
    /// The action.
    pub action: FixAction,
    /// The finding that it mends.
    pub finding: DoctorFinding,
    /// Whether it was carried out.
    pub done: bool,
    /// The reason for which a part of it is left, or all, in a clause. `None` in a plan, and where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The error that ended the action, or, where it is done, that kept its line out of the audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result of an action.
struct Done {
    is_mended: bool,
    left: Option<String>,
    error: Option<String>,
}

impl From<bool> for Done {
    fn from(is_mended: bool) -> Self {
        Self { is_mended, left: None, error: None }
    }
}

impl Done {
    /// Takes both for one action.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    fn and(self, other: Self) -> Self {
        Self { is_mended: self.is_mended && other.is_mended, left: self.left.or(other.left), error: None }
    }
}

impl Doctor {
    /// Says what the doctor would mend of what was found, or mends it. `only` selects actions; empty means all.
    ///
    /// An action that is carried out leaves a line `doctor.fix.<name>` in the audit of the memory store. A dry run writes
    /// nothing at all. An action that fails says its [error](Fixed::error), and the others are carried out.
    ///
    /// ```
    /// use chrono::Utc;
    /// use noctuary::doctor::{Apply, Doctor};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let doctor = Doctor::of(folder.path())?;
    /// let found = doctor.examine(Utc::now())?;
    /// assert!(doctor.fix(&found, Apply::DryRun, &[], Utc::now())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where `only` names [`ReflectPending`](FixAction::ReflectPending), which takes a model.
    pub fn fix(
        &self,
        found: &Examination,
        apply: Apply,
        only: &[FixAction],
        now: DateTime<Utc>,
    ) -> Result<Vec<Fixed>> {
        if only.contains(&FixAction::ReflectPending) {
            return Err(Error::Config {
                setting: "only",
                rule: "must leave reflect_pending out: it takes a model",
            });
        }
        let owner = self.scope_of(found);
        let mut fixed: Vec<Fixed> = Vec::new();
        for action in FixAction::ALL {
            let is_wanted =
                if only.is_empty() { action != FixAction::ReflectPending } else { only.contains(&action) };
            let findings = found.findings.iter().filter(|finding| is_wanted && action.mends(finding.kind));
            for finding in findings {
                let (doctor, scope) = self.for_group(finding.group.as_ref(), &owner);
                if !doctor.may_mend(finding, &scope) {
                    continue;
                }
                // One pass of the embedder mends all that it can.
                let is_same = |one: &Fixed| one.action == action && one.finding.group == finding.group;
                let before = fixed.iter().find(|one| action == FixAction::Embeddings && is_same(one));
                let Done { is_mended: done, left, error } = match before {
                    Some(before) => Done { error: None, is_mended: before.done, left: before.left.clone() },
                    None if apply == Apply::DryRun => false.into(),
                    None => doctor.carried_out(action, finding, &scope, now),
                };
                fixed.push(Fixed { action, finding: finding.clone(), done, left, error });
            }
        }
        Ok(fixed)
    }

    /// Lets a model reflect on the notes of roles that wait for too long, or says on which it would. Each run takes some of
    /// the notes, the oldest first, within the limits of a [`RoleDreamer`].
    ///
    /// The model may fail or answer with nothing that can be used: the notes wait on, and nothing is `done`.
    ///
    /// ```
    /// use chrono::{TimeDelta, Utc};
    /// use noctuary::doctor::{Apply, Doctor};
    /// use noctuary::learning::{NewRoleNote, RoleStore};
    /// use noctuary::{Access, FileMemoryStore, LlmReply, LlmRequest, Scope, llm_fn};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let (scope, now) = (Scope::user("marta"), Utc::now());
    /// let store = FileMemoryStore::open(folder.path(), scope.clone())?;
    /// let note = NewRoleNote::new("planner", "Packed in a hurry; the ferry was missed.");
    /// store.take_note(&Access::agent(scope), &note, now - TimeDelta::days(9))?;
    ///
    /// let doctor = Doctor::of(folder.path())?;
    /// let found = doctor.examine(now)?;
    /// let model = llm_fn(|request: &LlmRequest| {
    ///     let is_first = request.system.contains("went well");
    ///     Ok(LlmReply::new(if is_first { "N1 failure" } else { "N1: Be there half an hour early." }))
    /// });
    /// assert!(doctor.reflect_pending(&found, Apply::Yes, &model, now)?[0].done);
    /// assert!(doctor.examine(now)?.is_sound());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the store and the workspace.
    pub fn reflect_pending(
        &self,
        found: &Examination,
        apply: Apply,
        llm: &dyn LlmClient,
        now: DateTime<Utc>,
    ) -> Result<Vec<Fixed>> {
        let action = FixAction::ReflectPending;
        let mut fixed: Vec<Fixed> = found
            .findings
            .iter()
            .filter(|finding| action.mends(finding.kind))
            .map(|finding| Fixed { action, finding: finding.clone(), done: false, left: None, error: None })
            .collect();
        if apply == Apply::DryRun || fixed.is_empty() {
            return Ok(fixed);
        }
        let owner = self.scope_of(found);
        for of_group in fixed.chunk_by_mut(|one, other| one.finding.group == other.finding.group) {
            let (doctor, scope) = self.for_group(of_group[0].finding.group.as_ref(), &owner);
            doctor.reflect(of_group, &scope, llm, now)?;
        }
        Ok(fixed)
    }

    /// Lets a model reflect on the notes of one life, or of one group.
    fn reflect(
        &self,
        fixed: &mut [Fixed],
        scope: &Scope,
        llm: &dyn LlmClient,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let (workspace, store) = (self.workspace(scope)?, self.store(scope)?);
        let mut config =
            RoleConfig { enabled: true, age: self.stores.learning.backlog, ..self.roles.clone() };
        config.pace.interval = std::time::Duration::ZERO;
        let dreamer =
            RoleDreamer::builder(workspace, Arc::clone(&store), scope.clone()).config(config).build()?;
        let mut step = dreamer.begin(now)?;
        while let Step::Ask(pass) = step {
            let answer = llm.complete(pass.request());
            step = pass.resume(answer, now)?;
        }
        let waiting = store.notes(&Access::human(scope.clone()), true)?;
        let waits = |place: &str| waiting.iter().any(|note| place == format!("role_memory/{}", note.id));
        for one in fixed {
            one.done = !waits(&one.finding.place);
            if one.done {
                self.audit(one.action, scope, now)?;
            } else {
                one.left = Some("the model said nothing that can be used; the note waits".to_owned());
            }
        }
        Ok(())
    }

    /// Returns the folder with the state and the rows, of a life in a folder.
    fn folder(&self, life: &Path) -> PathBuf {
        self.group.as_ref().map_or_else(|| life.to_owned(), |(group, _)| life.join(group.folder().as_str()))
    }

    /// Opens the documents and the state.
    fn workspace(&self, scope: &Scope) -> Result<Arc<dyn Workspace>> {
        #[cfg(any(feature = "sqlite", feature = "postgres"))]
        let owner = self.group.as_ref().map_or(scope, |(_, owner)| owner).clone();
        #[cfg(not(any(feature = "sqlite", feature = "postgres")))]
        let _ = scope;
        let life: Arc<dyn Workspace> = match &self.home {
            Home::Folder(path) => Arc::new(FileWorkspace::open(path)?),
            #[cfg(feature = "sqlite")]
            Home::Database(path) => Arc::new(SqliteWorkspace::open(path, owner)?),
            #[cfg(feature = "postgres")]
            Home::Server(server) => Arc::new(server.workspace(owner)?),
        };
        Ok(match &self.group {
            Some((group, owner)) => Arc::new(GroupView::new(life, owner, group)),
            None => life,
        })
    }

    fn store(&self, scope: &Scope) -> Result<Arc<dyn RoleStore>> {
        let (scope, config) = (scope.clone(), self.stores.clone());
        Ok(match &self.home {
            Home::Folder(path) => Arc::new(FileMemoryStore::open_with(self.folder(path), scope, config)?),
            #[cfg(feature = "sqlite")]
            Home::Database(path) => Arc::new(SqliteMemoryStore::open_with(path, scope, config)?),
            #[cfg(feature = "postgres")]
            Home::Server(server) => Arc::new(server.memory_with(scope, config)?),
        })
    }

    /// Returns whether a finding is the library's own business: documents are their owner's.
    fn may_mend(&self, finding: &DoctorFinding, scope: &Scope) -> bool {
        let is_folder = matches!(self.home, Home::Folder(_));
        let is_state = finding.place.starts_with(".dream") || finding.place.starts_with(".soul");
        match finding.kind {
            FindingKind::OpenPermissions => !is_folder || is_state,
            FindingKind::FailedEmbeddings => self.stores.embedder.is_some(),
            FindingKind::DamagedState | FindingKind::EmptiedState | FindingKind::MissingState => {
                let name = StateName::of_path(finding.place.clone());
                let workspace = self.workspace(scope);
                finding.place == GUARD
                    || workspace.is_ok_and(|workspace| is_mended(workspace.as_ref(), &name))
            }
            _ => true,
        }
    }

    /// Carries an action out, and writes its line into the audit. A file that cannot be read keeps no other from being mended.
    fn carried_out(
        &self,
        action: FixAction,
        finding: &DoctorFinding,
        scope: &Scope,
        now: DateTime<Utc>,
    ) -> Done {
        let mut done = match self.carry_out(action, finding, scope, now) {
            Ok(done) => done,
            Err(error) => Done { error: Some(error.to_string()), ..false.into() },
        };
        if done.is_mended
            && let Err(error) = self.audit(action, scope, now)
        {
            done.error = Some(error.to_string());
        }
        done
    }

    fn carry_out(
        &self,
        action: FixAction,
        finding: &DoctorFinding,
        scope: &Scope,
        now: DateTime<Utc>,
    ) -> Result<Done> {
        if action == FixAction::Embeddings {
            return self.embed(scope);
        }
        let is_done = match action {
            FixAction::Embeddings | FixAction::ReflectPending => Ok(false),
            FixAction::Index => self.rebuild(scope),
            FixAction::State => mend_state(self.workspace(scope)?.as_ref(), &finding.place),
            FixAction::Edges => self.extract(scope),
            FixAction::MethodologyDemotion => {
                let number = finding.place.strip_prefix("methods/").and_then(|id| id.parse().ok());
                match number {
                    Some(number) => self.demote(MethodId::new(number), scope, now),
                    None => Ok(false),
                }
            }
            FixAction::Lock => {
                let Some(path) = self.home.folder() else { return Ok(false.into()) };
                match FileWorkspace::open(path)?.claim(&ClaimTerms::default())? {
                    Claim::Granted(lease) => lease.release().map(|()| true),
                    Claim::Held(_) => Ok(false),
                }
            }
            FixAction::Permissions => {
                let folder = match &self.home {
                    Home::Folder(path) => self.folder(path),
                    #[cfg(feature = "sqlite")]
                    Home::Database(path) => path.parent().unwrap_or(path).to_owned(),
                    #[cfg(feature = "postgres")]
                    Home::Server(_) => return Ok(false.into()),
                };
                restrict(&folder, &finding.place)
            }
        };
        is_done.map(Done::from)
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    fn rebuild(&self, scope: &Scope) -> Result<bool> {
        match &self.home {
            Home::Folder(_) => return Ok(false),
            #[cfg(feature = "sqlite")]
            Home::Database(path) => SqliteMemoryStore::open(path, scope.clone())?.mend_index()?,
            #[cfg(feature = "postgres")]
            Home::Server(server) => server.memory(scope.clone())?.rebuild_index()?,
        }
        Ok(true)
    }

    #[cfg(not(any(feature = "sqlite", feature = "postgres")))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "a folder has no such index")]
    fn rebuild(&self, _scope: &Scope) -> Result<bool> {
        Ok(false)
    }

    /// Fills the vectors of rows. The embedder is asked outside of the rules of a doctor, which hold for the connection.
    fn embed(&self, scope: &Scope) -> Result<Done> {
        let Some(embedder) = &self.stores.embedder else { return Ok(false.into()) };
        match &self.home {
            Home::Folder(path) => {
                let store =
                    FileMemoryStore::open_with(self.folder(path), scope.clone(), self.stores.clone())?;
                embed(&store, embedder.as_ref(), &|step| step())
            }
            #[cfg(feature = "sqlite")]
            Home::Database(path) => {
                let store = SqliteMemoryStore::open_with(path, scope.clone(), self.stores.clone())?;
                let index = SqliteIndex::open(path, scope.clone())?.with_doors(self.stores.doors.clone());
                let within: &Within<'_> = &|step| store.mending(step);
                Ok(embed(&store, embedder.as_ref(), within)?.and(embed_chunks(
                    &index,
                    embedder.as_ref(),
                    within,
                )?))
            }
            #[cfg(feature = "postgres")]
            Home::Server(server) => {
                let store = server.memory_with(scope.clone(), self.stores.clone())?;
                let index = server.index(scope.clone())?.with_doors(self.stores.doors.clone());
                let within: &Within<'_> = &|step| step();
                Ok(embed(&store, embedder.as_ref(), within)?.and(embed_chunks(
                    &index,
                    embedder.as_ref(),
                    within,
                )?))
            }
        }
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    fn extract(&self, scope: &Scope) -> Result<bool> {
        match &self.home {
            Home::Folder(_) => return Ok(false),
            #[cfg(feature = "sqlite")]
            Home::Database(path) => {
                let store = SqliteMemoryStore::open_with(path, scope.clone(), self.stores.clone())?;
                store.mending(|| store.extract_edges())?;
            }
            #[cfg(feature = "postgres")]
            Home::Server(server) => {
                server.memory_with(scope.clone(), self.stores.clone())?.extract_edges()?;
            }
        }
        Ok(true)
    }

    #[cfg(not(any(feature = "sqlite", feature = "postgres")))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "a folder makes its edges as it is read"
    )]
    fn extract(&self, _scope: &Scope) -> Result<bool> {
        Ok(false)
    }

    fn demote(&self, id: MethodId, scope: &Scope, now: DateTime<Utc>) -> Result<bool> {
        let access = Access::human(scope.clone());
        match &self.home {
            Home::Folder(path) => {
                let store =
                    FileMemoryStore::open_with(self.folder(path), scope.clone(), self.stores.clone())?;
                store.engine().demote_method(&access, id, now)
            }
            #[cfg(feature = "sqlite")]
            Home::Database(path) => {
                let store = SqliteMemoryStore::open_with(path, scope.clone(), self.stores.clone())?;
                store.mending(|| store.engine().demote_method(&access, id, now))
            }
            #[cfg(feature = "postgres")]
            Home::Server(server) => {
                let store = server.memory_with(scope.clone(), self.stores.clone())?;
                store.engine().demote_method(&access, id, now)
            }
        }
    }

    fn audit(&self, action: FixAction, scope: &Scope, now: DateTime<Utc>) -> Result<()> {
        let access = Access::human(scope.clone());
        let action = format!("doctor.fix.{action}");
        match &self.home {
            Home::Folder(path) => {
                let store = FileMemoryStore::open(self.folder(path), scope.clone())?;
                store.engine().tell(&access, &action, AuditOutcome::Done, now)
            }
            #[cfg(feature = "sqlite")]
            Home::Database(path) => {
                let store = SqliteMemoryStore::open(path, scope.clone())?;
                store.mending(|| store.engine().tell(&access, &action, AuditOutcome::Done, now))
            }
            #[cfg(feature = "postgres")]
            Home::Server(server) => {
                let store = server.memory(scope.clone())?;
                store.engine().tell(&access, &action, AuditOutcome::Done, now)
            }
        }
    }
}

/// Mends a state file; `false` where somebody dreams just now.
fn mend_state(workspace: &dyn Workspace, place: &str) -> Result<bool> {
    // To claim is what mends a guard.
    let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default())? else { return Ok(false) };
    let name = StateName::of_path(place.to_owned());
    if name == StateName::LEDGER {
        rebuild_ledger(workspace, lease.as_ref())?;
    } else if name == StateName::FORGOTTEN {
        if let Some(copy) = session::forgotten_copy(workspace)? {
            lease.replace(&name, &copy)?;
        }
    } else {
        commit::take_edits(workspace)?;
    }
    lease.release().map(|()| true)
}

/// A step of a pass, carried out under the rules of the home.
type Within<'w> = dyn Fn(&mut dyn FnMut() -> Result<()>) -> Result<()> + 'w;

/// Gives the rows that wait their vectors, in passes for as long as they get any. A row that the embedder never takes
/// spoils fewer others in each. It is done where any row has one now, or none waits any more.
fn embed(store: &dyn VectorStore, embedder: &dyn Embedder, within: &Within<'_>) -> Result<Done> {
    let mut is_any = false;
    loop {
        let report = embed_pass(store, embedder, within)?;
        is_any |= report.embedded > 0;
        let left = report.status.pending + report.status.failed;
        if left == 0 {
            return Ok(true.into());
        }
        if report.embedded == 0 {
            let why = report.error.map(|error| format!(": {error}")).unwrap_or_default();
            return Ok(Done {
                error: None,
                is_mended: is_any,
                left: Some(format!("{left} of the texts have no vector yet{why}")),
            });
        }
    }
}

/// Gives the chunks that wait their vectors, where an embedder was ever asked for any.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
fn embed_chunks(index: &dyn VectorStore, embedder: &dyn Embedder, within: &Within<'_>) -> Result<Done> {
    if has_vectors(&index.embedding_status(embedder.id())?) {
        embed(index, embedder, within)
    } else {
        Ok(true.into())
    }
}

fn embed_pass(store: &dyn VectorStore, embedder: &dyn Embedder, within: &Within<'_>) -> Result<EmbedReport> {
    let mut pass = EmbedPass::begin(store, embedder.id(), &EmbedConfig::default());
    loop {
        let mut batch = None;
        within(&mut || {
            batch = pass.batch()?;
            Ok(())
        })?;
        let Some(batch) = batch else { break };
        let mut answer = Some(embedder.embed(&batch.texts(), Purpose::Document));
        within(&mut || match answer.take() {
            Some(answer) => pass.keep(&batch, answer).map(drop),
            None => Ok(()),
        })?;
    }
    let (mut pass, mut report) = (Some(pass), None);
    within(&mut || {
        report = pass.take().map(EmbedPass::end).transpose()?;
        Ok(())
    })?;
    Ok(report.expect("the step was carried out"))
}
