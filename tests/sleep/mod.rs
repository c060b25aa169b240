//! Sleepers, and what strangers may do to them.

mod sleep_attack;
mod sleepers;
