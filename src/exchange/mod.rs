//! Exchange: forgetting, copying a life, feeding rows from `MEMORY.md`. With the feature `exchange` also bundles,
//! memory of other programs, and one life out of two copies.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::exchange::{Forget, copy_into};
//! use noctuary::{Access, DocName, FileWorkspace, Scope, Workspace, WriteMode};
//!
//! # let (one, other) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! let (source, target) = (FileWorkspace::open(one.path())?, FileWorkspace::open(other.path())?);
//! source.write(&DocName::MEMORY, b"- Likes tea.\n- Works from Lisbon.\n", WriteMode::Create)?;
//! assert_eq!(copy_into(&source, &target)?, 1);
//!
//! let marta = Access::human(Scope::user("marta"));
//! let receipt = Forget::new(&marta, "Works from Lisbon.").workspace(&target).in_files(true).run(Utc::now())?;
//! println!("{receipt}"); // what each place had
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Forget`], [`ForgetReceipt`], [`ForgetPlace`], [`DocumentReceipt`] | removing a statement, and keeping it out |
//! | [`copy_into`] | documents and dreams of one life into an empty home |
//! | [`feed`](fn@feed), [`FeedReport`] | rows of a memory store that follow the promoted lines of `MEMORY.md` |
//! | [`Belongings`] | the files of a life in a folder, and those of a person, by [`FileWorkspace::belongings`](crate::FileWorkspace::belongings) |
//! | [`EraseReceipt`] | all that one person had in a database of several, by `SqliteWorkspace::erase` or `PostgresWorkspace::erase` |
//! | `copy_artifacts`, `copy_files` | an agent's artifacts and people's files, into another store (feature `artifacts`) |
//!
//! With the feature `exchange`:
//!
//! | Name | Use |
//! |---|---|
//! | `Import`, `Dialect`, `ImportPlan`, `ImportItem`, `ImportAction`, `ImportRefusal`, `ImportReport` | memory of OpenClaw, `IronClaw`, Hermes, Claude Code, `PicoClaw` |
//! | `ChatImport`, `ChatFormat`, `ChatPlan`, `ChatItem`, `ChatLeftOut`, `ChatRefused`, `ChatProgress` | chats of ChatGPT, Claude, Claude Code, Codex and `OpenClaw`, and in markdown, as journals |
//! | `Export`, `Bundle`, `BundleKey` | a life as a signed tree of markdown: rows, facts, history, methods, preferences, tombstones, documents |
//! | `BundleImport`, `BundlePlan`, `BundleItem`, `BundleAction`, `Channel`, `Presence` | such a tree brought into another home, by a plan |
//! | `Foreign` | exports of mem0 and Letta in, and the Open Knowledge Format both ways, by `BundleImport::foreign` and `Export::okf` |
//! | `Forget::person`, `PersonPlan` | one person of a group leaves it: what they said, and what rests on it |
//! | `ForgottenList`, `ForgottenStatement`, `HiddenLine` | the statements that are forgotten, the lines that each hides, and letting one in again |
//! | `copy_rows`, `StoredRows` | rows, facts, methods and tombstones of one memory store into an empty one, of any home |
//! | `strike_superseded`, `unstrike`, `Strikes` | striking through promoted lines that no longer hold, and taking that back |
//! | `audit_secrets`, `SecretAudit` | a check of a whole workspace for secrets, which changes nothing |
//! | `Merge`, `MergePlan`, `MergeConflict`, `MergeConflictKind`, `MergeReport` | one life out of two copies that were changed on two machines |
//! | `merge_copies`, `CopiesReport` | conflict copies of sync tools, merged into their files |
//! | `merge_artifacts` | artifacts of two homes, as one |
//! | `merge_rows` | rows of two stores in databases, as one (feature `sqlite`) |
//! | `TravelFile` | the lines for git and Syncthing: what travels, and what is of one machine |
//!
//! # Limits
//!
//! - [`copy_into`] is no backup, and leaves the rows of a memory store to `copy_rows`. Use `backup_to` of a database, or copy the folder.
//! - [`Forget`] knows words, not meanings: forget each wording. It cannot reach backups, git, or a provider's logs, and says so.
//! - A [`Forget`] takes one workspace: [a vault beside it](crate::manual::coding_assistant#a-vault-beside-an-agent) needs a second run.
//! - A person's own files change only with [`Forget::in_files`].
//! - An import never overwrites. Documents with secrets or disguised instructions stay out, unless a trusted key has signed them.

#[cfg(not(feature = "artifacts"))]
mod alone;
#[cfg(feature = "exchange")]
mod audit;
#[cfg(feature = "artifacts")]
mod beside;
#[cfg(feature = "exchange")]
mod bundle;
#[cfg(feature = "exchange")]
mod chats;
mod claim;
mod copy;
#[cfg(feature = "exchange")]
mod copy_rows;
#[cfg(feature = "artifacts")]
mod copy_stores;
#[cfg(feature = "exchange")]
mod dialect;
mod feed;
#[cfg(feature = "exchange")]
mod foreign;
mod forget;
#[cfg(feature = "exchange")]
mod forgotten;
#[cfg(feature = "artifacts")]
mod handed;
mod hidden;
mod holders;
mod home;
#[cfg(feature = "exchange")]
mod import;
mod kept;
#[cfg(feature = "exchange")]
mod merge;
#[cfg(feature = "exchange")]
mod person;
#[cfg(feature = "exchange")]
mod strike;
#[cfg(feature = "exchange")]
mod travel;

pub use crate::base::receipt::{DocumentReceipt, EraseReceipt, ForgetPlace, ForgetReceipt};
pub use crate::file::Belongings;
#[cfg(not(feature = "artifacts"))]
use alone::Beside;
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use audit::{SecretAudit, audit_secrets};
#[cfg(feature = "artifacts")]
use beside::Beside;
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use bundle::{
    Bundle, BundleAction, BundleImport, BundleItem, BundleKey, BundlePlan, Channel, Export, Presence,
    StoredRows,
};
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use chats::{ChatFormat, ChatImport, ChatItem, ChatLeftOut, ChatPlan, ChatProgress, ChatRefused};
pub use copy::copy_into;
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use copy_rows::copy_rows;
#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub use copy_stores::{copy_artifacts, copy_files};
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use dialect::Dialect;
pub use feed::{FeedReport, feed};
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use foreign::Foreign;
pub use forget::Forget;
#[cfg(feature = "pages")]
pub(crate) use forget::Kept;
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use forgotten::{ForgottenList, ForgottenStatement, HiddenLine};
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use import::{Import, ImportAction, ImportItem, ImportPlan, ImportRefusal, ImportReport};
#[cfg(all(feature = "exchange", feature = "sqlite"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "exchange", feature = "sqlite"))))]
pub use merge::merge_rows;
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use merge::{
    CopiesReport, Merge, MergeConflict, MergeConflictKind, MergePlan, MergeReport, merge_artifacts,
    merge_copies,
};
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use person::PersonPlan;
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use strike::{Strikes, strike_superseded, unstrike};
#[cfg(feature = "exchange")]
#[cfg_attr(docsrs, doc(cfg(feature = "exchange")))]
pub use travel::TravelFile;
