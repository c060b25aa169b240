//! The sleeper's records, one JSON object a line: `dreams.jsonl`, `iterations.jsonl`, `conversation.jsonl`.
//!
//! ```text
//! {"t":"2026-02-12T09:32:44Z","actions":61,"reflection":"Real progress.","priority":"Monitor the responses.",
//!  "observations":["RED 09:32 PR #50 merged"],"deep":false,"dream":9,"id":"0f3a9c5be2d14477"}
//! {"t":"2026-02-12T09:30:01Z","role":"assistant","content":"I will open it.","calls":1}
//! ```
//!
//! A line that is torn or somebody else's is passed over.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::sleep_state::is_zero;
pub(crate) use super::sleep_state::{Checkpoint, last};
use crate::base::debug::debug_as;
use crate::format::DreamId;

/// A dream as it is remembered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DreamEntry {
    /// When.
    pub t: DateTime<Utc>,
    /// The number of tool calls that it looked back on.
    #[serde(default)]
    pub actions: u32,
    /// The sleeper's view of itself.
    #[serde(default)]
    pub reflection: String,
    /// Its next step.
    #[serde(default)]
    pub priority: String,
    /// Its notes, as in `observations.md`.
    #[serde(default)]
    pub observations: Vec<String>,
    /// Whether a deep sleep belongs to it.
    #[serde(default)]
    pub deep: bool,
    /// Its number, from 1; 0 where another tool wrote the line.
    #[serde(default)]
    pub dream: u64,
    /// Its id, where this library wrote the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<DreamId>,
}

debug_as!(
    DreamEntry,
    |it| "DreamEntry {{ dream: {}, observations: {}, deep: {} }}",
    it.dream,
    it.observations.len(),
    it.deep
);

/// One message of the conversation, as it is logged.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedMessage {
    pub(crate) t: DateTime<Utc>,
    pub(crate) role: String,
    pub(crate) content: String,
    /// The number of tool calls that it makes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) calls: u32,
}

/// The part of a conversation's line, ours or another tool's, that a model can be shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) at: Option<DateTime<Utc>>,
    pub(crate) role: String,
    pub(crate) text: String,
}

/// Reads a line of a conversation. One that is no JSON is its own text.
pub(crate) fn shown(line: &str) -> Shown {
    let Ok(fields) = serde_json::from_slice::<Map<String, Value>>(line.as_bytes()) else {
        return Shown { text: line.to_owned(), ..Shown::default() };
    };
    let word = |key: &str| fields.get(key).and_then(Value::as_str);
    let text = match fields.get("content").or_else(|| fields.get("text")) {
        Some(Value::String(text)) => text.clone(),
        // Blocks of content: as they are, since every vendor has its own.
        Some(other) => other.to_string(),
        None => line.to_owned(),
    };
    Shown {
        at: word("t").and_then(|t| t.parse().ok()),
        role: word("role").unwrap_or_default().to_owned(),
        text,
    }
}

/// Prints a line.
pub(crate) fn print(record: &impl Serialize) -> String {
    let mut line = serde_json::to_string(record).expect("maps with text keys print");
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;
    use proptest::prelude::*;

    #[test]
    fn the_last_whole_line_counts_and_torn_ones_do_not() {
        let entry = |dream| DreamEntry {
            t: Utc.with_ymd_and_hms(2026, 2, 12, 9, 32, 44).unwrap(),
            actions: 61,
            reflection: "Real progress.".into(),
            priority: "Monitor.".into(),
            observations: vec!["RED 09:32 PR merged".into()],
            deep: false,
            dream,
            id: DreamId::parse("0f3a9c5be2d14477"),
        };
        let text = print(&entry(1)) + &print(&entry(2));
        for cut in 0..text.len() {
            let whole = print(&entry(1)).len();
            let expected = if cut >= text.len() { 2 } else { u64::from(cut >= whole) };
            assert_eq!(last::<DreamEntry>(&text[..cut]).map_or(0, |entry| entry.dream), expected, "{cut}");
        }
        assert_eq!(last::<DreamEntry>(&text), Some(entry(2)));
        assert_eq!(last::<DreamEntry>(&format!("{text}hello\n")), Some(entry(2)));
    }

    #[test]
    fn lines_of_other_tools_are_shown_as_well_as_they_can_be() {
        let of = |line: &str| (shown(line).role, shown(line).text);
        assert_eq!(of(r#"{"role":"user","content":"hi"}"#), ("user".into(), "hi".into()));
        assert_eq!(of(r#"{"role":"user","content":[{"type":"text"}]}"#).1, r#"[{"type":"text"}]"#);
        assert_eq!(of("plain words"), (String::new(), "plain words".into()));
        assert_eq!(of(r#"{"x":1}"#).1, r#"{"x":1}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(20_000)))]
        #[test]
        fn a_message_is_one_line_and_comes_back(role in "\\PC{0,6}", content in "(?s).{0,30}", calls in 0u32..3) {
            let t = DateTime::UNIX_EPOCH;
            let message = LoggedMessage { t, role: role.clone(), content: content.clone(), calls };
            let line = print(&message);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert!(last::<LoggedMessage>(&line).unwrap() == message);
            prop_assert_eq!(shown(line.trim_end()), Shown { at: Some(t), role, text: content });
        }
    }
}
