//! Times as texts in tables, in the order of the times.

use std::ops::Range;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};

/// Returns a time as SQLite's own `datetime('now')` writes it, and behind it what it has beyond whole seconds. Texts are in the
/// order of their times.
pub(crate) fn stamp(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S%.f").to_string()
}

/// Reads a time as [`stamp`] or another program writes it.
pub(crate) fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    if let Some(time) = parse_stamp(text) {
        return Some(time);
    }
    if let Ok(time) = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f") {
        return Some(time.and_utc());
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc())
}

/// Returns a time as [`stamp`] writes it, which nearly every one is, without a look at formats.
fn parse_stamp(text: &str) -> Option<DateTime<Utc>> {
    let bytes = text.as_bytes();
    let digits = |bytes: &[u8]| {
        let digits = bytes.iter().map(|byte| byte.is_ascii_digit().then(|| u32::from(byte - b'0')));
        digits.into_iter().try_fold(0, |number, digit| Some(number * 10 + digit?))
    };
    let number = |range: Range<usize>| digits(&bytes[range]);
    if bytes.len() < 19 || [bytes[4], bytes[7], bytes[10], bytes[13], bytes[16]] != *b"-- ::" {
        return None;
    }
    let nanos = match &bytes[19..] {
        [] => 0,
        [b'.', fraction @ ..] if (1..=9).contains(&fraction.len()) => {
            digits(fraction)? * 10_u32.pow(u32::try_from(9 - fraction.len()).ok()?)
        }
        _ => return None,
    };
    let day = NaiveDate::from_ymd_opt(number(0..4)?.try_into().ok()?, number(5..7)?, number(8..10)?)?;
    Some(day.and_hms_nano_opt(number(11..13)?, number(14..16)?, number(17..19)?, nanos)?.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_programs_are_read() {
        for text in ["2026-11-21 09:00:00", "2026-11-21T09:00:00Z", "2026-11-21 09:00:00.000"] {
            assert_eq!(stamp(parse_time(text).unwrap()), "2026-11-21 09:00:00", "{text}");
        }
        assert_eq!(
            parse_time("2026-11-21 09:00:00.65").map(stamp).as_deref(),
            Some("2026-11-21 09:00:00.650")
        );
        assert_eq!(parse_time("2026-11-21").map(stamp).as_deref(), Some("2026-11-21 00:00:00"));
        assert_eq!(parse_time("yesterday"), None);
    }

    #[test]
    fn stamps_keep_every_part_of_a_second_and_are_in_the_order_of_their_times() {
        let second = parse_time("2026-11-21 09:00:00").unwrap();
        let nanos = [0, 1, 999, 1_000, 600_000_000, 600_000_001, 600_100_000, 650_000_000, 999_999_999];
        let times = nanos.map(|nanos| second + chrono::TimeDelta::nanoseconds(nanos));
        let stamps = times.map(stamp);
        assert!(stamps.is_sorted(), "{stamps:?}");
        assert_eq!(stamps.each_ref().map(|stamp| parse_time(stamp)), times.map(Some));
        assert_eq!(stamps[0], "2026-11-21 09:00:00", "a whole second is as the seed writes it");
    }
}
