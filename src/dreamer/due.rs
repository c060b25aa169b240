//! The reason for which a dream is not due.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::text::counted;

/// Why a dream is not due, and when it will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotDue {
    /// The interval since the last run has not passed.
    Interval {
        /// When it will have.
        next: DateTime<Utc>,
    },
    /// It backs off after failures in a row.
    BackOff {
        /// The number of failures in a row.
        failures: u32,
        /// When it tries again.
        next: DateTime<Utc>,
    },
    /// The day's calls are used up.
    CallsToday {
        /// The number of calls that were made.
        calls: u32,
        /// When the next day begins, at the earliest.
        next: DateTime<Utc>,
    },
    /// The day's bytes are used up.
    BytesToday {
        /// The number of bytes that were sent.
        bytes: u64,
        /// When the next day begins, at the earliest.
        next: DateTime<Utc>,
    },
    /// The day's tokens are used up.
    TokensToday {
        /// The number of tokens that were read and written, as the host said.
        tokens: u64,
        /// When the next day begins, at the earliest.
        next: DateTime<Utc>,
    },
    /// Another machine dreams for this life. The notice [`DreamsOn`](crate::dream::Notice::DreamsOn) of the report names it.
    OtherMachine {
        /// When to look again whether that is still so.
        next: DateTime<Utc>,
    },
}

impl NotDue {
    /// Returns the time to ask again.
    #[must_use]
    pub fn next(&self) -> DateTime<Utc> {
        match self {
            Self::Interval { next }
            | Self::BackOff { next, .. }
            | Self::CallsToday { next, .. }
            | Self::BytesToday { next, .. }
            | Self::TokensToday { next, .. }
            | Self::OtherMachine { next } => *next,
        }
    }
}

impl fmt::Display for NotDue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interval { .. } => f.write_str("the interval since the last run has not passed")?,
            Self::BackOff { failures, .. } => {
                write!(f, "it backs off after {} in a row", counted(*failures, "failure"))?;
            }
            Self::CallsToday { calls, .. } => write!(f, "the day's calls are used up, {calls} of them")?,
            Self::BytesToday { bytes, .. } => write!(f, "the day's bytes are used up, {bytes} of them")?,
            Self::TokensToday { tokens, .. } => write!(f, "the day's tokens are used up, {tokens} of them")?,
            Self::OtherMachine { .. } => f.write_str("another machine dreams for this life")?,
        }
        write!(f, "; next at {}", self.next().format("%Y-%m-%d %H:%M:%S UTC"))
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn what_is_not_due_says_why_and_until_when() {
        let next = Utc.with_ymd_and_hms(2026, 11, 22, 3, 0, 0).unwrap();
        let told = |not_due: NotDue| not_due.to_string();
        assert_eq!(
            told(NotDue::BackOff { failures: 1, next }),
            "it backs off after 1 failure in a row; next at 2026-11-22 03:00:00 UTC"
        );
        assert_eq!(
            told(NotDue::OtherMachine { next }),
            "another machine dreams for this life; next at 2026-11-22 03:00:00 UTC"
        );
        assert_eq!(
            told(NotDue::CallsToday { calls: 6, next }),
            "the day's calls are used up, 6 of them; next at 2026-11-22 03:00:00 UTC"
        );
    }
}
