//! The names of journals: `memory/YYYY-MM-DD-<session>.md`, and the older `memory/YYYY-MM-DD.md`.
//!
//! A session with others present writes `memory/YYYY-MM-DD-shared.<session>.md`, which no private session does.
//!
//! The reader takes any suffix after the date, and the date without hyphens. It takes folders of years and months
//! (`memory/2026/11/2026-11-21.md`), and a folder `daily/`. The writer's form is the first.

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
    /// A session id becomes at most 64 characters of `A-Z a-z 0-9 . _ -`. If that changes it, a hash of the whole id is
    /// added, so that two ids never share a journal.
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

    /// Recognises a journal by its name: a date first (`2026-11-20` or `20261120`), `.md` last, in or below
    /// `memory/` or `daily/`. A tool's copy of a journal that two machines changed is none:
    /// `2026-11-20-repl.sync-conflict-20261121-091500-ABCDEFG.md`.
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
        let session = |file: &str| {
            let (day, rest) = file.split_at_checked(10)?;
            parse_date(day)?;
            rest.strip_prefix('-')?.strip_prefix(SHARED).map(|rest| rest != "md")
        };
        Self::is_name(name) && name.strip_prefix("memory/").and_then(session).unwrap_or(false)
    }

    /// Returns whether a folder is one of a year or a month in which journals are read: `memory/2026`, `memory/2026/11`.
    pub(crate) fn is_folder(path: &str) -> bool {
        let below = ["memory/", "daily/"].iter().find_map(|folder| path.strip_prefix(folder));
        let is_dated = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        below.is_some_and(|below| {
            let (year, month) = below.split_once('/').unwrap_or((below, "11"));
            matches!(year.len(), 4 | 6 | 7)
                && matches!(month.len(), 2 | 7)
                && is_dated(year)
                && is_dated(month)
        })
    }

    /// Returns whether a person seems to have meant a document for a journal, although no reader takes it for one. It has a date
    /// in another form or place, or another ending than `.md`. It is in the root, in `memory/`, in `daily/`, or in a folder with
    /// a similar name.
    #[cfg(feature = "doctor")]
    pub(crate) fn is_meant_by(name: &DocName) -> bool {
        const FOLDERS: [&str; 8] =
            ["memory", "daily", "journal", "journals", "diary", "log", "logs", "notes/daily"];
        const ENDS: [&str; 4] = [".md", ".markdown", ".mdown", ".txt"];
        let lower = name.as_str().to_lowercase();
        let (folder, file) = lower.rsplit_once('/').unwrap_or(("", &lower));
        // OpenClaw's own dreams are no journals either.
        let is_archived = folder.starts_with("memory/archive") || folder.starts_with("memory/dreaming");
        let is_below =
            |top: &str| folder.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(stem) = ENDS.iter().find_map(|end| file.strip_suffix(end)) else { return false };
        (folder.is_empty() || FOLDERS.iter().any(|top| is_below(top)))
            && !is_archived
            // The folder of a vault's own notes.
            && !name.as_str().starts_with("Daily/")
            && begins_with_date(stem)
            && original_of(name.as_str()).is_none()
            && !Self::is_name(name.as_str())
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

    /// Returns the day of a journal by its name, even if it is in the archive.
    pub(crate) fn day_of(name: &str) -> Option<NaiveDate> {
        let day = name.strip_prefix(Self::ARCHIVED).map_or_else(|| date_and_rest(name), date_at);
        day.map(|(day, _)| day)
    }

    /// Returns the last day among journals, by their names.
    pub(crate) fn last_day(names: &mut dyn Iterator<Item = &str>) -> Option<NaiveDate> {
        let mut last = None;
        for name in names {
            last = last.max(Self::day_of(name));
        }
        last
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

/// Returns the date at the front of a journal's name, and what is between it and the `.md`.
fn date_and_rest(name: &str) -> Option<(NaiveDate, &str)> {
    let (folder, file) = name.rsplit_once('/')?;
    if !matches!(folder, "memory" | "daily") && !JournalName::is_folder(folder) {
        return None;
    }
    let stem = file.strip_suffix(".md").or_else(|| file.strip_suffix(".MD"))?;
    let (date, rest) = date_at(stem)?;
    // A copy of a journal says again what the journal says.
    let may_be_copy = rest.contains("onflict") || rest.contains([' ', '~']);
    if may_be_copy && original_of(name).is_some() {
        return None;
    }
    Some((date, rest))
}

/// Returns the date at the front of a text, with hyphens or without, and what is behind it.
fn date_at(text: &str) -> Option<(NaiveDate, &str)> {
    if let Some((day, rest)) = text.split_at_checked(10)
        && let Some(date) = parse_date(day)
    {
        return Some((date, rest));
    }
    let (day, rest) = text.split_at_checked(8)?;
    let is_compact =
        day.bytes().all(|byte| byte.is_ascii_digit()) && !rest.starts_with(|c: char| c.is_ascii_digit());
    if !is_compact || !["19", "20", "21"].iter().any(|century| day.starts_with(century)) {
        return None;
    }
    parse_date(&format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])).map(|date| (date, rest))
}

/// Returns whether a text begins with a day as people write it: three numbers, among them a month and a day.
#[cfg(feature = "doctor")]
fn begins_with_date(text: &str) -> bool {
    if date_at(text).is_some() {
        return true;
    }
    let mut rest = text;
    let (mut numbers, mut lengths): ([u32; 3], [usize; 3]) = ([0; 3], [0; 3]);
    for (at, number) in numbers.iter_mut().enumerate() {
        if at > 0 {
            let Some(behind) = rest.strip_prefix(['-', '.', '_', ' ']) else { return false };
            rest = behind.trim_start();
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if !matches!(digits, 1 | 2 | 4) {
            return false;
        }
        lengths[at] = digits;
        *number = rest[..digits].parse().unwrap_or(0);
        rest = &rest[digits..];
    }
    let is_date = |year: u32, month: u32, day: u32| {
        let year = if year < 100 { year + 2000 } else { year };
        i32::try_from(year).ok().and_then(|year| NaiveDate::from_ymd_opt(year, month, day)).is_some()
    };
    // `1.2.3` is a version.
    let has_year = lengths.contains(&4) || lengths == [2; 3];
    let [a, b, c] = numbers;
    has_year && (is_date(a, b, c) || is_date(c, b, a) || is_date(c, a, b))
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

    /// JR-01
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
            "memory/2026-11-21/2026-11-21.md",
            "memory/2026/11/21/2026-11-21.md",
            "memory/202611211.md",
            "memory/20261321.md",
            "memory/12345678.md",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    // Nine of seventeen forms that people tried were neither dreamed nor named.
    #[test]
    fn years_in_folders_and_dates_without_hyphens_are_read() {
        for (text, session) in [
            ("memory/2026/11/2026-11-21.md", None),
            ("memory/2026/2026-11-21-repl.md", Some("repl")),
            ("memory/2026-11/2026-11-21.md", None),
            ("daily/2026/2026-11/2026-11-21.md", None),
            ("memory/202611/20261121.md", None),
            ("memory/20261121-repl.md", Some("repl")),
        ] {
            let journal = parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((journal.date(), journal.session()), (day(), session), "{text}");
            assert!(!journal.is_shared());
        }
        // None of them is what a shared session writes.
        for text in [
            "memory/20261121-9-shared.team.md",
            "memory/20261121-shared.team.md",
            "memory/2026/11/2026-11-21-shared.team.md",
            "memory/2026/2026-11-21-shared.team.md",
        ] {
            assert!(!parse(text).unwrap().is_shared(), "{text}");
        }
    }

    #[cfg(feature = "doctor")]
    #[test]
    fn a_name_that_a_person_meant_for_a_journal_is_known() {
        let is_meant = |text: &str| JournalName::is_meant_by(&DocName::parse(text).unwrap());
        for text in [
            "journal/2026-11-22.md",
            "memory/2026-11-22.markdown",
            "memory/2026-11-22.txt",
            "memory/26-11-16.md",
            "memory/16.11.2026.md",
            "memory/11-16-2026 notes.md",
            "memory/2026_11_16.md",
            "memory/2026.11.16-repl.md",
            "memory/week/2026-11-16.md",
            "2026-11-16.md",
            "Journal/20261116.md",
        ] {
            assert!(is_meant(text), "{text}");
        }
        for text in [
            "memory/2026-11-16.md",
            "memory/20261116.md",
            "memory/archive/log-20261116.md",
            "memory/archive/2026-11-16.md",
            "memory/dreaming/light/2026-11-16.md",
            "docs/2026-11-16-release.md",
            "memory/3-2-1 go.md",
            "memory/99.99.2026.md",
            "memory/2026 plans.md",
            "memory/2026-11-16.jpg",
            "memory/2026-11-16 (conflicted copy 2026-11-21).md",
            "MEMORY.md",
            "1.2.3.md",
        ] {
            assert!(!is_meant(text), "{text}");
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
