//! The part of a report that only a sleeper fills.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The result of a sleep, in [`DreamReport::sleep`](super::DreamReport::sleep).
///
/// Holds words of the sleeper, so its `Debug` prints shapes.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SleepReport {
    /// The number of the last dream, from 1; 0 where none was ever dreamed.
    pub dream: u64,
    /// The number of tool calls that were slept off.
    pub actions: u32,
    /// The sleeper's view of itself.
    pub reflection: String,
    /// Its next step.
    pub priority: String,
    /// The result of the deep sleep, if there was one.
    pub deep: Option<DeepReport>,
    /// For how many seconds it must rest before it wakes up.
    pub pause_seconds: u64,
}

impl SleepReport {
    /// Returns the time that it must rest before it wakes up: nothing but after a deep sleep.
    #[must_use]
    pub fn pause(&self) -> Duration {
        Duration::from_secs(self.pause_seconds)
    }
}

impl fmt::Debug for SleepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SleepReport")
            .field("dream", &self.dream)
            .field("actions", &self.actions)
            .field("reflection_bytes", &self.reflection.len())
            .field("priority_bytes", &self.priority.len())
            .field("deep", &self.deep)
            .field("pause_seconds", &self.pause_seconds)
            .finish()
    }
}

/// The result of a deep sleep.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeepReport {
    /// The number of observations that were removed because the plan named them.
    pub named: u64,
    /// The number of observations that were removed because their time was over.
    pub stale: u64,
    /// Why nothing went at all, where the plan was not followed.
    pub refused: Option<PlanFault>,
    /// The priorities, at most five; where there are none, the old ones stay.
    pub priorities: Vec<String>,
    /// The number of further priorities that the model gave.
    pub priorities_left_out: u64,
    /// The number of lines that the diary was given.
    pub diary_lines: u64,
}

impl DeepReport {
    /// Returns whether there are fewer priorities than the three that were asked for. They are kept all the same.
    #[must_use]
    pub fn has_too_few_priorities(&self) -> bool {
        self.priorities.len() < 3
    }
}

impl fmt::Debug for DeepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeepReport")
            .field("named", &self.named)
            .field("stale", &self.stale)
            .field("refused", &self.refused)
            .field("priorities", &self.priorities.len())
            .field("priorities_left_out", &self.priorities_left_out)
            .field("diary_lines", &self.diary_lines)
            .finish()
    }
}

/// Why a plan to prune was not followed. Then nothing is dropped, not even what is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PlanFault {
    /// It is empty: it neither names lines nor says that all stay.
    Empty,
    /// It is no list of lines.
    Unreadable,
    /// It names a line that holds no observation, or was not shown.
    UnknownLine,
    /// It names an observation marked `RED`.
    Red,
    /// The observations hold bytes that are no text, and are left as they are.
    NotText,
}

impl fmt::Display for PlanFault {
    /// Says it to a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Empty => "the plan was empty",
            Self::Unreadable => "the plan was no list of lines",
            Self::UnknownLine => "the plan named a line that is no observation",
            Self::Red => "the plan named an observation marked RED",
            Self::NotText => "the observations hold bytes that are no text",
        })
    }
}
