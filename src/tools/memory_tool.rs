//! The memory tool that models of Anthropic know by heart, `memory_20250818`, over a folder of a workspace.

mod refusals;

use std::fmt;
use std::ops::Range;

use serde_json::{Value, json};

use super::command::Command;
use super::documents::read_lines;
use super::lines::{human, lines_at, lines_of, numbered, occurrences};
use super::shown::{disguise, hidden, hides_parent, hides_secret};
use super::{MAX_ANSWER, ToolError};
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::gate::DoorWarning;
use crate::life::receipt::Recorder;
use crate::session::{Guarded, shown, walk};
use crate::trace;
use crate::workspace::{Workspace, WriteMode};
use refusals::{failed, no_file, no_path, no_valid_path, not_shown, partly};

/// The tool `memory_20250818`: six commands on files below `/memories`, with the words that models were trained on.
///
/// `/memories` is a folder of the workspace, `memory/notes` unless [said otherwise](Self::in_folder), never its root.
/// So a model cannot reach `SOUL.md`, `MEMORY.md` or a journal through it. All of it goes through the session's view.
/// In a session with others present the folder looks empty, and nothing can be written there. Written text passes the
/// [`Doors`](crate::gate::Doors); shown text is masked as it would be in a prompt. Masked text can neither be replaced
/// nor searched for by trying, and a file with a masked secret is not deleted.
///
/// A file is created only where none exists, and edited at the revision that was read. If two sessions edit at once,
/// both succeed, or one gets an error. When a command returns, what it did survives a power loss. A folder is deleted
/// or renamed file by file, so a crash in between leaves some of them. Folders exist as long as they hold a file; their
/// size is that of all files below.
///
/// # Differences
///
/// | | Documentation, SDKs | Here |
/// |---|---|---|
/// | `Error: ` before a refusal | documented for most | not there: mark the result with `is_error` |
/// | `str_replace` over several lines | one SDK finds none | found |
/// | `str_replace` of nothing, or of a text twice in one line | replaces the first place | refused |
/// | `view_range` that begins behind the end, or is no pair | no lines, or all | refused, naming the lines there are |
/// | an answer of more than 24 KiB | whole | cut, naming the line to read on from |
/// | dotfiles; paths with `%2e%2e` or `..\\`; unknown fields | accepted | refused |
/// | an emptied folder | stays, and is listed | not listed |
/// | `delete`, `rename` of a folder | at once | file by file; a stop says how many were done |
/// | masked, blocked or forgotten text | none | can be neither replaced nor searched; a file with a masked secret is not deleted |
///
/// # Example: a note, and a correction
///
/// ```
/// use noctuary::life::Guarded;
/// use noctuary::tools::MemoryTool;
/// use noctuary::{Access, FileWorkspace, Scope};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let access = Access::agent(Scope::user("marta"));
/// let tool = MemoryTool::new(Guarded::new(FileWorkspace::open(folder.path())?, access));
///
/// let path = "/memories/boat.md";
/// let told = tool.call(&json!({"command": "create", "path": path, "file_text": "The boat lies in Porto.\n"}))?;
/// assert_eq!(told, "File created successfully at: /memories/boat.md");
/// tool.call(&json!({"command": "str_replace", "path": path, "old_str": "Porto", "new_str": "Lisbon"}))?;
/// let told = tool.call(&json!({"command": "view", "path": path}))?;
/// assert!(told.contains("\n     1\tThe boat lies in Lisbon.\n"));
/// assert!(folder.path().join("memory/notes/boat.md").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryTool<W> {
    view: Guarded<W>,
    folder: DocName,
    recorder: Recorder,
}

/// The folder of the files for the model.
const ROOT: &str = "/memories";

/// The most lines of a file that is shown or edited.
const MAX_LINES: usize = 999_999;

/// The most lines of a message that name the places of a text.
const MAX_NAMED: usize = 100;

/// The number of tries of an edit while the file changes meanwhile.
const ATTEMPTS: u32 = 20;

/// A path as the model gave it, and the document or folder that it names; `None` is the root.
struct Place<'a> {
    given: &'a str,
    name: Option<DocName>,
}

/// The file or folder at a place.
enum Occupant {
    Nothing,
    File,
    /// The files below, in the order of a listing.
    Folder(Vec<DocName>),
}

impl<W> MemoryTool<W> {
    /// Makes the tool for the session of a view. The tool always acts as the agent, even in a human's session.
    #[must_use]
    pub fn new(view: Guarded<W>) -> Self {
        let folder = DocName::parse("memory/notes").expect("it is a plain name");
        Self { view: view.by_the_agent(), folder, recorder: Recorder::default() }
    }

    /// Keeps what the tool hands out.
    pub(super) fn recording(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    /// Sets the folder that is `/memories`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for the folders of journals and of a sleeper, which are kept by rules of their own.
    pub fn in_folder(mut self, folder: DocName) -> Result<Self> {
        if [DocName::JOURNALS, DocName::DAILY, DocName::SELF, DocName::DOT_SELF]
            .iter()
            .any(|own| own.as_str() == folder.folded())
        {
            return Err(Error::Config {
                setting: "the folder of the memory tool",
                rule: "must not be a folder of journals or of a sleeper",
            });
        }
        self.folder = folder;
        Ok(self)
    }

    /// Returns the tool as it is in a request: a type and a name, since the models know the rest.
    #[must_use]
    pub fn definition(&self) -> Value {
        json!({ "type": "memory_20250818", "name": "memory" })
    }

    /// Returns the findings in texts that were written since the last call.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<DoorWarning> {
        self.view.take_warnings()
    }

    /// Reads a path of the model's. A path out of `/memories` is refused in every spelling.
    fn place<'a>(&self, given: &'a str) -> Result<Place<'a>, ToolError> {
        let below = given.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(below) = below else {
            return Err(ToolError::new(format!("Path must start with /memories, got: {given}")));
        };
        let escapes = || ToolError::new(format!("Path {given} would escape /memories directory"));
        let mut segments: Vec<&str> = Vec::new();
        for segment in below.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(segments.pop().ok_or_else(escapes)?),
                other if hides_parent(other) => return Err(escapes()),
                other => segments.push(other),
            }
        }
        if segments.is_empty() {
            return Ok(Place { given, name: None });
        }
        match self.folder.join(&segments.join("/")) {
            Ok(name) => match disguise(&name) {
                None => Ok(Place { given, name: Some(name) }),
                Some(rule) => Err(ToolError::new(format!("Path {given} cannot be used: {rule}."))),
            },
            Err(error) => Err(ToolError::new(format!("Path {given} cannot be used: {}.", error.rule))),
        }
    }
}

impl<W: Workspace> MemoryTool<W> {
    /// Carries out a model's call, and returns the answer.
    ///
    /// Arguments are an object, or the JSON text of one; a field that the command does not take is refused. An answer
    /// has at most 24 KiB, and a longer file is shown from its beginning, or by `view_range`.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with the message for the model. Then nothing was done, unless the message says so.
    pub fn call(&self, arguments: &Value) -> Result<String, ToolError> {
        trace::tool("memory", ToolError::library, || self.answer(arguments))
    }

    fn answer(&self, arguments: &Value) -> Result<String, ToolError> {
        match Command::read(arguments)? {
            Command::View { path, view_range } => self.view_at(&self.place(&path)?, view_range.as_deref()),
            Command::Create { path, file_text } => self.create(&self.place(&path)?, &file_text),
            Command::StrReplace { path, old_str, new_str } => {
                self.str_replace(&self.place(&path)?, &old_str, &new_str)
            }
            Command::Insert { path, insert_line, insert_text } => {
                self.insert(&self.place(&path)?, insert_line, &insert_text)
            }
            Command::Delete { path } => self.delete(&self.place(&path)?),
            Command::Rename { old_path, new_path } => {
                self.rename(&self.place(&old_path)?, &self.place(&new_path)?)
            }
        }
    }

    fn view_at(&self, place: &Place<'_>, range: Option<&[i64]>) -> Result<String, ToolError> {
        match self.look(place)? {
            Occupant::Nothing => Err(no_valid_path(place.given)),
            Occupant::Folder(files) => Ok(self.listing(place, &files)),
            Occupant::File => {
                let (name, text, _) = self.read(place)?;
                let lines = text.split('\n').count();
                if lines > MAX_LINES {
                    return Err(ToolError::new(format!(
                        "File {} exceeds maximum line limit of 999,999 lines.",
                        place.given
                    )));
                }
                let range = lines_of(range, lines)?;
                let head = format!("Here's the content of {} with line numbers:", place.given);
                self.told(place, head, (&name, &text), range)
            }
        }
    }

    /// Returns the files and folders of two levels.
    fn listing(&self, place: &Place<'_>, files: &[DocName]) -> String {
        let above = place.name.as_ref().unwrap_or(&self.folder).as_str().len() + 1;
        let names: Vec<&Name> = files.iter().map(|name| &**name).gather();
        let mut entries: SortedMap<Vec<&str>, (u64, bool)> = SortedMap::new();
        let mut whole = 0;
        for (name, metadata) in files.iter().zip(self.view.metadata_of(&names)) {
            // A file that is missing or closed by now is not named.
            let Ok(Some(metadata)) = metadata else { continue };
            let segments: Vec<&str> = name.as_str()[above..].split('/').gather();
            if segments.contains(&"node_modules") {
                continue;
            }
            whole += metadata.len;
            for depth in 1..=segments.len().min(2) {
                let entry = entries.entry(segments[..depth].to_vec()).or_default();
                *entry = (entry.0 + metadata.len, segments.len() > depth);
            }
        }
        let given = place.given.trim_end_matches('/');
        let mut told = format!(
            "Here're the files and directories up to 2 levels deep in {given}, excluding hidden items and node_modules:\n{}\t{given}",
            human(whole)
        );
        for (at, (segments, (len, is_folder))) in entries.iter().enumerate() {
            let slash = if *is_folder { "/" } else { "" };
            let line = format!("\n{}\t{given}/{}{slash}", human(*len), segments.join("/"));
            if told.len() + line.len() > MAX_ANSWER {
                told.push_str(&format!("\n[cut: {} more; view a directory of these]", entries.len() - at));
                break;
            }
            told.push_str(&line);
        }
        told
    }

    fn create(&self, place: &Place<'_>, text: &str) -> Result<String, ToolError> {
        let given = place.given;
        let exists = || ToolError::new(format!("File {given} already exists"));
        let Some(name) = &place.name else { return Err(exists()) };
        match self.view.write(name, text.as_bytes(), WriteMode::Create) {
            Ok(_) => Ok(format!("File created successfully at: {given}")),
            Err(Error::Conflict { .. } | Error::Refused { reason: Refusal::NotAFile, .. }) => Err(exists()),
            Err(error) => Err(failed(given, error)),
        }
    }

    fn str_replace(&self, place: &Place<'_>, old: &str, new: &str) -> Result<String, ToolError> {
        let given = place.given;
        if old.is_empty() {
            return Err(ToolError::new(
                "No replacement was performed: old_str is empty. Give the text to replace, or use insert.",
            ));
        }
        let (name, text, first) = self.edit(place, |text, hidden| {
            let mut found = occurrences(text, old);
            // Hidden text counts as absent: else a model could guess it letter by letter.
            let is_hidden = |at: usize| hidden.iter().any(|line| line.start < at + old.len() && at < line.end);
            order::retain(&mut found, |at| !is_hidden(*at));
            let Some(first) = found.first().copied() else {
                return Err(ToolError::new(format!(
                    "No replacement was performed, old_str `{old}` did not appear verbatim in {given}."
                )));
            };
            if found.len() > 1 {
                let mut lines = lines_at(text, &found);
                order::dedup(&mut lines);
                let more = if lines.len() > MAX_NAMED { ", …" } else { "" };
                lines.truncate(MAX_NAMED);
                let lines: Vec<String> = lines.iter().map(ToString::to_string).gather();
                return Err(ToolError::new(format!(
                    "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}{more}. Please ensure it is unique",
                    lines.join(", ")
                )));
            }
            let after = [&text[..first], new, &text[first + old.len()..]].concat();
            Ok((after, lines_at(text, &[first])[0]))
        })?;
        let last = first + new.matches('\n').count();
        let head =
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
        self.told(place, head.to_owned(), (&name, &text), (first.saturating_sub(2).max(1), last + 2))
    }

    /// Tells lines of a file, as many as fit, as they are shown.
    fn told(
        &self,
        place: &Place<'_>,
        head: String,
        (name, text): (&Name, &str),
        range: (usize, usize),
    ) -> Result<String, ToolError> {
        let masked = shown(&self.view, name, text).map_err(|error| failed(place.given, error))?;
        let (told, last) = numbered(head, &masked, range);
        self.recorder.keep(|| {
            let document = Document::new(name.clone(), text.as_bytes().to_vec());
            let last = last.min(text::line_ranges(text).count());
            read_lines(&document, (range.0, last), None)
        });
        Ok(told)
    }

    fn insert(&self, place: &Place<'_>, line: i64, inserted: &str) -> Result<String, ToolError> {
        self.edit(place, |text, _| {
            let mut lines: Vec<&str> = text.split('\n').gather();
            let at = usize::try_from(line).ok().filter(|at| *at <= lines.len());
            let Some(at) = at else {
                return Err(ToolError::new(format!(
                    "Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
                    lines.len()
                )));
            };
            lines.insert(at, inserted.strip_suffix('\n').unwrap_or(inserted));
            Ok((lines.join("\n"), 0))
        })?;
        Ok(format!("The file {} has been edited.", place.given))
    }

    fn delete(&self, place: &Place<'_>) -> Result<String, ToolError> {
        let given = place.given;
        let Some(name) = &place.name else {
            return Err(ToolError::new("Cannot delete the /memories directory itself"));
        };
        let gone = match self.look(place)? {
            Occupant::Nothing => false,
            Occupant::File => {
                self.check_shown(given, name)?;
                self.view.remove(name).map_err(|error| failed(given, error))?
            }
            Occupant::Folder(files) => {
                files.iter().try_for_each(|file| self.check_shown(given, file))?;
                for (done, file) in files.iter().enumerate() {
                    self.view.remove(file).map_err(|error| partly(given, done, files.len(), error))?;
                }
                true
            }
        };
        if gone { Ok(format!("Successfully deleted {given}")) } else { Err(no_path(given)) }
    }

    /// Refuses to delete what holds a secret that is not shown: it is somebody else's, and may be its only copy.
    fn check_shown(&self, given: &str, name: &Name) -> Result<(), ToolError> {
        let document = match self.view.read(name) {
            Ok(Some(document)) => document,
            Ok(None) | Err(Error::TooLarge { .. }) => return Ok(()),
            Err(error) => return Err(failed(given, error)),
        };
        match hides_secret(&self.view, name, &document.lossy()) {
            Ok(false) => Ok(()),
            Ok(true) => Err(not_shown("Nothing was deleted", given)),
            Err(error) => Err(failed(given, error)),
        }
    }

    fn rename(&self, old: &Place<'_>, new: &Place<'_>) -> Result<String, ToolError> {
        let exists = || ToolError::new(format!("The destination {} already exists", new.given));
        let Some(from) = &old.name else {
            return Err(ToolError::new("Cannot rename the /memories directory itself"));
        };
        let Some(to) = &new.name else { return Err(exists()) };
        if !matches!(self.look(new)?, Occupant::Nothing) {
            return Err(exists());
        }
        let moved = |from: &Name, to: &Name| {
            self.view.rename(from, to).map_err(|error| match error {
                Error::Conflict { .. } | Error::Refused { reason: Refusal::NotAFile, .. } => exists(),
                Error::NotFound { .. } => no_path(old.given),
                other => failed(new.given, other),
            })
        };
        match self.look(old)? {
            Occupant::Nothing => return Err(no_path(old.given)),
            Occupant::File => moved(from, to)?,
            Occupant::Folder(files) => {
                if to.as_str().strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with('/')) {
                    return Err(ToolError::new(format!(
                        "Cannot move {} into itself: {}",
                        old.given, new.given
                    )));
                }
                let renamed = |file: &DocName| to.join(&file.as_str()[from.as_str().len() + 1..]);
                let names: Result<Vec<DocName>, _> = files.iter().map(renamed).collect();
                let names = names.map_err(|error| {
                    ToolError::new(format!("Path {} cannot be used: {}.", new.given, error.rule))
                })?;
                for (done, (file, name)) in files.iter().zip(&names).enumerate() {
                    let error = match self.view.rename(file, name) {
                        Ok(()) => continue,
                        Err(error) => error,
                    };
                    return Err(partly(old.given, done, files.len(), error));
                }
            }
        }
        Ok(format!("Successfully renamed {} to {}", old.given, new.given))
    }

    /// Changes a file at the revision that was read, again where another changed it meanwhile. Returns its name, its text
    /// as it was to be written, and what `change` says of it.
    fn edit(
        &self,
        place: &Place<'_>,
        change: impl Fn(&str, &[Range<usize>]) -> Result<(String, usize), ToolError>,
    ) -> Result<(Name, String, usize), ToolError> {
        match self.look(place)? {
            Occupant::Nothing => return Err(no_valid_path(place.given)),
            Occupant::Folder(_) => return Err(no_file(place.given)),
            Occupant::File => {}
        }
        for _ in 0..ATTEMPTS {
            let (name, text, seen) = self.read(place)?;
            let hidden = hidden(&self.view, &name, &text).map_err(|error| failed(place.given, error))?;
            let (after, said) = change(&text, &hidden)?;
            if !hidden.is_empty()
                && self.view.would_change(&name, &text).map_err(|error| failed(place.given, error))?
            {
                return Err(not_shown("Nothing was written", place.given));
            }
            match self.view.write(&name, after.as_bytes(), WriteMode::IfRevision(seen)) {
                Ok(_) => return Ok((name, after, said)),
                Err(Error::Conflict { .. }) => {}
                Err(error) => return Err(failed(place.given, error)),
            }
        }
        let busy = Error::Busy { path: place.given.to_owned() };
        Err(failed(place.given, busy))
    }

    fn read(&self, place: &Place<'_>) -> Result<(Name, String, Revision), ToolError> {
        let Some(name) = &place.name else { return Err(no_file(place.given)) };
        let read = self.view.read(name).map_err(|error| failed(place.given, error))?;
        let Some(document) = read else { return Err(no_valid_path(place.given)) };
        let seen = document.revision();
        let text = String::from_utf8(document.into_bytes()).map_err(|error| {
            let valid_up_to = error.utf8_error().valid_up_to();
            failed(place.given, Error::NotUtf8 { name: (**name).clone(), valid_up_to })
        })?;
        Ok(((**name).clone(), text, seen))
    }

    /// Says what is at a place, as far as the session may know.
    fn look(&self, place: &Place<'_>) -> Result<Occupant, ToolError> {
        let looked = match &place.name {
            None => self.below(&self.folder).map(Occupant::Folder),
            Some(name) => match self.view.metadata(name) {
                Ok(Some(_)) => Ok(Occupant::File),
                Ok(None) | Err(Error::Refused { reason: Refusal::NotAFile, .. }) => {
                    self.below(name).map(|files| match files.len() {
                        0 => Occupant::Nothing,
                        _ => Occupant::Folder(files),
                    })
                }
                Err(error) => Err(error),
            },
        };
        looked.or_else(|error| match error {
            Error::Denied { .. } | Error::Refused { reason: Refusal::NotAFolder, .. }
                if place.name.is_none() =>
            {
                Ok(Occupant::Folder(Vec::new()))
            }
            Error::Denied { .. } | Error::Refused { reason: Refusal::NotAFolder, .. } => {
                Ok(Occupant::Nothing)
            }
            error => Err(failed(place.given, error)),
        })
    }

    /// Returns all files below a folder, in the order of a listing.
    fn below(&self, folder: &DocName) -> Result<Vec<DocName>> {
        let mut files = Vec::new();
        for listing in walk(&self.view, Some(folder.clone()), |_| true) {
            files.extend(listing?.1.documents);
        }
        order::sort_by(&mut files, |one, other| one.as_str().split('/').cmp(other.as_str().split('/')));
        Ok(files)
    }
}

impl<W: fmt::Debug> fmt::Debug for MemoryTool<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryTool({:?}, {})", self.view, self.folder)
    }
}
