//! Statements that one machine has forgotten, forgotten on both before anything is merged.

use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::exchange::merge::life::Copied;
use crate::format::JournalName;
use crate::format::state::forgotten::{Forgotten, JOINED};
use crate::format::state::history::History;
use crate::format::state::ledger::Ledger;
use crate::format::state::undone::Undone;
use crate::gate::{Tombstones, is_struck};
use crate::life::receipt::without_forgotten;

/// Joins what both have forgotten, and takes it out of what the other keeps of earlier versions. Where a person has had it
/// overwritten in files, it is overwritten in those of the other machine too, and in those of the ancestor, so that all say the same.
/// Returns the file of the tombstones.
pub(super) fn settle(lives: &mut [Copied; 2], base: &mut Copied) -> Result<Option<Vec<u8>>> {
    let read = |life: &Copied| -> Result<Option<Tombstones>> {
        Ok(Forgotten::<Tombstones>::parse(life.state(&StateName::FORGOTTEN))?.map(|file| file.tombstones))
    };
    let known = [read(&lives[0])?, read(&lives[1])?];
    let mut all: Option<Tombstones> = None;
    for stones in known.iter().flatten() {
        match &mut all {
            Some(all) => all.join(stones),
            None => all = Some(stones.clone()),
        }
    }
    let Some(all) = all else { return Ok(None) };
    let is_struck = |bytes: &Vec<u8>| is_struck(&String::from_utf8_lossy(bytes));
    let is_asked = [0, 1].map(|side: usize| lives[side].documents.values().any(is_struck));
    // What a person had forgotten and left in files stays in them: the machine that asks has it in none.
    let texts = [0, 1].map(|side: usize| -> Vec<Vec<u8>> {
        if is_asked[side] { lives[side].documents.values().cloned().collect() } else { Vec::new() }
    });
    let is_gone_from = |side: usize, said: &str| {
        is_asked[side]
            && known[side].as_ref().is_some_and(|stones| stones.holds(said))
            && !texts[side].iter().any(|text| memchr::memmem::find(text, said.as_bytes()).is_some())
    };
    for side in [0, 1] {
        if known[side].as_ref().map_or(0, Tombstones::len) < all.len() {
            strike_states(&mut lives[side], &all)?;
        }
        // Their person asked for it in the files, so it leaves these too: those that differ, since a tool may have brought the tombstone
        // before the files.
        if is_asked[1 - side] {
            let differs = |(name, bytes): &(&DocName, &Vec<u8>)| {
                lives[1 - side].document(name) != Some(bytes.as_slice())
            };
            let names: Vec<DocName> =
                lives[side].documents.iter().filter(differs).map(|(name, _)| name.clone()).collect();
            for name in names {
                strike(&mut lives[side], &name, &all, &|said| is_gone_from(1 - side, said))?;
            }
        }
    }
    if is_asked.contains(&true) {
        let names: Vec<DocName> = base.documents.keys().cloned().collect();
        for name in names {
            strike(base, &name, &all, &|said| is_gone_from(0, said) || is_gone_from(1, said))?;
        }
    }
    let file = Forgotten::new(all);
    let v = if file.tombstones.is_joined() { JOINED } else { file.v };
    let file = Forgotten { v, ..file };
    Ok(Some(file.print()))
}

/// Overwrites in a document what is forgotten and `is_gone` says yes to.
fn strike(
    life: &mut Copied,
    name: &DocName,
    stones: &Tombstones,
    is_gone: &dyn Fn(&str) -> bool,
) -> Result<()> {
    let before = life.documents[name].clone();
    let Ok(text) = std::str::from_utf8(&before) else { return Ok(()) };
    let after = stones.struck_where(text, is_gone).into_owned().into_bytes();
    if after == before {
        return Ok(());
    }
    if JournalName::is_name(name.as_str()) {
        let mut ledger = Ledger::parse(life.state(&StateName::LEDGER))?;
        if let Some(mut entry) = ledger.get(name) {
            entry.rehash(&before, &after);
            ledger.apply([(name, &entry)]);
            life.states.insert(StateName::LEDGER, ledger.print());
        }
    }
    life.documents.insert(name.clone(), after);
    Ok(())
}

/// Takes what is forgotten out of earlier versions, undone dreams and proposals.
fn strike_states(life: &mut Copied, stones: &Tombstones) -> Result<()> {
    for (name, bytes) in &mut life.states {
        if *name == StateName::UNDONE {
            let mut undone = Undone::parse(Some(bytes))?;
            undone.retain(|kept| !stones.holds(&kept.section));
            undone.retain_appended(|section| !stones.holds(section));
            *bytes = undone.print();
        } else if [StateName::RECEIPTS, StateName::RECEIPTS_BEFORE].contains(name) {
            if let Some((_, without)) = without_forgotten(bytes, stones) {
                *bytes = without;
            }
        } else if name.as_str().starts_with(".dreaming.d/history/") {
            let mut history = History::parse(name, Some(bytes))?;
            let struck = |bytes: &[u8]| {
                let text = std::str::from_utf8(bytes).ok().filter(|text| stones.holds(text))?;
                Some(Some(stones.struck(text).into_owned().into_bytes()))
            };
            if history.change(struck) > 0 {
                *bytes = history.print();
            }
        } else if name.as_str().starts_with(".dreaming.d/proposals/")
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            *bytes = stones.struck(text).into_owned().into_bytes();
        }
    }
    Ok(())
}
