//! The key of a fact: a subject and a property.

use serde::{Deserialize, Serialize};

use crate::base::debug::debug_as;
use crate::base::text;

/// The matter of a fact: a subject, and one of its properties.
///
/// Two statements with the same key contradict each other where it has one value, and are siblings where it may
/// have many. Case, composition and white space of the words do not count, but in words like code (`max_tokens`, `aB3`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FactKey {
    /// The person or thing that it is about: `marta`.
    pub subject: String,
    /// The property: `home`.
    pub slot: String,
    /// The number of values that the property has at a time.
    pub cardinality: Cardinality,
}

/// The number of values that a property has at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// One: a home, a plan, a favourite.
    One,
    /// Any number: languages that somebody speaks, tools in use.
    Many,
}

impl FactKey {
    /// Makes a property with one value at a time.
    pub fn one(subject: impl Into<String>, slot: impl Into<String>) -> Self {
        Self { subject: subject.into(), slot: slot.into(), cardinality: Cardinality::One }
    }

    /// Makes a property with any number of values.
    pub fn many(subject: impl Into<String>, slot: impl Into<String>) -> Self {
        Self { cardinality: Cardinality::Many, ..Self::one(subject, slot) }
    }

    /// Returns subject and slot as they are compared.
    pub(crate) fn normal(&self) -> (String, String) {
        (text::same(&self.subject), text::same(&self.slot))
    }
}

debug_as!(FactKey, |it| "FactKey({:?}, {} bytes)", it.cardinality, it.subject.len() + it.slot.len());
