//! How often a model may be asked, and how much it may be sent.

use std::time::Duration;

use chrono::{DateTime, Days, Utc};

use crate::base::day::DayPolicy;
use crate::base::error::{Error, Result};
use crate::dream::{self, BackOff, Bounds, Due};
use crate::dreamer::{NotDue, Outcome, PassReport};
use crate::format::DreamedState;
use crate::workspace::ClaimTerms;

/// How often a dreamer beside the curator may ask its model, and how much it may send it.
///
/// ```
/// use std::time::Duration;
/// use noctuary::dream::Pace;
///
/// let mut pace = Pace::default();
/// assert_eq!((pace.max_passes, pace.max_calls_per_day), (4, Some(24)));
/// pace.interval = Duration::ZERO; // ask whenever the host calls
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pace {
    /// The least time between two runs that ask; nothing at all for none. An hour. A failed run is tried again after its
    /// back-off.
    pub interval: Duration,
    /// How many times one run may ask. 4.
    pub max_passes: u32,
    /// The cap on one request, in bytes, its instructions included. 32 KiB.
    pub request_bytes: usize,
    /// The cap on calls a day; `None` for no cap. 24.
    pub max_calls_per_day: Option<u32>,
    /// The cap on bytes sent a day; `None` for no cap. 512 KiB.
    pub max_bytes_per_day: Option<u64>,
    /// The cap on tokens a day, read and written, as the host reports them; `None`, the default, for no cap. The call
    /// that goes over it is the last one.
    pub max_tokens_per_day: Option<u64>,
    /// How to wait after failures of the model; `None` never waits.
    pub back_off: Option<BackOff>,
    /// The bound that a request asks the model to keep, in tokens. 4,096.
    pub max_output_tokens: Option<u32>,
    /// Which day an instant belongs to.
    pub day: DayPolicy,
    /// How the workspace is claimed.
    pub claim: ClaimTerms,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(60 * 60),
            max_passes: 4,
            request_bytes: 32 << 10,
            max_calls_per_day: Some(24),
            max_bytes_per_day: Some(512 << 10),
            max_tokens_per_day: None,
            back_off: Some(BackOff::default()),
            max_output_tokens: Some(4096),
            day: DayPolicy::UTC,
            claim: ClaimTerms::default(),
        }
    }
}

/// The least cap on a request: instructions alone take a part of it.
const LEAST_REQUEST: usize = 8 << 10;

impl Pace {
    pub(crate) fn validate(&self) -> Result<()> {
        let rules = [
            (self.max_passes == 0, "pace.max_passes", "must be at least 1"),
            (self.request_bytes < LEAST_REQUEST, "pace.request_bytes", "must be at least 8 KiB"),
            (self.claim.ttl < Duration::from_secs(1), "pace.claim.ttl", "must be at least a second"),
        ];
        match rules.into_iter().find(|(broken, ..)| *broken) {
            Some((_, setting, rule)) => Err(Error::Config { setting, rule }),
            None => Ok(()),
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            day: self.day,
            back_off: self.back_off,
            calls: self.max_calls_per_day,
            bytes: self.max_bytes_per_day,
            tokens: self.max_tokens_per_day,
        }
    }

    /// Whether a run may begin.
    pub(crate) fn due(&self, now: DateTime<Utc>, enabled: bool, state: &DreamedState) -> Due {
        if enabled { dream::due(now, state, self.interval, &self.bounds()) } else { Due::Off }
    }

    /// What forbids a further call of a run.
    pub(crate) fn breaker(&self, now: DateTime<Utc>, state: &DreamedState) -> Option<NotDue> {
        dream::breaker(now, &state.into(), &self.bounds())
    }

    /// How large the next request may be, in bytes.
    pub(crate) fn room(&self, now: DateTime<Utc>, state: &DreamedState) -> usize {
        let sent = if state.counted_day == Some(self.day.date(now)) { state.bytes_that_day } else { 0 };
        let left = self.max_bytes_per_day.map_or(u64::MAX, |cap| cap.saturating_sub(sent));
        self.request_bytes.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// What says that no request fits into the day any more.
    pub(crate) fn used_up(&self, now: DateTime<Utc>, state: &DreamedState) -> NotDue {
        let today = self.day.date(now);
        let next = self.day.begins(today.checked_add_days(Days::new(1)).unwrap_or(today));
        NotDue::BytesToday { bytes: state.bytes_that_day, next }
    }

    pub(crate) fn count_call(&self, state: &mut DreamedState, now: DateTime<Utc>, pass: &PassReport) {
        dream::count_call(state, now, &self.bounds(), pass.request_bytes, pass.usage);
    }

    /// Notes how a call ended.
    pub(crate) fn stamp(&self, state: &mut DreamedState, now: DateTime<Utc>, outcome: Outcome) {
        state.last_run_at = Some(now);
        state.last_outcome = Some(outcome.word().to_owned());
        if outcome == Outcome::LlmError {
            dream::count_failure(state, now, &self.bounds());
        } else {
            state.consecutive_failures = 0;
            state.next_allowed_at = None;
        }
    }
}
