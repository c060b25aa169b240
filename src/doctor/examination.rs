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
    /// Notes that wait for their reflection for longer than their role may: 72 hours, or an [age](super::Doctor::roles) of its own.
    pub unreflected: u64,
    /// Rows by the state of their vector; empty where no embedder ever made one.
    pub embeddings: BTreeMap<String, u64>,
    /// Chunks of documents by the state of their vector; empty where no embedder ever made one.
    pub chunks: BTreeMap<String, u64>,
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
    /// In about how many places: `1–9`, `10–99`, `100–999`, `1000+`.
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
            *counts.entry(finding.kind).or_default() += finding.places;
        }
        counts
            .into_iter()
            .map(|(kind, count)| AnonymousFinding { kind, places: bucket(count), fix: kind.meaning() })
            .collect()
    }

    pub(crate) fn add(&mut self, kind: FindingKind, place: impl fmt::Display, fix: impl Into<String>) {
        self.findings.push(DoctorFinding::new(kind, place, fix));
    }

    /// Adds one finding for several places.
    pub(crate) fn add_places(
        &mut self,
        kind: FindingKind,
        place: impl fmt::Display,
        fix: impl Into<String>,
        places: usize,
    ) {
        self.findings.push(DoctorFinding { places, ..DoctorFinding::new(kind, place, fix) });
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.findings.sort();
        self.findings.dedup();
        self
    }
}

impl Health {
    /// Returns each count as a bucket, for somebody else's eyes: `0`, `1–9`, `10–99`, `100–999`, `1000+`.
    #[must_use]
    pub fn anonymous(&self) -> BTreeMap<String, &'static str> {
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
            ("pending embeddings", 0),
            ("failed embeddings", 0),
        ];
        let mut buckets: BTreeMap<String, &'static str> = BTreeMap::new();
        for (name, count) in numbers {
            buckets.insert(name.to_owned(), bucket_of(count));
        }
        for (kind, counts) in
            [("facts", &self.facts), ("embeddings", &self.embeddings), ("chunks", &self.chunks)]
        {
            for (state, count) in counts {
                // Rows that are no fact have no state.
                let name = if state == "none" {
                    "rows without a state".to_owned()
                } else {
                    format!("{state} {kind}")
                };
                buckets.insert(name, bucket_of(*count));
            }
        }
        buckets
    }
}

fn bucket_of(count: u64) -> &'static str {
    bucket(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Returns about how many.
fn bucket(count: usize) -> &'static str {
    match count {
        0 => "0",
        1..10 => "1–9",
        10..100 => "10–99",
        100..1000 => "100–999",
        _ => "1000+",
    }
}
