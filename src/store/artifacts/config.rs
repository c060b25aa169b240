//! The configuration of a store of artifacts.

use std::sync::Arc;
use std::time::Duration;

use crate::artifacts::{ArtifactEvent, ArtifactEventName, ArtifactObserver, ArtifactUri};
use crate::gate::Doors;

/// The configuration of a store of artifacts, for every home.
///
/// ```
/// use noctuary::store::ArtifactConfig;
/// use noctuary::{FileArtifactStore, Scope};
///
/// let mut config = ArtifactConfig::default();
/// config.max_artifacts = Some(200); // of the scope
/// config.max_bytes = Some(64 << 20);
/// let folder = tempfile::tempdir()?;
/// let store = FileArtifactStore::open_with(folder.path(), Scope::user("marta"), config)?;
/// # let _ = store;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ArtifactConfig {
    /// The rules for what comes in: titles and data pass [`Door::WorkspaceWrite`](crate::gate::Door::WorkspaceWrite), as any
    /// document but `MEMORY.md` does. [Addresses of wallets](Doors::with_addresses) are data.
    pub doors: Doors,
    /// Who hears of changes.
    pub observer: Option<Arc<dyn ArtifactObserver>>,
    /// The most bytes of one artifact: 8 MiB.
    pub max_artifact_bytes: u64,
    /// The most artifacts of the scope; `None` for no quota.
    pub max_artifacts: Option<u64>,
    /// The most bytes of all data of the scope; `None` for no quota.
    pub max_bytes: Option<u64>,
    /// The time that a change waits for another process: 30 seconds.
    pub patience: Duration,
}

impl Default for ArtifactConfig {
    fn default() -> Self {
        Self {
            doors: Doors::default().with_addresses(),
            observer: None,
            max_artifact_bytes: 8 << 20,
            max_artifacts: None,
            max_bytes: None,
            patience: Duration::from_secs(30),
        }
    }
}

impl ArtifactConfig {
    /// Tells of a durable change.
    pub(super) fn tell(&self, name: ArtifactEventName, uri: ArtifactUri) {
        if let Some(observer) = &self.observer {
            observer.event(&ArtifactEvent::new(name, uri));
        }
    }
}
