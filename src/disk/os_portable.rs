//! Systems without unix' relative opens: each path is checked for links before it is used. Somebody who can
//! swap a folder for a link between the check and the use can lead us out of the root.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::contract::{Entry, Kind, Open, Stat, refused};
use crate::base::error::Refusal;
use crate::base::gather::Gather as _;

#[derive(Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.is_dir() {
            Ok(Self(path.to_owned()))
        } else {
            Err(refused(Refusal::NotAFolder))
        }
    }

    /// Returns the path below the root, after a look at each folder on the way.
    fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        let mut full = self.0.clone();
        let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
        while let Some(segment) = segments.next() {
            full.push(segment);
            if segments.peek().is_some() {
                let kind = fs::symlink_metadata(&full)?.file_type();
                if kind.is_symlink() {
                    return Err(refused(Refusal::Symlink));
                }
                if !kind.is_dir() {
                    return Err(refused(Refusal::NotAFolder));
                }
            }
        }
        Ok(full)
    }

    pub(super) fn open_file(&self, path: &str, how: Open) -> io::Result<File> {
        let full = self.resolve(path)?;
        match fs::symlink_metadata(&full) {
            Ok(metadata) if metadata.file_type().is_symlink() => return Err(refused(Refusal::Symlink)),
            Ok(metadata) if !metadata.is_file() => return Err(refused(Refusal::NotAFile)),
            _ => {}
        }
        let mut options = OpenOptions::new();
        match how {
            Open::Read => options.read(true),
            Open::Modify => options.read(true).write(true),
            Open::Append => options.read(true).append(true).create(true),
            Open::Ensure => options.read(true).write(true).create(true).truncate(false),
            Open::CreateNew => options.read(true).write(true).create_new(true),
        };
        options.open(full)
    }

    pub(super) fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        match self.resolve(path).and_then(fs::symlink_metadata) {
            Ok(metadata) => Ok(Some(convert(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn stat_in(&self, folder: &str, files: &[&str]) -> Vec<io::Result<Option<Stat>>> {
        files.iter().map(|file| self.stat(&format!("{folder}/{file}"))).gather()
    }

    pub(super) fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let full = self.resolve(folder)?;
        let kind_of_folder = fs::symlink_metadata(&full)?.file_type();
        if !folder.is_empty() && kind_of_folder.is_symlink() {
            return Err(refused(Refusal::Symlink));
        }
        if kind_of_folder.is_file() {
            return Err(refused(Refusal::NotAFolder));
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(full)? {
            let entry = entry?;
            let kind =
                if entry.file_name().to_str().is_some() { kind(entry.file_type()?) } else { Kind::Other };
            entries.push(Entry { name: entry.file_name().to_string_lossy().into_owned(), kind });
        }
        Ok(entries)
    }

    pub(super) fn create_folder(&self, path: &str) -> io::Result<()> {
        match fs::create_dir(self.resolve(path)?) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.resolve(from)?, self.resolve(to)?)
    }

    pub(super) fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        let from = self.resolve(from)?;
        fs::hard_link(&from, self.resolve(to)?)?;
        fs::remove_file(from)
    }

    pub(super) fn unlink(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.resolve(path)?)
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "folders cannot be synced here")]
    pub(super) fn sync_folder(&self, _folder: &str) -> io::Result<()> {
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "one shape on every system")]
    pub(super) fn network(&self) -> io::Result<Option<&'static str>> {
        Ok(None)
    }
}

pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut file = file;
    file.seek(SeekFrom::Start(offset))?;
    file.read(buffer)
}

pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut file = file;
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

pub(super) fn stat_file(file: &File) -> io::Result<Stat> {
    Ok(convert(&file.metadata()?))
}

#[expect(clippy::unnecessary_wraps, reason = "one shape on every system")]
pub(super) fn make_like(_file: &File, _other: &Stat) -> io::Result<()> {
    Ok(())
}

fn convert(metadata: &fs::Metadata) -> Stat {
    Stat {
        kind: kind(metadata.file_type()),
        len: metadata.len(),
        modified: metadata.modified().map(DateTime::<Utc>::from).unwrap_or_default(),
        mode: 0,
        owner: (0, 0),
        id: (0, 0),
    }
}

fn kind(file_type: fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}
