//! A method: a named way of doing something, and how well it served.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::config::LearningConfig;
use crate::base::debug::debug_as;
use crate::base::row_id::row_id;

/// The id of a method: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MethodId(i64);

row_id!(MethodId);

/// The id of a case: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaseId(i64);

row_id!(CaseId);

/// A method to create.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewMethod {
    /// Its name: `Ask before a call`.
    pub name: String,
    /// The kind of work that it serves: `planning`.
    pub class: String,
    /// The way of doing it.
    pub body: String,
    /// Cases that speak for or against it.
    pub cases: Vec<String>,
}

impl NewMethod {
    /// Makes a method without cases.
    pub fn new(name: impl Into<String>, class: impl Into<String>, body: impl Into<String>) -> Self {
        Self { name: name.into(), class: class.into(), body: body.into(), cases: Vec::new() }
    }

    /// Adds a case.
    #[must_use]
    pub fn case(mut self, case: impl Into<String>) -> Self {
        self.cases.push(case.into());
        self
    }
}

debug_as!(NewMethod, |it| "NewMethod {{ {} bytes, {} cases }}", it.body.len(), it.cases.len());

/// A method.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Method {
    /// Its id.
    pub id: MethodId,
    /// Its name.
    pub name: String,
    /// The kind of work that it serves.
    pub class: String,
    /// The way of doing it.
    pub body: String,
    /// The number of outcomes that it was used for.
    pub uses: u64,
    /// The number of those that were good.
    pub successes: u64,
    /// [Wilson's lower bound](super::wilson) of the two; [`LearningConfig::initial_confidence`] without uses.
    pub confidence: f64,
    /// 1 in quarantine, 0 where a person let it out.
    pub quarantine: u8,
    /// The word of the person who graduated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graduated: Option<Approval>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When an outcome or a person last changed its standing.
    pub updated_at: DateTime<Utc>,
}

impl Method {
    /// Makes a method as a store keeps it right after it was created: in quarantine, with the initial confidence.
    #[must_use]
    pub fn new(id: MethodId, created: NewMethod, config: &LearningConfig, now: DateTime<Utc>) -> Self {
        let NewMethod { name, class, body, .. } = created;
        Self {
            id,
            name,
            class,
            body,
            uses: 0,
            successes: 0,
            confidence: config.initial_confidence,
            quarantine: 1,
            graduated: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns whether a person graduated it, and its outcomes still bear them out.
    #[must_use]
    pub fn is_graduated(&self, config: &LearningConfig) -> bool {
        self.graduated.is_some() && self.quarantine == 0 && self.confidence >= config.graduation
    }
}

debug_as!(
    Method,
    |it| "Method {{ {}, {} bytes, {} of {}, quarantine {} }}",
    it.id,
    it.body.len(),
    it.successes,
    it.uses,
    it.quarantine
);

/// A case of a method: something that happened while it was used.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Case {
    /// Its id.
    pub id: CaseId,
    /// The method.
    pub method: MethodId,
    /// The event itself.
    pub content: String,
    /// The outcome that brought it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When it was added.
    pub created_at: DateTime<Utc>,
}

impl Case {
    /// Makes a case as a store keeps it.
    #[must_use]
    pub fn new(id: CaseId, method: MethodId, content: impl Into<String>, now: DateTime<Utc>) -> Self {
        Self { id, method, content: content.into(), outcome: None, created_at: now }
    }
}

debug_as!(Case, |it| "Case {{ {}, of {}, {} bytes }}", it.id, it.method, it.content.len());
