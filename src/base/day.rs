//! The operator's day: which calendar date an instant belongs to.

mod zone;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc};

pub use zone::Zone;

/// Decides which date an instant belongs to: a time zone and the hour at which a day begins.
///
/// Someone who works past midnight sets a cut-off hour. Two in the morning then still belongs to the day before. Where
/// a zone's clock changes, a day has 23 or 25 hours. Each instant belongs to one day, and a later instant never to an
/// earlier day.
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
    zone: Zone,
    cutoff_hour: u8,
}

impl DayPolicy {
    /// Days in UTC that begin at midnight.
    pub const UTC: Self = Self { zone: Zone::UTC, cutoff_hour: 0 };

    /// Days in a [`Zone`], or at an offset, that begin at `cutoff_hour`; an hour above 23 counts as 23.
    #[must_use]
    pub fn new(zone: impl Into<Zone>, cutoff_hour: u8) -> Self {
        Self { zone: zone.into(), cutoff_hour: cutoff_hour.min(23) }
    }

    /// Returns the time zone.
    #[must_use]
    pub fn zone(self) -> Zone {
        self.zone
    }

    /// Returns the hour at which a day begins, from 0 to 23.
    #[must_use]
    pub fn cutoff_hour(self) -> u8 {
        self.cutoff_hour
    }

    /// Returns the date that `instant` belongs to.
    #[must_use]
    pub fn date(self, instant: DateTime<Utc>) -> NaiveDate {
        let local = self.local(instant);
        let date = local.date();
        let before = date.pred_opt().filter(|_| local.hour() < u32::from(self.cutoff_hour));
        let date = before.unwrap_or(date);
        // A clock that is put back over the cut-off hour does not bring a day back.
        let next = date.succ_opt().filter(|next| !self.zone.is_fixed() && self.begins(*next) <= instant);
        next.unwrap_or(date)
    }

    /// Returns what a clock on the operator's wall shows at `instant`.
    #[must_use]
    pub fn time(self, instant: DateTime<Utc>) -> NaiveTime {
        self.local(instant).time()
    }

    fn local(self, instant: DateTime<Utc>) -> NaiveDateTime {
        let utc = instant.naive_utc();
        // As a plain sum, since a time at the end of the calendar has no local time.
        utc.checked_add_offset(self.zone.offset_at(utc)).unwrap_or(utc)
    }

    /// Returns when `date` begins.
    #[must_use]
    pub fn begins(self, date: NaiveDate) -> DateTime<Utc> {
        let local = date.and_hms_opt(u32::from(self.cutoff_hour), 0, 0).expect("an hour of a day");
        self.first(local)
    }

    /// Returns the first instant of the day `date` at which the clock shows `time`, or a later one if it skips that. A
    /// time before the hour at which days begin is of the night that ends the day.
    #[must_use]
    pub fn instant(self, date: NaiveDate, time: NaiveTime) -> DateTime<Utc> {
        let next = date.succ_opt().filter(|_| time.hour() < u32::from(self.cutoff_hour));
        self.first(next.unwrap_or(date).and_time(time))
    }

    /// Returns the first instant at which the clock shows a local time, or a later one where it leaves that out.
    fn first(self, local: NaiveDateTime) -> DateTime<Utc> {
        let day = TimeDelta::days(1);
        let near = [local.checked_sub_signed(day), local.checked_add_signed(day)];
        // What the clock was before and after a change near this time, the larger offset first: its instant is the earlier.
        let mut offsets = near.map(|near| self.zone.offset_at(near.unwrap_or(local)));
        offsets.sort_unstable_by_key(|offset| -offset.local_minus_utc());
        let instants = offsets.map(|offset| local.checked_sub_offset(offset).unwrap_or(local));
        let shows = |utc: NaiveDateTime| utc.checked_add_offset(self.zone.offset_at(utc)).unwrap_or(utc);
        if let Some(utc) = instants.into_iter().find(|utc| shows(*utc) == local) {
            return utc.and_utc();
        }
        // The clock leaves the time out: the change is the first second at which it shows more.
        let [mut before, mut after] = instants;
        while after - before > TimeDelta::seconds(1) {
            let middle = before + (after - before) / 2;
            let middle = middle.with_nanosecond(0).unwrap_or(middle);
            if shows(middle) < local { before = middle } else { after = middle }
        }
        after.and_utc()
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
    use chrono::{Duration, FixedOffset, TimeZone};

    /// BX-20
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
