//! Compaction: the oldest sections of dreams move from `MEMORY.md` to the archive, until it is within its budget.

use chrono::{DateTime, NaiveDate, Utc};

use super::earlier::EarlierDreams;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::dream::commit;
use crate::format::DreamId;
use crate::format::documents::sections::{self, SectionState};
use crate::format::state::intent::{Append, Books, Change, Intent};
use crate::format::state::log;
use crate::workspace::{Lease, Workspace};

/// The text above the first section in the archive.
const HEAD: &str =
    "# Dreamed earlier\n\nMoved here from MEMORY.md, oldest first, when that was over its budget.\n\n";

/// Moves sections, oldest first, until `MEMORY.md` has at most `budget` characters; adds the dreams to `moved` as it
/// goes. Only sections that are as they were appended move, and not a byte beside them.
///
/// Each is appended to the archive before it is taken out, by an intent of its own.
pub(crate) fn compact(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    budget: u64,
    day: NaiveDate,
    now: DateTime<Utc>,
    moved: &mut Vec<DreamId>,
) -> Result<()> {
    loop {
        let earlier = EarlierDreams::open(workspace)?;
        if earlier.memory.lossy().chars().count() as u64 <= budget {
            return Ok(());
        }
        // One that was tried stays where it is: a person changed it in between.
        let Some((id, section)) = oldest(&earlier, moved) else { return Ok(()) };
        if moved.is_empty() {
            earlier.keep_preimage(now)?;
        }
        let Some(pass) = earlier.pass(&id) else { return Ok(()) };
        // Where something else has its place, this says so before an intent could not be carried out.
        let archive = workspace.read(&DocName::DREAMED)?.map(Document::into_bytes).unwrap_or_default();
        let line_end = if section.contains("\r\n") { "\r\n" } else { "\n" };
        let section = match archive.last() {
            None => HEAD.replace('\n', line_end) + section.trim_start(),
            Some(b'\n') => format!("{line_end}{}", section.trim_start()),
            Some(_) => format!("{line_end}{line_end}{}", section.trim_start()),
        };
        // A peer's mark stays a peer's: what it dreamed is counted by a run that looks at journals.
        let books = Books::unchanged(&earlier.ledger, earlier.state.clone());
        let intent = Intent::new(books, pass.then(log::ARCHIVED, now, day, lease.epoch()))
            .with_append(Append::new(DocName::DREAMED, section, &archive))
            .with_change(Change::Archive { name: earlier.name.clone() });
        commit::commit(workspace, lease, &intent)?;
        moved.push(id);
    }
}

/// Returns the first section that is as it was appended.
fn oldest(earlier: &EarlierDreams<'_>, tried: &[DreamId]) -> Option<(DreamId, String)> {
    let memory = earlier.memory.bytes();
    sections::whole(memory)
        .into_iter()
        .map(|section| section.dream)
        .filter(|id| !tried.contains(id))
        .find_map(|id| match sections::find(memory, &id, earlier.pass(&id)?.section_sha256?) {
            SectionState::Whole(range) => Some((id, String::from_utf8_lossy(&memory[range]).into_owned())),
            SectionState::Edited | SectionState::Missing => None,
        })
}
