//! Imports, moves, and forgetting everywhere.

#![allow(clippy::unwrap_used, reason = "a helper of tests panics with what does not hold")]

mod bundle;
mod bundle_practice;
mod carried;
mod chats;
mod chats_random;
mod databases;
mod erase;
mod feed;
mod foreign;
mod forget;
mod forget_receipt;
mod histories;
mod importers;
mod lost;
mod person;
mod spellings;
mod strike;

use std::sync::Arc;

use noctuary::{Workspace, WriteMode};

use noctuary_tests::dreaming::{Life, name};

/// The kinds of home: a folder, a SQLite file, and a server where there is one.
fn kinds() -> std::ops::Range<usize> {
    if noctuary_tests::common::server::is_there() {
        return 0..3;
    }
    0..2
}

/// An empty workspace of a kind, in a folder that lives as long as it is used.
fn home(kind: usize) -> (Life, Arc<dyn Workspace>) {
    let folder = Life::empty();
    if kind == 1 {
        let database =
            noctuary::SqliteWorkspace::open(folder.path("life.db"), noctuary_tests::dreaming::marta::marta())
                .unwrap();
        return (folder, Arc::new(database));
    }
    if kind == 2 {
        let server = noctuary_tests::common::server::rows_server_in(&folder.path(""));
        let workspace = server.workspace(noctuary_tests::dreaming::marta::marta()).unwrap();
        return (folder, Arc::new(workspace));
    }
    assert_eq!(kind, 0);
    let workspace = folder.quick_workspace();
    (folder, workspace)
}

fn homes() -> impl Iterator<Item = (Life, Arc<dyn Workspace>)> {
    kinds().map(home)
}

fn put(workspace: &dyn Workspace, file: &str, text: &str) {
    workspace.write(&name(file), text.as_bytes(), WriteMode::Replace).unwrap();
}

fn text(workspace: &dyn Workspace, file: &str) -> String {
    String::from_utf8(workspace.read(&name(file)).unwrap().unwrap().into_bytes()).unwrap()
}
