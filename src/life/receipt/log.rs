//! The log of receipts: two generations of lines, and the keys of their hashes.

use super::line::ReceiptLine;
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::base::sorted::SortedSet;
use crate::format::state::receipts::ReceiptKeys;
use crate::gate::{TombstoneKey, Tombstones};
use crate::workspace::{Workspace, WriteMode};

/// The most times that another writer may come first.
const ATTEMPTS: u32 = 64;

/// Reads the keys; `None` where no receipt was ever written.
pub(super) fn keys(workspace: &dyn Workspace) -> Result<Option<ReceiptKeys>> {
    let file = workspace.read(&StateName::RECEIPT_KEYS)?;
    ReceiptKeys::parse(file.as_ref().map(Document::bytes))
}

/// Reads the keys, and makes one where there is none. It survives a power loss before anything is hashed with it.
pub(super) fn own_keys(workspace: &dyn Workspace) -> Result<ReceiptKeys> {
    if let Some(keys) = keys(workspace)? {
        return Ok(keys);
    }
    let made = ReceiptKeys::new(Digest::of(TombstoneKey::random().as_bytes()));
    match workspace.write(&StateName::RECEIPT_KEYS, &made.print(), WriteMode::Create) {
        Ok(_) => Ok(made),
        // Another process made one first.
        Err(Error::Conflict { .. }) => Ok(keys(workspace)?.unwrap_or(made)),
        Err(error) => Err(error),
    }
}

/// Adds a line; where the generation is full, the line begins a new one, and the one before the last is dropped.
///
/// When it returns, the line survives a power loss. A crash before leaves the lines that were there: at worst the full
/// generation is there twice.
pub(super) fn add(workspace: &dyn Workspace, line: &str, most: u64) -> Result<()> {
    let (name, before) = (StateName::RECEIPTS, StateName::RECEIPTS_BEFORE);
    for _ in 0..ATTEMPTS {
        let len = workspace.metadata(&name)?.map_or(0, |metadata| metadata.len);
        if len == 0 || len + line.len() as u64 <= most {
            return workspace.append(&name, line.as_bytes());
        }
        let Some(full) = workspace.read(&name)? else { continue };
        // The full generation is safe in its new place before it leaves the old one. Whoever adds a line meanwhile
        // changes its revision, and both steps are done again.
        let older = workspace.read(&before)?.map(|older| older.revision());
        let mode = older.map_or(WriteMode::Create, WriteMode::IfRevision);
        match workspace.write(&before, full.bytes(), mode) {
            Ok(_) => {}
            Err(Error::Conflict { .. }) => continue,
            Err(error) => return Err(error),
        }
        match workspace.write(&name, line.as_bytes(), WriteMode::IfRevision(full.revision())) {
            Ok(_) => return Ok(()),
            Err(Error::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Busy { path: workspace.location() })
}

/// Reads both generations, the older first; each line once.
pub(super) fn read(workspace: &dyn Workspace) -> Result<Vec<ReceiptLine>> {
    let (mut lines, mut seen) = (Vec::new(), SortedSet::new());
    for name in [StateName::RECEIPTS_BEFORE, StateName::RECEIPTS] {
        let Some(file) = workspace.read(&name)? else { continue };
        for line in file.lossy().lines() {
            if let Some(parsed) = ReceiptLine::parse(line)
                && seen.insert(Digest::of(line.as_bytes()))
            {
                lines.push(parsed);
            }
        }
    }
    Ok(lines)
}

/// Takes names that hold a forgotten statement out of a generation, and torn lines that hold it. Returns how many there
/// were, and the file without them; `None` where there are none.
pub(crate) fn without_forgotten(bytes: &[u8], forgotten: &Tombstones) -> Option<(u64, Vec<u8>)> {
    let text = String::from_utf8_lossy(bytes);
    let (mut found, mut kept) = (0, String::with_capacity(text.len()));
    for line in text.split_inclusive('\n') {
        match ReceiptLine::parse(line) {
            Some(mut parsed) => match parsed.forget(forgotten) {
                0 => kept.push_str(line),
                some => {
                    found += some;
                    kept.push_str(&parsed.print());
                }
            },
            None if forgotten.holds(line) => found += 1,
            None => kept.push_str(line),
        }
    }
    (found > 0).then(|| (found, kept.into_bytes()))
}
