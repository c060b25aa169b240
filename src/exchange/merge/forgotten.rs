//! Statements that one machine has forgotten, forgotten on both before anything is merged.

use std::borrow::Cow;

use super::life::{Copied, How};
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::exchange::forgotten::Forgetting;
use crate::format::documents::sections;
use crate::format::documents::statements::statement_hash;
use crate::format::replies::reply;
use crate::format::state::carry::{self, Overwritten, is_curated};
use crate::format::state::forgotten::{Forgotten, JOINED};
use crate::format::state::history::History;
use crate::format::state::undone::Undone;
use crate::gate::{Tombstone, Tombstones};
use crate::life::receipt::without_forgotten;
use crate::session;

/// Joins what both have forgotten. If a person has asked to overwrite a statement in files, the other machine's files
/// are overwritten too. Earlier versions and the ancestor are overwritten as well, so that all say the same. Returns
/// the file of the tombstones.
pub(super) fn settle(lives: &mut [Copied; 2], base: &mut Copied, how: How) -> Result<Option<Vec<u8>>> {
    let read = |life: &Copied| Forgotten::<Tombstones>::parse(life.state(&StateName::FORGOTTEN));
    let known = [read(&lives[0])?, read(&lives[1])?];
    let (mut all, mut noted): (Option<Forgotten<Tombstones>>, Vec<Forgetting>) = Default::default();
    for file in known.iter().flatten() {
        let all = all.get_or_insert_with(|| Forgotten::new(file.tombstones.clone()));
        all.tombstones.join(&file.tombstones);
        all.in_files.extend(file.in_files.iter().copied());
        for one in Forgetting::all(file) {
            if !noted.contains(&one) {
                noted.push(one);
            }
        }
    }
    if let Some(all) = all.as_mut().filter(|_| !noted.is_empty()) {
        Forgetting::put(all, noted);
    }
    let Some(all) = all else { return Ok(None) };
    // Where files are of different moments, a tool may have brought what was asked before what was overwritten, or behind it.
    let askers = [0, 1].map(|side: usize| {
        let file = if how == How::Mixed { Some(&all) } else { known[side].as_ref() };
        file.map(|file| Asker {
            life: &lives[side],
            asked: only(&file.tombstones, |stone, _| file.in_files.contains(&stone.digest)),
        })
    });
    let struck =
        [0, 1].map(|side: usize| overwritten(&lives[side], &askers[1 - side].iter().collect::<Vec<_>>()));
    let asked = only(&all.tombstones, |stone, _| all.in_files.contains(&stone.digest));
    let of_base = overwritten(base, &askers.iter().flatten().collect::<Vec<_>>());
    for (side, documents) in struck.into_iter().enumerate() {
        if known[side].as_ref().map_or(0, |file| file.in_files.len()) < all.in_files.len() {
            strike_states(&mut lives[side], &asked)?;
        }
        strike(&mut lives[side], documents)?;
    }
    strike(base, of_base)?;
    let v = if all.tombstones.is_joined() { JOINED } else { all.v };
    Ok(Some(Forgotten { v, ..all }.print()))
}

/// A machine, and the statements that its person has asked to have overwritten in files.
struct Asker<'l> {
    life: &'l Copied,
    asked: Tombstones,
}

impl Asker<'_> {
    /// Returns the text of a document of the other life with words overwritten that are gone from this one.
    fn overwritten<'t>(&self, name: &DocName, text: &'t str) -> Cow<'t, str> {
        if self.life.document(name) == Some(text.as_bytes()) {
            return Cow::Borrowed(text);
        }
        self.asked.struck_where(text, &|said| self.is_gone(name, said))
    }

    /// Returns whether a statement was overwritten: the document is there without it, or none has it. Where it was said again, it stays.
    fn is_gone(&self, name: &DocName, said: &str) -> bool {
        let it = only(&self.asked, |stone, alone| alone.bury(said).as_ref() == Some(stone));
        // Statements that overlap are none of them.
        let is_apart = !it.is_empty();
        let holds = |bytes: &Vec<u8>| {
            if is_apart {
                it.holds(&String::from_utf8_lossy(bytes))
            } else {
                memchr::memmem::find(bytes, said.as_bytes()).is_some()
            }
        };
        self.life.documents.get(name).is_some_and(|bytes| !holds(bytes))
            || !self.life.documents.values().any(holds)
    }
}

/// Returns the tombstones that `keep` says yes to; it is given the set of each alone.
fn only(all: &Tombstones, keep: impl Fn(&Tombstone, &Tombstones) -> bool) -> Tombstones {
    let mut only = Tombstones::new(all.key().clone());
    for (_, alone) in all.each_alone().filter(|(stone, alone)| keep(stone, alone)) {
        only.join(&alone);
    }
    only
}

/// Returns the documents of a life in which words are overwritten that are gone from other lives.
fn overwritten(life: &Copied, askers: &[&Asker<'_>]) -> Vec<(DocName, Vec<u8>)> {
    let mut documents = Vec::new();
    for (name, before) in &life.documents {
        let Ok(text) = std::str::from_utf8(before) else { continue };
        let mut after = Cow::Borrowed(text);
        for asker in askers {
            after = Cow::Owned(asker.overwritten(name, &after).into_owned());
        }
        if after != text {
            documents.push((name.clone(), sections::marked_anew(before, after.into_owned().into_bytes())));
        }
    }
    documents
}

/// Overwrites documents, and has the states that know pieces of them know them as they are then.
fn strike(life: &mut Copied, documents: Vec<(DocName, Vec<u8>)>) -> Result<()> {
    let mut pairs = Vec::with_capacity(documents.len());
    for (name, after) in documents {
        let before = life.documents.insert(name.clone(), after.clone()).unwrap_or_default();
        pairs.push((name, before, after));
    }
    let documents =
        pairs.iter().map(|(name, before, after)| (name.clone(), before.as_slice(), after.clone()));
    let carry = Overwritten::of(documents.collect());
    for (_, before, after) in pairs.iter().filter(|(name, ..)| is_curated(name)) {
        strike_hashes(life, before, after);
    }
    for name in carry::FILES {
        let Some(bytes) = life.states.get(&name) else { continue };
        if let Some(carried) = carry::carried(&name, bytes, &carry)? {
            life.states.insert(name, carried);
        }
    }
    Ok(())
}

/// Overwrites in the log the hashes of the lines that are overwritten in curated memory, since words can be tried
/// against them.
fn strike_hashes(life: &mut Copied, before: &[u8], after: &[u8]) {
    let Some(bytes) = life.states.get_mut(&StateName::LOG) else { return };
    let mut log = String::from_utf8_lossy(bytes).into_owned();
    let [before, after] = [before, after].map(String::from_utf8_lossy);
    for (was, _) in before.lines().zip(after.lines()).filter(|(was, is)| was != is) {
        let hash = statement_hash(reply::strip_bullet(was));
        log = log.replace(&format!("\"{hash}\""), &format!("\"{}\"", "0".repeat(hash.len())));
    }
    *bytes = log.into_bytes();
}

/// Takes what is to be overwritten out of earlier versions, undone dreams and proposals.
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
            if session::strike_history(&mut history, stones) > 0 {
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
