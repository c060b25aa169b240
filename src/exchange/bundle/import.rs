//! Bringing a life in: a plan that a person can look at, and its effect.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::entry;
use super::export::owner_only;
use super::front::{Front, SCHEMA};
use super::gone::{self, Moments};
use super::judge::{
    Entry, Judged, Pass, apply_documents, judge_decisions, judge_row, judge_unsigned, judged, pass_row,
};
use super::judge_practice::{Accepted, judge_practice, known_practice};
use super::key::BundleKey;
use super::made;
use super::places::{DECISIONS, DOCUMENT_STONES, INDEX, OUTCOMES, STONES, document_name, is_derived};
use super::plan::{BundleAction, BundleItem, BundlePlan, Channel, Work};
use super::practice::CountedOutcomes;
use super::presence::Presence;
use super::rows::{Rows, StoredRows};
use super::seal;
use super::standing::Standing;
use super::tree::Bundle;
use crate::artifacts::ArtifactStore;
use crate::base::access::Access;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::base::text;
use crate::exchange::claim::claim;
use crate::exchange::foreign::{Foreign, Owner, Taken, What, okf};
use crate::exchange::forgotten::hidden_lines;
use crate::file::FileMemoryStore;
use crate::format::state::forgotten::Forgotten;
use crate::gate::{Door, DoorPolicy, Doors, FORGOTTEN, Masks, Tombstones};
use crate::memory::{AuditOutcome, LearningStore, MemoryStore};
#[cfg(feature = "postgres")]
use crate::postgres::PostgresMemoryStore;
use crate::session;
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteMemoryStore;
use crate::store::carry::{CarriedDecision, CarriedLearning, CarriedRow};
use crate::upload::FileStore;
use crate::workspace::Workspace;

/// Brings a bundle into a home.
///
/// An entry that a trusted key has signed as it is comes back as it was. Any other one comes in with little trust. A
/// row comes in as imported, a document below `imported/`, a method in quarantine, a preference as a proposal. Every
/// text passes [`Door::Import`] and the tombstones of the home and of the bundle. A document that a trusted key has
/// signed keeps the findings of the check, and the plan [names](BundleItem::found) them. One bad file leaves the others
/// as they are. Nothing is overwritten, and importing twice changes nothing.
///
/// An entry that the home once had, by its audit, and no longer has comes in with little trust, whoever signed it. It
/// was deleted or changed since. The audit also knows the entries that were gone already in a home that this one was
/// restored from.
///
/// Tombstones keep statements out of either home, and take nothing away in this one. Where nobody trusted has signed them and they would hide a line of this home, they
/// stay out.
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::{BundleImport, Export};
/// use noctuary::{Access, FileWorkspace, Scope};
///
/// let (theirs, ours) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(theirs.path().join("MEMORY.md"), "- tea\n")?;
/// let marta = Access::human(Scope::user("marta"));
/// let bundle = Export::new(&marta).workspace(&FileWorkspace::open(theirs.path())?).run()?;
///
/// let home = FileWorkspace::open(ours.path())?;
/// let import = BundleImport::new(&marta).workspace(&home);
/// assert_eq!(import.plan(&bundle)?.added().count(), 1); // look at it first: nothing is written yet
/// import.apply(&bundle, Utc::now())?;
/// assert!(ours.path().join("imported/MEMORY.md").exists(), "nobody signed it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct BundleImport<'a> {
    access: &'a Access,
    workspace: Option<&'a dyn Workspace>,
    store: Option<&'a dyn Rows>,
    made: made::Homes<'a>,
    key: Option<&'a BundleKey>,
    trusted: Vec<String>,
    accepted: Accepted,
    doors: Doors,
    foreign: Option<Foreign>,
    owner: Option<String>,
    /// Whether the bundle is one of two halves of a life.
    merges: bool,
}

impl std::fmt::Debug for BundleImport<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BundleImport({})", self.access.scope.user)
    }
}

impl<'a> BundleImport<'a> {
    /// Begins an import into the life of this access, which must be the human's.
    #[must_use]
    pub fn new(access: &'a Access) -> Self {
        Self {
            access,
            workspace: None,
            store: None,
            made: made::Homes::default(),
            key: None,
            trusted: Vec::new(),
            accepted: Accepted::default(),
            doors: Doors::default(),
            foreign: None,
            owner: None,
            merges: false,
        }
    }

    /// Takes the bundle for one of two halves of a life: each may have entries that the other lacks.
    #[cfg(feature = "sqlite")]
    pub(in crate::exchange) fn merges(mut self) -> Self {
        self.merges = true;
        self
    }

    /// Lets hard constraints come in as proposals, since a person is there. Without, each is refused.
    ///
    /// On no channel does one begin to hold: that takes
    /// [`approve_preference`](crate::learning::PreferenceStore::approve_preference) by the human.
    #[must_use]
    pub fn approve_hard_constraints(mut self, presence: Presence) -> Self {
        self.accepted.presence = Some(presence);
        self
    }

    /// Reads the files as the export of another program.
    ///
    /// Its rows come in as imported, with the times that they have there; the plan names each part of a file. A concept of the
    /// Open Knowledge Format that a trusted key has signed comes back as it was.
    ///
    /// ```
    /// use chrono::Utc;
    /// use noctuary::exchange::{Bundle, BundleImport, Foreign};
    /// use noctuary::{Access, FileMemoryStore, Scope};
    ///
    /// let (home, marta) = (tempfile::tempdir()?, Access::human(Scope::user("marta")));
    /// let store = FileMemoryStore::open(home.path(), marta.scope.clone())?;
    /// let mut export = Bundle::default(); // or Bundle::read("mem0.json")
    /// export.put("mem0.json", r#"[{"memory": "Takes tea without milk", "created_at": "2025-11-20T09:00:00Z"}]"#);
    ///
    /// let import = BundleImport::new(&marta).file_store(&store).foreign(Foreign::Mem0);
    /// assert_eq!(import.plan(&export)?.items[0].path, "mem0.json#1"); // nothing is written yet
    /// import.apply(&export, Utc::now())?;
    /// assert_eq!(import.apply(&export, Utc::now())?.added().count(), 0, "twice is once");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn foreign(mut self, foreign: Foreign) -> Self {
        self.foreign = Some(foreign);
        self
    }

    /// Says whose memories of a foreign export are wanted, by their name there. Without, an export with those of several
    /// people gives the ones of the user of this home.
    #[must_use]
    pub fn of_user(mut self, name: impl Into<String>) -> Self {
        self.owner = Some(name.into());
        self
    }

    /// Brings documents into a workspace.
    #[must_use]
    pub fn workspace(mut self, workspace: &'a dyn Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Brings rows into a store.
    #[must_use]
    pub fn file_store(mut self, store: &'a FileMemoryStore) -> Self {
        self.store = Some(store);
        self
    }

    /// Brings rows into a store.
    #[cfg(feature = "sqlite")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
    #[must_use]
    pub fn sqlite_store(mut self, store: &'a SqliteMemoryStore) -> Self {
        self.store = Some(store);
        self
    }

    /// Brings rows into a store.
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

    /// Brings artifacts into a store, with their ids. They come in signed alone.
    #[must_use]
    pub fn artifacts(mut self, store: &'a dyn ArtifactStore) -> Self {
        self.made.artifacts = Some(store);
        self
    }

    /// Brings files that people handed over into a store, under their keys. They come in signed alone.
    #[must_use]
    pub fn files(mut self, store: &'a dyn FileStore) -> Self {
        self.made.files = Some(store);
        self
    }

    /// Trusts what this key has signed.
    #[must_use]
    pub fn key(mut self, key: &'a BundleKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Trusts the signature of another operator: their instance and public key, as `instance:key`.
    #[must_use]
    pub fn trust(mut self, identity: impl Into<String>) -> Self {
        self.trusted.push(identity.into());
        self
    }

    /// Sets the classes that a method may have, such as `crypto`; a file with another one is refused. Any unless set.
    #[must_use]
    pub fn classes<C: Into<String>>(mut self, classes: impl IntoIterator<Item = C>) -> Self {
        self.accepted.classes = Some(classes.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the dimensions that a preference may have, such as `risk`; a file with another one is refused. Any unless set.
    #[must_use]
    pub fn dimensions<D: Into<String>>(mut self, dimensions: impl IntoIterator<Item = D>) -> Self {
        self.accepted.dimensions = Some(dimensions.into_iter().map(Into::into).collect());
        self
    }

    /// Sets what may come in: the policy of [`Door::Import`].
    #[must_use]
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Says what an import would do. Writes nothing, also not in the audit.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human in a main session, and the errors of reading. A file that cannot be
    /// brought in is no error and is part of the plan.
    pub fn plan(&self, bundle: &Bundle) -> Result<BundlePlan> {
        Ok(self.work(bundle)?.plan)
    }

    /// Does what a plan says now, and tells the audit of each file.
    ///
    /// Rows become durable together, and a document when it is reported. After an error or a crash some of it is done; calling
    /// it again does the rest.
    ///
    /// # Errors
    ///
    /// The errors of [`plan`](Self::plan), and those of writing.
    pub fn apply(&self, bundle: &Bundle, now: DateTime<Utc>) -> Result<BundlePlan> {
        // No dream runs in between.
        let lease = self.workspace.map(claim).transpose()?;
        let mut work = self.work(bundle)?;
        if let Some(store) = self.store {
            self.apply_rows(store, &mut work, now)?;
        }
        if let Some(workspace) = self.workspace {
            apply_documents(workspace, &mut work)?;
        }
        self.made.apply(self.access, &mut work, now)?;
        if let Some(store) = self.store {
            let mut lines = Vec::new();
            for item in &work.plan.items {
                let action = match item.channel {
                    Channel::Signed => "memory_import.signed",
                    Channel::Unsigned => "memory_import.unsigned",
                };
                let outcome = match &item.action {
                    BundleAction::Add => AuditOutcome::Done,
                    BundleAction::Keep => continue,
                    BundleAction::Refuse(why) => AuditOutcome::Refused(why.clone()),
                };
                lines.push((action, outcome, now));
            }
            store.tell_audit(self.access, &lines)?;
        }
        if let Some(lease) = lease {
            lease.release()?;
        }
        work.plan.applied = true;
        Ok(work.plan)
    }

    fn work(&self, bundle: &Bundle) -> Result<Work> {
        owner_only(self.access)?;
        let verified = seal::verify(bundle, self.key, &self.trusted);
        let mut work = Work::default();
        work.plan.author.clone_from(&verified.author);
        work.plan.missing.clone_from(&verified.missing);
        let front = |path: &str| Front::parse(std::str::from_utf8(bundle.get(path)?).ok()?);
        let index = if self.foreign == Some(Foreign::Okf) { okf::HEAD } else { INDEX };
        let head = front(index).filter(|_| verified.good.contains(index));
        work.as_of = head.as_ref().and_then(|head| head.get("as_of"));
        let buried = self.buried(bundle, &verified, &mut work)?;
        // A person's own file may keep what their home has forgotten; it is hidden in either home.
        let foreign = self.not_forgotten_there(bundle, &verified)?;
        let standing = self.store.map(|store| Standing::of(store, self.access)).transpose()?;
        let moments = match (self.store, &standing) {
            (Some(store), Some(standing)) => Some(Moments::of(store, self.access, standing)?),
            _ => None,
        };
        if let (Some(moments), Some(gone)) = (&moments, head.as_ref().and_then(|head| head.get("gone"))) {
            work.gone = moments.unknown(&gone);
        }
        // Both stores were read by this process itself: a row that one of them lacks is a row of the other.
        let moments = moments.filter(|_| !self.merges);
        let pass = |name: &Name, text: &str| self.pass(&buried, name, text);
        for Taken { shown, what } in self.parts(bundle) {
            let mut channel =
                if verified.good.contains(&shown) { Channel::Signed } else { Channel::Unsigned };
            let mut found = Vec::new();
            let judged = match what {
                What::Bad(why) => Err(why),
                What::File { is_deprecated: true, .. } if channel == Channel::Unsigned => {
                    Err("its status is deprecated".to_owned())
                }
                What::File { path, bytes, .. } if self.foreign.is_none() && made::is_made(&path) => {
                    let entry = (&*path, &*bytes);
                    self.made.judge(entry, channel, (bundle, self.access), &pass, &mut work)?
                }
                What::File { path, bytes, .. } if path == DECISIONS => {
                    judge_decisions(&bytes, channel, standing.as_ref(), &pass, &mut work)
                }
                What::File { path, bytes, .. } if path == OUTCOMES => {
                    self.judge_outcomes(&bytes, channel, &verified, &pass, &mut work)?
                }
                What::File { path, bytes, .. } => {
                    let entry = Entry {
                        path: &shown,
                        bytes: &bytes,
                        moments: moments.as_ref(),
                        standing: standing.as_ref(),
                        verified: &verified,
                    };
                    match document_name(&path) {
                        Some(name) => {
                            let stones = if channel == Channel::Signed { &foreign } else { &buried };
                            self.judge_document(&name, &entry, channel, stones, &mut found, &mut work)?
                        }
                        None => self.judge_entry(&entry, &mut channel, &pass, &mut work)?,
                    }
                }
                What::Row { memory, at } => {
                    let name: Name = StateName::row("imported", &shown).into();
                    match self.store {
                        None => Err("no store was given".to_owned()),
                        Some(_) => pass_row(&name, &memory, &pass)
                            .map(|()| judge_unsigned(&shown, *memory, at, standing.as_ref(), &mut work)),
                    }
                }
            };
            let action = judged.unwrap_or_else(BundleAction::Refuse);
            work.plan.items.push(BundleItem { path: shown, channel, action, found, hides: 0 });
        }
        for path in bundle.too_large() {
            let action = BundleAction::Refuse(
                "it is larger than 64 MiB, the most that is read of a file; bring it in by hand, or in parts"
                    .to_owned(),
            );
            let path = path.to_owned();
            work.plan.items.push(BundleItem {
                path,
                channel: Channel::Unsigned,
                action,
                found: Vec::new(),
                hides: 0,
            });
        }
        Ok(work)
    }

    /// Returns the parts of a bundle that may come in.
    fn parts<'b>(&self, bundle: &'b Bundle) -> Vec<Taken<'b>> {
        if let Some(foreign) = self.foreign {
            let home = &self.access.scope.user;
            return foreign.parts(bundle, Owner { asked: self.owner.as_deref(), home });
        }
        let is_beside =
            |path: &str| path == INDEX || seal::is_seal(path) || path == STONES || path == DOCUMENT_STONES;
        let files = bundle.files().filter(|(path, _)| !is_beside(path) && !is_derived(path));
        files.map(|(path, bytes)| Taken::file(path, bytes)).collect()
    }

    /// Returns the forgotten statements of this home, and those that the bundle brings from its home.
    fn buried(&self, bundle: &Bundle, verified: &seal::Verified, work: &mut Work) -> Result<Vec<Tombstones>> {
        let mut buried = Vec::new();
        if let Some(store) = self.store {
            buried.extend(store.stones(self.access)?);
        }
        if let Some(workspace) = self.workspace {
            buried.extend(session::forgotten(workspace)?);
        }
        let parse = |path: &str| Forgotten::<Tombstones>::parse(bundle.get(path)).ok().flatten();
        for (path, is_of_rows) in [(STONES, true), (DOCUMENT_STONES, false)] {
            if bundle.get(path).is_none() {
                continue;
            }
            let home = if is_of_rows { self.store.is_some() } else { self.workspace.is_some() };
            let channel = if verified.good.contains(path) { Channel::Signed } else { Channel::Unsigned };
            let mut hides = 0;
            let action = match parse(path) {
                None => BundleAction::Refuse("it is no list of tombstones".to_owned()),
                Some(_) if !home => BundleAction::Refuse("no home for it was given".to_owned()),
                Some(file) => {
                    let stones = file.tombstones;
                    buried.push(stones.clone());
                    let own = match (is_of_rows, self.store, self.workspace) {
                        (true, Some(store), _) => store.stones(self.access)?,
                        (false, _, Some(workspace)) => session::forgotten(workspace)?,
                        _ => None,
                    };
                    let has = |stone| own.as_ref().is_some_and(|own| own.contains(stone));
                    if own.as_ref().is_some_and(|own| own.key() != stones.key()) {
                        BundleAction::Refuse(
                            "the home keeps tombstones under a key of its own; they count for this import"
                                .to_owned(),
                        )
                    } else if stones.iter().all(has) {
                        BundleAction::Keep
                    } else {
                        let mut new = stones.clone();
                        own.iter().flat_map(Tombstones::iter).for_each(|stone| {
                            new.remove(stone);
                        });
                        let (rows, documents) = (
                            self.store.filter(|_| is_of_rows).map(StoredRows),
                            self.workspace.filter(|_| !is_of_rows),
                        );
                        hides = hidden_lines(&new, self.access, documents, rows)?.len();
                        // A statement of which the home has no line may stay out on anybody's word: a person can let it in again.
                        if hides > 0 && channel == Channel::Unsigned {
                            BundleAction::Refuse(format!(
                                "it hides {} of yours, and nobody whom you trust has signed it; trust its signer, or forget the statements yourself",
                                if hides == 1 { "1 line".to_owned() } else { format!("{hides} lines") },
                            ))
                        } else {
                            let place = if is_of_rows { &mut work.stones } else { &mut work.document_stones };
                            *place = Some(stones);
                            BundleAction::Add
                        }
                    }
                }
            };
            let path = path.to_owned();
            work.plan.items.push(BundleItem { path, channel, action, found: Vec::new(), hides });
        }
        Ok(buried)
    }

    /// Returns the statements that this home has forgotten, and the home of the bundle has not.
    fn not_forgotten_there(&self, bundle: &Bundle, verified: &seal::Verified) -> Result<Vec<Tombstones>> {
        let parse = |path: &str| Forgotten::<Tombstones>::parse(bundle.get(path)).ok().flatten();
        let is_good = |path: &&str| verified.good.contains(*path);
        let there: Vec<Tombstones> = [STONES, DOCUMENT_STONES]
            .into_iter()
            .filter(is_good)
            .filter_map(parse)
            .map(|file| file.tombstones)
            .collect();
        let mut here = Vec::new();
        if let Some(store) = self.store {
            here.extend(store.stones(self.access)?);
        }
        if let Some(workspace) = self.workspace {
            here.extend(session::forgotten(workspace)?);
        }
        for stones in &mut here {
            for there in &there {
                if there.key() == stones.key() {
                    for stone in there.iter() {
                        stones.remove(stone);
                    }
                }
            }
        }
        Ok(here)
    }

    /// Says whether a text may come in, as it is.
    fn pass(&self, buried: &[Tombstones], name: &Name, text: &str) -> std::result::Result<(), String> {
        self.found(buried, self.doors.policy_of(Door::Import, name).as_it_is(), name, text).map(drop)
    }

    /// Returns the classes of the findings in a text that a policy lets in.
    fn found(
        &self,
        buried: &[Tombstones],
        policy: DoorPolicy,
        name: &Name,
        text: &str,
    ) -> std::result::Result<Vec<String>, String> {
        if buried.iter().any(|stones| stones.holds(text)) {
            return Err(format!("it holds what was {FORGOTTEN}"));
        }
        match self.doors.judge(Door::Import, policy, name, text, &mut Masks::default()) {
            Ok(passed) => Ok(passed.warnings.into_iter().map(|warning| warning.class).collect()),
            Err(Error::Stopped { classes, .. }) => Err(format!("it holds {}", classes.join(", "))),
            Err(error) => Err(error.to_string()),
        }
    }

    fn judge_entry(
        &self,
        entry: &Entry<'_>,
        channel: &mut Channel,
        pass: &Pass<'_>,
        work: &mut Work,
    ) -> Result<Judged> {
        let Some(front) = std::str::from_utf8(entry.bytes).ok().and_then(Front::parse) else {
            return Ok(Err("it is no entry of a bundle".to_owned()));
        };
        let Some(store) = self.store else { return Ok(Err("no store was given".to_owned())) };
        // Trust follows the key: an entry that names another author than the envelope is forged.
        if *channel == Channel::Signed && front.get::<String>("instance_id") != entry.verified.author {
            return Ok(Err("it names another author than the signature".to_owned()));
        }
        let kind: String = front.get("kind").unwrap_or_default();
        let name: Name = StateName::row("imported", entry.path).into();
        if ["methodology", "preference", "role_note"].contains(&kind.as_str()) {
            let mut known = match work.practice.take() {
                Some(known) => known,
                None => known_practice(store, self.access)?,
            };
            let judged = judge_practice(
                entry,
                &front,
                channel,
                &self.accepted,
                &|text| pass(&name, text),
                &mut known,
                work,
            );
            work.practice = Some(known);
            return Ok(judged);
        }
        let schema = |field: &str| format!("its field {field} is missing or unknown");
        Ok(match kind.as_str() {
            "memory" | "fact" => match entry::read_row(&front) {
                Err(field) => Err(schema(field)),
                Ok(row) => {
                    let passed = pass_row(&name, &row.memory, pass);
                    passed.map(|()| judge_row(entry, &front, row, channel, work))
                }
            },
            "learning" => match entry::read_learning(&front) {
                Err(field) => Err(schema(field)),
                Ok(learning) => {
                    let texts = [Some(&learning.learning.content), learning.learning.context.as_ref()];
                    let passed = texts.into_iter().flatten().try_for_each(|text| pass(&name, text));
                    if work.learned.is_none() {
                        let known = LearningStore::learnings(store, self.access, usize::MAX)?;
                        let known = known.iter().map(|known| text::statement(&known.content)).collect();
                        work.learned = Some(known);
                    }
                    let said = text::statement(&learning.learning.content);
                    passed.map(|()| {
                        if !work.learned.get_or_insert_default().insert(said) {
                            return BundleAction::Keep;
                        }
                        match channel {
                            Channel::Signed => work.learnings.push(learning),
                            Channel::Unsigned => work.new_learnings.push(learning),
                        }
                        BundleAction::Add
                    })
                }
            },
            "profile" => match entry::read_profile(&front) {
                Err(field) => Err(schema(field)),
                Ok((key, value)) => {
                    let passed = pass(&name, &format!("{key}: {value}"));
                    let profile = MemoryStore::profile(store, self.access)?;
                    let known = profile.into_iter().find(|(known, _)| *known == key);
                    passed.and_then(|()| match known {
                        Some((_, known)) if known == value => Ok(BundleAction::Keep),
                        Some(_) => Err("the profile says something else".to_owned()),
                        None if *channel == Channel::Unsigned => {
                            Err("a profile comes in signed alone".to_owned())
                        }
                        None => {
                            work.profile.push((key, value));
                            Ok(BundleAction::Add)
                        }
                    })
                }
            },
            _ => Err(schema("kind")),
        })
    }

    /// Judges the list of outcomes that were counted.
    fn judge_outcomes(
        &self,
        bytes: &[u8],
        channel: Channel,
        verified: &seal::Verified,
        pass: &Pass<'_>,
        work: &mut Work,
    ) -> Result<Judged> {
        let Some(store) = self.store else { return Ok(Err("no store was given".to_owned())) };
        if channel == Channel::Unsigned {
            return Ok(Err("outcomes come in signed alone".to_owned()));
        }
        let Ok(outcomes) = serde_json::from_slice::<CountedOutcomes>(bytes) else {
            return Ok(Err("it is no list of outcomes".to_owned()));
        };
        if outcomes.schema_version != SCHEMA {
            return Ok(Err("its field schema_version is missing or unknown".to_owned()));
        }
        if outcomes.instance_id != verified.author {
            return Ok(Err("it names another author than the signature".to_owned()));
        }
        let name: Name = StateName::row("imported", OUTCOMES).into();
        for id in &outcomes.counted {
            if let Err(why) = pass(&name, id) {
                return Ok(Err(why));
            }
        }
        let known: BTreeSet<String> = store.outcomes(self.access)?.into_iter().collect();
        work.outcomes = outcomes.counted.into_iter().filter(|id| !known.contains(id)).collect();
        Ok(Ok(if work.outcomes.is_empty() { BundleAction::Keep } else { BundleAction::Add }))
    }

    fn judge_document(
        &self,
        name: &DocName,
        entry: &Entry<'_>,
        channel: Channel,
        buried: &[Tombstones],
        found: &mut Vec<String>,
        work: &mut Work,
    ) -> Result<Judged> {
        let Some(workspace) = self.workspace else {
            return Ok(Err("no workspace was given".to_owned()));
        };
        let into = match channel {
            Channel::Signed => name.clone(),
            // Where no prompt looks.
            Channel::Unsigned => {
                match DocName::parse(format!("imported/{}", name.as_str().trim_start_matches('.'))) {
                    Ok(name) => name,
                    Err(error) => return Ok(Err(error.to_string())),
                }
            }
        };
        let bytes = entry.bytes;
        let policy = self.doors.policy_of(Door::Import, &into);
        // A person's own bytes come back as they were, as a journal or an editor let them in.
        let policy = if channel == Channel::Signed { policy.only_warning() } else { policy.as_it_is() };
        Ok(match workspace.read(&into) {
            Ok(None) => {
                match self.found(buried, policy, &into, &String::from_utf8_lossy(bytes)) {
                    Ok(classes) => *found = classes,
                    Err(why) => return Ok(Err(why)),
                }
                work.documents.push((entry.path.to_owned(), into, bytes.to_vec()));
                Ok(BundleAction::Add)
            }
            Ok(Some(standing)) if standing.bytes() == bytes => Ok(BundleAction::Keep),
            Ok(Some(_)) | Err(Error::Refused { .. } | Error::TooLarge { .. }) => {
                Err("something else has this name".to_owned())
            }
            Err(error) => return Err(error),
        })
    }

    fn apply_rows(&self, store: &dyn Rows, work: &mut Work, now: DateTime<Utc>) -> Result<()> {
        // Times of the bundle, so that an import which goes on later does not take the home for newer.
        let as_of = work.as_of.unwrap_or(now);
        if let Some(stones) = &work.stones {
            let list: Vec<_> = stones.iter().copied().collect();
            store.carry_stones(self.access, stones.key(), &list, self.merges, as_of)?;
        }
        work.signed
            .sort_by(|(one, left), (other, right)| (left.created_at, one).cmp(&(right.created_at, other)));
        let (names, rows): (Vec<String>, Vec<CarriedRow>) =
            std::mem::take(&mut work.signed).into_iter().unzip();
        let ids = store.carry_rows(self.access, &rows)?;
        work.standing.extend(names.into_iter().zip(ids));
        let mut decisions = Vec::new();
        // The place of each line among those that are replayed.
        let mut places: Vec<Option<CarriedDecision>> = Vec::new();
        for (decision, known) in &work.decisions {
            if let Some(id) = known {
                places.push(Some(CarriedDecision::Standing(*id)));
                continue;
            }
            let Some(event) = decision.with_ids(&work.standing) else {
                places.push(None);
                continue;
            };
            let reverts =
                decision.reverts.and_then(|line| match places.get(line.checked_sub(1)?)?.as_ref()? {
                    CarriedDecision::Standing(id) => Some(CarriedDecision::Standing(*id)),
                    CarriedDecision::Earlier(place) => Some(CarriedDecision::Earlier(*place)),
                });
            places.push(Some(CarriedDecision::Earlier(decisions.len())));
            decisions.push((event, reverts));
        }
        store.carry_decisions(self.access, &decisions, as_of)?;
        store.carry_learnings(self.access, &work.learnings)?;
        store.carry_methods(self.access, &work.methods)?;
        let preferences: Vec<_> = std::mem::take(&mut work.preferences)
            .into_iter()
            .map(|carried| {
                let row = carried.memory.as_ref().and_then(|name| work.standing.get(name).copied());
                carried.with_row(row)
            })
            .collect();
        store.carry_preferences(self.access, &preferences)?;
        store.carry_notes(self.access, &work.notes)?;
        store.carry_outcomes(self.access, &work.outcomes, as_of)?;
        for (key, value) in &work.profile {
            store.carry_profile(self.access, key, value, as_of)?;
        }
        let (shown, rows): (Vec<String>, Vec<_>) = std::mem::take(&mut work.unsigned)
            .into_iter()
            // What is said to be of tomorrow is of today.
            .map(|(shown, memory, at)| (shown, (memory, at.unwrap_or(now).min(now))))
            .unzip();
        let mut refused = BTreeMap::new();
        for (path, written) in shown.into_iter().zip(store.carry_new(self.access, &rows)?) {
            if let Err(error) = written {
                refused.insert(path, judged(error)?);
            }
        }
        for (path, method) in std::mem::take(&mut work.new_methods) {
            if let Err(error) = store.create_method(self.access, &method, now) {
                refused.insert(path, judged(error)?);
            }
        }
        for (path, preference) in std::mem::take(&mut work.new_preferences) {
            if let Err(error) = store.propose_preference(self.access, &preference, now) {
                refused.insert(path, judged(error)?);
            }
        }
        for CarriedLearning { learning, .. } in &work.new_learnings {
            store.learn(self.access, learning, now)?;
        }
        gone::tell(store, self.access, &work.gone)?;
        for item in &mut work.plan.items {
            if let Some(why) = refused.remove(&item.path) {
                item.action = BundleAction::Refuse(why);
            }
        }
        Ok(())
    }
}
