//! The contract of a disk: verbs on files below one root, and a test can make each fail.

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::base::error::Refusal;
use crate::base::gather::Gather as _;

/// The folder of this library's own files, and of every file until it is complete.
pub(crate) const STATE_FOLDER: &str = ".dreaming.d";

/// The file system under one root folder.
pub trait Disk: Debug + Send + Sync {
    /// Returns the root, for messages.
    fn root(&self) -> &Path;

    /// Opens a plain file.
    ///
    /// # Errors
    ///
    /// As the operating system says; a [`Refusal`](crate::workspace::Refusal) inside where no plain file is there.
    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>>;

    /// Looks at a name without following it; `None` if nothing exists.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn stat(&self, path: &str) -> io::Result<Option<Stat>>;

    /// Looks at many names of one folder, the root for `""`: what [`stat`](Self::stat) says of each, in order.
    fn stat_in(&self, folder: &str, files: &[&str]) -> Vec<io::Result<Option<Stat>>> {
        let path = |file: &str| if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
        files.iter().map(|file| self.stat(&path(file))).gather()
    }

    /// Lists a folder, the root for `""`, in no order.
    ///
    /// # Errors
    ///
    /// As the operating system says; not found where there is none.
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>>;

    /// Makes a folder with mode 0700, where it does not exist.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn create_folder(&self, path: &str) -> io::Result<()>;

    /// Renames a file, and replaces an existing one.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Renames a file if nothing has the new name.
    ///
    /// # Errors
    ///
    /// Already exists, or as the operating system says.
    fn rename_new(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn unlink(&self, path: &str) -> io::Result<()>;

    /// Makes the names in a folder durable, the root for `""`.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn sync_folder(&self, folder: &str) -> io::Result<()>;

    /// Names the network file system that the root lies on, if it does.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn network(&self) -> io::Result<Option<&'static str>>;

    /// Returns the time on the wall.
    fn clock(&self) -> DateTime<Utc>;

    /// Returns a time that never goes back.
    fn elapsed(&self) -> Duration;

    /// Waits.
    fn pause(&self, duration: Duration);
}

/// An open file.
pub trait DiskFile: Debug + Send + Sync {
    /// Reads at an offset; 0 at the end.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes at an offset.
    ///
    /// # Errors
    ///
    /// As the operating system says; a part may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Writes all bytes at the end of a file that was opened with [`Open::Append`].
    ///
    /// # Errors
    ///
    /// As the operating system says; a part may have been written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Makes content and length durable.
    ///
    /// # Errors
    ///
    /// As the operating system says; never tried twice on one file.
    fn sync(&self) -> io::Result<()>;

    /// Looks at the file.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn stat(&self) -> io::Result<Stat>;

    /// Gives it the permissions of another file, and its owner where that is allowed.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn make_like(&self, other: &Stat) -> io::Result<()>;

    /// Takes the kernel's exclusive lock, until the file is dropped; `false` where another has it.
    ///
    /// # Errors
    ///
    /// As the operating system says.
    fn try_lock(&self) -> io::Result<bool>;
}

/// The way in which a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// To read.
    Read,
    /// To read and write in place.
    Modify,
    /// To write at the end; made with mode 0600 where it is missing.
    Append,
    /// To read and write; made with mode 0600 where it is missing.
    Ensure,
    /// A new file with mode 0600, to write.
    CreateNew,
}

/// The metadata of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The kind of what has the name.
    pub kind: Kind,
    /// Its length in bytes.
    pub len: u64,
    /// When it was last changed.
    pub modified: DateTime<Utc>,
    /// Its permission bits; 0 where the system has none.
    pub mode: u32,
    /// Its user and group; zeros where the system has none.
    pub owner: (u32, u32),
    /// The identity of the file: device and inode; zeros if the system does not say.
    pub id: (u64, u64),
}

/// The kind of a file system entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Symlink,
    /// A pipe, socket or device.
    Other,
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name; what is not Unicode is replaced, and such a name cannot be opened.
    pub name: String,
    /// The kind of what has the name.
    pub kind: Kind,
}

/// Returns an error that says why no plain file or folder was found.
pub(super) fn refused(refusal: Refusal) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, refusal)
}
