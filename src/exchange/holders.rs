//! The documents that hold a statement that is to be forgotten.

use std::borrow::Cow;

use super::hidden::is_closed;
use super::home::{Home, place_of};
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::{DocName, Name, StateName};
use crate::base::order;
use crate::base::receipt::{ForgetPlace, PlaceReceipt};
use crate::base::sorted::SortedMap;
use crate::file::is_of_life;
use crate::format::documents::copies::original_of;
use crate::format::state::carry::{self, Overwritten};
use crate::format::state::ledger::{Entry, Ledger};
use crate::session::{self, is_persona};
use crate::workspace::Metadata;

/// A document that holds the statement.
pub(super) struct Holder {
    pub(super) document: Document,
    pub(super) name: DocName,
    pub(super) found: u64,
    /// Facts about the file from before it was overwritten.
    metadata: Option<Metadata>,
}

impl Home<'_> {
    /// Returns the documents that hold the statement, ascending.
    pub(super) fn holders(&self, places: &mut SortedMap<ForgetPlace, PlaceReceipt>) -> Result<Vec<Holder>> {
        let (mut holders, mut refused) = (Vec::new(), Vec::new());
        let mut unread: SortedMap<ForgetPlace, [Vec<String>; 2]> = SortedMap::new();
        let mut in_names: SortedMap<ForgetPlace, u64> = SortedMap::new();
        let is_of_group = self.workspace.scope().is_some_and(|scope| scope.group_name().is_some());
        for listing in session::walk(self.workspace, None, |_| true) {
            let (folder, listing) = listing?;
            let within = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
            refused.extend(listing.refused.iter().map(|name| format!("{within}{name}")));
            for name in listing.documents {
                // Who the agent is: the life's own, and no group's to overwrite.
                if is_of_group && is_persona(&name) {
                    continue;
                }
                let line = places.get_mut(&place_of(&name)).expect("each document has a place");
                if self.only.holds(name.as_str()) {
                    line.found += 1;
                    *in_names.entry(line.place).or_default() += 1;
                }
                let metadata = self.workspace.metadata(&name);
                let document = match self.workspace.read(&name) {
                    Ok(Some(document)) => document,
                    Ok(None) => continue,
                    Err(error) if is_closed(&error) => {
                        unread.entry(line.place).or_default()[0].push(name.to_string());
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if self.may_miss(&name, document.bytes()) {
                    unread.entry(line.place).or_default()[1].push(name.to_string());
                }
                let found = self.count(Some(name.as_str()), document.bytes());
                if found > 0 {
                    holders.push(Holder { document, name, found, metadata: metadata? });
                }
            }
        }
        for (place, [closed, odd]) in unread {
            let line = places.get_mut(&place).expect("each document has a place");
            if let Some(names) = self.named(&closed) {
                line.also_left(format!("could not be read: {names}"));
            }
            if let Some(names) = self.named(&odd) {
                line.also_left(format!("not in UTF-8, where the words may stand in other bytes: {names}"));
            }
        }
        for (place, names) in in_names {
            let line = places.get_mut(&place).expect("each document has a place");
            line.also_left(match names {
                1 => Cow::Borrowed("it stands in the name of a document, to be renamed by hand"),
                _ => {
                    Cow::Owned(format!("it stands in the names of {names} documents, to be renamed by hand"))
                }
            });
        }
        if let Some(names) = self.named(&refused) {
            let line = places.get_mut(&ForgetPlace::Documents).expect("it is one of the places");
            line.also_left(format!("links, and names that no document may have, were not opened: {names}"));
        }
        order::sort_by(&mut holders, |one, other| one.name.cmp(&other.name));
        Ok(holders)
    }

    /// Returns whether a text is in another encoding, in which the words of the statement may be other bytes. In
    /// Latin-1 those are words with letters beyond ASCII, in UTF-16 all.
    fn may_miss(&self, name: &DocName, bytes: &[u8]) -> bool {
        let is_text = is_of_life(name.as_str())
            || [".md", ".markdown", ".txt"].iter().any(|end| name.folded().ends_with(end));
        is_text && (bytes.contains(&0) || (!self.is_ascii && std::str::from_utf8(bytes).is_err()))
    }

    /// Overwrites the statement in a document, even while others append to it; returns the number of places.
    pub(super) fn strike(&self, holder: &Holder) -> Result<u64> {
        let mut left = 0;
        let is_struck = self.change(&holder.name, |bytes| {
            let name = Some(holder.name.as_str());
            let struck = bytes.and_then(|bytes| self.struck(name, bytes));
            left = struck.as_ref().map_or(0, |struck| self.count(name, struck));
            Ok(struck)
        })?;
        Ok(if is_struck { holder.found.saturating_sub(left) } else { 0 })
    }

    /// Tells all states that know pieces how documents will look, before they do. Else an overwritten journal would be
    /// shown once more, as new. A crash in between leaves journals of unchanged size and time, which no dream opens;
    /// the next call does the rest.
    pub(super) fn carry<'h>(&self, holders: &'h [Holder]) -> Result<()> {
        let Some(lease) = self.lease else { return Ok(()) };
        let document = |holder: &'h Holder| {
            let struck = self.struck(Some(holder.name.as_str()), holder.document.bytes())?;
            let original = original_of(holder.name.as_str()).and_then(|path| DocName::parse(path).ok());
            Some((original.unwrap_or_else(|| holder.name.clone()), holder.document.bytes(), struck))
        };
        let carry = Overwritten::of(holders.iter().filter_map(document).collect());
        // Copies that a sync tool left know pieces too: they are read once more, when they are merged.
        let of = |name: &Name| {
            let original = original_of(name.as_str())?;
            carry::FILES.into_iter().find(|file| file.as_str() == original)
        };
        let copies = self.workspace.hidden()?.into_iter().filter_map(|name| Some((of(&name)?, name)));
        for (file, name) in carry::FILES.map(|file| (file.clone(), file.into())).into_iter().chain(copies) {
            let Some(standing) = self.workspace.read(&name)? else { continue };
            if let Some(carried) = carry::carried(&file, standing.bytes(), &carry)? {
                lease.replace(&name, &carried)?;
            }
        }
        Ok(())
    }

    /// Tells the ledger when the journals were overwritten, so that the next dream need not open them.
    pub(super) fn note_times(&self, holders: &[Holder]) -> Result<()> {
        let nanoseconds = |metadata: Metadata| metadata.modified.timestamp_nanos_opt().unwrap_or(i64::MAX);
        self.change_ledger(holders, |holder, entry| {
            let now = self.workspace.metadata(&holder.name)?;
            if let (Some(before), Some(now)) = (holder.metadata, now)
                && (entry.size, entry.modified) == (before.len, nanoseconds(before))
                && now.len == before.len
            {
                entry.modified = nanoseconds(now);
            }
            Ok(())
        })
    }

    fn change_ledger(
        &self,
        holders: &[Holder],
        change: impl Fn(&Holder, &mut Entry) -> Result<()>,
    ) -> Result<()> {
        let Some(lease) = self.lease else { return Ok(()) };
        let standing = self.workspace.read(&StateName::LEDGER)?;
        let mut ledger = Ledger::parse(standing.as_ref().map(Document::bytes))?;
        let mut changed = SortedMap::new();
        for holder in holders {
            let Some(entry) = ledger.get(&holder.name) else { continue };
            let mut after = entry.clone();
            change(holder, &mut after)?;
            if after != entry {
                changed.insert(holder.name.clone(), after);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        ledger.apply(&changed);
        lease.replace(&StateName::LEDGER, &ledger.print())
    }
}
