//! Meaning: vectors beside words, so that a question finds an answer that shares no word with it.
//!
//! The host brings a model, an [`Embedder`](crate::Embedder). Without one nothing is different: searches go by words alone.
//!
//! | Name | Use |
//! |---|---|
//! | [`EmbedderId`], [`Strength`], [`Generation`] | which model it is; its vectors are compared with its own only |
//! | [`Purpose`] | a text that is kept, or a question |
//! | [`EmbedError`] | why there is no vector |
//! | [`Reranker`] | scores for the first hits |

pub use crate::embed::{EmbedError, EmbedderId, Generation, Purpose, Reranker, Strength};
