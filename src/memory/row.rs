//! A row: the one to write, and the one of a store.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::id::MemoryId;
use super::key::FactKey;
use super::source::Source;
use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::format::{DreamId, Origin};

/// The speaker, if a row is a part of a conversation or journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The human.
    User,
    /// The agent.
    Agent,
    /// A tool, a page, an import: nobody's own words.
    Other,
}

/// The place of a row in a conversation, so that a search can weigh its neighbours and its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The conversation or journal.
    pub session: String,
    /// The position in it, ascending.
    pub position: u64,
    /// The speaker.
    pub role: Role,
    /// The speaker's name, where there is one. It is searched too.
    pub speaker: Option<String>,
    /// When it was said. Its date is searched too.
    pub said_at: Option<DateTime<Utc>>,
}

/// A row to write.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewMemory {
    /// The kind of memory: one of [`categories`](super::categories), or a word of the host's.
    pub category: String,
    /// The remembered text.
    pub content: String,
    /// The source of the row.
    pub source: Source,
    /// Notes of the host, as JSON; never trusted.
    pub metadata: Option<serde_json::Value>,
    /// The place where it was said.
    pub place: Option<Place>,
    /// Whether sessions with others present may find it. Private by default.
    pub shared: bool,
    /// The origin of the words. The host says it, never the model.
    pub origin: Option<Origin>,
    /// Why it is written, for the audit.
    pub reason: Option<String>,
    /// The subject and property that it is about, if it states a fact.
    pub about: Option<FactKey>,
    /// Since when it is true, where that is known.
    pub valid_from: Option<DateTime<Utc>>,
    /// The lines that it was taken from.
    pub cites: Vec<SourceRef>,
    /// The dream that promoted it.
    pub dream: Option<DreamId>,
}

impl NewMemory {
    /// Makes a private row.
    pub fn new(category: impl Into<String>, content: impl Into<String>, source: Source) -> Self {
        Self {
            category: category.into(),
            content: content.into(),
            source,
            metadata: None,
            place: None,
            shared: false,
            origin: None,
            reason: None,
            about: None,
            valid_from: None,
            cites: Vec::new(),
            dream: None,
        }
    }

    /// Sets where it was said.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Lets sessions with others present find it.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Sets the origin of the words.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Sets the host's notes.
    #[must_use]
    pub fn metadata(mut self, metadata: serde_json::Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Says why, for the audit.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Says what it is about, where it states a fact.
    #[must_use]
    pub fn about(mut self, key: FactKey) -> Self {
        self.about = Some(key);
        self
    }

    /// Sets the time since which it is true.
    #[must_use]
    pub fn valid_from(mut self, time: DateTime<Utc>) -> Self {
        self.valid_from = Some(time);
        self
    }

    /// Names the lines that it was taken from.
    #[must_use]
    pub fn cites(mut self, lines: Vec<SourceRef>) -> Self {
        self.cites = lines;
        self
    }

    /// Names the dream that promoted it.
    #[must_use]
    pub fn of_dream(mut self, dream: DreamId) -> Self {
        self.dream = Some(dream);
        self
    }

    /// Returns the origin of the words: as it was said, and what is imported came by an import.
    pub(crate) fn came_by(&self) -> Option<Origin> {
        let is_imported = self.source.as_str() == Source::Imported.as_str();
        self.origin.clone().or(is_imported.then_some(Origin::Import))
    }
}

debug_as!(NewMemory, |it| "NewMemory {{ {}, {} bytes, {:?} }}", it.category, it.content.len(), it.source);

/// A row.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// The kind of memory.
    pub category: String,
    /// The remembered text.
    pub content: String,
    /// The source; `None` if another program did not say.
    pub source: Option<Source>,
    /// Notes of the host.
    pub metadata: Option<serde_json::Value>,
    /// The place where it was said.
    pub place: Option<Place>,
    /// Whether sessions with others present may find it.
    pub shared: bool,
    /// The origin of the words, if it was given.
    pub origin: Option<Origin>,
    /// The lines that it was taken from.
    pub cites: Vec<SourceRef>,
    /// The dream that promoted it.
    pub dream: Option<DreamId>,
    /// Whether every [`snapshot`](crate::MemoryStore::snapshot) begins with it.
    pub pinned: bool,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its content last changed.
    pub updated_at: DateTime<Utc>,
}

impl Memory {
    /// Makes a row as a store keeps it right after the write.
    #[must_use]
    pub fn new(id: MemoryId, written: NewMemory, now: DateTime<Utc>) -> Self {
        let origin = written.came_by();
        let NewMemory { category, content, source, metadata, place, shared, cites, dream, .. } = written;
        Self {
            id,
            category,
            content,
            source: Some(source),
            metadata,
            place,
            shared,
            origin,
            cites,
            dream,
            pinned: false,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns whether its words are somebody's own: not those of a tool, a page or an import.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.origin.as_ref().is_none_or(Origin::is_trusted)
            && self.source.as_ref().is_none_or(|source| source.as_str() != Source::Imported.as_str())
    }
}

impl Memory {
    /// Returns the name of the participant who said it; `None` where it was imported.
    pub(crate) fn participant(&self) -> Option<&str> {
        let is_imported =
            self.source.as_ref().is_some_and(|source| source.as_str() == Source::Imported.as_str());
        if is_imported { None } else { Origin::participant(self.origin.as_ref()) }
    }
}

debug_as!(Memory, |it| "Memory {{ {}, {}, {} bytes }}", it.id, it.category, it.content.len());
