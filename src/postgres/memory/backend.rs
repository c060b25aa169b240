//! The tables of one scope: how they are opened, read and changed.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::postgres::Row;

use super::state::{self, State};
use super::table::{Held, PostgresBackend, Table};
use crate::base::error::Result;
use crate::base::name::{Name, StateName};
use crate::edges::EdgeExtractor;
use crate::postgres::fault::Fault;
use crate::postgres::kept::Moment;
use crate::postgres::link::params;
use crate::postgres::scoped::ScopedServer;
use crate::postgres::transaction::Transaction;
use crate::store::backend::{Backend, Changes, Rows};

impl PostgresBackend {
    pub(super) fn over(
        server: ScopedServer,
        patience: Duration,
        extractor: Option<Arc<dyn EdgeExtractor>>,
    ) -> Result<Self> {
        let location = server.location();
        let backend = Self { server: server.patient(patience), location, extractor, known: Mutex::new(None) };
        if !backend.server.is_looking && !backend.look("open", |table| Ok(table.are_terms_known()))? {
            backend.renew_terms("open")?;
        }
        Ok(backend)
    }

    /// Takes all rows into the word index anew.
    fn renew_terms(&self, action: &'static str) -> Result<()> {
        self.alter(action, |table| table.renew_terms())
    }

    fn held(&self, action: &'static str, rows: &[Row]) -> Result<RefCell<Held>> {
        let state = State::read(rows).map_err(|error| Fault::Said(error).fold(action, &self.location))?;
        Ok(RefCell::new(Held { state, ..Held::default() }))
    }

    /// Reads in one view of the tables.
    pub(super) fn look<T>(
        &self,
        action: &'static str,
        read: impl FnOnce(&Table<'_>) -> Result<T>,
    ) -> Result<T> {
        let folded = |fault: Fault| fault.fold(action, &self.location);
        let broken = self.server.shared.pool.broken();
        self.server.look(folded, State::asked(self.server.key()), |transaction, rows| {
            let held = self.held(action, rows)?;
            let State { change, memory: last, .. } = held.borrow().state;
            // Where a connection broke meanwhile, nobody knows which server answers.
            let is_known = change != 0 && broken == self.server.shared.pool.broken();
            held.borrow_mut().moment = is_known.then_some(Moment { change, broken, last });
            read(&Table { backend: self, transaction, action, held: &held })
        })
    }

    /// Changes the tables in one step.
    pub(super) fn alter<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut Table<'_>) -> Result<T>,
    ) -> Result<T> {
        let opening = State::asked(self.server.key());
        let changes_rows = Cell::new(false);
        let alter = |transaction: &Transaction, rows: &[Row]| {
            let held = self.held(action, rows)?;
            let before = held.borrow().state;
            let mut table = Table { backend: self, transaction, action, held: &held };
            let changed = change(&mut table)?;
            table.flush()?;
            let after = table.state();
            changes_rows.set(after.change != before.change);
            if after != before {
                table.put(state::WRITE, params![after.numbers()])?;
            }
            Ok(changed)
        };
        let changed = self.server.change(action, &self.location, Some(opening), alter)?;
        if changes_rows.get() {
            self.server.shared.kept().forget(&self.server.scope);
        }
        Ok(changed)
    }
}

impl Backend for PostgresBackend {
    fn location(&self) -> String {
        self.location.clone()
    }

    fn audit_name(&self) -> Name {
        StateName::row("memory_audit", "all").into()
    }

    fn read_rows(&self, action: &'static str, read: &mut dyn FnMut(&dyn Rows) -> Result<()>) -> Result<()> {
        self.look(action, |table| read(table))
    }

    fn change_rows(
        &self,
        action: &'static str,
        change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>,
    ) -> Result<()> {
        self.alter(action, |table| change(table))
    }

    fn mend_index(&self) -> Result<bool> {
        self.renew_terms("rebuild the index of").map(|()| true)
    }

    /// No role but the owner of a table may vacuum it, and nobody can take words out of the log of changes.
    fn wipe(&self, is_forgotten: bool) -> Result<Option<&'static str>> {
        const LEFT: &str = "removed rows in the server's files until it vacuums them, its log of changes, and backups: \
                            its operator knows when they are gone";
        Ok(is_forgotten.then_some(LEFT))
    }
}
