//! Searches a small life by words alone and with the model of a folder, or serves the model:
//!
//! ```text
//! cargo run --release --example model -- FOLDER [--rerank FOLDER] [--serve PORT]
//! ```

mod life;
mod serve;

use std::error::Error;
use std::net::TcpListener;

use noctuary_embed::Model;

const USAGE: &str = "usage: model FOLDER [--rerank FOLDER] [--serve PORT]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let embedder = Model::open(arguments.next().ok_or(USAGE)?)?.embedder()?;
    let reranker = match arguments.next_if_eq("--rerank") {
        Some(_) => Some(Model::open(arguments.next().ok_or(USAGE)?)?.reranker()?),
        None => None,
    };
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => {
            let answers = life::search(&embedder, reranker)?;
            print!("{answers}");
            if answers.fused() <= answers.words() {
                return Err("the model finds no more than words do".into());
            }
            Ok(())
        }
        (Some("--serve"), Some(port)) => {
            let listener = TcpListener::bind(("127.0.0.1", port.parse()?))?;
            let address = listener.local_addr()?;
            println!("{} of {} dimensions", embedder.id().model, embedder.id().dimensions);
            println!("serves http://{address}/v1/embeddings, and /v1/rerank where there is a reranker");
            Ok(serve::serve(&listener, &*embedder, reranker.as_deref())?)
        }
        _ => Err(USAGE.into()),
    }
}
