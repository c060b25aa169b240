//! The waking side of a sleeper: its actions are logged and counted, it falls asleep, and it wakes up.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::config::SleepConfig;
use super::dreamer::SleepDreamer;
use super::fatigue::{Fatigue, SleepPlan, fatigue, plan_sleep};
use super::observations;
use super::wake::{WakeUp, fragment};
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::base::text;
use crate::disk::host;
use crate::dream::commit::sleeper as commit;
use crate::dream::commit::unfinished;
use crate::format::replies::fences::printed;
use crate::format::state::dreams::{self, LoggedMessage};
use crate::format::state::sleep_intent::SleepIntent;
use crate::format::{DreamEntry, Observation, Observations, SleepFiles, SleepState};
use crate::gate::Door;
use crate::session::Guarded;
use crate::workspace::{Workspace, WorkspaceExt};

/// A message of the conversation, for the log.
///
/// ```
/// use noctuary::sleep::Said;
///
/// let message = Said::new("assistant", "I will open a pull request.").calls(1);
/// # let _ = message;
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Said {
    role: String,
    content: String,
    calls: u32,
}

impl Said {
    /// Makes a message of somebody, or a result of a tool: `user`, `assistant`, `tool`.
    #[must_use]
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self { role: role.into(), content: content.into(), calls: 0 }
    }

    /// Sets how many tool calls it makes. Each is an action.
    #[must_use]
    pub fn calls(mut self, calls: u32) -> Self {
        self.calls = calls;
        self
    }
}

debug_as!(Said, |it| "Said {{ role: {}, bytes: {}, calls: {} }}", it.role, it.content.len(), it.calls);

impl SleepDreamer {
    /// Adds messages to the conversation's log, counts their tool calls, and says how tired the sleeper is now.
    ///
    /// Secrets are masked. When it returns, the messages survive a power loss. After a crash in between they may be
    /// there and their calls be uncounted.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::sleep::{Fatigue, Said, SleepDreamer};
    /// use noctuary::FileWorkspace;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let sleeper = SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// let now = Utc::now();
    /// assert_eq!(sleeper.log(&[Said::new("assistant", "looks around").calls(59)], now)?, Fatigue::Awake);
    /// assert_eq!(sleeper.log(&[Said::new("assistant", "and again").calls(1)], now)?, Fatigue::Warning);
    /// assert!(std::fs::read_to_string(folder.path().join("self/conversation.jsonl"))?.contains("looks around"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Workspace::append`](crate::Workspace::append), and
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
    pub fn log(&self, messages: &[Said], now: DateTime<Utc>) -> Result<Fatigue> {
        // Else a state that does not parse would have the host log it all again.
        self.state()?;
        let name: &Name = &self.files.conversation;
        let mut lines = String::new();
        for message in messages {
            let pass = |text| self.host.doors.pass(Door::JournalAppend, name, text);
            let (role, content) =
                (pass(&message.role)?.text.into_owned(), pass(&message.content)?.text.into_owned());
            lines.push_str(&dreams::print(&LoggedMessage { t: now, role, content, calls: message.calls }));
        }
        self.add(name, &lines)?;
        let calls = messages.iter().fold(0, |sum: u32, message| sum.saturating_add(message.calls));
        self.act(calls)
    }

    /// Adds an event to `memory.jsonl`, for what a host wants to look up later: `t` and these fields. Secrets are
    /// masked; where no object is left then, the rest is its `text`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::sleep::SleepDreamer;
    /// use noctuary::FileWorkspace;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let sleeper = SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// let event = serde_json::json!({"kind": "wallet", "balance": 12});
    /// sleeper.note_event(event.as_object().unwrap().clone(), Utc::now())?;
    /// assert!(std::fs::read_to_string(folder.path().join("self/memory.jsonl"))?.contains("wallet"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Workspace::append`](crate::Workspace::append).
    pub fn note_event(&self, mut fields: Map<String, Value>, now: DateTime<Utc>) -> Result<()> {
        let name: &Name = &self.files.memory;
        fields.insert("t".to_owned(), Value::String(now.to_rfc3339()));
        let line = dreams::print(&fields);
        // As a line, since the word in front of a value may tell that it is a secret.
        let masked = self.host.doors.pass(Door::JournalAppend, name, &line)?.text.into_owned();
        let is_whole =
            serde_json::from_str::<Map<String, Value>>(&masked).is_ok() && masked.lines().count() == 1;
        if is_whole {
            return self.add(name, &masked);
        }
        // A mask that reaches over a quote leaves no JSON: then it is the text of one.
        let whole = Map::from_iter([
            ("t".to_owned(), Value::String(now.to_rfc3339())),
            ("text".to_owned(), Value::String(masked.trim_end().to_owned())),
        ]);
        self.add(name, &dreams::print(&whole))
    }

    /// Adds whole lines.
    fn add(&self, name: &Name, lines: &str) -> Result<()> {
        if lines.is_empty() { Ok(()) } else { self.host.workspace.append(name, lines.as_bytes()) }
    }

    /// Counts actions, and says how tired the sleeper is now. For a host that logs by itself; [`log`](Self::log) counts.
    ///
    /// [`Fatigue::Warning`] is said once in a cycle, [`Fatigue::Forced`] until it dreamed. The count survives a restart.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::sleep::{Fatigue, SleepDreamer};
    /// use noctuary::FileWorkspace;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let sleeper = || SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path()).unwrap())).build();
    /// sleeper()?.act(79)?;
    /// assert_eq!(sleeper()?.act(1)?, Fatigue::Forced);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
    pub fn act(&self, actions: u32) -> Result<Fatigue> {
        let mut tired = Fatigue::Awake;
        commit::change_state(self.workspace(), &self.files, |state| {
            state.folder = Some(self.config.folder.clone());
            state.actions = state.actions.saturating_add(actions);
            // A write whose bytes stand there already is one that was done. Two that count at once make the same number
            // of what they read, and one of them would not be counted.
            state.counted = Some(host::token());
            tired = fatigue(state, &self.config);
            state.warned |= tired != Fatigue::Awake;
        })?;
        Ok(tired)
    }

    /// Reads how tired it is, and what else it carries along.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
    pub fn state(&self) -> Result<SleepState> {
        commit::state(self.workspace(), &self.files)
    }

    /// Falls asleep for a number of seconds, as the tool `set_sleep` asks: plans it, and remembers since when. The host
    /// dreams where the plan says so, waits, and calls [`wake`](Self::wake).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeDelta, Utc};
    /// use noctuary::sleep::SleepDreamer;
    /// use noctuary::{Access, FileWorkspace, Scope};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let sleeper =
    ///     SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
    /// let now = Utc::now();
    /// assert!(!sleeper.fall_asleep(10, now)?.dreams, "a quick nap");
    /// let access = Access::agent(Scope::user("marta"));
    /// let woken = sleeper.wake(&access, now + TimeDelta::seconds(10))?;
    /// assert_eq!(woken.slept.unwrap().as_secs(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
    pub fn fall_asleep(&self, seconds: u64, now: DateTime<Utc>) -> Result<SleepPlan> {
        let mut plan = None;
        commit::change_state(self.workspace(), &self.files, |state| {
            plan = Some(plan_sleep(seconds, now, state, &self.config));
            state.folder = Some(self.config.folder.clone());
            state.asleep_since = Some(now);
        })?;
        Ok(plan.expect("a state is changed at least once"))
    }

    /// Returns the time that it must go on resting after a deep sleep; nothing where it need not.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
    pub fn must_rest(&self, now: DateTime<Utc>) -> Result<Duration> {
        let rest = self.state()?.rest_until.and_then(|until| until.signed_duration_since(now).to_std().ok());
        // A time further away than a rest lasts was written under another clock.
        Ok(rest.filter(|rest| *rest <= self.config.deep_sleep_pause).unwrap_or_default())
    }

    /// Wakes up: says what the sleeper must know, from the files alone. Only a main session gets it: its files are as
    /// private as `MEMORY.md`.
    ///
    /// If it is awake already, as after a restart, it says the same once more: same files, same bytes. The text
    /// of the files is checked as a [`Snapshot`](crate::life::Snapshot) is, by [`Door::PromptLoad`]: secrets,
    /// forgotten statements and instructions in disguise are placeholders. A half-written line of a crash is not shown.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::sleep::SleepDreamer;
    /// use noctuary::{Access, Actor, Error, FileWorkspace, Scope, SessionKind};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let sleeper = SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// let wake = |kind| sleeper.wake(&Access::new(kind, Actor::Agent, Scope::user("marta")), Utc::now());
    /// assert!(wake(SessionKind::Main)?.to_string().contains("You are awake."));
    /// assert!(matches!(wake(SessionKind::Shared), Err(Error::Denied { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for any other kind of session, which changes nothing.
    /// [`Error::Corrupt`](crate::Error::Corrupt) where a state file does not parse. The errors of reading, and of
    /// writing the state.
    pub fn wake(&self, access: &Access, now: DateTime<Utc>) -> Result<WakeUp> {
        let (workspace, files) = (self.workspace(), &self.files);
        let view = Guarded::new(workspace, access.clone()).with_doors(self.host.doors.clone());
        for private in [&files.dreams, &files.observations] {
            view.metadata(private)?;
        }
        let state = commit::change_state(workspace, files, |state| {
            state.folder = Some(self.config.folder.clone());
            if let Some(since) = state.asleep_since.take() {
                let slept = now.signed_duration_since(since).to_std().unwrap_or_default();
                state.slept_seconds = Some(slept.as_secs());
                state.woke_at = Some(now);
            }
            state.woke_at = state.woke_at.or(Some(now));
        })?;
        let at = state.woke_at.unwrap_or(now);
        let doors = view.current_doors()?;
        let mut warnings = Vec::new();
        let mut shown = |name: &Name, text: &str| -> Result<String> {
            let policy = doors.policy_of(Door::PromptLoad, name).as_shown();
            let passed = view.judge(&doors, Door::PromptLoad, policy, name, text)?;
            warnings.extend(passed.warnings);
            Ok(passed.text.into_owned())
        };
        let last: Option<DreamEntry> =
            dreams::last(&view.read_tail(&files.dreams, commit::LAST_RECORDS)?.text);
        let most = self.config.prose.bytes;
        let mut told = |text: Option<String>| -> Result<Option<String>> {
            let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
            // As it is shown, since control characters may hide a secret in it.
            let text = shown(&files.dreams, &printed(&text))?;
            Ok(Some(text[..text::floor_boundary(&text, most)].to_owned()))
        };
        let (reflection, priority) = last.map(|last| (last.reflection, last.priority)).unzip();
        let (reflection, priority) = (told(reflection)?, told(priority)?);
        let observations = self.recent(at, shown)?;
        let has_briefing = self.config.briefing && view.metadata(&files.briefing)?.is_some();
        Ok(WakeUp {
            at,
            slept: state.slept_seconds.map(Duration::from_secs),
            reflection,
            priority,
            observations,
            files: files.as_ref().clone(),
            orders: self.config.orders.clone(),
            has_briefing,
            warnings,
        })
    }

    /// Returns the newest observations that still count, as a prompt may show them.
    fn recent(
        &self,
        at: DateTime<Utc>,
        mut shown: impl FnMut(&Name, &str) -> Result<String>,
    ) -> Result<Vec<Observation>> {
        let (workspace, config, name) = (self.workspace(), &self.config, &self.files.observations);
        // Of a commit that is under way, nothing.
        let begun = unfinished::<SleepIntent>(workspace)?.and_then(|intent| intent.before_len(name));
        let document = workspace.read(name)?.map(Document::into_bytes).unwrap_or_default();
        let end =
            begun.and_then(|len| usize::try_from(len).ok()).unwrap_or(document.len()).min(document.len());
        let text = String::from_utf8_lossy(&document[..end]);
        // As a whole, since a secret may be spread over lines, and as it is shown: control characters may hide one.
        let masked = Observations::parse(shown(name, &printed(&text))?);
        let counts = |entry: &&Observation| !observations::is_stale(entry, at, config);
        let newest = masked.entries().rev().map(|(_, entry)| entry).filter(counts);
        let mut newest: Vec<Observation> = newest.take(config.wake_observations).cloned().gather();
        newest.reverse();
        for entry in &mut newest {
            // A person may have written it: one line of theirs is no page here.
            let most = entry.text.char_indices().nth(config.observations.item_chars);
            if let Some((end, _)) = most {
                entry.text.truncate(end);
                entry.text.push('…');
            }
        }
        Ok(newest)
    }

    /// Returns the part of the agent's system prompt about the files and about being tired.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::sleep::SleepDreamer;
    /// use noctuary::FileWorkspace;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let sleeper = SleepDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).build()?;
    /// assert!(sleeper.prompt_fragment().contains("self/conversation.jsonl"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn prompt_fragment(&self) -> String {
        fragment(&self.files)
    }

    /// Returns the names of its files.
    #[must_use]
    pub fn files(&self) -> &SleepFiles {
        &self.files
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &SleepConfig {
        &self.config
    }
}
