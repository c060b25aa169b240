//! Trades that happened elsewhere, as a store mirrors them: fills, spot activity, and how far each source was read.

mod fill;
mod spot;
mod store;
mod sync;

pub use fill::Fill;
pub use spot::SpotActivity;
pub use store::{MirrorStore, Mirrored};
pub use sync::{MirrorSource, SyncConfig, SyncDue, SyncState};
