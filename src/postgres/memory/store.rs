//! A memory store on a PostgreSQL server, for one scope of it.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::table::PostgresBackend;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::postgres::scoped::ScopedServer;
use crate::store::backend::Backend;
use crate::store::{Store, StoreConfig, forward};

/// A memory store on a PostgreSQL server, for one scope of it; made by [`Postgres::memory`](crate::postgres::Postgres::memory).
///
/// The tables have the seed's names and columns, `memories` and `user_profile`, with columns beside them. Processes on
/// several machines may use it at once. Each verb is one transaction, and changes of one scope follow one another,
/// those of its workspace too. After a verb its change is committed, and survives a power loss of the server. A call
/// that waits for longer than [`StoreConfig::patience`] gets [`Error::Busy`](crate::Error::Busy), one that reaches no
/// server [`Error::Unavailable`](crate::Error::Unavailable).
///
/// A search reads words in tables of its own, `memory_postings` and for frequent words `memory_lists`. They are written
/// with the rows, so the same rows have the same order as in a file. No transaction sees the rows of another scope, by
/// its statements and by row-level security.
///
/// A forgotten statement leaves every table at once. The server keeps the bytes of removed rows until it vacuums them,
/// and its log and backups for longer. The receipt says so.
///
/// ```no_run
/// use chrono::Utc;
/// use noctuary::memory::{NewMemory, Query, Source};
/// use noctuary::postgres::Postgres;
/// use noctuary::{Access, MemoryStore, Scope};
///
/// let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
/// let store = server.memory(Scope::user("marta"))?;
/// let access = Access::agent(Scope::user("marta"));
/// let row = NewMemory::new("preference", "Sets slippage to 0.5%", Source::UserExplicit);
/// store.write(&access, &row, Utc::now())?;
/// let found = store.search(&access, &Query::new("What is my slippage?"))?;
/// assert_eq!(found.hits[0].memory.content, "Sets slippage to 0.5%");
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct PostgresMemoryStore {
    pub(super) store: Arc<Store<PostgresBackend>>,
}

impl PostgresMemoryStore {
    pub(in crate::postgres) fn over(server: ScopedServer, config: StoreConfig) -> Result<Self> {
        let scope = server.scope.clone();
        let backend = PostgresBackend::over(server, config.patience, config.edges.clone())?;
        Ok(Self { store: Arc::new(Store::new(backend, scope, config)) })
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        self.store.scope()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &StoreConfig {
        self.store.config()
    }

    /// [Purges](crate::MemoryStore::purge) what was deleted longer ago than the retention.
    ///
    /// # Errors
    ///
    /// The errors of [`purge`](crate::MemoryStore::purge).
    pub fn purge_expired(&self, now: DateTime<Utc>) -> Result<u64> {
        self.engine().purge_expired(now)
    }

    /// Makes the words by which rows are found anew from the rows.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`](crate::Error::Unavailable), [`Error::Busy`](crate::Error::Busy).
    pub fn rebuild_index(&self) -> Result<()> {
        self.store.backend().mend_index().map(drop)
    }
}

forward::contracts_of!(PostgresMemoryStore);
forward::vectors_of!(PostgresMemoryStore);

impl fmt::Debug for PostgresMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresMemoryStore({} {})", self.store.location(), self.store.scope().user)
    }
}
