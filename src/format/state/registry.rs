//! The state files, one row each: in which order a copy takes them, and whether they hold words of a person.
//!
//! A new state file needs a row here. Copying and forgetting use this table.

use super::proposal::{Proposals, Waiting};
use super::sleep_files::SleepFiles;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name, StateName};
use crate::base::spread::Spread;

/// A row: a state file, or several of one kind.
#[derive(Debug)]
pub(crate) struct StateRow {
    /// Its name, or the names of its kind.
    pub(crate) names: Names,
    /// The treatment by a copy of a workspace.
    pub(crate) copied: Copied,
    /// Words of a person or of a model, as they were written. Else names, numbers and hashes.
    pub(crate) holds_words: bool,
}

/// The names that a row stands for.
#[derive(Debug)]
pub(crate) enum Names {
    /// One file.
    One(StateName),
    /// The preimages of a document, a file each: `.dreaming.d/history/<document>.json`.
    Preimages,
    /// Sections that wait for a person, a file each: `.dreaming.d/proposals/<id>.md`.
    Proposals,
    /// The word index of a memory store in a file, in several files: `.dreaming.d/memories.words/<number>`. A workspace does
    /// not name them.
    MemoryWords,
    /// The artifacts of a scope, a file each: `.dreaming.d/artifacts/<id>.json`. A workspace does not name them.
    Artifacts,
}

/// The treatment of a state file by a copy of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copied {
    /// Before any document, so that the target already keeps out forgotten statements.
    First,
    /// After the documents, where the target has forgotten nothing: earlier versions of documents.
    AsVersion,
    /// After the documents, and refused where it holds a statement that the target has forgotten.
    AsText,
    /// Last.
    Last,
    /// Not at all: a memory store has its own way.
    Never,
}

/// The state files, in the order in which a copy takes them: the intent first of those that come last. A copy that ends
/// in between knows less than it has, and at worst shows text again.
pub(crate) static FILES: [StateRow; 30] = [
    row(Names::One(StateName::FORGOTTEN), Copied::First, false),
    row(Names::Preimages, Copied::AsVersion, true),
    row(Names::One(StateName::UNDONE), Copied::AsVersion, true),
    row(Names::Proposals, Copied::AsText, true),
    row(Names::One(StateName::INTENT), Copied::Last, true),
    row(Names::One(StateName::COPIES_INTENT), Copied::Last, true),
    row(Names::One(StateName::PROPOSALS), Copied::Last, false),
    row(Names::One(StateName::SLEEP_INTENT), Copied::Last, true),
    row(Names::One(StateName::SLEEP), Copied::Last, false),
    row(Names::One(StateName::LOG), Copied::Last, false),
    row(Names::One(StateName::QUARANTINE), Copied::Last, false),
    row(Names::One(StateName::LEDGER), Copied::Last, false),
    row(Names::One(StateName::DREAMED), Copied::Last, false),
    row(Names::One(StateName::FACTS), Copied::Last, false),
    row(Names::One(StateName::PERSONALIZATION), Copied::Last, false),
    row(Names::One(StateName::ROLES), Copied::Last, false),
    row(Names::One(StateName::LIFE), Copied::Last, false),
    row(Names::One(StateName::SOUL), Copied::Last, false),
    row(Names::One(StateName::SOUL_BESIDE), Copied::Last, false),
    row(Names::One(StateName::RECEIPT_KEYS), Copied::Last, false),
    row(Names::One(StateName::RECEIPTS_BEFORE), Copied::Last, false),
    row(Names::One(StateName::RECEIPTS), Copied::Last, false),
    row(Names::One(StateName::CHATS), Copied::Last, false),
    row(Names::One(StateName::FORGOTTEN_COPY), Copied::Never, false),
    row(Names::One(StateName::MEMORIES), Copied::Never, true),
    row(Names::One(StateName::MEMORIES_MARK), Copied::Never, false),
    row(Names::One(StateName::MEMORIES_TABLE), Copied::Never, true),
    row(Names::One(StateName::MEMORIES_VECTORS), Copied::Never, false),
    row(Names::MemoryWords, Copied::Never, true),
    row(Names::Artifacts, Copied::Never, true),
];

const fn row(names: Names, copied: Copied, holds_words: bool) -> StateRow {
    StateRow { names, copied, holds_words }
}

impl StateRow {
    /// Returns the names of the row's files in the workspace that `read` reads. Not each of them exists.
    pub(crate) fn names_in(
        &self,
        read: impl FnOnce(&Name) -> Result<Option<Document>>,
    ) -> Result<Vec<StateName>> {
        Ok(match &self.names {
            Names::One(name) => vec![name.clone()],
            Names::Preimages => {
                let state = read(&StateName::SLEEP)?;
                let sleeper = SleepFiles::of_state(state.as_ref().map(Document::bytes))?;
                let rewritten = sleeper.into_iter().spread(SleepFiles::rewritten);
                let mut names: Vec<DocName> = DocName::EDITABLE.into_iter().chain(rewritten).gather();
                names.push(StateName::REPLACED);
                names.iter().map(StateName::history).gather()
            }
            Names::Proposals => {
                let list = read(&StateName::PROPOSALS)?;
                let list = Proposals::parse(list.as_ref().map(Document::bytes))?;
                list.waiting().iter().map(Waiting::name).gather()
            }
            Names::MemoryWords | Names::Artifacts => Vec::new(),
        })
    }
}

/// Returns the rows that a copy takes in one way, in their order.
pub(crate) fn rows(copied: Copied) -> impl Iterator<Item = &'static StateRow> {
    FILES.iter().filter(move |file| file.copied == copied)
}

/// The folders of files that are named after a document, a dream, a segment or an artifact.
const FOLDERS: [&str; 4] = [
    ".dreaming.d/history/",
    ".dreaming.d/proposals/",
    ".dreaming.d/memories.words/",
    ".dreaming.d/artifacts/",
];

/// Returns the row of a file, by its path in the folder of a life.
pub(crate) fn of_path(path: &str) -> Option<&'static StateRow> {
    let one = |file: &&StateRow| matches!(&file.names, Names::One(name) if name.as_str() == path);
    let of_a_kind = |file: &&StateRow| match file.names {
        Names::One(_) => false,
        Names::Preimages => path.starts_with(FOLDERS[0]),
        Names::Proposals => path.starts_with(FOLDERS[1]),
        Names::MemoryWords => path.starts_with(FOLDERS[2]),
        Names::Artifacts => path.starts_with(FOLDERS[3]),
    };
    FILES.iter().find(one).or_else(|| FILES.iter().find(of_a_kind))
}

/// Returns the rows of files that hold words.
pub(crate) fn with_words() -> impl Iterator<Item = &'static StateRow> {
    FILES.iter().filter(|file| file.holds_words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use chrono::{TimeZone, Utc};

    use super::*;
    use crate::exchange::Forget;
    use crate::memory::{NewMemory, Source};
    use crate::testing::Script;
    use crate::{
        Access, FileMemoryStore, FileWorkspace, JournalDreamer, Life, LifeConfig, MemoryStore, Note, Scope,
        dream_once_at,
    };

    #[test]
    fn every_name_of_a_state_file_has_a_row_and_every_row_a_name() {
        let names = include_str!("../../base/name.rs").split("impl StateName {").nth(1).unwrap();
        let quoted = |from: &str| -> BTreeSet<String> {
            names.split(from).skip(1).map(|rest| rest.split(['"', '{']).next().unwrap().to_owned()).collect()
        };
        let constants = quoted("Self::constant(\"");
        let rows = FILES.iter().filter_map(|file| match &file.names {
            Names::One(name) => Some(name.to_string()),
            _ => None,
        });
        assert_eq!(rows.collect::<BTreeSet<_>>(), constants);
        // That of artifacts is with their store.
        let store = include_str!("../../file/artifacts.rs");
        let artifacts = store.split("const FOLDER: &str = \"").nth(1).unwrap().split('"').next().unwrap();
        let made = quoted("format!(\"").into_iter().filter(|path| path.starts_with('.'));
        let made = made.chain([format!("{artifacts}/")]);
        assert_eq!(made.collect::<BTreeSet<_>>(), FOLDERS.map(str::to_owned).into());
    }

    fn state_files(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                state_files(root, &path, found);
            } else if path.strip_prefix(root).unwrap().to_str().unwrap().starts_with('.') {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    // State files were listed by hand in three places, and a new one could be left out of each.
    #[test]
    fn a_life_writes_no_state_file_without_a_row_and_words_only_where_a_row_says_so() {
        const WORD: &str = "quokkazebra";
        let folder = tempfile::tempdir().unwrap();
        let workspace = Arc::new(FileWorkspace::open(folder.path()).unwrap());
        let life = Life::new(workspace.clone(), LifeConfig::default());
        let at = |day| Utc.with_ymd_and_hms(2026, 11, day, 9, 0, 0).unwrap();
        let scope = Scope::user("marta");
        let (human, agent) = (Access::human(scope.clone()), Access::agent(scope.clone()));
        life.boot(at(20)).unwrap();
        let editor = life.editor(human.clone());
        for text in [WORD, "another"] {
            let seen = editor.load(&DocName::USER).unwrap().unwrap().revision();
            editor.save(&DocName::USER, text, Some(seen), at(20)).unwrap();
        }
        let mut session = life.begin_session(agent.clone(), "repl", "repl", at(20)).unwrap();
        session.note(&Note::decision(format!("The word is {WORD}.")), at(20)).unwrap();
        let dreamer = |mode| {
            let dreamer = JournalDreamer::builder(workspace.clone()).enabled(true);
            dreamer.configure(|config| config.mode = mode).build().unwrap()
        };
        let script = Script::new().says(format!("- The word is {WORD}.")).says(format!("- Say {WORD}."));
        let append = dreamer(crate::dream::DreamMode::Append);
        let report = dream_once_at(&append, &script, &|| at(21)).unwrap();
        let id = report.passes[0].dream_id.clone();
        append.undo_dream(&human, &id, at(21)).unwrap();
        session.note(&Note::decision(format!("The next word is {WORD} too.")), at(21)).unwrap();
        dream_once_at(&dreamer(crate::dream::DreamMode::Propose), &script, &|| at(22)).unwrap();
        Forget::new(&human, "the name of the lighthouse").workspace(workspace.as_ref()).run(at(22)).unwrap();
        let store = FileMemoryStore::open(folder.path(), scope).unwrap();
        store.write(&agent, &NewMemory::new("fact", WORD, Source::AgentRecorded), at(22)).unwrap();

        let mut found = Vec::new();
        state_files(folder.path(), folder.path(), &mut found);
        // Files that the disk itself keeps, and no workspace reads.
        found.retain(|path| {
            !["guard", "write-guard", ".gitignore", ".dreaming.lock"]
                .contains(&path.rsplit('/').next().unwrap())
        });
        assert!(found.len() >= 11, "{found:?}");
        for path in found {
            let row = of_path(&path).unwrap_or_else(|| panic!("{path} has no row"));
            let holds = fs::read_to_string(folder.path().join(&path)).unwrap().contains(WORD);
            assert!(!holds || row.holds_words, "{path} holds words, and its row says that it does not");
        }
    }
}
