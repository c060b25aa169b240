//! The versions of documents that are in a life: what a merge put together. A merge without a base knows by them that one copy is an earlier
//! version of the other.

use super::life::Copied;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::{SortedMap, SortedSet};
use crate::format::JournalName;
use crate::format::state::life::LifeState;

/// The most versions of a document that are remembered; beyond them, those of earlier merges are dropped.
const MOST_VERSIONS: usize = 24;

type Hashes = SortedMap<String, SortedSet<String>>;

/// The versions that both lives remember, and those of this merge.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: [Hashes; 2],
    new: Hashes,
}

fn hash(bytes: &[u8]) -> String {
    Digest::of(bytes).short(16)
}

impl Versions {
    pub(super) fn of(lives: [&Copied; 2]) -> Result<Self> {
        let [one, other] = lives.map(|life| LifeState::parse(life.state(&StateName::LIFE)));
        Ok(Self { known: [one?.merged, other?.merged], new: Hashes::new() })
    }

    /// Returns the copy of a document that is an earlier version of the other one. A copy that a person has put back to what it was is none.
    pub(super) fn earlier<'c>(&self, name: &DocName, copies: [&'c [u8]; 2]) -> Option<&'c [u8]> {
        let knows = |side: usize, bytes: &[u8]| {
            self.known[side].get(name.as_str()).is_some_and(|known| known.contains(&hash(bytes)))
        };
        let is_earlier = |side: &usize| {
            let (it, other) = (copies[*side], copies[1 - side]);
            knows(1 - side, it) && !knows(*side, it) && !knows(*side, other)
        };
        [0, 1].into_iter().find(is_earlier).map(|side| copies[side])
    }

    /// Notes that versions of a document are in it from now on. Journals are merged by their entries, with a base and without.
    pub(super) fn note(&mut self, name: &DocName, versions: [&[u8]; 3]) {
        if versions.iter().any(|version| *version != versions[0]) && !JournalName::is_name(name.as_str()) {
            let known = self.new.entry(name.to_string()).or_default();
            known.extend(versions.into_iter().map(hash));
        }
    }

    pub(super) fn is_new(&self) -> bool {
        !self.new.is_empty()
    }

    /// Prints the state that remembers them, with what stands in it.
    pub(super) fn print(&self, standing: Option<&[u8]>) -> Result<Vec<u8>> {
        let mut state = LifeState::parse(standing)?;
        let mut all = self.new.clone();
        for name in self.known.iter().flat_map(Hashes::keys) {
            all.entry(name.clone()).or_default();
        }
        for (name, merged) in all.iter_mut() {
            let known = self.known.iter().filter_map(|known| known.get(name)).flat_map(SortedSet::iter);
            let known: SortedSet<String> = known.cloned().collect();
            let room = MOST_VERSIONS.saturating_sub(merged.len());
            merged.extend(known.into_iter().take(room));
        }
        state.merged = all;
        Ok(state.print())
    }
}
