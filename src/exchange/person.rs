//! Erasing one person of a group: the lines and rows that they said, and what rests on those.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::forget::Forget;
use super::forgotten::HiddenLine;
use super::home::{Home, Theirs};
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::DocName;
use crate::base::receipt::ForgetReceipt;
use crate::base::text;
use crate::format::documents::copies::original_of;
use crate::format::documents::curated;
use crate::format::documents::origins::{self, Above};
use crate::format::documents::speakers;
use crate::format::documents::statements::said;
use crate::format::replies::reply;
use crate::format::state::registry;
use crate::format::{JournalName, NoteKind, Origin};
use crate::gate::{TombstoneKey, Tombstones, mark};
use crate::memory::{Filter, ForgetRequest, Memory, MemoryId, MemoryStore};
use crate::session::{self, is_persona};
use crate::workspace::Workspace;

/// The fewest words of a statement that leaves a tombstone. `Thank you all` is everybody's.
const MIN_WORDS: u32 = 4;

/// All that would leave with one person, and all that names them: by [`Forget::plan`].
#[derive(Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct PersonPlan {
    /// The lines of journals that they said, and rows of theirs.
    pub said: Vec<HiddenLine>,
    /// Lines of memory and rows that cite those lines, or have the person's name in front.
    pub rests: Vec<HiddenLine>,
    /// Lines and rows of others that name them. They leave with [`Forget::mentions`] alone.
    pub mentions: Vec<HiddenLine>,
    /// Number of places in proposals that wait for review, which leave too.
    pub proposals: u64,
    /// Number of places in earlier versions of documents, which leave too.
    pub versions: u64,
}

debug_as!(
    PersonPlan,
    |it| "PersonPlan {{ said: {}, rests: {}, mentions: {}, proposals: {}, versions: {} }}",
    it.said.len(),
    it.rests.len(),
    it.mentions.len(),
    it.proposals,
    it.versions
);

impl<'a> Forget<'a> {
    /// Makes a request to erase one person of a group, by the name of their [`Origin::Participant`]. Give it the group's
    /// [`GroupView`](crate::life::GroupView) and store, in one call.
    ///
    /// - Their lines in journals leave, and each letter of their name in front is an `x`. Rows of that origin or speaker go, deleted ones too.
    /// - Lines of memory and rows that cite those lines leave with them, unless another person said the same words. The audit
    ///   no longer names the person.
    /// - Lines and rows of others that name them stay. The receipt lists them, unless [`mentions`](Self::mentions) takes them too.
    /// - A statement of theirs in four words or more leaves a tombstone, unless somebody else said it too. By these alone it
    ///   leaves hidden files and earlier versions of documents, where nobody knows who spoke.
    /// - Another machine that still has the lines brings them back in a merge: erase them there too.
    ///
    /// Lines are overwritten with [`in_files`](Self::in_files) alone. Without it they stay, and the receipt counts them.
    /// After an error or a crash run it again: it does what is left. Two people with one name are one person here, and a
    /// nickname is not known.
    ///
    /// ```
    /// use chrono::Utc;
    /// use noctuary::exchange::Forget;
    /// use noctuary::life::{GroupName, GroupView};
    /// use noctuary::{Access, DocName, FileWorkspace, Scope, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let (workspace, marta) = (FileWorkspace::open(folder.path())?, Scope::user("marta"));
    /// let family = GroupName::parse("family")?;
    /// let group = GroupView::new(&workspace, &marta, &family);
    /// let journal = DocName::parse("memory/2026-11-20-shared.chat.md")?;
    /// let said = b"- [09:12:00] [participant:Ana] I am allergic to nuts.\n- [09:13:00] [participant:Boris] Poor Ana!\n";
    /// group.write(&journal, said, WriteMode::Create)?;
    ///
    /// let owner = Access::human(marta).group(&family);
    /// let erase = Forget::person(&owner, "Ana").workspace(&group).in_files(true);
    /// assert_eq!(erase.plan()?.said[0].text, "I am allergic to nuts.");
    /// assert_eq!(erase.run(Utc::now())?.mentions, ["memory/2026-11-20-shared.chat.md#L2"]);
    /// let left = String::from_utf8(group.read(&journal)?.unwrap().into_bytes())?;
    /// assert!(left.starts_with("- [09:12:00] [participant:xxx] [forgotten]---"));
    /// assert!(left.ends_with("[participant:Boris] Poor Ana!\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn person(access: &'a Access, name: impl Into<String>) -> Self {
        let mut request = Self::bare(access);
        request.person = Some((name.into(), false));
        request
    }

    /// Sets whether lines and rows of others that name the person leave too. Off.
    pub fn mentions(mut self, mentions: bool) -> Self {
        self.person = self.person.map(|(name, _)| (name, mentions));
        self
    }

    /// Returns what a request to erase a [person](Self::person) finds, and changes nothing. For any other request it is
    /// empty.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn plan(&self) -> Result<PersonPlan> {
        self.check(true)?;
        match &self.person {
            Some((name, mentions)) => {
                let mut traces = Traces::of(self, name, *mentions)?;
                if let Some(workspace) = self.workspace {
                    traces.look_into_state(workspace)?;
                }
                Ok(traces.plan)
            }
            None => Ok(PersonPlan::default()),
        }
    }

    /// Erases a person.
    pub(super) fn run_person(&self, name: &str, mentions: bool, now: DateTime<Utc>) -> Result<ForgetReceipt> {
        let traces = Traces::of(self, name, mentions)?;
        let mut receipt = self.run_all(&traces.requests, Some(&traces.person), now)?;
        if !mentions {
            receipt.mentions = traces.plan.mentions.into_iter().map(|line| line.place).collect();
        }
        Ok(receipt)
    }
}

/// A person, and the lines of journals that they said.
struct Person {
    /// As an origin prints it, in the form in which names are the same.
    origin: String,
    name: String,
    /// The names of others that have this one in them: `Ana María` is not `Ana`.
    longer: BTreeSet<String>,
    mentions: bool,
    said: BTreeMap<DocName, BTreeSet<u64>>,
    /// The words of others in journals. Memory's copy of them is theirs, too.
    of_others: BTreeSet<String>,
}

/// A line of a document, and whose it is.
struct Line<'t> {
    number: u64,
    of: Of,
    /// The speaker, by a tag in front: a label with a name in it may be of anything.
    speaker: Option<Origin>,
    /// The words, as a statement.
    words: &'t str,
    /// All that would leave with it.
    place: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Theirs,
    /// It rests on a line of theirs.
    Resting,
    /// A person's own: not the agent's, a tool's or a page's.
    Another,
    Nobody,
}

impl Person {
    fn is(&self, origin: Option<&Origin>) -> bool {
        let Some(origin @ Origin::Participant(_)) = origin else { return false };
        text::same_name(&origin.to_string()) == self.origin
    }

    fn rests(&self, cited: &DocName, first: u64, last: u64) -> bool {
        first > 0
            && self.said.get(cited).is_some_and(|lines| lines.range(first..=last.max(first)).next().is_some())
    }

    /// Returns whether a text names them, as a word of its own and not within the name of another.
    fn is_named(&self, text: &str) -> bool {
        let text = text::same_name(text);
        let is_longer = |at: usize| {
            let is_in =
                |longer: &String| places(&text, longer).any(|from| (from..from + longer.len()).contains(&at));
            self.longer.iter().any(is_in)
        };
        places(&text, &self.name).any(|at| !is_longer(at))
    }

    /// Adds the name of the speaker of a line.
    fn meet(&mut self, origin: Option<&Origin>) {
        let Some(name) = Origin::participant(origin) else { return };
        let name = text::same_name(name);
        if name != self.name && places(&name, &self.name).next().is_some() {
            self.longer.insert(name);
        }
    }

    /// Returns whether somebody else said the same.
    fn is_of_others(&self, words: &str) -> bool {
        self.of_others.contains(&text::statement(said(words)))
    }

    /// Reads a journal.
    fn spoken<'t>(&self, name: &str, text: &'t str) -> Vec<Line<'t>> {
        let mut lines = Vec::new();
        for (number, spoken) in (1..).zip(origins::spoken(text, &Above::of(name))) {
            let front = text[..spoken.words.start].rsplit('\n').next().unwrap_or_default();
            let (of, place) = match &spoken.origin {
                origin if self.is(origin.as_ref()) => (Of::Theirs, spoken.whole),
                Some(Origin::User | Origin::Participant(_)) | None => (Of::Another, spoken.words),
                Some(_) => (Of::Nobody, spoken.words),
            };
            if !place.is_empty() {
                let speaker = spoken.origin.filter(|_| front.contains(TAG));
                lines.push(Line { number, of, speaker, words: statement(spoken.text), place });
            }
        }
        lines
    }

    /// Reads a document that is no journal.
    fn written<'t>(&self, text: &'t str) -> Vec<Line<'t>> {
        let mut lines = Vec::new();
        for (number, range) in (1..).zip(text::line_ranges(text)) {
            let line = &text[range.clone()];
            let item = reply::bullet(line).unwrap_or(line.trim());
            if item.is_empty() {
                continue;
            }
            let (claim, cited) = reply::split_citations(item);
            let (_, told) = curated::strip_date(&claim);
            let is_cited = |cited: &reply::Citation| {
                cited.name.as_ref().is_some_and(|name| self.rests(name, cited.first_line, cited.last_line))
            };
            let is_named = speakers::read(told).is_some_and(|speaker| self.is(Some(&speaker.origin)));
            let is_resting = is_named || (cited.iter().any(is_cited) && !self.is_of_others(&claim));
            // Without a citation a person wrote it.
            let of = match is_resting {
                true => Of::Resting,
                false if cited.is_empty() => Of::Another,
                false => Of::Nobody,
            };
            let start = range.start + (item.as_ptr() as usize - line.as_ptr() as usize);
            // Citations are at its end, or among its words: then the whole of it is the statement.
            let words = if item.starts_with(claim.as_str()) { &item[..claim.len()] } else { item };
            lines.push(Line { number, of, speaker: None, words, place: start..start + item.len() });
        }
        lines
    }

    fn lines<'t>(&self, name: Option<&str>, text: &'t str) -> Vec<Line<'t>> {
        match name {
            // A group of the life is an audience of its own, and the library's state has no lines of anybody.
            Some(name) if GroupName::of_document(name).is_some() || registry::of_path(name).is_some() => {
                Vec::new()
            }
            Some(name) => match journal_of(name) {
                Some(journal) => self.spoken(&journal, text),
                None => self.written(text),
            },
            None => Vec::new(),
        }
    }

    /// Returns the place of the name at the head of a line of theirs: `[participant:Ada] …`, `Ada: …`.
    fn name_in(&self, line: &str) -> Option<Range<usize>> {
        let start = line.find(char::is_alphanumeric)?;
        let start = if line[start..].starts_with(TAG) { start + TAG.len() } else { start };
        let len = line[start..].find([']', ':', '：', '(', '*'])?;
        let name = line[start..start + len].trim_end();
        (text::same_name(name) == self.name).then(|| start..start + name.len())
    }

    fn takes(&self, line: &Line<'_>) -> bool {
        matches!(line.of, Of::Theirs | Of::Resting) || (self.mentions && self.is_named(line.words))
    }
}

impl Theirs for Person {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Range<usize>> {
        let taken = self.lines(name, text).into_iter().filter(|line| self.takes(line));
        let mut places: Vec<Range<usize>> = taken.map(|line| line.place).collect();
        places.sort_unstable_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        let mut end = 0;
        places.retain(|place| {
            let is_apart = place.start >= end;
            end = end.max(place.end);
            is_apart
        });
        places
    }

    fn said_by_others(&self, forgotten: &Tombstones) -> Vec<&str> {
        self.of_others.iter().map(String::as_str).filter(|words| forgotten.holds(words)).collect()
    }

    /// Leaves the form of a speaker where one is named: without it, the lines of others would be nobody's.
    fn mark(&self, words: &str) -> String {
        match self.name_in(words) {
            Some(name) => {
                let (head, rest) = words.split_at(name.end);
                let rest = rest.split_at(rest.find(char::is_alphanumeric).unwrap_or(rest.len()));
                format!("{}{}{}{}", &head[..name.start], "x".repeat(name.len()), rest.0, mark(rest.1.len()))
            }
            None => mark(words.len()),
        }
    }
}

/// Finds a name in a text, as a word of its own. Both are as [`text::same_name`] has them.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    // Scripts without capitals may have no spaces either.
    let is_end = |c: Option<char>| c.is_none_or(|c| !(c.is_lowercase() || c.is_numeric()));
    let is_word = move |at: &usize| {
        is_end(text[..*at].chars().next_back()) && is_end(text[*at + name.len()..].chars().next())
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_word)
}

/// The front of the name in the tag of a speaker.
const TAG: &str = "participant:";

/// Returns the name of a journal, or of the one that a sync tool copied.
fn journal_of(name: &str) -> Option<String> {
    let original = original_of(name).unwrap_or_else(|| name.to_owned());
    JournalName::is_name(&original).then_some(original)
}

/// Returns the words of a line without the label of a note.
fn statement(words: &str) -> &str {
    let labelled = words.split_once(": ");
    let is_kind = |label: &str| label == "Open question" || label.parse::<NoteKind>().is_ok();
    match labelled {
        Some((label, rest)) if is_kind(&label.to_lowercase()) || is_kind(label) => rest,
        _ => words,
    }
}

/// All that is there of a person.
struct Traces {
    person: Person,
    /// The request to each store, or to none.
    requests: Vec<ForgetRequest>,
    plan: PersonPlan,
}

impl Traces {
    fn of(request: &Forget<'_>, name: &str, mentions: bool) -> Result<Self> {
        let origin = Origin::Participant(name.to_owned());
        let person = Person {
            origin: text::same_name(&origin.to_string()),
            name: text::same_name(name),
            longer: BTreeSet::new(),
            mentions,
            said: BTreeMap::new(),
            of_others: BTreeSet::new(),
        };
        if person.name.is_empty() {
            return Err(Error::Config { setting: "the person to erase", rule: "must have a name" });
        }
        let (mut traces, mut others) =
            (Self { person, requests: Vec::new(), plan: PersonPlan::default() }, Vec::new());
        let mut statements = BTreeSet::new();
        let mut held = Vec::new();
        for store in &request.stores {
            held.push(all_rows(*store, request.access)?);
        }
        held.iter().flatten().for_each(|row| traces.person.meet(row.origin.as_ref()));
        if let Some(workspace) = request.workspace {
            traces.read(workspace, &mut statements, &mut others)?;
        }
        let mut rows = Vec::new();
        for held in held {
            rows.push(traces.rows(held, &mut statements, &mut others));
        }
        let statements = of_nobody_else(statements, &others);
        let base = ForgetRequest { statements, rows: Vec::new(), person: Some(name.to_owned()) };
        traces.requests = rows.into_iter().map(|rows| ForgetRequest { rows, ..base.clone() }).collect();
        traces.requests.push(base);
        for lines in [&mut traces.plan.said, &mut traces.plan.rests, &mut traces.plan.mentions] {
            lines.sort_by(|one, other| one.place.cmp(&other.place));
        }
        Ok(traces)
    }

    /// Counts what would leave proposals and earlier versions of documents.
    fn look_into_state(&mut self, workspace: &dyn Workspace) -> Result<()> {
        let mut only = Tombstones::new(TombstoneKey::random());
        let statements = self.requests.last().map(|request| request.statements.as_slice());
        for text in statements.unwrap_or_default() {
            if let Some(stone) = only.bury(text) {
                only.insert(stone);
            }
        }
        let home = Home { workspace, lease: None, only: &only, theirs: Some(&self.person), is_ascii: false };
        let (proposals, versions) = (home.proposals()?.found, home.versions()?.found);
        (self.plan.proposals, self.plan.versions) = (proposals, versions);
        Ok(())
    }

    /// Reads the documents: the journals first, since the others rest on them.
    fn read(
        &mut self,
        workspace: &dyn Workspace,
        statements: &mut BTreeSet<String>,
        others: &mut Vec<String>,
    ) -> Result<()> {
        let is_of_group = workspace.scope().is_some_and(|scope| scope.group_name().is_some());
        let (mut journals, mut documents) = (Vec::new(), Vec::new());
        for listing in session::walk(workspace, None, |_| true) {
            for name in listing?.1.documents {
                if is_of_group && is_persona(&name) {
                    continue;
                }
                let document = match workspace.read(&name) {
                    Ok(Some(document)) => document,
                    Ok(None) | Err(Error::TooLarge { .. } | Error::Refused { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let is_journal = journal_of(name.as_str()).is_some();
                let list = if is_journal { &mut journals } else { &mut documents };
                list.push((name, document.lossy().into_owned()));
            }
        }
        let mut read: Vec<(&DocName, Vec<Line<'_>>)> = Vec::new();
        for (name, text) in &journals {
            let lines = self.person.lines(Some(name.as_str()), text);
            let mut theirs = BTreeSet::new();
            for line in &lines {
                self.person.meet(line.speaker.as_ref());
                if line.of == Of::Theirs {
                    theirs.insert(line.number);
                } else if line.of == Of::Another {
                    self.person.of_others.insert(text::statement(said(line.words)));
                }
            }
            if !theirs.is_empty() {
                self.person.said.insert(name.clone(), theirs);
            }
            read.push((name, lines));
        }
        for (name, text) in &documents {
            read.push((name, self.person.lines(Some(name.as_str()), text)));
        }
        for (name, lines) in read {
            // A statement may go over several lines.
            let mut of_others = String::new();
            for line in lines {
                let told =
                    HiddenLine { place: format!("{name}#L{}", line.number), text: line.words.to_owned() };
                match line.of {
                    Of::Theirs => self.plan.said.push(told),
                    Of::Resting => self.plan.rests.push(told),
                    of => {
                        let is_named = self.person.is_named(line.words);
                        if is_named {
                            self.plan.mentions.push(told);
                        }
                        if of == Of::Another && !(is_named && self.person.mentions) {
                            of_others.extend([line.words, "\n"]);
                        }
                        continue;
                    }
                }
                statements.insert(line.words.to_owned());
            }
            others.push(of_others);
        }
        Ok(())
    }

    /// Returns those rows of a store that leave.
    fn rows(
        &mut self,
        rows: Vec<Memory>,
        statements: &mut BTreeSet<String>,
        others: &mut Vec<String>,
    ) -> Vec<MemoryId> {
        let mut leaving = Vec::new();
        for row in rows {
            let told = HiddenLine { place: format!("memories/{}", row.id), text: row.content.clone() };
            let rests = |cited: &SourceRef| self.person.rests(&cited.name, cited.first_line, cited.last_line);
            let is_theirs = self.is_theirs(&row);
            let list = if is_theirs {
                &mut self.plan.said
            } else if row.cites.iter().any(rests) && !self.person.is_of_others(&row.content) {
                &mut self.plan.rests
            } else {
                let is_named = self.person.is_named(&row.content);
                if is_named {
                    self.plan.mentions.push(told);
                }
                if is_named && self.person.mentions {
                    leaving.push(row.id);
                } else if matches!(row.origin, None | Some(Origin::User | Origin::Participant(_))) {
                    others.push(row.content);
                }
                continue;
            };
            list.push(told);
            leaving.push(row.id);
            statements.insert(row.content);
        }
        leaving
    }

    fn is_theirs(&self, row: &Memory) -> bool {
        let speaker = row.place.as_ref().and_then(|place| place.speaker.clone());
        self.person.is(row.origin.as_ref()) || self.person.is(speaker.map(Origin::Participant).as_ref())
    }
}

/// Reads the rows of a store, deleted ones too.
fn all_rows(store: &dyn MemoryStore, access: &Access) -> Result<Vec<Memory>> {
    let standing = Filter { retired: true, ..Filter::limit(usize::MAX) };
    let deleted = Filter { deleted: true, ..standing.clone() };
    let mut rows = store.list(access, &standing)?;
    rows.extend(store.list(access, &deleted)?);
    rows.sort_by_key(|row| row.id);
    rows.dedup_by_key(|row| row.id);
    Ok(rows)
}

/// Returns the statements that are long enough, and that nobody else said.
fn of_nobody_else(statements: BTreeSet<String>, others: &[String]) -> Vec<String> {
    let key = TombstoneKey::random();
    let mut all = Tombstones::new(key.clone());
    let mut kept = Vec::new();
    for text in statements {
        if let Some(stone) = all.bury(&text).filter(|stone| stone.words >= MIN_WORDS) {
            all.insert(stone);
            let mut alone = Tombstones::new(key.clone());
            alone.insert(stone);
            kept.push((text, alone));
        }
    }
    for text in others.iter().filter(|text| all.holds(text)) {
        kept.retain(|(_, alone)| !alone.holds(text));
    }
    kept.into_iter().map(|(text, _)| text).collect()
}
