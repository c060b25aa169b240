//! A workspace in a folder: plain files that a person can read, edit, grep and keep in git.

mod lease;
mod memory;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::base::document::{Document, Revision};
use crate::base::error::{At, Error, Refusal, Result};
use crate::base::name::{DocName, Name};
use crate::disk::{Disk, DiskFile, Kind, Open, OsDisk, Stat, atomic};
use crate::trace;
use crate::workspace::contract::line_break_before;
use crate::workspace::{Claim, ClaimTerms, Listing, MAX_DOCUMENT, Metadata, Reach, Workspace, WriteMode};

pub use memory::FileMemoryStore;

/// A workspace in a folder.
///
/// Opening it writes nothing. Files are made with mode 0600 and folders with 0700; a file that is replaced
/// keeps its mode. Nothing is read or written outside the folder: names are checked, and symbolic links
/// below the root are refused; the root itself may be one.
///
/// The folder may be an agent's home or that of a project: a sync and a list of all folders look at the library's
/// [own](Reach::own) documents and at those that were [declared](Self::reaching), and walk nothing else. A copy, a look for
/// secrets and a request to forget go through all of it.
///
/// Not for network drives: exclusive creation and locks cannot be trusted on every client, so
/// [`claim`](Workspace::claim) refuses them where it can tell.
///
/// Clones are the same workspace.
///
/// # Example: two editors, one file
///
/// ```
/// use noctuary::{DocName, Error, FileWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let seen = workspace.write(&DocName::USER, b"- Name: Marta\n", WriteMode::Create)?;
///
/// workspace.write(&DocName::USER, b"- Name: Marta L.\n", WriteMode::IfRevision(seen))?;
/// let late = workspace.write(&DocName::USER, b"- Name: M.\n", WriteMode::IfRevision(seen));
/// assert!(matches!(late, Err(Error::Conflict { current: Some(_), .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FileWorkspace {
    disk: Arc<dyn Disk>,
    reach: Reach,
}

/// The short lock of every mutation.
const WRITE_GUARD: &str = ".dreaming.d/write-guard";
/// How long a mutation waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);

impl FileWorkspace {
    /// Opens an existing folder.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, or it cannot be entered.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        OsDisk::open(path).at("open", path.display()).map(|disk| Self::over(Arc::new(disk)))
    }

    /// Opens a workspace over another disk: one that fails, or whose clock is set.
    #[cfg(any(test, feature = "testing"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
    #[must_use]
    pub fn on_disk(disk: Arc<dyn Disk>) -> Self {
        Self::over(disk)
    }

    fn over(disk: Arc<dyn Disk>) -> Self {
        Self { disk, reach: Reach::own() }
    }

    /// Sets which documents are looked for where nobody names them; [`Reach::own`] unless said. Other files of the folder
    /// are read and written where they are named, and not walked.
    #[must_use]
    pub fn reaching(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Says where the workspace is: an explicit argument, else the variable `MINARA_WORKSPACE_DIR`, else the
    /// seed's default `~/.minara/workspace`. A `~/` at the front stands for `HOME`.
    ///
    /// ```
    /// use std::path::Path;
    /// use noctuary::FileWorkspace;
    ///
    /// let env = |name: &str| (name == "HOME").then(|| "/home/marta".to_owned());
    /// let path = FileWorkspace::locate(None, env)?;
    /// assert_eq!(path, Path::new("/home/marta/.minara/workspace"));
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where `HOME` is needed and not set.
    pub fn locate(argument: Option<&Path>, lookup: impl Fn(&str) -> Option<String>) -> Result<PathBuf> {
        let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let path = match argument {
            Some(path) => path.to_owned(),
            None => set("MINARA_WORKSPACE_DIR").unwrap_or_else(|| "~/.minara/workspace".to_owned()).into(),
        };
        let Ok(below_home) = path.strip_prefix("~") else { return Ok(path) };
        let home = set("HOME")
            .ok_or(Error::Config { setting: "HOME", rule: "must be set to find the workspace" })?;
        Ok(Path::new(&home).join(below_home))
    }

    /// Runs a mutation while no other of this workspace runs, in any process.
    fn exclusively<T>(&self, mutate: impl FnOnce() -> Result<T>) -> Result<T> {
        let _guard = write_guard(self.disk.as_ref())?;
        mutate()
    }
}

/// Takes the write guard; it is free again when the file is dropped.
fn write_guard(disk: &dyn Disk) -> Result<Box<dyn DiskFile>> {
    write_guard_within(disk, PATIENCE)
}

/// As [`write_guard`], waiting for so long.
fn write_guard_within(disk: &dyn Disk, patience: Duration) -> Result<Box<dyn DiskFile>> {
    atomic::create_folder_of(disk, WRITE_GUARD)?;
    let begun = disk.elapsed();
    let mut pause = Duration::from_micros(50);
    loop {
        if let Some(file) = atomic::lock_named(disk, WRITE_GUARD)? {
            return Ok(file);
        }
        if disk.elapsed().saturating_sub(begun) > patience {
            return Err(Error::Busy { path: WRITE_GUARD.to_owned() });
        }
        disk.pause(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

impl Workspace for FileWorkspace {
    fn location(&self) -> String {
        self.disk.root().display().to_string()
    }

    fn reach(&self) -> Reach {
        self.reach.clone()
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        let path = folder.map_or("", |name| name.as_str());
        let mut entries = match self.disk.list(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Listing::default()),
            Err(error) => return Err(error).at("list", path),
        };
        // Most names differ in their first bytes, and one number is compared faster than two names.
        entries.sort_by_cached_key(|entry| first_bytes(&entry.name));
        let mut documents = Vec::with_capacity(entries.len());
        let (mut folders, mut refused) = (Vec::new(), Vec::new());
        for entry in entries {
            let name = match folder {
                Some(folder) => folder.join(&entry.name),
                None => DocName::parse(entry.name.as_str()),
            };
            if name.is_err() && entry.name.starts_with('.') {
                continue;
            }
            match (name, entry.kind) {
                (Ok(name), Kind::File) => documents.push(name),
                (Ok(name), Kind::Folder) => folders.push(name),
                _ => refused.push(entry.name),
            }
        }
        Ok(Listing::new(documents, folders, refused))
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        Ok(look(self.disk.as_ref(), name)?.map(|stat| metadata(&stat)))
    }

    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunk_by(|one, other| one.folder() == other.folder()) {
            let files: Vec<&str> = names.iter().map(|name| name.file_name()).collect();
            let stats = self.disk.stat_in(names[0].folder().unwrap_or_default(), &files);
            let plain = |(name, stat)| Ok(plain_file(name, stat)?.map(|stat| metadata(&stat)));
            found.extend(names.iter().copied().zip(stats).map(plain));
        }
        found
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        read(self.disk.as_ref(), name)
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        let len = range.end.saturating_sub(range.start);
        if len > MAX_DOCUMENT {
            return Err(Error::TooLarge { name: name.clone(), len, limit: MAX_DOCUMENT });
        }
        match self.disk.open(name.as_str(), Open::Read) {
            Ok(file) => atomic::read_range(file.as_ref(), range.start, len).at("read", name),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).at("open", name),
        }
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        self.exclusively(|| write(self.disk.as_ref(), name, bytes, mode))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.exclusively(|| append(self.disk.as_ref(), name, bytes))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.exclusively(|| remove(self.disk.as_ref(), name))
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.exclusively(|| {
            if self.metadata(from)?.is_none() {
                return Err(Error::NotFound { name: from.clone() });
            }
            atomic::create_folder_of(self.disk.as_ref(), to.as_str())?;
            match self.disk.rename_new(from.as_str(), to.as_str()) {
                Ok(()) => {
                    atomic::sync_folders_of(self.disk.as_ref(), to.as_str())?;
                    atomic::sync_folder_of(self.disk.as_ref(), from.as_str())
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    Err(conflict(self.disk.as_ref(), to)?)
                }
                Err(error) => Err(error).at("rename", from),
            }
        })
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        trace::claim(|| lease::claim(&self.disk, terms))
    }
}

fn conflict(disk: &dyn Disk, name: &Name) -> Result<Error> {
    let current = match read(disk, name) {
        Ok(current) => current.map(Box::new),
        Err(Error::TooLarge { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Error::Conflict { name: name.clone(), current })
}

/// The first 16 bytes of a name as a number; names in ascending order have ascending numbers.
fn first_bytes(name: &str) -> u128 {
    let mut bytes = [0; 16];
    let len = name.len().min(16);
    bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
    u128::from_be_bytes(bytes)
}

fn metadata(stat: &Stat) -> Metadata {
    Metadata { len: stat.len, modified: stat.modified }
}

/// Looks at a plain file; `None` where nothing has the name, refused where something else has.
fn look(disk: &dyn Disk, name: &Name) -> Result<Option<Stat>> {
    plain_file(name, disk.stat(name.as_str()))
}

/// Judges a look at a name that should be a plain file's.
fn plain_file(name: &Name, stat: io::Result<Option<Stat>>) -> Result<Option<Stat>> {
    let stat = stat.at("look at", name)?;
    let reason = match stat.map(|stat| stat.kind) {
        None | Some(Kind::File) => return Ok(stat),
        Some(Kind::Symlink) => Refusal::Symlink,
        Some(Kind::Folder | Kind::Other) => Refusal::NotAFile,
    };
    Err(Error::Refused { path: name.to_string(), reason })
}

fn read(disk: &dyn Disk, name: &Name) -> Result<Option<Document>> {
    let Some(stat) = look(disk, name)? else { return Ok(None) };
    let too_large = |len| Err(Error::TooLarge { name: name.clone(), len, limit: MAX_DOCUMENT });
    if stat.len > MAX_DOCUMENT {
        return too_large(stat.len);
    }
    match atomic::read(disk, name.as_str(), MAX_DOCUMENT)? {
        // It grew between the look and the read.
        Some(bytes) if bytes.len() as u64 > MAX_DOCUMENT => too_large(bytes.len() as u64),
        bytes => Ok(bytes.map(|bytes| Document::new(name.clone(), bytes))),
    }
}

/// Writes under the write guard, which the caller holds.
fn write(disk: &dyn Disk, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
    let written = Revision::of(bytes);
    let path = name.as_str();
    let standing = look(disk, name)?;
    let stands_there = || -> Result<bool> {
        Ok(standing.is_some_and(|stat| stat.len == bytes.len() as u64)
            && read(disk, name)?.is_some_and(|document| document.revision() == written))
    };
    match mode {
        WriteMode::Create => {
            atomic::create_folder_of(disk, path)?;
            return if atomic::create(disk, path, bytes)? { Ok(written) } else { Err(conflict(disk, name)?) };
        }
        // An earlier writer of the same bytes may have failed to make them durable.
        WriteMode::Replace | WriteMode::IfRevision(_) if stands_there()? => {
            return atomic::settle(disk, path).map(|()| written);
        }
        WriteMode::IfRevision(seen) => {
            let current = read(disk, name)?;
            if current.as_ref().map(Document::revision) != Some(seen) {
                return Err(Error::Conflict { name: name.clone(), current: current.map(Box::new) });
            }
        }
        WriteMode::Replace => atomic::create_folder_of(disk, path)?,
    }
    atomic::replace(disk, path, bytes)?;
    Ok(written)
}

/// Appends under the write guard, which the caller holds.
fn append(disk: &dyn Disk, name: &Name, bytes: &[u8]) -> Result<()> {
    let (file, len) = open_to_append(disk, name)?;
    // In one write: what is torn after the line break has ended a line, and no more.
    add(file.as_ref(), name, &[line_break(file.as_ref(), name, len, bytes)?, bytes].concat())
}

/// Adds exactly these bytes under the write guard, if the file is still so long.
fn finish(disk: &dyn Disk, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
    let (file, standing) = open_to_append(disk, name)?;
    if standing == len { add(file.as_ref(), name, rest).map(|()| true) } else { Ok(false) }
}

fn open_to_append(disk: &dyn Disk, name: &Name) -> Result<(Box<dyn DiskFile>, u64)> {
    let path = name.as_str();
    atomic::create_folder_of(disk, path)?;
    let file = disk.open(path, Open::Append).at("open", path)?;
    let len = file.stat().at("look at", path)?.len;
    if len == 0 {
        // It may be new, and its name not durable yet; before the first bytes, so that a retry does it again.
        // A file with bytes has its name from a writer that synced it. Where that one was killed before, the
        // name becomes durable with the file if the file system has a journal, and otherwise may be lost.
        atomic::sync_folders_of(disk, path)?;
    }
    Ok((file, len))
}

fn line_break(file: &dyn DiskFile, name: &Name, len: u64, bytes: &[u8]) -> Result<&'static [u8]> {
    if line_break_before(Some(b'x'), bytes).is_empty() {
        return Ok(b"");
    }
    let last = atomic::read_range(file, len.saturating_sub(1), 1).at("read the end of", name)?;
    Ok(line_break_before(last.last().copied(), bytes))
}

fn add(file: &dyn DiskFile, name: &Name, bytes: &[u8]) -> Result<()> {
    file.append(bytes).at("append to", name)?;
    file.sync().map_err(atomic::unsynced).at("sync", name)
}

/// Removes under the write guard, which the caller holds.
fn remove(disk: &dyn Disk, name: &Name) -> Result<bool> {
    if look(disk, name)?.is_none() { Ok(false) } else { atomic::remove(disk, name.as_str()) }
}

impl fmt::Debug for FileWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileWorkspace({})", self.disk.root().display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_wins_over_the_variable_over_the_default() {
        let env = |name: &str| match name {
            "HOME" => Some("/home/m".to_owned()),
            "MINARA_WORKSPACE_DIR" => Some("~/.openclaw/workspace".to_owned()),
            _ => None,
        };
        let locate = |argument, env: &dyn Fn(&str) -> Option<String>| FileWorkspace::locate(argument, env);
        assert_eq!(locate(Some(Path::new("/srv/w")), &env).unwrap(), Path::new("/srv/w"));
        assert_eq!(locate(None, &env).unwrap(), Path::new("/home/m/.openclaw/workspace"));
        let home = |name: &str| (name == "HOME").then(|| "/home/m".to_owned());
        assert_eq!(locate(None, &home).unwrap(), Path::new("/home/m/.minara/workspace"));
        assert!(matches!(locate(None, &|_| None), Err(Error::Config { setting: "HOME", .. })));
    }
}
