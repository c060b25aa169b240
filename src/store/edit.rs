//! Changes of one row.

use crate::base::access::Actor;
use crate::base::error::{Error, Result};
use crate::facts::{FactState, Suspect};
use crate::memory::{EventName, Source};

/// A change of one row that stands, or of one that is deleted.
#[derive(Clone, Copy)]
pub(crate) enum Edit<'a> {
    Content(&'a str),
    Delete,
    /// With the rows that it may contradict, including those written meanwhile.
    Restore(&'a [Suspect]),
    Pin(bool),
}

impl Edit<'_> {
    /// Returns its name in the audit.
    pub(crate) fn action(self) -> &'static str {
        match self {
            Self::Content(_) => "memory_update",
            Self::Delete => "memory_delete",
            Self::Restore(_) => "memory_restore",
            Self::Pin(true) => "memory_pin",
            Self::Pin(false) => "memory_unpin",
        }
    }

    /// Returns its name for an observer.
    pub(crate) fn event(self) -> EventName {
        match self {
            Self::Content(_) => EventName::Written,
            Self::Delete => EventName::Deleted,
            Self::Restore(_) => EventName::Restored,
            Self::Pin(true) => EventName::Pinned,
            Self::Pin(false) => EventName::Unpinned,
        }
    }

    /// Returns whether it may change a row in this state as a fact: a retired one can be deleted and restored alone.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for new words of a settled fact: that is replaced by another one.
    pub(crate) fn reaches(self, state: Option<FactState>) -> Result<bool> {
        match (self, state) {
            (Self::Delete | Self::Restore(_), _) | (_, None) => Ok(true),
            (_, Some(state)) if state.is_retired() => Ok(false),
            (Self::Pin(_), _) | (_, Some(FactState::Pending)) => Ok(true),
            (Self::Content(_), _) => Err(Error::Config {
                setting: "content",
                rule: "of a settled fact cannot be rewritten; record a new fact that supersedes it",
            }),
        }
    }

    /// Returns whether `actor` may do it to a row with this source and category. The human may pin, delete and restore
    /// every row: that changes no word of it. Only the human unpins a row that they pinned, and a row that they pinned
    /// or confirmed the agent
    /// does not delete. The library does, since it follows what they wrote: a line that they took out of `MEMORY.md`
    /// leaves with its row.
    pub(crate) fn is_allowed(
        self,
        source: Option<&Source>,
        category: &str,
        state: Option<FactState>,
        pinned_by: Option<Actor>,
        actor: Actor,
    ) -> bool {
        match self {
            Self::Pin(_) | Self::Delete | Self::Restore(_) if actor == Actor::Human => true,
            Self::Pin(false) if pinned_by == Some(Actor::Human) => false,
            Self::Delete
                if actor == Actor::Agent
                    && (state == Some(FactState::Verified) || pinned_by == Some(Actor::Human)) =>
            {
                false
            }
            _ => Source::may_edit(source, category, actor),
        }
    }
}
