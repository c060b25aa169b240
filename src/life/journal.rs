//! The writer and the reader of journals.

use chrono::{DateTime, NaiveDate, Utc};

use crate::base::day::DayPolicy;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::format::documents::day_log;
use crate::format::{JournalName, Note};
use crate::workspace::{Workspace, WriteMode};

/// Appends a note to a journal, whatever the daily log's switch says, and returns the journal of its day.
///
/// The day and the time are those of `at`: after midnight the same session goes on in the next day's file.
/// The heading is written once a file, when it is made; the block of the session, by the time at which it
/// `begun`, once a file too. The note is one append with a line ending of its own, so notes of several processes follow
/// one another, whole; two writers of one session that both begin its block may write its heading twice.
///
/// When it returns, the note survives a power loss. A crash before may leave the front of it, on a line that
/// the next note ends first. A note without words writes nothing.
///
/// Secrets and hidden instructions are the caller's to look for: the text is written as it is.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::format::{JournalName, Origin};
/// use noctuary::life::append_note;
/// use noctuary::workspace::{DayPolicy, WorkspaceExt};
/// use noctuary::{FileWorkspace, Note};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let (day, begun) = (DayPolicy::UTC, Utc.with_ymd_and_hms(2026, 11, 21, 9, 12, 0).unwrap());
/// let journal = JournalName::new(day.date(begun), Some("repl"));
/// let note = Note::decision("Releases go out on Fridays.").from(Origin::User);
/// append_note(&workspace, &journal, day, begun, &note, begun)?;
/// assert_eq!(
///     workspace.read_text(journal.name())?.as_deref(),
///     Some("# Memory — 2026-11-21\n\n## Session [09:12]\n\n- [09:12:00] [user] Decision: Releases go out on Fridays.\n")
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of the workspace. After [`Error::DurabilityUnknown`] the note may stand there already.
pub fn append_note(
    workspace: &dyn Workspace,
    journal: &JournalName,
    day: DayPolicy,
    begun: DateTime<Utc>,
    note: &Note,
    at: DateTime<Utc>,
) -> Result<JournalName> {
    let journal = journal.on(day.date(at));
    if note.is_empty() {
        return Ok(journal);
    }
    let standing = match workspace.read(journal.name())? {
        Some(document) => document.into_bytes(),
        None => begin(workspace, &journal)?,
    };
    if let Some(added) = day_log::addition(&standing, day.time(begun), note, day.time(at)) {
        workspace.append(journal.name(), added.as_bytes())?;
    }
    Ok(journal)
}

/// Makes a journal with its heading, and returns what stands there: another may have been first.
pub(crate) fn begin(workspace: &dyn Workspace, journal: &JournalName) -> Result<Vec<u8>> {
    let heading = day_log::heading(journal.date()).into_bytes();
    match workspace.write(journal.name(), &heading, WriteMode::Create) {
        Ok(_) => Ok(heading),
        Err(Error::Conflict { current: Some(current), .. }) => Ok(current.into_bytes()),
        Err(error) => Err(error),
    }
}

/// Returns all journals of a day, of whatever session and dialect: the day's own file first.
///
/// Through a view that guards a workspace it returns those that the view shows.
///
/// ```
/// use chrono::NaiveDate;
/// use noctuary::format::JournalName;
/// use noctuary::life::daily_log;
/// use noctuary::{FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
/// for session in ["http", "repl"] {
///     workspace.append(JournalName::new(day, Some(session)).name(), b"- a quiet day\n")?;
/// }
/// assert_eq!(daily_log(&workspace, day)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of the workspace.
pub fn daily_log(workspace: &dyn Workspace, date: NaiveDate) -> Result<Vec<(JournalName, Document)>> {
    let mut names = Vec::new();
    for folder in [DocName::JOURNALS, DocName::DAILY] {
        let listing = match workspace.list(Some(&folder)) {
            // A view that closes a folder shows nothing of it.
            Err(Error::Denied { .. }) => continue,
            listing => listing?,
        };
        names.extend(listing.documents.iter().filter_map(JournalName::parse));
    }
    names.retain(|journal| journal.date() == date);
    names.sort_unstable();
    let mut journals = Vec::new();
    for journal in names {
        // It may be gone since the look.
        if let Some(document) = workspace.read(journal.name())? {
            journals.push((journal, document));
        }
    }
    Ok(journals)
}

/// Returns all journals of the day that `now` belongs to.
///
/// ```
/// use chrono::{FixedOffset, NaiveDate, TimeZone, Utc};
/// use noctuary::format::JournalName;
/// use noctuary::life::today_log;
/// use noctuary::workspace::DayPolicy;
/// use noctuary::{FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
/// workspace.append(JournalName::new(day, None).name(), b"- still up\n")?;
/// let until_four = DayPolicy::new(FixedOffset::east_opt(0).unwrap(), 4);
/// let night = Utc.with_ymd_and_hms(2026, 11, 21, 2, 0, 0).unwrap();
/// assert_eq!(today_log(&workspace, until_four, night)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`daily_log`].
pub fn today_log(
    workspace: &dyn Workspace,
    day: DayPolicy,
    now: DateTime<Utc>,
) -> Result<Vec<(JournalName, Document)>> {
    daily_log(workspace, day.date(now))
}
