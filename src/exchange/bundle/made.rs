//! Artifacts and files in a bundle: `artifacts/<id>.json`, and `files/<user>/<file>` with its record beside it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::judge::{Judged, Pass, judged};
use super::plan::{BundleAction, Channel, Work};
use super::tree::Bundle;
use crate::artifacts::{
    Artifact, ArtifactData, ArtifactFilter, ArtifactId, ArtifactKind, ArtifactStatus, ArtifactStore,
    NewArtifact,
};
use crate::base::access::Access;
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::name::{Name, StateName};
use crate::upload::{FileKey, FileStore, StoredFile};

const ARTIFACTS: &str = "artifacts/";
const FILES: &str = "files/";
const RECORD: &str = ".json";

/// Returns whether a path is that of an artifact or of a file.
pub(super) fn is_made(path: &str) -> bool {
    path.starts_with(ARTIFACTS) || path.starts_with(FILES)
}

/// An artifact as a bundle has it.
#[derive(Serialize, Deserialize)]
struct Made {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    status: String,
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    shared: bool,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// The record of a file as a bundle has it.
#[derive(Serialize, Deserialize)]
struct Handed {
    len: u64,
    sha256: Digest,
    at: DateTime<Utc>,
    shared: bool,
}

/// Adds the artifacts of a store.
pub(super) fn put_artifacts(store: &dyn ArtifactStore, access: &Access, bundle: &mut Bundle) -> Result<()> {
    for listed in store.list(access, &ArtifactFilter::default().limit(usize::MAX))? {
        let artifact = match store.get(access, &listed.id) {
            Ok(artifact) => artifact,
            // Deleted meanwhile.
            Err(Error::ArtifactNotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let made = Made {
            id: artifact.id.to_string(),
            kind: artifact.kind.as_str().to_owned(),
            status: artifact.status.as_str().to_owned(),
            title: artifact.title,
            session: artifact.session,
            error: artifact.message,
            shared: artifact.is_shared,
            created_at: artifact.created_at,
            updated_at: artifact.updated_at,
            data: artifact.data.as_ref().map(ArtifactData::to_json),
        };
        let mut text = serde_json::to_string_pretty(&made).expect("plain data is always JSON");
        text.push('\n');
        bundle.put(format!("{ARTIFACTS}{}{RECORD}", artifact.id), text);
    }
    Ok(())
}

/// Adds the files of a store.
pub(super) fn put_files(store: &dyn FileStore, access: &Access, bundle: &mut Bundle) -> Result<()> {
    for file in store.list(access, None, usize::MAX)? {
        let bytes = match store.read(access, &file.key, 0..file.len) {
            Ok(bytes) => bytes,
            // Removed meanwhile.
            Err(Error::NotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let (user, name) = file.key.parts();
        let record = Handed { len: file.len, sha256: file.sha256, at: file.at, shared: file.is_shared };
        let record = serde_json::to_vec(&record).expect("plain data is always JSON");
        bundle.put(format!("{FILES}{user}/{name}"), bytes);
        bundle.put(format!("{FILES}{user}/{name}{RECORD}"), record);
    }
    Ok(())
}

/// The homes of what is brought in.
#[derive(Clone, Copy, Default)]
pub(super) struct Homes<'a> {
    pub(super) artifacts: Option<&'a dyn ArtifactStore>,
    pub(super) files: Option<&'a dyn FileStore>,
}

impl Homes<'_> {
    /// Judges an artifact, or a file or its record.
    pub(super) fn judge(
        &self,
        (path, bytes): (&str, &[u8]),
        channel: Channel,
        (bundle, access): (&Bundle, &Access),
        pass: &Pass<'_>,
        work: &mut Work,
    ) -> Result<Judged> {
        if channel == Channel::Unsigned {
            return Ok(Err("artifacts and files come in signed alone".to_owned()));
        }
        if path.starts_with(ARTIFACTS) {
            return self.judge_artifact(path, bytes, access, pass, work);
        }
        let Some(store) = self.files else { return Ok(Err("no store of files was given".to_owned())) };
        // A record goes with its file.
        if let Some(file) = path.strip_suffix(RECORD)
            && bundle.get(file).is_some()
        {
            return Ok(Ok(BundleAction::Keep));
        }
        let Some(file) = file_of(path, bundle, access) else {
            return Ok(Err("it is no file with its record, or of another user".to_owned()));
        };
        if (file.len, file.sha256) != (bytes.len() as u64, Digest::of(bytes)) {
            return Ok(Err("its bytes are not those of its record".to_owned()));
        }
        match store.get(access, &file.key) {
            Ok(_) => return Ok(Ok(BundleAction::Keep)),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        work.files.push((path.to_owned(), file, bytes.to_vec()));
        Ok(Ok(BundleAction::Add))
    }

    fn judge_artifact(
        &self,
        path: &str,
        bytes: &[u8],
        access: &Access,
        pass: &Pass<'_>,
        work: &mut Work,
    ) -> Result<Judged> {
        let Some(store) = self.artifacts else {
            return Ok(Err("no store of artifacts was given".to_owned()));
        };
        let Some(artifact) = artifact_of(path, bytes) else {
            return Ok(Err("it is no artifact of a bundle".to_owned()));
        };
        match store.get(access, &artifact.id) {
            Ok(_) => return Ok(Ok(BundleAction::Keep)),
            Err(Error::ArtifactNotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        let name: Name = StateName::row("imported", path).into();
        let words = artifact.data.as_ref().map(ArtifactData::words).unwrap_or_default();
        let texts =
            [Some(&artifact.title), artifact.session.as_ref(), artifact.message.as_ref(), Some(&words)];
        let passed = texts.into_iter().flatten().try_for_each(|text| pass(&name, text));
        Ok(passed.map(|()| {
            work.artifacts.push((path.to_owned(), artifact));
            BundleAction::Add
        }))
    }

    /// Brings in what may come in.
    pub(super) fn apply(&self, access: &Access, work: &mut Work, now: DateTime<Utc>) -> Result<()> {
        let mut ends = Vec::new();
        if let Some(store) = self.artifacts {
            let mut all = std::mem::take(&mut work.artifacts);
            all.sort_by(|(_, one), (_, other)| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
            for (path, artifact) in all {
                ends.push((path, store.adopt(access, &artifact, now)));
            }
        }
        if let Some(store) = self.files {
            for (path, file, bytes) in std::mem::take(&mut work.files) {
                ends.push((path, store.adopt(access, &file, &mut &*bytes)));
            }
        }
        for (path, adopted) in ends {
            let action = match adopted {
                Ok(true) => continue,
                Ok(false) => BundleAction::Refuse("it was removed here".to_owned()),
                Err(error) => BundleAction::Refuse(judged(error)?),
            };
            for item in work.plan.items.iter_mut().filter(|item| item.path == path) {
                item.action = action.clone();
            }
        }
        Ok(())
    }
}

/// Returns what a bundle says of a file.
fn file_of(path: &str, bundle: &Bundle, access: &Access) -> Option<StoredFile> {
    let key = FileKey::parse(format!("chat/{path}")).ok()?;
    let record: Handed = serde_json::from_slice(bundle.get(&format!("{path}{RECORD}"))?).ok()?;
    if key.parts().0 != crate::upload::folder_of(&access.scope.user) {
        return None;
    }
    let mut file = StoredFile::new(key, "", record.len, record.sha256, record.at);
    file.is_shared = record.shared;
    Some(file)
}

/// Returns the artifact that is at a path.
fn artifact_of(path: &str, bytes: &[u8]) -> Option<Artifact> {
    let id: ArtifactId = path.strip_prefix(ARTIFACTS)?.strip_suffix(RECORD)?.parse().ok()?;
    let made: Made = serde_json::from_slice(bytes).ok()?;
    let kind: ArtifactKind = made.kind.parse().ok()?;
    let mut artifact = Artifact::begun(id, &NewArtifact::new(kind, made.title), made.created_at);
    artifact.status = made.status.parse::<ArtifactStatus>().ok()?;
    artifact.data = made.data.map(|data| ArtifactData::parse(kind, data)).transpose().ok()?;
    artifact.size = artifact.data.as_ref().map_or(0, ArtifactData::size);
    (artifact.session, artifact.message) = (made.session, made.error);
    (artifact.is_shared, artifact.updated_at) = (made.shared, made.updated_at);
    (made.id == artifact.id.as_str()).then_some(artifact)
}
