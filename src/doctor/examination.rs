//! The result of an examination: findings, and counts of what is there.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::finding::{DoctorFinding, FindingKind};
use crate::base::access::Scope;

/// The result of an examination.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Examination {
    /// The findings, by kind and place. Empty where all is well.
    pub findings: Vec<DoctorFinding>,
    /// Counts of what is there.
    pub health: Health,
}

/// Counts of what a home holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Health {
    /// The life that was examined, where its home says whose it is.
    pub scope: Option<Scope>,
    /// Documents.
    pub documents: u64,
    /// Journals among them.
    pub journals: u64,
    /// Rows that are neither deleted nor retired.
    pub rows: u64,
    /// Rows by the state of their fact; `none` for those without one.
    pub facts: BTreeMap<String, u64>,
    /// Pairs of rows that may contradict each other.
    pub suspicions: u64,
    /// Learnings.
    pub learnings: u64,
    /// Methods.
    pub methods: u64,
    /// Methods that a person graduated.
    pub graduated: u64,
    /// Methods in quarantine.
    pub quarantined: u64,
    /// Notes of roles that wait for their reflection for over 72 hours.
    pub unreflected: u64,
    /// Rows by the state of their vector; empty where no embedder ever made one.
    pub embeddings: BTreeMap<String, u64>,
    /// Edges from rows to entities, without those of pairs.
    pub edges: u64,
    /// The entities that most rows speak of, each with how many do.
    pub top_entities: Vec<(String, u64)>,
    /// Rows that changed since the profile was last made of them; all of them where it never was.
    pub dirty: u64,
    /// The version of the tables, of a database.
    pub schema: Option<u64>,
}

/// An examination without names and exact numbers, to be shown to somebody else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AnonymousFinding {
    /// The kind.
    #[serde(rename = "finding")]
    pub kind: FindingKind,
    /// In about how many places: `a few`, `tens`, `hundreds or more`.
    #[serde(rename = "where")]
    pub places: &'static str,
    /// The meaning of the kind.
    pub fix: &'static str,
}

impl Examination {
    /// Returns whether nothing was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns each kind that was found, without names and with a bucket in place of a number.
    #[must_use]
    pub fn anonymous(&self) -> Vec<AnonymousFinding> {
        let mut counts: BTreeMap<FindingKind, usize> = BTreeMap::new();
        for finding in &self.findings {
            *counts.entry(finding.kind).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(kind, count)| AnonymousFinding { kind, places: bucket(count), fix: kind.meaning() })
            .collect()
    }

    pub(crate) fn add(&mut self, kind: FindingKind, place: impl fmt::Display, fix: impl Into<String>) {
        self.findings.push(DoctorFinding::new(kind, place, fix));
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.findings.sort();
        self.findings.dedup();
        self
    }
}

impl Health {
    /// Returns each count as a bucket, for somebody else's eyes.
    #[must_use]
    pub fn anonymous(&self) -> BTreeMap<&'static str, &'static str> {
        let numbers = [
            ("documents", self.documents),
            ("journals", self.journals),
            ("rows", self.rows),
            ("suspicions", self.suspicions),
            ("learnings", self.learnings),
            ("methods", self.methods),
            ("graduated", self.graduated),
            ("quarantined", self.quarantined),
            ("unreflected", self.unreflected),
            ("edges", self.edges),
            ("dirty", self.dirty),
            ("pending embeddings", self.embeddings.get("pending").copied().unwrap_or(0)),
            ("failed embeddings", self.embeddings.get("failed").copied().unwrap_or(0)),
        ];
        numbers
            .into_iter()
            .map(|(name, count)| (name, bucket(usize::try_from(count).unwrap_or(usize::MAX))))
            .collect()
    }
}

/// Returns about how many.
fn bucket(count: usize) -> &'static str {
    match count {
        0 => "none",
        1..10 => "a few",
        10..100 => "tens",
        _ => "hundreds or more",
    }
}
