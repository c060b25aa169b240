//! How reading and writing the index fails.

use std::error::Error as StdError;
use std::fmt;

/// An error of the index.
#[derive(Debug)]
pub enum Error {
    /// Bytes are not as they were written: the index is to be made anew from the rows.
    Damaged(&'static str),
    /// The caller's view of a row and the index differ: the index is to be made anew from the rows.
    Differs(&'static str),
    /// The keeper of the pages failed, or a filter.
    Host(Box<dyn StdError + Send + Sync>),
}

/// A result of the index.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the keeper of the pages, or of a filter.
    pub fn host(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Host(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(what) => write!(f, "cannot read the word index: {what}"),
            Self::Differs(what) => write!(f, "the word index differs from the rows: {what}"),
            Self::Host(error) => error.fmt(f),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Host(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}
