//! The wake-up message, for a sleeper that wakes up or starts anew. It is made from its files alone.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::base::debug::debug_as;
use crate::base::name::DocName;
use crate::format::{Observation, SleepFiles};
use crate::gate::DoorWarning;

/// The message for a sleeper when it wakes up. Prints as the message; `Debug` prints its shape.
///
/// The same files give the same message, so that one that is started anew knows what it knew.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WakeUp {
    /// When it woke up.
    pub at: DateTime<Utc>,
    /// For how long it had slept, where it had.
    pub slept: Option<Duration>,
    /// The last dream's reflection.
    pub reflection: Option<String>,
    /// The last dream's advice for the next step.
    pub priority: Option<String>,
    /// The newest observations that still count, oldest first.
    pub observations: Vec<Observation>,
    /// The files with the rest.
    pub files: SleepFiles,
    /// The document for the creator's orders.
    pub orders: DocName,
    /// Whether a briefing page exists.
    pub has_briefing: bool,
    /// Findings in it that were masked or blocked.
    pub warnings: Vec<DoorWarning>,
}

impl fmt::Display for WakeUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "It is {}. ", self.at.to_rfc3339_opts(SecondsFormat::Secs, true))?;
        match self.slept {
            Some(slept) => writeln!(f, "You slept for {} s and are awake.", slept.as_secs())?,
            None => writeln!(f, "You are awake.")?,
        }
        if let Some(reflection) = &self.reflection {
            write!(f, "\nIn your sleep you thought:\n{reflection}\n")?;
        }
        if let Some(priority) = &self.priority {
            write!(f, "\nWhat matters now: {priority}\n")?;
        }
        if !self.observations.is_empty() {
            write!(f, "\nWhat you noted last:\n")?;
        }
        let mut day = None;
        for observation in &self.observations {
            if day.replace(observation.date) != Some(observation.date) {
                writeln!(f, "{}", observation.date)?;
            }
            writeln!(f, "{observation}")?;
        }
        let files = &self.files;
        write!(
            f,
            "\nAll that happened: {}, {}; find it with rg or jq.\n",
            files.conversation, files.observations
        )?;
        if self.has_briefing {
            writeln!(f, "Where things stand: {}.", files.briefing)?;
        }
        writeln!(f, "Look into {} for orders of your creator.", self.orders)
    }
}

debug_as!(
    WakeUp,
    |it| "WakeUp {{ at: {}, slept: {:?}, observations: {} }}",
    it.at,
    it.slept,
    it.observations.len()
);

/// Returns the part of an agent's system prompt about the files.
pub(crate) fn fragment(files: &SleepFiles) -> String {
    format!(
        "## Your memory across sleeps\n\n\
You grow tired with each tool call, and sleep; set_sleep lets you sleep earlier. While you sleep, what you did becomes \
observations and a reflection. Nothing of it is lost; search these with rg, the .jsonl ones with jq:\n\
- {}: all that was said and done\n\
- {}: what was worth noting; RED stays, YLW until it is overtaken, GRN for two days\n\
- {}: what was pruned from it\n\
- {}: each dream with its reflection and priority\n\
- {}: what matters most now\n\
- {}: your diary\n\
- {}: one line for each sleep\n\
- {}: events\n",
        files.conversation,
        files.observations,
        files.archive,
        files.dreams,
        files.priorities,
        files.diary,
        files.iterations,
        files.memory,
    )
}
