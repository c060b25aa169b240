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
    /// Statements that go with the next one: each way to the server and back costs as much as a statement.
    waiting: RefCell<Vec<Statement>>,
    is_open: Cell<bool>,
    is_broken: Cell<bool>,
}

/// The most statements that wait.
const WAITING: usize = 8;

/// Makes one statement of several that write; `None` of none.
fn together(mut statements: Vec<Statement>) -> Option<Statement> {
    let last = statements.pop()?;
    if statements.is_empty() {
        return Some(last);
    }
    let (mut sql, mut params) = (String::from("WITH "), Vec::new());
    for (number, statement) in statements.into_iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        sql.push_str(&format!("{comma}put{number} AS ({})", renumbered(&statement.sql, params.len())));
        params.extend(statement.params);
    }
    sql.push(' ');
    sql.push_str(&renumbered(&last.sql, params.len()));
    params.extend(last.params);
    Some(Statement { sql: sql.into(), params })
}

/// Counts the values of a statement on from a number: `$1` is `$4` behind three others.
fn renumbered(sql: &str, by: usize) -> String {
    let mut parts = sql.split('$');
    let mut counted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let number =
            number.parse::<usize>().map_or_else(|_| number.to_owned(), |number| (number + by).to_string());
        counted.push_str(&format!("${number}{rest}"));
    }
    counted
}

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
            let begun = transaction.link.call(move |client| {
                if !client.begin(verb)? {
                    return Ok(None);
                }
                let mut rows = Vec::new();
                for statement in &statements {
                    rows = statement.run(client)?;
                }
                Ok(Some(rows))
            });
            match transaction.watch(begun.and_then(|rows| rows.ok_or(Fault::Pooled))) {
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
        let (before, statement) = (together(self.waiting.take()), Statement { sql: sql.into(), params });
        self.watch(self.link.call(move |client| {
            before.map_or(Ok(Vec::new()), |before| before.run(client))?;
            statement.run(client)
        }))
    }

    /// Runs a statement that adds rows and answers nothing, together with the next one or with the commit. If it fails, that one
    /// fails. All waiting statements become one: none may read what another one writes, or begin with `WITH`.
    pub(super) fn put(&self, sql: impl Into<Cow<'static, str>>, params: Vec<Param>) -> Result<(), Fault> {
        self.waiting.borrow_mut().push(Statement { sql: sql.into(), params });
        if self.waiting.borrow().len() < WAITING {
            return Ok(());
        }
        let Some(statement) = together(self.waiting.take()) else { return Ok(()) };
        self.watch(self.link.call(move |client| statement.run(client).map(drop)))
    }

    /// Commits.
    pub(super) fn commit(self) -> Result<(), NotCommitted> {
        // A server answers COMMIT of a failed transaction with ROLLBACK and no error.
        if self.is_broken.get() {
            return Err(NotCommitted::Refused(Fault::Silent));
        }
        let before = together(self.waiting.take());
        let committed = self.link.call(move |client| match before.map(|before| before.run(client)) {
            Some(Err(error)) => Ok(Err(error)),
            Some(Ok(_)) | None => client.batch_execute("COMMIT").map(Ok),
        });
        let (is_asked, answer) = match committed {
            Ok(Err(error)) => (false, Err(Fault::Said(error))),
            Ok(Ok(())) => (true, Ok(())),
            Err(fault) => (true, Err(fault)),
        };
        match self.watch(answer) {
            Ok(()) => {
                self.is_open.set(false);
                Ok(())
            }
            Err(fault) if is_asked && fault.is_lost() => Err(NotCommitted::Unknown(fault)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::link::params;

    #[test]
    fn statements_that_wait_are_one() {
        let statement = |sql: &'static str, params| Statement { sql: sql.into(), params };
        assert!(together(Vec::new()).is_none());
        let alone = together(vec![statement("INSERT INTO a VALUES ($1)", params![1_i64])]).unwrap();
        assert_eq!((&*alone.sql, alone.params.len()), ("INSERT INTO a VALUES ($1)", 1));
        let all = together(vec![
            statement("INSERT INTO a VALUES ($1, $2, $1)", params![1_i64, 2_i64]),
            statement("INSERT INTO b SELECT w FROM unnest($1) w", params![3_i64]),
            statement("INSERT INTO c VALUES ($2, $10, $1) ON CONFLICT DO NOTHING", params![4_i64, 5_i64]),
        ])
        .unwrap();
        assert_eq!(
            all.sql,
            "WITH put0 AS (INSERT INTO a VALUES ($1, $2, $1)), put1 AS (INSERT INTO b SELECT w FROM unnest($3) w) \
             INSERT INTO c VALUES ($5, $13, $4) ON CONFLICT DO NOTHING"
        );
        let numbers = all.params.iter().map(|param| match param {
            Param::Number(number) => *number,
            other => panic!("{other:?}"),
        });
        assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }
}
