//! Files that people hand over, in a folder.
//!
//! The bytes of a file are under its key, and its record in `.dreaming.d/files/`. A file exists if its record does.
//! Bytes without a record were not finished, or are being removed. The next open removes them once nobody holds them.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};

use super::sweep::sweep;
use super::write_guard::write_guard;
use crate::base::access::{Access, Scope, SessionKind};
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::error::{At, Error, Result};
use crate::base::order;
use crate::disk::{Disk, DiskFile, Kind, Open, OsDisk, atomic, token};
use crate::store::check_scope;
use crate::upload::{
    FileKey, FileLimits, FileStore, FileUrls, NewFile, RECORD_LIMIT, Record, Removal, RemovalLine,
    StoredFile, check_content, check_human, check_person, check_quota, check_scope_of, drain, folder_of,
    name_of, new_name,
};

/// The folder of keys, and that of records.
const BYTES: &str = "chat/files";
const RECORDS: &str = ".dreaming.d/files";
/// The records of what was removed.
const REMOVALS: &str = ".dreaming.d/removals.jsonl";

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
    /// Whether the names of the folders that lead to the files are durable, as far as this store knows.
    is_rooted: Arc<AtomicBool>,
}

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
        let store = Self {
            folder: folder_of(&scope.user),
            disk,
            scope,
            limits,
            urls: None,
            is_rooted: Arc::default(),
        };
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
        sweep(self.disk.as_ref())?;
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

    /// Removes a file that nobody has locked; its writer holds a lock.
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

    /// Returns the record of a file, for any session. `None` if there is none, or if it is of another scope.
    fn own_record(&self, key: &FileKey) -> Result<Option<Record>> {
        let (folder, _) = key.parts();
        if folder != self.folder {
            return Ok(None);
        }
        let path = record_of(key);
        let Some(bytes) = atomic::read(self.disk.as_ref(), &path, RECORD_LIMIT)? else { return Ok(None) };
        Ok(Some(Record::parse(&path, &bytes)?).filter(|record| record.scope == self.scope))
    }

    /// Returns the record of a file that a session may read.
    fn record(&self, access: &Access, key: &FileKey) -> Result<Record> {
        let own = if access.scope == self.scope { self.own_record(key)? } else { None };
        own.filter(|record| record.is_seen(&self.scope, access))
            .ok_or_else(|| Error::NotFound { name: name_of(key) })
    }

    fn stored(&self, key: FileKey, record: &Record) -> StoredFile {
        let url = match &self.urls {
            Some(urls) => urls.url(&key),
            None => self.disk.root().join(key.as_str()).display().to_string(),
        };
        record.stored(key, url)
    }

    /// Returns the keys that have records, ascending, those of other scopes of the user too.
    fn keys(&self) -> Result<impl Iterator<Item = FileKey> + use<'_>> {
        let names = self.names(&format!("{RECORDS}/{}", self.folder))?;
        Ok(names.filter_map(|name| FileKey::within(&self.folder, name.strip_suffix(".json")?)))
    }

    /// Refuses an upload where the scope has as much as it may keep.
    fn check_quota(&self, more: u64) -> Result<()> {
        let Some(limit) = self.limits.scope_bytes else { return Ok(()) };
        let mut kept = 0_u64;
        for key in self.keys()? {
            kept = kept.saturating_add(self.own_record(&key)?.map_or(0, |record| record.len));
        }
        check_quota(Some(limit), kept, more)
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
        let found = drain(content, self.limits.file_bytes, path, |piece, at| {
            file.write_at(piece, at).at("write", path)
        })?;
        file.sync().map_err(atomic::unsynced).at("sync", path)?;
        Ok(found)
    }

    /// Writes the bytes and the record of a new file, or leaves neither.
    fn keep(
        &self,
        (path, file): (&str, &dyn DiskFile),
        key: &FileKey,
        content: &mut dyn Read,
        record: impl FnOnce((u64, Digest)) -> Result<Record>,
    ) -> Result<Record> {
        let kept = (|| {
            let record = record(self.fill(file, path, content)?)?;
            self.check_quota(record.len)?;
            self.sync_name(path)?;
            let beside = record_of(key);
            atomic::create_folder_of(self.disk.as_ref(), &beside)?;
            self.write_record(&beside, &record.print())?;
            self.is_rooted.store(true, Ordering::Relaxed);
            Ok(record)
        })();
        // Where that fails too, the next open does it. An unsure record keeps the bytes.
        if kept.is_err() && matches!(self.disk.stat(&record_of(key)), Ok(None)) {
            let _ = self.disk.unlink(path);
        }
        kept
    }

    /// Writes a record beside its name, then renames it. Until then a sweep finds it locked, whatever the clock says.
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
        written.and_then(|()| self.sync_name(path))
    }

    /// Makes the name of a new file durable. The folders that lead there are synced once: who makes one later syncs it.
    fn sync_name(&self, path: &str) -> Result<()> {
        if self.is_rooted.load(Ordering::Relaxed) {
            atomic::sync_folder_of(self.disk.as_ref(), path)
        } else {
            atomic::sync_folders_of(self.disk.as_ref(), path)
        }
    }

    /// Takes a file away. With its record the file is gone; what is left of it is taken away by the next open.
    fn remove(&self, key: &FileKey) -> Result<()> {
        atomic::remove(self.disk.as_ref(), &record_of(key))?;
        atomic::remove(self.disk.as_ref(), key.as_str()).map(drop)
    }

    /// Returns all records of what was removed from the folder, by whomever. A power loss may leave a part of a line.
    fn removal_lines(&self) -> Result<Vec<RemovalLine>> {
        let bytes = atomic::read(self.disk.as_ref(), REMOVALS, u64::MAX - 1)?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Adds a record of what is removed. A line that was torn is left behind.
    fn note_removal(&self, removal: &Removal) -> Result<()> {
        let _guard = write_guard(self.disk.as_ref())?;
        let line = RemovalLine { scope: self.scope.clone(), removal: removal.clone() };
        let mut bytes = vec![b'\n'];
        serde_json::to_writer(&mut bytes, &line).expect("plain data is always JSON");
        bytes.push(b'\n');
        let log = self.disk.open(REMOVALS, Open::Append).at("open", REMOVALS)?;
        log.append(&bytes).at("append to", REMOVALS)?;
        log.sync().map_err(atomic::unsynced).at("sync", REMOVALS)?;
        atomic::sync_folders_of(self.disk.as_ref(), REMOVALS)
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
        check_scope_of(&self.scope, access, new_name())?;
        let make = || FileKey::new(&self.scope.user, now, &token(), &new.extension);
        atomic::create_folder_of(self.disk.as_ref(), make().as_str())?;
        let (path, file) = self.begin(|| make().to_string())?;
        let key = FileKey::parse(path.clone())?;
        let shared = access.kind != SessionKind::Main;
        let describe = |found| Ok(Record::new(&self.scope, found, now, shared));
        let record = self.keep((&path, file.as_ref()), &key, content, describe)?;
        Ok(self.stored(key, &record))
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
        let mut listed = Vec::new();
        for key in self.keys()?.filter(|key| after.is_none_or(|after| key > after)) {
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
        check_person(&self.scope, access, name_of(key))?;
        self.record(access, key)?;
        let removal = Removal::new(key.clone(), now, access.actor);
        self.note_removal(&removal)?;
        self.remove(key)?;
        Ok(removal)
    }

    fn removals(&self, access: &Access, limit: usize) -> Result<Vec<Removal>> {
        if access.scope != self.scope || access.kind != SessionKind::Main {
            return Ok(Vec::new());
        }
        let lines = self.removal_lines()?.into_iter().rev();
        let own = lines.filter(|line| line.scope == self.scope).map(|line| line.removal);
        Ok(own.take(limit).collect())
    }

    fn adopt(&self, access: &Access, file: &StoredFile, content: &mut dyn Read) -> Result<bool> {
        check_person(&self.scope, access, name_of(&file.key))?;
        let path = file.key.as_str();
        if file.key.parts().0 != self.folder {
            return Err(Error::Denied { name: name_of(&file.key), kind: access.kind });
        }
        if let Some(record) = self.own_record(&file.key)? {
            return record.check_same(file).map(|()| false);
        }
        if self.removal_lines()?.iter().any(|line| line.removal.key == file.key) {
            return Ok(false);
        }
        atomic::create_folder_of(self.disk.as_ref(), path)?;
        // Half of it, from a copy that ended in between.
        self.remove_unfinished(path, Some(&record_of(&file.key)))?;
        if self.disk.stat(path).at("look at", path)?.is_some() {
            return Err(Error::Busy { path: path.to_owned() });
        }
        let (_, bytes) = self.begin(|| path.to_owned())?;
        self.keep((path, bytes.as_ref()), &file.key, content, |found| {
            check_content(file, found)?;
            Ok(Record::new(&self.scope, found, file.at, file.is_shared))
        })?;
        Ok(true)
    }

    fn erase(&self, access: &Access) -> Result<u64> {
        check_human(&self.scope, access)?;
        let mut erased = 0;
        for key in self.keys()? {
            if self.own_record(&key)?.is_some() {
                self.remove(&key)?;
                erased += 1;
            }
        }
        let _guard = write_guard(self.disk.as_ref())?;
        let mut lines = self.removal_lines()?;
        let all = lines.len();
        order::retain(&mut lines, |line| line.scope != self.scope);
        if lines.len() < all {
            let mut bytes = Vec::new();
            for line in &lines {
                serde_json::to_writer(&mut bytes, line).expect("plain data is always JSON");
                bytes.push(b'\n');
            }
            atomic::replace(self.disk.as_ref(), REMOVALS, &bytes)?;
        }
        // What was never finished has words of the person too.
        self.sweep()?;
        Ok(erased)
    }
}

debug_as!(LocalFileStore, |it| "LocalFileStore({} {})", it.disk.root().display(), it.scope.user);

/// The path of the record of a file.
fn record_of(key: &FileKey) -> String {
    let (folder, name) = key.parts();
    format!("{RECORDS}/{folder}/{name}.json")
}
