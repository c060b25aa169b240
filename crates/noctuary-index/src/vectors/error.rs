//! The ways in which a vector is refused.

/// A vector, or the bytes of one, that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// A number of dimensions out of bounds.
    #[error("cannot use vectors of {found} dimensions; use a model with 1 to 4096")]
    Dimensions {
        /// The number.
        found: usize,
    },
    /// A vector of another number of dimensions than its model's.
    #[error(
        "cannot use a vector of {found} dimensions where the model has {expected}; check the model's name and settings"
    )]
    Length {
        /// The model's dimensions.
        expected: usize,
        /// The vector's.
        found: usize,
    },
    /// A number that is infinite or none.
    #[error("cannot use a vector with no finite number in dimension {at}; embed the text again")]
    NotFinite {
        /// The dimension, from 0.
        at: usize,
    },
    /// A vector without any direction.
    #[error("cannot use a vector of zeros; the text may be empty for this model")]
    Zero,
    /// Bytes of a version that is not known here.
    #[error("cannot read a vector in encoding {found}; embed the text again, or use a newer version")]
    Version {
        /// The first byte.
        found: u8,
    },
    /// Bytes that are too few, too many or none.
    #[error("cannot read a vector from {found} bytes where {expected} are expected; embed the text again")]
    Bytes {
        /// The number for the model's dimensions.
        expected: usize,
        /// The number there.
        found: usize,
    },
    /// Bytes with a scale that no vector has.
    #[error("cannot read a vector with a damaged scale; embed the text again")]
    Scale,
}

/// An answer of an embedder that cannot be used for any text of the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Another number of vectors than of texts, so that none can be assigned.
    #[error(
        "cannot use {found} vectors for {expected} texts; the embedder must answer one for each, in order"
    )]
    Count {
        /// The number of texts.
        expected: usize,
        /// The number of vectors.
        found: usize,
    },
    /// A vector of another number of dimensions: the answer is of another model.
    #[error(
        "cannot use the answer for text {at}: {found} dimensions where the model has {expected}; check the embedder's model"
    )]
    Length {
        /// The position of the text, from 0.
        at: usize,
        /// The model's dimensions.
        expected: usize,
        /// The vector's.
        found: usize,
    },
}
