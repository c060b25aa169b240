//! Sleeping: an agent that tires with what it does, dreams when it sleeps, and knows itself when it wakes up.
//!
//! Three tiers of memory, from vivid to archival: the conversation is the host's, and [`plan_trim`] says what of it to
//! let go of; observations are what dreams distil of it; and everything that was said is on disk for good.

mod ask;
mod awake;
mod commit;
mod config;
mod fatigue;
mod observations;
mod run;
mod trim;
mod wake;

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::base::error::Result;
use crate::dream;
use crate::dreamer::{Dreamer, Observer, Outcome, PassReport, Step, configured_by};
use crate::gate::Doors;
use crate::workspace::Workspace;

use crate::format::SleepFiles;
pub use awake::Said;
pub(crate) use commit::recover;
pub use config::SleepConfig;
pub use fatigue::{Fatigue, PauseReason, SetSleep, SleepPlan, fatigue, plan_sleep, should_sleep};
pub use observations::is_stale;
pub use trim::{MessageShape, TrimPlan, plan_emergency_trim, plan_trim};
pub use wake::WakeUp;

/// Dreams over what an autonomous agent did since it slept last, in the way of seed 002.
///
/// Awake, a host [`log`](Self::log)s each message; the tool calls in it make the agent tired. At 60 it is told to wrap
/// up, at 80 it must sleep; it may [`fall_asleep`](Self::fall_asleep) earlier. Asleep, a dream shows the model what was
/// said since the last one, and keeps marked observations, a reflection and a priority. Every tenth dream goes on as a
/// deep sleep: observations are pruned by a plan that the model names and this library checks, priorities are
/// rewritten, the diary gets an entry, and the agent must rest. [`wake`](Self::wake) says what it must know.
///
/// All of it is written as the dreams of a [`JournalDreamer`](crate::JournalDreamer) are: under the lease, by an intent
/// that whoever comes next can finish. The files are the sleeper's own ([`SleepFiles`]); what a pruning takes out stands
/// in the archive. Dreaming is off until it is enabled. The page [`sleep`](crate::manual::sleep) has the files byte by byte.
///
/// # Example: a cycle
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeDelta, TimeZone, Utc};
/// use noctuary::sleep::{Said, SleepDreamer};
/// use noctuary::{
///     Access, FileWorkspace, LlmReply, Outcome, Scope, dream_once_at, llm_fn,
/// };
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
pub struct SleepDreamer(Arc<Inner>);

struct Inner {
    workspace: Arc<dyn Workspace>,
    config: SleepConfig,
    files: SleepFiles,
    doors: Doors,
    observer: Option<Arc<dyn Observer>>,
}

impl SleepDreamer {
    /// Starts with the defaults: dreaming off, the default [`Doors`].
    pub fn builder(workspace: Arc<dyn Workspace>) -> SleepDreamerBuilder {
        let (config, doors) = (SleepConfig::default(), Doors::default());
        SleepDreamerBuilder { workspace, config, doors, observer: None }
    }
}

impl Inner {
    /// Tells an observer how a pass, or a run without one, ended.
    fn tell(&self, outcome: Outcome, pass: Option<&PassReport>) {
        let patterns = |pass: &'_ PassReport| -> Vec<String> {
            pass.quarantined.iter().map(|class| class.pattern.clone()).collect()
        };
        let files = |pass: &'_ PassReport| -> Vec<String> {
            pass.shown.iter().map(|slice| slice.name.to_string()).collect()
        };
        let (patterns, files) = (pass.map(patterns).unwrap_or_default(), pass.map(files).unwrap_or_default());
        dream::tell(
            self.observer.as_deref(),
            self.workspace.as_ref(),
            outcome,
            pass.map(|pass| &pass.dream_id),
            patterns.iter().map(String::as_str).collect(),
            files.iter().map(String::as_str).collect(),
        );
    }
}

impl Dreamer for SleepDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        run::Run::begin(Arc::clone(&self.0), now)
    }
}

impl fmt::Debug for SleepDreamer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SleepDreamer({:?})", self.0.workspace)
    }
}

/// Builds a [`SleepDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct SleepDreamerBuilder {
    workspace: Arc<dyn Workspace>,
    config: SleepConfig,
    doors: Doors,
    observer: Option<Arc<dyn Observer>>,
}

impl SleepDreamerBuilder {
    configured_by!(SleepConfig);

    /// Sets what is let into the log ([`Door::JournalAppend`](crate::gate::Door::JournalAppend)), to the model
    /// ([`Door::DreamRequest`](crate::gate::Door::DreamRequest)), back from it
    /// ([`Door::DreamReply`](crate::gate::Door::DreamReply)), and into a wake-up message
    /// ([`Door::PromptLoad`](crate::gate::Door::PromptLoad)).
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Sets who hears how each pass ended.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Checks the configuration and builds. Touches nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) naming the setting that is out of its bounds, or the door whose policy
    /// makes no sense.
    pub fn build(self) -> Result<SleepDreamer> {
        self.config.validate()?;
        self.doors.check_of_dream()?;
        let files = SleepFiles::in_folder(&self.config.folder);
        let Self { workspace, config, doors, observer } = self;
        Ok(SleepDreamer(Arc::new(Inner { workspace, config, files, doors, observer })))
    }
}
