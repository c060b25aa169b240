//! The file with the rows, which all parts read.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::memory::{NewMemory, Place, Role, Source};

use crate::home::{Kind, Store, agent, at};
use crate::language::Language;

/// The number of rows of one conversation.
const CONVERSATION: u32 = 20;
const QUESTIONS: u32 = 60;

pub(super) struct Rows {
    pub(super) folder: tempfile::TempDir,
    pub(super) count: u32,
    pub(super) language: Language,
    pub(super) questions: Vec<Question>,
}

/// The queries: as a person types them, and as FTS5 takes them.
pub(super) struct Question {
    pub(super) text: String,
    pub(super) expression: String,
}

impl Rows {
    /// Writes the rows into a store of SQLite, and a profile.
    pub(super) fn write(folder: &Path, count: u32) -> Self {
        let language = Language::new();
        let folder = tempfile::tempdir_in(folder).unwrap();
        let questions = questions(&language);
        let rows = Self { folder, count, language, questions };
        let store = rows.fill(Kind::Sqlite, rows.folder.path());
        for number in 0..10 {
            let (key, value) = (format!("fact-{number}"), rows.language.row(count + number));
            store.set_profile(&agent(), &key, &value, at(count)).unwrap();
        }
        drop(store);
        rows
    }

    /// Writes the rows into a store in this folder.
    pub(super) fn fill(&self, kind: Kind, folder: &Path) -> Box<dyn Store> {
        let store = kind.open(folder);
        let numbers: Vec<u32> = (0..self.count).collect();
        for batch in numbers.chunks(1_000) {
            let rows: Vec<NewMemory> = batch.iter().map(|number| memory(&self.language, *number)).collect();
            let written = store.write_all(&agent(), &rows, at(batch[0])).unwrap();
            assert!(written.iter().all(Result::is_ok), "no row is refused");
        }
        store
    }

    pub(super) fn database(&self) -> PathBuf {
        self.folder.path().join("life.db")
    }

    pub(super) fn question(&self, number: u64) -> &Question {
        &self.questions[usize::try_from(number).unwrap() % self.questions.len()]
    }
}

pub(super) fn questions(language: &Language) -> Vec<Question> {
    let question = |number| {
        let words = language.question(number);
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        Question { text: words.join(" and the "), expression: quoted.join(" OR ") }
    };
    (0..QUESTIONS).map(question).collect()
}

/// A row as somebody said it in a conversation.
pub(super) fn memory(language: &Language, number: u32) -> NewMemory {
    let (role, speaker) =
        if number.is_multiple_of(2) { (Role::User, "Marta") } else { (Role::Agent, "Iris") };
    let place = Place {
        session: format!("talk-{:05}", number / CONVERSATION),
        position: u64::from(number % CONVERSATION),
        role,
        speaker: Some(speaker.to_owned()),
        said_at: Some(said_at(number)),
    };
    NewMemory::new("observation", language.row(number), Source::ChatExtracted).at(place)
}

/// Eight hours lie between the beginnings of two conversations.
pub(super) fn said_at(number: u32) -> DateTime<Utc> {
    let (conversation, position) = (number / CONVERSATION, number % CONVERSATION);
    at(position) + TimeDelta::hours(8 * i64::from(conversation))
}
