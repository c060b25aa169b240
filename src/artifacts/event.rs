//! Changes of artifacts, and who hears of them.

use std::fmt::{self, Debug};

use serde::{Serialize, Serializer};

use super::uri::ArtifactUri;

/// Hears of every change of an artifact, after it is durable, and of what a materialising leaves out.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::artifacts::{ArtifactEvent, ArtifactObserver};
///
/// #[derive(Debug)]
/// struct Placeholders;
///
/// impl ArtifactObserver for Placeholders {
///     fn event(&self, event: &ArtifactEvent) {
///         eprintln!("{} {}", event.name, event.uri); // artifact:completed chart://x-…
///     }
/// }
///
/// let observer: Arc<dyn ArtifactObserver> = Arc::new(Placeholders);
/// # let _ = observer;
/// ```
pub trait ArtifactObserver: Debug + Send + Sync {
    /// Receives one event for each change, never for one that was refused. It may call the store.
    fn event(&self, event: &ArtifactEvent);
}

/// A change of an artifact. It holds no words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ArtifactEvent {
    /// Its name.
    pub name: ArtifactEventName,
    /// The artifact.
    pub uri: ArtifactUri,
}

impl ArtifactEvent {
    /// Makes an event.
    #[must_use]
    pub fn new(name: ArtifactEventName, uri: ArtifactUri) -> Self {
        Self { name, uri }
    }
}

/// The name of a change of an artifact. Prints as its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ArtifactEventName {
    /// `artifact:running`: an artifact begins.
    Running,
    /// `artifact:updated`: one that runs has a new draft.
    Updated,
    /// `artifact:completed`: it has its data.
    Completed,
    /// `artifact:error`: it ended in an error.
    Error,
    /// `artifact:deleted`: it was deleted.
    Deleted,
    /// `artifact:forgotten`: it held a statement that was forgotten.
    Forgotten,
    /// `artifact:materialised`: its files were written.
    Materialised,
    /// `chart_png_skipped`: a chart has no picture, as there is no renderer or it could not draw it. The seed's name.
    PictureSkipped,
}

impl ArtifactEventName {
    /// Returns its word: `artifact:completed`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "artifact:running",
            Self::Updated => "artifact:updated",
            Self::Completed => "artifact:completed",
            Self::Error => "artifact:error",
            Self::Deleted => "artifact:deleted",
            Self::Forgotten => "artifact:forgotten",
            Self::Materialised => "artifact:materialised",
            Self::PictureSkipped => "chart_png_skipped",
        }
    }
}

impl fmt::Display for ArtifactEventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for ArtifactEventName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
