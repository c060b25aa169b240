//! The life of one machine: a folder, or a database.

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use noctuary::exchange::{TravelFile, copy_into};
use noctuary::{DocName, SqliteWorkspace, Workspace, WriteMode};

use noctuary_tests::dreaming::Life;
use noctuary_tests::dreaming::marta::{documents, marta, name};

pub(super) struct Home {
    pub(super) life: Life,
    is_database: bool,
}

const DATABASE: &str = "life.db";

impl Home {
    pub(super) fn empty(is_database: bool) -> Self {
        Self { life: Life::empty(), is_database }
    }

    pub(super) fn copy(&self) -> Self {
        Self { life: self.life.copy(), is_database: self.is_database }
    }

    pub(super) fn workspace(&self) -> Arc<dyn Workspace> {
        if self.is_database {
            return Arc::new(SqliteWorkspace::open(self.life.path(DATABASE), marta()).unwrap());
        }
        self.life.quick_workspace()
    }

    /// The same life in a folder.
    pub(super) fn in_folder(&self) -> Self {
        if !self.is_database {
            return self.copy();
        }
        let folder = Self::empty(false);
        copy_into(self.workspace().as_ref(), folder.workspace().as_ref()).unwrap();
        folder
    }

    /// The files of a folder that are of more than one machine.
    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        assert!(!self.is_database);
        let mut tree = self.life.tree();
        tree.retain(|path, _| !stays(path));
        tree
    }

    /// The documents: what a person sees.
    pub(super) fn documents(&self) -> BTreeMap<String, Vec<u8>> {
        documents(self.workspace().as_ref())
    }

    pub(super) fn text(&self, file: &str) -> String {
        let document = self.workspace().read(&name(file)).unwrap();
        document.map(|document| String::from_utf8(document.into_bytes()).unwrap()).unwrap_or_default()
    }

    pub(super) fn write(&self, file: &str, text: &str) {
        self.workspace().write(&name(file), text.as_bytes(), WriteMode::Replace).unwrap();
    }

    /// Adds to a file; its time of change is by the clock of the machine.
    pub(super) fn append(&self, file: &str, text: &str, now: DateTime<Utc>) {
        self.workspace().append(&name(file), text.as_bytes()).unwrap();
        self.touch(file, now);
    }

    pub(super) fn touch(&self, file: &str, now: DateTime<Utc>) {
        if !self.is_database {
            self.life.set_modified(file, u64::try_from(now.timestamp_nanos_opt().unwrap()).unwrap());
        }
    }

    /// The journals in their places and in the archive: as `archived` says.
    pub(super) fn journals(&self, archived: bool) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for (path, bytes) in self.documents() {
            let is_archived = path.starts_with("memory/archive/");
            if path.starts_with("memory/") && path != DREAMED && (!is_archived || archived) {
                all.insert(path, String::from_utf8(bytes).unwrap());
            }
        }
        all
    }

    /// Memory, and what was moved out of it.
    pub(super) fn memory(&self) -> String {
        self.text(DocName::MEMORY.as_str()) + &self.text(DREAMED)
    }
}

/// Where the sections of nights are that memory had no place for.
const DREAMED: &str = "memory/archive/dreamed.md";

/// The files that are of one machine, by the lines for Syncthing.
fn stays(path: &str) -> bool {
    path.ends_with('/')
        || path.ends_with(".tmp")
        || path.ends_with(".gitignore")
        || TravelFile::Syncthing.lines().iter().any(|line| {
            let pattern = line.trim_start_matches("(?d)/");
            path == pattern
                || pattern.strip_suffix('*').is_some_and(|front| path.starts_with(front))
                || path.starts_with(&format!("{pattern}/"))
        })
}
