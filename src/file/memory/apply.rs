//! How a line changes the rows.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::entry::{DELETED, Entry, HAS_KEY, HAS_SUSPECTS, OWN, SCENARIO, SHARED, STATES, TRUSTED};
use super::facts;
use super::names::NONE;
use super::reader::Reader;
use super::record::{Change, Record, VERSION};
use super::row::Stored;
use super::rows::{Other, Rows};
use super::span::Span;
use crate::base::access::Scope;
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::StateName;
use crate::base::text;
use crate::edges::scenario;
use crate::facts::{ConsolidationEvent, EventOutcome, FactKey};
use crate::gate::Tombstones;
use crate::memory::{Memory, MemoryId};
use crate::search::postings::bits::{checksum, number};
use crate::search::with_card;
use crate::store::echo::echo_words;
use crate::store::practice::Kept;

impl Rows {
    /// Takes a line in.
    pub(super) fn apply(
        &mut self,
        record: Record,
        scope: &Scope,
        (line, span): (usize, Span),
        reader: &Reader<'_>,
    ) -> Result<()> {
        let (at, actor) = (record.at, record.actor);
        if !self.is_owned && !matches!(record.change, Change::Opened { .. }) {
            return Err(corrupt(line, "it does not begin with its owner"));
        }
        let signature = record.signature();
        record.names(|name| {
            self.names.number(name);
        });
        let mut other = Other { line: span, signature, of: None };
        match &record.change {
            Change::Opened { version, scope: owner, .. } => {
                let name = StateName::MEMORIES;
                if *version > VERSION {
                    return Err(Error::NewerVersion {
                        name: name.to_string(),
                        found: *version,
                        known: VERSION,
                    });
                }
                if owner != scope {
                    return Err(Error::Refused { path: name.to_string(), reason: Refusal::OtherScope });
                }
                self.is_owned = true;
            }
            Change::Written(row) => {
                check_id(row.id.get(), line)?;
                self.last_id = self.last_id.max(row.id.get());
                if row.content.is_some() {
                    return self.write(record, other, reader);
                }
            }
            Change::Updated { id, content } => {
                if let Some(content) = content {
                    other.of = Some(*id);
                    self.update(*id, content, &other, at, reader)?;
                }
            }
            Change::Deleted { id } => {
                self.hide(*id, reader)?;
                if let Some(entry) = self.entry_mut(*id) {
                    entry.set(DELETED, true);
                    self.deleted.insert(*id, (at, actor));
                }
            }
            Change::Restored { id, suspects } => {
                if self.deleted.remove(id).is_some() {
                    self.entry_mut(*id).into_iter().for_each(|entry| entry.restore(at));
                    self.fact_index.suspect(*id, suspects);
                    for suspect in suspects {
                        if let Some(newer) = self.entry_mut(suspect.id.max(*id)) {
                            newer.set(HAS_SUSPECTS, true);
                        }
                    }
                    self.show(*id, reader)?;
                }
            }
            Change::Pinned { id } => self.set_pinned(*id, Some(actor)),
            Change::Unpinned { id } => self.set_pinned(*id, None),
            Change::Purged { ids } => self.remove_all(ids, reader)?,
            Change::Ruled { events } => {
                for (event, nth) in events.iter().zip(0..) {
                    check_id(event.id.get(), line)?;
                    self.rule(event, (span, nth), reader)?;
                }
            }
            Change::Profile { key, value: Some(value) } => {
                self.profile.insert(key.clone(), value.clone());
            }
            Change::Profile { key, value: None } => {
                self.profile.remove(key);
            }
            Change::Learned { id, content, context } => {
                check_id(id.get(), line)?;
                self.learnings.apply(*id, content.as_deref(), context.as_deref(), at);
            }
            Change::Practised { kept, .. } => self.practise(kept, at, line)?,
            Change::Forgot { ids, stone, key } => {
                self.remove_all(ids, reader)?;
                let forgotten = self.forgotten.get_or_insert_with(|| Arc::new(Tombstones::new(key.clone())));
                Arc::make_mut(forgotten).insert(*stone);
            }
            Change::Lifted { stone } => {
                if let Some(forgotten) = &mut self.forgotten {
                    Arc::make_mut(forgotten).remove(stone);
                }
            }
            Change::Refused { .. } => {}
        }
        if other.signature != 0 {
            self.others.push(other);
        }
        Ok(())
    }

    /// Lets a row say something else.
    fn update(
        &mut self,
        id: MemoryId,
        content: &str,
        told: &Other,
        at: DateTime<Utc>,
        reader: &Reader<'_>,
    ) -> Result<()> {
        let is_shown = self.hide(id, reader)?;
        self.link(id, false, reader)?;
        self.words.get_mut().forget_fact(id);
        reader.lately.change(id, content);
        if let Some(entry) = self.entry_mut(id) {
            entry.bytes = number(content.len());
            entry.normal = if entry.has(STATES) { hash(&text::statement(content)) } else { 0 };
            entry.updated = at;
            entry.signature |= told.signature;
            entry.revise(Some(content), at);
            self.edits.insert(id, told.line);
        }
        self.link(id, true, reader)?;
        if is_shown {
            self.show(id, reader)?;
        }
        Ok(())
    }

    /// Takes parts of the learning loop in.
    fn practise(&mut self, kept: &[Kept], at: DateTime<Utc>, line: usize) -> Result<()> {
        for kept in kept {
            if let Some(id) = kept.number() {
                check_id(id, line)?;
            }
            self.practised.apply(kept, at);
        }
        Ok(())
    }

    /// Takes the line of a new row in.
    fn write(&mut self, record: Record, line: Other, reader: &Reader<'_>) -> Result<()> {
        let actor = record.actor;
        let Some((memory, stated, suspects)) = record.row() else { return Ok(()) };
        let id = memory.id;
        // A person may have copied a line.
        if let Some(before) = self.entry(id) {
            let other = Other { line: before.line, signature: before.signature, of: Some(id) };
            self.others.push(other);
            self.remove(id, reader)?;
            reader.lately.forget(id);
            for suspect in &suspects {
                self.fact_index.reopen(id, suspect.id);
            }
        }
        let state = stated.status.map(|status| status.state);
        let stored = Stored { memory, stated };
        let normal = stored.normal().map(|normal| hash(&normal));
        let mut entry = self.described(&stored.memory, line);
        (entry.state, entry.normal) = (state, normal.unwrap_or_default());
        entry.key = stored.stated.about.as_ref().map(key_hash).unwrap_or_default();
        entry.set(STATES, normal.is_some());
        entry.set(HAS_KEY, stored.stated.about.is_some());
        entry.set(HAS_SUSPECTS, !suspects.is_empty());
        entry.set(SCENARIO, scenario(stored.memory.metadata.as_ref(), actor).is_some());
        self.fact_index.suspect(id, &suspects);
        self.fact_index.set(&entry, true);
        if let Some(key) = &stored.stated.about {
            self.fact_index.echo(id, echo_words(None, Some(key)));
        }
        if entry.dream != NONE {
            self.dreams.insert((entry.dream, id), ());
        }
        let (Ok(at) | Err(at)) = self.place(id);
        self.entries.insert(at, entry);
        self.link_as(id, &stored);
        self.show_as(id, Some(&stored.memory));
        reader.lately.keep(Arc::new(stored), line.line.len as usize);
        Ok(())
    }

    /// Returns what is held of a row that a line says.
    fn described(&mut self, memory: &Memory, line: Other) -> Entry {
        let category = self.names.number(&memory.category);
        let dream = memory.dream.as_ref().map_or(NONE, |dream| self.names.number(dream.as_str()));
        let place = memory.place.as_ref();
        let conversation = place.map_or(NONE, |place| self.places.number(&place.session));
        if let Some(speaker) = place.and_then(|place| place.speaker.as_deref()) {
            // Also one that a search does not know: a role.
            self.places.number(speaker);
        }
        let mut entry = Entry {
            id: memory.id,
            line: line.line,
            created: memory.created_at,
            updated: memory.updated_at,
            category,
            conversation,
            position: place.map_or(0, |place| place.position),
            speaker: NONE,
            dream,
            bytes: number(memory.content.len()),
            signature: line.signature,
            revision: 0,
            normal: 0,
            key: 0,
            flags: 0,
            state: None,
        };
        entry.revise(Some(&memory.content), memory.created_at);
        with_card(memory, |card| {
            entry.speaker = card.speaker.map_or(NONE, |speaker| self.places.number(speaker));
            entry.set(OWN, card.own);
            entry.set(SHARED, card.shared);
        });
        entry.set(TRUSTED, memory.is_trusted());
        entry
    }

    /// Carries out an event.
    fn rule(&mut self, event: &ConsolidationEvent, place: (Span, u32), reader: &Reader<'_>) -> Result<()> {
        if event.outcome == EventOutcome::Applied {
            for change in &event.changes {
                if change.after.state.is_retired() {
                    self.hide(change.id, reader)?;
                }
                let Ok(at) = self.place(change.id) else { continue };
                let entry = &mut self.entries[at];
                self.fact_index.set(entry, false);
                entry.state = Some(change.after.state);
                self.fact_index.set_status(change.id, Some(change.after));
                self.fact_index.set(entry, true);
                if change.after.successor.is_some() {
                    let Stored { memory, stated } = self.stored(&self.entries[at], reader)?;
                    self.fact_index.echo(change.id, echo_words(Some(&memory.content), stated.about.as_ref()));
                }
                let entry = &mut self.entries[at];
                // What is found of a row does not depend on how it stands, as long as it does.
                if entry.stands() && !self.by_time.contains_key(&(entry.updated, change.id)) {
                    entry.revise(None, event.at);
                    self.show(change.id, reader)?;
                }
            }
        }
        if let Some((older, newer)) = facts::restated(event)
            && let Some(again) = self.entry(newer).map(|entry| entry.created)
            && let Some(entry) = self.entry_mut(older)
        {
            let before = entry.updated;
            entry.updated = before.max(again);
            let after = entry.updated;
            if self.by_time.remove(&(before, older)).is_some() {
                self.by_time.insert((after, older), ());
            }
        }
        self.fact_index.tell(event, place, reader)
    }
}

/// Returns the hash of a text.
pub(super) fn hash(text: &str) -> u32 {
    let hash = checksum(text.as_bytes(), 0);
    number_of(hash)
}

/// Returns the hash of the normal form of a key.
pub(super) fn key_hash(key: &FactKey) -> u32 {
    let (subject, slot) = key.normal();
    number_of(checksum(subject.as_bytes(), 1) ^ checksum(slot.as_bytes(), 2))
}

fn number_of(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or_default()
}

fn corrupt(line: usize, what: &'static str) -> Error {
    Error::Corrupt { name: StateName::MEMORIES.to_string(), line, column: 0, what }
}

/// Refuses an id that no store gives, and behind which there is none.
fn check_id(id: i64, line: usize) -> Result<()> {
    if (1..i64::MAX).contains(&id) { Ok(()) } else { Err(corrupt(line, "an id is out of range")) }
}
