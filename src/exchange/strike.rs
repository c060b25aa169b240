//! Striking through lines of `MEMORY.md` that no longer hold, and taking that back.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::feed::own_name;
use crate::base::access::{Access, Actor, SessionKind};
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::text;
use crate::facts::FactStore;
use crate::format::documents::curated;
use crate::format::replies::reply::{self, STRIKE};
use crate::workspace::{Workspace, WriteMode, check_scope};

/// The lines that one call struck through. Keep it to [`unstrike`] them.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Strikes {
    /// The lines of `MEMORY.md` that were struck, as they are there now, without their ends.
    pub lines: BTreeSet<String>,
}

debug_as!(Strikes, |it| "Strikes {{ {} lines }}", it.lines.len());

/// Strikes through each line of a dreamed section in `MEMORY.md` that no longer holds by the decisions of a store:
/// `- ~~Marta lives in Berlin.~~ (memory/2026-11-20-repl.md#L1)`. Its row stays, and a search by its words is still led to
/// what holds now.
///
/// Nothing else in the file changes. Lines that a person folded, and lines that are struck already, are left. The file is
/// replaced whole or not at all, and the change survives a power loss once this returns.
///
/// ```
/// use noctuary::exchange::{feed, strike_superseded, unstrike};
/// use noctuary::facts::{Decision, FactStore};
/// use noctuary::memory::{Filter, NewMemory, Source};
/// use noctuary::workspace::WorkspaceExt;
/// use noctuary::{Access, DocName, FileMemoryStore, FileWorkspace, MemoryStore, Scope, Workspace, WriteMode};
/// # use chrono::{TimeZone, Utc};
///
/// let (folder, marta) = (tempfile::tempdir()?, Scope::user("marta"));
/// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let workspace = FileWorkspace::open(folder.path())?;
/// let store = FileMemoryStore::open(folder.path(), marta.clone())?;
/// let memory = "## Dreamed 2026-11-20
/// <!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->
///
/// - Marta lives in Berlin. (memory/2026-11-20-repl.md#L1)
///
/// <!-- /dream:v1 id=0f3a9c5be2d14477 -->
/// ";
/// workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create)?;
/// feed(&workspace, &store, &marta, now)?;
/// let human = Access::human(marta);
/// let berlin = store.list(&human, &Filter::limit(1))?[0].id;
/// let lisbon = store.record(&human, &NewMemory::new("fact", "Moved to Lisbon.", Source::UserManual), now)?.id;
/// store.decide(&human, &Decision::supersede(berlin, lisbon), now)?;
///
/// let strikes = strike_superseded(&workspace, &store, &human)?;
/// let text = || workspace.read_text(&DocName::MEMORY);
/// assert!(text()?.unwrap().contains("- ~~Marta lives in Berlin.~~ (memory/2026-11-20-repl.md#L1)\n"));
/// assert_eq!(unstrike(&workspace, &strikes, &human)?, 1);
/// assert_eq!(text()?.as_deref(), Some(memory));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Denied`] for anybody but the human in a main session. [`Error::Conflict`] where the file was changed
/// meanwhile. [`Error::NotUtf8`] for a file that is no text. Also those of the store and the workspace.
pub fn strike_superseded(
    workspace: &dyn Workspace,
    facts: &dyn FactStore,
    access: &Access,
) -> Result<Strikes> {
    let stated: BTreeSet<String> =
        facts.superseded(access)?.iter().map(|line| text::statement(&line.row.content)).collect();
    let mut strikes = Strikes::default();
    rewrite(workspace, access, |line| {
        let item = reply::bullet(line)?;
        let (claim, _) = reply::split_citations(item);
        if reply::unstruck(&claim) != claim || !stated.contains(&text::statement(&claim)) {
            return None;
        }
        let at = line.rfind(item)?;
        let rest = item.strip_prefix(claim.as_str()).unwrap_or_default();
        let said = &item[..item.len() - rest.len()];
        let struck = format!("{}{STRIKE}{said}{STRIKE}{rest}{}", &line[..at], &line[at + item.len()..]);
        strikes.lines.insert(struck.clone());
        Some(struck)
    })?;
    Ok(strikes)
}

/// Takes strikes back: the lines are again as they were, byte for byte. Returns how many; one that was changed meanwhile
/// stays as it is.
///
/// # Errors
///
/// As [`strike_superseded`].
pub fn unstrike(workspace: &dyn Workspace, strikes: &Strikes, access: &Access) -> Result<usize> {
    let mut back = 0;
    rewrite(workspace, access, |line| {
        let (before, rest) = line.split_once(STRIKE).filter(|_| strikes.lines.contains(line))?;
        let (said, behind) = rest.rsplit_once(STRIKE)?;
        back += 1;
        Some(format!("{before}{said}{behind}"))
    })?;
    Ok(back)
}

/// Changes lines of whole dreamed sections in `MEMORY.md`, each that is one whole bullet.
fn rewrite(
    workspace: &dyn Workspace,
    access: &Access,
    mut change: impl FnMut(&str) -> Option<String>,
) -> Result<()> {
    if access.kind != SessionKind::Main || access.actor != Actor::Human {
        return Err(Error::Denied { name: DocName::MEMORY.into(), kind: access.kind });
    }
    check_scope(workspace, access, DocName::MEMORY)?;
    let name = own_name(workspace, DocName::MEMORY)?;
    let Some(document) = workspace.read(&name)? else { return Ok(()) };
    let revision = document.revision();
    let memory = String::from_utf8(document.into_bytes()).map_err(|error| {
        let valid_up_to = error.utf8_error().valid_up_to();
        Error::NotUtf8 { name: name.clone().into(), valid_up_to }
    })?;
    let mut rewritten = String::with_capacity(memory.len());
    let mut from = 0;
    for range in bullets(&memory) {
        let line = &memory[range.clone()];
        if let Some(changed) = change(line) {
            rewritten.push_str(&memory[from..range.start]);
            rewritten.push_str(&changed);
            from = range.end;
        }
    }
    if from > 0 {
        rewritten.push_str(&memory[from..]);
        workspace.write(&name, rewritten.as_bytes(), WriteMode::IfRevision(revision))?;
    }
    Ok(())
}

/// Returns the bullets of one line each in whole dreamed sections.
fn bullets(memory: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut open: Option<(String, Vec<Range<usize>>)> = None;
    for range in text::line_ranges(memory) {
        let line = &memory[range.clone()];
        if let Some(dream) = curated::mark(line.trim_end()) {
            open = Some((dream.end_mark(), Vec::new()));
            continue;
        }
        let Some((end, lines)) = &mut open else { continue };
        if line.trim_end() == end {
            all.append(lines);
            open = None;
        } else if reply::bullet(line).is_some() {
            lines.push(range);
        } else if line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            // A folded line ends elsewhere.
            if lines.last().is_some_and(|last| memory[last.end..range.start].matches('\n').count() == 1) {
                lines.pop();
            }
        }
    }
    all
}
