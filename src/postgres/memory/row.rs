//! The parts of a row: its columns and its times.

use std::borrow::Cow;

use ::postgres::{Error, Row};
use chrono::{DateTime, Utc};

use super::columns::told;
use crate::format::DreamId;
use crate::memory::{Memory, MemoryId, Place, Role, Source};
use crate::search::rank::{self as recall, Card};
use crate::store::stamp::parse_time;
pub(super) use crate::store::stamp::stamp;

/// The columns that [`memory`] reads, of a table that is called `m`.
pub(super) const COLUMNS: &str = "m.id, m.category, m.content, m.source, m.metadata, m.shared, m.created_at, \
     m.updated_at, m.session, m.position, m.role, m.speaker, m.said_at, m.origin, m.pinned, m.cites, m.dream";

/// The number of columns.
pub(super) const COLUMN_COUNT: usize = 17;

/// The columns that [`with_card`] reads, of a table that is called `m`.
pub(super) const CARD: &str = "m.id, m.category, m.source, m.updated_at, m.session, m.position, m.role, m.speaker, \
     m.bytes, m.said_at";

/// Gives what is weighed of a row, of which this text is known.
pub(super) fn with_card<T>(row: &Row, text: &str, take: impl FnOnce(&Card<'_>) -> T) -> Result<T, Error> {
    let (category, source) = (borrowed(row, 1)?, borrowed(row, 2)?);
    let (session, role, speaker) = (borrowed(row, 4)?, borrowed(row, 6)?, borrowed(row, 7)?);
    let is_typed = matches!(source.as_deref(), Some("user_manual" | "user_explicit"));
    let touched = borrowed(row, 3)?.and_then(|text| parse_time(&text));
    Ok(take(&Card {
        id: row.try_get(0)?,
        text,
        bytes: u32::try_from(row.try_get::<_, i64>(8)?).unwrap_or(u32::MAX),
        category: category.as_deref().unwrap_or_default(),
        said_on: borrowed(row, 9)?.and_then(|text| parse_time(&text)).map(|time| time.date_naive()),
        place: session.as_deref().map(|session| Ok::<_, Error>((session, position(row, 5)?))).transpose()?,
        speaker: speaker.as_deref().filter(|speaker| recall::is_name(speaker)),
        own: if session.is_some() { role.as_deref() == Some("user") } else { is_typed },
        shared: false,
        touched: touched.map_or(0, |time| time.timestamp_micros()),
    }))
}

fn position(row: &Row, column: usize) -> Result<u64, Error> {
    let position: Option<i64> = row.try_get(column)?;
    Ok(position.and_then(|at| u64::try_from(at).ok()).unwrap_or(0))
}

/// Reads [`COLUMNS`].
pub(super) fn memory(row: &Row) -> Result<Memory, Error> {
    let place = match maybe(row, 8)? {
        None => None,
        Some(session) => Some(Place {
            session,
            position: position(row, 9)?,
            role: borrowed(row, 10)?.map_or(Role::Other, |word| role(&word)),
            speaker: maybe(row, 11)?,
            said_at: time(row, 12)?,
        }),
    };
    let metadata = maybe(row, 4)?;
    Ok(Memory {
        id: MemoryId::new(row.try_get(0)?),
        category: text(row, 1)?,
        content: text(row, 2)?,
        source: borrowed(row, 3)?.map(|word| Source::from(&*word)),
        metadata: metadata.map(|text| serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text))),
        place,
        shared: row.try_get(5)?,
        origin: borrowed(row, 13)?.and_then(|word| word.parse().ok()),
        cites: borrowed(row, 15)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
        dream: borrowed(row, 16)?.as_deref().and_then(DreamId::parse),
        pinned: row.try_get::<_, i64>(14)? > 0,
        created_at: time(row, 6)?.unwrap_or_default(),
        updated_at: time(row, 7)?.unwrap_or_default(),
    })
}

/// Returns a column as text, which is not copied; `None` where it is null.
pub(super) fn borrowed(row: &Row, column: usize) -> Result<Option<Cow<'_, str>>, Error> {
    Ok(row.try_get::<_, Option<&str>>(column)?.map(told))
}

/// Returns a column as text; an empty one where it is null.
pub(super) fn text(row: &Row, column: usize) -> Result<String, Error> {
    Ok(maybe(row, column)?.unwrap_or_default())
}

/// Returns a column as text; `None` where it is null.
pub(super) fn maybe(row: &Row, column: usize) -> Result<Option<String>, Error> {
    Ok(borrowed(row, column)?.map(Cow::into_owned))
}

/// Returns a column as a time; `None` where it is none.
pub(super) fn time(row: &Row, column: usize) -> Result<Option<DateTime<Utc>>, Error> {
    Ok(borrowed(row, column)?.and_then(|text| parse_time(&text)))
}

/// Returns a column as the id of a row; `None` where it is null.
pub(super) fn id(row: &Row, column: usize) -> Result<Option<MemoryId>, Error> {
    Ok(row.try_get::<_, Option<i64>>(column)?.map(MemoryId::new))
}

pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Agent => "agent",
        Role::Other => "other",
    }
}

fn role(word: &str) -> Role {
    match word {
        "user" => Role::User,
        "agent" => Role::Agent,
        _ => Role::Other,
    }
}
