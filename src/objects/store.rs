//! A store of files in an object store.

use std::collections::BTreeSet;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::storage::ObjectStorage;
use crate::base::access::{Access, Scope, SessionKind};
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::disk::token;
use crate::store::check_scope;
use crate::upload::{
    FileKey, FileLimits, FileStore, FileUrls, NewFile, Record, Removal, RemovalLine, StoredFile,
    check_content, check_human, check_person, check_quota, check_scope_of, drain, folder_of, name_of,
    new_name,
};

const BYTES: &str = "chat/files";
const RECORDS: &str = ".dreaming.d/files";
const REMOVALS: &str = ".dreaming.d/removals";

/// Bytes without a record are of an upload under way for so long.
const UNDER_WAY: TimeDelta = TimeDelta::days(1);

/// Files in an object store, for one scope, so that a service keeps uploads off the machine.
///
/// An upload is three steps. Its bytes come into memory, up to [`FileLimits::file_bytes`], since S3 wants their length
/// first. They are created under a new key, and then their record is. A file without a record is seen by nobody; an
/// open removes it a day after it came. [`FileLimits::scope_bytes`] counts all files of the user here, those of other
/// agents too.
///
/// Verbs block, and send their requests on the calling thread by the client of the feature `http`: there is no runtime. In an async host they
/// belong on a thread for blocking work, as all storage does.
///
/// # Example: two people, one bucket
///
/// ```
/// use chrono::Utc;
/// use noctuary::files::{FileStore, NewFile, ObjectFileStore, ObjectSettings, ObjectStorage};
/// use noctuary::{Access, Scope};
///
/// // ObjectSettings::new("s3://uploads/noctuary").option("region", "eu-west-1").environment()
/// let storage = ObjectStorage::connect(&ObjectSettings::new("memory:///"))?;
/// let now = Utc::now();
/// let martas = ObjectFileStore::open(&storage, Scope::user("marta"), now)?;
/// let ivos = ObjectFileStore::open(&storage, Scope::user("ivo"), now)?;
///
/// let marta = Access::human(Scope::user("marta"));
/// let stored = martas.put(&marta, &NewFile::named("berth.pdf"), &mut &b"%PDF-1.7"[..], now)?;
/// assert_eq!(martas.read(&marta, &stored.key, 0..4)?, b"%PDF");
/// assert!(ivos.get(&Access::human(Scope::user("ivo")), &stored.key).is_err());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct ObjectFileStore {
    storage: ObjectStorage,
    scope: Scope,
    folder: String,
    limits: FileLimits,
    urls: Option<Arc<dyn FileUrls>>,
}

debug_as!(ObjectFileStore, |it| "ObjectFileStore({:?} {})", it.storage, it.scope.user);

impl ObjectFileStore {
    /// Opens the files of a scope, and removes what uploads left unfinished more than a day before `now`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the object store does not answer, or refuses.
    pub fn open(storage: &ObjectStorage, scope: Scope, now: DateTime<Utc>) -> Result<Self> {
        Self::open_with(storage, scope, FileLimits::default(), now)
    }

    /// As [`open`](Self::open), with limits of its own.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(
        storage: &ObjectStorage,
        scope: Scope,
        limits: FileLimits,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        check_scope(&scope)?;
        let (storage, folder) = (storage.clone(), folder_of(&scope.user));
        let store = Self { storage, scope, folder, limits, urls: None };
        store.sweep(now)?;
        Ok(store)
    }

    /// Sets where a provider fetches files. Without it that is the address of the object, such as `s3://bucket/prefix/chat/files/…`.
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

    /// Removes the bytes that have no record: those of an upload that ended halfway, and of a removal that did.
    fn sweep(&self, now: DateTime<Utc>) -> Result<()> {
        // In this order: a record comes after its bytes.
        let mut bytes = Vec::new();
        self.storage.each(&format!("{BYTES}/{}", self.folder), None, |found| {
            bytes.push(found);
            Ok(true)
        })?;
        let names = |folder: &str| {
            let mut names = BTreeSet::new();
            self.storage.each(&format!("{folder}/{}", self.folder), None, |found| {
                names.extend(found.file.strip_suffix(".json").map(str::to_owned));
                Ok(true)
            })?;
            Ok::<_, Error>(names)
        };
        let (records, removals) = (names(RECORDS)?, names(REMOVALS)?);
        for found in bytes.iter().filter(|found| !records.contains(&found.file)) {
            let Some(key) = FileKey::within(&self.folder, &found.file) else { continue };
            let is_left = removals.contains(&found.file) || found.modified + UNDER_WAY < now;
            if is_left && !self.storage.exists(&record_of(&key))? {
                self.storage.remove(key.as_str())?;
            }
        }
        Ok(())
    }

    /// Returns the record of a file, for any session. `None` if there is none, or if it is of another scope.
    fn own_record(&self, key: &FileKey) -> Result<Option<Record>> {
        if key.parts().0 != self.folder {
            return Ok(None);
        }
        let path = record_of(key);
        let Some(bytes) = self.storage.get(&path, None)? else { return Ok(None) };
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
            None => self.storage.url(key.as_str()),
        };
        record.stored(key, url)
    }

    /// Reads a content, no more than the limit and the quota allow.
    fn take(&self, path: &str, content: &mut dyn Read) -> Result<(Vec<u8>, Record)> {
        let mut bytes = Vec::new();
        let found = drain(content, self.limits.file_bytes, path, |piece, _| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        if self.limits.scope_bytes.is_some() {
            let mut kept = 0_u64;
            self.storage.each(&format!("{BYTES}/{}", self.folder), None, |found| {
                kept = kept.saturating_add(found.len);
                Ok(true)
            })?;
            check_quota(self.limits.scope_bytes, kept, found.0)?;
        }
        Ok((bytes, Record::new(&self.scope, found, DateTime::UNIX_EPOCH, false)))
    }

    /// Makes the record of bytes that are there, or takes them away. `false` where there is a record.
    fn finish(&self, key: &FileKey, record: &Record) -> Result<bool> {
        let path = record_of(key);
        let made = self.storage.create(&path, record.print());
        // An unsure record keeps the bytes; where removing fails too, an open does it.
        if made.is_err() && matches!(self.storage.exists(&path), Ok(false)) {
            let _ = self.storage.remove(key.as_str());
        }
        made
    }

    fn remove(&self, key: &FileKey) -> Result<()> {
        self.storage.remove(&record_of(key))?;
        self.storage.remove(key.as_str())
    }

    /// Returns the keys that have records, ascending, as long as `visit` says so.
    fn each_key(
        &self,
        after: Option<&FileKey>,
        mut visit: impl FnMut(FileKey) -> Result<bool>,
    ) -> Result<()> {
        let after = after.map(|key| match key.parts().0.cmp(&self.folder) {
            std::cmp::Ordering::Less => String::new(),
            std::cmp::Ordering::Equal => format!("{}.json", key.parts().1),
            std::cmp::Ordering::Greater => "~".to_owned(),
        });
        let after = after.as_deref().filter(|after| !after.is_empty());
        self.storage.each(&format!("{RECORDS}/{}", self.folder), after, |found| {
            let key = found.file.strip_suffix(".json").and_then(|name| FileKey::within(&self.folder, name));
            key.map_or(Ok(true), &mut visit)
        })
    }

    /// Returns the records of what was removed of this scope, with the names of their objects.
    fn removal_lines(&self) -> Result<Vec<(String, Removal)>> {
        let mut lines = Vec::new();
        let folder = format!("{REMOVALS}/{}", self.folder);
        self.storage.each(&folder, None, |found| {
            let path = format!("{folder}/{}", found.file);
            let line = self.storage.get(&path, None)?;
            let line = line.and_then(|bytes| serde_json::from_slice::<RemovalLine>(&bytes).ok());
            if let Some(line) = line.filter(|line| line.scope == self.scope) {
                lines.push((path, line.removal));
            }
            Ok(true)
        })?;
        Ok(lines)
    }
}

impl FileStore for ObjectFileStore {
    fn put(
        &self,
        access: &Access,
        new: &NewFile,
        content: &mut dyn Read,
        now: DateTime<Utc>,
    ) -> Result<StoredFile> {
        check_scope_of(&self.scope, access, new_name())?;
        let key = FileKey::new(&self.scope.user, now, &token(), &new.extension);
        let (bytes, mut record) = self.take(key.as_str(), content)?;
        (record.at, record.shared) = (now, access.kind != SessionKind::Main);
        // Nobody else draws this key: where it is there, an answer to this very request was lost.
        self.storage.create(key.as_str(), bytes)?;
        self.finish(&key, &record)?;
        Ok(self.stored(key, &record))
    }

    fn get(&self, access: &Access, key: &FileKey) -> Result<StoredFile> {
        let record = self.record(access, key)?;
        Ok(self.stored(key.clone(), &record))
    }

    fn read(&self, access: &Access, key: &FileKey, part: Range<u64>) -> Result<Vec<u8>> {
        let record = self.record(access, key)?;
        let part = part.start..part.end.min(record.len);
        if part.is_empty() {
            return Ok(Vec::new());
        }
        let read = self.storage.get(key.as_str(), Some(part))?;
        read.ok_or_else(|| Error::NotFound { name: name_of(key) })
    }

    fn list(&self, access: &Access, after: Option<&FileKey>, limit: usize) -> Result<Vec<StoredFile>> {
        let mut listed = Vec::new();
        if access.scope != self.scope || limit == 0 {
            return Ok(listed);
        }
        self.each_key(after, |key| {
            match self.record(access, &key) {
                Ok(record) => listed.push(self.stored(key, &record)),
                // Of others, or removed meanwhile.
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
            Ok(listed.len() < limit)
        })?;
        Ok(listed)
    }

    fn delete(&self, access: &Access, key: &FileKey, now: DateTime<Utc>) -> Result<Removal> {
        check_person(&self.scope, access, name_of(key))?;
        self.record(access, key)?;
        let removal = Removal::new(key.clone(), now, access.actor);
        let line = RemovalLine { scope: self.scope.clone(), removal: removal.clone() };
        let bytes = serde_json::to_vec(&line).expect("plain data is always JSON");
        self.storage.replace(&removal_of(key), bytes)?;
        self.remove(key)?;
        Ok(removal)
    }

    fn removals(&self, access: &Access, limit: usize) -> Result<Vec<Removal>> {
        if access.scope != self.scope || access.kind != SessionKind::Main {
            return Ok(Vec::new());
        }
        let mut removals: Vec<Removal> = self.removal_lines()?.into_iter().map(|(_, line)| line).collect();
        removals.sort_by(|one, other| (other.at, &other.key).cmp(&(one.at, &one.key)));
        removals.truncate(limit);
        Ok(removals)
    }

    fn adopt(&self, access: &Access, file: &StoredFile, content: &mut dyn Read) -> Result<bool> {
        check_person(&self.scope, access, name_of(&file.key))?;
        if file.key.parts().0 != self.folder {
            return Err(Error::Denied { name: name_of(&file.key), kind: access.kind });
        }
        if let Some(record) = self.own_record(&file.key)? {
            return record.check_same(file).map(|()| false);
        }
        if self.storage.exists(&removal_of(&file.key))? {
            return Ok(false);
        }
        let (bytes, mut record) = self.take(file.key.as_str(), content)?;
        check_content(file, (record.len, record.sha256))?;
        (record.at, record.shared) = (file.at, file.is_shared);
        // The same bytes stand there at most, of a copy that ended in between.
        self.storage.replace(file.key.as_str(), bytes)?;
        if self.finish(&file.key, &record)? {
            return Ok(true);
        }
        // Another process was first.
        let theirs = self.own_record(&file.key)?;
        theirs.map_or(Ok(false), |record| record.check_same(file).map(|()| false))
    }

    fn erase(&self, access: &Access) -> Result<u64> {
        check_human(&self.scope, access)?;
        let mut erased = 0;
        self.each_key(None, |key| {
            if self.own_record(&key)?.is_some() {
                self.remove(&key)?;
                erased += 1;
            }
            Ok(true)
        })?;
        for (path, _) in self.removal_lines()? {
            self.storage.remove(&path)?;
        }
        Ok(erased)
    }
}

/// The name of the record of a file.
fn record_of(key: &FileKey) -> String {
    let (folder, name) = key.parts();
    format!("{RECORDS}/{folder}/{name}.json")
}

/// The name of the record of its removal.
fn removal_of(key: &FileKey) -> String {
    let (folder, name) = key.parts();
    format!("{REMOVALS}/{folder}/{name}.json")
}
