//! Editing by hand: the eight root documents, by the revision that the editor loaded.

use chrono::{DateTime, Utc};

use super::config::LifeConfig;
use super::rewrite::rewrite;
use crate::base::access::Access;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::format::state::history::History;
use crate::gate::{DoorWarning, Doors};
use crate::session::{self, Guarded};
use crate::workspace::{Workspace, WriteMode};

/// The documents that are edited whole. Journals are not: they are only added to.
pub const EDITABLE: [DocName; 8] = DocName::EDITABLE;

/// Returns the document that a command names: `/soul`, `/identity`, `/heartbeat`, or `/workspace` and one of the
/// eight names, `.md` optional.
///
/// ```
/// use noctuary::life::document_of_command;
/// use noctuary::DocName;
///
/// assert_eq!(document_of_command("/soul"), Some(DocName::SOUL));
/// assert_eq!(document_of_command("/workspace memory"), Some(DocName::MEMORY));
/// assert_eq!(document_of_command("/workspace ../secrets"), None);
/// ```
#[must_use]
pub fn document_of_command(command: &str) -> Option<DocName> {
    let words: Vec<&str> = command.split_whitespace().gather();
    let (alias, short) = match words[..] {
        ["/workspace", alias] => (alias, false),
        [command] => (command.strip_prefix('/')?, true),
        _ => return None,
    };
    let alias = alias.to_lowercase();
    let name = EDITABLE.into_iter().find(|name| {
        let name = name.as_str().to_lowercase();
        name == alias || name.strip_suffix(".md") == Some(&alias)
    })?;
    (!short || [DocName::SOUL, DocName::IDENTITY, DocName::HEARTBEAT].contains(&name)).then_some(name)
}

/// An editor of one workspace for one session. It can do nothing that the session may not do.
///
/// A save carries the revision that was loaded. [`Error::Conflict`] carries the present text and its revision. To
/// overwrite, the person saves again with that revision; to reload, the text is at hand.
///
/// ```
/// use chrono::Utc;
/// use noctuary::life::Editor;
/// use noctuary::{Access, DocName, Error, FileWorkspace, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let editor = Editor::new(&workspace, Access::human(Scope::user("marta")));
/// let first = editor.save(&DocName::USER, "# User\n", None, Utc::now())?;
/// editor.save(&DocName::USER, "# User\n\n- Name: Marta\n", Some(first), Utc::now())?;
///
/// // Another tab still holds the first revision.
/// let Err(Error::Conflict { current: Some(current), .. }) =
///     editor.save(&DocName::USER, "# Mine\n", Some(first), Utc::now())
/// else { panic!("it has changed") };
/// editor.save(&DocName::USER, "# Mine\n", Some(current.revision()), Utc::now())?;
/// assert_eq!(editor.history(&DocName::USER)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Editor<'a> {
    workspace: &'a dyn Workspace,
    view: Guarded<&'a dyn Workspace>,
}

impl<'a> Editor<'a> {
    /// Makes an editor for a session.
    #[must_use]
    pub fn new(workspace: &'a dyn Workspace, access: Access) -> Self {
        Self { workspace, view: Guarded::new(workspace, access) }
    }

    /// Sets what saves must pass, where it is not the human who saves.
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.view = self.view.with_doors(doors);
        self
    }

    /// Returns the findings in texts that were saved since the last call. A person may save a key; an interface tells them so.
    ///
    /// ```
    /// use chrono::Utc;
    /// use noctuary::life::Editor;
    /// use noctuary::{Access, DocName, FileWorkspace, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = FileWorkspace::open(folder.path())?;
    /// let editor = Editor::new(&workspace, Access::human(Scope::user("marta")));
    /// editor.save(&DocName::MEMORY, "- the key is AKIAIOSFODNN7EXAMPLE\n", None, Utc::now())?;
    /// let warnings = editor.take_warnings();
    /// assert!(warnings[0].to_string().contains("aws_access_key"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn take_warnings(&self) -> Vec<DoorWarning> {
        self.view.take_warnings()
    }

    /// Reads a document as it is now; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] where the session may not, and [`Error::Refused`] for any but the eight.
    pub fn load(&self, name: &DocName) -> Result<Option<Document>> {
        editable(name)?;
        self.view.read(name)
    }

    /// Saves a document that was loaded at the revision `seen`; `None` creates it.
    ///
    /// The replaced document is kept: the last twenty versions of a document, up to a megabyte. When it returns, both
    /// survive a power loss. After a crash before that, the document is whole, in its old or its new state.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] where something else stands there, and nothing was written; and those of
    /// [`load`](Self::load).
    pub fn save(
        &self,
        name: &DocName,
        text: &str,
        seen: Option<Revision>,
        now: DateTime<Utc>,
    ) -> Result<Revision> {
        self.replace(name, text, seen, now).map(|(revision, _)| revision)
    }

    /// Puts the shipped template in the place of a document that was loaded at the revision `seen`, and returns
    /// what stood there.
    ///
    /// # Errors
    ///
    /// The errors of [`save`](Self::save).
    pub fn restore_template(
        &self,
        name: &DocName,
        config: &LifeConfig,
        seen: Option<Revision>,
        now: DateTime<Utc>,
    ) -> Result<Option<Document>> {
        editable(name)?;
        let text = config.template(name).expect("each of the eight has a template");
        self.replace(name, &text, seen, now).map(|(_, preimage)| preimage)
    }

    /// Returns earlier versions of a document, each with the time of its replacement here, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the file of preimages is damaged, and those of [`load`](Self::load).
    pub fn history(&self, name: &DocName) -> Result<Vec<(DateTime<Utc>, Document)>> {
        self.load(name)?;
        let file = StateName::history(name);
        let standing = self.workspace.read(&file)?;
        History::parse(&file, standing.as_ref().map(Document::bytes))?.documents(name)
    }

    /// Returns the documents that a tool replaced without a revision, where [a setting](LifeConfig::overwrites) allows it. Each
    /// has the time of its replacement; newest first. The last twenty are kept, up to a megabyte.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] where the session may not read `MEMORY.md`, and [`Error::Corrupt`] where the file is damaged.
    pub fn replaced(&self) -> Result<Vec<(DateTime<Utc>, Document)>> {
        // Whoever may not read the private memory may not read what stood anywhere.
        self.load(&DocName::MEMORY)?;
        let file = StateName::history(&StateName::REPLACED);
        let standing = self.workspace.read(&file)?;
        History::parse(&file, standing.as_ref().map(Document::bytes))?.documents(&StateName::REPLACED)
    }

    /// Removes the versions that [`replaced`](Self::replaced) returns; `false` where there are none.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] where the session may not read `MEMORY.md`, and those of [`Workspace::remove`].
    pub fn forget_replaced(&self) -> Result<bool> {
        self.load(&DocName::MEMORY)?;
        self.workspace.remove(&StateName::history(&StateName::REPLACED))
    }

    /// Forgets the preimages of a document: what was taken out of it for good must not live on there.
    ///
    /// # Errors
    ///
    /// The errors of [`load`](Self::load), and of [`Workspace::remove`].
    pub fn forget_history(&self, name: &DocName) -> Result<bool> {
        self.load(name)?;
        self.workspace.remove(&StateName::history(name))
    }

    fn replace(
        &self,
        name: &DocName,
        text: &str,
        seen: Option<Revision>,
        now: DateTime<Utc>,
    ) -> Result<(Revision, Option<Document>)> {
        let standing = self.load(name)?;
        let Some(seen) = seen else {
            return Ok((self.view.write(name, text.as_bytes(), WriteMode::Create)?, None));
        };
        let mode = WriteMode::IfRevision(seen);
        // One that does not stand there any more is not replaced: the write below says so.
        let preimage = standing.filter(|standing| standing.revision() == seen);
        if let Some(preimage) = &preimage
            && preimage.bytes() != text.as_bytes()
        {
            keep_preimage(self.workspace, name, preimage, now)?;
        }
        Ok((self.view.write(name, text.as_bytes(), mode)?, preimage))
    }
}

/// Keeps a document as it stands, before it is replaced; without statements that are to leave files.
pub(crate) fn keep_preimage(
    workspace: &dyn Workspace,
    name: &DocName,
    preimage: &Document,
    now: DateTime<Utc>,
) -> Result<()> {
    let has_own = EDITABLE.contains(name);
    let file = if has_own { StateName::history(name) } else { StateName::history(&StateName::REPLACED) };
    let of = if has_own { None } else { Some(name) };
    // A forgetting that began meanwhile may have looked through the file before this version was in it: then it is struck here.
    for is_kept in [false, true] {
        let asked = session::asked_in_files(workspace)?;
        if is_kept && asked.is_none() {
            break;
        }
        rewrite(workspace, &file, |bytes| {
            let mut history = History::parse(&file, bytes)?;
            let mut is_changed = !is_kept && history.push(of, preimage, now);
            if let Some(asked) = &asked {
                is_changed |= session::strike_history(&mut history, asked) > 0;
            }
            Ok(is_changed.then(|| history.print()))
        })?;
    }
    Ok(())
}

fn editable(name: &DocName) -> Result<()> {
    if EDITABLE.contains(name) {
        return Ok(());
    }
    Err(Error::Refused { path: name.to_string(), reason: Refusal::NotEditable })
}

#[cfg(test)]
mod tests {
    use super::*;

    // ED-07.
    #[test]
    fn commands_name_the_live_files() {
        let table = [
            ("/soul", Some(DocName::SOUL)),
            ("/identity", Some(DocName::IDENTITY)),
            ("/heartbeat", Some(DocName::HEARTBEAT)),
            ("/workspace soul", Some(DocName::SOUL)),
            ("/workspace agents", Some(DocName::AGENTS)),
            ("/workspace identity", Some(DocName::IDENTITY)),
            ("/workspace user", Some(DocName::USER)),
            (" /workspace  memory ", Some(DocName::MEMORY)),
            ("/workspace heartbeat", Some(DocName::HEARTBEAT)),
            ("/workspace bootstrap", Some(DocName::BOOTSTRAP)),
            ("/workspace TOOLS.md", Some(DocName::TOOLS)),
            ("/memory", None),
            ("soul", None),
            ("/workspace", None),
            ("/workspace memory/2026-01-01.md", None),
            ("/workspace soul agents", None),
            ("", None),
        ];
        for (command, name) in table {
            assert_eq!(document_of_command(command), name, "{command:?}");
        }
    }
}
