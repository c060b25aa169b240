//! The answer to the question why the agent said something.

use std::fmt;

use chrono::{DateTime, Utc};

use super::line::ShownRules;
use super::source::{LeftOut, Shown};
use crate::base::access::SessionKind;

/// The sources of one reply, as a session may know them. It holds no word of any of them.
///
/// Printed, each source and each thing that was left out has a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Why {
    /// When the host named the reply.
    pub at: DateTime<Utc>,
    /// The kind of its session.
    pub kind: SessionKind,
    /// The number of the reply in its session, from 1.
    pub turn: u64,
    /// The rules in force.
    pub rules: ShownRules,
    /// The sources of the prompt in force, then those of tools and searches since the reply before; each once.
    pub sources: Vec<Shown>,
    /// Sources of earlier replies of the session that are none of this one. A model may still have had them in its context.
    pub earlier: Vec<Shown>,
    /// Everything that did not reach the model, or not whole, and why.
    pub left_out: Vec<LeftOut>,
    /// The number of entries that the asking session may not know.
    pub withheld: u64,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for source in &self.sources {
            writeln!(f, "{source}")?;
        }
        for source in &self.earlier {
            writeln!(f, "earlier: {source}")?;
        }
        for left in &self.left_out {
            writeln!(f, "left out: {left}")?;
        }
        match self.withheld {
            0 => Ok(()),
            withheld => writeln!(f, "{withheld} more are not for this session"),
        }
    }
}
