//! The contract of a home of artifacts.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use super::artifact::{Artifact, ArtifactAudit, ArtifactFilter, NewArtifact};
use super::data::ArtifactData;
use super::id::{ArtifactId, not_found};
use super::uri::ArtifactUri;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::receipt::PlaceReceipt;

/// A home of artifacts of one scope: charts, spreadsheets and reports that outlive the session in which they were made.
///
/// Every artifact goes one path: [`insert`](Self::insert) begins it, and either [`mark_completed`](Self::mark_completed) or
/// [`mark_error`](Self::mark_error) ends it, once. Each transition adds a line to the [audit](Self::audit) in the same step.
///
/// A session reads what is of its scope, and where others are present what is shared. Everything else reads as
/// [`Error::ArtifactNotFound`](crate::Error::ArtifactNotFound), as an id that a model made up does.
///
/// # Example: a chart, from its beginning to its end
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, ArtifactStoreExt, NewArtifact};
/// use noctuary::{Access, Error, FileArtifactStore, Scope};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let store = FileArtifactStore::open(folder.path(), Scope::user("marta"))?;
/// let agent = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
///
/// let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Chart, "Minutes a build"), now)?;
/// assert!(store.get(&agent, &id)?.to_string().ends_with("(running)"));
/// let data = ArtifactData::charts([json!({"xAxis": {"data": ["Mon", "Tue"]}, "series": [{"type": "bar", "data": [41, 38]}]})]);
/// let chart = store.mark_completed(&agent, &id, &data, now)?;
///
/// let uri = chart.uri().to_string(); // chart://x-…, for the model to write
/// assert_eq!(store.resolve(&agent, &uri)?.data, Some(data));
/// let made_up = store.resolve(&agent, "chart://x-made-up").unwrap_err();
/// assert!(matches!(made_up, Error::ArtifactNotFound { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ArtifactStore: Debug + Send + Sync {
    /// Begins an artifact, and returns its id: random, and never that of another artifact. It runs until it is ended.
    ///
    /// A session with others present always makes a shared one.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for another scope, [`Error::Stopped`](crate::Error::Stopped) for a title that
    /// holds a secret, [`Error::QuotaReached`](crate::Error::QuotaReached), and the errors of the home.
    fn insert(&self, access: &Access, artifact: &NewArtifact, now: DateTime<Utc>) -> Result<ArtifactId>;

    /// Replaces the draft of an artifact that runs, for an interface that shows it in place.
    ///
    /// # Errors
    ///
    /// The errors of [`mark_completed`](Self::mark_completed).
    fn update(
        &self,
        access: &Access,
        id: &ArtifactId,
        draft: &ArtifactData,
        now: DateTime<Utc>,
    ) -> Result<Artifact>;

    /// Ends an artifact with its data, and returns it.
    ///
    /// # Errors
    ///
    /// [`Error::ArtifactNotFound`](crate::Error::ArtifactNotFound).
    /// [`Error::ArtifactEnded`](crate::Error::ArtifactEnded) if it no longer runs.
    /// [`Error::Config`](crate::Error::Config) for data of another kind or shape.
    /// [`Error::Stopped`](crate::Error::Stopped) for data that holds a secret or what was forgotten.
    /// [`Error::TooLarge`](crate::Error::TooLarge). [`Error::QuotaReached`](crate::Error::QuotaReached). Also the
    /// errors of the home. Nothing is changed then.
    fn mark_completed(
        &self,
        access: &Access,
        id: &ArtifactId,
        data: &ArtifactData,
        now: DateTime<Utc>,
    ) -> Result<Artifact>;

    /// Ends an artifact in an error, and returns it. Secrets in the message are masked, and it is cut at 2,000 bytes. A draft is
    /// dropped.
    ///
    /// # Errors
    ///
    /// [`Error::ArtifactNotFound`](crate::Error::ArtifactNotFound), [`Error::ArtifactEnded`](crate::Error::ArtifactEnded) if it
    /// no longer runs, and the errors of the home.
    fn mark_error(
        &self,
        access: &Access,
        id: &ArtifactId,
        message: &str,
        now: DateTime<Utc>,
    ) -> Result<Artifact>;

    /// Returns an artifact with its data.
    ///
    /// # Errors
    ///
    /// [`Error::ArtifactNotFound`](crate::Error::ArtifactNotFound), and the errors of the home.
    fn get(&self, access: &Access, id: &ArtifactId) -> Result<Artifact>;

    /// Lists artifacts, those that began last first, without their data. Pages stay stable while others write: what begins
    /// meanwhile is on no later page.
    ///
    /// # Errors
    ///
    /// [`Error::ArtifactNotFound`](crate::Error::ArtifactNotFound) where the page before ended with an artifact that is gone, and
    /// the errors of the home.
    fn list(&self, access: &Access, filter: &ArtifactFilter) -> Result<Vec<Artifact>>;

    /// Deletes an artifact for good; the line of the audit stays. For main sessions alone. `false` where it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied), and the errors of the home.
    fn delete(&self, access: &Access, id: &ArtifactId, now: DateTime<Utc>) -> Result<bool>;

    /// Forgets a statement: removes every artifact that says it, running ones too. New ones are kept out by a
    /// [tombstone](crate::gate::Tombstones). For main sessions alone. The files that a
    /// [`Materialiser`](super::Materialiser) wrote are the host's to [remove](super::Materialiser::remove): the
    /// observer hears of each artifact.
    ///
    /// When it returns, no byte of a removed artifact is in the home.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied), [`Error::Config`](crate::Error::Config) for a text that has neither two words nor
    /// eight letters, and the errors of the home.
    fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<PlaceReceipt>;

    /// Lets a statement in again that was forgotten. Removed artifacts stay removed. For the human of a main session alone. `false`
    /// where it was not forgotten.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied), and the errors of the home.
    fn lift(&self, access: &Access, text: &str) -> Result<bool>;

    /// Returns the audit, the latest line first, at most `limit`. For main sessions alone; no line for anybody else.
    ///
    /// # Errors
    ///
    /// The errors of the home.
    fn audit(&self, access: &Access, limit: usize) -> Result<Vec<ArtifactAudit>>;

    /// Keeps an artifact of another home as it is there, with its id and times: for copies and imports. `false` where its id is here
    /// already, or was deleted here. For main sessions, and never for an agent. It passes the same doors and quotas as a new one.
    ///
    /// # Errors
    ///
    /// The errors of [`insert`](Self::insert) and [`mark_completed`](Self::mark_completed).
    fn adopt(&self, access: &Access, artifact: &Artifact, now: DateTime<Utc>) -> Result<bool>;

    /// Removes all artifacts of the scope with their audit, and returns their number: for a person who leaves. Forgotten statements stay
    /// so. For the human of a main session alone. When it returns, no byte of them is in the home.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied), and the errors of the home.
    fn erase(&self, access: &Access) -> Result<u64>;
}

/// Verbs on any home of artifacts.
pub trait ArtifactStoreExt: ArtifactStore {
    /// Returns the artifact that a reference names, whose scheme must be that of the artifact's kind.
    ///
    /// ```
    /// use chrono::Utc;
    /// use noctuary::artifacts::{ArtifactKind, ArtifactStore, ArtifactStoreExt, NewArtifact};
    /// use noctuary::{Access, FileArtifactStore, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = FileArtifactStore::open(folder.path(), Scope::user("marta"))?;
    /// let agent = Access::agent(Scope::user("marta"));
    /// let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Chart, "Tides"), Utc::now())?;
    /// assert!(store.resolve(&agent, &format!("chart://{id}")).is_ok());
    /// let error = store.resolve(&agent, &format!("spreadsheet://{id}")).unwrap_err();
    /// assert!(error.to_string().contains("it is of another kind"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ArtifactNotFound`](crate::Error::ArtifactNotFound) with a hint that a model can act on, and the errors of the
    /// home.
    fn resolve(&self, access: &Access, uri: &str) -> Result<Artifact> {
        let uri: ArtifactUri = uri.parse()?;
        let artifact = self.get(access, &uri.id)?;
        if artifact.kind == uri.kind {
            return Ok(artifact);
        }
        Err(not_found(
            &uri.to_string(),
            "it is of another kind; copy the reference from the list of artifacts",
        ))
    }
}

impl<S: ArtifactStore + ?Sized> ArtifactStoreExt for S {}
