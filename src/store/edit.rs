//! What is done to one row.

use crate::access::Actor;
use crate::memory::Source;

/// A change of one row that stands, or of one that is deleted.
#[derive(Clone, Copy)]
pub(crate) enum Edit<'a> {
    Content(&'a str),
    Delete,
    Restore,
    Pin(bool),
}

impl Edit<'_> {
    /// What the audit calls it.
    pub(crate) fn action(self) -> &'static str {
        match self {
            Self::Content(_) => "memory_update",
            Self::Delete => "memory_delete",
            Self::Restore => "memory_restore",
            Self::Pin(true) => "memory_pin",
            Self::Pin(false) => "memory_unpin",
        }
    }

    /// What an observer hears.
    pub(crate) fn event(self) -> &'static str {
        match self {
            Self::Content(_) => "memory:written",
            Self::Delete => "memory:deleted",
            Self::Restore => "memory:restored",
            Self::Pin(true) => "memory:pinned",
            Self::Pin(false) => "memory:unpinned",
        }
    }

    /// Whether `actor` may do it to a row with this source and category. The human pins what they like: that
    /// changes no word of it.
    pub(crate) fn is_allowed(self, source: Option<&Source>, category: &str, actor: Actor) -> bool {
        let is_pin = matches!(self, Self::Pin(_));
        (is_pin && actor == Actor::Human) || Source::may_edit(source, category, actor)
    }
}
