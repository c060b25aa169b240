//! Models in a folder of the host for the memory of `noctuary`, run in the process by Rust alone.
//!
//! No weights are in this crate, and nothing is downloaded: a model is read from files that are there.
//!
//! ```no_run
//! use noctuary::store::StoreConfig;
//! use noctuary_embed::Model;
//!
//! let mut config = StoreConfig::default();
//! config.embedder = Some(Model::open("models/bge-small-en-v1.5")?.embedder()?);
//! config.reranker = Some(Model::open("models/ms-marco-MiniLM-L-12")?.reranker()?);
//! # Ok::<(), noctuary_embed::OpenError>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Model`] | the model of a folder, of any kind |
//! | [`StaticEmbedder`] | a table of one vector a token: fast, and a small help |
//! | [`TransformerEmbedder`], [`ModelConfig`], [`Pooling`] | a transformer in ONNX, and what its folder may not say |
//! | [`CrossEncoder`] | a transformer in ONNX that scores texts against a question |
//! | [`OpenError`] | the reason why a folder gives no model |
//!
//! # Limits
//!
//! - The [id](noctuary::vectors::Embedder::id) of an embedder has the digest of its files: another version makes vectors of its own.
//! - A text is run alone, on one thread; call it from several to use more.
//! - A file is trusted: a graph that somebody else made may take much memory and time.

mod cross;
mod error;
mod folder;
mod graph;
mod model;
mod table;
mod transformer;

pub use cross::CrossEncoder;
pub use error::OpenError;
pub use model::Model;
pub use table::StaticEmbedder;
pub use transformer::{ModelConfig, Pooling, TransformerEmbedder};
