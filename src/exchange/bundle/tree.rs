//! The files of a bundle, in memory and in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::base::debug::debug_as;
use crate::base::error::{At, Error, Refusal, Result};
use crate::base::name::DocName;
use crate::disk::{Disk, Kind, Looking, Open, OsDisk, atomic};
use crate::workspace::MAX_DOCUMENT;

/// A bundle: paths and bytes. The same memory makes the same bundle.
///
/// ```
/// use noctuary::exchange::{Bundle, Export};
/// use noctuary::{Access, FileWorkspace, Scope};
///
/// let (home, out) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// std::fs::write(home.path().join("MEMORY.md"), "- tea\n")?;
/// let marta = Access::human(Scope::user("marta"));
/// let bundle = Export::new(&marta).workspace(&FileWorkspace::open(home.path())?).run()?;
/// bundle.write_to(out.path().join("bundle"), &[home.path()])?; // never where a model reads files
/// assert_eq!(Bundle::read(out.path().join("bundle"))?, bundle);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<String, Vec<u8>>,
    /// Files that are too large to be read.
    too_large: BTreeSet<String>,
}

debug_as!(Bundle, |it| "Bundle {{ files: {} }}", it.files.len());

/// The folder of exports in a folder of data. (seed 003)
const EXPORTS: &str = "exports";

/// The most files that are read of a folder.
const MOST_FILES: usize = 1_000_000;

impl Bundle {
    /// Returns the files, by their path in the folder, ascending.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Returns a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Returns the files above [`MAX_DOCUMENT`] that [`read`](Self::read) left out, ascending. An import refuses each, and
    /// brings the others in.
    pub fn too_large(&self) -> impl Iterator<Item = &str> {
        self.too_large.iter().map(String::as_str)
    }

    pub(super) fn is_too_large(&self, path: &str) -> bool {
        self.too_large.contains(path)
    }

    /// Puts a file in, as another program may have changed it.
    pub fn put(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }

    /// Takes a file out.
    pub fn take(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.remove(path)
    }

    /// Reads a bundle from a folder, or the one file of a foreign export. Links, devices and hidden names in a folder are
    /// left out, and so are files above [`MAX_DOCUMENT`], which are [named](Self::too_large).
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, and those of reading.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self> {
        let path = folder.as_ref();
        if path.is_file() {
            return Self::read_file(path);
        }
        let disk = Looking::open(path).at("open", path.display())?;
        let mut bundle = Self::default();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in disk.list(&folder).at("list", path.display())? {
                let path = if folder.is_empty() { entry.name } else { format!("{folder}/{}", entry.name) };
                // A name with dot segments or a hidden one is nobody's entry.
                if DocName::parse(path.as_str()).is_err() {
                    continue;
                }
                match entry.kind {
                    Kind::Folder => folders.push(path),
                    Kind::File if bundle.files.len() < MOST_FILES => bundle.take_in(&disk, path)?,
                    _ => {}
                }
            }
        }
        Ok(bundle)
    }

    fn read_file(path: &Path) -> Result<Self> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let disk = Looking::open(parent).at("open", parent.display())?;
        let mut bundle = Self::default();
        bundle.take_in(&disk, path.file_name().unwrap_or_default().to_string_lossy().into_owned())?;
        Ok(bundle)
    }

    /// Takes in a file of a disk. If it is too large, only its name is taken.
    fn take_in(&mut self, disk: &Looking, path: String) -> Result<()> {
        let bytes = atomic::read(disk, &path, MAX_DOCUMENT)?.unwrap_or_default();
        if bytes.len() as u64 > MAX_DOCUMENT {
            self.too_large.insert(path);
        } else {
            self.files.insert(path, bytes);
        }
        Ok(())
    }

    /// Writes a bundle below a folder of data, into `exports/<time>`, which is new: `exports/20261121T091405Z`. Returns that folder. Give
    /// the folders whose files a model may read: none of them holds it.
    ///
    /// ```
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::exchange::Bundle;
    ///
    /// let data = tempfile::tempdir()?;
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 14, 5).unwrap();
    /// let folder = Bundle::default().write_below(data.path(), now, &[])?;
    /// assert!(folder.ends_with("exports/20261121T091405Z"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`write_to`](Self::write_to); [`Error::Refused`] too for the second export of one second.
    pub fn write_below(
        &self,
        data: impl AsRef<Path>,
        now: DateTime<Utc>,
        sandboxes: &[&Path],
    ) -> Result<PathBuf> {
        let path = data.as_ref();
        let disk = OsDisk::open(path).at("open", path.display())?;
        if disk.stat(EXPORTS).at("look at", EXPORTS)?.is_none() {
            disk.create_folder(EXPORTS).at("create", EXPORTS)?;
        }
        let folder = disk.root().join(EXPORTS).join(now.format("%Y%m%dT%H%M%SZ").to_string());
        self.write_to(&folder, sandboxes)?;
        Ok(folder)
    }

    /// Writes a bundle into a folder that is new or empty. Never into one of `sandboxes`, whose files a model may read.
    /// When it returns, the files survive a power loss.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for a folder that is not empty or lies in a sandbox; those of writing, which leave a part of it.
    pub fn write_to(&self, folder: impl AsRef<Path>, sandboxes: &[&Path]) -> Result<()> {
        let path = folder.as_ref();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let refused = |reason| Err(Error::Refused { path: path.display().to_string(), reason });
        let home = OsDisk::open(parent).at("open", parent.display())?;
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return refused(Refusal::NotAFolder);
        };
        let target = home.root().join(name);
        for sandbox in sandboxes {
            let sandbox = sandbox.canonicalize().at("open", sandbox.display())?;
            if target.starts_with(&sandbox) {
                return refused(Refusal::InSandbox);
            }
        }
        match home.stat(name).at("look at", name)? {
            None => home.create_folder(name).at("create", path.display())?,
            Some(stat) if stat.kind == Kind::Folder => {}
            Some(_) => return refused(Refusal::NotAFolder),
        }
        let disk = OsDisk::open(&target).at("open", target.display())?;
        if !disk.list("").at("list", target.display())?.is_empty() {
            return refused(Refusal::NotEmpty);
        }
        let mut folders: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, bytes) in &self.files {
            for (at, _) in path.match_indices('/') {
                if disk.stat(&path[..at]).at("look at", path)?.is_none() {
                    disk.create_folder(&path[..at]).at("create", path)?;
                }
            }
            let file = disk.open(path, Open::CreateNew).at("create", path)?;
            file.write_at(bytes, 0).at("write to", path)?;
            file.sync().map_err(atomic::unsynced).at("sync", path)?;
            folders.insert(path.rsplit_once('/').map_or("", |(folder, _)| folder), path);
        }
        // Once for each folder, when all its files are there.
        for path in folders.into_values() {
            atomic::sync_folders_of(&disk, path)?;
        }
        home.sync_folder("").map_err(atomic::unsynced).at("sync", parent.display())
    }
}
