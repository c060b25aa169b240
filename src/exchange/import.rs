//! Importing: a plan that a person can look at, and its effect, which is the plan.

use std::sync::Arc;

use serde::Serialize;

use super::claim::claim;
use super::dialect::{Dialect, Route, body, entries};
use super::feed::own_name;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::format::documents::curated;
use crate::gate::{Door, Doors};
use crate::session;
use crate::workspace::{Workspace, WriteMode};

/// Brings the memory of another program into a workspace.
///
/// The source is the other program's folder, opened as a workspace. It is only read, and what lies in dot folders is
/// out of reach. Nothing in the target is overwritten. A document that holds a secret, or an instruction in disguise,
/// stays out and is reported, unless [`Door::Import`] has another policy. So does one with a statement that the
/// target has forgotten, whatever the policy. Importing twice changes nothing.
///
/// ```
/// use noctuary::exchange::{Dialect, Import, ImportAction};
/// use noctuary::workspace::WorkspaceExt;
/// use noctuary::{DocName, FileWorkspace};
///
/// let (theirs, ours) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(theirs.path().join("MEMORY.md"), "Likes tea.\n§\nWorks from Lisbon.\n")?;
/// let (source, target) = (FileWorkspace::open(theirs.path())?, FileWorkspace::open(ours.path())?);
///
/// let import = Import::new(Dialect::Hermes);
/// let plan = import.plan(&source, &target)?;
/// assert_eq!(plan.items[0].action, ImportAction::Copy);
///
/// let report = import.apply(plan, &source, &target)?;
/// assert_eq!(report.done.len(), 1);
/// assert_eq!(
///     target.read_text(&DocName::MEMORY)?.unwrap(),
///     "## Imported from Hermes\n\n- [import] Likes tea.\n- [import] Works from Lisbon.\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Import {
    dialect: Dialect,
    doors: Doors,
    strip_frontmatter: bool,
}

/// The plan of an import, document by document. Nothing is written before it is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportPlan {
    /// Each document of the source, and each folder that is left alone as a whole.
    pub items: Vec<ImportItem>,
    /// Entries that are no plain file under a plain name: symbolic links, devices. Lossy text.
    pub refused: Vec<String>,
}

/// The plan for one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportItem {
    /// Its name at the source.
    pub source: DocName,
    /// Its name in the workspace; `None` where it has none.
    pub target: Option<DocName>,
    /// The action on it.
    pub action: ImportAction,
    /// The classes of findings in it that were let pass, masked or as they are.
    pub found: Vec<String>,
    /// The source and the target as the plan saw them.
    #[serde(skip)]
    seen: (Option<Revision>, Option<Revision>),
}

/// The action on a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportAction {
    /// The target is created.
    Copy,
    /// The target grows at its end.
    Append,
    /// It is not brought in, and need not be, for this reason.
    Skip(&'static str),
    /// It should be brought in, and is not.
    Refuse(ImportRefusal),
}

/// Why a document is not brought in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportRefusal {
    /// The check refuses it. The classes of secrets and reasons of instructions in it, or `forgotten` if the target has
    /// forgotten some of it.
    Stopped(Vec<String>),
    /// Something else is at the target, or another document goes there.
    Conflict,
    /// It is not UTF-8, and cannot be looked at.
    NotUtf8,
    /// It is larger than [`MAX_DOCUMENT`](crate::workspace::MAX_DOCUMENT).
    TooLarge,
    /// It is no plain file.
    NotAFile,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// Documents that were copied and appended.
    pub done: Vec<ImportItem>,
    /// Documents that had changed since the plan, at the source or the target, and were left alone.
    pub changed: Vec<ImportItem>,
    /// Documents that the plan skips and refuses.
    pub left: Vec<ImportItem>,
}

const THERE_ALREADY: &str = "it is there already";

impl Import {
    /// Imports from a program, through the default [`Doors`].
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, doors: Doors::default(), strip_frontmatter: false }
    }

    /// Sets what may come in: the policy of [`Door::Import`].
    #[must_use]
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Leaves out the frontmatter of documents that are copied. It is kept otherwise.
    #[must_use]
    pub fn strip_frontmatter(mut self, strip: bool) -> Self {
        self.strip_frontmatter = strip;
        self
    }

    /// Looks at both workspaces and says what an import would do. Writes nothing.
    ///
    /// # Errors
    ///
    /// The errors of listing and reading; a document that cannot be imported is no error and is part of the plan.
    pub fn plan(&self, source: &dyn Workspace, target: &dyn Workspace) -> Result<ImportPlan> {
        let mut plan = ImportPlan { items: Vec::new(), refused: Vec::new() };
        let import = self.knowing(target)?;
        let mut taken = SortedSet::new();
        for listing in session::walk(source, None, |folder| self.dialect.leaves(folder).is_none()) {
            let (folder, listing) = listing?;
            let has_memory = listing.documents.contains(&DocName::MEMORY);
            for name in listing.documents {
                let mut item = if name == DocName::LEGACY_MEMORY && has_memory {
                    ImportItem::new(name, None, ImportAction::Skip("MEMORY.md stands in its place"))
                } else {
                    import.judge(name, source, target)?.0
                };
                if item.is_to_do() && !taken.insert(item.target.clone()) {
                    item.action = ImportAction::Refuse(ImportRefusal::Conflict);
                }
                plan.items.push(item);
            }
            for inner in listing.folders.into_iter().rev() {
                if let Some(reason) = self.dialect.leaves(&inner) {
                    plan.items.push(ImportItem::new(inner, None, ImportAction::Skip(reason)));
                }
            }
            let within = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
            plan.refused.extend(listing.refused.iter().map(|name| format!("{within}{name}")));
        }
        Ok(plan)
    }

    /// Does only what a plan of this import says: a document that changed since is reported and left alone.
    ///
    /// The target is claimed meanwhile, so that no dream runs in between. A document that is reported as done survives a
    /// power loss. After an error or a crash some of it is done; planning and applying again does the rest.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] where somebody dreams in the target, and those of reading and writing.
    pub fn apply(
        &self,
        plan: ImportPlan,
        source: &dyn Workspace,
        target: &dyn Workspace,
    ) -> Result<ImportReport> {
        let lease = claim(target)?;
        let import = self.knowing(target)?;
        let mut report = ImportReport { done: Vec::new(), changed: Vec::new(), left: Vec::new() };
        for item in plan.items {
            let ImportItem { source: name, target: Some(into), action, .. } = &item else {
                report.left.push(item);
                continue;
            };
            if !item.is_to_do() {
                report.left.push(item);
                continue;
            }
            // The same check as for the plan runs again, so the written text is the planned one.
            let (again, bytes, len) = import.judge(name.clone(), source, target)?;
            let written = match action {
                _ if again != item => false,
                ImportAction::Copy => match target.write(into, &bytes, WriteMode::Create) {
                    Err(Error::Conflict { .. }) => false,
                    written => written.map(|_| true)?,
                },
                // It may be the rest of an append that was torn.
                _ => lease.finish(into, len, &bytes)?,
            };
            if written { report.done.push(item) } else { report.changed.push(item) }
        }
        lease.release()?;
        Ok(report)
    }

    /// Returns the same import, which lets nothing in that the target has forgotten.
    fn knowing(&self, target: &dyn Workspace) -> Result<Self> {
        let mut import = self.clone();
        if let Some(forgotten) = session::forgotten(target)? {
            import.doors = import.doors.forgotten(Arc::new(forgotten));
        }
        Ok(import)
    }

    /// Judges one document: what is done with it, the bytes that this writes, and how long the target is before.
    fn judge(
        &self,
        name: DocName,
        source: &dyn Workspace,
        target: &dyn Workspace,
    ) -> Result<(ImportItem, Vec<u8>, u64)> {
        let (route, into) = match self.dialect.route(&name) {
            Ok((route, into)) => (route, own_name(target, into)?),
            Err(reason) => {
                return Ok((ImportItem::new(name, None, ImportAction::Skip(reason)), Vec::new(), 0));
            }
        };
        let theirs = match source.read(&name) {
            Ok(Some(document)) => self.inspect(document, &into)?,
            Ok(None) => Err(ImportAction::Skip("it is gone")),
            Err(Error::TooLarge { .. }) => Err(ImportAction::Refuse(ImportRefusal::TooLarge)),
            Err(Error::Refused { .. }) => Err(ImportAction::Refuse(ImportRefusal::NotAFile)),
            Err(error) => return Err(error),
        };
        let ours = match target.read(&into) {
            Ok(standing) => Ok(standing),
            Err(Error::TooLarge { .. } | Error::Refused { .. }) => {
                Err(ImportAction::Refuse(ImportRefusal::Conflict))
            }
            Err(error) => return Err(error),
        };
        let mut item = ImportItem::new(name, Some(into), ImportAction::Skip(THERE_ALREADY));
        let len =
            ours.as_ref().ok().and_then(Option::as_ref).map_or(0, |standing| standing.bytes().len() as u64);
        let (action, bytes) = match theirs.and_then(|theirs| Ok((theirs, ours?))) {
            Err(action) => (action, Vec::new()),
            Ok(((revision, text, found), standing)) => {
                item.found = found;
                item.seen = (Some(revision), standing.as_ref().map(Document::revision));
                match route {
                    Route::Entries | Route::Index => {
                        lines(&self.dialect.heading(), &entries(route, &text), standing.as_ref())
                    }
                    _ if self.strip_frontmatter => whole(body(&text), standing.as_ref()),
                    _ => whole(&text, standing.as_ref()),
                }
            }
        };
        item.action = action;
        Ok((item, bytes, len))
    }

    /// Returns the text of a document as it may come in, and the findings in it.
    fn inspect(&self, document: Document, into: &DocName) -> Result<Inspected> {
        let revision = document.revision();
        let refuse = |why| Ok(Err(ImportAction::Refuse(why)));
        let Ok(text) = String::from_utf8(document.into_bytes()) else {
            return refuse(ImportRefusal::NotUtf8);
        };
        let (mark, words) = text.split_at(if text.starts_with(text::BOM) { text::BOM.len_utf8() } else { 0 });
        match self.doors.pass(Door::Import, into, words) {
            Ok(passed) => {
                let found = passed.warnings.into_iter().map(|warning| warning.class).collect();
                Ok(Ok((revision, format!("{mark}{}", passed.text), found)))
            }
            Err(Error::Stopped { classes, .. }) => refuse(ImportRefusal::Stopped(classes)),
            Err(error) => Err(error),
        }
    }
}

/// A text that may come in, with its findings, or the reason why it may not.
type Inspected = std::result::Result<(Revision, String, Vec<String>), ImportAction>;

impl ImportItem {
    fn new(source: DocName, target: Option<DocName>, action: ImportAction) -> Self {
        Self { source, target, action, found: Vec::new(), seen: (None, None) }
    }

    fn is_to_do(&self) -> bool {
        matches!(self.action, ImportAction::Copy | ImportAction::Append)
    }
}

fn whole(text: &str, standing: Option<&Document>) -> (ImportAction, Vec<u8>) {
    let action = match standing {
        None => return (ImportAction::Copy, text.as_bytes().to_vec()),
        Some(standing) if standing.bytes() == text.as_bytes() => ImportAction::Skip(THERE_ALREADY),
        Some(_) => ImportAction::Refuse(ImportRefusal::Conflict),
    };
    (action, Vec::new())
}

/// Entries as a section that is there once: the rest of it, where an append was torn.
fn lines(heading: &str, entries: &[String], standing: Option<&Document>) -> (ImportAction, Vec<u8>) {
    let nothing = |action| (action, Vec::new());
    if entries.is_empty() {
        return nothing(ImportAction::Skip("it is empty"));
    }
    let bullets: Vec<String> = entries.iter().map(|entry| format!("- [import] {entry}")).collect();
    let mut section = format!("{heading}\n\n{}\n", bullets.join("\n"));
    let Some(standing) = standing.map(Document::bytes) else {
        return (ImportAction::Copy, section.into_bytes());
    };
    let mut line_break = "\n";
    if curated::has_crlf(standing) {
        line_break = "\r\n";
        section = section.replace('\n', line_break);
    }
    // An append that was torn inside a character ends in a part of it.
    let text = match std::str::from_utf8(standing) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&standing[..error.valid_up_to()]).expect("it is valid up to there")
        }
        Err(_) => return nothing(ImportAction::Refuse(ImportRefusal::Conflict)),
    };
    let there = text::line_ranges(text).filter(|line| text[line.clone()].trim_end() == heading).last();
    // Where the section may begin, the empty line above it included.
    let begins = match &there {
        Some(line) => line.start.saturating_sub(2 * line_break.len())..=line.start,
        None => text.len().saturating_sub(heading.len() + 2 * line_break.len())..=text.len(),
    };
    let missing = begins.into_iter().find_map(|from| {
        let gap = match standing[..from].last() {
            None => String::new(),
            Some(b'\n') => line_break.to_owned(),
            Some(_) => line_break.repeat(2),
        };
        let whole = format!("{gap}{section}");
        whole.as_bytes().strip_prefix(&standing[from..]).map(<[u8]>::to_vec)
    });
    let stands = |bullet: &String| text.lines().any(|line| line == bullet);
    match missing {
        Some(rest) if !rest.is_empty() => (ImportAction::Append, rest),
        None if !bullets.iter().all(stands) => nothing(ImportAction::Refuse(ImportRefusal::Conflict)),
        _ => nothing(ImportAction::Skip(THERE_ALREADY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use proptest::prelude::*;

    fn pieces(most: usize) -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "x",
            "é",
            " ",
            "#",
            "\n",
            "\r\n",
            "- [import] x",
            "## Imported from Hermes",
            "## Imported from Hermes\n\n",
        ]);
        prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(20_000)))]

        #[test]
        fn a_section_is_appended_once_wherever_an_append_was_torn(
            standing in pieces(12),
            words in prop::collection::vec("[xé]{1,3}", 1..4),
        ) {
            let heading = Dialect::Hermes.heading();
            let look = |bytes: &[u8]| {
                lines(&heading, &words, Some(&Document::new(DocName::MEMORY.into(), bytes.to_vec())))
            };
            let (action, missing) = look(standing.as_bytes());
            if action == ImportAction::Append {
                let whole = [standing.as_bytes(), &missing].concat();
                for cut in standing.len()..whole.len() {
                    let (action, rest) = look(&whole[..cut]);
                    prop_assert_eq!(&action, &ImportAction::Append);
                    let completed = [&whole[..cut], &rest].concat();
                    prop_assert_eq!(String::from_utf8_lossy(&completed), String::from_utf8_lossy(&whole));
                }
                prop_assert_eq!(look(&whole).0, ImportAction::Skip(THERE_ALREADY));
            } else {
                prop_assert!(missing.is_empty() && standing.contains(&heading));
            }
        }
    }
}
