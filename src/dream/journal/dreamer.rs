//! The dreamer over journals: what it is built of, and its state and quarantine.

use std::sync::Arc;

use super::config::DreamConfig;
use crate::base::debug::debug_as;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::dream::commit;
use crate::dream::engine::{Host, configured_by};
use crate::format::{DreamedState, Quarantine, QuarantineEntry};
use crate::workspace::{Workspace, WriteMode, claim_now};

/// Dreams over the journals of a workspace, in the way of seed 000.
///
/// A run claims the workspace, finishes what a crash left half done, and shows the model new text, newest first.
/// Promoted lines are appended to `MEMORY.md` as one section with its citations. Shown bytes are recorded one by one,
/// so that nothing is shown twice and nothing is left out. Further passes drain what waits, oldest first. Dreaming is
/// off until it is enabled.
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
pub struct JournalDreamer {
    pub(super) host: Host,
    pub(super) config: Arc<DreamConfig>,
}

impl JournalDreamer {
    /// Starts with the defaults: dreaming off, the default [`Doors`](crate::gate::Doors).
    pub fn builder(workspace: Arc<dyn Workspace>) -> JournalDreamerBuilder {
        JournalDreamerBuilder { host: Host::new(workspace), config: DreamConfig::default() }
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &DreamConfig {
        &self.config
    }

    /// Reads what the last run left: when, how it ended, and when the next may be. From a file that a person edited, each
    /// value that makes sense.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn state(&self) -> Result<DreamedState> {
        Ok(DreamedState::read(commit::state(self.workspace(), &StateName::DREAMED)?.as_deref()).state)
    }

    /// Leaves the dreaming to one machine, by its name, or to each again by `None`. For a life whose folder two machines share.
    ///
    /// The name travels with the life, in `.dreamed-state.json`. A dreamer on another machine then ends each run as not
    /// due, without a call or a change. The notice [`DreamsOn`](crate::dream::Notice::DreamsOn) names the machine. So
    /// does a [`survey`](Self::survey). [`should_dream`](crate::dream::should_dream) does not know this machine. A name
    /// is compared without case.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::{Extractive, FileWorkspace, JournalDreamer, Outcome, dream_once};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let laptop = JournalDreamer::builder(workspace).enabled(true).machine("laptop").build()?;
    /// laptop.dream_on(Some("server"))?;
    /// let report = dream_once(&laptop, &Extractive::new())?;
    /// assert_eq!(report.outcome, Outcome::NotDue);
    /// assert_eq!(report.not_due.unwrap().to_string().split(';').next(), Some("another machine dreams for this life"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] where somebody dreams here just now;
    /// [`Error::Config`] for a name that is empty or has control characters.
    pub fn dream_on(&self, machine: Option<&str>) -> Result<()> {
        if machine.is_some_and(|name| name.trim().is_empty() || name.contains(char::is_control)) {
            let rule = "must not be empty or have control characters";
            return Err(Error::Config { setting: "the machine that dreams", rule });
        }
        let lease = claim_now(self.workspace(), &self.config.claim)?;
        commit::take_edits(self.workspace())?;
        let mut state = self.state()?;
        if state.dreams_on.as_deref() != machine {
            state.dreams_on = machine.map(str::to_owned);
            lease.replace(&StateName::DREAMED, &state.print())?;
        }
        lease.release()
    }

    /// Lists the journals in quarantine. From a file that a person edited, each journal that it names.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn quarantine(&self) -> Result<Quarantine> {
        Ok(Quarantine::read(commit::state(self.workspace(), &StateName::QUARANTINE)?.as_deref()).state)
    }

    /// Takes a journal out of quarantine, so that the next run reads it; `false` where it was not in it. For one
    /// in `memory/` the bare file name is enough.
    ///
    /// Mask the secret in the journal first, or let the filter pass it by
    /// [`Doors::allow`](crate::gate::Doors::allow): otherwise the same answer is quarantined again. Deleting the entry, or
    /// the whole file, by hand does the same. [`should_dream`](crate::dream::should_dream) still waits for its interval; call
    /// [`dream_once`](crate::dream_once) to have it read now.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::{DocName, FileWorkspace, JournalDreamer, LlmReply, Outcome, dream_once, llm_fn};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::create_dir(folder.path().join("memory"))?;
    /// let journal = folder.path().join("memory/2026-11-20-repl.md");
    /// std::fs::write(&journal, "[user] The key is kept as AKIA\n[user] IOSFODNN7EXAMPLE, all of it.\n")?;
    /// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?))
    ///     .enabled(true)
    ///     .configure(|config| config.window_days = None)
    ///     .build()?;
    ///
    /// // A model that joins two parts of a key.
    /// let joins = llm_fn(|_| Ok(LlmReply::new("### Facts\n- The key is AKIAIOSFODNN7EXAMPLE.")));
    /// let report = dream_once(&dreamer, &joins)?;
    /// assert_eq!(report.outcome, Outcome::Quarantined);
    /// let told: Vec<String> = report.passes[0].quarantined[0].findings.iter().map(ToString::to_string).collect();
    /// // Place, class, and what to do; never the text.
    /// assert!(told[0].starts_with("memory/2026-11-20-repl.md:1:27: aws_access_key AK…LE: take it out"), "{told:?}");
    ///
    /// // Remove it, change it where it is used, and release the journal.
    /// std::fs::write(&journal, "[user] The key is kept in the vault.\n")?;
    /// assert!(dreamer.release(&DocName::parse("2026-11-20-repl.md")?)?);
    /// let report = dream_once(&dreamer, &llm_fn(|_| Ok(LlmReply::new("NOTHING_TO_PROMOTE"))))?;
    /// assert_eq!(report.outcome, Outcome::NothingToPromote);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the workspace.
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
    /// The errors of the workspace.
    pub fn release_entry(&self, entry: &QuarantineEntry) -> Result<bool> {
        self.change_quarantine(|quarantine| quarantine.release_entry(entry))
    }

    fn change_quarantine(&self, change: impl Fn(&mut Quarantine) -> bool) -> Result<bool> {
        let workspace = self.workspace();
        loop {
            commit::take_edits(workspace)?;
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

    pub(super) fn workspace(&self) -> &dyn Workspace {
        self.host.workspace.as_ref()
    }
}

debug_as!(JournalDreamer, |it| "JournalDreamer({:?})", it.host.workspace);

/// Builds a [`JournalDreamer`].
#[derive(Debug, Clone)]
#[must_use = "`build` makes the dreamer"]
pub struct JournalDreamerBuilder {
    host: Host,
    config: DreamConfig,
}

impl JournalDreamerBuilder {
    configured_by!(
        DreamConfig,
        /// Sets the policies of text that goes to the model and comes back
        /// ([`Door::DreamRequest`](crate::gate::Door::DreamRequest), [`Door::DreamReply`](crate::gate::Door::DreamReply)), the
        /// filter, and what an operator allows.
        doors
    );

    /// Checks the configuration and builds. Touches nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] naming the setting that is out of its bounds, or the door whose policy makes no sense.
    pub fn build(self) -> Result<JournalDreamer> {
        self.config.validate()?;
        self.host.doors.check_of_dream()?;
        Ok(JournalDreamer { host: self.host, config: Arc::new(self.config) })
    }
}
