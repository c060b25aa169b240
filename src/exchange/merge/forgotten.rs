//! Statements that one machine has forgotten, forgotten on both before anything is merged.

use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::exchange::merge::life::Copied;
use crate::format::JournalName;
use crate::format::state::forgotten::Forgotten;
use crate::format::state::history::History;
use crate::format::state::ledger::Ledger;
use crate::format::state::undone::Undone;
use crate::gate::{Tombstones, is_struck};

/// Joins what both have forgotten, and takes it out of what either keeps of earlier versions, and of documents in which the other has
/// overwritten it. Returns the file of the tombstones.
pub(super) fn settle(lives: &mut [Copied; 2]) -> Result<Option<Vec<u8>>> {
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
    for (side, stones) in known.iter().enumerate() {
        if stones.as_ref().map_or(0, Tombstones::len) < all.len() {
            strike_states(&mut lives[side], &all)?;
        }
    }
    let shared: Vec<DocName> =
        lives[0].documents.keys().filter(|name| lives[1].documents.contains_key(*name)).cloned().collect();
    for name in shared {
        let holds_mark = |life: &Copied| is_struck(&String::from_utf8_lossy(&life.documents[&name]));
        if lives[0].documents[&name] != lives[1].documents[&name] && lives.iter().any(holds_mark) {
            for life in &mut *lives {
                strike(life, &name, &all)?;
            }
        }
    }
    let file = Forgotten::new(all);
    let file = if file.tombstones.is_joined() { file.joined() } else { file };
    Ok(Some(file.print()))
}

/// Overwrites what is forgotten in a document.
fn strike(life: &mut Copied, name: &DocName, stones: &Tombstones) -> Result<()> {
    let before = life.documents[name].clone();
    let Ok(text) = std::str::from_utf8(&before) else { return Ok(()) };
    let after = stones.struck(text).into_owned().into_bytes();
    if after == before {
        return Ok(());
    }
    if JournalName::is_name(name.as_str()) {
        let mut ledger = Ledger::parse(life.state(&StateName::LEDGER))?;
        if let Some(mut entry) = ledger.get(name) {
            entry.rehash(&before, &after);
            ledger.apply(&[(name.clone(), entry)].into());
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
