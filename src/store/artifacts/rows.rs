//! A home of artifacts, as plain rows: every home has the same verbs, and no policy.

use crate::artifacts::{Artifact, ArtifactAudit, ArtifactFilter, ArtifactId};
use crate::base::error::Result;
use crate::gate::{Tombstone, Tombstones};

/// The rows that a session sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sees {
    /// All of the scope.
    All,
    /// Shared ones.
    Shared,
}

impl Sees {
    /// Returns whether a row is seen.
    pub(crate) fn sees(self, is_shared: bool) -> bool {
        is_shared || self == Self::All
    }
}

/// The artifacts of a scope, and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ArtifactUsage {
    pub(crate) artifacts: u64,
    pub(crate) bytes: u64,
}

/// A home of the artifacts of one scope.
pub(crate) trait ArtifactHome {
    /// Names the home for errors.
    fn location(&self) -> String;

    /// Returns an artifact with its data, where it is seen.
    fn read(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>>;

    /// Lists artifacts without their data; `None` where the page before ended with one that is gone.
    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>>;

    /// Returns the audit, the latest line first.
    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>>;

    /// Leaves no byte of what was removed in the home.
    fn scrub(&self) -> Result<()>;

    /// Makes a change while no other is made: all of it, or nothing. It is durable when it returns.
    fn change<T>(
        &self,
        action: &'static str,
        change: impl FnOnce(&mut dyn ArtifactRows) -> Result<T>,
    ) -> Result<T>;
}

/// The rows inside of a change.
pub(crate) trait ArtifactRows {
    /// Returns whether an artifact of any scope has an id, or had it.
    fn has(&self, id: &ArtifactId) -> Result<bool>;

    /// Returns an artifact, where it is seen.
    fn get(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>>;

    /// Returns how much there is.
    fn usage(&self) -> Result<ArtifactUsage>;

    /// Returns the forgotten statements of the scope; `None` if there are none.
    fn forgotten(&self) -> Result<Option<Tombstones>>;

    /// Keeps the forgotten statements of the scope: one stone more, or one less.
    fn keep_forgotten(&mut self, stones: &Tombstones, stone: &Tombstone) -> Result<()>;

    /// Returns all ids of the scope that are not deleted.
    fn ids(&self) -> Result<Vec<ArtifactId>>;

    /// Writes an artifact, new or not, with its line of the audit; a draft has none. Once in a change, and last.
    fn put(&mut self, artifact: &Artifact, line: Option<&ArtifactAudit>) -> Result<()>;

    /// Removes an artifact for good, with its line of the audit. The last in a change, or followed by others like it.
    fn remove(&mut self, id: &ArtifactId, line: &ArtifactAudit) -> Result<()>;

    /// Removes all artifacts of the scope with their audit, and returns the number of those that were not deleted. Alone in a change.
    fn erase(&mut self) -> Result<u64>;
}
