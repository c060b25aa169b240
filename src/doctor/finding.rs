//! A finding: what it is, where, and what to do.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::base::group::GroupName;

/// A thing that an operator should look at.
///
/// As JSON it has three keys: `{"finding":"stuck_lock","where":".dreaming.lock","fix":"…"}`, and in the state or the rows of a
/// group `"group":"family"` too. It never holds the words of a document or a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct DoctorFinding {
    /// The kind.
    #[serde(rename = "finding")]
    pub kind: FindingKind,
    /// The group whose state or rows it is in; `None` for those of the life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupName>,
    /// The place: a document, a state file, a row.
    #[serde(rename = "where")]
    pub place: String,
    /// The remedy, in a sentence.
    pub fix: String,
    /// The number of places that it stands for: 1, or more where `place` says how many.
    #[serde(skip)]
    pub places: usize,
}

impl DoctorFinding {
    pub(crate) fn new(kind: FindingKind, place: impl fmt::Display, fix: impl Into<String>) -> Self {
        Self { kind, group: None, place: place.to_string(), fix: fix.into(), places: 1 }
    }
}

impl fmt::Display for DoctorFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, place, fix) = (self.kind, &self.place, &self.fix);
        match &self.group {
            Some(group) => write!(f, "{kind} in {place} of the group {group}: {}; {fix}", kind.meaning()),
            None => write!(f, "{kind} in {place}: {}; {fix}", kind.meaning()),
        }
    }
}

/// The kinds of findings. Prints as the word of the JSON: `stuck_lock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A secret is in a document or a row.
    SecretAtRest,
    /// A state file or document can be read or written by others on this machine.
    OpenPermissions,
    /// A store lacks its last commit.
    EmptiedStore,
    /// A store cannot be read.
    DamagedStore,
    /// A state file is empty, which the library never writes.
    EmptiedState,
    /// A state file is missing that its neighbours tell of.
    MissingState,
    /// A state file does not parse, or its checksum does not fit.
    DamagedState,
    /// A state file that could not be read whole, kept under another name.
    SetAside,
    /// A file of a newer version of this library.
    NewerVersion,
    /// A database of an older version of this library.
    OlderSchema,
    /// The index of a store does not say what its rows say.
    DriftedIndex,
    /// Rows or chunks whose vectors could not be made.
    FailedEmbeddings,
    /// Rows or chunks without a vector, where the doctor was given an embedder.
    WaitingEmbeddings,
    /// Edges that the words of rows give, and the store does not have.
    MissingEdges,
    /// A method outside of quarantine whose outcomes are too bad for it.
    WeakMethod,
    /// A note of a role that waits for its reflection for too long.
    WaitingReflection,
    /// Both spellings of the curated memory are there.
    TwoMemories,
    /// A document is larger than what is read of it.
    OversizeDocument,
    /// A document that is read as text is not UTF-8.
    NotText,
    /// A fence, a comment or a section of a dream is not closed.
    BrokenFence,
    /// The lock of a dream that is over.
    StuckLock,
    /// The lock of another program or host.
    ForeignLock,
    /// A commit that a crash interrupted.
    UnfinishedDream,
    /// A file that a crash left.
    LeftoverFile,
    /// An entry of the quarantine names a journal that is gone.
    OrphanQuarantine,
    /// A proposal without its text, or a text without its entry.
    OrphanProposal,
    /// A journal that no dream will read.
    UnreadJournal,
    /// A document that no reader takes for a journal, by its name.
    UnknownJournal,
    /// A journal or a dream of a day that has not come.
    FutureDay,
    /// The last nights read journals, and kept nothing of them.
    NothingKept,
    /// A name that has no place in a workspace, and is never indexed.
    RefusedName,
    /// A name that says nothing of what the document holds.
    PoorName,
    /// Names that differ in case only.
    NameCollision,
    /// A copy that a tool left where two machines changed one file.
    ConflictCopy,
    /// Two versions of a document are between conflict marks.
    ConflictMarks,
    /// State files of a workspace in git that git does not ignore.
    MissingIgnoreLines,
    /// A workspace whose state travels in git, and that git would merge by lines.
    MissingMergeDriver,
    /// A merge by git that is not finished, in a repository that carries the state.
    OpenMerge,
    /// A place that could not be looked at.
    Unreadable,
}

/// The kinds, in the order in which they are told: each with its word and its meaning.
const KINDS: [(FindingKind, &str, &str); 39] = [
    (
        FindingKind::SecretAtRest,
        "secret_at_rest",
        "it holds a secret that anybody who reads the file can use",
    ),
    (
        FindingKind::OpenPermissions,
        "open_permissions",
        "other accounts of this machine can read or change it",
    ),
    (
        FindingKind::EmptiedStore,
        "emptied_store",
        "its last commit is missing: the file was emptied, cut short or replaced",
    ),
    (FindingKind::DamagedStore, "damaged_store", "the rows cannot be read as they were written"),
    (FindingKind::EmptiedState, "emptied_state", "the file is empty and was not so when it was last written"),
    (FindingKind::MissingState, "missing_state", "other files say that it was written, and it is gone"),
    (FindingKind::DamagedState, "damaged_state", "it is not as it was written"),
    (
        FindingKind::SetAside,
        "set_aside",
        "a state file stood so, could not be read whole, and was begun anew",
    ),
    (FindingKind::NewerVersion, "newer_version", "a newer version of this library wrote it"),
    (FindingKind::OlderSchema, "older_schema", "an older version of this library wrote it"),
    (FindingKind::DriftedIndex, "drifted_index", "searches miss rows, or find words that are gone"),
    (
        FindingKind::FailedEmbeddings,
        "failed_embeddings",
        "texts were sent to the embedder, and no vector came back",
    ),
    (
        FindingKind::WaitingEmbeddings,
        "waiting_embeddings",
        "texts have no vector yet, so a search finds them by their words alone",
    ),
    (
        FindingKind::MissingEdges,
        "missing_edges",
        "rows speak of entities to which no edge leads, so their surroundings are told in part",
    ),
    (
        FindingKind::WeakMethod,
        "weak_method",
        "its outcomes are below the threshold, and it is not in quarantine",
    ),
    (
        FindingKind::WaitingReflection,
        "waiting_reflection",
        "the note waits for its lesson for longer than its role may",
    ),
    (
        FindingKind::TwoMemories,
        "two_memories",
        "MEMORY.md and memory.md are both there, and only MEMORY.md is read",
    ),
    (
        FindingKind::OversizeDocument,
        "oversize_document",
        "only a part of it reaches a prompt, or none of it is read",
    ),
    (FindingKind::NotText, "not_text", "it is not UTF-8, so it is not read"),
    (
        FindingKind::BrokenFence,
        "broken_fence",
        "a fence or mark is open without its end, so what follows is misread",
    ),
    (FindingKind::StuckLock, "stuck_lock", "whoever wrote it is gone or is older than a dream may be"),
    (FindingKind::ForeignLock, "foreign_lock", "another host or program holds it, or left it"),
    (FindingKind::UnfinishedDream, "unfinished_dream", "a dream was interrupted while it wrote"),
    (FindingKind::LeftoverFile, "leftover_file", "a crash left a file that nobody finishes"),
    (FindingKind::OrphanQuarantine, "orphan_quarantine", "the journal that it names does not exist"),
    (FindingKind::OrphanProposal, "orphan_proposal", "its text or its entry in the list is missing"),
    (FindingKind::UnreadJournal, "unread_journal", "no dream will read it"),
    (
        FindingKind::UnknownJournal,
        "unknown_journal",
        "it looks like a journal, and no dream reads it under this name",
    ),
    (FindingKind::FutureDay, "future_day", "its day has not come yet"),
    (FindingKind::NothingKept, "nothing_kept", "the last nights kept nothing of the journals that they read"),
    (
        FindingKind::RefusedName,
        "refused_name",
        "its name or kind has no place in a workspace, so it is neither read nor searched",
    ),
    (
        FindingKind::PoorName,
        "poor_name",
        "its name says nothing of what it holds, and a search or an agent goes by names too",
    ),
    (
        FindingKind::NameCollision,
        "name_collision",
        "two names differ in case only, and are one file on other machines",
    ),
    (
        FindingKind::ConflictCopy,
        "conflict_copy",
        "two machines changed one file, and a tool kept both; this one is not read",
    ),
    (
        FindingKind::ConflictMarks,
        "conflict_marks",
        "two versions stand between the marks of a merge, and dreams wait",
    ),
    (
        FindingKind::MissingIgnoreLines,
        "missing_ignore_lines",
        "the workspace is in git, which would take in machine state",
    ),
    (
        FindingKind::MissingMergeDriver,
        "missing_merge_driver",
        "the state travels in git, which would merge these files line by line",
    ),
    (
        FindingKind::OpenMerge,
        "open_merge",
        "git is in the middle of a merge, and files may lack what the other side has",
    ),
    (FindingKind::Unreadable, "unreadable", "it could not be looked at"),
];

impl FindingKind {
    /// Returns the kinds, in the order in which they are told.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    /// Returns its word: `stuck_lock`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Returns its meaning, in a clause.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        KINDS[self as usize].2
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for FindingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own_word_in_its_place() {
        for (place, (kind, word, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, place, "{word}");
            assert_eq!(kind.to_string(), *word);
        }
        let words: std::collections::BTreeSet<&str> = FindingKind::all().map(FindingKind::as_str).collect();
        assert_eq!(words.len(), KINDS.len());
    }
}
