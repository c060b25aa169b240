//! The results of a search or a list: how many are asked for, and how many fit into an answer.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_ANSWER;
use crate::base::text::excerpt;

#[derive(Deserialize)]
pub(super) struct Search {
    pub(super) query: String,
    #[serde(default = "ten")]
    pub(super) limit: u64,
}

/// The most that a search or a list of rows gives.
pub(super) const MAX_FOUND: u64 = 50;

pub(super) fn ten() -> u64 {
    10
}

/// Returns a limit in a schema.
pub(super) fn limit() -> Value {
    json!({
        "type": "integer", "minimum": 1, "maximum": MAX_FOUND,
        "description": "At most so many; 10 unless said. 0 is taken for 1, and more than 50 for 50."
    })
}

/// Returns a limit as a model gives it, within what is allowed.
pub(super) fn limited(limit: u64) -> usize {
    usize::try_from(limit.clamp(1, MAX_FOUND)).unwrap_or(1)
}

/// Results, as many as fit.
#[derive(Default)]
pub(super) struct Fitting {
    results: Vec<Value>,
    bytes: usize,
    left_out: usize,
}

/// The bytes of a result beside its text.
const BESIDE: usize = 640;

impl Fitting {
    /// Adds a result with a text, which is cut around the sentence that was found where it is longer than any answer.
    /// `false` where it has no room.
    pub(super) fn add(
        &mut self,
        text: &str,
        found: Option<&Range<usize>>,
        result: impl FnOnce(&str) -> Value,
    ) -> bool {
        let text = excerpt(text, found, MAX_ANSWER - BESIDE);
        if self.left_out > 0 || self.bytes + text.len() + BESIDE > MAX_ANSWER {
            self.left_out += 1;
            return false;
        }
        self.bytes += text.len() + BESIDE;
        self.results.push(result(text));
        true
    }

    pub(super) fn answer(self) -> Value {
        let mut answer = json!({ "results": self.results });
        if self.left_out > 0 {
            answer["cut"] = json!(format!("{} more are left out: ask for less.", self.left_out));
        }
        answer
    }
}
