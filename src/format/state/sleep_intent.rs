//! `.dreaming.d/sleep-intent.json`: a sleeper's commit that is under way, with all that is needed to finish it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::file::StateFile;
use super::log::LogLine;
use super::sleep_files::{self, SleepFiles};
use super::sleep_state::SleepState;
use crate::base::document::Revision;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedSet;
use crate::format::documents::observations::{Observation, Observations};
use crate::format::{DreamId, state::iso_millis};

pub(crate) const VERSION: u64 = 1;
const FILE: StateFile = StateFile::sealed(StateName::SLEEP_INTENT, Some(VERSION));

/// The steps of a commit: its changes one after the other, then the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SleepIntent {
    pub(crate) v: u64,
    pub(crate) id: DreamId,
    /// The claim that began it.
    pub(crate) epoch: u64,
    /// The folder that all of it stays in.
    pub(crate) folder: DocName,
    #[serde(rename = "deeds")]
    pub(crate) changes: Vec<FileChange>,
    pub(crate) state: SettledSleep,
    /// The line for the log.
    pub(crate) log: LogLine,
}

/// One change of one file, which can be done twice.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileChange {
    /// Adds a text at the end of a file that was so long before. Where it is observations, these: the text may go on
    /// under a heading that is there.
    Append {
        name: DocName,
        text: String,
        before_len: u64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        entries: Vec<Observation>,
    },
    /// Takes observations out.
    Prune { name: DocName, dropped: SortedSet<Observation> },
    /// Replaces a file of this revision, and keeps what it was.
    Replace { name: DocName, text: String, before: Option<Revision> },
}

/// The state after the commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SettledSleep {
    pub(crate) dreams: u64,
    pub(crate) last_deep: u64,
    pub(crate) read: u64,
    /// The actions that were slept off; later ones stay.
    pub(crate) actions: u32,
    #[serde(with = "iso_millis")]
    pub(crate) at: Option<DateTime<Utc>>,
    /// Since when it sleeps, where it did not say so itself.
    #[serde(with = "iso_millis")]
    pub(crate) asleep_since: Option<DateTime<Utc>>,
    #[serde(default, with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub(crate) rest_until: Option<DateTime<Utc>>,
}

impl std::fmt::Debug for FileChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Append { name, text, .. } => write!(f, "Append {{ name: {name}, bytes: {} }}", text.len()),
            Self::Prune { name, dropped } => write!(f, "Prune {{ name: {name}, lines: {} }}", dropped.len()),
            Self::Replace { name, text, .. } => {
                write!(f, "Replace {{ name: {name}, bytes: {} }}", text.len())
            }
        }
    }
}

impl SettledSleep {
    /// Carries the state over, unless it is there already.
    pub(crate) fn settle(&self, state: &mut SleepState, folder: &DocName) {
        let is_done =
            state.dreams > self.dreams || (state.dreams == self.dreams && state.last_deep >= self.last_deep);
        if is_done {
            return;
        }
        state.folder = Some(folder.clone());
        state.actions = state.actions.saturating_sub(self.actions);
        state.warned = false;
        (state.dreams, state.last_deep, state.read) = (self.dreams, self.last_deep, self.read);
        state.last_dream_at = self.at;
        state.asleep_since = state.asleep_since.or(self.asleep_since);
        state.rest_until = self.rest_until.or(state.rest_until);
        (state.consecutive_failures, state.next_allowed_at, state.stopped) = (0, None, 0);
    }
}

impl SleepIntent {
    /// Parses the file; `None` (no file) means that nothing is under way.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        let Some(intent) = FILE.parse::<Self>(bytes)? else { return Ok(None) };
        let fault = intent.fault();
        FILE.refuse(fault)?;
        Ok(Some(intent))
    }

    /// Returns its fault, if it has one: a sleeper writes its own files, each in its own way.
    fn fault(&self) -> Option<&'static str> {
        if self.folder.join(sleep_files::LONGEST).is_err() {
            return Some("its folder is not a sleeper's");
        }
        let files = SleepFiles::in_folder(&self.folder);
        let added = [&files.observations, &files.archive, &files.dreams, &files.diary, &files.iterations];
        let is_own = |change: &FileChange| match change {
            FileChange::Append { name, .. } => added.contains(&name),
            FileChange::Prune { name, .. } => *name == files.observations,
            FileChange::Replace { name, .. } => [&files.priorities, &files.briefing].contains(&name),
        };
        (!self.changes.iter().all(is_own)).then_some("it changes a file in a way that no sleep does")
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }
}

/// The missing part of an appended text at the end of a file, by the bytes that are there now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Nothing,
    /// It was torn, and this is its end.
    Rest(Vec<u8>),
    /// Nobody knows without the whole file.
    Unknown,
}

/// Compares a text with what is behind the length that the file had.
pub(crate) fn missing_after(text: &str, tail: Option<&[u8]>) -> Missing {
    match tail {
        Some(tail) if text.as_bytes().starts_with(tail) && tail.len() < text.len() => {
            // Bytes, not text: it may be torn inside a character.
            Missing::Rest(text.as_bytes()[tail.len()..].to_vec())
        }
        Some(tail) if tail.windows(text.len().max(1)).any(|window| window == text.as_bytes()) => {
            Missing::Nothing
        }
        _ => Missing::Unknown,
    }
}

/// Returns the missing part of an appended text in a file that others changed meanwhile.
pub(crate) fn missing_in(text: &str, standing: &str, entries: &[Observation]) -> String {
    if !entries.is_empty() {
        return Observations::parse(standing).addition(entries);
    }
    let gap = if standing.is_empty() || standing.ends_with('\n') { "" } else { "\n" };
    let lines: SortedSet<&str> = standing.lines().collect();
    let mut ours = text.lines().filter(|line| !line.trim().is_empty());
    // The first line of a text is no other's: it says which dream it is of.
    if ours.next().is_none_or(|first| !lines.contains(first)) {
        return format!("{gap}{text}");
    }
    let rest: String = ours.filter(|line| !lines.contains(line)).map(|line| format!("{line}\n")).collect();
    if rest.is_empty() { rest } else { format!("{gap}{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_text_is_finished_and_one_that_others_changed_is_looked_for_line_by_line() {
        let text = "{\"é\":1}\n";
        for cut in 0..text.len() {
            let rest = text.as_bytes()[cut..].to_vec();
            assert_eq!(missing_after(text, Some(&text.as_bytes()[..cut])), Missing::Rest(rest));
        }
        assert_eq!(missing_after(text, Some(format!("{text}more\n").as_bytes())), Missing::Nothing);
        assert_eq!(missing_after(text, Some(b"more\n")), Missing::Unknown);
        assert_eq!(missing_after(text, None), Missing::Unknown);
        assert_eq!(missing_in(text, "other", &[]), format!("\n{text}"));
        assert_eq!(missing_in(text, &format!("{text}other"), &[]), "");
        let diary = "\n## 2026-02-12, dream 10\n\nA day.\nAnother.\n";
        assert_eq!(missing_in(diary, "## 2026-02-12, dream 10\n\nA day.\nmine", &[]), "\nAnother.\n");
    }

    #[test]
    fn an_intent_writes_a_sleepers_own_files_only() {
        let name = |text: &str| DocName::parse(text).unwrap();
        let state = SettledSleep {
            dreams: 1,
            last_deep: 0,
            read: 5,
            actions: 3,
            at: None,
            asleep_since: None,
            rest_until: None,
        };
        let log: LogLine = serde_json::from_str(
            r#"{"v":1,"at":null,"day":"2026-02-12","id":"0f3a9c5be2d14477","epoch":1,"outcome":"appended","sources":[]}"#,
        )
        .unwrap();
        let intent = |change| SleepIntent {
            v: VERSION,
            id: log.id.clone(),
            epoch: log.epoch,
            folder: name("self"),
            changes: vec![change],
            state: state.clone(),
            log: log.clone(),
        };
        let append = |file: &str| {
            let (name, text) = (name(file), "x".to_owned());
            FileChange::Append { name, text, before_len: 0, entries: Vec::new() }
        };
        let fine = intent(append("self/diary.md"));
        assert_eq!(SleepIntent::parse(Some(&fine.print())).unwrap(), Some(fine));
        for change in [
            append("MEMORY.md"),
            append("self/conversation.jsonl"),
            append("self/priorities.md"),
            FileChange::Prune { name: name("self/dreams.jsonl"), dropped: SortedSet::new() },
            FileChange::Replace { name: name("self/diary.md"), text: "x".into(), before: None },
            FileChange::Replace { name: name("SOUL.md"), text: "x".into(), before: None },
        ] {
            assert!(SleepIntent::parse(Some(&intent(change.clone()).print())).is_err(), "{change:?}");
        }
    }
}
