//! The parts that every dreamer is built of.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::name::DocName;
use crate::dreamer::{DreamEvent, Level, Observer, Outcome, PassReport};
use crate::format::DreamId;
use crate::gate::Doors;
use crate::workspace::Workspace;

/// Workspace, doors and observer of a dreamer.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) doors: Doors,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl Host {
    /// Makes a workspace with the default doors, and without an observer.
    pub(crate) fn new(workspace: Arc<dyn Workspace>) -> Self {
        Self { workspace, doors: Doors::default(), observer: None }
    }

    /// Tells the observer how a pass ended.
    pub(crate) fn tell_pass(&self, pass: &PassReport) {
        let sorted = |names: &mut dyn Iterator<Item = &DocName>| -> BTreeSet<String> {
            names.map(ToString::to_string).collect()
        };
        let blamed = sorted(&mut pass.quarantined.iter().flat_map(|class| &class.journals));
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
