//! Settings of the learning loop.

use chrono::TimeDelta;

use super::confidence::wilson;

/// Settings of the learning loop. (seed 003, Doctor)
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LearningConfig {
    /// The confidence that a method needs before a person may graduate it: 0.55.
    pub graduation: f64,
    /// A method below this confidence is quarantined: 0.40.
    pub demotion: f64,
    /// Least number of uses at which it counts: 20.
    pub min_uses: u64,
    /// The confidence of a method without any outcome: 0.5.
    pub initial_confidence: f64,
    /// Whether nobody sits before this process, as `MINARA_NON_INTERACTIVE=1` says: hard constraints that come from elsewhere
    /// are refused then. Off.
    pub non_interactive: bool,
    /// The age at which a note waits too long for its reflection, if its role has no own age: 72 hours.
    pub backlog: TimeDelta,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            graduation: 0.55,
            demotion: 0.40,
            min_uses: 20,
            initial_confidence: 0.5,
            non_interactive: false,
            backlog: TimeDelta::hours(72),
        }
    }
}

impl LearningConfig {
    /// Returns whether these successes and uses quarantine a method.
    pub(crate) fn demotes(&self, successes: u64, uses: u64) -> bool {
        uses >= self.min_uses && wilson(successes, uses) < self.demotion
    }
}
