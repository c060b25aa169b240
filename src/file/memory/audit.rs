//! The audit: the lines of the file, read from its end.

use super::lines::Lines;
use super::record::parsed;
use crate::base::error::Result;
use crate::memory::AuditEntry;

/// The number of bytes that are read first. Each further piece is twice as long.
const PIECE: u64 = if cfg!(test) { 64 } else { 32 << 10 };

impl Lines {
    /// Returns the latest entries of the audit, the latest first.
    pub(super) fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        let mut entries = Vec::new();
        let (mut from, mut piece, mut number) = (self.read.len, PIECE, self.read.count);
        // The end of a line that began before what was read.
        let mut rest = Vec::new();
        while from > 0 && entries.len() < limit {
            let at = from.saturating_sub(piece);
            let mut bytes = self.read(at, from - at)?;
            bytes.append(&mut rest);
            let is_end = |byte: &u8| *byte == b'\n';
            let whole = match bytes.iter().position(is_end) {
                _ if at == 0 => 0,
                Some(end) => end + 1,
                None => bytes.len(),
            };
            for line in bytes[whole..].split_inclusive(is_end).rev() {
                if entries.len() >= limit {
                    break;
                }
                if !line.trim_ascii().is_empty() {
                    entries.extend(parsed(line, number)?.entries());
                }
                number = number.saturating_sub(1);
            }
            bytes.truncate(whole);
            (from, piece, rest) = (at, piece.saturating_mul(2), bytes);
        }
        entries.truncate(limit);
        Ok(entries)
    }
}
