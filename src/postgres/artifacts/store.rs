//! A store of artifacts on a PostgreSQL server.

use std::sync::Arc;

use super::rows::PostgresArtifacts;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::postgres::scoped::ScopedServer;
use crate::postgres::server::Postgres;
use crate::store::artifacts::{ArtifactConfig, Shelf, contract_of_artifacts};

/// Artifacts on a PostgreSQL server, for one scope of it; made by [`Postgres::artifacts`](crate::postgres::Postgres::artifacts).
///
/// Each change and its line of the audit are one transaction: what a verb returned was committed. Several machines may use it at once.
/// It waits for others as its server does, and not by [`ArtifactConfig::patience`].
///
/// ```no_run
/// use chrono::Utc;
/// use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, NewArtifact};
/// use noctuary::postgres::Postgres;
/// use noctuary::{Access, Scope};
///
/// let server = Postgres::connect("host=/run/postgresql user=noctuary dbname=lives")?;
/// let store = server.artifacts(Scope::user("marta"))?;
/// let agent = Access::agent(Scope::user("marta"));
/// let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Spreadsheet, "Tides"), Utc::now())?;
/// store.mark_completed(&agent, &id, &ArtifactData::csv("hour,metres\n9,1.2\n"), Utc::now())?;
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct PostgresArtifactStore {
    shelf: Arc<Shelf<PostgresArtifacts>>,
}

impl Postgres {
    /// Opens the store of artifacts of a scope.
    ///
    /// # Errors
    ///
    /// The errors of [`workspace`](Self::workspace).
    #[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
    pub fn artifacts(&self, scope: Scope) -> Result<PostgresArtifactStore> {
        self.artifacts_with(scope, ArtifactConfig::default())
    }

    /// As [`artifacts`](Self::artifacts), configured.
    ///
    /// # Errors
    ///
    /// The errors of [`workspace`](Self::workspace).
    #[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
    pub fn artifacts_with(&self, scope: Scope, config: ArtifactConfig) -> Result<PostgresArtifactStore> {
        Ok(PostgresArtifactStore::over(self.scoped(scope)?, config))
    }
}

impl PostgresArtifactStore {
    pub(in crate::postgres) fn over(scoped: ScopedServer, config: ArtifactConfig) -> Self {
        let scope = scoped.scope.clone();
        Self { shelf: Arc::new(Shelf::new(PostgresArtifacts { scoped }, scope, config)) }
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        self.shelf.scope()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &ArtifactConfig {
        self.shelf.config()
    }
}

contract_of_artifacts!(PostgresArtifactStore);

debug_as!(
    PostgresArtifactStore,
    |it| "PostgresArtifactStore({} {})",
    it.shelf.location(),
    it.shelf.scope().user
);
