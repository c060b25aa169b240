//! Settings for reflecting on notes: a plain value.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;

use crate::base::error::{Result, check_rules};
use crate::dream::engine::Pace;

/// Settings of a [`RoleDreamer`](super::RoleDreamer).
///
/// ```
/// use chrono::TimeDelta;
/// use noctuary::dream::RoleConfig;
///
/// let mut config = RoleConfig::default();
/// assert!(!config.enabled, "nobody is asked until somebody turns it on");
/// config.ages.insert("reviewer".to_owned(), TimeDelta::hours(2));
/// assert_eq!(config.age_of("reviewer"), TimeDelta::hours(2));
/// assert_eq!(config.age_of("planner"), TimeDelta::hours(24));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RoleConfig {
    /// Whether to reflect at all. Off: nothing is touched, and nobody is called.
    pub enabled: bool,
    /// The age from which a note is reflected on, where its role has none of its own: 24 hours.
    pub age: TimeDelta,
    /// The ages of roles.
    pub ages: BTreeMap<String, TimeDelta>,
    /// The most notes of a run: 8, the oldest first.
    pub notes: usize,
    /// New lessons from which methods are formed, where the dreamer has a store of methods: 5.
    pub lessons: usize,
    /// Limits on the calls of the model: every 24 hours, six times a day.
    pub pace: Pace,
}

impl Default for RoleConfig {
    fn default() -> Self {
        let mut pace = Pace { interval: Duration::from_secs(24 * 60 * 60), max_passes: 3, ..Pace::default() };
        pace.budget.max_calls_per_day = Some(6);
        Self { enabled: false, age: TimeDelta::hours(24), ages: BTreeMap::new(), notes: 8, lessons: 5, pace }
    }
}

impl RoleConfig {
    /// Returns the age from which a note of a role is reflected on.
    #[must_use]
    pub fn age_of(&self, role: &str) -> TimeDelta {
        self.ages.get(role).copied().unwrap_or(self.age)
    }

    /// Checks the bounds of all values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the setting and its rule.
    pub fn validate(&self) -> Result<()> {
        let is_negative = |age: &TimeDelta| *age < TimeDelta::zero();
        let rules = [
            (is_negative(&self.age), "age", "must not be negative"),
            (self.ages.values().any(is_negative), "ages", "must not be negative"),
            (self.notes == 0, "notes", "must be at least 1"),
            (self.lessons == 0, "lessons", "must be at least 1"),
        ];
        check_rules(&rules)?;
        self.pace.validate()
    }
}
