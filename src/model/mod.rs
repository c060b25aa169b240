//! Clients of language models that ship with the library.

pub(crate) mod extractive;
#[cfg(feature = "http")]
mod http;

pub use crate::base::usage::Usage;
pub use crate::llm::{Finish, LlmFn};
#[cfg(feature = "http")]
#[cfg_attr(docsrs, doc(cfg(feature = "http")))]
pub use http::ChatCompletions;
