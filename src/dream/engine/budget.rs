//! The budget of calls: how many a day, how large, and how long to wait after failures.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use crate::base::day::DayPolicy;
use crate::base::usage::Usage;
use crate::format::DreamedState;

/// The bounds on calls of a model, the same for every dreamer. Defaults are those of [`JournalDreamer`](crate::JournalDreamer).
///
/// ```
/// use noctuary::DreamConfig;
///
/// let mut config = DreamConfig::default();
/// assert_eq!(config.budget.max_calls_per_day, Some(48));
/// config.budget.max_tokens_per_day = Some(200_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallBudget {
    /// The cap on calls a day; `None` for no cap. 48. An answer counts, and so does a returned failure. A call that is
    /// given up with its process or its pass does not.
    pub max_calls_per_day: Option<u32>,
    /// The cap on bytes sent a day; `None`, the default, for no cap.
    pub max_bytes_per_day: Option<u64>,
    /// The cap on tokens a day, read and written, as the host reports them; `None`, the default, for no cap. The call
    /// that goes over it is the last one.
    pub max_tokens_per_day: Option<u64>,
    /// The bound that a request asks the model to keep, in tokens. 4,096.
    pub max_output_tokens: Option<u32>,
    /// The waiting time after failures of the model; `None` never waits.
    pub back_off: Option<BackOff>,
}

impl Default for CallBudget {
    fn default() -> Self {
        Self {
            max_calls_per_day: Some(48),
            max_bytes_per_day: None,
            max_tokens_per_day: None,
            max_output_tokens: Some(4096),
            back_off: Some(BackOff::default()),
        }
    }
}

/// The waiting time after failures of the model: twice as long after each, up to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackOff {
    /// After the first failure. 15 minutes.
    pub first: Duration,
    /// At most. 24 hours.
    pub most: Duration,
}

impl BackOff {
    /// Returns the waiting time after a number of failures in a row.
    #[must_use]
    pub fn after(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        self.first.saturating_mul(1 << doublings).min(self.most)
    }
}

impl Default for BackOff {
    fn default() -> Self {
        Self { first: Duration::from_secs(15 * 60), most: Duration::from_secs(24 * 60 * 60) }
    }
}

/// The outcome of the calls so far, as the state of a dreamer has it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calls {
    pub(crate) failures: u32,
    pub(crate) next_allowed_at: Option<DateTime<Utc>>,
    pub(crate) day: Option<NaiveDate>,
    pub(crate) made: u32,
    pub(crate) bytes: u64,
    pub(crate) tokens: u64,
}

impl From<&DreamedState> for Calls {
    fn from(state: &DreamedState) -> Self {
        Self {
            failures: state.consecutive_failures,
            next_allowed_at: state.next_allowed_at,
            day: state.counted_day,
            made: state.calls_that_day,
            bytes: state.bytes_that_day,
            tokens: state.tokens_that_day,
        }
    }
}

impl Calls {
    /// Adds a call with its bytes and, if the host said so, tokens.
    pub(crate) fn called(
        mut self,
        now: DateTime<Utc>,
        day: DayPolicy,
        bytes: u64,
        usage: Option<Usage>,
    ) -> Self {
        let today = day.date(now);
        if self.day != Some(today) {
            (self.day, self.made, self.bytes, self.tokens) = (Some(today), 0, 0, 0);
        }
        let tokens = usage.map_or(0, |usage| usage.input.saturating_add(usage.output));
        self.made = self.made.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        self.tokens = self.tokens.saturating_add(tokens);
        self
    }

    /// Adds a failure, and the time of the next try.
    pub(crate) fn failed(mut self, now: DateTime<Utc>, budget: &CallBudget) -> Self {
        self.failures = self.failures.saturating_add(1);
        self.next_allowed_at = budget.back_off.and_then(|back_off| {
            now.checked_add_signed(TimeDelta::from_std(back_off.after(self.failures)).ok()?)
        });
        self
    }

    /// Writes them into the state of a dreamer.
    pub(crate) fn into_state(self, state: &mut DreamedState) {
        (state.consecutive_failures, state.next_allowed_at) = (self.failures, self.next_allowed_at);
        (state.counted_day, state.calls_that_day) = (self.day, self.made);
        (state.bytes_that_day, state.tokens_that_day) = (self.bytes, self.tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_doubles_up_to_its_limit() {
        let back_off = BackOff::default();
        let minutes: Vec<u64> = (1..=9).map(|failures| back_off.after(failures).as_secs() / 60).collect();
        assert_eq!(minutes, [15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
        assert_eq!(back_off.after(u32::MAX), back_off.most);
    }
}
