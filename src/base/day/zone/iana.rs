//! The zones of the IANA database, with all changes that it knows; compiled in, so that two machines have one calendar.

use std::str::FromStr;

use chrono::{FixedOffset, NaiveDateTime, Offset, TimeZone};
use chrono_tz::{TZ_VARIANTS, Tz};

use super::Zone;
use crate::base::error::{Error, Result};

/// Reads a name of the IANA database (`Europe/Prague`), an offset (`+02:00`) or `UTC`.
///
/// ```
/// use noctuary::workspace::Zone;
///
/// let zone: Zone = "Pacific/Auckland".parse()?;
/// assert_eq!(zone.to_string(), "Pacific/Auckland");
/// assert!("Middle-earth/Bree".parse::<Zone>().is_err());
/// # Ok::<_, noctuary::Error>(())
/// ```
///
/// [`Error::Config`] for anything else.
impl FromStr for Zone {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if matches!(text, "UTC" | "Z") {
            return Ok(Self::UTC);
        }
        if let Ok(offset) = text.parse::<FixedOffset>() {
            return Ok(offset.into());
        }
        let place = TZ_VARIANTS.iter().position(|zone| zone.name() == text);
        let Some((place, key)) = place.and_then(|place| Some((place, i32::try_from(place).ok()?))) else {
            let rule =
                "must be a name of the IANA database like Europe/Prague, an offset like +02:00, or UTC";
            return Err(Error::Config { setting: "zone", rule });
        };
        Ok(Self { key, offset, name: Some(TZ_VARIANTS[place].name()) })
    }
}

fn offset(key: i32, utc: NaiveDateTime) -> FixedOffset {
    let zone = usize::try_from(key).ok().and_then(|key| TZ_VARIANTS.get(key)).unwrap_or(&Tz::UTC);
    zone.offset_from_utc_datetime(&utc).fix()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::day::DayPolicy;
    use chrono::{DateTime, Duration, NaiveDate, TimeDelta, Utc};

    const ZONES: [&str; 9] = [
        "America/Los_Angeles",
        "Pacific/Auckland",
        "Europe/Prague",
        "Africa/Cairo",
        "Australia/Lord_Howe",
        "Antarctica/Troll",
        "Asia/Kathmandu",
        "America/Havana",
        "Pacific/Apia",
    ];

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn policy(zone: &str, cutoff: u8) -> DayPolicy {
        DayPolicy::new(zone.parse::<Zone>().unwrap(), cutoff)
    }

    #[test]
    fn every_name_of_the_database_reads_back() {
        for zone in &TZ_VARIANTS {
            let parsed: Zone = zone.name().parse().unwrap();
            assert_eq!(parsed.to_string(), zone.name());
            assert_eq!(parsed, zone.name().parse().unwrap());
        }
        for (text, told) in [("+05:45", "+05:45"), ("-08:00", "-08:00"), ("UTC", "UTC"), (" Z ", "UTC")] {
            assert_eq!(text.parse::<Zone>().unwrap().to_string(), told);
        }
        for text in ["", "Prague", "europe/prague", "+25:00", "Europe/Prague\0"] {
            assert!(matches!(text.parse::<Zone>(), Err(Error::Config { setting: "zone", .. })), "{text:?}");
        }
    }

    #[test]
    fn an_evening_in_los_angeles_is_of_its_own_day_in_summer_and_in_winter() {
        let policy = policy("America/Los_Angeles", 0);
        for (instant, date, time) in [
            ("2026-03-15T01:17:00Z", "2026-03-14", "18:17:00"),
            ("2026-01-15T01:17:00Z", "2026-01-14", "17:17:00"),
            // The hour that does not exist: 01:59 is followed by 03:00.
            ("2026-03-08T09:59:59Z", "2026-03-08", "01:59:59"),
            ("2026-03-08T10:00:00Z", "2026-03-08", "03:00:00"),
            // The hour that exists twice.
            ("2026-11-01T08:30:00Z", "2026-11-01", "01:30:00"),
            ("2026-11-01T09:30:00Z", "2026-11-01", "01:30:00"),
        ] {
            let instant = at(instant);
            assert_eq!(policy.date(instant).to_string(), date, "{instant}");
            assert_eq!(policy.time(instant).to_string(), time, "{instant}");
        }
    }

    #[test]
    fn days_follow_each_other_without_a_gap_in_every_zone() {
        for zone in ZONES {
            for cutoff in 0..=6 {
                let policy = policy(zone, cutoff);
                // With the day that Samoa left out.
                for (from, days) in [("2011-12-20T00:00:00Z", 20), ("2026-01-01T00:00:00Z", 370)] {
                    let (mut instant, mut before) = (at(from), policy.date(at(from)));
                    let end = instant + Duration::days(days);
                    while instant < end {
                        let date = policy.date(instant);
                        let next = date.succ_opt().unwrap();
                        assert!(date >= before, "{zone} {cutoff} {instant}: {date} after {before}");
                        assert!(policy.begins(date) <= instant, "{zone} {cutoff} {instant}: {date}");
                        assert!(instant < policy.begins(next), "{zone} {cutoff} {instant}: {date}");
                        before = date;
                        instant += Duration::minutes(30);
                    }
                }
            }
        }
    }

    #[test]
    fn a_day_of_the_change_has_23_or_25_hours() {
        for (zone, date, hours) in [
            ("America/Los_Angeles", "2026-03-08", 23),
            ("America/Los_Angeles", "2026-11-01", 25),
            ("Pacific/Auckland", "2026-09-27", 23),
            ("Pacific/Auckland", "2026-04-05", 25),
            // At midnight.
            ("Africa/Cairo", "2026-04-24", 23),
            ("Pacific/Apia", "2011-12-30", 0),
        ] {
            let date: NaiveDate = date.parse().unwrap();
            let policy = policy(zone, 0);
            let length = policy.begins(date.succ_opt().unwrap()) - policy.begins(date);
            assert_eq!(length, TimeDelta::hours(hours), "{zone} {date}");
        }
    }

    #[test]
    fn a_time_of_a_day_is_the_first_instant_at_which_the_clock_shows_it_or_later() {
        let policy = policy("America/Los_Angeles", 4);
        for (date, time, instant) in [
            ("2026-07-01", "12:00:00", "2026-07-01T19:00:00Z"),
            // Before the cut-off hour: of the night that ends the day.
            ("2026-07-01", "02:00:00", "2026-07-02T09:00:00Z"),
            ("2026-03-07", "02:30:00", "2026-03-08T10:00:00Z"),
            ("2026-10-31", "01:30:00", "2026-11-01T08:30:00Z"),
        ] {
            assert_eq!(
                policy.instant(date.parse().unwrap(), time.parse().unwrap()),
                at(instant),
                "{date} {time}"
            );
        }
    }
}
