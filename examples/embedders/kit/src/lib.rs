//! The parts that the examples of embedders share: a small life to search, and a server for a model.

mod life;
mod serve;

use std::error::Error;
use std::net::TcpListener;
use std::sync::Arc;

use noctuary::vectors::{Embedder, Reranker};

pub use life::{Answers, search_a_life};
pub use serve::serve;

/// Searches a small life, or serves the model: `[--serve PORT]`.
///
/// # Errors
///
/// Returns an error where a step fails, and where the model finds no more by meaning than words do.
pub fn run(
    mut arguments: impl Iterator<Item = String>,
    embedder: Arc<dyn Embedder>,
    reranker: Option<Arc<dyn Reranker>>,
) -> Result<(), Box<dyn Error>> {
    match arguments.next().as_deref() {
        Some("--serve") => {
            let port: u16 = arguments.next().ok_or("--serve needs a port")?.parse()?;
            let listener = TcpListener::bind(("127.0.0.1", port))?;
            let address = listener.local_addr()?;
            println!("{} of {} dimensions", embedder.id().model, embedder.id().dimensions);
            println!("serves http://{address}/v1/embeddings, and /v1/rerank where there is a reranker");
            Ok(serve(&listener, &*embedder, reranker.as_deref())?)
        }
        Some(other) => Err(format!("{other} is unknown; [--serve PORT]").into()),
        None => {
            let answers = search_a_life(embedder, reranker)?;
            print!("{answers}");
            if answers.fused() <= answers.words() {
                return Err("the model finds no more than words do".into());
            }
            Ok(())
        }
    }
}
