//! The pages of the word index, in files beside the rows: one file for each segment, to which is only added.
//!
//! New pages wait in memory until a checkpoint is written. A file may have pages that no checkpoint names: those of a process
//! that was killed. They are never read, and never written over.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::name::StateName;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::disk::{Disk, DiskFile, Kind, Open};
use crate::search::postings::bits::{Input, put};
use crate::search::postings::{DIRECTORY, Error, Pages, Result};

use super::span::Span;

/// The pages of one index.
#[derive(Debug)]
pub(super) struct FilePages {
    disk: Arc<dyn Disk>,
    /// The pages in files, by segment and number.
    kept: HashMap<u64, SortedMap<u32, Span>>,
    waiting: SortedMap<(u64, u32), Vec<u8>>,
    /// Segments without pages, whose files are to be removed.
    gone: Vec<u64>,
    open: Mutex<HashMap<u64, Arc<dyn DiskFile>>>,
}

impl FilePages {
    /// Makes an index without pages.
    pub(super) fn over(disk: Arc<dyn Disk>) -> Self {
        Self {
            disk,
            kept: HashMap::new(),
            waiting: SortedMap::new(),
            gone: Vec::new(),
            open: Mutex::default(),
        }
    }

    /// Opens all files, so that their pages can be read also where another process removes the files.
    pub(super) fn hold(&self) -> io::Result<()> {
        self.kept.keys().try_for_each(|segment| self.file(*segment).map(drop))
    }

    /// Returns whether no page is in a file.
    pub(super) fn are_all_waiting(&self) -> bool {
        self.kept.is_empty()
    }

    /// Makes an index without pages in the same place.
    pub(super) fn anew(&self) -> Self {
        Self::over(self.disk.clone())
    }

    fn file(&self, segment: u64) -> io::Result<Arc<dyn DiskFile>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&segment) {
            return Ok(file.clone());
        }
        let file: Arc<dyn DiskFile> = self.disk.open(path(segment).as_str(), Open::Read)?.into();
        open.insert(segment, file.clone());
        Ok(file)
    }

    /// Adds what waits to the files; returns where it is. It counts when a checkpoint says so.
    pub(super) fn write_waiting(&self) -> io::Result<Vec<((u64, u32), Span)>> {
        let mut written = Vec::with_capacity(self.waiting.len());
        let pages: Vec<_> = self.waiting.iter().collect();
        for of_segment in pages.chunk_by(|((one, _), _), ((other, _), _)| one == other) {
            let file = self.disk.open(path(of_segment[0].0.0).as_str(), Open::Append)?;
            let mut at = file.stat()?.len;
            let mut bytes = Vec::new();
            for (key, page) in of_segment {
                let len = u32::try_from(page.len()).map_err(io::Error::other)?;
                written.push((**key, Span { at, len }));
                at += u64::from(len);
                bytes.extend_from_slice(page);
            }
            file.append(&bytes)?;
        }
        Ok(written)
    }

    /// Takes in that pages are in files.
    pub(super) fn settle(&mut self, written: Vec<((u64, u32), Span)>) {
        for ((segment, page), span) in written {
            self.waiting.remove(&(segment, page));
            self.kept.entry(segment).or_default().insert(page, span);
        }
    }

    /// Removes files that nothing refers to, after a checkpoint. Where one cannot be removed, the next one tries again.
    pub(super) fn sweep(&mut self) {
        let open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        order::retain(&mut self.gone, |segment| {
            open.remove(segment);
            let removed = self.disk.unlink(path(*segment).as_str());
            removed.is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        });
    }

    /// Holds every page in memory, as if none were in a file.
    pub(super) fn load_all(&mut self) -> Result<()> {
        let kept: Vec<(u64, u32)> =
            self.kept.iter().spread(|(segment, pages)| pages.keys().map(|page| (*segment, *page))).collect();
        for (segment, page) in kept {
            let bytes = self.read(segment, page)?;
            self.waiting.insert((segment, page), bytes);
        }
        self.kept.clear();
        self.gone.clear();
        self.open.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Writes where the pages are, also those that were just written.
    pub(super) fn put(&self, out: &mut Vec<u8>, written: &[((u64, u32), Span)]) {
        let mut all: SortedMap<u64, SortedMap<u32, Span>> = SortedMap::new();
        for (segment, pages) in &self.kept {
            all.entry(*segment).or_default().extend(pages.iter().map(|(page, span)| (*page, *span)));
        }
        for ((segment, page), span) in written {
            all.entry(*segment).or_default().insert(*page, *span);
        }
        put(out, all.len() as u64);
        for (segment, pages) in all {
            put(out, segment);
            put(out, pages.len() as u64);
            let mut end = 0;
            for (page, span) in pages {
                // The pages of directories have the highest bit.
                put(out, u64::from(page & !DIRECTORY) << 1 | u64::from(page >= DIRECTORY));
                span.put(out, end);
                end = span.end();
            }
        }
        put(out, self.gone.len() as u64);
        self.gone.iter().for_each(|segment| put(out, *segment));
    }

    pub(super) fn read_from(input: &mut Input<'_>, disk: Arc<dyn Disk>) -> Result<Self> {
        let mut pages = Self::over(disk);
        for _ in 0..input.count()? {
            let (segment, mut end) = (input.number()?, 0);
            let of_segment = pages.kept.entry(segment).or_default();
            for _ in 0..input.count()? {
                let number = input.number()?;
                let page = u32::try_from(number >> 1).ok().filter(|page| *page < DIRECTORY);
                let page = page.ok_or(Error::Damaged("a page has too great a number"))?;
                let page = if number & 1 > 0 { page | DIRECTORY } else { page };
                let span = Span::read(input, end)?;
                end = span.end();
                of_segment.insert(page, span);
            }
        }
        for _ in 0..input.count()? {
            pages.gone.push(input.number()?);
        }
        Ok(pages)
    }
}

impl Pages for FilePages {
    fn read(&self, segment: u64, page: u32) -> Result<Vec<u8>> {
        if let Some(bytes) = self.waiting.get(&(segment, page)) {
            return Ok(bytes.clone());
        }
        let span = self.kept.get(&segment).and_then(|pages| pages.get(&page));
        let span = span.ok_or(Error::Damaged("a page is missing"))?;
        let file = self.file(segment).map_err(Error::host)?;
        let mut bytes = vec![0; span.len as usize];
        let mut read = 0;
        while read < bytes.len() {
            match file.read_at(&mut bytes[read..], span.at + read as u64).map_err(Error::host)? {
                0 => return Err(Error::Damaged("a page is cut short")),
                more => read += more,
            }
        }
        Ok(bytes)
    }

    fn write(&mut self, segment: u64, page: u32, bytes: &[u8]) -> Result<()> {
        self.waiting.insert((segment, page), bytes.to_owned());
        Ok(())
    }

    fn remove(&mut self, segment: u64, page: u32) -> Result<()> {
        self.waiting.remove(&(segment, page));
        // The last that is removed.
        if page == 0 && self.kept.remove(&segment).is_some() {
            self.gone.push(segment);
        }
        Ok(())
    }
}

fn path(segment: u64) -> StateName {
    StateName::memory_words(segment)
}

/// Removes every file of pages; returns how many there were.
pub(super) fn remove_all(disk: &dyn Disk) -> io::Result<usize> {
    let entries = match disk.list(StateName::MEMORY_WORDS_FOLDER) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let files: Vec<_> = entries.into_iter().filter(|entry| entry.kind == Kind::File).collect();
    for entry in &files {
        disk.unlink(&format!("{}/{}", StateName::MEMORY_WORDS_FOLDER, entry.name))?;
    }
    Ok(files.len())
}
