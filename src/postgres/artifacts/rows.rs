//! The rows of artifacts on a server.

use crate::artifacts::{Artifact, ArtifactAudit, ArtifactFilter, ArtifactId};
use crate::base::error::Result;
use crate::postgres::memory::by_chance;
use crate::postgres::scoped::ScopedServer;
use crate::postgres::within::Within;
use crate::sql::artifacts::Artifacts;
use crate::store::artifacts::{ArtifactHome, ArtifactRows, Sees};

/// The artifacts of a scope on a server.
pub(super) struct PostgresArtifacts {
    pub(super) scoped: ScopedServer,
}

/// Gives the same inside a transaction.
fn artifacts_of<T>(within: &Within<'_>, take: impl FnOnce(&mut Artifacts<'_>) -> Result<T>) -> Result<T> {
    let changes_forgotten = || within.run(OTHER_TOMBSTONES, [by_chance().into()]).map(drop);
    take(&mut Artifacts { driver: within, table: "artifacts", changes_forgotten: &changes_forgotten })
}

impl ArtifactHome for PostgresArtifacts {
    fn location(&self) -> String {
        self.scoped.location()
    }

    fn read(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        self.scoped.look_within("read an artifact of", |within| {
            artifacts_of(within, |artifacts| artifacts.get(id, sees))
        })
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        self.scoped.look_within("list artifacts of", |within| {
            artifacts_of(within, |artifacts| artifacts.page(filter, sees))
        })
    }

    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        self.scoped.look_within("read the audit of", |within| {
            artifacts_of(within, |artifacts| artifacts.lines(limit))
        })
    }

    /// The server's pages keep the words of removed rows until its next vacuum, which is its owner's to ask for.
    fn scrub(&self) -> Result<()> {
        Ok(())
    }

    fn change<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut dyn ArtifactRows) -> Result<T>,
    ) -> Result<T> {
        self.scoped.change_within(action, |within| artifacts_of(within, |artifacts| change(artifacts)))
    }
}

/// Says that the tombstones of a scope are others now, by a number that no change of them had. Numbers that are missing from the row are 0.
const OTHER_TOMBSTONES: &str = "
    INSERT INTO memory_state AS held (user_id, agent_id, numbers)
    VALUES ($1, $2, array_append(array_fill(0::bigint, ARRAY[14]), $3))
    ON CONFLICT (user_id, agent_id) DO UPDATE SET numbers[15] = $3";
