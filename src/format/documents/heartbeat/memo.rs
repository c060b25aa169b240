//! The memo itself, and its fields as they are written.

use chrono::{DateTime, SubsecRound, Utc};

use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::format::replies::fences;
use crate::format::state::iso_millis;

/// The words of the memo for the next session.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heartbeat {
    /// When a turn last ended, in whole milliseconds.
    pub last_seen: Option<DateTime<Utc>>,
    /// The session of that turn.
    pub session_id: Option<String>,
    /// The surface of the session: a terminal, a gateway.
    pub surface: Option<String>,
    /// The number of turns of that session.
    pub turn_count: u64,
    /// The tasks that were left, the newest last; at most [`MAX_LOOPS`](Self::MAX_LOOPS).
    pub open_loops: Vec<String>,
}

impl Heartbeat {
    /// The most open loops that are kept.
    pub const MAX_LOOPS: usize = 10;

    /// Adds open loops as the newest ones; one that is there already moves.
    pub fn open<S: AsRef<str>>(&mut self, loops: impl IntoIterator<Item = S>) {
        for text in loops {
            let text = value(text.as_ref());
            order::retain(&mut self.open_loops, |open| *open != text);
            self.open_loops.push(text);
        }
        self.bound();
    }

    /// Takes open loops out.
    pub fn close<S: AsRef<str>>(&mut self, loops: impl IntoIterator<Item = S>) {
        for text in loops {
            let text = value(text.as_ref());
            order::retain(&mut self.open_loops, |open| *open != text);
        }
    }

    pub(super) fn bound(&mut self) {
        order::retain(&mut self.open_loops, |open| !open.is_empty());
        let oldest = self.open_loops.len().saturating_sub(Self::MAX_LOOPS);
        self.open_loops.drain(..oldest);
    }

    /// Returns the form that reads back as itself.
    pub(super) fn normal(&self) -> Self {
        let filled = |text: &Option<String>| text.as_deref().map(value).filter(|text| !text.is_empty());
        let mut normal = Self {
            last_seen: self.last_seen.map(|instant| instant.trunc_subsecs(3)),
            session_id: filled(&self.session_id),
            surface: filled(&self.surface),
            turn_count: self.turn_count,
            open_loops: self.open_loops.iter().map(|open| value(open)).gather(),
        };
        normal.bound();
        normal
    }

    pub(super) fn fields(&self) -> Vec<String> {
        let values = [
            self.last_seen.map(iso_millis::print),
            self.session_id.clone(),
            self.surface.clone(),
            Some(self.turn_count.to_string()),
        ];
        FIELDS.iter().zip(values).filter_map(|(key, value)| Some(format!("{key}: {}", value?))).gather()
    }
}

debug_as!(
    Heartbeat,
    |it| "Heartbeat {{ turn_count: {}, open_loops: {} }}",
    it.turn_count,
    it.open_loops.len()
);

pub(super) const FIELDS: [&str; 4] = ["last_seen", "session_id", "surface", "turn_count"];

/// Returns a field of ours: its key and value.
pub(super) fn field(bullet: &str) -> Option<(&str, &str)> {
    let (key, value) = bullet.split_once(':')?;
    FIELDS.contains(&key).then(|| (key, value.trim()))
}

/// Returns a value as it is on one line.
fn value(text: &str) -> String {
    fences::one_line(text).trim().to_owned()
}
