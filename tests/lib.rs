//! Shared parts of the tests: people, folders, second processes, a server, and models that answer by rule.
#![allow(clippy::unwrap_used, reason = "a helper of tests panics with what does not hold")]
#![allow(
    missing_docs,
    missing_debug_implementations,
    clippy::missing_errors_doc,
    clippy::new_without_default,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "read by tests alone, beside which they stand"
)]

pub mod common;
pub mod dreaming;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the folders of sources: that of the library, then those of the packages beside it.
pub fn sources() -> Vec<PathBuf> {
    let packages = fs::read_dir(root().join("crates")).unwrap();
    let mut sources: Vec<PathBuf> = packages.map(|entry| entry.unwrap().path().join("src")).collect();
    sources.retain(|source| source.is_dir());
    sources.sort();
    sources.insert(0, root().join("src"));
    sources
}

/// Returns every file in some folders and below, in order, without those of builds.
pub fn files_below(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if !path.is_dir() {
                files.push(path);
            } else if !path.ends_with("target") {
                folders.push(path);
            }
        }
    }
    files.sort();
    files
}
