//! Reasons that errors carry: why a path is refused, how a lease was lost, which limit was reached.

use std::fmt;

/// Why a path is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It, or a folder above it, is a symbolic link below the root.
    Symlink,
    /// A file was expected.
    NotAFile,
    /// A folder was expected.
    NotAFolder,
    /// It is not one of the documents that are edited whole.
    NotEditable,
    /// It is a journal that no dream has read to its end.
    Undreamed,
    /// It is a journal of the last seven days.
    Recent,
    /// The log knows of no such dream.
    UnknownDream,
    /// A person changed the section of the dream.
    SectionEdited,
    /// The section of the dream was taken out.
    SectionGone,
    /// The section of the dream was moved there to keep `MEMORY.md` within its budget.
    SectionArchived,
    /// Nothing is kept of the undone dream.
    NothingKept,
    /// The section holds what was forgotten since.
    Forgotten,
    /// It is a journal of the dream, which is gone or has another name.
    JournalGone,
    /// It is a journal of the dream, which changed where the dream had read it, or is no longer known.
    JournalChanged,
    /// It is a journal of the dream, which another dream has read since.
    ReadAgain,
    /// It is a journal of the dream, which was given back and waits for the next dream.
    GivenBack,
    /// A line of the section was promoted by another dream since, or written by a person.
    SaidAgain,
    /// It holds the watermark of a peer, which the next dream takes in.
    PeerAhead,
    /// It belongs to another scope than it was opened for.
    OtherScope,
    /// It holds files already, and must be empty.
    NotEmpty,
    /// It is inside a folder whose files a model may read.
    InSandbox,
    /// It is a sleep that was interrupted, and this build lacks the feature `sleep`, which finishes it.
    AsleepHalfway,
    /// It is a database that this key does not open: it was made with another key, or with none.
    WrongKey,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Symlink => "it is a symbolic link, or is below one",
            Self::NotAFile => "it is not a plain file",
            Self::NotAFolder => "it is not a folder",
            Self::NotEditable => "it is not a document that is edited whole",
            Self::Undreamed => "no dream has read it to its end",
            Self::Recent => "it is younger than seven days",
            Self::UnknownDream => "no such dream is known",
            Self::SectionEdited => "a person changed the section",
            Self::SectionGone => "the section is missing",
            Self::SectionArchived => "the section is in the archive",
            Self::NothingKept => "its section is no longer kept",
            Self::Forgotten => "the section holds forgotten text",
            Self::JournalGone => "the journal is missing",
            Self::JournalChanged => "the journal changed in the part that the dream had read",
            Self::ReadAgain => "another dream has read the journal since",
            Self::GivenBack => "the journal was given back, and waits for the next dream",
            Self::SaidAgain => "a line of the section is in memory already",
            Self::PeerAhead => "a peer has dreamed since; run a dream first",
            Self::OtherScope => "it belongs to another user or agent than the named one; what the command made without --user belongs to `user`",
            Self::NotEmpty => "it is not empty",
            Self::InSandbox => "it is inside a folder whose files a model may read",
            Self::WrongKey => {
                "the key does not open it: it was made with another one or with none, or its first page is damaged"
            }
            Self::AsleepHalfway => {
                "it is a sleep that was interrupted: finish it with a build that has the feature `sleep`, or with `noctuary merge-copies`"
            }
        })
    }
}

impl std::error::Error for Refusal {}

/// The way in which a lease was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LostBy {
    /// The lock was taken over or deleted.
    Token,
    /// The guard was replaced or deleted.
    Guard,
    /// A later holder came.
    Epoch,
    /// A peer moved the watermark meanwhile.
    Watermark,
    /// It was held for longer than the holder allows itself.
    Deadline,
    /// An earlier write could not be made durable.
    Poisoned,
}

impl fmt::Display for LostBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token => "its lock was taken over or deleted",
            Self::Guard => "its guard was replaced or deleted",
            Self::Epoch => "a later holder took it",
            Self::Watermark => "a peer moved the watermark",
            Self::Deadline => "it was held for too long",
            Self::Poisoned => "an earlier write could not be made durable",
        })
    }
}

/// A limit on how many files are open at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenLimit {
    /// The limit of this process, `RLIMIT_NOFILE`; the number where the system tells it.
    Process(Option<u64>),
    /// The limit of the whole system.
    System,
}

impl fmt::Display for OpenLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(Some(most)) => write!(
                f,
                "this process has as many files open as it may, {most}; raise RLIMIT_NOFILE (`ulimit -n`) or close some"
            ),
            Self::Process(None) => {
                f.write_str("this process has as many files open as it may; raise the limit or close some")
            }
            Self::System => f.write_str("the system has as many files open as it may (`fs.file-max`)"),
        }
    }
}
