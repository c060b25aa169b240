//! The text of a request, and the grammar of its answer.

pub(crate) mod fences;
pub(crate) mod reply;
pub(crate) mod rulings;
#[cfg(feature = "sleep")]
pub(crate) mod sleep_reply;
