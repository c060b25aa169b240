//! The record of a file, which every store keeps beside the bytes, and the rules of who reads and removes it.

use std::io::{self, Read};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::key::FileKey;
use super::store::{Removal, StoredFile};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::digest::{Digest, Hasher};
use crate::base::error::{At, Error, Result, parse_json};
use crate::base::name::{Name, StateName};

/// Bytes that are read at once.
pub(crate) const PIECE: usize = 64 << 10;
/// More than any record has.
pub(crate) const RECORD_LIMIT: u64 = 4 << 10;
/// The version of a record.
const VERSION: u64 = 1;

/// The record of a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    v: u64,
    pub(crate) scope: Scope,
    pub(crate) len: u64,
    pub(crate) sha256: Digest,
    pub(crate) at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) shared: bool,
}

impl Record {
    pub(crate) fn new(scope: &Scope, (len, sha256): (u64, Digest), at: DateTime<Utc>, shared: bool) -> Self {
        Self { v: VERSION, scope: scope.clone(), len, sha256, at, shared }
    }

    pub(crate) fn parse(path: &str, bytes: &[u8]) -> Result<Self> {
        let record: Self = parse_json(path, bytes)?;
        if record.v > VERSION {
            return Err(Error::NewerVersion { name: path.to_owned(), found: record.v, known: VERSION });
        }
        Ok(record)
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data is always JSON")
    }

    /// Returns whether a session of the store's scope may see the file.
    pub(crate) fn is_seen(&self, scope: &Scope, access: &Access) -> bool {
        self.scope == *scope && (self.shared || access.kind == SessionKind::Main)
    }

    pub(crate) fn stored(&self, key: FileKey, url: String) -> StoredFile {
        let mut stored = StoredFile::new(key, url, self.len, self.sha256, self.at);
        stored.is_shared = self.shared;
        stored
    }

    /// Says whether a file under its key is the one that is to be adopted.
    pub(crate) fn check_same(&self, file: &StoredFile) -> Result<()> {
        if (self.len, self.sha256) == (file.len, file.sha256) {
            return Ok(());
        }
        Err(damaged(&file.key, "another file has this key"))
    }
}

/// A line, or an object, that says what was removed, and whose it was.
#[derive(Serialize, Deserialize)]
pub(crate) struct RemovalLine {
    pub(crate) scope: Scope,
    #[serde(flatten)]
    pub(crate) removal: Removal,
}

/// Refuses what is for the scope of the store alone.
pub(crate) fn check_scope_of(scope: &Scope, access: &Access, name: Name) -> Result<()> {
    if access.scope == *scope { Ok(()) } else { Err(Error::Denied { name, kind: access.kind }) }
}

/// Refuses an agent, a session with others present, and another scope.
pub(crate) fn check_person(scope: &Scope, access: &Access, name: Name) -> Result<()> {
    if access.kind != SessionKind::Main || access.actor == Actor::Agent {
        return Err(Error::Denied { name, kind: access.kind });
    }
    check_scope_of(scope, access, name)
}

/// Refuses everybody but the human of a main session.
pub(crate) fn check_human(scope: &Scope, access: &Access) -> Result<()> {
    if access.actor != Actor::Human {
        return Err(Error::Denied { name: new_name(), kind: access.kind });
    }
    check_person(scope, access, new_name())
}

/// Refuses more bytes than a scope may keep.
pub(crate) fn check_quota(limit: Option<u64>, kept: u64, more: u64) -> Result<()> {
    match limit {
        Some(limit) if kept.saturating_add(more) > limit => {
            Err(Error::QuotaReached { what: "bytes of files", limit })
        }
        _ => Ok(()),
    }
}

/// Hands on a content in pieces, no more than the limit and a piece of it, and returns its length and hash.
pub(crate) fn drain(
    content: &mut dyn Read,
    limit: u64,
    path: &str,
    mut take: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<(u64, Digest)> {
    let mut piece = vec![0; PIECE];
    let (mut len, mut hasher) = (0, Hasher::new());
    loop {
        let read = match content.read(&mut piece) {
            Ok(0) => return Ok((len, hasher.finish())),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error).at("read the content of", path),
        };
        if len + read as u64 > limit {
            return Err(Error::TooLarge { name: new_name(), len: len + read as u64, limit });
        }
        take(&piece[..read], len)?;
        hasher.update(&piece[..read]);
        len += read as u64;
    }
}

/// Says that the bytes that were to be adopted are not those of the file.
pub(crate) fn check_content(file: &StoredFile, found: (u64, Digest)) -> Result<()> {
    if found == (file.len, file.sha256) {
        return Ok(());
    }
    Err(damaged(&file.key, "the content has another length or hash"))
}

fn damaged(key: &FileKey, what: &'static str) -> Error {
    Error::Corrupt { name: key.to_string(), line: 0, column: 0, what }
}

/// The name of a file in messages.
pub(crate) fn name_of(key: &FileKey) -> Name {
    StateName::row("files", key).into()
}

/// The name of a file that is none yet.
pub(crate) fn new_name() -> Name {
    StateName::new_row("file").into()
}
