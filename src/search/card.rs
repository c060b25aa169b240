//! A row of a store as the ranking sees it.

use super::rank::{Card, is_name};
use crate::memory::{Memory, Role, Source};

/// Gives the card of a row.
pub(crate) fn with_card<T>(memory: &Memory, take: impl FnOnce(&Card<'_>) -> T) -> T {
    let place = memory.place.as_ref();
    let is_typed = matches!(memory.source, Some(Source::UserManual | Source::UserExplicit));
    take(&Card {
        category: &memory.category,
        said_on: place.and_then(|place| place.said_at).map(|said_at| said_at.date_naive()),
        place: place.map(|place| (place.session.as_str(), place.position)),
        speaker: place.and_then(|place| place.speaker.as_deref()).filter(|speaker| is_name(speaker)),
        own: place.map_or(is_typed, |place| place.role == Role::User),
        shared: memory.shared,
        touched: memory.updated_at.timestamp_micros(),
        ..Card::of(memory.id.get(), &memory.content)
    })
}
