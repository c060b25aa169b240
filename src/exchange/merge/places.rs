//! The places of a copy in the merged life: of cited lines, and of bytes that were shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::archive;
use super::family::{Move, Moves};
use super::journal::{WovenJournal, joined, start_of};
use super::life::Copied;
use crate::base::digest::Digest;
use crate::base::name::DocName;
use crate::dream::Cited;
use crate::format::state::log::LogSource;
use crate::gate::is_struck;

/// The merged journals, and where the bytes of both copies are in them.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Journals, those in the archive too.
    pub(super) journals: BTreeMap<DocName, WovenJournal>,
    /// Of each copy: where the entries of documents are of which some were in an archive.
    moves: [Moves; 2],
}

impl Places {
    /// Adds the moves of a family.
    pub(super) fn moved(&mut self, moves: [Moves; 2]) {
        for (all, moves) in self.moves.iter_mut().zip(moves) {
            all.extend(moves);
        }
    }

    /// Returns the document of a copy that a dream cites under a name, by what it was shown of it: `None` where that is not there.
    pub(super) fn document(life: &Copied, sources: &[LogSource], name: &DocName) -> Option<DocName> {
        let mut named = sources.iter().filter(|source| source.name == name.as_str());
        let by_name = named.find_map(|source| document_of(life, source));
        by_name.or_else(|| {
            let has_own = |document: &DocName| {
                let bytes = life.document(document).unwrap_or_default();
                sources.iter().any(|source| source.name == document.as_str() && source.fits(bytes))
            };
            archive::candidates(life, name).into_iter().find(has_own)
        })
    }

    /// Returns the only document of a copy that a journal of this name may be.
    pub(super) fn only(life: &Copied, name: &DocName) -> Option<DocName> {
        let mut all = archive::candidates(life, name);
        (all.len() == 1).then(|| all.remove(0))
    }

    /// Returns where lines of a document of a copy are; where nobody knows, they are where they were.
    pub(super) fn lines(&self, side: usize, whole: &Copied, document: &DocName, cited: &Cited) -> Vec<Cited> {
        let (name, first, last) = cited;
        let unchanged = || vec![cited.clone()];
        let Some(copy) = whole.document(document) else { return unchanged() };
        let Some(pieces) = self.moves[side].get(document) else {
            let line = |number| self.journals.get(document)?.line(side, copy, number);
            let ends = line(*first).and_then(|first| Some((name.clone(), first, line(*last)?)));
            return ends.map_or_else(unchanged, |ends| vec![ends]);
        };
        let mut all: Vec<Cited> = Vec::new();
        for number in *first..=*last {
            let Some(start) = start_of(copy, number) else { break };
            let Some(moved) = pieces.iter().find(|moved| moved.from.contains(&start)) else { continue };
            let place = moved.place(&(start..start + 1)).start;
            let Some(line) = self.journals.get(&moved.document).and_then(|journal| journal.line_at(place))
            else {
                continue;
            };
            match all.last_mut() {
                Some((name, _, last)) if *name == moved.document && *last <= line => *last = line,
                _ => all.push((moved.document.clone(), line, line)),
            }
        }
        if all.is_empty() { unchanged() } else { all }
    }

    /// Returns the pieces of documents in the archive that a dream of a copy was shown; `None` where the source is not of a journal that is
    /// or was in an archive.
    pub(super) fn archived(
        &self,
        side: usize,
        life: &Copied,
        source: &LogSource,
    ) -> Option<Vec<(DocName, Range<u64>)>> {
        let document = document_of(life, source)?;
        let moves = self.moves[side].get(&document)?;
        let mut places = Vec::new();
        for moved in moves.iter().filter(|moved| archive::is_archived(&moved.document)) {
            let range = source.from.max(moved.from.start)..source.to.min(moved.from.end);
            if range.start < range.end {
                places.push((moved.document.clone(), moved.place(&range)));
            }
        }
        Some(places)
    }

    /// Makes sources of pieces of documents in the archive.
    pub(super) fn sources(&self, pieces: Vec<(DocName, Range<u64>)>) -> Vec<LogSource> {
        let mut all: BTreeMap<DocName, Vec<Range<u64>>> = BTreeMap::new();
        for (name, range) in pieces {
            all.entry(name).or_default().push(range);
        }
        let mut sources = Vec::new();
        for (name, ranges) in all {
            let Some(journal) = self.journals.get(&name) else { continue };
            for range in joined(ranges) {
                let Some(bytes) = part(&journal.bytes, &range) else { continue };
                let (name, sha256) = (name.to_string(), Digest::of(bytes));
                sources.push(LogSource { name, from: range.start, to: range.end, sha256 });
            }
        }
        sources
    }

    /// Returns the names of the merged journals, those in the archive too.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        self.journals.keys().map(|name| name.as_str()).collect()
    }
}

/// Returns the document of a copy in which a piece is that was shown. One in which words were overwritten since has others, as many bytes.
fn document_of(life: &Copied, source: &LogSource) -> Option<DocName> {
    let all = archive::candidates(life, &DocName::parse(&source.name).ok()?);
    let text = |document: &DocName| life.document(document).unwrap_or_default();
    if let Some(found) = all.iter().find(|document| source.fits(text(document))) {
        return Some(found.clone());
    }
    let may_be = |document: &&DocName| {
        part(text(document), &(source.from..source.to))
            .is_some_and(|piece| piece.ends_with(b"\n") && is_struck(&String::from_utf8_lossy(piece)))
    };
    let mut struck = all.iter().filter(may_be);
    struck.next().filter(|_| struck.next().is_none()).cloned()
}

impl Move {
    /// Returns where bytes of the run are.
    fn place(&self, range: &Range<u64>) -> Range<u64> {
        let start = (self.to.start + range.start - self.from.start).min(self.to.end);
        let end = (self.to.start + range.end - self.from.start).min(self.to.end);
        start..if range.end == self.from.end { self.to.end } else { end }
    }
}

/// Returns bytes of a document.
pub(super) fn part<'b>(bytes: &'b [u8], range: &Range<u64>) -> Option<&'b [u8]> {
    bytes.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

impl LogSource {
    /// Returns whether the piece is where it was.
    pub(super) fn fits(&self, bytes: &[u8]) -> bool {
        part(bytes, &(self.from..self.to)).is_some_and(|bytes| Digest::of(bytes) == self.sha256)
    }
}
