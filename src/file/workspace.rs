//! A workspace in a folder: plain files that a person can read, edit, grep and keep in git.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::belongings::Belongings;
use super::documents::{self, conflict, look, plain_file};
use super::hidden;
use super::lease;
use super::write_guard::write_guard;
use crate::base::debug::debug_as;
use crate::base::document::{Document, Revision};
use crate::base::error::{At, Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::base::spread::Spread;
use crate::disk::{Disk, Kind, Open, OsDisk, Stat, atomic};
use crate::trace;
use crate::workspace::{Claim, ClaimTerms, Listing, MAX_DOCUMENT, Metadata, Reach, Workspace, WriteMode};

/// A workspace in a folder.
///
/// Opening it writes nothing. Files are made with mode 0600 and folders with 0700; a file that is replaced keeps its
/// mode. Nothing is read or written outside the folder. Names are checked, and symbolic links below the root are
/// refused. The root itself may be one.
///
/// The folder may be an agent's home or that of a project. A sync and a list of all folders look only at the library's
/// [own](Reach::own) documents and at [declared](Self::reaching) ones. A copy, a look for secrets and a request to
/// forget go through all of it.
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

    pub(crate) fn over(disk: Arc<dyn Disk>) -> Self {
        Self { disk, reach: Reach::own() }
    }

    /// Sets which documents are looked for where nobody names them; [`Reach::own`] unless said. Other files of the folder
    /// are read and written where they are named, and not walked.
    #[must_use]
    pub fn reaching(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Returns the files of the life in the folder, and what beside them is a person's. To erase a life, remove the first and
    /// name the others. Works on damaged files too, since none is opened.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where a folder cannot be listed.
    pub fn belongings(&self) -> Result<Belongings> {
        Belongings::of(self.disk.as_ref())
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
        order::sort_by_key(&mut entries, |entry| first_bytes(&entry.name));
        for alike in entries.chunk_by_mut(|one, other| first_bytes(&one.name) == first_bytes(&other.name)) {
            order::sort_by(alike, |one, other| one.name.cmp(&other.name));
        }
        let mut documents = Vec::with_capacity(entries.len());
        let (mut folders, mut refused) = (Vec::new(), Vec::new());
        for entry in entries {
            match (DocName::within(folder, entry.name), entry.kind) {
                (Ok(name), Kind::File) => documents.push(name),
                (Ok(name), Kind::Folder) => folders.push(name),
                (Ok(name), _) => refused.push(name.file_name().to_owned()),
                (Err(hidden), _) if hidden.starts_with('.') => {}
                (Err(other), _) => refused.push(other),
            }
        }
        Ok(Listing::of_ascending(documents, folders, refused))
    }

    fn hidden(&self) -> Result<Vec<Name>> {
        hidden::hidden(self.disk.as_ref())
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        Ok(look(self.disk.as_ref(), name)?.map(|stat| metadata(&stat)))
    }

    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        let mut found = Vec::with_capacity(names.len());
        let of_folders = names.chunk_by(|one, other| one.folder() == other.folder());
        for names in of_folders.spread(|names| names.chunks(AT_ONCE)) {
            let files: Vec<&str> = names.iter().map(|name| name.file_name()).collect();
            let stats = self.disk.stat_in(names[0].folder().unwrap_or_default(), &files);
            let plain = |(name, stat)| Ok(plain_file(name, stat)?.map(|stat| metadata(&stat)));
            found.extend(names.iter().copied().zip(stats).map(plain));
        }
        found
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        documents::read(self.disk.as_ref(), name)
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
        self.exclusively(|| documents::write(self.disk.as_ref(), name, bytes, mode))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.exclusively(|| documents::append(self.disk.as_ref(), name, bytes))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.exclusively(|| documents::remove(self.disk.as_ref(), name))
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

debug_as!(FileWorkspace, |it| "FileWorkspace({})", it.disk.root().display());

fn metadata(stat: &Stat) -> Metadata {
    Metadata { len: stat.len, modified: stat.modified }
}

/// The number of files that are looked at together: their answers fit into the processor's cache.
const AT_ONCE: usize = 256;

/// Returns the first 16 bytes of a name as a number; names in ascending order have ascending numbers.
fn first_bytes(name: &str) -> u128 {
    let mut bytes = [0; 16];
    let len = name.len().min(16);
    bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WS-02, CF-07
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
