//! A standing rule: a hard constraint that a person approved.

use crate::base::debug::debug_as;

use super::approval::Approval;
use super::preference::PreferenceId;

/// A standing rule: a hard constraint that a person approved.
///
/// With others present a session learns that one applies, not its words: they are the person's own.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Constraint {
    /// The preference that it is.
    pub id: PreferenceId,
    /// The rule; `None` outside of main sessions.
    pub statement: Option<String>,
    /// The tools that it is about; empty outside of main sessions.
    pub tools: Vec<String>,
    /// The words of arguments that it is about; empty outside of main sessions.
    pub words: Vec<String>,
    /// Who approved it, and when.
    pub approved: Approval,
}

impl Constraint {
    /// Makes a rule as a store returns it.
    #[must_use]
    pub fn new(id: PreferenceId, statement: Option<String>, approved: Approval) -> Self {
        Self { id, statement, tools: Vec::new(), words: Vec::new(), approved }
    }
}

debug_as!(
    Constraint,
    |it| "Constraint {{ {}, {:?} bytes, {} tools, {:?} }}",
    it.id,
    it.statement.as_ref().map(String::len),
    it.tools.len(),
    it.approved
);
