//! The one error type: a variant for everything that a caller would treat differently.

use std::io;

use super::reasons::{LostBy, OpenLimit, Refusal};
use crate::base::access::SessionKind;
use crate::base::document::{Document, FoundAt};
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::base::name_rules::NameError;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, by what a caller can do about it.
///
/// No message holds text out of a document. Expected endings of a dream are no errors: they are
/// [`Outcome`](crate::Outcome)s.
///
/// # Errors by their cure
///
/// Nothing was written, but for `DurabilityUnknown`, `BootstrapRemains`, and `Io` or `Database` in the middle of several writes.
///
/// | Variants | Does the same call help later? | Who acts, and how |
/// |---|---|---|
/// | `Busy`, `Unavailable` | yes: [`is_retryable`](Self::is_retryable) | nobody: wait some seconds, and call again |
/// | `LeaseLost` | no | the host: claim anew; `dream_once` does |
/// | `Conflict` | no | the host: read again, apply the change to that text, write by its revision |
/// | `DurabilityUnknown` | a dream, yes; an append would write twice | the host: read what is there; a person looks at the disk |
/// | `Io`, `Database`, `TooManyOpen` | once the cause is gone | a person: disk, rights, limits; the source says more |
/// | `Name`, `Config`, `NotUtf8`, `TooLarge`, `Refused`, `Denied` | no | the programmer: another name, setting, range or [`Access`](crate::Access) |
/// | `NotFound`, `ArtifactNotFound`, `ArtifactEnded`, `QuotaReached` | no | the host or the model: take another one, or delete some |
/// | `Undecided`, `DecidedSince`, `ValueStands` | no | the human: another decision; the message names the row |
/// | `Stopped` | no | the writer: take the words out; or a person allows them |
/// | `DreamStays` | no | the human: the reason and the [table of undo](crate::manual::night#undo-and-redo) say what to do |
/// | `Unmerged` | no | a person: remove the conflict marks |
/// | `Uninitialized`, `BootstrapRemains` | no | a person: create or move the file in the message |
/// | `Corrupt`, `Shrunk`, `CopyWaits` | no | a person: `noctuary doctor` and the message; nothing is reset |
/// | `NewerVersion`, `NetworkFileSystem` | no | a person: update the library, or move to a local disk |
///
/// ```
/// use noctuary::{Error, Result};
///
/// fn next_step<T>(result: Result<T>) -> &'static str {
///     match result {
///         Ok(_) => "go on",
///         Err(error) if error.is_retryable() => "call again in a minute",
///         Err(Error::Conflict { .. }) => "read again, and write by the new revision",
///         Err(_) => "tell a person: print the error and its sources",
///     }
/// }
/// # assert_eq!(next_step::<()>(Err(Error::Busy { path: "life.db".to_owned() })), "call again in a minute");
/// # assert_eq!(next_step::<()>(Err(Error::Uninitialized)), "tell a person: print the error and its sources");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is no document name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The operating system refused an operation.
    #[error("cannot {action} {path}{}", where_missing(action, source))]
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
    #[error("cannot sync {path}: its last change may not survive a power loss")]
    DurabilityUnknown {
        /// The file or folder that could not be synced.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// The document is not as the writer saw it; nothing was written.
    #[error("cannot write {name}: it has changed since it was read; read it again")]
    Conflict {
        /// The document.
        name: Name,
        /// The document that is there now; `None` where there is none, or a larger one than a whole read allows. Boxed: the rare
        /// case carries the bytes.
        current: Option<Box<Document>>,
    },
    /// Two versions of a text are between conflict marks (`<<<<<<<`, `=======`, `>>>>>>>`), and a person has to choose.
    /// No model was asked and nothing was written.
    #[error(
        "cannot dream over {name}: two versions stand between the conflict marks at line {line}; keep what is right, and remove the marks"
    )]
    Unmerged {
        /// The document.
        name: Name,
        /// The line of the first mark, from 1.
        line: usize,
    },
    /// No document has this name.
    #[error("{name} does not exist")]
    NotFound {
        /// The name that was looked for.
        name: Name,
    },
    /// Something is at this name that is not a plain file or folder inside the workspace.
    #[error("cannot use {path}: {reason}")]
    Refused {
        /// The path inside the workspace.
        path: String,
        /// The reason.
        reason: Refusal,
    },
    /// A dream cannot be taken back, or brought back; nothing was changed.
    #[error("dream {dream} cannot be {attempt}: {reason} ({path})")]
    DreamStays {
        /// The id of the dream.
        dream: String,
        /// The attempt: `taken back` or `brought back`.
        attempt: &'static str,
        /// The file that prevents it: a path inside the workspace.
        path: String,
        /// Why.
        reason: Refusal,
    },
    /// The document is not UTF-8; its bytes stay as they are.
    #[error("cannot read {name} as text: it is not UTF-8 after byte {valid_up_to}")]
    NotUtf8 {
        /// The document.
        name: Name,
        /// The number of bytes at its front that are.
        valid_up_to: usize,
    },
    /// The document is larger than a whole read allows; read a range of it.
    #[error("cannot read or write {name} whole: it has {len} bytes, and at most {limit} are allowed")]
    TooLarge {
        /// The document.
        name: Name,
        /// Its length in bytes.
        len: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A state file does not parse, or a database is none of ours. Nothing is reset: a person mends or deletes it.
    #[error("cannot use {name}{}: {what}", damage(*line, *column))]
    Corrupt {
        /// The file.
        name: String,
        /// The line, from 1; 0 where unknown.
        line: usize,
        /// The column, from 1; 0 where unknown.
        column: usize,
        /// The fault, without the text.
        what: &'static str,
    },
    /// A state file was written by a newer version of this library.
    #[error(
        "cannot read {name}: it has version {found}, and this library knows up to {known}; update the library"
    )]
    NewerVersion {
        /// The file.
        name: String,
        /// The version found.
        found: u64,
        /// The newest version known.
        known: u64,
    },
    /// The lease is no longer this holder's; nothing was written.
    #[error("cannot write: the lease was lost, since {0}")]
    LeaseLost(LostBy),
    /// Another process held a short lock for longer than was waited.
    #[error("cannot lock {path}: another process holds the lock; try again")]
    Busy {
        /// The lock file.
        path: String,
    },
    /// A database server was not reached, or ended the connection; nothing was written. Try again later.
    #[error(
        "cannot reach {path}: the database server does not answer, or has no room for another connection; try again later"
    )]
    Unavailable {
        /// On what: a document and the server.
        path: String,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The workspace lies on a network file system, where locks cannot be trusted.
    #[error(
        "cannot claim {path}: it is on {file_system}, where locks cannot be trusted; move it to a local disk"
    )]
    NetworkFileSystem {
        /// The workspace's root.
        path: String,
        /// The kind of file system.
        file_system: &'static str,
    },
    /// A session may not do this to this document or row. The reason is its kind, actor, claimed source or scope. It
    /// does not say which, nor whether the document exists.
    #[error("cannot access {name}: denied for this {kind:?} session, its actor, source or scope")]
    Denied {
        /// The document.
        name: Name,
        /// The kind of the session.
        kind: SessionKind,
    },
    /// The text to be written holds a secret or an instruction that this document does not take in; nothing was
    /// written. The cure is to take it out, or to let it pass with [`Allow`](crate::gate::Allow). Where it is
    /// `forgotten`, lift that with [`Forget::lift`](crate::exchange::Forget::lift).
    #[error("cannot write {name}: contains {}; {}", told(classes, places), remedy(classes))]
    Stopped {
        /// The document.
        name: Name,
        /// The classes of the findings, each once: `aws_access_key`, `override`.
        classes: Vec<String>,
        /// Places in the text that was to be written; the first twenty.
        places: Box<[FoundAt]>,
    },
    /// The workspace has neither `BOOTSTRAP.md` nor `SOUL.md`, and nothing may be seeded: a person must put one
    /// of them there. A group has those of its life: [boot](crate::Life::boot) the life first.
    #[error(
        "cannot start: the workspace has neither BOOTSTRAP.md nor SOUL.md; create one of them, or boot the life that a group is of"
    )]
    Uninitialized,
    /// The onboarding ended and `BOOTSTRAP.md` could not be taken away: the human must be told.
    #[error("cannot put BOOTSTRAP.md away after the onboarding; move or delete it by hand")]
    BootstrapRemains {
        /// Why.
        source: Box<Error>,
    },
    /// A decision on a fact that a rule is against; nothing was changed.
    #[error("cannot decide on {name}: {rule}")]
    Undecided {
        /// The row.
        name: Name,
        /// The rule.
        rule: &'static str,
    },
    /// A decision on facts that a later one builds on; nothing was changed. [Revert](crate::facts::FactStore::revert) the later
    /// one first.
    #[error(
        "cannot revert a decision on {name}: decision {decision} builds on it; revert decision {decision} first"
    )]
    DecidedSince {
        /// The row that both decided on.
        name: Name,
        /// The id of the later decision, the latest where there are several.
        decision: i64,
    },
    /// A deleted value of a property is not restored beside another value that counts now; nothing was changed.
    /// [Delete](crate::MemoryStore::delete) that one first, or [correct](crate::facts::FactStore::correct) it.
    #[error("cannot restore {name}: {value} says the same property now; delete {value} first, or correct it")]
    ValueStands {
        /// The deleted row.
        name: Name,
        /// The row with the value that counts.
        value: Name,
    },
    /// A store lacks its last commit: its file was emptied, cut short, deleted, or replaced by an older one. Nothing was
    /// read or written. Put back a backup, or delete the mark to go on with the present content.
    #[error(
        "cannot use {name}: its last commit is missing, it held {held} {of} and holds {found}; put back a backup, or \
         delete {mark} to go on without the missing {of}"
    )]
    Shrunk {
        /// The file of the store.
        name: String,
        /// The file beside it that says what it held.
        mark: String,
        /// The number that it held.
        held: u64,
        /// The number that it holds.
        found: u64,
        /// The unit that is counted: `lines` or `changes`.
        of: &'static str,
    },
    /// A sync tool kept another machine's version of a store, and left this machine's beside it. Nothing was read or written, and
    /// nothing is missing: merge the copy.
    #[error(
        "cannot use {name}: two machines changed it, and a sync tool left a copy, {copy}; run `noctuary merge-copies` (or call \
         `merge_copies`), which keeps what each of them has"
    )]
    CopyWaits {
        /// The file of the store.
        name: String,
        /// The copy beside it.
        copy: String,
    },
    /// No more files can be open at once. Raise the limit, or hold fewer workspaces and stores open.
    #[error("cannot {action} {path}: {limit}")]
    TooManyOpen {
        /// The attempted action, as a verb.
        action: &'static str,
        /// On what.
        path: String,
        /// The limit that was reached.
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
    /// No artifact that this session may read has this reference. A model can act on the hint.
    #[error("there is no artifact {artifact}: {hint}")]
    ArtifactNotFound {
        /// The id or reference, cut at 80 bytes, with characters that do not print replaced.
        artifact: String,
        /// The way to one that exists.
        hint: &'static str,
    },
    /// An artifact has ended already; nothing was changed.
    #[error("cannot end artifact {artifact}: it is {status} already; begin another one")]
    ArtifactEnded {
        /// Its id.
        artifact: String,
        /// Its status: `completed` or `error`.
        status: &'static str,
    },
    /// A scope has as much as it may keep; nothing was written.
    #[error("cannot keep more {what}: the quota of {limit} is reached; delete some first")]
    QuotaReached {
        /// The things that are counted.
        what: &'static str,
        /// The quota.
        limit: u64,
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

impl Error {
    /// Returns whether the same call may succeed a little later, without anybody's doing: another process held a lock, or a server did
    /// not answer. Nothing was written. For the others, see [errors by their cure](Self#errors-by-their-cure).
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Unavailable { .. })
    }

    /// Returns its kind in one word, as a span has it in `error.type`: what a caller may sort by. Its message names paths, and documents
    /// name people.
    ///
    /// ```
    /// use noctuary::{DocName, Error};
    ///
    /// let error: Error = DocName::parse("../elsewhere.md").unwrap_err().into();
    /// assert_eq!(error.kind(), "name");
    /// ```
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Io { .. } => "io",
            Self::DurabilityUnknown { .. } => "durability_unknown",
            Self::Conflict { .. } => "conflict",
            Self::Unmerged { .. } => "unmerged",
            Self::NotFound { .. } => "not_found",
            Self::Refused { .. } | Self::DreamStays { .. } => "refused",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::TooLarge { .. } => "too_large",
            Self::Corrupt { .. } => "corrupt",
            Self::NewerVersion { .. } => "newer_version",
            Self::LeaseLost(_) => "lease_lost",
            Self::Busy { .. } => "busy",
            Self::Unavailable { .. } => "unavailable",
            Self::NetworkFileSystem { .. } => "network_file_system",
            Self::Denied { .. } => "denied",
            Self::Stopped { .. } => "stopped",
            Self::Uninitialized => "uninitialized",
            Self::BootstrapRemains { .. } => "bootstrap_remains",
            Self::Undecided { .. } | Self::DecidedSince { .. } => "undecided",
            Self::ValueStands { .. } => "value_stands",
            Self::Shrunk { .. } => "shrunk",
            Self::CopyWaits { .. } => "copy_waits",
            Self::TooManyOpen { .. } => "too_many_open",
            Self::Database { .. } => "database",
            Self::ArtifactNotFound { .. } => "artifact_not_found",
            Self::ArtifactEnded { .. } => "artifact_ended",
            Self::QuotaReached { .. } => "quota_reached",
            Self::Config { .. } => "config",
        }
    }
}

/// Prints the findings with their places, or their classes alone.
fn told(classes: &[String], places: &[FoundAt]) -> String {
    if places.is_empty() {
        return classes.join(", ");
    }
    places.iter().map(ToString::to_string).gather().join(", ")
}

/// Prints the damaged place of a file, if it is known.
fn damage(line: usize, column: usize) -> String {
    match (line, column) {
        (0, _) => String::new(),
        (line, 0) => format!(", damaged at line {line}"),
        (line, column) => format!(", damaged at line {line}, column {column}"),
    }
}

/// Returns the remedy for a stopped text. No [`Allow`](crate::gate::Allow) permits forgotten words.
fn remedy(classes: &[String]) -> &'static str {
    if classes.iter().any(|class| class == "forgotten") {
        "the human had this forgotten: remove it, or permit it again with `Forget::lift`"
    } else {
        "remove it, or add it to the allow-list"
    }
}

/// Refuses a configuration by the first of its rules that is broken: whether it is, the setting, and the rule.
pub(crate) fn check_rules(rules: &[(bool, &'static str, &'static str)]) -> Result<()> {
    match rules.iter().find(|(is_broken, ..)| *is_broken) {
        Some((_, setting, rule)) => Err(Error::Config { setting, rule }),
        None => Ok(()),
    }
}

/// Says what to do where a folder that is to be opened does not exist.
fn where_missing(action: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound if action == "open" => ": it does not exist; create the folder first",
        _ => "",
    }
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
            "cannot write a new memory: contains forgotten; the human had this forgotten: remove it, or permit it \
             again with `Forget::lift`"
        );
        assert!(!stopped("jwt").to_string().contains("lift"));
    }

    #[test]
    fn no_place_is_named_where_none_is_known() {
        let said = |line, column| {
            let name = "life.db".to_owned();
            Error::Corrupt { name, line, column, what: "it is a database of another program" }.to_string()
        };
        assert_eq!(said(0, 0), "cannot use life.db: it is a database of another program");
        assert_eq!(said(7, 0), "cannot use life.db, damaged at line 7: it is a database of another program");
    }

    #[test]
    fn errors_can_cross_threads() {
        fn check<T: Send + Sync + 'static>() {}
        check::<Error>();
    }
}
