//! The section of a commit: kept for a person, and appended once.

use super::home::{self, Glimpse};
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::format::documents::curated;
use crate::format::documents::known::{Heard, KnownStatements};
use crate::format::replies::reply;
use crate::format::state::intent::{Append, Intent};
use crate::format::state::undone::Undone;
use crate::workspace::{Lease, Workspace};

/// The number of tries to append to a file that is replaced meanwhile.
const TRIES: u32 = 4;

/// Keeps a section of curated memory, so that a person can bring it back if an editor saves over it.
pub(super) fn keep(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &Intent,
    append: &Append,
) -> Result<()> {
    if intent.change.is_some() {
        return Ok(());
    }
    let mut undone = Undone::parse(home::state(workspace, &StateName::UNDONE)?.as_deref())?;
    // Written also if it exists: its writer may have been killed before that was durable.
    undone.keep_appended(&intent.id, &append.section);
    lease.replace(&StateName::UNDONE, &undone.print())
}

/// Appends the section unless it is there, and looks whether it does; returns the document. An editor may replace the
/// file between our open and our write. Then the section is not in the new file, and goes there.
pub(super) fn append(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &Intent,
    append: &Append,
) -> Result<Glimpse> {
    let name: &Name = &append.name;
    for _ in 0..TRIES {
        // Read whole right before the append, whatever was read for the request: somebody may have saved since.
        let mut memory = home::bytes(workspace, name)?;
        if curated::has_section(&memory, &intent.id) {
            home::settle(lease, name)?;
            return Ok(Glimpse::of(name.clone(), None, memory));
        }
        let torn = append.torn_bytes(&memory);
        let missing = missing_part(intent, append, &memory, torn);
        if missing.len() < append.section.len() {
            // Else a power loss could take the part that stands there, and leave zeros before the rest.
            home::settle(lease, name)?;
        }
        if torn == 0 {
            lease.append(name, &missing)?;
        } else if !lease.finish(name, memory.len() as u64, &missing)? {
            // Somebody wrote behind the torn part since it was read.
            continue;
        }
        // In a file that an editor put in the place of this one, the section is not where it was appended.
        let start = memory.len() - torn;
        let metadata = workspace.metadata(name)?;
        let len = metadata.map_or(0, |metadata| metadata.len);
        let added = workspace.read_range(name, start as u64..len.max(start as u64))?;
        if curated::has_section(&added, &intent.id) {
            memory.truncate(start);
            memory.extend(added);
            return Ok(Glimpse::of(name.clone(), metadata, memory));
        }
    }
    Err(Error::Busy { path: name.to_string() })
}

/// Returns the part of the section that is still to be appended to `memory`.
fn missing_part(intent: &Intent, append: &Append, memory: &[u8], torn: usize) -> Vec<u8> {
    if torn > 0 {
        // Bytes, not text: it may be torn inside a character.
        return append.section.as_bytes()[torn..].to_vec();
    }
    let mut section = append.section.clone();
    if curated::has_mark(memory, &intent.id) {
        // An append was torn, or an editor wrote over a part of it: what stands there is not said again.
        let mut known = KnownStatements::default();
        known.take(&String::from_utf8_lossy(memory), 0);
        let is_new = |line: &&str| {
            reply::bullet(line.trim_end()).is_none_or(|item| known.says(&Heard::of(item)).is_none())
        };
        section = section.split_inclusive('\n').filter(is_new).collect();
    }
    // The file may have changed since the section was printed, and end in the middle of a line.
    if memory.is_empty()
        || memory.ends_with(b"\n")
        || section.starts_with("\n\n")
        || section.starts_with("\r\n\r\n")
    {
        section.into_bytes()
    } else {
        format!("\n{section}").into_bytes()
    }
}
