//! Files that people hand over, in a folder.
//!
//! The bytes of a file stand under its key, and its record in `.dreaming.d/files/`. A file is there when its record is: what has
//! none was not finished, or is being removed, and the next open takes it away once nobody holds it.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::debug::debug_as;
use crate::base::digest::{Digest, Hasher};
use crate::base::error::{At, Error, Result, parse_json};
use crate::base::name::{Name, StateName};
use crate::disk::{Disk, DiskFile, Kind, Open, OsDisk, atomic, token};
use crate::store::check_scope;
use crate::upload::{FileKey, FileStore, FileUrls, NewFile, Removal, StoredFile, folder_of};

/// The folder of keys, and that of records.
const BYTES: &str = "chat/files";
const RECORDS: &str = ".dreaming.d/files";
/// The records of what was removed.
const REMOVALS: &str = ".dreaming.d/removals.jsonl";
/// So much is read at once.
const PIECE: usize = 64 << 10;
/// More than any record has.
const RECORD_LIMIT: u64 = 4 << 10;

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

/// Files in a folder, for one scope: `chat/files/<user>/<time>-<id>.<extension>`.
///
/// The folder is to be one of its own, outside of the workspace and of any sandbox: see [`roots_apart`](crate::files::roots_apart).
/// Files are readable by their owner alone (0600), and no link is followed. Several processes may use the folder at once. Not for
/// network drives.
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::files::{FileKey, FileLimits, FileStore, FileUrls, LocalFileStore, NewFile};
/// use noctuary::{Access, Error, Scope};
///
/// #[derive(Debug)]
/// struct Gateway;
/// impl FileUrls for Gateway {
///     fn url(&self, key: &FileKey) -> String {
///         format!("https://files.example/{key}")
///     }
/// }
///
/// let folder = tempfile::tempdir()?;
/// let mut limits = FileLimits::default();
/// limits.file_bytes = 8;
/// let store = LocalFileStore::open_with(folder.path(), Scope::user("marta"), limits)?.urls(Arc::new(Gateway));
/// let marta = Access::human(Scope::user("marta"));
/// let stored = store.put(&marta, &NewFile::new("txt"), &mut &b"12345678"[..], Utc::now())?;
/// assert!(stored.url.starts_with("https://files.example/chat/files/marta/"));
/// let larger = store.put(&marta, &NewFile::new("txt"), &mut &b"123456789"[..], Utc::now());
/// assert!(matches!(larger, Err(Error::TooLarge { limit: 8, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LocalFileStore {
    disk: Arc<dyn Disk>,
    scope: Scope,
    folder: String,
    limits: FileLimits,
    urls: Option<Arc<dyn FileUrls>>,
}

/// The record of a file.
#[derive(Serialize, Deserialize)]
struct Record {
    v: u64,
    scope: Scope,
    len: u64,
    sha256: Digest,
    at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shared: bool,
}

/// The version of a record.
const VERSION: u64 = 1;

impl LocalFileStore {
    /// Opens an existing folder, and removes what was left unfinished in it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, FileLimits::default())
    }

    /// As [`open`](Self::open), with limits of its own.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, limits: FileLimits) -> Result<Self> {
        let path = path.as_ref();
        Self::over(Arc::new(OsDisk::open(path).at("open", path.display())?), scope, limits)
    }

    /// Opens a store over another disk: one that fails.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    #[cfg(any(test, feature = "testing"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
    pub fn on_disk(disk: Arc<dyn Disk>, scope: Scope, limits: FileLimits) -> Result<Self> {
        Self::over(disk, scope, limits)
    }

    fn over(disk: Arc<dyn Disk>, scope: Scope, limits: FileLimits) -> Result<Self> {
        check_scope(&scope)?;
        let root = disk.root().display().to_string();
        if let Some(file_system) = disk.network().at("look at", &root)? {
            return Err(Error::NetworkFileSystem { path: root, file_system });
        }
        let store = Self { folder: folder_of(&scope.user), disk, scope, limits, urls: None };
        store.sweep()?;
        Ok(store)
    }

    /// Sets where a provider fetches files. Without it that is their path.
    #[must_use]
    pub fn urls(mut self, urls: Arc<dyn FileUrls>) -> Self {
        self.urls = Some(urls);
        self
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Removes the bytes that have no record, unless somebody is writing them.
    fn sweep(&self) -> Result<()> {
        let (bytes, records) = (format!("{BYTES}/{}", self.folder), format!("{RECORDS}/{}", self.folder));
        let known: BTreeSet<String> = self.names(&records)?.collect();
        for file in self.names(&bytes)? {
            if !known.contains(&format!("{file}.json")) {
                self.remove_unfinished(&format!("{bytes}/{file}"), Some(&format!("{records}/{file}.json")))?;
            }
        }
        for file in known.iter().filter(|file| atomic::is_temporary(file)) {
            self.remove_unfinished(&format!("{records}/{file}"), None)?;
        }
        Ok(())
    }

    /// Removes a file that nobody has locked; whoever writes one has.
    fn remove_unfinished(&self, path: &str, record: Option<&str>) -> Result<()> {
        let file = match self.disk.open(path, Open::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error).at("open", path),
        };
        if !file.try_lock().at("lock", path)? {
            return Ok(());
        }
        // It may have been finished since.
        if let Some(record) = record
            && self.disk.stat(record).at("look at", record)?.is_some()
        {
            return Ok(());
        }
        atomic::remove(self.disk.as_ref(), path).map(drop)
    }

    /// Returns the names of the plain files of a folder, ascending.
    fn names(&self, folder: &str) -> Result<impl Iterator<Item = String> + use<>> {
        let entries = match self.disk.list(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).at("list", folder),
        };
        let files = entries.into_iter().filter(|entry| entry.kind == Kind::File);
        let names: BTreeSet<String> = files.map(|entry| entry.name).collect();
        Ok(names.into_iter())
    }

    /// Returns the record of a file that a session may read.
    fn record(&self, access: &Access, key: &FileKey) -> Result<Record> {
        let none = || Error::NotFound { name: name_of(key) };
        let (folder, file) = key.parts();
        if access.scope != self.scope || folder != self.folder {
            return Err(none());
        }
        let path = format!("{RECORDS}/{folder}/{file}.json");
        let bytes = atomic::read(self.disk.as_ref(), &path, RECORD_LIMIT)?.ok_or_else(none)?;
        let record: Record = parse_json(&path, &bytes)?;
        if record.v > VERSION {
            return Err(Error::NewerVersion { name: path, found: record.v, known: VERSION });
        }
        let is_seen = record.shared || access.kind == SessionKind::Main;
        if record.scope == self.scope && is_seen { Ok(record) } else { Err(none()) }
    }

    fn stored(&self, key: FileKey, record: &Record) -> StoredFile {
        let url = match &self.urls {
            Some(urls) => urls.url(&key),
            None => self.disk.root().join(key.as_str()).display().to_string(),
        };
        let mut stored = StoredFile::new(key, url, record.len, record.sha256, record.at);
        stored.is_shared = record.shared;
        stored
    }

    /// Refuses an upload where the scope has as much as it may keep.
    fn check_quota(&self, access: &Access, more: u64) -> Result<()> {
        let Some(limit) = self.limits.scope_bytes else { return Ok(()) };
        let all = Access { kind: SessionKind::Main, ..access.clone() };
        let kept: u64 = self.list(&all, None, usize::MAX)?.iter().map(|file| file.len).sum();
        if kept.saturating_add(more) > limit {
            return Err(Error::QuotaReached { what: "bytes of files", limit });
        }
        Ok(())
    }

    /// Makes a new file that this process alone writes.
    fn begin(&self, path: impl Fn() -> String) -> Result<(String, Box<dyn DiskFile>)> {
        for _ in 0..8 {
            let path = path();
            let file = self.disk.open(&path, Open::CreateNew).at("create", &path)?;
            // A sweep may have come between: then it takes the file away, or already did.
            if file.try_lock().at("lock", &path)? && self.disk.stat(&path).at("look at", &path)?.is_some() {
                return Ok((path, file));
            }
        }
        Err(Error::Busy { path: BYTES.to_owned() })
    }

    /// Writes the content, and returns its length and hash.
    fn fill(&self, file: &dyn DiskFile, path: &str, content: &mut dyn Read) -> Result<(u64, Digest)> {
        let mut piece = vec![0; PIECE];
        let (mut len, mut hasher) = (0, Hasher::new());
        loop {
            let read = match content.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error).at("read the content of", path),
            };
            let limit = self.limits.file_bytes;
            if len + read as u64 > limit {
                let name = StateName::new_row("file").into();
                return Err(Error::TooLarge { name, len: len + read as u64, limit });
            }
            file.write_at(&piece[..read], len).at("write", path)?;
            hasher.update(&piece[..read]);
            len += read as u64;
        }
        file.sync().map_err(atomic::unsynced).at("sync", path)?;
        Ok((len, hasher.finish()))
    }

    /// Writes the bytes and the record of a new file.
    fn keep(
        &self,
        access: &Access,
        (path, file): (&str, &dyn DiskFile),
        key: &FileKey,
        content: &mut dyn Read,
        now: DateTime<Utc>,
    ) -> Result<Record> {
        let (len, sha256) = self.fill(file, path, content)?;
        self.check_quota(access, len)?;
        atomic::sync_folders_of(self.disk.as_ref(), path)?;
        let shared = access.kind != SessionKind::Main;
        let record = Record { v: VERSION, scope: self.scope.clone(), len, sha256, at: now, shared };
        let bytes = serde_json::to_vec(&record).expect("plain data is always JSON");
        let (folder, name) = key.parts();
        let beside = format!("{RECORDS}/{folder}/{name}.json");
        atomic::create_folder_of(self.disk.as_ref(), &beside)?;
        self.write_record(&beside, &bytes)?;
        Ok(record)
    }

    /// Writes a record beside its name, and gives it that: whoever sweeps finds it locked until then, whatever the clock says.
    fn write_record(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let (temporary, file) = self.begin(|| atomic::temporary_beside(path))?;
        let written = (|| {
            file.write_at(bytes, 0).at("write", path)?;
            file.sync().map_err(atomic::unsynced).at("sync", path)?;
            self.disk.rename_new(&temporary, path).at("create", path)
        })();
        if written.is_err() {
            // Where that fails too, the next open does it.
            let _ = self.disk.unlink(&temporary);
        }
        written.and_then(|()| atomic::sync_folders_of(self.disk.as_ref(), path))
    }
}

impl FileStore for LocalFileStore {
    fn put(
        &self,
        access: &Access,
        new: &NewFile,
        content: &mut dyn Read,
        now: DateTime<Utc>,
    ) -> Result<StoredFile> {
        if access.scope != self.scope {
            return Err(Error::Denied { name: StateName::new_row("file").into(), kind: access.kind });
        }
        let make = || FileKey::new(&self.scope.user, now, &token(), &new.extension);
        let path = make().to_string();
        atomic::create_folder_of(self.disk.as_ref(), &path)?;
        let (path, file) = self.begin(|| make().to_string())?;
        let key = FileKey::parse(path.clone())?;
        match self.keep(access, (&path, file.as_ref()), &key, content, now) {
            Ok(record) => Ok(self.stored(key, &record)),
            Err(error) => {
                // Where that fails too, the next open does it. An unsure record keeps the bytes.
                let (folder, name) = key.parts();
                let beside = format!("{RECORDS}/{folder}/{name}.json");
                if matches!(self.disk.stat(&beside), Ok(None)) {
                    let _ = self.disk.unlink(&path);
                }
                Err(error)
            }
        }
    }

    fn get(&self, access: &Access, key: &FileKey) -> Result<StoredFile> {
        let record = self.record(access, key)?;
        Ok(self.stored(key.clone(), &record))
    }

    fn read(&self, access: &Access, key: &FileKey, part: Range<u64>) -> Result<Vec<u8>> {
        self.record(access, key)?;
        let path = key.as_str();
        let file = match self.disk.open(path, Open::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NotFound { name: name_of(key) });
            }
            Err(error) => return Err(error).at("open", path),
        };
        atomic::read_range(file.as_ref(), part.start, part.end.saturating_sub(part.start)).at("read", path)
    }

    fn list(&self, access: &Access, after: Option<&FileKey>, limit: usize) -> Result<Vec<StoredFile>> {
        if access.scope != self.scope {
            return Ok(Vec::new());
        }
        let names = self.names(&format!("{RECORDS}/{}", self.folder))?;
        let keys = names.filter_map(|name| FileKey::within(&self.folder, name.strip_suffix(".json")?));
        let mut listed = Vec::new();
        for key in keys.filter(|key| after.is_none_or(|after| key > after)) {
            if listed.len() == limit {
                break;
            }
            match self.record(access, &key) {
                Ok(record) => listed.push(self.stored(key, &record)),
                // Of others, or removed meanwhile.
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(listed)
    }

    fn delete(&self, access: &Access, key: &FileKey, now: DateTime<Utc>) -> Result<Removal> {
        if access.kind != SessionKind::Main || access.actor == Actor::Agent {
            return Err(Error::Denied { name: name_of(key), kind: access.kind });
        }
        self.record(access, key)?;
        let removal = Removal::new(key.clone(), now, access.actor);
        let mut line = serde_json::to_vec(&removal).expect("plain data is always JSON");
        line.push(b'\n');
        atomic::create_folder_of(self.disk.as_ref(), REMOVALS)?;
        let log = self.disk.open(REMOVALS, Open::Append).at("open", REMOVALS)?;
        log.append(&line).at("append to", REMOVALS)?;
        log.sync().map_err(atomic::unsynced).at("sync", REMOVALS)?;
        let (folder, name) = key.parts();
        // With its record the file is gone; what is left of it is taken away by the next open.
        atomic::remove(self.disk.as_ref(), &format!("{RECORDS}/{folder}/{name}.json"))?;
        atomic::remove(self.disk.as_ref(), key.as_str())?;
        Ok(removal)
    }

    fn removals(&self, access: &Access, limit: usize) -> Result<Vec<Removal>> {
        if access.scope != self.scope || access.kind != SessionKind::Main {
            return Ok(Vec::new());
        }
        let bytes = atomic::read(self.disk.as_ref(), REMOVALS, u64::MAX - 1)?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut removals: Vec<Removal> = Vec::new();
        for line in lines {
            // A power loss may leave a part of a line.
            if let Ok(removal) = serde_json::from_slice::<Removal>(line)
                && removal.key.parts().0 == self.folder
            {
                removals.push(removal);
            }
        }
        removals.reverse();
        removals.truncate(limit);
        Ok(removals)
    }
}

debug_as!(LocalFileStore, |it| "LocalFileStore({} {})", it.disk.root().display(), it.scope.user);

fn name_of(key: &FileKey) -> Name {
    StateName::row("files", key).into()
}
