//! A life by day: boot, sessions and their turns, over any workspace.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::boot::{Boot, BootState, boot};
use super::config::{BootPolicy, JournalNaming, LifeConfig};
use super::edit::Editor;
use super::onboarding::{Completion, Ending};
use super::prompt::Snapshot;
use super::receipt::Recorder;
use super::seed::{SeedReport, seed};
use super::session::Session;
use super::soul::{Soul, read_soul};
use super::turn::Turns;
use crate::base::access::{Access, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::format::{JournalName, OnboardingEnd};
use crate::gate::Doors;
use crate::learning::PreferenceStore;
use crate::session::{Guarded, Journal};
use crate::workspace::{Workspace, check_scope};

/// One agent's life: a workspace, its settings by day, and the policies of its doors.
///
/// It keeps nothing between sessions but what stands in the workspace. Clones are the same life.
///
/// # Example: a day
///
/// ```
/// use std::sync::Arc;
/// use chrono::{TimeZone, Utc};
/// use noctuary::format::Origin;
/// use noctuary::life::TurnEnd;
/// use noctuary::{Access, FileWorkspace, Life, LifeConfig, Note, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// life.boot(now)?; // seeds what is missing
///
/// let access = Access::agent(Scope::user("marta"));
/// let mut session = life.begin_session(access, "8f14", "repl", now)?;
/// let prompt = session.prompt(&[])?;
/// assert!(prompt.block("bootstrap").is_some(), "the first session asks who it serves");
///
/// session.note(&Note::decision("Releases go out on Fridays.").from(Origin::User), now)?;
/// session.end_turn("Noted.", TurnEnd::default().opens(["send the report"]), now)?;
/// session.flush()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Life {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) config: Arc<LifeConfig>,
    doors: Doors,
    rules: Option<Arc<dyn PreferenceStore>>,
}

impl Life {
    /// Makes a life in `workspace`.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>, config: LifeConfig) -> Self {
        Self { workspace, config: Arc::new(config), doors: Doors::default(), rules: None }
    }

    /// Sets what may pass into the workspace and out of it into prompts.
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Puts the standing rules of a store first in each prompt of a main session, from its beginning on.
    /// [`Session::hold_rules`] takes in rules that are approved later.
    #[must_use]
    pub fn with_rules(mut self, rules: Arc<dyn PreferenceStore>) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &LifeConfig {
        &self.config
    }

    /// Returns the workspace, unguarded: the operator's.
    #[must_use]
    pub fn workspace(&self) -> &Arc<dyn Workspace> {
        &self.workspace
    }

    /// Returns a view of the workspace for one session: what its tools may reach.
    #[must_use]
    pub fn view(&self, access: Access) -> Guarded<Arc<dyn Workspace>> {
        Guarded::new(Arc::clone(&self.workspace), access)
            .with_doors(self.doors.clone())
            .with_soul(self.config.soul)
    }

    /// Seeds missing documents if the configuration says so, and finishes an onboarding that was interrupted
    /// at its end. Returns whether a session may begin. It is for the start of a program, and may be called
    /// again.
    ///
    /// # Errors
    ///
    /// [`Error::BootstrapRemains`] where the onboarding is over and its file cannot be taken away, and those of
    /// the workspace.
    pub fn boot(&self, now: DateTime<Utc>) -> Result<Boot> {
        let boot = self.prepare()?;
        let Some(end) = boot.unfinished else { return Ok(boot) };
        self.complete_onboarding(end, None, now)?;
        self.prepare()
    }

    /// Seeds what is missing where the configuration says so, and says what the workspace is ready for. An onboarding
    /// that was interrupted at its end is [named](Boot::unfinished), and [`boot`](Self::boot) finishes it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::life::{BootState, Preset};
    /// use noctuary::{FileWorkspace, Life, LifeConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = |config| Ok::<_, noctuary::Error>(Life::new(Arc::new(FileWorkspace::open(folder.path())?), config));
    /// let strict = life(LifeConfig::preset(Preset::Rfc0009Strict))?.prepare()?;
    /// assert!(matches!(strict.state, BootState::Uninitialized { .. }));
    /// assert_eq!(life(LifeConfig::default())?.prepare()?.state, BootState::NeedsBootstrap);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`seed`](Self::seed) and of reading.
    pub fn prepare(&self) -> Result<Boot> {
        boot(self.workspace.as_ref(), &self.config)
    }

    /// Begins a session. `id` is the host's name for it, and names its journal; `surface` is its place, such as `repl`. A
    /// workspace that was never seeded is seeded first, if the configuration seeds. The texts for the session are read once: a
    /// later edit is seen by the next session.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for another scope than that of the workspace, where it knows [its own](Workspace::scope).
    /// [`Error::Uninitialized`] where nothing is seeded and neither `BOOTSTRAP.md` nor `SOUL.md` is there; in a group, where its
    /// life has none. The errors of [`Snapshot::take`].
    pub fn begin_session(
        &self,
        access: Access,
        id: &str,
        surface: &str,
        now: DateTime<Utc>,
    ) -> Result<Session> {
        check_scope(self.workspace.as_ref(), &access, DocName::JOURNALS)?;
        match self.config.boot {
            BootPolicy::Refuse => {
                if let BootState::Uninitialized { .. } = boot(self.workspace.as_ref(), &self.config)?.state {
                    return Err(Error::Uninitialized);
                }
            }
            // A host that did not boot has a new workspace, or one that lost what every session is told.
            BootPolicy::Seed => {
                if is_bare(self.workspace.as_ref())? {
                    seed(self.workspace.as_ref(), &self.config)?;
                }
            }
        }
        let kind = access.kind;
        // Before the snapshot: an edit in between is told of twice rather than never.
        let Soul { notice, .. } = read_soul(self.workspace.as_ref(), kind, now)?;
        let view = self.view(access);
        let mut prompt = self.config.prompt.clone();
        prompt.heartbeat = self.config.heartbeat.enabled.then(|| self.config.heartbeat.document.clone());
        let recorder = Recorder::new(self.config.receipts.enabled);
        let from = (self.config.shared_user, self.config.day);
        let snapshot = Snapshot::read(&view, &prompt, from, now, recorder.is_on())?;
        let date = self.config.day.date(now);
        let journal = match (self.config.naming, kind) {
            (JournalNaming::Daily, SessionKind::Main) => JournalName::new(date, None),
            _ => JournalName::for_session(date, kind, id),
        };
        let turns = Turns::begin(kind, id, surface, Journal::new(journal, self.config.day, now));
        let (workspace, config) = (Arc::clone(&self.workspace), Arc::clone(&self.config));
        let (id, began) = (id.to_owned(), now);
        let mut session =
            Session { workspace, config, view, snapshot, turns, notice, told: false, id, began, recorder };
        if let Some(rules) = &self.rules {
            session.hold_rules(rules.as_ref())?;
        }
        Ok(session)
    }

    /// Writes the templates that the workspace lacks. An existing document is never touched, whatever it is.
    ///
    /// Each document that was written survives a power loss once this returns. After a crash in between, calling
    /// it again writes the rest. [`boot`](Self::boot) seeds too, where the configuration says so.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::{DocName, FileWorkspace, Life, LifeConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// assert_eq!(life.seed()?.wrote.first(), Some(&DocName::BOOTSTRAP));
    /// assert!(life.seed()?.wrote.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Workspace::list`] and [`Workspace::write`], [`Error::Corrupt`] where `.dreaming.d/life.json`
    /// is damaged, and [`Error::Uninitialized`] in a group of a life that is not booted.
    pub fn seed(&self) -> Result<SeedReport> {
        seed(self.workspace.as_ref(), &self.config)
    }

    /// Ends the onboarding: `BOOTSTRAP.md` is archived, deleted or emptied, and the journal of `session` gets an
    /// entry. The end is remembered, so that no `BOOTSTRAP.md` is seeded again. If a person adds one later, it
    /// stays and begins a new onboarding. A [`Session`] does all this by itself, at the end of a turn.
    ///
    /// When it returns, all of this survives a power loss. After a crash in between, or an error,
    /// [`Boot::unfinished`] tells, and calling it again does the rest; the entry is written once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::life::BootstrapOutcome;
    /// use noctuary::{FileWorkspace, Life, LifeConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// life.boot(Utc::now())?;
    /// if let Some(end) = life.config().onboarding_end(Some("Done.\nBOOTSTRAP_DONE")) {
    ///     let completion = life.complete_onboarding(end, Some("repl"), Utc::now())?;
    ///     assert!(matches!(completion.bootstrap, BootstrapOutcome::Archived(_)));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BootstrapRemains`] where `BOOTSTRAP.md` could not be taken away: the rest was done all the same, and
    /// the human must be told.
    pub fn complete_onboarding(
        &self,
        end: OnboardingEnd,
        session: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Completion> {
        let (workspace, config, doors) = (self.workspace.as_ref(), self.config.as_ref(), &self.doors);
        Ending { workspace, config, doors, session }.complete(end, now)
    }

    /// Opens an editor of the documents for one session, with the doors of this life.
    #[must_use]
    pub fn editor(&self, access: Access) -> Editor<'_> {
        Editor::new(self.workspace.as_ref(), access).with_doors(self.doors.clone())
    }

    /// Reads `SOUL.md` for a session. [`begin_session`](Self::begin_session) does so by itself.
    ///
    /// The first read of a workspace sets the known state, and gives no notice. A later read gives a main session a
    /// notice if the document has changed since the last confirmed state. Sessions of other kinds get none, and leave
    /// it to the next main session. The state survives a power loss once this returns.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::{DocName, FileWorkspace, Life, LifeConfig, SessionKind, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = FileWorkspace::open(folder.path())?;
    /// let life = Life::new(Arc::new(workspace.clone()), LifeConfig::default());
    /// workspace.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create)?;
    /// assert!(life.read_soul(SessionKind::Main, Utc::now())?.notice.is_none());
    ///
    /// workspace.write(&DocName::SOUL, b"# Soul\n\nDry humour.\n", WriteMode::Replace)?;
    /// let notice = life.read_soul(SessionKind::Main, Utc::now())?.notice.unwrap();
    /// notice.confirm(&workspace, Utc::now())?;
    /// assert!(life.read_soul(SessionKind::Main, Utc::now())?.notice.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of reading and writing. A `.soul-state.json` that is damaged, or of another program, is no error.
    /// It stays as it is, and the known state is kept beside it.
    pub fn read_soul(&self, kind: SessionKind, now: DateTime<Utc>) -> Result<Soul> {
        read_soul(self.workspace.as_ref(), kind, now)
    }
}

/// Returns whether neither the playbook of the first run nor `SOUL.md` is there.
fn is_bare(workspace: &dyn Workspace) -> Result<bool> {
    for name in [DocName::BOOTSTRAP, DocName::SOUL] {
        match workspace.metadata(&name) {
            Ok(None) => {}
            // A link occupies its name as well.
            Ok(Some(_)) | Err(Error::Refused { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
