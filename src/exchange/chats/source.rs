//! The files of an export: one file, those of a folder, or those of a zip. They are only read.

use std::cmp::Ordering;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use chrono::{DateTime, Utc};
use zip::ZipArchive;

use super::plan::LeftOut;
use crate::base::error::{At, Error, Result};
use crate::base::name::DocName;
use crate::disk::{Disk, DiskFile, Kind, Looking, Open};

/// The place of what is read: a file of an export.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) name: &'p str,
    pub(super) modified: DateTime<Utc>,
    is_packed: bool,
}

const BROKEN: &str = "it does not unpack to its end; download the export again";

impl<'p> Place<'p> {
    /// Returns its name without the ending, with its folders: two files of one name are two conversations.
    pub(super) fn stem(self) -> &'p str {
        match self.name.rsplit_once('.') {
            Some((stem, ending)) if !ending.contains('/') => stem,
            _ => self.name,
        }
    }

    /// Ends reading it by an error. A zip that is damaged keeps what was read of it.
    pub(super) fn failed(self, error: io::Error, left: &mut LeftOut) -> Result<()> {
        if !self.is_packed {
            return Err(error).at("read", self.name);
        }
        left.refuse(self.name, BROKEN);
        Ok(())
    }
}

/// Takes each file of an export that is wanted, by its name; of a path that is a file, that file. Says how many there were.
pub(super) fn each(
    path: &Path,
    wants: &dyn Fn(&str) -> bool,
    left: &mut LeftOut,
    take: &mut dyn FnMut(Place<'_>, &mut dyn BufRead, &mut LeftOut) -> Result<()>,
) -> Result<usize> {
    if path.is_dir() {
        let disk = Looking::open(path).at("open", path.display())?;
        let files = files(&disk, wants, left)?;
        for name in &files {
            let (file, modified) = Streamed::open(&disk, name)?;
            let mut reader = BufReader::with_capacity(BUFFER, file);
            take(Place { name, modified, is_packed: false }, &mut reader, left)?;
        }
        return Ok(files.len());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let disk = Looking::open(folder).at("open", folder.display())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (file, modified) = Streamed::open(&disk, &name)?;
    let mut reader = BufReader::with_capacity(BUFFER, file);
    if !reader.fill_buf().at("read", &name)?.starts_with(b"PK\x03\x04") {
        take(Place { name: &name, modified, is_packed: false }, &mut reader, left)?;
        return Ok(1);
    }
    let broken = |_| {
        let what = "it is a zip of which a part is missing; download the export again";
        Error::Corrupt { name: path.display().to_string(), line: 0, column: 0, what }
    };
    let mut archive = ZipArchive::new(reader).map_err(broken)?;
    let name_of = |at: usize| Some((archive.name_for_index(at)?.ok()?.into_owned(), at));
    let mut names: Vec<(String, usize)> = (0..archive.len()).filter_map(name_of).collect();
    names.retain(|(name, _)| wants(name.rsplit('/').next().unwrap_or(name)));
    names.sort_unstable_by(|(one, _), (other, _)| lists_first(one, other));
    for (name, at) in &names {
        let Ok(file) = archive.by_index(*at) else {
            left.refuse(name, BROKEN);
            continue;
        };
        let mut reader = BufReader::with_capacity(BUFFER, file);
        take(Place { name, modified, is_packed: true }, &mut reader, left)?;
    }
    Ok(names.len())
}

const BUFFER: usize = 1 << 16;

/// Returns the wanted files below a folder, ascending; lists (`.json`) before all others.
fn files(disk: &Looking, wants: &dyn Fn(&str) -> bool, left: &mut LeftOut) -> Result<Vec<String>> {
    let (mut folders, mut files) = (vec![String::new()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in disk.list(&folder).at("list", disk.root().join(&folder).display())? {
            let path =
                if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
            // A hidden name is no part of an export.
            if entry.name.starts_with('.') {
                continue;
            }
            let is_name = DocName::parse(path.as_str()).is_ok();
            match entry.kind {
                Kind::Folder if is_name => folders.push(path),
                Kind::File if is_name && wants(&entry.name) => files.push(path),
                Kind::File if !wants(&entry.name) => {}
                Kind::Folder | Kind::File => left.refuse(&path, "its name cannot be used; rename it"),
                Kind::Symlink | Kind::Other => {
                    left.refuse(&path, "it is a link or no plain file, and is not followed");
                }
            }
        }
    }
    files.sort_unstable_by(|one, other| lists_first(one, other));
    Ok(files)
}

/// Orders files by name, lists (`.json`) before all others: they say which sessions have a person.
fn lists_first(one: &str, other: &str) -> Ordering {
    let is_list = |path: &str| path.rsplit('.').next() == Some("json");
    is_list(other).cmp(&is_list(one)).then_with(|| one.cmp(other))
}

/// A file of a disk as a stream.
struct Streamed {
    file: Box<dyn DiskFile>,
    at: u64,
    len: u64,
}

impl Streamed {
    fn open(disk: &Looking, path: &str) -> Result<(Self, DateTime<Utc>)> {
        let file = disk.open(path, Open::Read).at("open", path)?;
        let stat = file.stat().at("look at", path)?;
        Ok((Self { file, at: 0, len: stat.len }, stat.modified))
    }
}

impl Read for Streamed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Streamed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
