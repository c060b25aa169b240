//! The places of a copy in the merged life: of cited lines, and of bytes that were shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::archive;
use super::family::{Move, Moves};
use super::journal::{WovenJournal, joined, start_of};
use super::life::Copied;
use crate::base::digest::Digest;
use crate::base::name::DocName;
use crate::format::DreamId;
use crate::format::documents::cited::Cited;
use crate::format::state::carry::Carry;
use crate::format::state::ledger::Piece;
use crate::format::state::log::LogSource;

/// The merged journals, and where the bytes of both copies are in them.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Journals, those in the archive too.
    pub(super) journals: BTreeMap<DocName, WovenJournal>,
    /// For each copy: where the entries of documents are that were in part in an archive.
    moves: [Moves; 2],
}

impl Places {
    /// Adds the moves of a family.
    pub(super) fn moved(&mut self, moves: [Moves; 2]) {
        for (all, moves) in self.moves.iter_mut().zip(moves) {
            all.extend(moves);
        }
    }

    /// Returns the document of a copy that a dream cites under a name, by the text that the dream was shown. `None` if that text
    /// is not there.
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

    /// Returns where a piece that a machine was shown is now: by the copy that has it as it was shown. That is the
    /// machine's own, the other's, or the merged journal. `None` where none has it so.
    pub(super) fn shown(
        &self,
        lives: [&Copied; 2],
        side: usize,
        piece: &LogSource,
    ) -> Option<Vec<(DocName, Range<u64>)>> {
        let found = |side: usize| document_of(lives[side], piece).map(|document| (side, document));
        let Some((side, document)) = found(side).or_else(|| found(1 - side)) else {
            let name = DocName::parse(&piece.name).ok().filter(|_| self.has(piece))?;
            return Some(vec![(name, piece.from..piece.to)]);
        };
        let range = piece.from..piece.to;
        let Some(moves) = self.moves[side].get(&document) else {
            let journal = self.journals.get(&document)?;
            return Some(
                journal.places(side, &range).into_iter().map(|range| (document.clone(), range)).collect(),
            );
        };
        let mut places = Vec::new();
        for moved in moves {
            let range = piece.from.max(moved.from.start)..piece.to.min(moved.from.end);
            if range.start < range.end {
                places.push((moved.document.clone(), moved.place(&range)));
            }
        }
        Some(places)
    }

    /// Returns whether a document is the same in both copies and in the merged life.
    fn is_unchanged(&self, lives: [&Copied; 2], name: &str) -> bool {
        let Ok(name) = DocName::parse(name) else { return true };
        let [one, other] = lives.map(|life| life.document(&name));
        one.is_some() && one == other && self.moves.iter().all(|moves| !moves.contains_key(&name))
    }

    /// Returns whether a piece is where it says in the merged life.
    pub(super) fn has(&self, piece: &LogSource) -> bool {
        self.journal(&piece.name).is_some_and(|journal| piece.fits(&journal.bytes))
    }

    /// Returns a merged journal by its name.
    fn journal(&self, name: &str) -> Option<&WovenJournal> {
        self.journals.get(&DocName::parse(name).ok()?)
    }

    /// Makes sources of pieces of merged journals, joined where they touch.
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

    /// Returns sources as the pieces of journals that a ledger has. `None` where one is not in its place, which is
    /// outside of the archive.
    pub(super) fn pieces(&self, sources: &[LogSource]) -> Option<BTreeMap<DocName, Vec<Piece>>> {
        let mut pieces: BTreeMap<DocName, Vec<Piece>> = BTreeMap::new();
        for source in sources {
            let name =
                DocName::parse(source.name.as_str()).ok().filter(|name| !archive::is_archived(name))?;
            let journal = self.journals.get(&name).filter(|journal| source.fits(&journal.bytes))?;
            let bytes = part(&journal.bytes, &(source.from..source.to))?;
            let piece = Piece::of(source.from, bytes, Digest::of(bytes));
            pieces.entry(name).or_default().push(piece);
        }
        (!pieces.is_empty()).then_some(pieces)
    }

    /// Returns the names of the merged journals, those in the archive too.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        self.journals.keys().map(|name| name.as_str()).collect()
    }
}

/// The places of the pieces that one machine was shown.
pub(super) struct Moved<'m> {
    pub(super) places: &'m Places,
    pub(super) lives: [&'m Copied; 2],
    pub(super) side: usize,
}

impl Carry for Moved<'_> {
    fn piece(&self, piece: &LogSource) -> Option<Vec<LogSource>> {
        // One that is not there any more may be in the archive of the other copy.
        if self.places.is_unchanged(self.lives, &piece.name) && self.places.has(piece) {
            return None;
        }
        let now = self.places.sources(self.places.shown(self.lives, self.side, piece)?);
        (now != std::slice::from_ref(piece)).then_some(now)
    }

    fn section(&self, _: &DreamId, _: Digest) -> Option<Digest> {
        None
    }

    fn journals(&self) -> Vec<&DocName> {
        Vec::new()
    }
}

/// Returns the document of a copy in which a piece is as it was shown.
pub(super) fn document_of(life: &Copied, source: &LogSource) -> Option<DocName> {
    let all = archive::candidates(life, &DocName::parse(&source.name).ok()?);
    all.into_iter().find(|document| source.fits(life.document(document).unwrap_or_default()))
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
