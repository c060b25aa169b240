//! Whether it is time to dream: a pure function for the host's scheduler, and the cost breaker within a run.

use chrono::{DateTime, Days, TimeDelta, Utc};

use super::config::DreamConfig;
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

/// Says whether a host's scheduler should call for a dream now. Calls nothing, reads nothing.
///
/// A failed run is tried again after its back-off, which is shorter than the interval at first. A last run
/// in the future, after the clock was set back, counts as none.
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use noctuary::{DreamConfig, DreamedState, Due, should_dream};
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
    if let Some(not_due) = breaker(now, state, config) {
        return Due::NotYet(not_due);
    }
    let interval = TimeDelta::from_std(config.interval).unwrap_or(TimeDelta::MAX);
    match state.last_run_at {
        Some(last) if state.consecutive_failures == 0 && last <= now && now - last < interval => {
            Due::NotYet(NotDue::Interval {
                next: last.checked_add_signed(interval).unwrap_or(DateTime::<Utc>::MAX_UTC),
            })
        }
        _ => Due::Now,
    }
}

/// What forbids a call of the model, whoever asks for it: back-off, and the day's caps.
pub(crate) fn breaker(now: DateTime<Utc>, state: &DreamedState, config: &DreamConfig) -> Option<NotDue> {
    if let (Some(next), Some(back_off)) = (state.next_allowed_at, config.back_off) {
        // A time further away than the longest wait was written under another clock.
        let most = TimeDelta::from_std(back_off.most).unwrap_or(TimeDelta::MAX);
        if now < next && next - now <= most {
            return Some(NotDue::BackOff { failures: state.consecutive_failures, next });
        }
    }
    let today = config.day.date(now);
    if state.counted_day != Some(today) {
        return None;
    }
    let next = config.day.begins(today.checked_add_days(Days::new(1)).unwrap_or(today));
    let (calls, bytes) = (state.calls_that_day, state.bytes_that_day);
    if config.max_calls_per_day.is_some_and(|cap| calls >= cap) {
        Some(NotDue::CallsToday { calls, next })
    } else if config.max_bytes_per_day.is_some_and(|cap| bytes >= cap) {
        Some(NotDue::BytesToday { bytes, next })
    } else {
        None
    }
}

/// Counts a call against the day.
pub(crate) fn count_call(state: &mut DreamedState, now: DateTime<Utc>, config: &DreamConfig, bytes: u64) {
    let today = config.day.date(now);
    if state.counted_day != Some(today) {
        state.counted_day = Some(today);
        state.calls_that_day = 0;
        state.bytes_that_day = 0;
    }
    state.calls_that_day = state.calls_that_day.saturating_add(1);
    state.bytes_that_day = state.bytes_that_day.saturating_add(bytes);
}

/// Counts a failure of the model, and says when to try again.
pub(crate) fn count_failure(state: &mut DreamedState, now: DateTime<Utc>, config: &DreamConfig) {
    state.consecutive_failures = state.consecutive_failures.saturating_add(1);
    state.next_allowed_at = config.back_off.and_then(|back_off| {
        now.checked_add_signed(TimeDelta::from_std(back_off.after(state.consecutive_failures)).ok()?)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn now() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap()
    }

    fn on() -> DreamConfig {
        DreamConfig { enabled: true, ..DreamConfig::default() }
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
        count_failure(&mut state, now(), &on());
        let next = now() + TimeDelta::minutes(15);
        assert_eq!(should_dream(now(), &state, &on()), Due::NotYet(NotDue::BackOff { failures: 1, next }));
        assert_eq!(should_dream(next, &state, &on()), Due::Now);
    }

    #[test]
    fn the_days_caps_hold_until_the_next_day() {
        let config = DreamConfig { max_calls_per_day: Some(2), max_bytes_per_day: Some(100), ..on() };
        let mut state = DreamedState::default();
        count_call(&mut state, now(), &config, 60);
        assert_eq!(breaker(now(), &state, &config), None);
        count_call(&mut state, now(), &config, 60);
        assert!(matches!(breaker(now(), &state, &config), Some(NotDue::CallsToday { calls: 2, .. })));
        let bytes = DreamConfig { max_calls_per_day: None, ..config.clone() };
        assert!(matches!(breaker(now(), &state, &bytes), Some(NotDue::BytesToday { bytes: 120, .. })));
        let tomorrow = breaker(now(), &state, &config).unwrap().next();
        assert_eq!(breaker(tomorrow, &state, &config), None);
    }
}
