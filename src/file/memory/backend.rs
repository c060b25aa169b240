//! The file of rows: how it is opened, read and changed.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::keeper::Keeper;
use super::lines::Lines;
use super::table::Table;
use crate::base::access::Scope;
use crate::base::error::{At, Error, Result};
use crate::base::name::{Name, StateName};
use crate::disk::Disk;
use crate::file::write_guard::write_guard_within;
use crate::store::StoreConfig;
use crate::store::backend::{Backend, Changes, Rows};

/// The file of one scope in a folder.
pub(super) struct FileBackend {
    disk: Arc<dyn Disk>,
    scope: Scope,
    patience: Duration,
    bound: Option<u64>,
    lines: Mutex<Lines>,
}

impl FileBackend {
    /// Reads the file, where there is one, by its table.
    pub(super) fn over(
        disk: Arc<dyn Disk>,
        scope: &Scope,
        config: &StoreConfig,
        every: usize,
    ) -> Result<Self> {
        let root = disk.root().display().to_string();
        if let Some(file_system) = disk.network().at("look at", &root)? {
            return Err(Error::NetworkFileSystem { path: root, file_system });
        }
        let (edges, observer) = (config.edges.clone(), config.observer.clone());
        let keeper = Keeper { disk: disk.clone(), edges, observer, every };
        let backend = Self {
            disk,
            scope: scope.clone(),
            patience: config.patience,
            bound: config.max_file_bytes,
            lines: Mutex::new(Lines::over(keeper)),
        };
        let is_due = backend.fresh()?.is_due();
        if is_due {
            backend.save();
        }
        Ok(backend)
    }

    /// Returns the rows, with what other processes wrote meanwhile.
    fn fresh(&self) -> Result<MutexGuard<'_, Lines>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.catch_up(self.disk.as_ref(), &self.scope)?;
        Ok(lines)
    }

    /// Writes the table of a large file that has none, unless somebody is changing the file. It is no more than time that is
    /// lost where that fails.
    fn save(&self) {
        if let Ok(_guard) = write_guard_within(self.disk.as_ref(), Duration::ZERO)
            && let Ok(mut lines) = self.fresh()
        {
            lines.keep_up(self.disk.as_ref());
        }
    }

    fn table<'a>(&'a self, lines: &'a mut Lines) -> Table<'a> {
        let knows_vectors = Cell::new(false);
        Table { lines, disk: self.disk.as_ref(), scope: &self.scope, bound: self.bound, knows_vectors }
    }
}

impl Backend for FileBackend {
    fn location(&self) -> String {
        self.disk.root().join(StateName::MEMORIES.as_str()).display().to_string()
    }

    fn audit_name(&self) -> Name {
        StateName::MEMORIES.into()
    }

    fn read_rows(&self, _action: &'static str, read: &mut dyn FnMut(&dyn Rows) -> Result<()>) -> Result<()> {
        let mut lines = self.fresh()?;
        read(&self.table(&mut lines))
    }

    fn change_rows(
        &self,
        _action: &'static str,
        change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>,
    ) -> Result<()> {
        let _guard = write_guard_within(self.disk.as_ref(), self.patience)?;
        let mut lines = self.fresh()?;
        change(&mut self.table(&mut lines))
    }
}
