//! The names of journals: `memory/YYYY-MM-DD-<session>.md`, and the older `memory/YYYY-MM-DD.md`.
//!
//! The reader takes any suffix after the date, and also a folder `daily/`; the writer's form is the first.

use std::cmp::Ordering;

use chrono::NaiveDate;

use crate::digest::Digest;
use crate::name::DocName;

/// The name of a journal, which says its day and session.
///
/// Journals sort by day; of one day, the day's own file comes first and then the sessions by name.
///
/// ```
/// use chrono::NaiveDate;
/// use noctuary::JournalName;
///
/// let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
/// let journal = JournalName::new(day, Some("repl"));
/// assert_eq!(journal.name().as_str(), "memory/2026-11-21-repl.md");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JournalName {
    name: DocName,
    date: NaiveDate,
    session: Option<String>,
}

impl JournalName {
    /// Names the journal of a session, or of a whole day where `session` is `None`.
    ///
    /// A session id becomes at most 64 characters of `A-Z a-z 0-9 . _ -`; where that changes it, a hash of
    /// the whole id is added, so that two ids never share a journal.
    #[must_use]
    pub fn new(date: NaiveDate, session: Option<&str>) -> Self {
        Self::of(date, session.map(slug))
    }

    fn of(date: NaiveDate, session: Option<String>) -> Self {
        let file = match &session {
            Some(session) => format!("memory/{date}-{session}.md"),
            None => format!("memory/{date}.md"),
        };
        Self { name: DocName::parse(file).expect("a date and a slug are plain"), date, session }
    }

    /// Names the journal of the same session on another day, in the writer's form.
    #[must_use]
    pub fn on(&self, date: NaiveDate) -> Self {
        if date == self.date { self.clone() } else { Self::of(date, self.session.clone()) }
    }

    /// Recognises a journal by its name: a date at the front, `.md` at the end, in `memory/` or `daily/`.
    #[must_use]
    pub fn parse(name: &DocName) -> Option<Self> {
        if !matches!(name.folder(), Some("memory" | "daily")) {
            return None;
        }
        let stem = name.file_name().strip_suffix(".md").or_else(|| name.file_name().strip_suffix(".MD"))?;
        let (day, rest) = stem.split_at_checked(10)?;
        let shape = day
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
        let date = if shape { NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()? } else { return None };
        let session = rest.strip_prefix(['-', '_', ' ', '.']).unwrap_or(rest);
        Some(Self { name: name.clone(), date, session: (!session.is_empty()).then(|| session.to_owned()) })
    }

    /// The document.
    #[must_use]
    pub fn name(&self) -> &DocName {
        &self.name
    }

    /// The day.
    #[must_use]
    pub fn date(&self) -> NaiveDate {
        self.date
    }

    /// The session; `None` for a day's own file.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

impl Ord for JournalName {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.date, &self.session, &self.name).cmp(&(other.date, &other.session, &other.name))
    }
}

impl PartialOrd for JournalName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn slug(session: &str) -> String {
    let plain: String = session
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .take(64)
        .collect();
    let trimmed = plain.trim_matches(['.', '-']);
    if trimmed == session {
        return session.to_owned();
    }
    let hash = Digest::of(session.as_bytes()).short(12);
    if trimmed.is_empty() {
        format!("s-{hash}")
    } else {
        format!("{}-{hash}", &trimmed[..trimmed.len().min(51)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 21).unwrap()
    }

    fn parse(text: &str) -> Option<JournalName> {
        JournalName::parse(&DocName::parse(text).unwrap())
    }

    #[test]
    fn each_session_has_its_own_journal() {
        assert_eq!(JournalName::new(day(), Some("a b")).name().folder(), Some("memory"));
        let names: std::collections::BTreeSet<_> =
            ["a b", "a-b", "a/b", "a\\b", "..", "", ".", "A B", &"x".repeat(90), &"x".repeat(91)]
                .iter()
                .map(|session| JournalName::new(day(), Some(session)).name().clone())
                .collect();
        assert_eq!(names.len(), 10, "no two ids share a journal");
    }

    #[test]
    fn the_reader_takes_every_dialect() {
        assert_eq!(parse("memory/2026-11-21.md").unwrap().session(), None);
        assert_eq!(parse("memory/2026-11-21-1530.md").unwrap().session(), Some("1530"));
        assert_eq!(parse("daily/2026-11-21.md").unwrap().date(), day());
        assert_eq!(parse("memory/2026-11-21 my notes.md").unwrap().session(), Some("my notes"));
        for other in [
            "memory/notes.md",
            "memory/2026-13-01.md",
            "memory/2026-11-21.txt",
            "context/2026-11-21.md",
            "2026-11-21.md",
            "memory/archive/2026-11-21.md",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_mixed_folder_sorts_by_day_and_then_the_days_own_file() {
        let mut names: Vec<_> = [
            "memory/2026-11-21-b.md",
            "memory/2026-11-20-z.md",
            "memory/2026-11-21.md",
            "daily/2026-11-21.md",
        ]
        .into_iter()
        .map(|text| parse(text).unwrap())
        .collect();
        names.sort();
        let order: Vec<_> = names.iter().map(|journal| journal.name().as_str()).collect();
        assert_eq!(
            order,
            [
                "memory/2026-11-20-z.md",
                "daily/2026-11-21.md",
                "memory/2026-11-21.md",
                "memory/2026-11-21-b.md"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_session_id_gives_a_journal_that_reads_back(session in any::<String>()) {
            let journal = JournalName::new(day(), Some(&session));
            let read = JournalName::parse(journal.name()).unwrap();
            prop_assert_eq!(read.date(), day());
            prop_assert!(journal.name().file_name().len() <= 80);
        }
    }
}
