//! Boot: the readiness of a workspace, and the order in which a session starts.

use chrono::NaiveDate;

use super::config::{BootPolicy, LifeConfig};
use super::seed::{SeedReport, lacks, seed};
use super::state;
use crate::base::access::SessionKind;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::format::OnboardingEnd;
use crate::workspace::Workspace;

/// The readiness of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BootState {
    /// A session.
    Ready,
    /// The first run: `BOOTSTRAP.md` stands there and says something.
    NeedsBootstrap,
    /// Nothing, until a person puts one of these there.
    Uninitialized {
        /// `BOOTSTRAP.md` and `SOUL.md`.
        missing: Vec<DocName>,
    },
}

/// The result of booting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boot {
    /// The readiness of the workspace.
    pub state: BootState,
    /// The documents that were seeded; empty if the policy refuses.
    pub seeded: SeedReport,
    /// An onboarding whose end was interrupted; [`Life::complete_onboarding`](crate::Life::complete_onboarding) finishes
    /// it.
    pub unfinished: Option<OnboardingEnd>,
    /// The parts that `SOUL.md` and `AGENTS.md` should have and lack. Advice: nothing depends on it.
    pub lacks: Vec<(DocName, &'static str)>,
}

/// Seeds missing documents, or refuses to, by the policy; see [`Life::boot`](crate::Life::boot).
pub(super) fn boot(workspace: &dyn Workspace, config: &LifeConfig) -> Result<Boot> {
    let seeded = match config.boot {
        BootPolicy::Seed => seed(workspace, config)?,
        BootPolicy::Refuse => SeedReport::default(),
    };
    let onboarding = state::life(workspace)?.onboarding;
    Ok(Boot {
        state: look(workspace)?,
        seeded,
        unfinished: onboarding.filter(|onboarding| !onboarding.finished).map(|onboarding| onboarding.end),
        lacks: lacks(workspace)?,
    })
}

/// Looks first for `BOOTSTRAP.md`, then for `SOUL.md`, as RFC-0009 asks. An empty playbook is one that was cleared.
fn look(workspace: &dyn Workspace) -> Result<BootState> {
    let playbook = workspace.read(&DocName::BOOTSTRAP)?;
    if playbook.is_some_and(|playbook| !playbook.lossy().trim().is_empty()) {
        return Ok(BootState::NeedsBootstrap);
    }
    Ok(match workspace.metadata(&DocName::SOUL)? {
        Some(_) => BootState::Ready,
        None => BootState::Uninitialized { missing: vec![DocName::BOOTSTRAP, DocName::SOUL] },
    })
}

/// One step of a start. Steps are done in order; none is skipped or asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartStep {
    /// Read a document, if it is there and the session may.
    Read(DocName),
    /// Follow the playbook of the first run.
    Bootstrap,
    /// Read the journals of these days.
    Journals {
        /// The day of the session.
        today: NaiveDate,
        /// The day before.
        yesterday: NaiveDate,
    },
    /// Serve.
    Serve,
}

impl BootState {
    /// Returns how a session starts on the day `today`. `AGENTS.md` comes first, then the playbook. Then come who
    /// the agent is, whom it serves, and recent events.
    ///
    /// Only a main session follows the playbook and reads `MEMORY.md`.
    ///
    /// ```
    /// use chrono::NaiveDate;
    /// use noctuary::life::{BootState, StartStep};
    /// use noctuary::{DocName, SessionKind};
    ///
    /// let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
    /// let plan = BootState::Ready.start_plan(SessionKind::Main, today)?;
    /// assert_eq!((plan.first(), plan.last()), (Some(&StartStep::Read(DocName::AGENTS)), Some(&StartStep::Serve)));
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Uninitialized`] where the workspace is ready for nothing.
    pub fn start_plan(&self, kind: SessionKind, today: NaiveDate) -> Result<Vec<StartStep>> {
        if let Self::Uninitialized { .. } = self {
            return Err(Error::Uninitialized);
        }
        let main = kind == SessionKind::Main;
        let yesterday = today.pred_opt().unwrap_or(today);
        let steps = [
            (true, StartStep::Read(DocName::AGENTS)),
            (main && *self == Self::NeedsBootstrap, StartStep::Bootstrap),
            (true, StartStep::Read(DocName::SOUL)),
            (true, StartStep::Read(DocName::USER)),
            (true, StartStep::Journals { today, yesterday }),
            (main, StartStep::Read(DocName::MEMORY)),
            (true, StartStep::Serve),
        ];
        Ok(steps.into_iter().filter_map(|(taken, step)| taken.then_some(step)).gather())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // BS-03, N1, PR-09.
    #[test]
    fn a_session_starts_in_this_order() {
        let today = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        let plan = |state: &BootState, kind| -> String {
            let steps = state.start_plan(kind, today).unwrap();
            steps.iter().map(|step| format!("{step:?}\n")).collect()
        };
        let rest = "Read(SOUL.md)\nRead(USER.md)\nJournals { today: 2026-03-01, yesterday: 2026-02-28 }\n";
        assert_eq!(
            plan(&BootState::NeedsBootstrap, SessionKind::Main),
            format!("Read(AGENTS.md)\nBootstrap\n{rest}Read(MEMORY.md)\nServe\n")
        );
        assert_eq!(
            plan(&BootState::Ready, SessionKind::Main),
            format!("Read(AGENTS.md)\n{rest}Read(MEMORY.md)\nServe\n")
        );
        for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
            let expected = format!("Read(AGENTS.md)\n{rest}Serve\n");
            assert_eq!(plan(&BootState::NeedsBootstrap, kind), expected);
        }
        let refused = BootState::Uninitialized { missing: vec![] }.start_plan(SessionKind::Main, today);
        assert!(matches!(refused, Err(Error::Uninitialized)));
    }
}
