//! The slices of journals that one pass shows.

use std::ops::Range;

use super::bytes::hash_range;
use crate::base::digest::{Digest, Hasher};
use crate::base::text;
use crate::dreamer::ShownSlice;
use crate::format::documents::origins::Above;
use crate::format::state::ledger::{Entry, Piece};
use crate::format::{DreamId, JournalName, QuarantinedFile};
use crate::workspace::{Metadata, Workspace};

/// A slice of a journal, read and remembered, so that the commit records exactly what was shown.
#[derive(Clone)]
pub(crate) struct Slice {
    pub(crate) journal: JournalName,
    pub(crate) range: Range<u64>,
    /// Bytes before and after the range, for context; never shown.
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
    /// The state of the journal above those bytes.
    pub(crate) above: Above,
    pub(crate) bytes: Vec<u8>,
    pub(crate) first_line: u64,
    /// Whether bytes right before the range wait to be shown.
    pub(crate) truncated: bool,
    pub(crate) sha256: Digest,
    pub(crate) metadata: Metadata,
    pub(super) entry: Entry,
}

impl std::fmt::Debug for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Slice({}, {:?})", self.journal.name(), self.range)
    }
}

/// The material of one pass, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    pub(crate) slices: Vec<Slice>,
}

impl Slice {
    /// Returns the ledger's entry once this slice has been shown.
    pub(crate) fn entry_after(&self) -> Entry {
        let mut entry = self.entry.clone();
        entry.tries = 0;
        entry.show(Piece::of(self.range.start, &self.bytes, self.sha256));
        entry
    }

    /// Returns the ledger's entry once every line of an answer about this slice was held.
    pub(crate) fn entry_tried(&self) -> Entry {
        let mut entry = self.entry.clone();
        entry.tries = entry.tries.saturating_add(1);
        entry
    }

    /// Counts its lines.
    pub(crate) fn lines(&self) -> u64 {
        text::line_breaks(&self.bytes) + u64::from(self.bytes.last().is_some_and(|last| *last != b'\n'))
    }

    pub(crate) fn quarantined(&self, workspace: &dyn Workspace) -> QuarantinedFile {
        let (name, len) = (self.journal.name().clone(), self.metadata.len);
        // Without it the journal is held as a whole, however it grows.
        let sha256 = hash_range(workspace, &name, 0..len).unwrap_or(self.sha256);
        QuarantinedFile { name, len, sha256 }
    }

    pub(crate) fn report(&self) -> ShownSlice {
        ShownSlice {
            name: self.journal.name().clone(),
            from: self.range.start,
            to: self.range.end,
            first_line: self.first_line,
            last_line: self.first_line + self.lines().saturating_sub(1),
        }
    }
}

impl Selection {
    /// Returns the id of the dream over these slices: names, places and bytes. (reference: inputs, not answers)
    pub(crate) fn id(&self) -> DreamId {
        let mut hasher = Hasher::new();
        for slice in &self.slices {
            hasher
                .field(slice.journal.name().as_str().as_bytes())
                .field(&slice.range.start.to_be_bytes())
                .field(&slice.range.end.to_be_bytes())
                .field(slice.sha256.to_string().as_bytes());
            // Else the section of the first reading would stand for the second.
            if slice.entry.again > 0 {
                hasher.field(&slice.entry.again.to_be_bytes());
            }
        }
        DreamId::from_digest(hasher.finish())
    }
}
