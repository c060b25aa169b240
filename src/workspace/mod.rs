//! A workspace: documents under validated names, and a lease over them.

mod claim;
pub(crate) mod contract;
mod ext;
mod lease;
mod listing;
mod reach;
pub(crate) mod write;

pub use crate::base::day::DayPolicy;
pub use crate::base::digest::Digest;
pub use crate::base::document::{Document, FoundAt, Revision};
pub use crate::base::error::{LostBy, OpenLimit, Refusal};
pub use crate::base::name::{Name, Space, StateName};
pub use crate::base::name_rules::NameError;
pub use claim::{Claim, ClaimTerms, Holder};
pub use contract::MAX_DOCUMENT;
pub(crate) use contract::Workspace;
pub use ext::{Tail, WorkspaceExt};
pub(crate) use ext::{check_scope, claim_now, is_of};
pub use lease::Lease;
pub use listing::{Listing, Metadata};
pub use reach::Reach;
pub(crate) use reach::is_own;
pub use write::Version;
pub(crate) use write::{WriteMode, line_break_before};
