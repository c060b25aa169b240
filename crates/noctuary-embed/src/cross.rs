//! A cross-encoder in ONNX, which scores a pair of texts.

use std::fmt;
use std::path::Path;

use noctuary::vectors::{EmbedError, Reranker};

use crate::error::OpenError;
use crate::folder::Folder;
use crate::graph::Graph;
use crate::transformer::ModelConfig;

/// A cross-encoder in ONNX with one score for a pair: ms-marco-MiniLM and others of that form.
///
/// Its folder holds the same files as one of a [`TransformerEmbedder`](crate::TransformerEmbedder).
pub struct CrossEncoder(Graph);

impl fmt::Debug for CrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CrossEncoder").field(&self.0.name).finish()
    }
}

impl CrossEncoder {
    /// Opens the cross-encoder of a folder. Nothing is downloaded.
    ///
    /// # Errors
    ///
    /// [`OpenError`] for a folder without a cross-encoder, a damaged file, files of different models, and a graph that cannot be run.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, OpenError> {
        let folder = Folder::open(folder.as_ref())?;
        let graph = Graph::open(&folder, ModelConfig::default().tokens_in(&folder)?)?;
        match graph.tried(PAIR)?.iter().product() {
            1 => Ok(Self(graph)),
            scores => Err(graph.wrong(format!("it gives {scores} numbers for a pair, and one is a score"))),
        }
    }

    /// Takes a graph whose answer [is a score](Self::is_score).
    pub(crate) fn of(graph: Graph) -> Self {
        Self(graph)
    }

    /// Returns whether an answer of this shape is one number for a text.
    pub(crate) fn is_score(shape: &[usize]) -> bool {
        shape.len() < 3 && shape.iter().product::<usize>() == 1
    }
}

/// Two texts that try a graph.
const PAIR: (&str, &str) = ("a", "b");

impl Reranker for CrossEncoder {
    fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let score = |text: &&str| {
            let output = self.0.run((query, *text))?;
            let scores =
                output.to_plain_array_view::<f32>().map_err(|error| EmbedError::new(error.to_string()))?;
            scores.iter().next().copied().ok_or_else(|| EmbedError::new("the model gave no score"))
        };
        texts.iter().map(score).collect()
    }
}
