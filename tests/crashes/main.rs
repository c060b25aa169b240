//! Sweeps over crashes, kills and failures of every operation. They take minutes.

#![allow(clippy::duplicate_mod, reason = "the helpers of dreaming and of processes share one person")]

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
