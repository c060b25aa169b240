//! Who reads and writes, and for what kind of session.

use serde::{Deserialize, Serialize};

use super::group::GroupName;

/// The kind of session that something is read for. There is no default: the reader names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// One agent and its one human in private: a chat, a direct message, a terminal, a heartbeat.
    Main,
    /// Others take part: a group chat, a channel, several agents.
    Shared,
    /// An agent started by another agent; reads as [`Shared`](Self::Shared).
    Subagent,
    /// An unattended job; reads as [`Shared`](Self::Shared), and `HEARTBEAT.md`.
    Scheduled,
}

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The person whom the agent serves.
    Human,
    /// The agent itself, its tools included.
    Agent,
    /// This library: dreams, indexes, lifecycle.
    Library,
}

/// The owner of a life: a user, and optionally one agent of several.
///
/// ```
/// use noctuary::Scope;
///
/// let one_of_two = Scope { agent: "trader".to_owned(), ..Scope::user("marta") };
/// assert_ne!(one_of_two, Scope::user("marta"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// The user's id, as the host names them.
    pub user: String,
    /// The agent's id; empty where the user has one agent.
    pub agent: String,
}

impl Scope {
    /// The scope of `user`'s only agent.
    #[must_use]
    pub fn user(user: impl Into<String>) -> Self {
        Self { user: user.into(), agent: String::new() }
    }

    /// Returns the scope of a group of this life. It is an audience of its own, with journals, memory and rows that no
    /// other group reads. Its agent's id is the life's, followed by `//group:` and the name.
    ///
    /// ```
    /// use noctuary::life::GroupName;
    /// use noctuary::Scope;
    ///
    /// let family = GroupName::parse("family")?;
    /// let scope = Scope::user("marta").group(&family);
    /// assert_ne!(scope, Scope::user("marta"));
    /// assert_eq!(scope.group_name(), Some(family));
    /// # Ok::<(), noctuary::workspace::NameError>(())
    /// ```
    #[must_use]
    pub fn group(&self, group: &GroupName) -> Self {
        let agent = self.agent.split(GROUP).next().unwrap_or_default();
        Self { user: self.user.clone(), agent: format!("{agent}{GROUP}{group}") }
    }

    /// Returns the name of the group whose scope it is; `None` for a life's own.
    #[must_use]
    pub fn group_name(&self) -> Option<GroupName> {
        self.agent.split_once(GROUP).and_then(|(_, name)| GroupName::parse(name).ok())
    }
}

/// Comes between the id of an agent and the name of a group.
const GROUP: &str = "//group:";

/// The facts that a reader states before anything reaches a session: kind, actor and scope.
///
/// The scope is compared with that of a store, of an index, and of a [workspace that knows its
/// own](crate::Workspace::scope). For any other nothing is found, and changes are denied. Only the host knows the owner of a
/// folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The kind of session.
    pub kind: SessionKind,
    /// Who acts in it.
    pub actor: Actor,
    /// The life that is read.
    pub scope: Scope,
}

impl Access {
    /// Makes the access of the human in private: they may read and write everything.
    ///
    /// ```
    /// use noctuary::{Access, Actor, Scope, SessionKind};
    ///
    /// let access = Access::human(Scope::user("marta"));
    /// assert_eq!((access.kind, access.actor), (SessionKind::Main, Actor::Human));
    /// ```
    #[must_use]
    pub fn human(scope: Scope) -> Self {
        Self::new(SessionKind::Main, Actor::Human, scope)
    }

    /// Makes the access of the agent in private with its human: the session of a terminal, a direct message or a heartbeat.
    ///
    /// ```
    /// use noctuary::{Access, Scope};
    ///
    /// assert!(Access::agent(Scope::user("marta")).reads_memory());
    /// ```
    #[must_use]
    pub fn agent(scope: Scope) -> Self {
        Self::new(SessionKind::Main, Actor::Agent, scope)
    }

    /// Makes the access of the agent with others present.
    ///
    /// ```
    /// use noctuary::{Access, Scope};
    ///
    /// assert!(!Access::shared(Scope::user("marta")).reads_memory());
    /// ```
    #[must_use]
    pub fn shared(scope: Scope) -> Self {
        Self::new(SessionKind::Shared, Actor::Agent, scope)
    }

    /// Makes the access of an agent that another agent started.
    #[must_use]
    pub fn subagent(scope: Scope) -> Self {
        Self::new(SessionKind::Subagent, Actor::Agent, scope)
    }

    /// Makes the access of the agent in an unattended job.
    #[must_use]
    pub fn scheduled(scope: Scope) -> Self {
        Self::new(SessionKind::Scheduled, Actor::Agent, scope)
    }

    /// States all three, where the host knows kind and actor only as values.
    #[must_use]
    pub fn new(kind: SessionKind, actor: Actor, scope: Scope) -> Self {
        Self { kind, actor, scope }
    }

    /// Returns the same access to a group of the life. Its sessions read and write the group's journals, read its
    /// memory, and see nothing of another group or of the private life.
    ///
    /// ```
    /// use noctuary::life::GroupName;
    /// use noctuary::{Access, Scope};
    ///
    /// let family = GroupName::parse("family")?;
    /// let access = Access::shared(Scope::user("marta")).group(&family);
    /// assert!(access.is_of_group() && access.reads_memory());
    /// # Ok::<(), noctuary::workspace::NameError>(())
    /// ```
    #[must_use]
    pub fn group(mut self, group: &GroupName) -> Self {
        self.scope = self.scope.group(group);
        self
    }

    /// Returns whether the scope is that of a group.
    #[must_use]
    pub fn is_of_group(&self) -> bool {
        self.scope.group_name().is_some()
    }

    /// Returns whether the `MEMORY.md` of its scope, and whatever derives from it, may reach this session. In a life's
    /// own scope that is `Main` only, and no setting changes it (seed 001, section 4.1). A group's memory is its
    /// sessions' too.
    #[must_use]
    pub fn reads_memory(&self) -> bool {
        self.kind == SessionKind::Main || self.is_of_group()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_main_session_reads_memory() {
        for (kind, reads) in [
            (SessionKind::Main, true),
            (SessionKind::Shared, false),
            (SessionKind::Subagent, false),
            (SessionKind::Scheduled, false),
        ] {
            assert_eq!(Access::new(kind, Actor::Agent, Scope::user("u")).reads_memory(), reads, "{kind:?}");
        }
    }
}
