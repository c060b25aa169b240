//! The reasons why a folder gives no model.

use std::io;
use std::path::PathBuf;

/// The reason why a folder gives no model. Each names its path and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The folder, or a file that a model needs, is not there.
    #[error("cannot find {path}: {next}")]
    Missing {
        /// The folder or the file.
        path: PathBuf,
        /// The next step.
        next: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: give this account the right to read it")]
    Unread {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is damaged, or of another form.
    #[error("cannot use {path}: {reason}; fetch the model again")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The vectors have another number of dimensions than the folder says, or than the library takes.
    #[error("the vectors of {path} have {found} dimensions and not {wanted}: take all files from one model")]
    Dimensions {
        /// The file of the vectors.
        path: PathBuf,
        /// The dimensions of its vectors.
        found: usize,
        /// The dimensions that the folder says, or the most that the library takes.
        wanted: usize,
    },
    /// The tokenizer is of another model: its vocabulary does not fit the table of vectors.
    #[error("{path} has {tokens} tokens, and the model has vectors for {rows}: take both from one model")]
    Vocabulary {
        /// The file of the tokenizer.
        path: PathBuf,
        /// The tokens of its vocabulary.
        tokens: usize,
        /// The vectors of the table.
        rows: usize,
    },
    /// The graph cannot be run.
    #[error("cannot run {path}: {reason}; take another export of the model, as `model.onnx` of optimum")]
    Graph {
        /// The file of the graph.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The folder holds a model of another kind than the one that was asked for.
    #[error("{path} holds {found}, and not {wanted}: name another folder")]
    Kind {
        /// The folder.
        path: PathBuf,
        /// The kind of model that it holds.
        found: &'static str,
        /// The kind that was asked for.
        wanted: &'static str,
    },
}
