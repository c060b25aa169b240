//! The seed's state file, `.dreamed-state.json`.
//!
//! ```text
//! {"last_processed_mtime":1795230000000,"last_run_at":"2026-11-21T03:00:00.000Z","last_outcome":"appended",
//!  "consecutive_failures":0}
//! ```
//!
//! `last_processed_mtime` is in milliseconds since the epoch, fractions accepted; it is there for peers that
//! know nothing better. Unknown keys survive. `check` is ours: a checksum, and the `last_run_at` that it was made for. So is `own_mark`:
//! the watermark as this library set it last, on whichever machine. A peer sets the other alone.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::by_hand::{Edit, Taken, of_value, relaxed, salvaged};
use super::seal;
use crate::base::error::{Error, Result, parse_json};
use crate::base::name::StateName;
use crate::format::state::iso_millis;

/// The state that an earlier run left for the next: the watermark, the last run, and the cost breaker's counters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DreamedState {
    /// The seed's watermark, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_processed_mtime: Option<Number>,
    /// When a run last held the lock and made a pass, or found nothing to do. A run that backs off leaves it.
    #[serde(default, with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub last_run_at: Option<DateTime<Utc>>,
    /// The end of that run, in the words of [`Outcome`](crate::Outcome).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<String>,
    /// Failures of the model in a row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub consecutive_failures: u32,
    /// Before which time no further call is made.
    #[serde(default, with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub next_allowed_at: Option<DateTime<Utc>>,
    /// The day that the counters below belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_day: Option<NaiveDate>,
    /// Calls made on that day.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls_that_day: u32,
    /// Bytes sent on that day.
    #[serde(default, skip_serializing_if = "is_zero_long")]
    pub bytes_that_day: u64,
    /// Tokens read and written on that day, as far as the host said.
    #[serde(default, skip_serializing_if = "is_zero_long")]
    pub tokens_that_day: u64,
    /// The one machine that dreams for this life; `None` where each may. Set by
    /// [`dream_on`](crate::JournalDreamer::dream_on).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dreams_on: Option<String>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    pub others: Map<String, Value>,
    /// The watermark as this library set it last.
    #[serde(skip)]
    pub(crate) own_mark: Option<Number>,
}

/// The key of the watermark that this library set.
const OWN_MARK: &str = "own_mark";

/// The keys that are looked for in text that is no JSON as a whole.
const KEYS: [&str; 12] = [
    "last_processed_mtime",
    "last_run_at",
    "last_outcome",
    "consecutive_failures",
    "next_allowed_at",
    "counted_day",
    "calls_that_day",
    "bytes_that_day",
    "tokens_that_day",
    "dreams_on",
    OWN_MARK,
    seal::KEY,
];

impl DreamedState {
    /// Parses the file; `None` (no file) is a state in which nothing has run.
    ///
    /// A checksum that was made for the same `last_run_at` must fit. For another one, somebody else has run since and
    /// kept our key, as peers may: then it says nothing.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let name = StateName::DREAMED;
        let state: Self = parse_json(name.as_str(), bytes)?;
        let (state, is_as_written) = state.unsealed();
        if !is_as_written {
            let what = seal::BROKEN;
            return Err(Error::Corrupt { name: name.to_string(), line: 0, column: 0, what });
        }
        Ok(state)
    }

    /// Reads the file, whatever a hand made of it: each value that makes sense is taken. A watermark whose checksum
    /// does not fit is no peer's, and the lower of the two that are there counts. It never has a journal taken for
    /// read.
    pub(crate) fn read(bytes: Option<&[u8]>) -> Taken<Self> {
        let Some(file) = bytes else { return Taken { state: Self::default(), edit: Edit::None } };
        if let Ok(state) = Self::parse(bytes) {
            return Taken { state, edit: Edit::None };
        }
        let name = StateName::DREAMED;
        let parsed = parse_json::<Map<String, Value>>(name.as_str(), file);
        let mut edit = if parsed.is_ok() { Edit::Values } else { Edit::Partly };
        let mut object = parsed.unwrap_or_else(|_| {
            let text = relaxed(file);
            serde_json::from_slice(text.as_bytes()).unwrap_or_else(|_| {
                let mut found = Map::new();
                for key in KEYS {
                    if let Some(value) = salvaged(&text, key) {
                        found.insert(key.to_owned(), value);
                    }
                }
                found
            })
        });
        let many = object.len();
        object.retain(|key, value| {
            let mut alone = Map::new();
            alone.insert(key.clone(), value.clone());
            of_value::<Self>(&Value::Object(alone)).is_ok()
        });
        let (is_whole, has_check) = (object.len() == many, object.contains_key(seal::KEY));
        if !is_whole {
            edit = Edit::Partly;
        }
        let state: Self = of_value(&Value::Object(object)).expect("each value was taken alone");
        let (mut state, is_as_written) = state.unsealed();
        if has_check && !(is_whole && is_as_written) {
            let marks = [state.last_processed_mtime.take(), state.own_mark.take()];
            state.own_mark = marks.into_iter().flatten().min_by_key(watermark_ns);
            state.last_processed_mtime.clone_from(&state.own_mark);
        }
        Taken { state, edit }
    }

    /// Takes the checksum off, and our watermark out of the other keys; returns whether the file is as it was written.
    fn unsealed(mut self) -> (Self, bool) {
        let check = self.others.remove(seal::KEY);
        let (check, ours) = (check.as_ref().and_then(Value::as_str).unwrap_or_default(), self.check());
        let is_of = |check: &str| check.split_once(' ').map(|(_, of)| of.to_owned());
        let is_as_written = check == ours || is_of(check) != is_of(&ours);
        if let Some(Value::Number(mark)) = self.others.remove(OWN_MARK) {
            self.own_mark = Some(mark);
        }
        (self, is_as_written)
    }

    /// Returns whether this library set the watermark, be it on another machine whose ledger is not here yet.
    pub(crate) fn is_own(&self) -> bool {
        self.own_mark.is_some() && self.own_mark == self.last_processed_mtime
    }

    /// Returns the state with all keys of the file, but the checksum.
    fn whole(&self) -> Self {
        let mut whole = self.clone();
        if let Some(mark) = &self.own_mark {
            whole.others.insert(OWN_MARK.to_owned(), Value::Number(mark.clone()));
        }
        whole
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        let mut printed = self.whole();
        printed.others.insert(seal::KEY.to_owned(), Value::String(self.check()));
        let mut bytes = serde_json::to_vec(&printed).expect("maps with text keys print");
        bytes.push(b'\n');
        bytes
    }

    /// Returns the checksum, and the run that it was made for.
    fn check(&self) -> String {
        let sum = seal::of(&serde_json::to_vec(&self.whole()).expect("maps with text keys print"));
        format!("{sum} {}", self.last_run_at.map_or_else(|| "never".to_owned(), iso_millis::print))
    }

    /// Returns the watermark in nanoseconds since the epoch.
    pub(crate) fn watermark_ns(&self) -> Option<i64> {
        watermark_ns(self.last_processed_mtime.as_ref()?)
    }

    /// Raises the watermark to `modified_ns`, in whole milliseconds rounded up, so that no peer takes the file for new.
    pub(crate) fn raise_watermark(&mut self, modified_ns: i64) {
        let millis = modified_ns.div_euclid(1_000_000) + i64::from(modified_ns.rem_euclid(1_000_000) > 0);
        if self.watermark_ns().is_none_or(|current| current < modified_ns) {
            self.last_processed_mtime = Some(Number::from(millis));
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out the field by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out the field by reference")]
fn is_zero_long(number: &u64) -> bool {
    *number == 0
}

/// Returns a watermark in nanoseconds since the epoch.
pub(crate) fn watermark_ns(number: &Number) -> Option<i64> {
    if let Some(whole) = number.as_i64() {
        return whole.checked_mul(1_000_000);
    }
    let fraction = number.as_f64().filter(|number| number.is_finite())?;
    #[expect(clippy::cast_possible_truncation, reason = "a float that is out of range saturates")]
    let ns = (fraction * 1e6).round() as i64;
    // A float near 1.8e12 resolves about 0.0003 ms; the file that set the mark must not lie above it.
    Some(ns.saturating_add(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_file_is_accepted_and_unknown_keys_survive() {
        let text = br#"{"last_processed_mtime":1795230000123.4567,"last_run_at":"2026-11-21T03:00:00.000Z","theirs":{"a":1}}"#;
        let state = DreamedState::parse(Some(text)).unwrap();
        assert!(state.watermark_ns().unwrap() >= 1_795_230_000_123_456_700);
        let again = DreamedState::parse(Some(&state.print())).unwrap();
        assert_eq!(again, state);
        assert_eq!(again.others["theirs"]["a"], 1);
    }

    #[test]
    fn the_watermark_only_rises_and_covers_the_file() {
        let mut state = DreamedState::default();
        state.raise_watermark(1_500_000_000_000_000_001);
        assert_eq!(state.last_processed_mtime, Some(Number::from(1_500_000_000_001_i64)));
        state.raise_watermark(5);
        assert_eq!(state.last_processed_mtime, Some(Number::from(1_500_000_000_001_i64)));
    }

    #[test]
    fn a_peers_mark_that_covers_the_file_stands_as_it_was_written() {
        let mut state = DreamedState::parse(Some(br#"{"last_processed_mtime":1795230000123.5}"#)).unwrap();
        let (mark, covered) = (state.last_processed_mtime.clone(), state.watermark_ns().unwrap());
        state.raise_watermark(covered);
        assert_eq!(state.last_processed_mtime, mark);
        state.raise_watermark(covered + 1);
        assert_eq!(state.last_processed_mtime, Some(Number::from(1_795_230_000_124_i64)));
    }

    #[test]
    fn every_value_that_makes_sense_is_taken_of_an_edited_file() {
        let mut state = DreamedState { dreams_on: Some("desk".into()), ..DreamedState::default() };
        state.last_run_at = Some(DateTime::UNIX_EPOCH);
        state.raise_watermark(5_000_000);
        state.own_mark.clone_from(&state.last_processed_mtime);
        let printed = String::from_utf8(state.print()).unwrap();
        let read = |text: &str| DreamedState::read(Some(text.as_bytes()));
        let mark = "\"last_processed_mtime\":5,";
        assert!(printed.contains(mark), "{printed}");
        for (edited, edit) in [
            (printed.clone(), Edit::None),
            // A mark that a hand raised has nothing taken for read.
            (printed.replace(mark, "\"last_processed_mtime\":9000000,"), Edit::Values),
            (printed.replace("\"own_mark\":5", "\"own_mark\":9000000"), Edit::Values),
            (printed.replace(mark, "\"last_processed_mtime\":\"soon\","), Edit::Partly),
            (printed.replace(mark, &format!("{mark} // up to here\n")), Edit::Partly),
            (printed.replace("}\n", ",}\n"), Edit::Partly),
            (printed.replace('{', ""), Edit::Partly),
            (printed.replace("}\n", ""), Edit::Partly),
        ] {
            let taken = read(&edited);
            assert_eq!((&taken.state, taken.edit), (&state, edit), "{edited}");
            assert!(taken.state.is_own());
        }
        assert_eq!(read(&printed.replace("\"dreams_on\":\"desk\"", "\"dreams_on\":7")).state.dreams_on, None);
        for text in ["", "{", "[]", "null", "\"{\"", "\u{0}\u{0}"] {
            let taken = read(text);
            assert_eq!((taken.state, taken.edit), (DreamedState::default(), Edit::Partly), "{text}");
        }
        // A peer's file has no checksum: its mark is its own.
        let theirs = read("{\"last_processed_mtime\": 9000000, }");
        assert!(theirs.state.watermark_ns() == Some(9_000_000_000_000) && !theirs.state.is_own());
    }

    #[test]
    fn damage_is_an_error_and_never_a_fresh_start() {
        for text in ["", "{", "[]", "{\"last_processed_mtime\":\"soon\"}", "{\"last_run_at\":\"yesterday\"}"]
        {
            assert!(DreamedState::parse(Some(text.as_bytes())).is_err(), "{text}");
        }
        assert_eq!(DreamedState::parse(None).unwrap(), DreamedState::default());
    }
}
