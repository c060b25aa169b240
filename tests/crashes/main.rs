//! Sweeps over crashes, kills and failures of every operation. They take minutes.

#[path = "../common/mod.rs"]
mod common;
mod dream_faults;
#[path = "../dreaming/mod.rs"]
mod dreaming;
mod proposal_faults;
mod sleep_faults;
mod torture;
mod undo_faults;
mod undo_histories;
