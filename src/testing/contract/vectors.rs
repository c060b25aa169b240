//! Suites of every memory store that keeps vectors beside its rows. Each suite panics with what does not hold.
//!
//! A store is made new and empty, for the scope of [`scope`], with the default configuration.
//!
//! # Example: a backend proves itself
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use noctuary::SqliteMemoryStore;
//! use noctuary::testing::contract::vectors;
//!
//! vectors::vectors(&|| Arc::new(SqliteMemoryStore::open_in_memory(vectors::scope()).unwrap()));
//! # }
//! ```

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use super::memory::{self, agent, human};
use crate::base::access::{Access, Scope};
use crate::base::receipt::ForgetPlace;
use crate::embed::store::{BatchFrom, BatchSize, EmbeddingStatus, VectorStore};
use crate::embed::{EmbedError, Embedder, Purpose};
use crate::facts::{Decision, FactKey, FactStore};
use crate::memory::{
    Degraded, Found, MemoryId, MemoryStore, NewMemory, Query, SearchOutcome, Signal, Source,
};
use crate::testing::{EmbedScript, HashEmbedder};
use crate::vectors::{EmbedConfig, EmbedReport, embed_once};

/// A store that keeps vectors and facts beside its rows.
pub trait Vectors: MemoryStore + VectorStore + FactStore {
    /// Returns it as a store of vectors.
    fn as_store(&self) -> &dyn VectorStore;
}

impl<S: MemoryStore + VectorStore + FactStore> Vectors for S {
    fn as_store(&self) -> &dyn VectorStore {
        self
    }
}

/// Makes a new, empty store of [`scope`].
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn Vectors>;

const WORKS: &str = "a verb that nothing stands against";

/// Returns the scope of the store.
#[must_use]
pub fn scope() -> Scope {
    memory::scope()
}

/// Runs every suite.
pub fn vectors(make: Make<'_>) {
    finds(make().as_ref());
    states(make().as_ref());
    answers(make().as_ref());
    meanwhile(&make());
    generations(make().as_ref());
    outcomes(make().as_ref());
    rights(make().as_ref());
    gone(make().as_ref());
    words(make().as_ref(), make().as_ref());
    certain(make().as_ref());
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).single().expect("a time") + TimeDelta::minutes(minute)
}

/// An embedder for which some words mean the same.
fn model() -> HashEmbedder {
    HashEmbedder::new(256)
        .alike(&["rope", "cordage", "seil"])
        .alike(&["bought", "purchase", "gekauft"])
        .alike(&["dog", "hound", "canine"])
}

fn write(store: &dyn Vectors, text: &str) -> MemoryId {
    let row = NewMemory::new("note", text, Source::AgentRecorded);
    store.write(&agent(), &row, at(0)).expect(WORKS)
}

fn shared(store: &dyn Vectors, text: &str) -> MemoryId {
    let row = NewMemory::new("note", text, Source::AgentRecorded).shared();
    store.write(&agent(), &row, at(0)).expect(WORKS)
}

/// Rows that have nothing to do with what is looked for.
fn others(store: &dyn Vectors, count: usize) {
    const WHAT: [&str; 5] = ["ferry", "garden", "budget", "piano", "window"];
    for number in 0..count {
        let (one, other) = (WHAT[number % 5], WHAT[number / 5 % 5]);
        write(store, &format!("Entry {number} about the {one} and another {other}"));
    }
}

fn embed(store: &dyn Vectors, embedder: &dyn Embedder) -> EmbedReport {
    embed_once(store.as_store(), embedder, &EmbedConfig::default()).expect(WORKS)
}

fn status(store: &dyn Vectors, embedder: &dyn Embedder) -> EmbeddingStatus {
    store.embedding_status(embedder.id()).expect(WORKS)
}

/// Rows that wait, that have a vector, that failed, and that need none.
fn states_of(store: &dyn Vectors, embedder: &dyn Embedder) -> [u64; 4] {
    let EmbeddingStatus { pending, embedded, failed, skipped, .. } = status(store, embedder);
    [pending, embedded, failed, skipped]
}

fn asked(embedder: &dyn Embedder, text: &str) -> Query {
    let vector = embedder.embed(&[text], Purpose::Query).expect(WORKS).remove(0);
    Query::new(text).vector(embedder.id(), vector)
}

fn search(store: &dyn Vectors, access: &Access, embedder: &dyn Embedder, text: &str) -> Found {
    store.search(access, &asked(embedder, text)).expect(WORKS)
}

fn ids(found: &Found) -> Vec<MemoryId> {
    found.hits.iter().map(|hit| hit.memory.id).collect()
}

fn lacks(found: &Found) -> Option<Degraded> {
    match found.outcome {
        SearchOutcome::Degraded(why) => Some(why),
        _ => None,
    }
}

/// A question finds the row that answers it in other words, and says by which signal.
pub fn finds(store: &dyn Vectors) {
    others(store, 40);
    let rope = write(store, "Bought rope at the harbour shop");
    let embedder = model();
    let question = "purchase cordage";
    assert_eq!(store.search(&agent(), &Query::new(question)).expect(WORKS).hits, [], "words alone");
    let report = embed(store, &embedder);
    assert_eq!((report.embedded, report.failed, report.serves), (41, 0, true));
    let found = search(store, &agent(), &embedder, question);
    assert_eq!(ids(&found)[0], rope);
    assert!(found.hits[0].why.contains(&(Signal::Meaning, 1)), "{:?}", found.hits[0].why);
    assert!(found.shares.is_some() && lacks(&found).is_none());
    assert_eq!(embed(store, &embedder).requests, 0, "nothing waits any more");
    // Words and meaning together.
    let found = search(store, &agent(), &embedder, "cordage from the harbour");
    assert_eq!(ids(&found)[0], rope);
    let signals: Vec<Signal> = found.hits[0].why.iter().map(|(signal, _)| *signal).collect();
    assert!(signals.contains(&Signal::Row) && signals.contains(&Signal::Meaning), "{signals:?}");
    assert!(ids(&store.search(&agent(), &asked(&embedder, question).limit(3)).expect(WORKS)).len() <= 3);
}

/// A row waits, has a vector, or needs none; a change makes it wait again. (HY-02, HY-07)
pub fn states(store: &dyn Vectors) {
    let embedder = model();
    let row = write(store, "Bought rope at the harbour");
    write(store, "ok");
    let other = write(store, "Walks the dog every morning");
    assert_eq!(states_of(store, &embedder), [3, 0, 0, 0]);
    let batch = store.embed_batch(embedder.id(), &BatchFrom::the_start(), BatchSize::default());
    let batch = batch.expect(WORKS).expect("rows wait");
    assert_eq!(batch.texts(), ["Bought rope at the harbour", "Walks the dog every morning"]);
    assert_eq!(states_of(store, &embedder), [2, 0, 0, 1], "what is too short needs none");
    assert!(!store.serve_vectors(embedder.id()).expect(WORKS), "rows wait");
    embed(store, &embedder);
    assert_eq!(states_of(store, &embedder), [0, 2, 0, 1]);
    assert!(store.update(&agent(), row, "Sold the old boat in Porto", at(1)).expect(WORKS));
    assert_eq!(states_of(store, &embedder), [1, 1, 0, 1]);
    assert!(store.delete(&agent(), other, at(2)).expect(WORKS));
    assert_eq!(states_of(store, &embedder), [1, 0, 0, 1]);
    embed(store, &embedder);
    assert!(store.restore(&agent(), other, at(3)).expect(WORKS));
    assert_eq!(states_of(store, &embedder), [1, 1, 0, 1], "what comes back waits");
    store.pin(&agent(), row, true, at(4)).expect(WORKS);
    let report = embed(store, &embedder);
    assert_eq!((report.embedded, states_of(store, &embedder)), (1, [0, 2, 0, 1]));
    assert!(report.serves);
}

type Spoil = fn(Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, EmbedError>;

/// An answer that cannot be used leaves nothing, mixes nothing and costs no row its turn.
pub fn answers(store: &dyn Vectors) {
    others(store, 10);
    let spoiled: [(Spoil, bool); 5] = [
        (|_| Err(EmbedError::new("no route")), true),
        (|_| Err(EmbedError::new("no such model").permanent()), false),
        (
            |mut vectors| {
                vectors.pop();
                Ok(vectors)
            },
            false,
        ),
        (
            |mut vectors| {
                vectors.push(vec![1.0; 256]);
                Ok(vectors)
            },
            false,
        ),
        (|vectors| Ok(vectors.into_iter().map(|vector| vector[1..].to_vec()).collect()), false),
    ];
    for (spoil, is_retryable) in spoiled {
        let script = EmbedScript::new(model()).answers(move |_, right| spoil(right?));
        let config = EmbedConfig::default().failures(1);
        let report = embed_once(store.as_store(), &script, &config).expect(WORKS);
        assert_eq!(report.error.expect("it is said").is_retryable(), is_retryable);
        assert_eq!((report.embedded, report.serves), (0, false));
        assert_eq!(report.status.embedded, 0);
        let waiting = report.status.pending + report.status.failed;
        assert_eq!(waiting, 10, "all wait for another try");
    }
    // One number that is none spoils its own row.
    let script = EmbedScript::new(model()).answers(|_, right| {
        let mut vectors = right?;
        vectors[0][3] = f32::NAN;
        Ok(vectors)
    });
    while states_of(store, &model())[1] < 9 {
        assert!(embed(store, &script).embedded > 0, "{:?}", states_of(store, &model()));
    }
    for _ in 0..9 {
        embed(store, &model());
    }
    assert_eq!(states_of(store, &model()), [0, 10, 0, 0]);
    // Nothing but zeros is no answer: the server may be unwell. Beside another vector, they mean that the text has no direction.
    write(store, "a text for a server that is unwell");
    let zeros = EmbedScript::new(model()).answers(|texts, _| Ok(vec![vec![0.0; 256]; texts.len()]));
    let report = embed_once(store.as_store(), &zeros, &EmbedConfig::default()).expect(WORKS);
    assert!(report.error.expect("it is said").is_retryable());
    assert_eq!(states_of(store, &model()), [0, 10, 1, 0]);
    embed(store, &model());
    assert_eq!(states_of(store, &model()), [0, 11, 0, 0]);
    write(store, "a text without direction");
    write(store, "a text that has a direction");
    let zeros = EmbedScript::new(model()).answers(|_, right| {
        let mut vectors = right?;
        vectors[0] = vec![0.0; 256];
        Ok(vectors)
    });
    embed(store, &zeros);
    assert_eq!(states_of(store, &model()), [0, 12, 0, 1]);
    // A text that an embedder never takes holds up no other.
    let poison = write(store, "a poison for this embedder");
    others(store, 9);
    let swallow = |texts: &[&str], right: Result<Vec<Vec<f32>>, EmbedError>| {
        if texts.iter().any(|text| text.contains("poison")) {
            Err(EmbedError::new("overflow"))
        } else {
            right
        }
    };
    for _ in 0..20 {
        let script = (0..40).fold(EmbedScript::new(model()), |script, _| script.answers(swallow));
        let config = EmbedConfig::default().texts(8).failures(100);
        embed_once(store.as_store(), &script, &config).expect(WORKS);
    }
    assert_eq!(states_of(store, &model()), [0, 21, 1, 1]);
    assert!(
        ids(&search(store, &agent(), &model(), "a poison for this embedder")).contains(&poison),
        "by words"
    );
}

/// A write while an embedder works need not wait, and no vector is of removed words.
pub fn meanwhile(store: &Arc<dyn Vectors>) {
    let changed = write(store.as_ref(), "Bought rope at the harbour");
    let deleted = write(store.as_ref(), "Walks the dog every morning");
    let stays = write(store.as_ref(), "The piano is out of tune");
    let busy = Arc::clone(store);
    let script = EmbedScript::new(model()).answers(move |_, right| {
        busy.update(&agent(), changed, "Sold the boat in Porto", at(1)).expect("no lock is held");
        busy.delete(&agent(), deleted, at(1)).expect("no lock is held");
        write(busy.as_ref(), "Learns to bake dark bread");
        right
    });
    let config = EmbedConfig::default().requests(1);
    let report = embed_once(store.as_store(), &script, &config).expect(WORKS);
    assert_eq!((report.embedded, report.moved, report.serves), (1, 2, false));
    assert_eq!(states_of(store.as_ref(), &model()), [2, 1, 0, 0]);
    assert_eq!(embed(store.as_ref(), &model()).embedded, 2);
    let found = search(store.as_ref(), &agent(), &model(), "purchase of cordage");
    assert!(found.hits.iter().all(|hit| hit.memory.id != deleted), "{found:?}");
    assert!(ids(&search(store.as_ref(), &agent(), &model(), "an untuned piano")).contains(&stays));
    // A host that gives a batch up loses nothing.
    write(store.as_ref(), "Paints the kitchen in green");
    for _ in 0..2 {
        let batch = store.embed_batch(model().id(), &BatchFrom::the_start(), BatchSize::default());
        let batch = batch.expect(WORKS).expect("it waits still");
        assert_eq!(batch.texts()[0], "Paints the kitchen in green");
        assert_eq!(batch.texts().len(), 2, "and one whose vector is kept, to compare");
    }
}

/// A new model is filled beside the one that serves, takes its place in one step, and is never mixed with it. (BX-27)
pub fn generations(store: &dyn Vectors) {
    others(store, 30);
    let rope = write(store, "Bought rope at the harbour");
    let (old, new) = (model(), model().named("hash-2"));
    assert_ne!(old.id().generation(), new.id().generation());
    embed(store, &old);
    let by_old = search(store, &agent(), &old, "purchase cordage");
    let config = EmbedConfig::default().texts(8).requests(1);
    for round in 0..3 {
        let report = embed_once(store.as_store(), &new, &config).expect(WORKS);
        assert_eq!((report.embedded, report.serves), (8, false), "round {round}");
        assert_eq!(report.status.serving, Some(old.id().generation()));
        assert_eq!(search(store, &agent(), &old, "purchase cordage"), by_old, "the old one serves");
        let found = search(store, &agent(), &new, "purchase cordage");
        assert_eq!(lacks(&found), Some(Degraded::OtherGeneration));
        assert!(found.hits.is_empty(), "no vector of another model is looked at");
    }
    let report = embed(store, &new);
    assert_eq!((report.embedded, report.serves, report.dropped), (7, true, 31));
    assert_eq!(report.status.generations, [new.id().generation()]);
    assert_eq!(ids(&search(store, &agent(), &new, "purchase cordage"))[0], rope);
    assert_eq!(lacks(&search(store, &agent(), &old, "purchase cordage")), Some(Degraded::OtherGeneration));
    // Rows of before and after the swap are found.
    let dog = write(store, "The dog sleeps in the hall");
    embed(store, &new);
    assert_eq!(ids(&search(store, &agent(), &new, "canine"))[0], dog);
}

/// A search without its vectors is one by words, and says why.
pub fn outcomes(store: &dyn Vectors) {
    let embedder = model();
    others(store, 30);
    let by_words = |question: &str| store.search(&agent(), &Query::new(question)).expect(WORKS);
    let same = |found: &Found, question: &str, why: Degraded| {
        assert_eq!(lacks(found), Some(why));
        assert_eq!(found.hits, by_words(question).hits, "{why}");
    };
    same(&search(store, &agent(), &embedder, "the ferry"), "the ferry", Degraded::Missing);
    let config = EmbedConfig::default().texts(10).requests(1);
    embed_once(store.as_store(), &embedder, &config).expect(WORKS);
    let half = Degraded::HalfFilled { embedded: 10, of: 30 };
    same(&search(store, &agent(), &embedder, "the ferry"), "the ferry", half);
    embed(store, &embedder);
    assert_eq!(lacks(&search(store, &agent(), &embedder, "the ferry")), None);
    for row in ["one more row here", "two more rows here", "three more rows here"] {
        write(store, row);
    }
    assert_eq!(lacks(&search(store, &agent(), &embedder, "the ferry")), None, "few wait");
    write(store, "four more rows here");
    let half = Degraded::HalfFilled { embedded: 30, of: 34 };
    same(&search(store, &agent(), &embedder, "the ferry"), "the ferry", half);
    embed(store, &embedder);
    for bad in [vec![1.0; 255], vec![f32::NAN; 256], vec![0.0; 256], Vec::new()] {
        let query = Query::new("the ferry").vector(embedder.id(), bad);
        same(&store.search(&agent(), &query).expect(WORKS), "the ferry", Degraded::Failed);
    }
    let other = HashEmbedder::new(64);
    same(&search(store, &agent(), &other, "the ferry"), "the ferry", Degraded::OtherGeneration);
    // Operators and lists by time say exactly what is wanted.
    for question in ["\"the ferry\"", "ferry AND garden", "piano NOT window"] {
        assert_eq!(search(store, &agent(), &embedder, question), by_words(question), "{question}");
    }
}

/// A session with others present is shown shared rows only, and nothing of what it is shown rests on another row.
pub fn rights(store: &dyn Vectors) {
    let embedder = model();
    let private = write(store, "Bought rope for the secret trip");
    for number in 0..30 {
        shared(store, &format!("Shared entry {number} about the ferry"));
    }
    let ours = shared(store, "Purchase of a new cordage rack");
    embed(store, &embedder);
    let group = Access::shared(scope());
    let before = search(store, &group, &embedder, "seil gekauft");
    assert_eq!(ids(&before)[0], ours);
    assert!(!ids(&before).contains(&private));
    assert!(ids(&search(store, &agent(), &embedder, "seil gekauft")).contains(&private));
    for number in 0..20 {
        write(store, &format!("Private entry {number} of rope and cordage that was bought"));
    }
    assert_eq!(search(store, &group, &embedder, "seil gekauft"), before, "private rows wait");
    embed(store, &embedder);
    assert_eq!(search(store, &group, &embedder, "seil gekauft"), before, "private rows have vectors");
    let stranger = Access::agent(Scope::user("otto"));
    assert!(search(store, &stranger, &embedder, "seil gekauft").hits.is_empty());
}

/// No vector leads to a row that is deleted, retired, forgotten or purged. (BX-06, MS-11)
pub fn gone(store: &dyn Vectors) {
    let embedder = model();
    others(store, 30);
    let deleted = write(store, "Bought rope on Monday morning");
    let forgotten = write(store, "Bought rope from the smuggler Jan");
    let key = || FactKey::one("marta", "supplier");
    let fact = |text: &str| NewMemory::new("fact", text, Source::ChatExtracted).about(key());
    let retired = store.record(&agent(), &fact("Bought rope at Lisbon supplier"), at(0)).expect(WORKS).id;
    embed(store, &embedder);
    let question = "gekauft seil";
    let found = ids(&search(store, &agent(), &embedder, question));
    assert!([deleted, forgotten, retired].iter().all(|id| found.contains(id)), "{found:?}");
    store.delete(&agent(), deleted, at(1)).expect(WORKS);
    let receipts = store.forget(&human(), "the smuggler Jan", at(1)).expect(WORKS);
    let vectors = receipts.iter().find(|line| line.place == ForgetPlace::Vectors).expect("a line for them");
    assert_eq!((vectors.found, vectors.removed), (1, 1));
    let newer = store.record(&agent(), &fact("Takes twine at Porto supplier"), at(2)).expect(WORKS).id;
    store.decide(&human(), &Decision::supersede(retired, newer), at(3)).expect(WORKS);
    for _ in 0..2 {
        let found = ids(&search(store, &agent(), &embedder, question));
        assert!([deleted, forgotten, retired].iter().all(|id| !found.contains(id)), "{found:?}");
        embed(store, &embedder);
    }
    assert_eq!(status(store, &embedder).embedded, 31, "thirty others, and the newer fact");
    assert_eq!(store.purge(at(60), at(61)).expect(WORKS), 1);
    assert_eq!(status(store, &embedder).embedded, 31);
}

/// A search that asks for no meaning is the same, byte for byte, with vectors and without. (HY-08, HY-12)
pub fn words(store: &dyn Vectors, plain: &dyn Vectors) {
    for store in [store, plain] {
        others(store, 60);
        write(store, "Bought rope at the harbour");
    }
    embed(store, &model());
    for question in ["the ferry and the garden", "rope", "entry 7", "\"another piano\"", "cordage", "", "?"] {
        let query = Query::new(question);
        let (with, without) = (store.search(&agent(), &query), plain.search(&agent(), &query));
        assert_eq!(with.expect(WORKS), without.expect(WORKS), "{question}");
    }
    let rows = |store: &dyn Vectors| store.snapshot(&agent(), 50, at(1)).expect(WORKS);
    assert_eq!(rows(store), rows(plain));
}

/// A row that words settle keeps its place, whatever vectors say.
pub fn certain(store: &dyn Vectors) {
    let embedder = model();
    for number in 0..40 {
        write(store, &format!("Bought rope cordage number {number} of the ticket"));
    }
    let exact = write(store, "The ticket ERR4711 was closed");
    for number in 0..5 {
        write(store, &format!("A purchase of rope, dog and hound for ticket {number}"));
    }
    embed(store, &embedder);
    let question = "ticket ERR4711";
    assert_eq!(ids(&store.search(&agent(), &Query::new(question)).expect(WORKS))[0], exact);
    // A vector that means something else entirely.
    let vector = embedder.embed(&["rope cordage dog hound purchase"], Purpose::Query).expect(WORKS).remove(0);
    let query = Query::new(question).vector(embedder.id(), vector);
    let found = store.search(&agent(), &query).expect(WORKS);
    assert_eq!(ids(&found)[0], exact, "{found:?}");
    assert!(found.shares.is_some());
}
