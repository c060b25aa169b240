//! The artifacts of a scope in a database.

use rusqlite::Connection;

use crate::artifacts::{Artifact, ArtifactAudit, ArtifactFilter, ArtifactId};
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::sql::artifacts::Artifacts;
use crate::sqlite::database::Database;
use crate::sqlite::driver::Run;
use crate::sqlite::error::carried;
use crate::store::artifacts::{ArtifactHome, ArtifactRows, Sees};

/// The artifacts of a scope in a file.
pub(super) struct SqliteArtifacts {
    pub(super) database: Database,
    pub(super) scope: Scope,
    pub(super) table: &'static str,
}

impl SqliteArtifacts {
    fn look<T>(&self, action: &'static str, read: impl FnOnce(&mut Artifacts<'_>) -> Result<T>) -> Result<T> {
        self.database.read(action, |connection| self.within(connection, action, read).map_err(carried))
    }

    fn within<T>(
        &self,
        connection: &Connection,
        action: &'static str,
        take: impl FnOnce(&mut Artifacts<'_>) -> Result<T>,
    ) -> Result<T> {
        let Scope { user, agent } = &self.scope;
        // A memory store over the same connection reads them anew.
        let changes_forgotten = || {
            self.database.has_forgotten();
            Ok(())
        };
        take(&mut Artifacts {
            driver: &Run { connection, user, agent, action, file: self.database.file() },
            table: self.table,
            changes_forgotten: &changes_forgotten,
        })
    }
}

impl ArtifactHome for SqliteArtifacts {
    fn location(&self) -> String {
        self.database.path().display().to_string()
    }

    fn read(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        self.look("read an artifact of", |artifacts| artifacts.get(id, sees))
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        self.look("list artifacts of", |artifacts| artifacts.page(filter, sees))
    }

    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        self.look("read the audit of", |artifacts| artifacts.lines(limit))
    }

    fn scrub(&self) -> Result<()> {
        // Who writes without secure deletion leaves words between the rows and in free pages.
        self.database.read("forget in", |connection| connection.execute_batch("VACUUM"))?;
        self.database.truncate_log()
    }

    fn change<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut dyn ArtifactRows) -> Result<T>,
    ) -> Result<T> {
        self.database.attempt(action, self.database.file(), |connection| {
            self.within(connection, "write artifacts of", |artifacts| change(artifacts))
        })
    }
}
