//! A line of the file: `{"at":"2026-11-21T09:00:00Z","actor":"agent","op":"written","id":1,…}`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::access::{Actor, Scope, SessionKind};
use crate::format::Origin;
use crate::memory::{Memory, MemoryId, NewMemory, Place, Source};

/// The version of the file.
pub(super) const VERSION: u64 = 1;

/// A change, and what the audit says of it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub at: DateTime<Utc>,
    pub actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SessionKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(flatten)]
    pub change: Change,
}

/// A change. Content is missing where it was purged.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Change {
    /// The first line.
    Opened {
        version: u64,
        scope: Scope,
    },
    /// A new row; its source is the record's.
    Written {
        id: MemoryId,
        category: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metadata: Option<serde_json::Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        #[serde(default)]
        shared: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// New content of a row.
    Updated {
        id: MemoryId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    Deleted {
        id: MemoryId,
    },
    Restored {
        id: MemoryId,
    },
    Purged {
        id: MemoryId,
    },
    Profile {
        key: String,
        value: String,
    },
    /// Something that was not done.
    Refused {
        what: String,
        why: String,
    },
}

impl Record {
    pub(super) fn of_library(at: DateTime<Utc>) -> Self {
        let change = Change::Refused { what: String::new(), why: String::new() };
        Self { at, actor: Actor::Library, kind: None, source: None, reason: None, change }
    }

    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys is always JSON")
    }

    /// The row that it makes.
    pub(super) fn memory(self) -> Option<Memory> {
        let Change::Written { id, category, content: Some(content), metadata, place, shared, origin } =
            self.change
        else {
            return None;
        };
        Some(Memory {
            id,
            category,
            content,
            source: self.source,
            metadata,
            place,
            shared,
            origin,
            created_at: self.at,
            updated_at: self.at,
        })
    }
}

impl Change {
    pub(super) fn written(id: MemoryId, memory: &NewMemory) -> Self {
        Self::Written {
            id,
            category: memory.category.clone(),
            content: Some(memory.content.clone()),
            metadata: memory.metadata.clone(),
            place: memory.place.clone(),
            shared: memory.shared,
            origin: memory.origin.clone(),
        }
    }
}
