//! Chunks of documents found by their meaning: the arm of vectors in an index.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::sync::Arc;

use noctuary::life::Indexed;
use noctuary::memory::{Degraded, QueryVector, SearchOutcome};
use noctuary::search::{DocumentIndex, FoundChunks};
use noctuary::testing::{EmbedScript, HashEmbedder};
use noctuary::vectors::{EmbedConfig, EmbedReport, Embedder, Purpose, VectorStore, embed_once};
use noctuary::{Access, DocName, Scope, SqliteIndex, SqliteWorkspace, Workspace, WriteMode};

struct Life {
    workspace: Indexed<SqliteWorkspace>,
    index: SqliteIndex,
}

fn model() -> HashEmbedder {
    HashEmbedder::new(128).alike(&["rope", "cordage"]).alike(&["bought", "purchase"])
}

fn marta() -> Access {
    Access::agent(Scope::user("marta"))
}

fn doc(name: &str) -> DocName {
    DocName::parse(name).unwrap()
}

impl Life {
    /// A life with some documents that have nothing to do with what is looked for.
    fn new() -> Self {
        let index = SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
        let workspace = SqliteWorkspace::open_in_memory(Scope::user("marta")).unwrap();
        let life = Self { workspace: Indexed::new(workspace, index.clone()), index };
        for number in 0..30 {
            life.put(
                &format!("notes/{number}.md"),
                &format!("Entry {number} about the ferry and a garden\n"),
            );
        }
        life.put("notes/rope.md", "We bought rope at the harbour shop\n");
        life
    }

    fn put(&self, name: &str, text: &str) {
        self.workspace.write(&doc(name), text.as_bytes(), WriteMode::Replace).unwrap();
    }

    fn embed(&self, embedder: &dyn Embedder) -> EmbedReport {
        embed_once(&self.index, embedder, &EmbedConfig::default()).unwrap()
    }

    fn near(&self, access: &Access, embedder: &dyn Embedder, text: &str) -> FoundChunks {
        let numbers = embedder.embed(&[text], Purpose::Query).unwrap().remove(0);
        self.workspace.search_near(access, text, &QueryVector::new(embedder.id(), numbers), 10).unwrap()
    }

    fn waiting(&self) -> u64 {
        self.index.embedding_status(model().id()).unwrap().pending
    }
}

fn paths(found: &FoundChunks) -> Vec<&str> {
    found.results.iter().map(|result| result.path.as_str()).collect()
}

#[test]
fn a_passage_is_found_in_other_words() {
    let life = Life::new();
    let question = "purchase cordage";
    let by_words = life.workspace.search(&marta(), question, 10).unwrap();
    assert_eq!((by_words.outcome, by_words.results.len()), (SearchOutcome::Empty, 0));
    let report = life.embed(&model());
    assert_eq!((report.embedded, report.serves), (31, true));
    let found = life.near(&marta(), &model(), question);
    assert_eq!(paths(&found)[0], "notes/rope.md");
    assert!(found.results[0].vector_score.is_some_and(|score| score > 0.5) && found.results[0].score <= 1.0);
    assert!(found.results.len() <= 10);
    // Both lists.
    let found = life.near(&marta(), &model(), "cordage at the harbour");
    assert_eq!(paths(&found)[0], "notes/rope.md");
    assert!(found.results[0].bm25_score.is_some() && found.results[0].vector_score.is_some());
    assert_eq!(life.embed(&model()).requests, 0);
    // A search without a vector is as it was.
    let plain = Life::new();
    for question in ["the ferry", "rope", "\"a garden\"", "entry 7"] {
        let found = life.workspace.search(&marta(), question, 10).unwrap();
        assert_eq!(found, plain.workspace.search(&marta(), question, 10).unwrap(), "{question}");
    }
}

#[test]
fn a_chunk_that_changes_or_goes_has_no_vector() {
    let life = Life::new();
    life.embed(&model());
    life.put("notes/rope.md", "The old boat was sold in Porto\n");
    assert_eq!(life.waiting(), 1);
    assert!(!paths(&life.near(&marta(), &model(), "purchase cordage")).contains(&"notes/rope.md"));
    life.put("notes/rope.md", "We bought rope again at noon\n");
    life.embed(&model());
    assert_eq!(paths(&life.near(&marta(), &model(), "purchase cordage"))[0], "notes/rope.md");
    life.workspace.remove(&doc("notes/rope.md")).unwrap();
    assert!(!paths(&life.near(&marta(), &model(), "purchase cordage")).contains(&"notes/rope.md"));
    // A chunk may get the number of one that is gone: it waits as any other does.
    life.put("notes/later.md", "Some cordage lies in the boat house\n");
    assert_eq!(life.waiting(), 1);
    assert_eq!(life.embed(&model()).embedded, 1);
    assert_eq!(paths(&life.near(&marta(), &model(), "purchase rope"))[0], "notes/later.md");
    life.index.clear().unwrap();
    assert_eq!(life.index.embedding_status(model().id()).unwrap().embedded, 0);
}

#[test]
fn a_session_with_others_finds_what_it_may_read_and_no_more() {
    let life = Life::new();
    life.put("MEMORY.md", "- Marta bought rope for the secret trip\n");
    life.put("memory/2026-11-21-group.md", "[user] The group will purchase cordage on Monday\n");
    life.embed(&model());
    let group = Access::shared(Scope::user("marta"));
    let mine = life.near(&marta(), &model(), "purchase of cordage");
    assert!(paths(&mine).contains(&"MEMORY.md"), "{mine:?}");
    let before = life.near(&group, &model(), "purchase of cordage");
    assert!(!paths(&before).contains(&"MEMORY.md"), "{before:?}");
    life.put(
        "MEMORY.md",
        "- Marta bought rope for the secret trip\n- And she bought more cordage, rope, rope\n",
    );
    assert_eq!(life.near(&group, &model(), "purchase of cordage"), before);
    life.embed(&model());
    assert_eq!(
        life.near(&group, &model(), "purchase of cordage"),
        before,
        "nothing rests on what it may not read"
    );
    let stranger = Access::agent(Scope::user("otto"));
    assert!(life.near(&stranger, &model(), "purchase of cordage").results.is_empty());
}

#[test]
fn a_search_without_its_vectors_goes_by_words_and_says_so() {
    let life = Life::new();
    let by_words = life.workspace.search(&marta(), "the ferry", 10).unwrap();
    let same = |found: &FoundChunks, why: Degraded| {
        assert_eq!(found.outcome, SearchOutcome::Degraded(why));
        assert_eq!(found.results, by_words.results);
    };
    same(&life.near(&marta(), &model(), "the ferry"), Degraded::Missing);
    let config = EmbedConfig::default().texts(10).requests(1);
    embed_once(&life.index, &model(), &config).unwrap();
    same(&life.near(&marta(), &model(), "the ferry"), Degraded::HalfFilled { embedded: 10, of: 31 });
    life.embed(&model());
    same(&life.near(&marta(), &model().named("other"), "the ferry"), Degraded::OtherGeneration);
    let bad = QueryVector::new(model().id(), vec![f32::NAN; 128]);
    same(&life.workspace.search_near(&marta(), "the ferry", &bad, 10).unwrap(), Degraded::Failed);
    assert!(!matches!(life.near(&marta(), &model(), "the ferry").outcome, SearchOutcome::Degraded(_)));
    let new = model().named("other");
    let report = life.embed(&new);
    assert_eq!((report.embedded, report.dropped, report.serves), (31, 31, true));
    assert_eq!(paths(&life.near(&marta(), &new, "purchase cordage"))[0], "notes/rope.md");
}

#[test]
fn an_embedder_of_the_workspace_is_asked_by_each_search_and_may_fail() {
    let life = Life::new();
    life.embed(&model());
    let script = Arc::new(EmbedScript::new(model()).fails("no route"));
    let workspace = life.workspace.clone().with_embedder(script.clone());
    let failed = workspace.search(&marta(), "the ferry", 10).unwrap();
    assert_eq!(failed.outcome, SearchOutcome::Degraded(Degraded::Failed));
    assert_eq!(failed.results, life.workspace.search(&marta(), "the ferry", 10).unwrap().results);
    let found = workspace.search(&marta(), "purchase cordage AKIAIOSFODNN7EXAMPLE", 10).unwrap();
    assert_eq!(paths(&found)[0], "notes/rope.md");
    workspace.search(&marta(), "\"the ferry\"", 10).unwrap();
    let asked = script.asked().concat();
    assert_eq!(asked.len(), 2, "operators say exactly what is wanted");
    assert!(!asked.concat().contains("AKIAIOSFODNN7EXAMPLE"), "{asked:?}");
}

#[test]
fn what_leaves_for_an_embedder_is_masked() {
    let life = Life::new();
    let text = "The key of the harbour is AKIAIOSFODNN7EXAMPLE for now\n";
    life.workspace.workspace().write(&doc("notes/key.md"), text.as_bytes(), WriteMode::Create).unwrap();
    life.workspace.sync(chrono::Utc::now()).unwrap();
    let script = EmbedScript::new(model());
    life.embed(&script);
    let asked = script.asked().concat().concat();
    assert!(asked.contains("The key of the harbour") && !asked.contains("AKIAIOSFODNN7EXAMPLE"));
}
