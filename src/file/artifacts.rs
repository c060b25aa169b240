//! Artifacts in a folder: a file for each, its first line without the data.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sweep::sweep;
use super::write_guard::write_guard_within;
use crate::artifacts::{
    Artifact, ArtifactAudit, ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactStatus,
    NewArtifact,
};
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::{At, Error, Result, corrupt, parse_json};
use crate::base::name::StateName;
use crate::base::spread::Spread;
use crate::disk::{Disk, Kind, Open, OsDisk, atomic};
use crate::format::state::forgotten::Forgotten;
use crate::gate::{Tombstone, Tombstones};
use crate::store::artifacts::{
    ArtifactConfig, ArtifactHome, ArtifactRows, ArtifactUsage, Sees, Shelf, contract_of_artifacts,
};
use crate::store::check_scope;
use crate::workspace::MAX_DOCUMENT;

/// Artifacts in a folder, for one scope: `.dreaming.d/artifacts/<id>.json`, a file for each.
///
/// The folder may be that of a [`FileWorkspace`](crate::FileWorkspace). No session, no tool and no `write_file` of a
/// sandbox reaches files below `.dreaming.d`. The first line of a file says what it is and who changed it when, the
/// second one has the data. A file is replaced whole: what a verb returned survives a power loss, and where one fails
/// nothing is changed. The first line of a deleted artifact stays, without its title.
///
/// Several processes may use the folder at once. Not for network drives.
///
/// ```
/// use chrono::Utc;
/// use noctuary::artifacts::{ArtifactKind, ArtifactStore, NewArtifact};
/// use noctuary::{Access, FileArtifactStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileArtifactStore::open(folder.path(), Scope::user("marta"))?;
/// let agent = Access::agent(Scope::user("marta"));
/// let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Report, "October"), Utc::now())?;
/// let failed = store.mark_error(&agent, &id, "the source did not answer", Utc::now())?;
/// assert_eq!(failed.to_string(), format!("report://{id} (error)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FileArtifactStore {
    shelf: Arc<Shelf<FileArtifacts>>,
}

impl FileArtifactStore {
    /// Opens an existing folder, and removes what was left half written; the first change makes what is missing in it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, ArtifactConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, config: ArtifactConfig) -> Result<Self> {
        let path = path.as_ref();
        Self::over(Arc::new(OsDisk::open(path).at("open", path.display())?), scope, config)
    }

    /// Opens a store over another disk: one that fails.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    #[cfg(any(test, feature = "testing"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
    pub fn on_disk(disk: Arc<dyn Disk>, scope: Scope, config: ArtifactConfig) -> Result<Self> {
        Self::over(disk, scope, config)
    }

    fn over(disk: Arc<dyn Disk>, scope: Scope, config: ArtifactConfig) -> Result<Self> {
        check_scope(&scope)?;
        let root = disk.root().display().to_string();
        if let Some(file_system) = disk.network().at("look at", &root)? {
            return Err(Error::NetworkFileSystem { path: root, file_system });
        }
        sweep(disk.as_ref())?;
        let home = FileArtifacts { disk, scope: scope.clone(), patience: config.patience };
        Ok(Self { shelf: Arc::new(Shelf::new(home, scope, config)) })
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        self.shelf.scope()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &ArtifactConfig {
        self.shelf.config()
    }
}

contract_of_artifacts!(FileArtifactStore);

debug_as!(FileArtifactStore, |it| "FileArtifactStore({} {})", it.shelf.location(), it.shelf.scope().user);

/// The artifacts of a scope in a folder.
struct FileArtifacts {
    disk: Arc<dyn Disk>,
    scope: Scope,
    patience: Duration,
}

/// The version of a file.
const VERSION: u64 = 1;

/// More than any first line has.
const HEAD_LIMIT: u64 = 32 << 10;

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Head {
    v: u64,
    id: ArtifactId,
    #[serde(rename = "type")]
    kind: ArtifactKind,
    status: Status,
    scope: Scope,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shared: bool,
    #[serde(default)]
    size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    audit: Vec<ArtifactAudit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Running,
    Completed,
    Error,
    Deleted,
}

impl Status {
    fn of(status: ArtifactStatus) -> Self {
        match status {
            ArtifactStatus::Running => Self::Running,
            ArtifactStatus::Completed => Self::Completed,
            ArtifactStatus::Error => Self::Error,
        }
    }

    /// Returns the status; `None` where it was deleted.
    fn of_artifact(self) -> Option<ArtifactStatus> {
        match self {
            Self::Running => Some(ArtifactStatus::Running),
            Self::Completed => Some(ArtifactStatus::Completed),
            Self::Error => Some(ArtifactStatus::Error),
            Self::Deleted => None,
        }
    }
}

impl Head {
    /// Returns the artifact without its data; `None` where it was deleted.
    fn artifact(&self) -> Option<Artifact> {
        let mut artifact = Artifact::begun(
            self.id.clone(),
            &NewArtifact::new(self.kind, self.title.clone()),
            self.created_at,
        );
        artifact.status = self.status.of_artifact()?;
        artifact.session.clone_from(&self.session);
        artifact.message.clone_from(&self.error);
        artifact.is_shared = self.shared;
        artifact.size = self.size;
        artifact.updated_at = self.updated_at;
        Some(artifact)
    }
}

/// The folder of the artifacts of a scope.
const FOLDER: &str = ".dreaming.d/artifacts";

fn path_of(id: &ArtifactId) -> String {
    format!("{FOLDER}/{id}.json")
}

impl FileArtifacts {
    /// Reads the first line of a file; `None` where there is none, or it is of another scope.
    fn head(&self, path: &str) -> Result<Option<Head>> {
        let file = match self.disk.open(path, Open::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).at("open", path),
        };
        let bytes = atomic::read_range(file.as_ref(), 0, HEAD_LIMIT).at("read", path)?;
        let head = parse_head(path, &bytes)?;
        Ok(Some(head).filter(|head| head.scope == self.scope))
    }

    /// Reads a whole file.
    fn whole(&self, id: &ArtifactId) -> Result<Option<(Head, Option<Artifact>)>> {
        let path = path_of(id);
        let Some(bytes) = atomic::read(self.disk.as_ref(), &path, u64::MAX - 1)? else { return Ok(None) };
        let head = parse_head(&path, &bytes)?;
        if head.scope != self.scope {
            return Ok(None);
        }
        let Some(mut artifact) = head.artifact() else { return Ok(Some((head, None))) };
        let rest = bytes.iter().position(|byte| *byte == b'\n').map_or(&[][..], |at| &bytes[at + 1..]);
        if !rest.is_empty() {
            let data: Value = parse_json(&path, rest)?;
            let what = "the data has not the shape of its kind";
            let broken = |_| Error::Corrupt { name: path.clone(), line: 2, column: 0, what };
            artifact.data = Some(ArtifactData::parse(head.kind, data).map_err(broken)?);
        }
        Ok(Some((head, Some(artifact))))
    }

    /// Returns the first lines of all artifacts of the scope, deleted ones too.
    fn heads(&self) -> Result<Vec<Head>> {
        let folder = FOLDER;
        let entries = match self.disk.list(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).at("list", folder),
        };
        let mut heads = Vec::new();
        for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
            let id = entry.name.strip_suffix(".json").and_then(|id| id.parse::<ArtifactId>().ok());
            if let Some(id) = id {
                heads.extend(self.head(&path_of(&id))?);
            }
        }
        Ok(heads)
    }
}

fn parse_head(path: &str, bytes: &[u8]) -> Result<Head> {
    #[derive(Deserialize)]
    struct Version {
        v: u64,
    }
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Version { v: found } = parse_json(path, line)?;
    if found > VERSION {
        return Err(Error::NewerVersion { name: path.to_owned(), found, known: VERSION });
    }
    parse_json(path, line)
}

impl ArtifactHome for FileArtifacts {
    fn location(&self) -> String {
        self.disk.root().display().to_string()
    }

    fn read(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        let found = self.whole(id)?.and_then(|(_, artifact)| artifact);
        Ok(found.filter(|artifact| sees.sees(artifact.is_shared)))
    }

    fn page(&self, filter: &ArtifactFilter, sees: Sees) -> Result<Option<Vec<Artifact>>> {
        let heads = self.heads()?;
        let mut all: Vec<Artifact> = heads
            .iter()
            .filter_map(Head::artifact)
            .filter(|artifact| sees.sees(artifact.is_shared))
            .collect();
        all.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
        let from = match &filter.after {
            None => 0,
            Some(id) => match all.iter().position(|artifact| artifact.id == *id) {
                Some(at) => at + 1,
                None => return Ok(None),
            },
        };
        Ok(Some(all.into_iter().skip(from).filter(|one| filter.takes(one)).take(filter.limit).collect()))
    }

    fn lines(&self, limit: usize) -> Result<Vec<ArtifactAudit>> {
        let mut lines: Vec<ArtifactAudit> = self.heads()?.into_iter().spread(|head| head.audit).collect();
        // Of one artifact they are in their order; where two are of one moment, that of the greater id is later.
        lines.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        lines.reverse();
        lines.truncate(limit);
        Ok(lines)
    }

    fn scrub(&self) -> Result<()> {
        // A file that was written anew has nothing of the one before.
        Ok(())
    }

    fn change<T>(
        &self,
        _action: &'static str,
        change: impl FnOnce(&mut dyn ArtifactRows) -> Result<T>,
    ) -> Result<T> {
        let _guard = write_guard_within(self.disk.as_ref(), self.patience)?;
        change(&mut Rows { home: self })
    }
}

/// The artifacts of a folder under the write guard.
struct Rows<'a> {
    home: &'a FileArtifacts,
}

impl ArtifactRows for Rows<'_> {
    fn has(&self, id: &ArtifactId) -> Result<bool> {
        let path = path_of(id);
        Ok(self.home.disk.stat(&path).at("look at", &path)?.is_some())
    }

    fn get(&self, id: &ArtifactId, sees: Sees) -> Result<Option<Artifact>> {
        self.home.read(id, sees)
    }

    fn usage(&self) -> Result<ArtifactUsage> {
        let heads = self.home.heads()?;
        let standing = heads.iter().filter(|head| head.status != Status::Deleted);
        Ok(standing.fold(ArtifactUsage::default(), |sum, head| ArtifactUsage {
            artifacts: sum.artifacts + 1,
            bytes: sum.bytes.saturating_add(head.size),
        }))
    }

    fn forgotten(&self) -> Result<Option<Tombstones>> {
        Ok(self.stones()?.map(|file| file.tombstones).filter(|stones| !stones.is_empty()))
    }

    fn keep_forgotten(&mut self, stones: &Tombstones, _stone: &Tombstone) -> Result<()> {
        let mut file = self.stones()?.unwrap_or_else(|| Forgotten::new(stones.clone()));
        file.tombstones = stones.clone();
        let printed = file.print();
        [StateName::FORGOTTEN_COPY, StateName::FORGOTTEN]
            .iter()
            .try_for_each(|name| atomic::replace(self.home.disk.as_ref(), name.as_str(), &printed))
    }

    fn ids(&self) -> Result<Vec<ArtifactId>> {
        let heads = self.home.heads()?.into_iter();
        Ok(heads.filter(|head| head.status != Status::Deleted).map(|head| head.id).collect())
    }

    fn put(&mut self, artifact: &Artifact, line: Option<&ArtifactAudit>) -> Result<()> {
        let path = path_of(&artifact.id);
        let mut audit = self.home.head(&path)?.map(|head| head.audit).unwrap_or_default();
        audit.extend(line.cloned());
        let head = Head {
            v: VERSION,
            id: artifact.id.clone(),
            kind: artifact.kind,
            status: Status::of(artifact.status),
            scope: self.home.scope.clone(),
            title: artifact.title.clone(),
            session: artifact.session.clone(),
            shared: artifact.is_shared,
            size: artifact.size,
            error: artifact.message.clone(),
            created_at: artifact.created_at,
            updated_at: artifact.updated_at,
            audit,
        };
        self.write(&path, &head, artifact.data.as_ref())
    }

    fn remove(&mut self, id: &ArtifactId, line: &ArtifactAudit) -> Result<()> {
        let path = path_of(id);
        let Some(mut head) = self.home.head(&path)? else { return Ok(()) };
        head.audit.push(line.clone());
        (head.status, head.size) = (Status::Deleted, 0);
        (head.title, head.session, head.error) = (String::new(), None, None);
        head.updated_at = line.at;
        self.write(&path, &head, None)
    }

    fn erase(&mut self) -> Result<u64> {
        let mut erased = 0;
        for head in self.home.heads()? {
            atomic::remove(self.home.disk.as_ref(), &path_of(&head.id))?;
            erased += u64::from(head.status != Status::Deleted);
        }
        Ok(erased)
    }
}

impl Rows<'_> {
    /// Reads the tombstones of the folder, which are those of a workspace in it.
    fn stones(&self) -> Result<Option<Forgotten<Tombstones>>> {
        let name = StateName::FORGOTTEN;
        let read = |name: &StateName| atomic::read(self.home.disk.as_ref(), name.as_str(), MAX_DOCUMENT);
        Forgotten::or_copy(read(&name)?.as_deref(), || read(&StateName::FORGOTTEN_COPY))
    }

    fn write(&self, path: &str, head: &Head, data: Option<&ArtifactData>) -> Result<()> {
        let mut bytes = serde_json::to_vec(head).map_err(|error| corrupt(path, &error))?;
        bytes.push(b'\n');
        if let Some(data) = data {
            bytes.extend_from_slice(data.to_json().to_string().as_bytes());
            bytes.push(b'\n');
        }
        atomic::create_folder_of(self.home.disk.as_ref(), path)?;
        atomic::replace(self.home.disk.as_ref(), path, &bytes)
    }
}
