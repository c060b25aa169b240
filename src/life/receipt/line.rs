//! A receipt as one line of JSON in `.dreaming.d/receipts.jsonl`.
//!
//! ```text
//! {"v":1,"at":"2026-11-21T09:00:00Z","reply":"5fe1…","session":"9b1f…","turn":1,"kind":"main","rules":{…},
//!  "shown":[{"by":"prompt","source":{"lines":{"at":{"name":"SOUL.md","first_line":1,"last_line":3}}},"hash":"77a0…"}],
//!  "left_out":[{"by":"prompt","source":{"document":"USER.md"},"reason":{"budget":{"chars":3000,"shown":1200}}}]}
//! ```
//!
//! The names of reply and session are keyed hashes, since a host may call them anything.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::source::{LeftOut, ReplySource, Shown};
use crate::base::access::{Actor, SessionKind};
use crate::base::name::StateName;
use crate::gate::Tombstones;

/// The version of lines that this library writes, and the latest that it reads.
const VERSION: u64 = 1;

/// A receipt of one reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReceiptLine {
    v: u64,
    pub(super) at: DateTime<Utc>,
    pub(super) reply: String,
    pub(super) session: String,
    /// The number of the reply in its session, from 1.
    pub(super) turn: u64,
    pub(super) kind: SessionKind,
    pub(super) rules: ShownRules,
    pub(super) shown: Vec<Shown>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<LeftOut>,
}

/// The rules by which a session's texts were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownRules {
    /// Who acted in the session.
    pub actor: Actor,
    /// The most characters of one document in a prompt.
    pub max_file_chars: u64,
    /// The most characters of all documents in a prompt.
    pub max_chars: u64,
    /// The days before today whose journals are in a prompt.
    pub journal_days: u32,
    /// The treatment of secrets in a prompt: `redact`, `warn` or `allow`.
    pub secrets: String,
    /// The treatment of instructions in a prompt: `block`, `warn` or `allow`.
    pub injections: String,
}

impl ReceiptLine {
    pub(super) fn of(
        at: DateTime<Utc>,
        reply: String,
        session: String,
        kind: SessionKind,
        rules: ShownRules,
    ) -> Self {
        let (shown, left_out) = (Vec::new(), Vec::new());
        Self { v: VERSION, at, reply, session, turn: 0, kind, rules, shown, left_out }
    }

    /// Parses a line; `None` for one that is torn, or of a later version.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        serde_json::from_slice(line.as_bytes()).ok().filter(|line: &Self| line.v <= VERSION)
    }

    pub(crate) fn print(&self) -> String {
        serde_json::to_string(self).expect("names and numbers print") + "\n"
    }

    /// Takes out names that hold a forgotten statement; returns how many.
    pub(super) fn forget(&mut self, forgotten: &Tombstones) -> u64 {
        let sources = self.shown.iter_mut().map(|shown| &mut shown.source);
        let all = sources.chain(self.left_out.iter_mut().map(|left| &mut left.source));
        all.map(|source| u64::from(forget(source, forgotten))).sum()
    }
}

fn forget(source: &mut ReplySource, forgotten: &Tombstones) -> bool {
    let name = match source {
        ReplySource::Lines { at, .. } => &mut at.name,
        ReplySource::Document(name) => name,
        ReplySource::Block(id) if forgotten.holds(id) => {
            StateName::STRUCK.as_str().clone_into(id);
            return true;
        }
        _ => return false,
    };
    let holds = forgotten.holds(name.as_str());
    if holds {
        *name = StateName::STRUCK;
    }
    holds
}
