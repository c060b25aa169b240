//! The ledger, `.dreaming.d/ledger.json`: the bytes of each journal that a model has been shown.
//!
//! ```text
//! {"v":1,"epoch":7,"watermark":1795230000000,"journals":{"memory/2026-11-20-repl.md":
//!   {"shown":[{"from":0,"to":18342,"sha256":"…","breaks":214}],"size":18342,"modified":1795229000000000000}}}
//! ```
//!
//! Each piece carries the hash of its bytes, so a rewritten journal is noticed, and only changed pieces are shown
//! again. A piece without a hash was dreamed by a peer. The line breaks of a piece are counted once, so that the lines
//! after it have their numbers without reading it again. A rewrite that keeps both size and time of change to the
//! nanosecond is not noticed. An entry may count `tries`: how often in a row it was shown and every line of the answer
//! was held.
//!
//! A file whose checksum fits is looked through, and an entry is parsed when it is asked for. Any other is parsed whole.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::file::check_version;
use super::seal;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::base::sorted::SortedMap;

mod entry;
mod written;

pub(crate) use entry::{Entry, Glance, Piece};
use written::Written;

const VERSION: u64 = 1;

/// The facts about every journal that is inside the window, or that still waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    /// The claim that wrote it last.
    pub(crate) epoch: u64,
    /// The watermark that we wrote beside it; another one in the state file is a peer's.
    pub(crate) watermark: Option<Number>,
    /// The entries of the file, each read when it is asked for: most nights need few of thousands.
    written: Written,
    /// Entries that are others than in the file; `None` for those that were forgotten.
    changed: SortedMap<DocName, Option<Entry>>,
}

/// The file without its journals.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    v: u64,
    epoch: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    watermark: Option<Number>,
}

/// The file as somebody else may have written it.
#[derive(Deserialize)]
struct Whole {
    v: u64,
    epoch: u64,
    #[serde(default)]
    watermark: Option<Number>,
    journals: SortedMap<DocName, Entry>,
}

/// The beginning of the journals.
const JOURNALS: &str = ",\"journals\":{";

impl Ledger {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        Self::read(bytes.map(<[u8]>::to_vec))
    }

    /// Parses as [`parse`](Self::parse) does, and keeps the bytes.
    pub(crate) fn read(bytes: Option<Vec<u8>>) -> Result<Self> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        match Self::as_printed(bytes) {
            Ok(ledger) => Ok(ledger),
            Err(bytes) => Self::in_any_form(&bytes),
        }
    }

    /// Reads a file that is as this library prints it; gives the bytes of another back.
    fn as_printed(bytes: Vec<u8>) -> Result<Self, Vec<u8>> {
        let Some(len) = seal::sealed(&bytes).map(<[u8]>::len) else { return Err(bytes) };
        let mut text = String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes)?;
        let head = text.find(JOURNALS).and_then(|at| {
            let head: Head = serde_json::from_slice([&text[..at], "}"].concat().as_bytes()).ok()?;
            (head.v == VERSION).then_some((head, at + JOURNALS.len()))
        });
        let Some((Head { epoch, watermark, .. }, from)) = head else { return Err(text.into_bytes()) };
        let Some(lines) = written::lines(&text[..len], from) else { return Err(text.into_bytes()) };
        text.truncate(len);
        Ok(Self { epoch, watermark, written: Written::new(text, lines), changed: SortedMap::new() })
    }

    /// Reads a file that a person has changed, and says where one is damaged.
    fn in_any_form(bytes: &[u8]) -> Result<Self> {
        let name = StateName::LEDGER;
        let parsed: Result<Whole> = seal::parse(name.as_str(), bytes);
        if parsed.as_ref().map_or(true, |ledger| ledger.v != VERSION) {
            check_version(name.as_str(), bytes, VERSION)?;
        }
        let Whole { epoch, watermark, journals, .. } = parsed?;
        if !journals.values().all(Entry::is_sound) {
            return Err(Error::Corrupt {
                name: name.to_string(),
                line: 0,
                column: 0,
                what: "pieces overlap or are empty",
            });
        }
        let changed = journals.into_iter().map(|(journal, entry)| (journal, Some(entry))).collect();
        Ok(Self { epoch, watermark, written: Written::default(), changed })
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        let head = Head { v: VERSION, epoch: self.epoch, watermark: self.watermark.clone() };
        let mut text = serde_json::to_string(&head).expect("numbers print");
        text.pop();
        text.push_str(JOURNALS);
        let mut written = self.written.iter().peekable();
        let mut separator = "";
        let mut add = |parts: &[&str]| {
            text.push_str(separator);
            for part in parts {
                text.push_str(part);
            }
            separator = ",";
        };
        for (journal, entry) in &self.changed {
            while let Some((_, line)) = written.next_if(|(name, _)| *name < journal.as_str()) {
                add(&[line]);
            }
            written.next_if(|(name, _)| *name == journal.as_str());
            if let Some(entry) = entry {
                let name = serde_json::to_string(journal).expect("a name prints");
                add(&[&name, ":", &serde_json::to_string(entry).expect("numbers print")]);
            }
        }
        written.for_each(|(_, line)| add(&[line]));
        text.push_str("}}");
        seal::close(text.into_bytes())
    }

    pub(crate) fn get(&self, journal: &DocName) -> Option<Entry> {
        match self.changed.get(journal) {
            Some(entry) => entry.clone(),
            None => self.written.entry(journal.as_str()),
        }
    }

    /// Returns a look for many journals, which is fastest where it is asked of them in ascending order.
    pub(crate) fn looking(&self) -> Looking<'_> {
        Looking { ledger: self, at: 0 }
    }

    /// Returns the journals without waiting bytes, of those that `is_old` says yes to.
    pub(crate) fn read_whole(&self, is_old: impl Fn(&str) -> bool) -> Vec<DocName> {
        let written = self.written.glances().filter(|(name, glance)| glance.pending == 0 && is_old(name));
        let written = written.filter_map(|(name, _)| DocName::parse(name).ok());
        let written = written.filter(|name| !self.changed.contains_key(name));
        let changed = self.changed.iter().filter(|(name, entry)| {
            entry.as_ref().is_some_and(|entry| entry.glance().pending == 0) && is_old(name.as_str())
        });
        let mut journals: Vec<DocName> = written.chain(changed.map(|(name, _)| name.clone())).gather();
        order::sort(&mut journals);
        journals
    }

    /// Forgets journals.
    pub(crate) fn forget(&mut self, journals: &[DocName]) {
        self.changed.extend(journals.iter().map(|journal| (journal.clone(), None)));
    }

    /// Takes over whole entries, as a commit recorded them. Doing it twice is doing it once.
    pub(crate) fn apply<'e>(&mut self, delta: impl IntoIterator<Item = (&'e DocName, &'e Entry)>) {
        let delta = delta.into_iter();
        self.changed.extend(delta.map(|(journal, entry)| (journal.clone(), Some(entry.clone()))));
    }
}

/// A look at the entries of many journals.
pub(crate) struct Looking<'l> {
    ledger: &'l Ledger,
    /// The place among the written entries where the last journal was, or would be.
    at: usize,
}

impl Looking<'_> {
    pub(crate) fn at(&mut self, journal: &DocName) -> Option<Glance> {
        match self.ledger.changed.get(journal) {
            Some(entry) => entry.as_ref().map(Entry::glance),
            None => self.ledger.written.glance(journal.as_str(), &mut self.at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digest::Digest;
    use proptest::prelude::*;

    fn piece(from: u64, to: u64) -> Piece {
        Piece { from, to, sha256: None, breaks: None }
    }

    fn entries(ledger: &Ledger, names: &[DocName]) -> Vec<Option<Entry>> {
        names.iter().map(|name| ledger.get(name)).collect()
    }

    #[test]
    fn a_ledger_reads_back_and_pieces_that_overlap_are_an_error() {
        let mut ledger = Ledger::default();
        let mut entry = Entry::default();
        entry.show(piece(0, 4));
        let name = DocName::parse("memory/2026-01-01.md").unwrap();
        ledger.apply(&SortedMap::from([(name.clone(), entry.clone())]));
        let printed = ledger.print();
        let read = Ledger::parse(Some(&printed)).unwrap();
        assert_eq!((read.get(&name), read.print()), (Some(entry), printed.clone()));
        let overlap = br#"{"v":1,"epoch":0,"journals":{"memory/a.md":{"shown":[{"from":0,"to":9},{"from":3,"to":12}],"size":1,"modified":1}}}"#;
        let sealed = seal::close(overlap.to_vec());
        for overlap in [&overlap[..], &sealed] {
            assert!(matches!(Ledger::parse(Some(overlap)), Err(Error::Corrupt { .. })));
        }
    }

    /// A name, mostly of a few that meet again, and sometimes one that JSON escapes.
    fn name() -> impl Strategy<Value = DocName> {
        let file = prop_oneof![
            8 => "2026-0[1-3]-0[1-3](-[a-c])?",
            1 => "[ab]\"[ab]",
            1 => "é[ab]{1,3}",
        ];
        // Not on every system are quotes a part of a name.
        file.prop_filter_map("no name", |file| DocName::parse(format!("memory/{file}.md")).ok())
    }

    fn entry() -> impl Strategy<Value = Entry> {
        let pieces = proptest::collection::btree_set(0u64..99, 0..6);
        let facts = (0u64..120, any::<i64>(), 0u32..3, 0u32..3);
        (pieces, proptest::collection::vec((any::<bool>(), any::<bool>()), 3), facts).prop_map(
            |(bounds, kinds, (size, modified, tries, again))| {
                let mut entry = Entry::default();
                (entry.size, entry.modified, entry.tries, entry.again) = (size, modified, tries, again);
                let bounds: Vec<u64> = bounds.into_iter().collect();
                for (pair, (has_hash, has_breaks)) in bounds.chunks_exact(2).zip(kinds) {
                    let (sha256, breaks) = (Digest::of(&pair[0].to_be_bytes()), pair[1] / 3);
                    let (sha256, breaks) = (has_hash.then_some(sha256), has_breaks.then_some(breaks));
                    entry.show(Piece { from: pair[0], to: pair[1], sha256, breaks });
                }
                entry
            },
        )
    }

    proptest! {
        // The file is read in two ways: as it is printed, and in any form. Neither may say another thing.
        #[test]
        fn a_ledger_says_the_same_however_it_is_read(
            first in proptest::collection::btree_map(name(), entry(), 0..12),
            then in proptest::collection::btree_map(name(), entry(), 0..6),
            gone in proptest::collection::vec(name(), 0..4),
            asked in proptest::collection::vec(name(), 12),
            watermark in proptest::option::of(any::<u32>()),
        ) {
            let mut model = first.clone();
            let mut ledger = Ledger { epoch: 7, watermark: watermark.map(Number::from), ..Ledger::default() };
            ledger.apply(&first);
            let printed = ledger.print();
            let mut as_printed = Ledger::parse(Some(&printed)).unwrap();
            let mut in_any_form = Ledger::in_any_form(&printed).unwrap();
            let is_plain = first.keys().all(|name| !name.as_str().contains('"'));
            prop_assert_eq!(as_printed.changed.is_empty(), is_plain || first.is_empty());
            let names: Vec<DocName> = first.keys().chain(then.keys()).chain(&gone).chain(&asked).cloned().collect();
            for is_changed in [false, true] {
                if is_changed {
                    model.extend(then.clone());
                    model.retain(|name, _| !gone.contains(name));
                    for ledger in [&mut as_printed, &mut in_any_form] {
                        ledger.apply(&then);
                        ledger.forget(&gone);
                    }
                }
                let known: Vec<Option<Entry>> = names.iter().map(|name| model.get(name).cloned()).collect();
                let done = model.iter().filter(|(_, entry)| entry.pending(entry.size) == 0);
                let done: Vec<DocName> = done.map(|(name, _)| name.clone()).collect();
                for ledger in [&as_printed, &in_any_form] {
                    prop_assert_eq!(&entries(ledger, &names), &known);
                    let mut looking = ledger.looking();
                    for (name, entry) in names.iter().zip(&known) {
                        prop_assert_eq!(looking.at(name), entry.as_ref().map(Entry::glance), "{}", name);
                    }
                    prop_assert_eq!(&ledger.read_whole(|_| true), &done);
                    prop_assert_eq!(&ledger.watermark, &watermark.map(Number::from));
                }
                let printed = as_printed.print();
                prop_assert_eq!(&in_any_form.print(), &printed);
                prop_assert_eq!(entries(&Ledger::in_any_form(&printed).unwrap(), &names), known);
            }
        }
    }
}
