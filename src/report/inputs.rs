//! The inputs of a page: a report, and the texts that it speaks of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::day::DayPolicy;
use crate::base::name::DocName;
use crate::dreamer::DreamReport;
use crate::facts::Superseded;
use crate::format::Quarantine;
use crate::format::state::log::LogLine;
use crate::gate::{Doors, Tombstones};

/// The inputs of a page, unmasked.
#[derive(Clone)]
pub(super) struct Inputs<'r> {
    pub(super) report: &'r DreamReport,
    /// The days and the zone of the person who looks at it.
    pub(super) day: DayPolicy,
    pub(super) doors: Doors,
    pub(super) forgotten: Option<Arc<Tombstones>>,
    /// The most bytes of journals that a pass may show.
    pub(super) budget: Option<u64>,
    pub(super) journals: BTreeMap<DocName, Vec<u8>>,
    pub(super) memory: Option<String>,
    pub(super) log: Vec<LogLine>,
    pub(super) quarantine: Option<Quarantine>,
    pub(super) superseded: Vec<Superseded>,
}

impl Inputs<'_> {
    /// Returns the journals whose lines the page shows.
    pub(super) fn cited(&self) -> BTreeSet<DocName> {
        let lines = self.report.passes.iter().flat_map(|pass| &pass.lines).flat_map(|line| &line.sources);
        let blamed =
            self.report.passes.iter().flat_map(|pass| &pass.quarantined).flat_map(|blamed| &blamed.places);
        lines.chain(blamed).map(|source| source.name.clone()).collect()
    }
}
