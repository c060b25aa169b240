//! Sleep: an agent that tires with each tool call, dreams while it sleeps, and is told who it is at waking.
//!
//! ```
//! use std::sync::Arc;
//! use chrono::{TimeDelta, Utc};
//! use noctuary::sleep::{Said, SleepDreamer};
//! use noctuary::{Access, FileWorkspace, LlmReply, Scope, dream_once_at, llm_fn};
//!
//! # let folder = tempfile::tempdir()?;
//! let now = Utc::now();
//! let creature = SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
//! creature.log(&[Said::new("assistant", "My pull request was merged.").calls(61)], now)?;
//! if creature.fall_asleep(300, now)?.dreams {
//!     let mind = llm_fn(|_| Ok(LlmReply::new("OBSERVATIONS:\nRED 09:32 PR merged\n\nREFLECTION:\nAt last.\n\nPRIORITY:\nRest.")));
//!     dream_once_at(&creature, &mind, &|| now)?;
//! }
//! let private = Access::agent(Scope::user("creator"));
//! let message = creature.wake(&private, now + TimeDelta::seconds(300))?; // the first message of its next cycle
//! assert!(message.to_string().contains("RED 09:32 PR merged"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`SleepConfig`], [`SleepDreamerBuilder`] | settings: limits of actions, intervals, the folder |
//! | [`should_sleep`], [`fatigue`], [`Fatigue`] | whether it is time, and how tired it is |
//! | [`SetSleep`], [`plan_sleep`], [`SleepPlan`], [`PauseReason`] | the tool `set_sleep`, and its result |
//! | [`Said`] | a message for the log |
//! | [`WakeUp`] | the message after a sleep, with warnings |
//! | [`plan_trim`], [`plan_emergency_trim`], [`MessageShape`], [`TrimPlan`] | which messages of a conversation to drop |
//! | [`is_stale`] | whether an observation is over |
//! | [`SleepReport`], [`DeepReport`], [`PlanFault`] | the result of a dream, in [`DreamReport`](crate::DreamReport) |
//! | [`SleepState`], [`SleepFiles`], [`DreamEntry`] | its state and files |
//!
//! # Limits
//!
//! - Dreaming is off until it is enabled. The host does the sleeping: nothing here waits.
//! - One workspace has one sleeper.
//! - Only a main session may read its folder.
//! - The host counts tool calls: [`Said::calls`] says how many a message makes.
//!
//! The manual has [its files, byte by byte](crate::manual::formats#a-sleepers-files).

pub use crate::dream::sleep::{
    Fatigue, MessageShape, PauseReason, Said, SetSleep, SleepConfig, SleepDreamer, SleepDreamerBuilder,
    SleepPlan, TrimPlan, WakeUp, fatigue, is_stale, plan_emergency_trim, plan_sleep, plan_trim, should_sleep,
};
pub use crate::dreamer::{DeepReport, PlanFault, SleepReport};
pub use crate::format::state::dreams::DreamEntry;
pub use crate::format::state::sleep_files::SleepFiles;
pub use crate::format::state::sleep_state::SleepState;
