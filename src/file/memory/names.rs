//! Words that many rows have, each kept once: categories, conversations, speakers, dreams, and where rows came from.

use std::collections::HashMap;

use crate::search::postings::bits::{Input, number, put, put_bytes};
use crate::search::postings::{Error, Result};
use crate::store::forget::Burial;

/// The number of a name.
pub(super) type NameNo = u32;

/// No name.
pub(super) const NONE: NameNo = NameNo::MAX;

/// Names with their numbers.
#[derive(Default)]
pub(super) struct Names {
    all: Vec<Box<str>>,
    numbers: HashMap<Box<str>, NameNo>,
}

impl Names {
    /// Returns the number of a name, which is new where nobody has it.
    pub(super) fn number(&mut self, name: &str) -> NameNo {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let next = number(self.all.len());
        self.all.push(name.into());
        self.numbers.insert(name.into(), next);
        next
    }

    /// Returns all names.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(AsRef::as_ref)
    }

    /// Returns the number of a name that somebody has.
    pub(super) fn known(&self, name: &str) -> Option<NameNo> {
        self.numbers.get(name).copied()
    }

    /// Returns a name; `None` for [`NONE`].
    pub(super) fn get(&self, number: NameNo) -> Option<&str> {
        self.all.get(number as usize).map(AsRef::as_ref)
    }

    /// Returns whether a name says a statement.
    pub(super) fn hold(&self, burial: &Burial) -> bool {
        self.iter().any(|name| burial.holds(name))
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put(out, self.all.len() as u64);
        self.all.iter().for_each(|name| put_bytes(out, name.as_bytes()));
    }

    pub(super) fn read(input: &mut Input<'_>) -> Result<Self> {
        let mut names = Self::default();
        for _ in 0..input.count()? {
            let name =
                std::str::from_utf8(input.bytes()?).map_err(|_| Error::Damaged("a name is no text"))?;
            names.number(name);
        }
        Ok(names)
    }
}
