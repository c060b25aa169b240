//! Judging facts that contradict each other.

mod ask;
mod config;
mod dreamer;
mod run;
mod select;

pub use config::FactDreamConfig;
pub use dreamer::{FactDreamer, FactDreamerBuilder};
