//! The care of a life between its sessions: its journals of a day, its memo, its checks, and its tidying.

use chrono::{DateTime, NaiveDate, Utc};

use super::duties;
use super::heartbeat::{Beat, update_heartbeat};
use super::hygiene::{self, Proposal};
use super::journal::daily_log;
use super::life::Life;
use super::retention::{self, Consent, RetentionPlan, permit};
use super::undreamed::Undreamed;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::format::{Checks, Heartbeat, JournalName};
use crate::session;
use crate::workspace::Workspace;

impl Life {
    /// Returns all journals of a day, of whatever session and dialect: the day's own file first.
    ///
    /// For the operator; a session reads its own by [`Session::daily_log`](crate::Session::daily_log).
    ///
    /// # Errors
    ///
    /// The errors of the workspace.
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
    /// The errors of [`daily_log`](Self::daily_log).
    pub fn today_log(&self, now: DateTime<Utc>) -> Result<Vec<(JournalName, Document)>> {
        self.daily_log(self.config.day.date(now))
    }

    /// Changes the memo in its document, and makes the document where it is missing, with an empty `## Schedule`.
    /// A [`Session`](crate::Session) does so by itself, at the end of a turn.
    ///
    /// If somebody saved the document meanwhile, the change is made to their version. When it returns, the
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

    /// Returns whether a heartbeat run has anything to look at: the memo's document has words outside headings,
    /// comments and our own memo. A document that is not UTF-8 counts as having them.
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
    /// The errors of the workspace.
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
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::life::Proposal;
    /// use noctuary::{DocName, FileWorkspace, Life, LifeConfig, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let name = DocName::parse("projects/untitled.md")?;
    /// life.workspace().write(&name, b"# Alpha\n", WriteMode::Create)?;
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// assert_eq!(life.propose_hygiene(&[name.clone()], now)?, [Proposal::PoorName { name }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn propose_hygiene(&self, documents: &[DocName], now: DateTime<Utc>) -> Result<Vec<Proposal>> {
        hygiene::propose(self.workspace.as_ref(), documents, &self.config.hygiene, now)
    }

    /// Says which journals may be archived or deleted by now. Changes nothing; a journal with bytes that wait for a dream
    /// is kept back.
    ///
    /// # Errors
    ///
    /// The errors of [`Undreamed::among`].
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
    /// When it returns, this survives a power loss. A folder keeps nothing of it. A `SqliteWorkspace` keeps the last
    /// versions of every removed document. [`Workspace::drop_versions`] removes them whole, and
    /// [`Forget`](crate::exchange::Forget) removes statements from them.
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
