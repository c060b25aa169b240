//! The place of a life: documents under checked names, and a lease for a dream.
//!
//! A [workspace](crate::Workspace) reads, writes, appends, removes, renames and lists documents. Three ship:
//! [`FileWorkspace`](crate::FileWorkspace), a folder, `SqliteWorkspace`, one SQLite file, and `PostgresWorkspace`, a server that several
//! machines share.
//!
//! ```
//! use noctuary::workspace::WorkspaceExt;
//! use noctuary::{DocName, Error, FileWorkspace, Workspace, WriteMode};
//!
//! # let folder = tempfile::tempdir()?;
//! let workspace = FileWorkspace::open(folder.path())?;
//! let plan = DocName::parse("projects/plan.md")?;
//! let seen = workspace.write(&plan, b"- Ship it.\n", WriteMode::Create)?;
//! workspace.append(&plan, b"- Test it first.\n")?;
//! // The document has changed since `seen`, so this write is refused.
//! let late = workspace.write(&plan, b"- Wait.\n", WriteMode::IfRevision(seen));
//! assert!(matches!(late, Err(Error::Conflict { .. })));
//! assert_eq!(workspace.read_text(&plan)?.as_deref(), Some("- Ship it.\n- Test it first.\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`WorkspaceExt`] | reads text, the end of a file, and whole trees, on any workspace |
//! | [`Document`], [`Revision`], [`Version`], [`Digest`] | bytes with their hash; earlier versions in SQLite |
//! | [`Metadata`], [`Listing`], [`Tail`] | answers about documents and folders |
//! | [`Name`], [`StateName`], [`Space`], [`NameError`] | checked names of documents and of the library's own files |
//! | [`Reach`] | the documents that an index looks for in a project's folder |
//! | [`Lease`], [`Claim`], [`ClaimTerms`], [`Holder`] | the right to write for a dream, and its holder |
//! | [`DayPolicy`] | the date of an instant: a time zone, and the hour at which a day begins |
//! | [`Zone`] | an offset from UTC, or with the feature `zones` a time zone of the IANA database |
//! | [`Refusal`], [`LostBy`], [`OpenLimit`], [`FoundAt`] | details of [`Error`](crate::Error) |
//! | [`MAX_DOCUMENT`] | the largest document that is read whole: 64 MiB |
//!
//! # Limits
//!
//! - A workspace has no guard: it is the operator's. Give sessions and tools a [`Guarded`](crate::life::Guarded) view.
//! - A folder does not know whose life it holds; a database does.
//! - All verbs block.
//! - A claim refuses a network file system where it can tell. Other verbs do not.
//! - One dream at a time holds the lease. Sessions do not need it.

mod claim;
pub(crate) mod contract;
mod ext;
mod lease;
mod listing;
mod reach;
pub(crate) mod write;

pub use crate::base::day::{DayPolicy, Zone};
pub use crate::base::digest::Digest;
pub use crate::base::document::{Document, FoundAt, Revision};
pub use crate::base::error::{LostBy, OpenLimit, Refusal};
pub use crate::base::name::{Name, Space, StateName};
pub use crate::base::name_rules::NameError;
pub use claim::{Claim, ClaimTerms, Holder};
pub use contract::MAX_DOCUMENT;
pub(crate) use contract::Workspace;
pub use ext::{Tail, WorkspaceExt};
pub(crate) use ext::{check_scope, claim_now, is_of, text_of};
pub use lease::Lease;
pub use listing::{Listing, Metadata};
pub use reach::Reach;
pub(crate) use reach::is_own;
pub use write::Version;
pub(crate) use write::{WriteMode, line_break_before};
