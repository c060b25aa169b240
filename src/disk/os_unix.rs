//! Unix: every folder is opened from the one above it, and no link is followed. Linux does so in one call.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use chrono::{DateTime, Utc};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::contract::{Entry, Kind, Open, Stat, refused};
use crate::base::error::Refusal;
use crate::base::gather::Gather as _;

#[derive(Debug)]
pub(super) struct Root(OwnedFd);

/// A folder below the root, or the root itself.
enum Folder<'a> {
    Root(BorrowedFd<'a>),
    Below(OwnedFd),
}

impl AsFd for Folder<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Root(fd) => *fd,
            Self::Below(fd) => fd.as_fd(),
        }
    }
}

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    fn folder(&self, path: &str) -> io::Result<Folder<'_>> {
        if let Some(opened) = below(self.0.as_fd(), path, OFlags::RDONLY | OFlags::DIRECTORY) {
            return Ok(Folder::Below(opened?));
        }
        let mut folder = Folder::Root(self.0.as_fd());
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let below = match rustix::fs::openat(folder.as_fd(), segment, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    let stat = rustix::fs::statat(folder.as_fd(), segment, AtFlags::SYMLINK_NOFOLLOW)?;
                    let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
                    return Err(refused(if is_link { Refusal::Symlink } else { Refusal::NotAFolder }));
                }
                Err(error) => return Err(error.into()),
            };
            folder = Folder::Below(below);
        }
        Ok(folder)
    }

    /// Returns the folder of a path, and its last segment.
    fn parent<'p>(&self, path: &'p str) -> io::Result<(Folder<'_>, &'p str)> {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.folder(folder)?, file))
    }

    pub(super) fn open_file(&self, path: &str, how: Open) -> io::Result<File> {
        let flags = match how {
            Open::Read => OFlags::RDONLY,
            Open::Modify => OFlags::RDWR,
            Open::Append => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
            Open::Ensure => OFlags::RDWR | OFlags::CREATE,
            Open::CreateNew => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
        };
        // NONBLOCK, so that a pipe that somebody put there cannot hold us.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let fd = match below(self.0.as_fd(), path, flags) {
            Some(opened) => opened?,
            None => self.walk_to(path, flags)?,
        };
        let file = File::from(fd);
        if file.metadata()?.is_file() { Ok(file) } else { Err(refused(Refusal::NotAFile)) }
    }

    /// Opens a file from the folder that it is in, and says what is in the way.
    fn walk_to(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let (folder, file) = self.parent(path)?;
        let flags = flags | OFlags::CLOEXEC;
        match rustix::fs::openat(folder.as_fd(), file, flags, Mode::RUSR | Mode::WUSR) {
            Ok(fd) => Ok(fd),
            Err(Errno::LOOP) => Err(refused(Refusal::Symlink)),
            Err(Errno::ISDIR | Errno::NXIO) => Err(refused(Refusal::NotAFile)),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        match self.parent(path) {
            Ok((folder, file)) => stat_below(folder.as_fd(), file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the folder once for all of them.
    pub(super) fn stat_in(&self, folder: &str, files: &[&str]) -> Vec<io::Result<Option<Stat>>> {
        match self.folder(folder) {
            Ok(folder) => files.iter().map(|file| stat_below(folder.as_fd(), file)).gather(),
            // Each of them has the same error, or none: nothing is there.
            Err(_) => files.iter().map(|file| self.stat(&format!("{folder}/{file}"))).gather(),
        }
    }

    pub(super) fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        // So much more memory than a name takes: whoever puts the folder in front of it moves nothing.
        let room = folder.len() + 1;
        let folder = self.folder(folder)?;
        let mut entries = Vec::new();
        for_each_name(folder.as_fd(), |name, file_type| {
            if matches!(name.to_bytes(), b"." | b"..") {
                return Ok(());
            }
            // A name that is no text cannot be opened by us, whatever it is.
            let Ok(text) = name.to_str() else {
                entries.push(Entry { name: name.to_string_lossy().into_owned(), kind: Kind::Other });
                return Ok(());
            };
            let kind = match file_type {
                FileType::Unknown => {
                    let stat = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW)?;
                    kind(FileType::from_raw_mode(stat.st_mode))
                }
                known => kind(known),
            };
            let mut name = String::with_capacity(text.len() + room);
            name.push_str(text);
            entries.push(Entry { name, kind });
            Ok(())
        })?;
        Ok(entries)
    }

    pub(super) fn create_folder(&self, path: &str) -> io::Result<()> {
        let (folder, file) = self.parent(path)?;
        match rustix::fs::mkdirat(folder.as_fd(), file, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from_folder, from) = self.parent(from)?;
        let (to_folder, to) = self.parent(to)?;
        Ok(rustix::fs::renameat(from_folder.as_fd(), from, to_folder.as_fd(), to)?)
    }

    pub(super) fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        let (from_folder, from) = self.parent(from)?;
        let (to_folder, to) = self.parent(to)?;
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        match rustix::fs::renameat_with(
            from_folder.as_fd(),
            from,
            to_folder.as_fd(),
            to,
            rustix::fs::RenameFlags::NOREPLACE,
        ) {
            // A file system, or a kernel, that knows no rename without replacing.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            other => return Ok(other?),
        }
        rustix::fs::linkat(from_folder.as_fd(), from, to_folder.as_fd(), to, AtFlags::empty())?;
        Ok(rustix::fs::unlinkat(from_folder.as_fd(), from, AtFlags::empty())?)
    }

    pub(super) fn unlink(&self, path: &str) -> io::Result<()> {
        let (folder, file) = self.parent(path)?;
        Ok(rustix::fs::unlinkat(folder.as_fd(), file, AtFlags::empty())?)
    }

    pub(super) fn sync_folder(&self, folder: &str) -> io::Result<()> {
        Ok(rustix::fs::fsync(self.folder(folder)?.as_fd())?)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn network(&self) -> io::Result<Option<&'static str>> {
        // The numbers that statfs(2) lists. An unknown FUSE file system may be remote (sshfs), so it counts.
        #[expect(
            clippy::cast_sign_loss,
            clippy::cast_possible_truncation,
            reason = "a magic number has 32 bits"
        )]
        let magic = rustix::fs::fstatfs(&self.0)?.f_type as u32;
        Ok(match magic {
            0x6969 => Some("NFS"),
            0x517b | 0xfe53_4d42 => Some("SMB"),
            0xff53_4d42 => Some("CIFS"),
            0x0102_1997 => Some("9P"),
            0x00c3_6400 => Some("CEPH"),
            0x5346_414f => Some("AFS"),
            0x6573_5546 => Some("FUSE"),
            _ => None,
        })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "one shape on every system")]
    pub(super) fn network(&self) -> io::Result<Option<&'static str>> {
        Ok(None)
    }
}

/// Opens what is below a folder in one call that follows no link and never leaves the folder. `None` if something is
/// in the way, or the system does not know the call. Then only a walk from folder to folder says more.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn below(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::ResolveFlags;

    if path.is_empty() {
        return None;
    }
    let mode = if flags.contains(OFlags::CREATE) { Mode::RUSR | Mode::WUSR } else { Mode::empty() };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, path, flags | OFlags::CLOEXEC, mode, resolve) {
        Ok(fd) => Some(Ok(fd)),
        Err(error @ (Errno::NOENT | Errno::EXIST)) => Some(Err(error.into())),
        Err(_) => None,
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn below(_root: BorrowedFd<'_>, _path: &str, _flags: OFlags) -> Option<io::Result<OwnedFd>> {
    None
}

/// Names what a folder holds, `.` and `..` too, from its beginning.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn for_each_name(
    folder: BorrowedFd<'_>,
    mut take: impl FnMut(&CStr, FileType) -> io::Result<()>,
) -> io::Result<()> {
    // Opened again, since a descriptor remembers how far it was read. Unlike `Dir`, this copies no name.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(folder, ".", flags, Mode::empty())?;
    let mut buffer = Vec::with_capacity(32 << 10);
    let mut names = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = names.next() {
        let entry = entry?;
        take(entry.file_name(), entry.file_type())?;
    }
    Ok(())
}

/// Names what a folder holds, `.` and `..` too, from its beginning.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn for_each_name(
    folder: BorrowedFd<'_>,
    mut take: impl FnMut(&CStr, FileType) -> io::Result<()>,
) -> io::Result<()> {
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        take(entry.file_name(), entry.file_type())?;
    }
    Ok(())
}

fn stat_below(folder: BorrowedFd<'_>, file: &str) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(folder, file, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(convert(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

pub(super) fn stat_file(file: &File) -> io::Result<Stat> {
    let metadata = file.metadata()?;
    Ok(Stat {
        kind: if metadata.is_file() { Kind::File } else { Kind::Other },
        len: metadata.len(),
        modified: instant(metadata.mtime(), metadata.mtime_nsec()),
        mode: metadata.mode() & 0o7777,
        owner: (metadata.uid(), metadata.gid()),
        id: (metadata.dev(), metadata.ino()),
    })
}

pub(super) fn make_like(file: &File, other: &Stat) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != other.owner {
        let (user, group) =
            (rustix::fs::Uid::from_raw(other.owner.0), rustix::fs::Gid::from_raw(other.owner.1));
        // Only the superuser may; anybody else's file becomes theirs, as with every editor.
        let _ = rustix::fs::fchown(file, Some(user), Some(group));
    }
    Ok(rustix::fs::fchmod(file, Mode::from_bits_truncate(other.mode))?)
}

#[expect(clippy::useless_conversion, clippy::cast_sign_loss, reason = "the types differ between systems")]
fn convert(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        kind: kind(FileType::from_raw_mode(stat.st_mode)),
        len: stat.st_size as u64,
        modified: instant(stat.st_mtime.into(), i64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
        mode: u32::from(stat.st_mode) & 0o7777,
        owner: (stat.st_uid, stat.st_gid),
        id: (stat.st_dev, stat.st_ino),
    }
}

fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Other,
    }
}

fn instant(seconds: i64, nanoseconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, u32::try_from(nanoseconds).unwrap_or(0)).unwrap_or_default()
}
