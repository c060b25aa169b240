//! Exchange: importing from other programs, copying a life, feeding rows from `MEMORY.md`, and forgetting.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::exchange::{Dialect, Forget, Import};
//! use noctuary::{Access, FileWorkspace, Scope};
//!
//! # let (theirs, ours) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! # std::fs::write(theirs.path().join("MEMORY.md"), "Likes tea.\n§\nWorks from Lisbon.\n")?;
//! let (source, target) = (FileWorkspace::open(theirs.path())?, FileWorkspace::open(ours.path())?);
//! let import = Import::new(Dialect::Hermes);
//! let plan = import.plan(&source, &target)?; // look at it first: nothing is written yet
//! let report = import.apply(plan, &source, &target)?;
//! assert_eq!(report.done.len(), 1);
//!
//! let marta = Access::human(Scope::user("marta"));
//! let receipt = Forget::new(&marta, "Works from Lisbon.").workspace(&target).in_files(true).run(Utc::now())?;
//! println!("{receipt}"); // one line for each place
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Import`], [`Dialect`], [`ImportPlan`], [`ImportItem`], [`ImportAction`], [`ImportRefusal`], [`ImportReport`] | memory of OpenClaw, `IronClaw`, Hermes, Claude Code, `PicoClaw` |
//! | [`Export`], [`Bundle`], [`BundleKey`] | a life as a signed tree of markdown: rows, facts, history, methods, preferences, tombstones, documents |
//! | [`BundleImport`], [`BundlePlan`], [`BundleItem`], [`BundleAction`], [`Channel`], [`Presence`] | such a tree brought into another home, by a plan |
//! | [`Foreign`] | exports of mem0 and Letta in, and the Open Knowledge Format both ways, by [`BundleImport::foreign`] and [`Export::okf`] |
//! | [`copy_into`] | documents and dreams of one life into an empty home |
//! | [`copy_rows`], [`StoredRows`] | rows, facts, methods and tombstones of one memory store into an empty one, of any home |
//! | [`copy_artifacts`], [`copy_files`] | what the agent made, and what people handed over, into another store |
//! | [`feed`](fn@feed), [`FeedReport`] | rows of a memory store that follow the promoted lines of `MEMORY.md` |
//! | [`strike_superseded`], [`unstrike`], [`Strikes`] | striking through promoted lines that hold no more, and taking that back |
//! | [`audit_secrets`], [`SecretAudit`] | a check of a whole workspace for secrets, which changes nothing |
//! | [`Merge`], [`MergePlan`], [`MergeConflict`], [`MergeConflictKind`], [`MergeReport`] | one life out of two copies that were changed on two machines |
//! | [`merge_copies`], [`CopiesReport`] | conflict copies of sync tools, merged into their files |
//! | [`merge_artifacts`] | artifacts of two homes, as one |
//! | `merge_rows` | rows of two stores in databases, as one (feature `sqlite`) |
//! | [`TravelFile`] | the lines for git and Syncthing: what travels, and what is of one machine |
//! | [`EraseReceipt`] | all that one person had in a database of several, by [`SqliteWorkspace::erase`](crate::SqliteWorkspace::erase) or `PostgresWorkspace::erase` |
//! | [`Forget`], [`ForgetReceipt`], [`ForgetPlace`], [`DocumentReceipt`] | removing a statement, and keeping it out |
//!
//! # Limits
//!
//! - [`copy_into`] is no backup, and leaves the rows of a memory store to [`copy_rows`]. Use `backup_to` of a database, or copy the folder.
//! - [`Forget`] knows words, not meanings: forget each wording. It cannot reach backups, git, or a provider's logs, and says so.
//! - A [`Forget`] takes one workspace: [a vault beside it](crate::manual::search#a-vault-beside-an-agent) needs a second run.
//! - A person's own files change only with [`Forget::in_files`].
//! - An import never overwrites. Documents with secrets or disguised instructions stay out.

mod audit;
mod bundle;
mod claim;
mod copy;
mod dialect;
mod feed;
mod foreign;
mod forget;
mod handed;
mod hidden;
mod holders;
mod home;
mod import;
mod kept;
mod merge;
mod strike;
mod travel;

pub use crate::base::receipt::{DocumentReceipt, EraseReceipt, ForgetPlace, ForgetReceipt};
pub use audit::{SecretAudit, audit_secrets};
pub use bundle::{
    Bundle, BundleAction, BundleImport, BundleItem, BundleKey, BundlePlan, Channel, Export, Presence,
    StoredRows,
};
pub use copy::{copy_artifacts, copy_files, copy_into, copy_rows};
pub use dialect::Dialect;
pub use feed::{FeedReport, feed};
pub use foreign::Foreign;
pub use forget::Forget;
pub use import::{Import, ImportAction, ImportItem, ImportPlan, ImportRefusal, ImportReport};
#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use merge::merge_rows;
pub use merge::{
    CopiesReport, Merge, MergeConflict, MergeConflictKind, MergePlan, MergeReport, merge_artifacts,
    merge_copies,
};
pub use strike::{Strikes, strike_superseded, unstrike};
pub use travel::TravelFile;
