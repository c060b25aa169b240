//! What is indexed of a row of a store.

use chrono::{DateTime, Utc};

use crate::memory::{Memory, Place, Role, Source};

/// What is indexed of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Card<'a> {
    /// The row's id.
    pub id: i64,
    /// What it says.
    pub text: &'a str,
    /// What is searched beside it, such as a date.
    pub header: &'a str,
    /// The conversation, and the position in it.
    pub place: Option<(&'a str, u64)>,
    /// Who says it.
    pub speaker: Option<&'a str>,
    /// Whether it is the human's own word.
    pub own: bool,
    /// Whether sessions with others present may find it.
    pub shared: bool,
    /// When it was last changed, as a number that grows.
    pub touched: i64,
}

impl Card<'_> {
    /// Gives the card of a row: beside its words its category, who says it, and the date.
    pub(crate) fn with<T>(memory: &Memory, take: impl FnOnce(&Card<'_>) -> T) -> T {
        let place = memory.place.as_ref();
        let header = match place.and_then(|place| place.said_at) {
            Some(said_at) => format!("{} {}", memory.category, date(said_at)),
            None => memory.category.clone(),
        };
        let is_typed = matches!(memory.source, Some(Source::UserManual | Source::UserExplicit));
        take(&Card {
            id: memory.id.get(),
            text: &memory.content,
            header: &header,
            place: place.map(|place| (place.session.as_str(), place.position)),
            speaker: place.and_then(speaker),
            own: place.map_or(is_typed, |place| place.role == Role::User),
            shared: memory.shared,
            touched: memory.updated_at.timestamp_micros(),
        })
    }
}

/// A day in the words that people ask for it.
pub(crate) fn date(said_at: DateTime<Utc>) -> String {
    said_at.format("%-d %B %Y %Y-%m-%d").to_string()
}

/// Who says it, where somebody was named.
pub(crate) fn speaker(place: &Place) -> Option<&str> {
    place.speaker.as_deref().filter(|speaker| !ROLES.contains(&speaker.to_lowercase().as_str()))
}

/// What stands for a name where nobody was named.
const ROLES: [&str; 8] = ["user", "human", "assistant", "agent", "ai", "system", "tool", "bot"];
