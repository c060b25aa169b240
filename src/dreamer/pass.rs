//! One pass of a run: one request and its answer.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::line::{Dropped, LineOutcome, LineReport};
use super::outcome::Outcome;
use crate::base::document::SourceRef;
use crate::base::error::LostBy;
use crate::base::finding::GateFinding;
use crate::base::name::DocName;
use crate::base::sorted::SortedMap;
use crate::base::usage::Usage;
use crate::format::DreamId;
use crate::llm::Unpicked;

/// One pass: one selection, and the model's answer to it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PassReport {
    /// The end of the pass.
    pub outcome: Outcome,
    /// The id of the dream: a hash of what the model was shown.
    pub dream_id: DreamId,
    /// The slices that the model was shown, oldest first.
    pub shown: Vec<ShownSlice>,
    /// The size of the request in bytes; 0 where the model was not called.
    pub request_bytes: u64,
    /// The cost of the call, if the host reported one.
    pub usage: Option<Usage>,
    /// Secrets that were masked before the request was made, by class.
    pub masked: Vec<Charge>,
    /// Further findings at the doors of request and answer, by class: warnings, and instructions that were
    /// blocked or held.
    #[serde(default)]
    pub warned: Vec<Charge>,
    /// Journal lines that were left out of the request because a machine wrote them: earlier dreams, recalled memory,
    /// marks of other tools.
    pub stripped: Vec<SourceRef>,
    /// Why there was no usable answer, for [`Outcome::LlmError`].
    pub failure: Option<Failure>,
    /// The way in which the lease was lost, for [`Outcome::LeaseLost`].
    pub lost: Option<LostBy>,
    /// Every line of the answer and its fate.
    pub lines: Vec<LineReport>,
    /// Counts of the parts that the sanitiser removed from the answer.
    pub dropped: Vec<Dropped>,
    /// Who is to blame, for [`Outcome::Quarantined`].
    pub quarantined: Vec<Blamed>,
    /// The section as it was appended, or in a proposal or a preview would be.
    pub section: Option<String>,
    /// The page that this pass made of `BRIEFING.md`, or in a preview would make, where that is
    /// [on](crate::DreamConfig::briefing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefing: Option<String>,
    /// The lines that the client says it left, and why: each line that [`Extractive`](crate::Extractive) could have picked. A model
    /// says nothing of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Unpicked>,
    /// Whether no model made the answer, as the client says: lines were picked by rules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_model: bool,
}

impl PassReport {
    /// Makes the report of a pass without any result yet.
    #[must_use]
    pub fn new(dream_id: DreamId) -> Self {
        Self {
            outcome: Outcome::NothingNew,
            dream_id,
            shown: Vec::new(),
            request_bytes: 0,
            usage: None,
            masked: Vec::new(),
            warned: Vec::new(),
            stripped: Vec::new(),
            failure: None,
            lost: None,
            lines: Vec::new(),
            dropped: Vec::new(),
            quarantined: Vec::new(),
            section: None,
            briefing: None,
            left: Vec::new(),
            without_model: false,
        }
    }
}

impl PassReport {
    /// Counts the lines of the answer by their fate.
    pub(crate) fn fates(&self) -> SortedMap<String, u32> {
        let mut fates = SortedMap::new();
        for line in &self.lines {
            let word = match &line.fate {
                LineOutcome::Promoted { .. } if self.outcome == Outcome::Proposed => "proposed",
                LineOutcome::Promoted { .. } => "promoted",
                LineOutcome::Duplicate => "duplicate",
                LineOutcome::RemovedBefore => "removed_before",
                LineOutcome::Forgotten => "forgotten",
                LineOutcome::Held(_) => "held",
                LineOutcome::OverCap(_) => "over_cap",
            };
            *fates.entry(word.to_owned()).or_default() += 1;
        }
        fates
    }

    /// Counts findings that were not masked.
    pub(crate) fn warn(&mut self, found: impl Iterator<Item = (String, u32)>) {
        for (class, count) in found {
            if self.masked.iter().any(|charge| charge.class == class) {
                continue;
            }
            match self.warned.iter_mut().find(|charge| charge.class == class) {
                Some(charge) => charge.count += count,
                None => self.warned.push(Charge { class, count }),
            }
        }
    }
}

impl fmt::Debug for PassReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassReport")
            .field("outcome", &self.outcome)
            .field("dream_id", &self.dream_id)
            .field("shown", &self.shown)
            .field("lines", &self.lines)
            .field("dropped", &self.dropped)
            .field("quarantined", &self.quarantined)
            .field("failure", &self.failure)
            .field("lost", &self.lost)
            .field("section_bytes", &self.section.as_ref().map(String::len))
            .finish_non_exhaustive()
    }
}

/// A slice of a journal that a model was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownSlice {
    /// The journal.
    pub name: DocName,
    /// The first byte.
    pub from: u64,
    /// One past the last byte.
    pub to: u64,
    /// The first line, from 1.
    pub first_line: u64,
    /// The last line.
    pub last_line: u64,
}

/// The number of times that a class of secrets was masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Charge {
    /// The class, such as `aws_access_key`.
    pub class: String,
    /// The number of places.
    pub count: u32,
}

/// Journals that were quarantined for a secret in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Blamed {
    /// The class of the secret.
    pub pattern: String,
    /// The places by journal and line. Empty if no journal contains it, and all of the batch are blamed.
    pub places: Vec<SourceRef>,
    /// The quarantined journals.
    pub journals: Vec<DocName>,
    /// The exact places, and the advice for each; the first fifty.
    #[serde(default)]
    pub findings: Vec<GateFinding>,
}
