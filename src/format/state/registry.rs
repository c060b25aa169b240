//! The state files, one row each: in which order a copy takes them, and whether they hold words of a person.
//!
//! Whoever adds a state file adds its row. Copying and forgetting go by this table.

use super::proposal::{Proposals, Waiting};
use super::sleep_state::SleepFiles;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::{DocName, Name, StateName};

/// A state file, or several of one kind.
#[derive(Debug)]
pub(crate) struct StateFile {
    /// Its name, or the names of its kind.
    pub(crate) names: Names,
    /// How a copy of a workspace takes it.
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
}

/// How a copy of a workspace takes a state file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copied {
    /// Before any document, so that no door of the target is open meanwhile.
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

/// The state files, in the order in which a copy takes them: the intent first of those that come last. A copy that ends in between
/// knows less than it has, and shows again at worst what it did not know to be shown.
pub(crate) static FILES: [StateFile; 19] = [
    row(Names::One(StateName::FORGOTTEN), Copied::First, false),
    row(Names::Preimages, Copied::AsVersion, true),
    row(Names::One(StateName::UNDONE), Copied::AsVersion, true),
    row(Names::Proposals, Copied::AsText, true),
    row(Names::One(StateName::INTENT), Copied::Last, true),
    row(Names::One(StateName::PROPOSALS), Copied::Last, false),
    row(Names::One(StateName::SLEEP_INTENT), Copied::Last, true),
    row(Names::One(StateName::SLEEP), Copied::Last, false),
    row(Names::One(StateName::LOG), Copied::Last, false),
    row(Names::One(StateName::QUARANTINE), Copied::Last, false),
    row(Names::One(StateName::LEDGER), Copied::Last, false),
    row(Names::One(StateName::DREAMED), Copied::Last, false),
    row(Names::One(StateName::FACTS), Copied::Last, false),
    row(Names::One(StateName::PERSONALIZATION), Copied::Last, false),
    row(Names::One(StateName::LIFE), Copied::Last, false),
    row(Names::One(StateName::SOUL), Copied::Last, false),
    row(Names::One(StateName::SOUL_BESIDE), Copied::Last, false),
    row(Names::One(StateName::MEMORIES), Copied::Never, true),
    row(Names::One(StateName::MEMORIES_MARK), Copied::Never, false),
];

const fn row(names: Names, copied: Copied, holds_words: bool) -> StateFile {
    StateFile { names, copied, holds_words }
}

impl StateFile {
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
                let rewritten = sleeper.into_iter().flat_map(SleepFiles::rewritten);
                DocName::EDITABLE.into_iter().chain(rewritten).map(|name| StateName::history(&name)).collect()
            }
            Names::Proposals => {
                let list = read(&StateName::PROPOSALS)?;
                let list = Proposals::parse(list.as_ref().map(Document::bytes))?;
                list.waiting().iter().map(Waiting::name).collect()
            }
        })
    }
}

/// Returns the rows that a copy takes in one way, in their order.
pub(crate) fn rows(copied: Copied) -> impl Iterator<Item = &'static StateFile> {
    FILES.iter().filter(move |file| file.copied == copied)
}

/// Returns the rows of files that hold words.
pub(crate) fn with_words() -> impl Iterator<Item = &'static StateFile> {
    FILES.iter().filter(|file| file.holds_words)
}
