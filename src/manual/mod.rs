//! Long pages: what a reader wants to know before trusting a life to this crate.

#[doc = include_str!("durability.md")]
pub mod durability {}

#[doc = include_str!("gate.md")]
pub mod gate {}

#[doc = include_str!("measured.md")]
pub mod measured {}

#[doc = include_str!("memory.md")]
pub mod memory {}

#[doc = include_str!("sleep.md")]
pub mod sleep {}

#[doc = include_str!("tools.md")]
pub mod tools {}

#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
#[doc = include_str!("search.md")]
pub mod search {}

#[doc = include_str!("tracing.md")]
pub mod tracing {}
