//! Shared parts of the tests: people, folders, second processes, a server, and models that answer by rule.
#![allow(clippy::unwrap_used, reason = "a helper of tests panics with what does not hold")]
#![allow(
    missing_docs,
    missing_debug_implementations,
    clippy::missing_errors_doc,
    reason = "read by tests alone, beside which they stand"
)]

pub mod common;
pub mod dreaming;

use std::path::Path;

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
