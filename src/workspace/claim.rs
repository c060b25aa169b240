//! A claim of a workspace: its terms, its answer, and who holds it otherwise.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::lease::Lease;

/// On which terms a workspace is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimTerms {
    /// Age at which a foreign peer's lock counts as abandoned. Our own is refreshed at a quarter of it. 30 minutes.
    pub ttl: Duration,
    /// After which time a holder refuses to write itself. 6 hours.
    pub max_hold: Duration,
    /// The time to wait, once, after taking over a foreign peer's stale lock, for another peer that may be
    /// doing the same. 1 second.
    pub settle: Duration,
    /// Whether to trust the locks of a network file system. Off.
    pub allow_network: bool,
}

impl Default for ClaimTerms {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(30 * 60),
            max_hold: Duration::from_secs(6 * 60 * 60),
            settle: Duration::from_secs(1),
            allow_network: false,
        }
    }
}

/// The answer to a claim.
#[derive(Debug)]
#[must_use = "a lease that is dropped is given back"]
pub enum Claim {
    /// The workspace is the caller's until the lease is dropped.
    Granted(Box<dyn Lease>),
    /// Somebody else holds it.
    Held(Holder),
}

/// The holder of a workspace, as far as its lock file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    /// The process.
    pub pid: Option<u32>,
    /// Its host.
    pub hostname: Option<String>,
    /// When the lock was taken or last refreshed.
    pub since: Option<DateTime<Utc>>,
}

impl fmt::Display for Holder {
    /// Prints the holder. A host name comes out of a file that anybody may have written: control characters are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid} on ")?,
            None => f.write_str("an unknown process on ")?,
        }
        match &self.hostname {
            Some(host) => write!(f, "{}", host.escape_debug())?,
            None => f.write_str("an unknown host")?,
        }
        match self.since {
            Some(since) => write!(f, " since {}", since.format("%Y-%m-%d %H:%M UTC")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_told_as_far_as_it_is_known() {
        let mut holder = Holder::default();
        assert_eq!(holder.to_string(), "an unknown process on an unknown host");
        (holder.pid, holder.hostname) = (Some(12), Some("mill\n[31m".to_owned()));
        holder.since = "2026-11-21T02:00:00Z".parse().ok();
        assert_eq!(holder.to_string(), "process 12 on mill\\n[31m since 2026-11-21 02:00 UTC");
    }
}
