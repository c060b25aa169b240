//! The states of rows, as the records of the file say them.

use std::collections::HashMap;

use super::super::moved::unique;
use super::super::rows::Rows;
use super::super::span::Span;
use super::records::{Record, Said};
use crate::embed::Generation;
use crate::search::rank::Visibility;

/// The records of a file of vectors, without the vectors.
#[derive(Default)]
pub(super) struct States {
    /// The oldest first.
    pub(super) generations: Vec<Known>,
    /// In the order of their numbers.
    all: Vec<State>,
    /// The places of those that no later one replaced, by generation and row.
    latest: HashMap<(u64, i64), u32>,
    /// The greatest number that any state had.
    pub(super) last: u64,
}

/// A generation of the file.
pub(super) struct Known {
    pub(super) number: u64,
    /// A number that no other generation has in this process, nor this one where its file was read anew.
    pub(super) token: i64,
    pub(super) name: Generation,
    pub(super) dimensions: usize,
    pub(super) serves: bool,
}

/// A state of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) number: u64,
    pub(super) generation: u64,
    pub(super) row: i64,
    /// The revision of the row that it is of.
    pub(super) revision: u64,
    pub(super) kind: Kind,
    /// Where the record is.
    pub(super) span: Span,
}

/// The kind of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Vector,
    Failed(u32),
    Skipped,
}

impl States {
    /// Takes in the record that comes next.
    pub(super) fn take(&mut self, record: &Record<'_>, span: Span) {
        match *record {
            Record::Begun { last } => self.last = self.last.max(last),
            Record::Generation { generation, dimensions, name } => self.generations.push(Known {
                number: generation,
                token: unique(1),
                name: Generation::from_words(name),
                dimensions: usize::try_from(dimensions).unwrap_or_default(),
                serves: false,
            }),
            Record::Serves { generation } => {
                self.generations.iter_mut().for_each(|known| known.serves = known.number == generation);
            }
            Record::State { number, generation, row, revision, said } => {
                self.last = self.last.max(number);
                let kind = match said {
                    Said::Vector(_) => Kind::Vector,
                    Said::Failed(attempts) => Kind::Failed(attempts),
                    Said::Skipped => Kind::Skipped,
                };
                let place =
                    u32::try_from(self.all.len()).expect("a state takes more than one byte of memory");
                self.all.push(State { number, generation, row, revision, kind, span });
                self.latest.insert((generation, row), place);
            }
        }
    }

    /// Returns a generation by its name.
    pub(super) fn known(&self, generation: &Generation) -> Option<&Known> {
        self.generations.iter().find(|known| known.name == *generation)
    }

    /// Returns the number for a new generation.
    pub(super) fn next_generation(&self) -> u64 {
        self.generations.iter().map(|known| known.number).max().unwrap_or_default() + 1
    }

    /// Returns the state of a row that says what it said then.
    pub(super) fn of(&self, generation: u64, row: i64, revision: u64) -> Option<&State> {
        let place = self.latest.get(&(generation, row))?;
        self.all.get(*place as usize).filter(|state| state.revision == revision)
    }

    /// Returns the states behind a number that count for rows in sight, in their order.
    pub(super) fn counting<'a>(
        &'a self,
        rows: &'a Rows,
        visibility: Visibility,
        after: u64,
    ) -> impl Iterator<Item = &'a State> {
        let from = self.all.partition_point(|state| state.number <= after);
        let behind = self.all.get(from..).unwrap_or_default().iter().zip(from..);
        behind.filter_map(move |(state, place)| {
            let latest = self.latest.get(&(state.generation, state.row)).copied();
            let is_latest = latest.is_some_and(|latest| latest as usize == place);
            (is_latest && rows.revision(state.row, visibility) == Some(state.revision)).then_some(state)
        })
    }

    /// Counts all states, outdated ones included.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}
