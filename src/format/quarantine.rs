//! The seed's quarantine file, `.dreamed-quarantine.json`: an array that a person edits by hand.
//!
//! ```text
//! [{"quarantined_at":"2026-11-21T03:00:00.000Z","pattern":"aws_access_key",
//!   "log_filenames":["2026-11-20-repl.md"],"max_mtime":1795230000000,
//!   "files":[{"name":"memory/2026-11-20-repl.md","len":18342,"sha256":"…"}]}]
//! ```
//!
//! `files` is ours and optional. Unknown keys survive; so do entries that name nothing.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::iso_millis;
use crate::digest::Digest;
use crate::error::{Result, parse_json};
use crate::name::{DocName, StateName};

/// The journals that an operator must look at before a model reads them again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quarantine {
    entries: Vec<QuarantineEntry>,
}

/// One hit of the secret filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuarantineEntry {
    /// When.
    #[serde(default, with = "iso_millis")]
    pub quarantined_at: Option<DateTime<Utc>>,
    /// The class that was found.
    pub pattern: String,
    /// The journals, by file name as the seed writes them or with their folder.
    pub log_filenames: Vec<String>,
    /// The newest of their times of change, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_mtime: Option<Number>,
    /// What the journals were like then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<QuarantinedFile>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A journal as it was when it was quarantined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuarantinedFile {
    /// The journal.
    pub name: DocName,
    /// Its length in bytes.
    pub len: u64,
    /// The hash of what was shown of it.
    pub sha256: Digest,
}

impl Quarantine {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        bytes.map_or_else(|| Ok(Self::default()), |bytes| parse_json(StateName::QUARANTINE.as_str(), bytes))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("maps with text keys print");
        bytes.push(b'\n');
        bytes
    }

    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[QuarantineEntry] {
        &self.entries
    }

    /// Returns the newest entry that holds `journal`.
    #[must_use]
    pub fn holds(&self, journal: &DocName) -> Option<&QuarantineEntry> {
        self.entries.iter().rev().find(|entry| entry.log_filenames.iter().any(|name| names(name, journal)))
    }

    /// Returns how long `journal` was when it was quarantined, where that was recorded.
    pub(crate) fn len_then(&self, journal: &DocName) -> Option<u64> {
        self.holds(journal)?.files.iter().find(|file| file.name == *journal).map(|file| file.len)
    }

    pub(crate) fn push(
        &mut self,
        at: DateTime<Utc>,
        pattern: &str,
        files: Vec<QuarantinedFile>,
        max_mtime_ns: i64,
    ) {
        self.entries.push(QuarantineEntry {
            quarantined_at: Some(at),
            pattern: pattern.to_owned(),
            log_filenames: files.iter().map(|file| printed(&file.name)).collect(),
            max_mtime: Some(Number::from(max_mtime_ns.div_euclid(1_000_000))),
            files,
            others: Map::new(),
        });
    }

    /// Takes `journal` out of every entry, and drops the entries that then name nothing; `false` where none
    /// held it.
    pub(crate) fn release(&mut self, journal: &DocName) -> bool {
        let mut released = false;
        self.entries.retain_mut(|entry| {
            let before = entry.log_filenames.len();
            entry.log_filenames.retain(|name| !names(name, journal));
            entry.files.retain(|file| file.name != *journal);
            released |= entry.log_filenames.len() < before;
            entry.log_filenames.len() == before || !entry.log_filenames.is_empty()
        });
        released
    }
}

/// The seed writes bare file names; only a journal outside `memory/` needs its folder.
fn printed(journal: &DocName) -> String {
    if journal.folder() == Some("memory") { journal.file_name().to_owned() } else { journal.to_string() }
}

/// Whether a listed name means `journal`: a bare one means that of `memory/`, as the seed writes it.
fn names(listed: &str, journal: &DocName) -> bool {
    listed == journal.as_str() || listed == printed(journal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> DocName {
        DocName::parse(text).unwrap()
    }

    #[test]
    fn the_seeds_shape_parses_and_hand_edits_survive() {
        let text = br#"[{"quarantined_at":"2026-11-21T03:00:00.000Z","pattern":"pem_private",
            "log_filenames":["2026-11-20-a.md","2026-11-20-b.md"],"max_mtime":1795230000000.5,"note":"mine"}]"#;
        let mut quarantine = Quarantine::parse(Some(text)).unwrap();
        assert!(quarantine.holds(&name("memory/2026-11-20-a.md")).is_some());
        assert!(quarantine.release(&name("memory/2026-11-20-a.md")));
        assert!(!quarantine.release(&name("memory/2026-11-20-a.md")));
        let again = Quarantine::parse(Some(&quarantine.print())).unwrap();
        assert_eq!(again, quarantine);
        assert_eq!(again.entries()[0].others["note"], "mine");
        assert!(again.holds(&name("memory/2026-11-20-b.md")).is_some());
    }

    #[test]
    fn an_empty_list_is_a_quarantine_and_an_empty_file_is_damage() {
        assert_eq!(Quarantine::parse(Some(b"[]")).unwrap(), Quarantine::default());
        for text in ["", "{}", "[{}]", "[{\"pattern\":1}]"] {
            assert!(Quarantine::parse(Some(text.as_bytes())).is_err(), "{text}");
        }
    }
}
