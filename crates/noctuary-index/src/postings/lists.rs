//! The latest rows of terms in memory, as they were asked for.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// Lists of the latest rows by term, as they were asked for. Each change of a row changes them too.
#[derive(Debug, Default)]
pub(super) struct Latest {
    lists: Mutex<Lists>,
}

/// Lists that were asked for lately, and those before them.
#[derive(Debug, Default)]
struct Lists {
    young: HashMap<Box<[u8]>, List>,
    old: HashMap<Box<[u8]>, List>,
    /// How many bytes the young ones take, nearly.
    bytes: usize,
}

/// The latest rows with a term.
#[derive(Debug, Default)]
struct List {
    /// Ascending.
    ids: Vec<i64>,
    /// Whether no other row has it.
    is_all: bool,
}

/// The most bytes of young lists that are kept; twice as many are kept of all.
const YOUNG_BYTES: usize = if cfg!(test) { 1 << 10 } else { 12 << 20 };
/// A list is not kept longer.
pub(super) const LONGEST: usize = 1024;

impl Latest {
    /// Returns the latest rows of a term where as many are known, the greatest id first.
    pub(super) fn get(&self, term: &[u8], most: usize) -> Option<Vec<i64>> {
        let lists = &mut *self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if !lists.old.is_empty()
            && let Some((term, list)) = lists.old.remove_entry(term)
        {
            lists.keep(term, list);
        }
        let List { ids, is_all } = lists.young.get(term)?;
        (*is_all || ids.len() >= most).then(|| ids.iter().rev().take(most).copied().collect())
    }

    /// Keeps the found rows, the greatest id first.
    pub(super) fn keep(&self, term: &[u8], found: &[i64], is_all: bool) {
        let ids = found.iter().rev().copied().collect();
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).keep(term.into(), List { ids, is_all });
    }

    /// Takes a new row in.
    pub(super) fn add<'a>(&mut self, id: i64, terms: impl Iterator<Item = &'a [u8]>) {
        self.change(terms, |list| {
            match list.ids.binary_search(&id) {
                // Of a list that is not of all rows, the rows before its first are not known.
                Err(0) if !list.is_all => {}
                Err(at) => list.ids.insert(at, id),
                Ok(_) => {}
            }
            if list.ids.len() > LONGEST {
                list.ids.drain(..LONGEST / 2);
                list.is_all = false;
            }
        });
    }

    /// Takes a row out.
    pub(super) fn remove<'a>(&mut self, id: i64, terms: impl Iterator<Item = &'a [u8]>) {
        self.change(terms, |list| {
            if let Ok(at) = list.ids.binary_search(&id) {
                list.ids.remove(at);
            }
        });
    }

    fn change<'a>(&mut self, terms: impl Iterator<Item = &'a [u8]>, change: impl Fn(&mut List)) {
        let lists = self.lists.get_mut().unwrap_or_else(PoisonError::into_inner);
        if lists.young.is_empty() && lists.old.is_empty() {
            return;
        }
        for term in terms {
            for list in [lists.young.get_mut(term), lists.old.get_mut(term)].into_iter().flatten() {
                change(list);
            }
        }
    }
}

impl Lists {
    fn keep(&mut self, term: Box<[u8]>, list: List) {
        if self.bytes > YOUNG_BYTES {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += 96 + term.len() + 8 * list.ids.len();
        self.young.insert(term, list);
    }
}
