//! The health of memory: vectors, edges, methods and notes of roles, each found, mended once, and told in the audit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::TimeDelta;
use noctuary::doctor::{Apply, Doctor, FindingKind, FixAction};
use noctuary::dream::RoleConfig;
use noctuary::learning::{Ending, MethodStore, NewMethod, NewOutcome, NewRoleNote, RoleStore};
use noctuary::life::Indexed;
use noctuary::memory::{LearningStore, NewMemory, Source};
use noctuary::store::StoreConfig;
use noctuary::testing::HashEmbedder;
use noctuary::vectors::{EmbedConfig, EmbedError, Embedder, EmbedderId, Purpose, embed_once};
use noctuary::{
    Access, DocName, Error, FileMemoryStore, LlmReply, LlmRequest, MemoryStore, Scope, SqliteIndex,
    SqliteWorkspace, Workspace, WriteMode, llm_fn,
};

use crate::doctor::kit::{at, now, tree};

trait Any: MemoryStore + LearningStore + MethodStore + RoleStore {}
impl<S: MemoryStore + LearningStore + MethodStore + RoleStore> Any for S {}

fn owner() -> Access {
    Access::human(Scope::user("marta"))
}

/// The homes of both kinds, each with its path and an open store.
fn homes(config: &StoreConfig) -> Vec<(tempfile::TempDir, PathBuf, Box<dyn Any>)> {
    let mut homes: Vec<(tempfile::TempDir, PathBuf, Box<dyn Any>)> = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    let store = FileMemoryStore::open_with(folder.path(), owner().scope, config.clone()).unwrap();
    let path = folder.path().to_owned();
    homes.push((folder, path, Box::new(store)));
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("life.db");
        let store = noctuary::SqliteMemoryStore::open_with(&path, owner().scope, config.clone()).unwrap();
        homes.push((folder, path, Box::new(store)));
    }
    homes
}

fn kinds(doctor: &Doctor) -> Vec<FindingKind> {
    doctor.examine(now()).unwrap().findings.into_iter().map(|finding| finding.kind).collect()
}

fn told(path: &Path, action: &str) -> usize {
    let audit = if path.is_dir() {
        FileMemoryStore::open(path, owner().scope).unwrap().audit(&owner(), usize::MAX).unwrap()
    } else {
        audit_of(path)
    };
    audit.iter().filter(|entry| entry.action == action).count()
}

fn audit_of(path: &Path) -> Vec<noctuary::memory::AuditEntry> {
    let store = noctuary::SqliteMemoryStore::open(path, owner().scope).unwrap();
    store.audit(&owner(), usize::MAX).unwrap()
}

/// DC-04, DC-07, DC-10
#[test]
fn a_method_whose_outcomes_are_too_bad_goes_into_quarantine_once_and_never_back() {
    // A store that lets bad methods be, as a program with other thresholds does.
    let mut lenient = StoreConfig::default();
    lenient.learning.demotion = 0.0;
    for (folder, path, store) in homes(&lenient) {
        let method = |class: &str| {
            store.create_method(&owner(), &NewMethod::new("Way", class, "Do it so."), at(20, 9)).unwrap()
        };
        let (bad, rare, good) = (method("bad"), method("rare"), method("good"));
        for number in 0..25 {
            let mut used = vec![bad, good];
            if number < 19 {
                used.push(rare);
            }
            for id in used {
                let ending = if id == good { Ending::Success } else { Ending::Failure };
                let outcome = NewOutcome::new(format!("o-{number}-{id}"), [id], ending);
                store.report_outcome(&owner(), &outcome, at(20, 10)).unwrap();
            }
        }
        store.graduate_method(&owner(), good, at(20, 11)).unwrap();
        for id in [bad, rare] {
            store.quarantine_method(&owner(), id, false, at(20, 11)).unwrap();
        }
        let doctor = Doctor::of(&path).unwrap();
        let found = doctor.examine(now()).unwrap();
        assert_eq!((found.health.methods, found.health.graduated, found.health.quarantined), (3, 1, 0));
        let weak: Vec<_> =
            found.findings.iter().map(|finding| (finding.kind, finding.place.as_str())).collect();
        assert_eq!(
            weak,
            [(FindingKind::WeakMethod, format!("methods/{bad}").as_str())],
            "19 uses are too few"
        );
        let before = tree(folder.path());
        assert!(!doctor.fix(&found, Apply::DryRun, &[], now()).unwrap()[0].done);
        assert_eq!(tree(folder.path()), before, "a dry run writes nothing");
        let fixed = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
        assert_eq!((fixed.len(), fixed[0].action, fixed[0].done), (1, FixAction::MethodologyDemotion, true));
        assert_eq!(kinds(&doctor), []);
        let again = doctor.fix(&doctor.examine(now()).unwrap(), Apply::Yes, &[], now()).unwrap();
        assert!(again.is_empty(), "twice is once");
        // The first finding, fixed again by somebody who kept it, changes nothing either.
        assert!(!doctor.fix(&found, Apply::Yes, &[], now()).unwrap()[0].done);
        assert_eq!(told(&path, "doctor.fix.methodology_demotion"), 1);
        let methods = store.methods(&owner()).unwrap();
        let quarantine: Vec<u8> = methods.iter().map(|method| method.quarantine).collect();
        assert_eq!(quarantine, [1, 0, 0]);
        assert!(methods[2].graduated.is_some());
    }
}

/// DC-05, DC-10
#[test]
fn rows_without_vectors_are_filled_by_the_embedder_of_the_doctor() {
    for (folder, path, store) in homes(&StoreConfig::default()) {
        for number in 0..9 {
            let row = NewMemory::new(
                "note",
                format!("The ferry number {number} leaves at nine"),
                Source::UserExplicit,
            );
            store.write(&owner(), &row, at(20, 9)).unwrap();
        }
        let doctor = Doctor::of(&path).unwrap();
        assert_eq!(kinds(&doctor), [], "without an embedder nothing waits");
        let mut stores = StoreConfig::default();
        stores.embedder = Some(Arc::new(HashEmbedder::new(64)));
        let doctor = doctor.stores(stores);
        let before = tree(folder.path());
        let found = doctor.examine(now()).unwrap();
        assert_eq!(found.health.embeddings["pending"], 9);
        assert_eq!(found.findings[0].kind, FindingKind::WaitingEmbeddings);
        assert_eq!(tree(folder.path()), before);
        let fixed = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
        assert_eq!((fixed.len(), fixed[0].action, fixed[0].done), (1, FixAction::Embeddings, true));
        let found = doctor.examine(now()).unwrap();
        assert_eq!((found.health.embeddings["pending"], found.health.embeddings["embedded"]), (0, 9));
        assert!(found.is_sound(), "{found:?}");
        assert_eq!(told(&path, "doctor.fix.embeddings"), 1);
    }
}

// Chunks were left without vectors for ever once an embedder had failed.
#[test]
fn chunks_of_a_database_without_vectors_are_found_and_filled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("life.db");
    let workspace = SqliteWorkspace::open(&path, owner().scope).unwrap();
    let index = || SqliteIndex::open(&path, owner().scope).unwrap();
    let indexed = Indexed::new(workspace, index());
    let write = |name: &str, text: &str| {
        indexed.write(&DocName::parse(name).unwrap(), text.as_bytes(), WriteMode::Create).unwrap();
    };
    write("memory/2026-11-20.md", "The ferry leaves at nine.\n");
    let embedder = Arc::new(HashEmbedder::new(64));
    let mut stores = StoreConfig::default();
    stores.embedder = Some(embedder.clone());
    let doctor = Doctor::of(&path).unwrap().stores(stores);
    let found = doctor.examine(now()).unwrap();
    assert!(found.is_sound() && found.health.chunks.is_empty(), "an index of words alone: {found:?}");

    embed_once(&index(), embedder.as_ref(), &EmbedConfig::default()).unwrap();
    write("memory/2026-11-21.md", "The boat is called Brisk.\n");
    let found = doctor.examine(now()).unwrap();
    assert_eq!((found.health.chunks["pending"], found.health.chunks["embedded"]), (1, 1));
    assert_eq!(found.findings[0].kind, FindingKind::WaitingEmbeddings, "{found:?}");
    let fixed = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
    assert_eq!((fixed.len(), fixed[0].done), (1, true), "{fixed:?}");
    let found = doctor.examine(now()).unwrap();
    assert_eq!((found.health.chunks["pending"], found.health.chunks["embedded"]), (0, 2));
    assert!(found.is_sound(), "{found:?}");
}

/// Takes no batch with one text, as a server does that chokes on it.
struct Chokes(HashEmbedder);

impl Embedder for Chokes {
    fn id(&self) -> &EmbedderId {
        self.0.id()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.iter().any(|text| text.contains("number 42 ")) {
            return Err(EmbedError::new("too many tokens"));
        }
        self.0.embed(texts, purpose)
    }
}

// The doctor wrote the others, printed "would", and left no line in the audit.
#[test]
fn a_row_that_the_embedder_never_takes_is_said_and_the_others_are_done() {
    for (_folder, path, store) in homes(&StoreConfig::default()) {
        for number in 0..100 {
            let text = format!("The ferry number {number} leaves at nine");
            store.write(&owner(), &NewMemory::new("note", text, Source::UserExplicit), at(20, 9)).unwrap();
        }
        let mut stores = StoreConfig::default();
        stores.embedder = Some(Arc::new(Chokes(HashEmbedder::new(64))));
        let doctor = Doctor::of(&path).unwrap().stores(stores);
        let found = doctor.examine(now()).unwrap();
        let fixed = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
        assert_eq!((fixed.len(), fixed[0].action, fixed[0].done), (1, FixAction::Embeddings, true));
        let left = fixed[0].left.as_deref().unwrap();
        assert!(left.starts_with("1 of the texts") && left.ends_with("too many tokens"), "{left}");
        let found = doctor.examine(now()).unwrap();
        assert_eq!((found.health.embeddings["failed"], found.health.embeddings["embedded"]), (1, 99));
        assert_eq!(told(&path, "doctor.fix.embeddings"), 1);
        // Once more does nothing, and says so.
        let fixed = doctor.fix(&found, Apply::Yes, &[], now()).unwrap();
        assert!(!fixed[0].done && fixed[0].left.is_some(), "{fixed:?}");
        assert_eq!(told(&path, "doctor.fix.embeddings"), 1);
        let planned = doctor.fix(&found, Apply::DryRun, &[], now()).unwrap();
        assert!(!planned[0].done && planned[0].left.is_none());
    }
}

/// DC-01, DC-06, DC-10
#[test]
fn edges_that_are_missing_are_added_and_none_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("life.db");
    let store = noctuary::SqliteMemoryStore::open(&path, owner().scope).unwrap();
    for text in ["Marta moored [[Brisk]] in Lisbon", "[[Brisk]] needs a new keel #repairs"] {
        store.write(&owner(), &NewMemory::new("note", text, Source::UserExplicit), at(20, 9)).unwrap();
    }
    let doctor = Doctor::of(&path).unwrap();
    let found = doctor.examine(now()).unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!(found.health.top_entities[0], ("link:brisk".to_owned(), 2));
    assert!(found.health.edges >= 4 && found.health.dirty == 2, "{:?}", found.health);
    let edges = || {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.query_row("SELECT count(*) FROM memory_edges", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let all = edges();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DELETE FROM memory_edges WHERE dst_entity_key = 'brisk'").unwrap();
    drop(connection);
    let found = doctor.examine(now()).unwrap();
    assert_eq!(found.findings[0].kind, FindingKind::MissingEdges);
    assert!(edges() < all, "a look writes nothing");
    assert!(doctor.fix(&found, Apply::Yes, &[FixAction::Edges], now()).unwrap()[0].done);
    assert_eq!((edges(), kinds(&doctor)), (all, Vec::new()));
    assert!(doctor.fix(&doctor.examine(now()).unwrap(), Apply::Yes, &[], now()).unwrap().is_empty());
    assert_eq!(told(&path, "doctor.fix.edges"), 1);
}

/// DC-01, DC-08: the age of a role that has one, and 72 hours for any other.
#[test]
fn a_note_waits_for_too_long_by_the_age_of_its_own_role() {
    for (_folder, path, store) in homes(&StoreConfig::default()) {
        for (role, hours) in
            [("reviewer", 3), ("reviewer", 1), ("planner", 73), ("planner", 3), ("archivist", 99)]
        {
            let note = NewRoleNote::new(role, format!("{role} was in a hurry {hours} hours ago."));
            store.take_note(&owner(), &note, now() - TimeDelta::hours(hours)).unwrap();
        }
        let mut roles = RoleConfig::default();
        roles.ages.insert("reviewer".to_owned(), TimeDelta::hours(2));
        roles.ages.insert("archivist".to_owned(), TimeDelta::hours(200));
        let unreflected = |doctor: &Doctor| doctor.examine(now()).unwrap().health.unreflected;
        let doctor = Doctor::of(&path).unwrap();
        assert_eq!(unreflected(&doctor), 2, "without ages, those of planner and archivist");
        let doctor = doctor.roles(roles);
        let found = doctor.examine(now()).unwrap();
        assert_eq!(found.health.unreflected, 2, "those of reviewer and planner: {found:?}");
        let model = llm_fn(|request: &LlmRequest| {
            let is_first = request.system.contains("went well");
            Ok(LlmReply::new(if is_first {
                "N1 failure\nN2 failure"
            } else {
                "N1: Wait for the tide first.\nN2: Ask before a long job."
            }))
        });
        let fixed = doctor.reflect_pending(&found, Apply::Yes, &model, now()).unwrap();
        assert!(fixed.len() == 2 && fixed.iter().all(|one| one.done), "{fixed:?}");
        assert_eq!((unreflected(&doctor), told(&path, "doctor.fix.reflect_pending")), (0, 2));
        let waits: Vec<String> =
            store.notes(&owner(), true).unwrap().into_iter().map(|note| note.content).collect();
        assert!(waits.len() == 3 && waits.iter().any(|words| words.contains("archivist")), "{waits:?}");
    }
}

/// DC-08, DC-10
#[test]
fn notes_of_roles_wait_for_a_model_that_somebody_names() {
    for (folder, path, store) in homes(&StoreConfig::default()) {
        let note = |text: &str, hours: i64| {
            let note = NewRoleNote::new("planner", text);
            store.take_note(&owner(), &note, now() - TimeDelta::hours(hours)).unwrap()
        };
        note("Packed in a hurry; the ferry was missed.", 73);
        note("The train was on time.", 71);
        let doctor = Doctor::of(&path).unwrap();
        let found = doctor.examine(now()).unwrap();
        assert_eq!((found.findings.len(), found.health.unreflected), (1, 1));
        assert_eq!(found.findings[0].kind, FindingKind::WaitingReflection);
        assert!(
            doctor.fix(&found, Apply::Yes, &[], now()).unwrap().is_empty(),
            "no model is asked by default"
        );
        let refused = doctor.fix(&found, Apply::Yes, &[FixAction::ReflectPending], now());
        assert!(matches!(refused, Err(Error::Config { .. })), "it takes a model");
        let before = tree(folder.path());
        let never = llm_fn(|_: &LlmRequest| panic!("a dry run asks nobody"));
        assert!(!doctor.reflect_pending(&found, Apply::DryRun, &never, now()).unwrap()[0].done);
        assert_eq!(tree(folder.path()), before);
        let model = llm_fn(|request: &LlmRequest| {
            let is_first = request.system.contains("went well");
            Ok(LlmReply::new(if is_first { "N1 failure" } else { "N1: Be there half an hour early." }))
        });
        assert!(doctor.reflect_pending(&found, Apply::Yes, &model, now()).unwrap()[0].done);
        assert_eq!(kinds(&doctor), []);
        let again =
            doctor.reflect_pending(&doctor.examine(now()).unwrap(), Apply::Yes, &never, now()).unwrap();
        assert!(again.is_empty(), "twice is once");
        assert_eq!(told(&path, "doctor.fix.reflect_pending"), 1);
        let reflected = store.notes(&owner(), false).unwrap();
        assert_eq!(reflected[0].reflection.as_ref().unwrap().lesson, "Be there half an hour early.");
    }
}
