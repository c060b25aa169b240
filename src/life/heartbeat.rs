//! The memo from one session to the next, as a turn writes it.

use crate::base::env;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::format::{Heartbeat, HeartbeatFile};
use crate::life::rewrite::rewrite;
use crate::workspace::Workspace;

/// The settings of the memo at the end of a turn.
///
/// ```
/// use noctuary::life::HeartbeatConfig;
/// use noctuary::DocName;
///
/// let config = HeartbeatConfig::from_env(|name| (name == "WORKSPACE_HEARTBEAT_ENABLED").then(|| "0".into()))?;
/// assert!(!config.enabled && HeartbeatConfig::default().enabled);
/// assert_eq!(config.document, DocName::HEARTBEAT);
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeartbeatConfig {
    /// Whether it is written. On.
    pub enabled: bool,
    /// The document that carries it. `HEARTBEAT.md`; a workspace whose file of that name is a checklist keeps
    /// its memo in another one.
    pub document: DocName,
}

impl Default for HeartbeatConfig {
    fn default() -> Self {
        Self { enabled: true, document: DocName::HEARTBEAT }
    }
}

impl HeartbeatConfig {
    /// Reads `WORKSPACE_HEARTBEAT_ENABLED` through `lookup`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) where its value makes no sense.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let defaults = Self::default();
        let enabled = env::flag(&lookup, "WORKSPACE_HEARTBEAT_ENABLED")?.unwrap_or(defaults.enabled);
        Ok(Self { enabled, ..defaults })
    }
}

/// The result of the memo's update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Beat {
    /// It was written.
    Written,
    /// It is turned off.
    Off,
    /// The session is not the one human's; its words do not reach the private memo.
    NotMain,
    /// The file is not a memo of ours, or not UTF-8; its bytes stand, and a person should look.
    Foreign,
}

/// Changes the memo in a document; see [`Life::update_heartbeat`](crate::Life::update_heartbeat).
pub(super) fn update_heartbeat(
    workspace: &dyn Workspace,
    document: &DocName,
    change: impl Fn(&mut Heartbeat),
) -> Result<Beat> {
    let written = rewrite(workspace, document, |standing| {
        let Ok(text) = standing.map(str::from_utf8).transpose() else { return Ok(None) };
        let mut file = text.map_or_else(HeartbeatFile::new, HeartbeatFile::parse);
        let Some(mut memo) = file.memo().cloned() else { return Ok(None) };
        change(&mut memo);
        Ok(file.update(&memo).then(|| file.as_str().as_bytes().to_owned()))
    })?;
    Ok(if written { Beat::Written } else { Beat::Foreign })
}
