//! The end of a turn: the memo, and every few turns the journal.

use std::collections::VecDeque;
use std::fmt;

use chrono::{DateTime, Utc};

use crate::base::access::SessionKind;
use crate::base::day::DayPolicy;
use crate::base::error::Result;
use crate::format::{JournalName, Note};
use crate::life::daily_log::DailyLogConfig;
use crate::life::heartbeat::{Beat, HeartbeatConfig, update_heartbeat};
use crate::life::journal::append_note;
use crate::workspace::Workspace;

/// What one session has done so far: how many turns, and which notes wait for the journal.
///
/// It is the host's to keep from turn to turn. A session that ends without [`flush`](Self::flush) loses what
/// waits: at most the notes of the turns since the last write.
///
/// # Example: two turns
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::format::JournalName;
/// use noctuary::life::{Beat, DailyLogConfig, HeartbeatConfig, TurnEnd, TurnState};
/// use noctuary::workspace::DayPolicy;
/// use noctuary::{FileWorkspace, Note, SessionKind};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 12, 0).unwrap();
/// let journal = JournalName::new(DayPolicy::UTC.date(now), Some("repl"));
/// let mut state = TurnState::begin(SessionKind::Main, "8f14", "repl", journal, DayPolicy::UTC, now);
///
/// let (heartbeat, mut daily_log) = (HeartbeatConfig::default(), DailyLogConfig::default());
/// daily_log.enabled = true;
/// let turn = TurnEnd::default().opens(["send the report"]).note(Note::happened("Read the figures."));
/// let report = state.end_turn(&workspace, &heartbeat, daily_log, turn, now)?;
/// assert_eq!((report.turn, report.heartbeat, report.notes_written), (1, Beat::Written, 0));
///
/// state.end_turn(&workspace, &heartbeat, daily_log, TurnEnd::default().closes(["send the report"]), now)?;
/// assert_eq!(state.flush(&workspace)?, 1, "what waits is written at the session's end");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct TurnState {
    kind: SessionKind,
    session_id: String,
    surface: String,
    journal: JournalName,
    day: DayPolicy,
    begun: DateTime<Utc>,
    turns: u64,
    pending: VecDeque<(DateTime<Utc>, Note)>,
}

/// What a turn leaves behind.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnEnd {
    /// What is left to do from now on.
    pub opens: Vec<String>,
    /// What was left to do and is done.
    pub closes: Vec<String>,
    /// What the automatic daily log says of it.
    pub notes: Vec<Note>,
}

impl TurnEnd {
    /// Adds open loops.
    #[must_use]
    pub fn opens<S: Into<String>>(mut self, loops: impl IntoIterator<Item = S>) -> Self {
        self.opens.extend(loops.into_iter().map(Into::into));
        self
    }

    /// Closes open loops.
    #[must_use]
    pub fn closes<S: Into<String>>(mut self, loops: impl IntoIterator<Item = S>) -> Self {
        self.closes.extend(loops.into_iter().map(Into::into));
        self
    }

    /// Adds a note for the automatic daily log.
    #[must_use]
    pub fn note(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }
}

impl fmt::Debug for TurnEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { opens, closes, notes } = self;
        let [opens, closes, notes] = [opens.len(), closes.len(), notes.len()];
        write!(f, "TurnEnd {{ opens: {opens}, closes: {closes}, notes: {notes} }}")
    }
}

/// What the end of a turn did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnReport {
    /// Which turn of its session it was, from 1.
    pub turn: u64,
    /// What became of the memo.
    pub heartbeat: Beat,
    /// How many notes were written to the journal.
    pub notes_written: usize,
    /// How many wait for a later turn.
    pub notes_waiting: usize,
}

impl TurnState {
    /// A session that begins now and has had no turn. `journal` is its journal of any day.
    #[must_use]
    pub fn begin(
        kind: SessionKind,
        session_id: impl Into<String>,
        surface: impl Into<String>,
        journal: JournalName,
        day: DayPolicy,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            kind,
            session_id: session_id.into(),
            surface: surface.into(),
            journal,
            day,
            begun: now,
            turns: 0,
            pending: VecDeque::new(),
        }
    }

    /// How many turns have ended.
    #[must_use]
    pub fn turn_count(&self) -> u64 {
        self.turns
    }

    /// How many notes wait for the journal.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.pending.len()
    }

    /// Appends a note at once, whatever the switches say. Durable as [`append_note`] is.
    ///
    /// # Errors
    ///
    /// Those of [`append_note`].
    pub fn note(&self, workspace: &dyn Workspace, note: &Note, now: DateTime<Utc>) -> Result<JournalName> {
        append_note(workspace, &self.journal, self.day, self.begun, note, now)
    }

    /// Ends a turn: takes its notes where the daily log is on, writes those that wait every so many turns, and
    /// updates the memo where the session is a main one.
    ///
    /// When it returns, the memo and what `notes_written` counts survive a power loss; what waits is in memory
    /// alone. After an error the turn counts as ended, and what was not written still waits.
    ///
    /// # Errors
    ///
    /// Those of [`append_note`] and [`update_heartbeat`]. The memo is tried also where the journal fails.
    pub fn end_turn(
        &mut self,
        workspace: &dyn Workspace,
        heartbeat: &HeartbeatConfig,
        daily_log: DailyLogConfig,
        turn: TurnEnd,
        now: DateTime<Utc>,
    ) -> Result<TurnReport> {
        self.turns += 1;
        if daily_log.enabled {
            self.pending.extend(turn.notes.into_iter().map(|note| (now, note)));
        }
        let written = if daily_log.is_due_after(self.turns) { self.flush(workspace) } else { Ok(0) };
        let beat = match (heartbeat.enabled, self.kind) {
            (false, _) => Beat::Off,
            (true, SessionKind::Main) => update_heartbeat(workspace, &heartbeat.document, |memo| {
                memo.last_seen = Some(now);
                memo.session_id = Some(self.session_id.clone());
                memo.surface = Some(self.surface.clone());
                memo.turn_count = self.turns;
                memo.close(&turn.closes);
                memo.open(&turn.opens);
            })?,
            (true, _) => Beat::NotMain,
        };
        Ok(TurnReport {
            turn: self.turns,
            heartbeat: beat,
            notes_written: written?,
            notes_waiting: self.pending.len(),
        })
    }

    /// Writes the notes that wait, each to the journal of the day it was taken on, and returns how many. For
    /// the end of a session, and before its context is compacted.
    ///
    /// When it returns, they survive a power loss. After an error those that were not written still wait; the
    /// one that failed may be written twice, never lost.
    ///
    /// # Errors
    ///
    /// Those of [`append_note`].
    pub fn flush(&mut self, workspace: &dyn Workspace) -> Result<usize> {
        let mut written = 0;
        while let Some((at, note)) = self.pending.front() {
            self.note(workspace, note, *at)?;
            self.pending.pop_front();
            written += 1;
        }
        Ok(written)
    }
}

impl fmt::Debug for TurnState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, turns, waiting) = (self.kind, self.turns, self.pending.len());
        write!(f, "TurnState {{ {kind:?}, {}, turns: {turns}, waiting: {waiting} }}", self.journal.name())
    }
}
