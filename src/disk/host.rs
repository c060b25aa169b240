//! The identity of this process: its id, host, boot, and a token that no other process draws.

use std::hash::{BuildHasher, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::digest::Hasher;

/// This process, as a peer on the same or another host can tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) pid: u32,
    pub(crate) hostname: String,
    pub(crate) boot_id: Option<String>,
    pub(crate) pid_ns: Option<String>,
    /// In a container with a host name of its own: that name, as a peer of the seed beside us writes it.
    bare: Option<String>,
}

/// The process namespace that a Linux system starts with.
const FIRST_PID_NS: &str = "pid:[4026531836]";

/// The namespace of host names that a Linux system starts with.
const FIRST_UTS_NS: &str = "uts:[4026531838]";

impl Host {
    pub(crate) fn this() -> Self {
        let pid_ns =
            std::fs::read_link("/proc/self/ns/pid").ok().map(|link| link.to_string_lossy().into_owned());
        let mut bare = None;
        let mut hostname = line_of("/proc/sys/kernel/hostname")
            .or_else(|| std::env::var("HOSTNAME").ok())
            .or_else(|| std::env::var("COMPUTERNAME").ok())
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "unknown".to_owned());
        // In a container our pid means nothing to a peer outside, which would take us for dead. So the peer
        // is given a host name that is not its own, and goes by age alone.
        if let Some(inner) = pid_ns.as_deref().filter(|namespace| *namespace != FIRST_PID_NS) {
            let digits: String = inner.chars().filter(char::is_ascii_digit).collect();
            // A host name that is shared with the outside says nothing of whose process ids are meant.
            let uts = std::fs::read_link("/proc/self/ns/uts").ok();
            bare = uts.filter(|uts| uts.as_os_str() != FIRST_UTS_NS).map(|_| hostname.clone());
            hostname = format!("{hostname}#pidns-{digits}");
        }
        Self {
            pid: std::process::id(),
            hostname,
            boot_id: line_of("/proc/sys/kernel/random/boot_id"),
            pid_ns,
            bare,
        }
    }

    /// Returns whether another process that named itself so is surely gone: same host, and no such process but
    /// ourselves. In a
    /// container that was started again process ids come again too.
    pub(crate) fn is_dead(&self, hostname: &str, pid: u32) -> bool {
        let is_here = hostname == self.hostname || Some(hostname) == self.bare.as_deref();
        hostname != "unknown" && is_here && (pid == self.pid || !process_exists(pid))
    }
}

fn line_of(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(unix)]
fn process_exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return true };
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn process_exists(_pid: u32) -> bool {
    true
}

/// Returns the limit on open files that is reached. So few files are left that a database cannot be open with its log.
#[cfg(feature = "sqlite")]
pub(crate) fn reached_limit() -> Option<crate::base::error::OpenLimit> {
    let mut opened = Vec::new();
    for _ in 0..4 {
        match std::fs::File::open(if cfg!(unix) { "/" } else { "NUL" }) {
            Ok(file) => opened.push(file),
            Err(error) => return crate::base::error::open_limit(&error),
        }
    }
    None
}

/// Draws 32 hexadecimal digits that no other process or call draws. They come from the standard library's
/// hash keys, which the operating system seeds, the process id, and a counter.
pub(crate) fn token() -> String {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    let mut hasher = Hasher::new();
    for _ in 0..2 {
        hasher.update(&RandomState::new().build_hasher().finish().to_be_bytes());
    }
    hasher.update(&std::process::id().to_be_bytes());
    hasher.update(&DRAWN.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    hasher.finish().short(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_of_this_host_can_be_known_dead() {
        let host = Host::this();
        assert!(!host.is_dead("elsewhere", u32::MAX / 2));
        assert!(!host.is_dead("unknown", u32::MAX / 2));
        #[cfg(unix)]
        {
            let parent = std::os::unix::process::parent_id();
            assert!(!host.is_dead(&host.hostname, parent));
            // A container that was started again has the host name and the process ids of the one before.
            let inner = Host {
                hostname: "box#pidns-7".into(),
                bare: Some("box".into()),
                pid_ns: Some("pid:[7]".into()),
                ..host.clone()
            };
            assert!(inner.is_dead("box", inner.pid) && inner.is_dead("box#pidns-7", inner.pid));
            assert!(!inner.is_dead("box", parent) && !inner.is_dead("box#pidns-8", inner.pid));
            let on_the_host = Host { bare: None, ..inner };
            assert!(!on_the_host.is_dead("box", u32::MAX / 2), "it may be a process outside");
        }
        #[cfg(unix)]
        {
            let mut child = std::process::Command::new("true").spawn().unwrap();
            child.wait().unwrap();
            assert!(host.is_dead(&host.hostname, child.id()));
        }
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(token(), token());
        assert_eq!(token().len(), 32);
    }
}
