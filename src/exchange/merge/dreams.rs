//! The nights of two machines: their logs, and which bytes of the merged journals were shown.
//!
//! Each byte that both were shown belongs to one dream, the earlier, so that either can be taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Number;

use super::archive;
use super::curated::{Copy, Merged};
use super::life::Copied;
use super::places::{Places, part};
use super::weave::{Strand, strands, weave};
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::format::DreamId;
use crate::format::documents::sections;
use crate::format::state::dreamed::watermark_ns;
use crate::format::state::ledger::{Entry, Ledger, Piece};
use crate::format::state::log::{self, LogLine, LogSource};
use crate::format::{DreamedState, state::iso_millis};

/// The words that say where a section is, from the one that gives way first.
const WORDS: [&str; 5] = [log::APPENDED, log::RESTORED, log::REDONE, log::ARCHIVED, log::UNDONE];

/// The most other hashes of a section that are kept.
const MOST_HASHES: usize = 16;

/// The dreams of both machines.
#[derive(Debug)]
pub(super) struct Dreams {
    pub(super) passes: [Vec<LogLine>; 2],
    /// The last word on each dream.
    words: BTreeMap<DreamId, LogLine>,
    /// When each dream was.
    pub(super) order: BTreeMap<DreamId, String>,
}

/// Returns what a log line is known by on another machine.
fn key(line: &LogLine) -> String {
    let at = line.at.map(iso_millis::print).unwrap_or_default();
    format!("{at} {} {} {} {:?}", line.id, line.outcome, line.epoch, line.by)
}

fn last<'l>(passes: &'l [LogLine], id: &DreamId) -> Option<&'l LogLine> {
    passes.iter().rev().find(|line| line.id == *id && rank(line).is_some())
}

fn rank(line: &LogLine) -> Option<usize> {
    WORDS.iter().position(|word| *word == line.outcome)
}

impl Dreams {
    pub(super) fn of(lives: [&Copied; 2]) -> Self {
        let passes = lives.map(Copied::passes);
        let ids: BTreeSet<&DreamId> =
            passes.iter().flatten().filter(|line| rank(line).is_some()).map(|line| &line.id).collect();
        let (mut words, mut order) = (BTreeMap::new(), BTreeMap::new());
        for id in ids {
            let known = [0, 1].map(|side: usize| last(&passes[side], id));
            let has = |side: usize, line: &LogLine| passes[side].iter().any(|known| key(known) == key(line));
            let word = match known {
                // Who knows the last word of the other has gone on from it.
                [Some(one), Some(other)] if has(1, one) && !has(0, other) => other,
                [Some(one), Some(other)] if has(0, other) && !has(1, one) => one,
                [Some(one), Some(other)] => [one, other]
                    .into_iter()
                    .max_by_key(|line| (rank(line), key(line)))
                    .expect("there are two"),
                [one, other] => one.or(other).expect("one of them has it"),
            };
            words.insert(id.clone(), word.clone());
            let first =
                passes.iter().flatten().filter(|line| line.id == *id && line.outcome == log::APPENDED);
            let first = first.map(|line| line.at.map(iso_millis::print).unwrap_or_default()).min();
            order.insert(id.clone(), first.unwrap_or_default());
        }
        Self { passes, words, order }
    }

    fn are(&self, word: &str) -> BTreeSet<DreamId> {
        self.words.iter().filter(|(_, line)| line.outcome == word).map(|(id, _)| id.clone()).collect()
    }

    /// Returns the dreams that a person took back.
    pub(super) fn undone(&self) -> BTreeSet<DreamId> {
        self.are(log::UNDONE)
    }

    /// Returns whether a section of a dream that a person took back stands in a text as it was printed.
    pub(super) fn is_back(log: &str, memory: &[u8]) -> bool {
        let passes: Vec<LogLine> = log::of_curators(log).collect();
        sections::whole(memory).iter().any(|section| {
            let id = &section.dream;
            let appended = passes.iter().filter(|line| line.id == *id && line.outcome == log::APPENDED);
            let mut hashes = appended
                .flat_map(|line| line.section_sha256.into_iter().chain(line.also_sha256.iter().copied()));
            last(&passes, id).is_some_and(|line| line.outcome == log::UNDONE)
                && hashes.any(|hash| Copy::has(memory, id, hash))
        })
    }

    /// Returns the dreams whose section should be in the memory of a machine, so that a person took out one that is not.
    pub(super) fn standing(&self, side: usize) -> BTreeSet<DreamId> {
        let ids: BTreeSet<&DreamId> = self.passes[side].iter().map(|line| &line.id).collect();
        let stands = |id: &&DreamId| {
            last(&self.passes[side], id)
                .is_some_and(|line| ![log::UNDONE, log::ARCHIVED].contains(&line.outcome.as_str()))
        };
        ids.into_iter().filter(stands).cloned().collect()
    }

    /// Returns the hash of a section as it was printed last on a machine.
    pub(super) fn printed(&self, side: usize, id: &DreamId) -> Option<Digest> {
        let appended = |line: &&LogLine| line.id == *id && line.outcome == log::APPENDED;
        self.passes[side].iter().rev().filter(appended).find_map(|line| line.section_sha256)
    }

    /// Returns the hashes that the section of each dream may have, in the order in which they are likely on a machine.
    pub(super) fn hashes(&self, side: usize) -> BTreeMap<DreamId, Vec<Digest>> {
        let mut all: BTreeMap<DreamId, Vec<Digest>> = BTreeMap::new();
        for side in [side, 1 - side] {
            // Also those of a night that was taken back and dreamed again: an older copy may have it as it was.
            let appended = self.passes[side].iter().rev().filter(|line| line.outcome == log::APPENDED);
            for pass in appended {
                let known = all.entry(pass.id.clone()).or_default();
                known.extend(pass.section_sha256.into_iter().chain(pass.also_sha256.iter().copied()));
            }
        }
        all
    }

    /// Returns the line of the pass that appended the section of a dream last on a machine.
    fn pass(&self, side: usize, id: &DreamId) -> Option<&LogLine> {
        self.passes[side].iter().rev().find(|line| line.id == *id && line.outcome == log::APPENDED)
    }

    /// Returns the pieces that a dream was shown, as a machine knows them.
    pub(super) fn sources_of(&self, side: usize, id: &DreamId) -> &[LogSource] {
        self.pass(side, id).or_else(|| self.pass(1 - side, id)).map_or(&[], |pass| &pass.sources)
    }

    /// Merges the logs; each dream has the sources and the section that it has after the merge.
    pub(super) fn log(
        &self,
        lives: [&Copied; 2],
        shown: &Shown,
        memory: &Merged,
        places: &Places,
    ) -> Vec<u8> {
        let texts = lives.map(Copied::log);
        let known = [0, 1].map(|side: usize| -> Vec<(Option<LogLine>, String)> {
            let of_side = texts[side].lines().filter(|line| !line.trim().is_empty());
            of_side.map(|line| (serde_json::from_str(line).ok(), line.to_owned())).collect()
        });
        let threads = [0, 1].map(|side: usize| -> Vec<Strand<String, (String, usize)>> {
            strands(known[side].iter().map(|(line, text)| match line {
                Some(line) => (line.at.map(iso_millis::print), key(line)),
                None => (None, text.clone()),
            }))
        });
        let mut all: Vec<(Option<LogLine>, String)> = Vec::new();
        for (one, other) in weave(&threads[0], &threads[1]) {
            let found = [one.map(|at| &known[0][at]), other.map(|at| &known[1][at])];
            all.extend(found.into_iter().flatten().min_by_key(|(_, printed)| printed).cloned());
        }
        for (id, word) in &self.words {
            let of_it = |(line, _): &(Option<LogLine>, String)| {
                line.as_ref().is_some_and(|line| line.id == *id && line.by.is_none() && rank(line).is_some())
            };
            let Some(at) = all.iter().rposition(of_it) else { continue };
            let is_it = |(line, _): &(Option<LogLine>, String)| {
                line.as_ref().is_some_and(|line| key(line) == key(word))
            };
            // A clock that was slow: what was done last is told last.
            if let Some(told) = all.iter().position(is_it).filter(|told| *told < at) {
                let line = all.remove(told);
                all.insert(at, line);
            }
            let appended = all.iter_mut().rev().find(|(line, _)| {
                line.as_ref()
                    .is_some_and(|line| line.id == *id && line.by.is_none() && line.outcome == log::APPENDED)
            });
            if let Some((Some(line), text)) = appended {
                let before = line.clone();
                line.sources = self.sources(id, shown, lives, places);
                let both = [0, 1].into_iter().filter_map(|side| self.pass(side, id));
                let mut hashes: BTreeSet<Digest> = both
                    .flat_map(|pass| pass.section_sha256.iter().chain(&pass.also_sha256).copied())
                    .collect();
                if let Some(printed) = memory.printed.get(id) {
                    line.section_sha256 = Some(Digest::of(printed.as_bytes()));
                }
                if let Some(printed) = &line.section_sha256 {
                    hashes.remove(printed);
                }
                line.also_sha256 = hashes.into_iter().take(MOST_HASHES).collect();
                if let Some(night) = memory.nights.get(id) {
                    let known: BTreeSet<String> = line.lines.iter().cloned().collect();
                    let more: BTreeSet<String> =
                        night.hashes().filter(|hash| !known.contains(hash)).collect();
                    line.lines.extend(more);
                }
                if *line != before {
                    line.print().trim_end().clone_into(text);
                }
            }
        }
        all.into_iter().flat_map(|(_, text)| [text.into_bytes(), b"\n".to_vec()]).flatten().collect()
    }

    /// Returns the pieces that a dream was shown, as they are in the merged life.
    fn sources(&self, id: &DreamId, shown: &Shown, lives: [&Copied; 2], places: &Places) -> Vec<LogSource> {
        let mut all: BTreeSet<LogSource> = BTreeSet::new();
        let mut archived = Vec::new();
        for (side, life) in lives.into_iter().enumerate() {
            for source in self.pass(side, id).into_iter().flat_map(|pass| &pass.sources) {
                match places.archived(side, life, source) {
                    Some(pieces) => archived.extend(pieces),
                    None if !shown.names.contains(source.name.as_str()) => drop(all.insert(source.clone())),
                    None => {}
                }
            }
        }
        all.extend(places.sources(archived));
        all.extend(shown.owned.get(id).into_iter().flatten().cloned());
        all.into_iter().collect()
    }
}

/// The bytes of the merged journals that a model was shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    ledger: Ledger,
    names: BTreeSet<String>,
    /// The pieces of each dream.
    owned: BTreeMap<DreamId, Vec<LogSource>>,
}

/// A run of bytes in a merged journal, and the dream that was shown it, by its place in the order of nights.
type Claim = (Range<u64>, Option<usize>);

impl Shown {
    pub(super) fn of(lives: [&Copied; 2], dreams: &Dreams, places: &Places) -> Result<Self> {
        let ledgers = [
            Ledger::parse(lives[0].state(&StateName::LEDGER))?,
            Ledger::parse(lives[1].state(&StateName::LEDGER))?,
        ];
        let states = [
            DreamedState::read(lives[0].state(&StateName::DREAMED)).state,
            DreamedState::read(lives[1].state(&StateName::DREAMED)).state,
        ];
        let peers = [0, 1].map(|side: usize| peer_mark(&states[side], &ledgers[side]));
        let mut shown = Self::default();
        shown.ledger.epoch = ledgers[0].epoch.max(ledgers[1].epoch);
        shown.ledger.watermark = later_mark([&states[0], &states[1]]);
        let mut nights: Vec<(&String, &DreamId)> = dreams.order.iter().map(|(id, at)| (at, id)).collect();
        nights.sort_unstable();
        let undone = dreams.undone();
        let owners = [0, 1].map(|side: usize| -> BTreeMap<(&str, u64, u64, Digest), usize> {
            let mut owners = BTreeMap::new();
            for (rank, (_, id)) in nights.iter().enumerate() {
                for source in dreams.pass(side, id).into_iter().flat_map(|pass| &pass.sources) {
                    owners
                        .entry((source.name.as_str(), source.from, source.to, source.sha256))
                        .or_insert(rank);
                }
            }
            owners
        });
        let mut entries = BTreeMap::new();
        for (name, journal) in places.journals.iter().filter(|(name, _)| !archive::is_archived(name)) {
            let mut claims: Vec<Claim> = Vec::new();
            let mut entry = Entry::default();
            let mut is_known = false;
            for side in [0, 1] {
                let Some(bytes) = lives[side].document(name) else { continue };
                let Some(known) = ledgers[side].get(name) else {
                    // A peer that knows the watermark alone has dreamed it.
                    let modified = lives[side].modified.get(name).copied();
                    if peers[side] >= modified && modified.is_some() {
                        is_known = true;
                        let all = journal.places(side, &(0..bytes.len() as u64));
                        claims.extend(all.into_iter().map(|range| (range, None)));
                    }
                    continue;
                };
                is_known = true;
                entry.tries = entry.tries.max(known.tries);
                entry.again = entry.again.max(known.again);
                entry.modified = entry.modified.max(known.modified);
                for piece in known.pieces() {
                    if !fits(piece, bytes) {
                        continue;
                    }
                    let owner = piece
                        .sha256
                        .and_then(|hash| owners[side].get(&(name.as_str(), piece.from, piece.to, hash)));
                    // What a person gave back on the other machine waits here too.
                    if owner.is_some_and(|rank| undone.contains(nights[*rank].1)) {
                        continue;
                    }
                    let places = journal.places(side, &(piece.from..piece.to));
                    claims.extend(places.into_iter().map(|range| (range, owner.copied())));
                }
            }
            if !is_known {
                continue;
            }
            entry.size = journal.bytes.len() as u64;
            for (range, owner) in pieces(&claims) {
                let bytes = part(&journal.bytes, &range).expect("a place is inside of the journal");
                let piece = Piece::of(range.start, bytes, Digest::of(bytes));
                if let Some(rank) = owner {
                    let source = LogSource {
                        name: name.to_string(),
                        from: range.start,
                        to: range.end,
                        sha256: Digest::of(bytes),
                    };
                    shown.owned.entry(nights[rank].1.clone()).or_default().push(source);
                }
                entry.show(piece);
            }
            shown.names.insert(name.to_string());
            entries.insert(name.clone(), entry);
        }
        // A journal that is not there today may come back.
        let here = places.names();
        let absent: BTreeSet<DocName> =
            ledgers.iter().flat_map(|ledger| ledger.read_whole(|name| !here.contains(name))).collect();
        for name in absent {
            let known = ledgers.iter().filter_map(|ledger| ledger.get(&name));
            if let Some(entry) = known.max_by_key(|entry| (entry.size, entry.modified, format!("{entry:?}")))
            {
                entries.insert(name, entry);
            }
        }
        shown.ledger.apply(&entries);
        Ok(shown)
    }

    pub(super) fn ledger(&self) -> Vec<u8> {
        self.ledger.print()
    }
}

/// Returns whether the shown bytes are still what they were.
fn fits(piece: &Piece, bytes: &[u8]) -> bool {
    let Some(bytes) = part(bytes, &(piece.from..piece.to)) else { return false };
    piece.sha256.is_none_or(|hash| Digest::of(bytes) == hash)
}

/// Cuts claims into pieces that do not overlap. Each belongs to the earliest night that claims it.
fn pieces(claims: &[Claim]) -> Vec<Claim> {
    let bounds: BTreeSet<u64> = claims.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
    let bounds: Vec<u64> = bounds.into_iter().collect();
    let mut pieces: Vec<Claim> = Vec::new();
    for pair in bounds.windows(2) {
        let covers = claims.iter().filter(|(range, _)| range.start <= pair[0] && pair[1] <= range.end);
        let owners: Vec<Option<usize>> = covers.map(|(_, owner)| *owner).collect();
        if owners.is_empty() {
            continue;
        }
        let owner = owners.into_iter().flatten().min();
        match pieces.last_mut() {
            Some((last, same)) if last.end == pair[0] && *same == owner => last.end = pair[1],
            _ => pieces.push((pair[0]..pair[1], owner)),
        }
    }
    pieces
}

/// Returns the watermark of a peer, where the one that stands is not ours. Ours says nothing about journals without an entry: the
/// clock of the machine that wrote them may be days behind.
fn peer_mark(state: &DreamedState, ledger: &Ledger) -> Option<i64> {
    let mark = state.watermark_ns().filter(|_| !state.is_own())?;
    let ours = ledger.watermark.as_ref().and_then(watermark_ns);
    (state.last_processed_mtime != ledger.watermark && ours.is_none_or(|ours| mark > ours)).then_some(mark)
}

/// Returns the higher of two watermarks.
pub(super) fn later_mark(states: [&DreamedState; 2]) -> Option<Number> {
    states
        .into_iter()
        .max_by_key(|state| state.watermark_ns())
        .and_then(|state| state.last_processed_mtime.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_overlap_nowhere_and_belong_to_the_earliest_night() {
        let claims = [(0..100, Some(1)), (0..60, Some(0)), (90..130, None), (200..210, None)];
        assert_eq!(
            pieces(&claims),
            [(0..60, Some(0)), (60..100, Some(1)), (100..130, None), (200..210, None)]
        );
    }
}
