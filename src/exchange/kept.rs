//! The state files that keep words of a statement that is to be forgotten: earlier versions, proposals, and hashes of lines.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use super::holders::Holder;
use super::home::{Home, NOT_ASKED, place_of};
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::receipt::{ForgetPlace, PlaceReceipt};
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::dreamer::Outcome;
use crate::format::documents::statements::statement_hash;
use crate::format::replies::reply;
use crate::format::state::history::History;
use crate::format::state::proposal::{Proposals, Waiting};
use crate::format::state::registry::{self, Names};
use crate::format::state::undone::Undone;
use crate::format::state::{log, seal};
use crate::life::receipt::without_forgotten;

impl Home<'_> {
    /// Overwrites the hashes by which the log knows lines that dreams promoted and that hold the statement. A hash
    /// without a key can be tried against words. Receipts have hashes with a key; in them the names of documents that
    /// hold the statement are overwritten.
    pub(super) fn logs(&self, holders: &[Holder]) -> Result<PlaceReceipt> {
        let mut hashes = SortedSet::new();
        let is_curated = |name: &DocName| place_of(name) == ForgetPlace::Memory || *name == DocName::DREAMED;
        for holder in holders.iter().filter(|holder| is_curated(&holder.name)) {
            hashes.extend(self.hashes(&holder.name, &holder.document.lossy()));
        }
        let undone = self.workspace.read(&StateName::UNDONE)?;
        let undone = Undone::parse(undone.as_ref().map(Document::bytes))?;
        for section in undone.dreams().iter().map(|dream| dream.section.as_str()).chain(undone.sections()) {
            hashes.extend(self.hashes(&DocName::MEMORY, section));
        }
        let (mut found, mut removed) = self.strike_hashes(&StateName::LOG, &hashes)?;
        for name in [StateName::RECEIPTS_BEFORE, StateName::RECEIPTS] {
            let mut here = 0;
            let without = |bytes: Option<&[u8]>| {
                let struck = bytes.and_then(|bytes| without_forgotten(bytes, self.only));
                here = struck.as_ref().map_or(0, |(names, _)| *names);
                Ok(struck.map(|(_, bytes)| bytes))
            };
            let is_struck = self.change(&name, without)?;
            found += here;
            removed += if is_struck { here } else { 0 };
        }
        let line = PlaceReceipt::new(ForgetPlace::Logs, found, removed);
        Ok(if removed < found { line.left(NOT_ASKED) } else { line })
    }

    /// Returns the hashes under which lines that hold the statement are remembered.
    fn hashes(&self, of: &DocName, text: &str) -> Vec<String> {
        let mut places = self.only.find(text);
        places.extend(self.theirs_in(Some(of.as_str()), text.as_bytes()));
        let touches =
            |line: &Range<usize>| places.iter().any(|place| place.start < line.end && line.start < place.end);
        let lines = text::line_ranges(text).filter(touches);
        lines.map(|line| format!("\"{}\"", statement_hash(reply::strip_bullet(&text[line])))).collect()
    }

    /// Overwrites hashes in a state file; returns how many were there, and how many were removed.
    fn strike_hashes(&self, name: &StateName, hashes: &SortedSet<String>) -> Result<(u64, u64)> {
        let mut found = 0;
        let strike = |bytes: Option<&[u8]>| {
            let mut text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            found = hashes.iter().map(|hash| text.matches(hash.as_str()).count() as u64).sum();
            for hash in hashes {
                text = text.replace(hash.as_str(), &format!("\"{}\"", "0".repeat(hash.len() - 2)));
            }
            Ok((found > 0).then(|| seal::renewed(text.as_bytes())))
        };
        let is_struck = self.change(name, strike)?;
        Ok((found, if is_struck { found } else { 0 }))
    }

    /// Looks through proposals that wait for a person's answer.
    pub(super) fn proposals(&self) -> Result<PlaceReceipt> {
        let standing = self.workspace.read(&StateName::PROPOSALS)?;
        let list = Proposals::parse(standing.as_ref().map(Document::bytes))?;
        let (mut found, mut removed, mut is_read) = (0, 0, true);
        let mut names: SortedSet<StateName> = list.waiting().iter().map(Waiting::name).collect();
        // One that a person went on with after its answer stands there still, and is on no list.
        let log = self.workspace.read(&StateName::LOG)?.map(Document::into_bytes).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let proposed = log::of_curators(&log).filter(|line| line.outcome == Outcome::Proposed.as_str());
        names.extend(proposed.map(|line| StateName::proposal(line.id)));
        let memory = DocName::MEMORY;
        let of = Some(memory.as_str());
        for name in names {
            let document = match self.workspace.read(&name) {
                Ok(Some(document)) => document,
                Ok(None) => continue,
                Err(Error::TooLarge { .. } | Error::Refused { .. }) => {
                    is_read = false;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let here = self.count(of, document.bytes());
            if here == 0 {
                continue;
            }
            found += here;
            self.strike_hashes(
                &StateName::PROPOSALS,
                &self.hashes(&DocName::MEMORY, &document.lossy()).into_iter().collect(),
            )?;
            let is_struck = self.change(&name, |bytes| Ok(bytes.and_then(|bytes| self.struck(of, bytes))))?;
            removed += if is_struck { here } else { 0 };
        }
        let line = PlaceReceipt::new(ForgetPlace::Proposals, found, removed);
        Ok(match is_read {
            false => line.left("a proposal could not be read"),
            true if removed < found => line.left(NOT_ASKED),
            true => line,
        })
    }

    /// Overwrites the statement in earlier versions of documents, and in the names of these; returns in how many of both.
    pub(super) fn strike_history(&self, history: &mut History) -> u64 {
        history.strike(&|text| self.holds(None, text), &|bytes| self.struck(None, bytes))
    }

    /// Looks through earlier versions of documents.
    pub(super) fn versions(&self) -> Result<PlaceReceipt> {
        let (mut found, mut removed) = (0, 0);
        let preimages = registry::with_words().filter(|file| matches!(file.names, Names::Preimages));
        let mut files = Vec::new();
        for row in preimages {
            files.extend(row.names_in(|name| self.workspace.read(name))?);
        }
        for file in files {
            let mut here = 0;
            let strike = |bytes: Option<&[u8]>| {
                let mut history = History::parse(&file, bytes)?;
                here = self.strike_history(&mut history);
                Ok((here > 0).then(|| history.print()))
            };
            let is_struck = self.change(&file, strike)?;
            removed += if is_struck { here } else { 0 };
            found += here;
        }
        let mut here = 0;
        let memory = DocName::MEMORY;
        let of = Some(memory.as_str());
        let let_go = |bytes: Option<&[u8]>| {
            let mut undone = Undone::parse(bytes)?;
            here = undone.retain(|dream| !self.holds(of, &dream.section))
                + undone.retain_appended(|section| !self.holds(of, section));
            Ok((here > 0).then(|| undone.print()))
        };
        let is_gone = self.change(&StateName::UNDONE, let_go)?;
        removed += if is_gone { here } else { 0 };
        found += here;
        // Where a document was renamed or removed, its versions have its old name still.
        let names = RefCell::new(Vec::new());
        self.workspace.drop_versions(&|path, _| {
            if !names.borrow().iter().any(|name| name == path) && self.only.holds(path) {
                names.borrow_mut().push(path.to_owned());
            }
            false
        })?;
        let mut gone: Vec<String> = Vec::new();
        for path in names.into_inner() {
            let name = DocName::parse(path.as_str());
            if !matches!(name.map(|name| self.workspace.metadata(&name)), Ok(Ok(Some(_)))) {
                gone.push(path);
            }
        }
        let kept = Cell::new(0);
        let dropped = self.workspace.drop_versions(&|path, bytes| {
            let holds = gone.iter().any(|name| name == path)
                || self.holds(Some(path), &String::from_utf8_lossy(bytes));
            kept.set(kept.get() + u64::from(holds));
            holds && self.lease.is_some()
        })?;
        let line = PlaceReceipt::new(ForgetPlace::Versions, found + kept.get(), removed + dropped);
        Ok(if line.removed < line.found { line.left(NOT_ASKED) } else { line })
    }
}
