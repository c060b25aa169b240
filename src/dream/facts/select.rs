//! The choice of pairs for a model.

use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::sorted::SortedSet;
use crate::dreamer::{LeftPair, LeftReason};
use crate::facts::{Fact, FactStore, Suspicion};
use crate::format::replies::rulings::{self, Side};
use crate::format::state::asked::AskedState;
use crate::gate::{Door, DoorWarning, Doors, Masks};
use crate::memory::{MemoryId, categories};
use crate::store::row_name;

/// No request has more pairs.
const MOST_PAIRS: usize = 50;

/// A pair that is asked about.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) older: MemoryId,
    pub(crate) newer: MemoryId,
    /// The hash of both rows.
    pub(crate) seen: String,
}

/// The pairs of one request.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) pairs: Vec<Pair>,
    /// As they are shown.
    pub(crate) printed: Vec<String>,
    pub(crate) left: Vec<LeftPair>,
    pub(crate) waiting: u64,
    /// All pairs that are open, where all were looked at.
    pub(crate) open: Option<SortedSet<String>>,
    pub(crate) masks: Masks,
    pub(crate) found: Vec<DoorWarning>,
}

/// The source of pairs, and the bounds of a request.
pub(crate) struct PairChoice<'a> {
    pub(crate) store: &'a dyn FactStore,
    pub(crate) access: &'a Access,
    pub(crate) state: &'a AskedState,
    pub(crate) wish: Option<&'a str>,
    pub(crate) doors: &'a Doors,
    /// The bytes that are left for pairs.
    pub(crate) room: usize,
    /// The bytes of pairs that fit into the largest request.
    pub(crate) most: usize,
}

/// Returns the key of a pair.
pub(crate) fn key(older: MemoryId, newer: MemoryId) -> String {
    format!("{older}-{newer}")
}

impl PairChoice<'_> {
    /// Takes the oldest pairs that were not asked about as they are now, as many as fit.
    pub(crate) fn select(&self) -> Result<Batch> {
        let (suspicions, is_all) = self.suspicions()?;
        let mut batch = Batch {
            open: is_all.then(|| {
                suspicions.iter().map(|pair| key(pair.older.memory.id, pair.newer.memory.id)).collect()
            }),
            ..Batch::default()
        };
        let mut room = self.room;
        for Suspicion { older, newer, .. } in suspicions {
            let seen = seen(self.state, self.wish, &older, &newer);
            let (one, other) = (older.memory.id, newer.memory.id);
            if self.state.asked.get(&key(one, other)) == Some(&seen) {
                continue;
            }
            if let Some(reason) = left(&older, &newer) {
                batch.left.push(LeftPair::new(one, other, reason));
                continue;
            }
            let printed = self.print(batch.pairs.len(), &older, &newer, &mut batch)?;
            if printed.len() > self.most {
                batch.left.push(LeftPair::new(one, other, LeftReason::TooLarge));
            } else if printed.len() > room || batch.pairs.len() == MOST_PAIRS {
                // Pairs behind it wait too, so that the oldest come first.
                room = 0;
                batch.waiting += 1;
            } else {
                room -= printed.len();
                batch.pairs.push(Pair { older: one, newer: other, seen });
                batch.printed.push(printed);
            }
        }
        Ok(batch)
    }

    /// Returns the pairs that nobody decided on: all of them, or enough that some were not asked about.
    fn suspicions(&self) -> Result<(Vec<Suspicion>, bool)> {
        let mut limit = MOST_PAIRS + self.state.asked.len();
        loop {
            let found = self.store.suspicions(self.access, limit)?;
            let is_all = found.len() < limit;
            let fresh = |pair: &&Suspicion| {
                left(&pair.older, &pair.newer).is_none()
                    && self.state.asked.get(&key(pair.older.memory.id, pair.newer.memory.id))
                        != Some(&seen(self.state, self.wish, &pair.older, &pair.newer))
            };
            if is_all || found.iter().filter(fresh).count() >= MOST_PAIRS {
                return Ok((found, is_all));
            }
            limit = limit.saturating_mul(2);
        }
    }

    fn print(&self, number: usize, older: &Fact, newer: &Fact, batch: &mut Batch) -> Result<String> {
        let mut side = |fact: &Fact| -> Result<Side> {
            let name = row_name(Some(fact.memory.id));
            let policy = self.doors.policy_of(Door::DreamRequest, &name);
            let content = &fact.memory.content;
            let passed = self.doors.judge(Door::DreamRequest, policy, &name, content, &mut batch.masks)?;
            batch.found.extend(passed.warnings);
            Ok(Side {
                recorded: fact.memory.created_at,
                since: fact.valid_from,
                text: passed.text.into_owned(),
            })
        };
        Ok(rulings::print_pair(number, &side(older)?, &side(newer)?))
    }
}

/// Returns the hash of everything in two rows that a ruling depends on.
pub(crate) fn seen(state: &AskedState, wish: Option<&str>, older: &Fact, newer: &Fact) -> String {
    let since = |fact: &Fact| fact.valid_from.map(|since| since.to_rfc3339()).unwrap_or_default();
    let (since, other_since) = (since(older), since(newer));
    let texts = [&older.memory.content, &since, &newer.memory.content, &other_since];
    state.hash(texts.into_iter().map(String::as_str).chain([wish.unwrap_or_default()]))
}

/// Returns why no model is asked about a pair.
fn left(older: &Fact, newer: &Fact) -> Option<LeftReason> {
    let is_statement = |fact: &Fact| {
        let stated = [categories::FACT, categories::PERSONALIZATION, categories::PREFERENCE];
        stated.iter().any(|word| fact.memory.category.eq_ignore_ascii_case(word))
    };
    if !is_statement(older) || !is_statement(newer) {
        Some(LeftReason::Category)
    } else if older.is_protected() && newer.is_protected() {
        Some(LeftReason::Protected)
    } else if older.memory.shared != newer.memory.shared {
        Some(LeftReason::Audience)
    } else if older.memory.is_trusted() && !newer.memory.is_trusted() {
        Some(LeftReason::Origin)
    } else {
        None
    }
}
