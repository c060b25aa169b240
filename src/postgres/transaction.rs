//! A transaction as one scope: its settings hold until it ends, and no longer.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use ::postgres::Row;

use super::fault::Fault;
use super::link::{Param, Statement};
use super::pool::{Lent, Pool};
use crate::base::access::Scope;

/// A transaction on a lent connection. It is rolled back where it is dropped.
pub(super) struct Transaction {
    link: Lent,
    /// What goes with the next statement: each way to the server and back costs as much as a statement.
    waiting: RefCell<Vec<Statement>>,
    is_open: Cell<bool>,
    is_broken: Cell<bool>,
}

/// The most statements that wait.
const WAITING: usize = 32;

/// The end of a transaction that was to be committed and was not.
#[derive(Debug)]
pub(super) enum NotCommitted {
    /// The server refused, and nothing was changed.
    Refused(Fault),
    /// Nobody knows whether it was committed.
    Unknown(Fault),
}

impl Transaction {
    /// Begins a transaction by `verb`, with `opening`, its settings and locks. Nothing of it has happened where it fails, so a connection that died
    /// idle is replaced.
    pub(super) fn begin(
        pool: &Arc<Pool>,
        verb: &'static str,
        opening: &[Statement],
    ) -> Result<(Self, Vec<Row>), Fault> {
        loop {
            let link = pool.lend()?;
            let was_idle = link.was_idle;
            let transaction = Self {
                link,
                waiting: RefCell::default(),
                is_open: Cell::new(true),
                is_broken: Cell::new(false),
            };
            let statements = opening.to_vec();
            let begun = transaction.watch(transaction.link.call(move |client| {
                client.batch_execute(verb)?;
                let mut rows = Vec::new();
                for statement in &statements {
                    rows = statement.run(client)?;
                }
                Ok(rows)
            }));
            match begun {
                Ok(rows) => return Ok((transaction, rows)),
                Err(fault) if was_idle && fault.is_lost() => {
                    drop(transaction);
                    pool.forget_idle();
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn watch<T>(&self, answer: Result<T, Fault>) -> Result<T, Fault> {
        answer.inspect_err(|fault| {
            self.is_broken.set(true);
            if fault.is_lost() {
                self.is_open.set(false);
            }
        })
    }

    /// Runs a statement.
    pub(super) fn run(
        &self,
        sql: impl Into<Cow<'static, str>>,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, Fault> {
        let (before, statement) = (self.waiting.take(), Statement { sql: sql.into(), params });
        self.watch(self.link.call(move |client| {
            before.iter().try_for_each(|statement| statement.run(client).map(drop))?;
            statement.run(client)
        }))
    }

    /// Runs a statement that answers nothing, with the next one or with the commit, which then fails where it does.
    pub(super) fn put(&self, sql: impl Into<Cow<'static, str>>, params: Vec<Param>) -> Result<(), Fault> {
        if self.waiting.borrow().len() >= WAITING {
            return self.run(sql, params).map(drop);
        }
        self.waiting.borrow_mut().push(Statement { sql: sql.into(), params });
        Ok(())
    }

    /// Commits.
    pub(super) fn commit(self) -> Result<(), NotCommitted> {
        // A server answers COMMIT of a failed transaction with ROLLBACK and no error.
        if self.is_broken.get() {
            return Err(NotCommitted::Refused(Fault::Silent));
        }
        let before = self.waiting.take();
        let committed = self.link.call(move |client| {
            before.iter().try_for_each(|statement| statement.run(client).map(drop))?;
            client.batch_execute("COMMIT")
        });
        match self.watch(committed) {
            Ok(()) => {
                self.is_open.set(false);
                Ok(())
            }
            Err(fault) if fault.is_lost() => Err(NotCommitted::Unknown(fault)),
            Err(fault) => Err(NotCommitted::Refused(fault)),
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let is_ended = !self.is_broken.get() && !self.is_open.get();
        let is_usable = is_ended
            || self.is_open.get() && self.link.call(|client| client.batch_execute("ROLLBACK")).is_ok();
        if !is_usable {
            self.link.throw_away();
        }
    }
}

/// Returns user and agent, the first values of each statement on rows.
pub(super) fn key(scope: &Scope) -> Vec<Param> {
    vec![Param::from(&scope.user), Param::from(&scope.agent)]
}
