//! Lives on a PostgreSQL server, for several machines: documents, states, indexes, artifacts, and a lease that only one of them holds.
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
//! | [`PostgresTls`] | the certificates of encrypted connections |
//! | [`PostgresWorkspace`] | the documents of one scope |
//! | [`PostgresMemoryStore`] | the rows, facts and vectors of one scope |
//! | [`PostgresIndex`] | chunks of its documents, found by words and by meaning |
//! | `PostgresArtifactStore` | the artifacts of one scope (feature `artifacts`) |
//!
//! # Limits
//!
//! - Connections to another machine are encrypted, and fail where the server offers no TLS, unless [`allow_plaintext`](PostgresConfig::allow_plaintext) is set.
//! - All verbs block, for [`lock_timeout`](PostgresConfig::lock_timeout) and [`statement_timeout`](PostgresConfig::statement_timeout) at most.
//! - Row-level security binds no superuser, so such a role is refused for lives.
//! - A document of some megabytes travels whole with each read.
//!
//! The manual has [roles, poolers, backups and failovers](crate::manual::machines#postgresql).

mod artifacts;
mod columns;
mod config;
mod documents;
mod driver;
mod erase;
#[cfg(feature = "doctor")]
mod examine;
mod fault;
mod index;
mod kept;
mod lease;
mod link;
mod memory;
mod pool;
mod schema;
mod scoped;
mod server;
mod shared;
mod tables;
mod tls;
mod transaction;
mod within;
mod workspace;

#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub use artifacts::PostgresArtifactStore;
pub use config::PostgresConfig;
pub use index::PostgresIndex;
pub use memory::PostgresMemoryStore;
pub use server::Postgres;
pub use tls::PostgresTls;
pub use workspace::PostgresWorkspace;
