//! Whether it is time to dream: a pure function for the host's scheduler, and the cost breaker within a run.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};

use super::config::{BackOff, DreamConfig};
use crate::base::day::DayPolicy;
use crate::base::usage::Usage;
use crate::dreamer::NotDue;
use crate::format::DreamedState;

/// The answer of [`should_dream`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Due {
    /// Dreaming is off.
    Off,
    /// Now.
    Now,
    /// Not yet, and why.
    NotYet(NotDue),
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("dreaming is off"),
            Self::Now => f.write_str("due now"),
            Self::NotYet(not_due) => write!(f, "not due: {not_due}"),
        }
    }
}

/// Says whether a host's scheduler should call for a dream now. Calls nothing, reads nothing.
///
/// It does not know how many proposals wait: a run that finds their queue full ends at once, and is not counted as one.
///
/// A failed run is tried again after its back-off, which is shorter than the interval at first. A last run
/// in the future, after the clock was set back, counts as none.
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use noctuary::dream::{Due, should_dream};
/// use noctuary::format::DreamedState;
/// use noctuary::DreamConfig;
///
/// let mut config = DreamConfig::default();
/// config.enabled = true;
/// let mut state = DreamedState::default();
/// let now = Utc::now();
/// assert_eq!(should_dream(now, &state, &config), Due::Now);
/// state.last_run_at = Some(now - TimeDelta::hours(23));
/// assert!(matches!(should_dream(now, &state, &config), Due::NotYet(_)));
/// ```
#[must_use]
pub fn should_dream(now: DateTime<Utc>, state: &DreamedState, config: &DreamConfig) -> Due {
    if !config.enabled {
        return Due::Off;
    }
    due(now, state, config.interval, &config.into())
}

/// Whether the next run of a dreamer may begin that keeps such a state.
pub(crate) fn due(now: DateTime<Utc>, state: &DreamedState, interval: Duration, bounds: &Bounds) -> Due {
    if let Some(not_due) = breaker(now, &state.into(), bounds) {
        return Due::NotYet(not_due);
    }
    let interval = TimeDelta::from_std(interval).unwrap_or(TimeDelta::MAX);
    match state.last_run_at {
        Some(last) if state.consecutive_failures == 0 && last <= now && now - last < interval => {
            Due::NotYet(NotDue::Interval {
                next: last.checked_add_signed(interval).unwrap_or(DateTime::<Utc>::MAX_UTC),
            })
        }
        _ => Due::Now,
    }
}

/// The bounds on calls of a model, as a dreamer is configured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) day: DayPolicy,
    pub(crate) back_off: Option<BackOff>,
    pub(crate) calls: Option<u32>,
    pub(crate) bytes: Option<u64>,
    pub(crate) tokens: Option<u64>,
}

impl From<&DreamConfig> for Bounds {
    fn from(config: &DreamConfig) -> Self {
        Self {
            day: config.day,
            back_off: config.back_off,
            calls: config.max_calls_per_day,
            bytes: config.max_bytes_per_day,
            tokens: config.max_tokens_per_day,
        }
    }
}

/// What came of calls so far, as the state of a dreamer has it.
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
    /// With a further call, of so many bytes and, where the host said so, tokens.
    pub(crate) fn called(
        mut self,
        now: DateTime<Utc>,
        bounds: &Bounds,
        bytes: u64,
        usage: Option<Usage>,
    ) -> Self {
        let today = bounds.day.date(now);
        if self.day != Some(today) {
            (self.day, self.made, self.bytes, self.tokens) = (Some(today), 0, 0, 0);
        }
        let tokens = usage.map_or(0, |usage| usage.input.saturating_add(usage.output));
        self.made = self.made.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        self.tokens = self.tokens.saturating_add(tokens);
        self
    }

    /// With a further failure, and when to try again.
    pub(crate) fn failed(mut self, now: DateTime<Utc>, bounds: &Bounds) -> Self {
        self.failures = self.failures.saturating_add(1);
        self.next_allowed_at = bounds.back_off.and_then(|back_off| {
            now.checked_add_signed(TimeDelta::from_std(back_off.after(self.failures)).ok()?)
        });
        self
    }

    fn into_state(self, state: &mut DreamedState) {
        (state.consecutive_failures, state.next_allowed_at) = (self.failures, self.next_allowed_at);
        (state.counted_day, state.calls_that_day) = (self.day, self.made);
        (state.bytes_that_day, state.tokens_that_day) = (self.bytes, self.tokens);
    }
}

/// What forbids a call of the model, whoever asks for it: back-off, and the day's caps.
pub(crate) fn breaker(now: DateTime<Utc>, calls: &Calls, bounds: &Bounds) -> Option<NotDue> {
    if let (Some(next), Some(back_off)) = (calls.next_allowed_at, bounds.back_off) {
        // A time further away than the longest wait was written under another clock.
        let most = TimeDelta::from_std(back_off.most).unwrap_or(TimeDelta::MAX);
        if now < next && next - now <= most {
            return Some(NotDue::BackOff { failures: calls.failures, next });
        }
    }
    let today = bounds.day.date(now);
    if calls.day != Some(today) {
        return None;
    }
    let next = bounds.day.begins(today.checked_add_days(Days::new(1)).unwrap_or(today));
    let Calls { made: calls, bytes, tokens, .. } = *calls;
    if bounds.calls.is_some_and(|cap| calls >= cap) {
        Some(NotDue::CallsToday { calls, next })
    } else if bounds.bytes.is_some_and(|cap| bytes >= cap) {
        Some(NotDue::BytesToday { bytes, next })
    } else if bounds.tokens.is_some_and(|cap| tokens >= cap) {
        Some(NotDue::TokensToday { tokens, next })
    } else {
        None
    }
}

/// Counts a call against the day.
pub(crate) fn count_call(
    state: &mut DreamedState,
    now: DateTime<Utc>,
    bounds: &Bounds,
    bytes: u64,
    usage: Option<Usage>,
) {
    Calls::from(&*state).called(now, bounds, bytes, usage).into_state(state);
}

/// Counts a failure of the model, and says when to try again.
pub(crate) fn count_failure(state: &mut DreamedState, now: DateTime<Utc>, bounds: &Bounds) {
    Calls::from(&*state).failed(now, bounds).into_state(state);
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn now() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap()
    }

    fn broken(now: DateTime<Utc>, state: &DreamedState, config: &DreamConfig) -> Option<NotDue> {
        breaker(now, &state.into(), &config.into())
    }

    fn on() -> DreamConfig {
        DreamConfig { enabled: true, ..DreamConfig::default() }
    }

    #[test]
    fn what_a_scheduler_is_told_reads_as_a_clause() {
        assert_eq!([Due::Off, Due::Now].map(|due| due.to_string()), ["dreaming is off", "due now"]);
        let next = DateTime::<Utc>::UNIX_EPOCH;
        assert_eq!(
            Due::NotYet(NotDue::Interval { next }).to_string(),
            "not due: the interval since the last run has not passed; next at 1970-01-01 00:00:00 UTC"
        );
    }

    #[test]
    fn due_after_a_day_and_not_a_minute_before() {
        let state = |ago| DreamedState { last_run_at: Some(now() - ago), ..DreamedState::default() };
        assert_eq!(should_dream(now(), &state(TimeDelta::hours(24)), &on()), Due::Now);
        let early = should_dream(now(), &state(TimeDelta::hours(24) - TimeDelta::minutes(1)), &on());
        assert_eq!(early, Due::NotYet(NotDue::Interval { next: now() + TimeDelta::minutes(1) }));
        assert_eq!(
            should_dream(now(), &state(TimeDelta::hours(-5)), &on()),
            Due::Now,
            "the clock was set back"
        );
        assert_eq!(should_dream(now(), &DreamedState::default(), &DreamConfig::default()), Due::Off);
    }

    #[test]
    fn a_failed_run_is_tried_again_after_its_back_off_and_not_after_the_interval() {
        let mut state = DreamedState { last_run_at: Some(now()), ..DreamedState::default() };
        count_failure(&mut state, now(), &(&on()).into());
        let next = now() + TimeDelta::minutes(15);
        assert_eq!(should_dream(now(), &state, &on()), Due::NotYet(NotDue::BackOff { failures: 1, next }));
        assert_eq!(should_dream(next, &state, &on()), Due::Now);
    }

    #[test]
    fn the_days_caps_hold_until_the_next_day() {
        let config = DreamConfig { max_calls_per_day: Some(2), max_bytes_per_day: Some(100), ..on() };
        let mut state = DreamedState::default();
        let usage = Usage { input: 30, output: 5, cached_input: 30 };
        count_call(&mut state, now(), &(&config).into(), 60, None);
        assert_eq!(broken(now(), &state, &config), None);
        count_call(&mut state, now(), &(&config).into(), 60, Some(usage));
        assert!(matches!(broken(now(), &state, &config), Some(NotDue::CallsToday { calls: 2, .. })));
        let bytes = DreamConfig { max_calls_per_day: None, ..config.clone() };
        assert!(matches!(broken(now(), &state, &bytes), Some(NotDue::BytesToday { bytes: 120, .. })));
        let tokens = DreamConfig { max_calls_per_day: None, max_tokens_per_day: Some(35), ..on() };
        assert!(matches!(broken(now(), &state, &tokens), Some(NotDue::TokensToday { tokens: 35, .. })));
        let tomorrow = broken(now(), &state, &config).unwrap().next();
        assert_eq!(broken(tomorrow, &state, &tokens), None);
        assert_eq!(broken(tomorrow, &state, &config), None);
    }
}
