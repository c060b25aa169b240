//! Journals that one machine has moved into its archive, under the names that they have on the other.
//!
//! A journal in `memory/archive/` is merged as the journal that it was. It goes back to its old name where the other machine has more
//! of it, since no dream reads the archive.

use std::collections::{BTreeMap, BTreeSet};

use super::life::Copied;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::format::JournalName;
use crate::format::state::ledger::Ledger;

/// Where each life has a journal in its archive: by the name of the journal.
pub(super) type Archived = BTreeMap<DocName, DocName>;

/// The most journals of one name in an archive that are looked at.
const MOST: u32 = 9;

/// Returns whether a document is a journal in the archive.
pub(super) fn is_archived(name: &DocName) -> bool {
    name.as_str().starts_with(JournalName::ARCHIVED)
}

/// Gives the archived journals of lives the names that they had, where any of the lives knows the name. Returns where they were.
pub(super) fn restore(lives: [&mut Copied; 3]) -> Result<[Archived; 3]> {
    let has_any = lives.iter().any(|life| life.documents.keys().any(is_archived));
    if !has_any {
        return Ok([Archived::new(), Archived::new(), Archived::new()]);
    }
    let mut journals: BTreeSet<JournalName> = BTreeSet::new();
    for life in &lives {
        journals.extend(life.documents.keys().filter_map(JournalName::parse));
        let ledger = Ledger::parse(life.state(&StateName::LEDGER))?;
        journals.extend(ledger.read_whole(|_| true).iter().filter_map(JournalName::parse));
    }
    let [one, other, base] = lives;
    let mut found = [Archived::new(), Archived::new(), Archived::new()];
    for journal in &journals {
        let name = journal.name();
        for life in [&mut *one, &mut *other, &mut *base] {
            drop_copy(life, journal);
        }
        let texts: Vec<Vec<u8>> = [&*one, &*other, &*base]
            .iter()
            .filter_map(|life| life.document(name))
            .map(<[u8]>::to_vec)
            .collect();
        for (side, life) in [&mut *one, &mut *other, &mut *base].into_iter().enumerate() {
            if life.documents.contains_key(name) {
                continue;
            }
            let Some(archive) = archive_of(life, journal, &texts) else { continue };
            let bytes = life.documents.remove(&archive).expect("it was found there");
            life.documents.insert(name.clone(), bytes);
            if let Some(modified) = life.modified.remove(&archive) {
                life.modified.insert(name.clone(), modified);
            }
            found[side].insert(name.clone(), archive);
        }
    }
    Ok(found)
}

/// Drops the one of a journal and its archived form that says nothing which the other does not: a tool brought it back, or has not taken
/// it away yet.
fn drop_copy(life: &mut Copied, journal: &JournalName) {
    for count in 1..=MOST {
        let Ok(archive) = journal.archived(count) else { return };
        let (Some(kept), Some(standing)) = (life.document(&archive), life.document(journal.name())) else {
            return;
        };
        let (in_archive, in_place) = (lines(kept), lines(standing));
        let is_within = |one: &BTreeMap<&[u8], usize>, other: &BTreeMap<&[u8], usize>| {
            one.iter().all(|(said, count)| other.get(said).is_some_and(|known| known >= count))
        };
        if is_within(&in_archive, &in_place) {
            life.documents.remove(&archive);
            return;
        }
        if is_within(&in_place, &in_archive) {
            life.documents.remove(journal.name());
            return;
        }
    }
}

/// Returns the lines of a text that say something, each with how often it is there.
fn lines(text: &[u8]) -> BTreeMap<&[u8], usize> {
    let mut counts = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// Returns the documents of the archive that may have been a journal of this name.
pub(super) fn archives_of(life: &Copied, journal: &JournalName) -> Vec<DocName> {
    let names = (1..=MOST).map_while(|count| journal.archived(count).ok());
    names.take_while(|archive| life.documents.contains_key(archive)).collect()
}

/// Returns the document of an archive that was this journal: the one with most of the lines that other lives have.
fn archive_of(life: &Copied, journal: &JournalName, texts: &[Vec<u8>]) -> Option<DocName> {
    let texts: Vec<BTreeMap<&[u8], usize>> = texts.iter().map(|text| lines(text)).collect();
    let alike = |bytes: &[u8]| {
        let here = lines(bytes);
        let common =
            |text: &BTreeMap<&[u8], usize>| text.keys().filter(|said| here.contains_key(*said)).count();
        texts.iter().map(common).max().unwrap_or(0)
    };
    let mut best: Option<(usize, DocName)> = None;
    for archive in archives_of(life, journal) {
        let common = alike(life.document(&archive).unwrap_or_default());
        if best.as_ref().is_none_or(|(known, _)| *known < common) {
            best = Some((common, archive));
        }
    }
    best.map(|(_, archive)| archive)
}

/// Returns where a merged journal belongs: in the archive, under this name, or in its place.
pub(super) fn place(
    name: &DocName,
    merged: &[u8],
    lives: [(&Copied, &Archived); 2],
    is_archived_before: bool,
) -> Option<DocName> {
    match lives.map(|(_, archived)| archived.get(name)) {
        [Some(one), Some(other)] => Some(one.min(other).clone()),
        [None, None] => None,
        [one, other] => {
            let (side, archive) = one.map_or((1, other), |one| (0, Some(one)));
            let is_all = lives[side].0.document(name) == Some(merged);
            // Where it was in the archive before, the other machine took it out again.
            let is_there = lives[1 - side].0.document(name).is_some();
            archive.filter(|_| is_all && !(is_archived_before && is_there)).cloned()
        }
    }
}
