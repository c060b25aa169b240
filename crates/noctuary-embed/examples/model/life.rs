//! A small life, and questions in other words than its notes.

use std::fmt;
use std::sync::Arc;

use chrono::Utc;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::store::StoreConfig;
use noctuary::vectors::{EmbedConfig, Embedder, Reranker, embed_once};
use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};

const NOTES: [&str; 12] = [
    "Bought thirty metres of rope in Porto",
    "The doctor says the knee needs rest until March",
    "Marta pays 950 euro for the flat each month",
    "The dog is called Pico and is afraid of fireworks",
    "She plays the cello on Thursdays",
    "Her brother Tomas moved to Lisbon in May",
    "The old car failed its inspection again",
    "She is allergic to peanuts",
    "The garden has two lemon trees",
    "The train to Coimbra leaves at 7:40",
    "The printer has no ink left",
    "She wants to learn Dutch before the summer",
];

/// A question, and the note that answers it.
const QUESTIONS: [(&str, &str); 6] = [
    ("purchase cordage", NOTES[0]),
    ("how much is the rent", NOTES[2]),
    ("what scares her pet", NOTES[3]),
    ("musical instrument", NOTES[4]),
    ("foods to avoid", NOTES[7]),
    ("study a foreign language", NOTES[11]),
];

/// The first notes for each question, by words alone and by words and meaning.
#[derive(Debug)]
pub(crate) struct Answers(Vec<Answer>);

#[derive(Debug)]
struct Answer {
    question: &'static str,
    expected: &'static str,
    words: Vec<String>,
    fused: Vec<String>,
}

impl Answers {
    /// Counts the questions that words alone answer in the first three.
    pub(crate) fn words(&self) -> usize {
        self.0.iter().filter(|answer| answer.words.iter().any(|note| note == answer.expected)).count()
    }

    /// Counts the questions that are answered in the first three with the model.
    pub(crate) fn fused(&self) -> usize {
        self.0.iter().filter(|answer| answer.fused.iter().any(|note| note == answer.expected)).count()
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Answer { question, words, fused, .. } in &self.0 {
            writeln!(f, "{question}\n  {:<50} with meaning", "words alone")?;
            for at in 0..words.len().max(fused.len()) {
                let note = |notes: &[String]| notes.get(at).cloned().unwrap_or_else(|| "-".to_owned());
                writeln!(f, "  {:<50} {}", note(words), note(fused))?;
            }
        }
        let all = self.0.len();
        writeln!(
            f,
            "answered in the first three: {} of {all} by words, {} with meaning",
            self.words(),
            self.fused()
        )
    }
}

/// Writes the life into a store in memory, gives its rows vectors, and asks all questions twice.
pub(crate) fn search(
    embedder: &Arc<dyn Embedder>,
    reranker: Option<Arc<dyn Reranker>>,
) -> Result<Answers, Box<dyn std::error::Error>> {
    let mut config = StoreConfig::default();
    config.embedder = Some(Arc::clone(embedder));
    config.reranker = reranker;
    let fused = filled(config)?;
    let report = embed_once(&fused, embedder, &EmbedConfig::default())?;
    if let Some(error) = report.error {
        return Err(error.into());
    }
    let words = filled(StoreConfig::default())?;
    let mut answers = Vec::new();
    for (question, expected) in QUESTIONS {
        let (words, fused) = (first(&words, question)?, first(&fused, question)?);
        answers.push(Answer { question, expected, words, fused });
    }
    Ok(Answers(answers))
}

fn filled(config: StoreConfig) -> noctuary::Result<SqliteMemoryStore> {
    let store = SqliteMemoryStore::open_in_memory_with(marta(), config)?;
    for note in NOTES {
        store.write(
            &Access::agent(marta()),
            &NewMemory::new("note", note, Source::UserExplicit),
            Utc::now(),
        )?;
    }
    Ok(store)
}

fn first(store: &SqliteMemoryStore, question: &str) -> noctuary::Result<Vec<String>> {
    let found = store.search(&Access::agent(marta()), &Query::new(question).limit(3))?;
    Ok(found.hits.into_iter().map(|hit| hit.memory.content).collect())
}

fn marta() -> Scope {
    Scope::user("marta")
}
