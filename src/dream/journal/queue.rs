//! The proposals that nobody has answered, as a dream looks at them.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::config::DreamConfig;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::dream::commit;
use crate::dreamer::Notice;
use crate::format::JournalName;
use crate::format::documents::known::KnownStatements;
use crate::format::state::proposal::{Proposals, Waiting};
use crate::workspace::Workspace;

/// Returns whether a proposal has waited for longer than it may.
pub(crate) fn is_expired(waiting: &Waiting, now: DateTime<Utc>, config: &DreamConfig) -> bool {
    let most = config.proposal_max_age.and_then(|age| TimeDelta::from_std(age).ok());
    most.is_some_and(|most| now - waiting.at > most)
}

/// A list of proposals, and where their files are.
#[derive(Clone, Copy)]
pub(crate) struct Queue<'a> {
    pub(crate) workspace: &'a dyn Workspace,
    pub(crate) list: &'a Proposals,
    pub(crate) config: &'a DreamConfig,
    pub(crate) now: DateTime<Utc>,
}

impl Queue<'_> {
    fn is_expired(&self, waiting: &Waiting) -> bool {
        is_expired(waiting, self.now, self.config)
    }

    /// Counts those that wait, and those that have waited for too long. One whose file a person deleted does neither.
    fn count(&self) -> Result<(u64, u64)> {
        let (mut waiting, mut expired) = (0, 0);
        for entry in self.list.waiting() {
            if commit::is_there(self.workspace, &entry.name())? {
                *if self.is_expired(entry) { &mut expired } else { &mut waiting } += 1;
            }
        }
        Ok((waiting, expired))
    }

    /// Returns whether as many wait as may.
    pub(crate) fn is_full(&self) -> Result<bool> {
        Ok(self.count()?.0 >= u64::from(self.config.max_proposals))
    }

    /// Says how many wait, and how many have waited for too long.
    pub(crate) fn notices(&self) -> Result<Vec<Notice>> {
        let (waiting, expired) = self.count()?;
        let notices =
            [(waiting, Notice::ProposalsWaiting(waiting)), (expired, Notice::ProposalsExpired(expired))];
        Ok(notices.into_iter().filter(|(count, _)| *count > 0).map(|(_, notice)| notice).gather())
    }

    /// Adds the statements of waiting proposals to known statements. Returns the hashes of removed lines, each with
    /// the last day of its journals. A person removed a line from a waiting file, or removed the file. The hashes of
    /// lines that are still there are among them.
    pub(crate) fn read(&self, known: &mut KnownStatements) -> Result<Vec<(String, Option<NaiveDate>)>> {
        let mut declined = Vec::new();
        for entry in self.list.waiting() {
            let file = match commit::state(self.workspace, &entry.name()) {
                // Something else stands in its place, for a person to look at: it waits.
                Err(Error::Refused { .. } | Error::TooLarge { .. }) => Some(Vec::new()),
                file => file?,
            };
            let is_expired = self.is_expired(entry);
            if file.is_none() || !is_expired {
                let day = JournalName::last_day(&mut entry.sources.iter().map(|source| source.name.as_str()));
                for hash in &entry.lines {
                    declined.push((hash.clone(), day));
                }
            }
            if let (Some(file), false) = (file, is_expired) {
                known.take(&String::from_utf8_lossy(&file), 0);
            }
        }
        Ok(declined)
    }
}
