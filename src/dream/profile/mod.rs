//! Rebuilding personalization: who the human is, out of what a host keeps of earlier sessions.

mod ask;
mod config;
mod dreamer;
mod history;
mod material;
mod run;

pub use config::PersonalizationConfig;
pub use dreamer::{PersonalizationDreamer, PersonalizationDreamerBuilder};
pub use history::{HistoryFn, HistoryItem, HistorySource, history_fn};
