//! Searches, by the rows alone and as nobody configured it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::sync::Arc;

use noctuary::memory::{MemoryId, Query, SearchOutcome};
use noctuary::search::Ranking;
use noctuary::store::StoreConfig;
use noctuary::vectors::{EmbedConfig, EmbedError, Embedder, EmbedderId, Purpose, VectorStore, embed_once};
use noctuary::{FileMemoryStore, MemoryStore, SqliteMemoryStore};

use super::rows::{Question, Rows};
use super::{FILE, SQLITE, hand};
use crate::home::{Kind, agent, scope};
use crate::measure::{Effort, Row, compare};

/// A store that ranks by the rows and nothing else.
pub(super) fn rows_alone() -> StoreConfig {
    let mut config = StoreConfig::default();
    config.ranking = Ranking::rows_alone();
    config
}

pub(super) fn ask(store: &dyn MemoryStore, question: &Question) -> Vec<MemoryId> {
    let found = store.search(&agent(), &Query::new(question.text.as_str()).limit(10)).unwrap();
    found.hits.iter().map(|hit| hit.memory.id).collect()
}

/// Asks all questions in each round, of the store and by hand.
fn searches(effort: Effort, rows: &Rows, labels: [&'static str; 2], store: &dyn MemoryStore) -> Row {
    let connection = hand::connect(&rows.database());
    let mut statement = connection.prepare(hand::SEARCH).unwrap();
    for question in &rows.questions {
        let (ours, by_hand) = (ask(store, question), hand::ask(&mut statement, question));
        assert!(ours.len() >= by_hand.len(), "what is found by hand is found: {}", question.text);
    }
    let bare = |number| drop(black_box(hand::ask(&mut statement, rows.question(number))));
    let ours = |number| drop(black_box(ask(store, rows.question(number))));
    let calls = u32::try_from(rows.questions.len()).unwrap();
    let labels = [labels[0], labels[1], "MATCH … ORDER BY rank LIMIT 10"];
    compare(effort, labels, calls, || {}, Box::new(bare), Box::new(ours))
}

pub(super) fn alone(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open_with(rows.database(), scope(), rows_alone()).unwrap();
    let row = searches(effort, rows, [SQLITE, "search of rows alone"], &store);
    table.push(Row { bound: Some(1.15), ..row });
}

pub(super) fn fused(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open(rows.database(), scope()).unwrap();
    let row = searches(effort, rows, [SQLITE, "search, fused"], &store);
    table.push(Row { bound: Some(4.0), ..row });
}

pub(super) fn file(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let folder = tempfile::tempdir_in(rows.folder.path()).unwrap();
    let store = rows.fill(Kind::File, folder.path());
    let fused = searches(effort, rows, [FILE, "search, fused"], &*store);
    drop(store);
    let store = FileMemoryStore::open_with(folder.path(), scope(), rows_alone()).unwrap();
    let beside = SqliteMemoryStore::open_with(rows.database(), scope(), rows_alone()).unwrap();
    for question in &rows.questions {
        assert_eq!(ask(&store, question), ask(&beside, question), "of both stores: {}", question.text);
    }
    let alone = searches(effort, rows, [FILE, "search of rows alone"], &store);
    table.push(Row { bound: Some(0.2), ..alone });
    table.push(fused);
}

/// The numbers of a vector, as small models have them.
const DIMENSIONS: usize = 384;
/// More texts at once than any server takes: the embedder here is a hash.
const AT_ONCE: usize = 4_096;

/// An embedder without a model: texts are near that share words.
struct Words(EmbedderId);

impl Embedder for Words {
    fn id(&self) -> &EmbedderId {
        &self.0
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0; DIMENSIONS];
            for word in text.split_whitespace() {
                let mut hasher = DefaultHasher::new();
                word.hash(&mut hasher);
                let hash = hasher.finish().to_le_bytes();
                for part in hash.chunks(2) {
                    let number = usize::from(u16::from_le_bytes([part[0], part[1]]));
                    vector[(number >> 1) % DIMENSIONS] += if number & 1 == 0 { 1.0 } else { -1.0 };
                }
            }
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// Words and meaning, beside words alone in the same store.
pub(super) fn meaning(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let embedder = Arc::new(Words(EmbedderId::new("words", DIMENSIONS)));
    let mut config = StoreConfig::default();
    config.embedder = Some(embedder.clone());
    let fill = |store: &dyn VectorStore| {
        let mut bounds = EmbedConfig::default().texts(AT_ONCE);
        bounds.batch.bytes = usize::MAX;
        let report = embed_once(store, &*embedder, &bounds).unwrap();
        assert!(report.serves, "each row has a vector");
    };

    let store = SqliteMemoryStore::open_with(rows.database(), scope(), config.clone()).unwrap();
    fill(&store);
    let words = SqliteMemoryStore::open(rows.database(), scope()).unwrap();
    table.push(beside_words(effort, rows, SQLITE, &store, &words));
    drop((store, words));

    let folder = tempfile::tempdir_in(rows.folder.path()).unwrap();
    drop(rows.fill(Kind::File, folder.path()));
    let store = FileMemoryStore::open_with(folder.path(), scope(), config).unwrap();
    fill(&store);
    let words = FileMemoryStore::open(folder.path(), scope()).unwrap();
    table.push(beside_words(effort, rows, FILE, &store, &words));
}

fn beside_words(
    effort: Effort,
    rows: &Rows,
    kind: &'static str,
    store: &dyn MemoryStore,
    words: &dyn MemoryStore,
) -> Row {
    for question in &rows.questions {
        let found = store.search(&agent(), &Query::new(question.text.as_str()).limit(10)).unwrap();
        assert!(
            !matches!(found.outcome, SearchOutcome::Degraded(_)),
            "vectors are asked: {:?}",
            found.outcome
        );
    }
    let bare = |number| drop(black_box(ask(words, rows.question(number))));
    let ours = |number| drop(black_box(ask(store, rows.question(number))));
    let calls = u32::try_from(rows.questions.len()).unwrap();
    compare(
        effort,
        [kind, "search, words and vectors", "words alone"],
        calls,
        || {},
        Box::new(bare),
        Box::new(ours),
    )
}
