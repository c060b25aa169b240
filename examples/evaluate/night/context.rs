//! A question's context: with the turns alone and with what the nights promoted, at equal characters.

use std::collections::BTreeSet;

use noctuary::memory::{Hit, Memory};

use super::super::Result;
use super::super::retrieval::Question;
use super::super::tally::as_f64;
use super::life::{Lived, Rows};

/// The characters of a context.
pub(super) const ROOMS: [usize; 2] = [2000, 4000];
/// The rows of a list.
pub(super) const DEPTHS: [usize; 2] = [5, 10];

/// The shares of a question's gold turns that were found.
#[derive(Default)]
pub(super) struct Asked {
    /// By room: with turns alone, and with both.
    pub(super) rooms: [[f64; 2]; ROOMS.len()],
    /// By depth: of turns alone, of promoted lines alone, and of both.
    pub(super) depths: [[f64; 3]; DEPTHS.len()],
    /// Whether the newer statement comes first, before and after the nights; `None` where the question is of no update.
    pub(super) fresh: Option<[bool; 2]>,
}

impl Asked {
    pub(super) fn new(lived: &Lived<'_>, question: &Question) -> Result<Self> {
        let mut asked = Self::default();
        let kinds = [Rows::Raw, Rows::Dreamed, Rows::Both];
        let found = [
            lived.find(kinds[0], &question.text)?,
            lived.find(kinds[1], &question.text)?,
            lived.find(kinds[2], &question.text)?,
        ];
        for (at, room) in ROOMS.into_iter().enumerate() {
            for (way, of) in [0, 2].into_iter().enumerate() {
                let rows = pack(&found[of].hits, room);
                asked.rooms[at][way] = share(lived, kinds[of], &rows, &question.gold_turns);
            }
        }
        for (at, depth) in DEPTHS.into_iter().enumerate() {
            for (way, found) in found.iter().enumerate() {
                let rows: Vec<&Memory> = found.hits.iter().take(depth).map(|hit| &hit.memory).collect();
                asked.depths[at][way] = share(lived, kinds[way], &rows, &question.gold_turns);
            }
        }
        if !question.fresh.is_empty() && !question.stale.is_empty() {
            let is_first = |of: usize| {
                let first = |turns: &[String]| {
                    found[of].hits.iter().position(|hit| !lived.turns_of(kinds[of], &hit.memory, turns).is_empty())
                };
                let (new, old) = (first(&question.fresh), first(&question.stale));
                new.is_some_and(|new| old.is_none_or(|old| new < old))
            };
            asked.fresh = Some([is_first(0), is_first(2)]);
        }
        Ok(asked)
    }
}

/// The share of gold turns that some rows carry.
fn share(lived: &Lived<'_>, kind: Rows, rows: &[&Memory], gold: &[String]) -> f64 {
    if gold.is_empty() {
        return 0.0;
    }
    let mut found: BTreeSet<String> = BTreeSet::new();
    for row in rows {
        found.extend(lived.turns_of(kind, row, gold).into_iter().map(str::to_owned));
    }
    as_f64(found.len()) / as_f64(gold.len())
}

fn printed(row: &Memory) -> usize {
    let front = row.place.as_ref().map_or(0, |place| {
        place.said_at.map_or(0, |_| 12) + place.speaker.as_ref().map_or(0, |s| s.chars().count() + 2)
    });
    front + row.content.chars().count() + 1
}

fn covers(row: &Memory, other: &Memory) -> bool {
    !other.cites.is_empty()
        && other.cites.iter().all(|o| {
            row.cites.iter().any(|c| c.name == o.name && c.first_line <= o.first_line && c.last_line >= o.last_line)
        })
}

fn pack(hits: &[Hit], room: usize) -> Vec<&Memory> {
    let variant = std::env::var("NIGHT_VARIANT").unwrap_or_else(|_| "lift".into());
    let weight: f64 = std::env::var("NIGHT_WEIGHT").ok().and_then(|w| w.parse().ok()).unwrap_or(0.3);
    // units: the first that came, and the text
    let mut units: Vec<(f64, &Memory, Vec<&Memory>)> = Vec::new();
    for hit in hits {
        let row = &hit.memory;
        let is_dreamed = row.dream.is_some();
        let joined = units.iter_mut().find(|(_, text, members)| {
            let other = members[0];
            let _ = text;
            if is_dreamed { members.iter().any(|m| covers(row, m)) } else { members.iter().any(|m| m.dream.is_some() && covers(m, row)) || covers(other, row) }
        });
        match joined {
            Some((score, text, members)) => {
                members.push(row);
                if variant == "sum" {
                    *score += weight * hit.score;
                }
                if printed(row) < printed(text) {
                    *text = row;
                }
            }
            None => units.push((if variant == "sum" && is_dreamed { weight * hit.score } else { hit.score }, row, vec![row])),
        }
    }
    if variant == "raw" {
        // only in the order of turns
        units.retain(|(_, _, members)| members.iter().any(|m| m.dream.is_none()));
        let rank = |members: &Vec<&Memory>| {
            hits.iter().position(|h| h.memory.dream.is_none() && members.iter().any(|m| m.id == h.memory.id)).unwrap_or(usize::MAX)
        };
        units.sort_by_key(|(_, _, members)| rank(members));
    }
    if variant == "sum" {
        units.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    let (mut rest, mut rows) = (room, Vec::new());
    for (_, text, _) in units {
        let need = printed(text);
        if need <= rest {
            rest -= need;
            rows.push(text);
        }
    }
    rows
}
