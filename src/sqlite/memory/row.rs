//! The parts of a row: its columns, its times, and the words that it is found by.

use chrono::{DateTime, Utc};
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::search::rank as recall;
use crate::sql::Dialect;
use crate::sql::memory::card;
use crate::sqlite::words;
use crate::store::stamp::parse_time;
pub(super) use crate::store::stamp::stamp;

/// The columns of what is weighed of a row, of a view that is called `m`.
pub(super) const CARD: &str = card(Dialect::Sqlite);

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

/// Returns the words that find a row beside its content and category. These are a speaker who is a name, the time,
/// and terms that FTS5 does not see.
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
