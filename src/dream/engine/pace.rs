//! Limits on the calls of a model, and on the bytes sent to it.

use std::time::Duration;

use chrono::{DateTime, Days, Utc};

use super::budget::{CallBudget, Calls};
use super::due::{Due, breaker, due};
use crate::base::day::DayPolicy;
use crate::base::error::{Result, check_rules};
use crate::dreamer::{NotDue, Outcome, PassReport};
use crate::format::DreamedState;
use crate::workspace::ClaimTerms;

/// Limits on calls of a model and on bytes sent, for the dreamers of a store: [`FactDreamer`](crate::dream::FactDreamer) and
/// [`PersonalizationDreamer`](crate::dream::PersonalizationDreamer).
///
/// ```
/// use std::time::Duration;
/// use noctuary::dream::Pace;
///
/// let mut pace = Pace::default();
/// assert_eq!((pace.max_passes, pace.budget.max_calls_per_day), (4, Some(24)));
/// pace.interval = Duration::ZERO; // ask whenever the host calls
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pace {
    /// The least time between two runs that ask; nothing at all for none. An hour. A failed run is tried again after its
    /// back-off.
    pub interval: Duration,
    /// The most calls of one run. 4.
    pub max_passes: u32,
    /// The cap on one request, in bytes, its instructions included. 32 KiB.
    pub request_bytes: usize,
    /// Calls a day, their size, and the waiting time after failures: 24 calls and 512 KiB.
    pub budget: CallBudget,
    /// The rule that gives an instant its day.
    pub day: DayPolicy,
    /// Terms for claiming the workspace.
    pub claim: ClaimTerms,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(60 * 60),
            max_passes: 4,
            request_bytes: 32 << 10,
            budget: CallBudget {
                max_calls_per_day: Some(24),
                max_bytes_per_day: Some(512 << 10),
                ..CallBudget::default()
            },
            day: DayPolicy::UTC,
            claim: ClaimTerms::default(),
        }
    }
}

/// The least cap on a request: instructions alone take a part of it.
const LEAST_REQUEST: usize = 8 << 10;

impl Pace {
    pub(crate) fn validate(&self) -> Result<()> {
        let rules = [
            (self.max_passes == 0, "pace.max_passes", "must be at least 1"),
            (self.request_bytes < LEAST_REQUEST, "pace.request_bytes", "must be at least 8 KiB"),
            (self.claim.ttl < Duration::from_secs(1), "pace.claim.ttl", "must be at least a second"),
        ];
        check_rules(&rules)
    }

    /// Returns whether a run may begin.
    pub(crate) fn due(&self, now: DateTime<Utc>, enabled: bool, state: &DreamedState) -> Due {
        if enabled { due(now, state, self.interval, &self.budget, self.day) } else { Due::Off }
    }

    /// Returns the reason that forbids a further call of a run.
    pub(crate) fn breaker(&self, now: DateTime<Utc>, state: &DreamedState) -> Option<NotDue> {
        breaker(now, &state.into(), &self.budget, self.day)
    }

    /// Returns the most bytes of the next request.
    pub(crate) fn room(&self, now: DateTime<Utc>, state: &DreamedState) -> usize {
        let sent = if state.counted_day == Some(self.day.date(now)) { state.bytes_that_day } else { 0 };
        let left = self.budget.max_bytes_per_day.map_or(u64::MAX, |cap| cap.saturating_sub(sent));
        self.request_bytes.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Returns the reason why no further request fits into the day.
    pub(crate) fn used_up(&self, now: DateTime<Utc>, state: &DreamedState) -> NotDue {
        let today = self.day.date(now);
        let next = self.day.begins(today.checked_add_days(Days::new(1)).unwrap_or(today));
        NotDue::BytesToday { bytes: state.bytes_that_day, next }
    }

    /// Counts a call against the day.
    pub(crate) fn count(&self, state: &mut DreamedState, now: DateTime<Utc>, pass: &PassReport) {
        Calls::from(&*state).called(now, self.day, pass.request_bytes, pass.usage).into_state(state);
    }

    /// Notes how a call ended.
    pub(crate) fn stamp(&self, state: &mut DreamedState, now: DateTime<Utc>, outcome: Outcome) {
        state.last_run_at = Some(now);
        state.last_outcome = Some(outcome.as_str().to_owned());
        if outcome == Outcome::LlmError {
            Calls::from(&*state).failed(now, &self.budget).into_state(state);
        } else {
            state.consecutive_failures = 0;
            state.next_allowed_at = None;
        }
    }
}
