//! Models: the reply of a client, and the clients that ship.
//!
//! The host brings the model: any closure or type that completes a prompt is an [`LlmClient`](crate::LlmClient).
//!
//! ```
//! use noctuary::model::{Finish, Usage};
//! use noctuary::{LlmClient, LlmError, LlmReply, LlmRequest, llm_fn};
//!
//! # fn send(_system: &str, _user: &str) -> Result<(String, bool, u64), std::io::Error> { Ok(("NOTHING_TO_PROMOTE".into(), false, 7)) }
//! let model = llm_fn(|request: &LlmRequest| {
//!     // `send` is the client that you have, with its own key, time limit and retries.
//!     let (text, was_cut, tokens) = send(&request.system, &request.user).map_err(LlmError::other)?;
//!     let finish = if was_cut { Finish::Length } else { Finish::Stop };
//!     Ok(LlmReply::new(text).finish(finish).usage(Usage { input: tokens, ..Usage::default() }))
//! });
//! assert_eq!(model.complete(&LlmRequest::new("be brief", "hello"))?.text, "NOTHING_TO_PROMOTE");
//! # Ok::<(), LlmError>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Extractive`](crate::Extractive) | a client without a model: it selects verbatim lines and cites them |
//! | `ChatCompletions` (feature `http`) | endpoints of the shape of `OpenAI`: vendors, Ollama, llama.cpp, vLLM |
//! | `HttpEmbedder`, `HttpReranker` (feature `http`) | [vectors](crate::vectors) and scores from endpoints of the same kind |
//! | [`Finish`] | why an answer ended; only a whole answer is promoted |
//! | [`Unpicked`], [`UnpickedReason`] | lines that `Extractive` looked at and left, and why |
//! | [`Usage`] | tokens, for the caps of the day |
//! | [`LlmFn`] | the type of [`llm_fn`](crate::llm_fn) |
//!
//! # Limits
//!
//! - The library calls a client once: time limits and retries are the client's.
//! - `LlmReply::new` makes a reply that ended by itself. Say [`Finish::Length`] if it was cut.
//! - `Extractive` does not abstract, and knows cue words of thirteen languages.
//! - `ChatCompletions` blocks, and asks once. `HttpEmbedder` waits for a server that is busy, but never in a search.
//!
//! The manual has [abilities, prices and prompts](crate::manual::models).

pub(crate) mod extractive;
#[cfg(feature = "http")]
mod http;

pub use crate::base::usage::Usage;
pub use crate::llm::{Finish, LlmFn, Unpicked, UnpickedReason};
#[cfg(feature = "http")]
#[cfg_attr(docsrs, doc(cfg(feature = "http")))]
pub use http::{ChatCompletions, HttpEmbedder, HttpReranker};
