//! A question's context: with the turns alone and with what the nights promoted, at equal characters.

use noctuary::memory::{Hit, Memory, Packed};

use super::super::Result;
use super::super::retrieval::Question;
use super::super::tally::as_f64;
use super::life::Lived;

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
        let [turns, lines] = lived.find(&question.text)?;
        let both: Vec<&Hit> = turns.hits.iter().chain(&lines.hits).collect();
        let share =
            |rows: &[&Memory]| share(rows, &question.gold_turns, |row, turn| lived.carries(row, turn));
        let [turns, lines]: [Vec<&Hit>; 2] = [turns.hits.iter().collect(), lines.hits.iter().collect()];
        let all = [&turns, &lines, &both].map(|hits| packed(hits, usize::MAX));
        let is_first = |rows: &[&Memory]| {
            let first =
                |of: &[String]| rows.iter().position(|row| of.iter().any(|turn| lived.carries(row, turn)));
            let (new, old) = (first(&question.fresh), first(&question.stale));
            new.is_some_and(|new| old.is_none_or(|old| new < old))
        };
        let is_update = !question.fresh.is_empty() && !question.stale.is_empty();
        Ok(Self {
            rooms: ROOMS.map(|room| [&turns, &both].map(|hits| share(&packed(hits, room)))),
            depths: DEPTHS.map(|depth| [0, 1, 2].map(|way| share(&all[way][..depth.min(all[way].len())]))),
            fresh: is_update.then(|| [is_first(&all[0]), is_first(&all[2])]),
        })
    }
}

/// The share of gold turns that some rows carry; 0 where there is no gold.
fn share(rows: &[&Memory], gold: &[String], carries: impl Fn(&Memory, &str) -> bool) -> f64 {
    let found = gold.iter().filter(|turn| rows.iter().any(|row| carries(row, turn))).count();
    as_f64(found) / as_f64(gold.len().max(1))
}

fn packed<'h>(hits: &[&'h Hit], room: usize) -> Vec<&'h Memory> {
    Packed::new(hits.iter().copied(), room).rows
}
