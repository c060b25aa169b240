//! A finding: what it is, where, and what to do.

use std::fmt;

use serde::{Serialize, Serializer};

/// A thing that an operator should look at.
///
/// As JSON it has three keys: `{"finding":"stuck_lock","where":".dreaming.lock","fix":"…"}`. It never holds the words of a
/// document or a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    #[serde(rename = "finding")]
    pub kind: FindingKind,
    /// The place: a document, a state file, a row.
    #[serde(rename = "where")]
    pub place: String,
    /// The remedy, in a sentence.
    pub fix: String,
}

impl Finding {
    pub(crate) fn new(kind: FindingKind, place: impl fmt::Display, fix: impl Into<String>) -> Self {
        Self { kind, place: place.to_string(), fix: fix.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}: {}; {}", self.kind, self.place, self.kind.meaning(), self.fix)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $word:literal $meaning:literal;)*) => {
        /// The kinds of findings. Prints as the word of the JSON: `stuck_lock`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[$doc])* $name,)*
        }

        impl FindingKind {
            /// The kinds, in the order in which they are told.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns its word: `stuck_lock`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns what it means, in a clause.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }
        }
    };
}

kinds! {
    /// A secret is in a document or a row.
    SecretAtRest "secret_at_rest" "it holds a secret that anybody who reads the file can use";
    /// A state file or document can be read or written by others on this machine.
    OpenPermissions "open_permissions" "other accounts of this machine can read or change it";
    /// A store lacks its last commit.
    EmptiedStore "emptied_store" "its last commit is missing: the file was emptied, cut short or replaced";
    /// A store cannot be read.
    DamagedStore "damaged_store" "the rows cannot be read as they were written";
    /// A state file is empty, which the library never writes.
    EmptiedState "emptied_state" "the file is empty and was not so when it was last written";
    /// A state file is missing that its neighbours tell of.
    MissingState "missing_state" "other files say that it was written, and it is gone";
    /// A state file does not parse, or its checksum does not fit.
    DamagedState "damaged_state" "it is not as it was written";
    /// A file of a newer version of this library.
    NewerVersion "newer_version" "a newer version of this library wrote it";
    /// A database of an older version of this library.
    OlderSchema "older_schema" "an older version of this library wrote it";
    /// The index of a store does not say what its rows say.
    DriftedIndex "drifted_index" "searches miss rows, or find words that are gone";
    /// Rows whose vectors could not be made.
    FailedEmbeddings "failed_embeddings" "rows were sent to the embedder, and no vector came back";
    /// Both spellings of the curated memory are there.
    TwoMemories "two_memories" "MEMORY.md and memory.md are both there, and only MEMORY.md is read";
    /// A document is larger than what is read of it.
    OversizeDocument "oversize_document" "only a part of it reaches a prompt, or none of it is read";
    /// A document that is read as text is not UTF-8.
    NotText "not_text" "it is not UTF-8, so it is not read";
    /// A fence, a comment or a section of a dream is not closed.
    BrokenFence "broken_fence" "a fence or mark is open without its end, so what follows is misread";
    /// The lock of a dream that is over.
    StuckLock "stuck_lock" "whoever wrote it is gone or is older than a dream may be";
    /// The lock of another program or host.
    ForeignLock "foreign_lock" "another host or program holds it, or left it";
    /// A commit that a crash interrupted.
    UnfinishedDream "unfinished_dream" "a dream was interrupted while it wrote";
    /// A file that a crash left.
    LeftoverFile "leftover_file" "a crash left a file that nobody finishes";
    /// An entry of the quarantine names a journal that is gone.
    OrphanQuarantine "orphan_quarantine" "the journal that it names does not exist";
    /// A proposal without its text, or a text without its entry.
    OrphanProposal "orphan_proposal" "its text or its entry in the list is missing";
    /// A journal that no dream will read.
    UnreadJournal "unread_journal" "no dream will read it";
    /// A name that has no place in a workspace, and is never indexed.
    RefusedName "refused_name" "its name or kind has no place in a workspace, so it is neither read nor searched";
    /// Names that differ in case only.
    NameCollision "name_collision" "two names differ in case only, and are one file on other machines";
    /// State files of a workspace in git that git does not ignore.
    MissingIgnoreLines "missing_ignore_lines" "the workspace is in git, which would take in machine state";
    /// A place that could not be looked at.
    Unreadable "unreadable" "it could not be looked at";
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
