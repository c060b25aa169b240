//! The log of passes, `.dreaming.d/log.jsonl`: one JSON object a line, appended.
//!
//! It holds names, byte ranges and hashes, no text. The hash of each promoted line keeps a line out that a person has
//! removed. A torn last line is skipped.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::base::usage::Usage;
use crate::format::DreamId;
use crate::format::state::iso_millis;

/// The word of a pass that appended a section.
pub(crate) const APPENDED: &str = "appended";
/// The words for what became of a section afterwards.
pub(crate) const UNDONE: &str = "undone";
pub(crate) const REDONE: &str = "redone";
/// A section that an editor saved over was appended again.
pub(crate) const RESTORED: &str = "restored";
pub(crate) const ARCHIVED: &str = "archived";

/// One pass, or what became of its section afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogLine {
    pub(crate) v: u64,
    /// The dreamer; a curator's dream if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<String>,
    #[serde(with = "iso_millis")]
    pub(crate) at: Option<DateTime<Utc>>,
    pub(crate) day: NaiveDate,
    pub(crate) id: DreamId,
    pub(crate) epoch: u64,
    /// The word of the outcome.
    pub(crate) outcome: String,
    /// The slices that were shown.
    pub(crate) sources: Vec<LogSource>,
    /// The hashes of the promoted statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<String>,
    /// The hashes of what a person took out of a proposal before it was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) declined: Vec<String>,
    /// Every other line of the answer by what became of it.
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    pub(crate) fates: SortedMap<String, u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) section_sha256: Option<Digest>,
    /// Other hashes of the section: a merge has printed it anew, and a tool may have brought it before this line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_sha256: Vec<Digest>,
    #[serde(default)]
    pub(crate) request_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    /// Whether no model was asked: lines were picked by rules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) without_model: bool,
    /// Classes of secrets, for a quarantine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) patterns: Vec<String>,
}

/// A slice that was shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct LogSource {
    pub(crate) name: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) sha256: Digest,
}

impl LogLine {
    /// Returns the later state of this pass's section.
    pub(crate) fn then(&self, word: &str, at: DateTime<Utc>, day: NaiveDate, epoch: u64) -> Self {
        Self {
            at: Some(at),
            day,
            epoch,
            outcome: word.to_owned(),
            lines: Vec::new(),
            declined: Vec::new(),
            fates: SortedMap::new(),
            request_bytes: 0,
            usage: None,
            without_model: false,
            patterns: Vec::new(),
            also_sha256: Vec::new(),
            ..self.clone()
        }
    }

    pub(crate) fn print(&self) -> String {
        let mut line = serde_json::to_string(self).expect("maps with text keys print");
        line.push('\n');
        line
    }
}

/// The memory of an earlier pass in a curator's run.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Remembered {
    #[serde(default)]
    by: Option<String>,
    pub(crate) id: DreamId,
    pub(crate) outcome: String,
    #[serde(default)]
    pub(crate) lines: Vec<String>,
    #[serde(default)]
    pub(crate) declined: Vec<String>,
    #[serde(default)]
    sources: Vec<LogSource>,
}

impl Remembered {
    /// Returns the names of the journals that were shown.
    pub(crate) fn journals(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.name.as_str())
    }
}

impl From<LogLine> for Remembered {
    fn from(line: LogLine) -> Self {
        Self {
            by: line.by,
            id: line.id,
            outcome: line.outcome,
            lines: line.lines,
            declined: line.declined,
            sources: line.sources,
        }
    }
}

/// A dream that appended a section, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Promotion<'l> {
    pub(crate) id: &'l DreamId,
    /// The hashes of its statements.
    pub(crate) lines: Vec<&'l str>,
    /// The number of the log's line that says so.
    at: usize,
    /// The word of the last that was done with it.
    pub(crate) word: &'l str,
    /// The number of its line.
    word_at: usize,
}

impl Promotion<'_> {
    /// Returns whether a person took it back.
    pub(crate) fn is_undone(&self) -> bool {
        self.word == UNDONE
    }
}

/// Returns the dreams that appended a section, in the order in which they did so last.
pub(crate) fn promotions(log: &[Remembered]) -> Vec<Promotion<'_>> {
    let mut all: SortedMap<usize, Promotion<'_>> = SortedMap::new();
    let mut places: SortedMap<&DreamId, usize> = SortedMap::new();
    for (at, line) in log.iter().enumerate() {
        let known = places.get(&line.id).copied();
        match line.outcome.as_str() {
            APPENDED => {
                // Of one that was taken back nothing counts as promoted, unless it is promoted again.
                let before = known.and_then(|place| all.remove(&place)).filter(|known| !known.is_undone());
                let mut lines = before.map(|known| known.lines).unwrap_or_default();
                lines.extend(line.lines.iter().map(String::as_str));
                all.insert(at, Promotion { id: &line.id, lines, at, word: APPENDED, word_at: at });
                places.insert(&line.id, at);
            }
            word @ (UNDONE | REDONE | ARCHIVED | RESTORED) => {
                if let Some(known) = known.and_then(|place| all.get_mut(&place)) {
                    (known.word, known.word_at) = (word, at);
                }
            }
            _ => {}
        }
    }
    all.into_values().gather()
}

/// Returns the hashes of promoted lines and of lines that a person declined, each with its pass. If such a line is
/// no longer in memory, it was taken out. The lines of an undone dream are free, even if an earlier dream has them
/// too. A merge puts such a line into one section.
pub(crate) fn settled(log: &[Remembered]) -> impl Iterator<Item = (&str, &Remembered)> {
    let all = promotions(log);
    let mut freed: SortedMap<&str, usize> = SortedMap::new();
    for dream in all.iter().filter(|dream| dream.is_undone()) {
        for hash in &dream.lines {
            let until = freed.entry(*hash).or_default();
            *until = dream.word_at.max(*until);
        }
    }
    let promoted = all.into_iter().spread(|dream| dream.lines.into_iter().map(move |hash| (dream.at, hash)));
    let is_free = move |(at, hash): &(usize, &str)| freed.get(hash).is_some_and(|until| until > at);
    let promoted = promoted.filter(move |line| !is_free(line));
    let declined = log.iter().enumerate().spread(|(at, line)| {
        let promised: &[String] = if line.outcome == APPENDED { &[] } else { &line.lines };
        promised.iter().chain(&line.declined).map(move |hash| (at, hash.as_str()))
    });
    promoted.chain(declined).map(move |(at, hash)| (hash, &log[at]))
}

/// Parses no more of the lines that are whole than a run of a curator remembers: none of a sleeper's.
pub(crate) fn remember(text: &str) -> impl Iterator<Item = Remembered> + '_ {
    let remembered = |line: &str| {
        serde_json::from_slice(line.as_bytes()).ok().filter(|line: &Remembered| line.by.is_none())
    };
    text.lines().filter_map(remembered)
}

/// Parses the lines that are whole.
pub(crate) fn parse(text: &str) -> impl Iterator<Item = LogLine> + '_ {
    text.lines().filter_map(|line| serde_json::from_slice(line.as_bytes()).ok())
}

/// Parses the lines that are whole of dreams over journals: none of a sleeper's.
pub(crate) fn of_curators(text: &str) -> impl Iterator<Item = LogLine> + '_ {
    parse(text).filter(|line| line.by.is_none())
}

/// Returns the hash under which a promoted statement is remembered, by its key.
pub(crate) fn key_hash(key: &str) -> String {
    Digest::of(key.as_bytes()).short(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_is_promoted_no_more_unless_it_is_again() {
        let id = |n: u64| DreamId::parse(&format!("{n:016x}")).unwrap();
        let line = |n, outcome: &str, lines: &[&str]| Remembered {
            by: None,
            id: id(n),
            outcome: outcome.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            declined: Vec::new(),
            sources: Vec::new(),
        };
        let told = |log: &[Remembered]| -> Vec<String> {
            let lines = promotions(log);
            lines
                .iter()
                .map(|one| {
                    format!(
                        "{} {} {}",
                        one.id.as_str().trim_start_matches('0'),
                        one.word,
                        one.lines.join("+")
                    )
                })
                .collect()
        };
        let mut log = vec![
            line(1, APPENDED, &["a"]),
            line(7, "nothing_to_promote", &[]),
            line(2, APPENDED, &["b"]),
            line(1, UNDONE, &[]),
        ];
        assert_eq!(told(&log), ["1 undone a", "2 appended b"]);
        log.push(line(1, APPENDED, &["c"]));
        assert_eq!(told(&log), ["2 appended b", "1 appended c"]);
        log.extend([
            line(2, UNDONE, &[]),
            line(2, REDONE, &[]),
            line(1, ARCHIVED, &[]),
            line(9, UNDONE, &[]),
        ]);
        assert_eq!(told(&log), ["2 redone b", "1 archived c"]);
        log.push(line(1, APPENDED, &["d"]));
        assert_eq!(told(&log), ["2 redone b", "1 appended c+d"], "a lost ledger had it dreamed twice");
        let settled = |log: &[Remembered]| settled(log).map(|(hash, _)| hash.to_owned()).collect::<Vec<_>>();
        assert_eq!(settled(&log), ["b", "c", "d"]);
        log.extend([line(3, APPENDED, &["c", "e"]), line(1, UNDONE, &[])]);
        assert_eq!(settled(&log), ["b", "e"], "an earlier dream that said the same holds nothing back");
        log.push(line(4, APPENDED, &["c"]));
        assert_eq!(settled(&log), ["b", "e", "c"], "it was promoted again");
    }

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
            lines: vec![key_hash("x")],
            declined: vec![],
            fates: SortedMap::new(),
            section_sha256: None,
            also_sha256: vec![],
            request_bytes: 0,
            usage: None,
            without_model: false,
            patterns: vec![],
        };
        let text = format!("{}{}{}", line.print(), "{\"v\":1,\"to", "\n") + &line.print();
        assert_eq!(parse(&text).collect::<Vec<_>>(), [line.clone(), line.clone()]);
        let sleepers = LogLine { by: Some("sleeper".into()), ..line };
        let both = sleepers.print() + &text;
        assert_eq!((parse(&both).count(), remember(&both).count()), (3, 2));
    }
}
