//! Stores beside a workspace that forget with it: of artifacts, and of files that people handed over.

use chrono::{DateTime, Utc};

use super::forget::Forget;
use super::handed;
use crate::artifacts::ArtifactStore;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::receipt::PlaceReceipt;
use crate::upload::FileStore;

/// The stores of a request.
#[derive(Default)]
pub(super) struct Beside<'a> {
    artifacts: Vec<&'a dyn ArtifactStore>,
    files: Vec<&'a dyn FileStore>,
}

impl<'a> Forget<'a> {
    /// Adds a store of artifacts that forgets: each that says it is removed; there may be several.
    #[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
    pub fn artifacts(mut self, store: &'a dyn ArtifactStore) -> Self {
        self.beside.artifacts.push(store);
        self
    }

    /// Adds a store of files that people handed over; there may be several. Texts and tables are looked through. A file that says it is the
    /// person's own: it is removed with [`in_files`](Self::in_files), and counted without. In pictures, sounds and documents nobody looks:
    /// as long as there are any, the receipt says so, and is not [whole](super::ForgetReceipt::is_gone).
    #[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
    pub fn files(mut self, store: &'a dyn FileStore) -> Self {
        self.beside.files.push(store);
        self
    }
}

impl Beside<'_> {
    /// Forgets statements in each store. Files that say one are removed where `removes` is set.
    pub(super) fn forget(
        &self,
        access: &Access,
        texts: &[String],
        removes: bool,
        now: DateTime<Utc>,
    ) -> Result<Vec<PlaceReceipt>> {
        let mut lines = Vec::new();
        for store in &self.artifacts {
            for text in texts {
                let line = store.forget(access, text, now)?;
                lines.push(PlaceReceipt::new(line.place, line.found, line.removed));
            }
        }
        lines.extend(handed::forget(&self.files, access, texts, removes, now)?);
        Ok(lines)
    }

    /// Lets a statement in again; `false` where no store had forgotten it.
    pub(super) fn lift(&self, access: &Access, text: &str) -> Result<bool> {
        let mut is_lifted = false;
        for store in &self.artifacts {
            is_lifted |= store.lift(access, text)?;
        }
        Ok(is_lifted)
    }
}
