//! Dreaming over journals: what the days wrote becomes lines of `MEMORY.md`, each exactly once.

mod answer;
mod ask;
mod blame;
mod compact;
pub(crate) mod config;
mod dreams;
mod due;
mod person;
pub(crate) mod propose;
mod reread;
mod run;
mod sanitise;
mod select;
mod shown;
mod survey;
pub(crate) mod undo;

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::dream::commit;
use crate::dreamer::{
    DreamEvent, Dreamer, DropReason, Dropped, Level, Observer, Outcome, Step, configured_by,
};
use crate::format::{DreamId, DreamedState, Quarantine, QuarantineEntry};
use crate::gate::Doors;
use crate::workspace::{Workspace, WriteMode};

pub(crate) use answer::{tell_request, whole};
pub use config::{BackOff, DreamConfig, Evidence, OverBudget, SectionCaps, Trust};
pub use dreams::{DreamRecord, DreamStanding};
pub(crate) use due::{Bounds, Calls, breaker, count_call, count_failure, due};
pub use due::{Due, should_dream};
pub use propose::{DreamProposal, ProposalEnd, ProposalReport};
pub use reread::JournalSpan;
pub(crate) use sanitise::{Sanitised, sanitise};
pub(crate) use shown::{machine_ranges, mask_printed, without_secrets};
pub use survey::DreamSurvey;

/// Dreams over the journals of a workspace, in the way of seed 000.
///
/// A run claims the workspace, finishes what a crash left half done, and shows the model what it has not
/// been shown, newest first. What the answer promotes is appended to `MEMORY.md` as one section with its
/// citations; what the model was shown is recorded byte by byte, so that nothing is shown twice and nothing
/// is left out. Further passes drain what waits, oldest first. Dreaming is off until it is enabled.
///
/// # Example: one night
///
/// ```
/// use std::sync::Arc;
/// use noctuary::{Extractive, FileWorkspace, JournalDreamer, Outcome, dream_once};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("memory"))?;
/// let journal = "- 09:12 [user] Decision: we release on 2026-12-04, Ilya signs it off.\n";
/// std::fs::write(folder.path().join("memory/2026-11-20-repl.md"), journal)?;
///
/// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
/// let dreamer = JournalDreamer::builder(workspace)
///     .enabled(true)
///     .configure(|config| config.window_days = None)
///     .build()?;
/// let report = dream_once(&dreamer, &Extractive::new())?;
/// assert_eq!(report.outcome, Outcome::Appended);
///
/// let memory = std::fs::read_to_string(folder.path().join("MEMORY.md"))?;
/// assert!(memory.contains("(memory/2026-11-20-repl.md#L1)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct JournalDreamer(Arc<Inner>);

struct Inner {
    workspace: Arc<dyn Workspace>,
    config: DreamConfig,
    doors: Doors,
    observer: Option<Arc<dyn Observer>>,
}

impl JournalDreamer {
    /// Starts with the defaults: dreaming off, the default [`Doors`].
    pub fn builder(workspace: Arc<dyn Workspace>) -> JournalDreamerBuilder {
        JournalDreamerBuilder {
            workspace,
            config: DreamConfig::default(),
            doors: Doors::default(),
            observer: None,
        }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &DreamConfig {
        &self.0.config
    }

    /// Reads what the last run left: when, how it ended, and when the next may be.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the state file does not parse.
    pub fn state(&self) -> Result<DreamedState> {
        DreamedState::parse(commit::state(self.0.workspace.as_ref(), &StateName::DREAMED)?.as_deref())
    }

    /// Says what a run would find now: each journal and why it would or would not be read, how much waits, and what an
    /// operator should know. For a status page: it claims, asks, tells and writes nothing, in whatever
    /// [`DreamMode`](crate::dream::DreamMode), also while a dream is under way. Off means off: where dreaming is, it reads nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::dream::Due;
    /// use noctuary::{FileWorkspace, JournalDreamer};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::create_dir(folder.path().join("memory"))?;
    /// let journal = format!("memory/{}-repl.md", Utc::now().date_naive());
    /// std::fs::write(folder.path().join(journal), "- 09:12 [user] We release on Friday.\n")?;
    ///
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
    /// let survey = dreamer.survey(Utc::now())?;
    /// assert_eq!((survey.due, survey.backlog.journals), (Due::Now, 1));
    /// assert!(dreamer.state()?.last_run_at.is_none(), "it was no run");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where a state file does not parse; the errors of reading.
    pub fn survey(&self, now: DateTime<Utc>) -> Result<DreamSurvey> {
        run::Run::survey(Arc::clone(&self.0), now)
    }

    /// Lists the journals in quarantine.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the quarantine file does not parse.
    pub fn quarantine(&self) -> Result<Quarantine> {
        Quarantine::parse(commit::state(self.0.workspace.as_ref(), &StateName::QUARANTINE)?.as_deref())
    }

    /// Takes a journal out of quarantine, so that the next run reads it; `false` where it was not in it. Of one in
    /// `memory/` the bare file name will do.
    ///
    /// Mask the secret in the journal first, or let the filter pass it by
    /// [`Doors::allow`]: otherwise the same answer is quarantined again. Deleting the entry, or
    /// the whole file, by hand does the same. [`should_dream`] still waits for its interval; call
    /// [`dream_once`](crate::dream_once) to have it read now.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the quarantine file does not parse.
    pub fn release(&self, journal: &DocName) -> Result<bool> {
        self.change_quarantine(|quarantine| quarantine.release(journal))
    }

    /// Takes one entry out of quarantine, with all journals that it names; `false` where it is not there. Otherwise as
    /// [`release`](Self::release).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use noctuary::{FileWorkspace, JournalDreamer};
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join(".dreamed-quarantine.json"), r#"[{"pattern":"x","log_filenames":["a.md"]}]"#)?;
    /// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// let quarantine = dreamer.quarantine()?;
    /// for entry in quarantine.entries().iter().filter(|entry| entry.pattern == "x") {
    ///     assert!(dreamer.release_entry(entry)?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the quarantine file does not parse.
    pub fn release_entry(&self, entry: &QuarantineEntry) -> Result<bool> {
        self.change_quarantine(|quarantine| quarantine.release_entry(entry))
    }

    fn change_quarantine(&self, change: impl Fn(&mut Quarantine) -> bool) -> Result<bool> {
        let workspace = self.0.workspace.as_ref();
        loop {
            let Some(document) = workspace.read(&StateName::QUARANTINE)? else { return Ok(false) };
            let mut quarantine = Quarantine::parse(Some(document.bytes()))?;
            if !change(&mut quarantine) {
                return Ok(false);
            }
            let printed = quarantine.print_over(Some(document.bytes()));
            let mode = WriteMode::IfRevision(document.revision());
            match workspace.write(&StateName::QUARANTINE, &printed, mode) {
                Ok(_) => return Ok(true),
                // Somebody edited it meanwhile: once more, from what stands there now.
                Err(Error::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Dreamer for JournalDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        run::Run::begin(Arc::clone(&self.0), now)
    }
}

impl fmt::Debug for JournalDreamer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JournalDreamer({:?})", self.0.workspace)
    }
}

/// What is left of one line of an answer once nothing in it can act on a reader.
#[derive(Debug)]
pub(crate) struct CleanLine {
    /// The line; `None` where nothing is left of it.
    pub(crate) text: Option<String>,
    /// Why it is beyond the bounds, where it is.
    pub(crate) over: Option<DropReason>,
    /// What was taken out.
    pub(crate) dropped: Vec<Dropped>,
}

/// Cleans one line of an answer as the bullets of a section are cleaned.
pub(crate) fn clean_line(line: &str, caps: &SectionCaps) -> CleanLine {
    let line = format!("- {}", crate::format::replies::fences::one_line(line));
    let cleaned = sanitise::sanitise(&line, caps);
    let dropped = cleaned.dropped();
    let over = cleaned.over_caps.into_iter().next();
    let text = cleaned.items.into_iter().next().map(|item| item.text);
    match over {
        Some((item, reason)) => CleanLine { text: Some(item.text), over: Some(reason), dropped },
        None => CleanLine { text, over: None, dropped },
    }
}

impl Inner {
    fn tell(&self, outcome: Outcome, dream_id: Option<&DreamId>, patterns: Vec<&str>, files: Vec<&str>) {
        let workspace = self.workspace.as_ref();
        tell(self.observer.as_deref(), workspace, outcome, dream_id, patterns, files);
    }
}

/// Tells an observer, where there is one, how a pass or a run ended.
pub(crate) fn tell(
    observer: Option<&dyn Observer>,
    workspace: &dyn Workspace,
    outcome: Outcome,
    dream_id: Option<&DreamId>,
    patterns: Vec<&str>,
    files: Vec<&str>,
) {
    let Some(observer) = observer else { return };
    let level = match outcome {
        Outcome::Quarantined => Level::Error,
        Outcome::LlmError | Outcome::LeaseLost | Outcome::ProposalsFull | Outcome::AllHeld => Level::Warn,
        _ => Level::Info,
    };
    let (module, workspace) = ("workspace/dreaming-task", workspace.location());
    observer.event(&DreamEvent { module, level, outcome, workspace: &workspace, dream_id, patterns, files });
}

/// Builds a [`JournalDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct JournalDreamerBuilder {
    workspace: Arc<dyn Workspace>,
    config: DreamConfig,
    doors: Doors,
    observer: Option<Arc<dyn Observer>>,
}

impl JournalDreamerBuilder {
    configured_by!(DreamConfig);

    /// Sets what may go to the model and come back: the policies of [`Door::DreamRequest`](crate::gate::Door::DreamRequest)
    /// and [`Door::DreamReply`](crate::gate::Door::DreamReply), the filter, and what an operator allows.
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
    /// [`Error::Config`] naming the setting that is out of its bounds, or the door whose policy makes no sense.
    pub fn build(self) -> Result<JournalDreamer> {
        self.config.validate()?;
        self.doors.check_of_dream()?;
        Ok(JournalDreamer(Arc::new(Inner {
            workspace: self.workspace,
            config: self.config,
            doors: self.doors,
            observer: self.observer,
        })))
    }
}
