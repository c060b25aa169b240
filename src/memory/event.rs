//! Changes in a store, and who hears of them.

use std::fmt::{self, Debug};

use serde::{Serialize, Serializer};

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
///         eprintln!("{} {:?}", event.name, event.id); // memory:written Some(MemoryId(1))
///     }
/// }
///
/// let mut config = StoreConfig::default();
/// config.observer = Some(Arc::new(ToStderr));
/// ```
pub trait MemoryObserver: Debug + Send + Sync {
    /// Receives one event for each change, never for one that was refused. It may call the store.
    fn event(&self, event: &MemoryEvent);

    /// Hears how far a store is that makes its index anew, because that was missing, damaged or of other rows. Only a large
    /// store sends it. It may not call the store.
    fn indexing(&self, _progress: &IndexProgress) {}
}

/// How far a store is that makes its index anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IndexProgress {
    /// How much is done: bytes of the file, or rows.
    pub done: u64,
    /// How much there is.
    pub whole: u64,
}

/// A change in a store. It holds no text of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// Its name.
    pub name: EventName,
    /// The row; `None` for the profile, a learning, and a part of the learning loop.
    pub id: Option<MemoryId>,
}

impl MemoryEvent {
    /// Makes a change of a row, or of the profile.
    #[must_use]
    pub fn new(name: EventName, id: Option<MemoryId>) -> Self {
        Self { name, id }
    }
}

/// The name of a change in a store. Prints as its word: `memory:written`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventName {
    /// `memory:written`: a new row, or new content of a row.
    Written,
    /// `memory:deleted`: a row was deleted, and can be restored.
    Deleted,
    /// `memory:restored`: a deleted row is back.
    Restored,
    /// `memory:pinned`: a row was pinned.
    Pinned,
    /// `memory:unpinned`: a row is no longer pinned.
    Unpinned,
    /// `memory:purged`: a deleted row was removed for good.
    Purged,
    /// `memory:forgotten`: a row was forgotten.
    Forgotten,
    /// `profile:written`: a value of the profile was set.
    ProfileWritten,
    /// `learning:written`: a new learning.
    LearningWritten,
    /// `method:created`: a new method.
    MethodCreated,
    /// `method:judged`: a person changed the standing of a method.
    MethodJudged,
    /// `preference:proposed`: a new preference.
    PreferenceProposed,
    /// `preference:approved`: a person approved a preference.
    PreferenceApproved,
    /// `preference:withdrawn`: a person took a preference back.
    PreferenceWithdrawn,
    /// `role:noted`: a new note of a role.
    NoteTaken,
    /// `role:reflected`: the reflection on a note of a role.
    NoteReflected,
    /// `trade:recorded`: a method has new cases. The seed's name.
    CaseRecorded,
    /// `trade:outcome_updated`: an outcome was counted. The seed's name.
    OutcomeReported,
    /// `perps_fills:recorded`: new fills of an exchange.
    #[cfg(feature = "finance")]
    FillsRecorded,
    /// `external_spot:recorded`: new spot activity.
    #[cfg(feature = "finance")]
    SpotRecorded,
    /// `fact:recorded`: a new fact, which is pending.
    FactRecorded,
    /// `fact:retired`: a fact was retired.
    FactRetired,
    /// `fact:returned`: a retired fact counts again.
    FactReturned,
}

impl EventName {
    /// Returns its word: `memory:written`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "memory:written",
            Self::Deleted => "memory:deleted",
            Self::Restored => "memory:restored",
            Self::Pinned => "memory:pinned",
            Self::Unpinned => "memory:unpinned",
            Self::Purged => "memory:purged",
            Self::Forgotten => "memory:forgotten",
            Self::ProfileWritten => "profile:written",
            Self::LearningWritten => "learning:written",
            Self::MethodCreated => "method:created",
            Self::MethodJudged => "method:judged",
            Self::NoteTaken => "role:noted",
            Self::NoteReflected => "role:reflected",
            Self::PreferenceProposed => "preference:proposed",
            Self::PreferenceApproved => "preference:approved",
            Self::PreferenceWithdrawn => "preference:withdrawn",
            Self::CaseRecorded => "trade:recorded",
            Self::OutcomeReported => "trade:outcome_updated",
            #[cfg(feature = "finance")]
            Self::FillsRecorded => "perps_fills:recorded",
            #[cfg(feature = "finance")]
            Self::SpotRecorded => "external_spot:recorded",
            Self::FactRecorded => "fact:recorded",
            Self::FactRetired => "fact:retired",
            Self::FactReturned => "fact:returned",
        }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for EventName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
