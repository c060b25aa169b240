//! Chunks of documents found by their meaning: the arm of vectors in an index.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::any::Any;
use std::sync::Arc;

use noctuary::life::{Indexed, Preset};
use noctuary::memory::{Degraded, QueryVector, SearchOutcome};
use noctuary::search::{FoundChunks, SearchResult};
use noctuary::store::StoreConfig;
use noctuary::testing::{EmbedScript, HashEmbedder};
use noctuary::vectors::{
    BatchFrom, BatchSize, EmbedConfig, EmbedError, EmbedReport, Embedder, Purpose, embed_once,
};
use noctuary::{Access, DocName, FileWorkspace, Scope, SqliteIndex, Workspace, WriteMode};

use crate::workspace::index_homes::{AnyIndex, NewHome, on_each_home};

struct Life {
    workspace: Indexed<Arc<dyn Workspace>>,
    index: Arc<dyn AnyIndex>,
    _place: Box<dyn Any>,
}

on_each_home! {
    a_passage_is_found_in_other_words
    a_chunk_that_changes_or_goes_has_no_vector
    a_session_with_others_finds_what_it_may_read_and_no_more
    a_search_without_its_vectors_goes_by_words_and_says_so
    a_model_under_the_name_of_another_fills_nothing
    an_embedder_of_the_workspace_is_asked_by_each_search_and_may_fail
    what_leaves_for_an_embedder_is_masked
    an_answer_that_cannot_be_used_leaves_nothing_in_the_index
    a_late_answer_is_kept_of_chunks_that_say_the_same
    an_index_serves_one_generation_while_the_next_is_filled
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
    fn of(home: NewHome) -> Self {
        let NewHome { workspace, index, place } = home;
        let life = Self { workspace: Indexed::new(workspace, index.clone()), index, _place: place };
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
        embed_once(self.index.as_ref(), embedder, &EmbedConfig::default()).unwrap()
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

fn a_passage_is_found_in_other_words(new: fn() -> NewHome) {
    let life = Life::of(new());
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
    let plain = Life::of(new());
    for question in ["the ferry", "rope", "\"a garden\"", "entry 7"] {
        let found = life.workspace.search(&marta(), question, 10).unwrap();
        assert_eq!(found, plain.workspace.search(&marta(), question, 10).unwrap(), "{question}");
    }
}

// VW-11, HY-04: by the preset, both lists of chunks are fused by reciprocal rank.
#[test]
fn in_the_seeds_mode_chunks_are_fused_by_rank() {
    let ranking = StoreConfig::preset(Preset::IronClaw).ranking;
    let index = SqliteIndex::open_in_memory(marta().scope).unwrap().with_ranking(ranking);
    let folder = tempfile::tempdir().unwrap();
    let workspace = Indexed::new(FileWorkspace::open(folder.path()).unwrap(), index.clone());
    let put = |name: &str, text: &str| {
        workspace.write(&doc(name), text.as_bytes(), WriteMode::Replace).unwrap();
    };
    for number in 0..10 {
        put(&format!("notes/{number}.md"), &format!("Entry {number} about the ferry\n"));
    }
    put("notes/both.md", "We bought rope at the harbour\n");
    put("notes/words.md", "The harbour of Brisk\n");
    embed_once(&index, &model(), &EmbedConfig::default()).unwrap();
    let question = "purchase of cordage at the harbour";
    let numbers = model().embed(&[question], Purpose::Query).unwrap().remove(0);
    let found =
        workspace.search_near(&marta(), question, &QueryVector::new(model().id(), numbers), 20).unwrap();
    let place = |score: fn(&SearchResult) -> Option<f64>, of: f64| {
        let better = found.results.iter().filter(|other| score(other).is_some_and(|other| other > of));
        1.0 + f64::from(u32::try_from(better.count()).unwrap())
    };
    assert_eq!(found.results[0].path.as_str(), "notes/both.md");
    for name in ["notes/both.md", "notes/words.md"] {
        let one = found.results.iter().find(|one| one.path.as_str() == name).unwrap();
        let words = place(|one| one.bm25_score, one.bm25_score.unwrap());
        let meaning = place(|one| one.vector_score, one.vector_score.unwrap());
        let by_hand = 61.0 / 2.0 * (1.0 / (60.0 + words) + 1.0 / (60.0 + meaning));
        assert!((one.score - by_hand).abs() < 1e-12, "{name}: {} and not {by_hand}", one.score);
    }
}

/// VW-15
fn a_chunk_that_changes_or_goes_has_no_vector(new: fn() -> NewHome) {
    let life = Life::of(new());
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

fn a_session_with_others_finds_what_it_may_read_and_no_more(new: fn() -> NewHome) {
    let life = Life::of(new());
    life.put("MEMORY.md", "- Marta bought rope for the secret trip\n");
    let shared = "memory/2026-11-21-shared.crew.md";
    life.put(shared, "[user] The crew has bought rope on Monday\n");
    life.embed(&model());
    let group = Access::shared(Scope::user("marta"));
    let mine = life.near(&marta(), &model(), "purchase of cordage");
    assert!(paths(&mine).contains(&"MEMORY.md"), "{mine:?}");
    let before = life.near(&group, &model(), "purchase of cordage");
    assert_eq!(paths(&before), [shared], "{before:?}");
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
    // Nor does it take the room of what the session may read.
    for day in 1..=28 {
        for month in 1..=6 {
            life.put(
                &format!("memory/2026-{month:02}-{day:02}-repl.md"),
                "[user] I bought rope, bought rope\n",
            );
        }
    }
    life.embed(&model());
    assert_eq!(paths(&life.near(&group, &model(), "purchase cordage")), [shared]);
    let stranger = Access::agent(Scope::user("otto"));
    assert!(life.near(&stranger, &model(), "purchase of cordage").results.is_empty());
}

fn a_search_without_its_vectors_goes_by_words_and_says_so(new: fn() -> NewHome) {
    let life = Life::of(new());
    let by_words = life.workspace.search(&marta(), "the ferry", 10).unwrap();
    let same = |found: &FoundChunks, why: Degraded| {
        assert_eq!(found.outcome, SearchOutcome::Degraded(why));
        assert_eq!(found.results, by_words.results);
    };
    same(&life.near(&marta(), &model(), "the ferry"), Degraded::Missing);
    let config = EmbedConfig::default().texts(10).requests(1);
    embed_once(life.index.as_ref(), &model(), &config).unwrap();
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

fn an_embedder_of_the_workspace_is_asked_by_each_search_and_may_fail(new: fn() -> NewHome) {
    let life = Life::of(new());
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

fn what_leaves_for_an_embedder_is_masked(new: fn() -> NewHome) {
    let life = Life::of(new());
    let text = "The key of the harbour is AKIAIOSFODNN7EXAMPLE for now\n";
    life.workspace.workspace().write(&doc("notes/key.md"), text.as_bytes(), WriteMode::Create).unwrap();
    life.workspace.sync(chrono::Utc::now()).unwrap();
    let script = EmbedScript::new(model());
    life.embed(&script);
    let asked = script.asked().concat().concat();
    assert!(asked.contains("The key of the harbour") && !asked.contains("AKIAIOSFODNN7EXAMPLE"));
}

type Answer = fn(Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, EmbedError>;

// An embedder that fails, or answers with too few, too many, too short ones, or what is no number. (VW-12)
fn an_answer_that_cannot_be_used_leaves_nothing_in_the_index(new: fn() -> NewHome) {
    let life = Life::of(new());
    let spoiled: [Answer; 5] = [
        |_| Err(EmbedError::new("no route")),
        |vectors| Ok(vectors[1..].to_vec()),
        |vectors| Ok(vectors.iter().chain(&vectors[..1]).cloned().collect()),
        |vectors| Ok(vectors.iter().map(|vector| vector[1..].to_vec()).collect()),
        |vectors| Ok(vectors.iter().map(|vector| vec![f32::INFINITY; vector.len()]).collect()),
    ];
    for (at, spoil) in spoiled.into_iter().enumerate() {
        let script = EmbedScript::new(model()).answers(move |_, right| spoil(right?));
        let report = embed_once(life.index.as_ref(), &script, &EmbedConfig::default().requests(1)).unwrap();
        assert_eq!((report.embedded, report.serves), (0, false), "{at}");
        assert_eq!(report.status.pending + report.status.failed, 31, "{at}: all wait for another try");
        assert!(report.error.is_some() || report.failed > 0, "{at}: it is said");
        let found = life.near(&marta(), &model(), "purchase cordage");
        assert_eq!(
            (found.outcome, found.results.len()),
            (SearchOutcome::Degraded(Degraded::Missing), 0),
            "{at}"
        );
    }
    for _ in 0..40 {
        life.embed(&model());
    }
    assert_eq!(paths(&life.near(&marta(), &model(), "purchase cordage"))[0], "notes/rope.md");
}

// One that hangs: documents are written meanwhile, and its late answer is kept where it is still of the words that stand.
fn a_late_answer_is_kept_of_chunks_that_say_the_same(new: fn() -> NewHome) {
    let life = Life::of(new());
    let workspace = life.workspace.clone();
    let script = EmbedScript::new(model()).answers(move |_, right| {
        let write = |name: &str, text: &str| {
            workspace.write(&doc(name), text.as_bytes(), WriteMode::Replace).unwrap();
        };
        write("notes/rope.md", "The old boat was sold in Porto\n");
        write("notes/new.md", "Dark bread was baked on Monday\n");
        workspace.remove(&doc("notes/7.md")).unwrap();
        right
    });
    let report = embed_once(life.index.as_ref(), &script, &EmbedConfig::default().requests(1)).unwrap();
    assert_eq!((report.embedded, report.moved, report.serves), (29, 2, false));
    assert_eq!(life.waiting(), 2);
    life.embed(&model());
    let found = life.near(&marta(), &model(), "purchase cordage");
    assert!(!paths(&found).contains(&"notes/rope.md"), "{found:?}");
    // A batch that a host gives up waits still.
    life.put("notes/late.md", "Some cordage lies in the boat house\n");
    for _ in 0..2 {
        let batch = life.index.embed_batch(model().id(), &BatchFrom::the_start(), BatchSize::default());
        assert_eq!(batch.unwrap().unwrap().texts()[0], "Some cordage lies in the boat house\n");
    }
}

// BX-27: a generation is filled over several passes while the earlier one serves, and the swap is one step.
fn an_index_serves_one_generation_while_the_next_is_filled(new: fn() -> NewHome) {
    let life = Life::of(new());
    let next = model().named("next");
    life.embed(&model());
    let by_first = life.near(&marta(), &model(), "purchase cordage");
    for embedded in [10, 20, 30] {
        let report =
            embed_once(life.index.as_ref(), &next, &EmbedConfig::default().texts(10).requests(1)).unwrap();
        assert_eq!((report.status.embedded, report.serves), (embedded, false));
        assert_eq!(life.near(&marta(), &model(), "purchase cordage"), by_first);
        let found = life.near(&marta(), &next, "purchase cordage");
        assert_eq!(
            (found.outcome, found.results.len()),
            (SearchOutcome::Degraded(Degraded::OtherGeneration), 0)
        );
    }
    // A chunk that comes meanwhile waits for both.
    life.put("notes/more.md", "More cordage for the boat\n");
    assert_eq!(life.waiting(), 1);
    let report = life.embed(&next);
    assert_eq!((report.embedded, report.dropped, report.serves), (2, 31, true));
    assert_eq!(report.status.generations, [next.id().generation()]);
}

/// A model that goes by the name of another.
struct Poses(HashEmbedder, HashEmbedder);

impl Embedder for Poses {
    fn id(&self) -> &noctuary::vectors::EmbedderId {
        self.0.id()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.1.embed(texts, purpose)
    }
}

// Its vectors were filled in beside those of the model before.
fn a_model_under_the_name_of_another_fills_nothing(new: fn() -> NewHome) {
    let life = Life::of(new());
    life.embed(&model());
    life.put("notes/late.md", "Some cordage lies in the boat house\n");
    let other = Poses(model(), model().named("other"));
    let report = embed_once(life.index.as_ref(), &other, &EmbedConfig::default()).unwrap();
    assert!(report.error.unwrap().to_string().contains("another model"));
    assert_eq!((report.embedded, report.failed, life.waiting()), (0, 0, 1));
    assert_eq!(life.embed(&model()).embedded, 1);
}
