//! A server: its address, its migrations, and the lives on it.

use std::sync::Arc;

use super::config::{Address, PostgresConfig};
use super::index::PostgresIndex;
use super::link::Link;
use super::memory::PostgresMemoryStore;
use super::pool::Pool;
use super::schema;
use super::scoped::ScopedServer;
use super::shared::Shared;
use super::workspace::PostgresWorkspace;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::store::StoreConfig;

/// A PostgreSQL server: a bounded pool of connections that all scopes of this process share.
///
/// Clones share the pool. A verb may be called on any thread, also on a worker thread of an async runtime, which it blocks.
///
/// # Example: make the tables, and open a life
///
/// ```no_run
/// use noctuary::{Scope, postgres::Postgres};
///
/// let server = Postgres::connect("postgres://noctuary@localhost/lives")?;
/// for step in server.pending()? {
///     println!("will {step}");
/// }
/// server.migrate()?;
/// let marta = server.workspace(Scope::user("marta"))?;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct Postgres {
    pub(super) shared: Arc<Shared>,
    pub(super) is_looking: bool,
}

impl Postgres {
    /// Connects to a server by a URL, such as `postgres://user:password@host:5432/database`, or `host=/run/postgresql user=… dbname=…` for
    /// a unix socket. Its words are those of libpq; no variable of the environment and no `.pgpass` is read. In a URL, signs such as `@` and `/`
    /// of a password are written as `%40` and `%2F`. Connections to another machine are encrypted, by [`PostgresTls`](super::PostgresTls); those
    /// on this machine are with `sslmode=require`.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] where no server answers or it has no room for another connection. [`Error::Database`]
    /// where it knows no such role, password or database. Its source says which. [`Error::Config`] for a URL that is
    /// none, or that switches encryption off on the way to another machine.
    pub fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, PostgresConfig::default())
    }

    /// Connects to a server with settings.
    ///
    /// ```no_run
    /// use noctuary::postgres::{Postgres, PostgresConfig};
    ///
    /// let mut config = PostgresConfig::default();
    /// config.max_connections = 4;
    /// let server = Postgres::connect_with("host=/run/postgresql user=noctuary dbname=lives", config)?;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`connect`](Self::connect), and [`Error::Config`] for a setting out of its bounds.
    pub fn connect_with(url: &str, config: PostgresConfig) -> Result<Self> {
        let address = Address::parse(url, &config)?;
        let pool = Pool::new(address, &config);
        let server = Self { shared: Arc::new(Shared::new(pool, config)), is_looking: false };
        server.lend(|_, _, _| Ok(()))?;
        Ok(server)
    }

    fn lend<T>(&self, job: impl FnOnce(&Link, &Address, &str) -> Result<T>) -> Result<T> {
        let pool = &self.shared.pool;
        let mut lent = pool.lend().map_err(|fault| fault.fold("connect to", pool.address()))?;
        // One that died idle is noticed here, where nothing has happened yet.
        if lent.was_idle && lent.call(|client| client.batch_execute("")).is_err() {
            lent.throw_away();
            drop(lent);
            pool.forget_idle();
            lent = pool.lend().map_err(|fault| fault.fold("connect to", pool.address()))?;
        }
        let done = job(&lent, pool.address(), &self.shared.settings.schema);
        if done.is_err() {
            lent.throw_away();
        }
        done
    }

    /// Says where it is, without user and password.
    #[must_use]
    pub fn location(&self) -> String {
        self.shared.pool.address().to_string()
    }

    /// Returns what [`migrate`](Self::migrate) would do, a sentence a step; nothing where the schema is up to date.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`] for a schema of a newer version of this library, [`Error::Unavailable`].
    pub fn pending(&self) -> Result<Vec<&'static str>> {
        self.lend(schema::pending)
    }

    /// Makes the schema and its tables, or brings them to the newest version, in one transaction; returns what it did. Processes that
    /// call it at once wait for one another. Where nothing is to be done, any role may call it. Nothing else in this crate changes a table, so
    /// the role that runs needs no right to.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`], [`Error::Config`] for a database whose encoding is not UTF8, [`Error::Database`] where the role may not make
    /// tables, [`Error::Unavailable`].
    pub fn migrate(&self) -> Result<Vec<&'static str>> {
        self.lend(schema::migrate)
    }

    /// Allows a role to read and write rows, each transaction only those of its scope. It may change no
    /// table.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] where there is no such role, or this one may not grant, [`Error::Unavailable`].
    pub fn grant_to(&self, role: &str) -> Result<()> {
        self.lend(|link, address, schema| schema::grant(link, address, schema, role))
    }

    /// Opens the workspace of a scope: no transaction of it sees another's rows. Takes no connection of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the tables are missing. [`Error::NewerVersion`]. [`Error::Config`] for a role beyond
    /// row-level security, a database whose encoding is not UTF8, or a scope without a user. [`Error::Database`] for a
    /// role without rights on the tables ([`grant_to`](Self::grant_to) gives them). [`Error::Unavailable`].
    pub fn workspace(&self, scope: Scope) -> Result<PostgresWorkspace> {
        Ok(PostgresWorkspace::over(self.scoped(scope)?))
    }

    /// Opens the memory store of a scope, in the same database as its workspace. Takes no connection of its own.
    ///
    /// ```no_run
    /// use noctuary::{Scope, postgres::Postgres};
    ///
    /// let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
    /// let marta = server.memory(Scope::user("marta"))?;
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`workspace`](Self::workspace).
    pub fn memory(&self, scope: Scope) -> Result<PostgresMemoryStore> {
        self.memory_with(scope, StoreConfig::default())
    }

    /// As [`memory`](Self::memory), configured.
    ///
    /// # Errors
    ///
    /// The errors of [`workspace`](Self::workspace).
    pub fn memory_with(&self, scope: Scope, config: StoreConfig) -> Result<PostgresMemoryStore> {
        PostgresMemoryStore::over(self.scoped(scope)?, config)
    }

    /// Opens the index of a scope, over documents of any home.
    ///
    /// # Errors
    ///
    /// The errors of [`workspace`](Self::workspace).
    pub fn index(&self, scope: Scope) -> Result<PostgresIndex> {
        Ok(PostgresIndex::over(self.scoped(scope)?))
    }

    /// Returns whether anything was ever written in a scope.
    ///
    /// # Errors
    ///
    /// The errors of [`workspace`](Self::workspace).
    pub fn has_life(&self, scope: &Scope) -> Result<bool> {
        let sql = "SELECT 1::bigint FROM lives WHERE user_id = $1 AND agent_id = $2";
        let found =
            self.scoped(scope.clone())?.look_within("look at", |within| within.one::<i64>(sql, []))?;
        Ok(found.is_some())
    }

    /// Lists the scopes that have something in the schema, for an operator. Its role must be `SUPERUSER` or have
    /// `BYPASSRLS`, since any other sees the rows of one scope at a time.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a role that row-level security binds, [`Error::Corrupt`] where the tables are missing, [`Error::Unavailable`].
    pub fn scopes(&self) -> Result<Vec<Scope>> {
        self.lend(schema::scopes)
    }

    /// Returns the server as a scope sees it, where all is as it should be.
    pub(super) fn scoped(&self, scope: Scope) -> Result<ScopedServer> {
        if scope.user.is_empty() || scope.user.contains('\0') || scope.agent.contains('\0') {
            return Err(Error::Config {
                setting: "scope",
                rule: "must name a user, and hold no zero character, to be kept on a PostgreSQL server",
            });
        }
        self.lend(schema::check)?;
        Ok(ScopedServer::new(Arc::clone(&self.shared), scope).looking(self.is_looking))
    }
}

debug_as!(Postgres, |it| "Postgres({})", it.location());
