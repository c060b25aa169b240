//! A workspace: documents under validated names, and a lease over them.

pub(crate) mod contract;

pub use crate::base::day::DayPolicy;
pub use crate::base::digest::Digest;
pub use crate::base::document::{Document, FoundAt, Revision};
pub use crate::base::error::{LostBy, OpenLimit, Refusal};
pub use crate::base::name::{Name, NameError, Space, StateName};
pub use contract::{
    Claim, ClaimTerms, Holder, Lease, Listing, MAX_DOCUMENT, Metadata, Reach, Tail, Version, WorkspaceExt,
};
pub(crate) use contract::{Workspace, WriteMode, check_scope};
