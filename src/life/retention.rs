//! The lifetime of journals: for ever, unless the host decides otherwise; and then proposed, archived, deleted.
//!
//! The dreamed part of a journal is given as data: `undreamed` says whether a journal holds bytes that no dream was
//! shown. Such a one is kept, and so is one younger than seven days, unless a human names it.

use chrono::NaiveDate;

use crate::base::access::{Access, Actor, SessionKind};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::DocName;
use crate::base::order;
use crate::format::JournalName;
use crate::workspace::Workspace;

/// Below this age in days a journal is kept. (seed 001, 5.2)
const RECENT: i64 = 7;

/// The lifetime of journals. The default proposes nothing.
///
/// ```
/// use noctuary::life::Retention;
///
/// let mut retention = Retention::default();
/// retention.archive_after_days = Some(30);
/// assert_eq!(retention.delete_after_days, None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// The age in days above which archiving is proposed; `None` for never.
    pub archive_after_days: Option<u32>,
    /// The age in days above which deleting is proposed; `None` for never.
    pub delete_after_days: Option<u32>,
    /// The number of journals at which archiving the oldest is proposed; `None` for no bound.
    pub most: Option<usize>,
    /// Whether no dream reads the journals here, so that none of them waits for one. Off: an undreamed journal is kept.
    pub without_dreams: bool,
}

/// The proposal for the journals of a workspace. Nothing is done yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "nothing is archived or deleted yet"]
pub struct RetentionPlan {
    /// For [`Life::archive_journal`](crate::Life::archive_journal), oldest first.
    pub archive: Vec<JournalName>,
    /// For [`Life::delete_journal`](crate::Life::delete_journal), oldest first.
    pub delete: Vec<JournalName>,
    /// Journals that their age or the count would have moved and a rule keeps: undreamed or recent ones.
    pub kept: Vec<(JournalName, Refusal)>,
}

impl Retention {
    /// Returns a plan for `journals` on the day `today`. Looks at names alone.
    ///
    /// ```
    /// use chrono::NaiveDate;
    /// use noctuary::format::JournalName;
    /// use noctuary::life::Retention;
    ///
    /// let day = |month| NaiveDate::from_ymd_opt(2026, month, 1).unwrap();
    /// let mut retention = Retention::default();
    /// retention.archive_after_days = Some(90);
    /// let journals = [1, 6, 11].map(|month| JournalName::new(day(month), None)).to_vec();
    /// let plan = retention.plan(journals, day(11), |_| false);
    /// assert_eq!((plan.archive.len(), plan.delete.len()), (2, 0));
    /// ```
    pub fn plan(
        &self,
        mut journals: Vec<JournalName>,
        today: NaiveDate,
        undreamed: impl Fn(&JournalName) -> bool,
    ) -> RetentionPlan {
        order::sort(&mut journals);
        let surplus = self.most.map_or(0, |most| journals.len().saturating_sub(most));
        let mut plan = RetentionPlan::default();
        for (at, journal) in journals.into_iter().enumerate() {
            let age = (today - journal.date()).num_days();
            let beyond = |days: Option<u32>| days.is_some_and(|days| age > i64::from(days));
            let (delete, archive) = (beyond(self.delete_after_days), beyond(self.archive_after_days));
            if !delete && !archive && at >= surplus {
                continue;
            }
            match refusal(&journal, today, |journal| !self.without_dreams && undreamed(journal)) {
                Some(refusal) => plan.kept.push((journal, refusal)),
                None if delete => plan.delete.push(journal),
                None => plan.archive.push(journal),
            }
        }
        plan
    }
}

fn refusal(
    journal: &JournalName,
    today: NaiveDate,
    undreamed: impl Fn(&JournalName) -> bool,
) -> Option<Refusal> {
    if (today - journal.date()).num_days() < RECENT {
        return Some(Refusal::Recent);
    }
    undreamed(journal).then_some(Refusal::Undreamed)
}

/// A human's explicit word that one journal may go, although it is recent or undreamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent(JournalName);

impl Consent {
    /// Takes the word of the human of a private session, for one journal.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] for anybody else.
    pub fn given(access: &Access, journal: JournalName) -> Result<Self> {
        if (access.kind, access.actor) == (SessionKind::Main, Actor::Human) {
            return Ok(Self(journal));
        }
        Err(Error::Denied { name: journal.name().clone().into(), kind: access.kind })
    }
}

/// Moves a journal into `memory/archive/`, under a name that no reader takes for a journal, and returns that name.
pub(super) fn archive(workspace: &dyn Workspace, journal: &JournalName) -> Result<DocName> {
    let mut count = 1_u32;
    loop {
        let to = journal.archived(count)?;
        match workspace.rename(journal.name(), &to) {
            Err(Error::Conflict { .. }) => count += 1,
            renamed => return renamed.map(|()| to),
        }
    }
}

/// Refuses to move or delete a journal that is undreamed or recent, where there is no consent for it.
pub(super) fn permit(
    journal: &JournalName,
    today: NaiveDate,
    is_undreamed: bool,
    consent: Option<&Consent>,
) -> Result<()> {
    match refusal(journal, today, |_| is_undreamed) {
        Some(reason) if consent.is_none_or(|consent| consent.0 != *journal) => {
            Err(Error::Refused { path: journal.name().to_string(), reason })
        }
        _ => Ok(()),
    }
}
