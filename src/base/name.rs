//! The names of documents and of the library's own state files.
//!
//! A [`DocName`] is what a person, a host or a model may name. A [`StateName`] is a dot file of ours, which
//! no guarded view and no tool can reach. Both are [`Name`]s, so one set of verbs serves both.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::name_rules::{DOT_SELF, NameError, fault, fault_inside, printable, windows_fault};
use crate::base::text;

/// A validated relative name inside a workspace: a document's, or one of the library's state files.
///
/// Made by [`DocName`] and [`StateName`], which dereference to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    path: Cow<'static, str>,
    space: Space,
}

/// The two kinds of a [`Name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// A document: the operator's markdown.
    Document,
    /// A dot file of the library's.
    State,
}

/// The part of a name that says that a file was set aside.
const SET_ASIDE: &str = ".unread-";

impl Name {
    const fn constant(path: &'static str, space: Space) -> Self {
        Self { path: Cow::Borrowed(path), space }
    }

    /// Returns the name as text, its segments parted by `/`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// Returns whether it names a document or state.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// Makes the name of a file that no document may have: one with a dot before it, or below such a folder.
    pub(crate) fn hidden(path: String) -> Self {
        Self { path: Cow::Owned(path), space: Space::State }
    }

    /// Returns whether it is the name of a state file that was set aside.
    pub(crate) fn is_set_aside(&self) -> bool {
        self.file_name().starts_with(".dreamed-") && self.file_name().contains(SET_ASIDE)
    }

    /// Returns whether it is the name of a repository's own folder, in which words are compressed.
    pub(crate) fn is_repository(&self) -> bool {
        matches!(self.file_name(), ".git" | ".hg" | ".jj" | ".svn")
    }

    /// Returns the last segment.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the name as file systems without case and composition compare it, and a little broader: as one
    /// [name](text::same_name). A stream of a file in the root, `SOUL.md:x` on disks of Windows, is the file.
    pub(crate) fn folded(&self) -> String {
        let path = self.as_str();
        let path = if path.contains('/') { path } else { path.split(':').next().unwrap_or(path) };
        text::same_name(path)
    }

    /// Returns all but the last segment; `None` for a name in the root.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        self.path.rsplit_once('/').map(|(folder, _)| folder)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.path)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// The documents in the root of a life that only this library's have, in small letters.
pub(crate) const OWN_FILES: [&str; 9] = [
    "soul.md",
    "agents.md",
    "identity.md",
    "user.md",
    "memory.md",
    "bootstrap.md",
    "tools.md",
    "heartbeat.md",
    "messages.md",
];

/// The name of a document: a relative path of plain segments without a dot in front, except the folder
/// [`.self`](Self::DOT_SELF).
///
/// At most 512 bytes, segments of at most 255. No traversal, no absolute path, no backslash, no control or invisible
/// characters. No segment begins or ends with a space or ends with a dot, since some disks drop those. Characters and
/// names that Windows reserves (`:`, `?`, `con.md`) are refused on Windows alone; [`is_portable`](Self::is_portable)
/// tells of them elsewhere.
///
/// ```
/// use noctuary::DocName;
///
/// let name = DocName::parse("memory/2026-11-21-repl.md")?;
/// assert_eq!(name.file_name(), "2026-11-21-repl.md");
/// assert!(DocName::parse("../secrets.md").is_err());
/// assert!(DocName::parse(".dreamed-state.json").is_err());
/// # Ok::<(), noctuary::workspace::NameError>(())
/// ```
///
/// The verbs of a workspace take `&Name`. A `&DocName` becomes one by itself where it is a variable. `&DocName::parse(…)?` does
/// not, since Rust then expects a `Name` of the `?`: bind the name first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocName(Name);

impl DocName {
    /// Who the agent is.
    pub const SOUL: Self = Self::constant("SOUL.md");
    /// Rules for the start of a session, and for what never changes.
    pub const AGENTS: Self = Self::constant("AGENTS.md");
    /// Display name, emoji, vibe.
    pub const IDENTITY: Self = Self::constant("IDENTITY.md");
    /// The operator's profile.
    pub const USER: Self = Self::constant("USER.md");
    /// Curated memory, the only document that a dream appends to.
    pub const MEMORY: Self = Self::constant("MEMORY.md");
    /// The first-run playbook.
    pub const BOOTSTRAP: Self = Self::constant("BOOTSTRAP.md");
    /// Notes on tools and surroundings.
    pub const TOOLS: Self = Self::constant("TOOLS.md");
    /// The memo from one session to the next.
    pub const HEARTBEAT: Self = Self::constant("HEARTBEAT.md");
    /// The legacy lower-case spelling of [`MEMORY`](Self::MEMORY): used where it alone exists, never created.
    pub const LEGACY_MEMORY: Self = Self::constant("memory.md");
    /// The folder of journals.
    pub const JOURNALS: Self = Self::constant("memory");
    /// The folder that some workspaces keep their journals in; read, never written.
    pub const DAILY: Self = Self::constant("daily");
    /// The folder of a sleeper's files.
    pub const SELF: Self = Self::constant("self");
    /// The same folder as its first seed has it, hidden; for `SleepConfig::folder`.
    pub const DOT_SELF: Self = Self::constant(DOT_SELF);
    /// Orders that a sleeper's creator leaves.
    pub const MESSAGES: Self = Self::constant("MESSAGES.md");
    /// When each periodic check last ran.
    pub const HEARTBEAT_STATE: Self = Self::constant("memory/heartbeat-state.json");
    /// The documents that a person edits whole.
    pub(crate) const EDITABLE: [Self; 8] = [
        Self::SOUL,
        Self::AGENTS,
        Self::IDENTITY,
        Self::USER,
        Self::MEMORY,
        Self::BOOTSTRAP,
        Self::TOOLS,
        Self::HEARTBEAT,
    ];

    /// The page on what is going on now, which each dream replaces where that is [on](crate::DreamConfig::briefing).
    pub const BRIEFING: Self = Self::constant("BRIEFING.md");
    /// Sections of dreams that were moved out of [`MEMORY`](Self::MEMORY) to keep it within its budget.
    pub const DREAMED: Self = Self::constant("memory/archive/dreamed.md");

    const fn constant(path: &'static str) -> Self {
        Self(Name::constant(path, Space::Document))
    }

    /// Parses a document's name.
    ///
    /// # Errors
    ///
    /// [`NameError`] with the rule that it breaks.
    pub fn parse(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        match fault(&text) {
            Some(rule) => Err(NameError { name: printable(&text), rule }),
            None => Ok(Self(Name { path: Cow::Owned(text), space: Space::Document })),
        }
    }

    /// Returns whether a text is the name of a document.
    pub(crate) fn is_valid(text: &str) -> bool {
        fault(text).is_none()
    }

    /// Returns whether every platform can have a file of this name. One with `\ : * ? " < > |`, or that Windows keeps for a
    /// device, cannot be copied to Windows.
    ///
    /// ```
    /// use noctuary::DocName;
    ///
    /// assert!(DocName::MEMORY.is_portable());
    /// # #[cfg(not(windows))]
    /// assert!(!DocName::parse("notes/what now?.md")?.is_portable());
    /// # Ok::<(), noctuary::workspace::NameError>(())
    /// ```
    #[must_use]
    pub fn is_portable(&self) -> bool {
        self.as_str().split('/').all(|segment| windows_fault(segment).is_none())
    }

    /// Returns the name of `file` inside this folder.
    ///
    /// # Errors
    ///
    /// [`NameError`] where `file` is not a plain segment.
    pub fn join(&self, file: &str) -> Result<Self, NameError> {
        Self::parse([self.as_str(), "/", file].concat())
    }
}

impl DocName {
    /// Makes a name of the memory of `file`: inside this folder as [`join`](Self::join) does, or in the root. A text that
    /// makes none comes back.
    pub(crate) fn within(folder: Option<&Self>, mut file: String) -> Result<Self, String> {
        let fault = folder.map_or_else(|| fault(&file), |folder| fault_inside(folder.as_str(), &file));
        if fault.is_some() {
            return Err(file);
        }
        if let Some(folder) = folder {
            file.insert(0, '/');
            file.insert_str(0, folder.as_str());
        }
        Ok(Self(Name { path: Cow::Owned(file), space: Space::Document }))
    }
}

/// The name of one of the library's own state files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateName(Name);

impl StateName {
    /// The watermark and the last run, in the seed's shape.
    pub const DREAMED: Self = Self::constant(".dreamed-state.json");
    /// Journals that an operator must look at, in the seed's shape.
    pub const QUARANTINE: Self = Self::constant(".dreamed-quarantine.json");
    /// The bytes of each journal that a model has been shown.
    pub const LEDGER: Self = Self::constant(".dreaming.d/ledger.json");
    /// A commit that is under way.
    pub const INTENT: Self = Self::constant(".dreaming.d/intent.json");
    /// A merge of conflict copies that is under way.
    pub const COPIES_INTENT: Self = Self::constant(".dreaming.d/merge-copies.json");
    /// Dreams that a person took back, for as long as they can be brought back.
    pub const UNDONE: Self = Self::constant(".dreaming.d/history/undone.json");
    /// One line for each pass.
    pub const LOG: Self = Self::constant(".dreaming.d/log.jsonl");
    /// The `SOUL.md` that the agent knows, in the seed's place.
    pub const SOUL: Self = Self::constant(".soul-state.json");
    /// The same, where another program's file has that name.
    pub const SOUL_BESIDE: Self = Self::constant(".dreaming.d/soul.json");
    /// Facts about the beginning of a life.
    pub const LIFE: Self = Self::constant(".dreaming.d/life.json");
    /// The tiredness of a sleeper.
    pub const SLEEP: Self = Self::constant(".dreaming.d/sleep.json");
    /// A sleeper's commit that is under way.
    pub const SLEEP_INTENT: Self = Self::constant(".dreaming.d/sleep-intent.json");
    /// Pairs of facts that a model was asked about.
    pub const FACTS: Self = Self::constant(".dreaming.d/facts.json");
    /// The mark of the input of the last rebuild of personalization.
    pub const PERSONALIZATION: Self = Self::constant(".dreaming.d/personalization.json");
    /// The lessons that a model was asked to form methods of, as a count.
    pub const ROLES: Self = Self::constant(".dreaming.d/roles.json");
    /// Tombstones of forgotten statements, without their content.
    pub const FORGOTTEN: Self = Self::constant(".dreaming.d/forgotten.json");
    /// The same, written before it: for the day on which the disk loses the other.
    pub const FORGOTTEN_COPY: Self = Self::constant(".dreaming.d/forgotten.copy.json");
    /// The keys of the hashes in receipts of replies.
    pub const RECEIPT_KEYS: Self = Self::constant(".dreaming.d/receipts.json");
    /// Receipts of replies: what a model was shown, as names, ids and keyed hashes.
    pub const RECEIPTS: Self = Self::constant(".dreaming.d/receipts.jsonl");
    /// The generation of receipts before these.
    pub const RECEIPTS_BEFORE: Self = Self::constant(".dreaming.d/receipts.before.jsonl");
    /// The messages of chats that were imported.
    pub const CHATS: Self = Self::constant(".dreaming.d/chats.jsonl");
    /// Proposals of dreams that wait for a person's answer.
    pub const PROPOSALS: Self = Self::constant(".dreaming.d/proposals.json");
    /// The rows of a [`FileMemoryStore`](crate::FileMemoryStore).
    pub const MEMORIES: Self = Self::constant(".dreaming.d/memories.jsonl");
    /// The mark of a [`FileMemoryStore`](crate::FileMemoryStore) at its last commit.
    pub const MEMORIES_MARK: Self = Self::constant(".dreaming.d/memories.mark");
    /// The table of the rows of a memory store in a file; made anew from the rows where it is missing.
    pub const MEMORIES_TABLE: Self = Self::constant(".dreaming.d/memories.table");
    /// The vectors of the rows of a memory store in a file; where it is missing, the rows wait for theirs.
    pub const MEMORIES_VECTORS: Self = Self::constant(".dreaming.d/memories.vectors");
    /// The folder of the word index of a memory store in a file.
    pub(crate) const MEMORY_WORDS_FOLDER: &str = ".dreaming.d/memories.words";

    /// Returns the name of the copy of a state file of a life or a group; `None` for one without.
    pub(crate) fn copy_of(name: &Name) -> Option<Self> {
        let front = name.as_str().strip_suffix(Self::FORGOTTEN.as_str())?;
        let is_whole = front.is_empty() || front.ends_with('/');
        is_whole.then(|| Self::of_path(format!("{front}{}", Self::FORGOTTEN_COPY.as_str())))
    }

    /// Returns the name of the state file that has this path.
    pub(crate) fn of_path(path: String) -> Self {
        Self(Name { path: path.into(), space: Space::State })
    }

    /// The name under which earlier versions are kept of documents that have no file of their own for them.
    pub(crate) const REPLACED: DocName = DocName::constant("replaced");
    /// Replaces a name of a document that holds a forgotten statement.
    pub(crate) const STRUCK: DocName = DocName::constant("[forgotten]");

    /// Returns the name of the file with a document's earlier versions.
    pub(crate) fn history(document: &DocName) -> Self {
        Self(Name { path: format!(".dreaming.d/history/{document}.json").into(), space: Space::State })
    }

    /// Returns the name of the file with pages of the word index of a memory store.
    pub(crate) fn memory_words(segment: u64) -> Self {
        Self(Name { path: format!(".dreaming.d/memories.words/{segment}").into(), space: Space::State })
    }

    /// Returns the name under which a file of the root is kept that could not be read whole: `.dreamed-state.unread-9f86d081.json`.
    pub(crate) fn set_aside(&self, digest: &str) -> Name {
        let stem = self.as_str().trim_end_matches(".json");
        Name::hidden(format!("{stem}{SET_ASIDE}{digest}.json"))
    }

    /// Returns the name of a file such as `.gitignore`, which lists names of a folder that are none of ours.
    pub(crate) fn ignoring(folder: Option<&DocName>, file: &str) -> Self {
        let path = folder.map_or_else(|| file.to_owned(), |folder| format!("{folder}/{file}"));
        Self(Name { path: path.into(), space: Space::State })
    }

    /// Returns the name of the file with a proposed section, for a person to edit.
    pub(crate) fn proposal(id: impl fmt::Display) -> Self {
        Self(Name { path: format!(".dreaming.d/proposals/{id}.md").into(), space: Space::State })
    }

    /// Returns the name of a row of a store in errors: `memories/42`.
    pub(crate) fn row(table: &str, id: impl fmt::Display) -> Self {
        Self(Name { path: format!("{table}/{id}").into(), space: Space::State })
    }

    /// Returns the name of a new row in errors: `a new memory`.
    pub(crate) fn new_row(what: &str) -> Self {
        Self(Name { path: format!("a new {what}").into(), space: Space::State })
    }

    /// Returns the name of a life in errors, where all of it is asked for.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) const fn whole_life() -> Self {
        Self(Name::constant("the whole life", Space::State))
    }

    const fn constant(path: &'static str) -> Self {
        Self(Name::constant(path, Space::State))
    }
}

macro_rules! is_a_name {
    ($type:ty) => {
        impl Deref for $type {
            type Target = Name;
            fn deref(&self) -> &Name {
                &self.0
            }
        }
        impl AsRef<Name> for $type {
            fn as_ref(&self) -> &Name {
                &self.0
            }
        }
        impl From<$type> for Name {
            fn from(name: $type) -> Name {
                name.0
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}
is_a_name!(DocName);
is_a_name!(StateName);

impl Serialize for DocName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for DocName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_files_have_their_exact_names() {
        let names = [
            (DocName::SOUL, "SOUL.md"),
            (DocName::AGENTS, "AGENTS.md"),
            (DocName::IDENTITY, "IDENTITY.md"),
            (DocName::USER, "USER.md"),
            (DocName::MEMORY, "MEMORY.md"),
            (DocName::BOOTSTRAP, "BOOTSTRAP.md"),
            (DocName::TOOLS, "TOOLS.md"),
            (DocName::HEARTBEAT, "HEARTBEAT.md"),
            (DocName::JOURNALS, "memory"),
            (DocName::DOT_SELF, ".self"),
        ];
        for (name, text) in names {
            assert_eq!(name.as_str(), text);
            assert_eq!(DocName::parse(text).unwrap(), name, "a constant obeys the grammar");
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        for text in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a//b",
            "a/",
            ".",
            "./a",
            ".hidden",
            ".self/",
            ".self/.hidden",
            ".selfish",
            ".Self/a.md",
            "a/.self/a.md",
            "a/.git/x",
            "a\\b",
            "a\0b",
            "a\nb",
            "a.",
            "a ",
            " a",
            "a\u{202e}b",
            "a\u{200b}b",
        ] {
            let error = DocName::parse(text).expect_err(text);
            assert!(!error.to_string().contains('\u{202e}'), "a message shows no invisible text");
        }
        assert!(DocName::parse("x".repeat(256)).is_err());
        assert!(DocName::parse(["x"; 300].join("/")).is_err());
    }

    // Notes named after a question or a person's call were left out on Linux, where they are plain files.
    #[test]
    fn names_that_windows_reserves_are_refused_on_windows_alone() {
        for text in [
            "C:/x",
            "a:b",
            "what?",
            "x*",
            "a|b",
            "say \"hi\"",
            "a<b",
            "a>b",
            "nul",
            "NUL.md",
            "con.md",
            "com1.md",
            "COM¹",
            "lpt9.txt",
            "deep/what?/a.md",
        ] {
            let name = DocName::parse(text);
            assert_eq!(name.is_ok(), cfg!(not(windows)), "{text}");
            assert!(name.is_err() || !name.unwrap().is_portable(), "{text}");
        }
        assert!(DocName::parse("memory/2026-11-21 évening notes.md").unwrap().is_portable());
    }

    #[test]
    fn names_that_people_use_are_taken() {
        for text in [
            "MEMORY.md",
            "memory/2026-11-21 évening notes.md",
            "context/vision.md",
            "日記.md",
            "a..b",
            "console.md",
            ".self/observations.md",
        ] {
            assert_eq!(DocName::parse(text).unwrap().as_str(), text);
        }
    }
}
