//! Views over a workspace. A session reads and writes by its rights, notes go into its journal, and documents are found
//! by their words.

mod edges;
mod forgotten;
mod group;
mod guarded;
mod indexed;
pub(crate) mod journal;
mod notes;
mod rights;
mod shown;
mod superseded;
mod sync;
mod upkeep;
mod walk;

#[cfg(feature = "exchange")]
pub(crate) use forgotten::forgotten_file;
pub(crate) use forgotten::{asked_in_files, forgotten, forgotten_copy, strike_history, struck};
pub use group::GroupView;
pub(crate) use group::{groups, is_persona};
pub use guarded::{Guarded, SharedUser};
pub use indexed::Indexed;
pub use journal::Journal;
pub use rights::SoulPolicy;
pub(crate) use rights::may_be_told;
pub(crate) use shown::{Passages, ShownPassage, is_private, marked, shown};
pub(crate) use superseded::Notes;
pub use sync::{SyncReport, Unreadable};
#[cfg(any(feature = "doctor", feature = "exchange"))]
pub(crate) use walk::Folder;
pub(crate) use walk::{Looked, journal_folders, journals, walk};
