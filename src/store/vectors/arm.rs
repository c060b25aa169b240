//! The arm of a search that looks for meaning: the texts that are near to a question.

use super::backend::{Counts, MemoryVectors, Sight, VectorRows};
use super::ready::EMBEDDED_SHARE;
use super::shelf::Shelves;
use crate::base::error::{Error, Result};
use crate::embed::EmbedderId;
use crate::memory::{Degraded, Filter};
use crate::search::rank::{Card, Near, Visibility};
use crate::search::vectors::{Dimensions, VectorError, VectorQuery, Wanted};

/// The meaning of a question, as far as it is asked for.
pub(crate) enum Meaning {
    /// Words alone count.
    Unasked,
    /// Words alone have to do, for this reason.
    Lost(Degraded),
    /// The question's vector.
    Asked(AskedVector),
}

/// The vector of a question, and the embedder that made it.
pub(crate) struct AskedVector {
    pub(crate) embedder: EmbedderId,
    pub(crate) dimensions: Dimensions,
    pub(crate) query: VectorQuery,
}

/// Why a search goes by words alone: it may, or it cannot be helped.
enum Why {
    Degraded(Degraded),
    Failed(Error),
}

impl From<Error> for Why {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<VectorError> for Why {
    fn from(_: VectorError) -> Self {
        Self::Degraded(Degraded::Failed)
    }
}

impl AskedVector {
    /// Returns the texts nearest to the question, of so many in sight and those that are allowed; else why there are none.
    pub(crate) fn near(
        &self,
        vectors: &dyn VectorRows,
        shelves: &Shelves,
        sight: Sight,
        in_sight: u64,
        wanted: &Wanted<'_>,
    ) -> Result<std::result::Result<Near, Degraded>> {
        match self.try_near(vectors, shelves, sight, in_sight, wanted) {
            Ok(near) => Ok(Ok(near)),
            // Vectors are beside the texts: where they are damaged or cannot be read, words find the texts still.
            Err(Why::Failed(Error::Corrupt { .. } | Error::Io { .. } | Error::Refused { .. })) => {
                Ok(Err(Degraded::Failed))
            }
            Err(Why::Failed(error)) => Err(error),
            Err(Why::Degraded(why)) => Ok(Err(why)),
        }
    }

    fn try_near(
        &self,
        vectors: &dyn VectorRows,
        shelves: &Shelves,
        sight: Sight,
        in_sight: u64,
        wanted: &Wanted<'_>,
    ) -> std::result::Result<Near, Why> {
        let generation = self.embedder.generation();
        let Some(serving) = vectors.serving()? else {
            let Counts { embedded, skipped, rows, .. } = vectors.counts(&generation)?;
            let of = rows.saturating_sub(skipped);
            // How many texts there are is told to those alone who see all of them.
            let is_begun = embedded > 0 && rows == in_sight;
            return Err(Why::Degraded(if is_begun {
                Degraded::HalfFilled { embedded, of }
            } else {
                Degraded::Missing
            }));
        };
        if serving.generation != generation || serving.dimensions != self.dimensions.get() {
            return Err(Why::Degraded(Degraded::OtherGeneration));
        }
        let current = shelves.current(vectors, &serving, self.dimensions, sight)?;
        let (embedded, skipped) = current.settled();
        let of = in_sight.saturating_sub(skipped as u64);
        let embedded = embedded as u64;
        if of.saturating_sub(embedded) * EMBEDDED_SHARE > of {
            return Err(Why::Degraded(Degraded::HalfFilled { embedded, of }));
        }
        let found = current.codes.search::<Why>(&self.query, wanted, |ids, take| {
            Ok(vectors.vectors(&serving, sight, ids, take)?)
        })?;
        Ok(Near { rows: found.rows, spread: found.spread, strength: self.embedder.strength })
    }
}

/// The arm of vectors in a search of a memory store.
pub(crate) struct Arm<'a> {
    vectors: &'a dyn MemoryVectors,
    shelves: &'a Shelves,
    asked: &'a AskedVector,
}

impl Arm<'_> {
    /// Returns the rows in sight nearest to the question that a filter takes, at most `most`. Else returns why there are
    /// none.
    pub(crate) fn near(
        &self,
        visibility: Visibility,
        filter: &Filter,
        in_sight: u32,
        most: usize,
    ) -> Result<std::result::Result<Near, Degraded>> {
        let takes_all = *filter == Filter::limit(filter.limit);
        let taken = if takes_all { None } else { Some(self.vectors.taken_by(visibility, filter)?) };
        let allows = |id: i64| taken.as_ref().is_none_or(|taken| taken.contains(&id));
        let mut wanted = Wanted::new(most.max(1));
        if !takes_all {
            wanted.allows = Some(&allows);
        }
        let vectors: &dyn VectorRows = self.vectors;
        self.asked.near(vectors, self.shelves, visibility.into(), in_sight.into(), &wanted)
    }

    /// Gives what is weighed of rows in sight.
    pub(crate) fn cards(
        &self,
        visibility: Visibility,
        ids: &[i64],
        take: &mut dyn FnMut(&Card<'_>),
    ) -> Result<()> {
        self.vectors.cards(visibility, ids, take)
    }
}

impl Meaning {
    /// Returns the arm that looks for it in a view of the rows.
    pub(crate) fn arm<'a>(
        &'a self,
        vectors: &'a dyn MemoryVectors,
        shelves: &'a Shelves,
    ) -> Option<std::result::Result<Arm<'a>, Degraded>> {
        match self {
            Self::Unasked => None,
            Self::Lost(why) => Some(Err(*why)),
            Self::Asked(asked) => Some(Ok(Arm { vectors, shelves, asked })),
        }
    }
}
