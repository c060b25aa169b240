//! A view of a workspace that holds every verb of a session to the access table.
//!
//! State files are out of reach through any view. Texts that are written through a view pass the [`Doors`].

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::forgotten::ForgottenCache;
use super::rights::{DocumentKind, SoulPolicy, Verb, rights, rights_in_group};
use super::superseded::Notes;
use super::walk::{Folder, Looked};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name, Space, StateName};
use crate::facts::Superseded;
use crate::format::documents::curated;
use crate::format::{JournalName, Note, Origin, Profile};
use crate::gate::{Door, DoorPolicy, DoorWarning, Doors, InjectionPolicy, Masks, Passed, SecretPolicy};
use crate::memory::SnapshotRow;
use crate::workspace::{
    Claim, ClaimTerms, Listing, Metadata, Reach, Workspace, WriteMode, check_scope, text_of,
};

/// A workspace as one session may reach it. Every verb looks the document up in the access table first.
///
/// A denial does not depend on whether the document exists, so it says nothing about it.
///
/// A written text passes the [`Doors`]: [`Door::JournalAppend`] for a line that is added to a journal, else
/// [`Door::WorkspaceWrite`]. A text of the human in a main session is written as it is. Findings in it are warnings
/// ([`take_warnings`](Self::take_warnings)). A text of an agent passes [`Door::Tool`] too. Forgotten statements are
/// refused from everybody else, except in journals: [`Error::Stopped`] with the class `forgotten`. The human is warned
/// of it.
///
/// Only a dream marks a section as its own. New marks are taken out of every text but the human's. The human alone
/// renames a document with marks to curated memory. A session with others adds to a private journal in the agent's
/// name, whatever its text says of whose words it is.
///
/// ```
/// use noctuary::life::Guarded;
/// use noctuary::{Access, DocName, Error, FileWorkspace, Scope, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// workspace.write(&DocName::MEMORY, b"- private\n", WriteMode::Create)?;
///
/// let group = Access::shared(Scope::user("marta"));
/// let view = Guarded::new(&workspace, group);
/// assert!(matches!(view.read(&DocName::MEMORY), Err(Error::Denied { .. })));
/// assert!(view.list(None)?.documents.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Guarded<W> {
    workspace: W,
    access: Access,
    doors: Doors,
    soul: SoulPolicy,
    found: Mutex<Found>,
    forgotten: ForgottenCache,
    /// The notes behind lines of `MEMORY.md` that no longer hold, as far as they were given.
    notes: Arc<Notes>,
}

/// Findings of the doors so far.
#[derive(Default)]
struct Found {
    /// One for the whole session, so that a secret has the same number wherever it is masked.
    masks: Masks,
    warnings: Vec<DoorWarning>,
}

/// The part of `USER.md` that a session with others present is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SharedUser {
    /// Name, time zone and language, as far as they are set.
    #[default]
    Subset,
    /// All of it.
    Full,
    /// Nothing.
    None,
}

impl<W> Guarded<W> {
    /// Makes a view of `workspace` for one session. Where the workspace knows [whose life](Workspace::scope) it holds,
    /// any other scope is denied every verb. The owner of a folder was fixed when it was opened.
    #[must_use]
    pub fn new(workspace: W, access: Access) -> Self {
        Self {
            workspace,
            access,
            doors: Doors::default(),
            soul: SoulPolicy::default(),
            found: Mutex::default(),
            forgotten: ForgottenCache::default(),
            notes: Arc::default(),
        }
    }

    /// Sets what writes must pass.
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Sets whether the agent may rewrite `SOUL.md`.
    #[must_use]
    pub fn with_soul(mut self, soul: SoulPolicy) -> Self {
        self.soul = soul;
        self
    }

    /// Returns the findings in texts that were written since the last call, masked ones included. Findings of a
    /// refused write are in its [`Error::Stopped`].
    #[must_use]
    pub fn take_warnings(&self) -> Vec<DoorWarning> {
        std::mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner).warnings)
    }

    /// Returns the doors that writes must pass.
    #[must_use]
    pub fn doors(&self) -> &Doors {
        &self.doors
    }

    /// Returns the access of the view.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Returns the same view for the agent's tools, even in a human's session.
    pub(crate) fn by_the_agent(mut self) -> Self {
        self.access.actor = Actor::Agent;
        self
    }

    /// Returns the same view with notes that are made already.
    pub(crate) fn with_notes(mut self, notes: Arc<Notes>) -> Self {
        self.notes = notes;
        self
    }

    /// Returns the notes behind the lines of the view.
    pub(crate) fn notes(&self) -> &Arc<Notes> {
        &self.notes
    }

    /// Returns the notes behind the lines of a document: of curated memory and its archive, in a session that reads them.
    pub(crate) fn notes_in(&self, name: &Name) -> Option<&Notes> {
        let of_memory =
            [&*DocName::MEMORY, &*DocName::LEGACY_MEMORY, &*DocName::DREAMED, &*DocName::BRIEFING];
        let is_memory = of_memory.contains(&name);
        (is_memory && self.access.reads_memory()).then_some(&*self.notes)
    }

    fn may(&self, verb: Verb, name: &Name) -> bool {
        if name.space() == Space::State {
            return false;
        }
        let rights = if self.access.is_of_group() { rights_in_group } else { rights };
        let rights = rights(self.access.kind, self.access.actor, DocumentKind::of(name), self.soul);
        match verb {
            Verb::Read => rights.read,
            Verb::Append => rights.append,
            Verb::Write => rights.write,
        }
    }

    fn denied(&self, name: &Name) -> Error {
        Error::Denied { name: name.clone(), kind: self.access.kind }
    }

    fn policy(&self, door: Door, name: &Name) -> DoorPolicy {
        let policy = self.doors.policy_for(self.access.actor, door, name);
        if self.is_theirs() { policy.only_warning() } else { policy }
    }

    fn is_theirs(&self) -> bool {
        self.access.kind == SessionKind::Main && self.access.actor == Actor::Human
    }
}

impl<W: Workspace> Guarded<W> {
    fn check(&self, verb: Verb, name: &Name) -> Result<()> {
        self.check_scope(name)?;
        if self.may(verb, name) { Ok(()) } else { Err(self.denied(name)) }
    }

    /// Appends words to a journal as an entry of `origin`, on lines of its own, whatever they say of whose they are.
    pub(crate) fn append_from(&self, name: &Name, words: &str, origin: Origin) -> Result<()> {
        self.check_append(name)?;
        let entry = Note::happened(words).from(origin).untimed();
        // Behind a line without an end it would be a part of that line.
        let line_break = if !entry.is_empty() && self.is_torn(name)? { "\n" } else { "" };
        self.add(name, format!("{line_break}{entry}").as_bytes())
    }

    fn is_torn(&self, name: &Name) -> Result<bool> {
        let len = self.workspace.metadata(name)?.map_or(0, |metadata| metadata.len);
        Ok(len > 0 && self.workspace.read_range(name, len - 1..len)? != b"\n")
    }

    fn add(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let is_journal =
            matches!(DocumentKind::of(name), DocumentKind::Journal | DocumentKind::SharedJournal);
        let door = if is_journal { Door::JournalAppend } else { Door::WorkspaceWrite };
        self.pass_name(name)?;
        let bytes = self.pass(door, self.policy(door, name), name, bytes)?;
        self.workspace.append(name, &self.unmarked(bytes, || Ok(None))?)
    }

    /// Takes the marks of dreams out of a text that is not the human's, except those that are in the document.
    fn unmarked<'b>(
        &self,
        bytes: Cow<'b, [u8]>,
        standing: impl FnOnce() -> Result<Option<Document>>,
    ) -> Result<Cow<'b, [u8]>> {
        let text = String::from_utf8_lossy(&bytes);
        if self.is_theirs() || curated::marks(&text).next().is_none() {
            return Ok(bytes);
        }
        let standing = standing()?;
        let standing = standing.as_ref().map(Document::lossy).unwrap_or_default();
        Ok(Cow::Owned(curated::without_marks(&text, &standing).into_bytes()))
    }

    /// Refuses to add to a document where the session may not.
    pub(super) fn check_append(&self, name: &Name) -> Result<()> {
        self.check(Verb::Append, name)
    }

    /// Returns the workspace beneath.
    pub(super) fn workspace(&self) -> &W {
        &self.workspace
    }

    /// Refuses a session of another scope than the workspace's.
    pub(crate) fn check_scope(&self, name: &Name) -> Result<()> {
        check_scope(&self.workspace, &self.access, name.clone())
    }

    /// Returns the bytes as they may be written. Bytes that are not UTF-8 are changed only where something in
    /// them is masked.
    fn pass<'a>(
        &self,
        door: Door,
        policy: DoorPolicy,
        name: &Name,
        bytes: &'a [u8],
    ) -> Result<Cow<'a, [u8]>> {
        let text = String::from_utf8_lossy(bytes);
        let (mut doors, mut of_theirs) = (Cow::Borrowed(&self.doors), Vec::new());
        // A journal is a record of what was said.
        if door != Door::JournalAppend {
            match self.doors_of(name) {
                // The human's text is theirs, also if they asked to forget it, or if the list of
                // tombstones is damaged.
                Ok(current) if self.is_theirs() => {
                    of_theirs = self.mask_forgotten(&current, name, &text)?.warnings;
                }
                Err(_) if self.is_theirs() => {}
                current => doors = current?,
            }
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = doors.judge(door, policy, name, &text, &mut found.masks)?;
        found.warnings.extend(passed.warnings.into_iter().chain(of_theirs));
        Ok(match passed.text {
            Cow::Owned(changed) => Cow::Owned(changed.into_bytes()),
            Cow::Borrowed(_) => Cow::Borrowed(bytes),
        })
    }

    /// Lets the name of a document through; nothing can be masked in it. Names of journals hold ids of the host's, and
    /// ids look like keys: no prompt and no dream shows them.
    fn pass_name(&self, name: &Name) -> Result<()> {
        let policy = self.policy(Door::WorkspaceWrite, name).as_it_is();
        let is_looked_for = policy.secrets == SecretPolicy::Reject && !JournalName::is_name(&name.folded());
        if is_looked_for && !self.doors.gate().inspect(name.as_str()).is_empty() {
            return Err(Error::Config { setting: "the name of a document", rule: "must hold no secret" });
        }
        Ok(())
    }

    /// Checks a text of the session at a door, with the session's numbers.
    pub(crate) fn judge<'a>(
        &self,
        doors: &Doors,
        door: Door,
        policy: DoorPolicy,
        name: &Name,
        text: &'a str,
    ) -> Result<Passed<'a>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        doors.judge(door, policy, name, text, &mut found.masks)
    }

    /// Masks in a text what was forgotten, and nothing else.
    pub(crate) fn mask_forgotten<'a>(&self, doors: &Doors, name: &Name, text: &'a str) -> Result<Passed<'a>> {
        // A shown text is masked; a written one would be refused.
        let policy = DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow);
        let mut passed = self.judge(doors, Door::PromptLoad, policy, name, text)?;
        for warning in &mut passed.warnings {
            warning.door = Door::WorkspaceWrite;
        }
        Ok(passed)
    }

    /// Returns whether a text of a document would not be written there again as it is.
    pub(crate) fn would_change(&self, name: &Name, text: &str) -> Result<bool> {
        let (doors, policy) = (self.doors_of(name)?, self.policy(Door::WorkspaceWrite, name));
        match self.judge(&doors, Door::WorkspaceWrite, policy, name, text) {
            Ok(passed) => Ok(passed.text != text),
            Err(Error::Stopped { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Checks that a text may be written into a document, as a write does first.
    pub(crate) fn check_write(&self, name: &Name, text: &str) -> Result<()> {
        self.check(Verb::Read, name)?;
        self.check(Verb::Write, name)?;
        self.pass_name(name)?;
        let policy = self.policy(Door::WorkspaceWrite, name);
        self.judge(&*self.doors_of(name)?, Door::WorkspaceWrite, policy, name, text).map(drop)
    }

    /// Returns the doors, with the forgotten statements of the workspace by now.
    pub(crate) fn current_doors(&self) -> Result<Cow<'_, Doors>> {
        self.doors_of(&DocName::MEMORY)
    }

    /// Returns the doors of a document: with the forgotten statements of the workspace and of its group, if it
    /// has one.
    pub(crate) fn doors_of(&self, name: &Name) -> Result<Cow<'_, Doors>> {
        Ok(match self.forgotten.of_document(&self.workspace, name)? {
            Some(forgotten) => Cow::Owned(self.doors.clone().forgotten(forgotten)),
            None => Cow::Borrowed(&self.doors),
        })
    }

    /// Lets tools and searches over this view say behind each outdated line of `MEMORY.md` and its archive what holds
    /// now. The list is [`FactStore::superseded`](crate::facts::FactStore::superseded). The files stay as they are, and
    /// [`read`](Workspace::read) returns them so. [`Session::mark_superseded`](crate::Session::mark_superseded) does
    /// this for the tools of a session.
    ///
    /// # Errors
    ///
    /// The errors of the doors.
    pub fn mark_superseded(&mut self, superseded: &[Superseded]) -> Result<()> {
        let notes = Notes::of(superseded, self.shown_of_memory()?)?;
        self.notes = Arc::new(notes.doubting_as(&self.notes));
        Ok(())
    }

    /// Lets tools and searches over this view say behind doubtful lines of `MEMORY.md` and its archive why, by the rows
    /// of [`MemoryStore::snapshot`](crate::MemoryStore::snapshot). The files stay as they are.
    /// [`Session::mark_doubted`](crate::Session::mark_doubted) does this for the tools of a session.
    ///
    /// # Errors
    ///
    /// The errors of the doors.
    pub fn mark_doubted(&mut self, rows: &[SnapshotRow]) -> Result<()> {
        let notes = self.notes.doubting(rows, self.shown_of_memory()?)?;
        self.notes = Arc::new(notes);
        Ok(())
    }

    /// Returns what a text becomes where a prompt shows it beside a line of `MEMORY.md`.
    fn shown_of_memory(&self) -> Result<impl FnMut(&str) -> Result<String>> {
        let (doors, name) = (self.current_doors()?, DocName::MEMORY.into());
        let policy = doors.policy_of(Door::PromptLoad, &name).as_shown();
        Ok(move |text: &str| Ok(self.judge(&doors, Door::PromptLoad, policy, &name, text)?.text.into_owned()))
    }

    /// Looks into a folder, as [`list`](Workspace::list) does, and says where to look next.
    pub(crate) fn look(&self, folder: &Folder) -> Result<Looked> {
        if self.access.kind == SessionKind::Main {
            self.check_scope(&DocName::JOURNALS)?;
            return folder.look(&self.workspace, &self.workspace.reach());
        }
        // Nothing but what the library's own names say is readable here.
        let listing = self.list(folder.name.as_ref())?;
        let folders = listing.folders.iter().cloned().map(Folder::own).gather();
        Ok(Looked { listing, folders, left_out: Vec::new() })
    }

    /// Returns a folder that was named, to look into.
    pub(crate) fn folder(&self, name: Option<DocName>) -> Result<Folder> {
        match name {
            None => Ok(Folder::root()),
            Some(name) if self.access.kind == SessionKind::Main => Folder::at(&self.workspace, name),
            Some(name) => Ok(Folder::own(name)),
        }
    }

    /// Reads the part of `USER.md` for the session: all in a main session, else what `shared` says. `None` where that
    /// is nothing.
    ///
    /// The document itself stays closed to the other verbs.
    ///
    /// ```
    /// use noctuary::life::{Guarded, SharedUser};
    /// use noctuary::{Access, DocName, FileWorkspace, Scope, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = FileWorkspace::open(folder.path())?;
    /// workspace.write(&DocName::USER, b"# User\n\n- Name: Marta\n- Focus: a secret\n", WriteMode::Create)?;
    ///
    /// let group = Access::shared(Scope::user("marta"));
    /// let view = Guarded::new(&workspace, group);
    /// assert_eq!(view.profile(SharedUser::Subset)?.as_deref(), Some("- **Name:** Marta\n"));
    /// assert_eq!(view.profile(SharedUser::None)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WorkspaceExt::read_text`](crate::workspace::WorkspaceExt::read_text); [`Error::Denied`] for another scope than the
    /// workspace's.
    pub fn profile(&self, shared: SharedUser) -> Result<Option<String>> {
        Ok(self.profile_of(shared, false)?.map(|(given, _)| given))
    }

    /// Returns the same, and, if asked, the document that it was taken from.
    pub(crate) fn profile_of(
        &self,
        shared: SharedUser,
        with_document: bool,
    ) -> Result<Option<(String, Option<Document>)>> {
        self.check_scope(&DocName::USER)?;
        let shared = if self.access.kind == SessionKind::Main { SharedUser::Full } else { shared };
        if shared == SharedUser::None {
            return Ok(None);
        }
        let Some(document) = self.workspace.read(&DocName::USER)? else { return Ok(None) };
        let whole = with_document.then(|| document.clone());
        let text = text_of(&DocName::USER, document)?;
        let given = if shared == SharedUser::Subset { Profile::parse(&text).subset() } else { text };
        Ok(Some((given, whole)).filter(|(given, _)| !given.is_empty()))
    }
}

impl<W: Workspace> Workspace for Guarded<W> {
    fn location(&self) -> String {
        self.workspace.location()
    }

    fn scope(&self) -> Option<&Scope> {
        self.workspace.scope()
    }

    fn reach(&self) -> Reach {
        self.workspace.reach()
    }

    /// Names what may be read, and the folders that hold any of it.
    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        self.check_scope(folder.unwrap_or(&DocName::JOURNALS))?;
        if self.access.kind == SessionKind::Main {
            return self.workspace.list(folder);
        }
        // Of the folders, only that of the journals holds anything that is readable here.
        let readable = |folder: Option<&DocName>| -> Result<Vec<DocName>> {
            let listing = self.workspace.list(folder)?;
            Ok(listing.documents.into_iter().filter(|name| self.may(Verb::Read, name)).gather())
        };
        match folder {
            None => {
                // A folder that cannot be listed holds nothing to show.
                let holds_any = readable(Some(&DocName::JOURNALS)).is_ok_and(|names| !names.is_empty());
                let folders = if holds_any { vec![DocName::JOURNALS] } else { Vec::new() };
                Ok(Listing::new(readable(None)?, folders, Vec::new()))
            }
            // A group is told its journals, wherever they may lie.
            Some(folder)
                if *folder == DocName::JOURNALS
                    || (*folder == DocName::DAILY && self.access.is_of_group()) =>
            {
                Ok(Listing::new(readable(Some(folder))?, Vec::new(), Vec::new()))
            }
            Some(folder) => Err(self.denied(folder)),
        }
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
        self.pass_name(name)?;
        let bytes = self.pass(Door::WorkspaceWrite, self.policy(Door::WorkspaceWrite, name), name, bytes)?;
        let bytes = self.unmarked(bytes, || self.workspace.read(name))?;
        self.workspace.write(name, &bytes, mode)
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let is_private = DocumentKind::of(name) == DocumentKind::Journal;
        if is_private && self.access.kind != SessionKind::Main {
            return self.append_from(name, &String::from_utf8_lossy(bytes), Origin::Agent);
        }
        self.check(Verb::Append, name)?;
        self.add(name, bytes)
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.check(Verb::Write, name)?;
        self.workspace.remove(name)
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.check(Verb::Write, from)?;
        self.check(Verb::Write, to)?;
        self.pass_name(to)?;
        // A text that may stand here may be one that may not stand there.
        if let Some(document) = self.workspace.read(from)? {
            let policy = self.policy(Door::WorkspaceWrite, to).as_it_is();
            self.pass(Door::WorkspaceWrite, policy, to, document.bytes())?;
            // What a person kept elsewhere, a copy or a page, would be taken for dreams there.
            let is_marked = curated::marks(&document.lossy()).next().is_some();
            if is_marked && !self.is_theirs() && holds_dreams(to) && !holds_dreams(from) {
                return Err(self.denied(to));
            }
        }
        self.workspace.rename(from, to)
    }

    /// Is denied: what was replaced is the operator's.
    fn drop_versions(&self, _holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        Err(self.denied(&StateName::FORGOTTEN))
    }

    /// Is denied: a lease writes state, and a dream curates as the library, on the workspace itself.
    fn claim(&self, _terms: &ClaimTerms) -> Result<Claim> {
        Err(self.denied(&StateName::LEDGER))
    }
}

/// Returns whether marks in a document are those of dreams: in `MEMORY.md` and its archive.
fn holds_dreams(name: &Name) -> bool {
    DocumentKind::of(name) == DocumentKind::Memory || name.folded() == DocName::DREAMED.folded()
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
        let access = Access::new(kind, actor, Scope::user("u"));
        Guarded::new((), access).may(verb, &DocName::parse(name).unwrap())
    }

    // SE-02 to SE-07, SE-13, WS-09, SE-15, WS-12: the table, written out.
    #[test]
    fn the_table_is_that_of_the_rfc() {
        use SessionKind::{Main, Scheduled, Shared, Subagent};
        use Verb::{Append, Read, Write};
        let rows: [(&str, &[Verb], &[Verb]); 13] = [
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
            ("memory/2026-01-01-shared.x.md", &[Read, Append], &[Read, Append]),
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

    // SE-02, C13
    #[test]
    fn an_agent_that_may_evolve_does_so_in_private_only() {
        for (kind, may) in [(SessionKind::Main, true), (SessionKind::Shared, false)] {
            let access = Access::new(kind, Actor::Agent, Scope::user("u"));
            let view = Guarded::new((), access).with_soul(SoulPolicy::AgentMayEvolve);
            assert_eq!(view.may(Verb::Write, &DocName::SOUL), may, "{kind:?}");
            assert!(!view.may(Verb::Write, &DocName::BOOTSTRAP));
        }
    }

    #[test]
    fn another_spelling_is_the_same_document() {
        for name in ["memory.md", "Memory.MD", "MEMORY.md", "user.md", "uSeR.md"] {
            assert!(!may(SessionKind::Shared, Actor::Agent, Verb::Read, name), "{name}");
        }
        assert!(!may(SessionKind::Shared, Actor::Agent, Verb::Read, "memory/2026-01-01-Shared.x.md"));
        assert!(!may(SessionKind::Main, Actor::Agent, Verb::Write, "Soul.md"));
        #[cfg(not(windows))]
        assert!(!may(SessionKind::Main, Actor::Agent, Verb::Write, "SOUL.md::$DATA"), "a stream is the file");
        #[cfg(not(windows))]
        assert!(!may(SessionKind::Main, Actor::Agent, Verb::Write, "memory/2026-01-01: a call?.md"));
        assert!(!may(SessionKind::Main, Actor::Agent, Verb::Write, "Memory/2026-01-01.MD"));
    }
}
