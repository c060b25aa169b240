//! The bytes of a journal, read no further than they are needed.

use std::ops::Range;

use crate::base::digest::{Digest, Hasher};
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::text;
use crate::format::documents::origins::{self, Above};
use crate::format::state::ledger::{Entry, Piece};
use crate::workspace::Workspace;

/// The bytes around a slice that are read for context. So a secret that begins before the cut, or ends after it,
/// is still known. No private key is longer.
pub(super) const CONTEXT: u64 = 32 << 10;

/// The bytes above a slice that are searched for its speaker; a speech that began further away counts as a tool's.
const MOST_ABOVE: u64 = 1 << 20;

/// Returns whether a journal begins with the mark of UTF-16.
pub(super) fn is_utf16(workspace: &dyn Workspace, name: &DocName) -> bool {
    let front = workspace.read_range(name, 0..2).unwrap_or_default();
    front == b"\xff\xfe" || front == b"\xfe\xff"
}

/// Returns the pieces of `entry` whose bytes are no longer what was shown, by where they begin.
pub(super) fn void_pieces(
    workspace: &dyn Workspace,
    name: &DocName,
    entry: &Entry,
    len: u64,
) -> Result<Vec<u64>> {
    let mut void = Vec::new();
    for piece in entry.pieces() {
        let holds = match piece.sha256 {
            _ if piece.to > len => false,
            None => true,
            Some(sha256) => hash_range(workspace, name, piece.from..piece.to)? == sha256,
        };
        if !holds {
            void.push(piece.from);
        }
    }
    Ok(void)
}

/// Makes the piece of bytes that somebody else was shown.
pub(super) fn unseen_piece(workspace: &dyn Workspace, name: &DocName, range: Range<u64>) -> Piece {
    let (mut hasher, mut breaks) = (Hasher::new(), 0);
    let read = for_each_chunk(workspace, name, range.clone(), |chunk| {
        hasher.update(chunk);
        breaks += text::line_breaks(chunk);
    });
    let (sha256, breaks) = read.map_or((None, None), |()| (Some(hasher.finish()), Some(breaks)));
    Piece { from: range.start, to: range.end, sha256, breaks }
}

/// Counts the line breaks before a place. Pieces whose breaks were counted are not read again.
pub(super) fn breaks_before(
    workspace: &dyn Workspace,
    name: &DocName,
    entry: &Entry,
    place: u64,
) -> Result<u64> {
    let (mut breaks, mut from) = (0, 0);
    let count = |range: Range<u64>| {
        let mut breaks = 0;
        for_each_chunk(workspace, name, range, |chunk| breaks += text::line_breaks(chunk)).map(|()| breaks)
    };
    for piece in entry.pieces().iter().filter(|piece| piece.to <= place) {
        if let Some(counted) = piece.breaks {
            breaks += count(from..piece.from)? + counted;
            from = piece.to;
        }
    }
    Ok(breaks + count(from..place)?)
}

/// Hashes a range in bounded memory.
pub(crate) fn hash_range(workspace: &dyn Workspace, name: &DocName, range: Range<u64>) -> Result<Digest> {
    let mut hasher = Hasher::new();
    for_each_chunk(workspace, name, range, |chunk| hasher.update(chunk))?;
    Ok(hasher.finish())
}

/// Returns the start of the first line that was added after a quarantine. The rest of a line that existed then is held with
/// it.
pub(super) fn first_open(workspace: &dyn Workspace, name: &DocName, held: u64, len: u64) -> Result<u64> {
    let mut at = held.saturating_sub(1);
    while at < len {
        let chunk = workspace.read_range(name, at..len.min(at + CONTEXT))?;
        match chunk.iter().position(|byte| *byte == b'\n') {
            Some(found) => return Ok(at + found as u64 + 1),
            None if chunk.is_empty() => break,
            None => at += chunk.len() as u64,
        }
    }
    Ok(len)
}

/// Reads the state of a journal above a place.
pub(super) fn above(workspace: &dyn Workspace, name: &DocName, at: u64) -> Result<Above> {
    if at == 0 {
        return Ok(Above::of(name.as_str()));
    }
    let from = at.saturating_sub(MOST_ABOVE);
    let text = workspace.read_range(name, from..at)?;
    // A speech that began further away counts as a tool's.
    let begun = if from > 0 { Above::unknown(name.as_str()) } else { Above::of(name.as_str()) };
    Ok(origins::read_part(&String::from_utf8_lossy(&text), &begun, true).left)
}

fn for_each_chunk(
    workspace: &dyn Workspace,
    name: &DocName,
    range: Range<u64>,
    mut feed: impl FnMut(&[u8]),
) -> Result<()> {
    const CHUNK: u64 = 1 << 20;
    let mut from = range.start;
    while from < range.end {
        let chunk = workspace.read_range(name, from..range.end.min(from + CHUNK))?;
        if chunk.is_empty() {
            break;
        }
        feed(&chunk);
        from += chunk.len() as u64;
    }
    Ok(())
}
