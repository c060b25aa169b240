//! Imports, moves, and forgetting everywhere.

#![allow(clippy::unwrap_used, reason = "a helper of tests panics with what does not hold")]

mod bundle;
mod bundle_practice;
mod carried;
#[cfg(feature = "sqlite")]
mod databases;
#[path = "../dreaming/mod.rs"]
mod dreaming;
#[cfg(feature = "sqlite")]
mod erase;
mod feed;
mod foreign;
mod forget;
mod forget_receipt;
mod importers;
mod merge;
#[cfg(feature = "postgres")]
#[allow(dead_code, reason = "each test crate uses a part of it")]
#[path = "../common/server.rs"]
mod server;
mod strike;

use std::sync::Arc;

use noctuary::{Workspace, WriteMode};

use dreaming::{Life, name};

/// Does something to each of some items, on as many threads as there are cores.
fn common_each<T: Sync>(items: &[T], act: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    act(item);
                }
            });
        }
    });
}

/// The kinds of home: a folder, a SQLite file, and a server where there is one.
fn kinds() -> std::ops::Range<usize> {
    #[cfg(all(feature = "sqlite", feature = "postgres"))]
    if server::is_there() {
        return 0..3;
    }
    0..if cfg!(feature = "sqlite") { 2 } else { 1 }
}

/// An empty workspace of a kind, in a folder that lives as long as it is used.
fn home(kind: usize) -> (Life, Arc<dyn Workspace>) {
    let folder = Life::empty();
    #[cfg(feature = "sqlite")]
    if kind == 1 {
        let database =
            noctuary::SqliteWorkspace::open(folder.path("life.db"), dreaming::marta::marta()).unwrap();
        return (folder, Arc::new(database));
    }
    #[cfg(feature = "postgres")]
    if kind == 2 {
        let server = server::rows_server_in(&folder.path(""));
        let workspace = server.workspace(dreaming::marta::marta()).unwrap();
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
