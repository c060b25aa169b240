//! The one error type, the reasons that it carries, and how errors of others become it.

mod at;
#[expect(clippy::module_inception, reason = "the file is named by its noun")]
mod error;
mod json;
mod reasons;

#[cfg(feature = "sqlite")]
pub(crate) use at::open_limit;
pub(crate) use at::{At, Unsynced};
pub(crate) use error::check_rules;
pub use error::{Error, Result};
pub(crate) use json::{corrupt, parse_json};
pub use reasons::{LostBy, OpenLimit, Refusal};
