//! The sleeper: what it is built of.

use std::sync::Arc;

use super::config::SleepConfig;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::dream::engine::{Host, configured_by};
use crate::format::SleepFiles;
use crate::workspace::Workspace;

/// Dreams over the actions of an autonomous agent since its last sleep, as seed 002 does.
///
/// Awake, a host [`log`](Self::log)s each message; the tool calls in it make the agent tired. At 60 it is told to wrap
/// up, at 80 it must sleep; it may [`fall_asleep`](Self::fall_asleep) earlier. Asleep, a dream shows the model what was
/// said since the last one, and keeps marked observations, a reflection and a priority. Every tenth dream goes on as a
/// deep sleep. Observations are pruned by a plan that this library checks, priorities are rewritten, and the diary gets
/// an entry. Then the agent must rest. [`wake`](Self::wake) says what it must know.
///
/// All of it is written as the dreams of a [`JournalDreamer`](crate::JournalDreamer) are. It is under the lease, by an
/// intent that the next run can finish. The files are the sleeper's own ([`SleepFiles`]); what a pruning takes out is
/// in the archive. Dreaming is off until it is enabled. The manual has [its
/// files](crate::manual::formats#a-sleepers-files).
///
/// # Example: a cycle
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeDelta, TimeZone, Utc};
/// use noctuary::sleep::{Said, SleepDreamer};
/// use noctuary::{Access, FileWorkspace, LlmReply, Outcome, Scope, dream_once_at, llm_fn};
///
/// let folder = tempfile::tempdir()?;
/// let sleeper =
///     SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
/// let now = Utc.with_ymd_and_hms(2026, 2, 12, 9, 32, 0).unwrap();
/// sleeper.log(&[Said::new("assistant", "The pull request is merged.").calls(1)], now)?;
///
/// let plan = sleeper.fall_asleep(300, now)?;
/// assert!(plan.dreams);
/// let model = llm_fn(|_| {
///     Ok(LlmReply::new("OBSERVATIONS:\nRED 09:32 PR #50 merged\n\nREFLECTION:\nWell done.\n\nPRIORITY:\nGo on."))
/// });
/// let report = dream_once_at(&sleeper, &model, &|| now)?;
/// assert_eq!(report.outcome, Outcome::Appended);
///
/// let access = Access::agent(Scope::user("marta"));
/// let message = sleeper.wake(&access, now + TimeDelta::seconds(300))?.to_string();
/// assert!(message.contains("You slept for 300 s") && message.contains("RED 09:32 PR #50 merged"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SleepDreamer {
    pub(super) host: Host,
    pub(super) config: Arc<SleepConfig>,
    pub(super) files: Arc<SleepFiles>,
}

impl SleepDreamer {
    /// Starts with the defaults: dreaming off, the default [`Doors`](crate::gate::Doors).
    pub fn builder(workspace: Arc<dyn Workspace>) -> SleepDreamerBuilder {
        SleepDreamerBuilder { host: Host::new(workspace), config: SleepConfig::default() }
    }

    pub(super) fn workspace(&self) -> &dyn Workspace {
        self.host.workspace.as_ref()
    }
}

debug_as!(SleepDreamer, |it| "SleepDreamer({:?})", it.host.workspace);

/// Builds a [`SleepDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct SleepDreamerBuilder {
    host: Host,
    config: SleepConfig,
}

impl SleepDreamerBuilder {
    configured_by!(
        SleepConfig,
        /// Sets what is let into the log ([`Door::JournalAppend`](crate::gate::Door::JournalAppend)), to the model
        /// ([`Door::DreamRequest`](crate::gate::Door::DreamRequest)), back from it
        /// ([`Door::DreamReply`](crate::gate::Door::DreamReply)), and into a wake-up message
        /// ([`Door::PromptLoad`](crate::gate::Door::PromptLoad)).
        doors
    );

    /// Checks the configuration and builds. Touches nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the setting that is out of its bounds, or the door whose policy
    /// makes no sense.
    pub fn build(self) -> Result<SleepDreamer> {
        self.config.validate()?;
        self.host.doors.check_of_dream()?;
        let files = SleepFiles::in_folder(&self.config.folder);
        Ok(SleepDreamer { host: self.host, config: Arc::new(self.config), files: Arc::new(files) })
    }
}
