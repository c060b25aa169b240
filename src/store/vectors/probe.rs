//! The check that a model made the kept vectors: two models may share a name and a number of dimensions.
//!
//! A text whose vector is kept is embedded once more, and both vectors are compared. A pass does so with its first batch, a store with
//! the first search that its embedder answers.

use super::backend::{Shelved, Sight, VectorRows};
use crate::base::error::Result;
use crate::embed::Generation;
use crate::embed::store::Probe;
use crate::search::vectors::{Dimensions, Encoded, Unit, VectorQuery};

/// The least cosine of two vectors that one model makes of one text: below it, they are of two models. Machines, masks and prefixes
/// change a vector by little; vectors of two models are at right angles, near 0.
const LEAST_COSINE: f32 = 0.5;

/// Number of kept vectors among which the one of the shortest text is taken.
const CANDIDATES: usize = 16;

impl Probe {
    /// Returns whether a new vector of its text says that the kept one is of another model.
    pub(super) fn is_of_another(&self, new: &Unit, dimensions: Dimensions) -> bool {
        // Bytes that nobody can read say nothing.
        let kept = Encoded::parse(&self.vector, dimensions);
        kept.is_ok_and(|kept| VectorQuery::new(new).cosine(&kept) < LEAST_COSINE)
    }
}

/// Returns the shortest of some texts whose vectors serve in a generation: its id, its words and its vector.
pub(super) fn kept_text(
    vectors: &dyn VectorRows,
    generation: &Generation,
    sight: Sight,
) -> Result<Option<(i64, String, Vec<u8>)>> {
    let Some(serving) = vectors.serving()?.filter(|serving| serving.generation == *generation) else {
        return Ok(None);
    };
    let (mut ids, mut kept): (Vec<i64>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
    vectors.changed_since(&serving, sight, None, &mut |change| {
        if let Shelved::Vector(id, vector) = change {
            ids.push(id);
            kept.push(vector.to_vec());
        }
        kept.len() < CANDIDATES
    })?;
    let mut shortest: Option<(i64, String)> = None;
    vectors.contents_of(&ids, &mut |id, content| {
        if shortest.as_ref().is_none_or(|(other, words)| (content.len(), id) < (words.len(), *other)) {
            shortest = Some((id, content.to_owned()));
        }
    })?;
    Ok(shortest.and_then(|(id, content)| {
        let at = ids.iter().position(|kept| *kept == id)?;
        Some((id, content, kept.swap_remove(at)))
    }))
}
