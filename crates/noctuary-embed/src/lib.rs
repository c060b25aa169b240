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

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cross;
mod error;
mod folder;
mod graph;
mod table;
mod transformer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folder::Folder;
use graph::{GRAPHS, Graph};
use noctuary::vectors::{Embedder, Reranker};
use table::TABLES;

pub use cross::CrossEncoder;
pub use error::OpenError;
pub use table::StaticEmbedder;
pub use transformer::{ModelConfig, Pooling, TransformerEmbedder};

/// The model of a folder.
#[derive(Debug)]
pub struct Model {
    folder: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Static(Box<StaticEmbedder>),
    Transformer(Box<TransformerEmbedder>),
    CrossEncoder(Box<CrossEncoder>),
}

impl Model {
    /// Opens the model of a folder, of the kind that it holds. Nothing is downloaded.
    ///
    /// A graph in ONNX with one number as its answer is a cross-encoder, and one with a vector an embedder. A folder
    /// without a graph has a static table.
    ///
    /// # Errors
    ///
    /// [`OpenError`] for a folder without a model, a damaged file, files of different models, and a graph that cannot be run.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(folder, &ModelConfig::default())
    }

    /// Opens the model of a folder, with settings that the folder does not say.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(folder: impl AsRef<Path>, config: &ModelConfig) -> Result<Self, OpenError> {
        let path = folder.as_ref();
        let folder = Folder::open(path)?;
        let kind = if folder.first(&GRAPHS).is_some() {
            let graph = Graph::open(&folder, config.tokens_in(&folder)?)?;
            let shape = graph.tried("a")?;
            match CrossEncoder::over(graph, &shape) {
                Ok(cross) => Kind::CrossEncoder(Box::new(cross)),
                Err(graph) => {
                    Kind::Transformer(Box::new(TransformerEmbedder::over(graph, &shape, &folder, config)?))
                }
            }
        } else if folder.first(&TABLES).is_some() {
            Kind::Static(Box::new(StaticEmbedder::of(&folder)?))
        } else {
            let next = "a model is model.onnx, or a table in model.safetensors, beside its tokenizer.json";
            return Err(OpenError::Missing { path: path.join(GRAPHS[0]), next });
        };
        Ok(Self { folder: path.to_owned(), kind })
    }

    /// Returns the embedder.
    ///
    /// # Errors
    ///
    /// [`OpenError::Kind`] for a cross-encoder.
    pub fn embedder(self) -> Result<Arc<dyn Embedder>, OpenError> {
        match self.kind {
            Kind::Static(model) => Ok(Arc::new(*model)),
            Kind::Transformer(model) => Ok(Arc::new(*model)),
            Kind::CrossEncoder(_) => Err(self.refused("a model that makes vectors")),
        }
    }

    /// Returns the reranker.
    ///
    /// # Errors
    ///
    /// [`OpenError::Kind`] for a model that makes vectors.
    pub fn reranker(self) -> Result<Arc<dyn Reranker>, OpenError> {
        match self.kind {
            Kind::CrossEncoder(model) => Ok(Arc::new(*model)),
            _ => Err(self.refused("a cross-encoder")),
        }
    }

    /// Says that it is of another kind.
    fn refused(&self, wanted: &'static str) -> OpenError {
        let found = match self.kind {
            Kind::Static(_) => "a static table",
            Kind::Transformer(_) => "a transformer that makes vectors",
            Kind::CrossEncoder(_) => "a cross-encoder",
        };
        OpenError::Kind { path: self.folder.clone(), found, wanted }
    }
}
