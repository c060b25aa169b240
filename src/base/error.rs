//! The one error type: a variant for everything that a caller would treat differently.

use std::fmt;
use std::io;

use crate::base::access::SessionKind;
use crate::base::document::{Document, FoundAt};
use crate::base::name::{Name, NameError};

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong, by what a caller can do about it.
///
/// No message holds text out of a document. Expected endings of a dream are no errors: they are
/// [`Outcome`](crate::Outcome)s.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is no document name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The operating system refused an operation.
    #[error("cannot {action} {path}")]
    Io {
        /// The attempted action, as a verb.
        action: &'static str,
        /// On what: a path inside the workspace.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// Bytes were handed to the operating system, which could not say that they are safe. They may or may
    /// not survive a power loss; the next claim finds out and finishes the commit.
    #[error("cannot tell whether {path} reached the disk")]
    DurabilityUnknown {
        /// The file or folder that could not be synced.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// The document is not as the writer saw it; nothing was written.
    #[error("{name} has changed since it was read")]
    Conflict {
        /// The document.
        name: Name,
        /// What stands there now; `None` where nothing does, or more than a whole read allows. Boxed: the rare
        /// case carries the bytes.
        current: Option<Box<Document>>,
    },
    /// No document has this name.
    #[error("{name} does not exist")]
    NotFound {
        /// The name that was looked for.
        name: Name,
    },
    /// Something stands at this name that is not a plain file or folder inside the workspace.
    #[error("{path} is refused: {reason}")]
    Refused {
        /// The path inside the workspace.
        path: String,
        /// What stands there instead.
        reason: Refusal,
    },
    /// A dream cannot be taken back, or brought back; nothing was changed.
    #[error("dream {dream} cannot be {attempt}: {reason} ({path})")]
    DreamStays {
        /// The id of the dream.
        dream: String,
        /// What was attempted: `taken back` or `brought back`.
        attempt: &'static str,
        /// What stands against it: a path inside the workspace.
        path: String,
        /// Why.
        reason: Refusal,
    },
    /// The document is not UTF-8; its bytes stay as they are.
    #[error("{name} is not UTF-8 after byte {valid_up_to}")]
    NotUtf8 {
        /// The document.
        name: Name,
        /// How many bytes at its front are.
        valid_up_to: usize,
    },
    /// The document is larger than a whole read allows; read a range of it.
    #[error("{name} has {len} bytes, more than {limit}")]
    TooLarge {
        /// The document.
        name: Name,
        /// Its length in bytes.
        len: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A state file does not parse, or a database is none of ours. Nothing is reset: a person mends or deletes it.
    #[error("{name} {}: {what}", unusable(*line, *column))]
    Corrupt {
        /// The file.
        name: String,
        /// The line, from 1; 0 where unknown.
        line: usize,
        /// The column, from 1; 0 where unknown.
        column: usize,
        /// What is wrong with it, without its text.
        what: &'static str,
    },
    /// A state file was written by a newer version of this library.
    #[error("{name} has version {found}; this library knows up to {known}")]
    NewerVersion {
        /// The file.
        name: String,
        /// The version found.
        found: u64,
        /// The newest version known.
        known: u64,
    },
    /// The lease is no longer this holder's; nothing was written.
    #[error("the lease was lost: {0}")]
    LeaseLost(LostBy),
    /// Another process held a short lock for longer than was waited.
    #[error("{path} stayed locked by another process")]
    Busy {
        /// The lock file.
        path: String,
    },
    /// The workspace lies on a network file system, where locks cannot be trusted.
    #[error("{path} lies on {file_system}, where locks cannot be trusted; dreaming stays off there")]
    NetworkFileSystem {
        /// The workspace's root.
        path: String,
        /// The kind of file system.
        file_system: &'static str,
    },
    /// A session may not do this to this document or row, for its kind, its actor, the source that it claims, or its
    /// scope; which of them is not said, nor whether the document exists.
    #[error("a {kind:?} session of this actor, source and scope may not do this to {name}")]
    Denied {
        /// The document.
        name: Name,
        /// The kind of the session.
        kind: SessionKind,
    },
    /// What was to be written holds a secret or an instruction that this document does not take in; nothing was
    /// written. The cure is to take it out, or to let it pass with [`Allow`](crate::gate::Allow); where it
    /// is `forgotten`, to lift that with [`Forget::lift`](crate::exchange::Forget::lift).
    #[error("{name} does not take in what was found: {}{}", told(classes, places), let_in(classes))]
    Stopped {
        /// The document.
        name: Name,
        /// What was found, by class, each once: `aws_access_key`, `override`.
        classes: Vec<String>,
        /// Where in the text that was to be written; the first twenty.
        places: Box<[FoundAt]>,
    },
    /// The workspace has neither `BOOTSTRAP.md` nor `SOUL.md`, and nothing may be seeded: a person must put one
    /// of them there.
    #[error("the workspace has neither BOOTSTRAP.md nor SOUL.md")]
    Uninitialized,
    /// The onboarding ended and `BOOTSTRAP.md` could not be taken away: the human must be told.
    #[error("BOOTSTRAP.md is still there after the onboarding")]
    BootstrapRemains {
        /// Why.
        source: Box<Error>,
    },
    /// A decision on a fact that a rule stands against; nothing was changed.
    #[error("{name} stays as it is: {rule}")]
    Undecided {
        /// The row.
        name: Name,
        /// The rule.
        rule: &'static str,
    },
    /// A decision on facts that a later one builds on; nothing was changed. [Revert](crate::facts::FactStore::revert) the later
    /// one first.
    #[error(
        "{name} stays as it is: decision {decision} builds on what is to be reverted; revert decision {decision} first"
    )]
    DecidedSince {
        /// The row that both decided on.
        name: Name,
        /// The id of the later decision, the latest where there are several.
        decision: i64,
    },
    /// A store lacks its last commit: its file was emptied, cut short, deleted, or replaced by an older one. Nothing was
    /// read or written. Put back a backup, or delete the mark to go on with what is there.
    #[error(
        "{name} lacks its last commit: it held {held} {of} and holds {found}; put back a backup, or delete {mark} to \
         go on with what is there"
    )]
    Shrunk {
        /// The file of the store.
        name: String,
        /// The file beside it that says what it held.
        mark: String,
        /// How much it held.
        held: u64,
        /// How much it holds.
        found: u64,
        /// The unit that is counted: `lines` or `changes`.
        of: &'static str,
    },
    /// No more files can be open at once. Raise the limit, or hold fewer workspaces and stores open.
    #[error("cannot {action} {path}: {limit}")]
    TooManyOpen {
        /// The attempted action, as a verb.
        action: &'static str,
        /// On what.
        path: String,
        /// Which limit was reached.
        limit: OpenLimit,
    },
    /// A database refused an operation.
    #[error("cannot {action} {path}")]
    Database {
        /// The attempted action, as a verb.
        action: &'static str,
        /// On what: a document and the database's file.
        path: String,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A setting is out of its bounds.
    #[error("{setting} {rule}")]
    Config {
        /// The setting or environment variable.
        setting: &'static str,
        /// The rule that its value breaks.
        rule: &'static str,
    },
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

/// What was found and where, or only what.
fn told(classes: &[String], places: &[FoundAt]) -> String {
    if places.is_empty() {
        return classes.join(", ");
    }
    places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// That a file does not serve, and where, as far as that is known.
fn unusable(line: usize, column: usize) -> String {
    match (line, column) {
        (0, _) => "cannot be used".to_owned(),
        (line, 0) => format!("is damaged at line {line}"),
        (line, column) => format!("is damaged at line {line}, column {column}"),
    }
}

/// What was forgotten is let in by no [`Allow`](crate::gate::Allow).
fn let_in(classes: &[String]) -> &'static str {
    if classes.iter().any(|class| class == "forgotten") {
        "; the human had it forgotten, and `Forget::lift` lets it in again"
    } else {
        ""
    }
}

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
    /// Nothing is kept any more of a dream that was taken back.
    NothingKept,
    /// The section holds what was forgotten since.
    Forgotten,
    /// It is a journal of the dream, which is gone or has another name.
    JournalGone,
    /// It is a journal of the dream, which changed where the dream had read it, or is no longer known.
    JournalChanged,
    /// It is a journal of the dream, which another dream has read since.
    ReadAgain,
    /// A line of the section was promoted by another dream since, or written by a person.
    SaidAgain,
    /// It holds the watermark of a peer, which the next dream takes in.
    PeerAhead,
    /// It belongs to another scope than it was opened for.
    OtherScope,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Symlink => "a symbolic link stands there",
            Self::NotAFile => "it is not a plain file",
            Self::NotAFolder => "it is not a folder",
            Self::NotEditable => "it is not edited whole",
            Self::Undreamed => "no dream has read it to its end",
            Self::Recent => "it is younger than seven days",
            Self::UnknownDream => "no such dream is known",
            Self::SectionEdited => "a person changed the section",
            Self::SectionGone => "the section is gone",
            Self::SectionArchived => "the section is in the archive",
            Self::NothingKept => "nothing of the dream is kept any more",
            Self::Forgotten => "the section holds what was forgotten",
            Self::JournalGone => "the journal is gone",
            Self::JournalChanged => "the journal changed where the dream had read it",
            Self::ReadAgain => "another dream has read the journal since",
            Self::SaidAgain => "a line of the section stands in memory by now",
            Self::PeerAhead => "a peer has dreamed since, and the next dream takes that in",
            Self::OtherScope => "it belongs to another scope",
        })
    }
}

impl std::error::Error for Refusal {}

/// How a lease was lost.
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
            Self::Epoch => "a later holder came",
            Self::Watermark => "a peer moved the watermark",
            Self::Deadline => "it was held for too long",
            Self::Poisoned => "an earlier write could not be made durable",
        })
    }
}

/// An error of a sync, inside an [`io::Error`] until its place is known.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unsynced(pub(crate) io::Error);

/// Adds the place to an error of the operating system.
pub(crate) trait At<T> {
    /// Says what was attempted (`"read"`) and on which path.
    fn at(self, action: &'static str, path: impl fmt::Display) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: impl fmt::Display) -> Result<T> {
        self.map_err(|source| {
            let path = path.to_string();
            if let Some(reason) = source.get_ref().and_then(|inner| inner.downcast_ref::<Refusal>()) {
                return Error::Refused { path, reason: *reason };
            }
            match source.downcast::<Unsynced>() {
                Ok(Unsynced(source)) => Error::DurabilityUnknown { path, source },
                Err(source) => match open_limit(&source) {
                    Some(limit) => Error::TooManyOpen { action, path, limit },
                    None => Error::Io { action, path, source },
                },
            }
        })
    }
}

/// The limit that an error of the operating system tells of, where it is one on open files.
pub(crate) fn open_limit(error: &io::Error) -> Option<OpenLimit> {
    #[cfg(unix)]
    {
        let errno = rustix::io::Errno::from_io_error(error)?;
        if errno == rustix::io::Errno::MFILE {
            let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
            return Some(OpenLimit::Process(limit.current));
        }
        (errno == rustix::io::Errno::NFILE).then_some(OpenLimit::System)
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        None
    }
}

/// Parses JSON of a state file; the error says where it breaks and never quotes it.
pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T> {
    // Some editors put a byte order mark in front.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| corrupt(name, &error))
}

/// Turns a JSON error into [`Error::Corrupt`] without the text that serde would quote.
pub(crate) fn corrupt(name: &str, error: &serde_json::Error) -> Error {
    let what = match error.classify() {
        serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Syntax => "it is not JSON",
        serde_json::error::Category::Data => "a value is missing or has another type",
        serde_json::error::Category::Io => "it could not be read",
    };
    Error::Corrupt { name: name.to_owned(), line: error.line(), column: error.column(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_forgotten_says_how_it_is_let_in_again() {
        let name = crate::base::name::StateName::new_row("memory").into();
        let stopped = |class: &str| Error::Stopped {
            name: Name::clone(&name),
            classes: vec![class.to_owned()],
            places: Box::default(),
        };
        assert_eq!(
            stopped("forgotten").to_string(),
            "a new memory does not take in what was found: forgotten; the human had it forgotten, and \
             `Forget::lift` lets it in again"
        );
        assert!(!stopped("jwt").to_string().contains("lift"));
    }

    #[test]
    fn a_damaged_state_file_is_named_and_never_quoted() {
        let error = parse_json::<u64>("state.json", b"\"sk-ant-secret\"").unwrap_err();
        assert_eq!(
            error.to_string(),
            "state.json is damaged at line 1, column 15: a value is missing or has another type"
        );
    }

    #[test]
    fn no_place_is_named_where_none_is_known() {
        let said = |line, column| {
            let name = "life.db".to_owned();
            Error::Corrupt { name, line, column, what: "it is a database of another program" }.to_string()
        };
        assert_eq!(said(0, 0), "life.db cannot be used: it is a database of another program");
        assert_eq!(said(7, 0), "life.db is damaged at line 7: it is a database of another program");
    }

    #[test]
    fn errors_can_cross_threads() {
        fn check<T: Send + Sync + 'static>() {}
        check::<Error>();
    }
}
