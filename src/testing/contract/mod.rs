//! Suites that every implementation of a contract passes. Each suite panics with what does not hold.
//!
//! # Example: a backend proves itself
//!
//! ```
//! use std::sync::Arc;
//! use noctuary::FileWorkspace;
//! use noctuary::testing::contract;
//!
//! let folders = std::cell::RefCell::new(Vec::new());
//! contract::workspace(&|| {
//!     let folder = tempfile::tempdir().unwrap();
//!     let workspace = FileWorkspace::open(folder.path()).unwrap();
//!     folders.borrow_mut().push(folder);
//!     Arc::new(workspace)
//! });
//! ```
#![expect(clippy::missing_panics_doc, reason = "a suite panics with what does not hold, as its module says")]

#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub mod artifacts;
mod dreamer;
pub mod edges;
pub mod fact;
#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub mod files;
mod filter;
pub mod index;
pub mod learning;
pub mod memory;
pub mod method;
pub mod preference;
pub mod role;
pub mod vectors;
mod workspace;

pub use dreamer::{dream, dreamer};
pub use filter::pii_filter;
pub use workspace::{
    Make, appends, documents, leases, lines, listing, looks, places, ranges, renames, revisions, states,
    view, workspace,
};
