//! A life by day: boot, sessions and their turns, over any workspace.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::boot::{Boot, BootState, boot};
use super::config::{BootPolicy, JournalNaming, LifeConfig};
use super::duties;
use super::edit::Editor;
use super::heartbeat::{Beat, update_heartbeat};
use super::hygiene::{self, Proposal};
use super::journal::daily_log;
use super::onboarding::{Completion, Ending};
use super::prompt::Snapshot;
use super::retention::{self, Consent, RetentionPlan, permit};
use super::seed::{SeedReport, seed};
use super::session::Session;
use super::soul::{Soul, read_soul};
use super::turn::Turns;
use super::undreamed::Undreamed;
use crate::base::access::{Access, SessionKind};
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::format::{Checks, Heartbeat, JournalName, OnboardingEnd};
use crate::gate::Doors;
use crate::session::{self, Guarded, Journal};
use crate::workspace::{Workspace, check_scope};

/// One agent's life: a workspace, how it goes by day, and what may pass its doors.
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
    workspace: Arc<dyn Workspace>,
    config: Arc<LifeConfig>,
    doors: Doors,
}

impl Life {
    /// A life in `workspace`.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>, config: LifeConfig) -> Self {
        Self { workspace, config: Arc::new(config), doors: Doors::default() }
    }

    /// Sets what may pass into the workspace and out of it into prompts.
    #[must_use]
    pub fn with_doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// How it goes.
    #[must_use]
    pub fn config(&self) -> &LifeConfig {
        &self.config
    }

    /// The workspace, unguarded: the operator's.
    #[must_use]
    pub fn workspace(&self) -> &Arc<dyn Workspace> {
        &self.workspace
    }

    /// A view of the workspace for one session: what its tools may reach.
    #[must_use]
    pub fn view(&self, access: Access) -> Guarded<Arc<dyn Workspace>> {
        Guarded::new(Arc::clone(&self.workspace), access)
            .with_doors(self.doors.clone())
            .with_soul(self.config.soul)
    }

    /// Seeds what is missing where the configuration says so, finishes an onboarding that was interrupted at
    /// its end, and says whether a session may begin. For the start of a program; it may be called again.
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
    /// Those of [`seed`](Self::seed) and of reading.
    pub fn prepare(&self) -> Result<Boot> {
        boot(self.workspace.as_ref(), &self.config)
    }

    /// Begins a session: `id` is the host's name for it, and names its journal; `surface` is where it takes
    /// place, such as `repl`. Where nothing is seeded and the configuration seeds, it is seeded first. Reads once what the session is told, so that a later edit is seen by the next one.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for another scope than that of the workspace, where it knows [its own](Workspace::scope).
    /// [`Error::Uninitialized`] where nothing is seeded and neither `BOOTSTRAP.md` nor `SOUL.md` is there, and
    /// those of [`Snapshot::take`].
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
        let snapshot = Snapshot::take(&view, &prompt, self.config.shared_user, self.config.day, now)?;
        let date = self.config.day.date(now);
        let journal = match (self.config.naming, kind) {
            (JournalNaming::Daily, SessionKind::Main) => JournalName::new(date, None),
            _ => JournalName::for_session(date, kind, id),
        };
        let turns = Turns::begin(kind, id, surface, Journal::new(journal, self.config.day, now));
        let (workspace, config) = (Arc::clone(&self.workspace), Arc::clone(&self.config));
        Ok(Session { workspace, config, view, snapshot, turns, notice, told: false, id: id.to_owned() })
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
    /// Those of [`Workspace::list`] and [`Workspace::write`], and [`Error::Corrupt`] where `.dreaming.d/life.json`
    /// is damaged.
    pub fn seed(&self) -> Result<SeedReport> {
        seed(self.workspace.as_ref(), &self.config)
    }

    /// Ends the onboarding: `BOOTSTRAP.md` is archived, deleted or emptied, the journal of `session` gets an entry,
    /// and the end is remembered, so that no `BOOTSTRAP.md` is seeded again. One that a person places there later
    /// stays, and begins a new onboarding. A [`Session`] does so by itself, at the end of a turn.
    ///
    /// When it returns, all of this survives a power loss. After a crash in between, or an error,
    /// [`Boot::unfinished`] tells, and calling it again does the rest; the entry is written once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::life::BootstrapFate;
    /// use noctuary::{FileWorkspace, Life, LifeConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// life.boot(Utc::now())?;
    /// if let Some(end) = life.config().onboarding_end(Some("Done.\nBOOTSTRAP_DONE")) {
    ///     let completion = life.complete_onboarding(end, Some("repl"), Utc::now())?;
    ///     assert!(matches!(completion.bootstrap, BootstrapFate::Archived(_)));
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
    /// The first read of a workspace sets what is known, and gives no notice. Later ones give a main session a notice
    /// where the document has changed since the last one that was confirmed; sessions of other kinds get none, and
    /// leave it to the next main one. What is known survives a power loss once this returns.
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
    /// Those of reading and writing. A `.soul-state.json` that is damaged or another program's is none: it stays as it
    /// is, and what is known is kept beside it.
    pub fn read_soul(&self, kind: SessionKind, now: DateTime<Utc>) -> Result<Soul> {
        read_soul(self.workspace.as_ref(), kind, now)
    }

    /// Returns all journals of a day, of whatever session and dialect: the day's own file first.
    ///
    /// For the operator; a session reads its own by [`Session::daily_log`].
    ///
    /// # Errors
    ///
    /// Those of the workspace.
    pub fn daily_log(&self, date: NaiveDate) -> Result<Vec<(JournalName, Document)>> {
        daily_log(self.workspace.as_ref(), date)
    }

    /// Returns all journals of the day that `now` belongs to.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{FixedOffset, NaiveDate, TimeZone, Utc};
    /// use noctuary::format::JournalName;
    /// use noctuary::workspace::DayPolicy;
    /// use noctuary::{FileWorkspace, Life, LifeConfig, Workspace};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let mut config = LifeConfig::default();
    /// config.day = DayPolicy::new(FixedOffset::east_opt(0).unwrap(), 4);
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), config);
    /// let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
    /// life.workspace().append(JournalName::new(day, None).name(), b"- still up\n")?;
    /// let night = Utc.with_ymd_and_hms(2026, 11, 21, 2, 0, 0).unwrap();
    /// assert_eq!(life.today_log(night)?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`daily_log`](Self::daily_log).
    pub fn today_log(&self, now: DateTime<Utc>) -> Result<Vec<(JournalName, Document)>> {
        self.daily_log(self.config.day.date(now))
    }

    /// Changes the memo in its document, and makes the document where it is missing, with an empty `## Schedule`.
    /// A [`Session`] does so by itself, at the end of a turn.
    ///
    /// Where somebody saved the document meanwhile, the change is made to what they saved. When it returns, the
    /// memo survives a power loss; a crash before leaves the old document. An editor that writes in the instant
    /// between the last look and the rename, without this library, is still overwritten.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::life::Beat;
    /// use noctuary::workspace::WorkspaceExt;
    /// use noctuary::{DocName, FileWorkspace, Life, LifeConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// assert_eq!(life.update_heartbeat(|memo| memo.turn_count += 1)?, Beat::Written);
    /// assert!(life.workspace().read_text(&DocName::HEARTBEAT)?.unwrap().ends_with("## Schedule\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] where others never stop to write it, and those of the workspace.
    pub fn update_heartbeat(&self, change: impl Fn(&mut Heartbeat)) -> Result<Beat> {
        update_heartbeat(self.workspace.as_ref(), &self.config.heartbeat.document, change)
    }

    /// Whether a heartbeat run has anything to look at: the memo's document has words outside of headings, comments and
    /// our own memo. A document that is not UTF-8 has.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::{DocName, FileWorkspace, Life, LifeConfig, Workspace};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// life.workspace().append(&DocName::HEARTBEAT, b"# Heartbeat\n")?;
    /// assert!(!life.has_heartbeat_tasks()?, "nobody need be called");
    /// life.workspace().append(&DocName::HEARTBEAT, b"- [ ] look at the mail\n")?;
    /// assert!(life.has_heartbeat_tasks()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the workspace.
    pub fn has_heartbeat_tasks(&self) -> Result<bool> {
        duties::heartbeat_has_tasks(self.workspace.as_ref(), &self.config.heartbeat.document)
    }

    /// Reads `memory/heartbeat-state.json`; where there is none, nothing has run.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where it does not parse, and those of the workspace.
    pub fn checks(&self) -> Result<Checks> {
        duties::read_checks(self.workspace.as_ref())
    }

    /// Notes in `memory/heartbeat-state.json` that a check ran, beside whatever another process notes there.
    ///
    /// When it returns, the note survives a power loss; a crash before leaves the old file.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::{FileWorkspace, Life, LifeConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// life.mark_checked("email", now)?;
    /// assert_eq!(life.checks()?.last("email"), Some(now.timestamp()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the file does not parse; it is left for a person to mend.
    pub fn mark_checked(&self, name: &str, now: DateTime<Utc>) -> Result<()> {
        duties::mark_checked(self.workspace.as_ref(), name, now)
    }

    /// Looks through `documents`, which the host names, and proposes what to tidy up. Changes nothing.
    ///
    /// Journals are not looked at, [`propose_retention`](Self::propose_retention) is for them; the root documents are
    /// never outdated. Documents are compared pair by pair, so this is for hundreds of them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::life::Proposal;
    /// use noctuary::{DocName, FileWorkspace, Life, LifeConfig, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let name = DocName::parse("projects/untitled.md")?;
    /// life.workspace().write(&name, b"# Alpha\n", WriteMode::Create)?;
    /// assert_eq!(life.propose_hygiene(&[name.clone()], Utc::now())?, [Proposal::PoorName { name }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn propose_hygiene(&self, documents: &[DocName], now: DateTime<Utc>) -> Result<Vec<Proposal>> {
        hygiene::propose(self.workspace.as_ref(), documents, &self.config.hygiene, now)
    }

    /// Says which journals may be archived or deleted by now. Changes nothing; a journal with bytes that wait for a dream
    /// is kept back.
    ///
    /// # Errors
    ///
    /// Those of [`Undreamed::among`].
    pub fn propose_retention(&self, now: DateTime<Utc>) -> Result<RetentionPlan> {
        // `daily` is only an alias: whatever else has the name is a person's.
        let journals = session::journals(self.workspace.as_ref(), |folder, error| {
            matches!(error, Error::Refused { .. }) && *folder == DocName::DAILY
        })?;
        let undreamed = Undreamed::among(self.workspace.as_ref(), &journals)?;
        let today = self.config.day.date(now);
        Ok(self.config.retention.plan(journals, today, |journal| undreamed.contains(journal)))
    }

    /// Moves a journal into `memory/archive/`, under a name that no reader takes for a journal, and returns that name.
    ///
    /// Its bytes stay as they are; whatever is appended to the old name afterwards begins a new journal. When it returns,
    /// the move survives a power loss; before, the journal has one of the two names.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::format::JournalName;
    /// use noctuary::{FileWorkspace, Life, LifeConfig, Workspace};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let mut config = LifeConfig::default();
    /// config.retention.without_dreams = true; // else one that no dream has read is kept
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), config);
    /// let on = |day| Utc.with_ymd_and_hms(2026, 1, day, 9, 0, 0).unwrap();
    /// let journal = JournalName::new(on(1).date_naive(), Some("repl"));
    /// life.workspace().append(journal.name(), b"- a quiet day\n")?;
    /// let to = life.archive_journal(&journal, None, on(31))?;
    /// assert_eq!(to.as_str(), "memory/archive/log-20260101-repl.md");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where it is undreamed or recent, and there is no consent for it; [`Error::NotFound`].
    pub fn archive_journal(
        &self,
        journal: &JournalName,
        consent: Option<&Consent>,
        now: DateTime<Utc>,
    ) -> Result<DocName> {
        self.permit(journal, consent, now)?;
        retention::archive(self.workspace.as_ref(), journal)
    }

    /// Deletes a journal; `false` where there was none.
    ///
    /// When it returns, this survives a power loss. A folder keeps nothing of it. A `SqliteWorkspace` keeps its last
    /// versions, as of every document that is removed: they go by [`Workspace::drop_versions`], whole, or by
    /// [`Forget`](crate::exchange::Forget), with what they say.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::format::JournalName;
    /// use noctuary::life::Consent;
    /// use noctuary::{Access, FileWorkspace, Life, LifeConfig, Scope, Workspace};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let journal = JournalName::new(now.date_naive(), Some("repl"));
    /// life.workspace().append(journal.name(), b"- a mistake\n")?;
    /// assert!(life.delete_journal(&journal, None, now).is_err(), "it is recent, and no dream has read it");
    ///
    /// let consent = Consent::given(&Access::human(Scope::user("marta")), journal.clone())?;
    /// assert!(life.delete_journal(&journal, Some(&consent), now)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where it is undreamed or recent, and there is no consent for it.
    pub fn delete_journal(
        &self,
        journal: &JournalName,
        consent: Option<&Consent>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        self.permit(journal, consent, now)?;
        self.workspace.remove(journal.name())
    }

    fn permit(&self, journal: &JournalName, consent: Option<&Consent>, now: DateTime<Utc>) -> Result<()> {
        let waits =
            || Ok::<_, Error>(Undreamed::among(self.workspace.as_ref(), [journal])?.contains(journal));
        let is_undreamed = !self.config.retention.without_dreams && waits()?;
        permit(journal, self.config.day.date(now), is_undreamed, consent)
    }
}

/// Whether neither the playbook of the first run nor `SOUL.md` is there.
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
