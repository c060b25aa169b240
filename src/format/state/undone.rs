//! `.dreaming.d/history/undone.json`: dreams that a person took back, with all that brings them back. Also the
//! sections that were appended last, in case an editor saves over one.
//!
//! ```text
//! {"v":1,"dreams":[{"id":"0f3a9c5be2d14477","at":"…","section":"\n## Dreamed 2026-11-21\n…","place":{…},
//!   "shown":{"memory/2026-11-20-repl.md":[{"from":0,"to":18342,"sha256":"…"}]}}],
//!  "appended":[{"id":"0f3a9c5be2d14477","section":"\n## Dreamed 2026-11-21\n…"}]}
//! ```

use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::file::StateFile;
use super::ledger::Piece;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::format::DreamId;
use crate::format::documents::sections::{Order, Place};

const VERSION: u64 = 1;
const FILE: StateFile = StateFile::sealed(StateName::UNDONE, Some(VERSION));

/// The most dreams that can be brought back, and the most bytes of them; the newest is always kept.
const MOST: usize = 100;
const MOST_BYTES: usize = 1 << 20;

/// The most appended sections that are kept, and the most bytes of them; the newest is always kept.
const MOST_APPENDED: usize = 30;
const MOST_APPENDED_BYTES: usize = 256 << 10;

/// The dreams that were taken back, in the order in which they were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Undone {
    v: u64,
    dreams: Vec<Kept>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    appended: Vec<AppendedSection>,
}

/// A section as it was appended.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AppendedSection {
    pub(crate) id: DreamId,
    pub(crate) section: String,
}

debug_as!(AppendedSection, |it| "AppendedSection {{ id: {}, bytes: {} }}", it.id, it.section.len());

/// The kept parts of one dream.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) id: DreamId,
    /// When it was taken back.
    pub(crate) at: DateTime<Utc>,
    /// The bytes that were taken out.
    pub(crate) section: String,
    pub(crate) place: Place,
    /// The ranges of the journals that count as shown no more.
    pub(crate) shown: SortedMap<DocName, Vec<Piece>>,
    /// The watermark without any dream taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<Number>,
    /// The highest watermark under which the journals wait, in milliseconds since the epoch.
    pub(crate) limit: i64,
}

debug_as!(Kept, |it| "Kept {{ id: {}, bytes: {}, journals: {} }}", it.id, it.section.len(), it.shown.len());

impl Undone {
    /// Parses the file; `None` (no file) means that nothing was taken back.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        let none = || Self { v: VERSION, dreams: Vec::new(), appended: Vec::new() };
        Ok(FILE.parse(bytes)?.unwrap_or_else(none))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }

    pub(crate) fn dreams(&self) -> &[Kept] {
        &self.dreams
    }

    pub(crate) fn get(&self, id: &DreamId) -> Option<&Kept> {
        self.dreams.iter().find(|kept| kept.id == *id)
    }

    /// Returns the pieces of each dream, to be changed.
    pub(crate) fn shown_mut(&mut self) -> impl Iterator<Item = &mut SortedMap<DocName, Vec<Piece>>> {
        self.dreams.iter_mut().map(|kept| &mut kept.shown)
    }

    /// Returns the section of a dream as it was appended, where it is kept.
    pub(crate) fn appended(&self, id: &DreamId) -> Option<&str> {
        self.appended.iter().find(|kept| kept.id == *id).map(|kept| kept.section.as_str())
    }

    /// Returns all sections that are kept as they were appended.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &str> {
        self.appended.iter().map(|kept| kept.section.as_str())
    }

    /// Keeps a section as it is appended, and lets the oldest go beyond the bounds.
    pub(crate) fn keep_appended(&mut self, id: &DreamId, section: &str) {
        order::retain(&mut self.appended, |known| known.id != *id);
        self.appended.push(AppendedSection { id: id.clone(), section: section.to_owned() });
        let mut bytes = 0;
        let fit = self.appended.iter().rev().take(MOST_APPENDED).take_while(|kept| {
            bytes += kept.section.len();
            bytes <= MOST_APPENDED_BYTES
        });
        let drop = self.appended.len() - fit.count().max(1);
        self.appended.drain(..drop);
    }

    /// Lets appended sections go for which `keep` says no; returns how many.
    pub(crate) fn retain_appended(&mut self, mut keep: impl FnMut(&str) -> bool) -> u64 {
        let before = self.appended.len();
        order::retain(&mut self.appended, |kept| keep(&kept.section));
        (before - self.appended.len()) as u64
    }

    /// Returns the place of a section that is to be taken out, among `order`.
    pub(crate) fn place_of(
        &self,
        memory: &[u8],
        id: &DreamId,
        range: &Range<usize>,
        order: &[DreamId],
    ) -> Place {
        Place::of(memory, id, range, &self.others(id, order))
    }

    /// Returns `memory` with a section back in its place, among `order`.
    pub(crate) fn put_back(&self, memory: &[u8], kept: &Kept, order: &[DreamId]) -> Vec<u8> {
        kept.place.put_back(memory, &kept.id, &kept.section, &self.others(&kept.id, order))
    }

    fn others<'a>(&'a self, id: &DreamId, order: &'a [DreamId]) -> Order<'a> {
        let others = self.dreams.iter().filter(|kept| kept.id != *id);
        Order { dreams: order, taken_out: others.map(|kept| (&kept.id, &kept.place)).gather() }
    }

    /// Takes one in, in the place of what is kept of it, and lets the oldest go beyond the bounds.
    pub(crate) fn keep(&mut self, kept: Kept) {
        order::retain(&mut self.dreams, |known| known.id != kept.id);
        self.dreams.push(kept);
        let mut bytes = 0;
        let fit = self.dreams.iter().rev().take(MOST).take_while(|kept| {
            bytes += kept.section.len();
            bytes <= MOST_BYTES
        });
        let drop = self.dreams.len() - fit.count().max(1);
        self.dreams.drain(..drop);
    }

    /// Lets those go for which `keep` says no; returns how many.
    pub(crate) fn retain(&mut self, keep: impl FnMut(&Kept) -> bool) -> u64 {
        let before = self.dreams.len();
        self.dreams.retain(keep);
        (before - self.dreams.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(n: usize, bytes: usize) -> Kept {
        Kept {
            id: DreamId::parse(&format!("{n:016x}")).unwrap(),
            at: DateTime::UNIX_EPOCH,
            section: "x".repeat(bytes),
            place: Place::nowhere(),
            shown: SortedMap::new(),
            mark: Some(Number::from(n)),
            limit: 0,
        }
    }

    #[test]
    fn the_newest_are_kept_and_one_is_kept_once_and_however_large() {
        let mut undone = Undone::parse(None).unwrap();
        for n in 0..MOST + 5 {
            undone.keep(kept(n, 10));
            undone.keep(kept(n, 10));
        }
        assert_eq!((undone.dreams().len(), undone.get(&kept(4, 0).id)), (MOST, None));
        let again = Undone::parse(Some(&undone.print())).unwrap();
        assert_eq!(again, undone);
        undone.keep(kept(500, MOST_BYTES + 1));
        assert_eq!(undone.dreams().len(), 1);
        assert_eq!(format!("{undone:?}").find('x'), None, "words of a section are not printed");
    }
}
