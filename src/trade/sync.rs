//! How far a source of trades was read, and when it is asked again.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::base::debug::debug_as;

/// A source of trades, which is read on its own: what fails for one never touches another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MirrorSource {
    /// The fills of a sub-wallet, by its id.
    PerpsFills(String),
    /// Spot activity.
    Spot,
}

impl MirrorSource {
    /// Returns the name under which its state is kept, and the sub-wallet, which is empty for spot activity.
    #[must_use]
    pub fn key(&self) -> (&'static str, &str) {
        match self {
            Self::PerpsFills(sub) => ("perps_fills", sub),
            Self::Spot => ("spot_activities", ""),
        }
    }
}

debug_as!(MirrorSource, |it| "MirrorSource({})", it.key().0);

impl fmt::Display for MirrorSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key().0)
    }
}

/// How far a source was read.
#[derive(Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SyncState {
    /// The time of the latest trade that was read, in milliseconds since the epoch.
    pub last_synced_ts_ms: Option<i64>,
    /// When it was read last, without an error.
    pub last_synced_at: Option<DateTime<Utc>>,
    /// When it was tried last.
    pub last_tried_at: Option<DateTime<Utc>>,
    /// The error of the last try, with secrets masked; `None` where it ended well.
    pub last_error: Option<String>,
    /// How many tries in a row failed.
    pub consecutive_failures: u32,
}

debug_as!(
    SyncState,
    |it| "SyncState {{ {:?}, failures: {} }}",
    it.last_synced_ts_ms,
    it.consecutive_failures
);

/// When a source that fails is asked again. (seed 003, history sync; its numbers are not told, ours are)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncConfig {
    /// Number of failures in a row after which a source rests: `historySyncMaxFailures`. 5.
    pub max_failures: u32,
    /// For so long since the last try: `historySyncFailureCooldownMs`. 30 minutes.
    pub failure_cooldown: Duration,
}

impl Default for SyncConfig {
    fn default() -> Self {
        Self { max_failures: 5, failure_cooldown: Duration::from_secs(30 * 60) }
    }
}

/// Whether a source is to be asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncDue {
    /// Yes.
    Now,
    /// Yes: it failed too often, and its rest is over.
    Probe,
    /// It failed too often, and rests until then.
    Resting(DateTime<Utc>),
}

impl SyncState {
    /// Says whether the source is to be asked now. A last try in the future is of another clock, and does not count.
    ///
    /// ```
    /// use chrono::{TimeDelta, TimeZone, Utc};
    /// use noctuary::finance::{SyncConfig, SyncDue, SyncState};
    ///
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let mut state = SyncState::default();
    /// assert_eq!(state.due(&SyncConfig::default(), now), SyncDue::Now);
    /// (state.consecutive_failures, state.last_tried_at) = (5, Some(now));
    /// let later = now + TimeDelta::minutes(30);
    /// assert_eq!(state.due(&SyncConfig::default(), now), SyncDue::Resting(later));
    /// assert_eq!(state.due(&SyncConfig::default(), later), SyncDue::Probe);
    /// ```
    #[must_use]
    pub fn due(&self, config: &SyncConfig, now: DateTime<Utc>) -> SyncDue {
        if self.consecutive_failures < config.max_failures.max(1) {
            return SyncDue::Now;
        }
        let Some(tried) = self.last_tried_at.filter(|tried| *tried <= now) else { return SyncDue::Probe };
        match chrono::TimeDelta::from_std(config.failure_cooldown)
            .ok()
            .and_then(|rest| tried.checked_add_signed(rest))
        {
            Some(until) if now >= until => SyncDue::Probe,
            Some(until) => SyncDue::Resting(until),
            None => SyncDue::Resting(DateTime::<Utc>::MAX_UTC),
        }
    }
}
