//! A line of the file: `{"at":"2026-11-21T09:00:00Z","actor":"agent","op":"written","id":1,…}`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::access::{Actor, Scope, SessionKind};
use crate::format::Origin;
use crate::memory::{AuditEntry, Memory, MemoryId, NewMemory, Place, Source};

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
    Pinned {
        id: MemoryId,
    },
    Unpinned {
        id: MemoryId,
    },
    /// All rows of one purge: a line is there whole or not at all.
    Purged {
        ids: Vec<MemoryId>,
    },
    Profile {
        key: String,
        value: String,
    },
    /// Something that was not done.
    Refused {
        action: String,
        why: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<MemoryId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
}

impl Record {
    pub(super) fn new(entry: AuditEntry, change: Change) -> Self {
        let AuditEntry { at, actor, kind, source, reason, .. } = entry;
        Self { at, actor, kind, source, reason, change }
    }

    /// The first line of a file.
    pub(super) fn opened(at: DateTime<Utc>, scope: &Scope) -> Self {
        let change = Change::Opened { version: VERSION, scope: scope.clone() };
        Self { at, actor: Actor::Library, kind: None, source: None, reason: None, change }
    }

    pub(super) fn refused(entry: AuditEntry) -> Self {
        let change = Change::Refused {
            action: entry.action.clone(),
            why: entry.outcome.clone(),
            id: entry.id,
            origin: entry.origin.clone(),
        };
        Self::new(entry, change)
    }

    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys is always JSON") + "\n"
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
            pinned: false,
            created_at: self.at,
            updated_at: self.at,
        })
    }

    /// The line without the words of these rows, which ascend; `None` where it has none of theirs.
    pub(super) fn forgetting(mut self, rows: &[MemoryId]) -> Option<Self> {
        match &mut self.change {
            Change::Written { id, content, metadata, place, .. } if rows.binary_search(id).is_ok() => {
                (*content, *metadata, *place) = (None, None, None);
            }
            Change::Updated { id, content } if rows.binary_search(id).is_ok() => *content = None,
            _ => return None,
        }
        Some(self)
    }

    /// What the audit says of it, the latest first: a purge has a line for each row.
    pub(super) fn entries(self) -> Vec<AuditEntry> {
        let Self { at, actor, kind, source, reason, change } = self;
        let entry = |action: &str, id| AuditEntry {
            at,
            actor,
            kind,
            action: action.to_owned(),
            outcome: "done".to_owned(),
            id,
            source: source.clone(),
            origin: None,
            reason: reason.clone(),
        };
        vec![match change {
            Change::Opened { .. } => return Vec::new(),
            Change::Purged { ids } => {
                return ids.into_iter().rev().map(|id| entry("memory_removed", Some(id))).collect();
            }
            Change::Written { id, origin, .. } => AuditEntry { origin, ..entry("memory_write", Some(id)) },
            Change::Updated { id, .. } => entry("memory_update", Some(id)),
            Change::Deleted { id } => entry("memory_delete", Some(id)),
            Change::Restored { id } => entry("memory_restore", Some(id)),
            Change::Pinned { id } => entry("memory_pin", Some(id)),
            Change::Unpinned { id } => entry("memory_unpin", Some(id)),
            Change::Profile { .. } => entry("profile_write", None),
            Change::Refused { action, why, id, origin } => {
                AuditEntry { outcome: why, origin, ..entry(&action, id) }
            }
        }]
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
            origin: memory.came_by(),
        }
    }

    /// Whether it adds words. What takes rows away has room also in a file that is full.
    pub(super) fn adds(&self) -> bool {
        match self {
            Self::Opened { .. }
            | Self::Written { .. }
            | Self::Updated { .. }
            | Self::Profile { .. }
            | Self::Refused { .. } => true,
            Self::Deleted { .. }
            | Self::Restored { .. }
            | Self::Pinned { .. }
            | Self::Unpinned { .. }
            | Self::Purged { .. } => false,
        }
    }
}
