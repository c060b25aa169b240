//! The plan of an import, file by file, and the work that it stands for.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::entry::NamedDecision;
use super::gone::Gone;
use super::practice::{CarriedPreference, KnownPractice};
use crate::artifacts::Artifact;
use crate::base::name::DocName;
use crate::facts::EventId;
use crate::gate::Tombstones;
use crate::learning::{NewMethod, NewPreference, RoleNote};
use crate::memory::{MemoryId, NewMemory};
use crate::store::carry::{CarriedLearning, CarriedRow};
use crate::store::carry_practice::CarriedMethod;
use crate::upload::StoredFile;

/// How an entry comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Channel {
    /// A trusted key has signed it as it is.
    Signed,
    /// It has no signature that counts.
    Unsigned,
}

/// The plan for one file of a bundle, or its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BundleItem {
    /// The file.
    pub path: String,
    /// How it comes in.
    pub channel: Channel,
    /// The action on it.
    pub action: BundleAction,
    /// The classes of findings in a document that passed unchanged, since a trusted key has signed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The number of lines and rows of the home that the tombstones in it hide, and that nothing hides so far.
    #[serde(skip_serializing_if = "is_none")]
    pub hides: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

/// The action on a file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BundleAction {
    /// It is brought in.
    Add,
    /// The home has it already, or newer.
    Keep,
    /// It stays out, for this reason.
    Refuse(String),
}

/// The plan of an import, file by file, or its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BundlePlan {
    /// The author of the signature that was verified; `None` where none was.
    pub author: Option<String>,
    /// The files, ascending.
    pub items: Vec<BundleItem>,
    /// Files that were signed and are gone.
    pub missing: Vec<String>,
    /// Whether it was carried out.
    pub applied: bool,
}

impl BundlePlan {
    /// Returns the files that are brought in.
    pub fn added(&self) -> impl Iterator<Item = &BundleItem> {
        self.items.iter().filter(|item| item.action == BundleAction::Add)
    }

    /// Returns the files that stay out.
    pub fn refused(&self) -> impl Iterator<Item = &BundleItem> {
        self.items.iter().filter(|item| matches!(item.action, BundleAction::Refuse(_)))
    }
}

/// The work of a plan.
#[derive(Default)]
pub(super) struct Work {
    pub(super) plan: BundlePlan,
    pub(super) as_of: Option<DateTime<Utc>>,
    /// Entries that the home of the bundle had once, and this one never.
    pub(super) gone: Gone,
    pub(super) signed: Vec<(String, CarriedRow)>,
    /// Rows of the bundle that the home has already, by their name.
    pub(super) standing: BTreeMap<String, MemoryId>,
    /// Rows that come in with little trust, and when each was written, where that is known.
    pub(super) unsigned: Vec<(String, NewMemory, Option<DateTime<Utc>>)>,
    /// Their categories and statements.
    pub(super) queued: BTreeSet<(String, String)>,
    /// The learning loop that is there, or comes in.
    pub(super) practice: Option<KnownPractice>,
    /// The statements of the learnings that are there or come in.
    pub(super) learned: Option<BTreeSet<String>>,
    pub(super) learnings: Vec<CarriedLearning>,
    pub(super) new_learnings: Vec<CarriedLearning>,
    pub(super) methods: Vec<CarriedMethod>,
    pub(super) preferences: Vec<CarriedPreference>,
    pub(super) notes: Vec<RoleNote>,
    pub(super) outcomes: Vec<String>,
    /// Methods and preferences that come in with little trust, each with the path that the plan shows.
    pub(super) new_methods: Vec<(String, NewMethod)>,
    pub(super) new_preferences: Vec<(String, NewPreference)>,
    pub(super) profile: Vec<(String, String)>,
    pub(super) decisions: Vec<(NamedDecision, Option<EventId>)>,
    /// Documents: the path that the plan shows, the name here, the bytes.
    pub(super) documents: Vec<(String, DocName, Vec<u8>)>,
    /// Artifacts and files, each with the path that the plan shows.
    pub(super) artifacts: Vec<(String, Artifact)>,
    pub(super) files: Vec<(String, StoredFile, Vec<u8>)>,
    pub(super) stones: Option<Tombstones>,
    pub(super) document_stones: Option<Tombstones>,
}
