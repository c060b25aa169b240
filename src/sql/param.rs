//! The values of statements.

use crate::search::postings::bits::checksum;

/// A value of a statement.
#[derive(Debug, Clone)]
pub(crate) enum Param {
    Text(String),
    MaybeText(Option<String>),
    Texts(Vec<String>),
    Bytes(Vec<u8>),
    MaybeBytes(Option<Vec<u8>>),
    #[cfg(feature = "postgres")]
    ManyBytes(Vec<Vec<u8>>),
    Number(i64),
    MaybeNumber(Option<i64>),
    Numbers(Vec<i64>),
    /// Numbers of 32 bits.
    #[cfg(feature = "postgres")]
    Words(Vec<i32>),
    Real(f64),
    Flag(bool),
}

impl From<&str> for Param {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Param {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&[u8]> for Param {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_owned())
    }
}

impl From<Vec<String>> for Param {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

impl From<Option<String>> for Param {
    fn from(text: Option<String>) -> Self {
        Self::MaybeText(text)
    }
}

impl From<Option<&str>> for Param {
    fn from(text: Option<&str>) -> Self {
        Self::MaybeText(text.map(str::to_owned))
    }
}

impl From<String> for Param {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Param {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Param {
    /// Makes a value of a count.
    fn from(count: usize) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<u64> for Param {
    /// Makes a value of a count.
    fn from(count: u64) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<Option<i64>> for Param {
    fn from(number: Option<i64>) -> Self {
        Self::MaybeNumber(number)
    }
}

impl From<Vec<i64>> for Param {
    fn from(numbers: Vec<i64>) -> Self {
        Self::Numbers(numbers)
    }
}

impl From<f64> for Param {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Param {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// Returns the number by which a text is looked up where an index holds no long texts.
pub(crate) fn word(text: &str) -> i64 {
    checksum(text.as_bytes(), 5).cast_signed()
}

/// Makes the values of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::sql::Param::from($value)),*]
    };
}
pub(crate) use params;
