//! Sleepers, and what strangers may do to them.

mod sleep;
mod sleep_attack;
