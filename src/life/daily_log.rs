//! When the automatic daily log is written.

use crate::base::env;
use crate::base::error::Result;

/// The settings of a session's automatic journal.
///
/// Off by default, as in the seed. The switch governs the automatic writer alone: what a host appends
/// explicitly is always written.
///
/// ```
/// use noctuary::life::DailyLogConfig;
///
/// let config = DailyLogConfig::from_env(|name| (name == "WORKSPACE_DAILY_LOG_ENABLED").then(|| "1".into()))?;
/// let written: Vec<u64> = (1..=12).filter(|turn| config.is_due_after(*turn)).collect();
/// assert_eq!(written, [5, 10]);
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DailyLogConfig {
    /// Whether turns are written automatically. Off.
    pub enabled: bool,
    /// After how many turns. 5.
    pub interval: u64,
}

impl Default for DailyLogConfig {
    fn default() -> Self {
        Self { enabled: false, interval: 5 }
    }
}

impl DailyLogConfig {
    /// Reads `WORKSPACE_DAILY_LOG_ENABLED` and `WORKSPACE_DAILY_LOG_INTERVAL` through `lookup`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the variable whose value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let defaults = Self::default();
        Ok(Self {
            enabled: env::flag(&lookup, "WORKSPACE_DAILY_LOG_ENABLED")?.unwrap_or(defaults.enabled),
            interval: env::positive(&lookup, "WORKSPACE_DAILY_LOG_INTERVAL")?.unwrap_or(defaults.interval),
        })
    }

    /// Returns whether the turns since the last write are written after this one, counted from 1.
    #[must_use]
    pub fn is_due_after(&self, turn: u64) -> bool {
        self.enabled && self.interval > 0 && turn > 0 && turn.is_multiple_of(self.interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    /// CF-06
    #[test]
    fn the_daily_log_is_off_and_every_five_turns_unless_said_otherwise() {
        assert_eq!(
            DailyLogConfig::from_env(|_| None).unwrap(),
            DailyLogConfig { enabled: false, interval: 5 }
        );
        let three = DailyLogConfig::from_env(|name| {
            Some(if name == "WORKSPACE_DAILY_LOG_INTERVAL" { "3" } else { "1" }.to_owned())
        });
        assert_eq!((1..=7).filter(|turn| three.as_ref().unwrap().is_due_after(*turn)).count(), 2);
        for nonsense in ["0", "-1", "often"] {
            let error = DailyLogConfig::from_env(|name| {
                (name == "WORKSPACE_DAILY_LOG_INTERVAL").then(|| nonsense.to_owned())
            });
            assert!(matches!(error, Err(Error::Config { setting: "WORKSPACE_DAILY_LOG_INTERVAL", .. })));
        }
        assert!(!DailyLogConfig { enabled: false, interval: 1 }.is_due_after(1));
    }
}
