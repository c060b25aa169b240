//! The columns of a row that was found.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::base::error::Result;
use crate::memory::MemoryId;
use crate::store::stamp::parse_time;

/// A row that was found, read by its columns; the first one is 0.
pub(crate) trait Columns {
    /// Reads a text, which is not copied where it can be lent; `None` where it is null.
    fn borrowed(&self, column: usize) -> Result<Option<Cow<'_, str>>>;

    /// Reads a whole number; `None` where it is null.
    fn maybe_number(&self, column: usize) -> Result<Option<i64>>;

    /// Reads a whole number.
    fn number(&self, column: usize) -> Result<i64>;

    /// Reads bytes; `None` where it has none.
    fn bytes(&self, column: usize) -> Result<Option<&[u8]>>;

    /// Reads a fraction.
    fn real(&self, column: usize) -> Result<f64>;

    /// Reads yes or no.
    fn flag(&self, column: usize) -> Result<bool>;

    /// Reads a text; `None` where it is null.
    fn maybe(&self, column: usize) -> Result<Option<String>> {
        Ok(self.borrowed(column)?.map(Cow::into_owned))
    }

    /// Reads a text; an empty one where it is null.
    fn text(&self, column: usize) -> Result<String> {
        Ok(self.maybe(column)?.unwrap_or_default())
    }

    /// Reads a time; `None` where it is none.
    fn time(&self, column: usize) -> Result<Option<DateTime<Utc>>> {
        Ok(self.borrowed(column)?.and_then(|text| parse_time(&text)))
    }

    /// Reads the id of a row; `None` where it is null.
    fn id(&self, column: usize) -> Result<Option<MemoryId>> {
        Ok(self.maybe_number(column)?.map(MemoryId::new))
    }

    /// Reads a number that counts; 0 where it is less.
    fn count(&self, column: usize) -> Result<u64> {
        Ok(u64::try_from(self.number(column)?).unwrap_or(0))
    }
}
