//! Clients that ship with the crate.

pub(crate) mod extractive;
#[cfg(feature = "http")]
mod http;

pub use extractive::Extractive;
#[cfg(feature = "http")]
pub use http::ChatCompletions;
