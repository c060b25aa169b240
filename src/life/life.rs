//! A life by day: boot, sessions and their turns, over any workspace.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::base::access::{Access, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::format::{JournalName, Note, OnboardingEnd, Origin};
use crate::gate::{Door, DoorWarning, Doors};
use crate::life::Undreamed;
use crate::life::prompt::{Block, Prompt, Snapshot};
use crate::life::{
    Boot, BootPolicy, BootState, Completion, JournalNaming, LifeConfig, RetentionPlan, Soul, SoulNotice,
    TurnEnd, TurnReport, TurnState, boot, complete_onboarding, onboarding_end, propose_retention, read_soul,
    seed,
};
use crate::session::Guarded;
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
/// use noctuary::{Access, Actor, FileWorkspace, Life, LifeConfig, Note, Scope, SessionKind};
///
/// let folder = tempfile::tempdir()?;
/// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// life.boot(now)?; // seeds what is missing
///
/// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
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
        let mut boot = boot(self.workspace.as_ref(), &self.config)?;
        if let Some(end) = boot.unfinished.take() {
            self.complete(end, None, now)?;
            boot = self::boot(self.workspace.as_ref(), &self.config)?;
        }
        Ok(boot)
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
        let turns = TurnState::begin(kind, id, surface, journal, self.config.day, now);
        Ok(Session { life: self.clone(), view, snapshot, turns, notice, told: false, id: id.to_owned() })
    }

    /// Says which journals may be archived or deleted by now. Changes nothing; what bytes of wait for a dream is
    /// kept back.
    ///
    /// # Errors
    ///
    /// Those of [`Undreamed::among`].
    pub fn propose_retention(&self, now: DateTime<Utc>) -> Result<RetentionPlan> {
        let mut journals: Vec<JournalName> = Vec::new();
        for folder in [DocName::JOURNALS, DocName::DAILY] {
            let listing = match self.workspace.list(Some(&folder)) {
                // `daily` is only an alias: whatever else has the name is a person's.
                Err(Error::Refused { .. }) if folder == DocName::DAILY => continue,
                listing => listing?,
            };
            journals.extend(listing.documents.iter().filter_map(JournalName::parse));
        }
        let undreamed = Undreamed::among(self.workspace.as_ref(), &journals)?;
        let today = self.config.day.date(now);
        Ok(propose_retention(&self.config.retention, journals, today, |journal| undreamed.contains(journal)))
    }

    fn complete(&self, end: OnboardingEnd, session: Option<&str>, now: DateTime<Utc>) -> Result<Completion> {
        complete_onboarding(self.workspace.as_ref(), &self.config, end, &self.doors, session, now)
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

/// A session that has begun: what it was told, its turns, and what of them waits to be written.
///
/// A session that is dropped without [`flush`](Self::flush) loses the notes that wait, at most those of the turns
/// since the last write.
pub struct Session {
    life: Life,
    view: Guarded<Arc<dyn Workspace>>,
    snapshot: Snapshot,
    turns: TurnState,
    notice: Option<SoulNotice>,
    /// Whether the notice was handed over in a prompt.
    told: bool,
    id: String,
}

/// What the end of a turn did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnOutcome {
    /// Memo and journal.
    pub turn: TurnReport,
    /// What became of the onboarding, where this turn ended it.
    pub onboarding: Option<Completion>,
    /// What was found in the texts of this turn, and masked.
    pub warnings: Vec<DoorWarning>,
}

impl Session {
    /// For whom it is.
    #[must_use]
    pub fn access(&self) -> &Access {
        self.view.access()
    }

    /// What the session's tools may reach.
    #[must_use]
    pub fn view(&self) -> &Guarded<Arc<dyn Workspace>> {
        &self.view
    }

    /// How many turns have ended.
    #[must_use]
    pub fn turn_count(&self) -> u64 {
        self.turns.turn_count()
    }

    /// Makes the prompt of a turn. The host's `derived` blocks come last: the workspace wins over them.
    ///
    /// The notice of a changed `SOUL.md` is in it until the end of the first turn that had it.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::prompt`].
    pub fn prompt(&mut self, derived: &[Block]) -> Result<Prompt> {
        let notice = self.notice.is_some().then_some(SoulNotice::TEXT);
        let prompt = self.snapshot.prompt(&self.view, notice, derived)?;
        self.told = self.notice.is_some();
        Ok(prompt)
    }

    /// Returns the prompt of a turn as one text, without blocks of the host's; [`prompt`](Self::prompt) returns its parts.
    ///
    /// # Errors
    ///
    /// Those of [`prompt`](Self::prompt).
    pub fn system_prompt(&mut self) -> Result<String> {
        Ok(self.prompt(&[])?.to_string())
    }

    /// Appends what happened to the session's journal of the day, with its time; [`note`](Self::note) says more of it.
    ///
    /// # Errors
    ///
    /// Those of [`note`](Self::note).
    pub fn append_daily_log(&mut self, text: &str, now: DateTime<Utc>) -> Result<Vec<DoorWarning>> {
        self.note(&Note::happened(text), now)
    }

    /// Appends a note to the session's journal at once, whatever the switches say. Secrets in it are masked, and
    /// the warnings say so. When it returns, the note survives a power loss.
    ///
    /// # Errors
    ///
    /// Those of [`append_note`](crate::life::append_note).
    pub fn note(&mut self, note: &Note, now: DateTime<Utc>) -> Result<Vec<DoorWarning>> {
        let mut warnings = Vec::new();
        let mut note = note.clone();
        note.text = self.pass(&note.text, &mut warnings)?;
        self.pass_origin(&mut note.origin, &mut warnings)?;
        self.turns.note(self.life.workspace.as_ref(), &note, now)?;
        Ok(warnings)
    }

    /// Ends a turn with the agent's reply: updates the memo, takes notes for the daily log and writes them every
    /// so many turns, ends the onboarding where the reply says so, and counts the notice of a changed `SOUL.md`
    /// as given. Secrets in notes and loops are masked, and in loops what the workspace has forgotten: the warnings say so.
    ///
    /// # Errors
    ///
    /// Those of [`TurnState::end_turn`], [`Error::BootstrapRemains`], and [`Error::Stopped`] where the doors let a note
    /// or loop not pass. Each part is tried, whatever fails; the first error is returned.
    pub fn end_turn(&mut self, reply: &str, turn: TurnEnd, now: DateTime<Utc>) -> Result<TurnOutcome> {
        self.finish_turn(Some(reply), turn, now)
    }

    /// Ends a turn that gave no reply. Where the configuration says so, an onboarding that failed ends with it.
    ///
    /// # Errors
    ///
    /// As [`end_turn`](Self::end_turn).
    pub fn end_failed_turn(&mut self, now: DateTime<Utc>) -> Result<TurnOutcome> {
        self.finish_turn(None, TurnEnd::default(), now)
    }

    fn finish_turn(
        &mut self,
        reply: Option<&str>,
        mut turn: TurnEnd,
        now: DateTime<Utc>,
    ) -> Result<TurnOutcome> {
        let (mut warnings, mut stopped) = (Vec::new(), None);
        // What the door stops is left out, and the turn ends all the same.
        let mut admit = |text: &mut String| {
            let passed = self.pass(text, &mut warnings).map(|passed| *text = passed);
            let is_admitted = passed.is_ok();
            stopped = stopped.take().or(passed.err());
            is_admitted
        };
        turn.opens.retain_mut(&mut admit);
        turn.closes.retain_mut(&mut admit);
        turn.notes.retain_mut(|note| admit(&mut note.text));
        let mut heartbeat = self.life.config.heartbeat.clone();
        if let Err(error) = self.mask_forgotten(&mut turn, &mut warnings) {
            // What may not stand in the memo is not known: it stays as it is.
            heartbeat.enabled = false;
            stopped = stopped.or(Some(error));
        }
        // Also the name of a tool may be stopped: then its note is left out, and the memo is written all the same.
        turn.notes.retain_mut(|note| {
            let passed = self.pass_origin(&mut note.origin, &mut warnings);
            let is_admitted = passed.is_ok();
            stopped = stopped.take().or(passed.err());
            is_admitted
        });
        let workspace = Arc::clone(&self.life.workspace);
        let config = Arc::clone(&self.life.config);
        let ended = self.turns.end_turn(workspace.as_ref(), &heartbeat, config.daily_log, turn, now);
        let onboarding = self.end_onboarding(reply, now);
        let confirmed = match self.notice.take_if(|_| self.told && reply.is_some()) {
            Some(notice) => notice.confirm(workspace.as_ref(), now),
            None => Ok(()),
        };
        let (turn, onboarding) = (ended?, onboarding?);
        confirmed?;
        stopped.map_or(Ok(()), Err)?;
        Ok(TurnOutcome { turn, onboarding, warnings })
    }

    /// Ends the onboarding where there is one, this session is the human's, and the turn says that it is over.
    fn end_onboarding(&self, reply: Option<&str>, now: DateTime<Utc>) -> Result<Option<Completion>> {
        let Some(end) = onboarding_end(reply, &self.life.config) else { return Ok(None) };
        if self.access().kind != SessionKind::Main {
            return Ok(None);
        }
        // A playbook that was cleared is there and empty.
        let playbook = self.life.workspace.metadata(&DocName::BOOTSTRAP)?;
        if playbook.is_none_or(|metadata| metadata.len == 0) {
            return Ok(None);
        }
        let session = (self.life.config.naming == JournalNaming::Session).then_some(self.id.as_str());
        self.life.complete(end, session, now).map(Some)
    }

    /// Writes the notes that wait, and returns how many. For the session's end, and the moment before its context
    /// is compacted.
    ///
    /// # Errors
    ///
    /// Those of [`TurnState::flush`].
    pub fn flush(&mut self) -> Result<usize> {
        self.turns.flush(self.life.workspace.as_ref())
    }

    /// Leaves out the name of a tool that the door would change: what is left of it is no name.
    fn pass_origin(&self, origin: &mut Origin, warnings: &mut Vec<DoorWarning>) -> Result<()> {
        if let Origin::Tool(name) | Origin::Participant(name) = origin {
            let passed = self.pass(name, warnings)?;
            if passed != *name {
                name.clear();
            }
        }
        Ok(())
    }

    /// Masks in loops what the workspace has forgotten: a journal is a record of what was said, the memo is none.
    fn mask_forgotten(&self, turn: &mut TurnEnd, warnings: &mut Vec<DoorWarning>) -> Result<()> {
        let memo: &Name = &self.life.config.heartbeat.document;
        let doors = self.view.current_doors()?;
        for text in &mut turn.opens {
            let passed = self.view.mask_forgotten(&doors, memo, text)?;
            warnings.extend(passed.warnings);
            *text = passed.text.into_owned();
        }
        // A loop may stand there as it was said before it was forgotten, or masked.
        for at in 0..turn.closes.len() {
            let masked = self.view.mask_forgotten(&doors, memo, &turn.closes[at])?.text.into_owned();
            turn.closes.push(masked);
        }
        Ok(())
    }

    /// Lets a text through the door of the journals.
    fn pass(&self, text: &str, warnings: &mut Vec<DoorWarning>) -> Result<String> {
        let journal: &Name = &DocName::JOURNALS;
        let doors = &self.life.doors;
        let policy = doors.policy_of(Door::JournalAppend, journal);
        let passed = self.view.judge(doors, Door::JournalAppend, policy, journal, text)?;
        warnings.extend(passed.warnings);
        Ok(passed.text.into_owned())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session {{ {:?}, turns: {} }}", self.access().kind, self.turn_count())
    }
}
