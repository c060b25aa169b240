//! The contract between the engine and a dreamer of one kind.

use super::run::Run;
use crate::base::error::Result;
use crate::dreamer::{Failure, PassReport};
use crate::llm::LlmRequest;

/// A run of a dreamer of one kind, between its claim and its report.
///
/// A lease that is lost in any of these, [`Error::LeaseLost`](crate::Error::LeaseLost), ends the run, and is told in the
/// report.
pub(crate) trait Dream: Send + 'static {
    /// The material by which an answer is judged.
    type Material: Send + 'static;

    /// Selects what the model is asked next; `None` where the run ends. Passes without a call are committed here.
    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<Self::Material>>>;

    /// Looks whether all that was selected from still exists, beside the lease.
    fn check(&self, _run: &Run) -> Result<()> {
        Ok(())
    }

    /// Counts a call that was answered, even if its answer is of no use.
    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()>;

    /// Judges an answer, and commits what it promotes. The pass says how it ended.
    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Self::Material>,
        answer: Result<String, Failure>,
    ) -> Result<Then>;

    /// Returns whether a pass that fails leaves the report to the caller, since an earlier pass was committed.
    fn keeps_report(&self, _run: &Run) -> bool {
        false
    }

    /// Completes the report of a run that ends.
    fn complete(&mut self, _run: &mut Run) {}
}

/// One pass: its report, and the material that judges its answer.
pub(crate) struct Pass<M> {
    pub(crate) report: PassReport,
    pub(crate) material: M,
}

/// A pass with its request.
pub(crate) struct Asking<M> {
    pub(crate) request: LlmRequest,
    pub(crate) pass: Pass<M>,
}

/// The step after a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next one is selected.
    GoOn,
    /// The run ends.
    End,
}
