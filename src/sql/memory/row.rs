//! The columns of a row.

use crate::base::error::Result;
use crate::format::DreamId;
use crate::memory::{Memory, MemoryId, Place, Role, Source};
use crate::search::rank::{self as recall, Card};
use crate::sql::{Columns, Dialect};

/// The columns that [`memory`] reads, of a table that is called `m`.
pub(crate) const COLUMNS: &str = "m.id, m.category, m.content, m.source, m.metadata, m.shared, m.created_at, \
     m.updated_at, m.session, m.position, m.role, m.speaker, m.said_at, m.origin, m.pinned, m.cites, m.dream";

/// The number of columns.
pub(crate) const COLUMN_COUNT: usize = 17;

/// The place of the metadata among the columns.
pub(crate) const NOTES: usize = 4;

/// Reads [`COLUMNS`].
pub(crate) fn memory(found: &dyn Columns) -> Result<Memory> {
    let place = match found.maybe(8)? {
        None => None,
        Some(session) => Some(Place {
            session,
            position: found.maybe_number(9)?.and_then(|at| u64::try_from(at).ok()).unwrap_or(0),
            role: found.borrowed(10)?.map_or(Role::Other, |word| role(&word)),
            speaker: found.maybe(11)?,
            said_at: found.time(12)?,
        }),
    };
    let metadata = found.maybe(NOTES)?;
    let cites = found.borrowed(15)?.and_then(|text| serde_json::from_slice(text.as_bytes()).ok());
    Ok(Memory {
        id: MemoryId::new(found.number(0)?),
        category: found.text(1)?,
        content: found.text(2)?,
        source: found.borrowed(3)?.map(|word| Source::from(&*word)),
        metadata: metadata
            .map(|text| serde_json::from_slice(text.as_bytes()).unwrap_or(serde_json::Value::String(text))),
        place,
        shared: found.flag(5)?,
        origin: found.borrowed(13)?.and_then(|word| word.parse().ok()),
        cites: cites.unwrap_or_default(),
        dream: found.borrowed(16)?.as_deref().and_then(DreamId::parse),
        pinned: found.number(14)? > 0,
        created_at: found.time(6)?.unwrap_or_default(),
        updated_at: found.time(7)?.unwrap_or_default(),
    })
}

/// Returns the columns that [`with_card`] reads, of a table that is called `m`.
pub(crate) const fn card(words: Dialect) -> &'static str {
    words.spell(
        "m.id, m.category, m.source, m.updated_at, m.session, m.position, m.role, m.speaker, \
         octet_length(m.content), m.said_at",
        "m.id, m.category, m.source, m.updated_at, m.session, m.position, m.role, m.speaker, m.bytes, m.said_at",
    )
}

/// Gives the weighed part of a row with a known text. Its columns begin with those of [`card`].
pub(crate) fn with_card<T>(found: &dyn Columns, text: &str, take: impl FnOnce(&Card<'_>) -> T) -> Result<T> {
    let (mut take, mut taken) = (Some(take), None);
    read_card(found, text, &mut |card| taken = take.take().map(|take| take(card)))?;
    Ok(taken.expect("a card is read once"))
}

fn read_card(found: &dyn Columns, text: &str, take: &mut dyn FnMut(&Card<'_>)) -> Result<()> {
    let (category, source) = (found.borrowed(1)?, found.borrowed(2)?);
    let (session, role, speaker) = (found.borrowed(4)?, found.borrowed(6)?, found.borrowed(7)?);
    let is_typed = matches!(source.as_deref(), Some("user_manual" | "user_explicit"));
    let position = found.maybe_number(5)?.and_then(|at| u64::try_from(at).ok()).unwrap_or(0);
    take(&Card {
        id: found.number(0)?,
        text,
        bytes: u32::try_from(found.number(8)?).unwrap_or(u32::MAX),
        category: category.as_deref().unwrap_or_default(),
        said_on: found.time(9)?.map(|time| time.date_naive()),
        place: session.as_deref().map(|session| (session, position)),
        speaker: speaker.as_deref().filter(|speaker| recall::is_name(speaker)),
        own: if session.is_some() { role.as_deref() == Some("user") } else { is_typed },
        shared: false,
        touched: found.time(3)?.map_or(0, |time| time.timestamp_micros()),
    });
    Ok(())
}

/// Returns ids as numbers.
pub(crate) fn numbers(ids: &[MemoryId]) -> Vec<i64> {
    ids.iter().map(|id| id.get()).collect()
}

/// Returns the word of a role.
pub(crate) fn role_word(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Agent => "agent",
        Role::Other => "other",
    }
}

fn role(word: &str) -> Role {
    match word {
        "user" => Role::User,
        "agent" => Role::Agent,
        _ => Role::Other,
    }
}
