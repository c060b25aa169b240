//! A disk that is looked at: every verb that writes is refused.

use std::io;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::contract::{Disk, DiskFile, Entry, Open, Stat};
use super::os::OsDisk;

/// The real file system under a folder, for reading alone.
#[derive(Debug)]
pub(crate) struct Looking(OsDisk);

impl Looking {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        OsDisk::open(path).map(Self)
    }
}

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl Disk for Looking {
    fn root(&self) -> &Path {
        self.0.root()
    }

    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        if how == Open::Read { self.0.open(path, how) } else { refused() }
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.0.stat(path)
    }

    fn stat_in(&self, folder: &str, files: &[&str]) -> Vec<io::Result<Option<Stat>>> {
        self.0.stat_in(folder, files)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.0.list(folder)
    }

    fn create_folder(&self, _path: &str) -> io::Result<()> {
        refused()
    }

    fn rename(&self, _from: &str, _to: &str) -> io::Result<()> {
        refused()
    }

    fn rename_new(&self, _from: &str, _to: &str) -> io::Result<()> {
        refused()
    }

    fn unlink(&self, _path: &str) -> io::Result<()> {
        refused()
    }

    fn sync_folder(&self, _folder: &str) -> io::Result<()> {
        refused()
    }

    fn network(&self) -> io::Result<Option<&'static str>> {
        self.0.network()
    }

    fn clock(&self) -> DateTime<Utc> {
        self.0.clock()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&self, duration: Duration) {
        self.0.pause(duration);
    }
}
