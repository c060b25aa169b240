//! A disk that fails when it is told to, and whose clock can be set.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::faults::{Faults, stable};
use crate::base::error::{At, Result};
use crate::disk::{Disk, DiskFile, Entry, Open, OsDisk, Stat};

/// Opens the real file system under a folder, to wrap it.
///
/// # Errors
///
/// [`Error::Io`](crate::Error::Io) where there is no such folder.
pub fn folder(path: impl AsRef<Path>) -> Result<Arc<dyn Disk>> {
    let path = path.as_ref();
    Ok(Arc::new(OsDisk::open(path).at("open", path.display())?))
}

/// A disk whose every operation asks [`Faults`] first. Reads count too.
#[derive(Debug, Clone)]
pub struct FaultyDisk {
    disk: Arc<dyn Disk>,
    faults: Faults,
    shift: Arc<Mutex<TimeDelta>>,
    network: Option<&'static str>,
}

impl FaultyDisk {
    /// Wraps a disk.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, faults: Faults) -> Self {
        Self { disk, faults, shift: Arc::new(Mutex::new(TimeDelta::zero())), network: None }
    }

    /// Pretends to lie on a network file system.
    #[must_use]
    pub fn on_network(mut self, file_system: &'static str) -> Self {
        self.network = Some(file_system);
        self
    }

    /// Sets the wall clock ahead, or back.
    pub fn shift_clock(&self, by: TimeDelta) {
        *self.shift.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    fn pass(&self, verb: &str, path: &str) -> io::Result<()> {
        self.faults.pass(&format!("{verb} {}", stable(path)))
    }
}

impl Disk for FaultyDisk {
    fn root(&self) -> &Path {
        self.disk.root()
    }

    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        self.pass("open", path)?;
        let file = self.disk.open(path, how)?;
        Ok(Box::new(FaultyFile { file, path: PathBuf::from(stable(path)), faults: self.faults.clone() }))
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.pass("stat", path)?;
        self.disk.stat(path)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        self.pass("list", folder)?;
        self.disk.list(folder)
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        self.pass("create folder", path)?;
        self.disk.create_folder(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.pass("rename to", to)?;
        self.disk.rename(from, to)
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.pass("rename new to", to)?;
        self.disk.rename_new(from, to)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        self.pass("unlink", path)?;
        self.disk.unlink(path)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.pass("sync folder", folder)?;
        self.disk.sync_folder(folder)
    }

    fn network(&self) -> io::Result<Option<&'static str>> {
        self.pass("look at the file system of", "")?;
        if self.network.is_some() { Ok(self.network) } else { self.disk.network() }
    }

    fn clock(&self) -> DateTime<Utc> {
        self.disk.clock() + *self.shift.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn elapsed(&self) -> Duration {
        self.disk.elapsed()
    }

    fn pause(&self, duration: Duration) {
        self.disk.pause(duration);
    }
}

#[derive(Debug)]
struct FaultyFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    faults: Faults,
}

impl FaultyFile {
    fn pass(&self, verb: &str) -> io::Result<()> {
        self.faults.pass(&format!("{verb} {}", self.path.display()))
    }
}

impl DiskFile for FaultyFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.pass("read")?;
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.pass("write")?;
        self.file.write_at(bytes, offset)
    }

    /// A failing append leaves half of the bytes, as a full disk does.
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.pass("append to") {
            self.file.append(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.file.append(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.pass("sync")?;
        self.file.sync()
    }

    fn stat(&self) -> io::Result<Stat> {
        self.pass("look at")?;
        self.file.stat()
    }

    fn make_like(&self, other: &Stat) -> io::Result<()> {
        self.pass("set the mode of")?;
        self.file.make_like(other)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.pass("lock")?;
        self.file.try_lock()
    }
}
