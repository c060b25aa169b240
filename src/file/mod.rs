//! Homes in a folder: a workspace and a memory store, as plain files.
//!
//! [`workspace`] has its verbs in [`documents`] and its right to write in [`lease`]; [`memory`] is the store. Every mutation
//! of either takes the [write guard](write_guard).

#[cfg(feature = "artifacts")]
mod artifacts;
mod belongings;
mod documents;
mod hidden;
pub(crate) mod lease;
pub(crate) mod lock;
mod memory;
#[cfg(feature = "artifacts")]
mod sweep;
#[cfg(feature = "artifacts")]
pub(crate) mod uploads;
mod workspace;
mod write_guard;

#[cfg(feature = "artifacts")]
pub use artifacts::FileArtifactStore;
pub use belongings::Belongings;
pub(crate) use belongings::is_of_life;
#[cfg(feature = "doctor")]
pub(crate) use belongings::is_root_state;
pub use memory::FileMemoryStore;
pub use workspace::FileWorkspace;
