//! Where the pages of segments are kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::bits::unsealed;
use super::error::{Error, Result};

/// A keeper of pages. It never changes their bytes, and may forget those that no saved manifest names.
pub trait Pages {
    /// Reads a page.
    ///
    /// # Errors
    ///
    /// [`Error`], where the keeper fails or has no such page.
    fn read(&self, segment: u64, page: u32) -> Result<Vec<u8>>;
    /// Writes a page that no saved manifest names; replaces one that a crash left there.
    ///
    /// # Errors
    ///
    /// [`Error`], where the keeper fails.
    fn write(&mut self, segment: u64, page: u32, bytes: &[u8]) -> Result<()>;
    /// Removes a page, where there is one. Page 0 of a segment is the last that is removed.
    ///
    /// # Errors
    ///
    /// [`Error`], where the keeper fails.
    fn remove(&mut self, segment: u64, page: u32) -> Result<()>;
}

/// Pages above this number hold the directory of their segment.
pub const DIRECTORY: u32 = 1 << 31;

/// A number for the place of a page, so that no page is taken for another one.
pub(crate) fn place(segment: u64, page: u32) -> u64 {
    segment.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(page)
}

/// Checked pages in memory, up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    most: usize,
    held: Mutex<Held>,
}

/// Pages that were read lately, and those before them.
#[derive(Debug, Default)]
struct Held {
    young: HashMap<(u64, u32), Arc<[u8]>>,
    old: HashMap<(u64, u32), Arc<[u8]>>,
    bytes: usize,
}

impl Cache {
    /// A cache with a limit in bytes.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, held: Mutex::default() }
    }

    pub(crate) fn get(&self, key: (u64, u32)) -> Option<Arc<[u8]>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = held.young.get(&key) {
            return Some(page.clone());
        }
        let page = held.old.remove(&key)?;
        held.keep(key, page.clone(), self.most);
        Some(page)
    }

    pub(crate) fn keep(&self, key: (u64, u32), page: Arc<[u8]>) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).keep(key, page, self.most);
    }
}

impl Held {
    fn keep(&mut self, key: (u64, u32), page: Arc<[u8]>, most: usize) {
        if most == 0 {
            return;
        }
        self.bytes += page.len();
        if let Some(before) = self.young.insert(key, page) {
            self.bytes -= before.len();
        }
        if self.bytes > most / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
    }
}

/// Reads pages, from memory where they are there.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) pages: &'a dyn Pages,
    pub(crate) cache: &'a Cache,
}

impl Reader<'_> {
    /// A page whose checksum is right.
    pub(crate) fn page(&self, segment: u64, page: u32) -> Result<Arc<[u8]>> {
        if let Some(page) = self.cache.get((segment, page)) {
            return Ok(page);
        }
        let bytes = self.pages.read(segment, page)?;
        let body = unsealed(&bytes, place(segment, page))?;
        if body.len() > u32::MAX as usize / 8 {
            return Err(Error::Damaged("a page is too long"));
        }
        let read: Arc<[u8]> = Arc::from(body);
        self.cache.keep((segment, page), read.clone());
        Ok(read)
    }
}

/// Pages in memory.
#[cfg(test)]
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryPages {
    pub(crate) pages: HashMap<u64, HashMap<u32, Vec<u8>>>,
}

#[cfg(test)]
impl Pages for MemoryPages {
    fn read(&self, segment: u64, page: u32) -> Result<Vec<u8>> {
        let bytes = self.pages.get(&segment).and_then(|pages| pages.get(&page));
        bytes.cloned().ok_or(Error::Damaged("a page is missing"))
    }

    fn write(&mut self, segment: u64, page: u32, bytes: &[u8]) -> Result<()> {
        self.pages.entry(segment).or_default().insert(page, bytes.to_owned());
        Ok(())
    }

    fn remove(&mut self, segment: u64, page: u32) -> Result<()> {
        if let Some(pages) = self.pages.get_mut(&segment) {
            pages.remove(&page);
            if pages.is_empty() {
                self.pages.remove(&segment);
            }
        }
        Ok(())
    }
}
