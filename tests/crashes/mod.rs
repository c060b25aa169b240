//! Sweeps over crashes, kills and failures of every operation. They take minutes.

#![allow(clippy::duplicate_mod, reason = "the helpers of dreaming and of processes share one person")]

mod dream_faults;
mod proposal_faults;
mod sleep_faults;
mod torture;
mod undo_faults;
mod undo_histories;
