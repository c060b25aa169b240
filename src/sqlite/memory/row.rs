//! What a row says: its columns, its times, and the words that it is found by.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::memory::{Memory, MemoryId, Place, Role, Source};

/// The columns that [`memory`] reads, of a view that is called `m`.
pub(super) const COLUMNS: &str = "m.id, m.category, m.content, m.source, m.metadata, m.shared, m.created_at, \
     m.updated_at, m.session, m.position, m.role, m.speaker, m.said_at, m.origin";

/// Reads [`COLUMNS`].
pub(super) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let metadata = maybe(row, 4)?;
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
        source: maybe(row, 3)?.map(|word| Source::of(&word)),
        metadata: metadata.map(|text| serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text))),
        place,
        shared: row.get(5)?,
        origin: maybe(row, 13)?.and_then(|word| word.parse().ok()),
        created_at: time(row, 6)?.unwrap_or_default(),
        updated_at: time(row, 7)?.unwrap_or_default(),
    })
}

/// A column as text, whatever another program put there.
pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(maybe(row, column)?.unwrap_or_default())
}

/// A column as text, `None` where it is null.
pub(super) fn maybe(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    })
}

/// A column as a time; `None` where it is none.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    Ok(maybe(row, column)?.and_then(|text| parse_time(&text)))
}

/// A time as SQLite's own `datetime('now')` writes it.
pub(super) fn stamp(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S").to_string()
}

fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(time) = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f") {
        return Some(time.and_utc());
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc())
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

/// What a row is found by beside its content and category: who said it, when, and the characters of scripts
/// that put no spaces between words, alone and in pairs.
pub(in crate::sqlite) fn terms(
    content: &str,
    speaker: Option<&str>,
    said_at: Option<DateTime<Utc>>,
) -> String {
    let mut terms: Vec<String> = speaker.map(str::to_owned).into_iter().collect();
    if let Some(time) = said_at {
        terms.push(time.format("%-d %B %Y %Y-%m-%d").to_string());
    }
    for run in unspaced_runs(content) {
        terms.extend(run.iter().map(char::to_string));
        terms.extend(run.windows(2).map(|pair| pair.iter().collect()));
    }
    terms.join(" ")
}

/// The runs of characters of scripts without spaces, and of Korean, whose words carry their particles.
pub(super) fn unspaced_runs(text: &str) -> Vec<Vec<char>> {
    let runs = text.split(|c: char| !is_unspaced(c)).filter(|run| !run.is_empty());
    runs.map(|run| run.chars().collect()).collect()
}

/// Whether a character is of such a script: Han, kana, Hangul, Thai, Lao, Khmer, Burmese.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_programs_are_read() {
        for text in ["2026-11-21 09:00:00", "2026-11-21T09:00:00Z", "2026-11-21 09:00:00.000"] {
            assert_eq!(stamp(parse_time(text).unwrap()), "2026-11-21 09:00:00", "{text}");
        }
        assert_eq!(parse_time("2026-11-21").map(stamp).as_deref(), Some("2026-11-21 00:00:00"));
        assert_eq!(parse_time("yesterday"), None);
    }

    #[test]
    fn terms_hold_speaker_date_and_pairs() {
        let said = parse_time("2023-05-08 10:00:00");
        assert_eq!(terms("plain words", Some("Ilya"), said), "Ilya 8 May 2023 2023-05-08");
        assert_eq!(terms("a 山寨币 b", None, None), "山 寨 币 山寨 寨币");
        assert_eq!(terms("no such script", None, None), "");
    }
}
