//! An outcome: how something ended that methods were used for.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::method::{Method, MethodId};
use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;

/// The end of something that methods were used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It ended well.
    Success,
    /// It ended badly.
    Failure,
}

/// An outcome to report: how something ended, and the methods that were used for it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewOutcome {
    /// The host's id of it, such as the id of an order or of a ticket. An id counts once, however often it is reported.
    pub id: String,
    /// The methods that were used.
    pub methods: Vec<MethodId>,
    /// How it ended.
    pub ending: Ending,
    /// The event itself, to be kept as a case of each method.
    pub case: Option<String>,
}

impl NewOutcome {
    /// Makes an outcome without a case.
    pub fn new(id: impl Into<String>, methods: impl IntoIterator<Item = MethodId>, ending: Ending) -> Self {
        Self { id: id.into(), methods: methods.into_iter().gather(), ending, case: None }
    }

    /// Says what happened.
    #[must_use]
    pub fn case(mut self, case: impl Into<String>) -> Self {
        self.case = Some(case.into());
        self
    }
}

debug_as!(NewOutcome, |it| "NewOutcome {{ {:?}, {} methods }}", it.ending, it.methods.len());

/// An outcome that counted, as a store keeps it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    /// The host's id of it; empty where it was forgotten.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) id: String,
    /// The methods that it counted for, by id.
    pub(crate) methods: Vec<MethodId>,
    pub(crate) ending: Ending,
    pub(crate) at: DateTime<Utc>,
}

/// The result of a report.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reported {
    /// Whether it counted. It did not where its id was reported before, or where no method of it exists.
    pub counted: bool,
    /// The methods that it names, as they are now.
    pub methods: Vec<Method>,
    /// The methods that it sent into quarantine.
    pub quarantined: Vec<MethodId>,
}

impl Reported {
    /// Makes the result that a store returns.
    #[must_use]
    pub fn new(counted: bool, methods: Vec<Method>, quarantined: Vec<MethodId>) -> Self {
        Self { counted, methods, quarantined }
    }
}
