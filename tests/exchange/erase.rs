//! Erasing one life of a database: nothing of it is left in the file, and the others keep all.

use std::path::Path;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::exchange::{Bundle, BundleKey, Export, Forget};
use noctuary::facts::{Decision, FactKey, FactStore};
use noctuary::memory::{LearningStore, NewLearning, NewMemory, Source};
use noctuary::{
    Access, DocName, Error, MemoryStore, Scope, SqliteMemoryStore, SqliteWorkspace, Workspace, WriteMode,
};

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 24, 9, 0, 0).unwrap()
}

/// Lives in a file; each word of it begins with `word`.
fn live(file: &Path, user: &str, word: &str) {
    let human = Access::human(Scope::user(user));
    let workspace = SqliteWorkspace::open(file, human.scope.clone()).unwrap();
    let store = SqliteMemoryStore::open(file, human.scope.clone()).unwrap();
    for (name, text) in
        [("MEMORY.md", "memory"), ("notes/boat.md", "note"), ("memory/2026-11-20-repl.md", "log")]
    {
        let name = DocName::parse(name).unwrap();
        workspace.write(&name, format!("- {word}{text}\n").as_bytes(), WriteMode::Create).unwrap();
        workspace.write(&name, format!("- {word}{text} again\n").as_bytes(), WriteMode::Replace).unwrap();
    }
    let home = |town: &str| {
        NewMemory::new("fact", format!("{word}lives in {town}"), Source::ChatExtracted)
            .about(FactKey::one(format!("{word}who"), "home"))
    };
    let one = store.record(&human, &home("Lisbon"), now()).unwrap();
    let two = store.record(&human, &home("Porto"), now()).unwrap();
    store.settle(now()).unwrap();
    store
        .decide(&human, &Decision::supersede(one.id, two.id).because(format!("{word}moved")), now())
        .unwrap();
    store.learn(&human, &NewLearning::new(format!("{word}learning")), now()).unwrap();
    store.set_profile(&human, "timezone", &format!("{word}zone"), now()).unwrap();
    Forget::new(&human, "the landlord is called Jan").store(&store).workspace(&workspace).run(now()).unwrap();
}

fn taken(file: &Path, user: &str) -> Bundle {
    let human = Access::human(Scope::user(user));
    let workspace = SqliteWorkspace::open(file, human.scope.clone()).unwrap();
    let store = SqliteMemoryStore::open(file, human.scope.clone()).unwrap();
    let key = BundleKey::from_bytes([7; 32]);
    Export::new(&human).workspace(&workspace).sqlite_store(&store).signed(&key).run().unwrap()
}

fn holds(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}

/// BX-43
#[test]
fn one_life_goes_whole_and_the_other_keeps_every_byte() {
    for (gone, stays) in [("marta", "ilya"), ("ilya", "marta")] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lives.db");
        // The first one owns what another program would have written.
        live(&file, "marta", "Qmartaq");
        live(&file, "ilya", "Qilyaq");
        let (word, kept) = (format!("Q{gone}q"), taken(&file, stays));
        assert!(holds(folder.path(), &word));

        let human = Access::human(Scope::user(gone));
        let workspace = SqliteWorkspace::open(&file, human.scope.clone()).unwrap();
        let agent = Access::agent(human.scope.clone());
        let stranger = Access::human(Scope::user(stays));
        for access in [&agent, &stranger] {
            assert!(matches!(workspace.erase(access), Err(Error::Denied { .. })));
            assert!(matches!(workspace.would_erase(access), Err(Error::Denied { .. })));
        }
        let would = workspace.would_erase(&human).unwrap();
        assert!(!would.erased && holds(folder.path(), &word));
        let receipt = workspace.erase(&human).unwrap();
        assert!(receipt.erased && receipt.left.is_none());
        assert_eq!(receipt.rows, would.rows);
        for table in
            ["memories", "memory_documents", "memory_document_versions", "memory_audit", "memory_tombstones"]
        {
            assert!(receipt.rows.contains_key(table), "{table} in {receipt}");
        }
        let again = workspace.erase(&human).unwrap();
        assert_eq!(again.total(), 0, "{again}");
        drop(workspace);
        assert!(!holds(folder.path(), &word), "no page keeps a word");
        let scopes = noctuary::doctor::Doctor::of(&file).unwrap().scopes().unwrap();
        assert_eq!(scopes, [Scope::user(stays)]);
        assert!(taken(&file, stays) == kept);
        let told = noctuary::doctor::Doctor::of(&file).unwrap().examine(now()).unwrap();
        assert!(told.is_sound(), "{told:?}");

        // The person may come back, and begins anew.
        live(&file, gone, "Qanewq");
        assert!(taken(&file, stays) == kept);
    }
}
