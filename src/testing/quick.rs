//! A disk on which nothing is waited for.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::base::debug::debug_as;
use crate::disk::{Disk, DiskFile, Entry, Open, Stat};

/// A disk that syncs nothing, for tests in which nothing crashes; all else is done by the disk below it.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::testing::{QuickDisk, folder};
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let root = tempfile::tempdir()?;
/// let full = QuickDisk::new(folder(root.path())?)
///     .appending(|_file, _bytes| Err(std::io::ErrorKind::StorageFull.into()));
/// let workspace = FileWorkspace::on_disk(Arc::new(full));
/// assert!(workspace.append(&DocName::MEMORY, b"- Likes tea.\n").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct QuickDisk {
    disk: Arc<dyn Disk>,
    append: Append,
}

type AppendFn = dyn Fn(&dyn DiskFile, &[u8]) -> io::Result<()> + Send + Sync;

/// The function that appends to the file below.
#[derive(Clone)]
struct Append(Arc<AppendFn>);

debug_as!(Append, "Append");

impl QuickDisk {
    /// Wraps a disk.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>) -> Self {
        Self { disk, append: Append(Arc::new(|file, bytes| file.append(bytes))) }
    }

    /// Sets what an append does in place of appending: to append less, or to fail.
    #[must_use]
    pub fn appending(
        mut self,
        append: impl Fn(&dyn DiskFile, &[u8]) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.append = Append(Arc::new(append));
        self
    }
}

impl Disk for QuickDisk {
    fn root(&self) -> &Path {
        self.disk.root()
    }

    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        let file = self.disk.open(path, how)?;
        Ok(Box::new(QuickFile { file, append: self.append.clone() }))
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.disk.stat(path)
    }

    fn stat_in(&self, folder: &str, files: &[&str]) -> Vec<io::Result<Option<Stat>>> {
        self.disk.stat_in(folder, files)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.disk.list(folder)
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.disk.create_folder(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename_new(from, to)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        self.disk.unlink(path)
    }

    fn sync_folder(&self, _folder: &str) -> io::Result<()> {
        Ok(())
    }

    fn network(&self) -> io::Result<Option<&'static str>> {
        self.disk.network()
    }

    fn clock(&self) -> DateTime<Utc> {
        self.disk.clock()
    }

    fn elapsed(&self) -> Duration {
        self.disk.elapsed()
    }

    fn pause(&self, duration: Duration) {
        self.disk.pause(duration);
    }
}

#[derive(Debug)]
struct QuickFile {
    file: Box<dyn DiskFile>,
    append: Append,
}

impl DiskFile for QuickFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(bytes, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        (self.append.0)(self.file.as_ref(), bytes)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn stat(&self) -> io::Result<Stat> {
        self.file.stat()
    }

    fn make_like(&self, other: &Stat) -> io::Result<()> {
        self.file.make_like(other)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }
}
