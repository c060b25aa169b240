//! The lifetime of an observation.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Timelike, Utc};

use super::config::SleepConfig;
use crate::format::{Mark, Observation};

/// Returns whether the time of an observation is over: `GRN` after 48 hours, the others never.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::format::Observations;
/// use noctuary::sleep::{SleepConfig, is_stale};
///
/// let observations = Observations::parse("## 2026-02-12\n\nGRN 09:32 tests pass\nYLW 09:32 a review is open\n");
/// let [green, yellow]: [_; 2] = observations.entries().map(|(_, one)| one).collect::<Vec<_>>().try_into().unwrap();
/// let (at, config) = (Utc.with_ymd_and_hms(2026, 2, 14, 9, 33, 0).unwrap(), SleepConfig::default());
/// assert!(is_stale(green, at, &config) && !is_stale(yellow, at, &config));
/// ```
#[must_use]
pub fn is_stale(observation: &Observation, now: DateTime<Utc>, config: &SleepConfig) -> bool {
    let lasts = TimeDelta::from_std(config.green_lasts).unwrap_or(TimeDelta::MAX);
    observation.mark == Mark::Green && now.signed_duration_since(observation.instant(config.day)) > lasts
}

impl Observation {
    /// Makes an observation of a minute.
    pub(crate) fn new(date: NaiveDate, time: NaiveTime, mark: Mark, text: &str) -> Self {
        let time = NaiveTime::from_hms_opt(time.hour(), time.minute(), 0).expect("a minute of a day");
        Self { date, time, mark, text: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    // SL-07.
    #[test]
    fn green_fades_after_forty_eight_hours_and_the_others_never() {
        let at = Utc.with_ymd_and_hms(2026, 2, 12, 9, 0, 0).unwrap();
        let config = SleepConfig::default();
        let after = |mark, hours| {
            let one = Observation::new(config.day.date(at), config.day.time(at), mark, "x");
            is_stale(&one, at + TimeDelta::hours(hours), &config)
        };
        assert_eq!([47, 48, 49].map(|hours| after(Mark::Green, hours)), [false, false, true]);
        assert!(!after(Mark::Yellow, 10_000) && !after(Mark::Red, 10_000));
        assert!(!after(Mark::Green, -10_000), "the clock was set back");
    }
}
