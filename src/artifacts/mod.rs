//! Artifacts: charts, spreadsheets and reports that an agent makes, and that outlive the session.
//!
//! ```
//! use chrono::Utc;
//! use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, Materialiser, NewArtifact};
//! use noctuary::{Access, FileArtifactStore, Scope};
//!
//! # let folder = tempfile::tempdir()?;
//! # let data = tempfile::tempdir()?;
//! let store = FileArtifactStore::open(folder.path(), Scope::user("marta"))?;
//! let agent = Access::agent(Scope::user("marta"));
//! let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Report, "October"), Utc::now())?;
//! let report = store.mark_completed(&agent, &id, &ArtifactData::markdown("# October\n\nCalm."), Utc::now())?;
//!
//! let message = format!("Here it is: {}", report.uri()); // report://r-…
//! let written = Materialiser::open(data.path())?.materialise(&store, &agent, &message)?;
//! assert!(written.pages[0].folder.join("index.html").exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`ArtifactStore`], [`ArtifactStoreExt`] | the contract of a home; [`FileArtifactStore`](crate::FileArtifactStore) and `SqliteArtifactStore` ship |
//! | [`NewArtifact`], [`Artifact`], [`ArtifactStatus`], [`ArtifactData`] | an artifact, from its beginning to its end |
//! | [`ArtifactId`], [`ArtifactKind`], [`ArtifactUri`] | references: `chart://x-…`, `spreadsheet://x-…`, `report://r-…` |
//! | [`ArtifactFilter`] | the choice of a list |
//! | [`ArtifactAudit`], [`ArtifactObserver`], [`ArtifactEvent`], [`ArtifactEventName`] | each transition, for the audit and for an interface |
//! | [`Materialiser`], [`Materialised`], [`ArtifactPage`] | files for a person, at the end of a turn |
//! | [`ChartRenderer`], [`ChartPicture`] | pictures of charts, by the host; `SvgCharts` (feature `charts`) draws lines, bars and pies |
//!
//! Limits and doors are in [`store::ArtifactConfig`](crate::store::ArtifactConfig).
//!
//! # Limits
//!
//! - The options of a chart are kept as they are, and never run. A page shows numbers and text; a picture needs a renderer. `SvgCharts` draws lines, bars and pies alone.
//! - An id is a stable reference and no secret. A host that serves artifacts over a network must check the
//!   session first.
//! - A report in HTML is shown as its source text.
//! - The list of a folder reads the first line of each artifact's file.

mod artifact;
#[cfg(feature = "charts")]
mod charts;
mod csv;
mod data;
mod event;
mod id;
mod markdown;
mod materialise;
mod page;
mod renderer;
mod store;
mod uri;

pub use artifact::{Artifact, ArtifactAudit, ArtifactFilter, ArtifactStatus, NewArtifact};
#[cfg(feature = "charts")]
#[cfg_attr(docsrs, doc(cfg(feature = "charts")))]
pub use charts::SvgCharts;
pub use data::ArtifactData;
pub use event::{ArtifactEvent, ArtifactEventName, ArtifactObserver};
pub(crate) use id::not_found;
pub use id::{ArtifactId, ArtifactKind};
pub use materialise::{ArtifactPage, Materialised, Materialiser};
pub use renderer::{ChartPicture, ChartRenderer};
pub use store::{ArtifactStore, ArtifactStoreExt};
pub use uri::ArtifactUri;
