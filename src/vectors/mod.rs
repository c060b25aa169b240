//! Meaning: vectors beside words, so that a question finds an answer that shares no word with it.
//!
//! The host brings a model, an [`Embedder`]. Without one nothing is different: searches go by words alone.
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use chrono::Utc;
//! use noctuary::memory::{NewMemory, Query, Source};
//! use noctuary::store::StoreConfig;
//! use noctuary::testing::HashEmbedder; // stands for your model
//! use noctuary::vectors::{EmbedConfig, embed_once};
//! use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
//!
//! let embedder = Arc::new(HashEmbedder::new(256).alike(&["rope", "cordage"]).alike(&["bought", "purchase"]));
//! let mut config = StoreConfig::default();
//! config.embedder = Some(embedder.clone()); // for queries
//! let store = SqliteMemoryStore::open_in_memory_with(Scope::user("marta"), config)?;
//! let marta = Access::agent(Scope::user("marta"));
//! store.write(&marta, &NewMemory::new("note", "Bought rope in Porto", Source::UserExplicit), Utc::now())?;
//!
//! embed_once(&store, &embedder, &EmbedConfig::default())?; // after a turn, or at night
//! let found = store.search(&marta, &Query::new("cordage purchase"))?;
//! assert_eq!(found.hits[0].memory.content, "Bought rope in Porto");
//! # }
//! # Ok::<(), noctuary::Error>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`embed_once`], [`embed_once_async`], [`EmbedPass`] | give rows their vectors: blocking, async, by hand |
//! | [`EmbedConfig`], [`EmbedReport`] | how much at a time; what was done |
//! | [`Embedder`] | the contract of a model |
//! | [`model::HttpEmbedder`, `model::HttpReranker`](crate::model) (feature `http`) | models behind a server |
//! | [`EmbedderId`], [`Strength`], [`Generation`] | which model it is; its vectors are compared with its own only |
//! | [`Purpose`], [`EmbedError`] | a text that is kept, or a question; why there is no vector |
//! | [`Reranker`] | scores for the first hits |
//! | [`VectorStore`], [`EmbedBatch`], [`BatchFrom`], [`BatchSize`], [`KeptVectors`], [`EmbeddingStatus`] | the contract of a store with vectors, and its data |
//!
//! # Limits
//!
//! - A row waits for its vector until a pass. Searches say so when a tenth of the rows waits.
//! - Vectors tell what a text is about: a reader of the file can guess at its words. They are as private as the rows.
//! - A query goes to the embedder at every search. A host that cannot wait hands in the vector, or none.
//! - Another model is another generation: it is filled beside the one that serves, and both are on disk until it serves.
//!
//! The manual has [when to turn it on, what it costs, and how to change a model](crate::manual::models#meaning).

mod pass;

pub use crate::embed::store::{BatchFrom, BatchSize, EmbedBatch, EmbeddingStatus, KeptVectors, VectorStore};
pub use crate::embed::{EmbedError, Embedder, EmbedderId, Generation, Purpose, Reranker};
#[doc(inline)]
pub use noctuary_index::rank::Strength;
pub use pass::{EmbedConfig, EmbedPass, EmbedReport, embed_once, embed_once_async};
