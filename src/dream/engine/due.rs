//! The decision whether to dream now: the interval between runs, and the breaker of costs within them.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Days, TimeDelta, Utc};

use super::budget::{CallBudget, Calls};
use crate::base::day::DayPolicy;
use crate::dreamer::NotDue;
use crate::format::DreamedState;

/// The answer to whether a dreamer is due.
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

/// Returns whether the next run of a dreamer may begin, by its state.
pub(crate) fn due(
    now: DateTime<Utc>,
    state: &DreamedState,
    interval: Duration,
    budget: &CallBudget,
    day: DayPolicy,
) -> Due {
    if let Some(not_due) = breaker(now, &state.into(), budget, day) {
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

/// Returns why no call of the model may be made now: the back-off, or a cap of the day.
pub(crate) fn breaker(
    now: DateTime<Utc>,
    calls: &Calls,
    budget: &CallBudget,
    day: DayPolicy,
) -> Option<NotDue> {
    if let (Some(next), Some(back_off)) = (calls.next_allowed_at, budget.back_off) {
        // A time further away than the longest wait was written under another clock.
        let most = TimeDelta::from_std(back_off.most).unwrap_or(TimeDelta::MAX);
        if now < next && next - now <= most {
            return Some(NotDue::BackOff { failures: calls.failures, next });
        }
    }
    let today = day.date(now);
    if calls.day != Some(today) {
        return None;
    }
    let next = day.begins(today.checked_add_days(Days::new(1)).unwrap_or(today));
    let Calls { made: calls, bytes, tokens, .. } = *calls;
    if budget.max_calls_per_day.is_some_and(|cap| calls >= cap) {
        Some(NotDue::CallsToday { calls, next })
    } else if budget.max_bytes_per_day.is_some_and(|cap| bytes >= cap) {
        Some(NotDue::BytesToday { bytes, next })
    } else if budget.max_tokens_per_day.is_some_and(|cap| tokens >= cap) {
        Some(NotDue::TokensToday { tokens, next })
    } else {
        None
    }
}
