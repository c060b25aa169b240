//! The end of a turn: the memo, and every few turns the journal.

use std::collections::VecDeque;
use std::fmt;

use chrono::{DateTime, Utc};

use crate::base::access::SessionKind;
use crate::base::error::Result;
use crate::format::Note;
use crate::life::daily_log::DailyLogConfig;
use crate::life::heartbeat::{Beat, HeartbeatConfig, update_heartbeat};
use crate::session::{Guarded, Journal};
use crate::workspace::Workspace;

/// The turns of one session so far: how many, and which notes wait for the journal.
///
/// A session that ends without [`flush`](Self::flush) loses what waits: at most the notes of the turns since the last
/// write.
pub(super) struct Turns {
    kind: SessionKind,
    session_id: String,
    surface: String,
    journal: Journal,
    count: u64,
    pending: VecDeque<(DateTime<Utc>, Note)>,
}

/// The traces that a turn leaves.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnEnd {
    /// Tasks that are open from now on.
    pub opens: Vec<String>,
    /// Open tasks that are done.
    pub closes: Vec<String>,
    /// Notes for the automatic daily log.
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

/// The result of a turn's end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnReport {
    /// The number of the turn in its session, from 1.
    pub turn: u64,
    /// The result of the memo's update.
    pub heartbeat: Beat,
    /// The number of notes that were written to the journal.
    pub notes_written: usize,
    /// The number of notes that wait for a later turn.
    pub notes_waiting: usize,
}

impl Turns {
    /// Begins a session with this journal and without a turn.
    pub(super) fn begin(kind: SessionKind, id: &str, surface: &str, journal: Journal) -> Self {
        let (session_id, surface) = (id.to_owned(), surface.to_owned());
        Self { kind, session_id, surface, journal, count: 0, pending: VecDeque::new() }
    }

    /// Counts the ended turns.
    pub(super) fn turn_count(&self) -> u64 {
        self.count
    }

    /// Appends a note at once, whatever the switches say. Durable as [`Journal::append`] is.
    pub(super) fn note<W: Workspace>(
        &mut self,
        view: &Guarded<W>,
        note: &Note,
        now: DateTime<Utc>,
    ) -> Result<()> {
        view.note(&mut self.journal, note, now).map(drop)
    }

    /// Ends a turn: takes its notes if the daily log is on, and writes waiting notes after the configured
    /// number of turns. In a main session it updates the memo in `workspace`.
    ///
    /// When it returns, the memo and what `notes_written` counts survive a power loss; what waits is in memory
    /// alone. After an error the turn counts as ended, and what was not written still waits. The memo is tried also where
    /// the journal fails.
    pub(super) fn end_turn<W: Workspace>(
        &mut self,
        (view, workspace): (&Guarded<W>, &dyn Workspace),
        heartbeat: &HeartbeatConfig,
        daily_log: DailyLogConfig,
        turn: TurnEnd,
        now: DateTime<Utc>,
    ) -> Result<TurnReport> {
        self.count += 1;
        if daily_log.enabled {
            self.pending.extend(turn.notes.into_iter().map(|note| (now, note)));
        }
        let written = if daily_log.is_due_after(self.count) { self.flush(view) } else { Ok(0) };
        let beat = match (heartbeat.enabled, self.kind) {
            (false, _) => Beat::Off,
            (true, SessionKind::Main) => update_heartbeat(workspace, &heartbeat.document, |memo| {
                memo.last_seen = Some(now);
                memo.session_id = Some(self.session_id.clone());
                memo.surface = Some(self.surface.clone());
                memo.turn_count = self.count;
                memo.close(&turn.closes);
                memo.open(&turn.opens);
            })?,
            (true, _) => Beat::NotMain,
        };
        Ok(TurnReport {
            turn: self.count,
            heartbeat: beat,
            notes_written: written?,
            notes_waiting: self.pending.len(),
        })
    }

    /// Writes the notes that wait, each to the journal of the day it was taken on, and returns how many.
    ///
    /// When it returns, they survive a power loss. After an error those that were not written still wait; the
    /// one that failed may be written twice, never lost.
    pub(super) fn flush<W: Workspace>(&mut self, view: &Guarded<W>) -> Result<usize> {
        let mut written = 0;
        while let Some((at, note)) = self.pending.front() {
            view.note(&mut self.journal, note, *at)?;
            self.pending.pop_front();
            written += 1;
        }
        Ok(written)
    }
}
