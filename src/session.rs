//! What a session may reach: the access table as data, and a view that holds every verb to it.
//!
//! The table is that of RFC-0009, section 3. There is no switch: a host states the kind of its session, and the
//! view does the rest. State files are out of reach through any view.

use std::fmt;
use std::ops::Range;

use crate::access::{Access, Actor, SessionKind};
use crate::document::{Document, Revision};
use crate::error::{Error, Result};
use crate::format::JournalName;
use crate::name::{DocName, Name, Space};
use crate::workspace::{Claim, ClaimTerms, Listing, Metadata, Workspace, WriteMode};

/// A workspace as one session may reach it. Every verb looks the document up in the access table first.
///
/// What is denied does not depend on whether the document exists, so a denial says nothing about it.
///
/// ```
/// use noctuary::{
///     Access, Actor, DocName, Error, FileWorkspace, Guarded, Scope, SessionKind, Workspace, WriteMode,
/// };
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// workspace.write(&DocName::MEMORY, b"- private\n", WriteMode::Create)?;
///
/// let group = Access::new(SessionKind::Shared, Actor::Agent, Scope::user("marta"));
/// let view = Guarded::new(&workspace, group);
/// assert!(matches!(view.read(&DocName::MEMORY), Err(Error::Denied { .. })));
/// assert!(view.list(None)?.documents.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Guarded<W> {
    workspace: W,
    access: Access,
}

/// What a document is, for the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Soul,
    /// `AGENTS.md` and `IDENTITY.md`: how the agent works and shows itself.
    Agents,
    Identity,
    User,
    Memory,
    Bootstrap,
    Tools,
    Heartbeat,
    Journal,
    /// Anything else: context, projects, notes.
    Other,
}

impl Kind {
    fn of(name: &Name) -> Self {
        // Names are judged without case, since on some systems they are opened without it.
        let folded = name.as_str().to_lowercase().replace('\u{17f}', "s");
        match folded.as_str() {
            "soul.md" => Self::Soul,
            "agents.md" => Self::Agents,
            "identity.md" => Self::Identity,
            "user.md" => Self::User,
            "memory.md" => Self::Memory,
            "tools.md" => Self::Tools,
            "heartbeat.md" => Self::Heartbeat,
            other if other.starts_with("bootstrap.md") => Self::Bootstrap,
            other => {
                let journal =
                    DocName::parse(other).ok().is_some_and(|name| JournalName::parse(&name).is_some());
                if journal { Self::Journal } else { Self::Other }
            }
        }
    }
}

/// What a session does with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// Its content, its size, its name in a listing.
    Read,
    /// Adding at its end.
    Append,
    /// Replacing, creating, removing, renaming.
    Write,
}

/// Rows of the table: what may be read, appended to, written.
struct Rights {
    read: bool,
    append: bool,
    write: bool,
}

const ALL: Rights = Rights { read: true, append: true, write: true };
const READ: Rights = Rights { read: true, append: false, write: false };
const APPEND: Rights = Rights { read: false, append: true, write: false };
const JOURNAL: Rights = Rights { read: true, append: true, write: false };
const NONE: Rights = Rights { read: false, append: false, write: false };

/// The access table.
#[expect(clippy::match_same_arms, reason = "a table is read row by row")]
fn rights(kind: SessionKind, actor: Actor, document: Kind) -> Rights {
    match (kind, actor, document) {
        // In private the human may do anything; this library acts for them.
        (SessionKind::Main, Actor::Human | Actor::Library, _) => ALL,
        // The agent does not rewrite who it is, and ends its onboarding by its token.
        (SessionKind::Main, Actor::Agent, Kind::Soul | Kind::Bootstrap) => READ,
        // Journals are only added to.
        (SessionKind::Main, Actor::Agent, Kind::Journal) => JOURNAL,
        (SessionKind::Main, Actor::Agent, _) => ALL,
        // With others present: who the agent is, and nothing of the human's.
        (_, _, Kind::Soul | Kind::Agents | Kind::Identity) => READ,
        (SessionKind::Scheduled, _, Kind::Heartbeat) => READ,
        (_, _, Kind::Journal) => APPEND,
        (
            SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled,
            _,
            Kind::User | Kind::Memory | Kind::Bootstrap | Kind::Tools | Kind::Heartbeat | Kind::Other,
        ) => NONE,
    }
}

impl<W> Guarded<W> {
    /// A view of `workspace` for one session. Whose life it is was decided when the workspace was opened; the
    /// scope of `access` is not compared with it.
    #[must_use]
    pub fn new(workspace: W, access: Access) -> Self {
        Self { workspace, access }
    }

    /// For whom the view is.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    fn may(&self, verb: Verb, name: &Name) -> bool {
        if name.space() == Space::State {
            return false;
        }
        let rights = rights(self.access.kind, self.access.actor, Kind::of(name));
        match verb {
            Verb::Read => rights.read,
            Verb::Append => rights.append,
            Verb::Write => rights.write,
        }
    }

    fn check(&self, verb: Verb, name: &Name) -> Result<()> {
        if self.may(verb, name) { Ok(()) } else { Err(self.denied(name)) }
    }

    fn denied(&self, name: &Name) -> Error {
        Error::Denied { name: name.clone(), kind: self.access.kind }
    }
}

impl<W: Workspace> Workspace for Guarded<W> {
    fn location(&self) -> String {
        self.workspace.location()
    }

    /// Names what may be read, and the folders that hold any of it.
    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        if self.access.kind == SessionKind::Main {
            return self.workspace.list(folder);
        }
        // Nothing below a folder is readable here, so only the root has anything to list.
        let Some(folder) = folder else {
            let listing = self.workspace.list(None)?;
            let readable = listing.documents.into_iter().filter(|name| self.may(Verb::Read, name)).collect();
            return Ok(Listing::new(readable, Vec::new(), Vec::new()));
        };
        Err(self.denied(folder))
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        self.check(Verb::Read, name)?;
        self.workspace.metadata(name)
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        self.check(Verb::Read, name)?;
        self.workspace.read(name)
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.check(Verb::Read, name)?;
        self.workspace.read_range(name, range)
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        // A conflict carries what stands there, so who may not read may not write.
        self.check(Verb::Read, name)?;
        self.check(Verb::Write, name)?;
        self.workspace.write(name, bytes, mode)
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.check(Verb::Append, name)?;
        self.workspace.append(name, bytes)
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.check(Verb::Write, name)?;
        self.workspace.remove(name)
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.check(Verb::Write, from)?;
        self.check(Verb::Write, to)?;
        self.workspace.rename(from, to)
    }

    /// Denied: a lease writes state, and a dream curates as the library, on the workspace itself.
    fn claim(&self, _terms: &ClaimTerms) -> Result<Claim> {
        Err(self.denied(&crate::name::StateName::LEDGER))
    }
}

impl<W: fmt::Debug> fmt::Debug for Guarded<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guarded({:?}, {:?})", self.workspace, self.access.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(kind: SessionKind, actor: Actor, verb: Verb, name: &str) -> bool {
        let access = Access::new(kind, actor, crate::access::Scope::user("u"));
        Guarded::new((), access).may(verb, &DocName::parse(name).unwrap())
    }

    // SE-02 to SE-07, SE-13: the table, written out.
    #[test]
    fn the_table_is_that_of_the_rfc() {
        use SessionKind::{Main, Scheduled, Shared, Subagent};
        use Verb::{Append, Read, Write};
        let rows: [(&str, &[Verb], &[Verb]); 12] = [
            ("SOUL.md", &[Read], &[Read]),
            ("AGENTS.md", &[Read, Append, Write], &[Read]),
            ("IDENTITY.md", &[Read, Append, Write], &[Read]),
            ("USER.md", &[Read, Append, Write], &[]),
            ("MEMORY.md", &[Read, Append, Write], &[]),
            ("memory.md", &[Read, Append, Write], &[]),
            ("TOOLS.md", &[Read, Append, Write], &[]),
            ("BOOTSTRAP.md", &[Read], &[]),
            ("BOOTSTRAP.md.done.20260101T000000Z", &[Read], &[]),
            ("HEARTBEAT.md", &[Read, Append, Write], &[]),
            ("memory/2026-01-01-x.md", &[Read, Append], &[Append]),
            ("context/vision.md", &[Read, Append, Write], &[]),
        ];
        for (name, main, shared) in rows {
            for verb in [Read, Append, Write] {
                assert!(may(Main, Actor::Human, verb, name), "the human may {verb:?} {name}");
                assert_eq!(may(Main, Actor::Agent, verb, name), main.contains(&verb), "main {verb:?} {name}");
                for actor in [Actor::Agent, Actor::Human, Actor::Library] {
                    for kind in [Shared, Subagent] {
                        assert_eq!(
                            may(kind, actor, verb, name),
                            shared.contains(&verb),
                            "{kind:?} {verb:?} {name}"
                        );
                    }
                    let expected = shared.contains(&verb) || (name == "HEARTBEAT.md" && verb == Read);
                    assert_eq!(may(Scheduled, actor, verb, name), expected, "scheduled {verb:?} {name}");
                }
            }
        }
    }

    #[test]
    fn another_spelling_is_the_same_document() {
        for name in ["memory.md", "Memory.MD", "MEMORY.md", "user.md", "uSeR.md"] {
            assert!(!may(SessionKind::Shared, Actor::Agent, Verb::Read, name), "{name}");
        }
        assert!(!may(SessionKind::Main, Actor::Agent, Verb::Write, "Soul.md"));
        assert!(!may(SessionKind::Main, Actor::Agent, Verb::Write, "Memory/2026-01-01.MD"));
    }
}
