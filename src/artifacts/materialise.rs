//! Files for a person: what a final message refers to, written into folders that a browser opens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::artifact::{Artifact, ArtifactStatus};
use super::csv;
use super::data::ArtifactData;
use super::event::{ArtifactEvent, ArtifactEventName, ArtifactObserver};
use super::id::ArtifactId;
use super::page::page;
use super::renderer::{ChartPicture, ChartRenderer};
use super::store::{ArtifactStore, ArtifactStoreExt};
use super::uri::ArtifactUri;
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::error::{At, Error, Refusal, Result};
use crate::disk::{Disk, Kind, OsDisk, atomic, canonical};

/// Writes the artifacts of a final message into files at the end of a turn. They are in `artifacts/<id>/` of the host's
/// data.
///
/// | file | of | holds |
/// |---|---|---|
/// | `index.html` | all | a page without scripts that fetches nothing: text, tables, pictures |
/// | `data.json` | all | the data as it is kept |
/// | `chart-1.png`, `chart-1.svg` | a chart, with a [renderer](Self::renderer) | its pictures |
/// | `data.csv` | a spreadsheet | the table; cells that a spreadsheet would run have an apostrophe in front |
/// | `report.md`, `report.html.txt` | a report | its text |
///
/// Files have mode 0600, and each is replaced whole. Without a renderer, and where it cannot draw, the observer hears
/// `chart_png_skipped`, and the rest goes on.
///
/// # Example: the end of a turn
///
/// ```
/// use chrono::Utc;
/// use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, Materialiser, NewArtifact};
/// use noctuary::{Access, FileArtifactStore, Scope};
///
/// let (life, data) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let store = FileArtifactStore::open(life.path(), Scope::user("marta"))?;
/// let agent = Access::agent(Scope::user("marta"));
/// let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Spreadsheet, "Tides"), Utc::now())?;
/// store.mark_completed(&agent, &id, &ArtifactData::csv("hour,metres\n9,=1+1\n"), Utc::now())?;
///
/// let files = Materialiser::open(data.path())?.apart_from([life.path()])?;
/// let written = files.materialise(&store, &agent, &format!("The tides: spreadsheet://{id}, and chart://x-gone"))?;
/// let csv = std::fs::read_to_string(written.pages[0].folder.join("data.csv"))?;
/// assert_eq!(csv, "hour,metres\n9,'=1+1\n");
/// assert_eq!(written.unknown[0].to_string(), "chart://x-gone"); // tell the model
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Materialiser {
    disk: Arc<dyn Disk>,
    renderer: Option<Arc<dyn ChartRenderer>>,
    observer: Option<Arc<dyn ArtifactObserver>>,
}

debug_as!(Materialiser, |it| "Materialiser({})", it.root().display());

/// The files of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Materialised {
    /// The artifacts that have files now.
    pub pages: Vec<ArtifactPage>,
    /// References to artifacts that still run, or that ended in an error.
    pub unfinished: Vec<ArtifactUri>,
    /// References to nothing that this session may read: a model made them up.
    pub unknown: Vec<ArtifactUri>,
}

/// The files of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArtifactPage {
    /// The artifact.
    pub uri: ArtifactUri,
    /// Its folder.
    pub folder: PathBuf,
    /// The names of its files there, `index.html` first.
    pub files: Vec<String>,
    /// The number of charts without a picture.
    pub without_picture: usize,
}

/// The folder in the host's folder of data.
const FOLDER: &str = "artifacts";

impl Materialiser {
    /// Opens the host's folder of data, which must exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder.
    pub fn open(data_folder: impl AsRef<Path>) -> Result<Self> {
        let path = data_folder.as_ref();
        let disk = OsDisk::open(path).at("open", path.display())?;
        Ok(Self { disk: Arc::new(disk), renderer: None, observer: None })
    }

    /// Opens the folder of data on another disk: one that fails.
    #[cfg(any(test, feature = "testing"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
    #[must_use]
    pub fn on_disk(disk: Arc<dyn Disk>) -> Self {
        Self { disk, renderer: None, observer: None }
    }

    /// Refuses folders that share anything with the files of artifacts: a sandbox, uploads, a workspace. Symbolic links are
    /// followed.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where one is inside of the other; those of looking at a folder.
    pub fn apart_from<P: AsRef<Path>>(self, folders: impl IntoIterator<Item = P>) -> Result<Self> {
        let own = self.root();
        let own = canonical(&own).at("open", own.display())?;
        for folder in folders {
            let folder = folder.as_ref();
            let other = canonical(folder).at("open", folder.display())?;
            if own.starts_with(&other) || other.starts_with(&own) {
                let path = folder.display().to_string();
                return Err(Error::Refused { path, reason: Refusal::InSandbox });
            }
        }
        Ok(self)
    }

    /// Sets who draws charts.
    #[must_use]
    pub fn renderer(mut self, renderer: Arc<dyn ChartRenderer>) -> Self {
        self.renderer = Some(renderer);
        self
    }

    /// Sets the observer of written and omitted files.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn ArtifactObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Returns the folder of all files.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.disk.root().join(FOLDER)
    }

    /// Writes the files of all artifacts to which a message refers, as this session may read them. Doing it again writes the
    /// same files.
    ///
    /// # Errors
    ///
    /// The errors of the store, except references to nothing, and those of writing. Each file is whole or not there.
    pub fn materialise(
        &self,
        store: &dyn ArtifactStore,
        access: &Access,
        message: &str,
    ) -> Result<Materialised> {
        let mut written = Materialised::default();
        for uri in ArtifactUri::find(message) {
            let artifact = match store.resolve(access, &uri.to_string()) {
                Ok(artifact) => artifact,
                Err(Error::ArtifactNotFound { .. }) => {
                    written.unknown.push(uri);
                    continue;
                }
                Err(error) => return Err(error),
            };
            match &artifact.data {
                Some(data) if artifact.status == ArtifactStatus::Completed => {
                    written.pages.push(self.write(&artifact, data)?);
                }
                _ => written.unfinished.push(uri),
            }
        }
        Ok(written)
    }

    /// Removes the files of an artifact, and returns how many: after it was deleted or forgotten. Its empty folder stays.
    ///
    /// # Errors
    ///
    /// The errors of the system.
    pub fn remove(&self, id: &ArtifactId) -> Result<u64> {
        let folder = format!("{FOLDER}/{id}");
        let entries = match self.disk.list(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error).at("list", &folder),
        };
        let mut removed = 0;
        for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
            removed += u64::from(atomic::remove(self.disk.as_ref(), &format!("{folder}/{}", entry.name))?);
        }
        Ok(removed)
    }

    fn write(&self, artifact: &Artifact, data: &ArtifactData) -> Result<ArtifactPage> {
        let pictures = match data {
            ArtifactData::Chart { charts } => charts.iter().map(|chart| self.draw(artifact, chart)).collect(),
            _ => Vec::new(),
        };
        let mut json = serde_json::to_string_pretty(&data.to_json()).unwrap_or_default();
        json.push('\n');
        let mut files = vec![("data.json".to_owned(), json.into_bytes())];
        match data {
            ArtifactData::Chart { .. } => {
                let drawn =
                    (1..).zip(&pictures).filter_map(|(number, picture)| Some((number, picture.as_ref()?)));
                for (number, picture) in drawn {
                    files.push((format!("chart-{number}.{}", picture.ending()), picture.bytes().to_vec()));
                }
            }
            ArtifactData::Spreadsheet { csv, .. } => {
                files.push(("data.csv".to_owned(), csv::print(&csv::parse(csv)).into_bytes()));
            }
            ArtifactData::Report { text, is_html } => {
                // No browser runs a file of this name.
                let name = if *is_html { "report.html.txt" } else { "report.md" };
                files.push((name.to_owned(), text.clone().into_bytes()));
            }
        }
        // Last: a page that opens has its files.
        files.push(("index.html".to_owned(), page(artifact, data, &pictures).into_bytes()));
        let folder = format!("{FOLDER}/{}", artifact.id);
        for (name, bytes) in &files {
            let path = format!("{folder}/{name}");
            atomic::create_folder_of(self.disk.as_ref(), &path)?;
            atomic::replace_beside(self.disk.as_ref(), &path, bytes)?;
        }
        self.tell(ArtifactEventName::Materialised, artifact);
        let mut names: Vec<String> = files.into_iter().map(|(name, _)| name).collect();
        names.rotate_right(1);
        let without_picture = pictures.iter().filter(|picture| picture.is_none()).count();
        Ok(ArtifactPage {
            uri: artifact.uri(),
            folder: self.root().join(artifact.id.as_str()),
            files: names,
            without_picture,
        })
    }

    /// Draws a chart; none where nobody can.
    fn draw(&self, artifact: &Artifact, chart: &serde_json::Value) -> Option<ChartPicture> {
        let drawn = self.renderer.as_ref().and_then(|renderer| renderer.render(chart).ok());
        let drawn = drawn.filter(ChartPicture::is_inert);
        if drawn.is_none() {
            self.tell(ArtifactEventName::PictureSkipped, artifact);
        }
        drawn
    }

    fn tell(&self, name: ArtifactEventName, artifact: &Artifact) {
        if let Some(observer) = &self.observer {
            observer.event(&ArtifactEvent::new(name, artifact.uri()));
        }
    }
}
