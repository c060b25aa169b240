//! The access table: who may do what with which document.
//!
//! It is the table of RFC-0009, section 3, as data. There is no switch: a host states the kind of its session, and the
//! table says the rest.

use crate::base::access::{Access, Actor, SessionKind};
use crate::base::group::GroupName;
use crate::base::name::Name;
use crate::format::JournalName;
use crate::search::documents::Audience;

/// The rule whether the agent may rewrite `SOUL.md`; the human always may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SoulPolicy {
    /// It may not.
    #[default]
    Fixed,
    /// In a main session it may; the host tells the human.
    AgentMayEvolve,
}

/// The kind of a document, as the table tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentKind {
    Soul,
    /// `AGENTS.md` and `IDENTITY.md`: how the agent works and shows itself.
    Agents,
    Identity,
    User,
    Memory,
    Bootstrap,
    Tools,
    Heartbeat,
    /// A document of a group, as the life that it belongs to sees it.
    Group,
    Journal,
    /// The journal of a session with others present.
    SharedJournal,
    /// Anything else: context, projects, notes.
    Other,
}

impl DocumentKind {
    pub(super) fn of(name: &Name) -> Self {
        // Names are judged without case, since on some systems they are opened without it.
        let folded = name.folded();
        match folded.as_str() {
            "soul.md" => Self::Soul,
            "agents.md" => Self::Agents,
            "identity.md" => Self::Identity,
            "user.md" => Self::User,
            // The briefing derives from what memory derives from.
            "memory.md" | "briefing.md" => Self::Memory,
            "tools.md" => Self::Tools,
            "heartbeat.md" => Self::Heartbeat,
            other if other.starts_with("bootstrap.md") => Self::Bootstrap,
            // Shared by its exact spelling only.
            _ if JournalName::is_shared_name(name.as_str()) => Self::SharedJournal,
            other if JournalName::is_name(other) => Self::Journal,
            other if GroupName::of_document(other).is_some() => Self::Group,
            _ => Self::Other,
        }
    }
}

/// A deed of a session on a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// Its content, its size, its name in a listing.
    Read,
    /// Adding at its end.
    Append,
    /// Replacing, creating, removing, renaming.
    Write,
}

/// A row of the table: whether a document may be read, appended to, written.
pub(super) struct Rights {
    pub(super) read: bool,
    pub(super) append: bool,
    pub(super) write: bool,
}

const ALL: Rights = Rights { read: true, append: true, write: true };
const READ: Rights = Rights { read: true, append: false, write: false };
const APPEND: Rights = Rights { read: false, append: true, write: false };
const JOURNAL: Rights = Rights { read: true, append: true, write: false };
const NONE: Rights = Rights { read: false, append: false, write: false };

/// Returns the access table.
#[expect(clippy::match_same_arms, reason = "a table is read row by row")]
pub(super) fn rights(kind: SessionKind, actor: Actor, document: DocumentKind, soul: SoulPolicy) -> Rights {
    match (kind, actor, document) {
        // In private the human may do anything; this library acts for them.
        (SessionKind::Main, Actor::Human | Actor::Library, _) => ALL,
        (SessionKind::Main, Actor::Agent, DocumentKind::Soul) if soul == SoulPolicy::AgentMayEvolve => ALL,
        // The agent does not rewrite who it is, and ends its onboarding by its token.
        (SessionKind::Main, Actor::Agent, DocumentKind::Soul | DocumentKind::Bootstrap) => READ,
        // Journals are only added to.
        (SessionKind::Main, Actor::Agent, DocumentKind::Journal | DocumentKind::SharedJournal) => JOURNAL,
        // Nothing goes out of private into a group but by the human's hand.
        (SessionKind::Main, Actor::Agent, DocumentKind::Group) => READ,
        (SessionKind::Main, Actor::Agent, _) => ALL,
        // With others present: who the agent is, what was said with others present, and nothing of the human's.
        (_, _, DocumentKind::Soul | DocumentKind::Agents | DocumentKind::Identity) => READ,
        (SessionKind::Scheduled, _, DocumentKind::Heartbeat) => READ,
        (_, _, DocumentKind::SharedJournal) => JOURNAL,
        (_, _, DocumentKind::Journal) => APPEND,
        (
            SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled,
            _,
            DocumentKind::User
            | DocumentKind::Memory
            | DocumentKind::Bootstrap
            | DocumentKind::Tools
            | DocumentKind::Heartbeat
            | DocumentKind::Group
            | DocumentKind::Other,
        ) => NONE,
    }
}

/// Returns the access table of a group's own workspace: as that of its kind of session, and its memory may be read.
pub(super) fn rights_in_group(
    kind: SessionKind,
    actor: Actor,
    document: DocumentKind,
    soul: SoulPolicy,
) -> Rights {
    match document {
        DocumentKind::Memory if kind != SessionKind::Main => READ,
        document => rights(kind, actor, document, soul),
    }
}

/// Returns whether a session may be told of lines of a document: whether it could read them by itself.
pub(crate) fn may_be_told(name: &Name, access: &Access) -> bool {
    audience(name, access.is_of_group()).includes(access.kind)
}

/// Returns the kinds of sessions that may read a document. Who acts in the session makes no difference.
pub(super) fn audience(name: &Name, is_of_group: bool) -> Audience {
    let document = DocumentKind::of(name);
    let rights = if is_of_group { rights_in_group } else { rights };
    Audience::of(|kind| rights(kind, Actor::Agent, document, SoulPolicy::default()).read)
}
