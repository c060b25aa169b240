//! The decision whether to dream over journals: a pure function for the host's scheduler.

use chrono::{DateTime, Utc};

use super::config::DreamConfig;
use crate::dream::engine::{Due, due};
use crate::format::DreamedState;

/// Says whether a host's scheduler should call for a dream now. Calls nothing, reads nothing.
///
/// It does not know how many proposals wait. A run that finds their queue full ends at once, and is not counted as one.
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
    due(now, state, config.interval, &config.budget, config.day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::usage::Usage;
    use crate::dream::engine::{CallBudget, Calls, breaker};
    use crate::dreamer::NotDue;
    use chrono::{TimeDelta, TimeZone};

    fn now() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap()
    }

    fn broken(now: DateTime<Utc>, state: &DreamedState, config: &DreamConfig) -> Option<NotDue> {
        breaker(now, &state.into(), &config.budget, config.day)
    }

    fn on() -> DreamConfig {
        DreamConfig { enabled: true, ..DreamConfig::default() }
    }

    fn with(budget: CallBudget) -> DreamConfig {
        DreamConfig { budget, ..on() }
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
        Calls::from(&state).failed(now(), &on().budget).into_state(&mut state);
        let next = now() + TimeDelta::minutes(15);
        assert_eq!(should_dream(now(), &state, &on()), Due::NotYet(NotDue::BackOff { failures: 1, next }));
        assert_eq!(should_dream(next, &state, &on()), Due::Now);
    }

    #[test]
    fn the_days_caps_hold_until_the_next_day() {
        let config =
            with(CallBudget { max_calls_per_day: Some(2), max_bytes_per_day: Some(100), ..on().budget });
        let mut state = DreamedState::default();
        let usage = Usage { input: 30, output: 5, cached_input: 30 };
        Calls::from(&state).called(now(), config.day, 60, None).into_state(&mut state);
        assert_eq!(broken(now(), &state, &config), None);
        Calls::from(&state).called(now(), config.day, 60, Some(usage)).into_state(&mut state);
        assert!(matches!(broken(now(), &state, &config), Some(NotDue::CallsToday { calls: 2, .. })));
        let bytes = with(CallBudget { max_calls_per_day: None, ..config.budget.clone() });
        assert!(matches!(broken(now(), &state, &bytes), Some(NotDue::BytesToday { bytes: 120, .. })));
        let tokens =
            with(CallBudget { max_calls_per_day: None, max_tokens_per_day: Some(35), ..on().budget });
        assert!(matches!(broken(now(), &state, &tokens), Some(NotDue::TokensToday { tokens: 35, .. })));
        let tomorrow = broken(now(), &state, &config).unwrap().next();
        assert_eq!(broken(tomorrow, &state, &tokens), None);
        assert_eq!(broken(tomorrow, &state, &config), None);
    }
}
