//! Feeding a memory store: what dreams promoted into `MEMORY.md` becomes rows that a search finds.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use serde::Serialize;

use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::document::{Document, SourceRef};
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::format::documents::curated::{self, Promoted};
use crate::format::documents::origins::{self, Above};
use crate::format::documents::speakers;
use crate::format::replies::reply::{self, Citation};
use crate::format::{DreamId, JournalName, Origin};
use crate::gate::FORGOTTEN;
use crate::memory::{CitedLines, Filter, MemoryStore, NewMemory, Source, categories};
use crate::session;
use crate::workspace::{Workspace, WorkspaceExt, check_scope};

/// The result of feeding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct FeedReport {
    /// Lines that dreams promoted, as they are in `MEMORY.md` and its archive.
    pub lines: u64,
    /// Rows that are new, or back with their line.
    pub written: u64,
    /// Rows whose line is gone.
    pub removed: u64,
    /// Lines without words, lines that the workspace has forgotten, and those that the store does not take in.
    pub refused: u64,
    /// Lines whose row somebody deleted, or retired in the meantime.
    pub withheld: u64,
}

/// Makes the rows of a store follow the lines that dreams promoted into `MEMORY.md`. Call it after a dream, after one
/// was taken back, and whenever `MEMORY.md` may have been edited.
///
/// The file is the truth, and with it the archive that its oldest sections may have moved to. Each bullet of a whole section
/// becomes a private row without its citations, which the row [`cites`](crate::memory::Memory::cites). Under `### Facts` it is a
/// fact, under `### Preferences` a preference, under `### Decisions` of category `decision`, else an observation. It is true
/// since the day of the last cited journal at 10:00 in UTC, but not later than `now`. At that hour it is the same day nearly
/// everywhere; show the day alone. Its origin is the agent, even if the user said each line that it cites: the words are the
/// dream's, and the user's own word is in the journal. Where participants said all of them, it is theirs. A row is known by its dream and its words. An existing row is left as it is, also a retired one. A row is deleted
/// if its line was removed, edited or forgotten, even if it is pinned. It returns with its line.
///
/// The notes of a row hold a hash of the lines that it cites, as they are when it is written. A store that knows the
/// [journals](crate::store::StoreConfig::journals) says of a row that they were changed since.
///
/// A row that somebody else deleted stays so until it is purged. Then its line is read anew: who wants it gone for
/// good takes the line out, or has it forgotten.
///
/// Each row is written whole or not at all. After an error, a crash, or another feed at the same time, feeding again
/// makes it right, and nothing is there twice. Where nothing changed, nothing is written but the audit of
/// refusals.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::exchange::feed;
/// use noctuary::memory::Query;
/// use noctuary::{
///     Access, DocName, FileMemoryStore, FileWorkspace, MemoryStore, Scope, Workspace,
///     WriteMode,
/// };
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// let memory = "## Dreamed 2026-11-21
/// <!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->
///
/// ### Decisions
/// - Releases go out on Fridays. (memory/2026-11-20-repl.md#L1)
///
/// <!-- /dream:v1 id=0f3a9c5be2d14477 -->
/// ";
/// workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create)?;
/// assert_eq!(feed(&workspace, &store, &Scope::user("marta"), now)?.written, 1);
///
/// let access = Access::agent(Scope::user("marta"));
/// let found = store.search(&access, &Query::new("When do releases go out?"))?;
/// assert_eq!(found.hits[0].memory.content, "Releases go out on Fridays.");
/// assert_eq!(found.hits[0].memory.cites[0].to_string(), "memory/2026-11-20-repl.md#L1");
///
/// workspace.remove(&DocName::MEMORY)?;
/// assert_eq!(feed(&workspace, &store, &Scope::user("marta"), now)?.removed, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of reading the workspace, and of the store; a refused line is no error, and is counted.
/// [`Error::Denied`] where the store or the workspace is of another scope, or takes in nothing that was dreamed.
pub fn feed(
    workspace: &dyn Workspace,
    store: &dyn MemoryStore,
    scope: &Scope,
    now: DateTime<Utc>,
) -> Result<FeedReport> {
    let access = Access::new(SessionKind::Main, Actor::Library, scope.clone());
    check_scope(workspace, &access, DocName::MEMORY)?;
    let mut report = FeedReport::default();
    let mut lines = lines(workspace, &mut report, now)?;
    let mut filter = Filter::limit(usize::MAX);
    (filter.dreamed, filter.retired) = (true, true);
    let mut standing = SortedMap::new();
    // Missing lines are removed first, so that no failure of another row keeps them.
    for row in store.list(&access, &filter)? {
        let Some(dream) = row.dream else { continue };
        let key = (dream, row.content);
        if !lines.contains_key(&key) || standing.insert(key, ()).is_some() {
            report.removed += u64::from(store.delete(&access, row.id, now)?);
        }
    }
    lines.retain(|key, _| !standing.contains_key(key));
    let mut missing: Vec<_> = lines.into_values().collect();
    order::sort_by_key(&mut missing, |(at, _)| *at);
    let mut speakers = Speakers { workspace, journals: SortedMap::new() };
    let mut cited = CitedLines::of(workspace);
    let missing: Vec<NewMemory> =
        missing.into_iter().map(|(_, row)| cited.quoted(speakers.told(row))).collect();
    for written in store.write_all(&access, &missing, now)? {
        match written {
            Ok(id) if store.get(&access, id)?.is_some() => report.written += 1,
            Ok(_) => report.withheld += 1,
            Err(Error::Stopped { .. } | Error::TooLarge { .. }) => report.refused += 1,
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// The hour in UTC that is of one day in all zones from -10 to +13.
const HOUR: i64 = 10;

/// The key of a row: its dream and its words.
type Key = (DreamId, String);

/// Returns the rows that the lines of a workspace make, with their places among them.
fn lines(
    workspace: &dyn Workspace,
    report: &mut FeedReport,
    now: DateTime<Utc>,
) -> Result<SortedMap<Key, (u64, NewMemory)>> {
    let mut promoted = Vec::new();
    for name in [DocName::DREAMED, own_name(workspace, DocName::MEMORY)?] {
        let document = match workspace.read(&name) {
            // Any other entry with the name of the archive is a person's.
            Err(Error::Refused { .. }) if name == DocName::DREAMED => continue,
            document => document?,
        };
        promoted.extend(curated::promoted(&document.as_ref().map(Document::lossy).unwrap_or_default()));
    }
    let forgotten = session::forgotten(workspace)?;
    let mut rows = SortedMap::new();
    for line in promoted {
        report.lines += 1;
        let row = row(&line, now);
        let is_forgotten = forgotten.as_ref().is_some_and(|forgotten| forgotten.holds(&line.text));
        // The placeholder of forgotten words says nothing.
        let is_struck = row.content.contains(&format!("[{FORGOTTEN}]"));
        if is_forgotten || is_struck || !row.content.contains(char::is_alphanumeric) {
            report.refused += 1;
        } else {
            rows.entry((line.dream, row.content.clone())).or_insert((report.lines, row));
        }
    }
    Ok(rows)
}

/// Returns the row that a line makes.
fn row(line: &Promoted, now: DateTime<Utc>) -> NewMemory {
    let category = match line.heading {
        Some("Facts") => categories::FACT,
        Some("Preferences") => categories::PREFERENCE,
        Some("Decisions") => DECISION,
        _ => categories::OBSERVATION,
    };
    let (statement, citations) = reply::split_citations(&line.text);
    let mut cites = Vec::new();
    for Citation { name, first_line, last_line } in citations {
        if let Some(name) = name.filter(|_| first_line > 0) {
            cites.push(SourceRef { name, first_line, last_line });
        }
    }
    let day = JournalName::last_day(&mut cites.iter().map(|cited| cited.name.as_str()));
    // A model worded it: nobody but the agent answers for the words, unless all of them are a participant's.
    // A line that was struck through has its row still: what replaced it is reached by its words.
    let mut row = NewMemory::new(category, reply::unstruck(&statement), Source::Dreamed)
        .origin(Origin::Agent)
        .cites(cites)
        .of_dream(line.dream.clone());
    let hour = NaiveTime::MIN + TimeDelta::hours(HOUR);
    row.valid_from = day.map(|day| day.and_time(hour).and_utc().min(now));
    row
}

/// The speakers in the journals that promoted lines cite. Each journal is read once.
struct Speakers<'w> {
    workspace: &'w dyn Workspace,
    journals: SortedMap<DocName, Vec<Option<Origin>>>,
}

impl Speakers<'_> {
    /// Returns a row as the word of the participant who said all that it cites. Else it is the one whose name is in
    /// front. So that no program takes it for the user's. Where several said it and none of their names is in front, it
    /// is the word of a participant without a name.
    fn told(&mut self, row: NewMemory) -> NewMemory {
        let (_, statement) = curated::strip_date(&row.content);
        let named = speakers::read(statement).map(|speaker| speaker.origin);
        let mut said = Vec::new();
        for cited in &row.cites {
            said.extend(self.lines(&cited.name, cited.first_line, cited.last_line));
        }
        let is_participants = |origin: &&Option<Origin>| matches!(origin, Some(Origin::Participant(_)));
        let is_named = |origin: &&Option<Origin>| {
            let Some(Origin::Participant(name)) = origin else { return false };
            let front = statement.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name));
            front && statement[name.len()..].starts_with(':')
        };
        // An erased name is a row of x.
        let is_erased = |origin: &Option<Origin>| {
            let name = Origin::participant(origin.as_ref());
            name.is_some_and(|name| name.bytes().all(|byte| byte == b'x'))
        };
        let theirs = || said.iter().filter(is_participants);
        let nobody = Some(Origin::Participant(String::new()));
        let told_in: Vec<Option<Origin>>;
        let told = if said.is_empty() {
            Some(&named).filter(is_participants)
        } else if theirs().count() == said.len() {
            let is_one = theirs().all(|origin| Some(origin) == theirs().next());
            let one = theirs().next().filter(|_| is_one && !theirs().any(is_erased));
            one.or_else(|| theirs().find(is_named)).or(Some(&nobody))
        } else {
            // A dream put their name in front of what nobody else said.
            told_in = row.cites.iter().spread(|cited| self.lines(&cited.name, 1, u64::MAX)).collect();
            told_in.iter().filter(is_participants).find(is_named)
        };
        match told.cloned().flatten() {
            Some(origin) => row.origin(origin),
            None => row,
        }
    }

    fn lines(&mut self, name: &DocName, first: u64, last: u64) -> Vec<Option<Origin>> {
        let workspace = self.workspace;
        let origins = self.journals.entry(name.clone()).or_insert_with(|| {
            // A journal that cannot be read says nothing.
            let text = workspace.read_text(name).ok().flatten().unwrap_or_default();
            let reading = origins::read(&text, &Above::of(name.as_str()));
            reading.lines.into_iter().map(|said| said.origin).collect()
        });
        let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (skipped, taken) =
            (place(first).saturating_sub(1), place(last.saturating_sub(first)).saturating_add(1));
        origins.iter().skip(skipped).take(taken).cloned().collect()
    }
}

/// The category of decisions: a word of ours beside the seed's [`categories`].
const DECISION: &str = "decision";

/// Returns the name that the target has for a document. A workspace with `memory.md` alone keeps its memory there, and
/// a `MEMORY.md` beside it would hide it.
pub(super) fn own_name(target: &dyn Workspace, name: DocName) -> Result<DocName> {
    let is_older = name == DocName::MEMORY
        && target.metadata(&DocName::MEMORY)?.is_none()
        && target.metadata(&DocName::LEGACY_MEMORY)?.is_some();
    Ok(if is_older { DocName::LEGACY_MEMORY } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name::StateName;
    use crate::file::{FileMemoryStore, FileWorkspace};
    use crate::format::state::forgotten::Forgotten;
    use crate::gate::{TombstoneKey, Tombstones};
    use crate::workspace::WriteMode;

    #[test]
    fn what_the_workspace_has_forgotten_is_no_row() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = FileWorkspace::open(folder.path()).unwrap();
        let scope = Scope::user("marta");
        let store = FileMemoryStore::open(folder.path(), scope.clone()).unwrap();
        let memory = "<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=0 -->\n- Her landlord is Jan.\n- Likes tea.\n\
                      <!-- /dream:v1 id=0f3a9c5be2d14477 -->\n";
        workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create).unwrap();
        let now = DateTime::UNIX_EPOCH;
        let fed = || feed(&workspace, &store, &scope, now).unwrap();
        assert_eq!(fed().written, 2);

        let mut forgotten = Tombstones::new(TombstoneKey::from_bytes([7; 32]));
        forgotten.insert(forgotten.bury("landlord is jan").unwrap());
        let file = Forgotten::new(forgotten).print();
        workspace.write(&StateName::FORGOTTEN, &file, WriteMode::Create).unwrap();
        let report = fed();
        assert_eq!((report.removed, report.refused), (1, 1), "also where its line still stands");
        let struck = memory.replace("Her landlord is Jan", "Her [forgotten]");
        workspace.write(&DocName::MEMORY, struck.as_bytes(), WriteMode::Replace).unwrap();
        let report = fed();
        assert_eq!((report.written, report.refused), (0, 1), "what is left of a line says nothing");
    }
}
