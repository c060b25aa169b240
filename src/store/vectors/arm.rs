//! The arm of a search that looks for meaning: the rows that are near to a question.

use super::backend::{Counts, VectorRows};
use super::ready::EMBEDDED_SHARE;
use super::shelf::Shelves;
use crate::base::error::{Error, Result};
use crate::embed::EmbedderId;
use crate::memory::{Degraded, Filter};
use crate::search::rank::{NEAR, Near, Visibility};
use crate::search::vectors::{Dimensions, VectorError, VectorQuery, Wanted};

/// The meaning of a question, as far as it is asked for.
pub(crate) enum Meaning {
    /// Words alone count.
    Unasked,
    /// Nobody can say.
    Lost,
    /// The store keeps no vectors.
    Unkept,
    /// The question's vector.
    Asked(EmbedderId, Dimensions, VectorQuery),
}

/// The arm of vectors in one search.
pub(crate) struct Arm<'a> {
    pub(crate) vectors: &'a dyn VectorRows,
    pub(crate) shelves: &'a Shelves,
    pub(crate) embedder: &'a EmbedderId,
    pub(crate) dimensions: Dimensions,
    pub(crate) query: &'a VectorQuery,
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

impl Arm<'_> {
    /// Returns the rows nearest to the query, of so many in sight; else why there are none.
    pub(crate) fn near(
        &self,
        visibility: Visibility,
        filter: &Filter,
        in_sight: u32,
    ) -> Result<std::result::Result<Near, Degraded>> {
        match self.try_near(visibility, filter, in_sight) {
            Ok(near) => Ok(Ok(near)),
            // Vectors are beside the rows: where they are damaged, words find the rows still.
            Err(Why::Failed(Error::Corrupt { .. })) => Ok(Err(Degraded::Failed)),
            Err(Why::Failed(error)) => Err(error),
            Err(Why::Degraded(why)) => Ok(Err(why)),
        }
    }

    fn try_near(
        &self,
        visibility: Visibility,
        filter: &Filter,
        in_sight: u32,
    ) -> std::result::Result<Near, Why> {
        let generation = self.embedder.generation();
        let Some(serving) = self.vectors.serving()? else {
            let Counts { embedded, skipped, rows, .. } = self.vectors.counts(&generation)?;
            let of = rows.saturating_sub(skipped);
            // How many private rows there are is not told to others.
            let is_begun = embedded > 0 && visibility == Visibility::All;
            return Err(Why::Degraded(if is_begun {
                Degraded::HalfFilled { embedded, of }
            } else {
                Degraded::Missing
            }));
        };
        if serving.generation != generation || serving.dimensions != self.dimensions.get() {
            return Err(Why::Degraded(Degraded::OtherGeneration));
        }
        let shelf = self.shelves.current(self.vectors, &serving, self.dimensions, visibility)?;
        let (embedded, skipped) = shelf.settled();
        let of = u64::from(in_sight).saturating_sub(skipped as u64);
        let embedded = embedded as u64;
        if of.saturating_sub(embedded) * EMBEDDED_SHARE > of {
            return Err(Why::Degraded(Degraded::HalfFilled { embedded, of }));
        }
        let taken = match *filter == Filter::limit(filter.limit) {
            true => None,
            false => Some(self.vectors.taken_by(visibility, filter)?),
        };
        let allows = |id: i64| taken.as_ref().is_none_or(|taken| taken.contains(&id));
        let wanted = Wanted { allows: taken.is_some().then_some(&allows), ..Wanted::new(NEAR) };
        let found = shelf.codes.search::<Why>(self.query, &wanted, |ids, take| {
            Ok(self.vectors.vectors(&serving, visibility, ids, take)?)
        })?;
        Ok(Near { rows: found.rows, spread: found.spread, strength: self.embedder.strength })
    }
}

impl Meaning {
    /// Returns the arm that looks for it in a view of the rows.
    pub(crate) fn arm<'a>(
        &'a self,
        vectors: Option<&'a dyn VectorRows>,
        shelves: &'a Shelves,
    ) -> Option<std::result::Result<Arm<'a>, Degraded>> {
        match (self, vectors) {
            (Self::Unasked, _) => None,
            (Self::Lost, _) => Some(Err(Degraded::Failed)),
            (Self::Unkept, _) | (Self::Asked(..), None) => Some(Err(Degraded::Missing)),
            (Self::Asked(embedder, dimensions, query), Some(vectors)) => {
                Some(Ok(Arm { vectors, shelves, embedder, dimensions: *dimensions, query }))
            }
        }
    }
}
