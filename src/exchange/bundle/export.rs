//! Taking a life out: a tree of markdown, the same bytes for the same memory.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::derived::{self, Beside, Records};
use super::entry::{self, time};
use super::front::{Front, SCHEMA};
use super::gone::{Gone, Moments};
use super::key::BundleKey;
use super::made;
use super::places::{DECISIONS, DOCUMENT_STONES, INDEX, OUTCOMES, STONES, document_path};
use super::practice::{self, CountedOutcomes};
use super::rows::{Rows, StoredRows};
use super::standing::Standing;
use super::tree::Bundle;
use crate::artifacts::ArtifactStore;
use crate::base::access::Access;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::edges::Entity;
use crate::exchange::foreign::okf;
use crate::file::FileMemoryStore;
use crate::file::is_of_life;
use crate::format::state::forgotten::Forgotten;
use crate::gate::Tombstones;
use crate::learning::{MethodStore, Preference, PreferenceKind, PreferenceState, PreferenceStore, RoleStore};
use crate::memory::{LearningStore, MemoryId, MemoryStore};
#[cfg(feature = "postgres")]
use crate::postgres::PostgresMemoryStore;
use crate::session::{self, Folder, GroupView};
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteMemoryStore;
use crate::upload::FileStore;
use crate::workspace::{Reach, Workspace};

/// Exports a life: rows, facts with their history, learnings, methods, preferences, notes of roles, profile and tombstones.
/// Documents are included if a workspace is given. Edges, and a page on each entity, are beside them for readers.
///
/// Hard constraints stay behind unless they are [asked for](Self::include_constraints). Deleted rows, vectors, indexes,
/// the audit and the library's state stay behind. A signed bundle has the moments of rows that are gone, so that none
/// of them is taken for lost. A tombstone travels with the key that it was made with, so that its statement stays out
/// elsewhere. A reader of the bundle can try words against it.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::exchange::{BundleImport, BundleKey, Channel, Export};
/// use noctuary::memory::{NewMemory, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let (here, there) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let marta = Access::human(Scope::user("marta"));
/// let store = FileMemoryStore::open(here.path(), marta.scope.clone())?;
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// store.write(&marta, &NewMemory::new("preference", "Takes tea without milk", Source::UserManual), now)?;
///
/// let key = BundleKey::from_bytes([7; 32]); // of your system's random numbers
/// let bundle = Export::new(&marta).file_store(&store).signed(&key).run()?;
///
/// let other = FileMemoryStore::open(there.path(), marta.scope.clone())?;
/// let import = BundleImport::new(&marta).file_store(&other).key(&key);
/// assert!(import.plan(&bundle)?.items.iter().all(|item| item.channel == Channel::Signed)); // nothing is written yet
/// import.apply(&bundle, now)?;
/// assert_eq!(Export::new(&marta).file_store(&other).signed(&key).run()?, bundle);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Export<'a> {
    access: &'a Access,
    workspace: Option<&'a dyn Workspace>,
    store: Option<&'a dyn Rows>,
    made: made::Homes<'a>,
    key: Option<&'a BundleKey>,
    is_okf: bool,
    has_constraints: bool,
    is_settled: bool,
    records: Records,
}

impl std::fmt::Debug for Export<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Export({})", self.access.scope.user)
    }
}

impl<'a> Export<'a> {
    /// Begins an export of the life of this access, which must be the human's.
    #[must_use]
    pub fn new(access: &'a Access) -> Self {
        Self {
            access,
            workspace: None,
            store: None,
            made: made::Homes::default(),
            key: None,
            is_okf: false,
            has_constraints: false,
            is_settled: false,
            records: Records::new(),
        }
    }

    /// Takes the documents of a workspace along: the library's own, markdown and plain text. Names in ignore files stay.
    #[must_use]
    pub fn workspace(mut self, workspace: &'a dyn Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Takes the rows of a store along.
    #[must_use]
    pub fn file_store(mut self, store: &'a FileMemoryStore) -> Self {
        self.store = Some(store);
        self
    }

    /// Takes the rows of a store along.
    #[cfg(feature = "sqlite")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
    #[must_use]
    pub fn sqlite_store(mut self, store: &'a SqliteMemoryStore) -> Self {
        self.store = Some(store);
        self
    }

    /// Takes the rows of a store along.
    #[cfg(feature = "postgres")]
    #[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
    #[must_use]
    pub fn postgres_store(mut self, store: &'a PostgresMemoryStore) -> Self {
        self.store = Some(store);
        self
    }

    pub(in crate::exchange) fn rows(mut self, rows: StoredRows<'a>) -> Self {
        self.store = Some(rows.0);
        self
    }

    /// Takes the artifacts of a store along. In the Open Knowledge Format there are none.
    #[must_use]
    pub fn artifacts(mut self, store: &'a dyn ArtifactStore) -> Self {
        self.made.artifacts = Some(store);
        self
    }

    /// Takes along the files that people handed over; all of them are in memory meanwhile. In the Open Knowledge Format there are none.
    #[must_use]
    pub fn files(mut self, store: &'a dyn FileStore) -> Self {
        self.made.files = Some(store);
        self
    }

    /// Takes active preferences and notes with a lesson alone, as Minara's export does. Otherwise proposals, withdrawn
    /// preferences and notes without a lesson travel too: a moved life keeps all that waits for a person.
    #[must_use]
    pub fn settled_only(mut self, settled: bool) -> Self {
        self.is_settled = settled;
        self
    }

    /// Takes hard constraints along, which an export leaves out otherwise: in files, and on the pages of the entities that they name.
    /// Elsewhere they are proposals at most.
    #[must_use]
    pub fn include_constraints(mut self, included: bool) -> Self {
        self.has_constraints = included;
        self
    }

    /// Tells records of the host on the pages of their entities, such as trades on those of their assets. They are for readers: an
    /// import reads none of them.
    #[must_use]
    pub fn records(mut self, records: Vec<(Entity, Vec<String>)>) -> Self {
        self.records.extend(records);
        self
    }

    /// Signs the bundle: by HMAC, and with the feature `signing` by Ed25519.
    #[must_use]
    pub fn signed(mut self, key: &'a BundleKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Writes the bundle in the Open Knowledge Format, version 0.2, that other programs read. Tombstones, the history of
    /// facts and signatures lie beside it, and [`BundleImport::foreign`](super::BundleImport::foreign) reads it all back.
    ///
    /// ```
    /// use noctuary::exchange::Export;
    /// use noctuary::{Access, FileWorkspace, Scope};
    ///
    /// let home = tempfile::tempdir()?;
    /// std::fs::write(home.path().join("MEMORY.md"), "- tea\n")?;
    /// let marta = Access::human(Scope::user("marta"));
    /// let bundle = Export::new(&marta).workspace(&FileWorkspace::open(home.path())?).okf().run()?;
    /// let concept = std::str::from_utf8(bundle.get("documents/MEMORY.md").unwrap())?;
    /// assert!(concept.starts_with("---\ntype: Document\n") && concept.ends_with("---\n- tea\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn okf(mut self) -> Self {
        self.is_okf = true;
        self
    }

    /// Makes the bundle. Nothing is written.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human in a main session, and the errors of reading.
    pub fn run(&self) -> Result<Bundle> {
        owner_only(self.access)?;
        let instance = self.key.map(BundleKey::instance_id);
        let instance = instance.as_deref();
        let mut bundle = Bundle::default();
        let mut as_of = None;
        let mut gone = Gone::new();
        if let Some(store) = self.store {
            if instance.is_some() {
                let standing = Standing::of(store, self.access)?;
                gone = Moments::of(store, self.access, &standing)?.gone();
            }
            let taken = Taken { has_constraints: self.has_constraints, is_settled: self.is_settled };
            as_of = rows(store, self.access, instance, (taken, &self.records), &mut bundle)?;
            as_of = as_of.max(learned(store, self.access, instance, taken, &mut bundle)?);
        }
        if let Some(workspace) = self.workspace {
            documents(workspace, self.access, &mut bundle)?;
        }
        if let Some(store) = self.made.artifacts.filter(|_| !self.is_okf) {
            made::put_artifacts(store, self.access, &mut bundle)?;
        }
        if let Some(store) = self.made.files.filter(|_| !self.is_okf) {
            made::put_files(store, self.access, &mut bundle)?;
        }
        index(instance, as_of, &gone, &mut bundle);
        if self.is_okf {
            bundle = okf::print(&bundle);
        }
        if let Some(key) = self.key {
            bundle.sign(key);
        }
        Ok(bundle)
    }
}

/// The choice of what is taken of the learning loop.
#[derive(Clone, Copy)]
struct Taken {
    has_constraints: bool,
    is_settled: bool,
}

/// Refuses everybody but the human in a main session.
pub(in crate::exchange) fn owner_only(access: &Access) -> Result<()> {
    if *access == Access::human(access.scope.clone()) {
        return Ok(());
    }
    Err(Error::Denied { name: StateName::new_row("bundle").into(), kind: access.kind })
}

/// Adds the rows of a store; returns the time of the latest change among them.
fn rows(
    store: &dyn Rows,
    access: &Access,
    instance: Option<&str>,
    (taken, records): (Taken, &Records),
    bundle: &mut Bundle,
) -> Result<Option<DateTime<Utc>>> {
    let standing = Standing::of(store, access)?;
    let paths: Vec<String> = standing.rows.iter().map(entry::row_path).collect();
    let told: Vec<MemoryId> =
        standing.rows.iter().filter(|row| derived::holds(row)).map(|row| row.fact.memory.id).collect();
    let beside = Beside { truths: truths(store, access, taken)?, records };
    derived::edges(&standing.rows, &paths, &store.edges_of(access, &told)?, &beside, instance, bundle);
    let mut as_of: Option<DateTime<Utc>> = None;
    let mut note = |time: DateTime<Utc>| as_of = as_of.max(Some(time));
    for (row, path) in standing.rows.iter().zip(paths) {
        note(row.fact.memory.updated_at.max(row.fact.memory.created_at));
        bundle.put(path, entry::row(row, instance, &standing.names).print());
    }
    let mut history = String::new();
    for (_, decision) in entry::decisions(&standing.events, &standing.names) {
        note(decision.at());
        history.push_str(&decision.line());
    }
    if !history.is_empty() {
        bundle.put(DECISIONS, history);
    }
    for learning in LearningStore::learnings(store, access, usize::MAX)? {
        note(learning.created_at);
        let (path, front) = entry::learning(&learning, instance);
        bundle.put(path, front.print());
    }
    for (key, value) in MemoryStore::profile(store, access)? {
        let (path, front) = entry::profile(&key, &value, instance);
        bundle.put(path, front.print());
    }
    if let Some(stones) = store.stones(access)? {
        bundle.put(STONES, Forgotten::new(stones).print());
    }
    Ok(as_of)
}

/// Returns the settled statements, for the pages of the entities named in them. These are methods that a person graduated,
/// lessons, and, if they are taken, hard constraints.
fn truths(store: &dyn Rows, access: &Access, taken: Taken) -> Result<Vec<String>> {
    let mut truths = Vec::new();
    for method in MethodStore::methods(store, access)? {
        if method.graduated.is_some() && method.quarantine == 0 {
            truths.push(format!("{}: {}", method.name, method.body));
        }
    }
    for preference in PreferenceStore::preferences(store, access)? {
        let is_constraint = preference.kind == PreferenceKind::HardConstraint;
        if taken.has_constraints && is_constraint && preference.state == PreferenceState::Active {
            truths.push(preference.statement);
        }
    }
    for note in RoleStore::notes(store, access, false)? {
        if let (Some(subject), Some(reflection)) = (note.subject, note.reflection) {
            truths.push(format!("{subject}: {}", reflection.lesson));
        }
    }
    Ok(truths)
}

/// Adds the learning loop of a store; returns the time of the latest change in it.
fn learned(
    store: &dyn Rows,
    access: &Access,
    instance: Option<&str>,
    taken: Taken,
    bundle: &mut Bundle,
) -> Result<Option<DateTime<Utc>>> {
    let mut as_of: Option<DateTime<Utc>> = None;
    for method in MethodStore::methods(store, access)? {
        let mut cases = MethodStore::method_cases(store, access, method.id, usize::MAX)?;
        cases.reverse();
        as_of = as_of.max(Some(method.updated_at.max(method.created_at)));
        let (path, front) = practice::method(&method, &cases, instance);
        bundle.put(path, front.print());
    }
    let counted = store.outcomes(access)?;
    if !counted.is_empty() {
        let instance_id = instance.map(str::to_owned);
        let outcomes = CountedOutcomes { schema_version: SCHEMA, instance_id, counted };
        let text = serde_json::to_string(&outcomes).expect("plain data is always JSON");
        bundle.put(OUTCOMES, format!("{text}\n"));
    }
    derived::readme(taken.has_constraints, bundle);
    let preferences = PreferenceStore::preferences(store, access)?;
    if !preferences.is_empty() {
        let names = Standing::of(store, access)?.names;
        let is_told = |one: &&Preference| {
            (taken.has_constraints || one.kind != PreferenceKind::HardConstraint)
                && (!taken.is_settled || one.state == PreferenceState::Active)
        };
        for preference in preferences.iter().filter(is_told) {
            as_of = as_of.max(Some(preference.created_at));
            as_of = as_of.max(preference.approved.map(|approval| approval.at));
            let memory = preference.memory.and_then(|id| names.get(&id));
            let (path, front) = practice::preference(preference, memory, instance);
            bundle.put(path, front.print());
        }
    }
    // Of two that are one but for its lesson, the one with the lesson.
    for pending in [true, false] {
        if pending && taken.is_settled {
            continue;
        }
        for note in RoleStore::notes(store, access, pending)? {
            as_of = as_of.max(Some(note.created_at));
            as_of = as_of.max(note.reflection.as_ref().map(|reflection| reflection.at));
            let (path, front) = practice::note(&note, instance);
            bundle.put(path, front.print());
        }
    }
    Ok(as_of)
}

/// Adds the documents of a workspace.
fn documents(workspace: &dyn Workspace, access: &Access, bundle: &mut Bundle) -> Result<()> {
    crate::workspace::check_scope(workspace, access, DocName::MEMORY)?;
    let mut folders = vec![Folder::root()];
    while let Some(folder) = folders.pop() {
        let looked = folder.look(workspace, &Reach::everything())?;
        for name in &looked.listing.documents {
            let is_text = [".md", ".markdown", ".txt"].iter().any(|end| name.as_str().ends_with(end));
            if looked.left_out.contains(name) || !(is_of_life(name.as_str()) || is_text) {
                continue;
            }
            match workspace.read(name) {
                Ok(Some(document)) => bundle.put(document_path(name), document.into_bytes()),
                Ok(None) | Err(Error::TooLarge { .. } | Error::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        folders.extend(looked.folders);
    }
    // What a group has forgotten is in its documents, which a life that takes them in reads as its own.
    let mut stones = session::forgotten(workspace)?;
    for group in session::groups(workspace)? {
        let of_group = session::forgotten(&GroupView::new(workspace, &access.scope, &group))?;
        match (&mut stones, of_group) {
            (Some(all), Some(more)) => all.join(&more),
            (None, Some(more)) => stones = Some(more),
            (_, None) => {}
        }
    }
    if let Some(stones) = stones {
        bundle.put(DOCUMENT_STONES, Forgotten::<Tombstones>::new(stones).print());
    }
    Ok(())
}

/// Adds the table of contents.
fn index(instance: Option<&str>, as_of: Option<DateTime<Utc>>, gone: &Gone, bundle: &mut Bundle) {
    #[derive(Serialize)]
    struct Count<'a>(&'a str, usize);
    let mut front = Front::new("index", instance);
    front.put("as_of", as_of.map(time));
    if !gone.is_empty() {
        front.put("gone", gone);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, _) in bundle.files() {
        *counts.entry(path.split('/').next().unwrap_or(path)).or_default() += 1;
    }
    front.put("contents", counts.into_iter().map(|(name, count)| Count(name, count)).collect::<Vec<_>>());
    let mut body = "# A life of noctuary\n\nEach file says what it holds at its top. `noctuary import` reads the folder.\n".to_owned();
    for (path, _) in bundle.files() {
        body.push_str(&format!("\n- [{path}]({path})"));
    }
    front.body = body;
    bundle.put(INDEX, front.print());
}
