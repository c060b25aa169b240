//! `.dreaming.d/sleep.json`: how tired a sleeper is, and what it must know to go on where it was.
//!
//! ```text
//! {"v":1,"folder":"self","actions":12,"dreams":9,"last_dream_at":"2026-02-12T09:32:44.000Z","read":48122}
//! ```
//!
//! Unknown keys survive. Where the file is gone, the last checkpoint of `iterations.jsonl` says the most of it.

use chrono::{DateTime, NaiveDate, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use super::sleep_files::VERSION;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::format::{DreamId, state::iso_millis};

const FILE: StateFile = StateFile::sealed(StateName::SLEEP, Some(VERSION));

/// The state that a sleeper carries from one cycle to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SleepState {
    /// The folder of its files, once it has written any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<DocName>,
    /// Tool calls since the last dream.
    pub actions: u32,
    /// Whether this cycle's warning was given.
    pub warned: bool,
    /// The id of the last count of actions: it differs from another count of the same number at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// The number of dreams.
    pub dreams: u64,
    /// The number of the last dream that was a deep sleep, 0 where none was.
    pub last_deep: u64,
    /// When the last dream was.
    #[serde(with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub last_dream_at: Option<DateTime<Utc>>,
    /// The number of bytes of the conversation that a dream was shown.
    pub read: u64,
    /// Since when it sleeps, while it does.
    #[serde(with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub asleep_since: Option<DateTime<Utc>>,
    /// When it woke up last.
    #[serde(with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub woke_at: Option<DateTime<Utc>>,
    /// For how many seconds it had slept then, where it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slept_seconds: Option<u64>,
    /// Until when a deep sleep makes it rest.
    #[serde(with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub rest_until: Option<DateTime<Utc>>,
    /// Dreams in a row that had no usable answer.
    pub consecutive_failures: u32,
    /// Before which time no model is asked.
    #[serde(with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub next_allowed_at: Option<DateTime<Utc>>,
    /// Answers in a row that were stopped for a secret.
    #[serde(skip_serializing_if = "is_zero")]
    pub stopped: u32,
    /// The day that the three counters below belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_day: Option<NaiveDate>,
    /// Calls of the model on that day.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls_that_day: u32,
    /// Bytes sent on that day.
    pub bytes_that_day: u64,
    /// Tokens that were read and written on that day, as far as a host said.
    pub tokens_that_day: u64,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl SleepState {
    /// Parses the file; where there is none, goes on from the last checkpoint.
    pub(crate) fn parse(bytes: Option<&[u8]>, last: Option<&Checkpoint>) -> Result<Self> {
        if let Some(mut state) = FILE.parse::<Self>(bytes)? {
            state.others.remove("v");
            return Ok(state);
        }
        Ok(last.map_or_else(Self::default, |last| Self {
            dreams: last.dream,
            last_deep: last.last_deep,
            last_dream_at: Some(last.t),
            read: last.read,
            ..Self::default()
        }))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Versioned<'s> {
            v: u64,
            #[serde(flatten)]
            state: &'s SleepState,
        }
        FILE.print(&Versioned { v: VERSION, state: self })
    }
}

/// The result of a sleep, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    pub(crate) t: DateTime<Utc>,
    pub(crate) dream: u64,
    pub(crate) last_deep: u64,
    /// The number of bytes of the conversation that were shown by then.
    pub(crate) read: u64,
    #[serde(default)]
    pub(crate) actions: u32,
    #[serde(default)]
    pub(crate) observations: u64,
    /// The number of observations that a deep sleep pruned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pruned: Option<u64>,
    pub(crate) id: DreamId,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out the field by reference")]
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Returns the last line of a text that is whole and such a record.
pub(crate) fn last<T: DeserializeOwned>(text: &str) -> Option<T> {
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    whole.lines().rev().find_map(|line| serde_json::from_slice(line.as_bytes()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    // SL-10.
    #[test]
    fn the_state_survives_with_keys_of_others_and_damage_is_an_error() {
        let text = br#"{"folder":"self","actions":12,"dreams":9,"read":48122,"last_dream_at":"2026-02-12T09:32:44.000Z","theirs":1}"#;
        let state = SleepState::parse(Some(text), None).unwrap();
        assert_eq!((state.actions, state.dreams, state.read), (12, 9, 48122));
        let again = SleepState::parse(Some(&state.print()), None).unwrap();
        assert_eq!(again, state);
        assert_eq!(again.others["theirs"], 1);
        assert!(!again.others.contains_key("v"), "the version is no key of others");
        let newer = SleepState::parse(Some(br#"{"v":2,"dreams":"many"}"#), None);
        assert!(matches!(newer, Err(Error::NewerVersion { found: 2, known: 1, .. })), "{newer:?}");
        for damage in ["", "{\"v\":\"1\"}", "[", "{\"actions\":-1}", "{\"folder\":\"../x\"}"] {
            assert!(SleepState::parse(Some(damage.as_bytes()), None).is_err(), "{damage}");
        }
    }
}
