//! Lives on a PostgreSQL server, for several machines: documents, states, and a lease that only one of them holds.
//!
//! ```no_run
//! use std::sync::Arc;
//! use noctuary::postgres::Postgres;
//! use noctuary::{Extractive, JournalDreamer, Scope, dream_once};
//!
//! let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
//! server.migrate()?;
//! let marta = server.workspace(Scope::user("marta"))?;
//! let dreamer = JournalDreamer::builder(Arc::new(marta)).enabled(true).build()?;
//! let report = dream_once(&dreamer, &Extractive::new())?;
//! println!("{report}"); // `LockHeld` where another machine dreams just now
//! # Ok::<(), noctuary::Error>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Postgres`] | a server: its pool of connections, migrations, rights of a role |
//! | [`PostgresConfig`] | schema, bounds and timeouts |
//! | [`PostgresWorkspace`] | the documents of one scope |
//! | [`PostgresMemoryStore`] | the rows, facts and vectors of one scope |
//!
//! # Limits
//!
//! - Connections are not encrypted yet: a server on another machine is refused unless [`allow_plaintext`](PostgresConfig::allow_plaintext) is set.
//! - Indexes of documents are not kept on a server yet; use files or SQLite beside it.
//! - All verbs block, for [`lock_timeout`](PostgresConfig::lock_timeout) and [`statement_timeout`](PostgresConfig::statement_timeout) at most.
//! - Row-level security binds no superuser, so such a role is refused for lives.
//! - A document of some megabytes travels whole with each read.
//!
//! The manual has [roles, poolers, backups and failovers](crate::manual::postgres).

mod config;
mod documents;
mod fault;
mod lease;
mod link;
mod memory;
mod pool;
mod schema;
mod scoped;
mod server;
mod shared;
mod tables;
mod transaction;
mod workspace;

pub use config::PostgresConfig;
pub use memory::PostgresMemoryStore;
pub use server::Postgres;
pub use workspace::PostgresWorkspace;
