//! One suite on every home: a folder, a SQLite file, and guarded views of both.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::cell::RefCell;
use std::sync::Arc;

use noctuary::testing::contract;
use noctuary::{Access, Actor, FileWorkspace, Guarded, Scope, SessionKind, Workspace};
use tempfile::TempDir;

/// Folders that live as long as the test.
#[derive(Default)]
struct Folders(RefCell<Vec<TempDir>>);

impl Folders {
    fn new_path(&self) -> std::path::PathBuf {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        self.0.borrow_mut().push(folder);
        path
    }

    fn files(&self) -> FileWorkspace {
        FileWorkspace::open(self.new_path()).unwrap()
    }

    #[cfg(feature = "sqlite")]
    fn sqlite(&self) -> noctuary::SqliteWorkspace {
        noctuary::SqliteWorkspace::open(self.new_path().join("life.db"), Scope::user("marta")).unwrap()
    }
}

fn in_private() -> Access {
    Access::new(SessionKind::Main, Actor::Human, Scope::user("marta"))
}

/// Hides what a workspace is, so that the forwarding implementations are what is tested.
fn boxed(workspace: impl Workspace + 'static) -> Box<dyn Workspace> {
    Box::new(workspace)
}

#[test]
fn a_folder_keeps_the_contract() {
    let folders = Folders::default();
    contract::workspace(&|| Arc::new(folders.files()));
    contract::workspace(&|| Arc::new(boxed(folders.files())));
}

#[cfg(feature = "sqlite")]
#[test]
fn a_sqlite_file_keeps_the_contract() {
    let folders = Folders::default();
    contract::workspace(&|| Arc::new(folders.sqlite()));
    contract::workspace(&|| Arc::new(boxed(folders.sqlite())));
}

#[test]
fn a_guarded_folder_keeps_the_contract_of_documents() {
    let folders = Folders::default();
    contract::view(&|| Arc::new(Guarded::new(folders.files(), in_private())));
    contract::view(&|| Arc::new(boxed(Guarded::new(boxed(folders.files()), in_private()))));
}

#[cfg(feature = "sqlite")]
#[test]
fn a_guarded_sqlite_file_keeps_the_contract_of_documents() {
    let folders = Folders::default();
    contract::view(&|| Arc::new(Guarded::new(folders.sqlite(), in_private())));
    contract::view(&|| Arc::new(boxed(Guarded::new(boxed(folders.sqlite()), in_private()))));
}
