//! A ledger that is made anew from the log, where the file was lost or damaged.

use super::select::{hash_range, nanoseconds};
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedMap;
use crate::dream::commit;
use crate::dreamer::Outcome;
use crate::format::DreamedState;
use crate::format::state::ledger::{Entry, Ledger, Piece};
use crate::format::state::log::{self, LogLine, LogSource};
use crate::workspace::{Lease, Workspace};

/// Writes the ledger anew: each part of a journal that a dream showed and that is there as it was shown. Parts that the
/// log does not have, or whose dream was taken back, are shown again. A line that is in `MEMORY.md` is not promoted
/// again.
pub(crate) fn rebuild_ledger(workspace: &dyn Workspace, lease: &dyn Lease) -> Result<()> {
    let log = workspace.read(&StateName::LOG)?;
    let log = log.as_ref().map(Document::lossy).unwrap_or_default();
    let lines: Vec<LogLine> = log::of_curators(&log).gather();
    let is_undone = |line: &&LogLine| {
        let words = [log::APPENDED, log::UNDONE, log::REDONE, log::RESTORED, log::ARCHIVED];
        let of_it = |other: &&LogLine| other.id == line.id && words.contains(&other.outcome.as_str());
        lines.iter().rev().find(of_it).is_some_and(|last| last.outcome == log::UNDONE)
    };
    let showed = [log::APPENDED, Outcome::NothingToPromote.as_str()];
    let shown = lines.iter().filter(|line| showed.contains(&line.outcome.as_str()) && !is_undone(line));
    let mut entries: SortedMap<DocName, Entry> = SortedMap::new();
    for source in shown.flat_map(|line| &line.sources) {
        take(workspace, source, &mut entries)?;
    }
    let state = DreamedState::read(commit::state(workspace, &StateName::DREAMED)?.as_deref()).state;
    let mut ledger = Ledger::parse(None)?;
    ledger.epoch = lease.epoch();
    ledger.watermark = state.last_processed_mtime.clone().filter(|_| state.is_own());
    ledger.apply(&entries);
    lease.replace(&StateName::LEDGER, &ledger.print())
}

/// Takes in what was shown, where it is there still and nothing else covers it.
fn take(
    workspace: &dyn Workspace,
    source: &LogSource,
    entries: &mut SortedMap<DocName, Entry>,
) -> Result<()> {
    let Ok(name) = DocName::parse(&source.name) else { return Ok(()) };
    let Some(metadata) = workspace.metadata(&name)?.filter(|found| source.to <= found.len) else {
        return Ok(());
    };
    let entry = entries.entry(name.clone()).or_default();
    let is_covered = |piece: &Piece| source.from < piece.to && piece.from < source.to;
    let stands = hash_range(workspace, &name, source.from..source.to).is_ok_and(|now| now == source.sha256);
    if stands && source.from < source.to && !entry.pieces().iter().any(is_covered) {
        entry.show(Piece { from: source.from, to: source.to, sha256: Some(source.sha256), breaks: None });
        (entry.size, entry.modified) = (metadata.len, nanoseconds(metadata.modified));
    }
    Ok(())
}
