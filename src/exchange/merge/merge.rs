//! The merge of two lives that came of one.

use std::collections::{BTreeMap, BTreeSet};

use super::archive::{self, Family};
use super::curated::{self, Copy, Draft, Merged};
use super::dreams::{Dreams, Nights, Shown};
use super::family;
use super::forgotten;
use super::journal::{Entry, Key, WovenJournal, entries, woven};
use super::life::{Copied, How};
use super::night::Night;
use super::places::{self, Moved, Places};
use super::plan::{MergeConflict, MergeConflictKind, MergePlan};
use super::states::{self, Three};
use super::text;
use super::versions::Versions;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name, StateName};
use crate::dream::commit;
use crate::exchange::claim::claim;
use crate::format::documents::cited::Cited;
use crate::format::state::carry::{self, is_curated};
use crate::format::state::iso_millis;
use crate::format::state::ledger::Ledger;
use crate::format::state::log::LogSource;
use crate::format::state::proposal::{Proposals, Waiting};
use crate::format::state::undone::Undone;
use crate::format::{DreamId, JournalName};
use crate::session;
use crate::workspace::Workspace;

/// A merge of two copies of one life that were changed on two machines.
///
/// Every line that either has is in the result once. A change of one machine since the ancestor is taken as it is.
/// Where both changed the same place differently, both versions stay, and that is reported. The result does not depend on which copy is named first.
/// The manual has [the rule of each file](crate::manual::machines#what-is-merged-how).
///
/// # Example
///
/// ```
/// use noctuary::exchange::Merge;
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let [laptop, server, both] = [tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?];
/// let [laptop, server, both] = [&laptop, &server, &both].map(|folder| FileWorkspace::open(folder.path()).unwrap());
/// let journal = DocName::parse("memory/2026-11-20-repl.md")?;
/// laptop.append(&journal, b"- [09:00:00] [user] Tea at five.\n")?;
/// server.append(&journal, b"- [08:00:00] [user] The boat is called Brisk.\n")?;
///
/// let plan = Merge::new(&laptop, &server).plan()?; // look at it first: nothing is written yet
/// assert!(plan.conflicts().is_empty());
/// plan.write(&both)?;
/// let text = both.read(&journal)?.unwrap();
/// assert_eq!(text.bytes(), b"- [08:00:00] [user] The boat is called Brisk.\n- [09:00:00] [user] Tea at five.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is merged until it is planned and written"]
pub struct Merge<'w> {
    ours: &'w dyn Workspace,
    theirs: &'w dyn Workspace,
    base: Option<&'w dyn Workspace>,
    by_file: bool,
}

impl<'w> Merge<'w> {
    /// Makes a merge of two copies.
    pub fn new(ours: &'w dyn Workspace, theirs: &'w dyn Workspace) -> Self {
        Self { ours, theirs, base: None, by_file: false }
    }

    /// Sets the life that both came of: a copy from the moment when they were last the same. Without it, nothing is known to have been
    /// removed, and two versions of a line are a conflict.
    pub fn base(mut self, base: &'w dyn Workspace) -> Self {
        self.base = Some(base);
        self
    }

    /// Sets whether a tool, such as git, takes each file that one machine alone changed, and asks only for the others.
    /// Off.
    ///
    /// Lines that both added to a journal are then in the order of the machines, if one machine alone has dreamed. So
    /// the places in the journal that its night wrote down stay right.
    pub fn by_file(mut self, by_file: bool) -> Self {
        self.by_file = by_file;
        self
    }

    /// Reads all and says what will be written.
    ///
    /// Both copies are claimed meanwhile, and a commit that was interrupted is finished first. Nothing else of them is changed.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`](crate::Error::Busy) where somebody dreams in either; [`Error::Corrupt`](crate::Error::Corrupt) for a state file that does not parse.
    pub fn plan(&self) -> Result<MergePlan> {
        let mut lives = Vec::new();
        for workspace in [self.ours, self.theirs] {
            let lease = claim(workspace)?;
            let forgotten = session::forgotten(workspace)?;
            commit::recover_all(workspace, lease.as_ref(), forgotten.as_ref())?;
            lives.push(Copied::read(workspace)?);
            lease.release()?;
        }
        let [one, other] = <[Copied; 2]>::try_from(lives).expect("two were read");
        let base = self.base.map(Copied::read).transpose()?;
        merge(base, one, other, if self.by_file { How::ByFile } else { How::Whole })
    }
}

/// Merges two lives, and their groups.
pub(super) fn merge(base: Option<Copied>, mut one: Copied, mut other: Copied, how: How) -> Result<MergePlan> {
    let mut base = base;
    let mut of_base = base.as_mut().map(|base| std::mem::take(&mut base.groups)).unwrap_or_default();
    let (ours, mut theirs) = (std::mem::take(&mut one.groups), std::mem::take(&mut other.groups));
    let has_base = base.is_some();
    let mut plan = merge_one(base, one, other, how)?;
    let mut pairs: Vec<(GroupName, Copied, Copied)> = Vec::new();
    for (name, life) in ours {
        let there = theirs.remove(&name).unwrap_or_default();
        pairs.push((name, life, there));
    }
    pairs.extend(theirs.into_iter().map(|(name, life)| (name, Copied::default(), life)));
    for (name, one, other) in pairs {
        let base = has_base.then(|| of_base.remove(&name).unwrap_or_default());
        let group = merge_one(base, one, other, how)?;
        let folder = name.folder();
        plan.joined += group.joined;
        plan.conflicts.extend(group.conflicts.iter().map(|conflict| conflict.within(&folder)));
        plan.groups.insert(name, group);
    }
    plan.conflicts.sort();
    Ok(plan)
}

/// Returns whether memory has the section of a dream that a person took back.
fn is_back(life: &Copied) -> bool {
    life.document(&DocName::MEMORY).is_some_and(|memory| Dreams::is_back(&life.log(), memory))
}

fn merge_one(base: Option<Copied>, one: Copied, other: Copied, how: How) -> Result<MergePlan> {
    let unchanged = |merged| Ok(MergePlan { merged, ..MergePlan::default() });
    match &base {
        _ if one.is_same(&other) && !(how == How::Mixed && is_back(&one)) => return unchanged(one),
        Some(base) if base.is_same(&one) => return unchanged(other),
        Some(base) if base.is_same(&other) => return unchanged(one),
        _ => {}
    }
    let has_base = base.is_some();
    let (mut base, mut lives) = (base.unwrap_or_default(), [one, other]);
    let first = (how == How::ByFile).then(|| first_side(&base, &lives)).flatten();
    let stones = forgotten::settle(&mut lives, &mut base, how)?;
    let mut merging = Merging {
        how,
        has_base: has_base && (!base.documents.is_empty() || !base.states.is_empty()),
        base,
        first,
        dreams: Dreams::of([&lives[0], &lives[1]]),
        versions: Versions::of([&lives[0], &lives[1]])?,
        lives,
        plan: MergePlan::default(),
        places: Places::default(),
        archive: None,
        memory: Merged::default(),
    };
    if let Some(stones) = stones {
        merging.plan.merged.states.insert(StateName::FORGOTTEN, stones);
    }
    merging.documents();
    merging.states()?;
    merging.plan.conflicts.sort();
    Ok(merging.plan)
}

/// Returns the machine whose night nobody will be asked about: its journals keep their places.
fn first_side(base: &Copied, lives: &[Copied; 2]) -> Option<usize> {
    let alone = |changed: [bool; 2]| match changed {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    };
    let of_state =
        |name: &StateName| alone([0, 1].map(|side: usize| lives[side].state(name) != base.state(name)));
    let memory = DocName::MEMORY;
    let of_memory =
        || alone([0, 1].map(|side: usize| lives[side].document(&memory) != base.document(&memory)));
    of_state(&StateName::LEDGER).or_else(|| of_state(&StateName::LOG)).or_else(of_memory)
}

/// A merge under way.
struct Merging {
    how: How,
    has_base: bool,
    base: Copied,
    lives: [Copied; 2],
    /// The side whose lines of a journal come before those of the other, whatever their times are.
    first: Option<usize>,
    dreams: Dreams,
    plan: MergePlan,
    places: Places,
    /// The archive of memory, whose lines may be in memory too.
    archive: Option<Draft>,
    memory: Merged,
    versions: Versions,
}

impl Merging {
    fn documents(&mut self) {
        let mut names: BTreeSet<DocName> =
            self.lives.iter().flat_map(|life| life.documents.keys()).cloned().collect();
        for family in archive::families(&[&self.lives[0], &self.lives[1], &self.base]) {
            names.retain(|name| !family.documents.contains(name));
            self.family(&family);
        }
        // Journals come first, since memory cites their lines; and before memory what was moved out of it.
        let (journals, mut others): (Vec<_>, Vec<_>) =
            names.iter().partition(|name| JournalName::is_name(name.as_str()));
        others.sort_by_key(|name| (**name != DocName::DREAMED, *name));
        for name in journals.into_iter().chain(others) {
            if JournalName::is_name(name.as_str())
                && let [Some(one), Some(other)] =
                    [0, 1].map(|side: usize| self.lives[side].documents.get(name))
                && one == other
            {
                self.places.journals.insert(name.clone(), WovenJournal::of_both(one));
                self.plan.merged.documents.insert(name.clone(), one.clone());
                continue;
            }
            let copies = [0, 1].map(|side: usize| self.lives[side].documents.get(name).cloned());
            let base = self.base.documents.get(name).cloned();
            match copies {
                [Some(one), Some(other)] => {
                    // What the ancestor did not have is new on both.
                    let base = base.or_else(|| self.has_base.then(Vec::new));
                    // Where files are of different moments, what the state remembers is not of its document.
                    let may_be = base.is_none() && self.how != How::Mixed;
                    let earlier = if may_be { self.versions.earlier(name, [&one, &other]) } else { None };
                    let bytes = match earlier {
                        // One copy is in the other.
                        Some(side) => {
                            let later = if side == 0 { &other } else { &one };
                            let mut copies = [Some(later.as_slice()); 2];
                            copies[side] = None;
                            if is_curated(name) { self.curated(name, None, copies) } else { later.clone() }
                        }
                        None => self.document(name, base.as_deref(), &one, &other),
                    };
                    self.plan.merged.documents.insert(name.clone(), bytes);
                }
                [one, other] => {
                    let side = usize::from(one.is_none());
                    let bytes = one.or(other).expect("one of them has it");
                    match base {
                        Some(base) if base == bytes => continue,
                        Some(_) => self.conflict(name, MergeConflictKind::Removed),
                        None => {}
                    }
                    if JournalName::is_name(name.as_str()) {
                        self.places.journals.insert(name.clone(), WovenJournal::of(&bytes, side));
                    }
                    let mut copies = [None, None];
                    copies[side] = Some(bytes.as_slice());
                    let bytes = if is_curated(name) { self.curated(name, None, copies) } else { bytes };
                    self.plan.merged.documents.insert(name.clone(), bytes);
                }
            }
        }
        if let Some(archive) = self.archive.take() {
            let bytes = self.printed(archive);
            self.plan.merged.documents.insert(DocName::DREAMED, bytes);
        }
        for (name, merged) in &self.plan.merged.documents {
            // Journals are merged by their entries, with a base and without.
            if let [Some(one), Some(other)] = [0, 1].map(|side: usize| self.lives[side].document(name))
                && !self.places.journals.contains_key(name)
            {
                self.versions.note(name, [one, other], merged);
            }
        }
        let is_joined = |(name, bytes): &(&DocName, &Vec<u8>)| {
            let mut copies = self.lives.iter().map(|life| life.documents.get(*name));
            copies.all(|copy| copy.is_some_and(|copy| copy != *bytes))
        };
        self.plan.joined = self.plan.merged.documents.iter().filter(is_joined).count() as u64;
    }

    /// Merges journals of one name, some of them in an archive.
    fn family(&mut self, family: &Family) {
        let base = self.has_base.then_some(&self.base);
        let mut given_back: BTreeSet<Key> = BTreeSet::new();
        for side in [0, 1] {
            let waits: Vec<Key> =
                family.documents.iter().flat_map(|name| self.given_back(side, name)).collect();
            if !waits.is_empty() {
                // What a dream that stands has read on the other machine is its own, and does not wait.
                let read = self.read(1 - side);
                given_back.extend(waits.into_iter().filter(|key| !read.contains(key)));
            }
        }
        let woven = family::woven(family, base, [&self.lives[0], &self.lives[1]], self.first, &given_back);
        for (name, journal) in woven.documents {
            self.plan.merged.documents.insert(name.clone(), journal.bytes.clone());
            self.places.journals.insert(name, journal);
        }
        for name in woven.kept {
            self.conflict(&name, MergeConflictKind::Removed);
        }
        self.places.moved(woven.moves);
    }

    /// Returns the entries of a journal of a machine that wait there since a dream was taken back.
    fn given_back(&self, side: usize, name: &DocName) -> BTreeSet<Key> {
        let life = &self.lives[side];
        let Some(text) = life.document(name).filter(|_| JournalName::is_name(name.as_str())) else {
            return BTreeSet::new();
        };
        let pieces: Vec<LogSource> =
            self.dreams.given_back(side).filter(|piece| piece.name == name.as_str()).cloned().collect();
        if pieces.is_empty() {
            return BTreeSet::new();
        }
        let ledger = Ledger::parse(life.state(&StateName::LEDGER)).unwrap_or_default();
        let shown = ledger.get(name).unwrap_or_default();
        let is_in = |from: u64, to: u64, entry: &Entry| {
            from < entry.range.end as u64 && (entry.range.start as u64) < to
        };
        let waits = |entry: &Entry| {
            pieces.iter().any(|piece| is_in(piece.from, piece.to, entry) && piece.fits(text))
                && !shown.pieces().iter().any(|piece| is_in(piece.from, piece.to, entry))
        };
        entries(text).into_iter().filter(waits).map(|entry| entry.key).collect()
    }

    /// Returns the entries that dreams of a machine have read which are in the merged life.
    fn read(&self, side: usize) -> BTreeSet<Key> {
        let life = &self.lives[side];
        let mut read = BTreeSet::new();
        for source in self.dreams.read(side) {
            let Some(name) = places::document_of(life, source) else { continue };
            let is_in = |entry: &Entry| {
                source.from < entry.range.end as u64 && (entry.range.start as u64) < source.to
            };
            let entries = entries(life.document(&name).unwrap_or_default()).into_iter();
            read.extend(entries.filter(is_in).map(|entry| entry.key));
        }
        read
    }

    fn document(&mut self, name: &DocName, base: Option<&[u8]>, one: &[u8], other: &[u8]) -> Vec<u8> {
        if JournalName::is_name(name.as_str()) {
            let journal = woven(base, one, other, self.first);
            let bytes = journal.bytes.clone();
            self.places.journals.insert(name.clone(), journal);
            return bytes;
        }
        if is_curated(name) {
            return self.curated(name, base, [Some(one), Some(other)]);
        }
        if one == other || base == Some(other) {
            return one.to_vec();
        }
        if base == Some(one) {
            return other.to_vec();
        }
        let files = Three { base, one, other };
        if *name == DocName::HEARTBEAT_STATE
            && let Ok(bytes) = states::checks(name, &files)
        {
            return bytes;
        }
        if text::has_end(name, "jsonl") {
            return text::lines(one, other);
        }
        let is_text = [one, other]
            .iter()
            .all(|bytes| std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0')));
        if !is_text || text::has_end(name, "json") {
            let (kept, copy) = if one <= other { (one, other) } else { (other, one) };
            let beside = text::beside(name, copy);
            self.plan.merged.documents.insert(beside.clone(), copy.to_vec());
            self.conflict(name, MergeConflictKind::Whole(beside));
            return kept.to_vec();
        }
        let memos = if *name == DocName::HEARTBEAT { text::memos(base, one, other) } else { None };
        let (bytes, conflicts) = match &memos {
            Some([base, one, other]) => text::merge(base.as_deref(), one.as_deref(), other.as_deref()),
            None => text::merge(base, Some(one), Some(other)),
        };
        self.count(name, conflicts);
        bytes
    }

    /// Merges curated memory, or its archive, which is printed when memory is.
    fn curated(&mut self, name: &DocName, base: Option<&[u8]>, copies: [Option<&[u8]>; 2]) -> Vec<u8> {
        let is_archive = *name == DocName::DREAMED;
        let undone = self.dreams.undone();
        let mut gone = undone.clone();
        gone.extend(self.archive.iter().flat_map(Draft::dreams));
        if !is_archive && !self.has_base && self.how != How::Mixed {
            for (side, copy) in copies.iter().enumerate() {
                gone.extend(copy.map(|bytes| self.absent(side, bytes, false)).unwrap_or_default());
            }
        }
        let mut read: Vec<Copy> = Vec::new();
        for side in [0, 1] {
            let bytes = copies[side].unwrap_or_default();
            let known = known(bytes, &self.dreams.hashes(side));
            let mut copy = Copy::read(bytes, &known);
            for (id, night) in &mut copy.sections {
                // A tool may have brought the section before the journals: it cites those of the machine that has printed it.
                let is_of = |side: usize| self.dreams.printed(side, id).as_ref() == known.get(id);
                let is_here = self.how == How::Mixed || is_of(side) || !is_of(1 - side);
                let side = if is_here { side } else { 1 - side };
                self.recite(side, id, night);
                if self.how == How::Mixed {
                    night.look_up(&|name| std::str::from_utf8(&self.places.journals.get(name)?.bytes).ok());
                }
            }
            let standing = self.dreams.standing(side);
            let is_met = |id: &&DreamId| undone.contains(*id) && standing.contains(*id);
            let met: Vec<DreamId> = copy.edited().filter(is_met).cloned().collect();
            for id in met {
                self.conflict(name, MergeConflictKind::TakenBack(id));
            }
            let moved = copy.without(&gone);
            if let Some(archive) = &mut self.archive {
                archive.take_in(moved);
            }
            read.push(copy);
        }
        // The ancestor's section may be as either of the machines knows it.
        let mut base = base.map(|base| Copy::read(base, &known(base, &self.dreams.hashes(0))));
        if let Some(base) = &mut base {
            for (side, copy) in copies.iter().enumerate() {
                gone.extend(self.absent(side, copy.unwrap_or_default(), true));
            }
            drop(base.without(&gone));
        }
        let copies = <[Copy; 2]>::try_from(read).expect("two were read");
        let mut merged = curated::merge(base, copies, &self.dreams.order);
        let is_same = |(name, ..): &Cited| self.places.journals.contains_key(name);
        if let Some(archive) = &mut self.archive {
            archive.join(None, &is_same);
        }
        merged.join(self.archive.as_mut(), &is_same);
        self.count(name, merged.conflicts);
        if is_archive {
            self.archive = Some(merged);
            return Vec::new();
        }
        self.printed(merged)
    }

    fn printed(&mut self, draft: Draft) -> Vec<u8> {
        let merged = draft.print();
        self.memory.printed.extend(merged.printed);
        self.memory.nights.extend(merged.nights);
        self.memory.edited.extend(merged.edited);
        merged.bytes
    }

    /// Returns the dreams whose sections a copy should have and lacks. With `emptied`, another dream got their lines
    /// at a merge. Otherwise a person took them out, if an ancestor has them. If the files are of different moments,
    /// the sections have not arrived yet.
    fn absent(&self, side: usize, memory: &[u8], emptied: bool) -> BTreeSet<DreamId> {
        let kept = Undone::parse(self.lives[side].state(&StateName::UNDONE)).ok();
        let is_emptied = |id: &DreamId| {
            kept.as_ref().and_then(|kept| kept.appended(id)).is_none()
                && self.dreams.pass(side, id).is_some_and(|pass| pass.sources.is_empty())
        };
        let is_it = |id: &DreamId| {
            self.dreams.printed(side, id).is_some()
                && !crate::format::documents::curated::has_mark(memory, id)
                && is_emptied(id) == emptied
        };
        self.dreams.standing(side).into_iter().filter(is_it).collect()
    }

    /// Returns the dreams that say nothing in the merged memory, since another dream said all their lines on a machine.
    fn emptied(&self) -> BTreeSet<DreamId> {
        let memory = |side: usize| self.lives[side].document(&DocName::MEMORY).unwrap_or_default();
        let emptied = [0, 1].into_iter().flat_map(|side: usize| self.absent(side, memory(side), true));
        let says = |id: &DreamId| self.memory.printed.contains_key(id) || self.memory.edited.contains_key(id);
        emptied.filter(|id| !says(id)).collect()
    }

    /// Makes the lines of a section cite places in the merged journals.
    fn recite(&self, side: usize, id: &DreamId, night: &mut Night) {
        let sources = self.dreams.sources_of(side, id);
        let place = |name: &DocName| {
            let shown = |side: usize| {
                Places::document(&self.lives[side], sources, name).map(|document| (side, document))
            };
            let is_mixed = self.how == How::Mixed;
            let is_told = !is_mixed && sources.iter().any(|source| source.name == name.as_str());
            let only = || Places::only(&self.lives[side], name).map(|document| (side, document));
            // A tool may have brought the journal in another form: then its lines are not those that were cited.
            shown(side)
                .or_else(|| if is_mixed { None } else { shown(1 - side) })
                .or_else(|| if is_told { None } else { only() })
        };
        let places: BTreeMap<DocName, Option<(usize, DocName)>> =
            night.cited().into_iter().map(|name| (name.clone(), place(&name))).collect();
        let is_lost = |(name, place): (&DocName, &Option<(usize, DocName)>)| {
            // One that is nowhere says nothing about another.
            let is_other = place.is_none() && !archive::candidates(&self.lives[side], name).is_empty();
            is_other.then(|| name.clone())
        };
        night.lost_sight_of(places.iter().filter_map(is_lost).collect());
        night.recite(&|cited| match places.get(&cited.0) {
            Some(Some((side, document))) => self.places.lines(*side, &self.lives[*side], document, cited),
            _ => vec![cited.clone()],
        });
    }

    fn count(&mut self, name: &Name, conflicts: u32) {
        if conflicts > 0 {
            self.conflict(name, MergeConflictKind::Lines(conflicts));
        }
    }

    fn conflict(&mut self, name: &Name, kind: MergeConflictKind) {
        self.plan.conflicts.push(MergeConflict { name: name.to_string(), kind });
    }

    fn states(&mut self) -> Result<()> {
        // From here on, what either machine says of pieces it says of the merged journals.
        let carried = [0, 1].map(|side: usize| self.carried(side));
        for (side, states) in carried.into_iter().enumerate() {
            self.lives[side].states.extend(states?);
        }
        self.dreams.passes = [0, 1].map(|side: usize| self.lives[side].passes());
        let lives = [&self.lives[0], &self.lives[1]];
        let waiting = self.waiting(&self.answered())?;
        let nights = Nights { dreams: &self.dreams, waiting: &waiting, emptied: &self.emptied() };
        let shown = Shown::of(lives, &nights, &self.memory, &self.places, self.how)?;
        let proposed = self.proposed(&waiting, &shown)?;
        let log = self.dreams.log(lives, &shown, &proposed, &self.memory, &self.places);
        let mut names: BTreeSet<StateName> =
            self.lives.iter().flat_map(|life| life.states.keys()).cloned().collect();
        if self.versions.is_new() {
            names.insert(StateName::LIFE);
        }
        // Without it, the watermark of one machine would count for the journals of the other.
        if names.contains(&StateName::DREAMED) {
            names.insert(StateName::LEDGER);
        }
        for name in names {
            let bytes = match &name {
                name if *name == StateName::FORGOTTEN => continue,
                name if *name == StateName::LOG => log.clone(),
                name if *name == StateName::LEDGER => shown.ledger(),
                name if *name == StateName::LIFE => {
                    let standing = if self.lives.iter().any(|life| life.state(name).is_some()) {
                        self.state(name, &shown, &proposed)?
                    } else {
                        None
                    };
                    self.versions.print(standing.as_deref())?
                }
                name => match self.state(name, &shown, &proposed)? {
                    Some(bytes) => bytes,
                    None => continue,
                },
            };
            self.plan.merged.states.insert(name, bytes);
        }
        // A proposal that was answered on one machine waits on none.
        let list = Proposals::parse(self.plan.merged.state(&StateName::PROPOSALS))?;
        let waiting: BTreeSet<StateName> = list.waiting().iter().map(Waiting::name).collect();
        let folder = ".dreaming.d/proposals/";
        self.plan
            .merged
            .states
            .retain(|name, _| !name.as_str().starts_with(folder) || waiting.contains(name));
        Ok(())
    }

    /// Returns the states of a machine that know pieces, as these are in the merged journals.
    fn carried(&self, side: usize) -> Result<Vec<(StateName, Vec<u8>)>> {
        let moved = Moved { places: &self.places, lives: [&self.lives[0], &self.lives[1]], side };
        let mut states = Vec::new();
        // The ledger is made of both, and a journal in quarantine that grew is held as a whole.
        let apart = [StateName::LEDGER, StateName::QUARANTINE];
        for name in carry::FILES.into_iter().filter(|name| !apart.contains(name)) {
            let Some(bytes) = self.lives[side].state(&name) else { continue };
            states.extend(carry::carried(&name, bytes, &moved)?.map(|bytes| (name, bytes)));
        }
        Ok(states)
    }

    /// Returns the proposals that wait on a machine and were answered on none, each with its time.
    fn waiting(&self, answered: &BTreeSet<DreamId>) -> Result<BTreeMap<DreamId, String>> {
        let mut all = BTreeMap::new();
        for life in &self.lives {
            let list = Proposals::parse(life.state(&StateName::PROPOSALS))?;
            let waiting = list.waiting().iter().filter(|one| !answered.contains(&one.id));
            all.extend(waiting.map(|one| (one.id.clone(), iso_millis::print(one.at))));
        }
        Ok(all)
    }

    /// Returns the pieces of the proposals that wait, as they are in the merged life.
    fn proposed(
        &self,
        waiting: &BTreeMap<DreamId, String>,
        shown: &Shown,
    ) -> Result<BTreeMap<DreamId, Vec<LogSource>>> {
        let known = [
            Proposals::parse(self.lives[0].state(&StateName::PROPOSALS))?,
            Proposals::parse(self.lives[1].state(&StateName::PROPOSALS))?,
        ];
        let sources = |id: &DreamId| {
            let lists =
                [0, 1].map(|side: usize| known[side].get(id).map_or(&[][..], |one| one.sources.as_slice()));
            shown.sources(id, lists, false, &self.places)
        };
        Ok(waiting.keys().map(|id| (id.clone(), sources(id))).collect())
    }

    fn state(
        &mut self,
        name: &StateName,
        shown: &Shown,
        proposed: &BTreeMap<DreamId, Vec<LogSource>>,
    ) -> Result<Option<Vec<u8>>> {
        let base = self.base.state(name);
        let copies = [self.lives[0].state(name), self.lives[1].state(name)];
        // What one machine alone has goes through the same rule: the other may have answered it.
        let (one, other) = match copies {
            [Some(one), Some(other)] => (one, other),
            [one, other] => {
                let only = one.or(other).expect("one of them has it");
                (only, only)
            }
        };
        let files = Three { base, one, other };
        let is_history = name.as_str().starts_with(".dreaming.d/history/") && *name != StateName::UNDONE;
        let is_proposal = name.as_str().starts_with(".dreaming.d/proposals/");
        let undone = self.dreams.undone();
        let bytes = match name {
            name if *name == StateName::DREAMED => states::dreamed(&files),
            name if *name == StateName::UNDONE => {
                states::by_id(name, &files, |list, id, part| {
                    let sources = self.dreams.sources(id, shown, &self.places);
                    if list == "appended" {
                        // What brings a section back, should somebody take it out, is what stands now: nothing where another dream says all of it.
                        let standing = self.memory.printed.get(id);
                        if let Some(section) = standing {
                            part.insert("section".into(), section.clone().into());
                        }
                        return standing.is_some() || !sources.is_empty();
                    }
                    if list != "dreams" {
                        return true;
                    }
                    // So that it is brought back, and taken back again, with the pieces that the log tells.
                    let pieces = self.places.pieces(&sources).filter(|_| undone.contains(id));
                    if let Some(pieces) = pieces {
                        part.insert("shown".into(), json(&pieces));
                    }
                    undone.contains(id)
                })?
            }
            name if *name == StateName::PROPOSALS => states::by_id(name, &files, |_, id, part| {
                let waits = proposed.get(id).map(|sources| part.insert("sources".into(), json(sources)));
                waits.is_some()
            })?,
            _ if one == other => one.to_vec(),
            name if *name == StateName::QUARANTINE => states::quarantine(&files)?,
            _ if is_history => states::versions(name, &files)?,
            _ if base == Some(one) => other.to_vec(),
            _ if base == Some(other) => one.to_vec(),
            _ if is_proposal => {
                let (bytes, conflicts) = text::merge(base, Some(one), Some(other));
                self.count(name, conflicts);
                bytes
            }
            name if *name == StateName::LIFE => states::beginning(name, &files)?,
            name if *name == StateName::SLEEP => {
                let bytes = states::latest(name, &files, &["last_dream_at"])?;
                self.conflict(name, MergeConflictKind::Sleepers);
                bytes
            }
            name if *name == StateName::MEMORIES => super::rows::merge(one, other)?,
            name if *name == StateName::RECEIPT_KEYS => states::receipt_keys(&files)?,
            name if [StateName::RECEIPTS, StateName::RECEIPTS_BEFORE, StateName::CHATS].contains(name) => {
                text::lines(one, other)
            }
            name if [StateName::FACTS, StateName::PERSONALIZATION, StateName::ROLES].contains(name) => {
                states::latest(name, &files, &["pace", "last_run_at"])?
            }
            name => states::latest(name, &files, &["seen_at"])?,
        };
        Ok(Some(bytes))
    }

    /// Returns the proposals that a person answered on one machine: they no longer wait there.
    fn answered(&self) -> BTreeSet<DreamId> {
        let mut answered = BTreeSet::new();
        for side in [0, 1] {
            let list = Proposals::parse(self.lives[side].state(&StateName::PROPOSALS));
            let Ok(list) = list else { continue };
            let passes = &self.dreams.passes[side];
            let ids: BTreeSet<&DreamId> = passes.iter().map(|line| &line.id).collect();
            answered.extend(ids.into_iter().filter(|id| list.get(id).is_none()).cloned());
        }
        answered
    }
}

fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("names and numbers print")
}

/// Returns the hash of each section that a text may have: the one by which it is whole there, or the likeliest.
fn known(bytes: &[u8], hashes: &BTreeMap<DreamId, Vec<Digest>>) -> BTreeMap<DreamId, Digest> {
    let of = |(id, hashes): (&DreamId, &Vec<Digest>)| {
        let is_marked = hashes.len() > 1 && crate::format::documents::curated::has_mark(bytes, id);
        let whole = hashes.iter().find(|hash| is_marked && Copy::has(bytes, id, **hash));
        Some((id.clone(), *whole.or(hashes.first())?))
    };
    hashes.iter().filter_map(of).collect()
}
