//! The parts of a page that come from elsewhere: methods, constraints, and records of a host's.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

use super::line::PageLine;
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::error::Result;

/// Adds to pages: methods that graduated, constraints that a person approved, records such as trades.
///
/// Only main sessions are shown what it says. Quarantined methods, methods below [`PageMethod::GRADUATED`] and inactive constraints
/// are left out by the page, whatever a source gives.
///
/// ```
/// use noctuary::pages::{PageMethod, PageParts, PageSource};
/// use noctuary::{Access, Result};
///
/// /// One method, for each page on boats.
/// #[derive(Debug)]
/// struct Methods;
///
/// impl PageSource for Methods {
///     fn parts(&self, _access: &Access, keys: &[String], _limit: usize) -> Result<PageParts> {
///         let mut parts = PageParts::default();
///         if keys.iter().any(|key| key == "brisk") {
///             parts.methods.push(PageMethod::new("Moor against the tide", 0.61, 40));
///         }
///         Ok(parts)
///     }
///     fn edition(&self) -> Result<u64> {
///         Ok(0)
///     }
/// }
/// ```
pub trait PageSource: Debug + Send + Sync {
    /// Returns the facts on an entity, by the keys that it may have. Of claims it returns the latest, at most
    /// `limit`.
    ///
    /// # Errors
    ///
    /// The errors of the source.
    fn parts(&self, access: &Access, keys: &[String], limit: usize) -> Result<PageParts>;

    /// Returns a number that is another one after any change.
    ///
    /// # Errors
    ///
    /// The errors of the source.
    fn edition(&self) -> Result<u64>;
}

/// The additions of a source to a page.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct PageParts {
    /// Ways of doing things that concern the entity.
    pub methods: Vec<PageMethod>,
    /// Constraints that name it.
    pub constraints: Vec<PageConstraint>,
    /// Records of the timeline.
    pub timeline: Vec<PageLine>,
}

/// A way of doing things.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct PageMethod {
    /// The name, on one line.
    pub name: String,
    /// The lower bound of its success.
    pub confidence: f64,
    /// The number of its uses.
    pub uses: u64,
    /// Whether it waits for a person's word.
    pub is_quarantined: bool,
}

impl PageMethod {
    /// The least confidence of a method on a page. (seed 003, Compiled pages)
    pub const GRADUATED: f64 = 0.55;

    /// Makes a method that is not in quarantine.
    #[must_use]
    pub fn new(name: impl Into<String>, confidence: f64, uses: u64) -> Self {
        Self { name: name.into(), confidence, uses, is_quarantined: false }
    }

    /// Returns whether a page may show it.
    pub(super) fn is_shown(&self) -> bool {
        !self.is_quarantined && self.confidence >= Self::GRADUATED
    }
}

debug_as!(PageMethod, |it| "PageMethod {{ {} bytes, {} of {} uses }}", it.name.len(), it.confidence, it.uses);

/// A rule that a person approved.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageConstraint {
    /// The rule, on one line.
    pub text: String,
    /// Who approved it.
    pub approved_by: String,
    /// When.
    pub approved_at: DateTime<Utc>,
    /// Whether it counts now.
    pub is_active: bool,
}

impl PageConstraint {
    /// Makes a rule that counts.
    #[must_use]
    pub fn new(text: impl Into<String>, approved_by: impl Into<String>, approved_at: DateTime<Utc>) -> Self {
        Self { text: text.into(), approved_by: approved_by.into(), approved_at, is_active: true }
    }
}

debug_as!(PageConstraint, |it| "PageConstraint {{ {} bytes, active: {} }}", it.text.len(), it.is_active);
