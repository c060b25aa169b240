//! The tools over documents: write, read, list, search.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::found::{Fitting, Search, limit, limited};
use super::shown::{cut, disguise, plain};
use super::tool::{Call, Tool};
use super::{MAX_ANSWER, ToolDef, ToolError};
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::base::name_rules::NameError;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::format::{JournalName, Origin};
use crate::gate::DoorWarning;
use crate::life::keep_preimage;
use crate::life::receipt::{Exhibit, Item, LeftOutReason, Recorder, ReplySource, ShownBy, hash_of};
use crate::search::documents::SearchResult;
use crate::session::{Guarded, Looked, Passages, ShownPassage, is_private, marked, shown};
use crate::workspace::{Workspace, WriteMode};

/// The search of an index.
#[derive(Clone)]
pub(super) struct Find {
    pub(super) search: Arc<FindPassages>,
    /// Whether the index has a document from another place than the session's.
    pub(super) is_elsewhere: Arc<IsElsewhere>,
}

type FindPassages = dyn Fn(&Access, &str, usize) -> Result<Vec<SearchResult>> + Send + Sync;
type IsElsewhere = dyn Fn(&Guarded<Arc<dyn Workspace>>, &DocName) -> bool + Send + Sync;

/// The documents of a session.
pub(super) struct Documents {
    view: Guarded<Arc<dyn Workspace>>,
    pub(super) find: Option<Find>,
    /// The keeper of what is handed out.
    pub(super) recorder: Recorder,
    /// Where the old versions of documents are kept that are replaced without a revision; `None` where none may be.
    pub(super) kept_in: Option<Arc<dyn Workspace>>,
    /// The documents that were written or read here, as they were then; where they may be replaced so.
    known: Mutex<Vec<(DocName, Revision)>>,
}

#[derive(Deserialize)]
struct Write {
    path: String,
    content: String,
    #[serde(default)]
    mode: Mode,
    revision: Option<Revision>,
}

#[derive(Deserialize, Default, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Write,
    // The mode that loses nothing, if the model names none.
    #[default]
    Append,
}

#[derive(Deserialize)]
struct Read {
    path: String,
    #[serde(default = "one")]
    from_line: u64,
}

#[derive(Deserialize)]
struct SearchDocuments {
    #[serde(flatten)]
    search: Search,
    #[serde(default)]
    neighbours: u64,
}

#[derive(Deserialize)]
struct List {
    #[serde(default, alias = "path")]
    directory: String,
    #[serde(default)]
    recursive: bool,
}

/// The most passages that a search looks at, for some of other documents than the longest.
const MAX_PASSAGES_SEEN: usize = 200;

/// The passages that a search gives of one document; the rest make room for other documents.
const MAX_PASSAGES: usize = 3;

/// The entries that a search gives of one journal; the rest make room for other documents.
const MAX_ENTRIES: usize = 6;

/// The entries before and after one that matched; a call that asks for more gets these.
const MAX_NEIGHBOURS: u64 = 5;

/// The folders that a list names without going into them; the rest are counted.
const MAX_NAMED: usize = 8;

fn one() -> u64 {
    1
}

impl Documents {
    pub(super) fn new(view: Guarded<Arc<dyn Workspace>>) -> Self {
        let (view, recorder) = (view.by_the_agent(), Recorder::default());
        Self { view, find: None, recorder, kept_in: None, known: Mutex::default() }
    }

    /// Returns the findings in texts that were written since the last call.
    pub(super) fn take_warnings(&self) -> Vec<DoorWarning> {
        self.view.take_warnings()
    }

    /// Returns the tools over these documents, with names that begin with `prefix`.
    pub(super) fn tools(self: &Arc<Self>, prefix: &str) -> Vec<Tool> {
        let tool = |definition, run: fn(&Self, &Call<'_>) -> Result<Value, ToolError>| {
            let documents = Arc::clone(self);
            Tool::new(definition, move |call| run(&documents, call))
        };
        let mut tools = vec![
            tool(
                ToolDef::new(
                    format!("{prefix}memory_write"),
                    "Writes a markdown document of the workspace. Mode append (the default) adds at its end; mode write \
                 replaces the whole document, by the revision that you read, so that nobody's change is lost. Never write passwords or keys; journals can only be appended to, and say themselves whose words it is.",
                    json!({
                        "type": "object",
                        "properties": {
                            "path": { "type": "string", "description": "A relative path, such as MEMORY.md or context/plan.md." },
                            "content": { "type": "string", "description": "The text, in markdown." },
                            "mode": { "type": "string", "enum": ["write", "append"], "description": "append, unless you replace the whole document." },
                            "revision": { "type": "string", "description": "With mode write: the revision that memory_read gave, unless the document is new." }
                        },
                        "required": ["path", "content"],
                        "additionalProperties": false
                    }),
                ),
                |documents, call| documents.write(&call.read()?, call.origin, call.now),
            ),
            tool(
                ToolDef::new(
                    format!("{prefix}memory_read"),
                    "Reads a document of the workspace. A long one is cut, and the answer says from which line to read on.",
                    json!({
                        "type": "object",
                        "properties": {
                            "path": { "type": "string", "description": "A relative path, such as MEMORY.md." },
                            "from_line": { "type": "integer", "minimum": 1, "description": "Where to begin; 1 unless you read on." }
                        },
                        "required": ["path"],
                        "additionalProperties": false
                    }),
                ),
                |documents, call| documents.read(&call.read()?),
            ),
            tool(
                ToolDef::new(
                    format!("{prefix}memory_list"),
                    "Lists the documents and folders of a folder of the workspace. Folders end in a slash.",
                    json!({
                        "type": "object",
                        "properties": {
                            "directory": { "type": "string", "description": "A relative path; empty for the root." },
                            "recursive": { "type": "boolean", "description": "Whether to list what lies deeper too." }
                        },
                        "required": [],
                        "additionalProperties": false
                    }),
                ),
                |documents, call| documents.list(&call.read()?),
            ),
        ];
        if let Some(find) = &self.find {
            let (documents, find) = (Arc::clone(self), find.clone());
            let definition = ToolDef::new(
                format!("{prefix}memory_search"),
                "Searches the documents of the workspace for passages, best first. Use it before you say that you do \
                 not know something, and cite path and lines.",
                json!({
                    "type": "object",
                    "properties": {
                        "query": { "type": "string", "description": "What you look for, in plain words." },
                        "limit": limit(),
                        "neighbours": {
                            "type": "integer", "minimum": 0, "maximum": MAX_NEIGHBOURS,
                            "description": "A passage of a journal is the entry that matched: this number of entries before and after it come with it; 0 by default."
                        }
                    },
                    "required": ["query"],
                    "additionalProperties": false
                }),
            );
            tools.push(Tool::new(definition, move |call| documents.search(&find, &call.read()?)));
        }
        tools
    }

    /// Remembers a document as it is, where it may be replaced without its revision.
    fn know(&self, name: &DocName, revision: Revision) {
        if self.kept_in.is_some() {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.retain(|(other, _)| other != name);
            known.push((name.clone(), revision));
        }
    }

    /// Returns the revision at which a document was written or read here.
    fn known(&self, name: &DocName) -> Option<Revision> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(other, _)| other == name).map(|(_, revision)| *revision)
    }

    /// Returns whether a document is as it was written or read here, or is not there yet. Where documents are replaced by their revision
    /// alone, nobody asks.
    fn is_known(&self, name: &DocName) -> bool {
        self.kept_in.is_some()
            && self.view.read(name).is_ok_and(|standing| {
                standing.is_none_or(|standing| self.known(name) == Some(standing.revision()))
            })
    }

    fn write(&self, arguments: &Write, origin: &Origin, now: DateTime<Utc>) -> Result<Value, ToolError> {
        let (name, failed) = named(&arguments.path)?;
        // An older workspace keeps its memory in lower case, and in that alone.
        let stands = |name: &DocName| matches!(self.view.metadata(name), Ok(Some(_)));
        let is_older = || name == DocName::LEGACY_MEMORY && stands(&name) && !stands(&DocName::MEMORY);
        if let Some(rule) = disguise(&name).filter(|_| !is_older()) {
            return Err(failed(Error::Name(NameError { name: name.to_string(), rule })));
        }
        if arguments.mode == Mode::Append {
            // The host says who speaks in a line of a journal, not the model. Case in the name makes no difference,
            // because a disk may ignore it.
            let is_journal = JournalName::is_name(&name.folded());
            let is_known = !is_journal && self.is_known(&name);
            let added = if is_journal {
                self.view.append_from(&name, &arguments.content, origin.clone())
            } else {
                self.view.append(&name, whole_lines(&arguments.content).as_bytes())
            };
            added.map_err(&failed)?;
            // What somebody else wrote and nobody read here is not known by a line of ours behind it.
            if is_known && let Ok(Some(standing)) = self.view.read(&name) {
                self.know(&name, standing.revision());
            }
            return Ok(json!({ "status": "appended", "path": name }));
        }
        let standing = self.view.read(&name).map_err(&failed)?;
        if let Some(standing) = &standing {
            let text = standing.lossy();
            // A model that was shown a placeholder would write it over the hidden text. Bytes that are no
            // text are the same case.
            if shown(&self.view, &name, &text).map_err(&failed)?.as_bytes() != standing.bytes() {
                return Err(ToolError::new(format!(
                    "Nothing was written: {name} holds text that you are not shown, and to replace the document would lose it. Append to it, or ask the user."
                )));
            }
        }
        let known = if arguments.revision.is_none() { self.known(&name) } else { None };
        let mode = arguments.revision.or(known).map_or(WriteMode::Create, WriteMode::IfRevision);
        // The model was shown notes that stand in no file.
        let content = match self.view.notes_in(&name) {
            Some(notes) => notes.take_from(&arguments.content),
            None => Cow::Borrowed(arguments.content.as_str()),
        };
        if let (Some(known), Some(kept_in), Some(standing)) = (known, &self.kept_in, &standing)
            && standing.revision() == known
            && standing.bytes() != content.as_bytes()
        {
            // A text that is refused leaves no copy either.
            self.view.check_write(&name, &content).map_err(&failed)?;
            keep_preimage(kept_in.as_ref(), &name, standing, now).map_err(&failed)?;
        }
        let revision =
            self.view.write(&name, content.as_bytes(), mode).map_err(|error| match error {
                // A document that was never read is never replaced.
                Error::Conflict { .. } if mode == WriteMode::Create => ToolError::new(format!(
                    "Nothing was written: {name} exists already. Read it and give the revision that you read, or append to it."
                )),
                error => failed(error),
            })?;
        self.know(&name, revision);
        Ok(json!({ "status": "written", "path": name, "revision": revision }))
    }

    fn read(&self, arguments: &Read) -> Result<Value, ToolError> {
        let (name, failed) = named(&arguments.path)?;
        let Some(document) = self.view.read(&name).map_err(&failed)? else {
            return Err(failed(Error::NotFound { name: name.into() }));
        };
        let revision = document.revision();
        self.know(&name, revision);
        let text = marked(&self.view, &name, &document.lossy()).map_err(failed)?;
        let skipped = usize::try_from(arguments.from_line.saturating_sub(1)).unwrap_or(usize::MAX);
        let (mut content, mut last) = (String::new(), 0);
        let mut goes_on = None;
        for (at, line) in text.split_inclusive('\n').enumerate().skip(skipped) {
            let (fits, is_whole) = cut(line, MAX_ANSWER - content.len());
            if !is_whole && !content.is_empty() {
                goes_on = Some(at + 1);
                break;
            }
            content.push_str(fits);
            last = at + 1;
            if !is_whole {
                // A single line that is too long: what is left of it cannot be asked for.
                content.push_str("… (cut)\n");
                goes_on = Some(at + 2);
                break;
            }
        }
        self.recorder.keep(|| {
            let is_cut = goes_on.map(|_| (text.as_str(), content.as_str()));
            read_lines(&document, (skipped + 1, last), is_cut)
        });
        let mut answer = json!({ "path": name, "content": content, "revision": revision });
        if std::str::from_utf8(document.bytes()).is_err() {
            answer["encoding"] = json!("not UTF-8: some characters are shown as \u{fffd}");
        }
        if let Some(line) = goes_on {
            answer["cut"] = json!(format!("The document goes on: read it with from_line {line}."));
        }
        Ok(answer)
    }

    fn list(&self, arguments: &List) -> Result<Value, ToolError> {
        let given = arguments.directory.trim_matches('/');
        let folder = match given {
            "" | "." => None,
            path => Some(named(path)?.0),
        };
        let failed_at = |folder: Option<&DocName>, error| {
            ToolError::at(folder.map_or("the workspace", |folder| folder.as_str()), error)
        };
        let failed = |error| failed_at(folder.as_ref(), error);
        let doors = self.view.current_doors().map_err(failed)?;
        // A name would tell what was forgotten.
        // With others present, what they named themselves is told: else a name that vanishes would tell that it was.
        let is_told = |name: &DocName| !is_private(&self.view) || !doors.has_forgotten(name.as_str());
        let mut entries: Vec<String> = Vec::new();
        let mut not_listed: Vec<String> = Vec::new();
        let mut folders = vec![self.view.folder(folder.clone()).map_err(failed)?];
        while let Some(folder) = folders.pop() {
            let Looked { mut listing, folders: inner, left_out } =
                self.view.look(&folder).map_err(|error| {
                    ToolError::at(
                        folder.name.as_ref().map_or("the workspace", |folder| folder.as_str()),
                        error,
                    )
                })?;
            listing.documents.retain(is_told);
            listing.folders.retain(is_told);
            entries.extend(listing.documents.iter().map(ToString::to_string));
            entries.extend(listing.folders.iter().map(|folder| format!("{folder}/")));
            if arguments.recursive {
                let is_folder = |name: &&DocName| left_out.binary_search(name).is_ok();
                not_listed
                    .extend(listing.folders.iter().filter(is_folder).map(|folder| format!("{folder}/")));
                folders.extend(inner.into_iter().filter(|folder| folder.name.as_ref().is_none_or(is_told)));
            }
        }
        if let Some(folder) = folder.as_ref().filter(|_| entries.is_empty())
            && !self.is_folder(folder).map_err(failed)?
        {
            return Err(ToolError::new(format!(
                "There is no folder {folder}. List the root, with directory \"\", to see which there are."
            )));
        }
        order::sort(&mut entries);
        let mut room = MAX_ANSWER;
        let fitting = entries.iter().take_while(|entry| {
            let fits = entry.len() + 4 <= room;
            room -= if fits { entry.len() + 4 } else { 0 };
            fits
        });
        let fitting = fitting.count();
        let mut answer = json!({ "entries": entries[..fitting] });
        if fitting < entries.len() {
            answer["cut"] =
                json!(format!("{} more are left out: list a folder of these.", entries.len() - fitting));
        }
        if !not_listed.is_empty() {
            not_listed.truncate(MAX_NAMED);
            answer["not_listed"] = json!(not_listed);
        }
        Ok(answer)
    }

    /// Returns whether an empty folder exists there, as far as the session may see.
    fn is_folder(&self, folder: &DocName) -> Result<bool> {
        let above = folder.folder().map(|above| DocName::parse(above).map_err(Error::Name)).transpose()?;
        match self.view.list(above.as_ref()) {
            Ok(listing) => Ok(listing.folders.contains(folder)),
            Err(Error::Denied { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn search(&self, find: &Find, arguments: &SearchDocuments) -> Result<Value, ToolError> {
        let failed = |error| ToolError::at("the search", error);
        let query = plain(&arguments.search.query);
        let limit = limited(arguments.search.limit);
        let around = usize::try_from(arguments.neighbours.min(MAX_NEIGHBOURS)).unwrap_or(0);
        let found =
            (find.search)(self.view.access(), &query, MAX_PASSAGES_SEEN.max(limit)).map_err(failed)?;
        let (mut results, mut seen) = (Fitting::default(), Vec::new());
        let mut passages = Passages::new(&self.view, &query, around);
        let mut of_each: SortedMap<DocName, usize> = SortedMap::new();
        let mut exhibit = Exhibit::default();
        for found in found {
            // What says anew what is told may be a little further down.
            if seen.len() >= 2 * limit {
                break;
            }
            let of_this = of_each.entry(found.path.clone()).or_default();
            let most = if JournalName::is_name(&found.path.folded()) { MAX_ENTRIES } else { MAX_PASSAGES };
            // One long document does not crowd out all others.
            if *of_this == most {
                let source = Item::lines(ShownBy::Search, &found.path, found.lines, None).source;
                exhibit.leave_out(ShownBy::Search, source, LeftOutReason::Crowded);
                continue;
            }
            let Some(shown) = passages.shown(&found).map_err(failed)? else {
                if (find.is_elsewhere)(&self.view, &found.path) {
                    return Err(failed(Error::Config {
                        setting: "the index of this toolbox",
                        rule: "must be over the documents of its session",
                    }));
                }
                continue;
            };
            for ShownPassage { lines, content } in shown.into_iter().take(most - *of_this) {
                *of_this += 1;
                seen.push(SearchResult { content, lines, ..found.clone() });
            }
        }
        passages.newest_first(&mut seen);
        for SearchResult { path, lines, content, newer, .. } in seen.into_iter().take(limit) {
            let (first, last) = lines;
            let is_told = results.add(&content, passages.sentence_in(&content).as_ref(), |content| {
                let mut told = json!({ "path": path, "lines": [first, last], "content": content });
                if let Some(newer) = newer {
                    told["notes"] = json!([format!("This may be out of date: {newer} says it anew.")]);
                }
                told
            });
            if self.recorder.is_on() {
                let item = Item::lines(ShownBy::Search, &path, lines, passages.revision(&path));
                if is_told {
                    exhibit.add(item);
                } else {
                    exhibit.leave_out(ShownBy::Search, item.source, LeftOutReason::NoRoom);
                }
            }
        }
        self.recorder.keep(|| exhibit);
        Ok(results.answer())
    }
}

/// Returns the sources of an answer with lines of a document. `cut` are its whole text and the told part, if that is
/// less.
pub(super) fn read_lines(
    document: &Document,
    (first, last): (usize, usize),
    cut: Option<(&str, &str)>,
) -> Exhibit {
    let (by, mut exhibit) = (ShownBy::Read, Exhibit::default());
    let Ok(name) = DocName::parse(document.name().as_str()) else { return exhibit };
    if last >= first {
        let lines = (first as u64, last as u64);
        let mut item = Item::lines(by, &name, lines, Some(Digest::of(document.bytes())));
        item.hash = hash_of(&document.lossy(), 1, lines.0, lines.1);
        exhibit.add(item);
    }
    if let Some((whole, told)) = cut {
        let count = |text: &str| text.chars().count() as u64;
        let reason = LeftOutReason::Budget { chars: count(whole), shown: count(told) };
        exhibit.leave_out(by, ReplySource::Document(name), reason);
    }
    exhibit
}

/// Returns a text that ends its last line, so that nobody continues it.
fn whole_lines(content: &str) -> Cow<'_, str> {
    let is_whole = content.is_empty() || content.ends_with('\n');
    if is_whole { Cow::Borrowed(content) } else { Cow::Owned(format!("{content}\n")) }
}

/// Returns the name of a document, and the form of an error about it.
fn named(path: &str) -> Result<(DocName, impl Fn(Error) -> ToolError), ToolError> {
    let name = DocName::parse(path).map_err(|error| {
        let called = format!("{:?}", error.name);
        ToolError::at(&called, Error::Name(error))
    })?;
    let called = name.to_string();
    Ok((name, move |error| ToolError::at(&called, error)))
}

debug_as!(Documents, |it| "Documents({:?}, searched: {})", it.view, it.find.is_some());
