//! Helpers of tests of a life: the user Marta, her sessions, a morning, and the documents of a workspace.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::{Access, Actor, DocName, Scope, SessionKind, Workspace};
use tempfile::TempDir;

pub fn marta() -> Scope {
    Scope::user("marta")
}

pub fn access(kind: SessionKind, actor: Actor) -> Access {
    Access::new(kind, actor, marta())
}

pub fn agent() -> Access {
    Access::agent(marta())
}

pub fn human() -> Access {
    Access::human(marta())
}

/// Nine in the morning of a Saturday.
pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

pub fn name(text: &str) -> DocName {
    DocName::parse(text).unwrap()
}

/// Every document, by name.
pub fn documents(workspace: &dyn Workspace) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = workspace.list(folder.as_ref()).unwrap();
        for name in listing.documents {
            found.insert(name.to_string(), workspace.read(&name).unwrap().unwrap().into_bytes());
        }
        folders.extend(listing.folders.into_iter().map(Some));
    }
    found
}

/// A folder for a home. In memory where the system has such a place: what is asked here is what a process
/// finds, and not what a power loss leaves.
pub fn quick() -> TempDir {
    let memory = Path::new("/dev/shm");
    let in_memory = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap())
}
