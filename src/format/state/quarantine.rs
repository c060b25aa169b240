//! The seed's quarantine file, `.dreamed-quarantine.json`: an array that a person edits by hand.
//!
//! ```text
//! [{"quarantined_at":"2026-11-21T03:00:00.000Z","pattern":"aws_access_key",
//!   "log_filenames":["2026-11-20-repl.md"],"max_mtime":1795230000000,
//!   "files":[{"name":"memory/2026-11-20-repl.md","len":18342,"sha256":"…"}]}]
//! ```
//!
//! `files` is ours and optional. Unknown keys survive; so do entries that name nothing, and every byte of an entry that
//! does not change.

use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::by_hand::{Edit, Taken, of_value, relaxed};
use crate::base::digest::Digest;
use crate::base::error::{Result, parse_json};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::base::spread::Spread;
use crate::format::state::iso_millis;

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
    /// The state of the journals then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<QuarantinedFile>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A journal as it was when it was quarantined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuarantinedFile {
    /// The journal.
    pub name: DocName,
    /// Its length in bytes.
    pub len: u64,
    /// The hash of all of it.
    pub sha256: Digest,
}

impl Quarantine {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        bytes.map_or_else(|| Ok(Self::default()), |bytes| parse_json(StateName::QUARANTINE.as_str(), bytes))
    }

    /// Reads the file, whatever a hand made of it. Of what is no entry, each journal that it names is held.
    pub(crate) fn read(bytes: Option<&[u8]>) -> Taken<Self> {
        match (Self::parse(bytes), bytes) {
            (Ok(state), _) => Taken { state, edit: Edit::None },
            (Err(_), bytes) => {
                let text = relaxed(bytes.unwrap_or_default());
                let list: Vec<Value> = match serde_json::from_slice(text.as_bytes()) {
                    Ok(Value::Array(list)) => list,
                    Ok(lone @ Value::Object(_)) => vec![lone],
                    _ => Vec::new(),
                };
                let taken = |entry: Value| {
                    of_value(&entry).ok().or_else(|| QuarantineEntry::naming(&entry.to_string()))
                };
                let entries = if list.is_empty() {
                    QuarantineEntry::naming(&text).into_iter().gather()
                } else {
                    list.into_iter().filter_map(taken).gather()
                };
                Taken { state: Self { entries }, edit: Edit::Partly }
            }
        }
    }

    /// Prints it in the place of what is there: an entry that is there already keeps its bytes.
    pub(crate) fn print_over(&self, standing: Option<&[u8]>) -> Vec<u8> {
        let standing = standing.unwrap_or(b"[]\n");
        let place = |found: Option<usize>| found.expect("what was parsed is a list");
        let open = place(standing.iter().position(|byte| *byte == b'['));
        let close = place(standing.iter().rposition(|byte| *byte == b']'));
        let elements = elements(standing, open + 1);
        let mut printed = standing[..=open].to_vec();
        let (mut next, mut space_after) = (0, 0..0);
        for (at, entry) in self.entries.iter().enumerate() {
            if at > 0 {
                printed.extend_from_slice(&standing[std::mem::take(&mut space_after)]);
                printed.push(b',');
            }
            match elements[next..].iter().position(|element| element.entry == *entry) {
                Some(ahead) => {
                    let element = &elements[next + ahead];
                    printed.extend_from_slice(&standing[element.space.clone()]);
                    printed.extend_from_slice(&standing[element.bytes.clone()]);
                    space_after = element.space_after.clone();
                    next += ahead + 1;
                }
                None => printed.extend(printed_entry(entry)),
            }
        }
        match elements.last() {
            _ if self.entries.is_empty() => {}
            Some(last) => printed.extend_from_slice(&standing[last.bytes.end..close]),
            None => printed.push(b'\n'),
        }
        printed.extend_from_slice(&standing[close..]);
        printed
    }

    /// Returns the entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[QuarantineEntry] {
        &self.entries
    }

    /// Returns the newest entry that holds `journal`.
    #[must_use]
    pub fn holds(&self, journal: &DocName) -> Option<&QuarantineEntry> {
        self.entries.iter().rev().find(|entry| entry.log_filenames.iter().any(|name| names(name, journal)))
    }

    /// Returns what `journal` was when it was quarantined last, its length and hash, where every entry that holds it says
    /// so.
    pub(crate) fn then(&self, journal: &DocName) -> Option<(u64, Digest)> {
        let holds = |entry: &&QuarantineEntry| entry.log_filenames.iter().any(|name| names(name, journal));
        let all = self.entries.iter().filter(holds).map(|entry| {
            entry.files.iter().find(|file| file.name == *journal).map(|file| (file.len, file.sha256))
        });
        all.collect::<Option<Vec<_>>>()?.into_iter().max()
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
            log_filenames: files.iter().map(|file| printed(&file.name)).gather(),
            max_mtime: Some(Number::from(max_mtime_ns.div_euclid(1_000_000))),
            files,
            others: Map::new(),
        });
    }

    /// Returns the journals as they were, to be changed.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = &mut QuarantinedFile> {
        self.entries.iter_mut().spread(|entry| &mut entry.files)
    }

    /// Takes out the first entry that is `hit`; `false` where there is none.
    pub(crate) fn release_entry(&mut self, hit: &QuarantineEntry) -> bool {
        let at = self.entries.iter().position(|entry| entry == hit);
        at.map(|at| self.entries.remove(at)).is_some()
    }

    /// Takes `journal` out of every entry, and drops the entries that then name nothing; `false` where none
    /// held it.
    pub(crate) fn release(&mut self, journal: &DocName) -> bool {
        let mut released = false;
        order::retain(&mut self.entries, |entry| {
            let before = entry.log_filenames.len();
            order::retain(&mut entry.log_filenames, |name| !names(name, journal));
            order::retain(&mut entry.files, |file| file.name != *journal);
            released |= entry.log_filenames.len() < before;
            entry.log_filenames.len() == before || !entry.log_filenames.is_empty()
        });
        released
    }
}

impl QuarantineEntry {
    /// Makes an entry of the journals that a text names; `None` where it names none.
    fn naming(text: &str) -> Option<Self> {
        let parts = text.split(['"', '\'', ',', '[', ']', '{', '}', '\n']).map(str::trim);
        let is_journal = |part: &&str| part.len() > 3 && part.to_ascii_lowercase().ends_with(".md");
        let log_filenames: Vec<String> = parts.filter(is_journal).map(str::to_owned).gather();
        (!log_filenames.is_empty()).then(|| Self {
            quarantined_at: None,
            pattern: UNREADABLE.to_owned(),
            log_filenames,
            max_mtime: None,
            files: Vec::new(),
            others: Map::new(),
        })
    }
}

/// The class of an entry that could not be read.
const UNREADABLE: &str = "unreadable_entry";

/// An entry as it is written.
struct Element {
    entry: QuarantineEntry,
    /// The white space before it.
    space: Range<usize>,
    bytes: Range<usize>,
    /// The white space after it, before a comma.
    space_after: Range<usize>,
}

/// Returns the entries of a list that begins at `at`.
fn elements(list: &[u8], mut at: usize) -> Vec<Element> {
    let mut elements = Vec::new();
    loop {
        let is_space = |byte: &&u8| byte.is_ascii_whitespace();
        let start = at + list[at..].iter().take_while(is_space).count();
        let mut values = serde_json::Deserializer::from_slice(&list[start..]).into_iter();
        let Some(Ok(entry)) = values.next() else { return elements };
        let bytes = start..start + values.byte_offset();
        let space = at..start;
        at = bytes.end;
        at += list[at..].iter().take_while(is_space).count();
        // Text behind the last one belongs to the end of the list.
        let has_next = list.get(at) == Some(&b',');
        let space_after = if has_next { bytes.end..at } else { at..at };
        elements.push(Element { entry, space, bytes, space_after });
        at += usize::from(has_next);
    }
}

/// Returns a new entry, on lines of its own.
fn printed_entry(entry: &QuarantineEntry) -> Vec<u8> {
    let printed = serde_json::to_string_pretty(entry).expect("maps with text keys print");
    format!("\n{printed}").replace('\n', "\n  ").into_bytes()
}

/// Returns the seed writes bare file names; only a journal outside `memory/` needs its folder.
fn printed(journal: &DocName) -> String {
    if journal.folder() == Some("memory") { journal.file_name().to_owned() } else { journal.to_string() }
}

/// Returns whether a listed name means `journal`: a bare one means that of `memory/`, as the seed writes it.
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
        let again = Quarantine::parse(Some(&quarantine.print_over(Some(text)))).unwrap();
        assert_eq!(again, quarantine);
        assert_eq!(again.entries()[0].others["note"], "mine");
        assert!(again.holds(&name("memory/2026-11-20-b.md")).is_some());
    }

    #[test]
    fn every_byte_of_an_entry_that_does_not_change_stays() {
        let entry = |pattern: &str, journal: &str| {
            format!(
                "{{ \"pattern\":\"{pattern}\" ,\t\"log_filenames\":[\"2026-11-20-{journal}.md\"], \"x\":1.50 }}"
            )
        };
        let (one, two, three) = (entry("one", "a"), entry("two", "b"), entry("three", "c"));
        let standing = format!("\u{feff}\r\n[ {one},\r\n\r\n  {two} ,{three}\n ]\n\n");
        let mut quarantine = Quarantine::parse(Some(standing.as_bytes())).unwrap();
        let print = |quarantine: &Quarantine| {
            String::from_utf8(quarantine.print_over(Some(standing.as_bytes()))).unwrap()
        };
        assert_eq!(print(&quarantine), standing);
        assert!(quarantine.release(&name("memory/2026-11-20-b.md")));
        assert_eq!(print(&quarantine), format!("\u{feff}\r\n[ {one},{three}\n ]\n\n"));
        quarantine.push(DateTime::UNIX_EPOCH, "four", Vec::new(), 7_000_000);
        let added = print(&quarantine);
        assert!(added.starts_with(&format!("\u{feff}\r\n[ {one},{three},\n  {{\n    \"quarantined_at\"")));
        assert!(added.ends_with("\n  }\n ]\n\n"), "{added}");
        assert_eq!(Quarantine::parse(Some(added.as_bytes())).unwrap(), quarantine);
        let first = quarantine.entries()[0].clone();
        assert!(quarantine.release_entry(&first) && !quarantine.release_entry(&first));
        while let Some(entry) = quarantine.entries().first().cloned() {
            quarantine.release_entry(&entry);
        }
        assert_eq!(print(&quarantine), "\u{feff}\r\n[]\n\n");
        quarantine.push(DateTime::UNIX_EPOCH, "four", Vec::new(), 7_000_000);
        let fresh = quarantine.print_over(None);
        assert!(fresh.starts_with(b"[\n  {\n    \"quarantined_at\"") && fresh.ends_with(b"\n  }\n]\n"));
        assert_eq!(Quarantine::parse(Some(&fresh)).unwrap(), quarantine);
    }

    #[test]
    fn an_edited_file_holds_every_journal_that_it_names() {
        let held = |text: &str| -> Vec<String> {
            let taken = Quarantine::read(Some(text.as_bytes()));
            assert_eq!(taken.edit, Edit::Partly, "{text}");
            taken.state.entries.into_iter().flat_map(|entry| entry.log_filenames).collect()
        };
        let entry = r#"{"pattern":"x","log_filenames":["2026-11-20-a.md"]}"#;
        assert_eq!(held(&format!("[{entry},]")), ["2026-11-20-a.md"]);
        assert_eq!(held(entry), ["2026-11-20-a.md"]);
        assert_eq!(held(&format!("[{entry}, {{\"log_filenames\": \"b.md\"}}]")), ["2026-11-20-a.md", "b.md"]);
        assert_eq!(
            held(&format!("[{entry}, {{\"log_filenames\": [\"2026-11-21 ghi.md\", \"2026-1")),
            ["2026-11-20-a.md", "2026-11-21 ghi.md"]
        );
        // Taken out as a comment.
        assert_eq!(held(&format!("[ // {entry}\n]")), [""; 0]);
        assert_eq!(held(""), [""; 0]);
    }

    #[test]
    fn an_empty_list_is_a_quarantine_and_an_empty_file_is_damage() {
        assert_eq!(Quarantine::parse(Some(b"[]")).unwrap(), Quarantine::default());
        for text in ["", "{}", "[{}]", "[{\"pattern\":1}]"] {
            assert!(Quarantine::parse(Some(text.as_bytes())).is_err(), "{text}");
        }
    }
}
