//! A server as one scope sees it: transactions that know whose they are, and what became of one whose end nobody told.

use std::fmt;
use std::sync::Arc;

use ::postgres::Row;

use super::documents::Rows;
use super::fault::Fault;
use super::link::{Param, Statement};
use super::shared::Shared;
use super::transaction::{NotCommitted, Transaction, key};
use crate::base::access::Scope;
use crate::base::error::{Error, Result};
use crate::base::name::Name;
use crate::disk::host;

/// A server as one scope sees it: what a workspace and its leases share.
pub(super) struct ScopedServer {
    pub(super) shared: Arc<Shared>,
    pub(super) scope: Scope,
    pub(super) opening: Statement,
    /// Whether it only looks: the server itself refuses every change then.
    pub(super) is_looking: bool,
}

/// Sets the scope of a transaction, the place of its tables, and its waiting times, only until its end. An acknowledged commit
/// survives a power loss, even if the server's default is not to wait. Statements are short: to compile one, or to share it
/// between processes, costs more than to run it.
const OPENING: &str = "
    SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
           set_config('statement_timeout', $3, true), set_config('idle_in_transaction_session_timeout', $3, true),
           set_config('noctuary.user', $4, true), set_config('noctuary.agent', $5, true),
           CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END,
           set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)";

/// Counts the write, and locks the scope until its end: writes of a scope follow one another.
const COUNT: &str = "
    INSERT INTO lives (user_id, agent_id, writes, recent) VALUES ($1, $2, 1, ARRAY[$3])
    ON CONFLICT (user_id, agent_id) DO UPDATE SET writes = lives.writes + 1, recent = (ARRAY[$3] || lives.recent)[1:32]
    RETURNING writes";

/// The number of writes whose tokens are kept.
const KEPT_TOKENS: i64 = 32;

pub(super) const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

impl ScopedServer {
    pub(super) fn new(shared: Arc<Shared>, scope: Scope) -> Self {
        let settings = &shared.settings;
        let params = vec![
            Param::Text(format!("\"{}\", pg_temp", settings.schema)),
            Param::Text(millis(settings.lock_timeout)),
            Param::Text(millis(settings.statement_timeout)),
            Param::from(&scope.user),
            Param::from(&scope.agent),
        ];
        let opening = Statement { sql: OPENING.into(), params };
        Self { shared, scope, opening, is_looking: false }
    }

    /// Lets it look, and change nothing.
    pub(super) fn looking(mut self, is_looking: bool) -> Self {
        self.is_looking = is_looking;
        self
    }

    /// Returns the statement that begins a mutation.
    fn writing(&self) -> &'static str {
        if self.is_looking { READ } else { WRITE }
    }

    /// Waits for another writer of the scope for this long.
    pub(super) fn patient(mut self, patience: std::time::Duration) -> Self {
        self.opening.params[1] = Param::Text(millis(patience));
        self
    }

    /// Says where it is, without user and password.
    pub(super) fn location(&self) -> String {
        self.shared.pool.address().to_string()
    }

    /// Returns user and agent, as the first values of a statement.
    pub(super) fn key(&self) -> Vec<Param> {
        key(&self.scope)
    }

    /// Runs queries that see one moment.
    pub(super) fn read<T>(
        &self,
        action: &'static str,
        name: impl fmt::Display,
        query: impl FnOnce(&Transaction) -> Result<T, Fault>,
    ) -> Result<T> {
        let begun = Transaction::begin(&self.shared.pool, READ, std::slice::from_ref(&self.opening));
        let found = begun.and_then(|(transaction, _)| query(&transaction));
        found.map_err(|fault| fault.fold(action, format_args!("{name} in {}", self.location())))
    }

    /// Runs queries that see one moment, behind one that opens it.
    pub(super) fn look<T>(
        &self,
        folded: impl Fn(Fault) -> Error,
        opening: Statement,
        query: impl FnOnce(&Transaction, &[Row]) -> Result<T>,
    ) -> Result<T> {
        let opening = [self.opening.clone(), opening];
        let (transaction, rows) = Transaction::begin(&self.shared.pool, READ, &opening).map_err(folded)?;
        query(&transaction, &rows)
    }

    /// Runs a mutation that needs no lock of the scope and whose outcome nobody waits for.
    pub(super) fn note(&self, action: &'static str, sql: &'static str, params: Vec<Param>) -> Result<()> {
        let folded = |fault: Fault| fault.fold(action, self.location());
        let (transaction, _) =
            Transaction::begin(&self.shared.pool, self.writing(), std::slice::from_ref(&self.opening))
                .map_err(folded)?;
        transaction.run(sql, params).map_err(folded)?;
        transaction
            .commit()
            .map_err(|(NotCommitted::Refused(fault) | NotCommitted::Unknown(fault))| folded(fault))
    }

    /// Runs a mutation of a name in one transaction, alone in its scope: all of it, or nothing.
    pub(super) fn write<T>(
        &self,
        action: &'static str,
        name: &Name,
        mutate: impl FnOnce(&Rows<'_>) -> Result<T>,
    ) -> Result<T> {
        let location = self.location();
        self.attempt(action, &format!("{name} in {location}"), |transaction| {
            mutate(&Rows { transaction, scope: &self.scope, location: &location, action })
        })
    }

    /// Runs a mutation in one transaction, alone in its scope: all of it, or nothing.
    pub(super) fn attempt<T>(
        &self,
        action: &'static str,
        place: &str,
        mutate: impl FnOnce(&Transaction) -> Result<T>,
    ) -> Result<T> {
        self.change(action, &place, None, |transaction, _| mutate(transaction))
    }

    /// As [`write`](Self::write), of any place, behind a statement whose first column is the number of writes.
    pub(super) fn change<T>(
        &self,
        action: &'static str,
        place: &dyn fmt::Display,
        opening: Option<Statement>,
        mutate: impl FnOnce(&Transaction, &[Row]) -> Result<T>,
    ) -> Result<T> {
        let folded = |fault: Fault| fault.fold(action, place);
        let token = host::token();
        let mut params = self.key();
        params.push(Param::from(&token));
        let mut statements = vec![self.opening.clone(), Statement { sql: COUNT.into(), params }];
        statements.extend(opening);
        let (transaction, rows) =
            Transaction::begin(&self.shared.pool, self.writing(), &statements).map_err(folded)?;
        let number: i64 =
            rows.first().map_or(Ok(0), |row| row.try_get(0)).map_err(Fault::Said).map_err(folded)?;
        let done = mutate(&transaction, &rows)?;
        match transaction.commit() {
            Ok(()) => Ok(done),
            Err(NotCommitted::Refused(fault)) => Err(folded(fault)),
            Err(NotCommitted::Unknown(fault)) => match self.settle(&token, number) {
                Some(true) => Ok(done),
                Some(false) => Err(folded(fault)),
                None => Err(Error::DurabilityUnknown {
                    path: place.to_string(),
                    source: std::io::ErrorKind::ConnectionAborted.into(),
                }),
            },
        }
    }

    /// Looks whether the write with this token and number was committed; `None` where the server does not say. It is never done
    /// again.
    fn settle(&self, token: &str, number: i64) -> Option<bool> {
        // The lock waits until the server has ended that transaction, in whichever way.
        let sql = "SELECT writes, recent FROM lives WHERE user_id = $1 AND agent_id = $2 FOR UPDATE";
        for pause in PAUSES {
            std::thread::sleep(std::time::Duration::from_millis(pause));
            let looked = Transaction::begin(&self.shared.pool, WRITE, std::slice::from_ref(&self.opening))
                .and_then(|(transaction, _)| {
                    let rows = transaction.run(sql, self.key())?;
                    let Some(row) = rows.first() else { return Ok((0, Vec::new())) };
                    Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, Vec<String>>(1)?))
                });
            if let Ok((writes, recent)) = looked {
                let is_known = recent.iter().any(|known| known == token);
                return (is_known || writes < number.saturating_add(KEPT_TOKENS)).then_some(is_known);
            }
        }
        None
    }
}

/// Milliseconds before each look: a server that is started again takes a while.
const PAUSES: [u64; 12] = [0, 5, 10, 20, 50, 100, 200, 400, 800, 1600, 3200, 6400];

fn millis(time: std::time::Duration) -> String {
    time.as_millis().clamp(1, i32::MAX as u128).to_string()
}
