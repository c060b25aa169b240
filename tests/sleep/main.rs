//! Sleepers, and what strangers may do to them.

#[path = "../dreaming/mod.rs"]
mod dreaming;
mod sleep;
mod sleep_attack;
