//! The tiredness of a sleeper, and the result when it wants to sleep: pure functions.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::SleepConfig;
use crate::base::error::{Error, Result};
use crate::dream::engine::{Due, breaker};
use crate::dreamer::NotDue;
use crate::format::SleepState;

/// The tiredness of a sleeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fatigue {
    /// It may go on.
    Awake,
    /// It should wrap up, and is told so: once in a cycle.
    Warning,
    /// It must sleep now: dream, trim the conversation, wake up.
    Forced,
}

impl Fatigue {
    /// Returns the system message that a host gives to the agent; `None` if there is nothing to say.
    #[must_use]
    pub fn message(self) -> Option<&'static str> {
        match self {
            Self::Awake => None,
            Self::Warning => Some(
                "You have been active for a while and grow tired. Bring what you do to an end, and sleep.",
            ),
            Self::Forced => Some("You are exhausted and fall asleep now."),
        }
    }
}

/// Says how tired a sleeper is, by its actions alone: neither tokens nor the time of the last dream count.
///
/// ```
/// use noctuary::sleep::{Fatigue, SleepConfig, SleepState, fatigue};
///
/// let (config, mut state) = (SleepConfig::default(), SleepState::default());
/// for (actions, tired) in [(59, Fatigue::Awake), (60, Fatigue::Warning), (80, Fatigue::Forced)] {
///     state.actions = actions;
///     assert_eq!(fatigue(&state, &config), tired);
/// }
/// ```
#[must_use]
pub fn fatigue(state: &SleepState, config: &SleepConfig) -> Fatigue {
    if state.actions >= config.fatigue_limit {
        Fatigue::Forced
    } else if state.actions >= config.fatigue_warning && !state.warned {
        Fatigue::Warning
    } else {
        Fatigue::Awake
    }
}

/// The plan of a voluntary sleep. The host does the sleeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SleepPlan {
    /// For how long.
    pub duration: Duration,
    /// Whether to dream first.
    pub dreams: bool,
    /// Why not, where it does not.
    pub pause: Option<PauseReason>,
}

/// Why a sleep is no more than a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PauseReason {
    /// It is a quick nap.
    Short,
    /// The last dream was a moment ago.
    DreamedJustNow,
    /// Dreaming is off.
    Off,
    /// No model may be asked now: it failed a moment ago, or the day's calls are used up.
    Waits(NotDue),
}

/// Says whether a host's scheduler should have it dream now. Calls nothing, reads nothing.
///
/// An exhausted sleeper is due as soon as a model may be asked. Another one where its last dream is longer ago than
/// [`min_dream_interval`](SleepConfig::min_dream_interval). A last dream in the future, after the clock was set back,
/// counts as none.
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use noctuary::dream::Due;
/// use noctuary::sleep::{SleepConfig, SleepState, should_sleep};
///
/// let (mut config, mut state, now) = (SleepConfig::default(), SleepState::default(), Utc::now());
/// assert_eq!(should_sleep(now, &state, &config), Due::Off);
/// config.enabled = true;
/// state.last_dream_at = Some(now - TimeDelta::minutes(3));
/// assert!(matches!(should_sleep(now, &state, &config), Due::NotYet(_)));
/// state.actions = 80;
/// assert_eq!(should_sleep(now, &state, &config), Due::Now);
/// ```
#[must_use]
pub fn should_sleep(now: DateTime<Utc>, state: &SleepState, config: &SleepConfig) -> Due {
    if !config.enabled {
        return Due::Off;
    }
    if let Some(not_due) = breaker(now, &state.into(), &config.budget, config.day) {
        return Due::NotYet(not_due);
    }
    let is_forced = fatigue(state, config) == Fatigue::Forced;
    match state.last_dream_at {
        Some(last) if !is_forced && is_just_now(last, now, config) => {
            let next = TimeDelta::from_std(config.min_dream_interval).ok();
            let next = next.and_then(|interval| last.checked_add_signed(interval));
            let next = next.unwrap_or(DateTime::<Utc>::MAX_UTC);
            Due::NotYet(NotDue::Interval { next })
        }
        _ => Due::Now,
    }
}

fn is_just_now(last: DateTime<Utc>, now: DateTime<Utc>, config: &SleepConfig) -> bool {
    last <= now && now - last <= TimeDelta::from_std(config.min_dream_interval).unwrap_or(TimeDelta::MAX)
}

/// Plans a sleep that the agent asked for. Reads nothing, changes nothing.
///
/// It dreams where it lasts as long as [`quick_nap`](SleepConfig::quick_nap) and the last dream is longer ago than
/// [`min_dream_interval`](SleepConfig::min_dream_interval). An exhausted sleeper dreams whatever it asked for. A last
/// dream in the future, after the clock was set back, counts as none. Where no model may be asked it only pauses, and
/// an exhausted one stays exhausted.
///
/// ```
/// use chrono::Utc;
/// use noctuary::sleep::{SleepConfig, SleepState, plan_sleep};
///
/// let mut config = SleepConfig::default();
/// config.enabled = true;
/// assert!(plan_sleep(30, Utc::now(), &SleepState::default(), &config).dreams);
/// assert!(!plan_sleep(29, Utc::now(), &SleepState::default(), &config).dreams);
/// ```
#[must_use]
pub fn plan_sleep(seconds: u64, now: DateTime<Utc>, state: &SleepState, config: &SleepConfig) -> SleepPlan {
    let duration = Duration::from_secs(seconds);
    let pause = if !config.enabled {
        Some(PauseReason::Off)
    } else if let Some(not_due) = breaker(now, &state.into(), &config.budget, config.day) {
        Some(PauseReason::Waits(not_due))
    } else if fatigue(state, config) == Fatigue::Forced {
        None
    } else if duration < config.quick_nap {
        Some(PauseReason::Short)
    } else if state.last_dream_at.is_some_and(|last| is_just_now(last, now, config)) {
        Some(PauseReason::DreamedJustNow)
    } else {
        None
    };
    SleepPlan { duration, dreams: pause.is_none(), pause }
}

/// The arguments of the tool `set_sleep`.
///
/// ```
/// use noctuary::sleep::SetSleep;
///
/// assert_eq!(SetSleep::schema()["name"], "set_sleep");
/// assert_eq!(SetSleep::parse(r#"{"seconds": 300}"#)?.seconds, 300);
/// assert!(SetSleep::parse(r#"{"seconds": "long"}"#).is_err());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetSleep {
    /// For how many seconds.
    pub seconds: u64,
}

impl SetSleep {
    /// Returns the tool's definition for a model: name, description, and the schema of its arguments.
    #[must_use]
    pub fn schema() -> Value {
        json!({
            "name": "set_sleep",
            "description": "Sleep for a while. What you did is turned into observations first, unless it is a quick nap.",
            "input_schema": {
                "type": "object",
                "properties": {
                    "seconds": { "type": "integer", "minimum": 1, "description": "For how many seconds." }
                },
                "required": ["seconds"]
            }
        })
    }

    /// Parses the arguments that a model gave.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where there is no whole number of seconds from 1.
    pub fn parse(arguments: &str) -> Result<Self> {
        let parsed = serde_json::from_str(arguments).ok().filter(|set: &Self| set.seconds > 0);
        parsed.ok_or(Error::Config { setting: "seconds", rule: "must be a whole number from 1" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::usage::Usage;
    use crate::dream::engine::{CallBudget, Calls};
    use chrono::TimeZone;

    fn now() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap()
    }

    fn on() -> SleepConfig {
        SleepConfig { enabled: true, ..SleepConfig::default() }
    }

    fn with(budget: CallBudget) -> SleepConfig {
        SleepConfig { budget, ..on() }
    }

    fn tired(actions: u32, warned: bool) -> Fatigue {
        fatigue(&SleepState { actions, warned, ..SleepState::default() }, &on())
    }

    // SL-11, SL-12.
    #[test]
    fn the_warning_comes_once_and_the_limit_stays() {
        assert_eq!([59, 60, 61, 79].map(|actions| tired(actions, false)), {
            use Fatigue::{Awake, Warning};
            [Awake, Warning, Warning, Warning]
        });
        assert_eq!([60, 61, 79].map(|actions| tired(actions, true)), [Fatigue::Awake; 3]);
        assert_eq!([80, 81, u32::MAX].map(|actions| tired(actions, true)), [Fatigue::Forced; 3]);
    }

    // SL-14, SL-15.
    #[test]
    fn naps_and_sleeps_soon_after_a_dream_only_pause() {
        let plan = |seconds, ago: TimeDelta| {
            let state = SleepState { last_dream_at: Some(now() - ago), ..SleepState::default() };
            plan_sleep(seconds, now(), &state, &on()).pause
        };
        let ten = TimeDelta::minutes(10);
        assert_eq!(plan(30, ten + TimeDelta::milliseconds(1)), None);
        assert_eq!(plan(30, ten), Some(PauseReason::DreamedJustNow));
        assert_eq!(plan(29, TimeDelta::days(1)), Some(PauseReason::Short));
        assert_eq!(plan(u64::MAX, TimeDelta::days(1)), None);
        assert_eq!(plan(30, -TimeDelta::hours(5)), None, "the clock was set back");
        let off = plan_sleep(300, now(), &SleepState::default(), &SleepConfig::default());
        assert_eq!((off.dreams, off.pause), (false, Some(PauseReason::Off)));
    }

    // SL-12, SL-28.
    #[test]
    fn the_limit_dreams_whatever_the_interval_and_the_nap() {
        let last_dream_at = Some(now() - TimeDelta::minutes(3));
        let state = SleepState { actions: 80, last_dream_at, ..SleepState::default() };
        assert!(plan_sleep(1, now(), &state, &on()).dreams);
    }

    // SL-12, SL-14: what a curator goes by holds here too.
    #[test]
    fn a_failed_model_and_a_days_calls_hold_an_exhausted_sleeper_back() {
        let mut state = SleepState { actions: 80, ..SleepState::default() };
        Calls::from(&state).failed(now(), &on().budget).into_sleep(&mut state);
        let next = now() + TimeDelta::seconds(60);
        let not_due = NotDue::BackOff { failures: 1, next };
        assert_eq!(should_sleep(now(), &state, &on()), Due::NotYet(not_due));
        assert_eq!(plan_sleep(300, now(), &state, &on()).pause, Some(PauseReason::Waits(not_due)));
        assert_eq!(should_sleep(next, &state, &on()), Due::Now);
        assert_eq!(
            should_sleep(now() - TimeDelta::days(9), &state, &on()),
            Due::Now,
            "the clock was set back"
        );

        let config = with(CallBudget { max_calls_per_day: Some(1), ..on().budget });
        let mut state = SleepState { actions: 80, ..SleepState::default() };
        let usage = Usage { input: 30, output: 5, cached_input: 0 };
        Calls::from(&state).called(now(), config.day, 10, Some(usage)).into_sleep(&mut state);
        let Due::NotYet(used @ NotDue::CallsToday { calls: 1, .. }) = should_sleep(now(), &state, &config)
        else {
            panic!("the day's call is used up")
        };
        assert_eq!(should_sleep(used.next(), &state, &config), Due::Now);
        let config = with(CallBudget { max_bytes_per_day: Some(10), ..on().budget });
        assert!(matches!(
            should_sleep(now(), &state, &config),
            Due::NotYet(NotDue::BytesToday { bytes: 10, .. })
        ));
        let config = with(CallBudget { max_tokens_per_day: Some(35), ..on().budget });
        assert!(matches!(
            should_sleep(now(), &state, &config),
            Due::NotYet(NotDue::TokensToday { tokens: 35, .. })
        ));
    }

    // SL-13, TL-04.
    #[test]
    fn the_tool_takes_seconds_and_nothing_else() {
        assert_eq!(SetSleep::schema()["input_schema"]["required"][0], "seconds");
        assert_eq!(SetSleep::parse(r#"{"seconds":30,"why":"tired"}"#).unwrap().seconds, 30);
        for nonsense in ["", "30", "{}", r#"{"seconds":0}"#, r#"{"seconds":-1}"#, r#"{"seconds":1.5}"#] {
            assert!(SetSleep::parse(nonsense).is_err(), "{nonsense}");
        }
    }
}
