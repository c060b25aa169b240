//! When each periodic check last ran, `memory/heartbeat-state.json`.
//!
//! ```text
//! {
//!   "lastChecks": {
//!     "email": 1703275200,
//!     "weather": null
//!   }
//! }
//! ```
//!
//! Seconds since the epoch; `null` has never run. Keys and values of others survive, and a file that nothing
//! was marked in prints byte for byte.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::debug::debug_as;
use crate::base::error::{Result, parse_json};
use crate::base::name::DocName;
use crate::base::sorted::SortedMap;

/// When each periodic check last ran.
///
/// ```
/// use noctuary::format::Checks;
///
/// let mut checks = Checks::parse(Some(br#"{"lastChecks":{"email":1703275200,"weather":null},"theirs":1}"#))?;
/// assert_eq!(checks.last("email"), Some(1_703_275_200));
/// assert_eq!(checks.last("weather"), None);
/// checks.mark("weather", "2026-11-21T09:00:00Z".parse().unwrap());
/// assert!(String::from_utf8_lossy(&checks.print()).contains("\"theirs\": 1"));
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Checks {
    shape: Shape,
    /// As it was read, while nothing has changed.
    bytes: Option<Vec<u8>>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct Shape {
    #[serde(rename = "lastChecks", default)]
    last: SortedMap<String, Value>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Checks {
    /// Parses the file; `None` (no file) is a state in which nothing has run.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) where it does not parse; nothing is reset.
    pub fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let shape = parse_json(DocName::HEARTBEAT_STATE.as_str(), bytes)?;
        Ok(Self { shape, bytes: Some(bytes.to_owned()) })
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn print(&self) -> Vec<u8> {
        self.bytes.clone().unwrap_or_else(|| {
            let mut bytes = serde_json::to_vec_pretty(&self.shape).expect("maps with text keys print");
            bytes.push(b'\n');
            bytes
        })
    }

    /// Returns when a check last ran, in seconds since the epoch; `None` where it never did, or the value is no time.
    #[must_use]
    pub fn last(&self, name: &str) -> Option<i64> {
        let value = self.shape.last.get(name)?;
        #[expect(clippy::cast_possible_truncation, reason = "a float that is out of range saturates")]
        value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds.floor() as i64))
    }

    /// Returns the names of all checks, ascending.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shape.last.keys().map(String::as_str)
    }

    /// Notes that a check ran.
    pub fn mark(&mut self, name: &str, at: DateTime<Utc>) {
        self.shape.last.insert(name.to_owned(), at.timestamp().into());
        self.bytes = None;
    }
}

debug_as!(Checks, |it| "Checks {{ checks: {} }}", it.shape.last.len());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use proptest::prelude::*;

    // HB-10
    #[test]
    fn the_seeds_sample_makes_a_round_trip() {
        let sample = b"{\r\n \"lastChecks\": {\n  \"weather\": null, \"email\": 1703275200,\n \"odd\": \"x\", \"js\": 1703275200.9 },\n \"z\": [1]}";
        let mut checks = Checks::parse(Some(sample)).unwrap();
        assert_eq!(checks.print(), sample);
        assert_eq!(checks.last("js"), Some(1_703_275_200));
        assert_eq!((checks.last("weather"), checks.last("odd"), checks.last("none")), (None, None, None));
        checks.mark("email", DateTime::from_timestamp(1_800_000_000, 5).unwrap());
        let printed = String::from_utf8(checks.print()).unwrap();
        assert_eq!(
            printed,
            "{\n  \"lastChecks\": {\n    \"email\": 1800000000,\n    \"js\": 1703275200.9,\n    \"odd\": \"x\",\n    \"weather\": null\n  },\n  \"z\": [\n    1\n  ]\n}\n"
        );
    }

    #[test]
    fn damage_is_an_error_and_never_a_fresh_start() {
        for text in ["", "{", "[]", "{\"lastChecks\":3}"] {
            assert!(Checks::parse(Some(text.as_bytes())).is_err(), "{text}");
        }
        assert_eq!(Checks::parse(None).unwrap(), Checks::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(100_000)))]

        #[test]
        fn a_mark_reads_back_and_leaves_the_rest(
            last in proptest::collection::btree_map("[a-c\"\u{e9}]{1,2}", proptest::option::of(any::<i64>()), 0..5),
            others in proptest::collection::btree_map("[x-z]{1,2}", any::<i32>(), 0..4),
            pretty: bool,
            at in 0..4_000_000_000_i64,
        ) {
            let mut root = serde_json::to_value(&others).unwrap();
            root["lastChecks"] = serde_json::to_value(&last).unwrap();
            let text = if pretty { format!("\u{feff}{root:#}\r\n") } else { root.to_string() };
            let mut checks = Checks::parse(Some(text.as_bytes())).unwrap();
            prop_assert_eq!(checks.print(), text.as_bytes());
            checks.mark("a", DateTime::from_timestamp(at, 0).unwrap());
            root["lastChecks"]["a"] = at.into();
            prop_assert_eq!(serde_json::from_slice::<Value>(&checks.print()).unwrap(), root);
        }
    }
}
