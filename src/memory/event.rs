//! Changes in a store, and who hears of them.

use std::fmt::Debug;

use serde::Serialize;

use super::id::MemoryId;

/// Hears what was changed in a store, after it is durable.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::memory::{MemoryEvent, MemoryObserver};
/// use noctuary::store::StoreConfig;
///
/// #[derive(Debug)]
/// struct ToStderr;
///
/// impl MemoryObserver for ToStderr {
///     fn event(&self, event: &MemoryEvent) {
///         eprintln!("{} {:?}", event.name, event.id);
///     }
/// }
///
/// let mut config = StoreConfig::default();
/// config.observer = Some(Arc::new(ToStderr));
/// ```
pub trait MemoryObserver: Debug + Send + Sync {
    /// Receives one event for each change, never for one that was refused. It may call the store.
    fn event(&self, event: &MemoryEvent);
}

/// A change in a store. It holds no text of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// `memory:written` for a new row and for new content, `memory:deleted`, `memory:restored`, `memory:pinned`,
    /// `memory:unpinned`, `memory:purged`, `memory:forgotten`,
    /// `profile:written`, `learning:written`; `fact:recorded` for a new fact that is pending,
    /// `fact:retired` and `fact:returned`.
    pub name: &'static str,
    /// The row; `None` for the profile and for a learning.
    pub id: Option<MemoryId>,
}

impl MemoryEvent {
    /// Makes a change of a row, or of the profile.
    #[must_use]
    pub fn new(name: &'static str, id: Option<MemoryId>) -> Self {
        Self { name, id }
    }
}
