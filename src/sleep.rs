//! Sleeping: an agent that tires with what it does, dreams when it sleeps, and knows itself when it wakes up.

pub use crate::dream::sleep::{
    Fatigue, MessageShape, PauseReason, Said, SetSleep, SleepConfig, SleepDreamer, SleepDreamerBuilder,
    SleepPlan, TrimPlan, WakeUp, fatigue, is_stale, plan_emergency_trim, plan_sleep, plan_trim, should_sleep,
};
pub use crate::dreamer::{DeepReport, PlanFault, SleepReport};
pub use crate::format::state::dreams::DreamEntry;
pub use crate::format::state::sleep_state::{SleepFiles, SleepState};
