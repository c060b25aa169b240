//! The contract of a memory store: remembered rows, found again by their words.
//!
//! Files are the truth; a store is how an agent finds the right line of them among a hundred thousand. Every
//! verb states its [`Access`]. Rows are private unless they were written as shared; a session with others
//! present finds only shared ones. That holds down to the query, not only in what is printed.

use std::fmt::Debug;

use chrono::{DateTime, TimeDelta, Utc};

use super::audit::AuditEntry;
use super::forget::ForgetRequest;
use super::found::Found;
use super::id::MemoryId;
use super::query::{Filter, Query};
use super::row::{Memory, NewMemory};
use super::snapshot::SnapshotRow;
use crate::base::access::{Access, Scope};
use crate::base::error::{Error, Result};
use crate::base::receipt::PlaceReceipt;

/// Rows under ids, with search. Verbs block; an async host calls them on a thread that may.
///
/// # Example: a row that begins every prompt, and what the audit says of it
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{AuditOutcome, NewMemory, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store: Box<dyn MemoryStore> = Box::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
/// let human = Access::human(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let typed = NewMemory::new("personalization", "Answer in German", Source::UserManual);
/// let id = store.write(&human, &typed, now)?;
/// store.pin(&human, id, true, now)?;
/// assert_eq!(store.snapshot(&human, 50, now)?[0].content, "Answer in German");
///
/// let agent = Access::agent(Scope::user("marta"));
/// assert!(store.delete(&agent, id, now).is_err(), "what the human typed is theirs");
/// let audit = store.audit(&human, 9)?;
/// let told: Vec<_> = audit.iter().map(|entry| (entry.action.as_str(), &entry.outcome)).collect();
/// let (denied, done) = (&AuditOutcome::Denied, &AuditOutcome::Done);
/// assert_eq!(told, [("memory_delete", denied), ("memory_pin", done), ("memory_write", done)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MemoryStore: Debug + Send + Sync {
    /// Says where it is, for messages: a path.
    fn location(&self) -> String;

    /// Says whose rows it holds, always the same. For any other scope reads find nothing, and changes and the
    /// [`audit`](Self::audit) are denied. A dreamer that is built for another one is refused by that. As provided it is `None`:
    /// there is no observer.
    fn scope(&self) -> Option<&Scope> {
        None
    }

    /// Writes a row and returns its id. When it returns, the row is durable and found by a search.
    ///
    /// A promoted statement is written once. If a row of that [dream](NewMemory::of_dream) has the same words, its id
    /// is returned. Nothing changes, also if somebody deleted or retired it. A row that the library itself deleted
    /// comes back.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`](crate::Error::Stopped) if the store refuses the content.
    /// [`Error::TooLarge`](crate::Error::TooLarge) above the row cap. [`Error::Config`](crate::Error::Config) for blank
    /// content, for a category or source that is empty, has brackets or is above 128 bytes, and for a dream with another source
    /// than `dreamed`. [`Error::Denied`](crate::Error::Denied) where the actor may not claim the source, or the store
    /// [refuses](crate::store::StoreConfig::refused) it.
    fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId>;

    /// Writes many rows in one step and returns the outcome of each, in their order. It is the id, or the reason of a
    /// refusal. Made for imports and feeds: one durable step costs as much as one row.
    ///
    /// Each row is judged as [`write`](Self::write) judges it, and has its line in the audit. A refused row leaves the
    /// others as they are. A row may contradict an earlier one of the same call, as if they were written one by one.
    ///
    /// When it returns, all rows are durable. Where it fails, no row is found. A crash in between leaves none of them
    /// in a SQLite file; a [`FileMemoryStore`](crate::FileMemoryStore) may keep the first of them, each whole. As
    /// provided it writes row by row: an error leaves the rows before it.
    ///
    /// ```
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::memory::{NewMemory, Source};
    /// use noctuary::{Access, Error, FileMemoryStore, MemoryStore, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
    /// let access = Access::agent(Scope::user("marta"));
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let row = |text| NewMemory::new("note", text, Source::AgentRecorded);
    /// let rows = [row("Likes tea"), row("The key is AKIAIOSFODNN7EXAMPLE"), row("Works in Lisbon")];
    ///
    /// let written = store.write_all(&access, &rows, now)?;
    /// assert!(matches!(written[1], Err(Error::Stopped { .. })));
    /// assert_eq!(store.get(&access, *written[2].as_ref().unwrap())?.unwrap().content, "Works in Lisbon");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of the backend. A refusal is the outcome of its row.
    fn write_all(
        &self,
        access: &Access,
        memories: &[NewMemory],
        now: DateTime<Utc>,
    ) -> Result<Vec<Result<MemoryId>>> {
        let mut written = Vec::with_capacity(memories.len());
        for memory in memories {
            let outcome = self.write(access, memory, now);
            let is_judged = match &outcome {
                Ok(_) => true,
                Err(error) => matches!(
                    error,
                    Error::Stopped { .. }
                        | Error::TooLarge { .. }
                        | Error::Denied { .. }
                        | Error::Config { .. }
                ),
            };
            if !is_judged {
                return outcome.map(|id| vec![Ok(id)]);
            }
            written.push(outcome);
        }
        Ok(written)
    }

    /// Reads a row as it is; `None` where it is missing, deleted, or not for this session.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>>;

    /// Lists rows as they are, most recently touched first; ties by id, the greater first.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>>;

    /// Lists the rows for a prompt: the pinned ones, then those touched last, at most `limit` together; each ordered as
    /// a [`list`](Self::list). Rows from a tool, a page or an import are left out, and so are pending facts. If there
    /// are any, they are [settled](crate::facts::FactStore::settle) first, if that can be.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn snapshot(&self, access: &Access, limit: usize, now: DateTime<Utc>) -> Result<Vec<SnapshotRow>>;

    /// Finds rows by what a person types, as a model may be shown them. The store's policy of
    /// [`Door::PromptLoad`](crate::gate::Door::PromptLoad) decides; by default it masks secrets and blocks
    /// instructions. A row that only its masked words led to is not found. Notes of the host in which anything was
    /// found are left out. Never fails because of the query's text.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn search(&self, access: &Access, query: &Query) -> Result<Found>;

    /// Finds what [`search`](Self::search) does, as it is in the store. It is for the owner alone, for comparing
    /// rows, and for callers that mask it. It belongs into no request of a model.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn search_unmasked(&self, access: &Access, query: &Query) -> Result<Found>;

    /// Replaces the content of a row, and touches it.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write). [`Error::Denied`](crate::Error::Denied) for a row that this actor may not
    /// [edit](super::Source::may_edit), and outside a main session for every id.
    fn update(&self, access: &Access, id: MemoryId, content: &str, now: DateTime<Utc>) -> Result<bool>;

    /// Hides a row until it is restored or purged; `false` where there was none.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) as of [`update`](Self::update), and for the agent where the human
    /// confirmed the row or pinned it.
    fn delete(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool>;

    /// Takes a deletion back; `false` where there is nothing to restore, or its time is over.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) as of [`update`](Self::update);
    /// [`Error::ValueStands`](crate::Error::ValueStands) where another row says its property by now, and nobody decided
    /// between them.
    fn restore(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool>;

    /// Pins a row, so that every [`snapshot`](Self::snapshot) begins with it, or lets it go; `false` where there is
    /// none. It can be deleted as before. A row that the human pinned is not deleted by the agent.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session. The agent and the library also get it if they
    /// may not [edit](super::Source::may_edit) a row, or would let one go that the human pinned. To pin such a row again changes
    /// nothing. The human pins any row.
    fn pin(&self, access: &Access, id: MemoryId, pinned: bool, now: DateTime<Utc>) -> Result<bool>;

    /// Removes rows for good that were deleted before `cutoff`, with all that derives from them; returns how
    /// many. No other row is removed, ever. Due every [half hour](is_purge_due).
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn purge(&self, cutoff: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64>;

    /// Forgets a statement: every row that says it is removed for good, deleted and retired ones too, with what derives
    /// from it. So is every learning, value of the profile, and reason in the audit. A row, learning, value, method,
    /// case or note that says more keeps the rest of its words. A tombstone without content stays, and no verb takes
    /// the statement in again until the human [lifts](Self::lift) it.
    ///
    /// A statement is its words in their order, whatever is around them. When it
    /// returns, the words are in none of the store's files, unless the receipt says so.
    /// [`Forget`](crate::exchange::Forget) asks a store, a workspace and its index at once.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for anybody but the human where they typed
    /// or confirmed one of the rows. [`Error::Config`](crate::Error::Config) for a text with neither two words nor
    /// eight letters. Nothing was forgotten.
    fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>> {
        self.forget_all(access, &ForgetRequest::of(text), now)
    }

    /// Forgets several statements, rows, and all that one person said, in one step: as [`forget`](Self::forget), with one
    /// receipt. All of it or nothing.
    ///
    /// # Errors
    ///
    /// As [`forget`](Self::forget), for each of the statements.
    fn forget_all(
        &self,
        access: &Access,
        request: &ForgetRequest,
        now: DateTime<Utc>,
    ) -> Result<Vec<PlaceReceipt>>;

    /// Lets a statement that was forgotten be written again; `false` where it was not. Nothing comes back by it.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session, and for anybody but the human.
    fn lift(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool>;

    /// Sets a fact of the profile: one value a key. A key is overwritten, and not deleted. It follows the rules of a category.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn set_profile(&self, access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()>;

    /// Returns the profile by key; of it a session with others present sees name, timezone and language.
    ///
    /// # Errors
    ///
    /// The errors of the backend.
    fn profile(&self, access: &Access) -> Result<Vec<(String, String)>>;

    /// Lists what was done and what was refused, the latest first, at most `limit` entries.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn audit(&self, access: &Access, limit: usize) -> Result<Vec<AuditEntry>>;
}

/// Returns whether deleted rows are to be [purged](MemoryStore::purge) at `now`: half an hour after they last were. (seed
/// 003, Schema)
///
/// ```
/// use chrono::{TimeDelta, Utc};
/// use noctuary::memory::is_purge_due;
///
/// let now = Utc::now();
/// assert!(is_purge_due(None, now));
/// assert!(!is_purge_due(Some(now - TimeDelta::minutes(29)), now));
/// assert!(is_purge_due(Some(now - TimeDelta::minutes(30)), now));
/// ```
#[must_use]
pub fn is_purge_due(last: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    // A clock that was set back must not put it off.
    last.is_none_or(|last| last > now || now - last >= TimeDelta::minutes(30))
}

/// The state of a store's index against its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexState {
    /// It agrees with the rows.
    Sound,
    /// It disagrees, and `rebuild_index` mends it.
    Drifted,
}

#[cfg(test)]
mod tests {
    use super::*;

    // MS-10
    #[test]
    fn a_clock_that_was_set_back_puts_no_purge_off() {
        let now = DateTime::UNIX_EPOCH;
        assert!(is_purge_due(Some(now + TimeDelta::seconds(1)), now));
        assert!(!is_purge_due(Some(now), now));
    }
}
