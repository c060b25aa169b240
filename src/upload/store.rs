//! The contract of what keeps files.

use std::fmt::Debug;
use std::io::Read;
use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::key::FileKey;
use super::media::media_type;
use crate::base::access::{Access, Actor};
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::error::Result;

/// A store of files that people hand to an agent: opaque bytes under stable keys. (seed 000, file store)
///
/// A session reads the files of its own scope; where others are present, those that were handed over in such a session. Any
/// other key reads as [`Error::NotFound`](crate::Error::NotFound). Nothing of a file is ever run, or looked into.
///
/// # Example: an upload, and a part of it
///
/// ```
/// use chrono::Utc;
/// use noctuary::files::{FileStore, LocalFileStore, NewFile};
/// use noctuary::{Access, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = LocalFileStore::open(folder.path(), Scope::user("marta"))?;
/// let marta = Access::human(Scope::user("marta"));
/// let stored = store.put(&marta, &NewFile::named("Tides.CSV"), &mut &b"day,high\n1,3.2\n"[..], Utc::now())?;
/// assert!(stored.key.as_str().starts_with("chat/files/marta/") && stored.key.extension() == "csv");
///
/// assert_eq!(store.read(&marta, &stored.key, 0..8)?, b"day,high");
/// let other = Access::human(Scope::user("ivo"));
/// assert!(store.read(&other, &stored.key, 0..8).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FileStore: Debug + Send + Sync {
    /// Keeps a file under a new key. It is read in pieces, and no more than the limit and one byte of it.
    ///
    /// When it returns, the file is durable. If it fails, there is no file, and the next open at the latest removes the
    /// written bytes.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`](crate::Error::TooLarge) above the limit; [`Error::QuotaReached`](crate::Error::QuotaReached);
    /// [`Error::Denied`](crate::Error::Denied) for another scope; [`Error::Io`](crate::Error::Io), also where the content
    /// cannot be read.
    fn put(
        &self,
        access: &Access,
        file: &NewFile,
        content: &mut dyn Read,
        now: DateTime<Utc>,
    ) -> Result<StoredFile>;

    /// Returns the record of a file.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound).
    fn get(&self, access: &Access, key: &FileKey) -> Result<StoredFile>;

    /// Reads a part of a file: less where it ends before.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound), [`Error::Io`](crate::Error::Io).
    fn read(&self, access: &Access, key: &FileKey, part: Range<u64>) -> Result<Vec<u8>>;

    /// Lists files, the oldest first, at most `limit`, from behind a key on. A file that is handed over meanwhile is behind all
    /// that were listed, as long as the clock does not go back.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io).
    fn list(&self, access: &Access, after: Option<&FileKey>, limit: usize) -> Result<Vec<StoredFile>>;

    /// Removes a file for good, and returns the record of it, which stays. For main sessions, and never for an agent.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied), [`Error::NotFound`](crate::Error::NotFound), [`Error::Io`](crate::Error::Io).
    fn delete(&self, access: &Access, key: &FileKey, now: DateTime<Utc>) -> Result<Removal>;

    /// Returns the records of what was removed, the latest first, at most `limit`. For main sessions; nothing for any other.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io), [`Error::Corrupt`](crate::Error::Corrupt).
    fn removals(&self, access: &Access, limit: usize) -> Result<Vec<Removal>>;

    /// Keeps a file of another store under its key, with its time and audience. It is for copies and imports. `false`
    /// where it is here already, or was removed here. For main sessions, and never for an agent.
    ///
    /// When it returns, the file is durable. Where it fails, there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) for content of another length or hash than the file has, and for
    /// another file under this key. [`Error::Denied`](crate::Error::Denied), also for a key of another user. The errors
    /// of [`put`](Self::put).
    fn adopt(&self, access: &Access, file: &StoredFile, content: &mut dyn Read) -> Result<bool>;

    /// Removes all files of the scope and its records of removals, and returns the number of files. It is for a person
    /// who leaves. For the human of a main session alone.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied), [`Error::Io`](crate::Error::Io); what was removed by then stays so.
    fn erase(&self, access: &Access) -> Result<u64>;
}

/// How much a store of files keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileLimits {
    /// The most bytes of a file. 20 MiB. (seed 000, file store)
    pub file_bytes: u64,
    /// The most bytes of a scope; `None` for any. Each upload adds all of them up then.
    pub scope_bytes: Option<u64>,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { file_bytes: 20 << 20, scope_bytes: None }
    }
}

/// Says where a provider fetches a file.
///
/// ```
/// use noctuary::files::{FileKey, FileUrls};
///
/// #[derive(Debug)]
/// struct Gateway;
///
/// impl FileUrls for Gateway {
///     fn url(&self, key: &FileKey) -> String {
///         format!("https://files.example/{key}")
///     }
/// }
/// ```
pub trait FileUrls: Debug + Send + Sync {
    /// Returns the address of a file.
    fn url(&self, key: &FileKey) -> String;
}

/// A file to be kept. Only the extension of its name is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NewFile {
    /// The extension, in any form; what is none becomes `bin`.
    pub extension: String,
}

impl NewFile {
    /// Makes a file of an extension: `pdf`.
    pub fn new(extension: impl Into<String>) -> Self {
        Self { extension: extension.into() }
    }

    /// Makes a file of the name that a person gave it.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::new(name.rsplit_once('.').map_or("", |(_, extension)| extension))
    }
}

/// A file that is kept.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredFile {
    /// The key, which is in messages.
    pub key: FileKey,
    /// Where a provider fetches it: a path, unless the host says otherwise.
    pub url: String,
    /// The length in bytes.
    pub len: u64,
    /// The hash of its bytes.
    pub sha256: Digest,
    /// When it was handed over.
    pub at: DateTime<Utc>,
    /// Whether sessions with others present read it.
    pub is_shared: bool,
}

impl StoredFile {
    /// Makes what a store returns.
    #[must_use]
    pub fn new(key: FileKey, url: impl Into<String>, len: u64, sha256: Digest, at: DateTime<Utc>) -> Self {
        Self { key, url: url.into(), len, sha256, at, is_shared: false }
    }

    /// Returns the media type under which it may be served: never one that a browser runs.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        media_type(self.key.extension())
    }
}

debug_as!(StoredFile, |it| "StoredFile {{ {}, {} bytes }}", it.key, it.len);

/// The record of a file that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Removal {
    /// The key.
    pub key: FileKey,
    /// When.
    pub at: DateTime<Utc>,
    /// Who removed it.
    pub actor: Actor,
}

impl Removal {
    /// Makes a record.
    #[must_use]
    pub fn new(key: FileKey, at: DateTime<Utc>, actor: Actor) -> Self {
        Self { key, at, actor }
    }
}
