//! The forgotten statements of a life, for its person to look at. Each shows the lines that it hides, and can be let in again
//! without its words.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bundle::{StoredRows, owner_only};
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::StateName;
use crate::base::receipt::{ForgetPlace, ForgetReceipt};
use crate::format::state::forgotten::Forgotten;
use crate::gate::{Tombstone, Tombstones};
use crate::learning::{MethodStore, PreferenceStore};
use crate::life::rewrite;
use crate::memory::{Filter, LearningStore, MemoryStore};
use crate::session::{self, GroupView};
use crate::workspace::{Workspace, check_scope};

/// A statement that was forgotten. Its words are nowhere; the lines that it hides are the person's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ForgottenStatement {
    /// The id, by which [`ForgottenList::lift`] takes it.
    pub id: String,
    /// The number of its words.
    pub words: u32,
    /// When it was forgotten first; `None` where nobody [noted](ForgottenList::note) it.
    pub at: Option<DateTime<Utc>>,
    /// The places in which it was found then.
    pub places: Vec<ForgetPlace>,
    /// The lines of documents and the rows that hold it, and that no prompt, search or dream shows.
    pub hides: Vec<HiddenLine>,
    /// The groups of the life that forgot it, if the life itself did not.
    pub groups: Vec<GroupName>,
}

/// A line of a document, or a row, with words that are hidden, or would leave.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HiddenLine {
    /// The place: `memory/2026-11-20.md#L4`, or of a store `memories/12`, `learnings/3`, `profile/timezone`, `methods/1`, `preferences/2`.
    pub place: String,
    /// The words.
    pub text: String,
}

debug_as!(HiddenLine, |it| "HiddenLine {{ place: {}, bytes: {} }}", it.place, it.text.len());

/// The statements that a life has forgotten, in documents and in rows.
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::{Forget, ForgottenList};
/// use noctuary::{Access, DocName, FileWorkspace, Scope, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// workspace.write(&DocName::MEMORY, b"- My landlord is Jan.\n", WriteMode::Create)?;
/// let marta = Access::human(Scope::user("marta"));
/// Forget::new(&marta, "my landlord is Jan").workspace(&workspace).run(Utc::now())?;
///
/// let forgotten = ForgottenList::new(&marta).workspace(&workspace);
/// let all = forgotten.list()?;
/// assert_eq!((all[0].words, all[0].hides[0].place.as_str()), (4, "MEMORY.md#L1"));
/// assert!(forgotten.is_said_in("Ask Jan: my landlord is Jan!")?);
/// assert!(forgotten.lift(&all[0].id, Utc::now())?);
/// assert!(forgotten.list()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ForgottenList<'a> {
    access: &'a Access,
    workspace: Option<&'a dyn Workspace>,
    rows: Option<StoredRows<'a>>,
}

debug_as!(ForgottenList<'_>, |it| "ForgottenList({})", it.access.scope.user);

impl<'a> ForgottenList<'a> {
    /// Begins a list for the human of a life.
    #[must_use]
    pub fn new(access: &'a Access) -> Self {
        Self { access, workspace: None, rows: None }
    }

    /// Adds the forgotten statements of a workspace, its groups included.
    #[must_use]
    pub fn workspace(mut self, workspace: &'a dyn Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Adds the forgotten statements of a memory store.
    #[must_use]
    pub fn store(mut self, store: impl Into<StoredRows<'a>>) -> Self {
        self.rows = Some(store.into());
        self
    }

    /// Notes a forgotten statement: the time and the places of its receipt, and the tombstones of store and workspace.
    /// [`list`](Self::list) shows these as one statement then. Its words are not kept. Without a workspace nothing is noted.
    ///
    /// It survives a power loss when this returns.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human in a main session, and the errors of the workspace and the store.
    pub fn note(&self, statement: &str, receipt: &ForgetReceipt) -> Result<()> {
        let digests: Vec<Digest> =
            self.sets()?.iter().filter_map(|(_, set)| set.bury(statement)).map(|it| it.digest).collect();
        let Some(workspace) = self.workspace else { return Ok(()) };
        rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
            let copy = || session::forgotten_copy(workspace);
            let Some(mut file) = Forgotten::<Tombstones>::or_copy(bytes, copy)? else { return Ok(None) };
            let mut all = Forgetting::all(&file);
            let known =
                all.iter().position(|known| digests.iter().any(|digest| known.digests.contains(digest)));
            let mut noted = match known {
                Some(known) => all.remove(known),
                None => Forgetting { at: receipt.at, places: Vec::new(), digests: Vec::new() },
            };
            noted.places.extend(receipt.places.iter().filter(|line| line.found > 0).map(|line| line.place));
            noted.places.sort_unstable();
            noted.places.dedup();
            noted.digests.clone_from(&digests);
            all.push(noted);
            Forgetting::put(&mut file, all);
            Ok(Some(file.print()))
        })?;
        Ok(())
    }

    /// Returns all that a store, a workspace and its groups have forgotten. Each set has the group whose it is.
    fn sets(&self) -> Result<Vec<(Option<GroupName>, Tombstones)>> {
        owner_only(self.access)?;
        let mut sets = Vec::new();
        if let Some(StoredRows(rows)) = self.rows
            && let Some(stones) = rows.stones(self.access)?
        {
            sets.push((None, stones));
        }
        if let Some(workspace) = self.workspace {
            check_scope(workspace, self.access, StateName::FORGOTTEN)?;
            if let Some(stones) = session::forgotten(workspace)? {
                sets.push((None, stones));
            }
            for group in session::groups(workspace)? {
                let view = GroupView::new(workspace, &self.access.scope, &group);
                if let Some(stones) = session::forgotten(&view)? {
                    sets.push((Some(group), stones));
                }
            }
        }
        Ok(sets)
    }

    /// Returns whether a text says one of the statements. With others present a session is not told so: this is for the human alone.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human in a main session, and the errors of reading.
    pub fn is_said_in(&self, text: &str) -> Result<bool> {
        let mut is_said = false;
        for (_, set) in self.sets()? {
            is_said |= set.holds(text);
        }
        Ok(is_said)
    }

    /// Returns what was noted of forgettings.
    fn noted(&self) -> Result<Vec<Forgetting>> {
        let Some(workspace) = self.workspace else { return Ok(Vec::new()) };
        let bytes = workspace.read(&StateName::FORGOTTEN)?;
        let copy = || session::forgotten_copy(workspace);
        let file = Forgotten::<Tombstones>::or_copy(bytes.as_ref().map(Document::bytes), copy)?;
        Ok(file.map(|file| Forgetting::all(&file)).unwrap_or_default())
    }

    /// Lists the statements, by their ids. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human in a main session, and the errors of reading.
    pub fn list(&self) -> Result<Vec<ForgottenStatement>> {
        Ok(self.statements()?.into_iter().map(|(statement, _)| statement).collect())
    }

    /// Returns the statements, each with its tombstones: a store and a workspace may each have one, under a key of its
    /// own. That two are of one statement shows where it is.
    fn statements(&self) -> Result<Vec<(ForgottenStatement, Vec<Alone>)>> {
        let (sets, noted) = (self.sets()?, self.noted()?);
        let Some(((_, first), others)) = sets.split_first() else { return Ok(Vec::new()) };
        let mut every = first.clone();
        for (_, set) in others {
            every.join(set);
        }
        let lines = hidden_lines(&every, self.access, self.workspace, self.rows)?;
        let mut all: Vec<(ForgottenStatement, Vec<Alone>)> = Vec::new();
        for one in every.each_alone() {
            let is_it = |line: &&HiddenLine| one.1.holds(&line.text);
            let hides: Vec<_> = lines.iter().filter(is_it).cloned().collect();
            let forgetting = noted.iter().find(|it| it.digests.contains(&one.0.digest));
            // The words of a line are those of both, to the last one.
            let is_same = |(_, known): &&mut (ForgottenStatement, Vec<Alone>)| {
                let is_said =
                    |line: &HiddenLine, (stone, alone): &Alone| alone.bury(&line.text) == Some(*stone);
                hides.iter().any(|line| is_said(line, &one) && is_said(line, &known[0]))
                    || forgetting.is_some_and(|it| it.digests.contains(&known[0].0.digest))
            };
            if let Some((_, known)) = all.iter_mut().find(is_same) {
                known.push(one);
            } else {
                let (id, words) = (one.0.digest.short(16), one.0.words);
                let at = forgetting.map(|it| it.at);
                let places = forgetting.map(|it| it.places.clone()).unwrap_or_default();
                let groups = Vec::new();
                all.push((ForgottenStatement { id, words, at, places, hides, groups }, vec![one]));
            }
        }
        for (statement, stones) in &mut all {
            let holds = |set: &Tombstones| {
                stones.iter().any(|(stone, _)| set.iter().any(|other| other.digest == stone.digest))
            };
            if !sets.iter().any(|(group, set)| group.is_none() && holds(set)) {
                let of_groups = sets.iter().filter(|(_, set)| holds(set));
                statement.groups = of_groups.filter_map(|(group, _)| group.clone()).collect();
            }
        }
        all.sort_by(|(one, _), (other, _)| one.id.cmp(&other.id));
        Ok(all)
    }

    /// Lets a statement in again, by its id; `false` where none has it. Removed text stays removed.
    ///
    /// It survives a power loss when this returns.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody but the human in a main session, and the errors of the workspace and the store.
    pub fn lift(&self, id: &str, now: DateTime<Utc>) -> Result<bool> {
        let Some((_, meant)) = self.statements()?.into_iter().find(|(known, _)| known.id == id) else {
            return Ok(false);
        };
        let mut is_lifted = false;
        if let Some(StoredRows(rows)) = self.rows {
            for (stone, _) in &meant {
                is_lifted |= rows.lift_stone(self.access, *stone, now)?;
            }
        }
        let Some(workspace) = self.workspace else { return Ok(is_lifted) };
        let mut lift = |workspace: &dyn Workspace| {
            rewrite(workspace, &StateName::FORGOTTEN, |bytes| {
                let copy = || session::forgotten_copy(workspace);
                let Some(mut file) = Forgotten::<Tombstones>::or_copy(bytes, copy)? else { return Ok(None) };
                let is_out =
                    meant.iter().fold(false, |is_out, (stone, _)| file.tombstones.remove(stone) | is_out);
                Forgetting::tidy(&mut file);
                is_lifted |= is_out;
                Ok(is_out.then(|| file.print()))
            })
        };
        lift(workspace)?;
        for group in session::groups(workspace)? {
            lift(&GroupView::new(workspace, &self.access.scope, &group))?;
        }
        Ok(is_lifted)
    }
}

/// One forgetting, as the file of the tombstones has it under [`FORGETTINGS`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::exchange) struct Forgetting {
    at: DateTime<Utc>,
    places: Vec<ForgetPlace>,
    /// The tombstones of its statement, under whatever keys.
    digests: Vec<Digest>,
}

/// A key of the file that a build without this room keeps as it is.
const FORGETTINGS: &str = "forgettings";

impl Forgetting {
    /// Returns those of a file; one that cannot be read is passed over.
    pub(in crate::exchange) fn all(file: &Forgotten<Tombstones>) -> Vec<Self> {
        let list = file.others.get(FORGETTINGS).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|one| serde_json::from_value(one.clone()).ok()).collect()
    }

    /// Removes the notes on lifted tombstones, and their marks that files are overwritten.
    pub(in crate::exchange) fn tidy(file: &mut Forgotten<Tombstones>) {
        let Forgotten { tombstones, in_files, .. } = &mut *file;
        let is_there = |digest: &Digest| tombstones.iter().any(|stone| stone.digest == *digest);
        in_files.retain(is_there);
        let mut noted = Self::all(file);
        noted.retain(|it| {
            it.digests.iter().any(|digest| file.tombstones.iter().any(|stone| stone.digest == *digest))
        });
        if file.others.contains_key(FORGETTINGS) {
            Self::put(file, noted);
        }
    }

    /// Puts them into a file, in an order that does not depend on which side has them.
    pub(in crate::exchange) fn put(file: &mut Forgotten<Tombstones>, mut all: Vec<Self>) {
        all.sort_by(|one, other| (one.at, &one.digests).cmp(&(other.at, &other.digests)));
        let list = all.iter().map(|one| serde_json::to_value(one).expect("names and times print"));
        file.others.insert(FORGETTINGS.to_owned(), list.collect());
    }
}

/// A tombstone, and the set of it alone.
type Alone = (Tombstone, Tombstones);

/// Returns the lines of documents, and what is in a store, that hold what is forgotten. Unreadable documents are passed over.
pub(super) fn hidden_lines(
    stones: &Tombstones,
    access: &Access,
    workspace: Option<&dyn Workspace>,
    rows: Option<StoredRows<'_>>,
) -> Result<Vec<HiddenLine>> {
    let mut hidden = Vec::new();
    if stones.is_empty() {
        return Ok(hidden);
    }
    if let Some(workspace) = workspace {
        for listing in session::walk(workspace, None, |_| true) {
            for name in &listing?.1.documents {
                let document = match workspace.read(name) {
                    Ok(Some(document)) => document,
                    Ok(None) | Err(Error::TooLarge { .. } | Error::Refused { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let text = String::from_utf8_lossy(document.bytes());
                for place in stones.find(&text) {
                    let line = 1 + text[..place.start].matches('\n').count();
                    hidden
                        .push(HiddenLine { place: format!("{name}#L{line}"), text: text[place].to_owned() });
                }
            }
        }
    }
    if let Some(StoredRows(rows)) = rows {
        let every = Filter { retired: true, ..Filter::limit(usize::MAX) };
        let mut look = |place: String, text: &str| {
            if let Some(found) = stones.find(text).into_iter().next() {
                hidden.push(HiddenLine { place, text: text[found].to_owned() });
            }
        };
        for row in MemoryStore::list(rows, access, &every)? {
            look(format!("memories/{}", row.id), &row.content);
        }
        for learning in LearningStore::learnings(rows, access, usize::MAX)? {
            look(format!("learnings/{}", learning.id), &learning.content);
        }
        for (key, value) in MemoryStore::profile(rows, access)? {
            look(format!("profile/{key}"), &value);
        }
        for method in MethodStore::methods(rows, access)? {
            look(format!("methods/{}", method.id), &method.body);
        }
        for preference in PreferenceStore::preferences(rows, access)? {
            look(format!("preferences/{}", preference.id), &preference.statement);
        }
    }
    Ok(hidden)
}
