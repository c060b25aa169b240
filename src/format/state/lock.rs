//! The seed's lock file, `.dreaming.lock`: JSON that a peer in another language can read.
//!
//! ```text
//! {"pid":812,"hostname":"desk","started_at":"2026-11-21T03:00:00.000Z","token":"…32 hex…",
//!  "impl":"noctuary/1","acquired_at":"…","epoch":7,"boot_id":"…","pid_ns":"…","guard":".dreaming.d/guard"}
//! ```
//!
//! `started_at` always takes 24 bytes, so a holder refreshes it in place.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::format::state::iso_millis;

/// The value of `impl` in our own locks.
pub(crate) const IMPLEMENTATION: &str = "noctuary/1";

/// A lock file, ours or a foreign peer's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LockFile {
    pub(crate) pid: u32,
    pub(crate) hostname: String,
    #[serde(with = "iso_millis")]
    pub(crate) started_at: Option<DateTime<Utc>>,
    pub(crate) token: String,
    #[serde(rename = "impl", default, skip_serializing_if = "Option::is_none")]
    pub(crate) implementation: Option<String>,
    #[serde(default, with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub(crate) acquired_at: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) epoch: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) boot_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pid_ns: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) guard: Option<String>,
}

impl LockFile {
    /// Parses a lock; `None` for one that a peer has not finished writing, or that is no lock.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    pub(crate) fn print(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers print")
    }

    /// Returns whether this library wrote it, in any version.
    pub(crate) fn is_ours(&self) -> bool {
        self.implementation.as_deref().is_some_and(|name| name.starts_with("noctuary/"))
    }
}

/// Returns the offset of the 24 bytes of `started_at` in a printed lock.
pub(crate) fn started_at_offset(printed: &str) -> u64 {
    let key = "\"started_at\":\"";
    let at = printed.find(key).expect("a printed lock has started_at");
    (at + key.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn a_lock_holds_the_seeds_fields_and_refreshes_in_place() {
        let at = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
        let lock = LockFile {
            pid: 812,
            hostname: "desk".into(),
            started_at: Some(at),
            token: "t".repeat(32),
            implementation: Some(IMPLEMENTATION.into()),
            acquired_at: Some(at),
            epoch: Some(7),
            boot_id: None,
            pid_ns: None,
            guard: Some(".dreaming.d/guard".into()),
        };
        let printed = lock.print();
        assert_eq!(LockFile::parse(printed.as_bytes()), Some(lock));
        let offset = usize::try_from(started_at_offset(&printed)).unwrap();
        assert_eq!(&printed[offset..offset + 24], "2026-11-21T03:00:00.000Z");
    }

    #[test]
    fn a_foreign_lock_parses_and_an_unfinished_one_does_not() {
        let foreign =
            br#"{"pid":1,"hostname":"h","started_at":"2026-11-21T03:00:00.000Z","token":"x","extra":[1]}"#;
        assert!(!LockFile::parse(foreign).unwrap().is_ours());
        assert_eq!(LockFile::parse(b""), None);
        assert_eq!(LockFile::parse(&foreign[..40]), None);
    }
}
