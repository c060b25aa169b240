//! The contract of a workspace: documents under validated names, and a lease over them.
//!
//! A `Workspace` is the operator's own, unguarded capability. What reaches a session goes through a view
//! that states its [`Access`](crate::Access).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::access::{Access, Scope};
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::text;

/// The largest document that [`Workspace::read`] returns whole, in bytes: 64 MiB.
pub const MAX_DOCUMENT: u64 = 64 << 20;

/// Documents and state files under validated names.
///
/// Every verb takes a [`Name`]: a [`DocName`] and a [`StateName`](crate::workspace::StateName) dereference to it.
/// Verbs block; an async host calls them on a thread that may.
///
/// ```
/// use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let journal = DocName::parse("memory/2026-11-21.md")?;
/// workspace.append(&journal, b"- met Ilya\n")?;
/// let seen = workspace.read(&journal)?.expect("it was just written").revision();
/// workspace.write(&journal, b"- met Ilya, who sails\n", WriteMode::IfRevision(seen))?;
/// assert_eq!(workspace.list(Some(&DocName::JOURNALS))?.documents, [journal]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Workspace: Debug + Send + Sync {
    /// Says where it is, for messages and reports: a path.
    fn location(&self) -> String;

    /// Says whose life it holds, always the same; whatever takes an [`Access`] refuses any other scope then.
    ///
    /// As provided it is `None`, which is right where whoever opened it knows, as for a folder. A workspace around
    /// another one answers as that does.
    fn scope(&self) -> Option<&Scope> {
        None
    }

    /// Says which documents are looked for where nobody names them: by a [sync](crate::life::Indexed::sync), and by a list of all
    /// folders. A document that is named is found wherever it is.
    ///
    /// As provided it is everything, which is right where nothing but a life is kept. A workspace around another one
    /// answers as that does.
    fn reach(&self) -> Reach {
        Reach::everything()
    }

    /// Lists a folder, the root where `folder` is `None`: names only, nothing is opened. A folder that does
    /// not exist is empty. Names come in ascending order; dot names are left out, but for
    /// [`.self`](DocName::DOT_SELF).
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where the folder is a file or a symbolic link.
    fn list(&self, folder: Option<&DocName>) -> Result<Listing>;

    /// Returns length and time of change, without reading content; `None` where nothing has this name.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where it is no plain file.
    fn metadata(&self, name: &Name) -> Result<Option<Metadata>>;

    /// Looks at many documents: what [`metadata`](Self::metadata) says of each, in the order of `names`.
    ///
    /// The survey of a dream asks for all journals of its window at once. As provided it looks at one after
    /// the other; a backend that can answer for a whole folder together is faster.
    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        names.iter().map(|name| self.metadata(name)).collect()
    }

    /// Reads a document whole; `None` where nothing has this name.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] above [`MAX_DOCUMENT`], [`Error::Refused`] where it is no plain file.
    fn read(&self, name: &Name) -> Result<Option<Document>>;

    /// Reads the bytes of `range` that exist; empty where nothing has this name. Uses memory for the range only.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for a range above [`MAX_DOCUMENT`], [`Error::Refused`] where it is no plain file.
    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>>;

    /// Replaces or creates a document, whole or not at all; no reader sees a part of it.
    ///
    /// When it returns, the bytes survive a power loss. An `IfRevision` or `Replace` whose content already
    /// stands there succeeds and writes nothing, so two writers of the same bytes both succeed; a `Create` of an
    /// existing name does not. Permissions of an existing document are kept.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] with what stands there instead; nothing was written.
    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision>;

    /// Adds bytes at the end, on a line of their own, and creates the document where it is missing. What stands there
    /// is never rewritten, also not by a failing append, which may leave a part of `bytes` at the end.
    ///
    /// A line break is added first where the document does not end in one and `bytes` do not begin with one. Look and
    /// write are one critical section. So no append goes on in a line that somebody else left without its end: a
    /// torn one, one of an editor, one that the caller may not read. Empty `bytes` add nothing.
    ///
    /// When it returns, the bytes survive a power loss. Appends of several processes follow one another.
    ///
    /// # Errors
    ///
    /// [`Error::DurabilityUnknown`] where the bytes were written and could not be synced.
    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()>;

    /// Removes a document; `false` where there was none.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where it is no plain file.
    fn remove(&self, name: &Name) -> Result<bool>;

    /// Gives a document another name.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], or [`Error::Conflict`] where `to` exists already.
    fn rename(&self, from: &Name, to: &Name) -> Result<()>;

    /// Takes back what the workspace itself keeps of earlier versions of documents, where `holds` says yes to name and
    /// bytes; returns how many it took back. For what is forgotten or deleted for good: it must not live on there.
    ///
    /// As provided it does nothing, which is right where nothing of the kind is kept.
    ///
    /// # Errors
    ///
    /// Those of reading and removing; some may be gone already then.
    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        let _ = holds;
        Ok(0)
    }

    /// Claims the workspace for one dream at a time on this host, and for peers that know only the seed's
    /// lock file. Does not wait for a holder.
    ///
    /// # Errors
    ///
    /// [`Error::NetworkFileSystem`] where locks cannot be trusted.
    fn claim(&self, terms: &ClaimTerms) -> Result<Claim>;
}

macro_rules! forward {
    ($($type:ty),*) => {$(
        #[deny(clippy::missing_trait_methods)]
        impl<W: Workspace + ?Sized> Workspace for $type {
            fn location(&self) -> String {
                (**self).location()
            }
            fn scope(&self) -> Option<&Scope> {
                (**self).scope()
            }
            fn reach(&self) -> Reach {
                (**self).reach()
            }
            fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
                (**self).list(folder)
            }
            fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
                (**self).metadata(name)
            }
            fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
                (**self).metadata_of(names)
            }
            fn read(&self, name: &Name) -> Result<Option<Document>> {
                (**self).read(name)
            }
            fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
                (**self).read_range(name, range)
            }
            fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
                (**self).write(name, bytes, mode)
            }
            fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
                (**self).append(name, bytes)
            }
            fn remove(&self, name: &Name) -> Result<bool> {
                (**self).remove(name)
            }
            fn rename(&self, from: &Name, to: &Name) -> Result<()> {
                (**self).rename(from, to)
            }
            fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
                (**self).drop_versions(holds)
            }
            fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
                (**self).claim(terms)
            }
        }
    )*};
}
forward!(&W, Box<W>, Arc<W>);

/// Returns the line break that an append of `bytes` needs in front, where the document ends in the byte `last`.
pub(crate) fn line_break_before(last: Option<u8>, bytes: &[u8]) -> &'static [u8] {
    let begins_a_line = last.is_none_or(|last| last == b'\n');
    let ends_the_last = bytes.is_empty() || bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n");
    if begins_a_line || ends_the_last { b"" } else { b"\n" }
}

/// Whether an access is to the life that a workspace holds, as far as that knows whose it is.
pub(crate) fn is_of<W: Workspace + ?Sized>(workspace: &W, scope: &Scope) -> bool {
    workspace.scope().is_none_or(|own| own == scope)
}

/// Refuses an access of another scope than the workspace's to `name`, before anything is read.
pub(crate) fn check_scope<W: Workspace + ?Sized>(
    workspace: &W,
    access: &Access,
    name: impl Into<Name>,
) -> Result<()> {
    if is_of(workspace, &access.scope) {
        return Ok(());
    }
    Err(Error::Denied { name: name.into(), kind: access.kind })
}

/// What every workspace can do by the verbs of [`Workspace`].
pub trait WorkspaceExt: Workspace {
    /// Reads a document as text, without a byte order mark; `None` where nothing has this name.
    ///
    /// ```
    /// use noctuary::workspace::WorkspaceExt;
    /// use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = FileWorkspace::open(folder.path())?;
    /// workspace.write(&DocName::MEMORY, "\u{feff}# Memory\r\n".as_bytes(), WriteMode::Create)?;
    /// assert_eq!(workspace.read_text(&DocName::MEMORY)?.as_deref(), Some("# Memory\r\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotUtf8`] where it is not text, and those of [`Workspace::read`].
    fn read_text(&self, name: &Name) -> Result<Option<String>> {
        let Some(document) = self.read(name)? else { return Ok(None) };
        let text = String::from_utf8(document.into_bytes()).map_err(|error| Error::NotUtf8 {
            name: name.clone(),
            valid_up_to: error.utf8_error().valid_up_to(),
        })?;
        Ok(Some(match text.strip_prefix(text::BOM) {
            Some(rest) => rest.to_owned(),
            None => text,
        }))
    }

    /// Reads at most the last `max` bytes as text, in memory for those alone. Never splits a character;
    /// bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    ///
    /// Those of [`Workspace::read_range`].
    fn read_tail(&self, name: &Name, max: u64) -> Result<Tail> {
        let len = self.metadata(name)?.map_or(0, |metadata| metadata.len);
        let start = len.saturating_sub(max);
        let bytes = self.read_range(name, start..len)?;
        let skip = if start == 0 { 0 } else { text::leading_continuation(&bytes) };
        let cut = bytes.len().saturating_sub(text::trailing_fragment(&bytes));
        let text = String::from_utf8_lossy(bytes.get(skip..cut).unwrap_or_default()).into_owned();
        Ok(Tail { start: start + skip as u64, text })
    }
}

impl<W: Workspace + ?Sized> WorkspaceExt for W {}

/// The end of a document, read by [`WorkspaceExt::read_tail`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tail {
    /// The byte offset at which `text` begins.
    pub start: u64,
    /// The text from there to the last whole character.
    pub text: String,
}

impl Debug for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tail {{ start: {}, bytes: {} }}", self.start, self.text.len())
    }
}

/// The documents of a workspace that are looked for where nobody names them; see [`Workspace::reach`].
///
/// A folder of files may be an agent's home or the folder of a project, with thousands of files that are nobody's memory.
/// So [`FileWorkspace`](crate::FileWorkspace) looks for its [`own`](Self::own) documents, and for those that the host
/// declares. In folders that are not its own, what a `.gitignore` or `.ignore` file names is passed over, but for a name that
/// is declared itself.
///
/// ```
/// use noctuary::workspace::Reach;
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let reach = Reach::own().and(DocName::parse("context")?).and(DocName::parse("README.md")?);
/// let workspace = FileWorkspace::open(folder.path())?.reaching(reach);
/// let (plan, source) = (DocName::parse("context/plan.md")?, DocName::parse("src/main.rs")?);
/// assert!(workspace.reach().includes(&plan) && !workspace.reach().includes(&source));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// `None` for everything.
    declared: Option<BTreeSet<DocName>>,
}

impl Reach {
    /// The root files that this library knows, and all of `memory/`, `daily/`, `self/` and `.self/`.
    #[must_use]
    pub fn own() -> Self {
        Self { declared: Some(BTreeSet::new()) }
    }

    /// Every document. Only what ignore files name is passed over.
    #[must_use]
    pub fn everything() -> Self {
        Self { declared: None }
    }

    /// Adds a document, or a folder with all that is below it.
    #[must_use]
    pub fn and(mut self, name: DocName) -> Self {
        if let Some(declared) = &mut self.declared {
            declared.insert(name);
        }
        self
    }

    /// Whether a document or folder of this name is looked for.
    #[must_use]
    pub fn includes(&self, name: &Name) -> bool {
        let Some(declared) = &self.declared else { return true };
        is_own(name) || declared.iter().any(|declared| is_at_or_below(name.as_str(), declared.as_str()))
    }

    /// Whether a folder is looked into: it is included, or what is declared lies below it.
    pub(crate) fn enters(&self, folder: &Name) -> bool {
        self.includes(folder) || self.leads_to_declared(folder)
    }

    /// Whether a name is declared itself, or leads to one that is. What a host names, no ignore file hides.
    pub(crate) fn leads_to_declared(&self, name: &Name) -> bool {
        let is_below = |declared: &DocName| is_at_or_below(declared.as_str(), name.as_str());
        self.declared.iter().flatten().any(is_below)
    }
}

/// Whether a name is one that only this library's documents have. Ignore files say nothing of them.
pub(crate) fn is_own(name: &Name) -> bool {
    const FILES: [&str; 9] = [
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
    const FOLDERS: [&str; 4] = ["memory", "daily", "self", ".self"];
    let folded = name.folded();
    FILES.contains(&folded.as_str()) || FOLDERS.iter().any(|folder| is_at_or_below(&folded, folder))
}

fn is_at_or_below(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a folder holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The documents, ascending.
    pub documents: Vec<DocName>,
    /// The folders, ascending.
    pub folders: Vec<DocName>,
    /// What has no place in a workspace: symbolic links, devices, names that are not document names. Lossy text.
    pub refused: Vec<String>,
    /// Names that differ in case only, and would be one on another machine.
    pub collisions: Vec<(DocName, DocName)>,
}

impl Listing {
    /// Sorts, and finds the names that differ in case only. For whoever implements [`Workspace::list`].
    #[must_use]
    pub fn new(mut documents: Vec<DocName>, mut folders: Vec<DocName>, mut refused: Vec<String>) -> Self {
        // Stable sorts, here and below, since they are quick on what is nearly sorted already.
        documents.sort();
        folders.sort_unstable();
        refused.sort_unstable();
        let collisions = collisions(documents.iter().chain(&folders));
        Self { documents, folders, refused, collisions }
    }
}

/// The pairs that differ in case only, of names that differ.
fn collisions<'a>(names: impl Iterator<Item = &'a DocName> + Clone) -> Vec<(DocName, DocName)> {
    // Most are in lower case already, and no two of those are one in it.
    if names.clone().all(|name| is_lowercase(name.as_str())) {
        return Vec::new();
    }
    let mut folded: Vec<(Cow<'_, str>, &DocName)> =
        names.map(|name| (lowercase(name.as_str()), name)).collect();
    folded.sort();
    let is_one = |pair: &&[(Cow<'_, str>, &DocName)]| pair[0].0 == pair[1].0;
    folded.windows(2).filter(is_one).map(|pair| (pair[0].1.clone(), pair[1].1.clone())).collect()
}

fn is_lowercase(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}

fn lowercase(text: &str) -> Cow<'_, str> {
    if is_lowercase(text) { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) }
}

/// What is known of a document without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// Its length in bytes.
    pub len: u64,
    /// When it was last changed, as precisely as the backend knows.
    pub modified: DateTime<Utc>,
}

/// What a write intends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// The document must not exist.
    Create,
    /// Whatever stands there gives way.
    Replace,
    /// The document must still be at this revision.
    IfRevision(Revision),
}

/// On which terms a workspace is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimTerms {
    /// After which time a foreign peer's lock counts as abandoned, and a quarter of which our own is
    /// refreshed at. 30 minutes.
    pub ttl: Duration,
    /// After which time a holder refuses to write itself. 6 hours.
    pub max_hold: Duration,
    /// How long to wait, once, after taking over a foreign peer's stale lock, for another peer that may be
    /// doing the same. 1 second.
    pub settle: Duration,
    /// Whether to trust the locks of a network file system.
    pub allow_network: bool,
}

impl Default for ClaimTerms {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(30 * 60),
            max_hold: Duration::from_secs(6 * 60 * 60),
            settle: Duration::from_secs(1),
            allow_network: false,
        }
    }
}

/// The answer to a claim.
#[derive(Debug)]
#[must_use = "a lease that is dropped is given back"]
pub enum Claim {
    /// The workspace is the caller's until the lease is dropped.
    Granted(Box<dyn Lease>),
    /// Somebody else holds it.
    Held(Holder),
}

/// Who holds a workspace, as far as its lock file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    /// The process.
    pub pid: Option<u32>,
    /// Its host.
    pub hostname: Option<String>,
    /// When the lock was taken or last refreshed.
    pub since: Option<DateTime<Utc>>,
}

/// The right to write for a dream, until dropped.
///
/// Its verbs check the fence and write in one critical section, so a holder that was paused, and lost the
/// lease meanwhile, writes nothing. Dropping releases it, also when a panic unwinds.
///
/// ```
/// use noctuary::workspace::{Claim, ClaimTerms, WorkspaceExt};
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// match workspace.claim(&ClaimTerms::default())? {
///     Claim::Granted(lease) => {
///         lease.append(&DocName::MEMORY, b"- Likes tea.\n")?;
///         lease.release()?;
///     }
///     Claim::Held(holder) => println!("not now: {holder:?}"),
/// }
/// assert_eq!(workspace.read_text(&DocName::MEMORY)?.as_deref(), Some("- Likes tea.\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Lease: Debug + Send {
    /// The number of this claim; later claims of the same workspace have greater ones, as long as nobody deletes
    /// the library's own files.
    fn epoch(&self) -> u64;

    /// Returns whether the lease still holds.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`].
    fn check(&self) -> Result<()>;

    /// As [`Workspace::append`], fenced.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`], and nothing was written.
    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()>;

    /// Adds the rest of an append that was cut off: exactly these bytes, in the middle of a line if need be, fenced.
    /// `false` where the document is not `len` bytes long any more, and nothing was written.
    ///
    /// For what the library itself began. Everything else begins on a line of its own, by [`append`](Self::append).
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`], and nothing was written; those of [`Workspace::append`].
    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool>;

    /// As [`Workspace::write`] with [`WriteMode::Replace`], fenced.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`], and nothing was written.
    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()>;

    /// As [`Workspace::remove`], fenced.
    ///
    /// # Errors
    ///
    /// [`Error::LeaseLost`], and nothing was removed.
    fn remove(&self, name: &Name) -> Result<bool>;

    /// Gives the lease back, and says whether that worked. Dropping does the same and says nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the lock file could not be removed: peers then wait for its time to run out.
    fn release(self: Box<Self>) -> Result<()>;
}

impl fmt::Display for Holder {
    /// A host name comes out of a file that anybody may have written: control characters are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid} on ")?,
            None => f.write_str("an unknown process on ")?,
        }
        match &self.hostname {
            Some(host) => write!(f, "{}", host.escape_debug())?,
            None => f.write_str("an unknown host")?,
        }
        match self.since {
            Some(since) => write!(f, " since {}", since.format("%Y-%m-%d %H:%M UTC")),
            None => Ok(()),
        }
    }
}

/// An earlier version of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The revision that it had.
    pub revision: Revision,
    /// When it was replaced or removed.
    pub replaced_at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_only_are_reported() {
        let name = |text| DocName::parse(text).unwrap();
        let listing =
            Listing::new(vec![name("memory.md"), name("MEMORY.md"), name("SOUL.md")], vec![], vec![]);
        assert_eq!(listing.collisions, [(name("MEMORY.md"), name("memory.md"))]);
    }

    #[test]
    fn a_reach_is_of_whole_segments_and_of_any_case() {
        let name = |text| DocName::parse(text).unwrap();
        let reach = Reach::own().and(name("docs/notes")).and(name("README.md"));
        for within in
            ["MEMORY.md", "Soul.md", "memory/2026/a.txt", "Memory/x.md", "docs/notes/a/b.md", "README.md"]
        {
            assert!(reach.includes(&name(within)), "{within}");
        }
        for without in
            ["docs/a.md", "docs/notes.md", "memory-old/a.md", "src/MEMORY.md", "readme.md", "target/x"]
        {
            assert!(!reach.includes(&name(without)), "{without}");
        }
        assert!(reach.enters(&name("docs")) && !reach.enters(&name("src")) && !reach.includes(&name("docs")));
        assert!(Reach::everything().and(name("a")).includes(&name("target/x")));
    }

    #[test]
    fn a_holder_is_told_as_far_as_it_is_known() {
        let mut holder = Holder::default();
        assert_eq!(holder.to_string(), "an unknown process on an unknown host");
        (holder.pid, holder.hostname) = (Some(12), Some("mill\n[31m".to_owned()));
        holder.since = "2026-11-21T02:00:00Z".parse().ok();
        assert_eq!(holder.to_string(), "process 12 on mill\\n[31m since 2026-11-21 02:00 UTC");
    }

    #[test]
    fn contracts_are_object_safe_and_cross_threads() {
        fn crosses<T: Send + Sync + ?Sized>() {}
        fn sends<T: Send + ?Sized>() {}
        crosses::<dyn Workspace>();
        sends::<dyn Lease>();
    }
}
