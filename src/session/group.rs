//! The workspace of a group: a folder of the life's workspace as a whole workspace of its own.
//!
//! ```text
//! in the view                          in the life's workspace
//! MEMORY.md                            groups/family/MEMORY.md
//! memory/2026-11-21-shared.chat.md     groups/family/memory/2026-11-21-shared.chat.md
//! .dreaming.d/ledger.json              groups/family/.dreaming.d/ledger.json
//! SOUL.md, AGENTS.md, IDENTITY.md      the same, and they cannot be changed from here
//! ```
//!
//! Dreams, sessions and tools know no groups: they are given such a view, and no name leads out of it.

use std::fmt;
use std::ops::Range;

use crate::base::access::{Scope, SessionKind};
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name, Space};
use crate::base::order;
use crate::workspace::{Claim, ClaimTerms, Lease, Listing, Metadata, Reach, Workspace, WriteMode};

/// The workspace of a group, over the workspace of the life that it belongs to.
///
/// A group is an audience of its own. Its sessions state `Access::shared(scope).group(&name)`, and read who the agent
/// is, the group's journals and the group's `MEMORY.md`. Nothing of another group, and nothing of the private life. Its
/// dreams read those journals alone and write that memory. The owner's main session reads all of it below `groups/` in
/// the life's own workspace. It may not write there, but a person may.
///
/// Boot the life first: a group cannot write who the agent is, and is [`Error::Uninitialized`] until then. One dream runs at a
/// time over the life and all its groups: a second one is skipped. The human undoes a group's dream by `Access::human(scope).group(&name)`.
///
/// # Example: a dream of a group
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeZone, Utc};
/// use noctuary::life::{GroupName, GroupView};
/// use noctuary::{
///     Access, DocName, Extractive, FileWorkspace, JournalDreamer, Life, LifeConfig, Note, Scope, Workspace, dream_once_at,
/// };
///
/// let folder = tempfile::tempdir()?;
/// let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path())?);
/// let marta = Scope::user("marta");
/// Life::new(workspace.clone(), LifeConfig::default()).boot(Utc::now())?;
///
/// let family = GroupName::parse("family")?;
/// let group: Arc<dyn Workspace> = Arc::new(GroupView::new(workspace.clone(), &marta, &family));
/// let day = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let access = Access::shared(marta.clone()).group(&family);
/// let life = Life::new(group.clone(), LifeConfig::default());
/// let mut session = life.begin_session(access.clone(), "chat", "telegram", day)?;
/// session.note(&Note::decision("We sail to Lisbon in May."), day)?;
///
/// let dreamer = JournalDreamer::builder(group).enabled(true).build()?;
/// dream_once_at(&dreamer, &Extractive::default(), &|| day + chrono::TimeDelta::hours(18))?;
/// let name = DocName::parse("groups/family/MEMORY.md")?;
/// let memory = workspace.read(&name)?.unwrap();
/// assert!(memory.lossy().contains("We sail to Lisbon in May."));
/// let mut next = life.begin_session(access, "chat", "telegram", day + chrono::TimeDelta::days(2))?;
/// assert!(next.system_prompt()?.contains("We sail to Lisbon in May."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct GroupView<W> {
    workspace: W,
    scope: Scope,
    group: GroupName,
}

impl<W: Workspace> GroupView<W> {
    /// Makes the view of a group of the life of `owner`. It writes nothing: a group begins with its first document.
    #[must_use]
    pub fn new(workspace: W, owner: &Scope, group: &GroupName) -> Self {
        Self { workspace, scope: owner.group(group), group: group.clone() }
    }

    /// Returns the name of the group.
    #[must_use]
    pub fn group(&self) -> &GroupName {
        &self.group
    }

    fn check(&self) -> Result<()> {
        // A view over a view would lead into a folder of that group.
        let owner = self.workspace.scope();
        if owner.is_none_or(|owner| owner.group_name().is_none() && owner.group(&self.group) == self.scope) {
            return Ok(());
        }
        Err(Error::Denied { name: self.group.folder().into(), kind: SessionKind::Shared })
    }

    fn inner(&self, name: &Name) -> Result<Name> {
        self.check()?;
        if is_persona(name) { Ok(name.clone()) } else { inner(&self.group, name) }
    }

    fn own(&self, name: &Name) -> Result<Name> {
        self.check()?;
        if is_persona(name) {
            return Err(Error::Denied { name: name.clone(), kind: SessionKind::Shared });
        }
        inner(&self.group, name)
    }

    fn prefix(&self) -> String {
        format!("{}/", self.group.folder())
    }
}

/// Returns the groups of a life, ascending: those that have a folder.
pub(crate) fn groups(workspace: &dyn Workspace) -> Result<Vec<GroupName>> {
    if workspace.scope().is_some_and(|scope| scope.group_name().is_some()) {
        return Ok(Vec::new());
    }
    let listing = match workspace.list(Some(&GroupName::all())) {
        Err(Error::NotFound { .. } | Error::Refused { .. }) => return Ok(Vec::new()),
        listing => listing?,
    };
    Ok(listing.folders.iter().filter_map(|folder| GroupName::parse(folder.file_name()).ok()).gather())
}

/// Returns the life's name of a group's document or state file.
fn inner(group: &GroupName, name: &Name) -> Result<Name> {
    let path = format!("{}/{name}", group.folder());
    match name.space() {
        Space::State => Ok(Name::hidden(path)),
        Space::Document => DocName::parse(&path).map(Name::from).map_err(|_| Error::Config {
            setting: "the name of a document of a group",
            rule: "must not be hidden, and must have at most 512 bytes with the folder of the group",
        }),
    }
}

/// Returns whether a document says who the agent is: the life's own.
pub(crate) fn is_persona(name: &Name) -> bool {
    name.space() == Space::Document
        && matches!(name.folded().as_str(), "soul.md" | "agents.md" | "identity.md")
}

fn renamed(found: Document, name: &Name) -> Document {
    Document::new(name.clone(), found.into_bytes())
}

/// Returns an error as the view tells it: with the view's name.
fn told(error: Error, name: &Name) -> Error {
    match error {
        Error::Conflict { current, .. } => {
            let current = current.map(|found| Box::new(renamed(*found, name)));
            Error::Conflict { name: name.clone(), current }
        }
        Error::NotFound { .. } => Error::NotFound { name: name.clone() },
        other => other,
    }
}

impl<W: Workspace> Workspace for GroupView<W> {
    fn location(&self) -> String {
        format!("{}, group {}", self.workspace.location(), self.group)
    }

    fn scope(&self) -> Option<&Scope> {
        Some(&self.scope)
    }

    fn reach(&self) -> Reach {
        let is_whole = self.workspace.reach() == Reach::everything();
        if is_whole { Reach::everything() } else { Reach::own() }
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        self.check()?;
        let place = match folder {
            None => self.group.folder(),
            Some(folder) => match DocName::parse(format!("{}/{folder}", self.group.folder())) {
                Ok(place) => place,
                Err(_) => return Ok(Listing::default()),
            },
        };
        let prefix = self.prefix();
        let listing = match self.workspace.list(Some(&place)) {
            Err(Error::NotFound { .. }) => Listing::default(),
            listing => listing?,
        };
        let outer = |names: Vec<DocName>| -> Vec<DocName> {
            let outer = |name: &DocName| DocName::parse(name.as_str().strip_prefix(&prefix)?).ok();
            names.iter().filter_map(outer).gather()
        };
        let mut documents = outer(listing.documents);
        if folder.is_none() {
            order::retain(&mut documents, |name| !is_persona(name));
            for name in [DocName::SOUL, DocName::AGENTS, DocName::IDENTITY] {
                if self.workspace.metadata(&name).is_ok_and(|found| found.is_some()) {
                    documents.push(name);
                }
            }
        }
        Ok(Listing::new(documents, outer(listing.folders), listing.refused))
    }

    fn hidden(&self) -> Result<Vec<Name>> {
        let prefix = self.prefix();
        let outer = |name: &Name| Some(Name::hidden(name.as_str().strip_prefix(&prefix)?.to_owned()));
        Ok(self.workspace.hidden()?.iter().filter_map(outer).gather())
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        self.workspace.metadata(&self.inner(name)?).map_err(|error| told(error, name))
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        let found = self.workspace.read(&self.inner(name)?).map_err(|error| told(error, name))?;
        Ok(found.map(|found| renamed(found, name)))
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        self.workspace.read_range(&self.inner(name)?, range).map_err(|error| told(error, name))
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        self.workspace.write(&self.own(name)?, bytes, mode).map_err(|error| told(error, name))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.workspace.append(&self.own(name)?, bytes).map_err(|error| told(error, name))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.workspace.remove(&self.own(name)?).map_err(|error| told(error, name))
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.workspace.rename(&self.own(from)?, &self.own(to)?).map_err(|error| match error {
            Error::NotFound { .. } => Error::NotFound { name: from.clone() },
            error => told(error, to),
        })
    }

    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        self.check()?;
        let prefix = self.prefix();
        self.workspace
            .drop_versions(&|name, bytes| name.strip_prefix(&prefix).is_some_and(|name| holds(name, bytes)))
    }

    /// Claims the whole life: one dream runs at a time over it and all its groups.
    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        self.check()?;
        Ok(match self.workspace.claim(terms)? {
            Claim::Granted(lease) => {
                Claim::Granted(Box::new(GroupLease { lease, group: self.group.clone() }))
            }
            held @ Claim::Held(_) => held,
        })
    }
}

impl<W: fmt::Debug> fmt::Debug for GroupView<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GroupView({:?}, {})", self.workspace, self.group)
    }
}

/// A lease over the life, whose names are the group's.
#[derive(Debug)]
struct GroupLease {
    lease: Box<dyn Lease>,
    group: GroupName,
}

impl GroupLease {
    fn own(&self, name: &Name) -> Result<Name> {
        if is_persona(name) {
            return Err(Error::Denied { name: name.clone(), kind: SessionKind::Shared });
        }
        inner(&self.group, name)
    }
}

impl Lease for GroupLease {
    fn epoch(&self) -> u64 {
        self.lease.epoch()
    }

    fn check(&self) -> Result<()> {
        self.lease.check()
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.lease.append(&self.own(name)?, bytes).map_err(|error| told(error, name))
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        self.lease.finish(&self.own(name)?, len, rest).map_err(|error| told(error, name))
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.lease.replace(&self.own(name)?, bytes).map_err(|error| told(error, name))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.lease.remove(&self.own(name)?).map_err(|error| told(error, name))
    }

    fn release(self: Box<Self>) -> Result<()> {
        self.lease.release()
    }
}
