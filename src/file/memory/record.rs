//! A line of the file: `{"at":"2026-11-21T09:00:00Z","actor":"agent","op":"written","id":1,…}`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::row::Stated;
use crate::base::access::{Actor, Scope, SessionKind};
use crate::base::document::SourceRef;
use crate::base::error::{Error, Result, corrupt};
use crate::base::name::StateName;
use crate::base::spread::Spread;
use crate::base::word::from_word;
use crate::facts::{ConsolidationEvent, FactKey, Suspect};
use crate::format::{DreamId, Origin};
use crate::gate::{Tombstone, TombstoneKey, signature};
use crate::memory::{AuditEntry, AuditOutcome, LearningId, Memory, MemoryId, NewMemory, Place, Source};
use crate::store::fact;
use crate::store::forget::{Burial, REMOVED, strings};
use crate::store::parts::Doubles;
use crate::store::practice::Kept;

/// The version of the file.
pub(super) const VERSION: u64 = 1;

/// A change, and what the audit says of it.
#[derive(Clone, Serialize)]
pub(super) struct Record {
    pub at: DateTime<Utc>,
    pub actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SessionKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its keys are behind those of the record.
    #[serde(skip)]
    pub change: Change,
}

/// A change. Content is missing where it was purged.
#[derive(Clone, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Change {
    /// The first line.
    Opened {
        version: u64,
        scope: Scope,
        /// Whether a merge of two machines has numbered the lines anew.
        #[serde(default, skip_serializing_if = "is_false")]
        merged: bool,
    },
    /// A new row; its source is the record's.
    Written(Box<NewRow>),
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
        /// The rows that it may contradict, of those written meanwhile.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        suspects: Vec<Suspect>,
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
    /// A value of the profile; it is missing where it was forgotten.
    Profile {
        key: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A new learning; its words are missing where it was forgotten.
    Learned {
        id: LearningId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// Parts of the learning loop: what the audit says of it, and what is new.
    Practised {
        action: String,
        kept: Vec<Kept>,
    },
    /// A statement, by its tombstone, and the rows that said it: no line has their words now.
    Forgot {
        ids: Vec<MemoryId>,
        stone: Tombstone,
        key: TombstoneKey,
    },
    /// A tombstone was taken back.
    Lifted {
        stone: Tombstone,
    },
    /// The decisions on facts, in their order.
    Ruled {
        events: Vec<ConsolidationEvent>,
    },
    /// Something that was not done.
    Refused {
        action: String,
        why: AuditOutcome,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<MemoryId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
}

/// A new row as its line says it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct NewRow {
    pub id: MemoryId,
    /// The record's, where its line was read as a row.
    #[serde(default, skip_serializing)]
    pub source: Option<Source>,
    pub category: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<FactKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<SourceRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dream: Option<DreamId>,
    /// Rows that it may contradict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
}

impl Record {
    pub(super) fn new(entry: AuditEntry, change: Change) -> Self {
        let AuditEntry { at, actor, kind, source, reason, .. } = entry;
        // As its line is read.
        let source = source.map(|source| Source::from(source.as_str()));
        Self { at, actor, kind, source, reason, change }
    }

    /// Makes the first line of a file.
    pub(super) fn opened(at: DateTime<Utc>, scope: &Scope) -> Self {
        let change = Change::Opened { version: VERSION, scope: scope.clone(), merged: false };
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
        const PLAIN: &str = "plain data with text keys is always JSON";
        let (mut front, change) =
            (serde_json::to_string(self).expect(PLAIN), serde_json::to_string(&self.change).expect(PLAIN));
        front.pop();
        front + "," + &change[1..] + "\n"
    }

    /// Returns the row that it makes, and what it may contradict.
    pub(super) fn row(self) -> Option<(Memory, Stated, Vec<Suspect>)> {
        let Change::Written(row) = self.change else { return None };
        let NewRow { id, category, content, metadata, place, shared, origin, about, valid_from, .. } = *row;
        let content = content?;
        let status = fact::first_status(&category, self.source.as_ref());
        let stated = Stated { about, valid_from, status };
        let memory = Memory {
            id,
            category,
            content,
            source: self.source,
            metadata,
            place,
            shared,
            origin,
            cites: row.cites,
            dream: row.dream,
            pinned: false,
            created_at: self.at,
            updated_at: self.at,
        };
        Some((memory, stated, row.suspects))
    }

    /// Returns the line without forgotten statements. They are removed from reasons, the profile, earlier words of
    /// a row, and the audit of a removed row.
    pub(super) fn struck(mut self, burial: &Burial) -> Option<Self> {
        let holds = &|text: &str| burial.holds(text);
        let mut is_struck = false;
        let mut strike = |text: &mut Option<String>| {
            if text.as_deref().is_some_and(holds) {
                *text = None;
                is_struck = true;
            }
        };
        strike(&mut self.reason);
        match &mut self.change {
            Change::Profile { key, value } => {
                if holds(key) && value.is_some() {
                    (*key, *value) = (String::new(), None);
                    is_struck = true;
                } else {
                    is_struck |= value.as_deref().is_some_and(holds);
                    burial.strike_maybe(value);
                }
            }
            Change::Learned { content: said, context, .. }
                if said.as_deref().is_some_and(holds) || context.as_deref().is_some_and(holds) =>
            {
                burial.strike_maybe(context);
                burial.strike_maybe(said);
                if said.is_none() {
                    *context = None;
                }
                is_struck = true;
            }
            Change::Practised { kept, .. } => {
                for kept in kept {
                    if let Some(without) = kept.struck(burial) {
                        *kept = without;
                        is_struck = true;
                    }
                }
            }
            Change::Ruled { events } => events.iter_mut().for_each(|event| strike(&mut event.reason)),
            Change::Updated { content, .. } => strike(content),
            Change::Written(row) => {
                if row.content.as_deref().is_some_and(holds) {
                    // Not missing: the row stands, and a later line says its words.
                    row.content = Some(String::new());
                    is_struck = true;
                }
                if holds(&row.category) {
                    row.category.clear();
                    is_struck = true;
                }
                is_struck |= strike_origin(&mut row.origin, holds);
            }
            Change::Refused { origin, .. } => is_struck |= strike_origin(origin, holds),
            _ => {}
        }
        if self.source.as_ref().is_some_and(|source| holds(source.as_str())) {
            self.source = None;
            is_struck = true;
        }
        is_struck.then_some(self)
    }

    /// Returns the line without the parts that say the same as another one from now on.
    pub(super) fn without(mut self, doubles: &Doubles) -> Self {
        match &mut self.change {
            Change::Learned { id, content, context } if doubles.has_learning(*id) => {
                (*content, *context) = (None, None);
            }
            Change::Practised { kept, .. } => {
                for kept in kept {
                    doubles.leave(kept);
                }
            }
            _ => {}
        }
        self
    }

    /// Returns the line without the words of these rows, which ascend; `None` where it has none of theirs.
    pub(super) fn forgetting(mut self, rows: &[MemoryId]) -> Option<Self> {
        match &mut self.change {
            Change::Written(row) if rows.binary_search(&row.id).is_ok() => {
                (row.content, row.metadata, row.place, row.about) = (None, None, None, None);
                row.cites.clear();
            }
            Change::Updated { id, content } if rows.binary_search(id).is_ok() => *content = None,
            _ => return None,
        }
        Some(self)
    }

    /// Returns the [signature] of all that it says, except [names](Self::names), its conversation and its speaker.
    pub(super) fn signature(&self) -> u64 {
        let mut texts: Vec<String> = Vec::new();
        let mut bits = self.reason.as_deref().map_or(0, signature);
        match &self.change {
            Change::Written(row) => {
                bits |= row.content.as_deref().map_or(0, signature);
                texts.extend(row.cites.iter().map(ToString::to_string));
                texts.extend(row.about.iter().spread(|key| [key.subject.clone(), key.slot.clone()]));
                if let Some(metadata) = &row.metadata {
                    texts.push(metadata.to_string());
                    strings(metadata, &mut texts);
                }
            }
            Change::Updated { content, .. } => bits |= content.as_deref().map_or(0, signature),
            Change::Profile { key, value } => {
                bits |= signature(key) | value.as_deref().map_or(0, signature);
            }
            Change::Learned { content, context, .. } => {
                bits |= content.iter().chain(context).fold(0, |bits, text| bits | signature(text));
            }
            Change::Practised { kept, .. } => {
                let texts = kept.iter().spread(Kept::texts);
                bits |= texts.fold(0, |bits, text| bits | signature(text));
            }
            Change::Ruled { events } => {
                let reasons = events.iter().filter_map(|event| event.reason.as_deref());
                bits |= reasons.fold(0, |bits, reason| bits | signature(reason));
            }
            _ => {}
        }
        texts.iter().fold(bits, |bits, text| bits | signature(text))
    }

    /// Gives the category, source and origin, which many lines say. They stay in the line of a row that is gone.
    pub(super) fn names(&self, mut take: impl FnMut(&str)) {
        let mut origin = None;
        match &self.change {
            Change::Written(row) => {
                take(&row.category);
                origin = row.origin.as_ref();
            }
            Change::Refused { origin: of_refused, .. } => origin = of_refused.as_ref(),
            _ => {}
        }
        if let Some(source) = &self.source {
            take(source.as_str());
        }
        if let Some(origin) = origin {
            take(&origin.to_string());
        }
    }

    /// Returns its entries in the audit, the latest first: a purge has a line for each row.
    pub(super) fn entries(self) -> Vec<AuditEntry> {
        let Self { at, actor, kind, source, reason, change } = self;
        let entry = |action: &str, id| AuditEntry {
            at,
            actor,
            kind,
            action: action.to_owned(),
            outcome: AuditOutcome::Done,
            id,
            source: source.clone(),
            origin: None,
            reason: reason.clone(),
        };
        vec![match change {
            // Decisions are told apart.
            Change::Opened { .. } | Change::Ruled { .. } => return Vec::new(),
            Change::Purged { ids } => {
                return ids.into_iter().rev().map(|id| entry(REMOVED, Some(id))).collect();
            }
            Change::Written(row) => {
                AuditEntry { origin: row.origin.clone(), ..entry("memory_write", Some(row.id)) }
            }
            Change::Updated { id, .. } => entry("memory_update", Some(id)),
            Change::Deleted { id } => entry("memory_delete", Some(id)),
            Change::Restored { id, .. } => entry("memory_restore", Some(id)),
            Change::Pinned { id } => entry("memory_pin", Some(id)),
            Change::Unpinned { id } => entry("memory_unpin", Some(id)),
            Change::Profile { .. } => entry("profile_write", None),
            Change::Learned { .. } => entry("memory_learn", None),
            Change::Practised { action, .. } => entry(&action, None),
            Change::Forgot { ids, .. } => {
                let gone = ids.into_iter().rev().map(|id| entry(REMOVED, Some(id)));
                return std::iter::once(entry("memory_forget", None)).chain(gone).collect();
            }
            Change::Lifted { .. } => entry("memory_lift", None),
            Change::Refused { action, why, id, origin } => {
                AuditEntry { outcome: why, origin, ..entry(&action, id) }
            }
        }]
    }
}

/// Returns whether a file came of a merge of two machines.
pub(super) fn is_merged(file: &[u8]) -> bool {
    let first = file.split(|byte| *byte == b'\n').next().and_then(|line| Record::read(line).ok());
    matches!(first, Some(Record { change: Change::Opened { merged: true, .. }, .. }))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

fn strike_origin(origin: &mut Option<Origin>, holds: &dyn Fn(&str) -> bool) -> bool {
    let is_struck = origin.as_ref().is_some_and(|origin| holds(&origin.to_string()));
    if is_struck {
        *origin = None;
    }
    is_struck
}

impl Change {
    pub(super) fn written(id: MemoryId, memory: &NewMemory, suspects: Vec<Suspect>) -> Self {
        Self::Written(Box::new(NewRow {
            id,
            source: None,
            category: memory.category.clone(),
            content: Some(memory.content.clone()),
            metadata: memory.metadata.clone(),
            place: memory.place.clone(),
            shared: memory.shared,
            origin: memory.came_by(),
            about: memory.about.clone(),
            valid_from: memory.valid_from,
            cites: memory.cites.clone(),
            dream: memory.dream.clone(),
            suspects,
        }))
    }

    /// Returns whether it adds words. A change that removes rows has room also in a file that is full.
    pub(super) fn adds(&self) -> bool {
        match self {
            Self::Opened { .. }
            | Self::Written(_)
            | Self::Updated { .. }
            | Self::Profile { .. }
            | Self::Learned { .. }
            | Self::Practised { .. }
            | Self::Refused { .. } => true,
            Self::Deleted { .. }
            | Self::Restored { .. }
            | Self::Pinned { .. }
            | Self::Unpinned { .. }
            | Self::Ruled { .. }
            | Self::Forgot { .. }
            | Self::Lifted { .. }
            | Self::Purged { .. } => false,
        }
    }
}

/// Parses a line; the error says which one is damaged.
pub(super) fn parsed(line: &[u8], number: usize) -> Result<Record> {
    // Some editors put a byte order mark in front.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    Record::read(line).map_err(|error| {
        let Error::Corrupt { name, column, what, .. } = corrupt(StateName::MEMORIES.as_str(), &error) else {
            unreachable!("it makes nothing else");
        };
        // A line that lacks something lacks it at its end.
        let column = if column > 0 { column } else { line.trim_ascii_end().len().saturating_sub(1) };
        Error::Corrupt { name, line: number, column, what }
    })
}

/// The parts of a line that each has.
#[derive(Deserialize)]
struct Head {
    at: DateTime<Utc>,
    actor: Actor,
    kind: Option<SessionKind>,
    source: Option<Source>,
    reason: Option<String>,
    op: String,
}

/// The parts of the lines that are no new rows; `op` says which of them a line has.
#[derive(Deserialize)]
struct Parts {
    version: Option<u64>,
    scope: Option<Scope>,
    merged: Option<bool>,
    id: Option<i64>,
    ids: Option<Vec<MemoryId>>,
    content: Option<String>,
    context: Option<String>,
    key: Option<String>,
    value: Option<String>,
    action: Option<String>,
    kept: Option<Vec<Kept>>,
    stone: Option<Tombstone>,
    events: Option<Vec<ConsolidationEvent>>,
    why: Option<AuditOutcome>,
    origin: Option<Origin>,
    suspects: Option<Vec<Suspect>>,
}

impl Parts {
    /// Returns the change of a kind; `None` where a part is missing, and for an unknown kind.
    fn change(self, op: &str) -> Option<Change> {
        let id = self.id.map(MemoryId::new);
        Some(match op {
            "opened" => Change::Opened {
                version: self.version?,
                scope: self.scope?,
                merged: self.merged.unwrap_or_default(),
            },
            "updated" => Change::Updated { id: id?, content: self.content },
            "deleted" => Change::Deleted { id: id? },
            "restored" => Change::Restored { id: id?, suspects: self.suspects.unwrap_or_default() },
            "pinned" => Change::Pinned { id: id? },
            "unpinned" => Change::Unpinned { id: id? },
            "purged" => Change::Purged { ids: self.ids? },
            "profile" => Change::Profile { key: self.key?, value: self.value },
            "learned" => Change::Learned {
                id: LearningId::new(self.id?),
                content: self.content,
                context: self.context,
            },
            "practised" => Change::Practised { action: self.action?, kept: self.kept? },
            "forgot" => {
                let key = from_word(&self.key?)?;
                Change::Forgot { ids: self.ids?, stone: self.stone?, key }
            }
            "lifted" => Change::Lifted { stone: self.stone? },
            "ruled" => Change::Ruled { events: self.events? },
            "refused" => Change::Refused { action: self.action?, why: self.why?, id, origin: self.origin },
            _ => return None,
        })
    }
}

impl Record {
    /// Parses a line twice, for its head and for its change. That costs less than to hold each value until the kind of
    /// the change is known.
    pub(super) fn read(line: &[u8]) -> serde_json::Result<Self> {
        let Head { at, actor, kind, source, reason, op } = serde_json::from_slice(line)?;
        let change = if op == "written" {
            Change::Written(serde_json::from_slice(line)?)
        } else {
            let change = serde_json::from_slice::<Parts>(line)?.change(&op);
            change.ok_or_else(|| serde::de::Error::custom("a part is missing"))?
        };
        Ok(Self { at, actor, kind, source, reason, change })
    }
}
