//! How long journals stay: for ever, unless the host decides otherwise; and then proposed, archived, deleted.
//!
//! What a journal was dreamed of is given as data: `undreamed` says whether a journal holds bytes that no dream was
//! shown. Such a one is kept, and so is one younger than seven days, unless a human names it.

use chrono::NaiveDate;

use super::config::HygieneConfig;
use crate::base::access::{Access, Actor, SessionKind};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::DocName;
use crate::format::JournalName;
use crate::workspace::Workspace;

/// Below this age in days a journal is kept. (seed 001, 5.2)
const RECENT: i64 = 7;

/// How long journals stay. The default proposes nothing.
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
    /// How many journals stand before archiving the oldest is proposed; `None` for no bound.
    pub most: Option<usize>,
    /// Whether no dream reads the journals here, so that none of them waits for one. Off: one that was not dreamed is kept.
    pub without_dreams: bool,
}

impl From<&HygieneConfig> for Retention {
    /// Only the count of journals bounds them, and only by archiving. IronClaw, whose care this is, has no dreams.
    fn from(hygiene: &HygieneConfig) -> Self {
        let most = hygiene.enabled.then_some(hygiene.max_daily_logs);
        Self { most, without_dreams: hygiene.enabled, ..Self::default() }
    }
}

/// What is proposed for the journals of a workspace. Nothing is done yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "nothing is archived or deleted yet"]
pub struct RetentionPlan {
    /// For [`archive_journal`], oldest first.
    pub archive: Vec<JournalName>,
    /// For [`delete_journal`], oldest first.
    pub delete: Vec<JournalName>,
    /// What its age or the count would have moved and a rule keeps: it is undreamed, or recent.
    pub kept: Vec<(JournalName, Refusal)>,
}

/// Returns what `retention` proposes for `journals` on the day `today`. Looks at names alone.
///
/// ```
/// use chrono::NaiveDate;
/// use noctuary::format::JournalName;
/// use noctuary::life::{Retention, propose_retention};
///
/// let day = |month| NaiveDate::from_ymd_opt(2026, month, 1).unwrap();
/// let mut retention = Retention::default();
/// retention.archive_after_days = Some(90);
/// let journals = [1, 6, 11].map(|month| JournalName::new(day(month), None)).to_vec();
/// let plan = propose_retention(&retention, journals, day(11), |_| false);
/// assert_eq!((plan.archive.len(), plan.delete.len()), (2, 0));
/// ```
pub fn propose_retention(
    retention: &Retention,
    mut journals: Vec<JournalName>,
    today: NaiveDate,
    undreamed: impl Fn(&JournalName) -> bool,
) -> RetentionPlan {
    journals.sort();
    let surplus = retention.most.map_or(0, |most| journals.len().saturating_sub(most));
    let mut plan = RetentionPlan::default();
    for (at, journal) in journals.into_iter().enumerate() {
        let age = (today - journal.date()).num_days();
        let beyond = |days: Option<u32>| days.is_some_and(|days| age > i64::from(days));
        let (delete, archive) = (beyond(retention.delete_after_days), beyond(retention.archive_after_days));
        if !delete && !archive && at >= surplus {
            continue;
        }
        match refusal(&journal, today, |journal| !retention.without_dreams && undreamed(journal)) {
            Some(refusal) => plan.kept.push((journal, refusal)),
            None if delete => plan.delete.push(journal),
            None => plan.archive.push(journal),
        }
    }
    plan
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
///
/// Its bytes stay as they are; whatever is appended to the old name afterwards begins a new journal. When it returns,
/// the move survives a power loss; before, the journal stands under one of the two names.
///
/// ```
/// use chrono::NaiveDate;
/// use noctuary::format::JournalName;
/// use noctuary::life::archive_journal;
/// use noctuary::{FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let day = |day| NaiveDate::from_ymd_opt(2026, 1, day).unwrap();
/// let journal = JournalName::new(day(1), Some("repl"));
/// workspace.append(journal.name(), b"- a quiet day\n")?;
/// let to = archive_journal(&workspace, &journal, day(31), |_| false, None)?;
/// assert_eq!(to.as_str(), "memory/archive/log-20260101-repl.md");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Refused`] where it is undreamed or recent, and there is no consent for it; [`Error::NotFound`].
pub fn archive_journal(
    workspace: &dyn Workspace,
    journal: &JournalName,
    today: NaiveDate,
    undreamed: impl Fn(&JournalName) -> bool,
    consent: Option<&Consent>,
) -> Result<DocName> {
    permit(journal, today, undreamed, consent)?;
    // Other programs know a journal by a date with hyphens, wherever it stands.
    let session =
        journal.session().map_or(String::new(), |session| format!("-{}", session.replace('-', "_")));
    let stem = format!("memory/archive/log-{}{session}", journal.date().format("%Y%m%d"));
    let mut count = 1_u32;
    loop {
        let counter = if count == 1 { String::new() } else { format!("-{count}") };
        let to = DocName::parse(format!("{stem}{counter}.md"))?;
        match workspace.rename(journal.name(), &to) {
            Err(Error::Conflict { .. }) => count += 1,
            renamed => return renamed.map(|()| to),
        }
    }
}

/// Deletes a journal; `false` where there was none.
///
/// When it returns, this survives a power loss. A folder keeps nothing of it. A `SqliteWorkspace` keeps its last versions,
/// as of every document that is removed: they go by [`Workspace::drop_versions`], whole, or by
/// [`Forget`](crate::exchange::Forget), with what they say.
///
/// ```
/// use chrono::NaiveDate;
/// use noctuary::format::JournalName;
/// use noctuary::life::{Consent, delete_journal};
/// use noctuary::{Access, Actor, FileWorkspace, Scope, SessionKind, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = FileWorkspace::open(folder.path())?;
/// let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
/// let journal = JournalName::new(today, Some("repl"));
/// workspace.append(journal.name(), b"- a mistake\n")?;
/// assert!(delete_journal(&workspace, &journal, today, |_| true, None).is_err(), "it is recent, and no dream has read it");
///
/// let human = Access::new(SessionKind::Main, Actor::Human, Scope::user("marta"));
/// let consent = Consent::given(&human, journal.clone())?;
/// assert!(delete_journal(&workspace, &journal, today, |_| true, Some(&consent))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Refused`] where it is undreamed or recent, and there is no consent for it.
pub fn delete_journal(
    workspace: &dyn Workspace,
    journal: &JournalName,
    today: NaiveDate,
    undreamed: impl Fn(&JournalName) -> bool,
    consent: Option<&Consent>,
) -> Result<bool> {
    permit(journal, today, undreamed, consent)?;
    workspace.remove(journal.name())
}

fn permit(
    journal: &JournalName,
    today: NaiveDate,
    undreamed: impl Fn(&JournalName) -> bool,
    consent: Option<&Consent>,
) -> Result<()> {
    match refusal(journal, today, undreamed) {
        Some(reason) if consent.is_none_or(|consent| consent.0 != *journal) => {
            Err(Error::Refused { path: journal.name().to_string(), reason })
        }
        _ => Ok(()),
    }
}
