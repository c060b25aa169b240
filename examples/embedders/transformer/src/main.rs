//! Searches a small life by words alone and with a transformer, or serves the models:
//!
//! ```text
//! cargo run --release -p noctuary-transformer -- FOLDER-OF-EMBEDDER [--rerank FOLDER-OF-RERANKER] [--serve PORT]
//! ```

use std::error::Error;
use std::sync::Arc;

use noctuary::vectors::Reranker;
use noctuary_transformer::{BgeSmall, MiniLm};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let folder = arguments.next().ok_or(
        "usage: noctuary-transformer FOLDER-OF-EMBEDDER [--rerank FOLDER-OF-RERANKER] [--serve PORT]",
    )?;
    let reranker: Option<Arc<dyn Reranker>> = match arguments.next_if_eq("--rerank") {
        Some(_) => Some(Arc::new(MiniLm::open(arguments.next().ok_or("--rerank needs a folder")?)?)),
        None => None,
    };
    noctuary_embedder_kit::run(arguments, Arc::new(BgeSmall::open(folder)?), reranker)
}
