//! When a server asks to be asked again: the header `Retry-After`.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, Utc};

/// A `Retry-After`, in one of its two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    For(Duration),
    Until(DateTime<Utc>),
}

impl Wait {
    /// Reads the header's value: whole seconds, or a date of HTTP.
    pub(super) fn parse(value: &str) -> Option<Self> {
        let value = value.trim();
        let seconds = value.parse().ok().map(|seconds| Self::For(Duration::from_secs(seconds)));
        seconds.or_else(|| date(value).map(Self::Until))
    }

    /// Returns how long that is, by the server's own clock: a date counts from the `Date` of the same answer. `None`
    /// for a date where the server does not say what time it is.
    pub(super) fn duration(self, now: Option<&str>) -> Option<Duration> {
        match self {
            Self::For(duration) => Some(duration),
            // A date that has passed asks for no wait.
            Self::Until(until) => now.and_then(date).map(|now| (until - now).to_std().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::For(duration) => write!(f, "{} s", duration.as_secs()),
            Self::Until(until) => write!(f, "until {}", until.to_rfc3339()),
        }
    }
}

/// Reads a date of HTTP, in the present form or one of the two old ones (RFC 9110, section 5.6.7).
fn date(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let old = |form| NaiveDateTime::parse_from_str(text, form).map(|time| time.and_utc());
    DateTime::parse_from_rfc2822(text)
        .map(|time| time.to_utc())
        .or_else(|_| old("%A, %d-%b-%y %H:%M:%S GMT"))
        .or_else(|_| old("%a %b %e %H:%M:%S %Y"))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_any_form_counts_from_the_date_of_the_same_answer() {
        // A date was shown to the operator and no wait: the host's client asked again at once.
        let now = [
            "Fri, 27 Nov 2026 07:59:30 GMT",
            "Friday, 27-Nov-26 07:59:30 GMT",
            "Fri Nov 27 07:59:30 2026",
            " Fri, 27 Nov 2026 07:59:30 GMT ",
        ];
        let until = [
            ("Fri, 27 Nov 2026 08:00:00 GMT", 30),
            ("Friday, 27-Nov-26 08:00:00 GMT", 30),
            ("Fri Nov 27 08:00:00 2026", 30),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun Nov  6 08:49:37 1994", 0),
            ("Fri, 27 Nov 2026 07:59:30 GMT", 0),
            ("Sat, 28 Nov 2026 07:59:30 GMT", 86_400),
        ];
        for now in now {
            for (until, seconds) in until {
                let wait = Wait::parse(until).unwrap();
                assert_eq!(wait.duration(Some(now)), Some(Duration::from_secs(seconds)), "{until} at {now}");
                assert_eq!(wait.duration(None), None, "nobody says what time it is");
                assert_eq!(wait.duration(Some("noon")), None);
            }
            assert_eq!(Wait::parse("7").unwrap().duration(Some(now)), Some(Duration::from_secs(7)));
        }
        for nonsense in ["", "soon", "-1", "1.5", "Fri, 31 Feb 2026 08:00:00 GMT", "99999999999999999999"] {
            assert_eq!(Wait::parse(nonsense), None, "{nonsense}");
        }
    }
}
