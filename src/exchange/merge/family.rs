//! Journals of one name, in their places and in the archive, merged entry by entry.
//!
//! An entry with a time is known by its text, wherever it is. If one machine has moved it into the archive, it is there after the
//! merge. New text of the other machine in that journal stays in its place for a dream. Text without a time goes with the entry
//! that follows it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::archive::Family;
use super::journal::{self, Entry, Key, WovenJournal};
use super::life::Copied;
use super::weave::{Strand, strands, weave};
use crate::base::name::DocName;

/// The merged documents of a family.
#[derive(Debug, Default)]
pub(super) struct Woven {
    pub(super) documents: BTreeMap<DocName, WovenJournal>,
    /// Documents that one machine removed and the other changed.
    pub(super) kept: Vec<DocName>,
    /// For each copy and document: the present places of its entries.
    pub(super) moves: [Moves; 2],
}

/// Where the entries of documents are in the merged life.
pub(super) type Moves = BTreeMap<DocName, Vec<Move>>;

/// A run of bytes of a document, and its place in the merged life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) from: Range<u64>,
    pub(super) document: DocName,
    pub(super) to: Range<u64>,
}

/// A document of one life.
struct Part<'t> {
    text: &'t [u8],
    entries: Vec<Entry>,
    /// Whether each entry is known by its text in all documents of the family.
    is_known: Vec<bool>,
}

/// The documents of one life: by their places in the family.
type Parts<'t> = BTreeMap<usize, Part<'t>>;

/// Merges the documents of a family. Lines of the side `first` come before those of the other. Entries of an undone dream wait to
/// be read again. They stay in a journal that is read, even if the other machine has moved them away.
pub(super) fn woven(
    family: &Family,
    base: Option<&Copied>,
    lives: [&Copied; 2],
    first: Option<usize>,
    given_back: &BTreeSet<Key>,
) -> Woven {
    let is_same = |name: &DocName| lives[0].document(name) == lives[1].document(name);
    if family.archived == family.documents.len() && family.documents.iter().all(is_same) {
        return Woven::unchanged(family, lives[0]);
    }
    let mut sides = lives.map(|life| parts(family, life));
    let mut base = base.map(|base| parts(family, base));
    recognise(sides.iter_mut().chain(base.as_mut()).flat_map(|parts| parts.values_mut()));
    let mut out = Woven::default();
    if let Some(base) = &base {
        for at in 0..family.documents.len() {
            if removed(at, base, &mut sides) {
                out.kept.push(family.documents[at].clone());
            }
        }
    }
    let mut places = placed(base.as_ref(), &sides);
    let here = sides.each_ref().map(known);
    for key in given_back {
        let places_of_it = here.iter().filter_map(|places| places.get(key).copied());
        if let Some(live) = places_of_it.filter(|at| *at >= family.archived).min() {
            places.insert(key.clone(), Some(live));
        }
    }
    let dropped = dropped(base.as_ref(), &sides);
    for (at, name) in family.documents.iter().enumerate() {
        let runs =
            [0, 1].map(|side: usize| run(at, &sides[side], &places, &dropped, first.map(|it| it == side)));
        let is_empty = sides.iter().any(|side| side.get(&at).is_some_and(|part| part.text.is_empty()));
        if runs.iter().all(|run| run.items.is_empty()) && !is_empty {
            continue;
        }
        let journal = join(at, name, &runs, &sides, family, &mut out.moves);
        out.documents.insert(name.clone(), journal);
    }
    // Where all of it is in the archive, nobody has anything to decide.
    out.kept.retain(|name| out.documents.contains_key(name));
    out
}

impl Woven {
    /// Takes documents as both have them.
    fn unchanged(family: &Family, life: &Copied) -> Self {
        let mut woven = Self::default();
        for name in &family.documents {
            let Some(bytes) = life.document(name) else { continue };
            let all = 0..bytes.len() as u64;
            for moves in &mut woven.moves {
                let moved = Move { from: all.clone(), document: name.clone(), to: all.clone() };
                moves.insert(name.clone(), vec![moved]);
            }
            woven.documents.insert(name.clone(), WovenJournal::of_both(bytes));
        }
        woven
    }
}

fn parts<'t>(family: &Family, life: &'t Copied) -> Parts<'t> {
    let part = |(at, name): (usize, &DocName)| {
        let text = life.document(name)?;
        let entries = journal::entries(text);
        let is_known = entries.iter().map(|entry| entry.is_dated).collect();
        Some((at, Part { text, entries, is_known }))
    };
    family.documents.iter().enumerate().filter_map(part).collect()
}

/// Counts entries without any time as known if one document has grown from another.
fn recognise<'p, 't: 'p>(parts: impl Iterator<Item = &'p mut Part<'t>>) {
    let mut without: Vec<&mut Part<'_>> =
        parts.filter(|part| !part.entries.iter().any(|entry| entry.is_dated)).collect();
    let fronts: Vec<Vec<String>> =
        without.iter().map(|part| part.entries.iter().map(|entry| entry.key.0.clone()).collect()).collect();
    for (at, part) in without.iter_mut().enumerate() {
        let is_kin = |(other, front): (usize, &Vec<String>)| {
            other != at && (front.starts_with(&fronts[at]) || fronts[at].starts_with(front))
        };
        if !fronts[at].is_empty() && fronts.iter().enumerate().any(is_kin) {
            part.is_known.fill(true);
        }
    }
}

/// Settles a document of the ancestor that one side no longer has. It is removed from both sides; but if the other side has
/// changed it, it stays as it is there. Returns whether it is such a conflict.
fn removed(at: usize, base: &Parts<'_>, sides: &mut [Parts<'_>; 2]) -> bool {
    // Of an empty one nothing was removed.
    let Some(before) = base.get(&at).filter(|before| !before.entries.is_empty()) else { return false };
    for side in [0, 1] {
        let is_there =
            |key: &Key| sides[side].values().any(|part| part.entries.iter().any(|entry| entry.key == *key));
        let is_gone = !sides[side].contains_key(&at)
            && !before.entries.iter().any(|entry| entry.is_dated && is_there(&entry.key));
        if !is_gone {
            continue;
        }
        let Some(there) = sides[1 - side].get(&at) else { continue };
        if there.text == before.text {
            sides[1 - side].remove(&at);
            continue;
        }
        return true;
    }
    false
}

/// Returns the place of each known entry in the merged family; those that a person took out have none.
fn placed(base: Option<&Parts<'_>>, sides: &[Parts<'_>; 2]) -> BTreeMap<Key, Option<usize>> {
    let [one, other] = [known(&sides[0]), known(&sides[1])];
    let before = base.map(known);
    let keys: BTreeSet<&Key> = one.keys().chain(other.keys()).collect();
    let place = |key: &Key| {
        let was = before.as_ref().map(|before| before.get(key).copied());
        match (one.get(key).copied(), other.get(key).copied(), was) {
            (Some(one), Some(other), Some(Some(was))) if was == one => Some(other),
            (Some(one), Some(other), Some(Some(was))) if was == other => Some(one),
            (Some(one), Some(other), _) => Some(one.min(other)),
            (here, there, Some(Some(was))) => {
                let side = usize::from(here.is_some());
                let place = here.or(there)?;
                // What one has moved is not lost because the other has not got it yet.
                (place != was || is_cut(was, base, &sides[side])).then_some(place)
            }
            (here, there, _) => here.or(there),
        }
    };
    keys.into_iter().map(|key| (key.clone(), place(key))).collect()
}

/// Returns whether a copy has no more than the front of a document of the ancestor: nobody took anything out.
fn is_cut(at: usize, base: Option<&Parts<'_>>, side: &Parts<'_>) -> bool {
    let before = base.and_then(|base| base.get(&at)).map_or(&b""[..], |part| part.text);
    side.get(&at).is_none_or(|part| before.starts_with(part.text))
}

/// Returns the first place of each known entry of a life.
fn known(parts: &Parts<'_>) -> BTreeMap<Key, usize> {
    let mut all = BTreeMap::new();
    for (at, part) in parts {
        for (entry, _) in part.entries.iter().zip(&part.is_known).filter(|(_, is_known)| **is_known) {
            all.entry(entry.key.clone()).or_insert(*at);
        }
    }
    all
}

/// Returns the other text that a person took out of one copy: how many of each may stay.
fn dropped(base: Option<&Parts<'_>>, sides: &[Parts<'_>; 2]) -> BTreeMap<String, usize> {
    let Some(base) = base else { return BTreeMap::new() };
    let counted = |parts: &Parts<'_>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for part in parts.values() {
            for (entry, _) in part.entries.iter().zip(&part.is_known).filter(|(_, is_known)| !**is_known) {
                *counts.entry(entry.key.0.clone()).or_default() += 1;
            }
        }
        counts
    };
    let before = counted(base);
    let here = [counted(&sides[0]), counted(&sides[1])];
    let is_whole = [0, 1].map(|side: usize| base.keys().all(|at| !is_cut(*at, Some(base), &sides[side])));
    let mut most = BTreeMap::new();
    for (text, count) in before {
        let counts = [0, 1].map(|side: usize| here[side].get(&text).copied().unwrap_or(0));
        for side in [0, 1] {
            if is_whole[side] && counts[side] < count && counts[1 - side] <= count {
                most.insert(text.clone(), counts[side].min(counts[1 - side]));
            }
        }
    }
    most
}

/// Entries of one life that belong into one document, in their order.
struct Run {
    items: Vec<Item>,
    strands: Vec<Strand<String, Key>>,
}

/// An entry, and the places that it has in its life: a document and a number.
#[derive(Clone)]
struct Item {
    places: Vec<(usize, usize)>,
}

fn run(
    at: usize,
    parts: &Parts<'_>,
    places: &BTreeMap<Key, Option<usize>>,
    most: &BTreeMap<String, usize>,
    is_first: Option<bool>,
) -> Run {
    let mut run = Run { items: Vec::new(), strands: Vec::new() };
    let mut sources: Vec<usize> = parts.keys().copied().collect();
    sources.sort_by_key(|source| (*source != at, *source));
    for source in sources {
        let part = &parts[&source];
        let goes = |number: &usize| target(part, source, *number, places) == Some(at);
        let numbers: Vec<usize> = (0..part.entries.len()).filter(goes).collect();
        let told = strands(numbers.iter().map(|number| {
            let entry = &part.entries[*number];
            (entry.time.clone(), entry.key.0.clone())
        }));
        let items = numbers.into_iter().map(|number| Item { places: vec![(source, number)] }).collect();
        run = run.with(Run { items, strands: told });
    }
    run.leave_out(most);
    if let Some(is_first) = is_first {
        let time = if is_first { String::new() } else { journal::LAST.to_owned() };
        run.strands.iter_mut().for_each(|strand| strand.time.clone_from(&time));
    }
    run
}

/// Returns the document to which an entry goes; `None` for one that a person took out.
fn target(
    part: &Part<'_>,
    source: usize,
    number: usize,
    places: &BTreeMap<Key, Option<usize>>,
) -> Option<usize> {
    let of = |number: usize| places.get(&part.entries[number].key).copied().flatten();
    if part.is_known[number] {
        return of(number);
    }
    let behind = (number + 1..part.entries.len()).filter(|at| part.is_known[*at]).find_map(of);
    let before = || (0..number).rev().filter(|at| part.is_known[*at]).find_map(of);
    Some(behind.or_else(before).unwrap_or(source))
}

impl Run {
    /// Puts in what another document of the same life has, each entry once.
    fn with(self, other: Self) -> Self {
        if self.items.is_empty() {
            return other;
        }
        let mut all = Self { items: Vec::new(), strands: Vec::new() };
        for (one, two) in weave(&self.strands, &other.strands) {
            let mut places = one.map(|at| self.items[at].places.clone()).unwrap_or_default();
            places.extend(two.map(|at| other.items[at].places.clone()).unwrap_or_default());
            let strand = one.map(|at| &self.strands[at]).or(two.map(|at| &other.strands[at]));
            all.strands.push(strand.expect("it is in one of them").clone());
            all.items.push(Item { places });
        }
        all
    }

    /// Leaves out text that a person has left in fewer places.
    fn leave_out(&mut self, most: &BTreeMap<String, usize>) {
        if most.is_empty() {
            return;
        }
        let keep: Vec<bool> = self
            .strands
            .iter()
            .map(|strand| most.get(&strand.key.0).is_none_or(|most| strand.key.1 <= *most))
            .collect();
        let mut kept = keep.iter();
        self.items.retain(|_| *kept.next().expect("there is one for each"));
        let mut kept = keep.iter();
        self.strands.retain(|_| *kept.next().expect("there is one for each"));
    }
}

/// Prints a document of both runs, and notes where the entries of each copy are in it.
fn join(
    at: usize,
    name: &DocName,
    runs: &[Run; 2],
    sides: &[Parts<'_>; 2],
    family: &Family,
    moves: &mut [Moves; 2],
) -> WovenJournal {
    let mut woven = WovenJournal::default();
    for place in weave(&runs[0].strands, &runs[1].strands) {
        let items = [place.0.map(|at| &runs[0].items[at]), place.1.map(|at| &runs[1].items[at])];
        let of = |side: usize| items[side].into_iter().flat_map(|item| item.places.iter().copied());
        let text = |side: usize, (source, number): (usize, usize)| {
            let part = &sides[side][&source];
            &part.text[part.entries[number].range.clone()]
        };
        let texts = [0, 1].into_iter().flat_map(|side| of(side).map(move |place| text(side, place)));
        // Of some that differ in the blank lines behind them, the one with more.
        let said = texts.max_by_key(|text| (text.len(), *text)).unwrap_or_default();
        let to = woven.push(said);
        for side in [0, 1] {
            for (source, number) in of(side) {
                let range = &sides[side][&source].entries[number].range;
                let from = range.start as u64..range.end as u64;
                if source == at {
                    woven.note(side, from.clone(), to.clone());
                }
                let piece = Move { from, document: name.clone(), to: to.clone() };
                moves[side].entry(family.documents[source].clone()).or_default().push(piece);
            }
        }
    }
    woven
}
