//! Sleeping: an agent that tires with what it does, dreams when it sleeps, and knows itself when it wakes up.
//!
//! Three tiers of memory, from vivid to archival. The conversation is the host's, and [`plan_trim`] says what to drop.
//! Observations are distilled by dreams. Everything that was said stays on disk.

mod about;
mod ask;
mod awake;
mod calls;
mod clean;
mod config;
mod deep;
mod dream;
mod dreamer;
mod fatigue;
mod intent;
mod night;
mod observations;
mod run;
mod trim;
mod wake;

pub use awake::Said;
pub use config::SleepConfig;
pub use dreamer::{SleepDreamer, SleepDreamerBuilder};
pub use fatigue::{Fatigue, PauseReason, SetSleep, SleepPlan, fatigue, plan_sleep, should_sleep};
pub use observations::is_stale;
pub use trim::{MessageShape, TrimPlan, plan_emergency_trim, plan_trim};
pub use wake::WakeUp;
