//! Two copies of one life, merged.

mod archive;
mod artifacts;
mod copies;
mod curated;
mod doubts;
mod dreams;
mod family;
mod forgotten;
mod journal;
mod life;
mod lines;
#[expect(clippy::module_inception, reason = "the noun of the folder")]
mod merge;
mod night;
mod places;
mod plan;
mod receipt_keys;
mod rows;
mod said;
mod states;
#[cfg(feature = "sqlite")]
mod stores;
mod text;
mod versions;
mod weave;

pub use artifacts::merge_artifacts;
pub use copies::{CopiesReport, merge_copies};
pub use merge::Merge;
pub use plan::{MergeConflict, MergeConflictKind, MergePlan, MergeReport};
#[cfg(feature = "sqlite")]
pub use stores::merge_rows;
