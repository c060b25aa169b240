//! The parts of a row: its columns, its times, and the words that it is found by.

use chrono::{DateTime, Utc};
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::format::DreamId;
use crate::memory::{Memory, MemoryId, Place, Role, Source};
use crate::search::rank::{self as recall, Card};
use crate::sqlite::words;
use crate::store::stamp::parse_time;
pub(super) use crate::store::stamp::stamp;

/// The columns that [`memory`] reads, of a view that is called `m`.
pub(super) const COLUMNS: &str = "m.id, m.category, m.content, m.source, m.metadata, m.shared, m.created_at, \
     m.updated_at, m.session, m.position, m.role, m.speaker, m.said_at, m.origin, m.pinned, m.cites, m.dream";

/// The number of columns.
pub(super) const COLUMN_COUNT: usize = 17;

/// The column of the metadata.
pub(super) const NOTES: usize = 4;

/// The columns that [`with_card`] reads, of a view that is called `m`.
pub(super) const CARD: &str = "m.id, m.category, m.source, m.updated_at, m.session, m.position, m.role, m.speaker, \
     octet_length(m.content), m.said_at";

/// Gives what is weighed of a row, of which this text is known.
pub(super) fn with_card<T>(
    row: &Row<'_>,
    text: &str,
    take: impl FnOnce(&Card<'_>) -> T,
) -> rusqlite::Result<T> {
    Ok(take(&card(row, text)?))
}

fn card<'r>(row: &'r Row<'_>, text: &'r str) -> rusqlite::Result<Card<'r>> {
    let borrowed = |column| row.get_ref(column).map(|value| value.as_str().ok());
    let (session, role) = (borrowed(4)?, borrowed(6)?);
    let is_typed = matches!(borrowed(2)?, Some("user_manual" | "user_explicit"));
    let position: Option<i64> = row.get(5)?;
    let position = position.and_then(|at| u64::try_from(at).ok()).unwrap_or(0);
    Ok(Card {
        id: row.get(0)?,
        text,
        bytes: row.get(8)?,
        category: borrowed(1)?.unwrap_or_default(),
        said_on: borrowed(9)?.and_then(parse_time).map(|time| time.date_naive()),
        place: session.map(|session| (session, position)),
        speaker: borrowed(7)?.filter(|speaker| recall::is_name(speaker)),
        own: if session.is_some() { role == Some("user") } else { is_typed },
        shared: false,
        touched: borrowed(3)?.and_then(parse_time).map_or(0, |time| time.timestamp_micros()),
    })
}

/// Reads [`COLUMNS`].
pub(super) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let metadata = maybe(row, NOTES)?;
    let place = match maybe(row, 8)? {
        None => None,
        Some(session) => Some(Place {
            session,
            position: row.get::<_, Option<i64>>(9)?.and_then(|at| u64::try_from(at).ok()).unwrap_or(0),
            role: maybe(row, 10)?.map_or(Role::Other, |word| role(&word)),
            speaker: maybe(row, 11)?,
            said_at: time(row, 12)?,
        }),
    };
    Ok(Memory {
        id: MemoryId::new(row.get(0)?),
        category: text(row, 1)?,
        content: text(row, 2)?,
        source: maybe(row, 3)?.map(|word| Source::from(word.as_str())),
        metadata: metadata
            .map(|text| serde_json::from_slice(text.as_bytes()).unwrap_or(serde_json::Value::String(text))),
        place,
        shared: row.get(5)?,
        origin: maybe(row, 13)?.and_then(|word| word.parse().ok()),
        cites: maybe(row, 15)?
            .and_then(|text| serde_json::from_slice(text.as_bytes()).ok())
            .unwrap_or_default(),
        dream: maybe(row, 16)?.as_deref().and_then(DreamId::parse),
        pinned: row.get(14)?,
        created_at: time(row, 6)?.unwrap_or_default(),
        updated_at: time(row, 7)?.unwrap_or_default(),
    })
}

/// Returns a column as text, whatever another program put there.
pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(maybe(row, column)?.unwrap_or_default())
}

/// Returns a column as text, `None` where it is null.
pub(super) fn maybe(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    })
}

/// Returns a column as a time; `None` where it is none.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    if let Ok(text) = row.get_ref(column)?.as_str() {
        return Ok(parse_time(text));
    }
    Ok(maybe(row, column)?.and_then(|text| parse_time(&text)))
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

/// Returns the words that a row is found by beside its content and category: a speaker who is a name, the time, and
/// terms that FTS5 does not see.
pub(super) fn terms(content: &str, speaker: Option<&str>, said_at: Option<DateTime<Utc>>) -> String {
    let mut terms = String::new();
    let speaker = speaker.filter(|speaker| recall::is_name(speaker));
    for text in
        [said_at.map(|said_at| recall::date(said_at.date_naive())).as_deref(), speaker].into_iter().flatten()
    {
        terms.push_str(text);
        words::add_beside(&mut terms, text);
        terms.push(' ');
    }
    words::add_beside(&mut terms, content);
    terms.truncate(terms.trim_end().len());
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_hold_speaker_date_and_what_fts5_does_not_see() {
        let said = parse_time("2023-05-08 10:00:00");
        let terms_of = |content| terms(content, Some("Ilya"), said);
        assert!(terms_of("plain words").starts_with("8 May 2023 2023-05-08 "));
        assert!(terms_of("plain words").ends_with(" Ilya"));
        assert_eq!(terms("a 山寨币 b", None, None), "山 寨 币 山寨 寨币");
        assert_eq!(terms("no such script", None, None), "");
    }
}
