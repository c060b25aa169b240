//! A run of the dreamer over journals: what it goes by, pass after pass.

use chrono::NaiveDate;

use super::dreamer::JournalDreamer;
use super::looks::Looks;
use super::records::Records;
use super::select::{Order, Selection, Survey};
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::dream::commit;
use crate::dream::engine::Run;
use crate::dream::evidence::Shown;
use crate::dreamer::Notice;
use crate::format::state::intent::Intent;
use crate::format::state::undone::Undone;

/// A run that curates `MEMORY.md`.
pub(crate) struct Curation {
    pub(crate) dreamer: JournalDreamer,
    pub(crate) records: Records,
    pub(crate) looks: Looks,
    pub(crate) order: Order,
}

/// The material of a pass, and the state of the journals at its selection.
#[derive(Debug, Default)]
pub(crate) struct Material {
    pub(crate) survey: Survey,
    pub(crate) selection: Selection,
    /// The lines, as the model is shown them.
    pub(crate) shown: Shown,
}

impl Curation {
    /// Reads what earlier runs left. With a lease, what a crash left half done is finished first; without, it counts as
    /// done.
    pub(crate) fn open(dreamer: JournalDreamer, run: &mut Run) -> Result<Self> {
        let workspace = run.host.workspace.as_ref();
        // A commit needs it too: its damage is named before a model is asked, as that of what is read below.
        Undone::parse(commit::state(workspace, &StateName::UNDONE)?.as_deref())?;
        let unfinished: Option<Intent> = match &run.lease {
            Some(lease) => commit::recover(workspace, lease.as_ref(), run.forgotten.as_deref())?,
            None => commit::unfinished(workspace)?,
        };
        let edits =
            if run.lease.is_some() { commit::take_edits(workspace)? } else { commit::edits(workspace)? };
        run.report.notices.extend(edits);
        let mut records = Records::read(workspace)?;
        match unfinished {
            Some(intent) if run.lease.is_some() => run.report.recovered = Some(intent.id),
            Some(intent) => {
                let id = records.count_as_done(intent);
                run.report.notices.push(Notice::UnfinishedCommit(id));
            }
            None => {}
        }
        Ok(Self { dreamer, records, looks: Looks::default(), order: Order::Newest })
    }

    /// Returns the operator's day on which the run began.
    pub(crate) fn day(&self, run: &Run) -> NaiveDate {
        self.dreamer.config.day.date(run.begun())
    }
}
