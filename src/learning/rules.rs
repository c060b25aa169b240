//! The contract of preferences and standing rules.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::constraint::Constraint;
use super::preference::{NewPreference, Preference, PreferenceId};
use crate::base::access::Access;
use crate::base::error::Result;

/// Preferences of a person, and the standing rules among them: nobody but the person makes one count. (seed 003)
///
/// Every verb is for main sessions of the store's scope, [`constraints_for`](Self::constraints_for) apart; any other is
/// [`Error::Denied`](crate::Error::Denied).
///
/// # Example: a rule that stops a tool
///
/// ```
/// use chrono::Utc;
/// use noctuary::learning::{NewPreference, PreferenceStore};
/// use noctuary::{Access, FileMemoryStore, Scope};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let (agent, marta) = (Access::agent(Scope::user("marta")), Access::human(Scope::user("marta")));
/// let rule = NewPreference::hard_constraint("files", "Never delete a folder.").tool("shell*").when("rm -r");
/// let id = store.propose_preference(&agent, &rule, Utc::now())?;
/// let call = json!({"command": "sudo rm  -rf /srv"});
/// assert!(store.constraints_for(&agent, "shell", &call)?.is_empty()); // nobody approved it
/// assert!(store.approve_preference(&agent, id, Utc::now()).is_err());
///
/// store.approve_preference(&marta, id, Utc::now())?;
/// let applies = store.constraints_for(&agent, "shell", &call)?;
/// assert_eq!(applies[0].statement.as_deref(), Some("Never delete a folder."));
/// assert!(store.constraints_for(&agent, "shell", &json!({"command": "ls"}))?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PreferenceStore: Debug + Send + Sync {
    /// Proposes a preference and returns its id. It has no effect until a person approves it. Where the same one is there
    /// already, its id is returned, and its state stays.
    ///
    /// When it returns, the preference is durable.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session. For an [imported](NewPreference::imported) hard
    /// constraint also for anybody but the human, and where [nobody sits before the
    /// process](super::LearningConfig::non_interactive). [`Error::Stopped`](crate::Error::Stopped) if the store refuses
    /// its text. [`Error::TooLarge`](crate::Error::TooLarge). [`Error::Config`](crate::Error::Config) where a part says
    /// nothing, has several lines, or names tools for what is no constraint.
    fn propose_preference(
        &self,
        access: &Access,
        preference: &NewPreference,
        now: DateTime<Utc>,
    ) -> Result<PreferenceId>;

    /// Approves a preference on a person's word. A behavioural one is written as a row of the source
    /// `learned_preference` in the same step. A hard constraint is a standing rule from now on.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for anybody but the human of a main session;
    /// [`Error::NotFound`](crate::Error::NotFound); [`Error::Stopped`](crate::Error::Stopped) where its words were forgotten
    /// since.
    fn approve_preference(&self, access: &Access, id: PreferenceId, now: DateTime<Utc>)
    -> Result<Preference>;

    /// Takes a preference back on a person's word, and deletes its row. A later proposal of the same one changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for anybody but the human of a main session;
    /// [`Error::NotFound`](crate::Error::NotFound).
    fn withdraw_preference(
        &self,
        access: &Access,
        id: PreferenceId,
        now: DateTime<Utc>,
    ) -> Result<Preference>;

    /// Lists the preferences by id, whatever their state.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn preferences(&self, access: &Access) -> Result<Vec<Preference>>;

    /// Lists the standing rules by id.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) outside a main session.
    fn constraints(&self, access: &Access) -> Result<Vec<Constraint>>;

    /// Lists the standing rules that apply to a call of a tool, by id. A host asks this before it runs the tool, in
    /// sessions of every kind and group.
    ///
    /// Names of tools and words of arguments are compared without case, marks and runs of white space, and as their characters
    /// look. Looked at are all keys, texts and numbers, also within JSON in a text, and the texts one behind the other.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for another scope.
    fn constraints_for(&self, access: &Access, tool: &str, arguments: &Value) -> Result<Vec<Constraint>>;
}
