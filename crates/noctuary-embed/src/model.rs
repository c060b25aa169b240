//! The model of a folder, of any kind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use noctuary::vectors::{Embedder, Reranker};

use crate::cross::CrossEncoder;
use crate::error::OpenError;
use crate::folder::Folder;
use crate::graph::{GRAPHS, Graph};
use crate::table::{StaticEmbedder, TABLES};
use crate::transformer::{ModelConfig, TransformerEmbedder};

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
            if CrossEncoder::is_score(&shape) {
                Kind::CrossEncoder(Box::new(CrossEncoder::of(graph)))
            } else {
                Kind::Transformer(Box::new(TransformerEmbedder::over(graph, &shape, &folder, config)?))
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
