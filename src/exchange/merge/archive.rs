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
        let texts: Vec<Vec<u8>> =
            [&*one, &*other, &*base].iter().filter_map(|life| life.document(name)).map(<[u8]>::to_vec).collect();
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

/// Drops a journal of the archive with which the journal in its old place begins: a tool brought that back, and it says all of it.
fn drop_copy(life: &mut Copied, journal: &JournalName) {
    for count in 1..=MOST {
        let Ok(archive) = journal.archived(count) else { return };
        let (Some(kept), Some(live)) = (life.document(&archive), life.document(journal.name())) else { return };
        if !kept.is_empty() && live.starts_with(kept) {
            life.documents.remove(&archive);
            return;
        }
    }
}

/// Returns the document of an archive that was this journal: the one that begins as other lives have it.
fn archive_of(life: &Copied, journal: &JournalName, texts: &[Vec<u8>]) -> Option<DocName> {
    let alike = |bytes: &[u8]| {
        let common = |text: &Vec<u8>| text.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        texts.iter().map(common).max().unwrap_or(0)
    };
    let mut best: Option<(usize, DocName)> = None;
    for archive in (1..=MOST).map_while(|count| journal.archived(count).ok()) {
        let Some(bytes) = life.document(&archive) else { break };
        let common = alike(bytes);
        let is_it = texts.is_empty() || common == bytes.len() || bytes[..common].contains(&b'\n');
        if is_it && best.as_ref().is_none_or(|(known, _)| *known < common) {
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
