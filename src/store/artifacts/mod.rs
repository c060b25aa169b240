//! A store of artifacts over a home: rights, the check of new data, and events.

mod config;
mod rows;
mod shelf;

pub use config::ArtifactConfig;
pub(crate) use rows::{ArtifactHome, ArtifactRows, ArtifactUsage, Sees};
pub(crate) use shelf::Shelf;

/// Passes the contract on to the shelf of a store.
macro_rules! contract_of_artifacts {
    ($store:ty) => {
        #[deny(clippy::missing_trait_methods)]
        impl crate::artifacts::ArtifactStore for $store {
            fn insert(
                &self,
                access: &crate::base::access::Access,
                artifact: &crate::artifacts::NewArtifact,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<crate::artifacts::ArtifactId> {
                self.shelf.insert(access, artifact, now)
            }

            fn update(
                &self,
                access: &crate::base::access::Access,
                id: &crate::artifacts::ArtifactId,
                draft: &crate::artifacts::ArtifactData,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<crate::artifacts::Artifact> {
                self.shelf.update(access, id, draft, now)
            }

            fn mark_completed(
                &self,
                access: &crate::base::access::Access,
                id: &crate::artifacts::ArtifactId,
                data: &crate::artifacts::ArtifactData,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<crate::artifacts::Artifact> {
                self.shelf.mark_completed(access, id, data, now)
            }

            fn mark_error(
                &self,
                access: &crate::base::access::Access,
                id: &crate::artifacts::ArtifactId,
                message: &str,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<crate::artifacts::Artifact> {
                self.shelf.mark_error(access, id, message, now)
            }

            fn get(
                &self,
                access: &crate::base::access::Access,
                id: &crate::artifacts::ArtifactId,
            ) -> crate::base::error::Result<crate::artifacts::Artifact> {
                self.shelf.get(access, id)
            }

            fn list(
                &self,
                access: &crate::base::access::Access,
                filter: &crate::artifacts::ArtifactFilter,
            ) -> crate::base::error::Result<Vec<crate::artifacts::Artifact>> {
                self.shelf.list(access, filter)
            }

            fn delete(
                &self,
                access: &crate::base::access::Access,
                id: &crate::artifacts::ArtifactId,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<bool> {
                self.shelf.delete(access, id, now)
            }

            fn forget(
                &self,
                access: &crate::base::access::Access,
                text: &str,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<crate::memory::PlaceReceipt> {
                self.shelf.forget(access, text, now)
            }

            fn lift(
                &self,
                access: &crate::base::access::Access,
                text: &str,
            ) -> crate::base::error::Result<bool> {
                self.shelf.lift(access, text)
            }

            fn audit(
                &self,
                access: &crate::base::access::Access,
                limit: usize,
            ) -> crate::base::error::Result<Vec<crate::artifacts::ArtifactAudit>> {
                self.shelf.audit(access, limit)
            }

            fn adopt(
                &self,
                access: &crate::base::access::Access,
                artifact: &crate::artifacts::Artifact,
                now: chrono::DateTime<chrono::Utc>,
            ) -> crate::base::error::Result<bool> {
                self.shelf.adopt(access, artifact, now)
            }

            fn erase(&self, access: &crate::base::access::Access) -> crate::base::error::Result<u64> {
                self.shelf.erase(access)
            }
        }
    };
}
pub(crate) use contract_of_artifacts;
