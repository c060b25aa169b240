//! The log of passes, `.dreaming.d/log.jsonl`: one JSON object a line, appended.
//!
//! It holds names, byte ranges and hashes, no text: of each promoted line the hash of its normal form, so
//! that a line which a person took out again is not promoted again. A torn last line is skipped.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::{DreamId, curated, iso_millis};
use crate::digest::Digest;
use crate::llm::Usage;

/// One pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogLine {
    pub(crate) v: u64,
    /// Whose dream it was; a curator's, where nothing says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<String>,
    #[serde(with = "iso_millis")]
    pub(crate) at: Option<DateTime<Utc>>,
    pub(crate) day: NaiveDate,
    pub(crate) id: DreamId,
    pub(crate) epoch: u64,
    /// The word of the outcome.
    pub(crate) outcome: String,
    /// What was shown.
    pub(crate) sources: Vec<LogSource>,
    /// The hashes of the promoted statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<String>,
    /// Every other line of the answer by what became of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) fates: BTreeMap<String, u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) section_sha256: Option<Digest>,
    #[serde(default)]
    pub(crate) request_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    /// Classes of secrets, for a quarantine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) patterns: Vec<String>,
}

/// A slice that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogSource {
    pub(crate) name: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) sha256: Digest,
}

impl LogLine {
    /// Who a sleeper is in [`by`](Self::by).
    pub(crate) const SLEEPER: &str = "sleeper";

    pub(crate) fn print(&self) -> String {
        let mut line = serde_json::to_string(self).expect("maps with text keys print");
        line.push('\n');
        line
    }
}

/// What a run of a curator remembers of an earlier pass.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Remembered {
    #[serde(default)]
    by: Option<String>,
    pub(crate) id: DreamId,
    pub(crate) outcome: String,
    #[serde(default)]
    pub(crate) lines: Vec<String>,
}

impl From<LogLine> for Remembered {
    fn from(line: LogLine) -> Self {
        Self { by: line.by, id: line.id, outcome: line.outcome, lines: line.lines }
    }
}

/// Parses no more of the lines that are whole than a run of a curator remembers: none of a sleeper's.
pub(crate) fn remember(text: &str) -> impl Iterator<Item = Remembered> + '_ {
    let remembered = |line| serde_json::from_str(line).ok().filter(|line: &Remembered| line.by.is_none());
    text.lines().filter_map(remembered)
}

/// Parses the lines that are whole.
pub(crate) fn parse(text: &str) -> impl Iterator<Item = LogLine> + '_ {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// The hash under which a promoted statement is remembered.
pub(crate) fn statement_hash(statement: &str) -> String {
    Digest::of(curated::statement_key(statement).as_bytes()).short(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_skipped_and_the_rest_reads_back() {
        let line = LogLine {
            v: 1,
            by: None,
            at: None,
            day: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
            id: DreamId::parse("0123456789abcdef").unwrap(),
            epoch: 3,
            outcome: "appended".into(),
            sources: vec![],
            lines: vec![statement_hash("- x")],
            fates: BTreeMap::new(),
            section_sha256: None,
            request_bytes: 0,
            usage: None,
            patterns: vec![],
        };
        let text = format!("{}{}{}", line.print(), "{\"v\":1,\"to", "\n") + &line.print();
        assert_eq!(parse(&text).collect::<Vec<_>>(), [line.clone(), line.clone()]);
        let sleepers = LogLine { by: Some(LogLine::SLEEPER.into()), ..line };
        let both = sleepers.print() + &text;
        assert_eq!((parse(&both).count(), remember(&both).count()), (3, 2));
    }
}
