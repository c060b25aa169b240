//! The journal of a session, and the way of a note into it.

use chrono::{DateTime, Utc};

use crate::base::day::DayPolicy;
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::text;
use crate::format::documents::day_log::{self, JournalEnd};
use crate::format::{JournalName, Note};
use crate::workspace::{Workspace, WriteMode};

/// The journal of a session: its name on any day, and the time at which the session began.
///
/// It remembers how far it has read the day's file, so a note costs the same at any length of the file.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::format::{JournalName, Origin};
/// use noctuary::life::Journal;
/// use noctuary::workspace::{DayPolicy, WorkspaceExt};
/// use noctuary::{FileWorkspace, Note};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let begun = Utc.with_ymd_and_hms(2026, 11, 21, 9, 12, 0).unwrap();
/// let name = JournalName::new(DayPolicy::UTC.date(begun), Some("repl"));
/// let mut journal = Journal::new(name, DayPolicy::UTC, begun);
/// let name = journal.append(&workspace, &Note::decision("Releases go out on Fridays.").from(Origin::User), begun)?;
/// assert_eq!(
///     workspace.read_text(name.name())?.as_deref(),
///     Some("# Memory — 2026-11-21\n\n## Session [09:12]\n\n- [09:12:00] [user] Decision: Releases go out on Fridays.\n")
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Journal {
    name: JournalName,
    day: DayPolicy,
    begun: DateTime<Utc>,
    seen: Option<Seen>,
}

/// The part of a day's file that was read already: its whole lines.
#[derive(Clone)]
struct Seen {
    name: DocName,
    /// The end: after a line break.
    end: u64,
    /// The last bytes of it, by which it is known again.
    last: Vec<u8>,
    lines: u64,
    /// Lines that end in CRLF.
    crlf: u64,
    /// The start of the heading of the session's block.
    block: Option<u64>,
}

/// The number of bytes that show whether the part that was read before is unchanged.
const LAST: usize = 64;

/// The number of bytes that are read at once.
const PIECE: u64 = 1 << 20;

impl Journal {
    /// Makes the journal `name` of a session that began at `begun`. The day in the name is replaced by that of each note.
    #[must_use]
    pub fn new(name: JournalName, day: DayPolicy, begun: DateTime<Utc>) -> Self {
        Self { name, day, begun, seen: None }
    }

    /// Appends a note, whatever the daily log's switch says, and returns the journal of its day.
    ///
    /// The day and the time are those of `at`: after midnight the same session goes on in the next day's file. The
    /// heading is written once a file, when it is made, and the block of the session once a file too. The note is one
    /// append with a line ending of its own, so notes of several processes follow one another, whole. Two writers of
    /// one session that both begin its block may write its heading twice.
    ///
    /// When it returns, the note survives a power loss. A crash before may leave the front of it, on a line that
    /// the next note ends first. A note without words writes nothing.
    ///
    /// The first note reads the day's file. A later one reads only bytes that were added since the note before it.
    ///
    /// Secrets and hidden instructions are the caller's to look for: the text is written as it is. A note by
    /// [`Session::note`](crate::Session::note) passes the doors.
    ///
    /// # Errors
    ///
    /// The errors of the workspace. After [`Error::DurabilityUnknown`] the note may be in the file already.
    pub fn append(
        &mut self,
        workspace: &dyn Workspace,
        note: &Note,
        at: DateTime<Utc>,
    ) -> Result<JournalName> {
        let journal = self.on(at);
        if note.is_empty() {
            return Ok(journal);
        }
        let standing = self.look(workspace, &journal)?;
        if let Some(added) = day_log::addition(standing, self.day.time(self.begun), note, self.day.time(at)) {
            workspace.append(journal.name(), added.as_bytes())?;
        }
        Ok(journal)
    }

    /// Returns the journal of the day that an instant belongs to.
    pub(crate) fn on(&self, at: DateTime<Utc>) -> JournalName {
        self.name.on(self.day.date(at))
    }

    /// Says what a note must know of the file, which is made where it is missing.
    fn look(&mut self, workspace: &dyn Workspace, journal: &JournalName) -> Result<JournalEnd> {
        let heading = day_log::block(self.day.time(self.begun));
        let known = self.seen.take().filter(|seen| seen.name == *journal.name());
        let known =
            known.map(|seen| seen.rest(workspace, &heading).map(|rest| rest.map(|rest| (seen, rest))));
        let (mut seen, rest) = if let Some(known) = known.transpose()?.flatten() {
            known
        } else {
            let all = match workspace.read(journal.name())? {
                Some(document) => document.into_bytes(),
                None => begin(workspace, journal)?,
            };
            (Seen::nothing(journal.name()), all)
        };
        let torn = seen.add(&rest, &heading);
        let standing = JournalEnd {
            is_empty: seen.end == 0 && torn.is_empty(),
            is_torn: !torn.is_empty(),
            has_block: seen.block.is_some() || is_heading(torn, &heading),
            has_crlf: seen.crlf * 2 > seen.lines,
        };
        self.seen = Some(seen);
        Ok(standing)
    }
}

impl Seen {
    fn nothing(name: &DocName) -> Self {
        Self { name: name.clone(), end: 0, last: Vec::new(), lines: 0, crlf: 0, block: None }
    }

    /// Reads the bytes behind the part that was read; `None` where that part is another by now, or nothing was read yet.
    fn rest(&self, workspace: &dyn Workspace, heading: &str) -> Result<Option<Vec<u8>>> {
        let name: &Name = &self.name;
        if self.end == 0 {
            return Ok(None);
        }
        if let Some(block) = self.block
            && workspace.read_range(name, block..block + heading.len() as u64)? != heading.as_bytes()
        {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let from = self.end - self.last.len() as u64;
        loop {
            let at = from + bytes.len() as u64;
            let piece = workspace.read_range(name, at..at + PIECE)?;
            let is_last = (piece.len() as u64) < PIECE;
            bytes.extend(piece);
            if is_last {
                break;
            }
        }
        let is_known = bytes.starts_with(&self.last);
        Ok(is_known.then(|| bytes.split_off(self.last.len())))
    }

    /// Takes the whole lines of `bytes` for read, and returns the line without an end behind them.
    fn add<'b>(&mut self, bytes: &'b [u8], heading: &str) -> &'b [u8] {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (lines, torn) = bytes.split_at(whole);
        let mut at = self.end;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            if self.block.is_none() && is_heading(line, heading) {
                self.block = Some(at);
            }
            self.crlf += u64::from(line.ends_with(b"\r\n"));
            at += line.len() as u64;
        }
        self.lines += text::line_breaks(lines);
        self.end = at;
        self.last.extend_from_slice(&lines[lines.len().saturating_sub(LAST)..]);
        self.last.drain(..self.last.len().saturating_sub(LAST));
        torn
    }
}

fn is_heading(line: &[u8], heading: &str) -> bool {
    line.trim_ascii_end() == heading.as_bytes()
}

/// Makes a journal with its heading, and returns its bytes: another may have been first.
pub(crate) fn begin(workspace: &dyn Workspace, journal: &JournalName) -> Result<Vec<u8>> {
    let heading = day_log::heading(journal.date()).into_bytes();
    match workspace.write(journal.name(), &heading, WriteMode::Create) {
        Ok(_) => Ok(heading),
        Err(Error::Conflict { current: Some(current), .. }) => Ok(current.into_bytes()),
        Err(error) => Err(error),
    }
}

debug_as!(Journal, |it| "Journal({}, begun {})", it.name.name(), it.begun);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use chrono::TimeZone;
    use proptest::prelude::*;

    /// The next change of the file by an editor, another writer or this session.
    #[derive(Debug, Clone)]
    enum Step {
        Note(&'static str),
        Other(&'static str),
        Rewritten(&'static str),
        Removed,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let texts = vec![
            "",
            "x",
            "\n",
            "# A\r\n",
            "## Session [09:12]\n",
            "## Session [09:12]",
            "- a\r\n- b\r\n",
            "- a\n\n- b",
            "\r",
            "日\n",
            "  ## Session [09:12]\r\n",
        ];
        let text = || proptest::sample::select(texts.clone());
        let step = prop_oneof![
            4 => proptest::sample::select(vec!["one", "two\nlines", "## Session [09:12]"]).prop_map(Step::Note),
            2 => text().prop_map(Step::Other),
            1 => text().prop_map(Step::Rewritten),
            1 => Just(Step::Removed),
        ];
        proptest::collection::vec(step, 1..24)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(4_000)))]

        // A note looked at the whole file each time; now at the part that is new, and the bytes are the same.
        #[test]
        fn a_journal_that_remembers_writes_the_bytes_of_one_that_reads_all_of_it(steps in steps()) {
            let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let homes = folders.each_ref().map(|folder| crate::FileWorkspace::open(folder.path()).unwrap());
            let at = Utc.with_ymd_and_hms(2026, 11, 21, 9, 12, 0).unwrap();
            let new = || Journal::new(JournalName::new(at.date_naive(), None), DayPolicy::UTC, at);
            let mut journal = new();
            let name = journal.on(at);
            for step in steps {
                for (home, is_new) in homes.iter().zip([false, true]) {
                    match step {
                        Step::Note(words) => {
                            let note = Note::happened(words);
                            if is_new {
                                new().append(home, &note, at).unwrap();
                            } else {
                                journal.append(home, &note, at).unwrap();
                            }
                        }
                        Step::Other(text) => home.append(name.name(), text.as_bytes()).unwrap(),
                        Step::Rewritten(text) => {
                            home.write(name.name(), text.as_bytes(), WriteMode::Replace).unwrap();
                        }
                        Step::Removed => drop(home.remove(name.name()).unwrap()),
                    }
                }
                let [one, other] = homes.each_ref().map(|home| home.read(name.name()).unwrap().map(crate::workspace::Document::into_bytes));
                prop_assert_eq!(one, other);
            }
        }
    }
}
