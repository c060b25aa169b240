//! The dreams that appended to `MEMORY.md`, and what became of them.

use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::dreamer::JournalDreamer;
use super::earlier::EarlierDreams;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedSet;
use crate::dream::commit;
use crate::format::DreamId;
use crate::format::documents::curated;
use crate::format::documents::sections::{self, SectionState};
use crate::format::state::log::{self, LogLine};

/// A dream that appended a section. Holds no text of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DreamRecord {
    /// Its id, by which it is taken back.
    pub id: DreamId,
    /// The day in its heading.
    pub day: NaiveDate,
    /// When it was appended.
    pub at: Option<DateTime<Utc>>,
    /// The number of lines that it promoted.
    pub lines: u64,
    /// The state of its section.
    pub standing: DreamStanding,
}

impl fmt::Display for DreamRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = crate::base::text::counted(self.lines, "line");
        write!(f, "dream {} of {}: {lines}, {}", self.id, self.day, self.standing)
    }
}

/// The state of the section of a dream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DreamStanding {
    /// It is in `MEMORY.md` as it was appended, and can be taken back while its journals are as they were read.
    Whole,
    /// A person changed it there; it is no longer taken back.
    Edited,
    /// It was moved to the archive.
    Archived,
    /// It was taken back.
    Undone,
    /// A person took it out, or an editor saved over it. [`redo_dream`](JournalDreamer::redo_dream) appends it again.
    Gone,
}

impl fmt::Display for DreamStanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "stands in MEMORY.md",
            Self::Edited => "changed by a person since",
            Self::Archived => "in the archive",
            Self::Undone => "taken back",
            Self::Gone => "no longer in MEMORY.md",
        })
    }
}

impl JournalDreamer {
    /// Lists the dreams that appended a section, those that were accepted as proposals among them: the newest first.
    ///
    /// Reads only the end of a log over 16 MiB. Claims nothing and writes nothing.
    ///
    /// # Example: what did the last night promote, and can it be taken back?
    ///
    /// ```
    /// use noctuary::dream::DreamStanding;
    /// # use chrono::{TimeZone, Utc};
    /// # use noctuary::{DocName, Extractive, FileWorkspace, JournalDreamer, Workspace, dream_once_at};
    /// # use std::sync::Arc;
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// # let journal = DocName::parse("memory/2026-11-20-repl.md")?;
    /// # workspace.append(&journal, b"- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n")?;
    /// # let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
    /// let report = dream_once_at(&dreamer, &Extractive::new(), &|| now)?;
    /// let dreams = dreamer.dreams()?;
    /// assert_eq!(dreams[0].id, report.passes[0].dream_id);
    /// assert_eq!((dreams[0].lines, dreams[0].standing), (1, DreamStanding::Whole));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) for a state file that does not parse, and those of the workspace.
    pub fn dreams(&self) -> Result<Vec<DreamRecord>> {
        let earlier = EarlierDreams::open(self.workspace())?;
        let archive = commit::archive(earlier.workspace)?;
        let mut seen = SortedSet::new();
        let appended = earlier.log.iter().rev().filter(|line| line.outcome == log::APPENDED);
        let last = appended.filter(|line| seen.insert(&line.id));
        Ok(last.map(|line| record(&earlier, &archive, line)).gather())
    }
}

fn record(earlier: &EarlierDreams<'_>, archive: &[u8], line: &LogLine) -> DreamRecord {
    let memory = earlier.memory.bytes();
    let standing = match line.section_sha256.map(|printed| sections::find(memory, &line.id, printed)) {
        Some(SectionState::Whole(_)) => DreamStanding::Whole,
        Some(SectionState::Edited) => DreamStanding::Edited,
        _ if earlier.is_undone(&line.id) => DreamStanding::Undone,
        _ if curated::has_section(archive, &line.id) => DreamStanding::Archived,
        _ => DreamStanding::Gone,
    };
    let lines = line.lines.len() as u64;
    DreamRecord { id: line.id.clone(), day: line.day, at: line.at, lines, standing }
}
