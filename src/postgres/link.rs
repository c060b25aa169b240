//! A connection on a thread of its own.
//!
//! The driver brings a runtime and panics where it is called on a worker thread of another one. Here each connection lives on its own
//! thread and takes jobs by a channel, so that a verb may be called anywhere. A caller waits for its answer for a bounded time.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use ::postgres::types::{ToSql, Type};
use ::postgres::{Client, NoTls, Row, SimpleQueryMessage};

use super::config::Address;
use super::fault::Fault;
pub(super) use crate::sql::{Param, params};

type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// Returns a value as the driver binds it, and its type.
fn bound(value: &Param) -> (&(dyn ToSql + Sync), Type) {
    match value {
        Param::Text(text) => (text, Type::TEXT),
        Param::MaybeText(text) => (text, Type::TEXT),
        Param::Texts(texts) => (texts, Type::TEXT_ARRAY),
        Param::Bytes(bytes) => (bytes, Type::BYTEA),
        Param::MaybeBytes(bytes) => (bytes, Type::BYTEA),
        Param::ManyBytes(each) => (each, Type::BYTEA_ARRAY),
        Param::Number(number) => (number, Type::INT8),
        Param::MaybeNumber(number) => (number, Type::INT8),
        Param::Numbers(numbers) => (numbers, Type::INT8_ARRAY),
        Param::Words(words) => (words, Type::INT4_ARRAY),
        Param::Real(number) => (number, Type::FLOAT8),
        Param::Flag(flag) => (flag, Type::BOOL),
    }
}

/// A statement with its values.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) sql: Cow<'static, str>,
    pub(super) params: Vec<Param>,
}

impl Statement {
    pub(super) fn run(&self, session: &mut Session) -> Result<Vec<Row>, ::postgres::Error> {
        let bound: Vec<_> = self.params.iter().map(bound).collect();
        match session.prepared(&self.sql, &bound)? {
            None => session.query_typed(&self.sql, &bound),
            Some(prepared) => {
                let values: Vec<_> = bound.into_iter().map(|(value, _)| value).collect();
                session.query(&prepared, &values).inspect_err(|error| session.forget_at(error))
            }
        }
    }
}

/// The most statements of a connection that are remembered.
const REMEMBERED: usize = 256;

/// A connection on its thread, and the statements that it ran.
pub(super) struct Session {
    client: Client,
    /// The statements that ran once, and those that are prepared. `None` where a pooler gives each transaction another connection: a name is of
    /// one connection.
    remembered: Option<HashMap<String, Option<::postgres::Statement>>>,
    /// The server's process of the first transaction.
    process: Option<String>,
}

impl Session {
    /// Returns a prepared statement. A statement is prepared when it runs for the second time, so that the server
    /// need not plan it again.
    fn prepared(
        &mut self,
        sql: &str,
        bound: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Option<::postgres::Statement>, ::postgres::Error> {
        let Some(remembered) = &mut self.remembered else { return Ok(None) };
        let types = || bound.iter().map(|(_, of)| of);
        if remembered.len() >= REMEMBERED {
            remembered.retain(|_, prepared| prepared.is_some());
        }
        let is_room = remembered.len() < REMEMBERED;
        match remembered.get_mut(sql) {
            None => {
                if is_room {
                    remembered.insert(sql.to_owned(), None);
                }
                Ok(None)
            }
            Some(Some(prepared)) => Ok(prepared.params().iter().eq(types()).then(|| prepared.clone())),
            Some(ran) => {
                let types: Vec<Type> = types().cloned().collect();
                Ok(Some(ran.insert(self.client.prepare_typed(sql, &types)?).clone()))
            }
        }
    }

    /// Prepares all anew where the plan or the name of one is to blame.
    fn forget_at(&mut self, error: &::postgres::Error) {
        let is_to_blame = error.code().is_some_and(|code| ["0A000", "26000", "42P05"].contains(&code.code()));
        if let Some(remembered) = &mut self.remembered
            && is_to_blame
        {
            remembered.clear();
        }
    }

    /// Begins a transaction by `verb`. `false` where a pooler leads to another process of the server than before, to
    /// whose statements names would lead.
    pub(super) fn begin(&mut self, verb: &str) -> Result<bool, ::postgres::Error> {
        if self.remembered.is_none() {
            return self.client.batch_execute(verb).map(|()| true);
        }
        let answered = self.client.simple_query(&format!("{verb}; SELECT pg_catalog.pg_backend_pid()"))?;
        let process = answered.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        let process = process.unwrap_or_default();
        Ok(*self.process.get_or_insert_with(|| process.clone()) == process)
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

/// A connection. Dropping it ends its thread, and the server takes back what was not committed.
#[derive(Debug)]
pub(super) struct Link {
    jobs: Sender<Job>,
    patience: Duration,
}

impl Link {
    /// Connects. A statement is waited for as long as `patience`.
    pub(super) fn open(address: &Address, patience: Duration, is_pooled: bool) -> Result<Self, Fault> {
        let (jobs, todo) = mpsc::channel::<Job>();
        let (said, heard) = mpsc::channel();
        let (config, connector) = (address.config.clone(), address.connector.clone());
        let connect_patience = config.get_connect_timeout().copied().unwrap_or(patience);
        // Each of several hosts may take its time.
        let hosts = u32::try_from(config.get_hosts().len().max(1)).unwrap_or(1);
        let spawned = std::thread::Builder::new().name("noctuary-postgres".to_owned()).spawn(move || {
            let connected = match connector {
                Some(connector) => config.connect(connector),
                None => config.connect(NoTls),
            };
            let client = match connected {
                Ok(client) => client,
                Err(error) => {
                    let _ = said.send(Err(error));
                    return;
                }
            };
            let _ = said.send(Ok(()));
            let remembered = (!is_pooled).then(HashMap::new);
            let mut session = Session { client, remembered, process: None };
            while let Ok(job) = todo.recv() {
                job(&mut session);
            }
        });
        spawned.map_err(|_| Fault::Exhausted)?;
        let patience_of_all = connect_patience.saturating_mul(hosts).saturating_add(GRACE);
        match heard.recv_timeout(patience_of_all) {
            Ok(Ok(())) => Ok(Self { jobs, patience }),
            Ok(Err(error)) => Err(Fault::Said(error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(Fault::Silent),
        }
    }

    /// Runs a job on the connection's thread, and waits for its answer.
    pub(super) fn call<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Session) -> Result<T, ::postgres::Error> + Send + 'static,
    ) -> Result<T, Fault> {
        let (said, heard) = mpsc::channel();
        let job: Job = Box::new(move |session| {
            let _ = said.send(job(session));
        });
        self.jobs.send(job).map_err(|_| Fault::Silent)?;
        // A job is two statements, seldom more.
        match heard.recv_timeout(self.patience.saturating_mul(2).saturating_add(GRACE)) {
            Ok(answer) => answer.map_err(Fault::Said),
            Err(_) => Err(Fault::Silent),
        }
    }
}

/// The server is first to say that time is up.
const GRACE: Duration = Duration::from_secs(5);
