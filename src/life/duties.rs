//! The questions of a host's scheduler before it wakes the agent: are checks due, is the hour quiet, is there
//! work?

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use crate::base::day::{DayPolicy, Zone};
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::order;
use crate::format::{Checks, HeartbeatFile};
use crate::life::rewrite::rewrite;
use crate::workspace::Workspace;

/// A check that runs now and then, at most once in so much time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duty {
    /// Its name in `memory/heartbeat-state.json`: `email`, `calendar`.
    pub name: String,
    /// The least time between two runs.
    pub every: TimeDelta,
}

impl Duty {
    /// Makes a check with the least time between two of its runs; two to four runs a day is eight hours.
    #[must_use]
    pub fn new(name: impl Into<String>, every: TimeDelta) -> Self {
        Self { name: name.into(), every }
    }
}

/// Returns the duties that are due, the one that has waited longest first: those that never ran, then by their
/// last run. A run in the future counts as none: some clock was wrong.
///
/// ```
/// use chrono::{TimeDelta, TimeZone, Utc};
/// use noctuary::format::Checks;
/// use noctuary::life::{Duty, due_checks};
///
/// let checks = Checks::parse(Some(br#"{"lastChecks":{"email":1703275200,"weather":null}}"#))?;
/// let duties = ["email", "weather"].map(|name| Duty::new(name, TimeDelta::hours(8)));
/// let due = |seconds| due_checks(&checks, &duties, Utc.timestamp_opt(seconds, 0).unwrap()).len();
/// assert_eq!((due(1_703_275_200 + 60), due(1_703_275_200 + 8 * 3600)), (1, 2));
/// # Ok::<(), noctuary::Error>(())
/// ```
#[must_use]
pub fn due_checks<'d>(checks: &Checks, duties: &'d [Duty], now: DateTime<Utc>) -> Vec<&'d Duty> {
    let last = |duty: &Duty| checks.last(&duty.name).filter(|last| *last <= now.timestamp());
    let is_due = |duty: &&Duty| {
        last(duty).is_none_or(|last| now.timestamp().saturating_sub(last) >= duty.every.num_seconds())
    };
    let mut due: Vec<&Duty> = duties.iter().filter(is_due).gather();
    order::sort_by_key(&mut due, |duty| last(duty));
    due
}

/// Reads when each check last ran; see [`Life::checks`](crate::Life::checks).
pub(super) fn read_checks(workspace: &dyn Workspace) -> Result<Checks> {
    let document = workspace.read(&DocName::HEARTBEAT_STATE)?;
    Checks::parse(document.as_ref().map(Document::bytes))
}

/// Notes that a check ran; see [`Life::mark_checked`](crate::Life::mark_checked).
pub(super) fn mark_checked(workspace: &dyn Workspace, name: &str, now: DateTime<Utc>) -> Result<()> {
    rewrite(workspace, &DocName::HEARTBEAT_STATE, |standing| {
        let mut checks = Checks::parse(standing)?;
        checks.mark(name, now);
        Ok(Some(checks.print()))
    })?;
    Ok(())
}

/// The hours in which the agent stays quiet, unless something is urgent.
///
/// ```
/// use chrono::{FixedOffset, TimeZone, Utc};
/// use noctuary::life::QuietHours;
///
/// let quiet = QuietHours::default().at(FixedOffset::east_opt(3600).unwrap());
/// assert!(quiet.contains(Utc.with_ymd_and_hms(2026, 11, 21, 22, 0, 0).unwrap()), "it is 23:00 there");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuietHours {
    /// When they begin, in the user's time. 23:00.
    pub from: NaiveTime,
    /// When they are over; an earlier time than `from` is on the next day. 08:00.
    pub until: NaiveTime,
    /// The user's time zone.
    pub zone: Zone,
}

impl Default for QuietHours {
    fn default() -> Self {
        let hour = |hour| NaiveTime::from_hms_opt(hour, 0, 0).expect("an hour of a day");
        Self { from: hour(23), until: hour(8), zone: Zone::UTC }
    }
}

impl QuietHours {
    /// Makes the hours from one time of the day until another; the same time twice is never.
    #[must_use]
    pub fn new(from: NaiveTime, until: NaiveTime, zone: impl Into<Zone>) -> Self {
        Self { from, until, zone: zone.into() }
    }

    /// Returns the same hours in another time zone, or at another offset.
    #[must_use]
    pub fn at(mut self, zone: impl Into<Zone>) -> Self {
        self.zone = zone.into();
        self
    }

    /// Returns whether an instant is in them.
    #[must_use]
    pub fn contains(&self, instant: DateTime<Utc>) -> bool {
        let time = DayPolicy::new(self.zone, 0).time(instant);
        if self.from <= self.until {
            self.from <= time && time < self.until
        } else {
            self.from <= time || time < self.until
        }
    }
}

/// Returns whether a reply to a heartbeat says that there is nothing to report: `HEARTBEAT_OK` and nothing else.
///
/// ```
/// assert!(noctuary::life::is_heartbeat_ok(" HEARTBEAT_OK\n"));
/// assert!(!noctuary::life::is_heartbeat_ok("All is well, so HEARTBEAT_OK."));
/// ```
#[must_use]
pub fn is_heartbeat_ok(reply: &str) -> bool {
    reply.trim() == "HEARTBEAT_OK"
}

/// Returns whether a heartbeat run has anything to look at; see
/// [`Life::has_heartbeat_tasks`](crate::Life::has_heartbeat_tasks).
pub(super) fn heartbeat_has_tasks(workspace: &dyn Workspace, document: &DocName) -> Result<bool> {
    let Some(standing) = workspace.read(document)? else { return Ok(false) };
    Ok(str::from_utf8(standing.bytes()).map_or(true, |text| !HeartbeatFile::parse(text).is_empty_of_tasks()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{FixedOffset, TimeZone};

    // HB-07
    #[test]
    fn the_check_that_waited_longest_comes_first() {
        let checks = Checks::parse(Some(
            br#"{"lastChecks":{"email":1000,"calendar":500,"weather":null,"ahead":999999,"soon":9000}}"#,
        ))
        .unwrap();
        let every = TimeDelta::seconds(3600);
        let duties = ["soon", "email", "calendar", "weather", "ahead", "memory_maintenance"]
            .map(|name| Duty::new(name, every));
        let due = |at| -> Vec<&str> {
            let now = Utc.timestamp_opt(at, 0).unwrap();
            due_checks(&checks, &duties, now).into_iter().map(|duty| duty.name.as_str()).collect()
        };
        assert_eq!(due(10_000), ["weather", "ahead", "memory_maintenance", "calendar", "email"]);
        assert_eq!(due(4_599), ["soon", "weather", "ahead", "memory_maintenance", "calendar"]);
        assert_eq!(due(4_600).last(), Some(&"email"));
    }

    // HB-08
    #[test]
    fn quiet_hours_wrap_midnight() {
        let west = FixedOffset::west_opt(5 * 3600).unwrap();
        let quiet = QuietHours::default().at(west);
        let at = |hour, minute| {
            let local = west.with_ymd_and_hms(2026, 11, 21, hour, minute, 0).unwrap();
            quiet.contains(local.with_timezone(&Utc))
        };
        assert_eq!([at(22, 59), at(23, 0), at(0, 0), at(7, 59), at(8, 0)], [false, true, true, true, false]);
        let noon = QuietHours::new(quiet.until, quiet.until, quiet.zone);
        assert!(!noon.contains(Utc.with_ymd_and_hms(2026, 11, 21, 13, 0, 0).unwrap()));
    }

    // HB-09
    #[test]
    fn the_token_in_prose_is_prose() {
        for (reply, is_ok) in [
            ("HEARTBEAT_OK", true),
            ("\r\n HEARTBEAT_OK \n", true),
            ("HEARTBEAT_OK.", false),
            ("heartbeat_ok", false),
            ("Reply HEARTBEAT_OK", false),
            ("", false),
        ] {
            assert_eq!(is_heartbeat_ok(reply), is_ok, "{reply}");
        }
    }
}
