//! Why a row may be out of date.

use std::fmt;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::id::MemoryId;
use super::row::{Memory, NewMemory};

/// Why a row may be out of date. Prints as a clause in plain words: `memory 12 states the same and is newer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stale {
    /// This newer row states the same property of the same subject, and nobody decided which holds.
    Newer(MemoryId),
    /// This row may contradict it, and nobody decided which holds.
    Suspected(MemoryId),
    /// This row replaced it: the search [asked about the past](crate::memory::Query::as_of).
    Replaced(MemoryId),
    /// It was to be believed until this moment: [`NewMemory::stale_after`].
    Over(DateTime<Utc>),
    /// A journal line that it cites is gone: [`StoreConfig::journals`](crate::store::StoreConfig::journals).
    SourceGone,
    /// A journal line that it cites says something else than it did when the row was [fed](crate::exchange::feed).
    SourceChanged,
}

impl Stale {
    /// Returns the row by which it may be out of date.
    pub(crate) fn by(self) -> Option<MemoryId> {
        match self {
            Self::Newer(id) | Self::Suspected(id) | Self::Replaced(id) => Some(id),
            _ => None,
        }
    }

    /// Prints it with a name for that row.
    pub(crate) fn told(self, row: &str) -> String {
        match self {
            Self::Newer(_) => format!("{row} is newer and states the same property"),
            Self::Replaced(_) => format!("{row} replaced it since"),
            Self::Suspected(_) => format!("{row} may contradict it"),
            Self::Over(at) => {
                format!("to be believed until {}", at.to_rfc3339_opts(SecondsFormat::Secs, true))
            }
            Self::SourceGone => "a journal line that it cites is gone".to_owned(),
            Self::SourceChanged => "a journal line that it cites was changed".to_owned(),
        }
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by() {
            Some(id) => f.write_str(&self.told(&format!("memory {id}"))),
            None => f.write_str(&self.told("")),
        }
    }
}

/// The name among the notes of a row.
const STALE_AFTER: &str = "stale_after";

impl NewMemory {
    /// Says until when it is to be believed: a price, a plan, a stay. From then on hits and prompts say that it is over.
    /// It is one of the notes of the row, `stale_after`; notes that are no object are replaced.
    ///
    /// ```
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::memory::{NewMemory, Source};
    ///
    /// let end = Utc.with_ymd_and_hms(2026, 12, 1, 0, 0, 0).unwrap();
    /// let stay = NewMemory::new("fact", "Marta stays in Porto.", Source::UserExplicit).stale_after(end);
    /// assert_eq!(stay.metadata.unwrap()["stale_after"], "2026-12-01T00:00:00Z");
    /// ```
    #[must_use]
    pub fn stale_after(mut self, end: DateTime<Utc>) -> Self {
        let mut notes = match self.metadata.take() {
            Some(serde_json::Value::Object(notes)) => notes,
            _ => serde_json::Map::new(),
        };
        notes.insert(STALE_AFTER.to_owned(), end.to_rfc3339_opts(SecondsFormat::AutoSi, true).into());
        self.metadata = Some(notes.into());
        self
    }
}

impl Memory {
    /// Returns until when it is to be believed, where its notes say so.
    #[must_use]
    pub fn stale_after(&self) -> Option<DateTime<Utc>> {
        end_of(self.metadata.as_ref())
    }

    /// Returns the doubt that its time is over.
    pub(crate) fn over(&self, now: DateTime<Utc>) -> Option<Stale> {
        self.stale_after().filter(|end| *end <= now).map(Stale::Over)
    }
}

/// Returns until when a row is to be believed, by its notes.
pub(crate) fn end_of(notes: Option<&serde_json::Value>) -> Option<DateTime<Utc>> {
    let end = notes?.get(STALE_AFTER)?.as_str()?;
    DateTime::parse_from_rfc3339(end).ok().map(|end| end.to_utc())
}
