//! The names of journals: `memory/YYYY-MM-DD-<session>.md`, and the older `memory/YYYY-MM-DD.md`.
//!
//! A session with others present writes `memory/YYYY-MM-DD-shared.<session>.md`, which no private session does.
//!
//! The reader takes any suffix after the date, and also a folder `daily/`; the writer's form is the first.

use std::cmp::Ordering;

use chrono::NaiveDate;

use super::copies::original_of;
use crate::base::access::SessionKind;
use crate::base::digest::Digest;
use crate::base::name::DocName;
use crate::base::name_rules::NameError;

/// The beginning of the session of a shared journal.
const SHARED: &str = "shared.";

/// The name of a journal, which says its day and session.
///
/// Journals sort by day; of one day, the day's own file comes first and then the sessions by name.
///
/// ```
/// use chrono::NaiveDate;
/// use noctuary::format::JournalName;
///
/// let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
/// let journal = JournalName::new(day, Some("repl"));
/// assert_eq!(journal.name().as_str(), "memory/2026-11-21-repl.md");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JournalName {
    name: DocName,
    date: NaiveDate,
    /// The start of the session in the name; its end is the end of the name's stem.
    session: Option<usize>,
}

impl JournalName {
    /// Names the journal of a session, or of a whole day where `session` is `None`.
    ///
    /// A session id becomes at most 64 characters of `A-Z a-z 0-9 . _ -`; where that changes it, a hash of
    /// the whole id is added, so that two ids never share a journal.
    #[must_use]
    pub fn new(date: NaiveDate, session: Option<&str>) -> Self {
        Self::written(date, session.map(slug).as_deref())
    }

    /// Names the journal that a session of this kind writes. Journals of private sessions and of others never meet,
    /// whatever their ids.
    ///
    /// ```
    /// use chrono::NaiveDate;
    /// use noctuary::format::JournalName;
    /// use noctuary::SessionKind;
    ///
    /// let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
    /// let group = JournalName::for_session(day, SessionKind::Shared, "team");
    /// assert_eq!(group.name().as_str(), "memory/2026-11-21-shared.team.md");
    /// assert!(group.is_shared());
    /// assert!(!JournalName::for_session(day, SessionKind::Main, "shared.team").is_shared());
    /// ```
    #[must_use]
    pub fn for_session(date: NaiveDate, kind: SessionKind, session: &str) -> Self {
        let slug = slug(session);
        let slug = if kind == SessionKind::Main { slug } else { format!("{SHARED}{slug}") };
        Self::written(date, Some(&slug))
    }

    fn written(date: NaiveDate, session: Option<&str>) -> Self {
        let file = match session {
            Some(session) => format!("memory/{date}-{session}.md"),
            None => format!("memory/{date}.md"),
        };
        Self::of(DocName::parse(file).expect("a date and a slug are plain")).expect("it begins with a date")
    }

    /// Names the journal of the same session on another day, in the writer's form.
    #[must_use]
    pub fn on(&self, date: NaiveDate) -> Self {
        if date == self.date { self.clone() } else { Self::written(date, self.session()) }
    }

    /// Recognises a journal by its name: a date at the front, `.md` at the end, in `memory/` or `daily/`. A copy that a tool left
    /// where two machines changed one journal is none: `2026-11-20-repl.sync-conflict-20261121-091500-ABCDEFG.md`.
    #[must_use]
    pub fn parse(name: &DocName) -> Option<Self> {
        Self::of(name.clone())
    }

    /// Reads a name as [`parse`](Self::parse) does, without a copy.
    pub(crate) fn of(name: DocName) -> Option<Self> {
        let (date, rest) = date_and_rest(name.as_str())?;
        let session = rest.strip_prefix(['-', '_', ' ', '.']).unwrap_or(rest);
        let begins = name.as_str().len() - SUFFIX - session.len();
        let session = (!session.is_empty()).then_some(begins);
        Some(Self { name, date, session })
    }

    /// Returns the day of the journal that has this name; `None` where it is no journal's.
    pub(crate) fn date_of(name: &str) -> Option<NaiveDate> {
        date_and_rest(name).map(|(date, _)| date)
    }

    /// Returns the document.
    #[must_use]
    pub fn name(&self) -> &DocName {
        &self.name
    }

    /// Returns the document, without a copy.
    pub(crate) fn into_name(self) -> DocName {
        self.name
    }

    /// Returns the day.
    #[must_use]
    pub fn date(&self) -> NaiveDate {
        self.date
    }

    /// Returns whether a session with others present wrote it, so that such sessions may read it. Spelled exactly as
    /// [`for_session`](Self::for_session) does; anything else is private.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        Self::is_shared_name(self.name.as_str())
    }

    /// Returns whether a name, or what was made of one, is that of a journal.
    pub(crate) fn is_name(name: &str) -> bool {
        date_and_rest(name).is_some()
    }

    /// Returns whether a name is that of a journal which [is shared](Self::is_shared).
    pub(crate) fn is_shared_name(name: &str) -> bool {
        let session =
            |file: &str| file.get(10..)?.strip_prefix('-')?.strip_prefix(SHARED).map(|rest| rest != "md");
        Self::is_name(name) && name.strip_prefix("memory/").and_then(session).unwrap_or(false)
    }

    /// The beginning of the name of a journal in the archive.
    pub(crate) const ARCHIVED: &'static str = "memory/archive/log-";

    /// Returns the name that it has in the archive, the first or a later one of journals of this name. No reader takes it for a journal.
    pub(crate) fn archived(&self, count: u32) -> Result<DocName, NameError> {
        // Other programs know a journal by a date with hyphens, wherever it is.
        let session =
            self.session().map_or(String::new(), |session| format!("-{}", session.replace('-', "_")));
        let counter = if count == 1 { String::new() } else { format!("-{count}") };
        DocName::parse(format!("{}{}{session}{counter}.md", Self::ARCHIVED, self.date.format("%Y%m%d")))
    }

    /// Returns the session; `None` for a day's own file.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        let name = self.name.as_str();
        self.session.and_then(|from| name.get(from..name.len() - SUFFIX))
    }
}

impl Ord for JournalName {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_name = || (self.session(), &self.name).cmp(&(other.session(), &other.name));
        self.date.cmp(&other.date).then_with(by_name)
    }
}

impl PartialOrd for JournalName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The length of `.md`.
const SUFFIX: usize = 3;

/// Returns the date at the front of a journal's name, and what stands between it and the `.md`.
fn date_and_rest(name: &str) -> Option<(NaiveDate, &str)> {
    let (folder, file) = name.rsplit_once('/')?;
    if !matches!(folder, "memory" | "daily") {
        return None;
    }
    let stem = file.strip_suffix(".md").or_else(|| file.strip_suffix(".MD"))?;
    let (day, rest) = stem.split_at_checked(10)?;
    // A copy of a journal says again what the journal says.
    let may_be_copy = rest.contains("onflict") || rest.contains(' ');
    if may_be_copy && original_of(name).is_some() {
        return None;
    }
    Some((parse_date(day)?, rest))
}

/// Returns a date of exactly the form `YYYY-MM-DD`.
fn parse_date(text: &str) -> Option<NaiveDate> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    let is_digit = |at: &usize| bytes[*at].is_ascii_digit();
    if !(bytes[4] == b'-' && bytes[7] == b'-' && [0, 1, 2, 3, 5, 6, 8, 9].iter().all(is_digit)) {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    let year = i32::try_from(number(&bytes[..4])).ok()?;
    NaiveDate::from_ymd_opt(year, number(&bytes[5..7]), number(&bytes[8..]))
}

fn slug(session: &str) -> String {
    let plain: String = session
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .take(64)
        .collect();
    let trimmed = plain.trim_matches(['.', '-']);
    // On some systems a name in capitals opens the file of the other one too.
    let seems_shared = trimmed.get(..SHARED.len()).is_some_and(|front| front.eq_ignore_ascii_case(SHARED));
    if trimmed == session && !session.is_empty() && !seems_shared {
        return session.to_owned();
    }
    let hash = Digest::of(session.as_bytes()).short(12);
    let front = &trimmed[..trimmed.len().min(51)];
    match front {
        "" => format!("s-{hash}"),
        _ if seems_shared => format!("{}-{hash}", front.replacen('.', "-", 1)),
        _ => format!("{front}-{hash}"),
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
        let names: crate::base::sorted::SortedSet<_> =
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
    fn a_session_without_an_id_still_has_a_journal_that_reads_back() {
        // It was once `memory/2026-11-21-.md`, which reads back as the journal of no session.
        let journal = JournalName::new(day(), Some(""));
        assert_eq!(JournalName::parse(journal.name()), Some(journal));
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

    // SE-07: no id makes a private journal a shared one, nor on a file system without case.
    #[test]
    fn a_private_session_never_writes_a_shared_journal() {
        for session in
            ["shared.x", "Shared.x", "SHARED.", ".shared.x", "-shared.x", "/shared.x", "shared..x", "shared."]
        {
            let private = JournalName::for_session(day(), SessionKind::Main, session);
            let folded = private.name().as_str().to_lowercase();
            assert!(!folded.starts_with("memory/2026-11-21-shared."), "{session}: {folded}");
            assert!(!private.is_shared());
            for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
                let shared = JournalName::for_session(day(), kind, session);
                assert!(
                    shared.is_shared() && parse(shared.name().as_str()).unwrap().is_shared(),
                    "{shared:?}"
                );
            }
        }
        for other in [
            "memory/2026-11-21-shared.md",
            "memory/2026-11-21shared.x.md",
            "memory/2026-11-21.shared.x.md",
            "memory/2026-11-21-Shared.x.md",
            "daily/2026-11-21-shared.x.md",
        ] {
            assert!(!parse(other).unwrap().is_shared(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_session_id_gives_a_journal_that_reads_back(session in any::<String>()) {
            let journal = JournalName::new(day(), Some(&session));
            let read = JournalName::parse(journal.name()).unwrap();
            prop_assert_eq!(&read, &journal);
            prop_assert!(journal.name().file_name().len() <= 80);
        }
    }
}
