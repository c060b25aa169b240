//! The vectors of the serving generation in memory: one bit a dimension, kept up with the backend as searches come.
//!
//! Each sight has its own shelf, with only the rows in its sight. So no private row is near one that a shared session
//! is shown.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::backend::{Serving, Shelved, Sight, Since, VectorRows};
use crate::base::error::Result;
use crate::base::sorted::SortedMap;
use crate::search::vectors::{Centre, Codes, Dimensions, Encoded};

/// The shelves of a store, made when a search asks for them first.
#[derive(Default)]
pub(crate) struct Shelves(Mutex<SortedMap<Sight, Arc<Shelf>>>);

/// The rows of one generation in one sight.
#[derive(Clone)]
pub(crate) struct Shelf {
    pub(crate) codes: Codes,
    serving: Serving,
    since: Since,
    skipped: HashSet<i64>,
}

/// The vectors of which the centre is the mean.
const CENTRE_SAMPLE: usize = 8192;

impl Shelves {
    /// Returns the rows of the serving generation as they are now.
    pub(crate) fn current(
        &self,
        vectors: &dyn VectorRows,
        serving: &Serving,
        dimensions: Dimensions,
        sight: Sight,
    ) -> Result<Arc<Shelf>> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&sight);
        let current = Shelf::current(taken, vectors, serving, dimensions, sight)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(sight, Arc::clone(&current));
        Ok(current)
    }
}

impl Shelf {
    /// Counts the rows that have a vector, and those that need none.
    pub(crate) fn settled(&self) -> (usize, usize) {
        (self.codes.len(), self.skipped.len())
    }

    fn current(
        held: Option<Arc<Self>>,
        vectors: &dyn VectorRows,
        serving: &Serving,
        dimensions: Dimensions,
        sight: Sight,
    ) -> Result<Arc<Self>> {
        if let Some(mut held) = held.filter(|held| held.serving == *serving) {
            let (mut changes, most) = (Changed::default(), held.codes.len().max(MAX_CHANGES));
            let now = vectors.changed_since(serving, sight, Some(held.since), &mut |change| {
                changes.take(&change);
                changes.0.len() <= most
            })?;
            if let Some(now) = now.filter(|_| changes.0.len() <= most) {
                if now != held.since {
                    let shelf = Arc::make_mut(&mut held);
                    shelf.apply(changes);
                    shelf.since = now;
                }
                return Ok(held);
            }
        }
        Self::read(vectors, serving, dimensions, sight).map(Arc::new)
    }

    /// Reads all rows.
    fn read(
        vectors: &dyn VectorRows,
        serving: &Serving,
        dimensions: Dimensions,
        sight: Sight,
    ) -> Result<Self> {
        let (mut centre, mut seen) = (Centre::new(dimensions), 0);
        vectors.changed_since(serving, sight, None, &mut |change| {
            if let Shelved::Vector(_, bytes) = change
                && let Ok(row) = Encoded::parse(bytes, dimensions)
            {
                centre.add(&row);
                seen += 1;
            }
            seen < CENTRE_SAMPLE
        })?;
        let mut shelf = Self {
            codes: Codes::new(&centre),
            serving: serving.clone(),
            since: Since::default(),
            skipped: HashSet::new(),
        };
        let now = vectors.changed_since(serving, sight, None, &mut |change| {
            shelf.put(&change);
            true
        })?;
        shelf.since = now.unwrap_or_default();
        shelf.codes.shrink();
        Ok(shelf)
    }

    fn put(&mut self, change: &Shelved<'_>) {
        match *change {
            Shelved::Gone(id) => {
                self.codes.remove(id);
                self.skipped.remove(&id);
            }
            Shelved::Vector(id, bytes) => {
                // Bytes that nobody can read are as none: the row is found by words.
                if let Ok(row) = Encoded::parse(bytes, self.codes.dimensions()) {
                    let _ = self.codes.insert(id, &row);
                }
            }
            Shelved::Skipped(id) => {
                self.skipped.insert(id);
            }
        }
    }

    fn apply(&mut self, Changed(changes): Changed) {
        for (id, change) in changes {
            self.put(&match &change {
                Kept::Gone => Shelved::Gone(id),
                Kept::Vector(bytes) => Shelved::Vector(id, bytes),
                Kept::Skipped => Shelved::Skipped(id),
            });
        }
    }
}

/// Changes that are carried out when all are known.
#[derive(Default)]
struct Changed(Vec<(i64, Kept)>);

/// The most changes that are taken in one by one: beyond it, reading all rows anew costs no more.
const MAX_CHANGES: usize = 1024;

enum Kept {
    Gone,
    Vector(Vec<u8>),
    Skipped,
}

impl Changed {
    fn take(&mut self, change: &Shelved<'_>) {
        self.0.push(match *change {
            Shelved::Gone(id) => (id, Kept::Gone),
            Shelved::Vector(id, bytes) => (id, Kept::Vector(bytes.to_vec())),
            Shelved::Skipped(id) => (id, Kept::Skipped),
        });
    }
}
