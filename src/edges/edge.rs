//! An edge from a row or passage to an entity.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::entity::Entity;

/// An edge from a text to an entity: the text `holds` a ticker, or `mentions` a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Edge {
    /// The relation: one of the words below, or a verb of an extractor's table.
    pub verb: Cow<'static, str>,
    /// The entity.
    pub entity: Entity,
}

impl Edge {
    /// An entity without a verb.
    pub const MENTIONS: &'static str = "mentions";
    /// Two entities in one text; the key names both, as `btc|eth`.
    pub const CO_OCCURS_WITH: &'static str = "co_occurs_with";
    /// The scenario of a row, from the notes of a trusted writer.
    pub const BELONGS_TO_SCENARIO: &'static str = "belongs_to_scenario";
    /// The subject of a fact.
    pub const ABOUT: &'static str = "about";
    /// The note that a passage is a part of.
    pub const PART_OF: &'static str = "part_of";

    /// The most edges of one text. (seed 003, Typed memory edges)
    pub const MOST: usize = 20;

    /// Makes an edge.
    #[must_use]
    pub fn new(verb: impl Into<Cow<'static, str>>, entity: Entity) -> Self {
        Self { verb: verb.into(), entity }
    }

    /// Returns its place among the edges of a text: verbs come first.
    pub(super) fn rank(&self) -> u8 {
        match &*self.verb {
            Self::MENTIONS => 2,
            Self::CO_OCCURS_WITH => 3,
            Self::BELONGS_TO_SCENARIO => 1,
            _ => 0,
        }
    }
}
