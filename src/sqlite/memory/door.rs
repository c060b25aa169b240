//! The one door of a store: who may write what, and the record of it.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

use super::Inner;
use super::row::stamp;
use crate::access::{Access, Actor, SessionKind};
use crate::error::{Error, Result};
use crate::gate::{Door, DoorPolicy, InjectionPolicy, Masks, SecretPolicy};
use crate::memory::{MemoryId, NewMemory, Source};
use crate::name::{Name, StateName};
use crate::text;

/// The longest category, key of a profile, or reason, in bytes.
const LONGEST_WORD: usize = 128;
const LONGEST_REASON: usize = 1024;

/// A line of the audit.
#[derive(Clone)]
pub(super) struct Entry<'a> {
    pub(super) access: Option<&'a Access>,
    pub(super) action: &'static str,
    pub(super) id: Option<MemoryId>,
    pub(super) source: Option<&'a Source>,
    pub(super) origin: Option<String>,
    pub(super) reason: Option<&'a str>,
    pub(super) now: DateTime<Utc>,
}

impl Inner {
    /// What errors call a row.
    pub(super) fn row_name(id: Option<MemoryId>) -> Name {
        match id {
            Some(id) => StateName::row("memories", id).into(),
            None => StateName::row("memories", "new").into(),
        }
    }

    /// Refuses whoever is not in a main session of this store's scope.
    pub(super) fn main_only(&self, access: &Access, name: Name) -> Result<()> {
        if access.kind == SessionKind::Main && access.scope == self.scope {
            return Ok(());
        }
        Err(Error::Denied { name, kind: access.kind })
    }

    /// Says whether a row may come in.
    pub(super) fn admit(&self, access: &Access, memory: &NewMemory) -> Result<()> {
        let name = Self::row_name(None);
        if access.scope != self.scope
            || !memory.source.may_be_claimed(access.actor)
            || self.config.refused.contains(&Source::of(memory.source.word()))
        {
            return Err(Error::Denied { name, kind: access.kind });
        }
        check_word("category", &memory.category)?;
        check_word("source", memory.source.word())?;
        let notes = memory.metadata.as_ref().map(ToString::to_string).unwrap_or_default();
        let speaker = memory.place.as_ref().and_then(|place| place.speaker.as_deref()).unwrap_or_default();
        let session = memory.place.as_ref().map_or(0, |place| place.session.len());
        let beside = [&memory.category, memory.source.word(), speaker, &notes].join("\n");
        self.admit_text(&name, &memory.content, beside.len() + session)?;
        // Not the session: it is an id of the host's, and ids look like keys.
        self.config.doors.pass(Door::StoreWrite, &name, &beside)?;
        Ok(())
    }

    /// Says whether a text may come in, with so many bytes beside it.
    pub(super) fn admit_text(&self, name: &Name, content: &str, beside: usize) -> Result<()> {
        if content.trim().is_empty() {
            return Err(Error::Config { setting: "content", rule: "must not be empty" });
        }
        let (len, limit) = (content.len() + beside, self.config.max_row_bytes);
        if len > limit {
            return Err(Error::TooLarge { name: name.clone(), len: len as u64, limit: limit as u64 });
        }
        self.config.doors.pass(Door::StoreWrite, name, content)?;
        Ok(())
    }

    /// Records a refusal, and hands it on. Where the record cannot be written, the refusal still counts.
    pub(super) fn refused(&self, entry: &Entry<'_>, error: Error) -> Error {
        let why = match &error {
            Error::Stopped { classes, .. } => format!("refused: {}", classes.join(", ")),
            Error::TooLarge { .. } => "refused: too large".to_owned(),
            Error::Denied { .. } => "refused: denied".to_owned(),
            Error::Config { setting, .. } => format!("refused: {setting}"),
            // No refusal but a failure.
            _ => return error,
        };
        let _ = self.change(entry.action, |connection| self.record(connection, entry, &why));
        error
    }

    /// Adds a line to the audit, in the transaction of what it tells of.
    pub(super) fn record(
        &self,
        connection: &Connection,
        entry: &Entry<'_>,
        outcome: &str,
    ) -> rusqlite::Result<()> {
        let actor = match entry.access.map_or(Actor::Library, |access| access.actor) {
            Actor::Human => "human",
            Actor::Agent => "agent",
            Actor::Library => "library",
        };
        let kind = entry.access.map(|access| match access.kind {
            SessionKind::Main => "main",
            SessionKind::Shared => "shared",
            SessionKind::Subagent => "subagent",
            SessionKind::Scheduled => "scheduled",
        });
        // Whoever is refused may write anything into these.
        let source = entry.source.map(|source| match source {
            Source::Other(word) => self.masked(word, LONGEST_WORD),
            known => known.word().to_owned(),
        });
        let reason = entry.reason.map(|reason| self.masked(reason, LONGEST_REASON));
        connection
            .prepare_cached(
                "INSERT INTO memory_audit (created_at, user_id, agent_id, actor, session_kind, action, outcome,
                   memory_id, source, origin, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                stamp(entry.now),
                self.user,
                self.agent,
                actor,
                kind,
                entry.action,
                outcome,
                entry.id.map(MemoryId::get),
                source,
                entry.origin,
                reason
            ])?;
        Ok(())
    }

    /// A text of an audit line: short, without secrets and instructions. (seed 003, Safety properties)
    fn masked(&self, text: &str, longest: usize) -> String {
        let policy = DoorPolicy::new(SecretPolicy::Redact, InjectionPolicy::Block);
        let name = Self::row_name(None);
        // A secret is masked before it could be cut in two.
        match self.config.doors.judge(Door::StoreWrite, policy, &name, text, &mut Masks::default()) {
            Ok(passed) => passed.text[..text::floor_boundary(&passed.text, longest)].to_owned(),
            Err(_) => "[REDACTED]".to_owned(),
        }
    }
}

/// Refuses what cannot be a category or a key: it is printed before what it names, on the same line.
pub(super) fn check_word(setting: &'static str, word: &str) -> Result<()> {
    let is_plain = |c: char| !c.is_control() && !text::is_invisible(c) && !matches!(c, '[' | ']' | '<' | '>');
    let rule = if word.trim().is_empty() {
        "must not be empty"
    } else if word.len() > LONGEST_WORD {
        "must have at most 128 bytes"
    } else if !word.chars().all(is_plain) {
        "must be one line without brackets"
    } else {
        return Ok(());
    };
    Err(Error::Config { setting, rule })
}
