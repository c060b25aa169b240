//! The versions of documents that are in a life: what a merge put together. A merge without a base knows by them that one copy is an earlier
//! version of the other.

use super::life::Copied;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::{SortedMap, SortedSet};
use crate::format::state::life::LifeState;

/// The most versions of a document that are remembered; beyond them, those of earlier merges are dropped.
const MOST_VERSIONS: usize = 24;

type Hashes = SortedMap<String, SortedSet<String>>;

/// The versions that both lives remember, and those of this merge.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: [Hashes; 2],
    /// The hashes of what the last merge of each life made of them.
    latest: [SortedMap<String, String>; 2],
    /// A document, two versions of it, and what became of them.
    new: Vec<(String, [String; 2], String)>,
}

fn hash(bytes: &[u8]) -> String {
    Digest::of(bytes).short(16)
}

impl Versions {
    pub(super) fn of(lives: [&Copied; 2]) -> Result<Self> {
        let [one, other] = lives.map(|life| LifeState::parse(life.state(&StateName::LIFE)));
        let (one, other) = (one?, other?);
        Ok(Self { known: [one.merged, other.merged], latest: [one.latest, other.latest], new: Vec::new() })
    }

    /// Returns which copy of a document is an earlier version of the other one. A copy that a person has put back to what it was is none.
    pub(super) fn earlier(&self, name: &DocName, copies: [&[u8]; 2]) -> Option<usize> {
        let knows = |side: usize, bytes: &[u8]| {
            self.known[side].get(name.as_str()).is_some_and(|known| known.contains(&hash(bytes)))
        };
        let is_as_merged = |side: usize, bytes: &[u8]| {
            self.latest[side].get(name.as_str()).is_some_and(|latest| *latest == hash(bytes))
        };
        let is_earlier = |side: &usize| {
            let (it, other) = (copies[*side], copies[1 - side]);
            let is_back = knows(*side, it) && !is_as_merged(*side, it);
            knows(1 - side, it) && !is_back && !knows(*side, other)
        };
        [0, 1].into_iter().find(is_earlier)
    }

    /// Notes that two versions of a document are in a third one from now on.
    pub(super) fn note(&mut self, name: &DocName, versions: [&[u8]; 2], merged: &[u8]) {
        self.new.push((name.to_string(), versions.map(hash), hash(merged)));
    }

    fn is_joined((_, versions, merged): &(String, [String; 2], String)) -> bool {
        versions.iter().any(|version| version != merged)
    }

    pub(super) fn is_new(&self) -> bool {
        self.new.iter().any(Self::is_joined)
    }

    /// Prints the state that remembers them, with what is in it.
    pub(super) fn print(&self, standing: Option<&[u8]>) -> Result<Vec<u8>> {
        let mut state = LifeState::parse(standing)?;
        let mut all = Hashes::new();
        for (name, versions, merged) in self.new.iter().filter(|it| Self::is_joined(it)) {
            all.entry(name.clone()).or_default().extend(versions.iter().chain([merged]).cloned());
        }
        for name in self.known.iter().flat_map(Hashes::keys) {
            all.entry(name.clone()).or_default();
        }
        for (name, merged) in all.iter_mut() {
            let known = self.known.iter().filter_map(|known| known.get(name)).flat_map(SortedSet::iter);
            let known: SortedSet<String> = known.cloned().collect();
            let room = MOST_VERSIONS.saturating_sub(merged.len());
            merged.extend(known.into_iter().take(room));
        }
        let latest = self.new.iter().filter(|(name, ..)| all.contains_key(name));
        state.latest = latest.map(|(name, _, merged)| (name.clone(), merged.clone())).collect();
        state.merged = all;
        Ok(state.print())
    }
}
