//! The operating system's file system.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::contract::{Disk, DiskFile, Entry, Open, Stat};
use super::lock;
#[cfg(not(unix))]
use super::os_portable as system;
#[cfg(unix)]
use super::os_unix as system;

/// Returns the time on the wall, for files that are on no disk.
#[cfg(feature = "sqlite")]
pub(crate) fn wall_clock() -> DateTime<Utc> {
    Utc::now()
}

/// The real file system under a root folder.
#[derive(Debug)]
pub(crate) struct OsDisk {
    path: PathBuf,
    root: system::Root,
    started: Instant,
}

impl OsDisk {
    /// Opens a folder. It may be reached through symbolic links; they are resolved once, here.
    ///
    /// # Errors
    ///
    /// As the operating system says, among others where there is no such folder.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(Self { root: system::Root::open(&path)?, path, started: Instant::now() })
    }
}

impl Disk for OsDisk {
    fn root(&self) -> &Path {
        &self.path
    }

    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OsFile { file: self.root.open_file(path, how)?, is_locked: AtomicBool::new(false) }))
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.root.stat(path)
    }

    fn stat_in(&self, folder: &str, files: &[&str]) -> Vec<io::Result<Option<Stat>>> {
        self.root.stat_in(folder, files)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.root.list(folder)
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.root.create_folder(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.root.rename(from, to)
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.root.rename_new(from, to)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        self.root.unlink(path)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.root.sync_folder(folder)
    }

    fn network(&self) -> io::Result<Option<&'static str>> {
        self.root.network()
    }

    fn clock(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn pause(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

#[derive(Debug)]
struct OsFile {
    file: File,
    is_locked: AtomicBool,
}

impl Drop for OsFile {
    fn drop(&mut self) {
        if *self.is_locked.get_mut() {
            lock::unlock(&self.file);
        }
    }
}

impl DiskFile for OsFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        system::read_at(&self.file, buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        system::write_at(&self.file, bytes, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.file).write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn stat(&self) -> io::Result<Stat> {
        system::stat_file(&self.file)
    }

    fn make_like(&self, other: &Stat) -> io::Result<()> {
        system::make_like(&self.file, other)
    }

    fn try_lock(&self) -> io::Result<bool> {
        let locked = lock::try_lock(&self.file)?;
        self.is_locked.fetch_or(locked, Ordering::Relaxed);
        Ok(locked)
    }
}
