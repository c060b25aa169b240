//! The operator's day: which calendar date an instant belongs to.

use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Utc};

/// Decides which date an instant belongs to: an offset from UTC and the hour at which a day begins.
///
/// Someone who works past midnight sets a cut-off hour, and what happened at two in the morning still
/// belongs to the day before.
///
/// ```
/// use chrono::{FixedOffset, NaiveDate, TimeZone, Utc};
/// use noctuary::workspace::DayPolicy;
///
/// let policy = DayPolicy::new(FixedOffset::east_opt(3600).unwrap(), 4);
/// let night = Utc.with_ymd_and_hms(2026, 11, 21, 1, 0, 0).unwrap(); // 02:00 local
/// assert_eq!(policy.date(night), NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayPolicy {
    offset: FixedOffset,
    cutoff_hour: u8,
}

impl DayPolicy {
    /// Days in UTC that begin at midnight.
    pub const UTC: Self =
        Self { offset: FixedOffset::east_opt(0).expect("zero is an offset"), cutoff_hour: 0 };

    /// Days at `offset` that begin at `cutoff_hour`; an hour above 23 counts as 23.
    #[must_use]
    pub fn new(offset: FixedOffset, cutoff_hour: u8) -> Self {
        Self { offset, cutoff_hour: cutoff_hour.min(23) }
    }

    /// Returns the date that `instant` belongs to.
    #[must_use]
    pub fn date(self, instant: DateTime<Utc>) -> NaiveDate {
        let local = self.local(instant);
        let date = local.date();
        let before = date.pred_opt().filter(|_| local.hour() < u32::from(self.cutoff_hour));
        before.unwrap_or(date)
    }

    /// Returns what a clock on the operator's wall shows at `instant`.
    #[must_use]
    pub fn time(self, instant: DateTime<Utc>) -> NaiveTime {
        self.local(instant).time()
    }

    fn local(self, instant: DateTime<Utc>) -> NaiveDateTime {
        // As a plain sum, since a time at the end of the calendar has no local time.
        instant.naive_utc().checked_add_offset(self.offset).unwrap_or(instant.naive_utc())
    }

    /// Returns when `date` begins.
    #[must_use]
    pub fn begins(self, date: NaiveDate) -> DateTime<Utc> {
        let local = date.and_hms_opt(u32::from(self.cutoff_hour), 0, 0).expect("an hour of a day");
        local
            .and_local_timezone(self.offset)
            .single()
            .expect("a fixed offset has no gaps")
            .with_timezone(&Utc)
    }

    /// Returns the oldest date inside a window of `days` days before `instant`; `None` where the
    /// calendar ends first.
    pub(crate) fn window_start(self, instant: DateTime<Utc>, days: u32) -> Option<NaiveDate> {
        self.date(instant).checked_sub_days(Days::new(u64::from(days)))
    }
}

impl Default for DayPolicy {
    fn default() -> Self {
        Self::UTC
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Duration, TimeZone};

    #[test]
    fn two_in_the_morning_belongs_to_yesterday() {
        let policy = DayPolicy::new(FixedOffset::east_opt(0).unwrap(), 3);
        let at = |hour| policy.date(Utc.with_ymd_and_hms(2026, 3, 1, hour, 59, 59).unwrap()).to_string();
        assert_eq!(at(2), "2026-02-28");
        assert_eq!(at(3), "2026-03-01");
    }

    #[test]
    fn a_day_begins_at_its_first_instant() {
        let policy = DayPolicy::new(FixedOffset::west_opt(5 * 3600).unwrap(), 4);
        let date = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        assert_eq!(policy.date(policy.begins(date)), date);
        assert_eq!(policy.date(policy.begins(date) - Duration::nanoseconds(1)), date.pred_opt().unwrap());
    }

    #[test]
    fn the_ends_of_the_calendar_have_a_date() {
        // A state file may say any time; in the west, or before the cut-off, this one once panicked.
        for instant in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
            for hours in [-12, 0, 12] {
                let policy = DayPolicy::new(FixedOffset::east_opt(hours * 3600).unwrap(), 23);
                assert!((policy.date(instant) - instant.date_naive()).num_days().abs() <= 1);
            }
        }
    }

    #[test]
    fn the_offset_moves_the_date() {
        let west = DayPolicy::new(FixedOffset::west_opt(8 * 3600).unwrap(), 0);
        let instant = Utc.with_ymd_and_hms(2026, 3, 1, 7, 0, 0).unwrap();
        assert_eq!(west.date(instant).to_string(), "2026-02-28");
        assert_eq!(DayPolicy::UTC.date(instant).to_string(), "2026-03-01");
    }
}
