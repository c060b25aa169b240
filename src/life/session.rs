//! A session of a life: its prompt, its notes and its turns.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::config::{JournalNaming, LifeConfig};
use super::journal::daily_log;
use super::onboarding::{Completion, Ending};
use super::prompt::{Block, Prompt, Snapshot};
use super::receipt::Recorder;
use super::soul::SoulNotice;
use super::turn::{TurnEnd, TurnReport, Turns};
use crate::base::access::{Access, SessionKind};
use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::facts::FactStore;
use crate::format::{JournalName, Note};
use crate::gate::{DoorWarning, Doors};
use crate::learning::PreferenceStore;
use crate::memory::MemoryStore;
use crate::session::{Guarded, is_private};
use crate::workspace::Workspace;

/// A session that has begun: its prompt, its turns, and the notes of them that wait to be written.
///
/// A session that is dropped without [`flush`](Self::flush) loses the notes that wait, at most those of the turns
/// since the last write.
///
/// # Example: a chat on tokio
///
/// The session moves to a thread that may block, and comes back:
///
/// ```rust
/// use std::sync::Arc;
///
/// use chrono::Utc;
/// use noctuary::format::Origin;
/// use noctuary::life::TurnEnd;
/// use noctuary::{Access, Error, FileWorkspace, Life, LifeConfig, Note, Scope, Session};
/// use serde_json::{Value, json};
/// use tokio::task::spawn_blocking;
///
/// /// Runs file work on a thread that may block.
/// async fn on_disk<T, F>(mut session: Session, work: F) -> (Session, T)
/// where
///     T: Send + 'static,
///     F: FnOnce(&mut Session) -> T + Send + 'static,
/// {
///     let lent = spawn_blocking(move || {
///         let done = work(&mut session);
///         (session, done)
///     });
///     lent.await.expect("no panic")
/// }
///
/// enum Said {
///     Call(&'static str, Value),
///     Answer(String),
/// }
///
/// /// Your model, with the conversation so far and its tools.
/// async fn model(_prompt: &str, _tools: &[Value], told: &[String]) -> Said {
///     match told.len() {
///         1 => Said::Call("memory_read", json!({"path": "USER.md"})),
///         _ => Said::Answer("Tea it is.".to_owned()),
///     }
/// }
///
/// async fn chat(life: Life, marta: Access, inbox: Vec<String>) -> Result<(), Error> {
///     let begun = spawn_blocking(move || {
///         life.boot(Utc::now())?;
///         let session = life.begin_session(marta, "8f14", "chat", Utc::now())?;
///         let tools = Arc::new(session.tools());
///         Ok::<_, Error>((session, tools))
///     });
///     let (mut session, tools) = begun.await.expect("no panic")?;
///     let definitions: Vec<Value> = tools.catalogue().iter().map(|tool| tool.openai()).collect();
///     for said in inbox {
///         let prompt;
///         (session, prompt) = on_disk(session, |session| session.prompt(&[])).await;
///         let (prompt, mut told) = (prompt?.to_string(), vec![said.clone()]);
///         let answer = loop {
///             match model(&prompt, &definitions, &told).await {
///                 Said::Answer(answer) => break answer,
///                 Said::Call(name, arguments) => {
///                     let tools = Arc::clone(&tools);
///                     let call = move || match tools.call(name, &arguments, Utc::now()) {
///                         Ok(told) => told.to_string(),
///                         Err(refused) => refused.message().to_owned(), // also goes back to the model
///                     };
///                     told.push(spawn_blocking(call).await.expect("no panic"));
///                 }
///             }
///         };
///         let ended;
///         (session, ended) = on_disk(session, move |session| {
///             // The human asked to remember it, so the origin is the user. Durable at once.
///             session.note(&Note::remember(said).from(Origin::User), Utc::now())?;
///             session.end_turn(&answer, TurnEnd::default(), Utc::now())
///         })
///         .await;
///         ended?;
///     }
///     on_disk(session, |session| session.flush()).await.1?; // also when the human just leaves
///     Ok(())
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let folder = tempfile::tempdir()?;
///     let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
///     let marta = Access::agent(Scope::user("marta"));
///     tokio::spawn(chat(life, marta, vec!["I take my tea without milk.".to_owned()])).await??;
///     assert!(folder.path().join("HEARTBEAT.md").exists());
///     Ok(())
/// }
/// ```
pub struct Session {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) config: Arc<LifeConfig>,
    pub(super) view: Guarded<Arc<dyn Workspace>>,
    pub(super) snapshot: Snapshot,
    pub(super) turns: Turns,
    pub(super) notice: Option<SoulNotice>,
    /// Whether the notice was handed over in a prompt.
    pub(super) told: bool,
    pub(super) id: String,
    pub(super) began: DateTime<Utc>,
    /// The sources that were handed out and wait for their reply.
    pub(super) recorder: Recorder,
}

/// The result of a turn's end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnOutcome {
    /// Memo and journal.
    pub turn: TurnReport,
    /// The result of the onboarding, if this turn ended it.
    pub onboarding: Option<Completion>,
    /// Findings in the texts of this turn, which were masked.
    pub warnings: Vec<DoorWarning>,
}

impl Session {
    /// Returns the access.
    #[must_use]
    pub fn access(&self) -> &Access {
        self.view.access()
    }

    /// Returns the view that the session's tools may reach.
    #[must_use]
    pub fn view(&self) -> &Guarded<Arc<dyn Workspace>> {
        &self.view
    }

    /// Returns a view for tools of the session, which have warnings and numbers of masks of their own.
    pub(crate) fn view_of_tools(&self) -> Guarded<Arc<dyn Workspace>> {
        Guarded::new(Arc::clone(&self.workspace), self.access().clone())
            .with_doors(self.view.doors().clone())
            .with_soul(self.config.soul)
            .with_notes(Arc::clone(self.view.notes()))
    }

    /// Returns where tools keep the documents that they replace without a revision; `None` where they may not.
    pub(crate) fn overwrites(&self) -> Option<Arc<dyn Workspace>> {
        self.config.overwrites.then(|| Arc::clone(&self.workspace))
    }

    /// Returns the keeper of sources, for tools of the session.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Counts the ended turns.
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
    /// The errors of [`Snapshot::prompt`].
    pub fn prompt(&mut self, derived: &[Block]) -> Result<Prompt> {
        let notice = self.notice.is_some().then_some(SoulNotice::TEXT);
        let (prompt, sources) = self.snapshot.made(&self.view, notice, derived)?;
        if let Some(mut kept) = self.recorder.kept() {
            kept.prompt = sources;
        }
        self.told = self.notice.is_some();
        Ok(prompt)
    }

    /// Marks lines of `MEMORY.md` in the prompts of this session that are superseded by the decisions of a store. The mark
    /// says what holds now, and since when. Returns the number of marked lines. Tools of the session that are made
    /// afterwards mark each line that they read or find, too. The file is not changed. Call it when the session began.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::exchange::feed;
    /// use noctuary::facts::{Decision, FactStore};
    /// use noctuary::memory::{Filter, NewMemory, Source};
    /// use noctuary::{
    ///     Access, DocName, FileMemoryStore, FileWorkspace, Life, LifeConfig, MemoryStore, Scope, Workspace, WriteMode,
    /// };
    /// # use chrono::{TimeZone, Utc};
    ///
    /// let (folder, marta) = (tempfile::tempdir()?, Scope::user("marta"));
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let store = FileMemoryStore::open(folder.path(), marta.clone())?;
    /// let memory = "## Dreamed 2026-11-20
    /// <!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->
    ///
    /// ### Facts
    /// - Marta lives in Berlin. (memory/2026-11-20-repl.md#L1)
    ///
    /// <!-- /dream:v1 id=0f3a9c5be2d14477 -->
    /// ";
    /// workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create)?;
    /// feed(workspace.as_ref(), &store, &marta, now)?;
    /// let (human, agent) = (Access::human(marta.clone()), Access::agent(marta));
    /// let berlin = store.list(&agent, &Filter::limit(1))?[0].id;
    /// let moved = NewMemory::new("fact", "Marta moved to Lisbon.", Source::UserExplicit);
    /// let lisbon = store.record(&agent, &moved, now)?.id;
    /// store.decide(&human, &Decision::supersede(berlin, lisbon), now)?;
    ///
    /// let life = Life::new(workspace, LifeConfig::default());
    /// let mut session = life.begin_session(agent, "repl", "repl", now)?;
    /// assert_eq!(session.mark_superseded(&store)?, 1);
    /// let line = "(memory/2026-11-20-repl.md#L1) [superseded since 2026-11-21; now: Marta moved to Lisbon.]";
    /// assert!(session.system_prompt()?.contains(line));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the store, and those of the doors.
    pub fn mark_superseded(&mut self, facts: &dyn FactStore) -> Result<usize> {
        let superseded = facts.superseded(self.access())?;
        self.view.mark_superseded(&superseded)?;
        self.snapshot.mark_superseded(&self.view, &superseded)
    }

    /// Marks lines of `MEMORY.md` in the prompts of this session that may be out of date. It reads the rows that
    /// [`feed`](crate::exchange::feed) made of them. The mark gives the reason: a row that may contradict the line is open, or
    /// its time is over. If the store knows the [journals](crate::store::StoreConfig::journals), a cited journal line that is
    /// gone or changed is a reason too. Returns the number of marked lines. Tools of the session that are made afterwards mark
    /// lines too. The files are not changed. Call it when the session began, after [`mark_superseded`](Self::mark_superseded).
    /// Outside a main session it does nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::exchange::feed;
    /// use noctuary::store::StoreConfig;
    /// use noctuary::{Access, DocName, FileMemoryStore, FileWorkspace, Life, LifeConfig, Scope, Workspace, WriteMode};
    /// # use chrono::{TimeZone, Utc};
    ///
    /// let (folder, marta) = (tempfile::tempdir()?, Scope::user("marta"));
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let mut config = StoreConfig::default();
    /// config.journals = Some(workspace.clone());
    /// let store = FileMemoryStore::open_with(folder.path(), marta.clone(), config)?;
    /// let journal = DocName::parse("memory/2026-11-20-repl.md")?;
    /// workspace.write(&journal, b"[user] I live in Berlin.\n", WriteMode::Create)?;
    /// let memory = "## Dreamed 2026-11-20
    /// <!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->
    ///
    /// ### Facts
    /// - The user lives in Berlin. (memory/2026-11-20-repl.md#L1)
    ///
    /// <!-- /dream:v1 id=0f3a9c5be2d14477 -->
    /// ";
    /// workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create)?;
    /// feed(workspace.as_ref(), &store, &marta, now)?;
    /// workspace.write(&journal, b"[user] I live in Bern.\n", WriteMode::Replace)?;
    ///
    /// let life = Life::new(workspace, LifeConfig::default());
    /// let mut session = life.begin_session(Access::agent(marta), "repl", "repl", now)?;
    /// assert_eq!(session.mark_doubted(&store, now)?, 1);
    /// let line = "#L1) [may be out of date: a journal line that it cites was changed]";
    /// assert!(session.system_prompt()?.contains(line));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the store.
    pub fn mark_doubted(&mut self, store: &dyn MemoryStore, now: DateTime<Utc>) -> Result<usize> {
        if !self.access().reads_memory() {
            return Ok(0);
        }
        let rows = store.snapshot(self.access(), usize::MAX, now)?;
        self.view.mark_doubted(&rows)?;
        self.snapshot.mark_doubted(&self.view, &rows)
    }

    /// Puts the standing rules of a store before everything else in each prompt from now on; returns how many. Call it when the
    /// session begins, and again where a person approved one since. Outside of a main session it does nothing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use noctuary::learning::{NewPreference, PreferenceStore};
    /// use noctuary::{Access, FileMemoryStore, FileWorkspace, Life, LifeConfig, Scope};
    /// # use chrono::{TimeZone, Utc};
    ///
    /// let (folder, marta) = (tempfile::tempdir()?, Scope::user("marta"));
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let store = FileMemoryStore::open(folder.path(), marta.clone())?;
    /// let rule = NewPreference::hard_constraint("money", "Never pay without asking.");
    /// let id = store.propose_preference(&Access::agent(marta.clone()), &rule, now)?;
    /// store.approve_preference(&Access::human(marta.clone()), id, now)?;
    ///
    /// let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), LifeConfig::default());
    /// let mut session = life.begin_session(Access::agent(marta), "repl", "repl", now)?;
    /// assert_eq!(session.hold_rules(&store)?, 1);
    /// let prompt = session.system_prompt()?;
    /// assert!(prompt.starts_with("# Standing rules\n"));
    /// assert!(prompt.contains("- Never pay without asking. [rule 1, approved by the human on 2026-11-21]\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the store, and those of the doors.
    pub fn hold_rules(&mut self, rules: &dyn PreferenceStore) -> Result<usize> {
        if self.access().kind != SessionKind::Main {
            return Ok(0);
        }
        let rules = rules.constraints(self.access())?;
        self.snapshot.hold_rules(&self.view, &rules)
    }

    /// Returns the prompt of a turn as one text, without blocks of the host's; [`prompt`](Self::prompt) returns its parts.
    ///
    /// # Errors
    ///
    /// The errors of [`prompt`](Self::prompt).
    pub fn system_prompt(&mut self) -> Result<String> {
        Ok(self.prompt(&[])?.to_string())
    }

    /// Appends what happened to the session's journal of the day, with its time; [`note`](Self::note) says more of it.
    ///
    /// # Errors
    ///
    /// The errors of [`note`](Self::note).
    pub fn append_daily_log(&mut self, text: &str, now: DateTime<Utc>) -> Result<Vec<DoorWarning>> {
        self.note(&Note::happened(text), now)
    }

    /// Appends a note to the session's journal at once, whatever the switches say. Secrets in it are masked, and
    /// the warnings say so. In a main session they also tell of forgotten words, which a journal keeps and no search shows. When it returns, the note survives a power loss.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) where the session may not add to its journal, and those of
    /// [`Journal::append`](crate::life::Journal::append).
    pub fn note(&mut self, note: &Note, now: DateTime<Utc>) -> Result<Vec<DoorWarning>> {
        let mut warnings = Vec::new();
        let mut note = note.clone();
        note.text = self.view.admit("note", &note.text, &mut warnings)?;
        self.view.admit_origin(&mut note.origin, &mut warnings)?;
        // A journal is a record of what was said. With others present, a warning would tell them what was forgotten.
        if is_private(&self.view)
            && let Ok(doors) = self.view.current_doors()
        {
            let name = Name::hidden("a new note".to_owned());
            warnings.extend(self.view.mask_forgotten(&doors, &name, &note.text)?.warnings);
        }
        self.turns.note(&self.view, &note, now)?;
        Ok(warnings)
    }

    /// Returns the journals of a day that the session may read: the day's own file first, of whatever session and dialect.
    ///
    /// # Errors
    ///
    /// The errors of the workspace.
    pub fn daily_log(&self, date: NaiveDate) -> Result<Vec<(JournalName, Document)>> {
        daily_log(&self.view, date)
    }

    /// Returns the journals of the day that `now` belongs to, as far as the session may read them.
    ///
    /// # Errors
    ///
    /// The errors of [`daily_log`](Self::daily_log).
    pub fn today_log(&self, now: DateTime<Utc>) -> Result<Vec<(JournalName, Document)>> {
        self.daily_log(self.config.day.date(now))
    }

    /// Ends a turn with the agent's reply. It updates the memo, takes notes for the daily log, and writes them after the
    /// configured number of turns. It ends the onboarding if the reply says so, and counts the notice of a changed
    /// `SOUL.md` as given. Secrets in notes and loops are masked, and forgotten statements in loops; the warnings say so.
    ///
    /// # Errors
    ///
    /// The errors of [`note`](Self::note) and of [`Life::update_heartbeat`](crate::Life::update_heartbeat),
    /// [`Error::BootstrapRemains`](crate::Error::BootstrapRemains), and [`Error::Stopped`](crate::Error::Stopped) if the doors refuse a note
    /// or loop. Each part is tried, whatever fails; the first error is returned.
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
        // A text that the door stops is left out, and the turn ends all the same.
        let mut admit = |what, text: &mut String| {
            let passed = self.view.admit(what, text, &mut warnings).map(|passed| *text = passed);
            let is_admitted = passed.is_ok();
            stopped = stopped.take().or(passed.err());
            is_admitted
        };
        order::retain(&mut turn.opens, |text| admit("loop", text));
        order::retain(&mut turn.closes, |text| admit("loop", text));
        order::retain(&mut turn.notes, |note| admit("note", &mut note.text));
        let mut heartbeat = self.config.heartbeat.clone();
        if let Err(error) = self.mask_forgotten(&mut turn, &mut warnings) {
            // Text that the memo may not hold is not known here: it stays as it is.
            heartbeat.enabled = false;
            stopped = stopped.or(Some(error));
        }
        // The name of a tool may be stopped too. Then its note is left out, and the memo is written all the same.
        order::retain(&mut turn.notes, |note| {
            let passed = self.view.admit_origin(&mut note.origin, &mut warnings);
            let is_admitted = passed.is_ok();
            stopped = stopped.take().or(passed.err());
            is_admitted
        });
        let places = (&self.view, self.workspace.as_ref());
        let ended = self.turns.end_turn(places, &heartbeat, self.config.daily_log, turn, now);
        let onboarding = self.end_onboarding(reply, now);
        let confirmed = match self.notice.take_if(|_| self.told && reply.is_some()) {
            Some(notice) => notice.confirm(self.workspace.as_ref(), now),
            None => Ok(()),
        };
        let (turn, onboarding) = (ended?, onboarding?);
        confirmed?;
        stopped.map_or(Ok(()), Err)?;
        Ok(TurnOutcome { turn, onboarding, warnings })
    }

    /// Ends the onboarding where there is one, this session is the human's, and the turn says that it is over.
    fn end_onboarding(&self, reply: Option<&str>, now: DateTime<Utc>) -> Result<Option<Completion>> {
        let Some(end) = self.config.onboarding_end(reply) else { return Ok(None) };
        if self.access().kind != SessionKind::Main {
            return Ok(None);
        }
        // A playbook that was cleared is there and empty.
        let playbook = self.workspace.metadata(&DocName::BOOTSTRAP)?;
        if playbook.is_none_or(|metadata| metadata.len == 0) {
            return Ok(None);
        }
        let session = (self.config.naming == JournalNaming::Session).then_some(self.id.as_str());
        let doors: &Doors = self.view.doors();
        let (workspace, config) = (self.workspace.as_ref(), self.config.as_ref());
        Ending { workspace, config, doors, session }.complete(end, now).map(Some)
    }

    /// Writes the notes that wait, and returns how many. For the session's end, and the moment before its context
    /// is compacted.
    ///
    /// # Errors
    ///
    /// The errors of [`note`](Self::note). The notes that were not written still wait.
    pub fn flush(&mut self) -> Result<usize> {
        self.turns.flush(&self.view)
    }

    /// Masks in loops what the workspace has forgotten: a journal is a record of what was said, the memo is none.
    fn mask_forgotten(&self, turn: &mut TurnEnd, warnings: &mut Vec<DoorWarning>) -> Result<()> {
        let memo: &Name = &self.config.heartbeat.document;
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
}

debug_as!(Session, |it| "Session {{ {:?}, turns: {} }}", it.access().kind, it.turn_count());
