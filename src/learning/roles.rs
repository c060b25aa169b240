//! The contract of the memory of roles.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use super::role::{NewRoleNote, Reflection, RoleNote, RoleNoteId};
use crate::base::access::{Access, Scope};
use crate::base::error::Result;

/// Notes that an agent takes in its roles; each waits for a reflection. (seed 003, `role_memory`)
///
/// Every verb is for main sessions of the store's scope; any other is [`Error::Denied`](crate::Error::Denied).
/// [`RoleDreamer`](crate::dream::RoleDreamer) has a model reflect on notes that are old enough.
///
/// # Example: a note and its lesson
///
/// ```
/// use chrono::Utc;
/// use noctuary::learning::{NewRoleNote, Reflection, RoleClass, RoleStore};
/// use noctuary::{Access, FileMemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let (agent, marta) = (Access::agent(Scope::user("marta")), Access::human(Scope::user("marta")));
/// let note = NewRoleNote::new("planner", "The ferry left early, and we missed it.").about("Faro");
/// let id = store.take_note(&agent, &note, Utc::now())?;
/// let lesson = Reflection::new(RoleClass::Failure, "Be there half an hour before a ferry leaves.", Utc::now());
/// assert!(store.reflect(&marta, id, &lesson)?);
/// assert!(!store.reflect(&marta, id, &lesson)?); // a reflection is never rewritten
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait RoleStore: Debug + Send + Sync {
    /// Says whose notes it holds, as [`MemoryStore::scope`](crate::memory::MemoryStore::scope) does.
    fn roles_of(&self) -> Option<&Scope> {
        None
    }

    /// Takes a note and returns its id. Where the same one is pending, its id is returned and nothing changes.
    ///
    /// When it returns, the note is durable.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session. [`Error::Stopped`](crate::Error::Stopped) if
    /// the store refuses its text. [`Error::TooLarge`](crate::Error::TooLarge) above the row cap.
    /// [`Error::Config`](crate::Error::Config) where a part says nothing.
    fn take_note(&self, access: &Access, note: &NewRoleNote, now: DateTime<Utc>) -> Result<RoleNoteId>;

    /// Adds the reflection on a pending note, at its own time; `false` where the note is reflected on already, or gone.
    ///
    /// # Errors
    ///
    /// As [`take_note`](Self::take_note); [`Error::Denied`](crate::Error::Denied) also for the agent.
    fn reflect(&self, access: &Access, id: RoleNoteId, reflection: &Reflection) -> Result<bool>;

    /// Lists the notes by id, the oldest first: pending ones, or those that were reflected on.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn notes(&self, access: &Access, pending: bool) -> Result<Vec<RoleNote>>;
}
