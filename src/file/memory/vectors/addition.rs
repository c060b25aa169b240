//! Records that are added to the file of vectors together.

use std::io::{self, ErrorKind};

use super::records::{Record, Said};
use super::states::States;
use crate::base::error::{At, Result};
use crate::base::name::StateName;
use crate::embed::Generation;

/// Records that are added to the file of vectors together.
pub(super) struct Addition {
    from: u64,
    bytes: Vec<u8>,
    /// The number of the last state.
    last: u64,
}

impl Addition {
    /// Begins at a place in the file, behind a state with a number.
    pub(super) fn new(from: u64, last: u64) -> Self {
        Self { from, bytes: Vec::new(), last }
    }

    /// Returns the number of a generation, which is made where there is none.
    pub(super) fn generation(&mut self, known: &States, generation: &Generation, dimensions: usize) -> u64 {
        if let Some(known) = known.known(generation) {
            return known.number;
        }
        let number = known.next_generation();
        let (name, dimensions) = (generation.as_str(), dimensions as u64);
        self.put(&Record::Generation { generation: number, dimensions, name });
        number
    }

    /// Lets a generation serve.
    pub(super) fn serve(&mut self, generation: u64) {
        self.put(&Record::Serves { generation });
    }

    /// Adds the state of a row that has a revision.
    pub(super) fn state(&mut self, generation: u64, (row, revision): (i64, u64), said: Said<'_>) {
        self.last += 1;
        self.put(&Record::State { number: self.last, generation, row, revision, said });
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Refuses records with which the file would be longer than its bound.
    pub(super) fn fits(&self, bound: Option<u64>) -> Result<()> {
        let end = self.from + self.bytes.len() as u64;
        if bound.is_some_and(|bound| end > bound) {
            return Err(io::Error::from(ErrorKind::StorageFull))
                .at("append to", &*StateName::MEMORIES_VECTORS);
        }
        Ok(())
    }

    fn put(&mut self, record: &Record<'_>) {
        record.put(&mut self.bytes, self.from);
    }
}
