//! A model behind the server is the same model for the library's clients.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../examples/model/life.rs"]
mod life;
#[path = "../examples/model/serve.rs"]
mod serve;

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use noctuary::model::{HttpEmbedder, HttpReranker};
use noctuary::testing::HashEmbedder;
use noctuary::vectors::{EmbedError, Embedder, Purpose, Reranker};
use serve::serve;

/// Scores a text by its length.
struct Length;

impl Reranker for Length {
    fn rerank(&self, _query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let length = |text: &&str| f32::from(u16::try_from(text.len()).unwrap());
        Ok(texts.iter().map(length).collect())
    }
}

fn served(reranker: Option<Length>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        let reranker = reranker.as_ref().map(|reranker| reranker as &dyn Reranker);
        serve(&listener, &HashEmbedder::new(32), reranker)
    });
    base
}

#[test]
fn a_served_model_gives_the_same_vectors_and_scores() {
    let base = served(Some(Length));
    let client = HttpEmbedder::new(&base, "hash", 0).unwrap().probed().unwrap();
    let texts = ["green tea", "a rope of \"thirty\" metres", "茶"];
    let own = HashEmbedder::new(32).embed(&texts, Purpose::Document).unwrap();
    assert_eq!(client.embed(&texts, Purpose::Document).unwrap(), own);
    let reranker = HttpReranker::new(&base, "length").unwrap();
    assert_eq!(reranker.rerank("which", &["aa", "aaaa", "a"]).unwrap(), [2.0, 4.0, 1.0]);
}

#[test]
fn what_is_not_there_is_an_error() {
    let base = served(None);
    let error = HttpReranker::new(&base, "length").unwrap().rerank("which", &["a"]).unwrap_err();
    assert!(error.to_string().contains("404"), "{error}");
}

#[test]
fn a_model_that_knows_words_alone_finds_what_words_find() {
    let embedder: Arc<dyn Embedder> = Arc::new(HashEmbedder::new(256));
    let answers = life::search(&embedder, None).unwrap();
    assert_eq!(answers.words(), 0, "the questions share no word with their notes:\n{answers}");
}
