//! The contract of methods and their outcomes.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use super::method::{Case, Method, MethodId, NewMethod};
use super::outcome::{NewOutcome, Reported};
use crate::base::access::Access;
use crate::base::error::Result;

/// Methods of an agent, and the outcomes that alone move their confidence. (seed 003, Learning loop)
///
/// Every verb is for main sessions of the store's scope; any other is [`Error::Denied`](crate::Error::Denied).
///
/// # Example: a method, and a person's word
///
/// ```
/// use chrono::Utc;
/// use noctuary::learning::{Ending, MethodStore, NewMethod, NewOutcome};
/// use noctuary::{Access, Actor, FileMemoryStore, Scope, SessionKind};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let (agent, marta) = (Access::agent(Scope::user("marta")), Access::human(Scope::user("marta")));
/// let host = Access::new(SessionKind::Main, Actor::Library, Scope::user("marta"));
/// let tide = NewMethod::new("Tide first", "sailing", "Look at the tide table before a trip is planned.");
/// let id = store.create_method(&agent, &tide, Utc::now())?;
///
/// for trip in 1..=9 {
///     let outcome = NewOutcome::new(format!("trip-{trip}"), [id], Ending::Success);
///     store.report_outcome(&host, &outcome, Utc::now())?;
///     assert!(!store.report_outcome(&host, &outcome, Utc::now())?.counted); // once
/// }
/// assert!(store.graduate_method(&agent, id, Utc::now()).is_err());
/// assert!(store.graduate_method(&marta, id, Utc::now())?.confidence > 0.7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MethodStore: Debug + Send + Sync {
    /// Creates a method in quarantine and returns its id. If the same class has an equal one, its id is returned: white
    /// space, case and end marks do not count. Its standing stays, and new cases are added to it.
    ///
    /// When it returns, the method is durable.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session. [`Error::Stopped`](crate::Error::Stopped) if
    /// the store refuses its text. [`Error::TooLarge`](crate::Error::TooLarge) above the row cap.
    /// [`Error::Config`](crate::Error::Config) where a part says nothing.
    fn create_method(&self, access: &Access, method: &NewMethod, now: DateTime<Utc>) -> Result<MethodId>;

    /// Counts an outcome for the methods that were used, once for its id: a second report changes nothing, whatever it says.
    /// A method that falls below [`LearningConfig::demotion`](super::LearningConfig::demotion) goes into quarantine; none
    /// leaves it. A method that does not exist is passed over.
    ///
    /// When it returns, the outcome is durable, with all that follows from it. Where it fails, nothing of it is, and it may be
    /// reported again.
    ///
    /// # Errors
    ///
    /// As [`create_method`](Self::create_method); [`Error::Denied`](crate::Error::Denied) also for the agent: the host
    /// reports what it saw.
    fn report_outcome(&self, access: &Access, outcome: &NewOutcome, now: DateTime<Utc>) -> Result<Reported>;

    /// Graduates a method on a person's word, and takes it out of quarantine.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for anybody but the human of a main session;
    /// [`Error::NotFound`](crate::Error::NotFound); [`Error::Undecided`](crate::Error::Undecided) below
    /// [`LearningConfig::graduation`](super::LearningConfig::graduation), or before its first outcome.
    fn graduate_method(&self, access: &Access, id: MethodId, now: DateTime<Utc>) -> Result<Method>;

    /// Puts a method into quarantine or takes it out, on a person's word. In quarantine it is no longer graduated. Out of it,
    /// it may be used and is not graduated.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for anybody but the human of a main session;
    /// [`Error::NotFound`](crate::Error::NotFound).
    fn quarantine_method(
        &self,
        access: &Access,
        id: MethodId,
        quarantined: bool,
        now: DateTime<Utc>,
    ) -> Result<Method>;

    /// Lists the methods by id, whatever their standing.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn methods(&self, access: &Access) -> Result<Vec<Method>>;

    /// Lists the cases of a method, the latest first, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn method_cases(&self, access: &Access, id: MethodId, limit: usize) -> Result<Vec<Case>>;
}
