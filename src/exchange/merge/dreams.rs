//! The nights of two machines: their logs, and which bytes of the merged journals were shown.
//!
//! Each byte that both were shown belongs to one dream, the earlier, so that either can be taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Number;

use super::archive;
use super::curated::{Copy, Merged};
use super::life::{Copied, How};
use super::night::Night;
use super::places::{Places, part};
use super::weave::{Strand, strands, weave};
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::dreamer::Outcome;
use crate::format::DreamId;
use crate::format::documents::cited::Cited;
use crate::format::documents::sections;
use crate::format::state::dreamed::watermark_ns;
use crate::format::state::ledger::{Entry, Ledger, Piece};
use crate::format::state::log::{self, LogLine, LogSource};
use crate::format::{DreamedState, state::iso_millis};

/// The words that say where a section is. A later one replaces an earlier one.
const WORDS: [&str; 5] = [log::APPENDED, log::RESTORED, log::REDONE, log::ARCHIVED, log::UNDONE];

/// The outcomes of a pass after which its pieces count as shown.
const READINGS: [Outcome; 6] = [
    Outcome::Appended,
    Outcome::Proposed,
    Outcome::NothingToPromote,
    Outcome::AllHeld,
    Outcome::AlreadyPromoted,
    Outcome::AlreadyProposed,
];

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

    /// Returns whether a section of a dream that a person took back is in a text as it was printed.
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

    /// Returns the dreams whose section should be in the memory of a machine. If one is missing there, a person took it
    /// out.
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
    pub(super) fn pass(&self, side: usize, id: &DreamId) -> Option<&LogLine> {
        self.passes[side].iter().rev().find(|line| line.id == *id && line.outcome == log::APPENDED)
    }

    /// Returns the pieces of dreams that were taken back on a machine, as it knows them. Where the other machine knows that too, it has read
    /// them again since, or they wait there as well.
    pub(super) fn given_back(&self, side: usize) -> impl Iterator<Item = &LogSource> {
        let passes = &self.passes[side];
        let is_news = move |word: &LogLine| {
            word.outcome == log::UNDONE && !self.passes[1 - side].iter().any(|line| key(line) == key(word))
        };
        let is_undone = move |pass: &&LogLine| {
            pass.outcome == log::APPENDED && last(passes, &pass.id).is_some_and(is_news)
        };
        passes.iter().filter(is_undone).flat_map(|pass| &pass.sources)
    }

    /// Returns the pieces of dreams that exist, as a machine knows them.
    pub(super) fn read(&self, side: usize) -> impl Iterator<Item = &LogSource> {
        let stands = |pass: &&LogLine| {
            pass.outcome == log::APPENDED
                && self.words.get(&pass.id).is_some_and(|word| word.outcome != log::UNDONE)
        };
        self.passes[side].iter().filter(stands).flat_map(|pass| &pass.sources)
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
        proposed: &BTreeMap<DreamId, Vec<LogSource>>,
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
            let [one, other] = found;
            let first = match (one, other) {
                (Some(one), Some(other)) if one.1 != other.1 => {
                    // The one whose pieces are where they are in the merged life.
                    let lost = |line: &Option<LogLine>| {
                        line.iter().flat_map(|line| &line.sources).filter(|piece| !places.has(piece)).count()
                    };
                    [one, other].into_iter().min_by_key(|(line, printed)| (lost(line), printed))
                }
                (one, other) => one.or(other),
            };
            all.extend(first.cloned());
        }
        for (id, sources) in proposed {
            let of_it = |line: &LogLine| line.id == *id && line.outcome == Outcome::Proposed.as_str();
            let made = all.iter_mut().rev().find(|(line, _)| line.as_ref().is_some_and(of_it));
            if let Some((Some(line), text)) = made
                && line.sources != *sources
            {
                line.sources.clone_from(sources);
                line.print().trim_end().clone_into(text);
            }
        }
        for (id, word) in &self.words {
            let of_it = |(line, _): &(Option<LogLine>, String)| {
                line.as_ref().is_some_and(|line| line.id == *id && line.by.is_none() && rank(line).is_some())
            };
            let Some(at) = all.iter().rposition(of_it) else { continue };
            let is_it = |(line, _): &(Option<LogLine>, String)| {
                line.as_ref().is_some_and(|line| key(line) == key(word))
            };
            // A clock that was slow: what was done last is told last, before what its machine did then.
            if let Some(told) = all.iter().position(is_it).filter(|told| *told < at) {
                let behind = all.split_off(told);
                let (mut word, mut others) = (Vec::new(), Vec::new());
                for (number, line) in behind.into_iter().enumerate() {
                    match number {
                        0 => word.push(line),
                        _ if of_it(&line) => all.push(line),
                        _ => others.push(line),
                    }
                }
                all.extend(word.into_iter().chain(others));
            }
            let appended = all.iter_mut().rev().find(|(line, _)| {
                line.as_ref()
                    .is_some_and(|line| line.id == *id && line.by.is_none() && line.outcome == log::APPENDED)
            });
            if let Some((Some(line), text)) = appended {
                let before = line.clone();
                line.sources = self.sources(id, shown, places);
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
                let both = [0, 1].map(|side: usize| self.pass(side, id).map_or(&[][..], |pass| &pass.lines));
                let of_night = memory.nights.get(id).into_iter().flat_map(Night::hashes);
                line.lines = lines(both, of_night.collect());
                if *line != before {
                    line.print().trim_end().clone_into(text);
                }
            }
        }
        all.into_iter().flat_map(|(_, text)| [text.into_bytes(), b"\n".to_vec()]).flatten().collect()
    }

    /// Returns the pieces that a dream was shown, as they are in the merged life.
    pub(super) fn sources(&self, id: &DreamId, shown: &Shown, places: &Places) -> Vec<LogSource> {
        let lists = [0, 1].map(|side: usize| self.pass(side, id).map_or(&[][..], |pass| &pass.sources));
        shown.sources(id, lists, self.words.get(id).is_some_and(|word| word.outcome == log::UNDONE), places)
    }

    /// Returns the records of both logs on the merged journals, each in its order. `nights` are the dreams and proposals in
    /// theirs.
    fn readings(
        &self,
        nights: &[(&String, &DreamId)],
        emptied: &BTreeSet<DreamId>,
        memory: &Merged,
        places: &Places,
    ) -> BTreeMap<DocName, Vec<Mark>> {
        let ranks: BTreeMap<&DreamId, usize> =
            nights.iter().zip(0..).map(|((_, id), rank)| (*id, rank)).collect();
        let undone = self.undone();
        let mut marks: BTreeMap<DocName, Vec<Mark>> = BTreeMap::new();
        for (side, passes) in self.passes.iter().enumerate() {
            // Journals that a dream has read which was taken back, and that nobody has as it read them.
            let mut lost: BTreeSet<&str> = BTreeSet::new();
            for line in passes {
                let is_reading = READINGS.iter().any(|word| line.outcome == word.as_str());
                let is_appended = line.outcome == log::APPENDED;
                let by = match ranks.get(&line.id) {
                    Some(_) if line.outcome == log::UNDONE && undone.contains(&line.id) => By::GivenBack,
                    // After it was brought back, whoever read the bytes before did not read what it says.
                    Some(_) if line.outcome == log::REDONE && undone.contains(&line.id) => By::TakenBack,
                    _ if !is_reading || emptied.contains(&line.id) => continue,
                    Some(_) if is_appended && undone.contains(&line.id) => By::TakenBack,
                    Some(rank) if !undone.contains(&line.id) => {
                        // A night that was taken back here is of the machine that brought it back, or dreamed it again.
                        let is_over = last(passes, &line.id).is_some_and(|it| it.outcome == log::UNDONE);
                        let is_last = self.pass(side, &line.id).is_none_or(|pass| pass == line);
                        if is_appended && (is_over || !is_last) {
                            continue;
                        }
                        By::Dream(*rank)
                    }
                    _ => By::Nobody,
                };
                // A rewrite of the journal may have carried this dream's record of reading, but not that of its undoing.
                let read = self.pass(side, &line.id).filter(|_| !is_reading);
                for source in line.sources.iter().chain(read.iter().flat_map(|pass| &pass.sources)) {
                    if !places.has(source) {
                        match by {
                            By::TakenBack => drop(lost.insert(&source.name)),
                            By::GivenBack => drop(lost.remove(source.name.as_str())),
                            By::Dream(_) | By::Nobody => {}
                        }
                        continue;
                    }
                    // Whoever read it while the other dream counted left out what that one says.
                    let is_held = by == By::Nobody && lost.contains(source.name.as_str());
                    let by = if is_held { By::TakenBack } else { by };
                    let Ok(name) = DocName::parse(source.name.as_str()) else { continue };
                    marks.entry(name).or_default().push((source.from..source.to, Told::Read(side, by)));
                }
            }
        }
        let text = |name: &DocName| std::str::from_utf8(&places.journals.get(name)?.bytes).ok();
        let printed = memory.nights.iter().map(|(id, night)| (id, night.places().collect()));
        let edited = memory.edited.iter().map(|(id, night)| (id, night.told(&text)));
        for (id, cited) in printed.chain(edited) {
            // A person made text of a section whose dream was taken back elsewhere: whoever read its lines again has them.
            let Some(rank) = ranks.get(id).filter(|_| !undone.contains(id)) else { continue };
            let cited: Vec<Cited> = cited;
            for (name, first, last) in cited {
                if let Some(range) = places.journals.get(&name).and_then(|journal| journal.range(first, last))
                {
                    marks.entry(name).or_default().push((range, Told::Said(*rank)));
                }
            }
        }
        marks
    }

    /// Returns the dreams whose sections were appended, and when each was.
    fn nights(&self) -> impl Iterator<Item = (&String, &DreamId)> {
        self.order.iter().map(|(id, at)| (at, id))
    }
}

/// The nights of both machines, and what they know of them.
pub(super) struct Nights<'n> {
    pub(super) dreams: &'n Dreams,
    /// The proposals that wait, each with its time.
    pub(super) waiting: &'n BTreeMap<DreamId, String>,
    /// The dreams that have nothing of their own left.
    pub(super) emptied: &'n BTreeSet<DreamId>,
}

/// The bytes of the merged journals that a model was shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    ledger: Ledger,
    names: BTreeSet<String>,
    /// The pieces of each dream.
    owned: BTreeMap<DreamId, Vec<LogSource>>,
}

/// A run of bytes in a merged journal, and a record on it.
type Mark = (Range<u64>, Told);

/// The word of a ledger or a log on a run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// The ledger of a machine has it as shown.
    Shown(usize),
    /// The log of a machine has a reading of it.
    Read(usize, By),
    /// A section of the merged memory cites it. The dream is named by its place in the order of nights.
    Said(usize),
}

/// The reader of a run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// A dream that exists or a proposal that waits, by its place in the order of nights.
    Dream(usize),
    /// A dream that a person took back.
    TakenBack,
    /// That person: from here on this log knows it.
    GivenBack,
    /// A pass without anything left to be taken back.
    Nobody,
}

impl Shown {
    /// Finds out which bytes were shown, and to whom, by the ledgers and logs of both lives.
    pub(super) fn of(
        lives: [&Copied; 2],
        nights: &Nights<'_>,
        memory: &Merged,
        places: &Places,
        how: How,
    ) -> Result<Self> {
        let Nights { dreams, waiting, emptied } = nights;
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
        let mut nights: Vec<(&String, &DreamId)> = dreams.nights().collect();
        let mut proposals: Vec<(&String, &DreamId)> = waiting.iter().map(|(id, at)| (at, id)).collect();
        nights.sort_unstable();
        proposals.sort_unstable();
        // What a proposal says is not said yet.
        nights.extend(proposals);
        let mut marks = dreams.readings(&nights, emptied, memory, places);
        let mut entries = BTreeMap::new();
        for (name, journal) in places.journals.iter().filter(|(name, _)| !archive::is_archived(name)) {
            let mut told = marks.remove(name).unwrap_or_default();
            let mut entry = Entry::default();
            let mut is_known = false;
            for side in [0, 1] {
                let mut is_shown = |range: Range<u64>| told.push((range, Told::Shown(side)));
                let own = lives[side].document(name).unwrap_or_default();
                let Some(known) = ledgers[side].get(name) else {
                    // A peer that knows the watermark alone has dreamed it.
                    let modified = lives[side].modified.get(name).copied();
                    if peers[side] >= modified && modified.is_some() {
                        is_known = true;
                        journal.places(side, &(0..own.len() as u64)).into_iter().for_each(&mut is_shown);
                    }
                    continue;
                };
                is_known = true;
                entry.tries = entry.tries.max(known.tries);
                entry.again = entry.again.max(known.again);
                entry.modified = entry.modified.max(known.modified);
                for piece in known.pieces() {
                    let range = piece.from..piece.to;
                    let Some(sha256) = piece.sha256 else {
                        if part(own, &range).is_some() {
                            journal.places(side, &range).into_iter().for_each(&mut is_shown);
                        }
                        continue;
                    };
                    let piece = LogSource { name: name.to_string(), from: piece.from, to: piece.to, sha256 };
                    let there = places.shown(lives, side, &piece).unwrap_or_default();
                    there
                        .into_iter()
                        .filter(|(there, _)| there == name)
                        .for_each(|(_, range)| is_shown(range));
                }
            }
            if !is_known {
                continue;
            }
            entry.size = journal.bytes.len() as u64;
            for Run { range, owners, is_shown } in runs(&told, how) {
                let bytes = part(&journal.bytes, &range).expect("a place is inside of the journal");
                let sha256 = Digest::of(bytes);
                for rank in owners {
                    let (name, from, to) = (name.to_string(), range.start, range.end);
                    let source = LogSource { name, from, to, sha256 };
                    shown.owned.entry(nights[rank].1.clone()).or_default().push(source);
                }
                if is_shown {
                    entry.show(Piece::of(range.start, bytes, sha256));
                }
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
            let known = known.filter(|entry| entry.glance().pending == 0);
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

    /// Returns the pieces of a dream or proposal by both machines' records: its own, lost ones, and those in
    /// unrecorded journals. So it is not taken back without giving all of them back.
    pub(super) fn sources(
        &self,
        id: &DreamId,
        lists: [&[LogSource]; 2],
        is_undone: bool,
        places: &Places,
    ) -> Vec<LogSource> {
        let mut all: BTreeSet<LogSource> = self.owned.get(id).into_iter().flatten().cloned().collect();
        let mut beside = Vec::new();
        for (list, other) in [(lists[0], lists[1]), (lists[1], lists[0])] {
            for source in list {
                let mut same = other.iter().filter(|there| there.name == source.name).peekable();
                if places.has(source) {
                    let name = DocName::parse(source.name.as_str()).ok();
                    let is_beside = is_undone || !self.names.contains(&source.name);
                    beside.extend(name.filter(|_| is_beside).map(|name| (name, source.from..source.to)));
                } else if (same.peek().is_none() || !same.all(|there| places.has(there)))
                    && !other.iter().any(|there| there.sha256 == source.sha256 && places.has(there))
                {
                    all.insert(source.clone());
                }
            }
        }
        all.extend(places.sources(beside));
        all.into_iter().collect()
    }
}

/// A run of bytes of a merged journal: who has read it, and whether it counts as shown.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    range: Range<u64>,
    owners: BTreeSet<usize>,
    is_shown: bool,
}

/// Returns the hashes of statements by what both machines know of a dream, and by its section. A statement that was overwritten
/// on one machine counts as overwritten on both.
fn lines(both: [&[String]; 2], of_night: BTreeSet<String>) -> Vec<String> {
    let is_struck = |hash: &str| hash.bytes().all(|byte| byte == b'0');
    let is_first = (both[0].len(), both[0]) >= (both[1].len(), both[1]);
    let (longer, other) = if is_first { (both[0], both[1]) } else { (both[1], both[0]) };
    let mut all: Vec<String> = Vec::new();
    for (at, hash) in longer.iter().enumerate() {
        match other.get(at).filter(|other| is_struck(other)) {
            Some(struck) => all.push(struck.clone()),
            None => all.push(hash.clone()),
        }
    }
    let more = other.iter().zip(longer).filter(|(_, there)| !is_struck(there)).map(|(hash, _)| hash.clone());
    let mut more: BTreeSet<String> = more.chain(of_night).collect();
    more.retain(|hash| !all.contains(hash));
    all.extend(more);
    all
}

/// The last record in one log on bytes that an undone dream has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    /// The log knows nothing of that.
    Held,
    GivenBack,
    ReadAgain,
}

/// Cuts the marks of a journal into runs that do not overlap. Two dreams on two machines may have read the same bytes. These
/// belong to the dream whose section uses them, or to the earlier dream. Two dreams on one machine both keep them. Bytes that
/// only an undone dream has read wait, unless its machine read them again.
fn runs(told: &[Mark], how: How) -> Vec<Run> {
    let bounds: BTreeSet<u64> = told.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
    let bounds: Vec<u64> = bounds.into_iter().collect();
    let mut runs: Vec<Run> = Vec::new();
    for pair in bounds.windows(2) {
        let covers = |(range, _): &&Mark| range.start <= pair[0] && pair[1] <= range.end;
        let told: Vec<Told> = told.iter().filter(covers).map(|(_, told)| *told).collect();
        let is_shown_to = |side: usize| told.contains(&Told::Shown(side));
        let sides = [0, 1].map(|side: usize| {
            let (mut owners, mut last) = (BTreeSet::new(), Last::Nothing);
            for told in &told {
                let Told::Read(at, by) = told else { continue };
                last = match (by, last) {
                    _ if *at != side => last,
                    (By::TakenBack, _) => Last::Held,
                    (By::GivenBack, _) => Last::GivenBack,
                    // Another machine read it for nothing, where its own ledger does not have it.
                    (By::Nobody, Last::GivenBack) if is_shown_to(side) => Last::ReadAgain,
                    // Whoever read it while the other dream counted left out what that one says.
                    (By::Nobody, _) | (By::Dream(_), Last::Held) => last,
                    (By::Dream(rank), _) => {
                        owners.insert(*rank);
                        last
                    }
                };
            }
            (owners, last)
        });
        let is = |word: Last| sides.iter().any(|(_, last)| *last == word);
        let is_given_back = (is(Last::Held) || is(Last::GivenBack)) && !is(Last::ReadAgain);
        let is_read = sides.iter().any(|(owners, _)| !owners.is_empty());
        let sides = sides.map(|(mut owners, _)| {
            // A tool had brought memory before the log, so that this night left out what the other dream said.
            if how == How::Mixed && is_given_back {
                owners.retain(|rank| told.contains(&Told::Said(*rank)));
            }
            owners
        });
        let all: BTreeSet<usize> = sides.iter().flatten().copied().collect();
        let saying: BTreeSet<usize> = told
            .iter()
            .filter_map(|told| if let Told::Said(rank) = told { Some(*rank) } else { None })
            .collect();
        // A section that a tool brought late says what its log gave to another dream meanwhile.
        let first = all.intersection(&saying).chain(&saying).chain(&all).next().filter(|_| is_read).copied();
        let is_shown = (is_shown_to(0) || is_shown_to(1)) && (first.is_some() || !is_given_back);
        let with_first =
            sides.into_iter().filter(|owners| first.is_some_and(|first| owners.contains(&first)));
        let owners: BTreeSet<usize> = with_first.flatten().chain(first).collect();
        if owners.is_empty() && !is_shown {
            continue;
        }
        match runs.last_mut() {
            Some(last) if last.range.end == pair[0] && last.owners == owners && last.is_shown == is_shown => {
                last.range.end = pair[1];
            }
            _ => runs.push(Run { range: pair[0]..pair[1], owners, is_shown }),
        }
    }
    runs
}

/// Returns the watermark of a peer, where the present one is not ours. Ours says nothing about journals without an
/// entry: the clock of the machine that wrote them may be days behind.
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
    fn runs_overlap_nowhere_and_belong_to_a_dream_that_stands() {
        let read = |side, by| Told::Read(side, by);
        let run = |range, owners: &[usize], is_shown| Run {
            range,
            owners: owners.iter().copied().collect(),
            is_shown,
        };
        let told = [
            (0..300, Told::Shown(1)),
            (0..100, read(0, By::Dream(1))),
            (0..60, read(1, By::Dream(0))),
            (200..260, read(1, By::TakenBack)),
            (200..260, read(1, By::GivenBack)),
            (240..260, read(1, By::Nobody)),
            (400..410, read(0, By::Dream(2))),
        ];
        assert_eq!(
            runs(&told, How::Whole),
            [
                run(0..60, &[0], true),
                run(60..100, &[1], true),
                run(100..200, &[], true),
                run(240..300, &[], true),
                run(400..410, &[2], false),
            ]
        );
        let told = [
            (0..50, Told::Shown(0)),
            (0..50, read(0, By::TakenBack)),
            (0..40, read(1, By::Dream(3))),
            (40..50, read(1, By::Nobody)),
        ];
        assert_eq!(
            runs(&told, How::Whole),
            [run(0..40, &[3], true)],
            "who reads for nothing elsewhere gives nothing up"
        );
        let told = [
            (0..50, Told::Shown(0)),
            (0..50, read(0, By::Dream(1))),
            (0..50, read(1, By::Dream(0))),
            (20..30, Told::Said(1)),
        ];
        assert_eq!(
            runs(&told, How::Whole),
            [run(0..20, &[0], true), run(20..30, &[1], true), run(30..50, &[0], true)]
        );
        let told = [(0..50, Told::Shown(0)), (0..50, read(0, By::TakenBack)), (0..50, read(0, By::Dream(1)))];
        assert_eq!(runs(&told, How::Whole), [], "it left out what the other said");
        let told = [(0..50, Told::Shown(0)), (0..50, read(0, By::Dream(1))), (0..50, read(0, By::Dream(2)))];
        assert_eq!(runs(&told, How::Whole), [run(0..50, &[1, 2], true)]);
    }
}
