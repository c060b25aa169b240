//! Clients for endpoints in the shapes of OpenAI: chat completions and embeddings; and for those that rerank.

mod answer;
mod batches;
mod chat;
mod connection;
mod embedder;
mod endpoint;
mod key;
mod reranker;
mod wait;
mod wire;

pub use chat::ChatCompletions;
pub use embedder::HttpEmbedder;
pub use reranker::HttpReranker;
