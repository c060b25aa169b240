//! An embedder and a reranker over ONNX models in local folders, run by tract: Rust alone, and nothing is downloaded.

mod graph;

use std::path::Path;

use graph::Graph;
use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose, Reranker};
use tract_onnx::prelude::Tensor;

/// The tokens that are read of a text.
const TOKENS: usize = 256;

/// The words that bge wants before a question.
const QUESTION: &str = "Represent this sentence for searching relevant passages: ";

/// `bge-small-en-v1.5`, or another model of 384 dimensions whose vector is that of its first token.
pub struct BgeSmall {
    graph: Graph,
    id: EmbedderId,
}

impl BgeSmall {
    /// Loads a folder with `model.onnx` and `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] for a folder that holds no model that can be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, EmbedError> {
        let settings = format!("int8 onnx tract tokens={TOKENS} query={QUESTION:?}");
        let id = EmbedderId::new("bge-small-en-v1.5", 384).settings(settings);
        Ok(Self { graph: Graph::open(folder.as_ref(), TOKENS)?, id })
    }
}

impl Embedder for BgeSmall {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = if purpose == Purpose::Query { QUESTION } else { "" };
        let vector = |text: &&str| {
            let output = self.graph.run(format!("{prefix}{text}"))?;
            numbers(&output).map(|numbers| numbers.into_iter().take(self.id.dimensions).collect())
        };
        texts.iter().map(vector).collect()
    }
}

/// `ms-marco-MiniLM-L-12`, or another cross-encoder with one score.
pub struct MiniLm(Graph);

impl MiniLm {
    /// Loads a folder with `model.onnx` and `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] for a folder that holds no model that can be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, EmbedError> {
        Graph::open(folder.as_ref(), TOKENS).map(Self)
    }
}

impl Reranker for MiniLm {
    fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let score = |text: &&str| {
            let output = self.0.run((query, *text))?;
            numbers(&output)?.first().copied().ok_or_else(|| EmbedError::new("the model gave no score"))
        };
        texts.iter().map(score).collect()
    }
}

/// Returns the numbers of an output, the first token's first.
fn numbers(output: &Tensor) -> Result<Vec<f32>, EmbedError> {
    let numbers = output.to_plain_array_view::<f32>().map_err(|error| EmbedError::new(error.to_string()))?;
    Ok(numbers.iter().copied().collect())
}
