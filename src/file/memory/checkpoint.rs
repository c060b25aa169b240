//! The table of the rows on the disk, `.dreaming.d/memories.table`: all that memory holds of the lines up to one of them.
//!
//! It may be missing, and is made anew from the lines then. It says which file it is of: where that file does not begin with the
//! lines that it covers, it says nothing. The pages of the word index lie in files beside it, and it names those that count.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use chrono::DateTime;

use super::edges::Edges;
use super::entry::{DELETED, Entry, SHARED, fixed, put_time, read_time};
use super::facts::FactIndex;
use super::keeper::Keeper;
use super::learnings::Learnings;
use super::names::{NONE, Names};
use super::pages::{self, FilePages};
use super::practised::Practised;
use super::prefix::Prefix;
use super::rows::{Other, Rows};
use super::span::Span;
use super::words::Words;
use crate::base::access::Actor;
use crate::base::error::At;
use crate::base::name::StateName;
use crate::base::order;
use crate::base::spread::Spread;
use crate::disk::{Disk, Open, atomic};
use crate::gate::{TombstoneKey, Tombstones};
use crate::memory::MemoryId;
use crate::search::postings::bits::{Input, put, put_bytes, put_signed, seal, unsealed};
use crate::search::postings::{Error, Result};
use crate::search::rank::WORDS_VERSION;

/// The beginning of a table, with the version of the terms of a text. Other bytes and another signature are a new version, too.
pub(super) const MAGIC: &[u8; 8] = &[b'n', b'o', b'c', b't', b'r', b'o', b'w', WORDS_VERSION];

/// Seals no page.
const PLACE: u64 = u64::MAX - 2;

/// The length and the checksum of a table, which tell it from every other.
pub(super) type Identity = (u64, [u8; 8]);

/// A table that was read.
pub(super) struct Checkpoint {
    pub(super) rows: Rows,
    /// The lines that it covers.
    pub(super) read: Prefix,
    /// The file of the lines.
    pub(super) file: (u64, u64),
    pub(super) identity: Identity,
}

impl Checkpoint {
    /// Reads the table; `None` where there is none that can be read.
    pub(super) fn load(keeper: &Keeper) -> Option<Self> {
        let bytes =
            atomic::read(keeper.disk.as_ref(), StateName::MEMORIES_TABLE.as_str(), u64::MAX - 1).ok()??;
        Self::parse(&bytes, keeper).ok()
    }

    fn parse(bytes: &[u8], keeper: &Keeper) -> Result<Self> {
        let identity = identity(bytes).ok_or(Error::Damaged("it ends too early"))?;
        let body = unsealed(bytes, PLACE)?.strip_prefix(MAGIC);
        let mut input = Input::at(body.ok_or(Error::Damaged("it is of another version"))?, 0);
        let input = &mut input;
        let file = (input.number()?, input.number()?);
        let read = Prefix::read(input)?;
        let mut rows = Rows::over(keeper);
        rows.read(input)?;
        let pages = FilePages::read_from(input, keeper.disk.clone())?;
        pages.hold().map_err(Error::host)?;
        rows.words = RefCell::new(Words::open(pages, input.bytes()?)?);
        Ok(Self { rows, read, file, identity })
    }

    /// Returns the identity of the present table.
    pub(super) fn identity_of(disk: &dyn Disk) -> io::Result<Option<Identity>> {
        let file = match disk.open(StateName::MEMORIES_TABLE.as_str(), Open::Read) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let len = file.stat()?.len;
        let end = atomic::read_range(file.as_ref(), len.saturating_sub(8), 8)?;
        Ok(end.try_into().ok().map(|sum| (len, sum)))
    }

    /// Writes the pages that wait, and then the table. Returns its identity. If it fails, the earlier one counts.
    pub(super) fn save(
        disk: &dyn Disk,
        rows: &mut Rows,
        read: &Prefix,
        file: (u64, u64),
    ) -> Result<Identity> {
        let mut body = MAGIC.to_vec();
        put(&mut body, file.0);
        put(&mut body, file.1);
        read.put(&mut body);
        rows.put(&mut body);
        let words = rows.words.get_mut();
        words.partition.flush(&mut words.pages, 0)?;
        while words.partition.sweep(&mut words.pages)? {}
        atomic::create_folder_of(disk, StateName::memory_words(0).as_str()).map_err(Error::host)?;
        let written = words.pages.write_waiting().map_err(Error::host)?;
        words.pages.put(&mut body, &written);
        put_bytes(&mut body, &words.partition.manifest());
        seal(&mut body, PLACE);
        write(disk, &body).map_err(Error::host)?;
        words.pages.settle(written);
        words.pages.sweep();
        // Where that fails, a page that is asked for later may be gone.
        let _ = words.pages.hold();
        identity(&body).ok_or(Error::Damaged("it has no checksum"))
    }

    /// Removes the table and the word index, for good.
    pub(super) fn remove(disk: &dyn Disk) -> crate::base::error::Result<()> {
        let folder = StateName::MEMORY_WORDS_FOLDER;
        atomic::remove(disk, StateName::MEMORIES_TABLE.as_str())?;
        if pages::remove_all(disk).at("remove", folder)? > 0 {
            disk.sync_folder(folder).at("sync", folder)?;
        }
        Ok(())
    }
}

/// Gives a table its name. It is not synced: one that the power tears is known by its checksum.
fn write(disk: &dyn Disk, bytes: &[u8]) -> io::Result<()> {
    let temporary = atomic::temporary();
    let aside = disk.open(&temporary, Open::CreateNew)?;
    let written = aside.write_at(bytes, 0);
    drop(aside);
    written.and_then(|()| disk.rename(&temporary, StateName::MEMORIES_TABLE.as_str())).inspect_err(|_| {
        // Where that fails too, the next claim's sweep does it.
        let _ = disk.unlink(&temporary);
    })
}

fn identity(bytes: &[u8]) -> Option<Identity> {
    Some((bytes.len() as u64, *bytes.last_chunk()?))
}

const ACTORS: [Actor; 3] = [Actor::Human, Actor::Agent, Actor::Library];

fn put_actor(out: &mut Vec<u8>, actor: Actor) {
    put(out, ACTORS.iter().position(|known| *known == actor).unwrap_or_default() as u64);
}

fn read_actor(input: &mut Input<'_>) -> Result<Actor> {
    let actor = usize::try_from(input.number()?).ok().and_then(|at| ACTORS.get(at).copied());
    actor.ok_or(Error::Damaged("an actor is unknown"))
}

fn text(input: &mut Input<'_>) -> Result<String> {
    let text = String::from_utf8(input.bytes()?.to_vec());
    text.map_err(|_| Error::Damaged("a text is none"))
}

impl Rows {
    fn put(&self, out: &mut Vec<u8>) {
        self.names.put(out);
        self.places.put(out);
        put(out, self.entries.len() as u64);
        let mut before = None;
        for entry in &self.entries {
            entry.put(out, before);
            before = Some(entry);
        }
        put(out, self.pins.len() as u64);
        for (id, by) in &self.pins {
            put_signed(out, id.get());
            put_actor(out, *by);
        }
        put(out, self.deleted.len() as u64);
        for (id, (at, by)) in &self.deleted {
            put_signed(out, id.get());
            put_time(out, *at, DateTime::UNIX_EPOCH);
            put_actor(out, *by);
        }
        put(out, self.edits.len() as u64);
        for (id, line) in &self.edits {
            put_signed(out, id.get());
            line.put(out, 0);
        }
        put(out, self.others.len() as u64);
        let mut end = 0;
        for Other { line, signature, of } in &self.others {
            line.put(out, end);
            out.extend_from_slice(&signature.to_le_bytes());
            put(out, u64::from(of.is_some()));
            if let Some(id) = of {
                put_signed(out, id.get());
            }
            end = line.end();
        }
        put(out, self.profile.len() as u64);
        for text in self.profile.iter().spread(|(key, value)| [key, value]) {
            put_bytes(out, text.as_bytes());
        }
        self.learnings.put(out);
        self.practised.put(out);
        self.fact_index.put(out);
        self.edges.borrow().put(out, self.keeper.edges.as_deref());
        put(out, u64::from(self.forgotten.is_some()));
        if let Some(forgotten) = &self.forgotten {
            out.extend_from_slice(forgotten.key().as_bytes());
            let stones = serde_json::to_vec(&forgotten.iter().collect::<Vec<_>>());
            put_bytes(out, &stones.expect("plain data is always JSON"));
        }
        put_signed(out, self.last_id);
    }

    fn read(&mut self, input: &mut Input<'_>) -> Result<()> {
        self.names = Names::read(input)?;
        self.places = Names::read(input)?;
        let many = input.count()?;
        self.entries = Vec::with_capacity(many.saturating_add(many / 32));
        for _ in 0..many {
            let entry = Entry::read(input, self.entries.last())?;
            self.entries.push(entry);
        }
        for _ in 0..input.count()? {
            let id = MemoryId::new(input.signed()?);
            self.pins.insert(id, read_actor(input)?);
        }
        for _ in 0..input.count()? {
            let id = MemoryId::new(input.signed()?);
            self.deleted.insert(id, (read_time(input, DateTime::UNIX_EPOCH)?, read_actor(input)?));
        }
        for _ in 0..input.count()? {
            let id = MemoryId::new(input.signed()?);
            self.edits.insert(id, Span::read(input, 0)?);
        }
        let mut end = 0;
        for _ in 0..input.count()? {
            let (line, signature) = (Span::read(input, end)?, u64::from_le_bytes(fixed(input)?));
            let of = if input.number()? > 0 { Some(MemoryId::new(input.signed()?)) } else { None };
            end = line.end();
            self.others.push(Other { line, signature, of });
        }
        for _ in 0..input.count()? {
            self.profile.insert(text(input)?, text(input)?);
        }
        self.learnings = Learnings::read(input)?;
        self.practised = Practised::read(input)?;
        self.fact_index = FactIndex::read(input)?;
        self.edges = RefCell::new(Edges::read(input, self.keeper.edges.as_deref())?);
        if input.number()? > 0 {
            let mut forgotten = Tombstones::new(TombstoneKey::from_bytes(fixed(input)?));
            let stones: Vec<crate::gate::Tombstone> = serde_json::from_slice(input.bytes()?)
                .map_err(|_| Error::Damaged("tombstones cannot be read"))?;
            forgotten.extend(stones);
            self.forgotten = Some(Arc::new(forgotten));
        }
        self.last_id = input.signed()?;
        self.connect();
        Ok(())
    }

    /// Makes what follows from the rows.
    fn connect(&mut self) {
        let mut by_time = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            self.fact_index.set(entry, true);
            if entry.dream != NONE {
                self.dreams.insert((entry.dream, entry.id), ());
            }
            if entry.stands() {
                by_time.push(((entry.updated, entry.id), ()));
                if entry.conversation != NONE {
                    let place = (entry.position, entry.id, entry.has(SHARED));
                    self.conversations.entry(entry.conversation).or_default().push(place);
                }
            }
            debug_assert_eq!(entry.has(DELETED), self.deleted.contains_key(&entry.id), "{:?}", entry.id);
        }
        self.conversations.values_mut().for_each(|rows| order::sort(rows));
        self.by_time = by_time.into_iter().collect();
    }
}
