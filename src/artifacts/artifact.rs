//! An artifact: something that the agent made, with its status.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::data::ArtifactData;
use super::id::{ArtifactId, ArtifactKind};
use super::uri::ArtifactUri;
use crate::base::access::{Actor, SessionKind};
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};

/// The status of an artifact: it runs until it is completed, or ends in an error. Prints as its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArtifactStatus {
    /// `running`: somebody builds it.
    Running,
    /// `completed`: it has its data.
    Completed,
    /// `error`: it has a message, and no data that counts.
    Error,
}

impl ArtifactStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Running, Self::Completed, Self::Error];

    /// Returns its word: `running`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for ArtifactStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ArtifactStatus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(Error::Config {
            setting: "the status of an artifact",
            rule: "must be running, completed or error",
        })
    }
}

/// An artifact that begins to be built.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewArtifact {
    /// The kind.
    pub kind: ArtifactKind,
    /// A title for people and for the list of a model; it may be empty.
    pub title: String,
    /// The session in which it is built, as the host names it.
    pub session: Option<String>,
    /// Whether sessions with others present may read it. One that such a session makes always is.
    pub is_shared: bool,
}

debug_as!(NewArtifact, |it| "NewArtifact {{ {}, shared: {} }}", it.kind, it.is_shared);

impl NewArtifact {
    /// Makes an artifact of a kind, with a title. It is private.
    pub fn new(kind: ArtifactKind, title: impl Into<String>) -> Self {
        Self { kind, title: title.into(), session: None, is_shared: false }
    }

    /// Says in which session it is built.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Lets sessions with others present read it.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }
}

/// An artifact of a store. It prints as a line for an interface: `chart://x-… (running)`.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Artifact {
    /// The id.
    pub id: ArtifactId,
    /// The kind.
    pub kind: ArtifactKind,
    /// The status.
    pub status: ArtifactStatus,
    /// The title; it may be empty.
    pub title: String,
    /// The session in which it was built, as the host names it.
    pub session: Option<String>,
    /// Whether sessions with others present may read it.
    pub is_shared: bool,
    /// The data: of a completed artifact, or the draft of one that runs. A list leaves it out.
    pub data: Option<ArtifactData>,
    /// The number of bytes of the data.
    pub size: u64,
    /// The message of one that ended in an error.
    pub message: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
}

debug_as!(Artifact, |it| "Artifact {{ {}, {}, bytes: {} }}", it.uri(), it.status, it.size);

impl Artifact {
    /// Makes the artifact that begins.
    #[must_use]
    pub fn begun(id: ArtifactId, new: &NewArtifact, now: DateTime<Utc>) -> Self {
        Self {
            id,
            kind: new.kind,
            status: ArtifactStatus::Running,
            title: new.title.clone(),
            session: new.session.clone(),
            is_shared: new.is_shared,
            data: None,
            size: 0,
            message: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the reference to it.
    #[must_use]
    pub fn uri(&self) -> ArtifactUri {
        ArtifactUri { kind: self.kind, id: self.id.clone() }
    }
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.uri())?;
        match self.status {
            ArtifactStatus::Completed => Ok(()),
            status => write!(f, " ({status})"),
        }
    }
}

/// A choice of artifacts for a list, the latest first.
///
/// ```
/// use noctuary::artifacts::{ArtifactFilter, ArtifactKind};
///
/// let charts = ArtifactFilter::default().kind(ArtifactKind::Chart).limit(10);
/// assert_eq!(charts.limit, 10);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArtifactFilter {
    /// One kind alone.
    pub kind: Option<ArtifactKind>,
    /// One status alone.
    pub status: Option<ArtifactStatus>,
    /// The last artifact of the page before: those behind it follow.
    pub after: Option<ArtifactId>,
    /// The most that are listed: 50 unless set.
    pub limit: usize,
}

impl Default for ArtifactFilter {
    fn default() -> Self {
        Self { kind: None, status: None, after: None, limit: 50 }
    }
}

impl ArtifactFilter {
    /// Takes one kind alone.
    #[must_use]
    pub fn kind(mut self, kind: ArtifactKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Takes one status alone.
    #[must_use]
    pub fn status(mut self, status: ArtifactStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Goes on behind the last artifact of a page.
    #[must_use]
    pub fn after(mut self, id: ArtifactId) -> Self {
        self.after = Some(id);
        self
    }

    /// Sets the most that are listed.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Returns whether an artifact is one of the choice.
    pub(crate) fn takes(&self, artifact: &Artifact) -> bool {
        self.kind.is_none_or(|kind| kind == artifact.kind)
            && self.status.is_none_or(|status| status == artifact.status)
    }
}

/// A line of the audit of artifacts: a transition, by whom and when, without any words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArtifactAudit {
    /// When.
    pub at: DateTime<Utc>,
    /// Who acted.
    pub actor: Actor,
    /// In what kind of session.
    pub kind: SessionKind,
    /// `artifact_insert`, `artifact_complete`, `artifact_error`, `artifact_delete` or `artifact_forget`.
    pub action: String,
    /// The artifact.
    pub id: ArtifactId,
}

impl ArtifactAudit {
    /// Makes a line.
    pub fn new(
        at: DateTime<Utc>,
        actor: Actor,
        kind: SessionKind,
        action: impl Into<String>,
        id: ArtifactId,
    ) -> Self {
        Self { at, actor, kind, action: action.into(), id }
    }
}
