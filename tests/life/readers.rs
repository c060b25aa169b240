//! A canary in each private place, and every public function that gives a session anything.
//!
//! [`READERS`] names all functions of the crate that take a workspace, a view, an access or a session, and return
//! something; a second test reads the source and fails where one is missing.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use noctuary::artifacts::{
    Artifact, ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactPage, ArtifactStore,
    ArtifactStoreExt, Materialiser, NewArtifact,
};
use noctuary::dream::{
    DreamMode, FactDreamer, HistoryItem, JournalSpan, PersonalizationDreamer, RoleDreamer, history_fn,
};
use noctuary::edges::{CitedSource, EdgeStore};
use noctuary::exchange::{Dialect, Forget, Import, Strikes, copy_into, feed, strike_superseded, unstrike};
use noctuary::facts::{Decision, EventId, Fact, FactKey, FactStore};
use noctuary::format::{DreamId, JournalName, OnboardingEnd};
use noctuary::learning::{
    Constraint, Ending, Method, MethodId, MethodStore, NewMethod, NewOutcome, NewPreference, NewRoleNote,
    PreferenceId, PreferenceStore, Reflection, RoleClass, RoleNote, RoleNoteId, RoleStore,
};
use noctuary::life::{
    Block, CacheHint, Consent, ContextConfig, EDITABLE, Editor, Exhibit, Guarded, Journal, MemoryContext,
    Preset, PromptConfig, PromptOrder, SharedUser, Snapshot, TurnEnd, Undreamed,
};
use noctuary::memory::{
    Filter, ForgetRequest, LearningStore, Memory, MemoryId, NewLearning, NewMemory, Query, Source,
};
use noctuary::pages::{Learned, Pages};
use noctuary::sleep::SleepDreamer;
use noctuary::store::StoreConfig;
use noctuary::testing::Script;
use noctuary::tools::{MemoryTool, ToolError, Toolbox};
use noctuary::workspace::{ClaimTerms, Document, Revision, WorkspaceExt};
use noctuary::{
    Access, Actor, Dreamer, Error, FileArtifactStore, FileMemoryStore, JournalDreamer, Life, LifeConfig,
    MemoryStore, Note, Outcome, Scope, SessionKind, Workspace, WriteMode, dream_once_at,
};
use regex::Regex;
use serde_json::{Value, json};

use crate::life::{access, at, documents, homes, name, open, put, quick};
use noctuary_tests::common;
use noctuary_tests::dreaming::copy_folder;

const CANARIES: [&str; 9] = [
    "canary-in-a-row",
    "canary-in-memory",
    "canary-of-the-user",
    "canary-in-a-journal",
    "canary-of-yesterday",
    "canary-replaced",
    "canary-in-a-proposal",
    "canary-in-the-archive",
    "canary-of-a-sleeper",
];

const KINDS: [SessionKind; 3] = [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled];
const ORDERS: [PromptOrder; 3] = [PromptOrder::Seed, PromptOrder::IronClaw, PromptOrder::OpenClaw];
const JOURNALS: [&str; 4] =
    ["memory/2026-11-20-repl.md", "memory/2026-11-20.md", "memory/2026-11-19-repl.md", "daily/2026-11-20.md"];

/// A store of rows that are facts too, and of learnings.
trait Store:
    MemoryStore + FactStore + LearningStore + MethodStore + PreferenceStore + RoleStore + EdgeStore
{
}

impl<S: MemoryStore + FactStore + LearningStore + MethodStore + PreferenceStore + RoleStore + EdgeStore> Store
    for S
{
}

/// A session in a furnished home.
struct Place {
    life: Life,
    access: Access,
    names: Vec<noctuary::DocName>,
    stores: Vec<Arc<dyn Store>>,
    folder: tempfile::TempDir,
}

impl Place {
    fn view(&self) -> Guarded<Arc<dyn Workspace>> {
        self.life.view(self.access.clone())
    }

    /// A life over no more than the session's view.
    fn life_over(&self, config: LifeConfig) -> Life {
        Life::new(Arc::new(self.view()), config)
    }

    fn life_of_view(&self) -> Life {
        self.life_over(self.life.config().clone())
    }

    /// Returns the answer of a verb for each journal that may go without a dream, with the consent that the session may give.
    fn each_journal(&self, verb: impl Fn(&Life, &JournalName, Option<&Consent>) -> String) -> String {
        let mut config = LifeConfig::default();
        config.retention.without_dreams = true;
        let life = self.life_over(config);
        let journals = self.names.iter().filter_map(JournalName::parse);
        journals
            .map(|journal| {
                let consent = Consent::given(&self.access, journal.clone()).ok();
                verb(&life, &journal, consent.as_ref())
            })
            .collect()
    }

    fn session(&self) -> noctuary::Session {
        self.life.begin_session(self.access.clone(), "s", "chat", at(20, 12, 0)).unwrap()
    }

    /// Returns the answers of each memory store, in which a canary is a private row and a private fact.
    fn stores(&self, verb: impl Fn(&dyn Store, &Access) -> String) -> String {
        self.stores.iter().map(|store| verb(store.as_ref(), &self.access)).collect()
    }

    fn editor(&self) -> Editor<'_> {
        Editor::new(self.life.workspace(), self.access.clone())
    }

    /// Returns the answers about each document.
    fn each(&self, verb: impl Fn(&noctuary::DocName) -> String) -> String {
        self.names.iter().map(verb).collect()
    }
}

/// Returns the words that an answer gives away: its text, or an error's words and the document that a conflict carries.
fn told<T>(answer: noctuary::Result<T>, text: impl FnOnce(T) -> String) -> String {
    match answer {
        Ok(answer) => text(answer),
        Err(error) => {
            let carried = match &error {
                Error::Conflict { current: Some(current), .. } => current.lossy().into_owned(),
                _ => String::new(),
            };
            format!("{error} {error:?} {carried}\n")
        }
    }
}

fn shape<T: Debug>(answer: noctuary::Result<T>) -> String {
    told(answer, |answer| format!("{answer:?}\n"))
}

fn lossy(document: Option<Document>) -> String {
    document.map(|document| document.lossy().into_owned()).unwrap_or_default()
}

/// Homes that are furnished once: who reads in one is given a copy, since many change what they read.
struct Furnished(Vec<tempfile::TempDir>);

impl Furnished {
    fn by(furnish: fn(&Path, &Arc<dyn Workspace>)) -> Self {
        let furnished = homes().map(|(folder, workspace)| {
            furnish(folder.path(), &workspace);
            folder
        });
        Self(furnished.collect())
    }

    /// A copy of one home.
    fn copy(&self, kind: usize) -> (tempfile::TempDir, Arc<dyn Workspace>) {
        let folder = quick();
        copy_folder(self.0[kind].path(), folder.path());
        let workspace = open(kind, folder.path()).unwrap();
        (folder, workspace)
    }

    /// Copies of all homes, each made when it is asked for.
    fn copies(&self) -> impl Iterator<Item = (tempfile::TempDir, Arc<dyn Workspace>)> {
        (0..self.0.len()).map(|kind| self.copy(kind))
    }
}

/// A session in a copy of a furnished home.
fn place((folder, workspace): (tempfile::TempDir, Arc<dyn Workspace>), access: Access) -> Place {
    let life = Life::new(workspace, LifeConfig::default());
    let names = documents(life.workspace()).into_keys().map(|document| name(&document)).collect();
    let stores = memory_stores(folder.path());
    Place { life, access, names, stores, folder }
}

fn furnish(folder: &Path, workspace: &Arc<dyn Workspace>) {
    let life = Life::new(Arc::clone(workspace), LifeConfig::default());
    life.boot(at(20, 8, 0)).unwrap();
    let human = Editor::new(workspace, crate::life::access(SessionKind::Main, Actor::Human));
    let seen = human.load(&noctuary::DocName::MEMORY).unwrap().unwrap().revision();
    let seen = human.save(&noctuary::DocName::MEMORY, "canary-replaced\n", Some(seen), at(20, 8, 0)).unwrap();
    let memory = "# Memory\n\n- canary-in-memory\n";
    human.save(&noctuary::DocName::MEMORY, memory, Some(seen), at(20, 8, 0)).unwrap();
    put(
        workspace,
        "USER.md",
        "# User\n\n- **Name:** Marta\n- **Focus:** canary-of-the-user\n\ncanary-of-the-user\n",
    );
    put(workspace, "memory/archive/dreamed.md", "# Dreamed earlier\n\n- canary-in-the-archive\n");
    for journal in JOURNALS {
        let canary = if journal.contains("-19-") { "canary-of-yesterday" } else { "canary-in-a-journal" };
        put(workspace, journal, format!("- [user] Decision: {canary}\n"));
    }
    let script = Script::new().says("- canary-in-a-proposal");
    let proposed = dream_once_at(&proposer(workspace), &script, &|| at(20, 8, 0)).unwrap();
    assert_eq!(proposed.outcome, Outcome::Proposed);
    put(workspace, "self/observations.md", "## 2026-11-19\n\nRED 09:00 canary-of-a-sleeper\n");
    put(
        workspace,
        "self/dreams.jsonl",
        "{\"t\":\"2026-11-19T09:00:00Z\",\"reflection\":\"canary-of-a-sleeper\",\"priority\":\"canary-of-a-sleeper\"}\n",
    );
    fill(&memory_stores(folder));
}

fn proposer(workspace: &Arc<dyn Workspace>) -> JournalDreamer {
    let dreamer = JournalDreamer::builder(Arc::clone(workspace)).enabled(true);
    dreamer.configure(|config| config.mode = DreamMode::Propose).build().unwrap()
}

/// The proposal that waits in a furnished home.
fn proposal(place: &Place) -> DreamId {
    let human = Access::human(place.access.scope.clone());
    let waiting = proposer(place.life.workspace()).proposals(&human, at(20, 9, 0)).unwrap();
    // A group has none.
    waiting
        .into_iter()
        .next()
        .map_or_else(|| DreamId::parse("0f3a9c5be2d14477").unwrap(), |waiting| waiting.id)
}

/// A store of each kind.
fn memory_stores(folder: &Path) -> Vec<Arc<dyn Store>> {
    let owner = access(SessionKind::Main, Actor::Agent).scope;
    let mut config = StoreConfig::default();
    config.facts.consolidation = true;
    vec![
        Arc::new(FileMemoryStore::open_with(folder, owner.clone(), config.clone()).unwrap()),
        Arc::new(noctuary::SqliteMemoryStore::open_with(folder.join("memory.db"), owner, config).unwrap()),
    ]
}

/// Writes private rows and facts, one of them pinned and one deleted, and a shared row.
fn fill(stores: &[Arc<dyn Store>]) {
    let main = access(SessionKind::Main, Actor::Agent);
    for store in stores {
        let private =
            NewMemory::new("fact", "canary-in-a-row", Source::AgentRecorded).because("canary-in-a-row");
        let ids = [(); 3].map(|()| store.write(&main, &private, at(20, 8, 0)).unwrap());
        store.pin(&main, ids[1], true, at(20, 8, 0)).unwrap();
        store.delete(&main, ids[2], at(20, 8, 0)).unwrap();
        let shared = NewMemory::new("fact", "for everybody", Source::AgentRecorded).shared();
        let public = store.write(&main, &shared, at(20, 8, 0)).unwrap();
        // One that is retired, one that a shared one replaced, and a suspicion.
        let [old, new] = ["canary-in-a-row was", "canary-in-a-row is"].map(|text| {
            let row = NewMemory::new("fact", text, Source::AgentRecorded).about(canary_key());
            store.record(&main, &row, at(20, 8, 0)).unwrap().id
        });
        let because = |decision: Decision| decision.because("canary-in-a-row");
        store.decide(&main, &because(Decision::supersede(old, public)), at(20, 8, 0)).unwrap();
        let other = NewMemory::new("fact", "canary-in-a-row too", Source::AgentRecorded).about(canary_key());
        assert_eq!(store.record(&main, &other, at(20, 8, 0)).unwrap().suspects[0].id, new);
        let dream = DreamId::parse("0f3a9c5be2d14477").unwrap();
        let library = access(SessionKind::Main, Actor::Library);
        let dreamed = NewMemory::new("fact", "canary-in-a-row of a dream", Source::Dreamed).of_dream(dream);
        store.write(&library, &dreamed, at(20, 8, 0)).unwrap();
        let learning = NewLearning::new("canary-in-a-row of a review").context("canary-in-a-row");
        store.learn(&main, &learning, at(20, 8, 0)).unwrap();
        store.set_profile(&main, "risk", "canary-in-a-row", at(20, 8, 0)).unwrap();
        let method =
            NewMethod::new("canary-in-a-row", "class", "canary-in-a-row works").case("canary-in-a-row did");
        store.create_method(&main, &method, at(20, 8, 0)).unwrap();
        let rule =
            NewPreference::hard_constraint("canary-in-a-row", "Never canary-in-a-row.").tool("canary*");
        let rule = store.propose_preference(&main, &rule, at(20, 8, 0)).unwrap();
        let human = access(SessionKind::Main, Actor::Human);
        store.approve_preference(&human, rule, at(20, 8, 0)).unwrap();
        for text in ["canary-in-a-row here", "canary-in-a-row there"] {
            let note = NewRoleNote::new("planner", text).about("canary-in-a-row");
            store.take_note(&main, &note, at(20, 8, 0)).unwrap();
        }
        let lesson = Reflection::new(RoleClass::Neutral, "canary-in-a-row again", at(20, 8, 0));
        assert!(store.reflect(&human, RoleNoteId::new(1), &lesson).unwrap());
        let wish = NewPreference::behavioural("canary-in-a-row", "Wants canary-in-a-row.");
        store.propose_preference(&main, &wish, at(20, 8, 0)).unwrap();
    }
}

fn texts(rows: noctuary::Result<Vec<Memory>>) -> String {
    told(rows, |rows| rows.iter().map(|row| format!("{row:?} {}", row.content)).collect())
}

fn one_text(fact: noctuary::Result<Option<Fact>>) -> String {
    texts(fact.map(|fact| fact.into_iter().map(|fact| fact.memory).collect()))
}

/// The key of the facts in the stores.
fn canary_key() -> FactKey {
    FactKey::one("canary-in-a-row", "home")
}

/// The ids of the rows, and one of none.
fn ids() -> impl Iterator<Item = MemoryId> {
    [1, 2, 3, 4, 5, 6, 7, 99].into_iter().map(MemoryId::new)
}

fn methods(methods: &[Method]) -> String {
    methods.iter().map(|one| format!("{one:?} {} {} {}", one.name, one.class, one.body)).collect()
}

fn notes(notes: &[RoleNote]) -> String {
    let lesson = |one: &RoleNote| one.reflection.as_ref().map(|reflection| reflection.lesson.clone());
    notes.iter().map(|one| format!("{one:?} {:?} {} {:?}", one.subject, one.content, lesson(one))).collect()
}

fn rules(rules: &[Constraint]) -> String {
    rules.iter().map(|one| format!("{one:?} {:?} {:?} {:?}", one.statement, one.tools, one.words)).collect()
}

fn prompts(place: &Place) -> String {
    let mut told = String::new();
    for order in ORDERS {
        for user in [SharedUser::Subset, SharedUser::None] {
            let mut config = PromptConfig::default();
            config.order = order;
            config.journal_days = 30;
            let day = place.life.config().day;
            let snapshot = Snapshot::take(&place.view(), &config, user, day, at(20, 12, 0)).unwrap();
            let derived = [Block::derived("d", "derived", CacheHint::Turn)];
            let prompt = snapshot.prompt(&place.view(), Some("changed"), &derived).unwrap();
            told += &format!("{prompt} {prompt:?} {snapshot:?}");
        }
    }
    told
}

fn logs(answer: noctuary::Result<Vec<(JournalName, Document)>>) -> String {
    told(answer, |logs| {
        logs.iter().map(|(name, document)| format!("{name:?} {}", document.lossy())).collect()
    })
}

fn to_do(action: &noctuary::exchange::ImportAction) -> bool {
    matches!(action, noctuary::exchange::ImportAction::Copy | noctuary::exchange::ImportAction::Append)
}

/// The life with receipts of two replies: one of a main session, where the place is no group's, and one of the place's own.
fn with_receipt(place: &Place) -> Life {
    let mut config = place.life.config().clone();
    config.receipts.enabled = true;
    let life = Life::new(Arc::clone(place.life.workspace()), config);
    let main = Access::agent(place.access.scope.clone());
    for (access, reply) in [(main, "of-main"), (place.access.clone(), "of-own")] {
        let mut session = life.begin_session(access, "s", "chat", at(20, 12, 0)).unwrap();
        session.prompt(&[]).unwrap();
        session.replied(reply, at(20, 12, 1)).unwrap();
    }
    life
}

/// Whether a main session gets a canary by it, and what a session is told by it.
type Reader = (&'static str, bool, fn(&Place) -> String);

/// A home of artifacts of each kind, with private ones and a shared one, and their ids: running, completed, failed.
fn artifacts(place: &Place, verb: impl Fn(&dyn ArtifactStore, &ArtifactId) -> String) -> String {
    let owner = access(SessionKind::Main, Actor::Agent);
    let folder = place.folder.path();
    let homes: Vec<Box<dyn ArtifactStore>> = vec![
        Box::new(FileArtifactStore::open(folder, owner.scope.clone()).unwrap()),
        Box::new(
            noctuary::SqliteArtifactStore::open(folder.join("artifacts.db"), owner.scope.clone()).unwrap(),
        ),
    ];
    let mut told = String::new();
    for home in homes {
        let begin = || {
            home.insert(&owner, &NewArtifact::new(ArtifactKind::Report, "canary-in-a-row"), at(20, 8, 0))
                .unwrap()
        };
        let (running, completed, failed) = (begin(), begin(), begin());
        let report = ArtifactData::markdown("canary-in-a-row");
        home.update(&owner, &running, &report, at(20, 8, 0)).unwrap();
        home.mark_completed(&owner, &completed, &report, at(20, 8, 0)).unwrap();
        home.mark_error(&owner, &failed, "canary-in-a-row", at(20, 8, 0)).unwrap();
        told.extend([running, completed, failed].iter().map(|id| verb(home.as_ref(), id)));
    }
    told
}

fn artifact(answer: noctuary::Result<Artifact>) -> String {
    told(answer, |one| {
        let data = one.data.as_ref().map(|data| data.to_json().to_string());
        format!("{one:?} {one} {} {data:?} {:?}", one.title, one.message)
    })
}

const READERS: &[Reader] = &[
    ("ArtifactStore::insert", false, |place| {
        let new = NewArtifact::new(ArtifactKind::Chart, "of this session");
        artifacts(place, |home, _| shape(home.insert(&place.access, &new, at(20, 12, 0))))
    }),
    ("ArtifactStore::update", true, |place| {
        let draft = ArtifactData::markdown("of this session");
        artifacts(place, |home, id| artifact(home.update(&place.access, id, &draft, at(20, 12, 0))))
    }),
    ("ArtifactStore::mark_completed", true, |place| {
        let data = ArtifactData::markdown("of this session");
        artifacts(place, |home, id| artifact(home.mark_completed(&place.access, id, &data, at(20, 12, 0))))
    }),
    ("ArtifactStore::mark_error", true, |place| {
        artifacts(place, |home, id| artifact(home.mark_error(&place.access, id, "no", at(20, 12, 0))))
    }),
    ("ArtifactStore::get", true, |place| artifacts(place, |home, id| artifact(home.get(&place.access, id)))),
    ("ArtifactStore::list", true, |place| {
        artifacts(place, |home, id| {
            let filters = [ArtifactFilter::default(), ArtifactFilter::default().after(id.clone())];
            let list = |filter| match home.list(&place.access, filter) {
                Ok(all) => all.into_iter().map(|one| artifact(Ok(one))).collect(),
                Err(error) => artifact(Err(error)),
            };
            filters.iter().map(list).collect()
        })
    }),
    ("ArtifactStore::delete", false, |place| {
        artifacts(place, |home, id| shape(home.delete(&place.access, id, at(20, 12, 0))))
    }),
    ("ArtifactStore::forget", false, |place| {
        artifacts(place, |home, _| shape(home.forget(&place.access, "canary-in-a-row", at(20, 12, 0))))
    }),
    ("ArtifactStore::lift", false, |place| {
        artifacts(place, |home, _| shape(home.lift(&place.access, "canary-in-a-row")))
    }),
    ("ArtifactStore::audit", false, |place| artifacts(place, |home, _| shape(home.audit(&place.access, 99)))),
    ("ArtifactStoreExt::resolve", true, |place| {
        artifacts(place, |home, id| artifact(home.resolve(&place.access, &format!("report://{id}"))))
    }),
    ("Materialiser::materialise", true, |place| {
        artifacts(place, |home, id| {
            let files = Materialiser::open(place.folder.path()).unwrap();
            let written = files.materialise(home, &place.access, &format!("report://{id}"));
            told(written, |written| {
                let read = |page: &ArtifactPage| fs::read_to_string(page.folder.join("index.html")).unwrap();
                format!("{written:?} {}", written.pages.iter().map(read).collect::<String>())
            })
        })
    }),
    // The verbs.
    ("Workspace::location", false, |place| place.view().location()),
    ("Workspace::list", false, |place| {
        let folders = [None, Some(name("memory")), Some(name("daily")), Some(name("context"))];
        folders.iter().map(|folder| shape(place.view().list(folder.as_ref()))).collect()
    }),
    ("Workspace::metadata", false, |place| place.each(|name| shape(place.view().metadata(name)))),
    ("Workspace::metadata_of", false, |place| {
        let names: Vec<&noctuary::workspace::Name> = place.names.iter().map(|name| &**name).collect();
        format!("{:?}", place.view().metadata_of(&names))
    }),
    ("Workspace::read", true, |place| place.each(|name| told(place.view().read(name), lossy))),
    ("Workspace::read_range", true, |place| {
        let read = |range| String::from_utf8_lossy(&range as &Vec<u8>).into_owned();
        place.each(|name| told(place.view().read_range(name, 0..4096), read))
    }),
    ("Workspace::write", true, |place| {
        place.each(|name| {
            let create = shape(place.view().write(name, b"x", WriteMode::Create));
            let never = Revision::of(b"never");
            create + &shape(place.view().write(name, b"x", WriteMode::IfRevision(never)))
        })
    }),
    ("Workspace::append", false, |place| place.each(|name| shape(place.view().append(name, b"x\n")))),
    ("Workspace::drop_versions", false, |place| {
        let seen = std::cell::RefCell::new(String::new());
        let holds = |_: &str, bytes: &[u8]| {
            seen.borrow_mut().push_str(&String::from_utf8_lossy(bytes));
            false
        };
        let said = shape(place.view().drop_versions(&holds));
        format!("{said}{}", seen.into_inner())
    }),
    ("Workspace::remove", false, |place| place.each(|name| shape(place.view().remove(name)))),
    ("Workspace::rename", true, |place| {
        let moved = place.each(|name| {
            let open = crate::life::name("memory/2026-11-20-shared.open.md");
            let there = shape(place.view().rename(name, &open));
            let read = told(place.view().read(&open), lossy);
            there + &read + &shape(place.view().rename(&open, name))
        });
        moved + &place.each(|name| shape(place.view().rename(&noctuary::DocName::SOUL, name)))
    }),
    ("Workspace::claim", false, |place| shape(place.view().claim(&ClaimTerms::default()))),
    ("WorkspaceExt::read_text", true, |place| {
        place.each(|name| told(place.view().read_text(name), Option::unwrap_or_default))
    }),
    ("WorkspaceExt::read_tail", true, |place| {
        place.each(|name| told(place.view().read_tail(name, 4096), |tail| tail.text))
    }),
    ("Guarded::profile", true, |place| {
        let of = |shared| told(place.view().profile(shared), Option::unwrap_or_default);
        of(SharedUser::Subset) + &of(SharedUser::None)
    }),
    ("Guarded::take_warnings", false, |place| {
        let view = place.view();
        let wrote = place.each(|name| shape(view.append(name, b"<system>")));
        format!("{wrote}{:?}", view.take_warnings())
    }),
    ("Guarded::doors", false, |place| format!("{:?}", place.view().doors())),
    ("Guarded::access", false, |place| format!("{:?}", place.view().access())),
    // An index of the operator's.
    ("Indexed::search", true, |place| searched(place, Door::Masked) + &searched(place, Door::Neighbours)),
    ("Indexed::search_unmasked", true, |place| searched(place, Door::Raw)),
    ("Indexed::entries", true, |place| searched(place, Door::Entries)),
    ("DocumentIndex::search", true, |place| searched(place, Door::Index)),
    ("Indexed::search_near", true, |place| searched(place, Door::Near)),
    ("DocumentIndex::search_near", true, |place| searched(place, Door::IndexNear)),
    // Tools of a model.
    ("MemoryTool::call", true, |place| {
        // Of a folder in which private words stand; that of the journals is refused.
        let tool = || {
            assert!(MemoryTool::new(place.view()).in_folder(name("memory")).is_err());
            MemoryTool::new(place.view()).in_folder(name("memory/archive")).unwrap()
        };
        let paths = ["/memories", "/memories/dreamed.md", "/memories/../../MEMORY.md", "/memories/none"];
        let calls = paths.iter().flat_map(|path| {
            [
                json!({"command": "view", "path": path}),
                json!({"command": "create", "path": path, "file_text": "x"}),
                json!({"command": "str_replace", "path": path, "old_str": "- ", "new_str": "* "}),
                json!({"command": "insert", "path": path, "insert_line": 1, "insert_text": "x"}),
                json!({"command": "rename", "old_path": path, "new_path": format!("{path}.md")}),
                json!({"command": "delete", "path": path}),
            ]
        });
        calls.map(|call| tool_told(tool().call(&call))).collect()
    }),
    ("MemoryTool::in_folder", false, |place| {
        place.names.iter().map(|name| shape(MemoryTool::new(place.view()).in_folder(name.clone()))).collect()
    }),
    ("MemoryTool::take_warnings", false, |place| {
        let tool = MemoryTool::new(place.view());
        let order = json!({"command": "create", "path": "/memories/w.md", "file_text": "<system>"});
        tool_told(tool.call(&order)) + &format!("{:?}", tool.take_warnings())
    }),
    ("Toolbox::call", true, |place| {
        let mut told = String::new();
        for store in &place.stores {
            let tools = toolbox(place)
                .store(Arc::clone(store) as Arc<dyn MemoryStore>)
                .learnings(Arc::clone(store) as Arc<dyn LearningStore>)
                .pages(Arc::new(pages_of_rows(store)));
            let mut call = |name: &str, arguments: Value| {
                told += &tool_told(tools.call(name, &arguments, at(20, 12, 0)).map(|told| told.to_string()));
            };
            for query in CANARIES.into_iter().chain(["canary", "canar*", "everybody"]) {
                call("memory_search", json!({"query": query, "limit": 50}));
                call("workspace_memory_search", json!({"query": query, "limit": 50}));
            }
            let home =
                FileArtifactStore::open(place.folder.path(), access(SessionKind::Main, Actor::Agent).scope);
            let made = Toolbox::without_documents(place.access.clone()).artifacts(Arc::new(home.unwrap()));
            told += &artifacts(place, |_, id| {
                [("artifact_list", json!({})), ("artifact_get", json!({"uri": format!("report://{id}")}))]
                    .map(|(name, arguments)| {
                        tool_told(made.call(name, &arguments, at(20, 12, 0)).map(|told| told.to_string()))
                    })
                    .concat()
            });
            for name in CANARIES.into_iter().chain(["everybody"]) {
                let page = tools.call("memory_compiled_page", &json!({ "entity": name }), at(20, 12, 0));
                told += &tool_told(
                    page.map(|page| page["page"].as_str().unwrap().replace(&format!("# {name}\n"), "")),
                );
            }
            let mut call = |name: &str, arguments: Value| {
                told += &tool_told(tools.call(name, &arguments, at(20, 12, 0)).map(|told| told.to_string()));
            };
            call("memory_read", json!({"limit": 50}));
            call("memory_read", json!({"category": "fact", "limit": 50}));
            call("memory_write", json!({"category": "fact", "content": "said by a tool"}));
            call("memory_learn", json!({"content": "canary-in-a-ROW of a review"}));
            for id in ids() {
                let row = json!({"category": "fact", "content": "said instead", "replaces": id});
                call("memory_write", row);
                call("memory_forget", json!({"id": id}));
            }
            for name in &place.names {
                call("workspace_memory_read", json!({"path": name}));
                call(
                    "workspace_memory_list",
                    json!({"directory": name.folder().unwrap_or_default(), "recursive": true}),
                );
                call(
                    "workspace_memory_write",
                    json!({"path": name, "content": "x", "mode": "write", "revision": Revision::of(b"never")}),
                );
                call("workspace_memory_write", json!({"path": name, "content": "x"}));
            }
        }
        told
    }),
    ("Toolbox::take_warnings", false, |place| {
        let tools = toolbox(place);
        let order = json!({"path": "context/w.md", "content": "<system>"});
        let told = tools.call("memory_write", &order, at(20, 12, 0)).map(|told| told.to_string());
        tool_told(told) + &format!("{:?}", tools.take_warnings())
    }),
    ("Toolbox::catalogue", false, |place| format!("{:?} {:?}", toolbox(place).catalogue(), toolbox(place))),
    // Prompts.
    ("Snapshot::take", false, |place| {
        let (config, day) = (PromptConfig::default(), place.life.config().day);
        shape(Snapshot::take(&place.view(), &config, SharedUser::Subset, day, at(20, 12, 0)))
    }),
    ("Snapshot::prompt", true, prompts),
    ("Session::prompt", true, |place| {
        let mut session = place.session();
        let prompt = session.prompt(&[]).unwrap();
        format!("{prompt} {prompt:?} {session:?}")
    }),
    ("Session::system_prompt", true, |place| place.session().system_prompt().unwrap()),
    // Receipts: ids, lines and hashes, for whoever may know them.
    ("Life::why", false, |place| {
        let life = with_receipt(place);
        let why = shape(life.why(&place.access, "of-main")) + &shape(life.why(&place.access, "of-own"));
        let printed = |reply| {
            told(life.why(&place.access, reply), |why| why.map(|why| why.to_string()).unwrap_or_default())
        };
        why + &printed("of-main") + &printed("of-own")
    }),
    ("Session::why", false, |place| {
        let life = with_receipt(place);
        let session = life.begin_session(place.access.clone(), "s", "chat", at(20, 12, 2)).unwrap();
        shape(session.why("of-main")) + &shape(session.why("of-own"))
    }),
    ("Session::replied", false, |place| {
        let session = place.session();
        session.showed(Exhibit::default());
        shape(session.replied("of-own", at(20, 12, 2)))
    }),
    // A session.
    ("Life::begin_session", false, |place| format!("{:?}", place.session())),
    ("Life::view", true, |place| {
        let view = place.life.view(place.access.clone());
        format!("{view:?}") + &place.each(|name| told(view.read(name), lossy))
    }),
    ("Session::view", true, |place| {
        let session = place.session();
        format!("{:?}", session.view()) + &place.each(|name| told(session.view().read(name), lossy))
    }),
    ("Session::access", false, |place| format!("{:?}", place.session().access())),
    ("Session::note", false, |place| shape(place.session().note(&Note::happened("x"), at(20, 12, 1)))),
    ("Session::append_daily_log", false, |place| shape(place.session().append_daily_log("x", at(20, 12, 1)))),
    ("Session::end_turn", false, |place| {
        let turn = TurnEnd::default().opens(["x"]).note(Note::happened("x"));
        shape(place.session().end_turn("BOOTSTRAP_DONE", turn, at(20, 12, 1)))
    }),
    ("Session::end_failed_turn", false, |place| shape(place.session().end_failed_turn(at(20, 12, 1)))),
    ("Session::flush", false, |place| shape(place.session().flush())),
    // An editor.
    ("Editor::load", true, |place| place.each(|name| told(place.editor().load(name), lossy))),
    ("Editor::save", true, |place| {
        place.each(|name| {
            let never = Revision::of(b"never");
            shape(place.editor().save(name, "x", Some(never), at(20, 12, 0)))
                + &shape(place.editor().save(name, "x", None, at(20, 12, 0)))
        })
    }),
    ("Editor::restore_template", true, |place| {
        EDITABLE
            .iter()
            .map(|name| {
                let seen = place.life.workspace().read(name).unwrap().map(|document| document.revision());
                told(place.editor().restore_template(name, place.life.config(), seen, at(20, 12, 0)), lossy)
            })
            .collect()
    }),
    ("Editor::history", true, |place| {
        let all =
            |history: Vec<(_, Document)>| history.iter().map(|(_, old)| old.lossy().into_owned()).collect();
        place.each(|name| told(place.editor().history(name), all))
    }),
    ("Editor::take_warnings", false, |place| {
        let editor = place.editor();
        let told = place.each(|name| shape(editor.load(name)));
        format!("{told}{:?}", editor.take_warnings())
    }),
    ("Editor::replaced", false, |place| {
        let all = |kept: Vec<(_, Document)>| kept.iter().map(|(_, old)| old.lossy().into_owned()).collect();
        told(place.editor().replaced(), all)
    }),
    ("Editor::forget_replaced", false, |place| shape(place.editor().forget_replaced())),
    ("Editor::forget_history", false, |place| place.each(|name| shape(place.editor().forget_history(name)))),
    // What runs over a view as it runs over a workspace.
    ("Life::daily_log", true, |place| logs(place.life_of_view().daily_log(at(19, 9, 0).date_naive()))),
    ("Life::today_log", true, |place| logs(place.life_of_view().today_log(at(20, 12, 0)))),
    ("Session::daily_log", true, |place| logs(place.session().daily_log(at(19, 9, 0).date_naive()))),
    ("Session::today_log", true, |place| logs(place.session().today_log(at(20, 12, 0)))),
    ("Session::tools", true, |place| {
        let tools = place.session().tools();
        let read = |name: &noctuary::DocName| {
            let told = tools.call("memory_read", &json!({"path": name}), at(20, 12, 0));
            tool_told(told.map(|told| told.to_string()))
        };
        format!("{tools:?}") + &place.each(read)
    }),
    ("Session::memory_tool", false, |place| {
        let tool = place.session().memory_tool();
        format!("{tool:?}") + &tool_told(tool.call(&json!({"command": "view", "path": "/memories"})))
    }),
    ("Life::editor", true, |place| {
        let editor = place.life.editor(place.access.clone());
        format!("{editor:?}") + &place.each(|name| told(editor.load(name), lossy))
    }),
    ("Journal::append", false, |place| {
        let day = place.life.config().day;
        place
            .names
            .iter()
            .filter_map(JournalName::parse)
            .map(|journal| {
                let note = Note::happened("x");
                let mut journal = Journal::new(journal, day, at(20, 12, 0));
                shape(journal.append(&place.view(), &note, at(20, 12, 0)))
            })
            .collect()
    }),
    ("Life::update_heartbeat", true, |place| {
        let seen = std::cell::RefCell::new(String::new());
        let wrote = place.each(|name| {
            let mut config = LifeConfig::default();
            config.heartbeat.document = name.clone();
            shape(place.life_over(config).update_heartbeat(|memo| {
                seen.borrow_mut().push_str(&format!("{memo:?} {:?}", memo.open_loops));
                memo.turn_count += 1;
            })) + &told(place.view().read(name), lossy)
        });
        wrote + &seen.borrow()
    }),
    ("Life::has_heartbeat_tasks", false, |place| {
        place.each(|name| {
            let mut config = LifeConfig::default();
            config.heartbeat.document = name.clone();
            shape(place.life_over(config).has_heartbeat_tasks())
        })
    }),
    ("Life::read_soul", false, |place| {
        shape(place.life_of_view().read_soul(place.access.kind, at(20, 12, 0)))
    }),
    ("Life::checks", false, |place| shape(place.life_of_view().checks())),
    ("Life::mark_checked", false, |place| shape(place.life_of_view().mark_checked("mail", at(20, 12, 0)))),
    ("Life::prepare", false, |place| shape(place.life_of_view().prepare())),
    ("Life::seed", false, |place| shape(place.life_of_view().seed())),
    ("BootState::start_plan", false, |place| {
        let ready = noctuary::life::BootState::Ready;
        shape(ready.start_plan(place.access.kind, at(20, 12, 0).date_naive()))
    }),
    ("Life::complete_onboarding", false, |place| {
        let life = place.life_over(LifeConfig::preset(Preset::IronClaw));
        shape(life.complete_onboarding(OnboardingEnd::Done, None, at(20, 12, 0)))
    }),
    ("Life::propose_hygiene", false, |place| {
        shape(place.life_of_view().propose_hygiene(&place.names, at(20, 12, 0)))
    }),
    ("Undreamed::among", false, |place| {
        let journals: Vec<_> = place.names.iter().filter_map(JournalName::parse).collect();
        shape(Undreamed::among(&place.view(), &journals))
    }),
    ("Life::archive_journal", false, |place| {
        place.each_journal(|life, journal, consent| {
            shape(life.archive_journal(journal, consent, at(20, 12, 0)))
        })
    }),
    ("Life::delete_journal", false, |place| {
        place.each_journal(|life, journal, consent| {
            shape(life.delete_journal(journal, consent, at(20, 12, 0)))
        })
    }),
    ("Consent::given", false, |place| {
        shape(Consent::given(&place.access, JournalName::parse(&name(JOURNALS[0])).unwrap()))
    }),
    // Memory stores, of both kinds.
    ("MemoryStore::location", false, |place| place.stores(|store, _| store.location())),
    ("MemoryStore::write", false, |place| {
        place.stores(|store, access| {
            let row = NewMemory::new("fact", "canary", Source::AgentRecorded);
            shape(store.write(access, &row, at(20, 12, 0)))
        })
    }),
    ("MemoryStore::write_all", false, |place| {
        place.stores(|store, access| {
            let row = NewMemory::new("fact", "canary", Source::AgentRecorded);
            match store.write_all(access, &[row.clone(), row], at(20, 12, 0)) {
                Ok(written) => written.into_iter().map(shape).collect(),
                failed => shape(failed),
            }
        })
    }),
    ("MemoryStore::get", true, |place| {
        place.stores(|store, access| {
            ids().map(|id| texts(store.get(access, id).map(|row| row.into_iter().collect()))).collect()
        })
    }),
    ("MemoryStore::list", true, |place| {
        place.stores(|store, access| {
            texts(store.list(access, &Filter::limit(99)))
                + &texts(store.list(access, &Filter::limit(99).category("fact")))
        })
    }),
    ("MemoryStore::snapshot", true, |place| {
        place.stores(|store, access| {
            told(store.snapshot(access, 99, at(21, 9, 0)), |rows| {
                rows.iter().map(|row| format!("{row:?} {}", row.content)).collect()
            })
        })
    }),
    ("MemoryStore::search", true, |place| {
        place.stores(|store, access| found(&|query| store.search(access, query)))
    }),
    ("MemoryStore::search_unmasked", true, |place| {
        place.stores(|store, access| found(&|query| store.search_unmasked(access, query)))
    }),
    ("MemoryStore::update", false, |place| {
        place.stores(|store, access| {
            ids().map(|id| shape(store.update(access, id, "x", at(20, 12, 0)))).collect()
        })
    }),
    ("MemoryStore::delete", false, |place| {
        place.stores(|store, access| ids().map(|id| shape(store.delete(access, id, at(20, 12, 0)))).collect())
    }),
    ("MemoryStore::restore", false, |place| {
        place
            .stores(|store, access| ids().map(|id| shape(store.restore(access, id, at(20, 12, 0)))).collect())
    }),
    ("MemoryStore::pin", false, |place| {
        place.stores(|store, access| {
            ids().map(|id| shape(store.pin(access, id, true, at(20, 12, 0)))).collect()
        })
    }),
    ("MemoryStore::forget", false, |place| {
        place.stores(|store, access| shape(store.forget(access, "canary in a row", at(20, 12, 0))))
    }),
    ("MemoryStore::forget_all", false, |place| {
        let mut request = ForgetRequest::of("canary in a row");
        request.person = Some("canary".to_owned());
        place.stores(|store, access| shape(store.forget_all(access, &request, at(20, 12, 0))))
    }),
    ("MemoryStore::lift", false, |place| {
        place.stores(|store, access| shape(store.lift(access, "canary in a row", at(20, 12, 0))))
    }),
    ("MemoryStore::set_profile", false, |place| {
        place.stores(|store, access| shape(store.set_profile(access, "name", "x", at(20, 12, 0))))
    }),
    ("MemoryStore::profile", true, |place| place.stores(|store, access| shape(store.profile(access)))),
    ("MemoryStore::audit", true, |place| {
        place.stores(|store, access| {
            told(store.audit(access, 99), |entries| {
                entries.iter().map(|entry| format!("{entry:?} {:?}", entry.reason)).collect()
            })
        })
    }),
    ("FactStore::record", false, |place| {
        place.stores(|store, access| {
            let row = NewMemory::new("fact", "canary in a row is", Source::AgentRecorded);
            shape(store.record(access, &row.about(FactKey::one("canary-in-a-row", "home")), at(20, 12, 0)))
        })
    }),
    ("FactStore::replace", false, |place| {
        place.stores(|store, access| {
            let row = NewMemory::new("fact", "canary in a row is", Source::AgentRecorded);
            shape(store.replace(access, &row.about(canary_key()), at(20, 12, 0)))
        })
    }),
    ("FactStore::correct", false, |place| {
        place.stores(|store, access| {
            let row = NewMemory::new("fact", "canary in a row is", Source::AgentRecorded);
            (1..9).map(|id| shape(store.correct(access, MemoryId::new(id), &row, at(20, 12, 0)))).collect()
        })
    }),
    ("FactStore::values", true, |place| {
        place.stores(|store, access| {
            let values = store.values(access, &canary_key());
            texts(values.map(|values| values.into_iter().map(|fact| fact.memory).collect()))
        })
    }),
    ("FactStore::current", true, |place| {
        place.stores(|store, access| one_text(store.current(access, &canary_key())))
    }),
    ("FactStore::value_at", true, |place| {
        place.stores(|store, access| one_text(store.value_at(access, &canary_key(), at(28, 12, 0))))
    }),
    ("FactStore::believed_at", true, |place| {
        place.stores(|store, access| one_text(store.believed_at(access, &canary_key(), at(28, 12, 0))))
    }),
    ("FactStore::settle", false, |place| place.stores(|store, _| shape(store.settle(at(20, 12, 0))))),
    ("FactStore::is_settling_due", false, |place| place.stores(|store, _| shape(store.is_settling_due()))),
    ("FactStore::fact", true, |place| {
        place.stores(|store, access| {
            ids()
                .map(|id| {
                    texts(
                        store.fact(access, id).map(|fact| fact.into_iter().map(|fact| fact.memory).collect()),
                    )
                })
                .collect()
        })
    }),
    ("FactStore::history", true, |place| {
        place.stores(|store, access| {
            ids()
                .map(|id| {
                    texts(
                        store
                            .history(access, id)
                            .map(|facts| facts.into_iter().map(|fact| fact.memory).collect()),
                    )
                })
                .collect()
        })
    }),
    ("FactStore::superseded", false, |place| {
        place.stores(|store, access| {
            let lines = store.superseded(access);
            texts(lines.map(|lines| lines.into_iter().flat_map(|line| [line.row, line.now]).collect()))
        })
    }),
    ("Session::mark_superseded", true, |place| {
        place.stores(|store, _| {
            let mut session = place.session();
            session.mark_superseded(store).unwrap();
            session.system_prompt().unwrap()
        })
    }),
    ("Session::mark_doubted", true, |place| {
        place.stores(|store, _| {
            let mut session = place.session();
            session.mark_doubted(store, at(20, 12, 0)).unwrap();
            session.system_prompt().unwrap()
        })
    }),
    ("Snapshot::mark_doubted", true, |place| {
        place.stores(|store, access| {
            let (view, config) = (place.view(), PromptConfig::default());
            let mut snapshot =
                Snapshot::take(&view, &config, SharedUser::Subset, place.life.config().day, at(20, 12, 0))
                    .unwrap();
            let rows = store.snapshot(access, usize::MAX, at(20, 12, 0)).unwrap();
            snapshot.mark_doubted(&view, &rows).unwrap();
            snapshot.prompt(&view, None, &[]).unwrap().to_string()
        })
    }),
    ("Guarded::mark_doubted", true, |place| {
        place.stores(|store, access| {
            let mut view = place.view();
            view.mark_doubted(&store.snapshot(access, usize::MAX, at(20, 12, 0)).unwrap()).unwrap();
            let tools = Toolbox::new(view);
            place.each(|name| match tools.call("memory_read", &json!({ "path": name }), at(20, 12, 0)) {
                Ok(answer) => answer.to_string(),
                Err(error) => error.to_string(),
            })
        })
    }),
    ("Snapshot::mark_superseded", true, |place| {
        place.stores(|store, access| {
            let (view, config) = (place.view(), PromptConfig::default());
            let mut snapshot =
                Snapshot::take(&view, &config, SharedUser::Subset, place.life.config().day, at(20, 12, 0))
                    .unwrap();
            snapshot.mark_superseded(&view, &store.superseded(access).unwrap()).unwrap();
            snapshot.prompt(&view, None, &[]).unwrap().to_string()
        })
    }),
    ("Guarded::mark_superseded", true, |place| {
        place.stores(|store, access| {
            let mut view = place.view();
            view.mark_superseded(&store.superseded(access).unwrap()).unwrap();
            let tools = Toolbox::new(view);
            place.each(|name| match tools.call("memory_read", &json!({ "path": name }), at(20, 12, 0)) {
                Ok(answer) => answer.to_string(),
                Err(error) => error.to_string(),
            })
        })
    }),
    ("strike_superseded", false, |place| {
        place.stores(|store, access| shape(strike_superseded(&place.view(), store, access)))
    }),
    ("unstrike", false, |place| {
        place.stores(|_, access| shape(unstrike(&place.view(), &Strikes::default(), access)))
    }),
    ("FactStore::suspicions", true, |place| {
        place.stores(|store, access| {
            let pairs = store.suspicions(access, 99);
            texts(pairs.map(|pairs| {
                pairs.into_iter().flat_map(|pair| [pair.older.memory, pair.newer.memory]).collect()
            }))
        })
    }),
    ("FactStore::decide", false, |place| {
        place.stores(|store, access| {
            ids().map(|id| shape(store.decide(access, &Decision::reject(id), at(20, 12, 0)))).collect()
        })
    }),
    ("FactStore::revert", false, |place| {
        place.stores(|store, access| shape(store.revert(access, EventId::new(1), at(20, 12, 0))))
    }),
    ("FactStore::decisions", true, |place| {
        place.stores(|store, access| {
            told(store.decisions(access, 99), |events| {
                events.iter().map(|event| format!("{event:?} {:?}", event.reason)).collect()
            })
        })
    }),
    ("EdgeStore::neighborhood", true, |place| {
        let of_rows = place.stores(|store, access| surroundings(store, access));
        of_rows + &of_documents(place)
    }),
    ("EdgeStore::top_entities", true, |place| {
        place.stores(|store, access| {
            told(store.top_entities(access, 99), |top| {
                top.iter().map(|top| format!("{} {top:?}", top.entity)).collect()
            })
        })
    }),
    ("EdgeStore::words", true, |place| {
        place.stores(|store, access| {
            ids().map(|id| shape(store.words(access, &CitedSource::Row(id)))).collect()
        })
    }),
    ("Pages::page", true, |place| {
        let with_notes = pages_of_documents(place);
        let homes = place.stores.iter().map(pages_of_rows).chain(with_notes);
        homes.map(|pages| paged(&pages, &place.access)).collect()
    }),
    ("Pages::changed", true, |place| {
        let main = Access { kind: SessionKind::Main, ..place.access.clone() };
        let pages = place.stores.iter().map(pages_of_rows);
        let cited = |pages: Pages| -> String {
            let of_main = |asked: &str| pages.page(&main, asked, true, at(20, 12, 0));
            let page = of_main("canary-in-a-row").unwrap();
            let others = place.access.kind != SessionKind::Main;
            // A session of its own is shown the page; others are given what they may know of it.
            let shown = if others { String::new() } else { page.to_markdown() };
            shown + &shape(pages.changed(&place.access, &page))
        };
        pages.map(cited).collect()
    }),
    ("LearningStore::learn", false, |place| {
        let learning = NewLearning::new("Canary-in-a-row of a review").context("more");
        place.stores(|store, access| shape(store.learn(access, &learning, at(20, 12, 0))))
    }),
    ("LearningStore::learnings", true, |place| {
        place.stores(|store, access| {
            told(store.learnings(access, 99), |all| {
                all.iter().map(|one| format!("{one:?} {} {:?}", one.content, one.context)).collect()
            })
        })
    }),
    ("FileStore::put", false, |place| of_files(place, Files::Put)),
    ("FileStore::get", true, |place| of_files(place, Files::Get)),
    ("FileStore::read", true, |place| of_files(place, Files::Read)),
    ("FileStore::list", true, |place| of_files(place, Files::List)),
    ("FileStore::delete", true, |place| of_files(place, Files::Delete)),
    ("FileStore::removals", true, |place| of_files(place, Files::Removals)),
    ("MirrorStore::bulk_insert_perps_fills", false, |place| of_trades(place, Trades::Report)),
    ("MirrorStore::bulk_insert_external_spot", false, |place| of_trades(place, Trades::ReportSpot)),
    ("MirrorStore::record_sync", HAS_TRADES, |place| of_trades(place, Trades::Sync)),
    ("MirrorStore::sync_state", HAS_TRADES, |place| of_trades(place, Trades::State)),
    ("MirrorStore::perps_fills", HAS_TRADES, |place| of_trades(place, Trades::Fills)),
    ("MirrorStore::external_spot", HAS_TRADES, |place| of_trades(place, Trades::Spot)),
    ("TradeHistory::records", HAS_TRADES, |place| of_trades(place, Trades::Records)),
    ("fills_as_history", HAS_TRADES, |place| of_trades(place, Trades::History)),
    ("spot_as_history", HAS_TRADES, |place| of_trades(place, Trades::SpotHistory)),
    ("MethodStore::create_method", false, |place| {
        let method = NewMethod::new("canary-in-a-row", "class", "Canary-in-a-row works");
        place.stores(|store, access| shape(store.create_method(access, &method, at(20, 12, 0))))
    }),
    ("MethodStore::report_outcome", true, |place| {
        let outcome = NewOutcome::new("one", [MethodId::new(1)], Ending::Success);
        place.stores(|store, access| {
            told(store.report_outcome(access, &outcome, at(20, 12, 0)), |reported| methods(&reported.methods))
        })
    }),
    ("MethodStore::graduate_method", true, |place| {
        let host = access(SessionKind::Main, Actor::Library);
        for (store, number) in place.stores.iter().flat_map(|store| (0..9).map(move |number| (store, number)))
        {
            let outcome = NewOutcome::new(format!("g{number}"), [MethodId::new(1)], Ending::Success);
            // A store of a group has no such method, and is another scope's.
            drop(store.report_outcome(&host, &outcome, at(20, 12, 0)));
        }
        place.stores(|store, access| {
            told(store.graduate_method(access, MethodId::new(1), at(20, 12, 0)), |method| methods(&[method]))
        })
    }),
    ("MethodStore::quarantine_method", true, |place| {
        place.stores(|store, access| {
            told(store.quarantine_method(access, MethodId::new(1), false, at(20, 12, 0)), |method| {
                methods(&[method])
            })
        })
    }),
    ("MethodStore::methods", true, |place| {
        place.stores(|store, access| told(store.methods(access), |all| methods(&all)))
    }),
    ("MethodStore::method_cases", true, |place| {
        place.stores(|store, access| {
            told(store.method_cases(access, MethodId::new(1), 9), |all| {
                all.iter().map(|case| format!("{case:?} {}", case.content)).collect()
            })
        })
    }),
    ("PreferenceStore::propose_preference", false, |place| {
        let wish = NewPreference::behavioural("canary-in-a-row", "Wants canary-in-a-row.");
        place.stores(|store, access| shape(store.propose_preference(access, &wish, at(20, 12, 0))))
    }),
    ("PreferenceStore::approve_preference", true, |place| {
        place.stores(|store, access| {
            let approved = store.approve_preference(access, PreferenceId::new(1), at(20, 12, 0));
            told(approved, |one| format!("{one:?} {}", one.statement))
        })
    }),
    ("PreferenceStore::withdraw_preference", true, |place| {
        place.stores(|store, access| {
            let withdrawn = store.withdraw_preference(access, PreferenceId::new(1), at(20, 12, 0));
            told(withdrawn, |one| format!("{one:?} {}", one.statement))
        })
    }),
    ("PreferenceStore::preferences", true, |place| {
        place.stores(|store, access| {
            told(store.preferences(access), |all| all.iter().map(|one| one.statement.as_str()).collect())
        })
    }),
    ("PreferenceStore::constraints", true, |place| {
        place.stores(|store, access| told(store.constraints(access), |all| rules(&all)))
    }),
    ("PreferenceStore::constraints_for", true, |place| {
        place.stores(|store, access| {
            let applies = store.constraints_for(access, "canary-in-a-row", &json!({}));
            told(applies, |all| rules(&all))
        })
    }),
    ("RoleStore::take_note", false, |place| {
        let note = NewRoleNote::new("planner", "canary-in-a-row there").about("canary-in-a-row");
        place.stores(|store, access| shape(store.take_note(access, &note, at(20, 12, 0))))
    }),
    ("RoleStore::reflect", false, |place| {
        let lesson = Reflection::new(RoleClass::Neutral, "canary-in-a-row", at(20, 12, 0));
        place.stores(|store, access| shape(store.reflect(access, RoleNoteId::new(2), &lesson)))
    }),
    ("RoleStore::notes", true, |place| {
        place.stores(|store, access| {
            [true, false].map(|pending| told(store.notes(access, pending), |all| notes(&all))).concat()
        })
    }),
    ("Session::hold_rules", true, |place| {
        place.stores(|store, _| {
            let mut session = place.session();
            let held = session.hold_rules(store).unwrap();
            assert!(held == 0 || session.access().kind == SessionKind::Main);
            session.system_prompt().unwrap().replace("canary-in-memory", "")
        })
    }),
    ("Snapshot::hold_rules", true, |place| {
        place.stores(|store, _| {
            let (view, config) = (place.view(), PromptConfig::default());
            let mut snapshot =
                Snapshot::take(&view, &config, SharedUser::Subset, place.life.config().day, at(20, 12, 0))
                    .unwrap();
            let rules = store.constraints(&access(SessionKind::Main, Actor::Human)).unwrap_or_default();
            snapshot.hold_rules(&view, &rules).unwrap();
            snapshot.prompt(&view, None, &[]).unwrap().to_string()
        })
    }),
    ("MemoryContext::take", true, |place| {
        place.stores(|store, access| {
            told(MemoryContext::take(store, access, &ContextConfig::default(), at(21, 9, 0)), |context| {
                format!("{context} {context:?}")
            })
        })
    }),
    ("feed", false, |place| {
        place.stores(|store, access| {
            let rows =
                || store.list(&Access { kind: SessionKind::Main, ..access.clone() }, &Filter::limit(99));
            let before = rows().unwrap().len();
            let said = shape(feed(&place.view(), store, &access.scope, at(20, 12, 0)));
            assert!(rows().unwrap().len() >= before, "what a view hides takes no row along");
            said
        })
    }),
    ("Forget::run", false, |place| {
        let texts = ["canary in a row", "canary in memory", "canary in a journal", "canary in a proposal"];
        let request = |text: &str| {
            let forget = Forget::new(&place.access, text).workspace(place.life.workspace());
            let stores = place.stores.iter();
            let forget = stores.fold(forget, |forget, store| forget.store(store.as_ref()));
            told(forget.run(at(20, 12, 0)), |receipt| format!("{receipt} {receipt:?}"))
        };
        texts.into_iter().map(request).collect()
    }),
    ("Forget::plan", true, |place| {
        let stores = place.stores.iter();
        let forget = Forget::person(&place.access, "canary").workspace(place.life.workspace());
        let forget = stores.fold(forget, |forget, store| forget.store(store.as_ref()));
        told(forget.plan(), |plan| {
            plan.said.iter().chain(&plan.rests).chain(&plan.mentions).map(|line| line.text.clone()).collect()
        })
    }),
    ("Forget::statements", false, |place| {
        let text = "2026-11-20: canary in memory";
        let forget = Forget::new(&place.access, text).workspace(place.life.workspace());
        shape(forget.statements())
    }),
    ("Forget::lift", false, |place| {
        let forget = Forget::new(&place.access, "canary in memory").workspace(place.life.workspace());
        shape(forget.lift(at(20, 12, 0)))
    }),
    // Ways out to other homes: what arrives there counts as told.
    ("copy_into", false, |place| {
        homes()
            .map(|(_folder, target)| {
                let said = shape(copy_into(&place.view(), &target));
                format!("{said}{}", everything_told(&target))
            })
            .collect()
    }),
    ("Import::plan", false, |place| {
        homes()
            .map(|(_folder, target)| shape(Import::new(Dialect::OpenClaw).plan(&place.view(), &target)))
            .collect()
    }),
    ("Import::apply", true, |place| {
        homes()
            .map(|(_folder, target)| {
                let import = Import::new(Dialect::OpenClaw);
                let Ok(plan) = import.plan(&place.view(), &target) else { return String::new() };
                assert!(
                    plan.items.iter().any(|item| to_do(&item.action))
                        || place.access.kind != SessionKind::Main
                );
                let said = shape(import.apply(plan, &place.view(), &target));
                format!("{said}{}", everything_told(&target))
            })
            .collect()
    }),
    ("DreamPage::read", false, |place| {
        let operators = JournalDreamer::builder(Arc::clone(place.life.workspace())).enabled(true).build();
        let report = dream_once_at(&operators.unwrap(), &Script::new(), &|| at(21, 3, 0)).unwrap();
        told(noctuary::report::DreamPage::new(&report).read(&place.view()), |page| page.to_html())
    }),
    // What a dream would append.
    ("JournalDreamer::proposals", true, |place| {
        let proposals = proposer(place.life.workspace()).proposals(&place.access, at(20, 12, 0));
        told(proposals, |all| {
            all.into_iter().map(|one| format!("{one:?} {}", one.document.lossy())).collect()
        })
    }),
    ("JournalDreamer::accept_proposal", true, |place| {
        let id = proposal(place);
        let accepted = proposer(place.life.workspace()).accept_proposal(&place.access, &id, at(20, 12, 0));
        told(accepted, |report| {
            let lines: String = report.lines.iter().map(|line| line.text.clone()).collect();
            format!("{report:?} {lines} {:?}", report.section)
        })
    }),
    ("JournalDreamer::reject_proposal", false, |place| {
        let id = proposal(place);
        shape(proposer(place.life.workspace()).reject_proposal(&place.access, &id, at(20, 12, 0)))
    }),
    ("JournalDreamer::undo_dream", false, |place| with_dreams(place, JournalDreamer::undo_dream)),
    ("JournalDreamer::redo_dream", false, |place| with_dreams(place, JournalDreamer::redo_dream)),
    ("JournalDreamer::read_again", false, |place| {
        with_dreams(place, |dreamer, access, _, _| {
            dreamer.read_again(access, &name(JOURNALS[0]), &JournalSpan::Whole).map(|given| given > 0)
        })
    }),
    ("SleepDreamer::wake", true, |place| {
        let sleeper = SleepDreamer::builder(Arc::clone(place.life.workspace())).build().unwrap();
        told(sleeper.wake(&place.access, at(20, 12, 0)), |message| format!("{message} {message:?}"))
    }),
    ("SleepDreamer::builder", false, |place| {
        let script = Script::new();
        let sleeper = SleepDreamer::builder(Arc::new(place.view())).enabled(true).build();
        let said = told(sleeper, |sleeper| shape(dream_once_at(&sleeper, &script, &|| at(21, 3, 0))));
        said + &script.requests().iter().map(|request| request.user.clone()).collect::<String>()
    }),
    ("JournalDreamer::builder", false, |place| {
        let script = Script::new();
        let dreamer = JournalDreamer::builder(Arc::new(place.view())).enabled(true).build();
        let said = told(dreamer, |dreamer| shape(dream_once_at(&dreamer, &script, &|| at(21, 3, 0))));
        said + &script.requests().iter().map(|request| request.user.clone()).collect::<String>()
    }),
    // They read the store as the library does, and keep their state in the workspace, which no session's view gives them.
    ("FactDreamer::builder", false, |place| {
        let judged = |store: &Arc<dyn Store>| {
            let dreamer =
                FactDreamer::builder(Arc::new(place.view()), store.clone(), place.access.scope.clone());
            asked(&dreamer.enabled(true).build().unwrap())
        };
        place.stores.iter().map(judged).collect()
    }),
    ("PersonalizationDreamer::builder", false, |place| {
        let rebuilt = |store: &Arc<dyn Store>| {
            let (view, scope) = (Arc::new(place.view()), place.access.scope.clone());
            let source =
                history_fn("chat", |_| Ok(vec![HistoryItem::new("one", at(20, 9, 0), "[user] tea")]));
            let dreamer =
                PersonalizationDreamer::builder(view, store.clone(), scope).source(Arc::new(source));
            asked(&dreamer.enabled(true).build().unwrap())
        };
        place.stores.iter().map(rebuilt).collect()
    }),
    ("RoleDreamer::builder", false, |place| {
        let reflected = |store: &Arc<dyn Store>| {
            let (view, scope) = (Arc::new(place.view()), place.access.scope.clone());
            let dreamer = RoleDreamer::builder(view, store.clone(), scope).methods(store.clone());
            asked(&dreamer.enabled(true).build().unwrap())
        };
        place.stores.iter().map(reflected).collect()
    }),
];

/// Returns the answers of a change of dreams, over the whole workspace and over the view.
fn with_dreams(
    place: &Place,
    change: fn(&JournalDreamer, &Access, &DreamId, DateTime<Utc>) -> noctuary::Result<bool>,
) -> String {
    let id = DreamId::parse("0f3a9c5be2d14477").unwrap();
    let workspaces: [Arc<dyn Workspace>; 2] = [Arc::clone(place.life.workspace()), Arc::new(place.view())];
    let said = workspaces.into_iter().map(|workspace| {
        let dreamer = JournalDreamer::builder(workspace).enabled(true).build().unwrap();
        shape(change(&dreamer, &place.access, &id, at(21, 3, 0)))
    });
    said.collect()
}

/// Returns a dreamer's requests, and its reports.
fn asked(dreamer: &dyn Dreamer) -> String {
    let script = Script::new();
    let said = shape(dream_once_at(dreamer, &script, &|| at(21, 3, 0)));
    said + &script.requests().iter().map(|request| request.user.clone()).collect::<String>()
}

fn everything_told(workspace: &dyn Workspace) -> String {
    documents(workspace).into_values().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

/// The rest: the operator's own, and settings, numbers and yes or no.
const NOT_A_SESSIONS: &[&str] = &[
    // They refuse everybody but the human in a main session, and give away names of tables and counts.
    "PostgresWorkspace::erase",
    "PostgresWorkspace::would_erase",
    "SqliteWorkspace::erase",
    "SqliteWorkspace::would_erase",
    // They refuse everybody but the human in a main session, and give away counts, or what they were given.
    "ArtifactStore::adopt",
    "ArtifactStore::erase",
    "FileStore::adopt",
    "FileStore::erase",
    "copy_artifacts",
    "copy_files",
    "copy_rows",
    // The caller's own text, with keys of files in it.
    "lift_inline",
    // The operator's: it has the whole life, and names files.
    "merge_copies",
    // The operator's: it reads a file of theirs, and says what it adds.
    "ChatImport::apply",
    "ChatImport::plan",
    // The operator's: it has two whole lives already.
    "MergePlan::write",
    "Audience::bit",
    // Of all texts, whoever asks.
    "PageSource::parts",
    "EdgeStore::edition",
    "EdgeStore::extract_edges",
    "Audience::includes",
    "Life::boot",
    "Life::config",
    "FactStore::facts_of",
    "FactStore::takes_rulings",
    "RoleStore::roles_of",
    "Life::propose_retention",
    "Life::workspace",
    "MemoryStore::purge",
    "MemoryStore::scope",
    "MemoryTool::definition",
    "Session::turn_count",
    "SoulNotice::confirm",
    "audit_secrets",
    "Workspace::hidden",
    "Workspace::reach",
    "Workspace::scope",
];

/// SE-09
#[test]
#[ignore = "sweep"]
fn no_reader_gives_a_session_with_others_what_is_private() {
    let failed = Mutex::new(Vec::new());
    let fails = |what| failed.lock().unwrap().push(what);
    // All kinds in all homes take minutes: unless asked for, each reader is tried with a third of them a home.
    let is_long = std::env::var_os("NOCTUARY_LONG_TESTS").is_some();
    let numbered: Vec<_> = READERS.iter().enumerate().collect();
    let sessions = KINDS.into_iter().flat_map(|kind| [(kind, Actor::Agent), (kind, Actor::Human)]);
    let sessions: Vec<_> = sessions.enumerate().collect();
    let furnished = Furnished::by(furnish);
    common::each(&numbered, |(number, (reader, shows, read))| {
        for home in furnished.copies() {
            let place = place(home, access(SessionKind::Main, Actor::Human));
            let told = read(&place);
            let shown = CANARIES.iter().any(|canary| told.contains(canary));
            if shown != *shows {
                fails(format!("{reader} of a main session shows {shown}: {}", told.len()));
            }
        }
        for (at_session, (kind, actor)) in &sessions {
            for at_home in 0..furnished.0.len() {
                if !is_long && (number + at_home) % KINDS.len() != at_session % KINDS.len() {
                    continue;
                }
                let (kind, actor) = (*kind, *actor);
                let place = place(furnished.copy(at_home), access(kind, actor));
                let told = read(&place);
                let leaked: Vec<_> = CANARIES.iter().filter(|canary| told.contains(**canary)).collect();
                if !leaked.is_empty() {
                    fails(format!("{reader} tells a {kind:?} session {leaked:?}"));
                }
            }
        }
    });
    let failed = failed.into_inner().unwrap();
    println!("{} readers, {} kinds of session with others", READERS.len(), KINDS.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Returns the answer of a tool to a model, or its error to the host.
fn tool_told(answer: Result<String, ToolError>) -> String {
    answer.unwrap_or_else(|error| format!("{error} {error:?}")) + "\n"
}

/// The tools over documents, with a search where there is one.
fn toolbox(place: &Place) -> Toolbox {
    let index = noctuary::SqliteIndex::open_in_memory(place.access.scope.clone()).unwrap();
    let indexed = noctuary::life::Indexed::new(Arc::clone(place.life.workspace()), index);
    indexed.sync(at(20, 12, 0)).unwrap();
    Toolbox::new(place.view()).indexed(&indexed)
}

/// Returns the results of an index over the whole workspace for the session, with its view in front or alone.
/// The rows that searches of a store tell.
fn found(search: &dyn Fn(&Query) -> noctuary::Result<noctuary::memory::Found>) -> String {
    ["canary", "canary-in-a-row", "can*", "\"canary in a row\"", "everybody OR canary", "category:fact"]
        .into_iter()
        .flat_map(|text| [Query::new(text), Query::fts(text)])
        .map(|query| {
            texts(search(&query).map(|found| found.hits.into_iter().map(|hit| hit.memory).collect()))
        })
        .collect()
}

/// The searches of documents.
#[derive(Clone, Copy)]
enum Door {
    Masked,
    Neighbours,
    Raw,
    Entries,
    Index,
    Near,
    IndexNear,
}

fn searched(place: &Place, door: Door) -> String {
    use noctuary::search::DocumentIndex;

    let index = noctuary::SqliteIndex::open_in_memory(place.access.scope.clone()).unwrap();
    let workspace = noctuary::life::Indexed::new(Arc::clone(place.life.workspace()), index.clone());
    workspace.sync(at(20, 12, 0)).unwrap();
    let embedder = noctuary::testing::HashEmbedder::new(16);
    noctuary::vectors::embed_once(&index, &embedder, &noctuary::vectors::EmbedConfig::default()).unwrap();
    let vector = |query: &str| {
        use noctuary::vectors::Embedder as _;
        // A text without words has no direction.
        let text = format!("canary {query}");
        let numbers = embedder.embed(&[&text], noctuary::vectors::Purpose::Query).unwrap().remove(0);
        noctuary::memory::QueryVector::new(embedder.id(), numbers)
    };
    let search = |query| match door {
        Door::Near => {
            workspace.search_near(&place.access, query, &vector(query), 100).map(|found| found.results)
        }
        Door::IndexNear => {
            index.search_near(&place.access, query, &vector(query), 100).map(|found| found.results)
        }
        Door::Masked => workspace.search(&place.access, query, 100).map(|found| found.results),
        Door::Neighbours => {
            let workspace = workspace.clone().with_neighbours(2);
            workspace.search(&place.access, query, 100).map(|found| found.results)
        }
        Door::Entries => {
            let found = workspace.search_unmasked(&place.access, query, 100);
            let narrowed = found.and_then(|found| workspace.entries(&place.access, query, found, 100));
            narrowed.map(|found| found.results)
        }
        Door::Raw => workspace.search_unmasked(&place.access, query, 100).map(|found| found.results),
        Door::Index => index.search(&place.access, query, 100),
    };
    let told = |query| {
        let text = |found: Vec<noctuary::search::SearchResult>| {
            found.into_iter().map(|found| format!("{} {}\n", found.path, found.content)).collect()
        };
        told(search(query), text)
    };
    CANARIES.into_iter().chain(["canary", "canar*", "\"canary\" OR memory", "---", "-"]).map(told).collect()
}

/// The surroundings of each canary, and of the names beside one.
fn surroundings(edges: &dyn EdgeStore, access: &Access) -> String {
    let told_of = |asked: &str| {
        told(edges.neighborhood(access, asked, 99, at(20, 12, 0)), |near| {
            let texts: String = near.mentions.iter().map(|mention| mention.said.text().to_owned()).collect();
            let beside: String = near.neighbors.iter().map(|near| near.entity.to_string()).collect();
            format!("{near:?} {texts} {beside}")
        })
    };
    CANARIES.into_iter().chain(["everybody", "memory", "user", "dreamed"]).map(told_of).collect()
}

/// Pages of a store, with all that it has learned.
fn pages_of_rows(store: &Arc<dyn Store>) -> Pages {
    Pages::new(Arc::clone(store) as _).source(Arc::new(Learned::new(Arc::clone(store))))
}

/// The pages on each canary, and on the names beside one.
fn paged(pages: &Pages, access: &Access) -> String {
    let told_of = |asked: &str| {
        told(pages.page(access, asked, true, at(20, 12, 0)), |page| {
            format!("{page:?} {}", page.to_markdown())
        })
    };
    CANARIES
        .into_iter()
        .chain(["everybody", "memory", "dreamed"])
        .map(|asked| {
            // The title is what was asked for.
            told_of(asked).replace(&format!("# {asked}\n"), "")
        })
        .collect()
}

fn pages_of_documents(place: &Place) -> Vec<Pages> {
    let index = noctuary::SqliteIndex::open_in_memory(place.access.scope.clone()).unwrap();
    let indexed = noctuary::life::Indexed::new(Arc::clone(place.life.workspace()), index);
    indexed.sync(at(20, 12, 0)).unwrap();
    vec![Pages::new(Arc::new(indexed))]
}

/// The surroundings in an index over the whole workspace.
fn of_documents(place: &Place) -> String {
    let index = noctuary::SqliteIndex::open_in_memory(place.access.scope.clone()).unwrap();
    let indexed = noctuary::life::Indexed::new(Arc::clone(place.life.workspace()), index.clone());
    indexed.sync(at(20, 12, 0)).unwrap();
    surroundings(&indexed, &place.access) + &surroundings(&index, &place.access)
}

/// A verb of a store of files.
#[derive(Clone, Copy)]
enum Files {
    Put,
    Get,
    Read,
    List,
    Delete,
    Removals,
}

/// What a store of files tells a session of a file that its human handed over in private.
fn of_files(place: &Place, verb: Files) -> String {
    use noctuary::files::{FileStore, LocalFileStore, NewFile, StoredFile};
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileStore::open(folder.path(), place.access.scope.clone()).unwrap();
    let human = Access::human(place.access.scope.clone());
    let (now, access) = (at(20, 8, 0), &place.access);
    let put = |extension: &str| {
        store.put(&human, &NewFile::new(extension), &mut &b"canary-in-a-row"[..], now).unwrap().key
    };
    let (key, gone) = (put("txt"), put("gone"));
    store.delete(&human, &gone, now).unwrap();
    // Of a file without words, what is told stands for them.
    let canary = |is_told: bool| if is_told { "canary-in-a-row".to_owned() } else { String::new() };
    let hash = noctuary::workspace::Digest::of(b"canary-in-a-row");
    let of = |file: StoredFile| canary(file.sha256 == hash);
    match verb {
        Files::Put => {
            shape(store.put(access, &NewFile::new("txt"), &mut &b"x"[..], now).map(|file| file.len))
        }
        Files::Get => told(store.get(access, &key), of),
        Files::Read => told(store.read(access, &key, 0..99), |bytes| String::from_utf8(bytes).unwrap()),
        Files::List => told(store.list(access, None, 9), |files| files.into_iter().map(of).collect()),
        Files::Delete if access.actor == Actor::Agent => {
            assert!(store.delete(access, &key, now).is_err(), "an agent removes nothing");
            told(store.get(access, &key), of)
        }
        Files::Delete => told(store.delete(access, &key, now), |removal| canary(removal.key == key)),
        Files::Removals => {
            told(store.removals(access, 9), |all| canary(all.iter().any(|removal| removal.key == gone)))
        }
    }
}

/// Whether this build keeps a mirror of trades.
const HAS_TRADES: bool = true;

/// A verb of the mirror of trades.
#[derive(Clone, Copy)]
enum Trades {
    Report,
    ReportSpot,
    Sync,
    State,
    Fills,
    Spot,
    Records,
    History,
    SpotHistory,
}

/// What the mirror of trades tells a session, after its owner's host reported some.
fn of_trades(place: &Place, verb: Trades) -> String {
    use noctuary::dream::HistorySource;
    use noctuary::finance::{
        Fill, MirrorSource, MirrorStore, SpotActivity, SyncState, TradeHistory, fills_as_history,
        spot_as_history,
    };
    let store = Arc::new(noctuary::SqliteMemoryStore::open_in_memory(place.access.scope.clone()).unwrap());
    let host = Access::new(SessionKind::Main, Actor::Library, place.access.scope.clone());
    let canary = "canary-in-a-row";
    let fill = Fill::new("sub", "order", 5, canary, "buy").at(1.0, 2.0);
    let swap = SpotActivity::new("0x1", 5, "swap", "confirmed").tokens(canary, "ETH");
    let (now, access) = (at(20, 8, 0), &place.access);
    store.bulk_insert_perps_fills(&host, std::slice::from_ref(&fill), now).unwrap();
    store.bulk_insert_external_spot(&host, std::slice::from_ref(&swap), now).unwrap();
    let failed = Err("canary-in-a-row is away");
    store.record_sync(&host, &MirrorSource::Spot, failed, now).unwrap();
    let state = |state: SyncState| state.last_error.unwrap_or_default();
    let evidence = |source: &dyn HistorySource| {
        told(source.latest(9), |items| items.into_iter().map(|item| item.text).collect())
    };
    match verb {
        Trades::Report => shape(store.bulk_insert_perps_fills(access, &[fill], now)),
        Trades::ReportSpot => shape(store.bulk_insert_external_spot(access, &[swap], now)),
        Trades::Sync if access.actor == Actor::Agent => {
            assert!(store.record_sync(access, &MirrorSource::Spot, failed, now).is_err(), "the host reports");
            told(store.sync_state(access, &MirrorSource::Spot), state)
        }
        Trades::Sync => told(store.record_sync(access, &MirrorSource::Spot, failed, now), state),
        Trades::State => told(store.sync_state(access, &MirrorSource::Spot), state),
        Trades::Fills => {
            told(store.perps_fills(access, None, 9), |all| all.into_iter().map(|one| one.symbol).collect())
        }
        Trades::Spot => told(store.external_spot(access, None, 9), |all| {
            all.into_iter().filter_map(|one| one.from_token).collect()
        }),
        Trades::Records => told(TradeHistory::new(store).records(access), |all| {
            all.into_iter().flat_map(|(_, lines)| lines).collect()
        }),
        Trades::History => evidence(&fills_as_history(store, access.clone())),
        Trades::SpotHistory => evidence(&spot_as_history(store, access.clone())),
    }
}

/// Types through which a workspace is read; each function of theirs counts.
const OWNERS: &[&str] = &[
    "ArtifactStore",
    "ArtifactStoreExt",
    "EdgeStore",
    "Editor",
    "FactStore",
    "Forget",
    "Guarded",
    "LearningStore",
    "Life",
    "MemoryStore",
    "MemoryTool",
    "MethodStore",
    "PreferenceStore",
    "RoleStore",
    "Session",
    "Snapshot",
    "Toolbox",
    "Workspace",
    "WorkspaceExt",
];

#[test]
fn every_function_that_reads_for_a_session_is_listed() {
    let mut found = BTreeSet::new();
    let mut holders = BTreeSet::new();
    let regex = |pattern| Regex::new(pattern).unwrap();
    let items = regex(
        r"(?m)^(?:impl[^{;]*|pub trait \w+[^{]*)\{|^\}|^ *(?:pub (?:async )?)?fn \w+[^{;]*|^pub struct \w+[^;{(]*\{(?:\n .*|\n)*",
    );
    let holds = regex(r"(?m)^    \w[^/\n]*\b(Guarded|Snapshot|Life|dyn Workspace|workspace: W)\b");
    let generics = regex(r"^impl(<[^{]*?>)? ");
    let takes = regex(r"\b(Workspace|Guarded|Access|SessionKind|Session)\b");
    for text in sources() {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let (mut owner, mut is_trait) = (String::new(), false);
        for item in items.find_iter(code) {
            let item = item.as_str();
            if item == "}" {
                owner.clear();
            } else if let Some(rest) = item.strip_prefix("pub struct ") {
                let fields = rest.split_once('{').unwrap().1;
                if holds.is_match(fields) {
                    holders.insert(word(rest));
                }
            } else if item.starts_with("impl") || item.starts_with("pub trait") {
                is_trait = item.starts_with("pub trait");
                let of = item.trim_start_matches("pub trait ");
                let of = of.rsplit_once(" for ").map_or(of, |(_, of)| of);
                let of = generics.replace(of, "").into_owned();
                owner = if item.contains(" for ") && !is_trait { String::new() } else { word(&of) };
            } else {
                let is_public = item.trim_start().starts_with("pub ") || is_trait && !owner.is_empty();
                let Some((_, rest)) = item.split_once("fn ").filter(|_| is_public) else { continue };
                let (head, returns) = rest.rsplit_once("->").unwrap_or((rest, "()"));
                let of_a_reader = OWNERS.contains(&owner.as_str()) && head.contains("self");
                let is_free = matches!(returns.trim(), "Self" | "()");
                if (of_a_reader || takes.is_match(head)) && !is_free {
                    let prefix = if owner.is_empty() { String::new() } else { format!("{owner}::") };
                    found.insert(format!("{prefix}{}", word(head)));
                }
            }
        }
    }
    // The operator's own, which no session holds.
    for operators in
        ["JournalDreamer", "SleepDreamer", "FactDreamer", "PersonalizationDreamer", "RoleDreamer"]
    {
        holders.remove(operators);
        holders.remove(&format!("{operators}Builder"));
    }
    holders.remove("Merge");
    // A host's settings: a store says of its rows whether cited lines are gone, and to main sessions alone.
    holders.remove("StoreConfig");
    // They refuse everybody but the human in a main session.
    holders.retain(|holder| !["BundleImport", "Export", "ForgottenList"].contains(&holder.as_str()));
    holders.remove("FaultyWorkspace");
    let unknown: Vec<_> = holders.iter().filter(|holder| !OWNERS.contains(&holder.as_str())).collect();
    assert!(unknown.is_empty(), "what these give away is to be listed too: {unknown:?}");
    let listed: BTreeSet<String> = READERS
        .iter()
        .map(|(reader, ..)| *reader)
        .chain(NOT_A_SESSIONS.iter().copied())
        .map(str::to_owned)
        .collect();
    let missing: Vec<_> = found.difference(&listed).collect();
    assert!(missing.is_empty(), "a canary is to be led past these: {missing:?}");
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "these are listed, and not found in the source: {gone:?}");
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The shipped source.
fn sources() -> Vec<String> {
    let mut files = noctuary_tests::files_below(noctuary_tests::sources());
    // Tools for tests reach no session.
    let of_tests = |file: &Path| file.iter().any(|part| part == "testing" || part == "testing.rs");
    files.retain(|file| !of_tests(file.strip_prefix(noctuary_tests::root()).unwrap()));
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Four groups of one life.
const GROUPS: [&str; 4] = ["crew", "family", "neighbours", "team"];

fn group_canary(group: &str) -> String {
    format!("canary-of-the-{group}")
}

/// A home with a private life and four groups, each with canaries in its memory, a journal, an archive, its rows, and in what
/// a dream wrote; as a session of one of the groups has it.
fn furnish_with_groups(folder: &Path, root: &Arc<dyn Workspace>) {
    use noctuary::life::{GroupName, GroupView};

    furnish(folder, root);
    let owner = access(SessionKind::Main, Actor::Agent).scope;
    for group in GROUPS {
        let canary = group_canary(group);
        let name = GroupName::parse(group).unwrap();
        let view: Arc<dyn Workspace> = Arc::new(GroupView::new(Arc::clone(root), &owner, &name));
        put(&view, "MEMORY.md", format!("# Memory\n\n- {canary}\n"));
        put(&view, "memory/2026-11-20-shared.chat.md", format!("- [user] Decision: {canary} in a journal\n"));
        put(&view, "memory/2026-11-19-shared.chat.md", format!("- [user] Decision: {canary} of yesterday\n"));
        let dreamer = JournalDreamer::builder(Arc::clone(&view)).enabled(true).build().unwrap();
        let script =
            Script::new().says(format!("- {canary} in a dream (memory/2026-11-20-shared.chat.md#L1)\n"));
        let report = dream_once_at(&dreamer, &script, &|| at(20, 8, 0)).unwrap();
        assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
        let asked: String = script.requests().iter().map(|request| request.user.clone()).collect();
        for other in GROUPS.iter().filter(|other| **other != group) {
            assert!(!asked.contains(&group_canary(other)), "the dream of {group} is shown words of {other}");
        }
        assert!(
            !CANARIES.iter().any(|canary| asked.contains(canary)),
            "the dream of {group} is shown private words"
        );
        let rows = folder.join(format!("rows-{group}"));
        fs::create_dir_all(rows).unwrap();
        let scope = owner.group(&name);
        for store in &group_stores(folder, group, &scope) {
            let mine = Access::shared(owner.clone()).group(&name);
            store
                .write(
                    &mine,
                    &NewMemory::new("fact", format!("{canary} in a row"), Source::AgentRecorded),
                    at(20, 8, 0),
                )
                .unwrap();
            feed(&view, store.as_ref(), &scope, at(20, 9, 0)).unwrap();
        }
    }
}

/// The stores of a group. The file of the database is that of the private rows: the scope parts them.
fn group_stores(folder: &Path, group: &str, scope: &Scope) -> Vec<Arc<dyn Store>> {
    vec![
        Arc::new(FileMemoryStore::open(folder.join(format!("rows-{group}")), scope.clone()).unwrap()),
        Arc::new(noctuary::SqliteMemoryStore::open(folder.join("memory.db"), scope.clone()).unwrap()),
    ]
}

/// A session in a copy of a home with groups: of one of them, or of none.
fn with_groups(
    home: (tempfile::TempDir, Arc<dyn Workspace>),
    is_boxed: bool,
    of: Option<&str>,
    kind: SessionKind,
) -> Place {
    use noctuary::life::{GroupName, GroupView};

    let mut place = place(home, access(kind, Actor::Agent));
    let owner = access(SessionKind::Main, Actor::Agent).scope;
    let root = Arc::clone(place.life.workspace());
    for group in GROUPS {
        let group_name = GroupName::parse(group).unwrap();
        let view = GroupView::new(Arc::clone(&root), &owner, &group_name);
        for document in documents(&view).into_keys() {
            place.names.extend([name(&document), name(&format!("groups/{group}/{document}"))]);
        }
        if of == Some(group) {
            let view: Arc<dyn Workspace> = if is_boxed {
                let boxed: Box<dyn Workspace> = Box::new(view);
                Arc::new(boxed)
            } else {
                Arc::new(view)
            };
            let scope = owner.group(&group_name);
            place.stores = group_stores(place.folder.path(), group, &scope);
            place.life = Life::new(view, LifeConfig::default());
            place.access = Access::new(kind, Actor::Agent, scope);
        }
    }
    place.names.sort();
    place.names.dedup();
    place
}

// BX-38: nothing crosses between groups, or out of private.
#[test]
#[ignore = "sweep"]
fn no_reader_gives_a_group_what_is_anothers_or_private() {
    let failed = Mutex::new(Vec::new());
    let fails = |what| failed.lock().unwrap().push(what);
    let shown = Mutex::new(BTreeSet::new());
    // All groups of all homes take minutes: unless asked for, each reader is tried with one of them a home.
    let is_long = std::env::var_os("NOCTUARY_LONG_TESTS").is_some();
    let numbered: Vec<_> = READERS.iter().enumerate().collect();
    let furnished = Furnished::by(furnish_with_groups);
    common::each(&numbered, |(number, (reader, _, read))| {
        for (at_group, group) in GROUPS.iter().enumerate() {
            for at_home in 0..furnished.0.len() {
                if !is_long && (number + at_home) % GROUPS.len() != at_group {
                    continue;
                }
                let kind = KINDS[(at_group + at_home) % KINDS.len()];
                let home = furnished.copy(at_home);
                let place = with_groups(home, (at_group + at_home) % 2 == 0, Some(group), kind);
                let told = read(&place);
                let others = GROUPS.iter().filter(|other| *other != group).map(|other| group_canary(other));
                let private = CANARIES.iter().map(|canary| (*canary).to_owned());
                let leaked: Vec<String> =
                    others.chain(private).filter(|canary| told.contains(canary)).collect();
                if !leaked.is_empty() {
                    fails(format!("{reader} tells a {kind:?} session of {group} {leaked:?}"));
                }
                if told.contains(&group_canary(group)) {
                    shown.lock().unwrap().insert(*reader);
                }
            }
        }
        // A session with others present that is of no group.
        for at_home in 0..furnished.0.len() {
            if !is_long && (number + at_home) % 2 == 0 {
                continue;
            }
            let place = with_groups(furnished.copy(at_home), false, None, SessionKind::Shared);
            let told = read(&place);
            let leaked: Vec<_> = GROUPS.iter().filter(|group| told.contains(&group_canary(group))).collect();
            if !leaked.is_empty() {
                fails(format!("{reader} tells a session of no group words of {leaked:?}"));
            }
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let shown = shown.into_inner().unwrap();
    println!("{} readers, {} groups; {} show a group its own", READERS.len(), GROUPS.len(), shown.len());
    for reader in ["Workspace::read", "MemoryStore::search", "MemoryStore::list", "Session::prompt"] {
        assert!(
            shown.contains(reader) || !READERS.iter().any(|(name, ..)| *name == reader),
            "{reader}: {shown:?}"
        );
    }
}

#[test]
fn the_owner_reads_every_group_in_private_and_their_agent_writes_in_none() {
    for home in Furnished::by(furnish_with_groups).copies() {
        let place = with_groups(home, false, None, SessionKind::Main);
        for group in GROUPS {
            let memory = crate::life::name(&format!("groups/{group}/MEMORY.md"));
            let text = place.view().read_text(&memory).unwrap().unwrap();
            assert!(text.contains(&format!("{} in a dream", group_canary(group))), "{text}");
            for wrote in [
                place.view().append(&memory, b"- out of private\n"),
                place.view().write(&memory, b"x", WriteMode::Replace).map(drop),
                place.view().remove(&memory).map(drop),
            ] {
                assert!(matches!(wrote, Err(Error::Denied { .. })), "{wrote:?}");
            }
            let human = place.life.view(access(SessionKind::Main, Actor::Human));
            human.append(&memory, b"- by hand\n").unwrap();
        }
    }
}

// The workspace of a life and that of a group are no audience of one another, on a folder that does not know its owner too.
#[test]
fn an_access_to_a_group_reads_nothing_of_the_life_itself() {
    use noctuary::life::{GroupName, GroupView};

    let crew = GroupName::parse("crew").unwrap();
    for home in Furnished::by(furnish_with_groups).copies() {
        let place = with_groups(home, false, None, SessionKind::Main);
        let root = Arc::clone(place.life.workspace());
        let owner = access(SessionKind::Main, Actor::Agent).scope;
        for access in [Access::shared(owner.clone()).group(&crew), Access::human(owner.clone()).group(&crew)]
        {
            let read = Guarded::new(&root, access).read(&noctuary::DocName::MEMORY);
            assert!(matches!(read, Err(Error::Denied { .. })), "{read:?}");
        }
        let group = GroupView::new(&root, &owner, &crew);
        let other = Access::human(owner.clone()).group(&GroupName::parse("team").unwrap());
        for access in [Access::human(owner.clone()), other] {
            let read = Guarded::new(&group, access).read(&noctuary::DocName::MEMORY);
            assert!(matches!(read, Err(Error::Denied { .. })), "{read:?}");
        }
        for persona in [noctuary::DocName::SOUL, noctuary::DocName::AGENTS, noctuary::DocName::IDENTITY] {
            let wrote = group.write(&persona, b"# Another\n", WriteMode::Replace);
            assert!(matches!(wrote, Err(Error::Denied { .. })), "{wrote:?}");
            assert!(group.read(&persona).unwrap().is_some());
        }
        // A view over a view is nobody's.
        assert!(GroupView::new(&group, &owner, &crew).read(&noctuary::DocName::MEMORY).is_err());
    }
}

#[test]
fn forgetting_and_copying_reach_the_groups() {
    use noctuary::life::{GroupName, GroupView};

    let owner = access(SessionKind::Main, Actor::Human).scope;
    let human = access(SessionKind::Main, Actor::Human);
    let crew = GroupName::parse("crew").unwrap();
    for (home, other) in Furnished::by(furnish_with_groups).copies().zip(homes()) {
        let place = with_groups(home, false, None, SessionKind::Main);
        let root = place.life.workspace();
        let (_folder, target) = other;
        copy_into(root, target.as_ref()).unwrap();
        let copied = GroupView::new(target.as_ref(), &owner, &crew);
        let dreamer = JournalDreamer::builder(Arc::new(GroupView::new(Arc::clone(&target), &owner, &crew)));
        let dreamer = dreamer.enabled(true).build().unwrap();
        let again = dream_once_at(&dreamer, &Script::new(), &|| at(21, 8, 0)).unwrap();
        assert_eq!(again.calls, 0, "the ledger of the group came along: {again:?}");
        let memory = copied.read_text(&noctuary::DocName::MEMORY).unwrap().unwrap();
        assert!(memory.contains("canary-of-the-crew in a dream"));

        Forget::new(&human, "canary-of-the-crew in a dream")
            .workspace(root)
            .in_files(true)
            .run(at(22, 8, 0))
            .unwrap();
        let view = GroupView::new(root, &owner, &crew);
        assert!(!everything_told(&view).contains("canary-of-the-crew in a dream"));
        put(&view, "memory/2026-11-22-shared.chat.md", "- [user] Fact: canary-of-the-crew in a dream\n");
        let script =
            Script::new().says("- canary-of-the-crew in a dream (memory/2026-11-22-shared.chat.md#L1)\n");
        let dreamer = JournalDreamer::builder(Arc::new(GroupView::new(Arc::clone(root), &owner, &crew)));
        dream_once_at(&dreamer.enabled(true).build().unwrap(), &script, &|| at(23, 8, 0)).unwrap();
        let memory = view.read_text(&noctuary::DocName::MEMORY).unwrap().unwrap();
        assert!(
            !memory.contains("canary-of-the-crew in a dream"),
            "what was forgotten stays out of the group: {memory}"
        );
    }
}
