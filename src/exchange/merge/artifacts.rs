//! The artifacts of two machines, in a third home.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use crate::artifacts::{Artifact, ArtifactFilter, ArtifactId, ArtifactStatus, ArtifactStore};
use crate::base::access::Access;
use crate::base::error::{Error, Result};

/// Merges the artifacts of two homes into an empty one, with their ids. Returns those with another version in each
/// home. The one that was touched last is kept, and the homes have both still.
///
/// An artifact that was deleted or forgotten in one is not in the result. One that ended on one machine has ended. It
/// does not matter which home is named first. Nothing of the two homes is changed. For uploads, call
/// [`copy_files`](crate::exchange::copy_files) once for each store: what is under a key never changes.
///
/// # Example
///
/// ```
/// use chrono::Utc;
/// use noctuary::artifacts::{ArtifactKind, ArtifactStore, NewArtifact};
/// use noctuary::exchange::merge_artifacts;
/// use noctuary::{Access, FileArtifactStore, Scope};
///
/// let folders = [tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?];
/// let marta = Access::human(Scope::user("marta"));
/// let [laptop, server, both] =
///     [0, 1, 2].map(|at: usize| FileArtifactStore::open(folders[at].path(), marta.scope.clone()).unwrap());
/// let report = laptop.insert(&marta, &NewArtifact::new(ArtifactKind::Report, "October"), Utc::now())?;
/// let chart = server.insert(&marta, &NewArtifact::new(ArtifactKind::Chart, "Tides"), Utc::now())?;
///
/// assert!(merge_artifacts(&marta, [&laptop, &server], &both, Utc::now())?.is_empty());
/// assert_eq!((both.get(&marta, &report)?.title, both.get(&marta, &chart)?.title), ("October".into(), "Tides".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of [`ArtifactStore::adopt`]; what was merged by then stays, and calling it again goes on.
pub fn merge_artifacts(
    access: &Access,
    stores: [&dyn ArtifactStore; 2],
    out: &dyn ArtifactStore,
    now: DateTime<Utc>,
) -> Result<Vec<ArtifactId>> {
    let mut deleted: BTreeSet<ArtifactId> = BTreeSet::new();
    let mut all: BTreeMap<ArtifactId, Vec<Artifact>> = BTreeMap::new();
    for store in stores {
        let audit = store.audit(access, usize::MAX)?.into_iter();
        deleted.extend(audit.filter(|line| DELETED.contains(&line.action.as_str())).map(|line| line.id));
        for listed in store.list(access, &ArtifactFilter::default().limit(usize::MAX))? {
            match store.get(access, &listed.id) {
                Ok(artifact) => all.entry(listed.id).or_default().push(artifact),
                // Deleted meanwhile.
                Err(Error::ArtifactNotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    let mut conflicts = Vec::new();
    let mut merged = Vec::new();
    for (id, mut versions) in all {
        if deleted.contains(&id) {
            continue;
        }
        versions.sort_by_cached_key(rank);
        let kept = versions.pop().expect("one of them has it");
        let is_other = |version: &Artifact| version.status != ArtifactStatus::Running && *version != kept;
        if versions.iter().any(is_other) {
            conflicts.push(id);
        }
        merged.push(kept);
    }
    // The oldest first, so that a list has the order that it had.
    merged.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    for artifact in &merged {
        out.adopt(access, artifact, now)?;
    }
    Ok(conflicts)
}

/// The words of the audit for an artifact that is gone.
const DELETED: [&str; 2] = ["artifact_delete", "artifact_forget"];

/// Returns the order of two versions: the last is kept.
fn rank(artifact: &Artifact) -> (bool, DateTime<Utc>, String) {
    let is_done = artifact.status != ArtifactStatus::Running;
    let said = artifact.data.as_ref().map(|data| data.to_json().to_string()).unwrap_or_default();
    (is_done, artifact.updated_at, format!("{} {} {said}", artifact.status, artifact.title))
}
