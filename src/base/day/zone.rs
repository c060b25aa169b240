//! The offset of a person's clock from UTC, which may change over the year.

#[cfg(feature = "zones")]
mod iana;

use std::fmt;

use chrono::{FixedOffset, NaiveDateTime, Offset, Utc};

/// A time zone: an offset from UTC that never changes, or with the feature `zones` one of the IANA database.
///
/// ```
/// use chrono::FixedOffset;
/// use noctuary::workspace::Zone;
///
/// assert_eq!(Zone::from(FixedOffset::east_opt(7200).unwrap()).to_string(), "+02:00");
/// assert_eq!(Zone::UTC.to_string(), "UTC");
/// ```
#[derive(Clone, Copy)]
pub struct Zone {
    /// Seconds east of UTC, or the number of a named zone.
    key: i32,
    /// Returns the offset at a time in UTC, for a key.
    offset: fn(i32, NaiveDateTime) -> FixedOffset,
    /// Its name in the IANA database; `None` where the offset never changes.
    name: Option<&'static str>,
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self { key: 0, offset: always, name: None };

    /// Returns the offset from UTC at a time that is told in UTC.
    #[must_use]
    pub fn offset_at(&self, utc: NaiveDateTime) -> FixedOffset {
        (self.offset)(self.key, utc)
    }

    /// Returns whether the offset never changes.
    pub(super) fn is_fixed(&self) -> bool {
        self.name.is_none()
    }
}

fn always(seconds: i32, _: NaiveDateTime) -> FixedOffset {
    fixed(seconds)
}

fn fixed(seconds: i32) -> FixedOffset {
    FixedOffset::east_opt(seconds).unwrap_or(Utc.fix())
}

impl From<FixedOffset> for Zone {
    fn from(offset: FixedOffset) -> Self {
        Self { key: offset.local_minus_utc(), ..Self::UTC }
    }
}

impl From<Utc> for Zone {
    fn from(_: Utc) -> Self {
        Self::UTC
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        (self.key, self.name) == (other.key, other.name)
    }
}

impl Eq for Zone {}

/// Writes the name, the offset as `+02:00`, or `UTC`.
impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.write_str(name),
            None if self.key == 0 => f.write_str("UTC"),
            None => fixed(self.key).fmt(f),
        }
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({self})")
    }
}
