//! The engine of both memory stores, over the backend of each; hosts see its settings.
//!
//! ```
//! use noctuary::memory::Source;
//! use noctuary::store::StoreConfig;
//! use noctuary::{FileMemoryStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! let mut config = StoreConfig::from_env(|name| std::env::var(name).ok())?; // or StoreConfig::default()
//! config.retention_days = 7; // for so long a deleted row can be restored
//! config.refused.insert(Source::ChatExtracted); // rows of this source are refused
//! config.facts.consolidation = true; // a model may judge facts
//! let store = FileMemoryStore::open_with(folder.path(), Scope::user("marta"), config)?;
//! # let _ = store;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`StoreConfig`] has all settings. They are doors, observer, sizes, retention, refused sources, waiting time, facts, ranking
//! and entities, embedder, reranker, and the finder of edges. The contract and its rows are in [`memory`](crate::memory).
//! `ArtifactConfig` is the same for stores of artifacts.
//!
//! # Limits
//!
//! - A row has at most [`StoreConfig::max_row_bytes`], 16 KiB by default.
//! - A change waits for another process for up to [`StoreConfig::patience`], then it is [`Error::Busy`](crate::Error::Busy).

mod admit;
mod applies;
#[cfg(feature = "artifacts")]
pub(crate) mod artifacts;
mod as_of;
pub(crate) mod backend;
mod before;
#[cfg(feature = "exchange")]
pub(crate) mod carry;
#[cfg(feature = "exchange")]
pub(crate) mod carry_practice;
mod config;
mod decide;
pub(crate) mod echo;
pub(crate) mod edges;
mod edit;
pub(crate) mod event;
pub(crate) mod fact;
mod follow;
pub(crate) mod forget;
pub(crate) mod forward;
mod history;
pub(crate) mod known;
mod mask;
#[cfg(feature = "doctor")]
mod mend;
mod methods;
mod names;
mod operation;
pub(crate) mod parts;
#[cfg_attr(
    not(feature = "exchange"),
    expect(dead_code, reason = "a bundle alone lists the outcomes that were counted")
)]
pub(crate) mod practice;
mod preferences;
mod replace;
mod rerank;
mod roles;
mod search;
pub(crate) mod searchable;
mod settle;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) mod stamp;
#[expect(clippy::module_inception, reason = "the store is what this room is about")]
mod store;
pub(crate) mod suspects;
#[cfg(any(feature = "doctor", feature = "exchange"))]
mod tell;
#[cfg_attr(
    not(any(feature = "sqlite", feature = "postgres")),
    expect(unused_imports, reason = "an index of documents uses them, which is in a database")
)]
pub(crate) mod vectors;
mod visibility;
pub(crate) mod words;

#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub use artifacts::ArtifactConfig;
pub use config::StoreConfig;
pub(crate) use config::check_scope;
pub(crate) use edit::Edit;
pub(crate) use mask::{Veil, masked};
pub(crate) use names::row_name;
pub(crate) use store::Store;
#[cfg(all(feature = "finance", feature = "sqlite"))]
pub(crate) use {
    admit::{TradeEntry, main_only},
    operation::Operation,
};
