//! The parts of a host that every dreamer has: workspace, doors, observer and the name of the machine.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::base::name::DocName;
use crate::base::sorted::SortedSet;
use crate::base::spread::Spread;
use crate::disk::host;
use crate::dreamer::NotDue;
use crate::dreamer::{DreamEvent, Level, Observer, Outcome, PassReport};
use crate::format::{DreamId, DreamedState};
use crate::gate::Doors;
use crate::workspace::Workspace;

/// Returns the name of this machine, as its system says it.
fn this_machine() -> String {
    let name = host::Host::this().hostname;
    // What is behind it tells a container apart.
    name.split('#').next().unwrap_or_default().to_owned()
}

/// How long a machine that does not dream waits before it looks again.
const LOOK_AGAIN: TimeDelta = TimeDelta::hours(12);

/// Returns the reason for a machine that does not dream for the life.
pub(crate) fn other_machine(now: DateTime<Utc>) -> NotDue {
    NotDue::OtherMachine { next: now.checked_add_signed(LOOK_AGAIN).unwrap_or(now) }
}

/// Workspace, doors and observer of a dreamer.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) doors: Doors,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    /// The name of this machine, if it differs from the system's.
    pub(crate) machine: Option<Arc<str>>,
}

impl Host {
    /// Makes a workspace with the default doors, and without an observer.
    pub(crate) fn new(workspace: Arc<dyn Workspace>) -> Self {
        Self { workspace, doors: Doors::default(), observer: None, machine: None }
    }

    /// Returns the machine that dreams for the life, where that is not this one.
    pub(crate) fn elsewhere(&self, state: &DreamedState) -> Option<String> {
        let chosen = state.dreams_on.as_deref()?;
        let is_here = match &self.machine {
            Some(machine) => machine.eq_ignore_ascii_case(chosen),
            None => this_machine().eq_ignore_ascii_case(chosen),
        };
        (!is_here).then(|| chosen.to_owned())
    }

    /// Tells the observer how a pass ended.
    pub(crate) fn tell_pass(&self, pass: &PassReport) {
        let sorted = |names: &mut dyn Iterator<Item = &DocName>| -> SortedSet<String> {
            names.map(ToString::to_string).collect()
        };
        let blamed = sorted(&mut pass.quarantined.iter().spread(|class| &class.journals));
        let files =
            if blamed.is_empty() { sorted(&mut pass.shown.iter().map(|slice| &slice.name)) } else { blamed };
        let patterns = pass.quarantined.iter().map(|class| class.pattern.as_str()).collect();
        self.tell(pass.outcome, Some(&pass.dream_id), patterns, files.iter().map(String::as_str).collect());
    }

    /// Tells the observer how a pass, a run without one, or an answer of a person ended.
    pub(crate) fn tell(
        &self,
        outcome: Outcome,
        dream_id: Option<&DreamId>,
        patterns: Vec<&str>,
        files: Vec<&str>,
    ) {
        let Some(observer) = &self.observer else { return };
        let level = match outcome {
            Outcome::Quarantined => Level::Error,
            Outcome::LlmError | Outcome::LeaseLost | Outcome::ProposalsFull | Outcome::AllHeld => Level::Warn,
            _ => Level::Info,
        };
        let (module, workspace) = ("workspace/dreaming-task", self.workspace.location());
        observer.event(&DreamEvent {
            module,
            level,
            outcome,
            workspace: &workspace,
            dream_id,
            patterns,
            files,
        });
    }
}
